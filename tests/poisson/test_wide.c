/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `auto` would refuse in f32 is solved again in f64, wherever the solution is to go; and not where that was not
 * left to the plan. What no other method can solve is eliminated. */
#include "tests/common/about.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"
#include "tests/poisson/oracle.h"

#include <starfish/starfish.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static starfish_context *context;

enum { NX = 4, NY = 5, NZ = 6, N = NX * NY * NZ, MOST = 3, ROW = NX + 3, PLANE = ROW * (NY + 2) };

/* Rows of z are up to 1e8 long, and values of the solution about 0.05: its rounding to f32 leaves residuals of about
 * 0.3 where the right-hand side is 1. */
static const double scale[NZ] = {1e-4, 1e3, 1e8, 1e-3, 1e2, 1e-5};
static double off[NZ], diag[NZ];

static struct starfish_poisson_problem scaled_rows(void)
{
    struct starfish_poisson_problem p = {
        .axis = {test_axis("dd node", NX, 0, 1), test_axis("dn cell", NY, 0, 1), {.n = NZ}}};
    for (int k = 0; k < NZ; k++) {
        off[k] = scale[k];
        diag[k] = -2.5 * scale[k];
    }
    p.axis[2] = (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL, .n = NZ, .lower = off, .diag = diag, .upper = off};
    return p;
}

struct way {
    const char *name;
    int in_place, boundary, strides, ghosts;
    size_t count, slabs;
};

static size_t place(const struct way *way, size_t problem, size_t i)
{
    const size_t x = i % NX, y = i / NX % NY, z = i / NX / NY;
    return way->strides ? 1 + ROW + PLANE + x + ROW * y + PLANE * (z + (NZ + 2) * problem) : i + N * problem;
}

static struct starfish_poisson_options options_of(const struct way *way, starfish_precision precision)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.precision = precision;
    options.check_residual = 1;
    options.count = way->count;
    options.slabs = way->slabs;
    options.ghosts = way->ghosts;
    if (way->strides)
        options.rhs_layout = options.solution_layout = (struct starfish_array_layout){
            .offset = 1 + ROW + PLANE, .row = ROW, .plane = PLANE, .problem = PLANE * (NZ + 2)};
    return options;
}

/* One solve; data of the face at x = 0 where the way has boundary data. */
static starfish_status solve(const struct way *way, const struct starfish_poisson_options *options, double *u,
                             struct starfish_result *info, struct starfish_poisson_phases *phases)
{
    enum { REALS = MOST * PLANE * (NZ + 2) };
    static double rhs[REALS], solution[REALS], face[MOST * NY * NZ];
    const struct starfish_poisson_problem p = scaled_rows();
    const struct starfish_boundary boundary = {.array = {{face, NULL}}, .constant = {{0, 0.5}}};
    starfish_plan *plan;
    starfish_job *job;
    unsigned seed = 7;
    for (size_t i = 0; i < way->count * NY * NZ; i++)
        test_real_put(face, options->precision, i, (double)(float)test_real_random(&seed));
    for (size_t problem = 0; problem < way->count; problem++)
        for (size_t i = 0; i < N; i++)
            test_real_put(rhs, options->precision, place(way, problem, i), (double)(float)test_real_random(&seed));
    ASSERT_OK(starfish_poisson_plan_create(context, &p, options, &plan));
    void *const to = way->in_place ? rhs : solution;
    ASSERT_OK(starfish_plan_submit(plan, way->boundary ? &boundary : NULL, rhs, to, &job));
    ASSERT_OK(starfish_poisson_tell_phases(job, phases));
    const starfish_status status = starfish_job_finish(job, info);
    for (size_t problem = 0; problem < way->count; problem++)
        for (size_t i = 0; i < N; i++)
            u[problem * N + i] = test_real_get(to, options->precision, place(way, problem, i));
    starfish_plan_destroy(plan);
    return status;
}

static int was_repeated(const struct starfish_result *info, const struct starfish_poisson_phases *phases)
{
    for (int phase = 0; phase < phases->phases; phase++)
        if (strcmp(phases->phase[phase].name, "again in f64") == 0)
            return phases->phase[phase].seconds > 0 && info->seconds > phases->phase[phase].seconds;
    return 0;
}

