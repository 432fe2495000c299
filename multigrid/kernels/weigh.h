/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of a 3D grid and the volumes W = weight_x[i] weight_y[j] weight_z[k] of its unknowns: what makes integrals of
 * values, and means. Unknown (i,j,k) is element i + n[0] * (j + n[1] * k); work is on planes z0 .. z1-1. Bound by
 * memory: 2 words per unknown, 1 for a sum. CUDA functions launch on `stream` and return a cudaError_t, 0 when the
 * launch was accepted. */
#ifndef STARFISH_MULTIGRID_WEIGH_H
#define STARFISH_MULTIGRID_WEIGH_H

#include "multigrid/kernels/band.h"

struct starfish_volumes {
    size_t n[3], z0, z1;
    const void *weight[3]; /* n[0], n[1], n[2] reals */
};

/* result = scale * v + offset, of which the first is multiplied by W where `weighs_values`, the second where
 * `weighs_offset`. result may be v. */
struct starfish_weigh {
    struct starfish_volumes at;
    int weighs_values, weighs_offset;
    double scale, offset;
    const void *v;
    void *result;
};
void starfish_weigh_cpu_f32(const struct starfish_weigh *arguments);
void starfish_weigh_cpu_f64(const struct starfish_weigh *arguments);
int starfish_weigh_cuda_f32(const struct starfish_weigh *arguments, struct CUstream_st *stream);
int starfish_weigh_cuda_f64(const struct starfish_weigh *arguments, struct CUstream_st *stream);

/* sums: STARFISH_SUMS doubles that add up to the sum of v, times W where `weighs_values`. */
struct starfish_volume_sum {
    struct starfish_volumes at;
    int weighs_values;
    const void *v;
    double *sums;
};
void starfish_volume_sum_cpu_f32(const struct starfish_volume_sum *arguments);
void starfish_volume_sum_cpu_f64(const struct starfish_volume_sum *arguments);
int starfish_volume_sum_cuda_f32(const struct starfish_volume_sum *arguments, struct CUstream_st *stream);
int starfish_volume_sum_cuda_f64(const struct starfish_volume_sum *arguments, struct CUstream_st *stream);

#endif
