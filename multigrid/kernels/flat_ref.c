/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Naive references of the kernels of flat domains (flat_ref.h): cell by cell in f64, the lines upwards by dense
 * elimination. */
#include "multigrid/kernels/flat_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The matrix's entry of face or column or layer. */
static double at(const void *array, size_t index)
{
    return ((const double *)array)[index];
}

static double value(const struct starfish_flat_matrix *m, const double *u, ptrdiff_t i, ptrdiff_t j, size_t k)
{
    const ptrdiff_t nx = (ptrdiff_t)m->n[0], ny = (ptrdiff_t)m->n[1];

    if (m->periodic[0])
        i = (i + nx) % nx;
    if (m->periodic[1])
        j = (j + ny) % ny;
    if (i < 0 || i >= nx || j < 0 || j >= ny)
        return 0;
    return u[(size_t)i + m->n[0] * (k + m->n[2] * (size_t)j)];
}

/* What the corner of column (i,j) that lies east or not and north or not couples it by; where it couples, the column
 * across is there. */
static double corner(const struct starfish_flat_matrix *m, size_t i, size_t j, int east, int north)
{
    const double q = m->corner ? at(m->corner, i + (size_t)east + (m->n[0] + 1) * (j + (size_t)north)) : 0;

    return fmax(east == north ? q : -q, 0);
}

static double corners(const struct starfish_flat_matrix *m, const double *u, size_t i, size_t j, size_t k)
{
    const ptrdiff_t x = (ptrdiff_t)i, y = (ptrdiff_t)j;
    double sum = 0;

    for (int side = 0; side < 4; side++) {
        const int east = side % 2, north = side / 2;
        sum +=
            corner(m, i, j, east, north) * (value(m, u, x, y, k) - value(m, u, x + 2 * east - 1, y + 2 * north - 1, k));
    }
    return m->corner ? at(m->d, k) * sum : 0;
}

/* A u in one cell. */
static double product(const struct starfish_flat_matrix *m, const double *u, size_t i, size_t j, size_t k)
{
    const size_t column = i + m->n[0] * j;
    const ptrdiff_t x = (ptrdiff_t)i, y = (ptrdiff_t)j;
    const double here = value(m, u, x, y, k);
    const double below = k > 0 ? value(m, u, x, y, k - 1) : 0, above = k + 1 < m->n[2] ? value(m, u, x, y, k + 1) : 0;

    return corners(m, u, i, j, k) + at(m->mass, column) * at(m->a, k) * here +
           at(m->lift, column) * (at(m->b, k) * (here - below) + at(m->c, k) * (here - above)) +
           at(m->d, k) * (at(m->face_x, i + (m->n[0] + 1) * j) * (here - value(m, u, x - 1, y, k)) +
                          at(m->face_x, i + 1 + (m->n[0] + 1) * j) * (here - value(m, u, x + 1, y, k)) +
                          at(m->face_y, i + m->n[0] * j) * (here - value(m, u, x, y - 1, k)) +
                          at(m->face_y, i + m->n[0] * (j + 1)) * (here - value(m, u, x, y + 1, k)));
}

void starfish_flat_ref_residual(const struct starfish_flat_matrix *m, const double *u, const double *f, double *result)
{
    for (size_t j = 0; j < m->n[1]; j++)
        for (size_t k = 0; k < m->n[2]; k++)
            for (size_t i = 0; i < m->n[0]; i++) {
                const size_t e = i + m->n[0] * (k + m->n[2] * j);
                result[e] = f[e] - product(m, u, i, j, k);
            }
}

/* |coupling| (|u_here| + |u_there|), `there` by its distance from cell (i,j,k). */
static double term(const struct starfish_flat_matrix *m, const double *u, const size_t at[3], const int to[3],
                   double coupling)
{
    const ptrdiff_t x = (ptrdiff_t)at[0] + to[0], y = (ptrdiff_t)at[1] + to[1];
    const size_t k = (size_t)((ptrdiff_t)at[2] + to[2]);
    const double there = k < m->n[2] ? value(m, u, x, y, k) : 0;

    return fabs(coupling) * (fabs(value(m, u, (ptrdiff_t)at[0], (ptrdiff_t)at[1], at[2])) + fabs(there));
}

void starfish_flat_ref_sizes(const struct starfish_flat_matrix *m, const double *u, double *result)
{
    for (size_t j = 0; j < m->n[1]; j++)
        for (size_t k = 0; k < m->n[2]; k++)
            for (size_t i = 0; i < m->n[0]; i++) {
                const size_t here[3] = {i, j, k}, column = i + m->n[0] * j, e = i + m->n[0] * (k + m->n[2] * j);
                const double lift = at(m->lift, column), d = at(m->d, k);
                double size = fabs(at(m->mass, column) * at(m->a, k) * u[e]);
                size += term(m, u, here, (const int[]){0, 0, -1}, lift * at(m->b, k));
                size += term(m, u, here, (const int[]){0, 0, 1}, lift * at(m->c, k));
                size += term(m, u, here, (const int[]){-1, 0, 0}, d * at(m->face_x, column + j));
                size += term(m, u, here, (const int[]){1, 0, 0}, d * at(m->face_x, column + j + 1));
                size += term(m, u, here, (const int[]){0, -1, 0}, d * at(m->face_y, column));
                size += term(m, u, here, (const int[]){0, 1, 0}, d * at(m->face_y, column + m->n[0]));
                for (int side = 0; side < 4; side++)
                    size += term(m, u, here, (const int[]){2 * (side % 2) - 1, 2 * (side / 2) - 1, 0},
                                 d * corner(m, i, j, side % 2, side / 2));
                result[e] = size;
            }
}

