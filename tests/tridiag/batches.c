/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of tests/tridiag/batch_cases.c with a plan for a kernel, and the interface. */
#include "batches.h"

#include "tests/common/check.h"
#include "tests/tridiag/batch_cases.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *solving; /* of the table being run */

static struct starfish_tridiag_problem problem_of(const struct starfish_batch *b)
{
    const size_t components = (size_t)b->components;
    return (struct starfish_tridiag_problem){.n = b->n,
                                             .lines = b->lines,
                                             .rhs = b->columns / components,
                                             .complex_rhs = components == 2,
                                             .periodic = b->periodic,
                                             .lower = b->lower,
                                             .diag = b->diag,
                                             .upper = b->upper,
                                             .coefficients = b->coefficients,
                                             .shift = b->shift,
                                             .vectors = {b->vectors.row / components, b->vectors.line / components},
                                             .rhs_stride = b->column / components};
}

static void solve(const struct starfish_batch *b, starfish_precision precision)
{
    static size_t number = 0;
    const struct starfish_tridiag_problem problem = problem_of(b);
    struct starfish_tridiag_options options = STARFISH_TRIDIAG_OPTIONS_DEFAULTS;
    starfish_plan *plan = NULL;
    starfish_job *job = NULL;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;

    number++;
    options.precision = precision;
    options.algorithm =
        b->algorithm == STARFISH_BATCH_CR_IN_PLACE ? STARFISH_ALGORITHM_CR : (starfish_algorithm)b->algorithm;
    options.keep_factors = b->factors != NULL;
    options.slabs = number % 4 < b->lines ? number % 4 : 0;
    ASSERT_OK(starfish_tridiag_plan_create(solving, &problem, &options, &plan));
    if (number % 3 > 0) {
        ASSERT_OK(starfish_plan_solve(plan, NULL, b->input, b->output, &info));
        assert_true(info.seconds > 0 && info.worker[STARFISH_CPU].tasks + info.worker[STARFISH_GPU].tasks > 0);
    } else {
        ASSERT_OK(starfish_plan_submit(plan, NULL, b->input, b->output, &job));
        ASSERT_OK(starfish_job_finish(job, NULL));
    }
    starfish_plan_destroy(plan);
}

static void solve_f32(const struct starfish_batch *b)
{
    solve(b, STARFISH_F32);
}

static void solve_f64(const struct starfish_batch *b)
{
    solve(b, STARFISH_F64);
}

static void prepare_nothing(const struct starfish_batch *b)
{
    (void)b;
}

static size_t no_workspace(const struct starfish_batch *b, size_t real_size)
{
    (void)b;
    (void)real_size;
    return 0;
}

static struct test_batch_device plans_on(starfish_context *context, const struct test_memory *memory)
{
    solving = context;
    return (struct test_batch_device){memory, {solve_f32, solve_f64}, {prepare_nothing, prepare_nothing}, no_workspace};
}

void test_batches_table(starfish_context *context, const struct test_memory *memory, size_t sizes)
{
    const struct test_batch_device plans = plans_on(context, memory);
    test_batch_table(&plans, sizes);
}

void test_batches_long_lines(starfish_context *context, const struct test_memory *memory, size_t longest)
{
    const struct test_batch_device plans = plans_on(context, memory);
    test_batch_long_lines(&plans, longest);
}

void test_batches_many_lines(starfish_context *context, const struct test_memory *memory, size_t unknowns)
{
    const struct test_batch_device plans = plans_on(context, memory);
    test_batch_many_lines(&plans, unknowns);
}

/* ---- The interface ---------------------------------------------------------------------------------------------- */

enum { N = 5, LINES = 3 };
static double lower[N * LINES], diag[N * LINES], upper[N * LINES], rhs[N * LINES];

static struct starfish_tridiag_problem good_problem(void)
{
    for (int i = 0; i < N * LINES; i++) {
        lower[i] = upper[i] = 1;
        diag[i] = 3;
        rhs[i] = i;
    }
    return (struct starfish_tridiag_problem){.n = N,
                                             .lines = LINES,
                                             .rhs = 1,
                                             .lower = lower,
                                             .diag = diag,
                                             .upper = upper,
                                             .coefficients = {1, N},
                                             .vectors = {1, N}};
}

/* One member is spoilt; the message must name it. */
#define ASSERT_REFUSED(status, member, spoil)                                                                          \
    do {                                                                                                               \
        struct starfish_tridiag_problem problem = good_problem();                                                      \
        struct starfish_tridiag_options options = STARFISH_TRIDIAG_OPTIONS_DEFAULTS;                                   \
        starfish_plan *plan = NULL;                                                                                    \
        spoil;                                                                                                         \
        ASSERT_FAILS(starfish_tridiag_plan_create(context, &problem, &options, &plan), status, member);                \
        assert_null(plan);                                                                                             \
    } while (0)

