/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hypre's solvers, as peers of multigrid: what they return solves the matrix that ours assembles. Exit status 77
 * without hypre. */
#include "bench/peer_hypre.h"
#include "multigrid/kernels/band.h"
#include "multigrid/q1.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ELEMENTS = 32, N = ELEMENTS - 1, UNKNOWNS = N * N };

static double one(void *data, const struct starfish_q1_point *point)
{
    (void)data;
    (void)point;
    return 1;
}

/* U2, whose couplings differ by 16. */
static double *make_matrix(struct peer_hypre_problem *problem, double *load)
{
    static double width[2][ELEMENTS];
    const struct starfish_q1_refinement refinement = {{0.25, 1}, 1, 5};
    struct starfish_q1_problem q1 = {.elements = {ELEMENTS, ELEMENTS}, .width = {width[0], width[1]}};
    struct starfish_q1_grid grid;
    double *table = calloc(starfish_band_table_start(N, N, 5), sizeof *table);

    for (int end = 0; end < 4; end++)
        q1.ends[end / 2][end % 2] = STARFISH_DIRICHLET;
    assert_int_equal(starfish_q1_refine(&refinement, width[0], width[1]), STARFISH_SUCCESS);
    assert_int_equal(starfish_q1_load(&q1, one, NULL, load), STARFISH_SUCCESS);
    assert_int_equal(starfish_q1_grid_create(&grid, &q1), STARFISH_SUCCESS);
    starfish_q1_assemble(&grid, table);
    starfish_q1_diagonals(&grid, table);
    starfish_q1_grid_destroy(&grid);
    *problem = (struct peer_hypre_problem){.n = {N, N}, .rhs = load, .tolerance = 1e-8, .most = 2000};
    for (size_t b = 0; b < 5; b++)
        problem->band[b] = table + starfish_band_table_start(N, N, b);
    return table;
}

static double norm_of_defect(const double *table, const double *u, const double *f)
{
    static double sums[STARFISH_SUMS];
    struct starfish_band_residual residual = {.matrix = starfish_band_table_point(N, N, table, sizeof *table),
                                              .at = {0, N, 0, N},
                                              .u = u,
                                              .f = f,
                                              .sums = sums};

    residual.matrix.diagonals = 1;
    starfish_band_residual_cpu_f64(&residual);
    return sqrt(sums[0]);
}

static void every_solver_solves(void **state)
{
    (void)state;
    static double load[UNKNOWNS], solution[UNKNOWNS];
    struct peer_hypre_problem problem;
    double *table = make_matrix(&problem, load);
    for (int solver = 0; solver < PEER_HYPRE_SOLVERS; solver++) {
        double seconds[2], setup;
        int iterations;
        assert_int_equal(
            peer_hypre((enum peer_hypre_solver)solver, &problem, solution, 2, seconds, &setup, &iterations), 1);
        assert_true(iterations > 1 && seconds[0] > 0 && seconds[1] > 0 && setup > 0);
        assert_true(norm_of_defect(table, solution, load) <= 1.01e-8 * norm_of_defect(table, NULL, load));
    }
    free(table);
}

/* On a mesh of equal elements every entry is one number. */
static void constant_entries_solve(void **state)
{
    (void)state;
    static double load[UNKNOWNS], solution[UNKNOWNS];
    struct peer_hypre_problem problem;
    double *table = make_matrix(&problem, load), seconds[2], setup;
    int iterations;
    problem.constant = 1;
    assert_int_equal(peer_hypre(PEER_HYPRE_CG_PFMG, &problem, solution, 2, seconds, &setup, &iterations), 1);
    assert_true(norm_of_defect(table, solution, load) <= 1.01e-8 * norm_of_defect(table, NULL, load));
    free(table);
}

int main(void)
{
    static double load[UNKNOWNS];
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver_solves), cmocka_unit_test(constant_entries_solve)};
    struct peer_hypre_problem problem;
    double seconds, setup;
    int iterations;

    double *table = make_matrix(&problem, load);
    const int there = peer_hypre(PEER_HYPRE_SMG, &problem, NULL, 1, &seconds, &setup, &iterations);
    free(table);
    return there ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
