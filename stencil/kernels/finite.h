/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an array holds a NaN or an infinite value: the contract of finite_*. Bound by reading the array once. */
#ifndef STARFISH_STENCIL_KERNELS_FINITE_H
#define STARFISH_STENCIL_KERNELS_FINITE_H

#include <stddef.h>
#include <stdint.h>

struct CUstream_st; /* what a cudaStream_t points to */

#define STARFISH_ALL_FINITE UINT64_MAX

/* *first: index of the first value that is not finite, STARFISH_ALL_FINITE where all are. */
struct starfish_finite {
    size_t count;
    const void *values;
    uint64_t *first;
};
void starfish_finite_cpu_f32(const struct starfish_finite *arguments);
void starfish_finite_cpu_f64(const struct starfish_finite *arguments);
int starfish_finite_cuda_f32(const struct starfish_finite *arguments, struct CUstream_st *stream);
int starfish_finite_cuda_f64(const struct starfish_finite *arguments, struct CUstream_st *stream);

#endif
