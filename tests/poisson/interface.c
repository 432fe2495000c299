/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What plans, fields and jobs accept, refuse and tell: every argument of the public functions, valid and invalid, on
 * any workers. */
#include "tests/poisson/interface.h"
#include "tests/common/about.h"

#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <starfish/starfish.h>

static starfish_context *context;
static int workers[STARFISH_WORKER_KINDS];

enum { NX = 9, NY = 7, NZ = 11, COUNT = NX * NY * NZ };

static struct starfish_axis uniform(size_t n, starfish_end ends)
{
    return (struct starfish_axis){
        .kind = STARFISH_UNIFORM, .n = n, .length = 1, .ends = {ends, ends}, .grid = STARFISH_CELL};
}

static struct starfish_poisson_problem problem_of(starfish_end ends)
{
    return (struct starfish_poisson_problem){
        .axis = {uniform(NX, STARFISH_PERIODIC), uniform(NY, ends), uniform(NZ, ends)}, .lambda = 0};
}

static starfish_plan *plan_with(const struct starfish_poisson_options *options)
{
    const struct starfish_poisson_problem problem = problem_of(STARFISH_DIRICHLET);
    starfish_plan *plan;
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, options, &plan));
    return plan;
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static void plans_tell_what_they_are(void **state)
{
    (void)state;
    static const struct {
        starfish_method asked;
        starfish_end ends;
        int stretched, singular;
        const char *method;
    } cases[] = {
        {STARFISH_METHOD_AUTO, STARFISH_DIRICHLET, 0, 0, "slab"},
        {STARFISH_METHOD_SLAB, STARFISH_NEUMANN, 0, 1, "slab"},
        {STARFISH_METHOD_BLKTRI, STARFISH_NEUMANN, 0, 1, "blktri"},
        {STARFISH_METHOD_AUTO, STARFISH_DIRICHLET, 1, 0, "slab"},
        {STARFISH_METHOD_AUTO, STARFISH_NEUMANN, 1, 1, "slab"},
        {STARFISH_METHOD_BLKTRI, STARFISH_NEUMANN, 1, 1, "blktri"},
        {STARFISH_METHOD_BLKTRI_PRODUCT, STARFISH_NEUMANN, 1, 1, "blktri-product"},
    };
    static const double faces[NY + 1] = {0, 1, 3, 4, 5, 7, 8, 10};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct starfish_poisson_problem problem = problem_of(cases[i].ends);
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_plan *plan;
        options.method = cases[i].asked;
        if (cases[i].stretched) {
            problem.axis[1].kind = STARFISH_STRETCHED;
            problem.axis[1].coordinates = faces;
            problem.axis[1].coordinate_count = NY + 1;
        }
        ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
        assert_string_equal(test_about(plan).method, cases[i].method);
        assert_true(strlen(test_about(plan).reason) > 0);
        assert_null(strchr(test_about(plan).reason, '\n'));
        assert_true(test_about(plan).seconds > 0 && test_about(plan).seconds < 60);
        assert_int_equal(test_about(plan).singular, cases[i].singular);
        starfish_plan_destroy(plan);
    }
    starfish_plan_destroy(NULL);
}

/* On cores a change of basis is for short directions, halves for mirrored ones, and its preparation counts where
 * right-hand sides are few; a GPU multiplies matrices faster than all else. */
