/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analysis of block cyclic reduction with T a number t: then every chain is a number, determinants follow from the
 * three-term recurrence, and the whole algorithm must solve tridiag(lower, diag + t, upper). */
#include "blktri/kernels/reduction.h"

#include "tests/blktri/matrices.h"
#include "tests/common/check.h"
#include "tridiag/kernels/tridiag_ref.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct starfish_reduction *analyse(const struct matrix *m)
{
    struct starfish_reduction *reduction;
    ASSERT_OK(starfish_reduction_create(&reduction, m->lower, m->diag, m->upper, m->n, m->periodic, 0));
    return reduction;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static size_t mark_chain(const struct starfish_chain *chain, char *used, size_t steps)
{
    assert_true(chain->first + chain->count <= steps);
    for (size_t s = chain->first; s < chain->first + chain->count; s++) {
        assert_false(used[s]);
        used[s] = 1;
    }
    return chain->count;
}

static void check_level(const struct starfish_reduction *r, size_t depth, const int *level_of)
{
    const struct starfish_reduction_level *level = &r->level[depth];
    char *used = calloc(level->steps + 1, 1);
    size_t steps = 0;
    for (size_t i = 0; i < level->blocks; i++)
        steps += mark_chain(&level->solve[i], used, level->steps);
    assert_true(level->lower <= level->neighbours);
    for (size_t i = 0; i < level->neighbours; i++) {
        const struct starfish_neighbour *neighbour = &level->neighbour[i];
        assert_true(neighbour->block < level->blocks);
        const struct starfish_block *block = &level->block[neighbour->block];
        assert_int_equal(neighbour->row, i < level->lower ? block->lower : block->upper);
        assert_in_range(neighbour->row, 0, r->n - 1);
        assert_true(level_of[neighbour->row] < (int)depth);
        /* In a group no row twice, as the row movements need. */
        for (size_t other = i < level->lower ? 0 : level->lower; other < i; other++)
            assert_int_not_equal(neighbour->row, level->neighbour[other].row);
        if (neighbour->shares)
            continue;
        steps += mark_chain(&neighbour->reduce, used, level->steps);
        steps += mark_chain(&neighbour->influence, used, level->steps);
    }
    assert_int_equal(steps, level->steps);
    free(used);
}

static void check_structure(size_t n, int periodic)
{
    struct matrix m = second_difference(n, periodic);
    struct starfish_reduction *r = analyse(&m);
    int *level_of = malloc(n * sizeof *level_of), *covered = calloc(n, sizeof *covered);
    assert_int_equal(r->n, n);
    for (size_t j = 0; j < n; j++)
        level_of[j] = -1;
    for (size_t l = 0; l < r->levels; l++)
        for (size_t i = 0; i < r->level[l].blocks; i++) {
            const struct starfish_block *b = &r->level[l].block[i];
            assert_int_equal(b->level, l);
            assert_true(0 <= b->lo && b->lo <= b->separator[0] && b->separator[0] <= b->hi && b->hi < (int)n);
            assert_int_equal(level_of[b->separator[0]], -1);
            level_of[b->separator[0]] = (int)l;
            /* A block lies in what the level above left: none of its rows is a separator yet, those beside it are. */
            for (int j = b->lo; j <= b->hi; j++) {
                assert_int_equal(covered[j], l);
                covered[j]++;
            }
        }
    for (size_t j = 0; j < n; j++)
        assert_int_equal(covered[j], level_of[j] + 1);
    for (size_t l = 0; l < r->levels; l++)
        check_level(r, l, level_of);
    assert_int_equal(r->level[0].blocks, 1);
    assert_int_equal(r->level[0].neighbours, 0);
    assert_true(ldexp(1, (int)r->levels - 1) <= (double)(periodic ? 2 * n : n));
    free(level_of);
    free(covered);
    starfish_reduction_destroy(r);
    matrix_destroy(&m);
}

static void every_row_is_a_separator_once(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        for (size_t n = 1; n <= 70; n++)
            check_structure(n, periodic);
        check_structure(500, periodic);
        check_structure(1023, periodic);
    }
}

