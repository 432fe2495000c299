/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Substitution by blocks and lines on a core.
 *
 * A block of a stored matrix without periodic ends is done in chunks of at most a row: what the cells get of the rows
 * before the chunk is computed for all of them at once, and what is left is a recurrence, q = t + b q of the cell
 * before, which is bound by the latency of a multiplication and an addition. All else is done cell by cell. */
#include "krylov/kernels/blocks.h"

#include "base/clones.h"
#include "krylov/kernels/block_run.h"

#include <string.h>

enum { CHUNK = 512 };

/* Cells of a block, first .. first + count-1 of the array, and the recurrence that they are left with. */
struct chunk {
    const struct starfish_blocks *blocks;
    const struct run *run;
    size_t first, count;
    real t[CHUNK], b[CHUNK];
};

static size_t stride_of(const struct starfish_cell_matrix *m, int d)
{
    return d == 1 ? m->n[0] : m->n[0] * m->n[1];
}

/* t += coupling q. */
STARFISH_CLONES static void add_products(const real *coupling, const real *q, size_t count, real *t)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        t[i] += coupling[i] * q[i];
}

/* What the cells get of those in the block before them, or after, in the other directions than along the row. */
static void add_before(struct chunk *c)
{
    const struct starfish_cells *a = &c->blocks->cells;
    const size_t cells = a->matrix.n[0] * a->matrix.n[1] * a->matrix.n[2];

    memcpy(c->t, (const real *)a->u + c->first, c->count * sizeof(real));
    for (int d = 1; d < 3; d++) {
        const size_t stride = stride_of(&a->matrix, d), inside = c->run->begin + stride;
        const size_t from = c->first >= inside ? 0 : inside - c->first, other = c->first + from - stride;
        if (a->matrix.n[d] > 1 && from < c->count)
            add_products((const real *)a->matrix.stored + (size_t)d * cells + other, (const real *)a->q + other,
                         c->count - from, c->t + from);
    }
}

static void add_after(struct chunk *c)
{
    const struct starfish_cells *a = &c->blocks->cells;
    const size_t cells = a->matrix.n[0] * a->matrix.n[1] * a->matrix.n[2];

    memset(c->t, 0, c->count * sizeof(real));
    for (int d = 1; d < 3; d++) {
        const size_t stride = stride_of(&a->matrix, d), last = c->first + c->count + stride;
        const size_t beyond = last > c->run->end ? last - c->run->end : 0;
        if (a->matrix.n[d] > 1 && beyond < c->count)
            add_products((const real *)a->matrix.stored + (size_t)d * cells + c->first,
                         (const real *)a->q + c->first + stride, c->count - beyond, c->t);
    }
}

/* t = start + t inverse, start NULL: zero; b = coupling inverse, of the coupling `before` cells earlier. */
STARFISH_CLONES static void make_recurrence(const real *start, const real *coupling, size_t before, const real *inverse,
                                            struct chunk *c)
{
    const size_t count = c->count;

#pragma omp simd
    for (size_t i = before; i < count; i++)
        c->b[i] = coupling[i - before] * inverse[i];
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        c->t[i] = (start ? start[i] : 0) + c->t[i] * inverse[i];
}

static void substitute_forward(struct chunk *c)
{
    const struct starfish_cells *a = &c->blocks->cells;
    const real *along = (const real *)a->matrix.stored + c->first, *inverse = (const real *)a->table + c->first;
    const int is_first = c->first == c->run->begin;
    real *q = (real *)a->q + c->first, last = is_first ? 0 : q[-1];

    add_before(c);
    make_recurrence(NULL, along, 1, inverse, c);
    c->b[0] = is_first ? 0 : along[-1] * inverse[0];
    for (size_t i = 0; i < c->count; i++)
        q[i] = last = c->t[i] + c->b[i] * last;
}

