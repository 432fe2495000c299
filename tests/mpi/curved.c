/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cylinders and shells on several ranks against those of one process: factors of planes and of rows are those of the
 * whole problem, whichever planes a rank has. Every rank compares its planes. Run by mpiexec. */
#include "tests/mpi/together.h"

#include <math.h>

enum { NX = 6, NY = 5, NZ = 11, PLANE = NX * NY, COUNT = PLANE * NZ };

static struct starfish_axis axis_of(size_t n, double origin, double length, starfish_end end)
{
    return (struct starfish_axis){.kind = STARFISH_UNIFORM,
                                  .n = n,
                                  .origin = origin,
                                  .length = length,
                                  .ends = {end, end},
                                  .grid = STARFISH_CELL};
}

/* Of a cylinder x is the angle, y the height and z the radius; of a shell the longitude, radius and colatitude.
 * Neumann ends all around make it singular. */
static struct starfish_problem problem_of(starfish_kind kind, starfish_end end)
{
    struct starfish_problem p = {.size = sizeof p, .kind = kind, .lambda = end == STARFISH_NEUMANN ? 0 : -0.5};
    p.axis[0] = axis_of(NX, 0, 1.5, end);
    p.axis[1] = axis_of(NY, 1, 2, end);
    p.axis[2] = axis_of(NZ, 0.5, 1.2, end);
    return p;
}

/* A wedge of a sphere on nodes, from pole to pole: its layer of NY rows is one row here. */
static struct starfish_problem sphere(void)
{
    struct starfish_problem p = {.size = sizeof p, .kind = STARFISH_SPHERE2D, .lambda = -0.5};
    p.axis[0] = axis_of(PLANE, 0, 1.5, STARFISH_NEUMANN);
    p.axis[1] = axis_of(NZ, 0, 3.14159265358979323846, STARFISH_END_POLE);
    p.axis[0].grid = p.axis[1].grid = STARFISH_NODE;
    return p;
}

/* By slab in one process, and by `method` on all ranks. */
static void solve_both(struct starfish_problem problem, starfish_method method, int refinements)
{
    const starfish_kind kind = problem.kind;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_boundary boundary = {0};
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    static double rhs[COUNT], expected[COUNT], got[COUNT];
    size_t first, count;
    starfish_plan *plan;
    double largest = 0, pertrb = 0;
    options.check_residual = 1;
    options.refinements = refinements;
    for (size_t e = 0; e < COUNT; e++)
        rhs[e] = real();
    for (int face = 0; face < 6; face++)
        boundary.constant[face / 2][face % 2] = real();
    CHECK_OK(starfish_plan_create(alone, &problem, &options, &plan));
    CHECK_OK(starfish_plan_solve(plan, &boundary, rhs, expected, &info));
    starfish_plan_destroy(plan);
    pertrb = info.pertrb;
    for (size_t e = 0; e < COUNT; e++)
        largest = fmax(largest, fabs(expected[e]));

    CHECK_OK(starfish_mpi_planes(together, NZ, rank, &first, &count));
    options.method = method;
    CHECK_OK(starfish_plan_create(together, &problem, &options, &plan));
    void *const part = part_of(rhs, first * PLANE * sizeof *rhs, count * PLANE * sizeof *rhs);
    CHECK_OK(starfish_plan_solve(plan, &boundary, part, got, &info));
    free(part);
    starfish_plan_destroy(plan);
    CHECK(fabs(info.pertrb - pertrb) <= 1e-12, "kind %d: pertrb is %g, not %g", (int)kind, info.pertrb, pertrb);
    CHECK(info.residual_max <= 1e-9, "kind %d: the residual is %g", (int)kind, info.residual_max);
    for (size_t e = 0; e < count * PLANE; e++)
        CHECK(fabs(got[e] - expected[first * PLANE + e]) <= 1e-11 * largest, "kind %d: element %zu is %.17g, not %.17g",
              (int)kind, first * PLANE + e, got[e], expected[first * PLANE + e]);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int refinements = 0; refinements < 2; refinements++) {
        for (starfish_method method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI; method++) {
            solve_both(problem_of(STARFISH_CYLINDER3D, STARFISH_DIRICHLET), method, refinements);
            solve_both(problem_of(STARFISH_SHELL3D, STARFISH_DIRICHLET), method, refinements);
            solve_both(problem_of(STARFISH_SHELL3D, STARFISH_NEUMANN), method, refinements);
        }
        solve_both(sphere(), STARFISH_METHOD_AUTO, refinements);
    }
    end();
    return 0;
}
