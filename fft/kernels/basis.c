/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Eigenvectors of a tridiagonal operator, as the matrices of basis.h.
 *
 * T is made symmetric by d[k+1] / d[k] = sqrt(lower[k+1] / upper[k]); the off-diagonal is then sqrt(lower[k+1]
 * upper[k]) with the sign of both. D is scaled so that its largest and smallest element are each other's inverse,
 * hence neither matrix has small entries for large ones of the other.
 *
 * A reflected operator is split in the orthonormal basis (e_j + e_(n-1-j)) / sqrt 2, e_middle, (e_j - e_(n-1-j)) /
 * sqrt 2, in which the halves are tridiagonal again, even those of a periodic operator: the coupling over the middle,
 * and over the ends, falls on a diagonal. So parity is exact, and a periodic operator needs a dense solver only
 * without symmetry. */
#include "fft/kernels/basis.h"

#include "base/precision.h"
#include "base/real.h"
#include "base/row_sum.h"
#include "fft/kernels/definite.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of S, or of one half of it. */
struct rows {
    double *diag;
    double *off; /* off[k] couples k and k + 1; off[n-1] couples the ends, 0 unless periodic */
    /* The same as definite.h has it: sizes of T's couplings, and of its row sums. */
    double *lower, *upper, *excess;
};

struct symmetric {
    size_t n;
    struct rows rows;
    double *scale; /* D */
    int definite;  /* rows.excess >= 0, and all couplings of one sign, which is -sign; cleared when that did not help */
    double sign;   /* from eigenvalues of definite.h to those of S */
    double *memory;
};

static starfish_status allocate(struct symmetric *s, size_t n)
{
    *s = (struct symmetric){.n = n, .memory = calloc(6 * n, sizeof(double))};
    if (!s->memory)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu rows of a basis", n);
    double *m = s->memory;
    s->rows = (struct rows){m, m + n, m + 2 * n, m + 3 * n, m + 4 * n};
    s->scale = m + 5 * n;
    return STARFISH_SUCCESS;
}

/* ---- Symmetry ---------------------------------------------------------------------------------------------------- */

struct row {
    double lower, diag, upper, sum;
};

/* Row k with what is outside the matrix 0, and with the couplings of two periodic rows, or one, where they act. */
static struct row row_of(const struct starfish_basis_operator *op, size_t k)
{
    const int first = !op->periodic && k == 0, last = !op->periodic && k == op->n - 1;
    struct row row = {first ? 0 : op->lower[k], op->diag[k], last ? 0 : op->upper[k], 0};
    row.sum = op->sum ? op->sum[k] : starfish_row_sum(row.lower, row.diag, row.upper);
    if (op->periodic && op->n == 1)
        return (struct row){0, row.sum, 0, row.sum};
    if (op->periodic && op->n == 2)
        return k == 0 ? (struct row){0, row.diag, row.lower + row.upper, row.sum}
                      : (struct row){row.lower + row.upper, row.diag, 0, row.sum};
    return row;
}

static double largest_entry(struct row row)
{
    return fmax(fabs(row.diag), fmax(fabs(row.lower), fabs(row.upper)));
}

/* The largest difference of mirrored rows, relative to the row's largest entry. */
static double asymmetry_of(const struct starfish_basis_operator *op)
{
    double most = 0;
    for (size_t k = 0; k < op->n; k++) {
        const struct row row = row_of(op, k), mirror = row_of(op, op->n - 1 - k);
        const struct row difference = {row.lower - mirror.upper, row.diag - mirror.diag, row.upper - mirror.lower, 0};
        if (largest_entry(difference) > 0)
            most = fmax(most, largest_entry(difference) / largest_entry(row));
    }
    return most;
}

int starfish_basis_is_reflected(const struct starfish_basis_operator *op)
{
    return !op->weight && asymmetry_of(op) <= op->reflection;
}

/* Row k, or the mean of it and its mirror. */
static struct row mean_row(const struct starfish_basis_operator *op, size_t k, int reflected)
{
    const struct row row = row_of(op, k);
    if (!reflected)
        return row;
    const struct row mirror = row_of(op, op->n - 1 - k);
    return (struct row){(row.lower + mirror.upper) / 2, (row.diag + mirror.diag) / 2, (row.upper + mirror.lower) / 2,
                        (row.sum + mirror.sum) / 2};
}