static void auto_weighs_methods_in_2d(void **state)
{
    (void)state;
    enum { MOST = 600 };
    static const struct {
        size_t m, n;
        int mirrored;
        size_t right_hand_sides;
        const char *method;
    } cases[] = {
        {60, 511, 0, 0, "slab"},  {60, 511, 0, 1, "slab"},    {600, 60, 0, 0, "blktri"},
        {175, 100, 1, 0, "slab"}, {175, 100, 1, 1, "blktri"}, {175, 100, 1, 1000, "slab"},
    };
    static double off[MOST], diag[MOST], mirrored[MOST];
    for (size_t k = 0; k < MOST; k++) {
        off[k] = 1;
        diag[k] = -2 - 1e-3 * (double)k;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_plan *plan;
        struct starfish_axis x = {.kind = STARFISH_TRIDIAGONAL, .n = cases[i].m, .lower = off, .upper = off}, y = x;
        for (size_t k = 0; k < x.n; k++)
            mirrored[k] = diag[k < x.n / 2 ? k : x.n - 1 - k];
        x.diag = cases[i].mirrored ? mirrored : diag;
        y.diag = diag;
        y.n = cases[i].n;
        options.right_hand_sides = cases[i].right_hand_sides;
        ASSERT_OK(starfish_separable2d_plan_create(context, &x, &y, 0, &options, &plan));
        const int has_gpu = starfish_context_workers_of(context, STARFISH_GPU) > 0;
        assert_string_equal(test_about(plan).method, has_gpu ? "slab" : cases[i].method);
        assert_non_null(strstr(test_about(plan).reason, "axis x"));
        starfish_plan_destroy(plan);
    }
}

/* Every row of the last direction is solved once, on one level, and takes time. */
static void solves_tell_of_their_levels(void **state)
{
    (void)state;
    enum { N = 20 };
    static double off[N], diag[N], f[N * N], u[N * N];
    for (size_t k = 0; k < N; k++) {
        off[k] = 1;
        diag[k] = -2;
    }
    for (size_t i = 0; i < N * N; i++)
        f[i] = 1;
    const struct starfish_axis axis = {.kind = STARFISH_TRIDIAGONAL, .n = N, .lower = off, .diag = diag, .upper = off};
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        struct starfish_poisson_phases phases = STARFISH_POISSON_PHASES_DEFAULTS;
        starfish_plan *plan;
        starfish_job *job;
        options.method = (starfish_method)method;
        ASSERT_OK(starfish_separable2d_plan_create(context, &axis, &axis, 0, &options, &plan));
        ASSERT_OK(starfish_plan_submit(plan, NULL, f, u, &job));
        ASSERT_OK(starfish_poisson_tell_phases(job, &phases));
        ASSERT_OK(starfish_job_finish(job, &info));
        starfish_plan_destroy(plan);
        size_t separators = 0;
        for (size_t l = 0; l < phases.levels; l++) {
            const struct starfish_step_info *down = &phases.level[l].substitution, *up = &phases.level[l].reduction;
            separators += phases.level[l].separators;
            assert_int_equal(down->tasks[STARFISH_CPU] + down->tasks[STARFISH_GPU], 1);
            assert_int_equal(up->tasks[STARFISH_CPU] + up->tasks[STARFISH_GPU], l > 0);
            assert_true(down->seconds > 0 && down->seconds < info.seconds && down->busy_seconds > 0);
        }
        assert_int_equal(separators, method == STARFISH_METHOD_SLAB ? 0 : N);
    }
}

