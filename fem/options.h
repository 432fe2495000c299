/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of finite element plans, as a table (base/options.h), with the names of their choices and the family's
 * kind. */
#ifndef STARFISH_FEM_OPTIONS_H
#define STARFISH_FEM_OPTIONS_H

#include "solver/members.h"
#include <starfish/fem.h>

/* Names, by the enumerations of include/starfish/fem.h. */
extern const char *const starfish_fem_element_names[],
    *const starfish_fem_smoother_names[], *const starfish_fem_numbering_names[], *const starfish_sparse_format_names[];

enum { STARFISH_FEM_MOST_REFINEMENTS = 16 };

extern const struct starfish_kind starfish_kind_fem; /* solve.c */
extern const struct starfish_option_table starfish_fem_option_table;
extern const struct starfish_member_table starfish_fem_problem_table; /* problem.c */

#endif
