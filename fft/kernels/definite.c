/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A = L D L^T without a subtraction (Alfa, Xue and Ye, Math. Comp. 71 (2002)), eigenvalues by dqds (LAPACK dbdsqr),
 * and eigenvectors by multiple relatively robust representations, which begin with that factorisation (LAPACK dlarrv;
 * Dhillon and Parlett, Linear Algebra Appl. 387 (2004)). O(n^2). Orthogonality, of which MRRR may lose three digits,
 * is restored by one step of Newton and Schulz, 4 n^3 flops by BLAS.
 *
 * LAPACK's driver dstemr cannot be used: it takes A by its diagonal, whose rounding has lost the small eigenvalues. */
#include "fft/kernels/definite.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In LAPACK's library since 3.1, in no header. */
void dlarrv_(const lapack_int *n, const double *vl, const double *vu, double *d, double *l, const double *pivmin,
             const lapack_int *isplit, const lapack_int *m, const lapack_int *dol, const lapack_int *dou,
             const double *minrgp, const double *rtol1, const double *rtol2, double *w, double *werr, double *wgap,
             const lapack_int *iblock, const lapack_int *indexw, const double *gers, double *z, const lapack_int *ldz,
             lapack_int *isuppz, double *work, lapack_int *iwork, lapack_int *info);

struct factors {
    lapack_int n;
    double *pivot, *multiplier; /* D, and L below its diagonal */
    double *root, *coupling;    /* L sqrt(D), diagonal and below it */
    double smallest_pivot;
};

/* Every term is a sum of numbers that are not negative: `sum` is what row k sums to once the rows before are
 * eliminated. */
static void factorise(const double *lower, const double *upper, const double *excess, struct factors *f)
{
    const size_t last = (size_t)f->n - 1;
    double sum = excess[0], largest = 1;
    for (size_t k = 0; k < last; k++) {
        const double off = sqrt(lower[k + 1]) * sqrt(upper[k]);
        f->pivot[k] = sum + upper[k];
        f->multiplier[k] = -off / f->pivot[k];
        f->root[k] = sqrt(f->pivot[k]);
        f->coupling[k] = -off / f->root[k];
        largest = fmax(largest, off * off);
        sum = excess[k + 1] + lower[k + 1] * (sum / f->pivot[k]);
    }
    f->pivot[last] = sum;
    f->root[last] = sqrt(sum);
    f->smallest_pivot = DBL_MIN * largest;
}

/* Squares of the singular values of L sqrt(D), ascending. */
static starfish_status find_values(struct factors *f, double *value)
{
    double unused = 0;
    if (LAPACKE_dbdsqr(LAPACK_COL_MAJOR, 'L', f->n, 0, 0, 0, f->root, f->coupling, &unused, 1, &unused, 1, &unused,
                       1) != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "LAPACK dbdsqr did not find the eigenvalues of %d rows", f->n);
    for (lapack_int k = 0; k < f->n; k++)
        value[k] = f->root[f->n - 1 - k] * f->root[f->n - 1 - k];
    return STARFISH_SUCCESS;
}

/* What dstemr hands on to dlarrv, for one block, all eigenvalues and no shift. */
static starfish_status find_vectors(struct factors *f, double *value, double *vectors, double *reals,
                                    lapack_int *integers)
{
    const lapack_int n = f->n, one = 1;
    const size_t rows = (size_t)n;
    double *error = reals, *gap = reals + rows, *interval = reals + 2 * rows, *work = reals + 4 * rows;
    lapack_int *block = integers, *index = integers + rows, *support = integers + 2 * rows, info = 0;
    for (size_t k = 0; k < rows; k++) {
        error[k] = 40 * DBL_EPSILON * value[k];
        interval[2 * k] = 0;
        interval[2 * k + 1] = value[rows - 1] * 1.0001;
        block[k] = 1;
        index[k] = (lapack_int)k + 1;
        gap[k] = k + 1 < rows ? fmax(0, value[k + 1] * (1 - 40 * DBL_EPSILON) - value[k] - error[k]) : value[k];
    }
    const double low = -value[rows - 1], high = 2 * value[rows - 1], relative_gap = 1e-3;
    const double bisection = sqrt(DBL_EPSILON), refined = 5e-3 * bisection;
    f->multiplier[rows - 1] = 0; /* the shift */
    dlarrv_(&n, &low, &high, f->pivot, f->multiplier, &f->smallest_pivot, &n, &n, &one, &n, &relative_gap, &bisection,
            &refined, value, error, gap, block, index, interval, vectors, &n, support, work, integers + 4 * rows,
            &info);
    if (info != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "LAPACK dlarrv did not find the eigenvectors of %d rows", n);
    return STARFISH_SUCCESS;
}

/* V <- V (3 I - V^T V) / 2, quadratic near an orthogonal V; NUMERICAL when V was far from one. */
static starfish_status orthogonalise(int n, double *vectors)
{
    const size_t rows = (size_t)n, count = rows * rows;
    double *gram = malloc(2 * count * sizeof *gram), largest = 0;
    if (!gram)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %d vectors", n);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, n, -0.5, vectors, n, vectors, n, 0, gram, n);
    for (size_t k = 0; k < rows; k++)
        gram[k * (rows + 1)] += 0.5;
    for (size_t i = 0; i < count; i++)
        largest = fabs(gram[i]) <= largest ? largest : fabs(gram[i]);
    /* Only the correction is multiplied, so that its rounding is small. */
    double *product = gram + count;
    memcpy(product, vectors, count * sizeof *product);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, product, n, gram, n, 1, vectors, n);
    free(gram);
    if (!(largest <= 1e-9))
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "eigenvectors of %d rows are not orthogonal", n);
    return STARFISH_SUCCESS;
}

static starfish_status solve(const double *lower, const double *upper, const double *excess, struct factors *f,
                             double *value, double *vectors, double *reals, lapack_int *integers)
{
    factorise(lower, upper, excess, f);
    STARFISH_TRY(find_values(f, value));
    STARFISH_TRY(find_vectors(f, value, vectors, reals, integers));
    return orthogonalise(f->n, vectors);
}

static void lay_out(size_t n, double *memory, struct factors *f)
{
    f->n = (lapack_int)n;
    f->pivot = memory;
    f->multiplier = memory + n;
    f->root = memory + 2 * n;
    f->coupling = memory + 3 * n;
    f->smallest_pivot = 0;
}

starfish_status starfish_definite_eigenvalues(size_t n, const double *lower, const double *upper, const double *excess,
                                              double *value)
{
    double *reals = calloc(4 * n, sizeof *reals);
    struct factors f;
    if (!reals)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu eigenvalues", n);
    lay_out(n, reals, &f);
    factorise(lower, upper, excess, &f);
    const starfish_status status = find_values(&f, value);
    free(reals);
    return status;
}

starfish_status starfish_definite_eigenvectors(size_t n, const double *lower, const double *upper, const double *excess,
                                               double *value, double *vectors)
{
    if (n == 1) {
        value[0] = excess[0];
        vectors[0] = 1;
        return STARFISH_SUCCESS;
    }
    /* dlarrv: 4 n of its own arguments and 12 n of work; 4 n integers and 7 n of work. */
    double *reals = calloc(20 * n, sizeof *reals);
    lapack_int *integers = calloc(11 * n, sizeof *integers);
    struct factors f;
    starfish_status status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu rows of a basis", n);
    if (reals && integers) {
        lay_out(n, reals + 16 * n, &f);
        status = solve(lower, upper, excess, &f, value, vectors, reals, integers);
    }
    free(reals);
    free(integers);
    return status;
}
