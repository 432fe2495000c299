/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems from files once they are read: their shape, where their unknowns lie, and their end.
 * No time is spent here. */
#include "apps/files/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void starfish_problem_free(struct starfish_read_problem *problem)
{
    free(problem->path);
    free(problem->folder);
    free(problem->solution);
    starfish_array_free(&problem->rhs.array);
    starfish_array_free(&problem->exact.array);
    for (size_t face = 0; face < 6; ++face)
        starfish_array_free(&problem->boundary[face / 2][face % 2].array);
    if (problem->forget && problem->data)
        problem->forget(problem->data);
    free(problem->data);
    for (size_t i = 0; i < problem->inputs; ++i)
        free(problem->input[i]);
    for (size_t i = 0; i < problem->kept_count; ++i)
        free(problem->kept[i]);
    free(problem->kept);
    *problem = (struct starfish_read_problem){.path = NULL};
}

const char *starfish_problem_direction(const struct starfish_problem_row *row, size_t d)
{
    static const char *const directions[] = {"x", "y", "z"};
    return row->directions ? row->directions[d] : directions[d];
}

size_t starfish_problem_shape(const struct starfish_read_problem *problem, size_t shape[3])
{
    const size_t dimensions = problem->row->dimensions;
    for (size_t d = 0; d < dimensions; ++d)
        shape[dimensions - 1 - d] = problem->n[d];
    return dimensions;
}

size_t starfish_problem_shape_here(const struct starfish_read_problem *problem, size_t shape[3])
{
    const size_t rank = starfish_problem_shape(problem, shape);
    shape[0] = problem->planes;
    return rank;
}

struct starfish_axis starfish_problem_axis(const struct starfish_read_problem *problem, size_t d)
{
    struct starfish_axis axis = {.kind = STARFISH_TRIDIAGONAL, .n = problem->n[d]};
    if (problem->row->axis && d < problem->row->dimensions)
        axis = problem->row->axis(problem->data, d);
    if (axis.kind == STARFISH_UNIFORM)
        axis.origin += problem->origin[d];
    if (axis.kind != STARFISH_TRIDIAGONAL)
        axis.periodic = axis.ends[0] == STARFISH_PERIODIC;
    return axis;
}

int starfish_problem_positions(const struct starfish_read_problem *problem, size_t d, double *origin, double *spacing,
                               double *position)
{
    const struct starfish_axis axis = starfish_problem_axis(problem, d);
    *origin = 0;
    *spacing = 1;
    if (axis.kind == STARFISH_TRIDIAGONAL)
        return 0;
    if (axis.kind == STARFISH_STRETCHED) {
        /* Unknowns of a stretched axis: nodes without the Dirichlet end, or midpoints between faces. */
        const double *x = axis.coordinates + (axis.grid == STARFISH_NODE && axis.ends[0] == STARFISH_DIRICHLET);
        for (size_t i = 0; i < axis.n; ++i)
            position[i] = axis.grid == STARFISH_NODE ? x[i] : x[i] + 0.5 * (x[i + 1] - x[i]);
        return 1;
    }
    int cells = axis.periodic || axis.grid == STARFISH_CELL;
    const int is_box = strcmp(problem->row->name, "poisson3d") == 0; /* whose periodic unknowns are at nodes */
    double first = axis.periodic && (is_box || axis.grid == STARFISH_NODE) ? 0
                   : axis.grid == STARFISH_CELL                            ? 0.5
                                                                           : axis.ends[0] == STARFISH_DIRICHLET;
    size_t intervals =
        cells ? axis.n : axis.n - 1 + (axis.ends[0] == STARFISH_DIRICHLET) + (axis.ends[1] == STARFISH_DIRICHLET);
    *spacing = axis.length / (double)intervals;
    *origin = axis.origin + first * *spacing;
    return 0;
}

/* In two dimensions z is 0, the position in the third one. */
const struct starfish_vtk_round *starfish_problem_round(const struct starfish_problem_row *row)
{
    static const struct starfish_vtk_round kinds[] = {
        {"polar2d", 0, 1, 2}, {"cylinder3d", 0, 2, 1}, {"sphere2d", 1, -1, 1}, {"shell3d", 1, 1, 2}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strcmp(kinds[i].kind, row->name) == 0)
            return &kinds[i];
    return NULL;
}

int starfish_problem_is_closed(const struct starfish_axis *angle)
{
    const double turn = 6.28318530717958647692;
    return angle->periodic && fabs(angle->length - turn) <= 1e-9;
}
