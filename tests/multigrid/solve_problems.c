/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of Q1 multigrid for tests, and their solutions on a context. */
#include "tests/multigrid/solve_problems.h"

#include "base/real.h"
#include "multigrid/q1.h"
#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

starfish_context *test_q1_context;
const struct test_memory *test_q1_memory;
struct starfish_multigrid_options test_q1_chosen = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
struct starfish_about test_q1_about = STARFISH_ABOUT_DEFAULTS;
size_t test_q1_every = 1;

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

void test_q1_free(struct test_q1_mesh *mesh)
{
    for (int d = 0; d < 2; d++) {
        free(mesh->width[d]);
        free(mesh->diffusion[d]);
    }
    free(mesh->load);
}

void test_q1_problem(struct test_q1_mesh *mesh, size_t nx, size_t ny, int neumann)
{
    *mesh = (struct test_q1_mesh){.problem = {.elements = {nx, ny}}};
    for (int d = 0; d < 2; d++) {
        mesh->problem.width[d] = mesh->width[d] = malloc(mesh->problem.elements[d] * sizeof(double));
        for (int end = 0; end < 2; end++)
            mesh->problem.ends[d][end] = neumann >> (2 * d + end) & 1 ? STARFISH_NEUMANN : STARFISH_DIRICHLET;
    }
    starfish_q1_unknowns(&mesh->problem, mesh->n);
    mesh->count = mesh->n[0] * mesh->n[1];
    mesh->load = malloc(mesh->count * sizeof(double));
}

void test_q1_growing(struct test_q1_mesh *mesh, size_t nx, size_t ny, int neumann, double growth)
{
    test_q1_problem(mesh, nx, ny, neumann);
    for (int d = 0; d < 2; d++)
        for (size_t e = 0; e < mesh->problem.elements[d]; e++)
            mesh->width[d][e] = pow(growth, (double)e);
    for (size_t i = 0; i < mesh->count; i++)
        mesh->load[i] = sin(0.37 * (double)i) + 0.2;
}

/* u0 = x (a - x) y (1 - y), which vanishes at all ends, and -Laplace(u0). */
static double exact(void *data, const struct starfish_q1_point *p)
{
    (void)data;
    return p->low[0] * p->high[0] * p->low[1] * p->high[1];
}

static double source(void *data, const struct starfish_q1_point *p)
{
    (void)data;
    return 2 * p->low[1] * p->high[1] + 2 * p->low[0] * p->high[0];
}

void test_q1_named(struct test_q1_mesh *mesh, const char *name, int level)
{
    struct starfish_q1_refinement refinement = {.level = level};

    test_q1_problem(mesh, (size_t)1 << level, (size_t)1 << level, 0);
    ASSERT_OK(starfish_q1_named(name, &refinement));
    ASSERT_OK(starfish_q1_refine(&refinement, mesh->width[0], mesh->width[1]));
    ASSERT_OK(starfish_q1_load(&mesh->problem, source, NULL, mesh->load));
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

static void *as_reals(const double *values, size_t count, starfish_precision precision)
{
    void *reals = malloc(count * sizeof(double));

    for (size_t i = 0; i < count; i++)
        test_real_put(reals, precision, i, values[i]);
    return reals;
}

/* Solve in the tested memory; `solution`: the initial guess where there is one, and the result. */
starfish_status test_q1_solve_with(starfish_plan *plan, const struct test_q1_mesh *mesh, starfish_precision precision,
                                   int guess, double *solution, struct starfish_result *info)
{
    const size_t bytes = mesh->count * starfish_real_size(precision);
    void *load = as_reals(mesh->load, mesh->count, precision), *start = as_reals(solution, mesh->count, precision);
    const void *rhs = test_q1_memory->upload(load, bytes);
    void *result = test_q1_memory->upload(guess ? start : NULL, bytes);
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, result, info);

    ASSERT_OK(starfish_multigrid_plan_options(plan, &test_q1_chosen));
    ASSERT_OK(starfish_plan_about(plan, &test_q1_about));

    test_q1_memory->download(start, result, bytes);
    for (size_t i = 0; i < mesh->count; i++)
        solution[i] = test_real_get(start, precision, i);
    test_q1_memory->release();
    free(load);
    free(start);
    return status;
}

starfish_status test_q1_solve(const struct test_q1_mesh *mesh, const struct starfish_multigrid_options *options,
                              double *solution, struct starfish_result *info)
{
    starfish_plan *plan;

    ASSERT_OK(starfish_q1_plan_create(test_q1_context, &mesh->problem, options, &plan));
    const starfish_status status =
        test_q1_solve_with(plan, mesh, options->precision, options->initial_guess, solution, info);
    starfish_plan_destroy(plan);
    return status;
}

/* Error in L2 of a named case. */
double test_q1_error_of(const char *name, int level, const struct starfish_multigrid_options *options,
                        struct starfish_result *info)
{
    struct test_q1_mesh mesh;
    double error;

