/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loop that measures: a plan made, its arrays filled, and solved again and again. */
#ifndef STARFISH_APPS_MEASURED_REPEAT_H
#define STARFISH_APPS_MEASURED_REPEAT_H

#include "apps/frame/frame.h"
#include "apps/plans/arrays.h"

/* What is solved, and how often. */
struct repeats {
    struct solve_arrays arrays;                     /* made and freed by repeat_solves */
    const double *load;                             /* right-hand side, or NULL: */
    double constant;                                /* everywhere */
    int has_rhs;                                    /* the plan has its right-hand side */
    int by_clock;                                   /* seconds of the call, else those that its result says */
    size_t warmup, repeat;                          /* solves before those that count, and those */
    double slow;                                    /* a solve that takes longer is repeated once; 0: as any */
    starfish_status (*find_error)(const void *data, /* of a solution in host memory; NULL: it is not known */
                                  starfish_precision precision, const void *solution, double *error);
    const void *data;
};

/* What came of it. A solve that did not reach its tolerance counts too: `reached` says so. */
struct repeated {
    size_t repeat;
    double *seconds;               /* of each solve, until the next measurement */
    struct starfish_result result; /* of the last solve */
    struct starfish_about about;
    double error; /* NaN: not known */
    int reached;
    struct starfish_multigrid_options chosen; /* of multigrid: the plan's */
};

/* As often as the benchmark says, in a context; the rest is zero. */
struct repeats repeats_of(const struct bench *bench, starfish_context *context, enum solve_place place);
/* A solve that misses its tolerance is an error of finite elements alone, whose plans have their right-hand sides.
 * repeat_elements sets the arrays' size and what->has_rhs. */
starfish_status repeat_elements(struct repeats *what, starfish_plan *plan, struct repeated *times);
starfish_status repeat_solves(const struct repeats *what, starfish_plan *plan, struct repeated *times);

#endif
