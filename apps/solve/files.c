/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output files of a solve: the solution, a VTK file, a picture of a slice. */
#include "apps/solve/solve.h"

#include "apps/files/file.h"
#include "apps/files/output.h"
#include "apps/files/vtk.h"
#include "apps/pictures/canvas.h"
#include "apps/solve/curved.h"
#include "apps/solve/globe.h"
#include "base/real.h"
#include "base/status.h"
#include "scheduler/runtime/ranks.h"
#include <starfish/atmosphere.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Positions of the unknowns in all directions, one after the other, in memory that the caller frees. A closed angle has
 * the first position once more at the end, which the points of a VTK file have too. */
struct positions {
    double *memory, *position[3];
    struct starfish_vtk_grid grid;
    struct starfish_array_axes axes; /* of the solution, slowest direction first */
};

static starfish_status find_positions(const struct starfish_read_problem *problem, struct positions *positions)
{
    const size_t *n = problem->n;
    positions->memory = malloc((n[0] + n[1] + n[2] + 1) * sizeof(double));
    STARFISH_FAIL_IF(!positions->memory, STARFISH_ERROR_MEMORY, "no memory for the coordinates");
    double *position = positions->memory;
    positions->grid.round = starfish_problem_round(problem->row);
    for (size_t d = 0; d < 3; position += positions->grid.axis[d++].n) {
        const struct starfish_axis axis = starfish_problem_axis(problem, d);
        const int closed = d == 0 && positions->grid.round && starfish_problem_is_closed(&axis);
        double origin, spacing;
        int stretched = starfish_problem_positions(problem, d, &origin, &spacing, position);
        for (size_t i = 0; !stretched && i < n[d]; ++i)
            position[i] = origin + (double)i * spacing;
        if (closed)
            position[n[d]] = position[0];
        positions->position[d] = position;
        positions->grid.axis[d] =
            (struct starfish_vtk_axis){n[d] + (size_t)closed, origin, spacing, stretched || closed ? position : NULL};
        if (d < problem->row->dimensions) {
            const size_t slot = problem->row->dimensions - 1 - d;
            positions->axes.name[slot] = starfish_problem_direction(problem->row, d);
            positions->axes.position[slot] = position;
            positions->axes.spacing[slot] = stretched ? 0 : spacing;
        }
    }
    return STARFISH_SUCCESS;
}

/* ---- the picture: the plane of a 2D problem, of a sphere the layer, else --plane --------------------------------- */

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
    const struct starfish_axis axis[2] = {starfish_problem_axis(&run->solver.problem, across),
                                          starfish_problem_axis(&run->solver.problem, up)};
    starfish_status status = solve_write_curved(run->options.plot, &slice, axis);
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

/* ---- VTK: where an angle is closed, the first of each row stands once more at its end ---------------------------- */

static starfish_status close_rows(const struct starfish_array *field, struct starfish_array *closed)
{
    const size_t last = field->rank - 1, n = field->shape[last], row = n * starfish_real_size(field->precision);
    size_t shape[STARFISH_MAX_RANK];
    memcpy(shape, field->shape, sizeof shape);
    shape[last] = n + 1;
    STARFISH_TRY(starfish_array_create(closed, field->precision, field->rank, shape));
    const char *from = field->data;
    char *to = closed->data;
    for (size_t rows = starfish_array_count(field) / n; rows > 0; --rows, from += row, to += row + row / n) {
        memcpy(to, from, row);
        memcpy(to + row, from, row / n);
    }
    return STARFISH_SUCCESS;
}

static starfish_status write_vtk(const struct solve_run *run, const struct positions *positions)
{
    const struct starfish_vtk_grid *grid = &positions->grid;
    const struct starfish_array *solution = &run->solver.solution;
    const int is_closed = grid->axis[0].n > run->solver.problem.n[0];
    struct starfish_array closed = {.data = NULL};
    starfish_status status = is_closed ? close_rows(solution, &closed) : STARFISH_SUCCESS;
    status = starfish_transport_agree(run->solver.transport, status);
    if (status == STARFISH_SUCCESS && run->solver.transport)
        status = solve_write_together(&run->solver, run->options.vtk, grid, is_closed ? &closed : solution);
    else if (status == STARFISH_SUCCESS)
        status = starfish_vtk_write(run->options.vtk, grid, "u", is_closed ? &closed : solution);
    starfish_array_free(&closed);
    return status;
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
        STARFISH_TRY(starfish_vtk_check(run->options.vtk, &positions->grid));
    if (strcmp(starfish_problem_direction(run->solver.problem.row, 0), "phi") == 0)
        run->plane.d = 0; /* unless --plane says another: the section through the axis */
    STARFISH_TRY(solve_read_plane(run, run->solver.problem.row->dimensions));
    return run->options.plot ? starfish_canvas_check(run->options.plot) : STARFISH_SUCCESS;
}

static starfish_status write_all(const struct solve_run *run, const struct positions *positions)
{
    const char *name = solve_output_name(run);
    if (name)
        STARFISH_TRY(run->solver.transport ? solve_write_together(&run->solver, name, NULL, &run->solver.solution)
                                           : starfish_file_write(name, &run->solver.solution));
    if (run->options.vtk)
        STARFISH_TRY(write_vtk(run, positions));
    return run->options.plot ? write_plot(run, positions) : STARFISH_SUCCESS;
}

starfish_status solve_check_outputs(struct solve_run *run)
{
    struct positions positions;
    STARFISH_FAIL_IF(run->options.plot && run->solver.transport, STARFISH_ERROR_UNSUPPORTED,
                     "--plot: goes without --mpi: no rank has a whole slice");
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