static void substitute_back(struct chunk *c)
{
    const struct starfish_cells *a = &c->blocks->cells;
    const real *along = (const real *)a->matrix.stored + c->first, *inverse = (const real *)a->table + c->first;
    real *q = (real *)a->q + c->first;
    real last = c->first + c->count < c->run->end ? q[c->count] : 0;

    add_after(c);
    make_recurrence(q, along, 0, inverse, c);
    for (size_t i = c->count; i-- > 0;)
        q[i] = last = c->t[i] + c->b[i] * last;
}

STARFISH_CLONES static double inner_product(const real *u, const real *q, size_t count)
{
    double sum = 0;

#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += (double)u[i] * (double)q[i];
    return sum;
}

/* run_solve in chunks, none of which has two cells that are neighbours but along the row. */
static double solve_in_chunks(const struct starfish_blocks *a, size_t number)
{
    const struct run run = run_at(a, number);
    const size_t most = a->cells.matrix.n[0] < CHUNK ? a->cells.matrix.n[0] : CHUNK;
    struct chunk c;

    c.blocks = a;
    c.run = &run;
    for (c.first = run.begin; c.first < run.end; c.first += most) {
        c.count = run.end - c.first < most ? run.end - c.first : most;
        substitute_forward(&c);
    }
    for (size_t end = run.end; end > run.begin; end = c.first) {
        c.first = end - run.begin < most ? run.begin : end - most;
        c.count = end - c.first;
        substitute_back(&c);
    }
    return inner_product((const real *)a->cells.u + run.begin, (const real *)a->cells.q + run.begin,
                         run.end - run.begin);
}

/* Where rows are short chunks do not pay. */
static int goes_in_chunks(const struct starfish_blocks *a)
{
    const struct starfish_cell_matrix *m = &a->cells.matrix;

    return a->block > 0 && m->stored && m->n[0] > 2 && cells_are_open(m);
}

void REAL_NAME(starfish_blocks_cpu)(const struct starfish_blocks *a)
{
    const struct starfish_cells *c = &a->cells;
    double sum = 0;

    for (size_t run = a->run0; run < a->run1; run++)
        sum += goes_in_chunks(a) ? solve_in_chunks(a, run) : run_solve(a, run);
    if (!c->sums)
        return;
    if (c->slot == 0)
        memset(c->sums + c->slots, 0, (STARFISH_SUMS - c->slots) * sizeof *c->sums);
    c->sums[c->slot] = sum;
}

#ifdef STARFISH_REAL_F64
size_t starfish_blocks_count(const struct starfish_blocks *a)
{
    const size_t plane = a->cells.matrix.n[0] * a->cells.matrix.n[1];

    return a->block == 0 ? plane : ((a->cells.last - a->cells.first) * plane + a->block - 1) / a->block;
}

/* D of a cell: its diagonal, less the squares of what is eliminated. */
static double pivot(const struct starfish_blocks *a, const struct run *run, size_t e, const double *table)
{
    const struct starfish_cell_matrix *m = &a->cells.matrix;
    const struct place at = place_of(m, e);
    const struct cell c = cell_at(&a->cells, at.i, at.j, at.k);
    double diagonal = cell_extra(m, &c);

    for (int d = 0; d < 3; d++)
        diagonal += (c.above[d] != c.e ? cell_coupling_above(m, &c, d) : 0) +
                    (c.below[d] != c.e ? cell_coupling_below(m, &c, d) : 0);
    const double value = diagonal - run_sum(a, run, &c, table, 0, 1);
    return value > 1e-8 * diagonal ? value : diagonal;
}

void starfish_blocks_factor(const struct starfish_blocks *a, double *table)
{
    const size_t runs = starfish_blocks_count(a);

    for (size_t number = 0; number < runs; number++) {
        const struct run run = run_at(a, number);
        for (size_t e = run.begin; e < run.end; e += run.stride)
            table[e] = 1 / pivot(a, &run, e, table);
    }
}
#endif
