/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that ranks creating a plan have the same options and problem, except for distributed data. Both are compared
 * member by member along their tables, so no new member is forgotten. Equal ranks need one collective; otherwise a
 * second one finds the member that differs. */
#ifndef STARFISH_SOLVER_AGREE_H
#define STARFISH_SOLVER_AGREE_H

#include "scheduler/runtime/ranks.h"
#include "solver/members.h"

struct starfish_plan_alike {
    const struct starfish_option_table *option_table;
    const void *options;
    const struct starfish_member_table *problem_table;
    const void *problem;
    int is_idle; /* this rank has no planes, and need not pass distributed data */
};

/* starfish_ranks_agree of ranks that make a plan. Where `status` is a failure, options and problem are not looked at;
 * else they have been checked so far that all arrays of the problem are as large as it says. Collective. Errors
 * besides: ARGUMENT (`options.NAME differs between ranks`, `problem.NAME ...`, or the kind of plan does), MEMORY. */
starfish_status starfish_agree_on_plan(const struct starfish_context *context, starfish_status status,
                                       const struct starfish_plan_alike *plan);

#endif
