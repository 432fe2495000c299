/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The residual of a seven-point matrix on the CPU, row by row (flux.h). Bound by memory: u, f and the result, 3
 * words. */
#include "multigrid/kernels/flux_row.h"

#include <string.h>

/* Of row (j,k), into `out`. */
static void residual_row(const struct starfish_flux_residual *a, size_t j, size_t k, real *out)
{
    const size_t nx = a->matrix.axis[0].n, start = nx * (j + a->matrix.axis[1].n * k);
    const real *f = a->f ? (const real *)a->f + start : NULL;

    if (!a->u) {
        if (f)
            memmove(out, f, nx * sizeof(real));
        return;
    }
    struct flux_row row;
    const struct flux_values values = REAL_NAME(starfish_flux_values)(&a->matrix, a->u, j, (ptrdiff_t)k);
    REAL_NAME(starfish_flux_row)(&a->matrix, j, (ptrdiff_t)k, &row);
    flux_prefetch_after(values.side[FLUX_ABOVE], nx);
    flux_prefetch_after(f, nx);
    REAL_NAME(starfish_flux_row_residual)(&row, &values, f, out);
}

void REAL_NAME(starfish_flux_residual_cpu)(const struct starfish_flux_residual *a)
{
    const size_t nx = a->matrix.axis[0].n, ny = a->matrix.axis[1].n;
    double sum = 0;

    for (size_t k = a->at.z0; k < a->at.z1; k++)
        for (size_t j = a->at.y0; j < a->at.y1; j++) {
            real *out = a->result ? (real *)a->result + nx * (j + ny * k) : flux_work_row(a->work, nx, 0);
            residual_row(a, j, k, out);
            if (a->sums)
                sum += REAL_NAME(starfish_flux_row_product)(out, out, nx);
        }
    if (!a->sums)
        return;
    memset(a->sums, 0, STARFISH_SUMS * sizeof *a->sums);
    a->sums[0] = sum;
}
