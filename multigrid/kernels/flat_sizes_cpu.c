/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of the terms of a flat domain's equations on the CPU, cell by cell. Bound by arithmetic. */
#include "multigrid/kernels/flat_sizes.h"

#include "multigrid/kernels/flat_row.h"

#include <math.h>
#include <string.h>

static double at(const void *array, size_t index)
{
    return fabs((double)((const real *)array)[index]);
}

/* |u| of column i, which may lie beyond an end, in layer k of a row; row NULL: there is none. */
static double beside(const struct starfish_flat_matrix *m, const real *row, ptrdiff_t i, size_t k)
{
    const ptrdiff_t nx = (ptrdiff_t)m->n[0];

    if (m->periodic[0])
        i = (i + nx) % nx;
    return row && i >= 0 && i < nx ? at(row, (size_t)i + m->n[0] * k) : 0;
}

static double corners(const struct starfish_flat_matrix *m, const struct flat_rows *rows, size_t i, size_t j, size_t k)
{
    double sum = 0;

    for (int side = 0; side < 4 && m->corner; side++) {
        const int east = side % 2, north = side / 2;
        const real q = ((const real *)m->corner)[i + (size_t)east + (m->n[0] + 1) * (j + (size_t)north)];
        if (east == north ? q > 0 : q < 0)
            sum += fabs((double)q) * (beside(m, rows->here, (ptrdiff_t)i, k) +
                                      beside(m, north ? rows->above : rows->below, (ptrdiff_t)i + 2 * east - 1, k));
    }
    return sum;
}

static double size_of(const struct starfish_flat_matrix *m, const struct flat_rows *rows, size_t i, size_t j, size_t k)
{
    const size_t column = i + m->n[0] * j, face = i + (m->n[0] + 1) * j;
    const ptrdiff_t x = (ptrdiff_t)i;
    const double here = beside(m, rows->here, x, k);
    const double under = k > 0 ? beside(m, rows->here, x, k - 1) : 0;
    const double over = k + 1 < m->n[2] ? beside(m, rows->here, x, k + 1) : 0;
    const double across = at(m->face_x, face) * (here + beside(m, rows->here, x - 1, k)) +
                          at(m->face_x, face + 1) * (here + beside(m, rows->here, x + 1, k)) +
                          at(m->face_y, column) * (here + beside(m, rows->below, x, k)) +
                          at(m->face_y, column + m->n[0]) * (here + beside(m, rows->above, x, k));

    return at(m->mass, column) * at(m->a, k) * here +
           at(m->lift, column) * (at(m->b, k) * (here + under) + at(m->c, k) * (here + over)) +
           at(m->d, k) * (across + corners(m, rows, i, j, k));
}

void REAL_NAME(starfish_flat_sizes_cpu)(const struct starfish_flat_sizes *a)
{
    const struct starfish_flat_matrix *m = &a->matrix;
    const size_t end = m->own[1] > 0 ? m->own[1] : m->n[0];
    double sum = 0;

    for (size_t j = a->y0; j < a->y1; j++) {
        const struct flat_rows rows = {REAL_NAME(starfish_flat_row)(m, a->u, j, 0),
                                       REAL_NAME(starfish_flat_row)(m, a->u, j, -1),
                                       REAL_NAME(starfish_flat_row)(m, a->u, j, 1)};
        for (size_t k = 0; k < m->n[2]; k++)
            for (size_t i = m->own[0]; i < end; i++) {
                const double size = size_of(m, &rows, i, j, k);
                sum += size * size;
            }
    }
    memset(a->sums, 0, (a->sum_count > 0 ? a->sum_count : STARFISH_SUMS) * sizeof *a->sums);
    a->sums[0] = sum;
}
