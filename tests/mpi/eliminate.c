/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What no other method solves, eliminated by the first rank for all: the same solution as on one rank, where the plan
 * chose that method, and where only a solve by another one was refused. Run by mpiexec. */
#include "tests/mpi/together.h"

#include <math.h>

enum { NX = 4, NY = 6, NZ = 6, PLANE = NX * NY, N = PLANE * NZ };

static struct starfish_axis periodic_axis(size_t n, const double *rows)
{
    return (struct starfish_axis){
        .kind = STARFISH_TRIDIAGONAL, .n = n, .periodic = 1, .lower = rows, .diag = rows + n, .upper = rows + 2 * n};
}

/* Couplings whose products around a ring differ: no weights make the matrix symmetric. */
static struct starfish_poisson_problem rings(double rows[3][3 * NZ])
{
    for (int k = 0; k < NX; k++) {
        rows[0][k] = rows[0][2 * NX + k] = 1;
        rows[0][NX + k] = -3;
    }
    for (int axis = 1; axis < 3; axis++)
        for (int k = 0; k < NZ; k++) {
            rows[axis][k] = 1 + k;
            rows[axis][NZ + k] = -3.5 - k;
            rows[axis][2 * NZ + k] = 2;
        }
    return (struct starfish_poisson_problem){
        .axis = {periodic_axis(NX, rows[0]), periodic_axis(NY, rows[1]), periodic_axis(NZ, rows[2])}};
}

/* Rows of z so long that the rounding of a solution leaves more of their right-hand sides than tests allow. */
static struct starfish_poisson_problem long_rows(double rows[3][3 * NZ])
{
    static const double scale[NZ] = {1e-4, 1e3, 1e16, 1e-3, 1e2, 1e-5};
    const struct starfish_axis grid = {.kind = STARFISH_UNIFORM,
                                       .n = NX,
                                       .length = 1,
                                       .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET},
                                       .grid = STARFISH_NODE};
    struct starfish_poisson_problem p = {.axis = {grid, grid, periodic_axis(NZ, rows[2])}};
    p.axis[1].n = NY;
    p.axis[2].periodic = 0;
    for (int k = 0; k < NZ; k++) {
        rows[2][k] = rows[2][2 * NZ + k] = scale[k];
        rows[2][NZ + k] = -2.5 * scale[k];
    }
    return p;
}

struct solved {
    const char *chosen, *solved_by;
    double u[N];
    struct starfish_result result;
};

/* `planes` of the right-hand side from `first` on. */
static void solve(starfish_context *context, const struct starfish_poisson_problem *p, const size_t *planes,
                  const double *rhs, struct solved *solved)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    size_t *const for_plan = planes ? part_of(planes, 0, (size_t)ranks * sizeof *planes) : NULL;
    starfish_plan *plan;
    options.check_residual = 1;
    options.planes = for_plan;
    solved->result = (struct starfish_result)STARFISH_RESULT_DEFAULTS;
    CHECK_OK(starfish_poisson_plan_create(context, p, &options, &plan));
    free(for_plan); /* it was read while the plan was made */
    for (int solves = 0; solves < 2; solves++) {
        CHECK_OK(starfish_plan_about(plan, &about));
        if (solves == 0)
            solved->chosen = strcmp(about.method, "slab") == 0 ? "slab" : "elimination";
        CHECK_OK(starfish_plan_solve(plan, NULL, rhs, solved->u, &solved->result));
    }
    CHECK_OK(starfish_plan_about(plan, &about));
    solved->solved_by = strcmp(about.method, "elimination") == 0 ? "elimination" : "another method";
    starfish_plan_destroy(plan);
}

static void both_agree(const struct starfish_poisson_problem *p, const char *chosen)
{
    static struct solved whole, part;
    const size_t planes[2] = {NZ - 2, 2}, first = rank == 0 ? 0 : planes[0];
    double rhs[N];
    for (int i = 0; i < N; i++)
        rhs[i] = real();
    solve(alone, p, NULL, rhs, &whole);
    solve(together, p, planes, rhs + first * PLANE, &part);
    CHECK(strcmp(whole.chosen, chosen) == 0 && strcmp(part.chosen, chosen) == 0, "chosen: %s, together %s",
          whole.chosen, part.chosen);
    CHECK(strcmp(whole.solved_by, "elimination") == 0 && strcmp(part.solved_by, "elimination") == 0,
          "solved by %s, together by %s", whole.solved_by, part.solved_by);
    CHECK(memcmp(part.u, whole.u + first * PLANE, planes[rank] * PLANE * sizeof(double)) == 0, "other solutions");
    CHECK(part.result.residual_max == whole.result.residual_max, "residual %g, together %g", whole.result.residual_max,
          part.result.residual_max);
}

int main(int argc, char **argv)
{
    double rows[3][3 * NZ];
    begin(&argc, &argv);
    const struct starfish_poisson_problem asymmetric = rings(rows);
    both_agree(&asymmetric, "elimination");
    const struct starfish_poisson_problem badly_scaled = long_rows(rows);
    both_agree(&badly_scaled, "slab");
    end();
    return 0;
}