/* A dense matrix and its right-hand side, by elimination without interchanges. */
static void eliminate(size_t n, double *matrix, double *rhs)
{
    for (size_t p = 0; p < n; p++)
        for (size_t r = p + 1; r < n; r++) {
            const double factor = matrix[r * n + p] / matrix[p * n + p];
            for (size_t c = p; c < n && factor != 0; c++)
                matrix[r * n + c] -= factor * matrix[p * n + c];
            rhs[r] -= factor * rhs[p];
        }
    for (size_t r = n; r-- > 0;) {
        for (size_t c = r + 1; c < n; c++)
            rhs[r] -= matrix[r * n + c] * rhs[c];
        rhs[r] /= matrix[r * n + r];
    }
}

static void fill_column(const struct starfish_flat_matrix *m, size_t i, size_t j, double *matrix)
{
    const size_t n = m->n[2], column = i + m->n[0] * j;
    const double faces = at(m->face_x, i + (m->n[0] + 1) * j) + at(m->face_x, i + 1 + (m->n[0] + 1) * j) +
                         at(m->face_y, i + m->n[0] * j) + at(m->face_y, i + m->n[0] * (j + 1)) + corner(m, i, j, 0, 0) +
                         corner(m, i, j, 1, 0) + corner(m, i, j, 0, 1) + corner(m, i, j, 1, 1);

    memset(matrix, 0, n * n * sizeof *matrix);
    for (size_t k = 0; k < n; k++) {
        const double b = at(m->lift, column) * at(m->b, k), c = at(m->lift, column) * at(m->c, k);
        matrix[k * n + k] = at(m->mass, column) * at(m->a, k) + b + c + at(m->d, k) * faces;
        if (k > 0)
            matrix[k * n + k - 1] = -b;
        if (k + 1 < n)
            matrix[k * n + k + 1] = -c;
    }
}

int starfish_flat_ref_smooth(const struct starfish_flat_matrix *m, enum starfish_flat_columns columns, double damping,
                             const double *f, double *v, double *residual)
{
    const size_t n = m->n[2];
    double *matrix = malloc((n + 1) * n * sizeof *matrix);

    if (!matrix)
        return -1;
    double *rhs = matrix + n * n;
    starfish_flat_ref_residual(m, v, f, residual);
    for (size_t j = 0; j < m->n[1]; j++)
        for (size_t i = 0; i < m->n[0]; i++) {
            if (columns != STARFISH_FLAT_ALL && (i + j) % 2 != (columns == STARFISH_FLAT_ODD))
                continue;
            for (size_t k = 0; k < n; k++)
                rhs[k] = residual[i + m->n[0] * (k + n * j)];
            fill_column(m, i, j, matrix);
            eliminate(n, matrix, rhs);
            for (size_t k = 0; k < n; k++)
                v[i + m->n[0] * (k + n * j)] += damping * rhs[k];
        }
    free(matrix);
    return 0;
}

/* ---- Transfers --------------------------------------------------------------------------------------------------- */

static size_t coarse_of(const struct starfish_flat_transfer *t, size_t i)
{
    return t->fine == t->coarse ? i : i / 2;
}

void starfish_flat_ref_restrict(const struct starfish_flat_transfer t[2], size_t layers, const double *fine,
                                double *coarse)
{
    memset(coarse, 0, t[0].coarse * t[1].coarse * layers * sizeof *coarse);
    for (size_t j = 0; j < t[1].fine; j++)
        for (size_t k = 0; k < layers; k++)
            for (size_t i = 0; i < t[0].fine; i++)
                coarse[coarse_of(&t[0], i) + t[0].coarse * (k + layers * coarse_of(&t[1], j))] +=
                    fine[i + t[0].fine * (k + layers * j)];
}

/* The two coarse cells that fine i is interpolated from, and their weights, 0 where one is not there. */
static void find_terms(const struct starfish_flat_transfer *t, size_t i, size_t index[2], double weight[2])
{
    const ptrdiff_t n = (ptrdiff_t)t->coarse;

    if (t->fine == t->coarse) {
        index[0] = index[1] = i;
        weight[0] = 1;
        weight[1] = 0;
        return;
    }
    for (int s = 0; s < 2; s++) {
        const ptrdiff_t unwrapped = (ptrdiff_t)((i + 1) / 2) - 1 + s;
        const int there = t->periodic || (unwrapped >= 0 && unwrapped < n);
        index[s] = (size_t)((unwrapped + n) % n);
        weight[s] = there ? at(s ? t->upper : t->lower, i) : 0;
    }
}

void starfish_flat_ref_prolong(const struct starfish_flat_transfer t[2], size_t layers, const double *coarse,
                               double *fine)
{
    for (size_t j = 0; j < t[1].fine; j++)
        for (size_t k = 0; k < layers; k++)
            for (size_t i = 0; i < t[0].fine; i++) {
                size_t x[2], y[2];
                double weight_x[2], weight_y[2];
                find_terms(&t[0], i, x, weight_x);
                find_terms(&t[1], j, y, weight_y);
                for (int s = 0; s < 4; s++)
                    fine[i + t[0].fine * (k + layers * j)] +=
                        weight_x[s % 2] * weight_y[s / 2] * coarse[x[s % 2] + t[0].coarse * (k + layers * y[s / 2])];
            }
}
