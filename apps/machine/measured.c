/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the measurements of a recorded machine. These files are untrusted, so everything is checked. */
#include "apps/machine/measured.h"

#include "apps/files/json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static int is_name(const char *text)
{
    return text && *text && strlen(text) < MEASURED_NAME &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+") == strlen(text);
}

/* Text of a line, without control characters. */
static int is_line(const json_t *value)
{
    const char *text = json_string_value(value);
    if (!text || strlen(text) >= MEASURED_NAME * 4)
        return 0;
    while (*text && !iscntrl((unsigned char)*text))
        text++;
    return *text == 0;
}

static starfish_status check_rows(const char *path, const json_t *rows)
{
    const json_t *row;
    size_t i;
    if (!json_is_array(rows))
        return starfish_json_fail(path, "rows", "not an array");
    json_array_foreach (rows, i, row) {
        const json_t *seconds = json_object_get(row, "seconds");
        if (!is_line(json_object_get(row, "workers")) || !is_line(json_object_get(row, "policy")))
            return starfish_json_fail(path, "rows", "without workers or policy");
        if (!json_is_number(seconds) || !isfinite(json_number_value(seconds)) || !(json_number_value(seconds) > 0))
            return starfish_json_fail(path, "seconds", "not a positive number");
    }
    return STARFISH_SUCCESS;
}

static starfish_status check_arguments(const char *path, const json_t *arguments)
{
    const json_t *argument;
    size_t i;
    if (!json_is_array(arguments) || json_array_size(arguments) > MEASURED_ARGUMENTS)
        return starfish_json_fail(path, "arguments", "not an array of at most 64");
    json_array_foreach (arguments, i, argument) {
        if (!is_line(argument))
            return starfish_json_fail(path, "arguments", "not all text of a line");
    }
    return STARFISH_SUCCESS;
}

static int is_size(const json_t *n)
{
    return json_is_integer(n) && json_integer_value(n) >= 1 && json_integer_value(n) <= MEASURED_UNKNOWNS;
}

int measured_size(const json_t *file, size_t n[3])
{
    const json_t *value = json_object_get(file, "n");
    for (size_t d = 0; d < 3; ++d)
        n[d] = (size_t)json_integer_value(json_is_array(value) ? json_array_get(value, d) : value);
    return value != NULL;
}

static starfish_status check_size(const char *path, const json_t *n)
{
    int right = !json_is_array(n) || json_array_size(n) == 3;
    for (size_t d = 0; n && d < 3; ++d)
        right &= is_size(json_is_array(n) ? json_array_get(n, d) : n);
    return right ? STARFISH_SUCCESS : starfish_json_fail(path, "n", "not in 1..4096, once or three times");
}

static starfish_status check(const char *path, const json_t *file)
{
    const json_t *problem = json_object_get(file, "problem");
    if (!is_name(json_string_value(json_object_get(file, "name"))))
        return starfish_json_fail(path, "name", "missing, or more than letters, digits and -_.+");
    STARFISH_TRY(check_size(path, json_object_get(file, "n")));
    if (problem && !is_line(problem))
        return starfish_json_fail(path, "problem", "not text of a line");
    STARFISH_TRY(check_arguments(path, json_object_get(file, "arguments")));
    return check_rows(path, json_object_get(file, "rows"));
}

starfish_status measured_read(const char *path, json_t **file)
{
    STARFISH_TRY(starfish_json_load(path, file));
    const starfish_status status = check(path, *file);
    if (status != STARFISH_SUCCESS) {
        json_decref(*file);
        *file = NULL;
    }
    return status;
}
