/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates a context, for which StarPU is started (start.h) or joined, and destroys it. Starting StarPU takes most of
 * the time, some tenths of a second. */
#include "base/arithmetic.h"
#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/hooks.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/machine.h"
#include "scheduler/runtime/options.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/start.h"
#include "scheduler/runtime/team.h"
#include "scheduler/runtime/watchdog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static starfish_status read_options(const struct starfish_context_options *user,
                                    struct starfish_context_options *options)
{
    STARFISH_TRY(starfish_options_read(&starfish_context_option_table, user, options));
    return options->policy && starfish_hooks.check_policy
               ? starfish_hooks.check_policy("options.policy", options->policy)
               : STARFISH_SUCCESS;
}

/* The workers of the allowed kinds. A limited number of workers in a StarPU that others started too cannot be had. */
static starfish_status collect_workers(struct starfish_context *context, const struct starfish_context_options *options,
                                       int cpu_workers)
{
    static const enum starpu_worker_archtype type[STARFISH_WORKER_KINDS] = {STARPU_CPU_WORKER, STARPU_CUDA_WORKER};
    static const uint32_t where[STARFISH_WORKER_KINDS] = {STARPU_CPU, STARPU_CUDA};
    static const char *const name[STARFISH_WORKER_KINDS] = {"cpu_workers", "gpu_workers"};
    const int wanted[STARFISH_WORKER_KINDS] = {cpu_workers, options->gpu_workers};

    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        int ids[STARPU_NMAXWORKERS];
        int count = (int)starpu_worker_get_ids_by_type(type[kind], ids, STARPU_NMAXWORKERS);
        if (wanted[kind] == 0)
            continue;
        STARFISH_REFUSE_IF(wanted[kind] > count, "options.%s is %d, but there are only %d", name[kind], wanted[kind],
                           count);
        STARFISH_REFUSE_IF(wanted[kind] > 0 && wanted[kind] < count && context->joined,
                           "options.%s is %d, but the StarPU that is joined has %d: use all (-1) or none (0)",
                           name[kind], wanted[kind], count);
        for (int i = 0; i < count; i++)
            context->worker[context->workers++] = ids[i];
        context->workers_of[kind] = (size_t)count;
        if (count > 0)
            context->where |= where[kind];
    }
    if (context->workers == 0)
        return starfish_no_worker(options);
    return STARFISH_SUCCESS;
}

/* StarPU is started and stopped under one lock, since contexts may be made in several threads. */
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t sharing_ours; /* contexts that use a StarPU which one of them has started */

static int leaves_a_core(const struct starfish_context *context)
{
#ifdef STARPU_SIMGRID
    return 0; /* simulated time stands still while a thread looks again and again */
#endif
    int cores, numa_nodes;
    size_t busy = starpu_worker_get_count(); /* each has a core, others' too */
    starfish_topology_count(&cores, &numa_nodes);
    for (size_t worker = 0; worker < context->workers; worker++)
        busy += context->team[worker].size - 1;
    const int quota = starfish_topology_quota();
    return busy < (size_t)(quota > 0 && quota < cores ? quota : cores);
}

static starfish_status let_rest(struct starfish_context *context, double idle_seconds)
{
    if (context->joined && sharing_ours == 0)
        return STARFISH_SUCCESS; /* the host program may submit tasks that this context does not see */
    STARFISH_TRY(starfish_idle_join(idle_seconds, context->spare_core));
    context->rests = 1;
    sharing_ours++;
    return STARFISH_SUCCESS;
}

static void stop_or_leave(struct starfish_context *context)
{
    starfish_team_destroy(context);
    if (context->rests) {
        starfish_idle_quit();
        sharing_ours--;
    }
    starfish_stop_starpu();
}

