/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BiCGStab on a small matrix at one place, for the coarsest grids: van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992),
 * 631-644, with a right preconditioner. On a GPU one block does all iterations, so that none is launched in vain and
 * the host needs not look; a block streams some 50 GB/s, so grids should be of thousands of unknowns at most. On the
 * CPU one core. */
#ifndef STARFISH_SPARSE_KERNELS_BICGSTAB_H
#define STARFISH_SPARSE_KERNELS_BICGSTAB_H

#include "sparse/kernels/spmv.h"

enum { STARFISH_BICGSTAB_VECTORS = 7 };

/* u is improved until its residual's norm is at most `tolerance` times that of the first one, or for `iterations`;
 * zero: u is 0 yet, whatever its memory holds. The preconditioner is a matrix, or where `inverse` is not NULL that
 * diagonal. An iteration that breaks down ends with the solution that it has. work: STARFISH_BICGSTAB_VECTORS arrays of
 * `pitch` reals each, pitch >= rows. */
struct starfish_bicgstab {
    struct starfish_sparse matrix, preconditioner;
    const void *inverse;
    double tolerance;
    int iterations, zero;
    const void *f;
    void *u, *work;
    size_t pitch;
};
void starfish_bicgstab_cpu_f32(const struct starfish_bicgstab *arguments);
void starfish_bicgstab_cpu_f64(const struct starfish_bicgstab *arguments);
int starfish_bicgstab_cuda_f32(const struct starfish_bicgstab *arguments, struct CUstream_st *stream);
int starfish_bicgstab_cuda_f64(const struct starfish_bicgstab *arguments, struct CUstream_st *stream);

#endif
