/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Typed access to the keys of a JSON file, with complaints of one line that name the file and the key. */
#ifndef STARFISH_APPS_FILES_JSON_H
#define STARFISH_APPS_FILES_JSON_H

#include "base/status.h"

#include <jansson.h>
#include <stddef.h>

/* Load a file that holds one object without repeated keys. The caller ends with json_decref(*root). Error: FILE. */
starfish_status starfish_json_load(const char *path, json_t **root);

/* Write an object as a file, which is whole or stays as it was (output.h). NULL: there was no memory for it.
 * Errors: FILE, MEMORY. */
starfish_status starfish_json_write(const char *path, const json_t *root);

/* `PATH: "KEY": REASON` as an ARGUMENT error; the reason in printf format. */
starfish_status starfish_json_fail(const char *path, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Return from the calling function with that failure where `condition` holds. */
#define STARFISH_JSON_FAIL_IF(condition, ...)                                                                          \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            return starfish_json_fail(__VA_ARGS__);                                                                    \
    } while (0)
/* The message left by a failed call, with file and key put before it. Returns `status`. */
starfish_status starfish_json_wrap(const char *path, const char *key, starfish_status status);

/* ARGUMENT when `object` has a key that is not among `known` (ended by NULL); `prefix` ("bc." or "") precedes it in the
 * complaint. A file itself ("") may also name its schema, by which editors find it. */
#define STARFISH_JSON_SCHEMA "$schema"
starfish_status starfish_json_known(const char *path, const json_t *object, const char *prefix,
                                    const char *const *known);

/* A finite number. */
starfish_status starfish_json_number(const char *path, const char *key, const json_t *value, double *number);
/* An array of exactly `count` entries. */
starfish_status starfish_json_list(const char *path, const char *key, const json_t *value, size_t count);

/* Of a row that the program wrote itself: the text of a key, NULL where there is none; the number, 0 where there is
 * none. */
const char *starfish_json_text_of(const json_t *row, const char *key);
double starfish_json_number_of(const json_t *row, const char *key);

#endif
