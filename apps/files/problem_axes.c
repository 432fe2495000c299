/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem files: axes that are grids or matrices. Uniform grids need a length, stretched ones their nodes or faces,
 * matrices their three diagonals. */
#include "apps/files/problem_keys.h"

#include "apps/files/json.h"

#include <math.h>
#include <stdio.h>

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

static size_t count_ends(const struct starfish_axis *axis, starfish_end end)
{
    return (size_t)(axis->ends[0] == end) + (size_t)(axis->ends[1] == end);
}

/* How many coordinates the axis needs. */
static struct starfish_wanted wanted_coordinates(const struct starfish_axis *axis, const char *name)
{
    const int faces = axis->grid == STARFISH_CELL;
    return (struct starfish_wanted){
        .name = name,
        .rank = 1,
        .shape = {axis->n + (faces ? 1 : count_ends(axis, STARFISH_DIRICHLET))},
        .reason = faces ? ": n + 1 faces" : ": n unknowns and the Dirichlet ends",
    };
}

/* Coordinates must increase, and span the length if that is given too, or the range. */
static starfish_status check_coordinates(const struct key_reader *reader, const char *key, struct starfish_axis *axis,
                                         const json_t *length)
{
    const double ends[2] = {axis->origin, axis->origin + axis->length};
    const double *x = axis->coordinates;
    size_t count = axis->coordinate_count;
    for (size_t i = 1; i < count; ++i)
        STARFISH_JSON_FAIL_IF(x[i] <= x[i - 1], reader->path, key, "position %zu does not exceed the one before it", i);
    const double span = x[count - 1] - x[0], rounding = 1e-12 * fmax(fabs(x[0]), fabs(x[count - 1]));
    axis->origin = x[0];
    axis->length = span;
    STARFISH_JSON_FAIL_IF(key_has(reader, "range") && ends[1] > ends[0] &&
                              (fabs(ends[0] - x[0]) > rounding || fabs(ends[1] - x[count - 1]) > rounding),
                          reader->path, "range", "must be null or %.17g to %.17g, which \"%s\" spans", x[0],
                          x[count - 1], key);
    if (!length || json_is_null(length))
        return STARFISH_SUCCESS;
    STARFISH_JSON_FAIL_IF(!json_is_number(length) || !(fabs(json_number_value(length) - span) <= 1e-12 * span),
                          reader->path, "length", "must be null or %.17g, which \"%s\" spans", span, key);
    return STARFISH_SUCCESS;
}

/* {"nodes": file} or {"faces": file}. */
static starfish_status read_stretched(const struct key_reader *reader, size_t d, const json_t *value,
                                      struct starfish_axis *axis)
{
    static const char *const known[] = {"nodes", "faces", NULL};
    struct starfish_array array;
    const char *const name = starfish_problem_direction(reader->problem->row, d);
    char prefix[16], key[24];
    snprintf(prefix, sizeof prefix, "grid.%s.", name);
    STARFISH_TRY(starfish_json_known(reader->path, value, prefix, known));
    const json_t *nodes = json_object_get(value, "nodes"), *faces = json_object_get(value, "faces");
    const json_t *file = nodes ? nodes : faces;
    snprintf(key, sizeof key, "%s%s", prefix, nodes ? "nodes" : "faces");
    STARFISH_JSON_FAIL_IF((nodes != NULL) == (faces != NULL) || !json_is_string(file), reader->path, key,
                          "a stretched grid is one file of \"nodes\" or \"faces\"");
    STARFISH_JSON_FAIL_IF(d == 0, reader->path, key, "%s must be uniform: it is Fourier transformed", name);
    STARFISH_JSON_FAIL_IF(nodes && axis->ends[0] == STARFISH_PERIODIC, reader->path, key,
                          "a periodic stretched direction has \"faces\"");
    axis->kind = STARFISH_STRETCHED;
    axis->grid = nodes ? STARFISH_NODE : STARFISH_CELL;
    const struct starfish_wanted wanted = wanted_coordinates(axis, json_string_value(file));
    STARFISH_TRY(key_array(reader, key, &wanted, 1, &array));
    axis->coordinate_count = starfish_array_count(&array);
    STARFISH_TRY(key_keep(reader->problem, &array, &axis->coordinates));
    return check_coordinates(reader, key, axis, json_array_get(key_get(reader, "length"), d));
}

static starfish_status read_uniform(const struct key_reader *reader, size_t d, const json_t *value,
                                    struct starfish_axis *axis)
{
    static const char *const grids[] = {[STARFISH_NODE] = "node", [STARFISH_CELL] = "cell", "uniform"};
    const struct starfish_problem_row *row = reader->problem->row;
    const int grid = value ? key_index(value, grids, 3) : row->directions ? STARFISH_CELL : STARFISH_NODE;
    char key[16];
    snprintf(key, sizeof key, "grid.%s", starfish_problem_direction(row, d));
    STARFISH_JSON_FAIL_IF(grid < 0, reader->path, key,
                          "must be \"uniform\", \"node\", \"cell\", {\"nodes\": FILE} or {\"faces\": FILE}");
    axis->grid = grid == STARFISH_CELL ? STARFISH_CELL : STARFISH_NODE;
    if (key_has(reader, "range"))
        return STARFISH_SUCCESS; /* which has been read */
    return key_number(reader, "length", d + 1, json_array_get(key_get(reader, "length"), d), STARFISH_BOUND_POSITIVE,
                      &axis->length);
}

