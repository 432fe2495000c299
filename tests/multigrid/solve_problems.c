/* Problems of Q1 multigrid for tests, and their solutions on a context. */
#include "tests/multigrid/solve_problems.h"

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

starfish_context *test_q1_context;
const struct test_memory *test_q1_memory;

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
starfish_status test_q1_solve_with(starfish_multigrid_plan *plan, const struct test_q1_mesh *mesh,
                                   starfish_precision precision, int guess, double *solution,
                                   struct starfish_multigrid_info *info)
{
    const size_t bytes = mesh->count * starfish_real_size(precision);
    void *load = as_reals(mesh->load, mesh->count, precision), *start = as_reals(solution, mesh->count, precision);
    const void *rhs = test_q1_memory->upload(load, bytes);
    void *result = test_q1_memory->upload(guess ? start : NULL, bytes);
    const starfish_status status = starfish_multigrid_solve(plan, rhs, result, info);

    test_q1_memory->download(start, result, bytes);
    for (size_t i = 0; i < mesh->count; i++)
        solution[i] = test_real_get(start, precision, i);
    test_q1_memory->release();
    free(load);
    free(start);
    return status;
}

starfish_status test_q1_solve(const struct test_q1_mesh *mesh, const struct starfish_multigrid_options *options,
                              double *solution, struct starfish_multigrid_info *info)
{
    starfish_multigrid_plan *plan;

    ASSERT_OK(starfish_q1_plan_create(test_q1_context, &mesh->problem, options, &plan));
    const starfish_status status =
        test_q1_solve_with(plan, mesh, options->precision, options->initial_guess, solution, info);
    starfish_multigrid_plan_destroy(plan);
    return status;
}

/* Error in L2 of a named case. */
double test_q1_error_of(const char *name, int level, const struct starfish_multigrid_options *options,
                        struct starfish_multigrid_info *info)
{
    struct test_q1_mesh mesh;
    double error;

    test_q1_named(&mesh, name, level);
    double *solution = calloc(mesh.count, sizeof *solution);
    const starfish_status status = test_q1_solve(&mesh, options, solution, info);
    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        fail_msg("%s, level %d: %s", name, level, starfish_error_message());
    if (status == STARFISH_ERROR_NUMERICAL && options->inner == STARFISH_F64)
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