static void refuses_bad_plans(void **state)
{
    (void)state;
    const struct starfish_poisson_problem problem = problem_of(STARFISH_DIRICHLET);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    ASSERT_FAILS(starfish_poisson_plan_create(NULL, &problem, NULL, &plan), STARFISH_ERROR_ARGUMENT, "context is NULL");
    ASSERT_FAILS(starfish_poisson_plan_create(context, NULL, NULL, &plan), STARFISH_ERROR_ARGUMENT, "problem is NULL");
    ASSERT_FAILS(starfish_poisson_plan_create(context, &problem, NULL, NULL), STARFISH_ERROR_ARGUMENT, "plan is NULL");
    options.size -= 1;
    ASSERT_FAILS(starfish_poisson_plan_create(context, &problem, &options, &plan), STARFISH_ERROR_ARGUMENT,
                 "options.size");
    assert_null(plan);
    static const struct {
        int method, precision;
        size_t slabs, mode_blocks;
        const char *part;
    } cases[] = {
        {7, STARFISH_F64, 0, 0, "options.method"},
        {-1, STARFISH_F64, 0, 0, "options.method"},
        {0, 2, 0, 0, "options.precision"},
        {0, -1, 0, 0, "options.precision"},
        {0, STARFISH_F64, NZ + 1, 0, "options.slabs"},
        {0, STARFISH_F64, SIZE_MAX, 0, "options.slabs"},
        {0, STARFISH_F64, 0, 33, "options.mode_blocks"},
        {0, STARFISH_F64, 0, SIZE_MAX, "options.mode_blocks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options = (struct starfish_poisson_options)STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = (starfish_method)cases[i].method;
        options.precision = (starfish_precision)cases[i].precision;
        options.slabs = cases[i].slabs;
        options.mode_blocks = cases[i].mode_blocks;
        ASSERT_FAILS(starfish_poisson_plan_create(context, &problem, &options, &plan), STARFISH_ERROR_ARGUMENT,
                     cases[i].part);
        assert_null(plan);
    }
    const struct starfish_axis *axis = &problem.axis[1];
    ASSERT_FAILS(starfish_separable2d_plan_create(context, NULL, axis, 0, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                 "NULL");
    ASSERT_FAILS(starfish_separable2d_plan_create(context, axis, NULL, 0, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                 "NULL");
    ASSERT_FAILS(starfish_separable2d_plan_create(NULL, axis, axis, 0, NULL, &plan), STARFISH_ERROR_ARGUMENT, "NULL");
    ASSERT_FAILS(starfish_separable2d_plan_create(context, axis, axis, 0, NULL, NULL), STARFISH_ERROR_ARGUMENT, "NULL");
}

/* ---- Arguments of a solve ---------------------------------------------------------------------------------------- */

static void refuses_null_pointers(void **state)
{
    (void)state;
    starfish_plan *plan = plan_with(NULL);
    double *f = calloc(COUNT, sizeof *f);
    starfish_field *field;
    starfish_job *job;
    ASSERT_FAILS(starfish_plan_solve(NULL, NULL, f, f, NULL), STARFISH_ERROR_ARGUMENT, "plan is NULL");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, NULL, f, NULL), STARFISH_ERROR_ARGUMENT, "rhs is NULL");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, f, NULL, NULL), STARFISH_ERROR_ARGUMENT, "solution is NULL");
    ASSERT_FAILS(starfish_plan_submit(NULL, NULL, f, f, &job), STARFISH_ERROR_ARGUMENT, "plan is NULL");
    ASSERT_FAILS(starfish_plan_submit(plan, NULL, NULL, f, &job), STARFISH_ERROR_ARGUMENT, "rhs is NULL");
    ASSERT_FAILS(starfish_plan_submit(plan, NULL, f, NULL, &job), STARFISH_ERROR_ARGUMENT, "solution is NULL");
    ASSERT_FAILS(starfish_plan_submit(plan, NULL, f, f, NULL), STARFISH_ERROR_ARGUMENT, "job is NULL");
    ASSERT_FAILS(starfish_job_finish(NULL, NULL), STARFISH_ERROR_ARGUMENT, "job is NULL");
    ASSERT_FAILS(starfish_poisson_field(NULL, f, &field), STARFISH_ERROR_ARGUMENT, "plan is NULL");
    ASSERT_FAILS(starfish_poisson_field(plan, f, NULL), STARFISH_ERROR_ARGUMENT, "NULL");
    ASSERT_OK(starfish_poisson_field(plan, f, &field));
    ASSERT_FAILS(starfish_poisson_submit_field(NULL, NULL, field, field, &job), STARFISH_ERROR_ARGUMENT,
                 "plan is NULL");
    ASSERT_FAILS(starfish_poisson_submit_field(plan, NULL, NULL, field, &job), STARFISH_ERROR_ARGUMENT, "rhs is NULL");
    ASSERT_FAILS(starfish_poisson_submit_field(plan, NULL, field, NULL, &job), STARFISH_ERROR_ARGUMENT,
                 "solution is NULL");
    ASSERT_FAILS(starfish_poisson_submit_field(plan, NULL, field, field, NULL), STARFISH_ERROR_ARGUMENT, "job is NULL");
    starfish_field_destroy(field);
    starfish_plan_destroy(plan);
    free(f);
}