/* ---- Roots ------------------------------------------------------------------------------------------------------- */

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void roots_are_the_known_eigenvalues(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 64, 100, 511, 1000};
    for (int periodic = 0; periodic < 2; periodic++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const size_t n = sizes[s];
            double *expected = malloc(n * sizeof *expected), *root = malloc(n * sizeof *root);
            struct matrix m = second_difference(n, periodic);
            for (size_t k = 0; k < n; k++)
                expected[k] =
                    2 - 2 * cos(acos(-1) * (periodic ? 2 * (double)k / (double)n : (double)(k + 1) / (double)(n + 1)));
            qsort(expected, n, sizeof *expected, ascending);
            ASSERT_OK(periodic ? starfish_periodic_roots(m.lower, m.diag, m.upper, n, root)
                               : starfish_tridiagonal_roots(m.lower, m.diag, m.upper, 0, n - 1, root));
            for (size_t k = 0; k < n; k++)
                if (!(fabs(root[k] - expected[k]) <= 1e-13))
                    fail_msg("n %zu periodic %d: root %zu is %.17g, not %.17g", n, periodic, k, root[k], expected[k]);

            /* Of an odd number of equal rows every other root cancels, of a ring those equal to the last bit. */
            struct starfish_reduction *r = analyse(&m);
            const struct starfish_chain *solve = &r->level[0].solve[0];
            const size_t stride = !periodic && n % 2 == 1 ? 2 : 1;
            if (!periodic)
                assert_int_equal(solve->count, (n + stride - 1) / stride);
            for (size_t q = 0; q < solve->count; q++)
                root[q] = r->level[0].step[solve->first + q].mu;
            assert_true(fabs(root[r->zero_root_step - (int)solve->first] - expected[0]) <= 1e-13);
            qsort(root, solve->count, sizeof *root, ascending);
            for (size_t q = 0, at = 0; q < solve->count; q++, at += stride) {
                while (periodic && at + 1 < n && root[q] - expected[at] > 1e-13)
                    at++;
                assert_true(fabs(root[q] - expected[at]) <= 1e-13);
            }
            starfish_reduction_destroy(r);
            matrix_destroy(&m);
            free(expected);
            free(root);
        }
}

/* Rows in the middle of a matrix: a scaling of the second difference has its eigenvalues. */
static void roots_of_a_part_ignore_the_rest(void **state)
{
    (void)state;
    double lower[9], diag[9], upper[9], root[4];
    for (int j = 0; j < 9; j++) {
        lower[j] = -pow(2, j);
        upper[j] = -pow(2, -j - 1);
        diag[j] = 2;
    }
    ASSERT_OK(starfish_tridiagonal_roots(lower, diag, upper, 3, 6, root));
    for (int k = 0; k < 4; k++)
        assert_true(fabs(root[k] - (2 - 2 * cos(acos(-1) * (k + 1) / 5))) < 1e-14);
}

static void singular_matrices_have_the_root_zero_exactly(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++)
        for (size_t n = 1; n < 40; n++) {
            struct matrix m = second_difference(n, periodic);
            struct starfish_reduction *r;
            if (!periodic) {
                m.diag[0] -= 1;
                m.diag[n - 1] -= 1;
            }
            ASSERT_OK(starfish_reduction_create(&r, m.lower, m.diag, m.upper, n, periodic, 1));
            assert_true(r->level[0].step[r->zero_root_step].mu == 0);
            starfish_reduction_destroy(r);
            matrix_destroy(&m);
        }
}

/* ---- Chains ------------------------------------------------------------------------------------------------------ */

static long double value_of(const struct starfish_reduction_level *level, const struct starfish_chain *chain,
                            long double t)
{
    long double value = chain->scale;
    for (size_t s = chain->first; s < chain->first + chain->count; s++)
        value *= level->step[s].keep + level->step[s].gain / (t + level->step[s].mu);
    return value;
}

/* det of rows lo..hi of T + tridiag, 1 when there are none. */
static long double determinant(const struct matrix *m, long double t, int lo, int hi)
{
    long double before = 0, now = 1;
    for (int j = lo; j <= hi; j++) {
        const long double next =
            (t + m->diag[j]) * now - (j > lo ? (long double)m->lower[j] * m->upper[j - 1] * before : 0);
        before = now;
        now = next;
    }
    return now;
}

/* det of the whole ring, by expansion along the corner couplings. */
static long double ring_determinant(const struct matrix *m, long double t)
{
    const int n = (int)m->n;
    if (n == 1)
        return t + m->diag[0] + m->lower[0] + m->upper[0];
    if (n == 2)
        return (t + m->diag[0]) * (t + m->diag[1]) -
               ((long double)m->lower[0] + m->upper[0]) * ((long double)m->lower[1] + m->upper[1]);
    long double lowers = 1, uppers = 1;
    for (int j = 0; j < n; j++) {
        lowers *= -m->lower[j];
        uppers *= -m->upper[j];
    }
    return determinant(m, t, 0, n - 1) - (long double)m->lower[0] * m->upper[n - 1] * determinant(m, t, 1, n - 2) -
           lowers - uppers;
}

