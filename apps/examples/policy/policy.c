/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A scheduling policy for StarPU in sixty lines: one list of ready tasks; a core takes the narrowest, a GPU the widest.
 * README.md beside this file says how to build and run it. */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdlib.h>
#include <string.h>

struct list {
    struct starpu_task_list ready;
    starpu_pthread_mutex_t lock;
};

static void start(unsigned context)
{
    struct list *list = malloc(sizeof *list);
    starpu_task_list_init(&list->ready);
    STARPU_PTHREAD_MUTEX_INIT(&list->lock, NULL);
    starpu_sched_ctx_set_policy_data(context, list);
}

static void stop(unsigned context)
{
    free(starpu_sched_ctx_get_policy_data(context));
}

/* A task has become ready, in any thread: keep it, and wake the workers. */
static int push(struct starpu_task *task)
{
    struct list *list = starpu_sched_ctx_get_policy_data(task->sched_ctx);
    STARPU_PTHREAD_MUTEX_LOCK(&list->lock);
    starpu_task_list_push_back(&list->ready, task);
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&list->lock);
    for (unsigned worker = 0; worker < starpu_worker_get_count(); worker++)
        starpu_wake_worker_relax_light(worker);
    return 0;
}

/* Called when a worker needs a task. A task's sched_data is its width: how many lanes of it are independent. */
static struct starpu_task *pop(unsigned context)
{
    struct list *list = starpu_sched_ctx_get_policy_data(context);
    const unsigned worker = (unsigned)starpu_worker_get_id();
    const int wants_wide = starpu_worker_get_type((int)worker) != STARPU_CPU_WORKER;
    struct starpu_task *best = NULL, *task;
    STARPU_PTHREAD_MUTEX_LOCK(&list->lock);
    for (task = starpu_task_list_begin(&list->ready); task != starpu_task_list_end(&list->ready); task = task->next)
        if (starpu_worker_can_execute_task(worker, task, 0) &&
            (!best || (wants_wide ? task->sched_data > best->sched_data : task->sched_data < best->sched_data)))
            best = task;
    if (best)
        starpu_task_list_erase(&list->ready, best);
    STARPU_PTHREAD_MUTEX_UNLOCK(&list->lock);
    return best;
}

static struct starpu_sched_policy by_width = {
    .init_sched = start, .deinit_sched = stop, .push_task = push, .pop_task = pop, .policy_name = "by-width"};

/* The function that StarPU looks for. */
struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
    return strcmp(name, by_width.policy_name) == 0 ? &by_width : NULL;
}
