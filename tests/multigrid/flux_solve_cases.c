/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 3D multigrid on a context, on any workers: problems of every kind, options, arguments that are refused, and singular
 * problems. */
#include "tests/multigrid/flux_solve_cases.h"
#include "tests/multigrid/flux_boxes.h"
#include "tests/multigrid/variants.h"

#include "base/real.h"
#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int few; /* a part of the cases will do */

/* ---- Every kind of problem --------------------------------------------------------------------------------------- */

/* Ends of all pairs on both grids, sizes even and odd, small and 1, uniform and stretched; with a reaction, so that
 * none is singular. */
static void every_problem_is_solved(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{9, 12, 7}, {16, 5, 11}, {1, 14, 9}, {13, 1, 1}, {2, 3, 20}, {1, 1, 1}};
    static const double stretch[][3] = {{1, 1, 1}, {1, 30, 1}, {10, 0.1, 20}};

    for (int c = 0; c < ENDS * ENDS * ENDS; c += few ? 7 : 1)
        for (int cell = 0; cell < 2; cell++) {
            const enum test_ends ends[3] = {(enum test_ends)(c % ENDS), (enum test_ends)(c / ENDS % ENDS),
                                            (enum test_ends)(c / ENDS / ENDS)};
            const size_t *n = sizes[(size_t)c % (cell ? 6 : 2)];
            struct starfish_multigrid_options options =
                test_box_options(test_box_smoothers[c % TEST_BOX_SMOOTHERS], 1 + c % 2, 1e-11);
            struct test_box box;
            test_box_make(&box, cell ? STARFISH_CELL : STARFISH_NODE, n, ends, stretch[c / 2 % 3]);
            box.problem.reaction = 40;
            options.mixed = c % 3 == 1;
            options.krylov = c % 4 == 2 ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
            const double error = test_box_recover(&box, &options, NULL);
            if (!(error < 1e-7))
                fail_msg("case %d, grid %d, smoother %d: error %g", c, cell, (int)options.smoother, error);
            test_box_free(&box);
        }
}

/* Coefficients that jump by a factor of 1000 at planes, the same in all directions or not, and random ones. */
static void fill_diffusion(struct test_box *box, int kind)
{
    const size_t *n = box->problem.n;
    unsigned seed = 3;

    for (int d = 0; d < 3; d++) {
        box->problem.coefficient[d] = box->diffusion[d] = malloc(box->count * sizeof(double));
        for (size_t e = 0; e < box->count; e++) {
            const int inside = e % n[0] > n[0] / 2 && e / n[0] % n[1] > n[1] / 3 && e / n[0] / n[1] < n[2] / 2;
            box->diffusion[d][e] = kind == 0   ? (inside ? 1000 : 1)
                                   : kind == 1 ? pow(10, test_real_random(&seed))
                                               : (d == 2 ? 1e-3 : 1);
        }
    }
}

static void variable_coefficients_are_solved(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int s = 0; s < TEST_BOX_SMOOTHERS; s++)
            for (int cg = 0; cg < 2; cg++) {
                struct starfish_multigrid_options options = test_box_options(test_box_smoothers[s], 2, 1e-10);
                struct starfish_result info = STARFISH_RESULT_DEFAULTS;
                struct test_box box;
                test_box_make(&box, STARFISH_CELL, (const size_t[]){20, 17, 24},
                              (const enum test_ends[]){DD, kind == 1 ? PERIODIC : DN, NN}, NULL);
                fill_diffusion(&box, kind);
                options.krylov = cg ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
                options.mixed = s % 2;
                const double error = test_box_recover(&box, &options, &info);
                if (!(error < 1e-5) || (cg && !(info.iterations < 80)))
                    fail_msg("coefficients %d, smoother %d, cg %d: error %g after %d cycles", kind,
                             (int)test_box_smoothers[s], cg, error, info.iterations);
                test_box_free(&box);
            }
}

