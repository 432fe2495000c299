/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problem structs as tables: a row per member says its name, where it lies, its type, the shape of the array that it
 * points to, and what ranks that make a plan together must have alike of it. Option structs have tables of their own
 * (base/options.h), which say more of each value.
 *
 *     {AT(lambda), .type = STARFISH_MEMBER_REAL}                                      double lambda
 *     {AT(n), .type = STARFISH_MEMBER_SIZE}                                           size_t n[3]
 *     {AT(faces), .type = STARFISH_MEMBER_REAL, .shape = "z+1", .elements = faces_of}   const double *faces
 *     {AT(axis), .type = STARFISH_MEMBER_STRUCT, .table = &axis_table}                struct starfish_axis axis[3]
 *
 * A member that the problem does not need, as the length of an axis that is given by a matrix, may hold anything: the
 * row's `elements` says so, and is not read. */
#ifndef STARFISH_SOLVER_MEMBERS_H
#define STARFISH_SOLVER_MEMBERS_H

#include "base/options.h"
#include <starfish/problems.h>

/* Of numbers in problem files. */
typedef enum starfish_bound { STARFISH_BOUND_NONE, STARFISH_BOUND_ZERO, STARFISH_BOUND_POSITIVE } starfish_bound;

/* Elements of a member that count: from element `first` on `rows` times `width` of them, of which the first `used`. */
struct starfish_elements {
    size_t first, rows, used, width;
};

struct starfish_member {
    const char *name;
    size_t offset, bytes;      /* in its struct */
    starfish_member_type type; /* POINTER cannot be compared: PRESENT or LOCAL; STRUCT: of `table` */
    starfish_agreement agree;  /* SAME, PRESENT or LOCAL */
    /* Of a member that points to elements: how many, the slowest direction first. "z y x" is a field over the grid,
     * which ranks have dealt among them: PRESENT. Names are those of members, "1" is a single element. NULL: elements
     * are in the struct itself, as many as `bytes` has. */
    const char *shape;
    /* Which elements count in the struct at `in`, which a member of the struct at `around` holds or points to. NULL:
     * all that are in the struct itself; of a pointer one. */
    struct starfish_elements (*elements)(const void *in, const void *around);
    const struct starfish_member_table *table;
    const char *const *values; /* INT: names by value, for files and wrappers; NULL: it is a number */
    int value_count;

    /* In problem files, where the reader's table of keys (apps/files/problem_keys.c) does not have a shape for it. */
    starfish_bound bound; /* REAL, elements too */
    int optional;         /* may be absent, and is 0 or NULL then */
    const char *key;      /* NULL: the name; "levels.faces" is "faces" of the object "levels" */
    const char *only;     /* the complaint where it is given although no elements of it count */
    size_t constant;      /* of a field: offset of the member for a number in place of an array; 0: no such member */
    /* What is to be said of its value beside; the message goes behind the key. Errors: ARGUMENT. NULL: nothing. */
    starfish_status (*check)(const void *in);
};

struct starfish_member_table {
    const char *name; /* of the kind of problem, for the table of a whole problem */
    size_t size;      /* of the struct */
    size_t count;
    const struct starfish_member *member; /* before others those that say which elements of others count */
};

extern const char *const starfish_end_names[];     /* of STARFISH_ENDS values of starfish_end: "periodic", ... */
enum { STARFISH_BOX_ENDS = 3, STARFISH_ENDS = 7 }; /* the first ones are those of a box */

struct starfish_axis;

/* A problem as files and wrappers describe it: its struct as a table. */
struct starfish_problem_row {
    const char *name;                            /* "kind" of problem files */
    size_t dimensions;                           /* of right-hand sides and solutions */
    const struct starfish_member_table *members; /* of the struct */
    /* All keys of its files, ended by NULL; NULL: "kind", those of all members, "rhs", "solution" and "exact". */
    const char *const *keys;
    struct starfish_axis (*axis)(const void *problem, size_t d); /* where unknowns lie in direction d; NULL: nowhere */
    const char *const *directions; /* names of the directions in files; NULL: "x", "y", "z" */
};

/* Row `index` of the problems of all kinds (problems.c), and the kind that it is of; NULL behind the last one. */
struct starfish_kind;
const struct starfish_problem_row *starfish_problem_row(size_t index, const struct starfish_kind **kind);

#define STARFISH_MEMBER_AT(of, what)                                                                                   \
    .name = #what, .offset = offsetof(struct of, what), .bytes = sizeof(((struct of *)0)->what)
#define STARFISH_MEMBER_TABLE(of, kind, rows)                                                                          \
    {                                                                                                                  \
        .name = (kind), .size = sizeof(struct of), .count = sizeof(rows) / sizeof(rows)[0], .member = (rows)           \
    }

/* The first `count` elements; 0: the member does not count. */
static inline struct starfish_elements starfish_elements_of(size_t count)
{
    return (struct starfish_elements){.rows = 1, .used = count, .width = count};
}

/* Defines an `elements` of so many elements by the struct `it`, of type `of`, that has the member. */
#define STARFISH_ELEMENTS(function, of, number)                                                                        \
    static struct starfish_elements function(const void *in, const void *around)                                       \
    {                                                                                                                  \
        const struct of *it = in;                                                                                      \
        (void)around;                                                                                                  \
        return starfish_elements_of(number);                                                                           \
    }

/* Copies the user's problem to *own, a struct of `bytes` bytes, which is what the first release had. The user's begins
 * with its size. NULL, and sizes that no version has: ARGUMENT. UNSUPPORTED where a larger one is not zero behind what
 * this library knows. */
starfish_status starfish_problem_take(const void *problem, void *own, size_t bytes);

/* Bytes of an element. */
size_t starfish_member_size(const struct starfish_member *member);
/* The first of its elements, NULL where it points to none. */
const void *starfish_member_data(const struct starfish_member *member, const void *in);
/* Which of its elements count, given that there are any. */
struct starfish_elements starfish_member_elements(const struct starfish_member *member, const void *in,
                                                  const void *around);

#endif
