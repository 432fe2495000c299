/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output files of a solve: the solution, a VTK file, a picture of a slice. */
#include "apps/solve/solve.h"

#include "apps/files/file.h"
#include "apps/files/output.h"
#include "apps/files/vtk.h"
#include "apps/pictures/canvas.h"
#include "apps/pictures/image.h"
#include "apps/solve/globe.h"
#include "base/status.h"
#include <starfish/atmosphere.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Positions of the unknowns in all directions, one after the other, in memory that the caller frees. */
struct positions {
    double *memory, *position[3];
    struct starfish_vtk_axis axis[3];
    struct starfish_array_axes axes; /* of the solution, slowest direction first */
};

static starfish_status find_positions(const struct starfish_read_problem *problem, struct positions *positions)
{
    const size_t *n = problem->n;
    positions->memory = malloc((n[0] + n[1] + n[2]) * sizeof(double));
    STARFISH_FAIL_IF(!positions->memory, STARFISH_ERROR_MEMORY, "no memory for the coordinates");
    double *position = positions->memory;
    for (size_t d = 0; d < 3; position += n[d++]) {
        double origin, spacing;
        int stretched = starfish_problem_positions(problem, d, &origin, &spacing, position);
        for (size_t i = 0; !stretched && i < n[d]; ++i)
            position[i] = origin + (double)i * spacing;
        positions->position[d] = position;
        positions->axis[d] = (struct starfish_vtk_axis){n[d], origin, spacing, stretched ? position : NULL};
        if (d < problem->row->dimensions) {
            const size_t slot = problem->row->dimensions - 1 - d;
            positions->axes.name[slot] = starfish_problem_direction(problem->row, d);
            positions->axes.position[slot] = position;
            positions->axes.spacing[slot] = stretched ? 0 : spacing;
        }
    }
    return STARFISH_SUCCESS;
}

/* ---- the picture: x-y of a 2D problem, of a sphere the layer, else --plane --------- */

/* Plane `at` across direction d. */
static double largest_in_plane(const struct solve_run *run, int d, size_t at)
{
    const size_t *n = run->solver.problem.n;
    size_t first[3] = {0, 0, 0}, last[3] = {n[0], n[1], n[2]};
    double result = 0;
    first[d] = at;
    last[d] = at + 1;
    for (size_t k = first[2]; k < last[2]; ++k)
        for (size_t j = first[1]; j < last[1]; ++j)
            for (size_t i = first[0]; i < last[0]; ++i)
                result = fmax(result, fabs(starfish_array_get(&run->solver.solution, i + n[0] * (j + n[1] * k))));
    return result;
}

