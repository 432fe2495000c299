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

/* Coordinates must increase, and span the length if that is given too. */
static starfish_status check_coordinates(const struct key_reader *reader, const char *key, struct starfish_axis *axis,
                                         const json_t *length)
{
    const double *x = axis->coordinates;
    size_t count = axis->coordinate_count;
    for (size_t i = 1; i < count; ++i)
        STARFISH_JSON_FAIL_IF(x[i] <= x[i - 1], reader->path, key, "position %zu does not exceed the one before it", i);
    double span = x[count - 1] - x[0];
    axis->origin = x[0];
    axis->length = span;
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
    char prefix[] = {'g', 'r', 'i', 'd', '.', key_directions[d][0], '.', '\0'}, key[16];
    STARFISH_TRY(starfish_json_known(reader->path, value, prefix, known));
    const json_t *nodes = json_object_get(value, "nodes"), *faces = json_object_get(value, "faces");
    const json_t *file = nodes ? nodes : faces;
    snprintf(key, sizeof key, "%s%s", prefix, nodes ? "nodes" : "faces");
    STARFISH_JSON_FAIL_IF((nodes != NULL) == (faces != NULL) || !json_is_string(file), reader->path, key,
                          "a stretched grid is one file of \"nodes\" or \"faces\"");
    STARFISH_JSON_FAIL_IF(d == 0, reader->path, key, "x must be uniform: it is Fourier transformed");
    STARFISH_JSON_FAIL_IF(axis->ends[0] == STARFISH_PERIODIC, reader->path, key,
                          "a periodic direction cannot be stretched");
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
    const char key[] = {'g', 'r', 'i', 'd', '.', key_directions[d][0], '\0'};
    const int grid = value ? key_index(value, grids, 3) : STARFISH_NODE;
    STARFISH_JSON_FAIL_IF(grid < 0, reader->path, key,
                          "must be \"uniform\", \"node\", \"cell\", {\"nodes\": FILE} or {\"faces\": FILE}");
    axis->grid = grid == STARFISH_CELL ? STARFISH_CELL : STARFISH_NODE;
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
    static const char *const known[] = {"x", "y", "z", NULL};
    struct starfish_axis *axis = key_axes(reader->problem);
    STARFISH_JSON_FAIL_IF(value && !json_is_object(value), reader->path, key, "must be an object with x, y and z");
    STARFISH_TRY(starfish_json_known(reader->path, value, "grid.", known));
    for (size_t d = 0; d < 3; ++d) {
        const json_t *grid = json_object_get(value, key_directions[d]);
        STARFISH_TRY((json_is_object(grid) ? read_stretched : read_uniform)(reader, d, grid, &axis[d]));
        STARFISH_TRY(check_nodes(reader, d, &axis[d]));
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
