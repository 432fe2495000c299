/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a vector by an index set: what a neighbour's halo needs of a part. Bound by memory: an index, a read that
 * may be anywhere and a write per element. */
#ifndef STARFISH_KRYLOV_KERNELS_GATHER_H
#define STARFISH_KRYLOV_KERNELS_GATHER_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

/* to[i] = from[index[i]], i = 0 .. count-1. */
struct starfish_vector_gather {
    size_t count;
    const int *index;
    const void *from;
    void *to;
};
void starfish_vector_gather_cpu_f32(const struct starfish_vector_gather *arguments);
void starfish_vector_gather_cpu_f64(const struct starfish_vector_gather *arguments);
int starfish_vector_gather_cuda_f32(const struct starfish_vector_gather *arguments, struct CUstream_st *stream);
int starfish_vector_gather_cuda_f64(const struct starfish_vector_gather *arguments, struct CUstream_st *stream);

#endif