static void bad_plans(starfish_context *context)
{
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.n ", problem.n = 0);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.n ", problem.n = (size_t)1 << 27);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.lines", problem.lines = 0);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.rhs ", problem.rhs = 0);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.lower", problem.lower = NULL);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.diag", problem.diag = NULL);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.upper", problem.upper = NULL);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.coefficients.row", problem.coefficients.row = 0);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.coefficients", problem.coefficients.line = N - 1);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.vectors.row", problem.vectors.row = 0);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.vectors.line", problem.vectors.line = 0);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.vectors", problem.vectors.line = SIZE_MAX / 2);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "problem.rhs_stride", (problem.rhs = 2, problem.rhs_stride = N));
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "options.size", options.size = 1);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "options.precision", options.precision = (starfish_precision)7);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "options.algorithm", options.algorithm = STARFISH_ALGORITHMS);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "options.slabs", options.slabs = LINES + 1);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "options.keep_factors", options.keep_factors = 1);
    ASSERT_REFUSED(STARFISH_ERROR_ARGUMENT, "options.check",
                   (options.check = 1, options.algorithm = STARFISH_ALGORITHM_PIVOTED));
}

void test_batches_bad_arguments(starfish_context *context)
{
    struct starfish_tridiag_problem problem = good_problem();
    starfish_plan *plan = NULL;
    starfish_job *job = NULL;

    bad_plans(context);
    ASSERT_FAILS(starfish_tridiag_plan_create(NULL, &problem, NULL, &plan), STARFISH_ERROR_ARGUMENT, "context");
    ASSERT_FAILS(starfish_tridiag_plan_create(context, NULL, NULL, &plan), STARFISH_ERROR_ARGUMENT, "problem");
    ASSERT_FAILS(starfish_tridiag_plan_create(context, &problem, NULL, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    ASSERT_OK(starfish_tridiag_plan_create(context, &problem, NULL, &plan));
    ASSERT_FAILS(starfish_plan_solve(NULL, NULL, rhs, rhs, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, NULL, rhs, NULL), STARFISH_ERROR_ARGUMENT, "rhs");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, rhs, NULL, NULL), STARFISH_ERROR_ARGUMENT, "solution");
    ASSERT_FAILS(starfish_plan_submit(plan, NULL, rhs, rhs, NULL), STARFISH_ERROR_ARGUMENT, "job");
    ASSERT_FAILS(starfish_job_finish(job, NULL), STARFISH_ERROR_ARGUMENT, "job");
    ASSERT_FAILS(starfish_tridiag_plan_update(NULL), STARFISH_ERROR_ARGUMENT, "plan");
    starfish_plan_destroy(plan);
    starfish_plan_destroy(NULL);
}

/* Regular matrices, periodic or not, that break elimination without pivoting: no algorithm is accepted, and with row
 * interchanges x = 1 is found. */
static void check_refuses_what_pivoting_solves(starfish_context *context)
{
    for (int periodic = 0; periodic < 2; periodic++) {
        struct starfish_tridiag_options options = STARFISH_TRIDIAG_OPTIONS_DEFAULTS;
        struct starfish_tridiag_problem problem = good_problem();
        starfish_plan *plan = NULL;
        double x[N * LINES];
        problem.periodic = periodic;
        for (int i = 0; i < N * LINES; i++) {
            lower[i] = 0.7;
            diag[i] = i % N == 2 ? 0.5 : 1e-13;
            rhs[i] = diag[i] + (periodic || i % N > 0 ? lower[i] : 0) + (periodic || i % N < N - 1 ? upper[i] : 0);
        }
        for (int a = STARFISH_ALGORITHM_AUTO; a < STARFISH_ALGORITHM_PIVOTED; a++) {
            options.algorithm = (starfish_algorithm)a;
            options.check = 1;
            const starfish_status status = starfish_tridiag_plan_create(context, &problem, &options, &plan);
            assert_true(status == STARFISH_ERROR_NUMERICAL || status == STARFISH_ERROR_SINGULAR);
            assert_non_null(strstr(starfish_error_message(), "line "));
        }
        options.algorithm = STARFISH_ALGORITHM_PIVOTED;
        options.check = 0;
        ASSERT_OK(starfish_tridiag_plan_create(context, &problem, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, x, NULL));
        for (int i = 0; i < N * LINES; i++)
            assert_true(fabs(x[i] - 1) < 1e-13);
        starfish_plan_destroy(plan);
    }
}

