/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains cut into boxes of columns against whole ones: the same iterations, and solutions that differ by rounding
 * errors, on all kinds of workers and in memories of their own. */
#include "tests/atmosphere/boxes.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context;

enum { MOST_LAYERS = 32 };

/* Two grids are cut, of the second one three, of the last one alone. */
static const struct shape {
    size_t n[3];
    int periodic[2], profiles, drift;
    starfish_flat_geometry geometry;
} shapes[] = {
    {{64, 48, 24}, {0, 0}, 0, 0, STARFISH_FLAT_BOX}, {{64, 64, 32}, {1, 1}, 0, 0, STARFISH_FLAT_BOX},
    {{37, 41, 24}, {0, 0}, 1, 0, STARFISH_PANEL},    {{45, 38, 24}, {0, 0}, 1, 1, STARFISH_FLAT_BOX},
    {{33, 50, 24}, {1, 0}, 0, 0, STARFISH_FLAT_BOX}, {{12, 9, 5}, {0, 1}, 1, 0, STARFISH_FLAT_BOX},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], FEW = 3 };

static const struct cut {
    size_t boxes, parts;
} cuts[] = {{1, 2}, {2, 2}, {2, 4}, {3, 6}, {1, 3}};
enum { CUTS = sizeof cuts / sizeof cuts[0] };

static const struct way {
    starfish_atmosphere_method method;
    starfish_atmosphere_preconditioner preconditioner;
    starfish_precision precision;
    int mixed, red_black, steps;
} ways[] = {
    {STARFISH_ATMOSPHERE_MULTIGRID, STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, STARFISH_F64, 0, 0, 1},
    {STARFISH_ATMOSPHERE_CG, STARFISH_ATMOSPHERE_PRECONDITIONER_LINES, STARFISH_F64, 0, 0, 1},
    {STARFISH_ATMOSPHERE_CG, STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID, STARFISH_F64, 0, 0, 1},
    {STARFISH_ATMOSPHERE_MULTIGRID, STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, STARFISH_F64, 1, 0, 1},
    {STARFISH_ATMOSPHERE_MULTIGRID, STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, STARFISH_F64, 0, 1, 2},
    {STARFISH_ATMOSPHERE_MULTIGRID, STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO, STARFISH_F32, 0, 0, 1},
    {STARFISH_ATMOSPHERE_CG, STARFISH_ATMOSPHERE_PRECONDITIONER_LINES, STARFISH_F64, 1, 0, 1},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

struct profiles {
    double across[64 * 64], up[MOST_LAYERS], xi[MOST_LAYERS];
};

static struct starfish_atmosphere_problem problem_of(const struct shape *s, struct profiles *profiles)
{
    struct starfish_atmosphere_problem p = {.geometry = s->geometry,
                                            .n = {s->n[0], s->n[1], s->n[2]},
                                            .length = {1, 1.25},
                                            .periodic = {s->periodic[0], s->periodic[1]},
                                            .height = 0.05,
                                            .omega = 0.04,
                                            .lambda = 1};

    for (size_t c = 0; c < s->n[0] * s->n[1]; c++)
        profiles->across[c] = 1 + 0.4 * sin(0.8 * (double)c);
    for (size_t k = 0; k < s->n[2]; k++) {
        profiles->up[k] = 1 + 0.3 * sin(1.1 * (double)k);
        profiles->xi[k] = 1 + 0.5 * sin((double)k);
    }
    p.alpha_across = s->profiles ? profiles->across : NULL;
    p.beta_up = s->profiles ? profiles->up : NULL;
    p.xi_up = s->drift ? profiles->xi : NULL;
    return p;
}

static struct starfish_atmosphere_options options_of(const struct way *way, const struct cut *cut)
{
    struct starfish_atmosphere_options o = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;

    o.method = way->method;
    o.preconditioner = way->preconditioner;
    o.precision = way->precision;
    o.mixed = way->mixed;
    o.red_black = way->red_black;
    o.smoothing_steps = way->steps;
    o.tolerance = way->precision == STARFISH_F32 ? 1e-5 : 1e-12;
    o.slabs = cut ? cut->parts : 0;
    o.boxes = cut ? cut->boxes : 0;
    return o;
}

/* As doubles, which the caller frees; of boxes twice, as the second solve finds what the first has left. */
static double *solve(const struct starfish_atmosphere_problem *p, const struct starfish_atmosphere_options *o,
                     const void *f, struct starfish_result *info)
{
    const int turns = o->boxes > 0 ? 2 : 1;
    const size_t count = p->n[0] * p->n[1] * p->n[2];
    starfish_plan *plan;
    void *u = malloc(count * starfish_real_size(o->precision));

    ASSERT_OK(starfish_atmosphere_plan_create(context, p, o, &plan));
    for (int turn = 0; turn < turns; turn++)
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, u, info));
    starfish_plan_destroy(plan);
    double *values = test_doubles(o->precision, u, count);
    free(u);
    return values;
}

