/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem files from inside. A kind is a row of a table of problems (solver/members.h), which says its keys. The table
 * of problem_keys.c defines how keys with a special shape are read and described in the schema. All other keys follow
 * the member of the problem's struct with the same name. */
#ifndef STARFISH_APPS_FILES_PROBLEM_KEYS_H
#define STARFISH_APPS_FILES_PROBLEM_KEYS_H

#include "apps/files/problem.h"

#include <jansson.h>

enum { MOST_KEYS = 32 };

struct key_reader {
    const char *path;
    const json_t *root;
    struct starfish_read_problem *problem;
    const char *rhs; /* in place of the file's, or NULL */
    int only_shapes;
    int rank, ranks;             /* this process among those that share the problem */
    const char *keys[MOST_KEYS]; /* of the kind, ended by NULL */
};

/* Reads a key; `value` is NULL where the file does not have it. */
typedef starfish_status key_read(const struct key_reader *reader, const char *key, const json_t *value);

/* ---- Keys (problem_keys.c) --------------------------------------------------------------------------------------- */

/* Of files of that kind, the first is "kind"; ended by NULL. */
void key_names(const struct starfish_problem_row *row, const char *keys[MOST_KEYS]);
int key_has(const struct key_reader *reader, const char *key);
const json_t *key_get(const struct key_reader *reader, const char *key);
/* All but "kind". */
starfish_status key_read_all(const struct key_reader *reader);
/* What it may be, as a JSON Schema (with ' for ") that may refer to definitions; NULL: as its member says. */
const char *key_schema(const char *key);

/* ---- Members (problem_members.c) --------------------------------------------------------------------------------- */

/* A key's member, and where it lies in the problem's struct: `count` times, `stride` bytes apart, each in a struct of
 * its own where axes have it. */
struct key_place {
    const struct starfish_member *member; /* `count` 0: no member has that name */
    size_t offset;                        /* of the first struct that has it */
    size_t stride, count;
    int is_of_axes;
};
struct key_place key_find(const struct starfish_problem_row *row, const char *key);
void *key_at(const struct starfish_read_problem *problem, const struct key_place *place, size_t index);
/* How many of them count. */
size_t key_count(const struct starfish_read_problem *problem, const struct key_place *place);
/* The problem's axes; NULL where its struct has none. */
struct starfish_axis *key_axes(const struct starfish_read_problem *problem);
/* Of a list `entry` 1, 2, ..., else 0. */
starfish_status key_number(const struct key_reader *reader, const char *key, size_t entry, const json_t *value,
                           starfish_bound bound, double *number);
/* Which of the words it is, -1: none; the complaint names all. */
int key_index(const json_t *value, const char *const *words, int count);
starfish_status key_word(const struct key_reader *reader, const char *key, const json_t *value,
                         const char *const *words, int count, int *index);
key_read key_read_sizes, key_read_member;

/* ---- Arrays (problem_arrays.c) ----------------------------------------------------------------------------------- */

/* Read the array that `wanted` names, relative to the problem's folder, of the shape that it says; where shapes alone
 * are read, only what plans need. */
starfish_status key_array(const struct key_reader *reader, const char *key, const struct starfish_wanted *wanted,
                          int is_needed, struct starfish_array *array);
/* A number, or the name of an array of that shape. */
starfish_status key_values(const struct key_reader *reader, const char *key, const json_t *value,
                           struct starfish_wanted wanted, int is_needed, struct starfish_values *values);
/* Give an array to the problem, as doubles, and say where they are. An empty array changes nothing. */
starfish_status key_keep(struct starfish_read_problem *problem, struct starfish_array *array, const double **data);
/* What the member that has that name points to. */
key_read key_read_array;
key_read key_read_rhs, key_read_exact;

/* ---- Shapes of their own (problem_box.c, problem_axes.c) --------------------------------------------------------- */

/* Names of the kind's directions, NULL behind them; `value` may be absent, or is an object with these keys alone. */
starfish_status key_directions(const struct key_reader *reader, const char *key, const json_t *value,
                               const char *known[4]);
key_read key_read_bc, key_read_sides, key_read_origin, key_read_boundary;
key_read key_read_grid, key_read_range, key_read_matrix;

#endif
