/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of plans for flat domains, as a table (base/options.h), with the names of their methods. */
#ifndef STARFISH_ATMOSPHERE_OPTIONS_H
#define STARFISH_ATMOSPHERE_OPTIONS_H

#include "solver/members.h"

#include <starfish/atmosphere.h>

extern const struct starfish_option_table starfish_atmosphere_option_table;
/* problem.c */
extern const struct starfish_member_table starfish_atmosphere_problem_table;
extern const struct starfish_problem_row starfish_atmosphere_problems[];

/* By starfish_atmosphere_method, and for plans that have chosen. */
extern const char *const starfish_atmosphere_method_names[];

#endif