static void refuses_arrays_that_overlap(void **state)
{
    (void)state;
    starfish_plan *plan = plan_with(NULL);
    double *f = calloc(2 * COUNT, sizeof *f);
    void *const odd = (char *)f + 1;
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, f, f + 1, NULL), STARFISH_ERROR_ARGUMENT,
                 "solution: overlaps with rhs");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, f + COUNT - 1, f, NULL), STARFISH_ERROR_ARGUMENT,
                 "solution: overlaps with rhs");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, odd, f, NULL), STARFISH_ERROR_ARGUMENT,
                 "rhs: the address is no multiple of 8");
    ASSERT_OK(starfish_plan_solve(plan, NULL, f, f + COUNT, NULL));
    starfish_plan_destroy(plan);
    free(f);
}

static void fields_are_released_once(void **state)
{
    (void)state;
    starfish_plan *plan = plan_with(NULL);
    starfish_field *field;
    void *memory;
    ASSERT_OK(starfish_poisson_field(plan, NULL, &field));
    ASSERT_FAILS(starfish_field_release(field), STARFISH_ERROR_ARGUMENT, "the field is not acquired");
    ASSERT_OK(starfish_field_acquire(field, &memory));
    ASSERT_FAILS(starfish_field_acquire(field, &memory), STARFISH_ERROR_ARGUMENT, "has acquired the field already");
    ASSERT_OK(starfish_field_release(field));
    ASSERT_FAILS(starfish_field_release(field), STARFISH_ERROR_ARGUMENT, "the field is not acquired");
    ASSERT_OK(starfish_field_acquire(field, &memory));
    starfish_field_destroy(field); /* which releases it */
    starfish_plan_destroy(plan);
}

