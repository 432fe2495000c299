/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gangs: assignment of items to cores, and the helping tasks for idle workers. */
#include "codelets/gang.h"

#include "base/activity.h"
#include "base/barrier.h"
#include "scheduler/runtime/team.h"

#include <sched.h>

enum { LOOKS = 64 }; /* before the core is offered to others */

size_t starfish_gang_cores(const struct starfish_context *context)
{
    size_t cores = 0;
    for (size_t worker = 0; worker < context->workers; worker++)
        if (starfish_context_worker_kind(context, worker) == STARFISH_CPU)
            cores += context->team[worker].size;
    return cores;
}

static void do_item(struct starfish_gang *gang, size_t step, size_t item, size_t part)
{
    size_t not_begun = step;
    if (atomic_load_explicit(&gang->begun[item], memory_order_relaxed) != step ||
        !atomic_compare_exchange_strong(&gang->begun[item], &not_begun, step + 1))
        return;
    gang->work(gang->data, step, item, part);
    if (atomic_fetch_add(&gang->done, 1) + 1 == (step + 1) * gang->items)
        atomic_store(&gang->step, step + 1);
}

static void wait_for_step(const struct starfish_gang *gang, size_t step)
{
    if (atomic_load_explicit(&gang->step, memory_order_acquire) != step)
        return;
    starfish_activity_begin(NULL);
    for (int looks = 0; atomic_load_explicit(&gang->step, memory_order_acquire) == step; looks++) {
        STARFISH_BREATHE();
        if (looks == LOOKS) {
            sched_yield();
            looks = 0;
        }
    }
}

/* One core's part, from now on to the end. */
static void do_steps(struct starfish_gang *gang, size_t steps, size_t part)
{
    const size_t self = atomic_fetch_add(&gang->joined, 1) % gang->cores;
    for (size_t step = atomic_load(&gang->step); step < steps; step = atomic_load(&gang->step)) {
        for (size_t turn = 0; turn < gang->cores; turn++)
            for (size_t item = (self + turn) % gang->cores; item < gang->items; item += gang->cores)
                do_item(gang, step, item, part);
        wait_for_step(gang, step);
    }
}

static void take_part(void *data, size_t part, size_t parts)
{
    struct starfish_gang *gang = data;
    (void)parts;
    atomic_fetch_add(&gang->here, 1);
    const size_t steps = atomic_load(&gang->steps);
    if (steps > 0)
        do_steps(gang, steps, part);
    atomic_fetch_sub(&gang->here, 1);
}

/* Helpers that arrive from now on do not take part, and no core is about to begin an item. */
static void close_gang(struct starfish_gang *gang)
{
    atomic_store(&gang->steps, 0);
    while (atomic_load(&gang->here) > 0)
        STARFISH_BREATHE();
}

/* ---- Tasks that help --------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    struct starfish_gang *gang;
};

static void gang_help_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    (void)buffers;
    starfish_team_run(a->gang->context, take_part, a->gang);
}

STARFISH_CORES_CODELET(gang_help, "gang_help", 0xdddddd);

/* Helpers that cannot be had are not missed. */
static void ask_for_help(struct starfish_gang *gang, struct starfish_progress *progress, int phase)
{
    const struct starfish_context *context = gang->context;
    const size_t here = starfish_context_current_worker(context);
    for (size_t worker = 0; worker < context->workers; worker++) {
        if (worker == here || starfish_context_worker_kind(context, worker) != STARFISH_CPU)
            continue;
        struct starfish_task task;
        struct arguments arguments = {.header = {.footprint = gang->footprint, .helps = 1}, .gang = gang};
        starfish_task_begin(&task, &gang_help_codelet, progress, phase);
        task.name = "help";
        task.flops = 0; /* the task that requests help reports the operations of all cores */
        task.device = STARFISH_CORES;
        task.worker = context->worker[worker];
        task.priority = STARPU_MAX_PRIO;
        (void)starfish_task_submit(&task, &arguments, sizeof arguments);
    }
}

void starfish_gang_run(struct starfish_gang *gang, struct starfish_progress *progress, int phase, size_t steps)
{
    for (size_t item = 0; item < gang->items; item++)
        atomic_store(&gang->begun[item], 0);
    atomic_store(&gang->done, 0);
    atomic_store(&gang->joined, 0);
    atomic_store(&gang->step, 0);
    atomic_store(&gang->steps, steps);
    ask_for_help(gang, progress, phase);
    starfish_team_run(gang->context, take_part, gang);
    close_gang(gang);
}