/* ---- The symmetric matrix ---------------------------------------------------------------------------------------- */

static starfish_status check(const struct starfish_basis_operator *op)
{
    if (op->n == 0 || op->n > 16384)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "a basis of %zu rows: not in 1..16384", op->n);
    for (size_t k = 0; k < op->n; k++)
        if (!isfinite(largest_entry(row_of(op, k))) || !isfinite(op->lower[k] + op->diag[k] + op->upper[k]))
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "row %zu of a basis is not finite", k);
    return STARFISH_SUCCESS;
}

/* s->rows and the logarithms of D in s->scale; *closure: of D after a turn around periodic rows. */
static starfish_status symmetrise(const struct starfish_basis_operator *op, int reflected, struct symmetric *s,
                                  long double *closure)
{
    long double logarithm = 0;
    for (size_t k = 0; k < s->n; k++) {
        const size_t next = (k + 1) % s->n;
        const struct row row = mean_row(op, k, reflected);
        const double upper = row.upper, lower = mean_row(op, next, reflected).lower;
        s->rows.diag[k] = row.diag;
        s->scale[k] = (double)logarithm;
        if (upper == 0 && lower == 0)
            continue;
        if (upper == 0 || lower == 0 || (upper < 0) != (lower < 0))
            return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE,
                                 "lower[%zu] * upper[%zu] = %g * %g is negative or one-sided", next, k, lower, upper);
        s->rows.off[k] = copysign(sqrt(fabs(lower)) * sqrt(fabs(upper)), upper);
        logarithm += logl(fabsl((long double)lower / (long double)upper)) / 2;
    }
    *closure = logarithm;
    return STARFISH_SUCCESS;
}

/* The couplings and row sums of T by their sizes, if they have the signs that definite.h requires. */
static void find_definite(const struct starfish_basis_operator *op, int reflected, struct symmetric *s)
{
    s->sign = mean_row(op, 0, reflected).upper > 0 ? -1 : 1;
    s->definite = 1;
    for (size_t k = 0; k < s->n; k++) {
        const struct row row = mean_row(op, k, reflected);
        s->rows.lower[k] = -s->sign * row.lower;
        s->rows.upper[k] = -s->sign * row.upper;
        s->rows.excess[k] = s->sign * row.sum;
        const int coupled = (k == 0 || s->rows.lower[k] > 0) && (k + 1 == s->n || s->rows.upper[k] > 0);
        if (!coupled || s->rows.lower[k] < 0 || s->rows.upper[k] < 0 || s->rows.excess[k] < 0)
            s->definite = 0;
    }
}

/* From the logarithms of D, whose sums may exceed the range of a double, to D. */
static starfish_status scale(struct symmetric *s, double largest_real, double *scaling)
{
    double low = s->scale[0], high = s->scale[0];
    for (size_t k = 0; k < s->n; k++) {
        low = fmin(low, s->scale[k]);
        high = fmax(high, s->scale[k]);
    }
    *scaling = exp(high - low);
    if (!(*scaling < largest_real))
        return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE,
                             "a basis with a scaling of exp(%g): too much for the precision", high - low);
    for (size_t k = 0; k < s->n; k++)
        s->scale[k] = exp(s->scale[k] - (high + low) / 2);
    return STARFISH_SUCCESS;
}

static starfish_status make_symmetric(const struct starfish_basis_operator *op, struct starfish_basis *basis,
                                      struct symmetric *s)
{
    long double closure = 0;
    STARFISH_TRY(symmetrise(op, basis->reflected, s, &closure));
    find_definite(op, basis->reflected, s);
    if (op->periodic && op->n > 2 && fabsl(closure) > 1e-10L * (long double)op->n)
        return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE,
                             "periodic, but the products of lower and of upper differ, so eigenvalues are complex");
    return scale(s, starfish_largest_number(basis->precision), &basis->scaling);
}

/* ---- Eigenvectors ------------------------------------------------------------------------------------------------ */

/* A copy of the first n rows, behind the first `behind`. */
static struct rows copy_rows(struct rows from, size_t n, size_t behind)
{
    double *const arrays[] = {from.diag, from.off, from.lower, from.upper, from.excess};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        memcpy(arrays[i] + behind, arrays[i], n * sizeof(double));
    return (struct rows){from.diag + behind, from.off + behind, from.lower + behind, from.upper + behind,
                         from.excess + behind};
}

