/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analysis for partial fractions with T a number t: then every sum is a number, an element of the inverse of a
 * block of rows, which dense elimination finds; and eigenvectors that are known in closed form. */
#include "blktri/kernels/fractions.h"

#include "tests/blktri/matrices.h"
#include "tests/common/check.h"
#include "tridiag/kernels/tridiag_ref.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* ---- Rows of eigenvectors ---------------------------------------------------------------------------------------- */

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

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

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

/* Weights of a root, by the row that it is for: a separator's number, or the neighbour. */
enum { LOWER = STARFISH_BLOCK_SEPARATORS, UPPER };

static double weight_from(const struct starfish_fraction *f, int row)
{
    return row == LOWER ? f->from_lower : row == UPPER ? f->from_upper : f->from_separator[row];
}

static double weight_to(const struct starfish_fraction *f, int row)
{
    return row == LOWER ? f->to_lower : row == UPPER ? f->to_upper : f->to_separator[row];
}

struct sums {
    const struct matrix *m;
    const struct starfish_block *b;
    const struct starfish_fraction *fraction;
    size_t roots;
    double t;
};

/* The sum of `from` * `to` / (mu + t) over the roots of a block, against what it should be. */
static void compare_sum(const struct sums *s, int from, int to, long double expected)
{
    const struct matrix *m = s->m;
    const struct starfish_block *b = s->b;
    const struct starfish_fraction *fraction = s->fraction;
    const double t = s->t;
    long double sum = 0, size = 0;
    for (size_t q = 0; q < s->roots; q++) {
        const long double term = (long double)weight_from(&fraction[q], from) * weight_to(&fraction[q], to) /
                                 ((long double)fraction[q].mu + t);
        sum += term;
        size += fabsl(term);
    }
    if (!(fabsl(sum - expected) <= 1e-13L * (long double)m->n * (size + fabsl(expected))))
        fail_msg("n %zu periodic %d t %g, %d to %d of block %d..%d with %d separators: %.15Lg, not %.15Lg", m->n,
                 m->periodic, t, from, to, b->lo, b->hi, b->separators, sum, expected);
}

static void check_block(const struct sums *s)
{
    const struct matrix *m = s->m;
    const struct starfish_block *b = s->b;
    const double t = s->t;
    const int lo = b->lo, hi = b->hi;
    for (int i = 0; i < b->separators; i++) {
        const int c = b->separator[i];
        for (int j = 0; j < b->separators; j++)
            compare_sum(s, j, i, inverse(m, b, t, c, b->separator[j]));
        if (b->lower >= 0) {
            compare_sum(s, i, LOWER, m->upper[b->lower] * inverse(m, b, t, lo, c));
            compare_sum(s, LOWER, i, -m->lower[lo] * inverse(m, b, t, c, lo));
        }
        if (b->upper >= 0) {
            compare_sum(s, i, UPPER, m->lower[b->upper] * inverse(m, b, t, hi, c));
            compare_sum(s, UPPER, i, -m->upper[hi] * inverse(m, b, t, c, hi));
        }
    }
}

static void check_sums(const struct matrix *m, int radix, double t)
{
    struct starfish_fractions *f;
    assert_true(starfish_fractions_suit(m->lower, m->upper, m->n, m->periodic));
    ASSERT_OK(starfish_fractions_create(&f, m->lower, m->diag, m->upper, m->n, m->periodic, 0, radix));
    for (size_t l = 0; l < f->rows->levels; l++) {
        const struct starfish_reduction_level *level = &f->rows->level[l];
        const size_t *first_root = f->level[l].first_root;
        assert_int_equal(first_root[level->blocks], f->level[l].roots);
        for (size_t i = 0; i < level->blocks; i++) {
            assert_true(level->block[i].separators <= f->level[l].separators);
            const struct sums sums = {m, &level->block[i], f->level[l].fraction + first_root[i],
                                      first_root[i + 1] - first_root[i], t};
            check_block(&sums);
        }
    }
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
                for (int radix = 2; radix <= 4; radix += 2)
                    check_sums(&m, radix, negative ? -numbers[i] : numbers[i]);
            matrix_destroy(&m);
        }
}

