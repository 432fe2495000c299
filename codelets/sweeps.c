/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: several sweeps on one part of a grid; on a GPU one CUDA graph from the second time on. Bound as the kind's
 * kernels are. */
#include "codelets/sweeps.h"

#include "codelets/kernel_pair.h"
#include "scheduler/runtime/hooks.h"

#include <string.h>

struct arguments {
    struct starfish_task_header header;
    struct starfish_grid_setting setting;
    const void *shape;
    struct starfish_rectangle at;
    int count;
    struct starfish_one_sweep sweep[STARFISH_SWEEPS_MOST];
    int table;
    struct starfish_access u[2], f;
};

/* ---- On a worker ------------------------------------------------------------------------------------------------- */

static struct starfish_grid_step step_of(void *buffers[], const struct arguments *a, int i)
{
    const starfish_precision precision = a->setting.precision;

    return (struct starfish_grid_step){.shape = a->shape,
                                       .table = (const void *)STARPU_VECTOR_GET_PTR(buffers[a->table]),
                                       .at = a->at,
                                       .sweep = a->sweep[i].sweep,
                                       .damping = a->sweep[i].damping,
                                       .zero = a->sweep[i].zero,
                                       .u = starfish_vector_here(buffers, &a->u[i % 2], precision),
                                       .f = starfish_vector_here(buffers, &a->f, precision),
                                       .result = starfish_vector_here(buffers, &a->u[(i + 1) % 2], precision)};
}

static int publish(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    return starfish_vector_publish(place, buffers, &a->u[a->count % 2]);
}

static void sweeps_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = {a->setting.precision, 0, NULL, NULL};

    for (int i = 0; i < a->count; i++) {
        const struct starfish_grid_step step = step_of(buffers, a, i);
        starfish_grid_on_team(a->header.progress->context, &a->setting, STARFISH_GRID_SMOOTH, &step);
    }
    publish(&place, buffers, a);
}

#ifdef STARFISH_HAVE_GPU
static int launch(const struct starfish_place *place, void *buffers[], const void *arguments)
{
    const struct arguments *a = arguments;

    for (int i = 0; i < a->count; i++) {
        const struct starfish_grid_step step = step_of(buffers, a, i);
        TRY_LAUNCH(a->setting.kind->compute[STARFISH_GRID_SMOOTH](place, &step));
    }
    return publish(place, buffers, a);
}

/* Pointers to all that is read or written: the edges are behind the array whose edges are published, each with the
 * index set that it is gathered by. */
static struct starfish_replay_key key_of(void *buffers[], const struct arguments *a)
{
    const struct starfish_access *const all[] = {&a->u[0], &a->u[1], &a->f}, *last = &a->u[a->count % 2];
    struct starfish_replay_key key = {.count = 0};
    int buffer = last->leaving;

    starfish_replay_add(&key, (uintptr_t)a->shape);
    starfish_replay_add(&key, last->part);
    starfish_replay_add(&key, (uintptr_t)a->count);
    starfish_replay_add(&key, (uintptr_t)a->sweep[0].sweep);
    starfish_replay_add(&key, (uintptr_t)a->sweep[0].zero);
    starfish_replay_add(&key, (uintptr_t)STARPU_VECTOR_GET_PTR(buffers[a->table]));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        starfish_replay_add(&key, (uintptr_t)starfish_vector_here(buffers, all[i], a->setting.precision));
    for (size_t h = 0; h < last->space->halos; h++) {
        if (last->space->halo[h].from != last->part)
            continue;
        starfish_replay_add(&key, (uintptr_t)STARPU_BLOCK_GET_PTR(buffers[buffer]));
        buffer += last->space->halo[h].index.handle ? 2 : 1;
    }
    return key;
}

static void sweeps_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_replay_key key = key_of(buffers, a);

    starfish_task_check(&a->header, a->setting.kind->name, starfish_grid_replay(&a->setting, &key, launch, buffers, a));
}
#endif

STARFISH_CODELET(sweeps, "grid_sweeps", 0x5588ee);

int starfish_sweeps_known(const struct starfish_context *context)
{
    return starfish_times_known_everywhere(&sweeps_codelet, context);
}

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* Of the task's vectors only that they are there counts. */
static struct starfish_cost cost_of(const struct starfish_grid_setting *setting, const struct starfish_sweeps_task *t)
{
    struct starfish_cost sum = {0, 0};

    for (int i = 0; i < t->count; i++) {
        const struct starfish_grid_step step = {.shape = t->shape,
                                                .at = t->at,
                                                .sweep = t->sweep[i].sweep,
                                                .zero = t->sweep[i].zero,
                                                .u = t->u[0],
                                                .f = t->f,
                                                .result = (void *)(uintptr_t)t->u[1]};
        starfish_cost_add(&sum, setting->kind->costs->cost(setting->precision, STARFISH_GRID_SMOOTH, &step));
    }
    return sum;
}

static uint32_t footprint_of(const struct starfish_grid_setting *setting, const struct starfish_sweeps_task *t)
{
    size_t n[2];

    starfish_grid_extent(setting->kind, t->shape, n);
    const size_t sizes[] = {(size_t)setting->kind->name[0],
                            strlen(setting->kind->name),
                            setting->precision,
                            (size_t)t->count,
                            (size_t)t->sweep[0].sweep,
                            n[0],
                            t->at.y1 - t->at.y0,
                            starfish_grid_variant(setting->kind, t->shape)};

    return starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
}

starfish_status starfish_submit_sweeps(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                       const struct starfish_sweeps_task *t)
{
    const struct starfish_access read = {.part = t->part};
    struct starfish_task task;
    struct arguments a = {.setting = *setting, .shape = t->shape, .at = t->at, .count = t->count};

    memcpy(a.sweep, t->sweep, sizeof a.sweep);
    starfish_task_begin(&task, &sweeps_codelet, progress, STARFISH_PHASE_SMOOTH);
    task.name = "smooth, several sweeps";
    task.width = t->at.y1 - t->at.y0;
    starfish_task_costs(&task, cost_of(setting, t));
    starfish_task_of_owner(&task, t->u[0]->space, t->part, setting->where);
    a.table = task.count;
    if (t->table) /* of other ranks' parts there is none */
        starfish_task_data(&task, t->table, STARPU_R);
    for (int i = 0; i < 2; i++) {
        const struct starfish_access written = {
            .part = t->part, .publishes = i == t->count % 2 ? STARFISH_ALL_EDGES : STARFISH_NO_EDGES};
        const int is_read = i == 0 || (starfish_grid_adds(setting->kind, t->sweep[0].sweep) && !t->sweep[0].zero);
        a.u[i] = starfish_vector_attach_as(&task, t->u[i], &written, is_read ? STARPU_RW : STARPU_W);
    }
    a.f = starfish_vector_attach_as(&task, t->f, &read, STARPU_R);
    a.header.footprint = footprint_of(setting, t);
    return starfish_task_submit(&task, &a, sizeof a);
}
