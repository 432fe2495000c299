/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Large arrays in pageable memory, with cores and a GPU: the cores copy slabs through pinned memory, and the GPU solves
 * all of them. The oracle is the cores alone. Exit status 77 without a GPU. */
#include "scheduler/runtime/context.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <sched.h>
#include <starfish/starfish.h>
#include <stdlib.h>
#include <string.h>

enum { N = 128, ROW = N + 4, PLANE = ROW * (N + 2), PLANES = 2 * N, NO_DEVICE = 77, FLIGHTS = 3, ENOUGH_CORES = 8 };

static const struct way {
    const char *name;
    int single, in_place, singular, boundary, strided, ghosts, check_residual, refinements, check_data;
    size_t nz; /* 0: PLANES */
} ways[] = {{.name = "plain"},
            {.name = "single precision, odd planes", .single = 1, .nz = 513},
            {.name = "in place", .in_place = 1},
            {.name = "singular", .singular = 1},
            {.name = "boundary data", .boundary = 1},
            {.name = "rows apart, with ghosts", .strided = 1, .ghosts = 1, .boundary = 1},
            {.name = "checked and refined", .check_residual = 1, .refinements = 1, .check_data = 1},
            {.name = "checked, in place", .in_place = 1, .check_residual = 1}};

static starfish_precision precision_of(const struct way *way)
{
    return way->single ? STARFISH_F32 : STARFISH_F64;
}

static size_t planes_of(const struct way *way)
{
    return way->nz > 0 ? way->nz : PLANES;
}

static size_t count_of(const struct way *way)
{
    return way->strided ? PLANE * (planes_of(way) + 2) : N * N * planes_of(way);
}

static starfish_context *context_of(int gpus)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    options.gpu_workers = gpus;
    ASSERT_OK(starfish_context_create(&context, &options));
    return context;
}

static starfish_plan *plan_of(starfish_context *context, const struct way *way)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = way->singular ? 0 : -1};
    starfish_plan *plan;
    options.method = STARFISH_METHOD_SLAB;
    options.precision = precision_of(way);
    options.check_residual = way->check_residual;
    options.refinements = way->refinements;
    options.check_data = way->check_data;
    options.ghosts = way->ghosts;
    if (way->strided) {
        options.rhs_layout = options.solution_layout =
            (struct starfish_array_layout){.row = ROW, .plane = PLANE, .offset = 1 + ROW + PLANE};
    }
    for (int axis = 0; axis < 3; axis++) {
        const starfish_end high = way->singular ? STARFISH_NEUMANN : STARFISH_DIRICHLET;
        problem.axis[axis] = (struct starfish_axis){.kind = STARFISH_UNIFORM,
                                                    .n = axis == 2 ? planes_of(way) : N,
                                                    .length = 1,
                                                    .ends = {STARFISH_NEUMANN, high}};
    }
    problem.axis[0].ends[0] = problem.axis[0].ends[1] = STARFISH_PERIODIC;
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    return plan;
}

static void *random_array(const struct way *way)
{
    unsigned seed = 5;
    return test_reals(precision_of(way), count_of(way), &seed);
}

static void expect_near(const struct way *way, const void *got, const void *expected)
{
    const double most = precision_of(way) == STARFISH_F32 ? 2e-5 : 1e-12;
    const double error = test_difference(precision_of(way), got, expected, count_of(way));
    const double largest = test_largest(precision_of(way), expected, count_of(way));
    if (!(error <= most * largest))
        fail_msg("%s: relative difference %g", way->name, error / largest);
}

/* Several solves at once, of the last of which it tells. */
static void *solve(starfish_plan *plan, const struct way *way, int flights, struct starfish_result *info)
{
    const struct starfish_boundary boundary = {.constant = {[1] = {0.5, 2}, [2] = {-1, 3}}};
    starfish_job *job[FLIGHTS];
    void *rhs[FLIGHTS], *solution[FLIGHTS] = {NULL};
    const int in_place = way->in_place;

    for (int f = 0; f < flights; f++) {
        rhs[f] = random_array(way);
        solution[f] = in_place ? rhs[f] : random_array(way); /* what lies between its rows stays */
        ASSERT_OK(starfish_plan_submit(plan, way->boundary ? &boundary : NULL, rhs[f], solution[f], &job[f]));
    }
    for (int f = 0; f < flights; f++) {
        ASSERT_OK(starfish_job_finish(job[f], info));
        if (f > 0)
            expect_near(way, solution[f], solution[0]);
    }
    for (int f = flights - 1; f >= 0; f--) {
        if (!in_place)
            free(rhs[f]);
        if (f > 0)
            free(solution[f]);
    }
    return solution[0];
}

static void pageable_arrays_are_staged(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        const struct way *way = &ways[w];
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        void *solution[2];
        for (int gpus = 0; gpus < 2; gpus++) {
            starfish_context *context = context_of(gpus);
            starfish_plan *plan = plan_of(context, way);
            solution[gpus] = solve(plan, way, 1, &info);
            if (gpus > 0) {
                void *const again = solve(plan, way, FLIGHTS, &info);
                expect_near(way, again, solution[0]);
                free(again);
            }
            starfish_plan_destroy(plan);
            starfish_context_destroy(context);
        }
        expect_near(way, solution[1], solution[0]);
        free(solution[0]);
        free(solution[1]);
    }
}

/* Both fields cross the link once, in slabs that cores copy before and after. */
static void the_gpu_gets_all_planes(void **state)
{
    (void)state;
    const struct way *way = &ways[0];
    const size_t bytes = count_of(way) * sizeof(double);
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < ENOUGH_CORES)
        skip();
    starfish_context *context = context_of(1);
    starfish_plan *plan = plan_of(context, way);
    free(solve(plan, way, 1, &info));
    free(solve(plan, way, 1, &info));
    assert_true(info.worker[STARFISH_CPU].tasks >= 2 && info.worker[STARFISH_GPU].tasks > 0);
    assert_in_range(info.host_to_device, bytes, bytes + bytes / 10);
    assert_in_range(info.device_to_host, bytes, bytes + bytes / 10);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pageable_arrays_are_staged),
                                       cmocka_unit_test(the_gpu_gets_all_planes)};
    if (starfish_gpu_count() == 0)
        return NO_DEVICE;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
