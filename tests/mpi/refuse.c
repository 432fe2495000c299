/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* To be loaded before the program (LD_PRELOAD): on the rank that REFUSE_RANK names StarPU refuses one task, the first
 * of the codelet REFUSE_CODELET, as where memory is short. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#undef starpu_task_submit

#define FOUND __attribute__((visibility("default")))

static int is_refused(const struct starpu_task *task)
{
    static atomic_int refused;
    const char *own = getenv("OMPI_COMM_WORLD_RANK"), *rank = getenv("REFUSE_RANK"), *name = getenv("REFUSE_CODELET");
    const int is_it = own && rank && name && strcmp(own, rank) == 0 && task->cl && task->cl->name &&
                      strcmp(task->cl->name, name) == 0;
    return is_it && atomic_fetch_add(&refused, 1) == 0;
}

/* Found by name, as what dlsym returns: functions are no objects to C. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

FOUND int starpu_task_submit(struct starpu_task *task)
{
    int (*submit)(struct starpu_task *);
    find("starpu_task_submit", &submit);
    return is_refused(task) ? -ENOMEM : submit(task);
}
