/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of plans of the separable solvers, as a table (base/options.h), and the tables of their problems. */
#ifndef STARFISH_POISSON_OPTIONS_H
#define STARFISH_POISSON_OPTIONS_H

#include "solver/members.h"
#include <starfish/poisson.h>

extern const struct starfish_option_table starfish_poisson_option_table;
extern const struct starfish_member_table starfish_poisson_problem_table, starfish_separable2d_problem_table,
    starfish_problem_2d_table, starfish_problem_3d_table;
extern const struct starfish_problem_row starfish_poisson_problems[];

/* As problem files have it; a kind that there is. */
const char *starfish_kind_name(starfish_kind kind);

/* What starfish_separable2d_plan_create takes. */
struct starfish_separable2d_problem {
    size_t size;
    struct starfish_axis axis[2];
    double lambda;
};

/* That, of arguments that may be NULL on some ranks. Collective. Errors: ARGUMENT. */
starfish_status starfish_separable2d_take(const struct starfish_context *context, const struct starfish_axis *x,
                                          const struct starfish_axis *y, double lambda,
                                          struct starfish_separable2d_problem *problem);

/* Of options that are in their ranges: checks them together. */
starfish_status starfish_poisson_complete_options(struct starfish_poisson_options *options);

#endif
