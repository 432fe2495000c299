/* The analysis for partial fractions with T a number t: then every sum is a number, an element of the inverse of a block
 * of rows, which dense elimination finds; and eigenvectors that are known in closed form. */
#include "blktri/kernels/fractions.h"

#include "tests/blktri/matrices.h"
#include "tests/common/check.h"
#include "tridiag/tridiag_ref.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* ---- Rows of eigenvectors ------------------------------------------------------------------------------------------ */

/* sqrt(2 / (n+1)) sin(pi (j+1) (k+1) / (n+1)) belongs to d - 2 o cos(pi (k+1) / (n+1)), with off-diagonal -o. */
static void check_known_rows(size_t n, double d, double o)
{
    const double pi = acos(-1), size = fabs(d) + 2 * fabs(o);
    const size_t row[3] = {0, (n - 1) / 2, n - 1};
    double *diag = malloc(n * sizeof *diag), *off = malloc(n * sizeof *off), *root = malloc(n * sizeof *root),
           *component = malloc(3 * n * sizeof *component);
    char *found = calloc(n, 1);
    for (size_t j = 0; j < n; j++)
        diag[j] = d, off[j] = -o;
    ASSERT_OK(starfish_eigenrows(diag, off, n, row, 3, root, component));
    for (size_t q = 0; q < n; q++) {
        const double cosine = n > 1 ? fmin(fmax((d - root[q]) / (2 * o), -1), 1) : 0;
        const size_t k = (size_t)lround(acos(cosine) * (double)(n + 1) / pi) - 1;
        assert_true(k < n);
        assert_false(found[k]);
        found[k] = 1;
        assert_true(fabs(root[q] - (d - 2 * o * cos(pi * (double)(k + 1) / (double)(n + 1)))) <= 1e-14 * size);
        double expected[3];
        for (int r = 0; r < 3; r++)
            expected[r] = sqrt(2 / (double)(n + 1)) * sin(pi * (double)((row[r] + 1) * (k + 1)) / (double)(n + 1));
        const double sign = expected[0] * component[3 * q] < 0 ? -1 : 1;
        for (int r = 0; r < 3; r++) /* neighbouring eigenvalues are about size / n^2 apart */
            if (!(fabs(sign * component[3 * q + (size_t)r] - expected[r]) <= 4e-15 * (double)(n * n)))
                fail_msg("n %zu d %g: component %d of vector %zu is %g, not %g", n, d, r, k,
                         component[3 * q + (size_t)r], expected[r]);
    }
    free(diag), free(off), free(root), free(component), free(found);
}

static void rows_are_those_of_sines(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 64, 100, 511};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_known_rows(sizes[i], 2, 1);    /* definite */
        check_known_rows(sizes[i], -2, -1);  /* negative definite */
        check_known_rows(sizes[i], 0.25, 1); /* neither */
        check_known_rows(sizes[i], 3, -1);
    }
}

/* A definite matrix that is graded over twenty orders of magnitude: small eigenvalues to all digits. */
static void small_eigenvalues_keep_their_digits(void **state)
{
    (void)state;
    enum { N = 11 };
    double diag[N], off[N], root[N], component[N];
    const size_t row = 0;
    for (int j = 0; j < N; j++) {
        diag[j] = pow(10, -2 * j);
        off[j] = 1e-3 * pow(10, -2 * j - 1);
    }
    ASSERT_OK(starfish_eigenrows(diag, off, N, &row, 1, root, component));
    for (int q = 0; q < N; q++) {
        /* Couplings of a thousandth of the geometric mean move eigenvalues by about a millionth. */
        const double expected = pow(10, 2 * round(log10(root[q]) / 2));
        assert_true(fabs(root[q] / expected - 1) < 2e-5);
    }
    double product = 1, determinant = 1, previous = 1;
    for (int j = 0; j < N; j++) { /* pivots */
        previous = diag[j] - (j > 0 ? off[j - 1] * off[j - 1] / previous : 0);
        determinant *= previous;
        product *= root[j];
    }
    assert_true(fabs(product / determinant - 1) < 1e-13);
}

/* ---- Sums ---------------------------------------------------------------------------------------------------------- */

/* Element (i, j) of the inverse of t + rows lo..hi, or of the ring. */
static long double inverse(const struct matrix *m, const struct starfish_block *b, double t, int i, int j)
{
    const int ring = m->periodic && b->level == 0;
    const struct starfish_tridiag_ref_line line = {.n = (size_t)(b->hi - b->lo + 1),
                                                   .periodic = ring,
                                                   .lower = m->lower + b->lo,
                                                   .diag = m->diag + b->lo,
                                                   .upper = m->upper + b->lo,
                                                   .shift = t};
    long double *x = calloc(line.n, sizeof *x);
    x[j - b->lo] = 1;
    assert_int_equal(starfish_tridiag_ref_solve(&line, x), 0);
    const long double element = x[i - b->lo];
    free(x);
    return element;
}

enum weight { MIDDLE, TO_LOWER, TO_UPPER, FROM_LOWER, FROM_UPPER };
static const char *const weight_names[] = {"middle", "to_lower", "to_upper", "from_lower", "from_upper"};

static double weight_of(const struct starfish_fraction *f, enum weight weight)
{
    const double weights[] = {f->middle, f->to_lower, f->to_upper, f->from_lower, f->from_upper};
    return weights[weight];
}

