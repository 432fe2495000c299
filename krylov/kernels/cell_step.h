/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of cells.h for one cell, one source for cores and GPUs: what neighbours a cell has, their couplings, and
 * what a step makes of them. `real` is the precision (base/real.h). */
#ifndef STARFISH_KRYLOV_KERNELS_CELL_STEP_H
#define STARFISH_KRYLOV_KERNELS_CELL_STEP_H

#include "base/real.h"
#include "krylov/kernels/cells.h"

#ifdef __CUDACC__
#define STARFISH_CELL static __device__ __forceinline__
#else
#define STARFISH_CELL static inline
#endif

/* A cell: its element, and in each direction the elements of its neighbours below and above, in vectors, and of the one
 * below in tables, which have all cells. Where there is no neighbour it is the cell itself, so that differences are 0,
 * and `there` is 0. */
struct cell {
    ptrdiff_t e, below[3], above[3], table[3];
    int at_end[3][2]; /* is the cell the first, the last of the direction? */
};

/* Is no direction of several cells periodic? Then the couplings of neighbours that are missing are stored as 0. */
STARFISH_CELL int cells_are_open(const struct starfish_cell_matrix *m)
{
    for (int d = 0; d < 3; d++)
        if (m->n[d] > 1 && m->periodic[d])
            return 0;
    return 1;
}

STARFISH_CELL struct cell cell_at(const struct starfish_cells *a, size_t i, size_t j, size_t k)
{
    const struct starfish_cell_matrix *m = &a->matrix;
    const ptrdiff_t nx = (ptrdiff_t)m->n[0], plane = nx * (ptrdiff_t)m->n[1];
    const ptrdiff_t stride[3] = {1, nx, plane};
    const size_t at[3] = {i, j, k};
    struct cell c;

    c.e = (ptrdiff_t)i + nx * ((ptrdiff_t)j + (ptrdiff_t)m->n[1] * (ptrdiff_t)k);
    for (int d = 0; d < 3; d++) {
        const ptrdiff_t around = ((ptrdiff_t)m->n[d] - 1) * stride[d];
        c.at_end[d][0] = at[d] == 0;
        c.at_end[d][1] = at[d] + 1 == m->n[d];
        c.table[d] = c.at_end[d][0] ? c.e + around : c.e - stride[d];
        c.below[d] = !c.at_end[d][0] ? c.e - stride[d] : m->periodic[d] ? c.table[d] : c.e;
        c.above[d] = !c.at_end[d][1] ? c.e + stride[d] : m->periodic[d] ? c.e - around : c.e;
    }
    /* Planes of the other end may be ghosts. */
    if (c.at_end[2][0] && m->periodic[2])
        c.below[2] = c.e + plane * a->below;
    if (c.at_end[2][1] && m->periodic[2])
        c.above[2] = c.e + plane * (a->above - (ptrdiff_t)k);
    return c;
}

/* The coupling of cell e with the one above it in direction d, whose element in tables is `other`; 0 beyond ends. */
STARFISH_CELL real cell_mean(const struct starfish_cell_matrix *m, int d, ptrdiff_t e, ptrdiff_t other)
{
    const real *k = (const real *)m->k;
    const real p = k[e], q = k[other];

    return (real)m->weight[d] * (m->arithmetic ? REAL(0.5) * (p + q) : 2 / (1 / p + 1 / q));
}

/* In table's elements, the neighbour above. */
STARFISH_CELL ptrdiff_t cell_above_in_table(const struct starfish_cell_matrix *m, const struct cell *c, int d)
{
    const ptrdiff_t stride = d == 0 ? 1 : d == 1 ? (ptrdiff_t)m->n[0] : (ptrdiff_t)(m->n[0] * m->n[1]);

    return c->at_end[d][1] ? c->e - ((ptrdiff_t)m->n[d] - 1) * stride : c->e + stride;
}

/* A direction of one cell has no couplings, whose zeros need not be read. */
STARFISH_CELL real cell_coupling_above(const struct starfish_cell_matrix *m, const struct cell *c, int d)
{
    if (m->n[d] == 1)
        return 0;
    if (m->stored)
        return ((const real *)m->stored)[(ptrdiff_t)(m->n[0] * m->n[1] * m->n[2]) * d + c->e];
    if (c->at_end[d][1] && !m->periodic[d])
        return 0;
    return cell_mean(m, d, c->e, cell_above_in_table(m, c, d));
}

