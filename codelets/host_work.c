/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: a loop over independent items of a plan's setup. Bound as the items are. */
#include "codelets/host_work.h"

#include "scheduler/runtime/machine.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/team.h"

#include <stdatomic.h>

struct dealing {
    struct starfish_host_work work;
    atomic_size_t next;
};

struct arguments {
    struct starfish_task_header header;
    struct dealing *dealing;
};

static void take_items(void *data, size_t part, size_t parts)
{
    struct dealing *d = data;

    (void)part, (void)parts;
    for (size_t i = atomic_fetch_add(&d->next, 1); i < d->work.count; i = atomic_fetch_add(&d->next, 1))
        d->work.body(d->work.data, i, i + 1);
}

static void host_work_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;

    (void)buffers;
    starfish_team_run(a->header.progress->context, take_items, a->dealing);
}

STARFISH_CORES_CODELET(host_work, "host_work", 0xaa7755);

static starfish_status submit(struct starfish_progress *progress, struct dealing *dealing, int worker)
{
    struct arguments arguments = {.dealing = dealing};
    struct starfish_task task;

    starfish_task_begin(&task, &host_work_codelet, progress, 0);
    task.name = dealing->work.name;
    task.device = STARFISH_CORES;
    task.worker = worker;
    task.rank = starfish_context_rank(progress->context);
    task.width = dealing->work.count;
    arguments.header.footprint = STARFISH_FOOTPRINT(dealing->work.count);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}

starfish_status starfish_host_work_run(struct starfish_context *context, const struct starfish_host_work *work)
{
    struct dealing dealing = {.work = *work};
    struct starfish_progress progress;
    starfish_status status = STARFISH_SUCCESS;

    if (context->workers_of[STARFISH_CPU] == 0 || starfish_machine_is_simulated()) {
        starfish_host_loop(work->count, 1, work->body, work->data);
        return STARFISH_SUCCESS;
    }
    atomic_init(&dealing.next, 0);
    starfish_progress_init(&progress, context);
    for (size_t w = 0; w < context->workers && status == STARFISH_SUCCESS; w++)
        if (starfish_context_worker_kind(context, w) == STARFISH_CPU)
            status = submit(&progress, &dealing, context->worker[w]);
    const starfish_status waited = starfish_progress_wait(&progress);
    starfish_progress_destroy(&progress);
    return status != STARFISH_SUCCESS ? status : waited;
}