/* Nodes at both ends need to be two. */
static starfish_status check_nodes(const struct key_reader *reader, size_t d, const struct starfish_axis *axis)
{
    STARFISH_JSON_FAIL_IF(axis->grid == STARFISH_NODE && axis->n < 2 && count_ends(axis, STARFISH_NEUMANN) == 2,
                          reader->path, "n", "entry %zu must be at least 2 between two Neumann ends", d + 1);
    return STARFISH_SUCCESS;
}

/* An object with a grid for each direction that is not "uniform". */
starfish_status key_read_grid(const struct key_reader *reader, const char *key, const json_t *value)
{
    const struct starfish_problem_row *row = reader->problem->row;
    const char *known[4];
    struct starfish_axis *axis = key_axes(reader->problem);
    STARFISH_TRY(key_directions(reader, key, value, known));
    for (size_t d = 0; d < row->dimensions; ++d) {
        const json_t *grid = json_object_get(value, known[d]);
        STARFISH_TRY((json_is_object(grid) ? read_stretched : read_uniform)(reader, d, grid, &axis[d]));
        STARFISH_TRY(check_nodes(reader, d, &axis[d]));
    }
    return STARFISH_SUCCESS;
}

/* ---- Ranges ---------------------------------------------------------------------------------------------------- */

#define PI 3.14159265358979323846

/* Of the first direction a full circle, of a colatitude from pole to pole. A stretched grid has its own. */
static starfish_status read_range(const struct key_reader *reader, size_t d, const json_t *value, double range[2])
{
    const char *const name = starfish_problem_direction(reader->problem->row, d);
    const json_t *grid = json_object_get(key_get(reader, "grid"), name);
    char key[16];
    snprintf(key, sizeof key, "range.%s", name);
    range[0] = range[1] = 0;
    if (!value || json_is_null(value)) {
        range[1] = d == 0 ? 2 * PI : name[0] == 't' ? PI : 0;
        STARFISH_JSON_FAIL_IF(range[1] == 0 && !json_is_object(grid), reader->path, key, "missing");
        if (json_is_object(grid))
            range[1] = 0;
        return STARFISH_SUCCESS;
    }
    STARFISH_TRY(starfish_json_list(reader->path, key, value, 2));
    for (size_t end = 0; end < 2; ++end)
        STARFISH_TRY(starfish_json_number(reader->path, key, json_array_get(value, end), &range[end]));
    STARFISH_JSON_FAIL_IF(!(range[1] > range[0]) || !isfinite(range[1] - range[0]), reader->path, key, "must increase");
    return STARFISH_SUCCESS;
}

/* An object with the two ends of each direction. */
starfish_status key_read_range(const struct key_reader *reader, const char *key, const json_t *value)
{
    const struct starfish_problem_row *row = reader->problem->row;
    const char *known[4];
    struct starfish_axis *axis = key_axes(reader->problem);
    STARFISH_TRY(key_directions(reader, key, value, known));
    for (size_t d = 0; d < row->dimensions; ++d) {
        double range[2];
        STARFISH_TRY(read_range(reader, d, json_object_get(value, known[d]), range));
        axis[d].origin = range[0];
        axis[d].length = range[1] - range[0];
    }
    return STARFISH_SUCCESS;
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

static starfish_status read_coefficient(const struct key_reader *reader, const char *key, const json_t *value,
                                        const struct starfish_wanted *wanted, const double **data)
{
    struct starfish_values values = {.given = 0};
    STARFISH_TRY(key_values(reader, key, value, *wanted, 1, &values));
    if (!values.array.data) {
        STARFISH_TRY(starfish_array_create(&values.array, STARFISH_F64, 1, wanted->shape));
        starfish_array_fill(&values.array, values.constant);
    }
    return key_keep(reader->problem, &values.array, data);
}

/* Rows of the direction that the key names. */
starfish_status key_read_matrix(const struct key_reader *reader, const char *key, const json_t *rows)
{
    static const char *const known[] = {"lower", "diag", "upper", "periodic", NULL};
    struct starfish_axis *axis = &key_axes(reader->problem)[key[0] - 'x'];
    const double **const targets[] = {&axis->lower, &axis->diag, &axis->upper};
    const json_t *periodic = json_object_get(rows, "periodic");
    const char prefix[] = {key[0], '.', '\0'};
    char part[16];
    STARFISH_JSON_FAIL_IF(!rows, reader->path, key, "missing");
    STARFISH_JSON_FAIL_IF(!json_is_object(rows), reader->path, key, "must be an object with lower, diag and upper");
    STARFISH_TRY(starfish_json_known(reader->path, rows, prefix, known));
    if (periodic && !json_is_boolean(periodic)) {
        snprintf(part, sizeof part, "%speriodic", prefix);
        return starfish_json_fail(reader->path, part, "must be true or false");
    }
    axis->periodic = json_is_true(periodic);
    const size_t ignored[] = {1, 0, axis->n}; /* the ends of lower and upper, which couple what is periodic */
    for (size_t i = 0; i < 3; ++i) {
        const struct starfish_wanted wanted = {
            .rank = 1, .shape = {axis->n}, .ignored = axis->periodic ? 0 : ignored[i]};
        snprintf(part, sizeof part, "%s%s", prefix, known[i]);
        STARFISH_TRY(read_coefficient(reader, part, json_object_get(rows, known[i]), &wanted, targets[i]));
    }
    return STARFISH_SUCCESS;
}