STARFISH_CELL real cell_coupling_below(const struct starfish_cell_matrix *m, const struct cell *c, int d)
{
    if (m->n[d] == 1)
        return 0;
    if (m->stored)
        return ((const real *)m->stored)[(ptrdiff_t)(m->n[0] * m->n[1] * m->n[2]) * d + c->table[d]];
    if (c->at_end[d][0] && !m->periodic[d])
        return 0;
    return cell_mean(m, d, c->e, c->table[d]);
}

STARFISH_CELL real cell_extra(const struct starfish_cell_matrix *m, const struct cell *c)
{
    if (m->stored && m->without_extra)
        return 0;
    if (m->stored)
        return ((const real *)m->stored)[3 * (ptrdiff_t)(m->n[0] * m->n[1] * m->n[2]) + c->e];
    real sum = 0;
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++)
            if (c->at_end[d][side])
                sum += (real)m->end[d][side];
    return sum * ((const real *)m->k)[c->e] + (real)m->shift;
}

/* A u */
STARFISH_CELL real cell_product(const struct starfish_cell_matrix *m, const struct cell *c, const real *u)
{
    const real own = u[c->e];
    real sum = cell_extra(m, c) * own;

    for (int d = 0; d < 3; d++)
        sum += cell_coupling_above(m, c, d) * (own - u[c->above[d]]) +
               cell_coupling_below(m, c, d) * (own - u[c->below[d]]);
    return sum;
}

/* An element of u + factor f. */
STARFISH_CELL real cell_turned(const real *u, const real *f, real factor, ptrdiff_t e)
{
    return factor != 0 ? u[e] + factor * f[e] : u[e];
}

/* A (u + factor f); *own: the element of that. */
STARFISH_CELL real cell_turned_product(const struct starfish_cell_matrix *m, const struct cell *c, const real *u,
                                       const real *f, real factor, real *own)
{
    const real here = *own = cell_turned(u, f, factor, c->e);
    real sum = cell_extra(m, c) * here;

    for (int d = 0; d < 3; d++)
        sum += cell_coupling_above(m, c, d) * (here - cell_turned(u, f, factor, c->above[d])) +
               cell_coupling_below(m, c, d) * (here - cell_turned(u, f, factor, c->below[d]));
    return sum;
}

/* |A| |u| */
STARFISH_CELL double cell_absolute(const struct starfish_cell_matrix *m, const struct cell *c, const real *u)
{
    const double own = u[c->e] < 0 ? -(double)u[c->e] : (double)u[c->e], extra = (double)cell_extra(m, c);
    double diagonal = extra, sum = 0;

    for (int d = 0; d < 3; d++) {
        const double above = (double)cell_coupling_above(m, c, d), below = (double)cell_coupling_below(m, c, d);
        const double up = (double)u[c->above[d]], down = (double)u[c->below[d]];
        /* A cell that is its own neighbour has no coupling. */
        diagonal += (c->above[d] != c->e ? above : 0) + (c->below[d] != c->e ? below : 0);
        sum += (c->above[d] != c->e ? above * (up < 0 ? -up : up) : 0) +
               (c->below[d] != c->e ? below * (down < 0 ? -down : down) : 0);
    }
    return sum + (diagonal < 0 ? -diagonal : diagonal) * own;
}

/* ---- Incomplete Poisson ------------------------------------------------------------------------------------------ */

/* Is the neighbour's index larger? A periodic end's neighbour above is, in order, below. */
STARFISH_CELL int cell_is_after(ptrdiff_t other, ptrdiff_t e)
{
    return other > e;
}

/* The part of u of the cell's neighbours, those with larger (after) or smaller indices: sum of S u, scaled or not. In
 * order of tables, since vectors may have ghosts. */
STARFISH_CELL real cell_triangle(const struct starfish_cells *a, const struct cell *c, int after, int scales)
{
    const struct starfish_cell_matrix *m = &a->matrix;
    const real *s = (const real *)a->table, *u = (const real *)a->u;
    real sum = 0;

    for (int d = 0; d < 3; d++) {
        const ptrdiff_t up = cell_above_in_table(m, c, d), down = c->table[d];
        if (c->above[d] != c->e && cell_is_after(up, c->e) == after)
            sum += cell_coupling_above(m, c, d) * s[up] * (scales ? s[up] : 1) * u[c->above[d]];
        if (c->below[d] != c->e && cell_is_after(down, c->e) == after)
            sum += cell_coupling_below(m, c, d) * s[down] * (scales ? s[down] : 1) * u[c->below[d]];
    }
    return s[c->e] * sum;
}

