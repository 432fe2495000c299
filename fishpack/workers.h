/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which workers solve large problems, and which problems are large (starfish/fishpack.h has the variables). */
#ifndef STARFISH_FISHPACK_WORKERS_H
#define STARFISH_FISHPACK_WORKERS_H

#include <starfish/context.h>

/* Unknowns from which on plans solve; SIZE_MAX: never. */
size_t starfish_fishpack_least(void);

/* Whether plans may solve so many unknowns; `must`: however few they are. */
int starfish_fishpack_may_plan(size_t unknowns, int must);
/* The context of all plans, made by the first call, one call at a time. It ends with the program. */
starfish_status starfish_fishpack_context(starfish_context **context);

#endif
