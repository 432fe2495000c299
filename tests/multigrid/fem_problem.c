/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small hierarchy of sparse matrices: the five-point Laplacian, bilinear prolongations, and P^T A P, by dense
 * products. */
#include "tests/multigrid/fem_problem.h"

#include <stdlib.h>
#include <string.h>

static double *product(size_t n, size_t m, size_t k, const double *a, const double *b)
{
    double *c = calloc(n * m, sizeof *c);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < k; l++)
            for (size_t j = 0; j < m && a[i * k + l] != 0; j++)
                c[i * m + j] += a[i * k + l] * b[l * m + j];
    return c;
}

static double *laplacian(size_t side)
{
    const size_t n = side * side;
    double *a = calloc(n * n, sizeof *a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const long x = labs((long)(i % side) - (long)(j % side)), y = labs((long)(i / side) - (long)(j / side));
            a[i * n + j] = x + y == 0 ? 4 : x + y == 1 ? -1 : 0;
        }
    return a;
}

/* Weight 1 - |x - 2 c - 1| / 2 in each direction. */
static double *bilinear(size_t side)
{
    const size_t coarse = side / 2, n = side * side, m = coarse * coarse;
    double *p = calloc(n * m, sizeof *p);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < m; c++) {
            const long x = labs((long)(i % side) - 2 * (long)(c % coarse) - 1);
            const long y = labs((long)(i / side) - 2 * (long)(c / coarse) - 1);
            p[i * m + c] = x < 2 && y < 2 ? (1 - 0.5 * (double)x) * (1 - 0.5 * (double)y) : 0;
        }
    return p;
}

static double *transpose(size_t n, size_t m, const double *a)
{
    double *t = calloc(n * m, sizeof *t);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            t[j * n + i] = a[i * m + j];
    return t;
}

static void make_sparse(struct starfish_csr *a, size_t rows, size_t columns, const double *dense)
{
    size_t entries = 0;

    for (size_t e = 0; e < rows * columns; e++)
        entries += dense[e] != 0;
    if (starfish_csr_create(a, rows, columns, entries) != STARFISH_SUCCESS)
        abort();
    for (size_t i = 0, e = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            if (dense[i * columns + j] != 0) {
                a->column[e] = (int)j;
                a->value[e++] = dense[i * columns + j];
            }
        a->start[i + 1] = (int)e;
    }
}

/* P^T A P. */
static double *galerkin(size_t n, size_t m, const double *a, const double *p)
{
    double *t = transpose(n, m, p), *ta = product(m, n, n, t, a), *coarse = product(m, m, n, ta, p);

    free(t);
    free(ta);
    return coarse;
}

void test_fem_make(struct test_fem *fem, size_t side, size_t parts)
{
    static const double cut[] = {0, 0.25, 0.7, 1};
    double *a = laplacian(side);

    *fem = (struct test_fem){.parts = parts, .n = side * side};
    for (int l = 0; l < TEST_FEM_LEVELS; l++, side /= 2) {
        const size_t n = side * side, m = side / 2 * (side / 2);
        make_sparse(&fem->grid[l].a, n, n, a);
        fem->grid[l].damping = 0.8;
        for (size_t p = 0; p <= parts && l < TEST_FEM_CUT; p++)
            fem->first[l][p] = parts == 1 ? p * n : (size_t)(cut[p] * (double)n);
        double *p = l + 1 < TEST_FEM_LEVELS ? bilinear(side) : NULL, *coarse = p ? galerkin(n, m, a, p) : NULL;
        if (p)
            make_sparse(&fem->grid[l].p, n, m, p);
        if (l == 0)
            fem->dense = a;
        else
            free(a);
        free(p);
        a = coarse;
    }
}

void test_fem_free(struct test_fem *fem)
{
    for (int l = 0; l < TEST_FEM_LEVELS; l++) {
        starfish_csr_destroy(&fem->grid[l].a);
        starfish_csr_destroy(&fem->grid[l].p);
        starfish_csr_destroy(&fem->grid[l].m);
    }
    free(fem->dense);
}