/* Of equal rows every fourth eigenvector, or every other one, vanishes at the separators, and is left out. */
static void vanishing_roots_are_left_out(void **state)
{
    (void)state;
    for (int radix = 2; radix <= 4; radix += 2)
        for (size_t n = 1; n <= 40; n++) {
            struct matrix m = second_difference(n, 0);
            struct starfish_fractions *f;
            ASSERT_OK(starfish_fractions_create(&f, m.lower, m.diag, m.upper, n, 0, 0, radix));
            const size_t parts = (size_t)f->rows->level[0].block[0].separators + 1;
            assert_int_equal(f->level[0].roots, parts != 3 && (n + 1) % parts == 0 ? n - n / parts : n);
            for (size_t q = 0; q < f->level[0].roots; q++) {
                double largest = 0;
                for (size_t i = 0; i + 1 < parts; i++)
                    largest = fmax(largest, fabs(f->level[0].fraction[q].to_separator[i]));
                assert_true(parts < (size_t)radix || (n + 1) % parts != 0 || largest > 0.1 / (double)n);
            }
            starfish_fractions_destroy(f);
            matrix_destroy(&m);
        }
}

/* Every row is a separator once; a block lies between rows that levels above have separated, or at an end; levels of
 * radix 4 stand for two of radix 2. */
static void check_structure(const struct matrix *m, int radix)
{
    const int n = (int)m->n, ring = m->periodic;
    struct starfish_reduction *r;
    size_t levels = 0;
    int *level_of = malloc(m->n * sizeof *level_of);
    ASSERT_OK(starfish_reduction_dissect(&r, m->lower, m->upper, m->n, m->periodic, radix));
    for (int j = 0; j < n; j++)
        level_of[j] = -1;
    for (size_t l = 0; l < r->levels; l++) {
        size_t rows = 0;
        for (size_t i = 0; i < r->level[l].blocks; i++) {
            const struct starfish_block *b = &r->level[l].block[i];
            const int whole = b->hi - b->lo + 1 == n, is_first = l == 0 && ring;
            assert_int_equal(b->separators, is_first ? 1 : b->hi - b->lo + 2 < radix ? b->hi - b->lo + 1 : radix - 1);
            assert_true(whole || b->lower < 0 || (level_of[b->lower] >= 0 && level_of[b->lower] < (int)l));
            assert_true(whole || b->upper < 0 || (level_of[b->upper] >= 0 && level_of[b->upper] < (int)l));
            for (int s = 0; s < b->separators; s++) {
                assert_in_range(b->separator[s], s > 0 ? b->separator[s - 1] + 1 : b->lo, b->hi);
                assert_int_equal(level_of[b->separator[s]], -1);
            }
            rows += (size_t)b->separators;
        }
        for (size_t i = 0; i < r->level[l].blocks; i++)
            for (int s = 0; s < r->level[l].block[i].separators; s++)
                level_of[r->level[l].block[i].separator[s]] = (int)l;
        assert_int_equal(r->level[l].rows, rows);
    }
    for (int j = 0; j < n; j++)
        assert_true(level_of[j] >= 0);
    for (size_t left = m->n - (ring ? 1 : 0); left > 0; left /= (size_t)radix)
        levels++;
    assert_int_equal(r->levels, levels + (ring ? 1 : 0));
    starfish_reduction_destroy(r);
    free(level_of);
}

static void every_row_separates_once(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 70; n++)
        for (int variant = 0; variant < 4; variant++) {
            struct matrix m = second_difference(n, variant & 1);
            check_structure(&m, variant & 2 ? 2 : 4);
            matrix_destroy(&m);
        }
}

/* No coupling at all between rows 4 and 5. */
static void decoupled_rows_stay_decoupled(void **state)
{
    (void)state;
    struct matrix m = random_matrix(11, 0, 3);
    m.upper[4] = m.lower[5] = 0;
    check_sums(&m, 2, 0.25);
    check_sums(&m, 4, 0.25);
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
            ASSERT_OK(starfish_fractions_create(&f, m.lower, m.diag, m.upper, n, periodic, 1, n % 2 ? 2 : 4));
            const struct starfish_fraction *zero = &f->level[0].fraction[f->zero_root];
            assert_true(zero->mu == 0);
            assert_true(fabs(sqrt(fabs(zero->from_separator[0] * zero->to_separator[0])) - 1 / sqrt((double)n)) <
                        1e-13); /* the constant vector's */
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
        cmocka_unit_test(rows_are_those_of_sines),       cmocka_unit_test(small_eigenvalues_keep_their_digits),
        cmocka_unit_test(sums_are_elements_of_inverses), cmocka_unit_test(every_row_separates_once),
        cmocka_unit_test(decoupled_rows_stay_decoupled), cmocka_unit_test(singular_matrices_have_the_root_zero_exactly),
        cmocka_unit_test(tells_what_does_not_suit),      cmocka_unit_test(vanishing_roots_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