/* What returns no status gives 0, an empty text or NaN, and does nothing. */
static void null_has_nothing_to_tell(void **state)
{
    (void)state;
    size_t finished = 1, total = 2;
    const int *cell = (const int *)state;
    ASSERT_FAILS(starfish_poisson_field(NULL, NULL, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    ASSERT_FAILS(starfish_poisson_tell_pertrb(NULL, NULL), STARFISH_ERROR_ARGUMENT, "job");
    ASSERT_FAILS(starfish_poisson_tell_phases(NULL, NULL), STARFISH_ERROR_ARGUMENT, "job");
    assert_true(isnan(starfish_tridiag_plan_growth(NULL, &total)) && total == 0);
    assert_true(starfish_fem_cells(NULL, &cell) == 0 && cell == NULL);
    starfish_job_state(NULL, &finished, &total);
    starfish_job_cancel(NULL);
    starfish_plan_tell(NULL, NULL, NULL);
    assert_int_equal(finished, 1);
}

static void refuses_fields_of_another_shape(void **state)
{
    (void)state;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.slabs = 2;
    starfish_plan *plan = plan_with(&options);
    starfish_context *other;
    const struct starfish_context_options context_options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    ASSERT_OK(starfish_context_create(&other, &context_options));
    const struct {
        starfish_context *context;
        starfish_precision precision;
        size_t n[3], slabs;
    } cases[] = {
        {other, STARFISH_F64, {NX, NY, NZ}, 2},   {context, STARFISH_F32, {NX, NY, NZ}, 2},
        {context, STARFISH_F64, {NY, NX, NZ}, 2}, {context, STARFISH_F64, {NX, NY, NZ + 1}, 2},
        {context, STARFISH_F64, {NX, NY, NZ}, 3},
    };
    starfish_field *good, *bad;
    starfish_job *job;
    ASSERT_OK(starfish_poisson_field(plan, NULL, &good));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_OK(starfish_field_create(cases[i].context, cases[i].precision, cases[i].n, cases[i].slabs, NULL, &bad));
        ASSERT_FAILS(starfish_poisson_submit_field(plan, NULL, bad, good, &job), STARFISH_ERROR_ARGUMENT, "rhs has");
        ASSERT_FAILS(starfish_poisson_submit_field(plan, NULL, good, bad, &job), STARFISH_ERROR_ARGUMENT,
                     "solution has");
        assert_null(job);
        starfish_field_destroy(bad);
    }
    starfish_field_destroy(good);
    starfish_context_destroy(other);
    starfish_plan_destroy(plan);
}

/* Arrays need be aligned to their elements only; slabs of odd planes are not aligned to more anyway. */
static void arrays_may_lie_anywhere(void **state)
{
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = variant & 1 ? STARFISH_METHOD_BLKTRI : STARFISH_METHOD_SLAB;
        options.precision = variant & 2 ? STARFISH_F32 : STARFISH_F64;
        options.slabs = variant & 4 ? 3 : 1;
        options.check_residual = 1;
        starfish_plan *plan = plan_with(&options);
        const size_t real = starfish_real_size(options.precision);
        unsigned seed = 8;
        void *rhs = test_reals(options.precision, COUNT, &seed), *expected = aligned_alloc(64, COUNT / 8 * 64 + 64);
        char *shifted = malloc((COUNT + 1) * real + 64), *solution = malloc((COUNT + 1) * real + 64);
        char *const at[2] = {shifted + real, solution + real};
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, expected, NULL));
        for (int in_place = 0; in_place < 2; in_place++) {
            memset(solution, 0xA5, (COUNT + 1) * real + 64);
            memcpy(at[0], rhs, COUNT * real);
            ASSERT_OK(starfish_plan_solve(plan, NULL, at[0], at[!in_place], NULL));
            assert_true(test_difference(options.precision, at[!in_place], expected, COUNT) <=
                        50 * test_real_epsilon(options.precision));
            if (!in_place) {
                assert_memory_equal(at[0], rhs, COUNT * real);
                for (size_t i = 0; i < real; i++)
                    assert_int_equal((unsigned char)solution[i], 0xA5);
                for (size_t i = 0; i < 64; i++)
                    assert_int_equal((unsigned char)at[1][COUNT * real + i], 0xA5);
            }
        }
        starfish_plan_destroy(plan);
        free(rhs);
        free(expected);
        free(shifted);
        free(solution);
    }
}

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

static void jobs_tell_how_far_they_are(void **state)
{
    (void)state;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.slabs = 4;
    options.check_residual = 1;
    starfish_plan *plan = plan_with(&options);
    unsigned seed = 8;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *solution = malloc(COUNT * sizeof *solution);
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_job *job;
    struct starfish_poisson_phases phases = STARFISH_POISSON_PHASES_DEFAULTS;
    size_t finished = 0, total = 0, before = 0;
    ASSERT_OK(starfish_plan_submit(plan, NULL, rhs, solution, &job));
    ASSERT_OK(starfish_poisson_tell_phases(job, &phases));
    do {
        starfish_job_state(job, &finished, &total);
        assert_true(before <= finished && finished <= total && total >= 12);
        before = finished;
    } while (finished < total);
    ASSERT_OK(starfish_job_finish(job, &info));
    /* Bringing the four slabs home is a task, too, but no worker's. */
    assert_int_equal(info.worker[STARFISH_CPU].tasks + info.worker[STARFISH_GPU].tasks + 4, total);
    assert_true(info.residual_max < 1e-13 && info.seconds > 0 && info.pertrb == 0);
    assert_int_equal(phases.phases, 4);
    for (int phase = 0; phase < phases.phases; phase++) {
        assert_true(strlen(phases.phase[phase].name) > 0);
        assert_true(phases.phase[phase].seconds > 0);
        /* The last one, the check of the residual, is no part of the solve. */
        assert_true(phase == 3 || phases.phase[phase].seconds <= info.seconds);
    }
    if (workers[STARFISH_GPU] == 0)
        assert_true(info.host_to_device == 0 && info.device_to_host == 0 && info.device_to_device == 0);
    starfish_plan_destroy(plan);
    free(rhs);
    free(solution);
}

