/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps on matrices that are sums of tensor products (struct starfish_band_matrix, `axis`): the contract of tensor_*.
 * What moves are vectors alone; the two 1D matrices of a direction are four reals of an axis per row and column of the
 * grid, from the cache.
 *
 * The steps are those of band.h with the same arguments, but that diag is given on the CPU alone. What differs is words
 * per unknown: residual 3, its sum 2, Jacobi 3. */
#ifndef STARFISH_MULTIGRID_TENSOR_H
#define STARFISH_MULTIGRID_TENSOR_H

#include "multigrid/kernels/band.h"

void starfish_tensor_residual_cpu_f32(const struct starfish_band_residual *arguments);
void starfish_tensor_residual_cpu_f64(const struct starfish_band_residual *arguments);
int starfish_tensor_residual_cuda_f32(const struct starfish_band_residual *arguments, struct CUstream_st *stream);
int starfish_tensor_residual_cuda_f64(const struct starfish_band_residual *arguments, struct CUstream_st *stream);

void starfish_tensor_jacobi_cpu_f32(const struct starfish_band_jacobi *arguments);
void starfish_tensor_jacobi_cpu_f64(const struct starfish_band_jacobi *arguments);
int starfish_tensor_jacobi_cuda_f32(const struct starfish_band_jacobi *arguments, struct CUstream_st *stream);
int starfish_tensor_jacobi_cuda_f64(const struct starfish_band_jacobi *arguments, struct CUstream_st *stream);

/* Couplings of the unknowns of whole rows to those before them in x, 0 for a row's first: lower[i + (j - y0) * pitch].
 * On the CPU alone, where lines in x take them from their work space. */
struct starfish_tensor_lower {
    struct starfish_band_matrix matrix;
    struct starfish_rectangle at;
    void *lower;
    size_t pitch;
};
void starfish_tensor_lower_cpu_f32(const struct starfish_tensor_lower *arguments);
void starfish_tensor_lower_cpu_f64(const struct starfish_tensor_lower *arguments);

#endif