/* Of -coefficient[first..last]: cofactors come with a minus for each. */
static long double couplings(const double *coefficient, int first, int last)
{
    long double product = 1;
    for (int j = first; j <= last; j++)
        product *= -coefficient[j];
    return product;
}

static void compare_value(const char *what, const struct matrix *m, long double t, const struct starfish_block *b,
                          long double got, long double expected)
{
    const long double bound = 1e-11L * (long double)(b->hi - b->lo + 1) * fabsl(expected);
    if (!(fabsl(got - expected) <= bound))
        fail_msg("n %zu periodic %d t %Lg, %s of block %d..%d..%d: %.15Lg, not %.15Lg", m->n, m->periodic, t, what,
                 b->lo, b->separator[0], b->hi, got, expected);
}

static void check_chains(const struct matrix *m, const struct starfish_reduction *r, long double t)
{
    for (size_t l = 0; l < r->levels; l++) {
        const struct starfish_reduction_level *level = &r->level[l];
        for (size_t i = 0; i < level->blocks; i++) {
            const struct starfish_block *b = &level->block[i];
            const long double whole = m->periodic && l == 0 ? ring_determinant(m, t) : determinant(m, t, b->lo, b->hi);
            compare_value("solve", m, t, b, value_of(level, &level->solve[i], t),
                          determinant(m, t, b->lo, b->separator[0] - 1) *
                              determinant(m, t, b->separator[0] + 1, b->hi) / whole);
        }
        for (size_t i = 0; i < level->neighbours; i++) {
            const struct starfish_neighbour *neighbour = &level->neighbour[i];
            const struct starfish_block *b = &level->block[neighbour->block];
            const long double whole = determinant(m, t, b->lo, b->hi);
            const long double below = determinant(m, t, b->lo, b->separator[0] - 1),
                              above = determinant(m, t, b->separator[0] + 1, b->hi);
            const long double reduce = value_of(level, &neighbour->reduce, t),
                              influence = value_of(level, &neighbour->influence, t);
            if (i < level->lower) {
                compare_value("reduce down", m, t, b, reduce,
                              m->upper[b->lower] * couplings(m->upper, b->lo, b->separator[0] - 1) * above / whole);
                compare_value("influence from below", m, t, b, influence,
                              -couplings(m->lower, b->lo, b->separator[0]) / below);
            } else {
                compare_value("reduce up", m, t, b, reduce,
                              m->lower[b->upper] * couplings(m->lower, b->separator[0] + 1, b->hi) * below / whole);
                compare_value("influence from above", m, t, b, influence,
                              -couplings(m->upper, b->separator[0], b->hi) / above);
            }
        }
    }
}

static const double numbers[] = {0, 1e-6, 1e-3, 0.1, 0.5, 1, 2, 3.7, 10, 1e3, 1e6};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static void chains_are_ratios_of_determinants(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 40; n++)
        for (int variant = 0; variant < 8; variant++) {
            const int periodic = variant & 1, negative = variant & 2;
            struct matrix m = variant & 4 ? second_difference(n, periodic) : random_matrix(n, periodic, (unsigned)n);
            if (negative)
                m = negated(m);
            struct starfish_reduction *r = analyse(&m);
            /* The ring of second differences is singular at zero. */
            for (int i = variant & 4 && periodic ? 2 : 0; i < NUMBERS; i++)
                check_chains(&m, r, negative ? -numbers[i] : numbers[i]);
            starfish_reduction_destroy(r);
            matrix_destroy(&m);
        }
}

/* The algorithm of reduction.h, on numbers. */
static void reduce_and_substitute(const struct starfish_reduction *r, long double t, long double *y)
{
    for (size_t l = r->levels; l-- > 0;)
        for (size_t i = 0; i < r->level[l].neighbours; i++) {
            const struct starfish_neighbour *neighbour = &r->level[l].neighbour[i];
            y[neighbour->row] -=
                value_of(&r->level[l], &neighbour->reduce, t) * y[r->level[l].block[neighbour->block].separator[0]];
        }
    for (size_t l = 0; l < r->levels; l++) {
        for (size_t i = 0; i < r->level[l].neighbours; i++) {
            const struct starfish_neighbour *neighbour = &r->level[l].neighbour[i];
            y[r->level[l].block[neighbour->block].separator[0]] -=
                value_of(&r->level[l], &neighbour->influence, t) * y[neighbour->row];
        }
        for (size_t i = 0; i < r->level[l].blocks; i++)
            y[r->level[l].block[i].separator[0]] *= value_of(&r->level[l], &r->level[l].solve[i], t);
    }
}