/* Coefficients of 1 that are stored make no other matrix than those that are not. */
static void stored_and_tensor_form_agree(void **state)
{
    (void)state;
    const size_t n[3] = {19, 24, 18};
    struct starfish_multigrid_options options = test_box_options(STARFISH_SMOOTHER_GAUSS_SEIDEL, 1, 0);
    double *one = malloc(n[0] * n[1] * n[2] * sizeof *one);
    struct test_box box;

    options.max_iterations = 3;
    test_box_make(&box, STARFISH_CELL, n, (const enum test_ends[]){DN, PERIODIC, DD}, (const double[]){3, 1, 2});
    box.problem.reaction = 0.5;
    double *f = test_box_random(box.count, 4), *u = calloc(box.count, sizeof *u), *v = calloc(box.count, sizeof *v);
    ASSERT_OK(test_box_solve(&box, &options, f, u, NULL));
    for (size_t e = 0; e < box.count; e++)
        one[e] = 1;
    box.problem.coefficient[1] = one;
    ASSERT_OK(test_box_solve(&box, &options, f, v, NULL));
    double most = 0;
    for (size_t e = 0; e < box.count; e++)
        most = fmax(most, fabs(u[e]));
    assert_true(test_difference(STARFISH_F64, u, v, box.count) < 1e-11 * most);
    free(one);
    free(f);
    free(u);
    free(v);
    test_box_free(&box);
}

/* f of any mean: that is taken off and told, and the solution has mean zero, whether f is given as integrals or as
 * values. */
static void singular_problems_are_solved(void **state)
{
    (void)state;
    for (int c = 0; c < 16; c++) {
        const double factor = c % 4 < 2 ? 0 : c % 4 == 2 ? 1 : -2.5;
        const enum test_ends ends[3] = {c % 2 ? PERIODIC : NN, NN, c / 4 % 2 ? PERIODIC : NN};
        struct starfish_multigrid_options options = test_box_options(STARFISH_SMOOTHER_AUTO, 1, 1e-11);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        struct test_box box;
        test_box_make(&box, c / 8 ? STARFISH_CELL : STARFISH_NODE, (const size_t[]){17, 12, 9}, ends,
                      (const double[]){1, 2, 1});
        box.problem.rhs_factor = factor;
        options.krylov = c % 3 == 0 ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
        options.mixed = c % 5 == 0;
        double *u = test_box_random(box.count, 7), *f = malloc(box.count * sizeof *f), mean = 0, all = 0;
        double *v = calloc(box.count, sizeof *v);
        for (size_t e = 0; e < box.count; e++) {
            mean += test_box_volume(&box.problem, e) * u[e];
            all += test_box_volume(&box.problem, e);
        }
        for (size_t e = 0; e < box.count; e++)
            u[e] -= mean / all;
        for (size_t e = 0; e < box.count; e++) {
            const double volume = test_box_volume(&box.problem, e), integral = test_box_apply(&box.problem, u, e);
            f[e] = factor == 0 ? integral + 0.75 * volume : integral / volume / factor + 0.75;
        }
        ASSERT_OK(test_box_solve(&box, &options, f, v, &info));
        const double error = test_difference(STARFISH_F64, u, v, box.count);
        assert_true(test_box_about.singular);
        if (!(error < 1e-8) || !(fabs(info.pertrb - 0.75) < 1e-9))
            fail_msg("case %d: error %g, removed %g", c, error, info.pertrb);
        free(u);
        free(f);
        free(v);
        test_box_free(&box);
    }
}

/* What is left of a right-hand side that is nothing but its mean is rounding errors, which no cycle can make smaller,
 * or nothing at all, of few unknowns and of sizes that are powers of two. */
