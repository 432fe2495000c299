/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant mode along z: its tables, and the solution of its line on a core. */
#include "tridiag/kernels/constant_line.h"

/* Pivots of the leading n-1 rows of a matrix whose rows sum to zero are found without a subtraction (slab_lines.h). */
void starfish_constant_fill(double *array, size_t n, const double *lower, const double *upper, const double *weight)
{
    double *const inverse = array + n, *const below = array + 2 * n, *const above = array + 3 * n;
    double left = 1; /* of the sum of the row above */
    for (size_t k = 0; k < n; k++) {
        const double sum = -lower[k] * left, pivot = sum - upper[k];
        const int is_pinned = k + 1 == n;
        array[k] = weight[k];
        inverse[k] = is_pinned ? 0 : 1 / pivot;
        below[k] = is_pinned || k == 0 ? 0 : -lower[k] / pivot;
        above[k] = k + 2 >= n ? 0 : -upper[k] / pivot;
        left = sum / pivot;
    }
}

/* Unknowns of a problem's line, whichever pieces they are in. `piece` is that of the last one asked for. */
static double *unknown(const struct starfish_constant_solve *a, size_t problem, size_t k, size_t *piece)
{
    while (k < a->first[*piece])
        --*piece;
    while (k >= a->first[*piece + 1])
        ++*piece;
    return a->piece[*piece] + problem * a->first[a->pieces] + (k - a->first[*piece]);
}

static void solve_line(const struct starfish_constant_solve *a, size_t problem)
{
    const struct starfish_constant_tables *t = &a->tables;
    const size_t n = a->first[a->pieces];
    size_t piece = 0;
    double removed = 0, mean = 0, x = 0;
    for (size_t k = 0; k < n; k++)
        removed += t->weight[k] * *unknown(a, problem, k, &piece);
    for (size_t k = 0; k < n; k++) {
        double *const f = unknown(a, problem, k, &piece);
        x = *f = (*f - removed) * t->inverse[k] + t->below[k] * x;
    }
    for (size_t k = n; k-- > 0;) {
        double *const v = unknown(a, problem, k, &piece);
        x = *v += t->above[k] * x;
        mean += t->weight[k] * x;
    }
    for (size_t k = 0; k < n; k++)
        *unknown(a, problem, k, &piece) -= mean;
    a->removed[STARFISH_CONSTANT_REMOVED * problem] = removed * a->scale;
    a->removed[STARFISH_CONSTANT_REMOVED * problem + 1] = 0;
}

void starfish_constant_solve_cpu(const struct starfish_constant_solve *a)
{
    for (size_t p = 0; p < a->problems || p == 0; p++)
        solve_line(a, p);
}