static void compare(const struct shape *s, const struct way *way, const struct cut *cut)
{
    static struct profiles profiles;
    const struct starfish_atmosphere_problem p = problem_of(s, &profiles);
    const struct starfish_atmosphere_options whole = options_of(way, NULL), boxes = options_of(way, cut);
    const size_t count = p.n[0] * p.n[1] * p.n[2];
    const double tolerance = way->precision == STARFISH_F32 ? 1e-4 : p.xi_up ? 1e-9 : 1e-11;
    struct starfish_result one = STARFISH_RESULT_DEFAULTS, all = STARFISH_RESULT_DEFAULTS;
    unsigned seed = 3;
    double *values = test_reals(STARFISH_F64, count, &seed);
    void *f = malloc(count * starfish_real_size(way->precision));

    for (size_t e = 0; e < count; e++)
        test_real_put(f, way->precision, e, values[e]);
    double *expected = solve(&p, &whole, f, &one), *u = solve(&p, &boxes, f, &all);
    const double worst = test_difference(STARFISH_F64, u, expected, count);
    const double largest = test_largest(STARFISH_F64, expected, count);
    if (!(worst <= tolerance * largest) || (one.iterations != all.iterations && !s->drift))
        fail_msg("%zu x %zu x %zu, %zu of %zu boxes, way %d: %g, %d iterations, not %d", p.n[0], p.n[1], p.n[2],
                 cut->boxes, cut->parts, (int)(way - ways), worst / largest, all.iterations, one.iterations);
    free(values);
    free(f);
    free(expected);
    free(u);
}

static int is_small;

/* Every pair of a shape and a cut, of a shape and a way, and of a cut and a way is there. */
static void boxes_solve_as_the_whole_does(void **state)
{
    (void)state;
    for (int s = 0; s < (is_small ? FEW : SHAPES); s++)
        for (int c = 0; c < CUTS; c++)
            for (int w = 0; w < WAYS; w++)
                if ((s + 2 * c + 3 * w) % 7 == 0)
                    compare(&shapes[s], &ways[w], &cuts[c]);
}

/* Where rows of columns are fewer than workers, the number of boxes that nobody asked for is smaller. */
static void boxes_are_as_many_as_rows_allow(void **state)
{
    const struct starfish_atmosphere_problem p = {
        .n = {5, 3, 2}, .length = {1, 1}, .height = 1, .omega = 0.3, .lambda = 1};
    struct starfish_atmosphere_options o = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
    starfish_plan *plan;

    (void)state;
    for (o.boxes = 1; o.boxes <= 2; o.boxes++) {
        assert_int_equal(starfish_atmosphere_plan_create(context, &p, &o, &plan), STARFISH_SUCCESS);
        starfish_plan_destroy(plan);
    }
}

static void impossible_boxes_are_refused(void **state)
{
    static struct profiles profiles;
    const struct starfish_atmosphere_problem p = problem_of(&shapes[SHAPES - 1], &profiles);
    const struct cut uneven = {2, 3}, narrow = {8, 8}, many = {16, 0};
    starfish_plan *plan;

    (void)state;
    struct starfish_atmosphere_options o = options_of(&ways[0], &uneven);
    assert_int_equal(starfish_atmosphere_plan_create(context, &p, &o, &plan), STARFISH_ERROR_ARGUMENT);
    assert_non_null(strstr(starfish_error_message(), "options.slabs is 3, no multiple of options.boxes"));
    o = options_of(&ways[0], &narrow);
    assert_int_equal(starfish_atmosphere_plan_create(context, &p, &o, &plan), STARFISH_ERROR_ARGUMENT);
    assert_non_null(strstr(starfish_error_message(), "8 x 1 boxes of 12 x 9 columns"));
    o = options_of(&ways[0], &many);
    assert_int_equal(starfish_atmosphere_plan_create(context, &p, &o, &plan), STARFISH_ERROR_ARGUMENT);
}

int test_atmosphere_boxes(starfish_context *on, int small)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_solve_as_the_whole_does),
        cmocka_unit_test(boxes_are_as_many_as_rows_allow),
        cmocka_unit_test(impossible_boxes_are_refused),
    };

    context = on;
    is_small = small;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
