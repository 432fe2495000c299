/* Transfers of flat domains on the CPU, row by row, and the order of users' arrays. */
#include "multigrid/kernels/flat_row.h"

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

static void add_line(const struct starfish_flat_transfer *t, const real *line, const real *u, real *v)
{
    const real *const lower = t->lower, *const upper = t->upper;

    if (t->fine == t->coarse) {
        for (size_t i = 0; i < t->fine; i++)
            v[i] = (u ? u[i] : 0) + line[i];
        return;
    }
    for (size_t i = 0; i < t->fine; i++) {
        const size_t above = (i + 1) / 2;
        v[i] = (u ? u[i] : 0) + lower[i] * line[(ptrdiff_t)above - 1] + upper[i] * line[above];
    }
}

void REAL_NAME(starfish_flat_prolong_row)(const struct starfish_flat_transfer *t, size_t layers, size_t j,
                                          const real *coarse, const real *u, real *v, real *work)
{
    const size_t n = t[0].coarse;
    real weight[2], *const line = work + 1;
    const real *const first = coarse_row(t, layers, coarse, j, 0, &weight[0]);
    const real *const second = coarse_row(t, layers, coarse, j, 1, &weight[1]);

    for (size_t k = 0; k < layers; k++) {
        for (size_t i = 0; i < n; i++)
            line[i] = (first ? weight[0] * first[i + n * k] : 0) + (second ? weight[1] * second[i + n * k] : 0);
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

static void residual_line(const struct starfish_flat_restrict *a, size_t j, size_t k, real *line)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const struct flat_rows rows = {REAL_NAME(starfish_flat_row)(m, a->u, j, 0),
                                   REAL_NAME(starfish_flat_row)(m, a->u, j, -1),
                                   REAL_NAME(starfish_flat_row)(m, a->u, j, 1)};
    const real *const f = (const real *)a->f + m->n[0] * (k + m->n[2] * j);
    struct flat_piece piece;

    for (size_t i0 = 0; i0 < m->n[0]; i0 += FLAT_PIECE) {
        REAL_NAME(starfish_flat_piece)(m, i0, j, &piece);
        REAL_NAME(starfish_flat_piece_residual)(m, &piece, &rows, k, f, line + i0);
    }
}

static void add_pairs(const struct starfish_flat_transfer *t, const real *line, real *coarse)
{
    if (t->fine == t->coarse) {
        for (size_t i = 0; i < t->fine; i++)
            coarse[i] += line[i];
        return;
    }
    for (size_t i = 0; i < t->fine / 2; i++)
        coarse[i] += line[2 * i] + line[2 * i + 1];
    if (t->fine % 2)
        coarse[t->coarse - 1] += line[t->fine - 1];
}

void REAL_NAME(starfish_flat_restrict_cpu)(const struct starfish_flat_restrict *a)
{
    const struct starfish_flat_transfer *t = a->transfer;
    const size_t layers = a->matrix.n[2], pair = t[1].fine == t[1].coarse ? 1 : 2;

    for (size_t row = a->y0; row < a->y1; row++)
        for (size_t k = 0; k < layers; k++) {
            real *coarse = (real *)a->coarse + t[0].coarse * (k + layers * row);
            memset(coarse, 0, t[0].coarse * sizeof(real));
            for (size_t j = pair * row; j < pair * (row + 1) && j < t[1].fine; j++) {
                residual_line(a, j, k, a->work);
                add_pairs(&t[0], a->work, coarse);
            }
        }
}

/* ---- The order of users' arrays ---------------------------------------------------------------------------------- */

static void scale_line(const struct starfish_flat_arrange *a, size_t j, size_t k, const real *from, real *to)
{
    const double *const column = a->column + a->nx * j, layer = a->layer[k];

    for (size_t i = 0; i < a->nx; i++)
        to[i] = (real)((double)from[i] * (column[i] * layer));
}

void REAL_NAME(starfish_flat_arrange_cpu)(const struct starfish_flat_arrange *a)
{
    for (size_t j = a->y0; j < a->y1; j++)
        for (size_t k = 0; k < a->nz; k++) {
            const size_t user = a->nx * (j - a->first) + a->pitch * k, grid = a->nx * (k + a->nz * j);
            const real *from = (const real *)a->from + (a->back ? grid : user);
            real *to = (real *)a->to + (a->back ? user : grid);
            if (a->column)
                scale_line(a, j, k, from, to);
            else
                memcpy(to, from, a->nx * sizeof(real));
        }
}
