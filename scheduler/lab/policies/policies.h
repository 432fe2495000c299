/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scheduling policies: StarPU's, ours, and those of a plug-in that STARPU_SCHED_LIB names. */
#ifndef STARFISH_SCHEDULER_POLICIES_POLICIES_H
#define STARFISH_SCHEDULER_POLICIES_POLICIES_H

#include "base/status.h"

#include <starpu.h>
#include <starpu_scheduler.h>

/* Ours are made of scheduling components as StarPU has them since 1.4. */
#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4
#define STARFISH_HAVE_POLICIES 1
/* width.c */
extern struct starpu_sched_policy starfish_width_policy;
#endif

/* One of our policies by its name; NULL if it is not ours. */
struct starpu_sched_policy *starfish_policy_own(const char *name);

/* Names of ours and of StarPU's, ", " between them. */
void starfish_policy_list(char *list, size_t size);

/* Is there a policy of that name? Error: ARGUMENT, which begins with `source` and lists those that there are. */
starfish_status starfish_policy_check(const char *source, const char *name);

/* The width of a task for policies: the number of its independent lanes, 0 if unknown. Any program may set it for its
 * tasks: task->sched_data = (void *)width, or STARPU_TASK_SCHED_DATA, (void *)width for starpu_task_insert. */
static inline size_t starfish_policy_width(const struct starpu_task *task)
{
    return (size_t)(uintptr_t)task->sched_data;
}

#endif
