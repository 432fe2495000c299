/* The JSON Schema of problem files. */
#include "apps/files/problem_schema.h"

#include "apps/files/json.h"
#include "apps/files/problem_keys.h"

#include <stdio.h>
#include <string.h>

/* What a key may be. The lists of n, length and origin have as many entries as the kind has directions. */
static const struct {
    const char *key, *schema;
} keys[] = {
    {"n", "{'$ref': '#/$defs/sizes'}"},
    {"length", "{'type': 'array', 'items': {'type': ['number', 'null']}, 'minItems': 1, 'maxItems': 3}"},
    {"origin", "{'type': 'array', 'items': {'type': ['number', 'null']}, 'minItems': 2, 'maxItems': 3}"},
    {"bc",
     "{'type': 'object', 'additionalProperties': false,"
     " 'properties': {'x': {'$ref': '#/$defs/ends'}, 'y': {'$ref': '#/$defs/ends'}, 'z': {'$ref': '#/$defs/ends'}}}"},
    {"grid", "{'type': 'object', 'additionalProperties': false,"
             " 'properties': {'x': {'enum': ['uniform', 'node', 'cell']}, 'y': {'$ref': '#/$defs/grid'},"
             " 'z': {'$ref': '#/$defs/grid'}}}"},
    {"boundary", "{'type': 'object', 'additionalProperties': false, 'properties': {'x0': {'$ref': '#/$defs/values'},"
                 " 'x1': {'$ref': '#/$defs/values'}, 'y0': {'$ref': '#/$defs/values'},"
                 " 'y1': {'$ref': '#/$defs/values'}, 'z0': {'$ref': '#/$defs/values'},"
                 " 'z1': {'$ref': '#/$defs/values'}}}"},
    {"x", "{'$ref': '#/$defs/rows'}"},
    {"y", "{'$ref': '#/$defs/rows'}"},
    {"z", "{'$ref': '#/$defs/rows'}"},
    {"lambda", "{'type': 'number'}"},
    {"rhs", "{'$ref': '#/$defs/values'}"},
    {"exact", "{'$ref': '#/$defs/values'}"},
    {"solution", "{'$ref': '#/$defs/file'}"},
    {"coefficient", "{'$ref': '#/$defs/values'}"},
    {"mean", "{'enum': ['harmonic', 'arithmetic']}"},
    {"regions", "{'$ref': '#/$defs/file'}"},
    {"geometry", "{'enum': ['flat', 'panel', 'sphere']}"},
    {"sides", "{'enum': ['dirichlet', 'periodic']}"},
    {"height", "{'type': 'number', 'exclusiveMinimum': 0}"},
    {"levels", "{'type': 'object', 'additionalProperties': false, 'required': ['faces'],"
               " 'properties': {'faces': {'$ref': '#/$defs/file'}}}"},
    {"omega", "{'type': 'number', 'minimum': 0}"},
};
static const char definitions[] =
    "{'file': {'type': 'string', 'description': 'name.npy or name.h5:/dataset, relative to the problem file'},"
    " 'values': {'anyOf': [{'type': 'number'}, {'$ref': '#/$defs/file'}]},"
    " 'sizes': {'type': 'array', 'items': {'type': 'integer', 'minimum': 1}, 'minItems': 2, 'maxItems': 3},"
    " 'ends': {'anyOf': [{'const': 'periodic'}, {'type': 'array', 'minItems': 2, 'maxItems': 2,"
    "   'items': {'enum': ['dirichlet', 'neumann', 'periodic']}}]},"
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

static json_t *describe(const char *key, const char *kind)
{
    if (strcmp(key, "kind") == 0)
        return json_pack("{s:s}", "const", kind);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].key, key) == 0)
            return parse(keys[i].schema);
    return NULL;
}

static json_t *schema_of(const struct starfish_problem_keys *kind)
{
    json_t *properties = json_pack("{s:{s:s}}", STARFISH_JSON_SCHEMA, "type", "string");
    for (size_t i = 0; i < STARFISH_PROBLEM_MOST_KEYS && kind->known[i]; i++)
        if (json_object_set_new(properties, kind->known[i], describe(kind->known[i], kind->name)) != 0) {
            json_decref(properties);
            return NULL;
        }
    return json_pack("{s:s, s:s, s:[s, s], s:b, s:o}", "title", kind->name, "type", "object", "required", "kind", "n",
                     "additionalProperties", 0, "properties", properties);
}

json_t *starfish_problem_schema(void)
{
    json_t *list = json_array();
    for (size_t i = 0; starfish_problem_keys_of(i); i++)
        if (json_array_append_new(list, schema_of(starfish_problem_keys_of(i))) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:s, s:s, s:o, s:o}", "$schema", "https://json-schema.org/draft/2020-12/schema", "title",
                     "Starfish problem file", "oneOf", list, "$defs", parse(definitions));
}
