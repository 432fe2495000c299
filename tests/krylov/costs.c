/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What steps on cells take: the counts are those of naive loops over the faces of a cell (cells.h). */
#include "krylov/kernels/gradients.h"
#include "tests/common/counted.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const struct starfish_cell_matrix matrix = {.n = {8, 6, 4}}, flat = {.n = {8, 6, 1}};
enum { CELLS = 8 * 6 * 4 };

/* Sum of coupling (u - neighbour), and extra u. */
static double apply(int faces)
{
    double sum = times(3, 2);

    for (int face = 0; face < faces; face++)
        sum = plus(sum, times(5, minus(2, face)));
    return sum;
}

static void assert_done(double cells, struct starfish_cost cost)
{
    assert_true(fabs(cost.operations - cells * done) <= 1e-9 * cost.operations);
    done = 0;
}

static void test_products(void **state)
{
    (void)state;
    plus(0, times(apply(6), 2));
    assert_done(CELLS, starfish_cells_cost(STARFISH_F64, STARFISH_CELLS_APPLY, &matrix, CELLS, 1));
    apply(4);
    assert_done(48, starfish_cells_cost(STARFISH_F64, STARFISH_CELLS_APPLY, &flat, 48, 0));
    minus(1, apply(6));
    assert_done(CELLS, starfish_cells_cost(STARFISH_F64, STARFISH_CELLS_RESIDUAL, &matrix, CELLS, 0));
    plus(1, times(2, 3)); /* the direction, and its product */
    apply(6);
    assert_done(CELLS, starfish_cells_cost(STARFISH_F64, STARFISH_CELLS_TURN, &matrix, CELLS, 0));
}

/* Incomplete Poisson: s u + s sum c s (s u) over the cells above, and s (u + s sum c s u) over those below. */
static void test_incomplete_poisson(void **state)
{
    double sum = 0;

    (void)state;
    for (int face = 0; face < 3; face++)
        sum = plus(sum, times(times(5, 2), times(2, face)));
    plus(times(2, 3), times(2, sum));
    assert_done(CELLS, starfish_cells_cost(STARFISH_F64, STARFISH_CELLS_IP_FIRST, &matrix, CELLS, 0));
    for (int face = 0; face < 3; face++)
        sum = plus(sum, times(times(5, 2), face));
    times(2, plus(3, times(2, sum)));
    assert_done(CELLS, starfish_cells_cost(STARFISH_F64, STARFISH_CELLS_IP_SECOND, &matrix, CELLS, 0));
}

/* A step of conjugate gradients preconditioned by the diagonal takes what its three kernels take. */
static void test_gradients(void **state)
{
    const struct starfish_gradients steps = {
        .by = STARFISH_CELLS_BY_DIAGONAL, .blocks.cells = {.matrix = matrix, .last = 4}, .count = 16};
    const enum starfish_cell_step kernel[] = {STARFISH_CELLS_JACOBI, STARFISH_CELLS_TURN, STARFISH_CELLS_ADVANCE};
    const struct starfish_cost cost = starfish_gradients_cost(STARFISH_F64, &steps, (struct starfish_cost){100, 0});
    struct starfish_cost sum = {100, 0};

    (void)state;
    for (int k = 0; k < 3; k++)
        starfish_cost_add(&sum, starfish_cells_cost(STARFISH_F64, kernel[k], &matrix, CELLS, 1));
    assert_true(fabs(cost.operations - 16 * sum.operations) <= 1e-9 * cost.operations);
    assert_true(fabs(cost.bytes - 16 * sum.bytes) <= 1e-9 * cost.bytes);
    /* 13 words of vectors and tables, and of the matrix its coefficient */
    assert_true(fabs(cost.bytes - 16.0 * CELLS * 8 * (3 + 4 + 6 + 1)) <= 1e-9 * cost.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_incomplete_poisson),
                                       cmocka_unit_test(test_gradients)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