/* The sum of middle * weight / (mu + t) over the roots of a block, against what it should be. */
static void compare_sum(enum weight weight, const struct matrix *m, const struct starfish_block *b,
                        const struct starfish_fraction *fraction, double t, long double expected)
{
    long double sum = 0, size = 0;
    for (int q = 0; q <= b->hi - b->lo; q++) {
        const long double term =
            (long double)fraction[q].middle * weight_of(&fraction[q], weight) / ((long double)fraction[q].mu + t);
        sum += term;
        size += fabsl(term);
    }
    if (!(fabsl(sum - expected) <= 1e-13L * (long double)m->n * (size + fabsl(expected))))
        fail_msg("n %zu periodic %d t %g, %s of block %d..%d..%d: %.15Lg, not %.15Lg", m->n, m->periodic, t,
                 weight_names[weight], b->lo, b->separator, b->hi, sum, expected);
}

static void check_block(const struct matrix *m, const struct starfish_block *b,
                        const struct starfish_fraction *fraction, double t)
{
    const int lo = b->lo, c = b->separator, hi = b->hi;
    compare_sum(MIDDLE, m, b, fraction, t, inverse(m, b, t, c, c));
    if (b->lower >= 0) {
        compare_sum(TO_LOWER, m, b, fraction, t, m->upper[b->lower] * inverse(m, b, t, lo, c));
        compare_sum(FROM_LOWER, m, b, fraction, t, -m->lower[lo] * inverse(m, b, t, c, lo));
    }
    if (b->upper >= 0) {
        compare_sum(TO_UPPER, m, b, fraction, t, m->lower[b->upper] * inverse(m, b, t, hi, c));
        compare_sum(FROM_UPPER, m, b, fraction, t, -m->upper[hi] * inverse(m, b, t, c, hi));
    }
}

static void check_sums(const struct matrix *m, double t)
{
    struct starfish_fractions *f;
    assert_true(starfish_fractions_suit(m->lower, m->upper, m->n, m->periodic));
    ASSERT_OK(starfish_fractions_create(&f, m->lower, m->diag, m->upper, m->n, m->periodic, 0));
    size_t rows = 0;
    for (size_t l = 0; l < f->rows->levels; l++) {
        const struct starfish_reduction_level *level = &f->rows->level[l];
        rows += level->blocks;
        assert_int_equal(f->level[l].first_root[level->blocks], f->level[l].roots);
        for (size_t i = 0; i < level->blocks; i++)
            check_block(m, &level->block[i], f->level[l].fraction + f->level[l].first_root[i], t);
    }
    assert_int_equal(rows, m->n);
    starfish_fractions_destroy(f);
}

static void sums_are_elements_of_inverses(void **state)
{
    (void)state;
    static const double numbers[] = {1e-3, 0.5, 10, 1e4};
    for (size_t n = 1; n <= 40; n += n < 12 ? 1 : 7)
        for (int variant = 0; variant < 8; variant++) {
            const int periodic = variant & 1, negative = variant & 2;
            struct matrix m = variant & 4 ? second_difference(n, periodic) : random_matrix(n, periodic, (unsigned)n);
            if (negative)
                m = negated(m);
            for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
                check_sums(&m, negative ? -numbers[i] : numbers[i]);
            matrix_destroy(&m);
        }
}

/* No coupling at all between rows 4 and 5. */
static void decoupled_rows_stay_decoupled(void **state)
{
    (void)state;
    struct matrix m = random_matrix(11, 0, 3);
    m.upper[4] = m.lower[5] = 0;
    check_sums(&m, 0.25);
    matrix_destroy(&m);
}

static void singular_matrices_have_the_root_zero_exactly(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++)
        for (size_t n = 1; n < 40; n++) {
            struct matrix m = second_difference(n, periodic);
            struct starfish_fractions *f;
            if (!periodic) {
                m.diag[0] -= 1;
                m.diag[n - 1] -= 1;
            }
            ASSERT_OK(starfish_fractions_create(&f, m.lower, m.diag, m.upper, n, periodic, 1));
            const struct starfish_fraction *zero = &f->level[0].fraction[f->zero_root];
            assert_true(zero->mu == 0);
            assert_true(fabs(fabs(zero->middle) - 1 / sqrt((double)n)) < 1e-13); /* the constant vector's */
            starfish_fractions_destroy(f);
            matrix_destroy(&m);
        }
}

static void tells_what_does_not_suit(void **state)
{
    (void)state;
    struct matrix m = second_difference(8, 0);
    assert_true(starfish_fractions_suit(m.lower, m.upper, m.n, 0));
    m.upper[3] = 0;
    assert_false(starfish_fractions_suit(m.lower, m.upper, m.n, 0)); /* one way only */
    m.lower[4] = 0;
    assert_true(starfish_fractions_suit(m.lower, m.upper, m.n, 0));
    for (size_t j = 0; j < m.n; j++)
        m.upper[j] *= 1e4; /* s grows by 100 from row to row */
    assert_false(starfish_fractions_suit(m.lower, m.upper, m.n, 0));
    assert_true(starfish_fractions_suit(m.lower, m.upper, 3, 0));
    matrix_destroy(&m);
    const double lower[2] = {1, -1}, upper[2] = {1, 1}; /* a ring of two: couplings 2 and 0 */
    assert_false(starfish_fractions_suit(lower, upper, 2, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_sines),
        cmocka_unit_test(small_eigenvalues_keep_their_digits),
        cmocka_unit_test(sums_are_elements_of_inverses),
        cmocka_unit_test(decoupled_rows_stay_decoupled),
        cmocka_unit_test(singular_matrices_have_the_root_zero_exactly),
        cmocka_unit_test(tells_what_does_not_suit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