static void check_solution(const struct matrix *m, double t, size_t only_row)
{
    const struct starfish_tridiag_ref_line line = {m->n, m->periodic, m->lower, m->diag, m->upper, t, 0};
    struct starfish_reduction *r = analyse(m);
    long double *x = malloc(m->n * sizeof *x), *y = malloc(m->n * sizeof *y), largest = 0;
    unsigned seed = 13;
    for (size_t j = 0; j < m->n; j++)
        x[j] = y[j] = only_row < m->n ? j == only_row : test_real_random(&seed);
    assert_int_equal(starfish_tridiag_ref_solve(&line, x), 0);
    reduce_and_substitute(r, t, y);
    for (size_t j = 0; j < m->n; j++)
        largest = fmaxl(largest, fabsl(x[j]));
    for (size_t j = 0; j < m->n; j++) {
        if (!(fabsl(x[j] - y[j]) <= 1e-10L * largest))
            fail_msg("n %zu periodic %d t %g: row %zu is %.15Lg, not %.15Lg", m->n, m->periodic, t, j, y[j], x[j]);
        if (x[j] == 0)
            assert_true(y[j] == 0);
    }
    free(x);
    free(y);
    starfish_reduction_destroy(r);
}

static void reduction_and_substitution_solve(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 40; n++)
        for (int periodic = 0; periodic < 2; periodic++) {
            struct matrix m = random_matrix(n, periodic, 100 + (unsigned)n);
            for (int i = 0; i < NUMBERS; i++)
                check_solution(&m, numbers[i], n);
            matrix_destroy(&m);
        }
}

/* Parts that no coupling joins do not see each other; a coupling on one side only acts in one direction. */
static void zero_couplings_decouple(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 7, 8, 15, 20};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t cut = 1; cut < sizes[s]; cut++)
            for (int sides = 1; sides < 4; sides++)
                for (size_t row = 0; row < sizes[s]; row++) {
                    struct matrix m = random_matrix(sizes[s], 0, (unsigned)cut);
                    if (sides & 1)
                        m.lower[cut] = 0;
                    if (sides & 2)
                        m.upper[cut - 1] = 0;
                    check_solution(&m, 0.25, row);
                    matrix_destroy(&m);
                }
    for (size_t n = 3; n < 12; n++) /* a ring that is cut twice */
        for (size_t row = 0; row < n; row++) {
            struct matrix m = random_matrix(n, 1, (unsigned)n);
            m.lower[0] = m.upper[n - 1] = m.lower[n / 2] = m.upper[n / 2 - 1] = 0;
            check_solution(&m, 0.25, row);
            matrix_destroy(&m);
        }
}

/* ---- Range ------------------------------------------------------------------------------------------------------- */

/* Running products stay within a factor of `allowed` of what lies between one, the input, and the chain's value, so
 * that nothing overflows, and nothing underflows that would come back, in f32 either. */
static void check_range(const struct starfish_reduction_level *level, const struct starfish_chain *chain, double t,
                        double allowed)
{
    long double product = chain->scale, largest = fabsl(product), smallest = largest;
    for (size_t s = chain->first; s < chain->first + chain->count; s++) {
        product *= level->step[s].keep + level->step[s].gain / (t + level->step[s].mu);
        largest = fmaxl(largest, fabsl(product));
        smallest = fminl(smallest, fabsl(product));
        if (!isfinite(level->step[s].gain))
            fail_msg("gain %g of step %zu", level->step[s].gain, s - chain->first);
    }
    if (!(largest <= allowed * fmaxl(1, fabsl(product))) || !(smallest * allowed >= fminl(1, fabsl(product))))
        fail_msg("t %g: %zu steps lie in %Lg .. %Lg on their way to %Lg", t, chain->count, smallest, largest, product);
}

