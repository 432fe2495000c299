/* Problem files from inside: what the files that read the keys of a kind share. A kind is a row, struct
 * starfish_problem_keys, in a file problem_NAME.c, and a line in the table of problem.c. What only that kind has is a
 * member of struct starfish_problem. */
#ifndef STARFISH_APPS_FILES_PROBLEM_KEYS_H
#define STARFISH_APPS_FILES_PROBLEM_KEYS_H

#include "apps/files/problem.h"

#include <jansson.h>

struct starfish_problem_reader {
    const char *path;
    const json_t *root;
    struct starfish_problem *problem;
    int only_shapes;
    int rank, ranks; /* this process among those that share the problem */
};

/* An array's shape, and what is read of it: all, or this process's planes. */
struct starfish_problem_extent {
    size_t rank, n[3];
    enum { STARFISH_PROBLEM_WHOLE, STARFISH_PROBLEM_PLANES } of;
    size_t ignored; /* as struct starfish_wanted has it */
};

enum { STARFISH_PROBLEM_MOST_KEYS = 20 };

struct starfish_problem_keys {
    const char *name;
    size_t dimensions;
    /* What is the kind's own; kind, n, lambda, rhs, exact and solution are read for all kinds. */
    starfish_status (*read)(const struct starfish_problem_reader *reader);
    starfish_status (*fill)(struct starfish_problem *problem); /* its data, once all is read */
    const char *known[STARFISH_PROBLEM_MOST_KEYS];             /* of the whole file; ended by NULL */
};

extern const struct starfish_problem_keys starfish_poisson3d_keys, starfish_separable3d_keys, starfish_separable2d_keys,
    starfish_diffusion3d_keys, starfish_diffusion2d_keys, starfish_atmosphere3d_keys;

starfish_status starfish_problem_fill_poisson(struct starfish_problem *problem);

/* Of kind 0, 1, ...; NULL beyond the last. */
const struct starfish_problem_keys *starfish_problem_keys_of(size_t kind);

/* ---- Values and arrays (problem.c) ------------------------------------------------------------------------------- */

extern const char *const starfish_axis_names[]; /* "x", "y", "z" */

const json_t *starfish_problem_get(const struct starfish_problem_reader *reader, const char *key);
/* Read the array that `wanted` names, relative to `folder`, of the shape that it says. */
starfish_status starfish_problem_array(const struct starfish_problem_reader *reader, const char *key,
                                       const char *folder, const struct starfish_wanted *wanted,
                                       struct starfish_array *array);
/* A number, or the name of an array of that shape; of that only the shape where shapes alone are read. */
starfish_status starfish_problem_values(const struct starfish_problem_reader *reader, const char *key,
                                        const json_t *value, const struct starfish_problem_extent *extent,
                                        struct starfish_values *values);
/* The same, read in any case: what plans depend on. */
starfish_status starfish_problem_values_whole(const struct starfish_problem_reader *reader, const char *key,
                                              const json_t *value, const struct starfish_problem_extent *extent,
                                              struct starfish_values *values);
/* That of a field, of which each process has its planes. */
struct starfish_problem_extent starfish_problem_field_extent(const struct starfish_problem *problem);
/* Give an array to the problem, as doubles, and say where they are. */
starfish_status starfish_problem_keep(struct starfish_problem *problem, struct starfish_array *array,
                                      const double **data);

/* ---- Keys of problems on a box (problem_box.c) ------------------------------------------------------------------- */

/* Entry d of "length", a list that has been checked by starfish_json_list. */
starfish_status starfish_problem_length(const struct starfish_problem_reader *reader, size_t d);
/* "bc", an object with an entry for each direction; and its entry for direction d. */
starfish_status starfish_problem_check_bc(const struct starfish_problem_reader *reader);
starfish_status starfish_problem_ends(const struct starfish_problem_reader *reader, size_t d);
size_t starfish_problem_count_ends(const struct starfish_axis *axis, starfish_end end);
/* "origin", of axes that are uniform. */
starfish_status starfish_problem_origin(const struct starfish_problem_reader *reader);
/* "boundary", after the ends. */
starfish_status starfish_problem_boundary(const struct starfish_problem_reader *reader);

#endif