/* Between lone solves the field may be cut anew for cores and GPUs, but not once fields were made for its cut. */
static void solves_agree_however_the_field_is_cut(void **state)
{
    (void)state;
    enum { SOLVES = 30, N = 32, PLANES = 160, UNKNOWNS = N * N * PLANES }; /* planes for many cores */
    const struct starfish_poisson_problem problem = {
        .axis = {uniform(N, STARFISH_PERIODIC), uniform(N, STARFISH_NEUMANN), uniform(PLANES, STARFISH_DIRICHLET)},
        .lambda = 0};
    starfish_plan *plan;
    unsigned seed = 12;
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, NULL, &plan));
    double *rhs = test_reals(STARFISH_F64, UNKNOWNS, &seed), *solution = malloc(UNKNOWNS * sizeof *solution);
    double *expected = malloc(UNKNOWNS * sizeof *expected), largest = 0;
    starfish_field *field[2];
    starfish_job *job;
    ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, expected, NULL));
    for (size_t i = 0; i < UNKNOWNS; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (int solve = 0; solve < 2 * SOLVES; solve++) {
        memset(solution, 0xff, UNKNOWNS * sizeof *solution);
        if (solve == SOLVES) {
            ASSERT_OK(starfish_poisson_field(plan, rhs, &field[0]));
            ASSERT_OK(starfish_poisson_field(plan, solution, &field[1]));
            ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field[0], field[1], &job));
            ASSERT_OK(starfish_job_finish(job, NULL));
            starfish_field_destroy(field[0]);
            starfish_field_destroy(field[1]);
        } else {
            ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution, NULL));
        }
        for (size_t i = 0; i < UNKNOWNS; i++)
            if (!(fabs(solution[i] - expected[i]) <= 1e-12 * largest))
                fail_msg("solve %d, element %zu: %g, not %g", solve, i, solution[i], expected[i]);
    }
    starfish_plan_destroy(plan);
    free(rhs);
    free(expected);
    free(solution);
}

/* Boundary data are copied by submit; the right-hand side stays as it is. */
static void boundary_data_may_go_after_submission(void **state)
{
    (void)state;
    starfish_plan *plan = plan_with(NULL);
    struct starfish_boundary boundary = {.constant = {{0, 0}, {0.5, 0}, {0, 0}}};
    unsigned seed = 2;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *copy = malloc(COUNT * sizeof *copy);
    double *kept = malloc(COUNT * sizeof *kept), *gone = malloc(COUNT * sizeof *gone);
    double *face = test_reals(STARFISH_F64, NX * NY, &seed);
    starfish_job *job;
    boundary.array[2][1] = face;
    memcpy(copy, rhs, COUNT * sizeof *rhs);
    ASSERT_OK(starfish_plan_solve(plan, &boundary, rhs, kept, NULL));
    ASSERT_OK(starfish_plan_submit(plan, &boundary, rhs, gone, &job));
    memset(face, 0xff, NX * NY * sizeof *face);
    memset(&boundary, 0xff, sizeof boundary);
    ASSERT_OK(starfish_job_finish(job, NULL));
    assert_true(test_difference(STARFISH_F64, kept, gone, COUNT) <= 1e-13);
    assert_memory_equal(rhs, copy, COUNT * sizeof *rhs);
    starfish_plan_destroy(plan);
    free(rhs), free(copy), free(kept), free(gone), free(face);
}