static void solutions_of_auto_are_right(void **state)
{
    (void)state;
    static const struct way ways[] = {
        {.name = "two arrays", .count = 1},
        {.name = "slabs", .count = 1, .slabs = 3},
        {.name = "in place", .in_place = 1, .count = 1},
        {.name = "boundary data", .boundary = 1, .count = 1},
        {.name = "boundary data in place", .in_place = 1, .boundary = 1, .count = 1, .slabs = 2},
        {.name = "strides", .strides = 1, .boundary = 1, .count = 1},
        {.name = "ghosts", .strides = 1, .ghosts = 1, .count = 1, .slabs = 2},
        {.name = "three problems", .boundary = 1, .count = MOST},
    };
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        static double u[MOST * N], wanted[MOST * N];
        const struct starfish_poisson_options narrow = options_of(&ways[w], STARFISH_F32),
                                              wide = options_of(&ways[w], STARFISH_F64);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        struct starfish_poisson_phases phases = STARFISH_POISSON_PHASES_DEFAULTS;
        double largest = 0, error = 0;
        ASSERT_OK(solve(&ways[w], &wide, wanted, NULL, &phases));
        ASSERT_OK(solve(&ways[w], &narrow, u, &info, &phases));
        for (size_t i = 0; i < ways[w].count * N; i++) {
            largest = fmax(largest, fabs(wanted[i]));
            error = test_worst(error, fabs(u[i] - wanted[i]));
        }
        if (!was_repeated(&info, &phases) || !(info.residual_max <= 1e-3) || !(error <= 4e-7 * largest))
            fail_msg("%s: repeated: %d, residual %g, error %g of %g", ways[w].name, was_repeated(&info, &phases),
                     info.residual_max, error, largest);
    }
}

static void what_was_asked_for_is_refused(void **state)
{
    (void)state;
    static const struct way way = {.name = "two arrays", .count = 1};
    static double u[N];
    struct starfish_poisson_phases phases = STARFISH_POISSON_PHASES_DEFAULTS;
    struct starfish_poisson_options options = options_of(&way, STARFISH_F32);
    options.method = STARFISH_METHOD_SLAB;
    ASSERT_FAILS(solve(&way, &options, u, NULL, &phases), STARFISH_ERROR_NUMERICAL, "the residual is");
    options.method = STARFISH_METHOD_AUTO;
    options.refinements = 1;
    ASSERT_FAILS(solve(&way, &options, u, NULL, &phases), STARFISH_ERROR_NUMERICAL, "the residual is");
}

/* ---- Elimination ------------------------------------------------------------------------------------------------- */

enum { RING = 6, RINGS = NX * RING * RING };

/* Couplings whose products around a ring differ, rows that are `growth` times longer from one to the next. */
static struct starfish_axis ring_of(double values[3][RING], double growth)
{
    for (int k = 0; k < RING; k++) {
        const double size = pow(growth, k);
        values[0][k] = size * (1 + k);
        values[1][k] = size * -(3.5 + k);
        values[2][k] = size * 2;
    }
    return (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL,
                                  .n = RING,
                                  .periodic = 1,
                                  .lower = values[0],
                                  .diag = values[1],
                                  .upper = values[2]};
}

/* A u at one unknown of constant rows of x without ends, and of both rings. */
static double row_of(double ring[2][3][RING], const double *u, int x, int y, int z)
{
    const int ny[3] = {(y + RING - 1) % RING, y, (y + 1) % RING}, nz[3] = {(z + RING - 1) % RING, z, (z + 1) % RING};
    double sum = -3 * u[x + NX * (y + RING * z)];
    sum += u[(x + 1) % NX + NX * (y + RING * z)] + u[(x + NX - 1) % NX + NX * (y + RING * z)];
    for (int side = 0; side < 3; side++)
        sum +=
            ring[0][side][y] * u[x + NX * (ny[side] + RING * z)] + ring[1][side][z] * u[x + NX * (y + RING * nz[side])];
    return sum;
}

static void two_rings_are_eliminated(starfish_precision precision, double growth, double bound)
{
    static const double ones[] = {1, 1, 1, 1}, threes[] = {-3, -3, -3, -3};
    double ring[2][3][RING], u[RINGS], rhs[RINGS], solution[RINGS], error = 0;
    const struct starfish_axis x = {
        .kind = STARFISH_TRIDIAGONAL, .n = NX, .periodic = 1, .lower = ones, .diag = threes, .upper = ones};
    const struct starfish_poisson_problem p = {.axis = {x, ring_of(ring[0], growth), ring_of(ring[1], growth)}};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    unsigned seed = 3;
    options.precision = precision;
    options.check_residual = 1;
    for (int i = 0; i < RINGS; i++)
        u[i] = test_real_random(&seed);
    for (int i = 0; i < RINGS; i++)
        test_real_put(rhs, precision, (size_t)i, row_of(ring, u, i % NX, i / NX % RING, i / NX / RING));
    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
    assert_string_equal(test_about(plan).method, "elimination");
    ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution, NULL));
    starfish_plan_destroy(plan);
    for (int i = 0; i < RINGS; i++)
        error = test_worst(error, fabs(test_real_get(solution, precision, (size_t)i) - u[i]));
    if (!(error <= bound))
        fail_msg("growth %g: the error is %g", growth, error);
}

static void asymmetric_rings_are_eliminated(void **state)
{
    (void)state;
    two_rings_are_eliminated(STARFISH_F64, 1, 1e-13);
    two_rings_are_eliminated(STARFISH_F64, 1e4, 1e-11);
    two_rings_are_eliminated(STARFISH_F32, 1, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_of_auto_are_right),
        cmocka_unit_test(what_was_asked_for_is_refused),
        cmocka_unit_test(asymmetric_rings_are_eliminated),
    };
    return TEST_GROUP("wide", tests, &context, 0, -1, 0);
}
