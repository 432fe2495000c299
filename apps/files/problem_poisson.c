/* Problem files: the keys of poisson3d. */
#include "apps/files/problem_keys.h"

#include "apps/files/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many coordinates the axis needs. */
static struct starfish_wanted wanted_coordinates(const struct starfish_axis *axis, const char *name)
{
    const int faces = axis->grid == STARFISH_CELL;
    return (struct starfish_wanted){
        .name = name,
        .rank = 1,
        .shape = {axis->n + (faces ? 1 : starfish_problem_count_ends(axis, STARFISH_DIRICHLET))},
        .reason = faces ? ": n + 1 faces" : ": n unknowns and the Dirichlet ends",
    };
}

/* Coordinates must increase, and span the length if that is given too. */
static starfish_status check_coordinates(const struct starfish_problem_reader *reader, const char *key,
                                         struct starfish_axis *axis, const json_t *length)
{
    const double *x = axis->coordinates;
    size_t count = axis->coordinate_count;
    for (size_t i = 1; i < count; ++i)
        if (x[i] <= x[i - 1])
            return starfish_json_fail(reader->path, key, "position %zu does not exceed the one before it", i);
    double span = x[count - 1] - x[0];
    axis->origin = x[0];
    axis->length = span;
    if (!length || json_is_null(length))
        return STARFISH_SUCCESS;
    if (!json_is_number(length) || !(fabs(json_number_value(length) - span) <= 1e-12 * span))
        return starfish_json_fail(reader->path, "length", "must be null or %.17g, which \"%s\" spans", span, key);
    return STARFISH_SUCCESS;
}

/* {"nodes": file} or {"faces": file}. */
static starfish_status read_stretched(const struct starfish_problem_reader *reader, size_t d, const json_t *value)
{
    static const char *const known[] = {"nodes", "faces", NULL};
    struct starfish_axis *axis = &reader->problem->axis[d];
    struct starfish_array array;
    char prefix[] = {'g', 'r', 'i', 'd', '.', starfish_axis_names[d][0], '.', '\0'}, key[16];
    STARFISH_TRY(starfish_json_known(reader->path, value, prefix, known));
    const json_t *nodes = json_object_get(value, "nodes"), *faces = json_object_get(value, "faces");
    const json_t *file = nodes ? nodes : faces;
    snprintf(key, sizeof key, "%s%s", prefix, nodes ? "nodes" : "faces");
    if ((nodes != NULL) == (faces != NULL) || !json_is_string(file))
        return starfish_json_fail(reader->path, key, "a stretched grid is one file of \"nodes\" or \"faces\"");
    if (d == 0)
        return starfish_json_fail(reader->path, key, "x must be uniform: it is Fourier transformed");
    if (axis->periodic)
        return starfish_json_fail(reader->path, key, "a periodic direction cannot be stretched");
    axis->kind = STARFISH_STRETCHED;
    axis->grid = nodes ? STARFISH_NODE : STARFISH_CELL;
    const struct starfish_wanted wanted = wanted_coordinates(axis, json_string_value(file));
    STARFISH_TRY(starfish_problem_array(reader, key, reader->problem->folder, &wanted, &array));
    axis->coordinate_count = starfish_array_count(&array);
    STARFISH_TRY(starfish_problem_keep(reader->problem, &array, &axis->coordinates));
    return check_coordinates(reader, key, axis, json_array_get(starfish_problem_get(reader, "length"), d));
}

static starfish_status read_uniform(const struct starfish_problem_reader *reader, size_t d, const json_t *value)
{
    static const struct {
        const char *name;
        starfish_grid grid;
    } grids[] = {{"uniform", STARFISH_NODE}, {"node", STARFISH_NODE}, {"cell", STARFISH_CELL}};
    struct starfish_axis *axis = &reader->problem->axis[d];
    const char *name = value ? json_string_value(value) : "uniform";
    char key[] = {'g', 'r', 'i', 'd', '.', starfish_axis_names[d][0], '\0'};
    size_t i = 0;
    while (name && i < sizeof grids / sizeof grids[0] && strcmp(name, grids[i].name) != 0)
        ++i;
    if (!name || i == sizeof grids / sizeof grids[0])
        return starfish_json_fail(reader->path, key,
                                  "must be \"uniform\", \"node\", \"cell\", {\"nodes\": FILE} or {\"faces\": FILE}");
    axis->kind = STARFISH_UNIFORM;
    axis->grid = grids[i].grid;
    return starfish_problem_length(reader, d);
}

/* Nodes at both ends need to be two. */
static starfish_status check_nodes(const struct starfish_problem_reader *reader, size_t d)
{
    const struct starfish_axis *axis = &reader->problem->axis[d];
    if (axis->grid == STARFISH_NODE && axis->n < 2 && starfish_problem_count_ends(axis, STARFISH_NEUMANN) == 2)
        return starfish_json_fail(reader->path, "n", "entry %zu must be at least 2 between two Neumann ends", d + 1);
    return STARFISH_SUCCESS;
}

static starfish_status read_poisson3d(const struct starfish_problem_reader *reader)
{
    static const char *const known[] = {"x", "y", "z", NULL};
    const json_t *grid = starfish_problem_get(reader, "grid");
    STARFISH_TRY(starfish_json_list(reader->path, "length", starfish_problem_get(reader, "length"), 3));
    STARFISH_TRY(starfish_problem_check_bc(reader));
    if (grid && !json_is_object(grid))
        return starfish_json_fail(reader->path, "grid", "must be an object with x, y and z");
    if (grid)
        STARFISH_TRY(starfish_json_known(reader->path, grid, "grid.", known));
    for (size_t d = 0; d < 3; ++d) {
        const json_t *value = json_object_get(grid, starfish_axis_names[d]);
        STARFISH_TRY(starfish_problem_ends(reader, d));
        STARFISH_TRY(json_is_object(value) ? read_stretched(reader, d, value) : read_uniform(reader, d, value));
        STARFISH_TRY(check_nodes(reader, d));
    }
    STARFISH_TRY(starfish_problem_origin(reader));
    return starfish_problem_boundary(reader);
}

starfish_status starfish_problem_fill_poisson(struct starfish_problem *problem)
{
    struct starfish_poisson_problem *data = problem->data;
    memcpy(data->axis, problem->axis, sizeof data->axis);
    data->lambda = problem->lambda;
    return STARFISH_SUCCESS;
}

const struct starfish_problem_keys starfish_poisson3d_keys = {
    "poisson3d",
    3,
    read_poisson3d,
    starfish_problem_fill_poisson,
    {"kind", "n", "length", "origin", "bc", "grid", "boundary", "lambda", "rhs", "solution", "exact"}};