static void products_stay_moderate(void **state)
{
    (void)state;
    static const size_t sizes[] = {1023, 1500, 4095};
    static const double t[] = {0, 1e-6, 1e-3, 1, 4, 1e3, 1e8, 1e300};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int fine = 0; fine < 2; fine++) { /* h = 1 and h = 1/4000 */
            const double scale = fine ? 1.6e7 : 1;
            struct matrix m = second_difference(sizes[s], 0);
            for (size_t j = 0; j < m.n; j++) {
                m.lower[j] *= scale;
                m.diag[j] *= scale;
                m.upper[j] *= scale;
            }
            struct starfish_reduction *r = analyse(&m);
            for (size_t l = 0; l < r->levels; l++)
                for (int i = 0; i < 8; i++) {
                    const struct starfish_reduction_level *level = &r->level[l];
                    for (size_t b = 0; b < level->blocks; b++)
                        check_range(level, &level->solve[b], scale * t[i], 1e6);
                    for (size_t b = 0; b < level->neighbours; b++) {
                        check_range(level, &level->neighbour[b].reduce, scale * t[i], 1e6);
                        check_range(level, &level->neighbour[b].influence, scale * t[i], 1e6);
                    }
                }
            starfish_reduction_destroy(r);
            matrix_destroy(&m);
        }
}

/* ---- Symmetrisability -------------------------------------------------------------------------------------------- */

static void tells_what_cannot_be_symmetrised(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int periodic;
        double lower[4], upper[4];
        const char *part; /* of the message; NULL: fine */
    } cases[] = {
        {1, 0, {-1}, {1}, NULL},
        {1, 1, {-1}, {1}, NULL},
        {4, 0, {-9, 1, 2, 3}, {4, 5, 6, 9}, NULL},
        {4, 0, {0, -1, 2, -3}, {-4, 5, -6, 0}, NULL},
        {4, 0, {0, 1, 0, 3}, {1, 7, 1, 0}, NULL}, /* one-sided, but not a ring */
        {4, 0, {0, 1, -1, 1}, {1, 1, 1, 0}, "axis y: lower[2] * upper[1] = -1 * 1"},
        {4, 0, {0, 1, 1, 1}, {1, 1, -1, 0}, "axis y: lower[3] * upper[2] = 1 * -1"},
        {4, 0, {-1, 1, 1, 1}, {1, 1, 1, 1}, NULL}, /* ignored */
        {4, 1, {1, 1, 1, 1}, {1, 1, 1, 1}, NULL},
        {4, 1, {2, 3, 4, 5}, {5, 4, 3, 2}, NULL},
        {4, 1, {-1, 1, 1, 1}, {1, 1, 1, 1}, "axis y: lower[0] * upper[3]"},
        {4, 1, {1, 0, 1, 1}, {1, 1, 1, 1}, "axis y: lower[1] * upper[0] = 0 * 1"},
        {4, 1, {1, 1, 1, 1}, {1, 1, 1, 0}, "axis y: lower[0] * upper[3] = 1 * 0"},
        {4, 1, {1, 0, 1, 1}, {0, 2, 3, 4}, NULL}, /* cut open */
        {4, 1, {1, 1, 1, 1}, {1, 1, 1, 1.001}, "products of lower and of upper differ"},
        {4, 1, {2, 1, 1, 1}, {1, 1, 1, 1}, "products of lower and of upper differ"},
        {2, 1, {1, 2}, {3, 4}, NULL},
        {2, 1, {1, 2}, {3, -4}, "the two rows' couplings"},
        {2, 1, {1, -2}, {-3, -4}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const starfish_status status =
            starfish_check_symmetrizable("axis y", cases[i].lower, cases[i].upper, cases[i].n, cases[i].periodic);
        if (status != (cases[i].part ? STARFISH_ERROR_NOT_SYMMETRIZABLE : STARFISH_SUCCESS))
            fail_msg("case %zu: %s", i, starfish_status_name(status));
        if (cases[i].part && !strstr(starfish_error_message(), cases[i].part))
            fail_msg("case %zu: %s", i, starfish_error_message());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_a_separator_once),
        cmocka_unit_test(roots_are_the_known_eigenvalues),
        cmocka_unit_test(roots_of_a_part_ignore_the_rest),
        cmocka_unit_test(singular_matrices_have_the_root_zero_exactly),
        cmocka_unit_test(chains_are_ratios_of_determinants),
        cmocka_unit_test(reduction_and_substitution_solve),
        cmocka_unit_test(zero_couplings_decouple),
        cmocka_unit_test(products_stay_moderate),
        cmocka_unit_test(tells_what_cannot_be_symmetrised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