void test_batches_check(starfish_context *context)
{
    struct starfish_tridiag_options options = STARFISH_TRIDIAG_OPTIONS_DEFAULTS;
    struct starfish_tridiag_problem problem = good_problem();
    starfish_plan *plan = NULL;
    size_t line = 7;

    options.check = 1;
    ASSERT_OK(starfish_tridiag_plan_create(context, &problem, &options, &plan));
    assert_true(starfish_tridiag_plan_growth(plan, &line) == 1 && line < LINES);
    diag[2 * N] = 0;
    ASSERT_FAILS(starfish_tridiag_plan_update(plan), STARFISH_ERROR_SINGULAR, "line 2");
    diag[2 * N] = 3;
    diag[N] = 1e-14;
    ASSERT_FAILS(starfish_tridiag_plan_update(plan), STARFISH_ERROR_NUMERICAL, "line 1");
    starfish_plan_destroy(plan);
    check_refuses_what_pivoting_solves(context);
    options.check = 0;
    ASSERT_OK(starfish_tridiag_plan_create(context, &problem, &options, &plan));
    assert_true(isnan(starfish_tridiag_plan_growth(plan, NULL)));
    starfish_plan_destroy(plan);
}

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

enum { LAYOUTS = 600, DIRECTIONS = 3, REACH = 1 << 12 };

/* The element of row i of line j of right-hand side k. */
static size_t element_of(const size_t stride[DIRECTIONS], size_t i, size_t j, size_t k)
{
    return i * stride[0] + j * stride[1] + k * stride[2];
}

/* Counts the elements at each place. */
static int are_apart(const size_t extent[DIRECTIONS], const size_t stride[DIRECTIONS], unsigned char count[REACH])
{
    int apart = 1;

    memset(count, 0, REACH);
    for (size_t i = 0; i < extent[0]; i++)
        for (size_t j = 0; j < extent[1]; j++)
            for (size_t k = 0; k < extent[2]; k++)
                apart = count[element_of(stride, i, j, k)]++ == 0 && apart;
    return apart;
}

/* A diagonal matrix halves. */
static void solve_in_layout(starfish_context *context, const struct starfish_tridiag_problem *problem,
                            const unsigned char count[REACH])
{
    static double right[REACH], x[REACH];
    starfish_plan *plan = NULL;

    for (int i = 0; i < REACH; i++) {
        right[i] = i + 1;
        x[i] = -1;
    }
    ASSERT_OK(starfish_tridiag_plan_create(context, problem, NULL, &plan));
    ASSERT_OK(starfish_plan_solve(plan, NULL, right, x, NULL));
    for (int i = 0; i < REACH; i++)
        if (x[i] != (count[i] ? right[i] / 2 : -1))
            fail_msg("n %zu, lines %zu, rhs %zu, strides %zu, %zu and %zu: place %d is %g", problem->n, problem->lines,
                     problem->rhs, problem->vectors.row, problem->vectors.line, problem->rhs_stride, i, x[i]);
    starfish_plan_destroy(plan);
}

/* Random strides are accepted exactly where elements are apart, whatever strides in directions of one place are. */
void test_batches_layouts(starfish_context *context)
{
    static const double none[8] = {0}, two[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    static unsigned char count[REACH];
    unsigned seed = 1;
    size_t accepted = 0;

    for (int number = 0; number < LAYOUTS; number++) {
        size_t extent[DIRECTIONS], stride[DIRECTIONS];
        for (int d = 0; d < DIRECTIONS; d++) {
            extent[d] = 1 + (size_t)rand_r(&seed) % (d == 0 ? 6 : 4);
            stride[d] = (size_t)rand_r(&seed) % (number % 2 ? 12 : 40);
        }
        const int apart = are_apart(extent, stride, count);
        struct starfish_tridiag_problem problem = {.n = extent[0],
                                                   .lines = extent[1],
                                                   .rhs = extent[2],
                                                   .lower = none,
                                                   .diag = two,
                                                   .upper = none,
                                                   .coefficients = {1, 0},
                                                   .vectors = {stride[0], stride[1]},
                                                   .rhs_stride = stride[2]};
        starfish_plan *plan = NULL;
        if (apart)
            solve_in_layout(context, &problem, count);
        else
            ASSERT_FAILS(starfish_tridiag_plan_create(context, &problem, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                         "problem.");
        accepted += (size_t)apart;
    }
    assert_true(accepted > LAYOUTS / 10 && accepted < LAYOUTS);
}

/* ---- Updates ----------------------------------------------------------------------------------------------------- */

/* With upper and lower gone, x = d / diag: before and after diag is doubled. */
void test_batches_update(starfish_context *context)
{
    struct starfish_tridiag_options options = STARFISH_TRIDIAG_OPTIONS_DEFAULTS;
    struct starfish_tridiag_problem problem = good_problem();
    starfish_plan *plan = NULL;
    double x[N * LINES];

    options.algorithm = STARFISH_ALGORITHM_THOMAS;
    options.keep_factors = 1;
    memset(lower, 0, sizeof lower);
    memset(upper, 0, sizeof upper);
    for (int i = 0; i < N * LINES; i++)
        diag[i] = 2;
    ASSERT_OK(starfish_tridiag_plan_create(context, &problem, &options, &plan));
    for (int doubled = 0; doubled < 2; doubled++) {
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, x, NULL));
        for (int i = 0; i < N * LINES; i++) {
            assert_true(x[i] == rhs[i] / diag[i]);
            diag[i] *= 2;
        }
        ASSERT_OK(starfish_tridiag_plan_update(plan));
    }
    starfish_plan_destroy(plan);
}