/* rows.diag becomes the eigenvalues, column k of `vectors` (n x n) the vector of the k-th. */
static starfish_status solve_tridiagonal(struct symmetric *s, size_t n, struct rows rows, double *vectors)
{
    if (n == 0)
        return STARFISH_SUCCESS;
    double *value = malloc(n * sizeof *value);
    if (!value)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu eigenvalues", n);
    s->definite = s->definite && starfish_definite_eigenvectors(n, rows.lower, rows.upper, rows.excess, value,
                                                                vectors) == STARFISH_SUCCESS;
    for (size_t k = 0; s->definite && k < n; k++)
        rows.diag[k] = s->sign * value[k];
    free(value);
    if (!s->definite &&
        LAPACKE_dstevd(LAPACK_COL_MAJOR, 'V', (lapack_int)n, rows.diag, rows.off, vectors, (lapack_int)n) != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "LAPACK dstevd did not find the eigenvectors of %zu rows", n);
    return STARFISH_SUCCESS;
}

static starfish_status solve_periodic(struct symmetric *s, double *vectors)
{
    const size_t n = s->n;
    memset(vectors, 0, n * n * sizeof *vectors);
    for (size_t k = 0; k < n; k++) {
        const size_t next = (k + 1) % n, low = k < next ? k : next, high = k < next ? next : k;
        vectors[k + n * k] = s->rows.diag[k];
        vectors[high + n * low] = s->rows.off[k];
    }
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, vectors, (lapack_int)n, s->rows.diag) != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "LAPACK dsyevd did not find the eigenvectors of %zu rows", n);
    return STARFISH_SUCCESS;
}

/* Both halves from the first half's rows, for n >= 2: eigenvalues to s->rows.diag, and the vectors of both. A coupling
 * between mirrored rows adds to the diagonal of the even half, whose row sums stay, and is taken from the odd one's. */
static starfish_status solve_halves(struct symmetric *s, double *even_vectors, double *odd_vectors)
{
    const size_t n = s->n, odd = n / 2, even = n - odd;
    const double ends = n > 2 ? s->rows.off[n - 1] : 0, end_coupling = s->rows.lower[0];
    struct rows rows = s->rows, odd_rows = copy_rows(rows, odd, even);
    const double middle = odd_rows.off[odd - 1], middle_coupling = odd_rows.upper[odd - 1];
    if (even == odd) {
        rows.diag[even - 1] += middle;
        odd_rows.diag[odd - 1] -= middle;
        odd_rows.excess[odd - 1] += 2 * middle_coupling;
    } else { /* the middle row couples to both its neighbours at once, and odd functions vanish there */
        rows.off[odd - 1] *= sqrt(2);
        rows.lower[odd] *= 2;
        odd_rows.excess[odd - 1] += middle_coupling;
    }
    rows.diag[0] += ends;
    odd_rows.diag[0] -= ends;
    odd_rows.excess[0] += 2 * end_coupling;
    STARFISH_TRY(solve_tridiagonal(s, even, rows, even_vectors));
    return solve_tridiagonal(s, odd, odd_rows, odd_vectors);
}