static starfish_status start_or_join(struct starfish_context *context, const struct starfish_context_options *options)
{
    struct starfish_crew crew = {options->cpu_workers, options->cpu_workers};
    context->joined = starpu_is_initialized();
    if (!context->joined)
        STARFISH_TRY(starfish_start_starpu(context, options, &crew));
    else
        STARFISH_TRY(starfish_join_starpu(context, sharing_ours == 0));
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    starfish_status status = collect_workers(context, options, crew.workers);
    if (status == STARFISH_SUCCESS)
        status = starfish_team_create(context, crew.cores > 0 ? (size_t)crew.cores : context->workers_of[STARFISH_CPU]);
    if (status == STARFISH_SUCCESS) {
        context->spare_core = leaves_a_core(context);
        status = let_rest(context, options->idle_seconds);
    }
    if (status != STARFISH_SUCCESS)
        stop_or_leave(context);
    return status;
}

enum { PATIENCE_SECONDS = 60 };

/* In a StarPU that others started too, their tasks may keep the workers for as long as they like. */
static double choose_patience(const struct starfish_context *context, double seconds)
{
#ifdef STARPU_SIMGRID
    return HUGE_VAL; /* SimGrid sees that nothing can move any more, and its waits cannot end by themselves */
#endif
    if (seconds < 0)
        return context->joined ? HUGE_VAL : PATIENCE_SECONDS;
    return seconds > 0 ? seconds : HUGE_VAL;
}

starfish_status starfish_runtime_create(starfish_context **result, const struct starfish_context_options *user)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_context_options options;
    STARFISH_NEED(result, "context");
    *result = NULL;
    STARFISH_TRY(read_options(user, &options));
    STARFISH_TRY(starfish_machine_check());
    STARFISH_TRY(starfish_fork_check());

    struct starfish_context *context = calloc(1, sizeof *context);
    STARFISH_FAIL_IF(!context, STARFISH_ERROR_MEMORY, "out of memory for a context");
    context->log = options.log;
    context->log_data = options.log_data;
    pthread_mutex_init(&context->bytes_lock, NULL);

    pthread_mutex_lock(&start_lock);
    starfish_status status = start_or_join(context, &options);
    pthread_mutex_unlock(&start_lock);
    if (status != STARFISH_SUCCESS) {
        pthread_mutex_destroy(&context->bytes_lock);
        free(context);
        return status;
    }
    starfish_watchdog_init(&context->watched, choose_patience(context, options.patience_seconds));
    struct starpu_sched_policy *policy = starpu_sched_ctx_get_sched_policy(0); /* StarPU's initial context */
    snprintf(context->policy, sizeof context->policy, "%s", policy && policy->policy_name ? policy->policy_name : "?");
    starfish_context_bytes(context); /* start counting now */
    memset(&context->links, 0, sizeof context->links);
    starfish_log(context, STARFISH_LOG_INFO, "%s StarPU with %zu CPU and %zu GPU workers, policy %s",
                 context->joined ? "joined" : "started", context->workers_of[STARFISH_CPU],
                 context->workers_of[STARFISH_GPU], context->policy);
    starfish_fork_watch(1);
    *result = context;
    return STARFISH_SUCCESS;
}

void starfish_context_destroy(starfish_context *context)
{
    STARFISH_OWN_ARITHMETIC;
    if (!context)
        return;
    if (starfish_is_forked()) {
        starfish_team_destroy(context); /* StarPU's threads are in the parent; they cannot be stopped here */
        free(context);
        return;
    }
    if (starfish_is_stuck()) { /* StarPU would wait for its tasks, and they use the context */
        starfish_log(context, STARFISH_LOG_ERROR, "StarPU is stuck, and is not shut down");
        return;
    }
    starfish_ranks_destroy(context);
    pthread_mutex_lock(&start_lock);
    stop_or_leave(context);
    pthread_mutex_unlock(&start_lock);
    starfish_fork_watch(-1);
    starfish_watchdog_destroy(&context->watched);
    pthread_mutex_destroy(&context->bytes_lock);
    free(context);
}
