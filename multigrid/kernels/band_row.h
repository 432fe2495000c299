/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of a nine-band matrix on the CPU: what the kernels of band_cpu.c, colours_cpu.c and columns_cpu.c are made of.
 * Inlined into loops that are compiled for several instruction sets, and for entries that are reals or stored in 16
 * bits.
 *
 * The first and the last unknown of a row, whose neighbours may be missing, are done one by one; between them every
 * entry of the row has its neighbour, and the loop is eight differences and nine products without a branch. */
#ifndef STARFISH_MULTIGRID_BAND_ROW_H
#define STARFISH_MULTIGRID_BAND_ROW_H

#if defined(STARFISH_STORED_F16) || defined(STARFISH_STORED_BF16)
#include "multigrid/kernels/band_packed_row.h"
#else
#include "multigrid/kernels/band_real_row.h"
#endif

STARFISH_ALWAYS_INLINE real residual_at_end(const struct row *row, size_t i, size_t nx)
{
    return row->f[i] - product(row, i, i > 0 ? i - 1 : i, i + 1 < nx ? i + 1 : i);
}

/* result[i - x0] = - A u. */
STARFISH_ALWAYS_INLINE void minus_product_row(const struct row *row, size_t nx, size_t x0, size_t x1,
                                              real *restrict result)
{
    const struct row r = *row;
    const size_t first = x0 > 0 ? x0 : 1, last = x1 < nx ? x1 : nx - 1;

    if (x0 == 0)
        result[0] = -product(&r, 0, 0, nx > 1 ? 1 : 0);
#pragma omp simd
    for (size_t i = first; i < last; i++)
        result[i - x0] = -product(&r, i, i - 1, i + 1);
    if (x1 == nx && nx > 1)
        result[nx - 1 - x0] = -product(&r, nx - 1, nx - 2, nx - 1);
}

/* result[i - x0] = f - A u, f or u being zero where it is missing, and the diagonal where it is wanted, which takes f.
 */
STARFISH_ALWAYS_INLINE void residual_row(const struct row *row, size_t nx, size_t x0, size_t x1, real *restrict result,
                                         int with_diag, real *restrict diag)
{
    const struct row r = *row;
    const size_t first = x0 > 0 ? x0 : 1, last = x1 < nx ? x1 : nx - 1;

    if (!r.u[1]) {
        memcpy(result, r.f + x0, (x1 - x0) * sizeof(real));
#pragma omp simd
        for (size_t i = x0; i < x1; i++)
            if (with_diag)
                diag[i - x0] = diagonal(&r, i);
        return;
    }
    if (!with_diag && !r.f) {
        minus_product_row(&r, nx, x0, x1, result);
        return;
    }
    if (x0 == 0)
        result[0] = residual_at_end(&r, 0, nx);
    if (x0 == 0 && with_diag)
        diag[0] = diagonal(&r, 0);
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        result[i - x0] = r.f[i] - product(&r, i, i - 1, i + 1);
        if (with_diag)
            diag[i - x0] = diagonal(&r, i);
    }
    if (x1 == nx && nx > 1)
        result[nx - 1 - x0] = residual_at_end(&r, nx - 1, nx);
    if (x1 == nx && nx > 1 && with_diag)
        diag[nx - 1 - x0] = diagonal(&r, nx - 1);
}

#endif
