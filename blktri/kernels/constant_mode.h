/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant mode of a singular problem (all ends Neumann or periodic): its weighted mean is what makes the problem
 * unsolvable or its solution non-unique.
 *
 * The mode is lane 0 of tiles along z: element (j, k) at tile[t][((k - first[t]) * ny + j) * lanes].
 *     mean = sum_jk weight_y[j] weight_z[k] element(j,k)      (weights sum to one in each direction)
 * is subtracted from every element; mean * scale is stored in *removed (where the kernel runs) unless that is NULL.
 * ny * nz strided reads and writes by one core, or one block of threads: always small beside the transforms. */
#ifndef STARFISH_BLKTRI_KERNELS_CONSTANT_MODE_H
#define STARFISH_BLKTRI_KERNELS_CONSTANT_MODE_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

enum { STARFISH_CONSTANT_MODE_MAX_TILES = 32 };

struct starfish_constant_mode {
    size_t lanes, ny;
    int tiles;
    void *tile[STARFISH_CONSTANT_MODE_MAX_TILES];
    size_t first[STARFISH_CONSTANT_MODE_MAX_TILES + 1];
    const void *weight_y, *weight_z; /* reals */
    double scale;
    double *removed;
};
void starfish_constant_mode_cpu_f32(const struct starfish_constant_mode *arguments);
void starfish_constant_mode_cpu_f64(const struct starfish_constant_mode *arguments);
int starfish_constant_mode_cuda_f32(const struct starfish_constant_mode *arguments, struct CUstream_st *stream);
int starfish_constant_mode_cuda_f64(const struct starfish_constant_mode *arguments, struct CUstream_st *stream);

#endif
