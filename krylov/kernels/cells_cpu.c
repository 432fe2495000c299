/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of an iteration on the cells of a matrix, on a core. Bound by memory; the couplings of a stored matrix are four
 * words of each cell. Products and residuals of stored matrices, incomplete Poisson of those without periodic ends, and
 * what needs no neighbours are done by rows, in which all cells have their neighbours at the same distances; all else
 * cell by cell. */
#include "krylov/kernels/cells.h"

#include "base/clones.h"
#include "base/row_piece.h"
#include "krylov/kernels/cell_step.h"

#include <math.h>
#include <string.h>

static inline double walk(enum starfish_cell_step step, const struct starfish_cells *a)
{
    const double scalar = a->scalar ? *a->scalar : 1;
    double sum = 0;

    for (size_t k = a->first; k < a->last; k++)
        for (size_t j = 0; j < a->matrix.n[1]; j++)
            for (size_t i = 0; i < a->matrix.n[0]; i++) {
                const struct cell c = cell_at(a, i, j, k);
                sum = cell_add(step, sum, cell_step(step, a, &c, scalar));
            }
    return sum;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Cells of a piece of a row of x: couplings along it with that below the first cell before them, and the values of u,
 * and where there is one of the table, between those of the cells beside them; of the other directions `directions` are
 * there, whose neighbours are `up` and `down` elements away in vectors. */
struct row {
    int count;
    const real *along, *u, *scale, *extra, *above[2], *below[2];
    ptrdiff_t up[2], down[2];
};

static struct row row_at(const struct starfish_cell_matrix *m, const struct cell *c)
{
    const size_t all = m->n[0] * m->n[1] * m->n[2];
    const real *stored = m->stored;
    struct row row = {.extra = stored + 3 * all + c->e};

    for (int i = 0, d = m->n[1] > 1 ? 1 : 2; d < 3; i++, d++) {
        row.above[i] = stored + (size_t)d * all + c->e;
        row.below[i] = stored + (size_t)d * all + c->table[d];
        row.up[i] = c->above[d] - c->e;
        row.down[i] = c->below[d] - c->e;
    }
    return row;
}

/* A u of cell i of the row. */
static inline real row_product(const struct row *row, int directions, int extra, const real *u, ptrdiff_t i)
{
    const real *const own = row->u;
    real sum = row->along[i] * (own[i] - own[i + 1]) + row->along[i - 1] * (own[i] - own[i - 1]);

    if (extra)
        sum += row->extra[i] * own[i];
    for (int d = 0; d < directions; d++)
        sum += row->above[d][i] * (own[i] - u[i + row->up[d]]) + row->below[d][i] * (own[i] - u[i + row->down[d]]);
    return sum;
}

/* |A| |u| of cell i of the row. Where a neighbour is missing the coupling is 0. */
static inline double row_absolute(const struct row *row, int directions, int extra, const real *u, ptrdiff_t i)
{
    const real west = row->along[i - 1], east = row->along[i];
    double diagonal = (double)east + (double)west + (extra ? (double)row->extra[i] : 0);
    double sum = (double)east * fabs((double)row->u[i + 1]) + (double)west * fabs((double)row->u[i - 1]);

    for (int d = 0; d < directions; d++) {
        const double above = (double)row->above[d][i], below = (double)row->below[d][i];
        diagonal += above + below;
        sum += above * fabs((double)u[i + row->up[d]]) + below * fabs((double)u[i + row->down[d]]);
    }
    return sum + fabs(diagonal) * fabs((double)row->u[i]);
}

#define ROW_STEP(name, directions, extra)                                                                              \
    STARFISH_CLONES static double apply_##name(const struct row *given, const real *u, real *q)                        \
    {                                                                                                                  \
        const struct row row = *given;                                                                                 \
        double sum = 0;                                                                                                \
        _Pragma("omp simd reduction(+ : sum)") for (int i = 0; i < row.count; i++)                                     \
        {                                                                                                              \
            q[i] = row_product(&row, directions, extra, u, i);                                                         \
            sum += (double)row.u[i] * (double)q[i];                                                                    \
        }                                                                                                              \
        return sum;                                                                                                    \
    }                                                                                                                  \
    STARFISH_CLONES static double absolute_##name(const struct row *given, const real *u)                              \
    {                                                                                                                  \
        const struct row row = *given;                                                                                 \
        double sum = 0;                                                                                                \
        _Pragma("omp simd reduction(+ : sum)") for (int i = 0; i < row.count; i++)                                     \
        {                                                                                                              \
            const double size = row_absolute(&row, directions, extra, u, i);                                           \
            sum += size * size;                                                                                        \
        }                                                                                                              \
        return sum;                                                                                                    \
    }                                                                                                                  \
    STARFISH_CLONES static double residual_##name(const struct row *given, const real *u, const real *f, real *q)      \
    {                                                                                                                  \
        const struct row row = *given;                                                                                 \
        double sum = 0;                                                                                                \
        _Pragma("omp simd reduction(+ : sum)") for (int i = 0; i < row.count; i++)                                     \
        {                                                                                                              \
            q[i] = f[i] - row_product(&row, directions, extra, u, i);                                                  \
            sum += (double)q[i] * (double)q[i];                                                                        \
        }                                                                                                              \
        return sum;                                                                                                    \
    }
ROW_STEP(flat, 1, 0)
ROW_STEP(solid, 2, 0)
ROW_STEP(flat_extra, 1, 1)
ROW_STEP(solid_extra, 2, 1)

/* Incomplete Poisson, with ends that are open: where a neighbour is missing the coupling is 0. u and s begin at the
 * row's first cell, in vectors and table, whose planes are the same ones then. */
#define ROW_POISSON(name, directions)                                                                                  \
    STARFISH_CLONES static void ip_first_##name(const struct row *given, const real *u, const real *s, real *q)        \
    {                                                                                                                  \
        const struct row row = *given;                                                                                 \
        _Pragma("omp simd") for (int i = 0; i < row.count; i++)                                                        \
        {                                                                                                              \
            const real *const scale = row.scale + i, *const own = row.u + i;                                           \
            real sum = row.along[i] * scale[1] * scale[1] * own[1];                                                    \
            for (int d = 0; d < (directions); d++)                                                                     \
                sum += row.above[d][i] * s[i + row.up[d]] * s[i + row.up[d]] * u[i + row.up[d]];                       \
            q[i] = scale[0] * own[0] + scale[0] * sum;                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    STARFISH_CLONES static double ip_second_##name(const struct row *given, const real *u, const real *s,              \
                                                   const real *f, real *q)                                             \
    {                                                                                                                  \
        const struct row row = *given;                                                                                 \
        double total = 0;                                                                                              \
        _Pragma("omp simd reduction(+ : total)") for (int i = 0; i < row.count; i++)                                   \
        {                                                                                                              \
            const real *const scale = row.scale + i, *const own = row.u + i;                                           \
            real sum = row.along[i - 1] * scale[-1] * own[-1];                                                         \
            for (int d = 0; d < (directions); d++)                                                                     \
                sum += row.below[d][i] * s[i + row.down[d]] * u[i + row.down[d]];                                      \
            q[i] = scale[0] * (own[0] + scale[0] * sum);                                                               \
            total += (double)f[i] * (double)q[i];                                                                      \
        }                                                                                                              \
        return total;                                                                                                  \
    }
ROW_POISSON(flat, 1)
ROW_POISSON(solid, 2)

/* By whether there is a third direction, and whether extra is read. */
static double (*const applies[2][2])(const struct row *, const real *, real *) = {{apply_flat, apply_flat_extra},
                                                                                  {apply_solid, apply_solid_extra}};
static double (*const absolutes[2][2])(const struct row *, const real *) = {{absolute_flat, absolute_flat_extra},
                                                                            {absolute_solid, absolute_solid_extra}};
static double (*const residuals[2][2])(const struct row *, const real *, const real *, real *) = {
    {residual_flat, residual_flat_extra}, {residual_solid, residual_solid_extra}};

/* The coupling below the first cell is the one above the last; before a row that is not the first of the grid the one
 * before ends, with a 0 where the direction is open. */
static const real *along_piece(const struct starfish_cell_matrix *m, size_t row, size_t x0, int count,
                               struct row_piece_room *room)
{
    const real *along = (const real *)m->stored + row * m->n[0];

    if (x0 > 0 || (row > 0 && !m->periodic[0]))
        return along + x0;
    return row_piece(along, m->n[0], 1, along[0], x0, count, room);
}

static double row_step(enum starfish_cell_step step, const struct starfish_cells *a, const struct row *row, ptrdiff_t e)
{
    const int solid = a->matrix.n[1] > 1, extra = !a->matrix.without_extra;
    const real *u = (const real *)a->u + e;

    if (step == STARFISH_CELLS_APPLY)
        return applies[solid][extra](row, u, (real *)a->q + e);
    if (step == STARFISH_CELLS_ABSOLUTE)
        return absolutes[solid][extra](row, u);
    if (step == STARFISH_CELLS_IP_FIRST) {
        (solid ? ip_first_solid : ip_first_flat)(row, u, (const real *)a->table + e, (real *)a->q + e);
        return 0;
    }
    if (step == STARFISH_CELLS_IP_SECOND) {
        const real *f = (const real *)(a->f ? a->f : a->u) + e, *s = (const real *)a->table + e;
        const double sum = (solid ? ip_second_solid : ip_second_flat)(row, u, s, f, (real *)a->q + e);
        return a->f ? sum : 0;
    }
    return residuals[solid][extra](row, u, (const real *)a->f + e, (real *)a->q + e);
}

/* Products, residuals, |A| |u| and incomplete Poisson. */
static double walk_rows(enum starfish_cell_step step, const struct starfish_cells *a)
{
    const struct starfish_cell_matrix *m = &a->matrix;
    const int scales = step == STARFISH_CELLS_IP_FIRST || step == STARFISH_CELLS_IP_SECOND;
    struct row_piece_room along, middle, scale;
    double sum = 0;

    for (size_t k = a->first; k < a->last; k++)
        for (size_t j = 0; j < m->n[1]; j++)
            for (size_t x = 0; x < m->n[0]; x += ROW_PIECE) {
                const struct cell c = cell_at(a, x, j, k);
                const real *u = (const real *)a->u + c.e - (ptrdiff_t)x;
                const int count = row_piece_count(x, m->n[0]);
                struct row row = row_at(m, &c);
                row.count = count;
                row.along = along_piece(m, j + m->n[1] * k, x, count, &along);
                row.u = row_piece(u, m->n[0], m->periodic[0], u[0], x, count, &middle);
                if (scales) {
                    const real *s = (const real *)a->table + c.e - (ptrdiff_t)x;
                    row.scale = row_piece(s, m->n[0], 0, s[0], x, count, &scale);
                }
                sum += row_step(step, a, &row, c.e);
            }
    return sum;
}

STARFISH_CLONES static double advance(const struct starfish_cells *a, size_t begin, size_t count, int wide)
{
    const double scalar = a->scalar ? *a->scalar : 1, factor = a->factor * (a->more ? *a->more : 1) * scalar;
    const real *restrict u = (const real *)a->u + begin, *restrict f = (const real *)a->f + begin;
    real *restrict r = (real *)a->r + begin, *restrict v = a->v ? (real *)a->v + begin : NULL, by = (real)scalar,
                   times = (real)factor;
    double *restrict v_wide = a->v ? (double *)a->v + begin : NULL, sum = 0;

#pragma omp simd
    for (size_t i = 0; i < (v_wide && wide && scalar != 0 ? count : 0); i++)
        v_wide[i] += factor * (double)u[i];
#pragma omp simd
    for (size_t i = 0; i < (v && !wide && scalar != 0 ? count : 0); i++)
        v[i] += times * u[i];
#pragma omp simd
    for (size_t i = 0; i < (scalar != 0 ? count : 0); i++)
        r[i] -= by * f[i];
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += (double)r[i] * (double)r[i];
    return sum;
}

/* A row's worth of cells at a time, which stay in the first cache between the loops. */
static double by_runs(const struct starfish_cells *a, double (*function)(const struct starfish_cells *, size_t, size_t))
{
    const size_t plane = a->matrix.n[0] * a->matrix.n[1], run = 512;
    double sum = 0;

    for (size_t e = a->first * plane; e < a->last * plane; e += run)
        sum += function(a, e, a->last * plane - e < run ? a->last * plane - e : run);
    return sum;
}

static double advance_narrow(const struct starfish_cells *a, size_t begin, size_t count)
{
    return advance(a, begin, count, 0);
}

static double advance_wide(const struct starfish_cells *a, size_t begin, size_t count)
{
    return advance(a, begin, count, 1);
}

/* ---- Vectors alone ----------------------------------------------------------------------------------------------- */

STARFISH_CLONES static double sum_elements(const real *u, size_t count)
{
    double sum = 0;

#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += (double)u[i];
    return sum;
}

STARFISH_CLONES static void shift_elements(const real *u, real by, size_t count, real *q)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        q[i] = u[i] + by;
}

STARFISH_CLONES static double scale_elements(const real *table, const real *u, size_t count, real *q)
{
    double sum = 0;

#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++) {
        q[i] = table[i] * u[i];
        sum += (double)u[i] * (double)q[i];
    }
    return sum;
}

