/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem files: which keys there are, and those that have a shape of their own. */
#include "apps/files/problem_keys.h"

#include "apps/files/file.h"
#include "apps/files/json.h"

#include <string.h>

static starfish_status read_solution(const struct key_reader *reader, const char *key, const json_t *value)
{
    if (!value)
        return STARFISH_SUCCESS;
    STARFISH_JSON_FAIL_IF(!json_is_string(value), reader->path, key, "must be the name of a file");
    return starfish_file_join(reader->problem->folder, json_string_value(value), &reader->problem->solution);
}

#define VALUES "{'$ref': '#/$defs/values'}"
#define OBJECT "{'type': 'object', 'additionalProperties': false, 'properties': "
static const struct shape {
    const char *key;
    key_read *read;
    const char *schema; /* NULL: its member's */
} shapes[] = {
    {"n", key_read_sizes, "{'$ref': '#/$defs/sizes'}"},
    {"origin", key_read_origin,
     "{'type': 'array', 'items': {'type': ['number', 'null']}, 'minItems': 2, 'maxItems': 3}"},
    {"bc", key_read_bc,
     OBJECT "{'x': {'$ref': '#/$defs/ends'}, 'y': {'$ref': '#/$defs/ends'}, 'z': {'$ref': '#/$defs/ends'}}}"},
    {"range", key_read_range, NULL},
    {"sides", key_read_sides, "{'enum': ['dirichlet', 'periodic']}"},
    {"grid", key_read_grid,
     OBJECT "{'x': {'enum': ['uniform', 'node', 'cell']}, 'y': {'$ref': '#/$defs/grid'}, 'z': {'$ref': "
            "'#/$defs/grid'}}}"},
    {"boundary", key_read_boundary,
     OBJECT "{'x0': " VALUES ", 'x1': " VALUES ", 'y0': " VALUES ", 'y1': " VALUES ", 'z0': " VALUES ", 'z1': " VALUES
            "}}"},
    {"x", key_read_matrix, "{'$ref': '#/$defs/rows'}"},
    {"y", key_read_matrix, "{'$ref': '#/$defs/rows'}"},
    {"z", key_read_matrix, "{'$ref': '#/$defs/rows'}"},
    {"rhs", key_read_rhs, VALUES},
    {"exact", key_read_exact, VALUES},
    {"solution", read_solution, "{'$ref': '#/$defs/file'}"},
};

static struct shape shape_of(const char *key)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
        if (strcmp(shapes[i].key, key) == 0)
            return shapes[i];
    return (struct shape){key, key_read_member, NULL};
}

void key_names(const struct starfish_problem_row *row, const char *keys[MOST_KEYS])
{
    static const char *const last[] = {"rhs", "solution", "exact"};
    const struct starfish_member_table *table = row->members;
    size_t count = 0;
    for (size_t i = 0; row->keys && row->keys[i] && count + 1 < MOST_KEYS; ++i)
        keys[count++] = row->keys[i];
    if (!row->keys) {
        keys[count++] = "kind";
        for (size_t m = 0; m < table->count && count + 4 < MOST_KEYS; ++m)
            keys[count++] = table->member[m].key ? table->member[m].key : table->member[m].name;
        for (size_t i = 0; i < 3; ++i)
            keys[count++] = last[i];
    }
    keys[count] = NULL;
}

int key_has(const struct key_reader *reader, const char *key)
{
    size_t i = 0;
    while (reader->keys[i] && strcmp(reader->keys[i], key) != 0)
        ++i;
    return reader->keys[i] != NULL;
}

const json_t *key_get(const struct key_reader *reader, const char *key)
{
    return json_object_get(reader->root, key);
}

starfish_status key_read_all(const struct key_reader *reader)
{
    for (size_t i = 1; reader->keys[i]; ++i)
        STARFISH_TRY(shape_of(reader->keys[i]).read(reader, reader->keys[i], key_get(reader, reader->keys[i])));
    return STARFISH_SUCCESS;
}

const char *key_schema(const char *key)
{
    return shape_of(key).schema;
}