static void nothing_is_left_of_a_constant(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{11, 12, 9}, {1, 1, 1}, {2, 1, 1}, {4, 4, 4}};
    for (int c = 0; c < 8 * 4; c++) {
        struct starfish_multigrid_options options = test_box_options(STARFISH_SMOOTHER_AUTO, 1, 1e-10);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        struct test_box box;
        test_box_make(&box, STARFISH_CELL, sizes[c / 8], (const enum test_ends[]){NN, PERIODIC, NN},
                      c / 8 == 0 ? (const double[]){3, 1, 2} : NULL);
        box.problem.rhs_factor = -1;
        options.krylov = c % 2 ? STARFISH_KRYLOV_CG : c / 8 % 2 ? STARFISH_KRYLOV_BICGSTAB : STARFISH_KRYLOV_NONE;
        options.precision = c / 2 % 2 && c / 4 % 2 ? STARFISH_F32 : STARFISH_F64;
        options.mixed = c / 2 % 2 && options.precision == STARFISH_F64;
        double *f = malloc(box.count * sizeof *f), *u = calloc(box.count, sizeof *u), most = 0;
        for (size_t e = 0; e < box.count; e++)
            f[e] = 2.3;
        ASSERT_OK(test_box_solve(&box, &options, f, u, &info));
        for (size_t e = 0; e < box.count; e++)
            most = fmax(most, fabs(u[e]));
        if (!(most < (options.precision == STARFISH_F32 ? 1e-4 : 1e-13)) || !(fabs(info.pertrb - 2.3) < 1e-6))
            fail_msg("case %d: the largest value is %g, removed %g", c, most, info.pertrb);
        free(f);
        free(u);
        test_box_free(&box);
    }
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static void every_option_solves(void **state)
{
    (void)state;
    struct test_box box;
    test_box_make(&box, STARFISH_NODE, (const size_t[]){14, 11, 17}, (const enum test_ends[]){DD, ND, PERIODIC}, NULL);
    for (int shape = STARFISH_CYCLE_V; shape <= STARFISH_CYCLE_FMG; shape++)
        for (int s = shape % 2; s < TEST_BOX_SMOOTHERS; s += 2) /* half of them with each shape */
            for (size_t v = 0; v < TEST_VARIANTS; v++) {
                struct starfish_multigrid_options options = test_box_options(test_box_smoothers[s], 1, 1e-10);
                options.cycle = (starfish_cycle_shape)shape;
                test_variant_set(&options, v);
                options.krylov =
                    options.before == options.after && (shape == STARFISH_CYCLE_V || shape == STARFISH_CYCLE_W)
                        ? STARFISH_KRYLOV_CG
                        : STARFISH_KRYLOV_NONE;
                const double error = test_box_recover(&box, &options, NULL);
                if (!(error < 1e-7))
                    fail_msg("shape %d, smoother %d, variant %zu: error %g", shape, (int)test_box_smoothers[s], v,
                             error);
            }
    test_box_free(&box);
}

/* Tasks of slabs do what one task of all does, and one task for small grids what tasks of each do: bit by bit, but for
 * lines in z, which are solved in groups. */
static void cuts_and_tails_change_nothing(void **state)
{
    (void)state;
    static const struct {
        size_t blocks, tail;
    } ways[] = {{1, 1}, {2, 1}, {7, 1}, {16, 1}, {3, 500}, {5, 100000}};
    struct test_box box;
    test_box_make(&box, STARFISH_NODE, (const size_t[]){21, 18, 23}, (const enum test_ends[]){DN, PERIODIC, PERIODIC},
                  NULL);
    double *f = test_box_random(box.count, 5), *first = calloc(box.count, sizeof *first);
    double *other = calloc(box.count, sizeof *other);
    for (int s = 0; s < TEST_BOX_SMOOTHERS; s++)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            struct starfish_multigrid_options options = test_box_options(test_box_smoothers[s], 2, 0);
            const int mixed = s % 2;
            options.mixed = mixed;
            options.max_iterations = 3;
            options.slabs = ways[w].blocks;
            options.tail = ways[w].tail;
            ASSERT_OK(test_box_solve(&box, &options, f, w == 0 ? first : other, NULL));
            double most = 0;
            for (size_t e = 0; e < box.count; e++)
                most = fmax(most, fabs(first[e]));
            const double difference = w == 0 ? 0 : test_difference(STARFISH_F64, first, other, box.count);
            if (!(difference <= (mixed ? 1e-5 : 1e-12) * most))
                fail_msg("smoother %d, blocks %zu, tail %zu: %g", (int)test_box_smoothers[s], ways[w].blocks,
                         ways[w].tail, difference / most);
        }
    free(f);
    free(first);
    free(other);
    test_box_free(&box);
}

