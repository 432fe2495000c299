/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Typed access to the keys of a JSON file (json.h): numbers, lists and texts, with errors that name file and key. */
#include "apps/files/json.h"

#include "apps/files/output.h"
#include "apps/files/regular.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

starfish_status starfish_json_load(const char *path, json_t **root)
{
    FILE *stream;
    json_error_t error;
    *root = NULL;
    STARFISH_TRY(starfish_regular_open(path, &stream));
    *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
    fclose(stream);
    STARFISH_FAIL_IF(!*root, STARFISH_ERROR_FILE, "%s: not JSON: line %d, column %d: %s", path, error.line,
                     error.column, error.text);
    if (json_is_object(*root))
        return STARFISH_SUCCESS;
    json_decref(*root);
    *root = NULL;
    return starfish_fail(STARFISH_ERROR_FILE, "%s: must hold one JSON object", path);
}

starfish_status starfish_json_write(const char *path, const json_t *root)
{
    struct starfish_output output;
    STARFISH_FAIL_IF(!root, STARFISH_ERROR_MEMORY, "%s: out of memory", path);
    STARFISH_TRY(starfish_output_open(&output, path));
    const int failed = json_dumpf(root, output.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) != 0;
    return starfish_output_finish(&output, failed ? starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written", path)
                                                  : STARFISH_SUCCESS);
}

starfish_status starfish_json_fail(const char *path, const char *key, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: \"%s\": %s", path, key, reason);
}

starfish_status starfish_json_wrap(const char *path, const char *key, starfish_status status)
{
    return starfish_fail(status, "%s: \"%s\": %s", path, key, starfish_error_message());
}

static int among(const char *key, const char *const *known)
{
    while (*known && strcmp(key, *known) != 0)
        ++known;
    return *known != NULL;
}

starfish_status starfish_json_known(const char *path, const json_t *object, const char *prefix,
                                    const char *const *known)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        char list[256] = "", name[128];
        size_t length = 0;
        if (among(key, known) || (!prefix[0] && strcmp(key, STARFISH_JSON_SCHEMA) == 0))
            continue;
        for (; *known && length < sizeof list; ++known)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", *known);
        snprintf(name, sizeof name, "%s%s", prefix, key);
        return starfish_json_fail(path, name, "unknown key (known: %s)", list);
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_json_number(const char *path, const char *key, const json_t *value, double *number)
{
    STARFISH_JSON_FAIL_IF(!value, path, key, "missing");
    STARFISH_JSON_FAIL_IF(!json_is_number(value) || !isfinite(json_number_value(value)), path, key, "must be a number");
    *number = json_number_value(value);
    return STARFISH_SUCCESS;
}

starfish_status starfish_json_list(const char *path, const char *key, const json_t *value, size_t count)
{
    STARFISH_JSON_FAIL_IF(!value, path, key, "missing");
    STARFISH_JSON_FAIL_IF(!json_is_array(value) || json_array_size(value) != count, path, key,
                          "must be a list of %zu entr%s", count, count == 1 ? "y" : "ies");
    return STARFISH_SUCCESS;
}

const char *starfish_json_text_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

double starfish_json_number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}
