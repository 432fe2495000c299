/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: measured/CASE.json of recorded machines. What is read can be run again and compared: a name that a file
 * may have, as many arguments as there is room for, all of them text, and rows with positive times. */
#include "tests/fuzz/fuzz.h"

#include "apps/machine/measured.h"

#include <math.h>
#include <string.h>

const char *const target_words[] = {"\"name\":",
                                    "\"n\":",
                                    "\"problem\":",
                                    "\"plain\"",
                                    "\"arguments\":",
                                    "\"--method\"",
                                    "\"slab\"",
                                    "\"rows\":",
                                    "\"workers\":",
                                    "\"all\"",
                                    "\"policy\":",
                                    "\"dmdas\"",
                                    "\"seconds\":",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    ",",
                                    "null",
                                    "-1",
                                    "0",
                                    "1e-320",
                                    "1e308",
                                    "99999999999",
                                    "\"../x\"",
                                    "\"\\u0007\"",
                                    NULL};

static int check_rows(const json_t *rows)
{
    const json_t *row;
    size_t i;
    json_array_foreach (rows, i, row) {
        const double seconds = json_number_value(json_object_get(row, "seconds"));
        if (!json_string_value(json_object_get(row, "workers")) || !json_string_value(json_object_get(row, "policy")))
            return fuzz_broken("row %zu has no workers or no policy", i);
        if (!isfinite(seconds) || seconds <= 0)
            return fuzz_broken("row %zu took %g s", i, seconds);
    }
    return 0;
}

static int check(const json_t *file)
{
    const char *name = json_string_value(json_object_get(file, "name"));
    const json_t *arguments = json_object_get(file, "arguments"), *n = json_object_get(file, "n"), *argument;
    size_t i;
    if (!name || !*name || strlen(name) >= MEASURED_NAME || strchr(name, '/'))
        return fuzz_broken("a name that is none: '%.64s'", name ? name : "");
    if (n && (json_integer_value(n) < 1 || json_integer_value(n) > MEASURED_UNKNOWNS))
        return fuzz_broken("n is %lld", (long long)json_integer_value(n));
    if (json_array_size(arguments) > MEASURED_ARGUMENTS)
        return fuzz_broken("%zu arguments", json_array_size(arguments));
    json_array_foreach (arguments, i, argument) {
        if (!json_string_value(argument))
            return fuzz_broken("argument %zu is no text", i);
    }
    return check_rows(json_object_get(file, "rows"));
}

int target(const uint8_t *data, size_t size)
{
    json_t *file;
    fuzz_limit_memory();
    const starfish_status status = measured_read(fuzz_write("case.json", data, size), &file);
    if (status != STARFISH_SUCCESS)
        return fuzz_check_message(status);
    const int held = check(file);
    json_decref(file);
    return held;
}
