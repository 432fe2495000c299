/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of blocks.h, one source for cores and GPUs: substitution forwards and back along consecutive cells of a block
 * or line. */
#ifndef STARFISH_KRYLOV_KERNELS_BLOCK_RUN_H
#define STARFISH_KRYLOV_KERNELS_BLOCK_RUN_H

#include "krylov/kernels/blocks.h"
#include "krylov/kernels/cell_step.h"

/* The run's cells: from `begin`, `count` of them, `stride` apart. */
struct run {
    size_t begin, end, stride;
};

STARFISH_CELL struct run run_at(const struct starfish_blocks *a, size_t number)
{
    const struct starfish_cell_matrix *m = &a->cells.matrix;
    const size_t plane = m->n[0] * m->n[1], low = a->cells.first * plane, high = a->cells.last * plane;
    struct run run;

    if (a->block == 0) {
        run.begin = low + number;
        run.end = high;
        run.stride = plane;
    } else {
        run.begin = low + number * a->block;
        run.end = run.begin + a->block < high ? run.begin + a->block : high;
        run.stride = 1;
    }
    return run;
}

/* Is `other` a neighbour that the run has, before or after e? Neighbours across periodic ends are ones where they lie
 * in the run, but not of lines: a tridiagonal system has none. */
STARFISH_CELL int run_has(const struct run *run, size_t other, size_t e, int after)
{
    return other >= run->begin && other < run->end && (after ? other > e : other < e);
}

/* The sum over the cell's neighbours before or after it in the run: coupling q, or where `squares` the square of the
 * coupling times q. */
STARFISH_CELL real run_sum(const struct starfish_blocks *a, const struct run *run, const struct cell *c, const real *q,
                           int after, int squares)
{
    const struct starfish_cell_matrix *m = &a->cells.matrix;
    real sum = 0;

    for (int d = a->block == 0 ? 2 : 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            const int wraps = c->at_end[d][side];
            if (wraps && (a->block == 0 || !m->periodic[d]))
                continue;
            const size_t other = (size_t)(side ? cell_above_in_table(m, c, d) : c->table[d]);
            if (!run_has(run, other, (size_t)c->e, after))
                continue;
            const real coupling = side ? cell_coupling_above(m, c, d) : cell_coupling_below(m, c, d);
            sum += coupling * (squares ? coupling : 1) * q[other];
        }
    return sum;
}

/* The cell's indices; to the next one, or to the one before, of the run. */
struct place {
    size_t i, j, k;
};

STARFISH_CELL struct place place_of(const struct starfish_cell_matrix *m, size_t e)
{
    struct place at;

    at.i = e % m->n[0];
    at.j = e / m->n[0] % m->n[1];
    at.k = e / m->n[0] / m->n[1];
    return at;
}

STARFISH_CELL void go_on(const struct starfish_blocks *a, struct place *at)
{
    if (a->block == 0) {
        at->k++;
    } else if (++at->i == a->cells.matrix.n[0]) {
        at->i = 0;
        if (++at->j == a->cells.matrix.n[1]) {
            at->j = 0;
            at->k++;
        }
    }
}

STARFISH_CELL void go_back(const struct starfish_blocks *a, struct place *at)
{
    if (a->block == 0) {
        at->k--;
    } else if (at->i-- == 0) {
        at->i = a->cells.matrix.n[0] - 1;
        if (at->j-- == 0) {
            at->j = a->cells.matrix.n[1] - 1;
            at->k--;
        }
    }
}

/* q = M^-1 u of the run; the sum of u q. */
STARFISH_CELL double run_solve(const struct starfish_blocks *a, size_t number)
{
    const struct run run = run_at(a, number);
    const real *u = (const real *)a->cells.u, *inverse = (const real *)a->cells.table;
    real *q = (real *)a->cells.q;
    struct place at = place_of(&a->cells.matrix, run.begin), last = at;
    double sum = 0;
    size_t e;

    for (e = run.begin; e < run.end; e += run.stride) {
        const struct cell c = cell_at(&a->cells, at.i, at.j, at.k);
        q[e] = (u[e] + run_sum(a, &run, &c, q, 0, 0)) * inverse[e];
        last = at;
        go_on(a, &at);
    }
    for (at = last; e > run.begin; go_back(a, &at)) {
        const struct cell c = cell_at(&a->cells, at.i, at.j, at.k);
        e -= run.stride;
        q[e] += run_sum(a, &run, &c, q, 1, 0) * inverse[e];
        sum += (double)u[e] * (double)q[e];
    }
    return sum;
}

#endif
