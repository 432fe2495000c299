/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files of the tests of arrays: a case, what it is made of, and the check that a solver returns the u that
 * f = A u was made of, and leaves all that is between the rows as it was. */
#ifndef STARFISH_TESTS_ARRAYS_CASES_H
#define STARFISH_TESTS_ARRAYS_CASES_H

#include "tests/common/memory.h"

#include <starfish/starfish.h>

/* What the tests run on. */
extern const struct test_memory *arrays_memory;
extern starfish_context *arrays_context;

/* Axes as test_axis reads them, uniform ones first; and a number below `below`. */
enum { ARRAYS_UNIFORM = 9, ARRAYS_ENDS = 11 };
extern const char *const arrays_ends[ARRAYS_ENDS];
size_t arrays_draw(unsigned *seed, size_t below);

struct arrays_case {
    const char *axis[3];
    size_t n[3];
    double lambda;
    double shift; /* added to the right-hand side of problem p, p + 1 times */
    struct starfish_poisson_options options;
    int in_place, with_boundary;
};

/* What a case is made of: problems, in double and packed; and arrays as the solver gets them. */
struct arrays_made {
    struct starfish_poisson_problem problem;
    size_t elements, count;
    double *u, *f, *face[3][2];
    struct starfish_boundary boundary; /* as the solver gets it */
    void *face_array[3][2];
};

/* What elements hold that belong to nobody, and how many of them are behind the last unknown. */
enum { ARRAYS_BEHIND = 5 };
extern const double arrays_between;

/* A layout with what 0 stands for; where unknown e of all problems' lies; elements of the array. */
struct starfish_array_layout arrays_full(const struct arrays_case *c, struct starfish_array_layout layout);
size_t arrays_place(const struct arrays_case *c, const struct starfish_array_layout *layout, size_t e);
size_t arrays_size(const struct arrays_case *c, const struct starfish_array_layout *layout);
/* An array with `values`, or none; the caller frees. */
void *arrays_spread(const struct arrays_case *c, const struct starfish_array_layout *layout, const double *values,
                    size_t elements);
/* The unknowns of the array, which elsewhere is as it was. */
void arrays_gather(const char *what, const struct arrays_case *c, const struct starfish_array_layout *layout,
                   void *array, double *values, size_t elements);

struct arrays_made arrays_make(const struct arrays_case *c, unsigned *seed);
void arrays_free(struct arrays_made *m);
void arrays_describe(const struct arrays_case *c, char *what, size_t size);
/* The largest error of any problem, each up to a constant where `singular`. */
double arrays_error(const struct arrays_made *m, const double *result, int singular);
/* Solves the case twice. */
void arrays_check(const struct arrays_case *c, unsigned *seed);

/* ---- Tests: arrays_ghosts.c ---- */

void ghosts_are_filled(void **state);
/* Whether a worker of the context is beside the arrays: without, ghosts are refused. */
int arrays_can_fill_ghosts(void);

#endif
