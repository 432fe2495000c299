/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: measured.csv of recorded machines. What is read can be run again and compared: a name that a case may
 * have, as many arguments as there is room for, all of them text, and positive times. */
#include "tests/fuzz/fuzz.h"

#include "apps/machine/measured.h"

#include <math.h>
#include <string.h>

const char *const target_words[] = {",",           "\"",    "\n",   " ",  "1 2 3", "plain",  "--method slab",
                                    "all",         "dmdas", "null", "-1", "0",     "1e-320", "1e308",
                                    "99999999999", "../x",  "\a",   NULL};

static int check(const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "case"));
    const char *arguments = json_string_value(json_object_get(row, "arguments"));
    const double seconds = json_number_value(json_object_get(row, "seconds"));
    size_t blanks = 0, n[3];
    if (!name || !*name || strlen(name) >= MEASURED_NAME || strchr(name, '/'))
        return fuzz_broken("a name that is none: '%.64s'", name ? name : "");
    if (measured_size(row, n) && (n[0] < 1 || n[0] > MEASURED_UNKNOWNS))
        return fuzz_broken("n is %zu", n[0]);
    if (arguments && strlen(arguments) >= MEASURED_TEXT)
        return fuzz_broken("%zu bytes of arguments", strlen(arguments));
    for (; arguments && *arguments; arguments++)
        blanks += *arguments == ' ';
    if (blanks >= MEASURED_ARGUMENTS)
        return fuzz_broken("%zu arguments", blanks + 1);
    if (!json_string_value(json_object_get(row, "workers")) || !json_string_value(json_object_get(row, "policy")))
        return fuzz_broken("%s has no workers or no policy", name);
    return isfinite(seconds) && seconds > 0 ? 0 : fuzz_broken("%s took %g s", name, seconds);
}

int target(const uint8_t *data, size_t size)
{
    json_t *rows;
    const json_t *row;
    size_t i;
    int held = 0;
    fuzz_limit_memory();
    const starfish_status status = measured_read(fuzz_write("measured.csv", data, size), &rows);
    if (status != STARFISH_SUCCESS)
        return fuzz_check_message(status);
    json_array_foreach (rows, i, row) {
        held |= check(row);
    }
    json_decref(rows);
    return held;
}
