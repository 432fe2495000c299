/* Problem files: keys of problems on a box, which several kinds have: length, origin, bc, boundary. */
#include "apps/files/problem_keys.h"

#include "apps/files/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entry d of a list that has been checked by starfish_json_list. */
starfish_status starfish_problem_length(const struct starfish_problem_reader *reader, size_t d)
{
    struct starfish_axis *axis = &reader->problem->axis[d];
    STARFISH_TRY(starfish_json_number(reader->path, "length", json_array_get(starfish_problem_get(reader, "length"), d),
                                      &axis->length));
    if (axis->length <= 0)
        return starfish_json_fail(reader->path, "length", "entry %zu must be positive", d + 1);
    return STARFISH_SUCCESS;
}

static starfish_status read_end(const struct starfish_problem_reader *reader, const char *key, const json_t *value,
                                starfish_end *end)
{
    static const struct {
        const char *name;
        starfish_end end;
    } ends[] = {{"dirichlet", STARFISH_DIRICHLET}, {"neumann", STARFISH_NEUMANN}, {"periodic", STARFISH_PERIODIC}};
    for (size_t i = 0; json_is_string(value) && i < sizeof ends / sizeof ends[0]; ++i)
        if (strcmp(json_string_value(value), ends[i].name) == 0) {
            *end = ends[i].end;
            return STARFISH_SUCCESS;
        }
    return starfish_json_fail(reader->path, key,
                              "must be \"periodic\" or a pair of \"dirichlet\" and \"neumann\" ends");
}

starfish_status starfish_problem_check_bc(const struct starfish_problem_reader *reader)
{
    const json_t *bc = starfish_problem_get(reader, "bc");
    const size_t dimensions = reader->problem->dimensions;
    const char *known[4] = {NULL};
    for (size_t d = 0; d < dimensions; ++d)
        known[d] = starfish_axis_names[d];
    if (!bc)
        return starfish_json_fail(reader->path, "bc", "missing");
    if (!json_is_object(bc))
        return starfish_json_fail(reader->path, "bc", "must be an object with %s",
                                  dimensions == 2 ? "x and y" : "x, y and z");
    return starfish_json_known(reader->path, bc, "bc.", known);
}

starfish_status starfish_problem_ends(const struct starfish_problem_reader *reader, size_t d)
{
    struct starfish_axis *axis = &reader->problem->axis[d];
    const json_t *value = json_object_get(starfish_problem_get(reader, "bc"), starfish_axis_names[d]);
    char key[] = {'b', 'c', '.', starfish_axis_names[d][0], '\0'};
    if (!value)
        return starfish_json_fail(reader->path, key, "missing");
    if (json_is_string(value) && strcmp(json_string_value(value), "periodic") == 0) {
        axis->ends[0] = axis->ends[1] = STARFISH_PERIODIC;
        axis->periodic = 1;
        return STARFISH_SUCCESS;
    }
    if (!json_is_array(value) || json_array_size(value) != 2)
        return read_end(reader, key, NULL, &axis->ends[0]);
    for (size_t side = 0; side < 2; ++side)
        STARFISH_TRY(read_end(reader, key, json_array_get(value, side), &axis->ends[side]));
    axis->periodic = axis->ends[0] == STARFISH_PERIODIC;
    if (axis->periodic != (axis->ends[1] == STARFISH_PERIODIC))
        return starfish_json_fail(reader->path, key, "one end cannot be periodic without the other");
    return STARFISH_SUCCESS;
}

size_t starfish_problem_count_ends(const struct starfish_axis *axis, starfish_end end)
{
    return (size_t)(axis->ends[0] == end) + (size_t)(axis->ends[1] == end);
}

starfish_status starfish_problem_origin(const struct starfish_problem_reader *reader)
{
    const json_t *origin = starfish_problem_get(reader, "origin");
    if (!origin)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_json_list(reader->path, "origin", origin, reader->problem->dimensions));
    for (size_t d = 0; d < reader->problem->dimensions; ++d) {
        const json_t *entry = json_array_get(origin, d);
        double number = 0;
        if (!json_is_null(entry))
            STARFISH_TRY(starfish_json_number(reader->path, "origin", entry, &number));
        /* Coordinates say themselves where they begin. */
        if (reader->problem->axis[d].kind == STARFISH_UNIFORM)
            reader->problem->axis[d].origin = number;
    }
    return STARFISH_SUCCESS;
}

/* Whether this process has unknowns at an end. */
static int has_end(const struct starfish_problem *problem, size_t d, size_t end)
{
    const size_t slowest = problem->dimensions - 1, last = problem->first_plane + problem->planes;
    return d != slowest || (problem->planes > 0 && (end ? last == problem->axis[d].n : problem->first_plane == 0));
}

/* The other directions, the slowest first. In two dimensions a face is a line. */
static struct starfish_problem_extent face_extent(const struct starfish_problem *problem, size_t d)
{
    struct starfish_problem_extent extent = {.of = d == problem->dimensions - 1 ? STARFISH_PROBLEM_WHOLE
                                                                                : STARFISH_PROBLEM_PLANES};
    for (size_t other = problem->dimensions; other-- > 0;)
        if (other != d)
            extent.n[extent.rank++] = problem->axis[other].n;
    return extent;
}

starfish_status starfish_problem_boundary(const struct starfish_problem_reader *reader)
{
    static const char *const names[] = {"x0", "x1", "y0", "y1", "z0", "z1"};
    struct starfish_problem *problem = reader->problem;
    const size_t dimensions = problem->dimensions;
    const json_t *boundary = starfish_problem_get(reader, "boundary");
    const char *known[7] = {NULL};
    if (!boundary)
        return STARFISH_SUCCESS;
    if (!json_is_object(boundary))
        return starfish_json_fail(reader->path, "boundary", "must be an object");
    memcpy(known, names, 2 * dimensions * sizeof *names);
    STARFISH_TRY(starfish_json_known(reader->path, boundary, "boundary.", known));
    for (size_t face = 0; face < 2 * dimensions; ++face) {
        const json_t *value = json_object_get(boundary, known[face]);
        size_t d = face / 2;
        char key[16];
        if (!value)
            continue;
        snprintf(key, sizeof key, "boundary.%s", known[face]);
        if (problem->axis[d].periodic)
            return starfish_json_fail(reader->path, key, "a periodic direction has no boundary");
        struct starfish_values *values = &problem->boundary[d][face % 2];
        const struct starfish_problem_extent extent = face_extent(problem, d);
        if (json_is_string(value) && !has_end(problem, d, face % 2))
            values->given = 1;
        else
            STARFISH_TRY(starfish_problem_values(reader, key, value, &extent, values));
    }
    return STARFISH_SUCCESS;
}