/* vectors: n * n, or the even half's and behind them the odd half's. */
static starfish_status solve(const struct starfish_basis_operator *op, int reflected, struct symmetric *s,
                             double *vectors)
{
    const size_t even = s->n - s->n / 2;
    if (reflected && s->n > 1)
        return solve_halves(s, vectors, vectors + even * even);
    if (op->periodic && s->n > 2) {
        s->definite = 0;
        return solve_periodic(s, vectors);
    }
    return solve_tridiagonal(s, s->n, s->rows, vectors);
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

/* The half of `size` rows whose element `row` is element (row or mirrored) of D, behind `first` entries. */
static void write_half(struct starfish_basis *basis, const struct symmetric *s, const double *vectors, size_t first,
                       size_t size, size_t first_element)
{
    for (size_t mode = 0; mode < size; mode++)
        for (size_t row = 0; row < size; row++) {
            const size_t element = first_element + row, mirror = basis->n - 1 - element;
            const int paired = basis->reflected && element != mirror;
            /* LAPACK has the odd half in the order of the lower rows, which is that of the fold reversed. */
            const double vector = vectors[mode * size + (first_element > 0 ? mirror : row)] / (paired ? sqrt(2) : 1);
            starfish_element_set(basis->matrix[STARFISH_FORWARD], basis->precision, first + mode * size + row,
                                 vector / s->scale[element]);
            starfish_element_set(basis->matrix[STARFISH_BACKWARD], basis->precision, first + row * size + mode,
                                 vector * s->scale[element]);
        }
}

static int rows_sum_to_zero(const struct starfish_basis_operator *op)
{
    for (size_t k = 0; k < op->n; k++)
        if (row_of(op, k).sum != 0)
            return 0;
    return 1;
}

/* The constant is an even function, and its eigenvalue the one nearest to zero there. */
static void find_constant(struct starfish_basis *basis, const struct starfish_basis_operator *op)
{
    basis->constant = basis->n;
    if (!rows_sum_to_zero(op))
        return;
    basis->constant = 0;
    for (size_t k = 1; k < basis->even; k++)
        if (fabs(basis->eigenvalue[k]) < fabs(basis->eigenvalue[basis->constant]))
            basis->constant = k;
    basis->eigenvalue[basis->constant] = 0;
}

static starfish_status fill(struct starfish_basis *basis, const struct starfish_basis_operator *op, struct symmetric *s,
                            double *vectors)
{
    const size_t n = basis->n, even = basis->even, odd = n - even, real_size = starfish_real_size(basis->precision);
    STARFISH_TRY(make_symmetric(op, basis, s));
    STARFISH_TRY(solve(op, basis->reflected, s, vectors));
    basis->eigenvalue = calloc(n, sizeof(double));
    for (int direction = 0; direction < 2; direction++)
        basis->matrix[direction] = calloc(even * even + odd * odd, real_size);
    if (!basis->eigenvalue || !basis->matrix[0] || !basis->matrix[1])
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a basis of %zu rows", n);
    basis->relative = s->definite;
    memcpy(basis->eigenvalue, s->rows.diag, n * sizeof(double));
    write_half(basis, s, vectors, 0, even, 0);
    write_half(basis, s, vectors + even * even, even * even, odd, even);
    find_constant(basis, op);
    return STARFISH_SUCCESS;
}

/* A shift that leaves T nearly as it is, and no eigenvalue zero: 0, or of a singular T the smallest of the others, if
 * any. */
static double harmless_shift(const struct starfish_basis *basis)
{
    double smallest = INFINITY;
    int singular = 0;
    for (size_t k = 0; k < basis->n; k++) {
        singular = singular || basis->eigenvalue[k] == 0;
        if (basis->eigenvalue[k] != 0 && fabs(basis->eigenvalue[k]) < fabs(smallest))
            smallest = basis->eigenvalue[k];
    }
    return !singular ? 0 : isfinite(smallest) ? smallest : 1;
}

/* Of (T + shift) x = f for an x between -1 and 1, given room for three vectors. */
static double error_of_solve(const struct starfish_basis *basis, const struct starfish_basis_operator *op, double *x)
{
    const size_t n = op->n;
    const double shift = harmless_shift(basis);
    double *f = x + n, *modes = f + n, error = 0;
    for (size_t k = 0; k < n; k++)
        x[k] = remainder((double)(k + 1) * 0.6180339887498949, 1) * 2;
    for (size_t k = 0; k < n; k++) {
        const struct row row = row_of(op, k);
        f[k] = (double)((long double)row.lower * (long double)x[(k + n - 1) % n] +
                        ((long double)row.diag + (long double)shift) * (long double)x[k] +
                        (long double)row.upper * (long double)x[(k + 1) % n]);
    }
    starfish_basis_columns_cpu(basis, STARFISH_FORWARD, &(struct starfish_basis_columns){1, 1, f, modes, 1});
    for (size_t k = 0; k < n; k++) {
        const double value = basis->eigenvalue[k] + shift;
        modes[k] /= value == 0 ? 1 : value;
    }
    starfish_basis_columns_cpu(basis, STARFISH_BACKWARD, &(struct starfish_basis_columns){1, 1, modes, f, 1});
    for (size_t k = 0; k < n; k++)
        error = fmax(error, fabs(f[k] - x[k]));
    return error;
}

/* Columns of FORWARD, which is one matrix then. */
static void weigh(struct starfish_basis *basis, const double *weight)
{
    const size_t n = basis->n;
    for (size_t e = 0; weight && e < n * n; e++)
        if (basis->precision == STARFISH_F32)
            ((float *)basis->matrix[STARFISH_FORWARD])[e] *= (float)weight[e % n];
        else
            ((double *)basis->matrix[STARFISH_FORWARD])[e] *= weight[e % n];
}

static starfish_status measure(struct starfish_basis *basis, const struct starfish_basis_operator *op)
{
    double *memory = malloc(3 * op->n * sizeof *memory);
    if (!memory)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for vectors of %zu rows", op->n);
    basis->measured = error_of_solve(basis, op, memory);
    free(memory);
    return STARFISH_SUCCESS;
}

starfish_status starfish_basis_create(struct starfish_basis *basis, const struct starfish_basis_operator *op,
                                      starfish_precision precision)
{
    memset(basis, 0, sizeof *basis);
    STARFISH_TRY(check(op));
    basis->n = op->n;
    basis->precision = precision;
    basis->asymmetry = asymmetry_of(op);
    basis->reflected = starfish_basis_is_reflected(op);
    if (!basis->reflected)
        basis->asymmetry = 0;
    basis->even = basis->reflected ? op->n - op->n / 2 : op->n;
    struct symmetric symmetric;
    STARFISH_TRY(allocate(&symmetric, op->n));
    double *vectors = calloc(op->n * op->n, sizeof *vectors);
    starfish_status status = vectors ? fill(basis, op, &symmetric, vectors)
                                     : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu vectors", op->n);
    free(vectors);
    free(symmetric.memory);
    if (status == STARFISH_SUCCESS && precision == STARFISH_F64)
        status = measure(basis, op);
    if (status == STARFISH_SUCCESS)
        weigh(basis, op->weight);
    if (status != STARFISH_SUCCESS)
        starfish_basis_destroy(basis);
    return status;
}

void starfish_basis_destroy(struct starfish_basis *basis)
{
    free(basis->eigenvalue);
    free(basis->matrix[STARFISH_FORWARD]);
    free(basis->matrix[STARFISH_BACKWARD]);
    memset(basis, 0, sizeof *basis);
}

/* The largest eigenvalue over the smallest that is not 0. */
static double amplification(const struct starfish_basis *basis, double shift)
{
    double smallest = INFINITY, largest = 0;
    for (size_t k = 0; k < basis->n; k++) {
        const double size = fabs(basis->eigenvalue[k] + shift);
        largest = fmax(largest, size);
        if (size > 0)
            smallest = fmin(smallest, size);
    }
    return largest > 0 ? largest / smallest : 1;
}

double starfish_basis_of_ones(const struct starfish_basis *basis, size_t mode)
{
    const void *matrix = basis->matrix[STARFISH_FORWARD];
    double sum = 0;
    for (size_t j = 0; j < basis->even; j++) {
        const size_t at = mode * basis->even + j;
        const double entry = starfish_element(matrix, basis->precision, at);
        const int folded = basis->reflected && j < basis->n / 2; /* a sum of two */
        sum += folded ? 2 * entry : entry;
    }
    return sum;
}

/* Measured on grids of spacing ratio 1 to 40000 with up to 512 cells: what a solve errs beyond elimination is below
 * twice this. A row's mean with its mirror changes it by the asymmetry, and weights of rows differ by scaling^2. */
double starfish_basis_error(const struct starfish_basis *basis, double shift)
{
    const double factor = basis->relative ? (double)basis->n : amplification(basis, shift);
    return fmax(DBL_EPSILON * factor + basis->asymmetry * basis->scaling * basis->scaling, basis->measured);
}

void starfish_basis_columns_cpu(const struct starfish_basis *basis, enum starfish_transform_direction direction,
                                const struct starfish_basis_columns *arguments)
{
    (basis->precision == STARFISH_F32 ? starfish_basis_columns_cpu_f32
                                      : starfish_basis_columns_cpu_f64)(basis, direction, arguments);
}
