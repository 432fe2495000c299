/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers between two grids on the CPU.
 *
 * Restriction: every row of the fine grid's residual is computed once, summed in x, and added to the coarse rows it
 * belongs to, at most two by two, which are in the cache until the last of their up to four by four fine rows has been
 * there. */
#include "multigrid/kernels/flux_row.h"

#include <string.h>

enum { GATHERED = 4 };

/* ---- Restriction ------------------------------------------------------------------------------------------------- */

/* The coarse unknowns that get some of a fine one: at most two, with weights. Fine unknowns are counted on across the
 * ends: from -1 (here 0) on, so that unknown `index` of the count is fine index - 1. */
struct shares {
    size_t count, coarse[2];
    real weight[2];
};

/* Count of the first and one past the last fine unknown that coarse ones first .. last-1 get some of. */
static void counted(const struct starfish_flux_transfer *t, size_t first, size_t last, size_t count[2])
{
    const int same = t->fine == t->coarse;

    count[0] = same ? first + 1 : 2 * first;
    count[1] = same ? last + 1 : 2 * (last - 1) + GATHERED;
}

/* Whether there is a fine unknown of that count, and where. */
static int fine_of(const struct starfish_flux_transfer *t, int ghosts, size_t count, ptrdiff_t *fine)
{
    const int inside = count > 0 && count <= t->fine;

    *fine = (ptrdiff_t)count - 1;
    if (!ghosts && !inside)
        *fine += count == 0 ? (ptrdiff_t)t->fine : -(ptrdiff_t)t->fine;
    return inside || t->periodic;
}

static struct shares shares_of(const struct starfish_flux_transfer *t, size_t first, size_t last, size_t count)
{
    struct shares shares = {0};

    if (t->fine == t->coarse)
        return (struct shares){1, {count - 1}, {1}};
    if (t->pairs) {
        shares.coarse[0] = (count - 1) / 2;
        shares.weight[0] = 1;
        shares.count = count > 0 && count <= t->fine && shares.coarse[0] >= first && shares.coarse[0] < last;
        return shares;
    }
    /* coarse I gathers those of count 2 I .. 2 I + 3 */
    for (size_t I = count / 2 > 0 ? count / 2 - 1 : 0; I <= count / 2; I++) {
        const size_t t_of = count - 2 * I;
        if (I < first || I >= last || t_of >= GATHERED)
            continue;
        const real weight = ((const real *)t->gather[t_of])[I];
        if (weight == 0)
            continue;
        shares.coarse[shares.count] = I;
        shares.weight[shares.count++] = weight;
    }
    return shares;
}

STARFISH_CLONES
static void gather_row(const struct starfish_flux_transfer *x, real *residual, real *restrict sum)
{
    const real *restrict g0 = x->gather[0], *restrict g1 = x->gather[1], *restrict g2 = x->gather[2],
                         *restrict g3 = x->gather[3];
    const real *d = residual - 1;

    residual[-1] = x->periodic ? residual[x->fine - 1] : 0;
    residual[x->fine] = x->periodic ? residual[0] : 0;
    residual[x->fine + 1] = x->periodic ? residual[1] : 0;
#pragma omp simd
    for (size_t I = 0; I < x->coarse; I++)
        sum[I] = (g0[I] * d[2 * I] + g1[I] * d[2 * I + 1]) + (g2[I] * d[2 * I + 2] + g3[I] * d[2 * I + 3]);
}

STARFISH_CLONES
static void add_pairs(const real *residual, size_t fine, real *restrict sum)
{
    const size_t pairs = fine / 2;

#pragma omp simd
    for (size_t I = 0; I < pairs; I++)
        sum[I] = residual[2 * I] + residual[2 * I + 1];
    if (fine % 2 != 0)
        sum[pairs] = residual[fine - 1];
}

STARFISH_CLONES
static void add_share(const real *restrict sum, real weight, size_t count, real *restrict coarse)
{
#pragma omp simd
    for (size_t I = 0; I < count; I++)
        coarse[I] += weight * sum[I];
}