enum { THREADS = 6, SOLVES = 8 };

struct caller {
    starfish_plan *plan;
    double rhs[N * LINES], first[N * LINES], again[N * LINES];
    int different;
};

static void *solve_often(void *data)
{
    struct caller *caller = data;

    caller->different = starfish_plan_solve(caller->plan, NULL, caller->rhs, caller->first, NULL) != STARFISH_SUCCESS;
    for (int i = 0; i < SOLVES; i++) {
        if (starfish_plan_solve(caller->plan, NULL, caller->rhs, caller->again, NULL) != STARFISH_SUCCESS)
            caller->different = 1;
        for (int k = 0; k < N * LINES; k++)
            caller->different |= caller->first[k] != caller->again[k];
    }
    return NULL;
}

void test_batches_threads(starfish_context *context)
{
    static struct caller callers[THREADS];
    struct starfish_tridiag_problem problem = good_problem();
    starfish_plan *plan = NULL;
    pthread_t thread[THREADS];

    problem.periodic = 1;
    ASSERT_OK(starfish_tridiag_plan_create(context, &problem, NULL, &plan));
    for (int t = 0; t < THREADS; t++) {
        callers[t].plan = plan;
        for (int i = 0; i < N * LINES; i++)
            callers[t].rhs[i] = 1 + t; /* rows sum to 5 */
        assert_int_equal(pthread_create(&thread[t], NULL, solve_often, &callers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        assert_int_equal(callers[t].different, 0);
        for (int i = 0; i < N * LINES; i++)
            assert_true(fabs(callers[t].first[i] - (1 + t) / 5.0) < 1e-14);
    }
    starfish_plan_destroy(plan);
}

/* ---- GPUs and cores ---------------------------------------------------------------------------------------------- */

enum { SHARED_N = 128, SHARED_LINES = 1 << 14, SHARED_SOLVES = 9, GPUS_ALONE = 2, CORES_ALONE = 4 };

/* x = 1 everywhere; ends lead nowhere. */
static void fill_shared(double *off, double *diagonal, double *right)
{
    for (size_t i = 0; i < (size_t)SHARED_N * SHARED_LINES; i++) {
        const size_t k = i % SHARED_N;
        off[i] = 1;
        diagonal[i] = 3;
        right[i] = 3 + (k > 0) + (k + 1 < SHARED_N);
    }
}

static void check_shared(starfish_plan *plan, const double *right, double *x, size_t number)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    const size_t count = (size_t)SHARED_N * SHARED_LINES;

    memset(x, 0xff, count * sizeof *x);
    ASSERT_OK(starfish_plan_solve(plan, NULL, right, x, &info));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i] - 1) < 1e-14))
            fail_msg("solve %zu: x[%zu] is %g", number, i, x[i]);
    if (number < GPUS_ALONE)
        assert_int_equal(info.worker[STARFISH_CPU].tasks, 0);
    else if (number < CORES_ALONE)
        assert_int_equal(info.worker[STARFISH_GPU].tasks, 0);
    assert_true(info.worker[STARFISH_CPU].tasks + info.worker[STARFISH_GPU].tasks >= 8);
}

void test_batches_shared(starfish_context *context)
{
    const size_t bytes = (size_t)SHARED_N * SHARED_LINES * sizeof(double);
    double *array[4];
    starfish_plan *plan = NULL;

    for (int i = 0; i < 4; i++)
        assert_non_null(array[i] = malloc(bytes));
    fill_shared(array[0], array[1], array[2]);
    const struct starfish_tridiag_problem problem = {.n = SHARED_N,
                                                     .lines = SHARED_LINES,
                                                     .rhs = 1,
                                                     .lower = array[0],
                                                     .diag = array[1],
                                                     .upper = array[0],
                                                     .coefficients = {1, SHARED_N},
                                                     .vectors = {1, SHARED_N}};
    ASSERT_OK(starfish_tridiag_plan_create(context, &problem, NULL, &plan));
    for (size_t number = 0; number < SHARED_SOLVES; number++)
        check_shared(plan, array[2], array[3], number);
    starfish_plan_destroy(plan);
    for (int i = 0; i < 4; i++)
        free(array[i]);
}
