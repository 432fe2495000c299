/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What operations on grids take: each kind's count is that of a naive reference, which counts an operation where it
 * does it, for unknowns with all their neighbours; and a tail takes what its operations take. */
#include "multigrid/kernels/fem_kind.h"
#include "multigrid/kernels/flat_kind.h"
#include "multigrid/kernels/flux_kind.h"
#include "multigrid/kernels/q1_kind.h"
#include "multigrid/kernels/tail.h"
#include "tests/common/counted.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static char array; /* that an operation has one is all that counts */

/* ---- Naive references: one unknown, or a line -------------------------------------------------------------------- */

/* Sum of coupling (u - neighbour) over neighbours, and of rest u. */
static double of_matrix(int neighbours)
{
    double sum = times(3, 2);

    for (int n = 0; n < neighbours; n++)
        sum = plus(sum, times(5, minus(2, n)));
    return sum;
}

static double of_diagonal(int neighbours)
{
    double sum = 3;

    for (int n = 0; n < neighbours; n++)
        sum = plus(sum, 5);
    return sum;
}

/* u + damping D^-1 (f - A u) */
static void relax(int neighbours)
{
    plus(2, over(times(0.8, minus(1, of_matrix(neighbours))), of_diagonal(neighbours)));
}

/* An unknown in the middle of a tridiagonal line: its row is eliminated and substituted. */
static double eliminate(void)
{
    const double factor = over(2, 5), diagonal = minus(7, times(factor, 3)), rhs = minus(1, times(factor, 4));

    return over(minus(rhs, times(6, 2)), diagonal);
}

static void relax_line(int neighbours)
{
    minus(1, of_matrix(neighbours));
    of_diagonal(neighbours);
    plus(2, times(0.8, eliminate()));
}

/* mass a u + lift (b du + c du) + d (sum over faces) */
static void flat_residual(void)
{
    const double column = times(times(2, 3), 4);
    const double upwards = times(5, plus(times(6, minus(7, 8)), times(6, minus(7, 9))));
    double across = times(2, minus(3, 4));

    for (int face = 1; face < 4; face++)
        across = plus(across, times(2, minus(3, face)));
    minus(1, plus(plus(column, upwards), times(4, across)));
}

/* A product with rows of so many entries each, and what is added to it. */
static void product(int rows, int entries)
{
    for (int row = 0; row < rows; row++) {
        double sum = 1;
        for (int e = 0; e < entries; e++)
            sum = plus(sum, times(2, e));
        minus(sum, 3);
    }
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

static const struct starfish_q1_shape q1 = {.n = {16, 8}}, q1_coarse = {.n = {8, 4}, .stride = {2, 2}};
static const struct starfish_flux_shape flux = {.n = {8, 8, 8}, .coarse = {4, 4, 4}, .stored = 1};
static const struct starfish_flux_shape flux_flat = {.n = {8, 1, 8}, .coarse = {4, 1, 4}, .pairs = 1};
static const struct starfish_flux_shape flux_coarse = {.n = {4, 4, 4}};
static const struct starfish_flat_shape flat = {.n = {8, 6, 5}, .coarse = {4, 3}}, flat_coarse = {.n = {4, 3, 5}};
static const struct starfish_fem_shape fem = {
    .rows = 10,
    .matrix = {[STARFISH_FEM_A] = {.rows = 10, .entries = 70}, [STARFISH_FEM_M] = {.rows = 10, .entries = 50}}};

static struct starfish_cost cost_of(const struct starfish_grid_kind *kind, const void *shape, const void *coarse,
                                    enum starfish_grid_operation operation, int sweep)
{
    const int restricts = operation == STARFISH_GRID_RESTRICT, prolongs = operation == STARFISH_GRID_PROLONG;
    const struct starfish_grid_step step = {.shape = shape,
                                            .coarse_shape = coarse,
                                            .at = starfish_grid_whole(kind, restricts ? coarse : shape),
                                            .sweep = sweep,
                                            .u = prolongs ? NULL : &array,
                                            .f = prolongs ? NULL : &array,
                                            .coarse = prolongs ? &array : NULL,
                                            .result = &array};

    return kind->costs->cost(STARFISH_F64, operation, &step);
}

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-9 * b);
}