/* Single precision: the difference form keeps digits where entries of the matrix would lose them. */
static void single_precision_solves(void **state)
{
    (void)state;
    struct starfish_multigrid_options options = test_box_options(STARFISH_SMOOTHER_AUTO, 2, 1e-5);
    struct test_box box;
    test_box_make_cube(&box, 31, DD);
    options.precision = STARFISH_F32;
    const double error = test_box_recover(&box, &options, NULL);
    if (!(error < 1e-2))
        fail_msg("error %g", error);
    test_box_free(&box);
}

static void lines_may_be_given(void **state)
{
    (void)state;
    const double coupling[6] = {0, 2, 1, 3, 1, 0}, extra[5] = {1, 0, 0, 0, 2}, weight[5] = {1, 2, 1, 1, 3};
    const struct starfish_multigrid_options options = test_box_options(STARFISH_SMOOTHER_AUTO, 2, 1e-12);
    const struct starfish_stencil_problem problem = {.n = {5, 1, 1},
                                                     .ends = {{STARFISH_NEUMANN, STARFISH_NEUMANN},
                                                              {STARFISH_NEUMANN, STARFISH_NEUMANN},
                                                              {STARFISH_NEUMANN, STARFISH_NEUMANN}},
                                                     .line = {{coupling, extra, weight}},
                                                     .reaction = 0.5};
    const struct test_box box = {.problem = problem, .count = 5};
    double u[5] = {1, -2, 3, 0.5, 1}, f[5], v[5];
    for (int i = 0; i < 5; i++)
        f[i] = (coupling[i] + coupling[i + 1] + extra[i] + 0.5 * weight[i]) * u[i] -
               (i > 0 ? coupling[i] * u[i - 1] : 0) - (i < 4 ? coupling[i + 1] * u[i + 1] : 0);
    ASSERT_OK(test_box_solve(&box, &options, f, v, NULL));
    assert_true(test_difference(STARFISH_F64, u, v, 5) < 1e-10);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

#define REFUSED(status, part)                                                                                          \
    do {                                                                                                               \
        starfish_plan *refused_plan = (starfish_plan *)&box;                                                           \
        ASSERT_FAILS(starfish_stencil_plan_create(test_box_context, &p, &o, &refused_plan), status, part);             \
        assert_null(refused_plan);                                                                                     \
        p = box.problem;                                                                                               \
        o = usual;                                                                                                     \
    } while (0)

static void bad_arguments_are_named(void **state)
{
    (void)state;
    static const struct starfish_multigrid_options usual = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    const double negative[20] = {1, -1}, asymmetric[20] = {1};
    struct starfish_multigrid_options o = usual;
    struct test_box box;
    test_box_make(&box, STARFISH_CELL, (const size_t[]){6, 5, 4}, (const enum test_ends[]){DD, DD, DD}, NULL);
    struct starfish_stencil_problem p = box.problem;
    starfish_plan *plan;

    ASSERT_FAILS(starfish_stencil_plan_create(NULL, &p, &o, &plan), STARFISH_ERROR_ARGUMENT, "context");
    ASSERT_FAILS(starfish_stencil_plan_create(test_box_context, NULL, &o, &plan), STARFISH_ERROR_ARGUMENT, "problem");
    ASSERT_FAILS(starfish_stencil_plan_create(test_box_context, &p, &o, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    p.n[1] = 0;
    REFUSED(STARFISH_ERROR_ARGUMENT, "n[1]");
    p.n[0] = p.n[1] = p.n[2] = 1 << 16;
    REFUSED(STARFISH_ERROR_ARGUMENT, "unknowns");
    p.grid = (starfish_grid)2;
    REFUSED(STARFISH_ERROR_ARGUMENT, "grid");
    p.reaction = -1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "reaction");
    p.rhs_factor = (double)NAN;
    REFUSED(STARFISH_ERROR_ARGUMENT, "rhs_factor");
    p.ends[2][1] = (starfish_end)3;
    REFUSED(STARFISH_ERROR_ARGUMENT, "ends[2][1]");
    p.ends[2][1] = STARFISH_PERIODIC;
    REFUSED(STARFISH_ERROR_ARGUMENT, "ends[2]");
    p.width[1] = NULL;
    REFUSED(STARFISH_ERROR_ARGUMENT, "width[1]");
    p.width[0] = negative;
    REFUSED(STARFISH_ERROR_ARGUMENT, "width[0][1]");
    p.coefficient[2] = negative;
    REFUSED(STARFISH_ERROR_ARGUMENT, "coefficient[2][1]");
    p.grid = STARFISH_NODE;
    p.coefficient[2] = box.width[0];
    REFUSED(STARFISH_ERROR_UNSUPPORTED, "coefficient needs widths of cells");
    p.line[0].coupling = asymmetric;
    REFUSED(STARFISH_ERROR_ARGUMENT, "both given");
    p.width[0] = NULL;
    p.line[0] = (struct starfish_stencil_line){asymmetric, NULL, box.width[0]};
    REFUSED(STARFISH_ERROR_ARGUMENT, "line[0].coupling");
    p.width[0] = NULL;
    p.line[0] = (struct starfish_stencil_line){asymmetric, NULL, NULL};
    REFUSED(STARFISH_ERROR_ARGUMENT, "line.weight[0] is NULL");
    o.size = 1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "size");
    o.smoother = STARFISH_SMOOTHERS;
    REFUSED(STARFISH_ERROR_ARGUMENT, "smoother");
    o.krylov = STARFISH_KRYLOV_CG;
    o.before = 3;
    REFUSED(STARFISH_ERROR_ARGUMENT, "must be the same");
    p.n[0] = 1;
    p.grid = STARFISH_NODE;
    p.ends[0][0] = p.ends[0][1] = STARFISH_NEUMANN;
    REFUSED(STARFISH_ERROR_ARGUMENT, "has no width");
    test_box_free(&box);
    test_box_make_cube(&box, 20, DD);
    p = box.problem;
    o.levels = 1;
    REFUSED(STARFISH_ERROR_ARGUMENT, "coarsest");
    test_box_free(&box);
}

int test_flux_solves(starfish_context *given, const struct test_memory *given_memory, int small)
{
    const struct CMUnitTest large[] = {
        cmocka_unit_test(variable_coefficients_are_solved),
        cmocka_unit_test(every_option_solves),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_is_solved),
        cmocka_unit_test(stored_and_tensor_form_agree),
        cmocka_unit_test(singular_problems_are_solved),
        cmocka_unit_test(nothing_is_left_of_a_constant),
        cmocka_unit_test(cuts_and_tails_change_nothing),
        cmocka_unit_test(single_precision_solves),
        cmocka_unit_test(lines_may_be_given),
        cmocka_unit_test(bad_arguments_are_named),
    };

    test_box_context = given;
    test_box_memory = given_memory;
    few = small;
    const int failed = cmocka_run_group_tests_name("3D solves", tests, NULL, NULL) + test_flux_factors(small);
    return failed + (small ? 0 : cmocka_run_group_tests_name("large 3D solves", large, NULL, NULL));
}
