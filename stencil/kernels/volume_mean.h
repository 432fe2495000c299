/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solutions of singular problems whose rows are scaled (docs/curvilinear.md). A solve takes the constant
 * p mean(scale_y) off the scaled right-hand side scale_y f, where p scale_y is to come off, with p the mean of f by
 * volumes: the solution then lacks p row[j], where row solves (Y row)[j] = mean(scale_y) - scale_y[j]. It is added, and
 * the mean m by volumes is taken off. CUDA functions launch on `stream` and return a cudaError_t, 0 when the launch was
 * accepted. */
#ifndef STARFISH_STENCIL_KERNELS_VOLUME_MEAN_H
#define STARFISH_STENCIL_KERNELS_VOLUME_MEAN_H

#include "krylov/kernels/vectors.h"

#include <stddef.h>

#ifdef __CUDACC__
#define STARFISH_MEAN_INLINE __host__ __device__ static inline
#else
#define STARFISH_MEAN_INLINE static inline
#endif

enum starfish_mean_number { STARFISH_MEAN_P, STARFISH_MEAN_MEAN, STARFISH_MEAN_NUMBERS };

/* u(i,j,k) += p row[j] - m, n[2] planes. Bound by memory: 2 words per unknown. */
struct starfish_volume_mean {
    size_t n[3];
    const double *row, *numbers; /* n[1]; by enum starfish_mean_number */
    void *u;
};
void starfish_volume_mean_cpu_f32(const struct starfish_volume_mean *arguments);
void starfish_volume_mean_cpu_f64(const struct starfish_volume_mean *arguments);
int starfish_volume_mean_cuda_f32(const struct starfish_volume_mean *arguments, struct CUstream_st *stream);
int starfish_volume_mean_cuda_f64(const struct starfish_volume_mean *arguments, struct CUstream_st *stream);

/* The numbers, from the slabs' sums of u times volumes, which sum to one, STARFISH_SUMS doubles each. p is *removed, or
 * 0 without it. Runs in one thread. */
enum { STARFISH_MEAN_MOST_SLABS = 64 };
struct starfish_volume_mean_numbers {
    int slabs;
    const double *sums[STARFISH_MEAN_MOST_SLABS];
    const double *removed;
    double *numbers;
};
void starfish_volume_mean_numbers_cpu(const struct starfish_volume_mean_numbers *arguments);
int starfish_volume_mean_numbers_cuda(const struct starfish_volume_mean_numbers *arguments, struct CUstream_st *stream);

STARFISH_MEAN_INLINE void starfish_volume_mean_numbers_here(const struct starfish_volume_mean_numbers *a)
{
    double mean = 0;
    for (int slab = 0; slab < a->slabs; slab++)
        for (int s = 0; s < STARFISH_SUMS; s++)
            mean += a->sums[slab][s];
    a->numbers[STARFISH_MEAN_MEAN] = mean;
    a->numbers[STARFISH_MEAN_P] = a->removed ? *a->removed : 0;
}

#endif
