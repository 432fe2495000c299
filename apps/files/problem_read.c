/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads problem files: the kind, which says the keys, and then all keys by their table. Bound by the arrays. */
#include "apps/files/problem_keys.h"

#include "apps/files/file.h"
#include "apps/files/json.h"

#include <stdlib.h>
#include <string.h>

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
    STARFISH_JSON_FAIL_IF(!value, reader->path, "kind", "missing");
    STARFISH_TRY(key_word(reader, "kind", value, names, count, &index));
    reader->problem->plans = plans[index];
    reader->problem->row = rows[index];
    key_names(rows[index], reader->keys);
    return starfish_json_known(reader->path, reader->root, "", reader->keys);
}

/* The problem's struct, and what its kind says of it. */
static starfish_status make_data(const struct key_reader *reader)
{
    struct starfish_read_problem *problem = reader->problem;
    const struct key_place dimensions = key_find(problem->row, "dimensions");
    problem->data = calloc(1, problem->row->members->size);
    STARFISH_FAIL_IF(!problem->data, STARFISH_ERROR_MEMORY, "%s: out of memory for a problem", reader->path);
    if (dimensions.count > 0)
        *(size_t *)key_at(problem, &dimensions, 0) = problem->row->dimensions;
    const struct key_place kind = key_find(problem->row, "kind");
    if (kind.member->values && !kind.is_of_axes)
        STARFISH_TRY(key_read_member(reader, "kind", key_get(reader, "kind")));
    struct starfish_axis *axis = key_axes(problem);
    for (size_t d = 0; axis && d < problem->row->dimensions; ++d)
        if (key_has(reader, starfish_problem_direction(problem->row, d)))
            axis[d].kind = STARFISH_TRIDIAGONAL;
    return STARFISH_SUCCESS;
}

/* `reader` says what is read of it. */
static starfish_status read_file(const char *path, struct key_reader reader, struct starfish_read_problem *problem)
{
    json_t *root;
    *problem = (struct starfish_read_problem){.path = strdup(path)};
    STARFISH_FAIL_IF(!problem->path, STARFISH_ERROR_MEMORY, "%s: no memory for its name", path);
    STARFISH_TRY(starfish_file_folder(path, &problem->folder));
    STARFISH_TRY(starfish_json_load(path, &root));
    reader.path = problem->path;
    reader.root = root;
    reader.problem = problem;
    starfish_status status = read_kind(&reader);
    STARFISH_THEN(status, make_data(&reader));
    STARFISH_THEN(status, key_read_all(&reader));
    json_decref(root);
    return status;
}

starfish_status starfish_problem_read(const char *path, const char *rhs, struct starfish_read_problem *problem)
{
    return read_file(path, (struct key_reader){.rhs = rhs, .ranks = 1}, problem);
}

starfish_status starfish_problem_read_shapes(const char *path, const char *rhs, struct starfish_read_problem *problem)
{
    return read_file(path, (struct key_reader){.rhs = rhs, .only_shapes = 1, .ranks = 1}, problem);
}

starfish_status starfish_problem_read_part(const char *path, const char *rhs, int rank, int ranks,
                                           struct starfish_read_problem *problem)
{
    return read_file(path, (struct key_reader){.rhs = rhs, .rank = rank, .ranks = ranks}, problem);
}