/* The sum of squares of the row of S. */
STARFISH_CELL real cell_squares(const struct starfish_cells *a, const struct cell *c)
{
    const struct starfish_cell_matrix *m = &a->matrix;
    const real *s = (const real *)a->table;
    real sum = 0;

    for (int d = 0; d < 3; d++) {
        const ptrdiff_t up = cell_above_in_table(m, c, d), down = c->table[d];
        const real over = s[c->e] * s[up] * cell_coupling_above(m, c, d);
        const real under = s[c->e] * s[down] * cell_coupling_below(m, c, d);
        if (c->above[d] != c->e && !cell_is_after(up, c->e))
            sum += over * over;
        if (c->below[d] != c->e && !cell_is_after(down, c->e))
            sum += under * under;
    }
    return sum;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* What a sum becomes by one cell's part of it; a part that is not a number stays. */
STARFISH_CELL double cell_add(enum starfish_cell_step step, double sum, double part)
{
    if (step == STARFISH_CELLS_LARGEST)
        return sum >= part || sum != sum ? sum : part;
    return sum + part;
}

/* What the step does to the cell; returns its part of the sum. `scalar`: as the step's. */
STARFISH_CELL double cell_step(enum starfish_cell_step step, const struct starfish_cells *a, const struct cell *c,
                               double scalar)
{
    const ptrdiff_t e = c->e;
    const real *u = (const real *)a->u, *f = (const real *)a->f, *table = (const real *)a->table;
    real *q = (real *)a->q, *r = (real *)a->r;
    const double more = a->more ? *a->more : 1;
    double absolute;

    switch (step) {
    case STARFISH_CELLS_APPLY:
        q[e] = cell_product(&a->matrix, c, u);
        return (double)u[e] * (double)q[e];
    case STARFISH_CELLS_TURN:
        q[e] = cell_turned_product(&a->matrix, c, u, f, (real)scalar, &r[e]);
        return (double)r[e] * (double)q[e];
    case STARFISH_CELLS_RESIDUAL:
        q[e] = f[e] - cell_product(&a->matrix, c, u);
        return (double)q[e] * (double)q[e];
    case STARFISH_CELLS_ABSOLUTE:
        absolute = cell_absolute(&a->matrix, c, u);
        return absolute * absolute;
    case STARFISH_CELLS_ADVANCE:
        if (scalar != 0) {
            ((real *)a->v)[e] += (real)(a->factor * more * scalar) * u[e];
            r[e] -= (real)scalar * f[e];
        }
        return (double)r[e] * (double)r[e];
    case STARFISH_CELLS_ADVANCE_WIDE:
        if (scalar != 0) {
            ((double *)a->v)[e] += a->factor * more * scalar * (double)u[e];
            r[e] -= (real)scalar * f[e];
        }
        return (double)r[e] * (double)r[e];
    case STARFISH_CELLS_JACOBI:
        q[e] = table[e] * u[e];
        return (double)u[e] * (double)q[e];
    case STARFISH_CELLS_IP_FIRST:
        q[e] = table[e] * u[e] + cell_triangle(a, c, 1, 1);
        return 0;
    case STARFISH_CELLS_IP_SECOND:
        q[e] = table[e] * (u[e] + cell_triangle(a, c, 0, 0));
        return f ? (double)f[e] * (double)q[e] : 0;
    case STARFISH_CELLS_IP_DROPPED:
        q[e] = table[e] *
               ((1 + cell_squares(a, c)) * table[e] * u[e] + cell_triangle(a, c, 0, 1) + cell_triangle(a, c, 1, 1));
        return (double)u[e] * (double)q[e];
    case STARFISH_CELLS_PROLONG:
        q[e] = (u ? u[e] : 0) + (real)a->coarse[a->domain[e]];
        return f ? (double)f[e] * (double)q[e] : 0;
    case STARFISH_CELLS_PROLONG_WIDE:
        ((double *)a->q)[e] += a->factor * a->coarse[a->domain[e]];
        return 0;
    case STARFISH_CELLS_SUM:
        return (double)u[e];
    case STARFISH_CELLS_SHIFT:
        q[e] = u[e] + (real)a->factor;
        return 0;
    case STARFISH_CELLS_LARGEST:
        return u[e] < 0 ? -(double)u[e] : (double)u[e];
    case STARFISH_CELL_STEPS:
        break;
    }
    return 0;
}

#endif
