/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers of flat domains on the CPU, row by row, and the order of users' arrays. */
#include "multigrid/kernels/flat_row.h"

#include "base/clones.h"

#include <string.h>

/* ---- Prolongation ------------------------------------------------------------------------------------------------ */

/* The coarse row that is `side` (0 or 1) of the two of fine row j, and its weight; NULL: there is none. */
static const real *coarse_row(const struct starfish_flat_transfer t[2], size_t layers, const real *coarse, size_t j,
                              int side, real *weight)
{
    const size_t size = t[0].coarse * layers, n = t[1].coarse;

    if (t[1].fine == n) {
        *weight = 1;
        return side == 0 ? coarse + size * j : NULL;
    }
    const size_t above = (j + 1) / 2; /* the second of the two */
    *weight = ((const real *)(side ? t[1].upper : t[1].lower))[j];
    if (side == 0)
        return above > 0 ? coarse + size * (above - 1) : t[1].periodic ? coarse + size * (n - 1) : NULL;
    return above < n ? coarse + size * above : t[1].periodic ? coarse : NULL;
}

/* v = u + what is interpolated from a coarse line, which has one more at either end; u NULL: zero. */
STARFISH_CLONES static void add_line(const struct starfish_flat_transfer *t, const real *line, const real *u, real *v)
{
    const real *const lower = t->lower, *const upper = t->upper;
    const size_t n = t->fine, pairs = n / 2;

    for (size_t i = 0; i < n; i++)
        v[i] = u ? u[i] : 0;
    if (n == t->coarse) {
        for (size_t i = 0; i < n; i++)
            v[i] += line[i];
        return;
    }
    for (size_t I = 0; I < pairs; I++) {
        v[2 * I] += lower[2 * I] * line[(ptrdiff_t)I - 1] + upper[2 * I] * line[I];
        v[2 * I + 1] += lower[2 * I + 1] * line[I] + upper[2 * I + 1] * line[I + 1];
    }
    if (n % 2)
        v[n - 1] += lower[n - 1] * line[(ptrdiff_t)pairs - 1] + upper[n - 1] * line[pairs];
}

/* line = first * a + second * b; either array NULL: zero. */
STARFISH_CLONES static void weigh_rows(size_t n, const real *a, const real *b, const real weight[2], real *line)
{
    const real first = weight[0], second = weight[1];

    if (a && b)
        for (size_t i = 0; i < n; i++)
            line[i] = first * a[i] + second * b[i];
    else
        for (size_t i = 0; i < n; i++)
            line[i] = (a ? first * a[i] : 0) + (b ? second * b[i] : 0);
}

void REAL_NAME(starfish_flat_prolong_row)(const struct starfish_flat_transfer *t, size_t layers, size_t j,
                                          const real *coarse, const real *u, real *v, real *work)
{
    const size_t n = t[0].coarse;
    real weight[2], *const line = work + 1;
    const real *const first = coarse_row(t, layers, coarse, j, 0, &weight[0]);
    const real *const second = coarse_row(t, layers, coarse, j, 1, &weight[1]);

    for (size_t k = 0; k < layers; k++) {
        weigh_rows(n, first ? first + n * k : NULL, second ? second + n * k : NULL, weight, line);
        work[0] = t[0].periodic ? line[n - 1] : 0;
        line[n] = t[0].periodic ? line[0] : 0;
        add_line(&t[0], line, u ? u + t[0].fine * k : NULL, v + t[0].fine * k);
    }
}

void REAL_NAME(starfish_flat_prolong_cpu)(const struct starfish_flat_prolong *a)
{
    const size_t size = a->transfer[0].fine * a->layers;

    for (size_t j = a->y0; j < a->y1; j++)
        REAL_NAME(starfish_flat_prolong_row)
    (a->transfer, a->layers, j, a->coarse, a->u ? (const real *)a->u + size * j : NULL, (real *)a->v + size * j,
     a->work);
}

/* ---- Restriction ------------------------------------------------------------------------------------------------- */

/* coarse += a piece's line. Pieces begin at even columns. */
STARFISH_CLONES static void add_pairs(const struct starfish_flat_transfer *t, size_t count, const real *line,
                                      real *coarse)
{
    if (t->fine == t->coarse) {
        for (size_t i = 0; i < count; i++)
            coarse[i] += line[i];
        return;
    }
    for (size_t i = 0; i < count / 2; i++)
        coarse[i] += line[2 * i] + line[2 * i + 1];
    if (count % 2)
        coarse[count / 2] += line[count - 1];
}

/* Adds the residual of row j at columns i0 .. to the coarse row. */
static void restrict_piece(const struct starfish_flat_restrict *a, size_t i0, size_t j, real *coarse)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const struct flat_rows rows = {REAL_NAME(starfish_flat_row)(m, a->u, j, 0),
                                   REAL_NAME(starfish_flat_row)(m, a->u, j, -1),
                                   REAL_NAME(starfish_flat_row)(m, a->u, j, 1)};
    const size_t I0 = a->transfer[0].fine == a->transfer[0].coarse ? i0 : i0 / 2;
    struct flat_piece piece;
    real line[FLAT_PIECE];

    REAL_NAME(starfish_flat_piece)(m, i0, j, &piece);
    for (size_t k = 0; k < m->n[2]; k++) {
        const real *const f = (const real *)a->f + m->n[0] * (k + m->n[2] * j);
        REAL_NAME(starfish_flat_piece_residual)(m, &piece, &rows, k, f, line);
        add_pairs(&a->transfer[0], piece.count, line, coarse + a->transfer[0].coarse * k + I0);
    }
}

void REAL_NAME(starfish_flat_restrict_cpu)(const struct starfish_flat_restrict *a)
{
    const struct starfish_flat_transfer *t = a->transfer;
    const size_t size = t[0].coarse * a->matrix.n[2], pair = t[1].fine == t[1].coarse ? 1 : 2;

    for (size_t row = a->y0; row < a->y1; row++) {
        real *const coarse = (real *)a->coarse + size * row;
        memset(coarse, 0, size * sizeof(real));
        for (size_t i0 = 0; i0 < t[0].fine; i0 += FLAT_PIECE)
            for (size_t j = pair * row; j < pair * (row + 1) && j < t[1].fine; j++)
                restrict_piece(a, i0, j, coarse);
    }
}

/* ---- The order of users' arrays ---------------------------------------------------------------------------------- */

static void scale_line(const struct starfish_flat_arrange *a, size_t j, size_t k, const real *from, real *to)
{
    const double *const column = a->column + a->x0 + a->columns * j, layer = a->layer[k];

    for (size_t i = 0; i < a->x1 - a->x0; i++)
        to[i] = (real)((double)from[i] * (column[i] * layer));
}

void REAL_NAME(starfish_flat_arrange_cpu)(const struct starfish_flat_arrange *a)
{
    for (size_t j = a->y0; j < a->y1; j++)
        for (size_t k = a->z0; k < a->z1; k++) {
            const size_t user = a->row * (j - a->first) + a->plane * (k - a->z0);
            const size_t grid = a->x0 + a->nx * (k + a->nz * j);
            const real *from = (const real *)a->from + (a->back ? grid : user);
            real *to = (real *)a->to + (a->back ? user : grid);
            if (a->column)
                scale_line(a, j, k, from, to);
            else
                memcpy(to, from, (a->x1 - a->x0) * sizeof(real));
        }
}