    test_q1_named(&mesh, name, level);
    double *solution = calloc(mesh.count, sizeof *solution);
    const starfish_status status = test_q1_solve(&mesh, options, solution, info);
    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        fail_msg("%s, level %d: %s", name, level, starfish_error_message());
    if (status == STARFISH_ERROR_NUMERICAL && options->precision == STARFISH_F64 && !options->mixed)
        fail_msg("%s, level %d: %s", name, level, starfish_error_message());
    ASSERT_OK(starfish_q1_error(&mesh.problem, exact, NULL, solution, &error));
    free(solution);
    test_q1_free(&mesh);
    return error;
}

void test_q1_assert_error(const char *name, int level, double error, double expected, double tolerance)
{
    if (!(fabs(error / expected - 1) <= tolerance))
        fail_msg("%s, level %d: error %.7e instead of %.7e", name, level, error, expected);
}

/* ---- Against elimination ----------------------------------------------------------------------------------------- */

/* By LAPACK's banded Cholesky factorisation of the assembled matrix. */
static void solve_banded(const struct test_q1_mesh *mesh, double *solution)
{
    struct starfish_q1_grid grid;
    const size_t nx = mesh->n[0], n = mesh->count, band = nx + 1, rows = band + 1;
    const size_t ahead[5] = {0, 1, nx - 1, nx, nx + 1};
    double *table = calloc(starfish_band_table_start(nx, mesh->n[1], 5), sizeof *table);
    double *matrix = calloc(rows * n, sizeof *matrix);

    ASSERT_OK(starfish_q1_grid_create(&grid, &mesh->problem));
    starfish_q1_assemble(&grid, table);
    const struct starfish_band_matrix bands = starfish_band_table_point(nx, mesh->n[1], table, sizeof *table);
    for (size_t i = 0; i < n; i++)
        matrix[i * rows] = starfish_band_diagonal(&bands, i);
    for (size_t b = 1; b < 5; b++)
        for (size_t i = 0; i < n; i++)
            if (i + ahead[b] < n)
                matrix[ahead[b] + i * rows] += table[starfish_band_table_start(nx, mesh->n[1], b) + i];
    memcpy(solution, mesh->load, n * sizeof *solution);
    assert_int_equal(LAPACKE_dpbsv(LAPACK_COL_MAJOR, 'L', (lapack_int)n, (lapack_int)band, 1, matrix, (lapack_int)rows,
                                   solution, (lapack_int)n),
                     0);
    free(table);
    free(matrix);
    starfish_q1_grid_destroy(&grid);
}

/* Widths and coefficients that vary by `spread`, and random loads. */
void test_q1_random(struct test_q1_mesh *mesh, size_t nx, size_t ny, int neumann, double spread, int variable)
{
    unsigned seed = (unsigned)(nx + 7 * ny);

    test_q1_problem(mesh, nx, ny, neumann);
    for (int d = 0; d < 2; d++)
        for (size_t e = 0; e < mesh->problem.elements[d]; e++)
            mesh->width[d][e] = pow(spread, 0.5 * test_real_random(&seed));
    for (int d = 0; d < 2 && variable; d++) {
        mesh->problem.coefficient[d] = mesh->diffusion[d] = malloc(nx * ny * sizeof(double));
        for (size_t e = 0; e < nx * ny; e++)
            mesh->diffusion[d][e] = (d ? 20 : 1) * pow(10, 0.5 * test_real_random(&seed));
    }
    mesh->problem.reaction = neumann == 15 ? 1e-3 : 0;
    for (size_t i = 0; i < mesh->count; i++)
        mesh->load[i] = test_real_random(&seed);
}

double test_q1_difference(const double *a, const double *b, size_t n)
{
    return test_difference(STARFISH_F64, a, b, n) / test_largest(STARFISH_F64, b, n);
}

/* Solutions of the same arithmetic: equal, unless some tasks may run on cores or on a GPU as it comes, which round
 * differently. */
void test_q1_assert_same(const double *a, const double *b, size_t n, double rounding)
{
    const int either = starfish_context_workers_of(test_q1_context, STARFISH_CPU) > 0 &&
                       starfish_context_workers_of(test_q1_context, STARFISH_GPU) > 0;
    const double difference = test_q1_difference(a, b, n);

    if (!(difference <= (either ? rounding : 0)))
        fail_msg("solutions differ by %.3g", difference);
}

void test_q1_against_elimination(const struct test_q1_mesh *mesh, const struct starfish_multigrid_options *options,
                                 double tolerance)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    double *solution = calloc(mesh->count, sizeof *solution), *by_elimination = calloc(mesh->count, sizeof *solution);

    ASSERT_OK(test_q1_solve(mesh, options, solution, &info));
    solve_banded(mesh, by_elimination);
    const double difference = test_q1_difference(solution, by_elimination, mesh->count);
    if (!(difference <= tolerance))
        fail_msg("%zu x %zu unknowns: off by %.3g after %d cycles", mesh->n[0], mesh->n[1], difference,
                 info.iterations);
    free(solution);
    free(by_elimination);
}
