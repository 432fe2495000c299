/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of plans for diffusion, as a table (base/options.h), and those of the program that have no member in
 * include/starfish/diffusion.h. */
#ifndef STARFISH_DIFFUSION_OPTIONS_H
#define STARFISH_DIFFUSION_OPTIONS_H

#include "solver/members.h"

#include <starfish/diffusion.h>

/* Options that reproduce measurements of the paper, as indices of options.reserved. */
enum {
    STARFISH_DIFFUSION_DROPPED_FILL,
    STARFISH_DIFFUSION_MATRIX_FREE,
    STARFISH_DIFFUSION_COARSE, /* starfish_deflation_solver */
    STARFISH_DIFFUSION_PRODUCT_WITH_AZ,
    STARFISH_DIFFUSION_SEPARATE_TASKS,
    STARFISH_DIFFUSION_DIRICHLET_NODES
};
typedef enum starfish_deflation_solver {
    STARFISH_COARSE_AUTO,
    STARFISH_COARSE_BAND,
    STARFISH_COARSE_DENSE,
    STARFISH_COARSE_HALVES,
    STARFISH_COARSE_FORMS
} starfish_deflation_solver;

extern const struct starfish_option_table starfish_diffusion_option_table;
/* problem.c */
extern const struct starfish_member_table starfish_diffusion_problem_table;
extern const struct starfish_problem_row starfish_diffusion_problems[];

extern const char *const starfish_diffusion_method_names[];
extern const char *const starfish_preconditioner_names[];
extern const char *const starfish_deflation_names[];

#endif