/* One array may be the data of several faces, waited for or not. */
static void faces_may_share_an_array(void **state)
{
    (void)state;
    starfish_plan *plan = plan_with(NULL);
    unsigned seed = 12;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *expected = malloc(COUNT * sizeof *expected);
    double *got = malloc(COUNT * sizeof *got), *face = test_reals(STARFISH_F64, NX * NY, &seed);
    double *copy = malloc(NX * NY * sizeof *copy);
    memcpy(copy, face, NX * NY * sizeof *copy);
    const struct starfish_boundary apart = {.array = {{NULL}, {NULL}, {face, copy}}};
    const struct starfish_boundary shared = {.array = {{NULL}, {NULL}, {face, face}}};
    starfish_job *job;
    ASSERT_OK(starfish_plan_solve(plan, &apart, rhs, expected, NULL));
    ASSERT_OK(starfish_plan_solve(plan, &shared, rhs, got, NULL));
    assert_true(test_difference(STARFISH_F64, expected, got, COUNT) <= 1e-13);
    memset(got, 0xff, COUNT * sizeof *got);
    ASSERT_OK(starfish_plan_submit(plan, &shared, rhs, got, &job));
    ASSERT_OK(starfish_job_finish(job, NULL));
    assert_true(test_difference(STARFISH_F64, expected, got, COUNT) <= 1e-13);
    assert_memory_equal(face, copy, NX * NY * sizeof *copy);
    starfish_plan_destroy(plan);
    free(rhs), free(expected), free(got), free(face), free(copy);
}

/* Not a number in, an error out where the residual is looked at; the plan and the context are as good as before. */
static void what_is_not_finite_is_a_numerical_error(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int variant = 0; variant < 24; variant++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = variant & 1 ? STARFISH_METHOD_BLKTRI : STARFISH_METHOD_SLAB;
        options.precision = variant & 2 ? STARFISH_F32 : STARFISH_F64;
        options.check_residual = variant / 4 % 2;
        options.slabs = 3;
        starfish_plan *plan = plan_with(&options);
        unsigned seed = 4;
        void *rhs = test_reals(options.precision, COUNT, &seed), *good = malloc(COUNT * sizeof(double)),
             *solution = malloc(COUNT * sizeof(double));
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, good, NULL));
        const double value = test_real_get(rhs, options.precision, COUNT / 3);
        test_real_put(rhs, options.precision, COUNT / 3, bad[variant / 8]);
        if (options.check_residual) {
            ASSERT_FAILS(starfish_plan_solve(plan, NULL, rhs, solution, &info), STARFISH_ERROR_NUMERICAL, "not finite");
            assert_int_equal(info.outcome, STARFISH_STAGNATED);
        } else {
            ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution, &info));
            assert_true(isnan(info.residual_max));
        }
        test_real_put(rhs, options.precision, COUNT / 3, value);
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution, &info));
        assert_true(test_difference(options.precision, solution, good, COUNT) <=
                    50 * test_real_epsilon(options.precision));
        starfish_plan_destroy(plan);
        free(rhs), free(good), free(solution);
    }
}

int test_interface(const char *name, int cpu_workers, int gpu_workers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_tell_what_they_are),
        cmocka_unit_test(auto_weighs_methods_in_2d),
        cmocka_unit_test(solves_tell_of_their_levels),
        cmocka_unit_test(refuses_bad_plans),
        cmocka_unit_test(refuses_null_pointers),
        cmocka_unit_test(refuses_arrays_that_overlap),
        cmocka_unit_test(fields_are_released_once),
        cmocka_unit_test(null_has_nothing_to_tell),
        cmocka_unit_test(refuses_fields_of_another_shape),
        cmocka_unit_test(arrays_may_lie_anywhere),
        cmocka_unit_test(jobs_tell_how_far_they_are),
        cmocka_unit_test(solves_agree_however_the_field_is_cut),
        cmocka_unit_test(boundary_data_may_go_after_submission),
        cmocka_unit_test(faces_may_share_an_array),
        cmocka_unit_test(what_is_not_finite_is_a_numerical_error),
    };
    workers[STARFISH_CPU] = cpu_workers;
    workers[STARFISH_GPU] = gpu_workers;
    return TEST_GROUP(name, tests, &context, gpu_workers, cpu_workers, 0);
}
