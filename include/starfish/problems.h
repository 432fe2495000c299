/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems by their names in problem files ("poisson3d", "diffusion2d", ...): what the members of their structs are,
 * and plans of them, for wrappers in other languages. They come from the tables that problem files are read by, so that
 * a new kind of problem is in all wrappers. Programs in C have typed makers, as starfish_poisson_plan_create. */
#ifndef STARFISH_PROBLEMS_H
#define STARFISH_PROBLEMS_H

#include <starfish/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C type of a member, or of the elements that it has or points to. */
typedef enum starfish_member_type {
    STARFISH_MEMBER_INT,     /* int or an enum */
    STARFISH_MEMBER_SWITCH,  /* int: 0 is off, all else is on */
    STARFISH_MEMBER_SIZE,    /* size_t */
    STARFISH_MEMBER_REAL,    /* double */
    STARFISH_MEMBER_LONG,    /* long long */
    STARFISH_MEMBER_BYTE,    /* unsigned char */
    STARFISH_MEMBER_POINTER, /* to a function or to the user's data */
    STARFISH_MEMBER_STRUCT,  /* one of several members, which the kind's header declares */
    STARFISH_MEMBER_TYPES    /* how many there are */
} starfish_member_type;

/* One kind of problem. All texts are in static storage. */
struct starfish_problem_description {
    const char *options; /* starfish_option has the members of its options under this name */
    size_t dimensions;   /* of right-hand sides and solutions */
    size_t struct_size;  /* of the problem's struct, as this library knows it */
};
/* One member of a problem's struct. All texts are in static storage. */
struct starfish_member_description {
    const char *name;          /* of the member */
    starfish_member_type type; /* of the member or of its elements */
    int value_count;           /* length of `values`, 0 where that is NULL */
    size_t offset;             /* in its struct, in bytes */
    size_t bytes;              /* of all its elements in the struct, or of a pointer to them */
    /* Of a member that points to elements: how many, the slowest direction first, as "z y x", which is a field; NULL:
     * the elements are in the struct. */
    const char *shape;
    const char *const *values; /* INT: names by value; NULL: it is a number */
};

/* The name of problem `index` (0, 1, ...); NULL past the last. Static storage; thread-safe. */
STARFISH_API const char *starfish_problem_name(size_t index);
/* What is known of the problem. Thread-safe. Errors: ARGUMENT (no such name; NULL). */
STARFISH_API starfish_status starfish_problem(const char *name, struct starfish_problem_description *description);
/* Member `index` (0, 1, ...) of its struct. Thread-safe. Errors: ARGUMENT (no such name; no such member, which ends a
 * loop over all; NULL). */
STARFISH_API starfish_status starfish_problem_member(const char *name, size_t index,
                                                     struct starfish_member_description *description);
/* The plan that the kind's own maker makes: `problem` is its struct, and `options` the struct of its options, or NULL.
 * The caller owns *plan; destroy it before its context. On several ranks all call it with the same name. Errors:
 * ARGUMENT (no such name; NULL), and those of that maker. */
STARFISH_API starfish_status starfish_problem_plan_create(starfish_context *context, const char *name,
                                                          const void *problem, const void *options,
                                                          starfish_plan **plan);

#ifdef __cplusplus
}
#endif

#endif
