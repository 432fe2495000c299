/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems by their names in problem files ("poisson3d", "diffusion2d", ...), for wrappers in other languages:
 * descriptions of the members of their structs, and plans. The program reads problem files by the same tables, so
 * wrappers support every kind of problem. C programs use typed functions such as starfish_poisson_plan_create. */
#ifndef STARFISH_PROBLEMS_H
#define STARFISH_PROBLEMS_H

#include <starfish/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C type of a member, or of the elements that it contains or points to. */
typedef enum starfish_member_type {
    STARFISH_MEMBER_INT,     /* int or an enum */
    STARFISH_MEMBER_SWITCH,  /* int: 0 is off, any other value is on */
    STARFISH_MEMBER_SIZE,    /* size_t */
    STARFISH_MEMBER_REAL,    /* double */
    STARFISH_MEMBER_LONG,    /* long long */
    STARFISH_MEMBER_BYTE,    /* unsigned char */
    STARFISH_MEMBER_POINTER, /* to a function or to the user's data */
    STARFISH_MEMBER_STRUCT,  /* a struct, which the kind's header declares */
    STARFISH_MEMBER_TYPES    /* how many there are */
} starfish_member_type;

/* One kind of problem. All texts are in static storage. */
struct starfish_problem_description {
    const char *options; /* name of its options in starfish_option */
    size_t dimensions;   /* dimensions of right-hand sides and solutions */
    size_t struct_size;  /* size of the problem's struct in this version of the library */
};
/* One member of a problem's struct. All texts are in static storage. */
struct starfish_member_description {
    const char *name;          /* name of the member */
    starfish_member_type type; /* type of the member or of its elements */
    int value_count;           /* length of `values`; 0 if that is NULL */
    size_t offset;             /* offset in its struct, in bytes */
    size_t bytes;              /* bytes of all its elements in the struct, or of the pointer to them */
    /* Shape of the array that a pointer refers to, slowest direction first; "z y x" is a field. NULL: the elements are
     * in the struct. */
    const char *shape;
    const char *const *values; /* INT: names by value; NULL: the value is a number */
};

/* Returns the name of problem `index` (0, 1, ...); NULL past the last. Static storage; thread-safe. */
STARFISH_API const char *starfish_problem_name(size_t index);
/* Describes the problem. Thread-safe. Errors: ARGUMENT (no such name; NULL). */
STARFISH_API starfish_status starfish_problem(const char *name, struct starfish_problem_description *description);
/* Describes member `index` (0, 1, ...) of its struct. Thread-safe. Errors: ARGUMENT (no such name; no such member,
 * which ends a loop over all members; NULL). */
STARFISH_API starfish_status starfish_problem_member(const char *name, size_t index,
                                                     struct starfish_member_description *description);
/* Creates the same plan as the kind's own function. `problem` points to the kind's problem struct; `options` points to
 * its option struct or is NULL. The caller owns *plan; destroy it before its context. On several ranks, all ranks pass
 * the same name. Errors: ARGUMENT (no such name; NULL), and those of the kind's own function. */
STARFISH_API starfish_status starfish_problem_plan_create(starfish_context *context, const char *name,
                                                          const void *problem, const void *options,
                                                          starfish_plan **plan);

#ifdef __cplusplus
}
#endif

#endif
