/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a function on every worker of a context: one task each, bound by the submission of tasks. */
#include "base/arithmetic.h"
#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/watchdog.h"

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
#endif

struct each_worker {
    const struct starfish_context *context;
    void (*function)(void *, size_t);
    void *argument;
};

static void run_on_worker(void *buffers[], void *data)
{
    STARFISH_OWN_ARITHMETIC;
    const struct each_worker *each = data;
    (void)buffers;
    each->function(each->argument, starfish_context_current_worker(each->context));
#ifdef STARFISH_HAVE_GPU
    (void)cudaGetLastError(); /* error of a failed call, reported already; else the next launch would return it */
#endif
}

/* Not by starpu_execute_on_specific_workers: StarPU's heteroprio, which keeps what it has seen of each codelet in a
 * file, takes that function's for a new one in every process, and gives up at the hundredth. */
static struct starpu_codelet on_each_worker = {.cpu_funcs = {run_on_worker},
#ifdef STARFISH_HAVE_GPU
                                               .cuda_funcs = {run_on_worker},
#endif
                                               .name = "on_each_worker"};

static struct starpu_task *submit_to_worker(struct each_worker *each, const char *name, int worker)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = &on_each_worker;
    task->name = name;
    task->cl_arg = each;
    task->cl_arg_size = sizeof *each;
    task->execute_on_a_specific_worker = 1;
    task->workerid = (unsigned)worker;
    task->detach = 0;
    task->destroy = 0;
    if (starpu_task_submit(task) == 0)
        return task;
    starpu_task_destroy(task);
    return NULL;
}

starfish_status starfish_context_on_each_worker(struct starfish_context *context, const char *name,
                                                void (*function)(void *, size_t), void *argument)
{
#ifdef STARPU_SIMGRID
    (void)context, (void)name, (void)function, (void)argument; /* no task computes, so no worker needs anything */
    return STARFISH_SUCCESS;
#endif
    if (starfish_is_stuck())
        return starfish_fail_stuck();
    struct each_worker each = {context, function, argument};
    struct starpu_task *task[STARPU_NMAXWORKERS];
    starfish_status status = STARFISH_SUCCESS;
    STARFISH_TRY(starfish_fork_check());
    starfish_idle_task_begun();
    for (size_t i = 0; i < context->workers; i++) {
        task[i] = submit_to_worker(&each, name, context->worker[i]);
        if (!task[i])
            status = starfish_fail(STARFISH_ERROR_RUNTIME, "StarPU refuses a task, %s, on worker %zu", name, i);
    }
    for (size_t i = 0; i < context->workers; i++)
        if (task[i]) {
            if (starpu_task_wait(task[i]) != 0)
                status = starfish_fail(STARFISH_ERROR_RUNTIME, "StarPU lost a task, %s, on worker %zu", name, i);
            starpu_task_destroy(task[i]);
        }
    starfish_idle_task_done();
    return status;
}