/* f - A u of row (j,k), summed in x. */
static const real *summed_row(const struct starfish_flux_restrict *a, size_t j, ptrdiff_t k)
{
    const size_t nx = a->matrix.axis[0].n;
    const ptrdiff_t start = (ptrdiff_t)nx * ((ptrdiff_t)j + (ptrdiff_t)a->matrix.axis[1].n * k);
    real *residual = flux_work_row(a->work, nx, 0), *sum = flux_work_row(a->work, nx, 1);
    const real *f = (const real *)a->f + start;

    if (a->u) {
        struct flux_row row;
        const struct flux_values values = REAL_NAME(starfish_flux_values)(&a->matrix, a->u, j, k);
        REAL_NAME(starfish_flux_row)(&a->matrix, j, k, &row);
        flux_prefetch_after(values.side[FLUX_ABOVE], nx);
        flux_prefetch_after(f, nx);
        REAL_NAME(starfish_flux_row_residual)(&row, &values, f, residual);
    } else
        memcpy(residual, f, nx * sizeof(real));
    if (a->transfer[0].fine == a->transfer[0].coarse)
        return residual;
    if (a->transfer[0].pairs)
        add_pairs(residual, nx, sum);
    else
        gather_row(&a->transfer[0], residual, sum);
    return sum;
}

static void restrict_row(const struct starfish_flux_restrict *a, size_t y_count, size_t z_count)
{
    const struct shares y = shares_of(&a->transfer[1], a->at.y0, a->at.y1, y_count);
    const struct shares z = shares_of(&a->transfer[2], a->at.z0, a->at.z1, z_count);
    const size_t nx = a->transfer[0].coarse, ny = a->transfer[1].coarse;
    ptrdiff_t j, k;

    if (y.count == 0 || z.count == 0 || !fine_of(&a->transfer[1], 0, y_count, &j) ||
        !fine_of(&a->transfer[2], a->matrix.axis[2].ghosts, z_count, &k))
        return;
    const real *sum = summed_row(a, (size_t)j, k);
    for (size_t K = 0; K < z.count; K++)
        for (size_t J = 0; J < y.count; J++)
            add_share(sum, y.weight[J] * z.weight[K], nx, (real *)a->coarse + nx * (y.coarse[J] + ny * z.coarse[K]));
}

void REAL_NAME(starfish_flux_row_restrict)(const struct starfish_flux_restrict *restrict_, size_t j, size_t k)
{
    restrict_row(restrict_, j + 1, k + 1);
}

void REAL_NAME(starfish_flux_restrict_cpu)(const struct starfish_flux_restrict *a)
{
    const size_t nx = a->transfer[0].coarse, ny = a->transfer[1].coarse;
    size_t y[2], z[2];

    if (a->at.y0 >= a->at.y1 || a->at.z0 >= a->at.z1)
        return;
    for (size_t K = a->at.z0; K < a->at.z1; K++)
        memset((real *)a->coarse + nx * (a->at.y0 + ny * K), 0, (a->at.y1 - a->at.y0) * nx * sizeof(real));
    counted(&a->transfer[1], a->at.y0, a->at.y1, y);
    counted(&a->transfer[2], a->at.z0, a->at.z1, z);
    for (size_t k = z[0]; k < z[1]; k++)
        for (size_t j = y[0]; j < y[1]; j++)
            restrict_row(a, j, k);
}

/* ---- Prolongation ------------------------------------------------------------------------------------------------ */

void REAL_NAME(starfish_flux_prolong_cpu)(const struct starfish_flux_prolong *a)
{
    const size_t nx = a->transfer[0].fine, ny = a->transfer[1].fine;
    real *combined = flux_work_row(a->work, nx, 0);

    for (size_t k = a->at.z0; k < a->at.z1; k++)
        for (size_t j = a->at.y0; j < a->at.y1; j++) {
            const size_t start = nx * (j + ny * k);
            const real *u = a->u ? (const real *)a->u + start : NULL;
            REAL_NAME(starfish_flux_row_prolong)
            (a->transfer, a->coarse, u, j, (ptrdiff_t)k, combined, (real *)a->v + start);
        }
}
