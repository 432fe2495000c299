/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What operations of both grid kinds read and write on a part of a grid: all that lies outside of what `reads` says is
 * NaN, and the result is what it is without. And what cores share is the whole, each unknown once. */
#include "tests/common/reals.h"
#include "tests/multigrid/kind_grids.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct test_kind_case cases[] = {
    {{2, 14, 0}, TEST_STORED, {0}, 0},      {{24, 2, 0}, TEST_TENSOR, {0}, 0},
    {{23, 18, 0}, TEST_TENSOR, {0}, 0},     {{19, 25, 0}, TEST_STORED, {1}, 0},
    {{16, 17, 0}, TEST_DIAGONALS, {1}, 0},  {{21, 16, 0}, TEST_F16, {0}, 0},
    {{1, 1, 17}, TEST_TENSOR, {0}, 0},      {{7, 5, 1}, TEST_STORED, {0, 1, 0}, 0},
    {{9, 6, 11}, TEST_TENSOR, {0}, 0},      {{8, 9, 5}, TEST_STORED, {1, 0, 1}, 0},
    {{7, 8, 9}, TEST_TENSOR, {1, 1, 1}, 0}, {{5, 6, 8}, TEST_STORED, {0, 0, 1}, 0},
    {{3, 7, 2}, TEST_TENSOR, {0, 1, 1}, 0}, {{11, 9, 3}, TEST_TENSOR, {0, 0, 1}, 1},
    {{7, 9, 5}, TEST_FLAT, {1, 1, 0}, 0},   {{34, 8, 2}, TEST_FLAT, {0, 0, 0}, 0},
    {{1, 11, 3}, TEST_FLAT, {0, 1, 0}, 0},  {{5, 6, 7}, TEST_SKEW, {0, 0, 0}, 0}};
enum { CASES = sizeof cases / sizeof cases[0], INPUTS = 3, PARTS = 12, CORES = 3 };

/* An operation on the finest grid: its inputs, and how much it may be in error. */
struct trial {
    const struct test_kind_grids *grids;
    enum starfish_grid_operation operation;
    struct starfish_grid_step step; /* of the whole grid */
    void *input[INPUTS];            /* all of them, of which the step may take fewer */
    size_t written[2], result_count;
    size_t work;
};

static size_t real_size(const struct trial *t)
{
    return starfish_real_size(t->grids->tail.precision);
}

/* Columns and rows of an input. */
static void extent_of(const struct trial *t, int input, size_t n[2])
{
    const struct starfish_tail *tail = &t->grids->tail;

    starfish_grid_extent(tail->kind, tail->shape[input == STARFISH_GRID_COARSE], n);
}

/* The input where the operation reads it and NaN elsewhere. */
static void *poisoned(const struct trial *t, const struct starfish_grid_step *step, int input)
{
    const struct starfish_reach reach =
        starfish_grid_reach(t->grids->tail.kind, t->operation, step, (enum starfish_grid_input)input);
    const size_t size = real_size(t);
    size_t n[2];
    extent_of(t, input, n);
    const ptrdiff_t rows = (ptrdiff_t)n[1];
    char *copy = malloc(n[0] * n[1] * size);

    memset(copy, 0xff, n[0] * n[1] * size);
    assert_true(reach.x0 >= 0 && reach.x0 <= reach.x1 && reach.x1 <= (ptrdiff_t)n[0]);
    for (ptrdiff_t row = reach.y0; row < reach.y1 && reach.x0 < reach.x1; row++) {
        const ptrdiff_t inside = reach.wraps ? ((row % rows) + rows) % rows : row;
        if (inside < 0 || inside >= rows)
            continue;
        const size_t start = (size_t)(reach.x0 + inside * (ptrdiff_t)n[0]) * size;
        memcpy(copy + start, (char *)t->input[input] + start, (size_t)(reach.x1 - reach.x0) * size);
    }
    return copy;
}

static int is_written(const struct trial *t, struct starfish_rectangle at, size_t e)
{
    const size_t i = e % t->written[0], j = e / t->written[0];

    return i >= at.x0 && i < at.x1 && j >= at.y0 && j < at.y1;
}

/* An array for the result: of NaN, and of u where a prolongation adds to it. */
static void *result_of(const struct trial *t, struct starfish_rectangle at)
{
    const size_t size = real_size(t);
    char *result = malloc(t->result_count * size);

    memset(result, 0xff, t->result_count * size);
    for (size_t e = 0; t->operation == STARFISH_GRID_PROLONG && !t->step.zero && e < t->result_count; e++)
        if (is_written(t, at, e))
            memcpy(result + e * size, (char *)t->input[STARFISH_GRID_U] + e * size, size);
    return result;
}

static void run(const struct trial *t, struct starfish_grid_step step, void *result)
{
    const struct starfish_place place = {.precision = t->grids->tail.precision, .work = test_kind_work(t->work)};

    step.result = result;
    assert_int_equal(t->grids->tail.kind->compute[t->operation](&place, &step), 0);
    test_kind_release(place.work, t->work);
}

