/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Restriction and prolongation on the CPU: rows are combined in y first, then in x, a piece of a row at a time on the
 * stack. Bound by memory. */
#include "multigrid/kernels/transfer.h"

#include "base/clones.h"
#include "base/real.h"
#include "base/sizes.h"

#include <string.h>

enum { PIECE = 256 }; /* coarse unknowns */

/* Three rows (two for prolongation) and their weights; a row that is missing has weight 0 and stands for any other. */
struct rows {
    const real *row[3];
    real weight[3];
};

/* sum[i] = combination at x0 + i. */
STARFISH_ALWAYS_INLINE void combine(const struct rows *rows, size_t x0, size_t count, real *restrict sum)
{
    const real *below = rows->row[0] + x0, *middle = rows->row[1] + x0, *above = rows->row[2] + x0;
    const real b = rows->weight[0], m = rows->weight[1], a = rows->weight[2];

#pragma omp simd
    for (size_t i = 0; i < count; i++)
        sum[i] = b * below[i] + m * middle[i] + a * above[i];
}

static void set_row(struct rows *rows, int which, const real *row, double weight)
{
    rows->row[which] = row;
    rows->weight[which] = (real)weight;
}

/* ---- Restriction ------------------------------------------------------------------------------------------------- */

/* The fine rows that coarse row J is restricted from. */
static struct rows fine_rows(const struct starfish_restrict *a, size_t J)
{
    const struct starfish_transfer_axis *y = &a->axis[1];
    const size_t F = y->stride * J + y->origin, nearest = starfish_smaller(F, y->fine - 1), nx = a->axis[0].fine;
    const real *middle = (const real *)a->residual + (nearest - a->first_row) * nx;
    struct rows rows = {{middle, middle, middle}, {0, F < y->fine, 0}};

    if (y->stride == 1)
        return rows;
    if (F > 0)
        set_row(&rows, 0, F < y->fine ? middle - nx : middle, (double)((const real *)y->left)[J]);
    if (F + 1 < y->fine)
        set_row(&rows, 2, middle + nx, (double)((const real *)y->right)[J]);
    return rows;
}

/* Coarse unknowns first .. last-1 of a row, from the combination of its fine rows. */
STARFISH_ALWAYS_INLINE void restrict_piece(const struct starfish_transfer_axis *x, const struct rows *rows,
                                           size_t first, size_t last, real *restrict coarse)
{
    real sum[2 * PIECE + 2];
    const real *restrict left = x->left, *restrict right = x->right;
    size_t fine[2];

    if (x->stride == 1) {
        combine(rows, first, last - first, coarse + first);
        return;
    }
    /* sum[1] is at the first coarse unknown; what leads out of the grid is 0 */
    starfish_transfer_fine(x, first, last, fine);
    memset(sum, 0, (2 * (last - first) + 2) * sizeof(real));
    combine(rows, fine[0], fine[1] - fine[0], sum + (fine[0] + 1 - (2 * first + x->origin)));
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        const real *at = sum + 2 * (i - first);
        coarse[i] = left[i] * at[0] + at[1] + right[i] * at[2];
    }
}

STARFISH_CLONES
static void restrict_all(const struct starfish_restrict *a)
{
    for (size_t J = a->at.y0; J < a->at.y1; J++) {
        const struct rows rows = fine_rows(a, J);
        real *coarse = (real *)a->coarse + J * a->axis[0].coarse;
        for (size_t I = a->at.x0; I < a->at.x1; I += PIECE)
            restrict_piece(&a->axis[0], &rows, I, starfish_smaller(I + PIECE, a->at.x1), coarse);
    }
}

void REAL_NAME(starfish_restrict_cpu)(const struct starfish_restrict *a)
{
    restrict_all(a);
}

/* ---- Prolongation ------------------------------------------------------------------------------------------------ */

/* The coarse rows that fine row j is prolonged from. */
static struct rows coarse_rows(const struct starfish_prolong *a, size_t j)
{
    const struct starfish_transfer_axis *y = &a->axis[1];
    const real *left = y->left, *right = y->right, *first = a->coarse;
    const size_t nx = a->axis[0].coarse, J = j > y->origin ? (j - y->origin) / y->stride : 0;
    const real *row = first + J * nx;
    struct rows rows = {{row, row, row}, {0, 1, 0}};

    if (j < y->origin)
        rows.weight[1] = left[0];
    else if ((j - y->origin) % y->stride != 0) {
        rows.weight[1] = right[J];
        if (J + 1 < y->coarse)
            set_row(&rows, 2, row + nx, (double)left[J + 1]);
    }
    return rows;
}

/* Value at fine unknown i; c[0] is coarse unknown I0 of the combined row. */
STARFISH_ALWAYS_INLINE real interpolated(const struct starfish_transfer_axis *x, const real *c, size_t I0, size_t i)
{
    const real *left = x->left, *right = x->right;

    if (i < x->origin)
        return left[0] * c[0];
    const size_t I = (i - x->origin) / x->stride;
    if ((i - x->origin) % x->stride == 0)
        return c[I - I0];
    return right[I] * c[I - I0] + (I + 1 < x->coarse ? left[I + 1] * c[I + 1 - I0] : 0);
}

/* Fine unknowns x0 .. x1-1 of row u, at most 2 * PIECE; c as above. */
STARFISH_ALWAYS_INLINE void add_piece(const struct starfish_transfer_axis *x, const real *c, size_t I0, size_t x0,
                                      size_t x1, int zero, real *restrict u)
{
    real value[2 * PIECE + 2] = {0};
    const real *restrict left = x->left, *restrict right = x->right;
    size_t i = x0;

    if (x->stride == 2) { /* to a coarse unknown, then in pairs */
        for (; i < x1 && (i < x->origin || (i - x->origin) % 2 != 0); i++)
            value[i - x0] = interpolated(x, c, I0, i);
        if (i + 1 < x1) {
            const size_t I = (i - x->origin) / 2, pairs = starfish_smaller((x1 - i) / 2, x->coarse - 1 - I);
            const real *restrict from = c + (I - I0);
            real *restrict pair = value + (i - x0);
#pragma omp simd
            for (size_t p = 0; p < pairs; p++) {
                pair[2 * p] = from[p];
                pair[2 * p + 1] = right[I + p] * from[p] + left[I + p + 1] * from[p + 1];
            }
            i += 2 * pairs;
        }
    }
    for (; i < x1; i++)
        value[i - x0] = interpolated(x, c, I0, i);
    if (zero)
        memcpy(u + x0, value, (x1 - x0) * sizeof(real));
    else
#pragma omp simd
        for (size_t k = 0; k < x1 - x0; k++)
            u[x0 + k] += value[k];
}

STARFISH_CLONES
static void prolong_all(const struct starfish_prolong *a)
{
    const struct starfish_transfer_axis *x = &a->axis[0];
    real combined[2 * PIECE + 2];

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const struct rows rows = coarse_rows(a, j);
        real *u = (real *)a->u + j * x->fine;
        for (size_t i = a->at.x0; i < a->at.x1; i += 2 * PIECE) {
            const size_t end = starfish_smaller(i + 2 * PIECE, a->at.x1);
            size_t coarse[2];
            starfish_transfer_coarse(x, i, end, coarse);
            combine(&rows, coarse[0], coarse[1] - coarse[0], combined);
            add_piece(x, combined, coarse[0], i, end, a->zero, u);
        }
    }
}

void REAL_NAME(starfish_prolong_cpu)(const struct starfish_prolong *a)
{
    prolong_all(a);
}
