/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output files of a finite element solve: its points, its solution as an array, and a VTK mesh. Paths are checked
 * before the solve. */
#include "apps/fem/fem.h"
#include "apps/files/file.h"
#include "apps/files/output.h"
#include "apps/files/vtu.h"
#include "apps/pictures/canvas.h"
#include "base/status.h"

static const char *points_of(const struct solve_run *run)
{
    return ((const struct fem_run *)run)->points;
}

starfish_status fem_check_outputs(struct solve_run *run)
{
    const struct solve_options *o = &run->options;
    const char *points = points_of(run);
    if (problem_rank(&run->solver) > 0)
        return STARFISH_SUCCESS;
    if (o->out)
        STARFISH_TRY(starfish_file_check_output(o->out));
    STARFISH_FAIL_IF(points && o->out && starfish_file_same(points, o->out), STARFISH_ERROR_ARGUMENT,
                     "--points: %s is the file of --out", points);
    if (points)
        STARFISH_TRY(starfish_file_check_output(points));
    if (o->vtk)
        STARFISH_TRY(starfish_vtu_check(o->vtk));
    STARFISH_TRY(solve_read_plane(
        run, (size_t)((const struct starfish_fem_problem *)run->solver.problem.data)->mesh->dimensions));
    return o->plot ? starfish_canvas_check(o->plot) : STARFISH_SUCCESS;
}

static starfish_status write_points(const struct solve_run *run)
{
    const starfish_plan *plan = run->solver.plan;
    const struct starfish_fem_problem *problem = run->solver.problem.data;
    const size_t d = (size_t)problem->mesh->dimensions, shape[] = {starfish_fem_nodes(plan), d};
    const double *point = starfish_fem_points(plan);
    struct starfish_array points;
    STARFISH_TRY(starfish_array_create(&points, STARFISH_F64, 2, shape));
    double *to = points.data;
    for (size_t n = 0; n < shape[0]; ++n)
        for (size_t i = 0; i < d; ++i)
            to[d * n + i] = point[3 * n + i];
    const starfish_status status = starfish_file_write(points_of(run), &points);
    starfish_array_free(&points);
    return status;
}

static starfish_status write_vtu(const struct solve_run *run)
{
    const starfish_plan *plan = run->solver.plan;
    const struct starfish_fem_problem *problem = run->solver.problem.data;
    const int d = problem->mesh->dimensions;
    struct starfish_vtu_mesh mesh = {.points = starfish_fem_nodes(plan),
                                     .dimensions = d,
                                     .per_cell = problem->element == STARFISH_FEM_Q1 ? 1 << d
                                                 : d == 2                            ? 9
                                                                                     : 27,
                                     .point = starfish_fem_points(plan)};
    mesh.cells = starfish_fem_cells(plan, &mesh.cell);
    return starfish_vtu_write(run->options.vtk, &mesh, "u", &run->solver.solution);
}

static starfish_status write_all(struct solve_run *run)
{
    const struct solve_options *o = &run->options;
    if (o->out)
        STARFISH_TRY(starfish_file_write(o->out, &run->solver.solution));
    if (points_of(run))
        STARFISH_TRY(write_points(run));
    if (o->vtk)
        STARFISH_TRY(write_vtu(run));
    return o->plot ? fem_write_plot(run) : STARFISH_SUCCESS;
}

starfish_status fem_write_outputs(struct solve_run *run)
{
    if (problem_rank(&run->solver) > 0)
        return STARFISH_SUCCESS;
    starfish_outputs_begin();
    return starfish_outputs_finish(write_all(run));
}