static void fail_at(const struct trial *t, struct starfish_rectangle at, size_t e, const char *why)
{
    fail_msg("%s, operation %d, sweep %d, part %zu..%zu x %zu..%zu of %zu x %zu, unknown %zu: %s",
             t->grids->tail.kind->name, (int)t->operation, t->step.sweep, at.x0, at.x1, at.y0, at.y1, t->written[0],
             t->written[1], e, why);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* What is read without and with poison is the same, and nearly what the whole grid's operation gives. */
static void check_part(const struct trial *t, struct starfish_rectangle at, const void *whole)
{
    const starfish_precision precision = t->grids->tail.precision;
    const double tolerance = 4000 * test_real_epsilon(precision);
    struct starfish_grid_step step = t->step;
    void *clean = result_of(t, at), *result = result_of(t, at), *input[INPUTS];
    double most = 1;

    step.at = at;
    run(t, step, clean);
    for (int i = 0; i < INPUTS; i++)
        input[i] = poisoned(t, &step, i);
    step.u = step.u ? input[STARFISH_GRID_U] : NULL;
    step.f = step.f ? input[STARFISH_GRID_F] : NULL;
    step.coarse = step.coarse ? input[STARFISH_GRID_COARSE] : NULL;
    run(t, step, result);
    for (size_t e = 0; e < t->result_count; e++)
        most = fmax(most, fabs(test_real_get(whole, precision, e)));
    for (size_t e = 0; e < t->result_count; e++) {
        const double got = test_real_get(result, precision, e);
        if (!is_written(t, at, e)) {
            if (!isnan(got))
                fail_at(t, at, e, "written though not of the part");
            continue;
        }
        if (!(got == test_real_get(clean, precision, e)))
            fail_at(t, at, e, "depends on what it does not read");
        if (!(fabs(got - test_real_get(whole, precision, e)) <= tolerance * most))
            fail_at(t, at, e, "is not that of the whole grid");
    }
    for (int i = 0; i < INPUTS; i++)
        free(input[i]);
    free(clean);
    free(result);
}

static size_t random_below(size_t end, unsigned *seed)
{
    return (size_t)((test_real_random(seed) + 1) / 2 * (double)end);
}

/* A run of rows, or of columns where the sweep runs along them; seldom all. */
static struct starfish_rectangle random_part(const struct trial *t, unsigned *seed)
{
    const struct starfish_grid_kind *kind = t->grids->tail.kind;
    const int columns = t->operation == STARFISH_GRID_SMOOTH && starfish_grid_runs_along_columns(kind, t->step.sweep);
    struct starfish_grid_facts facts;

    kind->describe(NULL, t->step.shape, &facts);
    const size_t unit = columns ? facts.column_unit : 1;
    const size_t count = t->written[!columns] / unit;
    const size_t first = random_below(count, seed), last = first + 1 + random_below(count - first, seed);

    if (columns)
        return (struct starfish_rectangle){first * unit, last * unit, 0, t->written[1]};
    return (struct starfish_rectangle){0, t->written[0], first, last};
}

/* A sweep of planes has no parts. */
static int has_parts(const struct trial *t)
{
    return t->operation != STARFISH_GRID_SMOOTH || t->grids->tail.kind != &starfish_flux_kind ||
           t->step.sweep < STARFISH_FLUX_PLANES_X;
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

static void check_shares(const struct trial *t, const void *whole)
{
    const starfish_precision precision = t->grids->tail.precision;
    const double tolerance = 4000 * test_real_epsilon(precision);
    void *result = result_of(t, t->step.at);
    size_t area = 0;
    double most = 1;

    for (size_t core = 0; core < CORES; core++) {
        struct starfish_grid_step step = t->step;
        starfish_grid_share(t->grids->tail.kind, &step, t->operation, core, CORES);
        if (step.at.x0 == step.at.x1)
            continue;
        area += (step.at.x1 - step.at.x0) * (step.at.y1 - step.at.y0);
        run(t, step, result);
    }
    assert_int_equal(area, t->result_count);
    for (size_t e = 0; e < t->result_count; e++)
        most = fmax(most, fabs(test_real_get(whole, precision, e)));
    for (size_t e = 0; e < t->result_count; e++)
        if (!(fabs(test_real_get(result, precision, e) - test_real_get(whole, precision, e)) <= tolerance * most))
            fail_at(t, t->step.at, e, "is not the same when cores share the work");
    free(result);
}

static void check(struct trial *t)
{
    const struct starfish_grid_kind *kind = t->grids->tail.kind;
    unsigned seed = 3;

    starfish_grid_extent(kind, t->operation == STARFISH_GRID_RESTRICT ? t->step.coarse_shape : t->step.shape,
                         t->written);
    t->result_count = t->written[0] * t->written[1];
    t->step.at = (struct starfish_rectangle){0, t->written[0], 0, t->written[1]};
    void *whole = result_of(t, t->step.at);
    run(t, t->step, whole);
    check_shares(t, whole);
    check_part(t, t->step.at, whole);
    for (int part = 0; part < PARTS && has_parts(t); part++)
        check_part(t, random_part(t, &seed), whole);
    free(whole);
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

/* Every sweep of the smoother, with and without u, and with the coarse grid's correction where it adds that. */
static void check_sweeps(struct trial *t, const struct starfish_smoothing *smoothing)
{
    const struct starfish_grid_kind *kind = t->grids->tail.kind;
    int sweep[STARFISH_GRID_MOST_SWEEPS];

    t->operation = STARFISH_GRID_SMOOTH;
    t->work = starfish_grid_work(kind, smoothing, t->step.shape, t->grids->tail.precision, 0);
    for (int reverse = 0; reverse < 2; reverse++) {
        const int sweeps = starfish_grid_sweeps(kind, smoothing, t->step.shape, reverse, sweep);
        for (int i = 0; i < sweeps; i++)
            for (int way = 0; way < (starfish_grid_adds_correction(kind, smoothing) ? 3 : 2); way++) {
                t->step.sweep = sweep[i];
                t->step.damping = 0.7;
                t->step.u = way > 0 ? t->input[STARFISH_GRID_U] : NULL;
                t->step.coarse = way > 1 ? t->input[STARFISH_GRID_COARSE] : NULL;
                check(t);
            }
    }
    t->step.coarse = NULL;
}

static void check_others(struct trial *t)
{
    const struct starfish_smoothing smoothing = test_kind_smoothing(STARFISH_SMOOTHER_JACOBI);

    t->work = starfish_grid_work(t->grids->tail.kind, &smoothing, t->step.shape, t->grids->tail.precision, 0);
    for (int with_u = 0; with_u < 2; with_u++) {
        t->step.u = with_u ? t->input[STARFISH_GRID_U] : NULL;
        t->operation = STARFISH_GRID_RESIDUAL;
        check(t);
        t->operation = STARFISH_GRID_RESTRICT;
        check(t);
    }
    t->operation = STARFISH_GRID_RESIDUAL;
    t->step.f = NULL;
    check(t);
    t->operation = STARFISH_GRID_PROLONG;
    t->step.u = NULL;
    t->step.coarse = t->input[STARFISH_GRID_COARSE];
    for (t->step.zero = 0; t->step.zero < 2; t->step.zero++)
        check(t);
}

static struct trial trial_on(const struct test_kind_grids *g)
{
    struct trial t = {.grids = g,
                      .step = {.shape = g->tail.shape[0],
                               .coarse_shape = g->tail.shape[1],
                               .table = g->table[0],
                               .coarse_table = g->table[1]}};
    unsigned seed = 17;

    for (int i = 0; i < INPUTS; i++)
        t.input[i] = test_reals(g->tail.precision, test_kind_unknowns(g, i == STARFISH_GRID_COARSE), &seed);
    t.step.f = t.input[STARFISH_GRID_F];
    return t;
}

static void parts_read_what_they_say(void **state)
{
    (void)state;
    for (int c = 0; c < 2 * CASES; c++) {
        static struct test_kind_grids g;
        test_kind_grids_make(&g, &cases[c / 2], c % 2 ? STARFISH_F64 : STARFISH_F32);
        assert_true(g.tail.levels > 1);
        struct trial t = trial_on(&g);
        for (int smoother = STARFISH_SMOOTHER_ADI; smoother < STARFISH_SMOOTHERS; smoother++) {
            const struct starfish_smoothing smoothing = test_kind_smoothing((starfish_smoother)smoother);
            if (test_kind_smooths(&g, (starfish_smoother)smoother))
                check_sweeps(&t, &smoothing);
        }
        check_others(&t);
        for (int i = 0; i < INPUTS; i++)
            free(t.input[i]);
        test_kind_grids_free(&g);
    }
}

/* One core finds a sum, over the part, or all do, each over its rows into its own of the sums: none is left out. */
static void sums_are_of_one_core_or_shared(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        static struct test_kind_grids g;
        static double sums[STARFISH_SUMS];
        size_t row = 0, written = 0;
        test_kind_grids_make(&g, &cases[c], STARFISH_F64);
        const struct starfish_rectangle whole = starfish_grid_whole(g.tail.kind, g.tail.shape[0]);
        for (size_t core = 0; core < CORES; core++) {
            struct starfish_grid_step step = {.shape = g.tail.shape[0], .at = whole, .sums = sums};
            starfish_grid_share(g.tail.kind, &step, STARFISH_GRID_RESIDUAL, core, CORES);
            if (step.at.x1 == step.at.x0)
                continue;
            assert_int_equal(step.at.x1 - step.at.x0, whole.x1 - whole.x0);
            assert_int_equal(step.at.y0, row);
            assert_ptr_equal(step.sums, sums + written);
            row = step.at.y1;
            written += step.sum_count > 0 ? step.sum_count : STARFISH_SUMS;
        }
        assert_int_equal(row, whole.y1);
        assert_int_equal(written, STARFISH_SUMS);
        test_kind_grids_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_read_what_they_say),
                                       cmocka_unit_test(sums_are_of_one_core_or_shared)};

    return cmocka_run_group_tests_name("reads", tests, NULL, NULL);
}
