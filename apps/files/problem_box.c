/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem files: keys of problems on a box, which several kinds have: bc, sides, origin, boundary. */
#include "apps/files/problem_keys.h"

#include "apps/files/json.h"

#include <stdio.h>
#include <string.h>

/* ---- Ends -------------------------------------------------------------------------------------------------------- */

static starfish_status read_ends(const struct key_reader *reader, const json_t *bc, size_t d, starfish_end end[2])
{
    const char *const name = starfish_problem_direction(reader->problem->row, d);
    const json_t *value = json_object_get(bc, name);
    const int has_others = reader->problem->row->directions != NULL;
    char key[16];
    snprintf(key, sizeof key, "bc.%s", name);
    const int is_pair = json_is_array(value) && json_array_size(value) == 2;
    STARFISH_JSON_FAIL_IF(!value, reader->path, key, "missing");
    for (size_t side = 0; side < 2; ++side) {
        const int index = key_index(is_pair ? json_array_get(value, side) : value, starfish_end_names, STARFISH_ENDS);
        STARFISH_JSON_FAIL_IF(index < 0 || index == STARFISH_ROBIN || (index > STARFISH_ROBIN && !has_others),
                              reader->path, key,
                              "must be \"periodic\", \"dirichlet\"%s or \"neumann\", or a pair of these",
                              has_others ? ", \"axis\", \"pole\", \"centre\"" : "");
        end[side] = (starfish_end)index;
    }
    STARFISH_JSON_FAIL_IF((end[0] == STARFISH_PERIODIC) != (end[1] == STARFISH_PERIODIC), reader->path, key,
                          "one end cannot be periodic without the other");
    return STARFISH_SUCCESS;
}

starfish_status key_directions(const struct key_reader *reader, const char *key, const json_t *value,
                               const char *known[4])
{
    const size_t dimensions = reader->problem->row->dimensions;
    char prefix[16];
    for (size_t d = 0; d < 4; ++d)
        known[d] = d < dimensions ? starfish_problem_direction(reader->problem->row, d) : NULL;
    snprintf(prefix, sizeof prefix, "%s.", key);
    STARFISH_JSON_FAIL_IF(value && !json_is_object(value), reader->path, key, "must be an object with %s%s%s and %s",
                          known[0], dimensions == 2 ? "" : ", ", dimensions == 2 ? "" : known[1],
                          known[dimensions - 1]);
    return starfish_json_known(reader->path, value, prefix, known);
}

/* An object with the ends of each direction. */
starfish_status key_read_bc(const struct key_reader *reader, const char *key, const json_t *value)
{
    const struct key_place place = key_find(reader->problem->row, key);
    const size_t dimensions = reader->problem->row->dimensions;
    const char *known[4];
    STARFISH_JSON_FAIL_IF(!value, reader->path, key, "missing");
    STARFISH_TRY(key_directions(reader, key, value, known));
    for (size_t d = 0; d < dimensions; ++d)
        STARFISH_TRY(read_ends(reader, value, d, key_at(reader->problem, &place, place.is_of_axes ? d : 2 * d)));
    return STARFISH_SUCCESS;
}

/* A word for all sides of a box, which has lengths; makers refuse periodic sides of others. */
starfish_status key_read_sides(const struct key_reader *reader, const char *key, const json_t *value)
{
    static const char *const words[] = {"dirichlet", "periodic"};
    const struct key_place place = key_find(reader->problem->row, key);
    const struct key_place length = key_find(reader->problem->row, "length");
    int periodic;
    if (!value)
        return STARFISH_SUCCESS;
    STARFISH_JSON_FAIL_IF(key_count(reader->problem, &length) == 0, reader->path, key, "%s", place.member->only);
    STARFISH_TRY(key_word(reader, key, value, words, 2, &periodic));
    for (size_t i = 0; i < place.count; ++i)
        *(int *)key_at(reader->problem, &place, i) = periodic;
    return STARFISH_SUCCESS;
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

/* Coordinates say themselves where they begin. */
starfish_status key_read_origin(const struct key_reader *reader, const char *key, const json_t *value)
{
    const size_t dimensions = reader->problem->row->dimensions;
    if (!value)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_json_list(reader->path, key, value, dimensions));
    for (size_t d = 0; d < dimensions; ++d)
        if (!json_is_null(json_array_get(value, d)))
            STARFISH_TRY(
                starfish_json_number(reader->path, key, json_array_get(value, d), &reader->problem->origin[d]));
    return STARFISH_SUCCESS;
}

/* ---- Boundary data ----------------------------------------------------------------------------------------------- */

/* Whether this process has unknowns at an end. */
static int has_end(const struct starfish_read_problem *problem, size_t d, size_t end)
{
    const size_t slowest = problem->row->dimensions - 1, last = problem->first_plane + problem->planes;
    return d != slowest || (problem->planes > 0 && (end ? last == problem->n[d] : problem->first_plane == 0));
}

/* The other directions, the slowest first. In two dimensions a face is a line. */
static struct starfish_wanted face_of(const struct starfish_read_problem *problem, size_t d)
{
    struct starfish_wanted wanted = {
        .part = d != problem->row->dimensions - 1, .first = problem->first_plane, .count = problem->planes};
    for (size_t other = problem->row->dimensions; other-- > 0;)
        if (other != d)
            wanted.shape[wanted.rank++] = problem->n[other];
    return wanted;
}

starfish_status key_read_boundary(const struct key_reader *reader, const char *key, const json_t *boundary)
{
    struct starfish_read_problem *problem = reader->problem;
    const size_t dimensions = problem->row->dimensions;
    const char *known[7] = {NULL};
    char names[6][8];
    if (!boundary)
        return STARFISH_SUCCESS;
    STARFISH_JSON_FAIL_IF(!json_is_object(boundary), reader->path, key, "must be an object");
    for (size_t face = 0; face < 2 * dimensions; ++face) {
        snprintf(names[face], sizeof names[face], "%s%zu", starfish_problem_direction(problem->row, face / 2),
                 face % 2);
        known[face] = names[face];
    }
    STARFISH_TRY(starfish_json_known(reader->path, boundary, "boundary.", known));
    for (size_t face = 0; face < 2 * dimensions; ++face) {
        const json_t *value = json_object_get(boundary, known[face]);
        size_t d = face / 2;
        const struct starfish_axis axis = starfish_problem_axis(problem, d);
        char full[24];
        if (!value)
            continue;
        snprintf(full, sizeof full, "boundary.%s", known[face]);
        STARFISH_JSON_FAIL_IF(axis.periodic, reader->path, full, "a periodic direction has no boundary");
        STARFISH_JSON_FAIL_IF(axis.ends[face % 2] > STARFISH_ROBIN, reader->path, full,
                              "nothing is given at an axis, a pole or a centre");
        struct starfish_values *values = &problem->boundary[d][face % 2];
        if (json_is_string(value) && !has_end(problem, d, face % 2))
            values->given = 1;
        else
            STARFISH_TRY(key_values(reader, full, value, face_of(problem, d), 0, values));
    }
    return STARFISH_SUCCESS;
}
