/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays with halos and many problems: f = A u by the oracle for each problem, its rows anywhere; the solver must
 * return u and leave everything between the rows as it was. */
#include "tests/poisson/arrays.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"
#include "tests/poisson/arrays_cases.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct starfish_context_options workers;

static int set_up(void **state)
{
    (void)state;
    if (starfish_context_create(&arrays_context, &workers) == STARFISH_SUCCESS)
        return 0;
    fprintf(stderr, "%s\n", starfish_error_message());
    return -1;
}

static int tear_down(void **state)
{
    (void)state;
    starfish_context_destroy(arrays_context);
    return 0;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

/* Packed, a halo of one layer, or gaps of any sizes. */
static struct starfish_array_layout random_layout(const struct arrays_case *c, unsigned *seed)
{
    const size_t kind = arrays_draw(seed, 3), *n = c->n;
    if (kind == 0)
        return (struct starfish_array_layout){0};
    if (kind == 1)
        return (struct starfish_array_layout){.offset = 1 + (n[0] + 2) * (1 + (n[1] + 2)),
                                              .row = n[0] + 2,
                                              .plane = (n[0] + 2) * (n[1] + 2),
                                              .problem = (n[0] + 2) * (n[1] + 2) * (n[2] + 2)};
    struct starfish_array_layout layout = {.offset = arrays_draw(seed, 4), .row = n[0] + arrays_draw(seed, 3)};
    layout.plane = layout.row * n[1] + arrays_draw(seed, 6);
    layout.problem = arrays_draw(seed, 2) ? 0 : layout.plane * n[2] + arrays_draw(seed, 9);
    return layout;
}

static void random_layouts_and_counts(void **state)
{
    (void)state;
    unsigned seed = 2718;
    for (int i = 0; i < 100; i++) {
        struct arrays_case c = {.lambda = -1, .options = STARFISH_POISSON_OPTIONS_DEFAULTS};
        c.axis[0] = arrays_ends[arrays_draw(&seed, ARRAYS_UNIFORM)];
        c.axis[1] = arrays_ends[arrays_draw(&seed, ARRAYS_UNIFORM)];
        c.axis[2] = arrays_ends[arrays_draw(&seed, ARRAYS_ENDS)];
        for (int axis = 0; axis < 3; axis++) {
            c.n[axis] = 1 + arrays_draw(&seed, 12);
            if (strstr(c.axis[axis], "nn node") && c.n[axis] < 2)
                c.n[axis] = 2;
        }
        c.options.precision = i % 2 ? STARFISH_F32 : STARFISH_F64;
        c.options.count = (size_t[]){0, 1, 2, 3, 7, 40}[arrays_draw(&seed, 6)];
        c.options.method = STARFISH_METHOD_SLAB;
        if (c.options.count < 2)
            c.options.method = (starfish_method)(STARFISH_METHOD_SLAB + arrays_draw(&seed, 3));
        c.options.slabs =
            arrays_draw(&seed, 2) * (1 + arrays_draw(&seed, c.options.count > 1 ? c.options.count : c.n[2]));
        if (c.options.method != STARFISH_METHOD_SLAB)
            c.options.slabs = 0;
        c.options.rhs_layout = random_layout(&c, &seed);
        c.options.solution_layout = random_layout(&c, &seed);
        c.in_place = arrays_draw(&seed, 4) == 0;
        if (c.in_place)
            c.options.solution_layout = c.options.rhs_layout;
        c.with_boundary = arrays_draw(&seed, 2) == 1;
        c.options.check_residual = arrays_draw(&seed, 3) == 0;
        c.options.check_data = i % 3 == 0;
        c.options.refinements = arrays_draw(&seed, 5) == 0;
        arrays_check(&c, &seed);
    }
}

/* Lines beyond what a GPU does in shared memory, planes beyond a tile, a y without a transform. */
static void larger_layouts(void **state)
{
    (void)state;
    static const struct {
        const char *axis[3];
        size_t n[3], count;
    } cases[] = {{{"periodic", "nn cell", "dd cell"}, {32, 32, 32}, 20},
                 {{"periodic", "nn cell", "dn node"}, {64, 48, 33}, 1},
                 {{"dd node", "dd cell", "nd cell"}, {47, 29, 31}, 5},
                 {{"nn cell", "periodic", "periodic"}, {64, 64, 16}, 3},
                 {{"periodic", "dd cell stretched", "dd cell"}, {24, 20, 18}, 4},
                 {{"periodic", "dd cell stretched", "dd cell"}, {24, 20, 18}, 1},
                 {{"dd cell", "periodic", "dd cell"}, {4099, 5, 3}, 2},
                 {{"periodic", "dn cell", "dd cell"}, {5, 4099, 3}, 1},
                 {{"periodic", "nn cell", "dd node"}, {6, 5, 3000}, 2}};
    unsigned seed = 31;
    for (size_t i = 0; i < 4 * sizeof cases / sizeof cases[0]; i++) {
        struct arrays_case c = {
            .lambda = -2, .options = STARFISH_POISSON_OPTIONS_DEFAULTS, .with_boundary = i % 4 == 1};
        memcpy(c.axis, cases[i / 4].axis, sizeof c.axis);
        memcpy(c.n, cases[i / 4].n, sizeof c.n);
        c.options.method = STARFISH_METHOD_SLAB;
        c.options.refinements = 0;
        c.options.count = cases[i / 4].count;
        c.options.precision = i % 4 == 2 ? STARFISH_F32 : STARFISH_F64;
        if (c.options.precision == STARFISH_F32 && (c.n[0] > 1000 || c.n[1] > 1000 || c.n[2] > 1000))
            continue; /* the oracle's right-hand side has lost the digits that this asks for */
        if (i % 4 != 3) {
            c.options.rhs_layout = (struct starfish_array_layout){.offset = 3, .row = c.n[0] + i % 4};
            c.options.solution_layout =
                (struct starfish_array_layout){.row = c.n[0] + 2,
                                               .plane = (c.n[0] + 2) * (c.n[1] + 2),
                                               .problem = (c.n[0] + 2) * (c.n[1] + 2) * (c.n[2] + 2)};
        }
        arrays_check(&c, &seed);
    }
}

/* Every problem has a mean of its own to lose. */
static void many_singular_problems(void **state)
{
    (void)state;
    static const char *const kinds[] = {"periodic", "nn node", "nn cell"};
    unsigned seed = 5;
    for (int i = 0; i < 27; i++) {
        struct arrays_case c = {.lambda = 0,
                                .shift = 0.5,
                                .axis = {kinds[i % 3], kinds[i / 3 % 3], kinds[i / 9]},
                                .n = {6, 5 + (size_t)i % 2, 8},
                                .options = STARFISH_POISSON_OPTIONS_DEFAULTS};
        c.options.count = (size_t[]){1, 4, 9}[i % 3];
        c.options.method = STARFISH_METHOD_SLAB;
        c.options.check_residual = i % 2;
        c.options.refinements = i % 4 == 0;
        c.options.solution_layout = random_layout(&c, &seed);
        arrays_check(&c, &seed);
    }
}

/* Rows of a 2D problem, real and complex. */
static void layouts_in_two_dimensions(void **state)
{
    (void)state;
    enum { NX = 7, NY = 9, ROW = 11, SIZE = 2 * (3 + ROW * NY) };
    unsigned seed = 77;
    for (int variant = 0; variant < 8; variant++) {
        struct starfish_axis x = test_matrix(NX, 0, &seed), y = test_matrix(NY, variant & 4, &seed);
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        const size_t parts = variant & 1 ? 2 : 1;
        double *f = test_reals(STARFISH_F64, parts * NX * NY, &seed), wanted[2 * NX * NY];
        double from[SIZE], to[SIZE];
        starfish_plan *plan;
        options.complex_rhs = variant & 1;
        options.method = variant & 2 ? STARFISH_METHOD_BLKTRI : STARFISH_METHOD_SLAB;
        ASSERT_OK(starfish_separable2d_plan_create(arrays_context, &x, &y, -1, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, wanted, NULL));
        starfish_plan_destroy(plan);
        options.rhs_layout = options.solution_layout = (struct starfish_array_layout){.offset = 3, .row = ROW};
        ASSERT_OK(starfish_separable2d_plan_create(arrays_context, &x, &y, -1, &options, &plan));
        for (size_t e = 0; e < SIZE; e++)
            from[e] = to[e] = arrays_between;
        for (size_t e = 0; e < parts * NX * NY; e++)
            from[parts * 3 + e / (parts * NX) * parts * ROW + e % (parts * NX)] = f[e];
        ASSERT_OK(starfish_plan_solve(plan, NULL, from, to, NULL));
        for (size_t e = 0; e < parts * NX * NY; e++) {
            double *value = &to[parts * 3 + e / (parts * NX) * parts * ROW + e % (parts * NX)];
            assert_true(fabs(*value - wanted[e]) <= 1e-12);
            *value = arrays_between;
        }
        for (size_t e = 0; e < SIZE; e++)
            assert_true(to[e] == arrays_between);
        starfish_plan_destroy(plan);
        test_axis_free(&x), test_axis_free(&y);
        free(f);
    }
}

enum { STREAM = 5 };

/* Solves with right-hand sides of its own in arrays of its own, all in flight. */
static void stream_of_solves(const struct arrays_case *c, starfish_plan *plan, unsigned *seed)
{
    struct arrays_made m[STREAM];
    void *rhs[STREAM], *solution[STREAM];
    starfish_job *job[STREAM];
    const struct starfish_array_layout layout = arrays_full(c, c->options.rhs_layout);
    const size_t bytes = arrays_size(c, &layout) * sizeof(double);
    double *result = malloc(12 * 10 * 14 * sizeof *result), *back = malloc(bytes);
    for (int s = 0; s < STREAM; s++) {
        m[s] = arrays_make(c, seed);
        void *const filled = arrays_spread(c, &layout, m[s].f, m[s].elements), *const empty =
                                                                                   arrays_spread(c, &layout, NULL, 0);
        rhs[s] = arrays_memory->upload(filled, bytes);
        solution[s] = arrays_memory->upload(empty, bytes);
        free(filled), free(empty);
    }
    for (int s = 0; s < STREAM; s++)
        ASSERT_OK(starfish_plan_submit(plan, NULL, rhs[s], solution[s], &job[s]));
    for (int s = 0; s < STREAM; s++) {
        ASSERT_OK(starfish_job_finish(job[s], NULL));
        arrays_memory->download(back, solution[s], bytes);
        arrays_gather("stream", c, &layout, back, result, m[s].elements);
        assert_true(arrays_error(&m[s], result, 0) < 1e-11);
        arrays_free(&m[s]);
    }
    arrays_memory->release();
    free(result), free(back);
}

/* Jobs in flight share the plan's memory for modes. The plan remembers arrays on a device: later streams are likely to
 * have theirs where those of earlier ones, which are gone, have been. */
static void streams_of_solves(void **state)
{
    (void)state;
    unsigned seed = 6;
    for (int i = 0; i < 2; i++) {
        struct arrays_case c = {.axis = {"periodic", "nn cell", "dd cell"},
                                .n = {12, 10, 14},
                                .lambda = -1,
                                .options = STARFISH_POISSON_OPTIONS_DEFAULTS};
        c.options.method = STARFISH_METHOD_SLAB;
        if (i == 0)
            c.options.rhs_layout = c.options.solution_layout =
                (struct starfish_array_layout){.offset = 2, .row = 15, .plane = 160};
        struct arrays_made made = arrays_make(&c, &seed);
        starfish_plan *plan;
        ASSERT_OK(starfish_poisson_plan_create(arrays_context, &made.problem, &c.options, &plan));
        for (int stream = 0; stream < 6; stream++)
            stream_of_solves(&c, plan, &seed);
        starfish_plan_destroy(plan);
        arrays_free(&made);
    }
}

/* Which arrays have room for ghosts around their unknowns. */
enum { ROOM_IN_RHS = 1, ROOM_IN_SOLUTION = 2, ROOMS = 4 };

static void check_after_failure(starfish_method method, int rooms, int checked, double value)
{
    enum { N = 4, ALL = (N + 2) * (N + 2) * (N + 2) };
    const struct starfish_array_layout layout = {
        .offset = 1 + (N + 2) + (N + 2) * (N + 2), .row = N + 2, .plane = (N + 2) * (N + 2)};
    struct starfish_poisson_problem p = {
        .axis = {test_axis("nn cell", N, 0, 1), test_axis("dd cell", N, 0, 1), test_axis("dd cell", N, 0, 1)},
        .lambda = 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    double f[ALL], ones[ALL];
    options.method = method;
    options.check_residual = checked;
    options.rhs_layout = rooms & ROOM_IN_RHS ? layout : options.rhs_layout;
    options.solution_layout = rooms & ROOM_IN_SOLUTION ? layout : options.solution_layout;
    options.ghosts = (rooms & ROOM_IN_SOLUTION) && arrays_can_fill_ghosts();
    for (size_t e = 0; e < ALL; e++)
        f[e] = ones[e] = 1;
    f[options.rhs_layout.offset] = value;
    const void *const rhs[] = {arrays_memory->upload(f, sizeof f), arrays_memory->upload(ones, sizeof ones)};
    void *const solution = arrays_memory->upload(ones, sizeof ones);
    ASSERT_OK(starfish_poisson_plan_create(arrays_context, &p, &options, &plan));
    if (method == STARFISH_METHOD_MULTIGRID)
        ASSERT_FAILS(starfish_plan_solve(plan, NULL, rhs[0], solution, NULL), STARFISH_ERROR_NUMERICAL, "rhs");
    else
        assert_int_equal(starfish_plan_solve(plan, NULL, rhs[0], solution, NULL),
                         checked && isnan(value) ? STARFISH_ERROR_NUMERICAL : STARFISH_SUCCESS);
    ASSERT_OK(starfish_plan_solve(plan, NULL, rhs[1], solution, NULL));
    starfish_plan_destroy(plan);
    arrays_memory->release();
    for (int axis = 0; axis < 3; axis++)
        test_axis_free(&p.axis[axis]);
}

/* A right-hand side without a solution, or whose squares are too large, leaves no data without values to be read. */
static void right_hand_sides_that_are_not_finite(void **state)
{
    (void)state;
    static const double values[] = {(double)NAN, 1e200};
    static const starfish_method methods[] = {STARFISH_METHOD_MULTIGRID, STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI};
    for (int i = 0; i < 2 * 3 * 2 * ROOMS; i++)
        check_after_failure(methods[i / 2 % 3], i / 12, i / 6 % 2, values[i % 2]);
}

static void expect_refusal(const struct starfish_poisson_problem *problem,
                           const struct starfish_poisson_options *options, starfish_status status, const char *names)
{
    starfish_plan *plan = NULL;
    assert_int_equal(starfish_poisson_plan_create(arrays_context, problem, options, &plan), status);
    if (!strstr(starfish_error_message(), names))
        fail_msg("'%s' does not name %s", starfish_error_message(), names);
}

static void refuses_layouts_that_overlap(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = {
        .axis = {test_axis("periodic", 8, 0, 1), test_axis("dd cell", 6, 0, 1), test_axis("dd cell", 4, 0, 1)},
        .lambda = 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.rhs_layout.row = 7;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "rhs_layout.row");
    options.rhs_layout = (struct starfish_array_layout){.row = 9, .plane = 53};
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "rhs_layout.plane");
    options.rhs_layout = (struct starfish_array_layout){.row = UINT32_MAX}; /* six rows make no plane of the runtime */
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "rhs_layout.row");
    options.rhs_layout = (struct starfish_array_layout){0};
    options.solution_layout.problem = 191;
    options.count = 2;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "solution_layout.problem");
    options.solution_layout.problem = 0;
    options.method = STARFISH_METHOD_BLKTRI;
    expect_refusal(&p, &options, STARFISH_ERROR_UNSUPPORTED, "count");
    options.method = STARFISH_METHOD_SLAB;
    options.slabs = 3;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "slabs");
    options.slabs = 0;
    options.count = SIZE_MAX;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "count");
    options.count = 1;
    options.ghosts = 1;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "solution_layout.row");
    options.solution_layout = (struct starfish_array_layout){.row = 10, .plane = 70};
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "solution_layout.plane");
    options.solution_layout = (struct starfish_array_layout){.row = 10, .plane = 80, .offset = 90};
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "solution_layout.offset");
    options.ghosts = 0;
    options.solution_layout = (struct starfish_array_layout){.row = 9};
    starfish_plan *plan;
    double array[9 * 6 * 4];
    ASSERT_OK(starfish_poisson_plan_create(arrays_context, &p, &options, &plan));
    assert_int_equal(starfish_plan_solve(plan, NULL, array, array, NULL), STARFISH_ERROR_ARGUMENT);
    assert_int_equal(starfish_poisson_tell_pertrb(NULL, array), STARFISH_ERROR_ARGUMENT);
    starfish_job *job = NULL;
    const starfish_status status = starfish_poisson_submit_on(plan, NULL, array, array, NULL, &job);
    assert_true(status == STARFISH_ERROR_UNSUPPORTED ||
                status == STARFISH_ERROR_ARGUMENT); /* no CUDA, or on the host */
    assert_null(job);
    starfish_plan_destroy(plan);
    for (int axis = 0; axis < 3; axis++)
        test_axis_free(&p.axis[axis]);
}

int test_arrays(const char *name, const struct test_memory *memory, int cpu_workers, int gpu_workers, int cores)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layouts_and_counts),
        cmocka_unit_test(larger_layouts),
        cmocka_unit_test(many_singular_problems),
        cmocka_unit_test(layouts_in_two_dimensions),
        cmocka_unit_test(streams_of_solves),
        cmocka_unit_test(ghosts_are_filled),
        cmocka_unit_test(refuses_layouts_that_overlap),
        cmocka_unit_test(right_hand_sides_that_are_not_finite),
    };
    workers = (struct starfish_context_options)STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    workers.cpu_workers = cpu_workers;
    workers.gpu_workers = gpu_workers;
    workers.cores_per_worker = cores;
    arrays_memory = memory;
    return cmocka_run_group_tests_name(name, tests, set_up, tear_down);
}