static void assert_operations(double unknowns, struct starfish_cost cost)
{
    assert_near(cost.operations, unknowns * done);
    done = 0;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static void test_residuals(void **state)
{
    (void)state;
    minus(1, of_matrix(8));
    assert_operations(16 * 8, cost_of(&starfish_q1_kind, &q1, NULL, STARFISH_GRID_RESIDUAL, 0));
    minus(1, of_matrix(6));
    assert_operations(512, cost_of(&starfish_flux_kind, &flux, NULL, STARFISH_GRID_RESIDUAL, 0));
    minus(1, of_matrix(4));
    assert_operations(64, cost_of(&starfish_flux_kind, &flux_flat, NULL, STARFISH_GRID_RESIDUAL, 0));
    flat_residual();
    assert_operations(240, cost_of(&starfish_flat_kind, &flat, NULL, STARFISH_GRID_RESIDUAL, 0));
    product(10, 7);
    assert_operations(1, cost_of(&starfish_fem_kind, &fem, NULL, STARFISH_GRID_RESIDUAL, 0));
}

static void test_sweeps(void **state)
{
    (void)state;
    relax(8);
    assert_operations(128, cost_of(&starfish_q1_kind, &q1, NULL, STARFISH_GRID_SMOOTH, STARFISH_Q1_POINTS));
    relax_line(8);
    assert_operations(128, cost_of(&starfish_q1_kind, &q1, NULL, STARFISH_GRID_SMOOTH, STARFISH_Q1_LINES_Y));
    relax_line(8);
    assert_operations(64, cost_of(&starfish_q1_kind, &q1, NULL, STARFISH_GRID_SMOOTH, STARFISH_Q1_ODD_LINES_X));
    relax(6);
    assert_operations(512, cost_of(&starfish_flux_kind, &flux, NULL, STARFISH_GRID_SMOOTH, STARFISH_FLUX_RED_BLACK));
    relax_line(6);
    assert_operations(512, cost_of(&starfish_flux_kind, &flux, NULL, STARFISH_GRID_SMOOTH, STARFISH_FLUX_LINES_Z));
    product(10, 5);
    for (int row = 0; row < 10; row++)
        times(0.7, 1);
    assert_operations(1, cost_of(&starfish_fem_kind, &fem, NULL, STARFISH_GRID_SMOOTH, STARFISH_FEM_ADD));
}

/* Two of a direction's fine unknowns are one coarse one. */
static void test_transfers(void **state)
{
    (void)state;
    for (int fine = 0; fine < 4; fine++)
        minus(1, of_matrix(4));
    for (int pair = 0; pair < 2 + 1; pair++) /* two along x, and these along z */
        plus(1, 2);
    assert_operations(16, cost_of(&starfish_flux_kind, &flux_flat, &(struct starfish_flux_shape){.n = {4, 1, 4}},
                                  STARFISH_GRID_RESTRICT, 0));
    for (int fine = 0; fine < 4; fine++)
        flat_residual();
    for (int pair = 0; pair < 3; pair++)
        plus(1, 2);
    assert_operations(4 * 3 * 5, cost_of(&starfish_flat_kind, &flat, &flat_coarse, STARFISH_GRID_RESTRICT, 0));
    /* along z for two fine planes of four coarse, along y for two rows of two, then along x: of two values each */
    for (int value = 0; value < 2 * 1 + 2 * 2 + 2 * 4; value++)
        plus(times(1, 2), times(3, 4));
    for (int fine = 0; fine < 8; fine++)
        plus(1, 2);
    assert_operations(64, cost_of(&starfish_flux_kind, &flux, &flux_coarse, STARFISH_GRID_PROLONG, 0));
}

/* Words that contracts say: 8 of a nine-band sweep, 3 and the matrix of a seven-point one. */
static void test_bytes(void **state)
{
    (void)state;
    assert_near(cost_of(&starfish_q1_kind, &q1, &q1_coarse, STARFISH_GRID_SMOOTH, STARFISH_Q1_LINES_X).bytes,
                8 * 128 * 8);
    assert_near(cost_of(&starfish_flux_kind, &flux, NULL, STARFISH_GRID_SMOOTH, STARFISH_FLUX_POINTS).bytes,
                8 * 512 * 7);
    assert_near(cost_of(&starfish_flat_kind, &flat, NULL, STARFISH_GRID_SMOOTH, STARFISH_FLAT_LINES).bytes,
                8 * 240 * 3);
    assert_near(cost_of(&starfish_fem_kind, &fem, NULL, STARFISH_GRID_RESIDUAL, 0).bytes, 70 * 12 + 8 * 30);
}

/* A V cycle on two grids by lines upwards, one step before and one after. */
static void test_tail(void **state)
{
    struct starfish_flat_shape coarsest = flat_coarse;
    struct starfish_tail tail = {
        .kind = &starfish_flat_kind,
        .precision = STARFISH_F64,
        .levels = 2,
        .shape = {&flat, &coarsest},
        .smoothing = {.smoother = STARFISH_SMOOTHER_JACOBI, .damping = 0.8, .before = 1, .after = 1}};
    struct starfish_grid_step step = {.shape = &flat,
                                      .coarse_shape = &coarsest,
                                      .at = starfish_grid_whole(tail.kind, &flat),
                                      .sweep = STARFISH_FLAT_LINES,
                                      .f = &array,
                                      .result = &array};
    struct starfish_cost sum = tail.kind->costs->cost(STARFISH_F64, STARFISH_GRID_SMOOTH, &step);

    (void)state;
    coarsest.coarse_sweeps = 2;
    step.u = step.coarse = &array;
    starfish_cost_add(&sum, tail.kind->costs->cost(STARFISH_F64, STARFISH_GRID_SMOOTH, &step));
    starfish_cost_add(&sum, cost_of(tail.kind, &flat, &coarsest, STARFISH_GRID_RESTRICT, 0));
    step = (struct starfish_grid_step){
        .shape = &coarsest, .at = starfish_grid_whole(tail.kind, &coarsest), .zero = 1, .f = &array, .result = &array};
    starfish_cost_add(&sum, tail.kind->costs->solve(STARFISH_F64, &tail.smoothing, &step));
    const struct starfish_cost cost = starfish_tail_cost(&tail, STARFISH_CYCLE_V, 1);
    assert_near(cost.operations, sum.operations);
    assert_near(cost.bytes, sum.bytes);
    assert_true(starfish_tail_cost(&tail, STARFISH_CYCLE_V, 0).operations > cost.operations);

    struct starfish_tail_costs costs = {.of = {{{0}}}};
    for (int time = 0; time < 2; time++, tail.levels = 1) /* the second time it is not counted again */
        assert_near(starfish_tail_cost_once(&tail, &costs, STARFISH_CYCLE_V, 1).bytes, cost.bytes);
    assert_true(starfish_tail_cost_once(&tail, &costs, STARFISH_CYCLE_W, 1).bytes < cost.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_residuals), cmocka_unit_test(test_sweeps),
                                       cmocka_unit_test(test_transfers), cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_tail)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