/* From the middle outwards, so that of planes alike the middle one is shown. */
static size_t choose_plane(const struct solve_run *run, int d)
{
    size_t n = run->solver.problem.n[d], best = n / 2;
    double highest = largest_in_plane(run, d, best);
    for (size_t step = 1; step <= n / 2; ++step)
        for (int side = 0; side < 2; ++side) {
            size_t j = side ? n / 2 + step : n / 2 - step;
            double here = j < n ? largest_in_plane(run, d, j) : 0;
            if (here > highest * (1 + 1e-6)) {
                highest = here;
                best = j;
            }
        }
    return best;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static starfish_status write_globe(const struct solve_run *run, const struct positions *positions)
{
    const size_t k = choose_plane(run, 2);
    char title[128];
    snprintf(title, sizeof title, "%.60s: u at z = %.4g", base_name(run->solver.problem.path),
             positions->position[2][k]);
    return solve_write_globe(run->options.plot, &run->solver.solution, run->solver.problem.n[0], k, title);
}

static size_t find_plane(const struct solve_run *run, const struct positions *positions)
{
    const struct solve_plane plane = run->plane;
    const double *position = positions->position[plane.d];
    size_t best = 0;
    if (isnan(plane.coordinate))
        return choose_plane(run, plane.d);
    for (size_t i = 1; i < run->solver.problem.n[plane.d]; i++)
        if (fabs(position[i] - plane.coordinate) < fabs(position[best] - plane.coordinate))
            best = i;
    return best;
}

static starfish_status write_slice(const struct solve_run *run, const struct positions *positions)
{
    const size_t *n = run->solver.problem.n, apart[3] = {1, n[0], n[0] * n[1]};
    const int is_solid = run->solver.problem.row->dimensions == 3;
    struct starfish_array plane;
    char title[128];
    const int d = is_solid ? run->plane.d : 2;
    const size_t across = d == 0 ? 1 : 0, up = d == 2 ? 1 : 2, at = is_solid ? find_plane(run, positions) : 0;
    STARFISH_TRY(starfish_array_create(&plane, STARFISH_F64, 2, (const size_t[]){n[up], n[across]}));
    double *values = plane.data;
    for (size_t row = 0; row < n[up]; ++row)
        for (size_t i = 0; i < n[across]; ++i)
            *values++ = starfish_array_get(&run->solver.solution, i * apart[across] + row * apart[up] + at * apart[d]);
    const struct starfish_problem_row *problem = run->solver.problem.row;
    int length = snprintf(title, sizeof title, "%.60s: u", base_name(run->solver.problem.path));
    if (is_solid)
        snprintf(title + length, sizeof title - (size_t)length, " at %s = %.4g",
                 starfish_problem_direction(problem, (size_t)d), positions->position[d][at]);
    const struct starfish_slice slice = {
        {n[across], n[up]},
        {positions->position[across], positions->position[up]},
        plane.data,
        {starfish_problem_direction(problem, across), starfish_problem_direction(problem, up)},
        title,
        NULL};
    starfish_status status = starfish_image_write(run->options.plot, &slice);
    starfish_array_free(&plane);
    return status;
}

static starfish_status write_plot(const struct solve_run *run, const struct positions *positions)
{
    const struct starfish_read_problem *problem = &run->solver.problem;
    const struct starfish_atmosphere_problem *flat = problem->data;
    const int is_sphere = strcmp(problem->row->name, "atmosphere3d") == 0 && flat->geometry == STARFISH_SPHERE;
    return (is_sphere ? write_globe : write_slice)(run, positions);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* A solution that took the place of what the problem was read from would leave another problem. */
static starfish_status check_solution(const struct starfish_read_problem *problem, const char *name)
{
    for (size_t i = 0; i < problem->inputs; i++)
        STARFISH_FAIL_IF(starfish_file_same(name, problem->input[i]), STARFISH_ERROR_ARGUMENT,
                         "%s: the problem reads this array: name another file", name);
    return starfish_file_check_output(name);
}

static starfish_status check_all(struct solve_run *run, const struct positions *positions)
{
    if (solve_output_name(run))
        STARFISH_TRY(check_solution(&run->solver.problem, solve_output_name(run)));
    if (run->options.vtk)
        STARFISH_TRY(starfish_vtk_check(run->options.vtk, positions->axis));
    STARFISH_TRY(solve_read_plane(run, run->solver.problem.row->dimensions));
    return run->options.plot ? starfish_canvas_check(run->options.plot) : STARFISH_SUCCESS;
}

static starfish_status write_all_together(const struct solve_run *run, const struct positions *positions)
{
    if (solve_output_name(run))
        STARFISH_TRY(solve_write_together(&run->solver, solve_output_name(run), NULL));
    return run->options.vtk ? solve_write_together(&run->solver, run->options.vtk, positions->axis) : STARFISH_SUCCESS;
}

static starfish_status write_all(const struct solve_run *run, const struct positions *positions)
{
    if (run->solver.transport)
        return write_all_together(run, positions);
    if (solve_output_name(run))
        STARFISH_TRY(starfish_file_write(solve_output_name(run), &run->solver.solution));
    if (run->options.vtk)
        STARFISH_TRY(starfish_vtk_write(run->options.vtk, positions->axis, "u", &run->solver.solution));
    return run->options.plot ? write_plot(run, positions) : STARFISH_SUCCESS;
}

starfish_status solve_check_outputs(struct solve_run *run)
{
    struct positions positions;
    STARFISH_FAIL_IF(run->options.plot && run->solver.transport, STARFISH_ERROR_UNSUPPORTED,
                     "--plot: goes without --mpi: no rank has a whole slice");
    STARFISH_FAIL_IF((run->options.plot || run->options.vtk) && run->solver.problem.row->directions,
                     STARFISH_ERROR_UNSUPPORTED, "%s: problems of kind %s are not drawn yet",
                     run->options.plot ? "--plot" : "--vtk", run->solver.problem.row->name);
    if (problem_rank(&run->solver) > 0)
        return STARFISH_SUCCESS; /* the first one writes first */
    STARFISH_TRY(find_positions(&run->solver.problem, &positions));
    starfish_status status = check_all(run, &positions);
    free(positions.memory);
    return status;
}

starfish_status solve_write_outputs(struct solve_run *run)
{
    struct positions positions;
    STARFISH_TRY(find_positions(&run->solver.problem, &positions));
    run->solver.solution.axes = &positions.axes;
    starfish_outputs_begin();
    const starfish_status status = starfish_outputs_finish(write_all(run, &positions));
    run->solver.solution.axes = NULL;
    free(positions.memory);
    return status;
}
