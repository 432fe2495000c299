/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON Schema (draft 2020-12) of problem files, for editors: made from the tables by which problem files are read
 * (problem_keys.h), so that each kind has exactly the keys that the reader knows. */
#ifndef STARFISH_APPS_FILES_PROBLEM_SCHEMA_H
#define STARFISH_APPS_FILES_PROBLEM_SCHEMA_H

#include <jansson.h>

/* The schema, the caller's; NULL where there is no memory, or a key has no description here. */
json_t *starfish_problem_schema(void);

#endif