/* u and f may be missing. */
STARFISH_CLONES static double prolong_elements(const struct starfish_cells *a, size_t begin, size_t count)
{
    const real *const u = a->u ? (const real *)a->u + begin : NULL, *const f = a->f ? (const real *)a->f + begin : NULL;
    const int *const domain = a->domain + begin;
    real *const q = (real *)a->q + begin;
    double sum = 0;

#pragma omp simd
    for (size_t i = 0; i < count; i++)
        q[i] = (u ? u[i] : 0) + (real)a->coarse[domain[i]];
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < (f ? count : 0); i++)
        sum += (double)f[i] * (double)q[i];
    return sum;
}

/* Differences of numbers that are not finite are no numbers, and then so is their sum. */
STARFISH_CLONES static double largest_element(const real *u, size_t count)
{
    double most = 0, odd = 0;

#pragma omp simd reduction(max : most) reduction(+ : odd)
    for (size_t i = 0; i < count; i++) {
        const double size = fabs((double)u[i]);
        most = most > size ? most : size;
        odd += size - size;
    }
    return odd == 0 ? most : isnan(odd) && isfinite(most) ? odd : most;
}

/* A loop for each step, in which it is a constant. */
static double sum_of(enum starfish_cell_step step, const struct starfish_cells *a)
{
    const int by_rows = a->matrix.stored && a->matrix.n[0] > 2 && a->matrix.n[2] > 1;

    const size_t plane = a->matrix.n[0] * a->matrix.n[1], begin = a->first * plane, count = a->last * plane - begin;

    switch (step) {
    case STARFISH_CELLS_SUM:
        return sum_elements((const real *)a->u + begin, count);
    case STARFISH_CELLS_SHIFT:
        shift_elements((const real *)a->u + begin, (real)a->factor, count, (real *)a->q + begin);
        return 0;
    case STARFISH_CELLS_LARGEST:
        return largest_element((const real *)a->u + begin, count);
    case STARFISH_CELLS_APPLY:
        return by_rows ? walk_rows(step, a) : walk(STARFISH_CELLS_APPLY, a);
    case STARFISH_CELLS_RESIDUAL:
        return by_rows ? walk_rows(step, a) : walk(STARFISH_CELLS_RESIDUAL, a);
    case STARFISH_CELLS_ABSOLUTE:
        return by_rows ? walk_rows(step, a) : walk(STARFISH_CELLS_ABSOLUTE, a);
    case STARFISH_CELLS_ADVANCE:
        return by_runs(a, advance_narrow);
    case STARFISH_CELLS_ADVANCE_WIDE:
        return by_runs(a, advance_wide);
    case STARFISH_CELLS_JACOBI:
        return scale_elements((const real *)a->table + begin, (const real *)a->u + begin, count, (real *)a->q + begin);
    case STARFISH_CELLS_IP_FIRST:
        return by_rows && cells_are_open(&a->matrix) ? walk_rows(step, a) : walk(STARFISH_CELLS_IP_FIRST, a);
    case STARFISH_CELLS_IP_SECOND:
        return by_rows && cells_are_open(&a->matrix) ? walk_rows(step, a) : walk(STARFISH_CELLS_IP_SECOND, a);
    case STARFISH_CELLS_PROLONG:
        return by_runs(a, prolong_elements);
    default:
        return walk(step, a);
    }
}

void REAL_NAME(starfish_cells_cpu)(enum starfish_cell_step step, const struct starfish_cells *a)
{
    const double sum = sum_of(step, a);

    if (!a->sums)
        return;
    if (a->slot == 0)
        memset(a->sums + a->slots, 0, (STARFISH_SUMS - a->slots) * sizeof *a->sums);
    a->sums[a->slot] = sum;
}
