/* A problem for the third kind of grids, as dense matrices: the five-point Laplacian, bilinear prolongations, P^T A P.
 */
#include "tests/multigrid/csr_kind.h"

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

/* The inverse of a symmetric positive definite matrix, by Gauss-Jordan elimination. */
static double *inverse(size_t n, const double *given)
{
    double *a = calloc(n * n, sizeof *a);
    memcpy(a, given, n * n * sizeof *a);
    for (size_t k = 0; k < n; k++) {
        const double pivot = a[k * n + k];
        a[k * n + k] = 1;
        for (size_t j = 0; j < n; j++)
            a[k * n + j] /= pivot;
        for (size_t i = 0; i < n; i++) {
            const double factor = a[i * n + k];
            if (i == k)
                continue;
            a[i * n + k] = 0;
            for (size_t j = 0; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return a;
}

void test_csr_make(struct test_csr *csr, size_t side, size_t parts)
{
    static const double cut[] = {0, 0.25, 0.7, 1};

    *csr = (struct test_csr){.parts = parts};
    for (int l = 0; l < TEST_CSR_LEVELS; l++, side /= 2) {
        struct test_csr_level *level = &csr->level[l];
        const size_t coarse = side / 2 * (side / 2);
        level->n = side * side;
        level->matrix[A] = l == 0 ? laplacian(side)
                                  : product(level->n, level->n, level[-1].n, level[-1].matrix[RA], level[-1].matrix[P]);
        for (size_t p = 0; p <= parts; p++)
            level->first[p] = parts == 1 ? p * level->n : (size_t)(cut[p] * (double)level->n);
        if (l + 1 == TEST_CSR_LEVELS) {
            level->dense = inverse(level->n, level->matrix[A]);
            break;
        }
        level->matrix[P] = bilinear(side);
        level->matrix[R] = transpose(level->n, coarse, level->matrix[P]);
        level->matrix[RA] = product(coarse, level->n, level->n, level->matrix[R], level->matrix[A]);
    }
}

void test_csr_free(struct test_csr *csr)
{
    for (int l = 0; l < TEST_CSR_LEVELS; l++) {
        for (int m = 0; m < MATRICES; m++)
            free(csr->level[l].matrix[m]);
        free(csr->level[l].dense);
        free(csr->whole[l].shape);
        free(csr->whole[l].table);
    }
    for (int l = 0; l < TEST_CSR_CUT; l++) {
        for (size_t p = 0; p < csr->parts; p++) {
            free(csr->cut[l].grid[p].shape);
            free(csr->cut[l].grid[p].table);
        }
        for (size_t h = 0; h < csr->cut[l].halos; h++)
            free((void *)(uintptr_t)csr->cut[l].halo[h].index);
    }
}
