/* The options of plans of the separable solvers, as a table. */
#ifndef STARFISH_POISSON_OPTIONS_H
#define STARFISH_POISSON_OPTIONS_H

#include "solver/members.h"
#include <starfish/poisson.h>

extern const struct starfish_option_table starfish_poisson_option_table;
extern const struct starfish_member_table starfish_poisson_problem_table, starfish_separable2d_problem_table;
extern const struct starfish_problem_row starfish_poisson_problems[];

/* What starfish_separable2d_plan_create takes. */
struct starfish_separable2d_problem {
    struct starfish_axis axis[2];
    double lambda;
};

/* Takes the user's options (any version's struct, or NULL) and checks them, each by itself and together. */
starfish_status starfish_poisson_read_options(const struct starfish_poisson_options *user,
                                              struct starfish_poisson_options *options);

#endif
