/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem files: the kind, the problem as a whole, and where its unknowns lie. */
#include "apps/files/problem_keys.h"

#include "apps/files/file.h"
#include "apps/files/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static starfish_status read_kind(struct key_reader *reader)
{
    const json_t *value = key_get(reader, "kind");
    const struct starfish_problem_row *row, *rows[STARFISH_PROBLEM_MOST_KINDS];
    const struct starfish_kind *plans[STARFISH_PROBLEM_MOST_KINDS];
    const char *names[STARFISH_PROBLEM_MOST_KINDS];
    int count = 0, index;
    while (count < STARFISH_PROBLEM_MOST_KINDS && (row = starfish_problem_row((size_t)count, &plans[count]))) {
        names[count] = row->name;
        rows[count++] = row;
    }
    if (!value)
        return starfish_json_fail(reader->path, "kind", "missing");
    STARFISH_TRY(key_word(reader, "kind", value, names, count, &index));
    reader->problem->plans = plans[index];
    reader->problem->row = rows[index];
    key_names(rows[index], reader->keys);
    return starfish_json_known(reader->path, reader->root, "", reader->keys);
}

/* The problem's struct, and what its kind says of it. */
static starfish_status make_data(const struct key_reader *reader)
{
    struct starfish_problem *problem = reader->problem;
    const struct key_place dimensions = key_find(problem->row, "dimensions");
    problem->data = calloc(1, problem->row->members->size);
    if (!problem->data)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: out of memory for a problem", reader->path);
    if (dimensions.count > 0)
        *(size_t *)key_at(problem, &dimensions, 0) = problem->row->dimensions;
    struct starfish_axis *axis = key_axes(problem);
    for (size_t d = 0; axis && d < problem->row->dimensions; ++d)
        if (key_has(reader, key_directions[d]))
            axis[d].kind = STARFISH_TRIDIAGONAL;
    return STARFISH_SUCCESS;
}

static starfish_status read_problem(struct key_reader *reader)
{
    STARFISH_TRY(read_kind(reader));
    STARFISH_TRY(make_data(reader));
    return key_read_all(reader);
}

/* `reader` says what is read of it. */
static starfish_status read_file(const char *path, struct key_reader reader, struct starfish_problem *problem)
{
    json_t *root;
    *problem = (struct starfish_problem){.path = strdup(path)};
    if (!problem->path)
        return starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for its name", path);
    STARFISH_TRY(starfish_file_folder(path, &problem->folder));
    STARFISH_TRY(starfish_json_load(path, &root));
    reader.path = problem->path;
    reader.root = root;
    reader.problem = problem;
    starfish_status status = read_problem(&reader);
    json_decref(root);
    return status;
}

starfish_status starfish_problem_read(const char *path, const char *rhs, struct starfish_problem *problem)
{
    return read_file(path, (struct key_reader){.rhs = rhs, .ranks = 1}, problem);
}

starfish_status starfish_problem_read_shapes(const char *path, const char *rhs, struct starfish_problem *problem)
{
    return read_file(path, (struct key_reader){.rhs = rhs, .only_shapes = 1, .ranks = 1}, problem);
}

starfish_status starfish_problem_read_part(const char *path, const char *rhs, int rank, int ranks,
                                           struct starfish_problem *problem)
{
    return read_file(path, (struct key_reader){.rhs = rhs, .rank = rank, .ranks = ranks}, problem);
}

void starfish_problem_free(struct starfish_problem *problem)
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
    *problem = (struct starfish_problem){.path = NULL};
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

size_t starfish_problem_shape(const struct starfish_problem *problem, size_t shape[3])
{
    const size_t dimensions = problem->row->dimensions;
    for (size_t d = 0; d < dimensions; ++d)
        shape[dimensions - 1 - d] = problem->n[d];
    return dimensions;
}

size_t starfish_problem_shape_here(const struct starfish_problem *problem, size_t shape[3])
{
    const size_t rank = starfish_problem_shape(problem, shape);
    shape[0] = problem->planes;
    return rank;
}

struct starfish_axis starfish_problem_axis(const struct starfish_problem *problem, size_t d)
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

/* Unknowns of a stretched axis: nodes without the Dirichlet end, or midpoints between faces. */
static void stretched_positions(const struct starfish_axis *axis, double *position)
{
    const double *x = axis->coordinates + (axis->grid == STARFISH_NODE && axis->ends[0] == STARFISH_DIRICHLET);
    for (size_t i = 0; i < axis->n; ++i)
        position[i] = axis->grid == STARFISH_NODE ? x[i] : x[i] + 0.5 * (x[i + 1] - x[i]);
}

int starfish_problem_positions(const struct starfish_problem *problem, size_t d, double *origin, double *spacing,
                               double *position)
{
    const struct starfish_axis axis = starfish_problem_axis(problem, d);
    *origin = 0;
    *spacing = 1;
    if (axis.kind == STARFISH_TRIDIAGONAL)
        return 0;
    if (axis.kind == STARFISH_STRETCHED) {
        stretched_positions(&axis, position);
        return 1;
    }
    int cells = axis.periodic || axis.grid == STARFISH_CELL;
    double first = axis.periodic ? 0 : axis.grid == STARFISH_CELL ? 0.5 : axis.ends[0] == STARFISH_DIRICHLET;
    size_t intervals =
        cells ? axis.n : axis.n + 1 - (axis.ends[0] == STARFISH_NEUMANN) - (axis.ends[1] == STARFISH_NEUMANN);
    *spacing = axis.length / (double)intervals;
    *origin = axis.origin + first * *spacing;
    return 0;
}
