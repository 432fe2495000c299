/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON Schema of problem files (problem_schema.h). Keys of special shape have definitions here; all others are
 * described from their tables. */
#include "apps/files/problem_schema.h"

#include "apps/files/json.h"
#include "apps/files/problem_keys.h"

#include <stdio.h>
#include <string.h>

static const char definitions[] =
    "{'file': {'type': 'string', 'description': 'name.npy or name.h5:/dataset, relative to the problem file'},"
    " 'values': {'anyOf': [{'type': 'number'}, {'$ref': '#/$defs/file'}]},"
    " 'sizes': {'type': 'array', 'items': {'type': 'integer', 'minimum': 1}, 'minItems': 2, 'maxItems': 3},"
    " 'ends': {'anyOf': [{'enum': ['dirichlet', 'neumann', 'periodic']}, {'type': 'array',"
    "   'minItems': 2, 'maxItems': 2,"
    "   'items': {'enum': ['dirichlet', 'neumann', 'periodic']}}]},"
    " 'all_ends': {'anyOf': [{'$ref': '#/$defs/end'}, {'type': 'array', 'minItems': 2, 'maxItems': 2,"
    "   'items': {'$ref': '#/$defs/end'}}]},"
    " 'end': {'enum': ['dirichlet', 'neumann', 'periodic', 'axis', 'pole', 'centre']},"
    " 'grid': {'anyOf': [{'enum': ['uniform', 'node', 'cell']},"
    "   {'type': 'object', 'additionalProperties': false, 'minProperties': 1, 'maxProperties': 1,"
    "    'properties': {'nodes': {'$ref': '#/$defs/file'}, 'faces': {'$ref': '#/$defs/file'}}}]},"
    " 'rows': {'type': 'object', 'additionalProperties': false, 'required': ['lower', 'diag', 'upper'],"
    "   'properties': {'lower': {'$ref': '#/$defs/values'}, 'diag': {'$ref': '#/$defs/values'},"
    "    'upper': {'$ref': '#/$defs/values'}, 'periodic': {'type': 'boolean'}}}}";

/* JSON with ' for ". */
static json_t *parse(const char *text)
{
    char quoted[2048];
    if (snprintf(quoted, sizeof quoted, "%s", text) >= (int)sizeof quoted)
        return NULL;
    for (char *c = quoted; *c; c++)
        if (*c == '\'')
            *c = '"';
    return json_loads(quoted, 0, NULL);
}

static json_t *describe_words(const struct starfish_member *member)
{
    json_t *words = json_array();
    for (int i = 0; i < member->value_count; i++)
        json_array_append_new(words, json_string(member->values[i]));
    return json_pack("{s:o}", "enum", words);
}

static json_t *describe_member(const struct key_place *place)
{
    static const char *const numbers[] = {[STARFISH_BOUND_NONE] = "{'type': 'number'}",
                                          [STARFISH_BOUND_ZERO] = "{'type': 'number', 'minimum': 0}",
                                          [STARFISH_BOUND_POSITIVE] = "{'type': 'number', 'exclusiveMinimum': 0}"};
    const struct starfish_member *member = place->member;
    const int is_list = place->count > 1 || place->is_of_axes, is_real = member->type == STARFISH_MEMBER_REAL;
    const char *dot = member->key ? strchr(member->key, '.') : NULL;
    if (dot)
        return json_pack("{s:s, s:b, s:[s], s:{s:{s:s}}}", "type", "object", "additionalProperties", 0, "required",
                         dot + 1, "properties", dot + 1, "$ref", "#/$defs/file");
    if (member->shape)
        return json_pack("{s:s}", "$ref", member->constant > 0 ? "#/$defs/values" : "#/$defs/file");
    if (is_real && is_list)
        return parse("{'type': 'array', 'items': {'type': ['number', 'null']}, 'minItems': 1, 'maxItems': 3}");
    if (is_real)
        return parse(numbers[member->bound]);
    if (!member->values)
        return parse(member->type == STARFISH_MEMBER_SIZE ? "{'type': 'integer', 'minimum': 1}"
                                                          : "{'type': 'boolean'}");
    return is_list ? json_pack("{s:s, s:o}", "type", "array", "items", describe_words(member)) : describe_words(member);
}

/* An object with an entry for each direction, or for both of its ends. */
static json_t *describe_directions(const struct starfish_problem_row *row, const char *key)
{
    static const struct {
        const char *key, *entry;
        int of_ends;
    } entries[] = {
        {"bc", "{'$ref': '#/$defs/all_ends'}", 0},
        {"grid", "{'$ref': '#/$defs/grid'}", 0},
        {"boundary", "{'$ref': '#/$defs/values'}", 1},
        {"range", "{'type': ['array', 'null'], 'items': {'type': 'number'}, 'minItems': 2, 'maxItems': 2}", 0}};
    size_t e = 0;
    while (e < sizeof entries / sizeof entries[0] && strcmp(entries[e].key, key) != 0)
        e++;
    if (e == sizeof entries / sizeof entries[0])
        return NULL;
    json_t *properties = json_object();
    for (size_t i = 0; i < row->dimensions * (entries[e].of_ends ? 2 : 1); i++) {
        char name[16];
        if (entries[e].of_ends)
            snprintf(name, sizeof name, "%s%zu", row->directions[i / 2], i % 2);
        else
            snprintf(name, sizeof name, "%s", row->directions[i]);
        json_object_set_new(properties, name, parse(entries[e].entry));
    }
    return json_pack("{s:s, s:b, s:o}", "type", "object", "additionalProperties", 0, "properties", properties);
}

static json_t *describe(const struct starfish_problem_row *row, const char *key)
{
    const char *schema = key_schema(key);
    if (strcmp(key, "kind") == 0)
        return json_pack("{s:s}", "const", row->name);
    json_t *const own = row->directions ? describe_directions(row, key) : NULL;
    if (own)
        return own;
    if (schema)
        return parse(schema);
    const struct key_place place = key_find(row, key);
    return describe_member(&place);
}

static json_t *schema_of(const struct starfish_problem_row *row)
{
    const char *keys[MOST_KEYS];
    json_t *properties = json_pack("{s:{s:s}}", STARFISH_JSON_SCHEMA, "type", "string");
    key_names(row, keys);
    for (size_t i = 0; keys[i]; i++)
        if (json_object_set_new(properties, keys[i], describe(row, keys[i])) != 0) {
            json_decref(properties);
            return NULL;
        }
    return json_pack("{s:s, s:s, s:[s, s], s:b, s:o}", "title", row->name, "type", "object", "required", "kind", "n",
                     "additionalProperties", 0, "properties", properties);
}

json_t *starfish_problem_schema(void)
{
    const struct starfish_kind *kind;
    const struct starfish_problem_row *row;
    json_t *list = json_array();
    for (size_t i = 0; (row = starfish_problem_row(i, &kind)); i++)
        if (json_array_append_new(list, schema_of(row)) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:s, s:s, s:o, s:o}", "$schema", "https://json-schema.org/draft/2020-12/schema", "title",
                     "Starfish problem file", "oneOf", list, "$defs", parse(definitions));
}
