/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of flat domains between the order of users and that of grids: a task per part (codelets/arrange.h). */
#ifndef STARFISH_TASKS_ARRANGE_H
#define STARFISH_TASKS_ARRANGE_H

#include "codelets/arrange.h"

/* The space of users' arrays whose tiles are the parts of a grid's space of n[1] rows, and whose runs of rows
 * are the planes of each rank, where the parts belong to several. Error: MEMORY. */
starfish_status starfish_users_space(struct starfish_space *users, const struct starfish_space *grid,
                                     const size_t n[3]);
/* `from` in the order of `to`, or back. */
starfish_status starfish_algebra_arrange(const struct starfish_algebra *algebra,
                                         const struct starfish_arrangement *arrangement,
                                         const struct starfish_vector *from, const struct starfish_vector *to);

#endif
