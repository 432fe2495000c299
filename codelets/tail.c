/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: one cycle over all small grids of a hierarchy, whatever their kind (multigrid/kernels/tail.h). On a GPU its
 * launches are one CUDA graph from the second time on. Where the first of these grids is cut into parts apart, the task
 * takes them all, works on arrays in one place, and gives the solution back to them. Bound by launches and by the
 * latency of small grids. */
#include "codelets/tail.h"

#include "codelets/collect.h"
#include "codelets/grid.h"

#include "scheduler/runtime/hooks.h"
#include "scheduler/runtime/team.h"

#include <stdlib.h>
#include <string.h>

struct arguments {
    struct starfish_task_header header;
    struct starfish_grid_setting setting;
    const struct starfish_tail *tail;
    starfish_cycle_shape shape;
    int zero, table;
    struct starfish_access f, u;
    size_t parts;                  /* of f, then of u, where the first grid is cut; else 0 */
    struct starfish_access part[]; /* 2 * parts */
};

/* One run: what is captured as a graph. */
struct run {
    struct starfish_place place;
    const struct arguments *arguments;
    struct starfish_tail_arrays arrays;
};

static struct run run_of(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct run run = {.place = *place, .arguments = a};

    for (int l = 0; l < a->tail->levels; l++)
        run.arrays.table[l] = (const void *)STARPU_VECTOR_GET_PTR(buffers[a->table + l]);
    run.arrays.f = starfish_vector_here(buffers, &a->f, place->precision);
    run.arrays.u = starfish_vector_here(buffers, &a->u, place->precision);
    return run;
}

static int launch(void *data)
{
    const struct run *run = data;
    const struct arguments *a = run->arguments;

    return starfish_tail_run(&run->place, a->tail, &run->arrays, a->shape, a->zero);
}

static int collect(const struct run *run, void *buffers[])
{
    const struct arguments *a = run->arguments;

    if (a->parts == 0)
        return 0;
    TRY_LAUNCH(starfish_parts_collect(&run->place, buffers, a->part, (void *)(uintptr_t)run->arrays.f));
    return a->zero ? 0 : starfish_parts_collect(&run->place, buffers, a->part + a->parts, run->arrays.u);
}

static int spread(const struct run *run, void *buffers[])
{
    const struct arguments *a = run->arguments;

    return a->parts > 0 ? starfish_parts_spread(&run->place, buffers, a->part + a->parts, run->arrays.u) : 0;
}

/* That are worth another core: some 2 us of a sweep, where a barrier takes one. */
enum { UNKNOWNS_PER_CORE = 512 };

struct starfish_tail_core starfish_tail_core_here(const struct starfish_workspace *workspace, size_t part, size_t parts)
{
    return (struct starfish_tail_core){.self = part,
                                       .cores = parts,
                                       .worth = UNKNOWNS_PER_CORE,
                                       .barrier = starfish_team_barrier(workspace->context),
                                       .shared = starfish_workspace_shared(workspace)};
}

static void run_on_a_core(void *data, size_t part, size_t parts)
{
    const struct run *shared = data;
    const struct starfish_workspace *workspace = shared->arguments->setting.workspace;
    const struct starfish_tail_core core = starfish_tail_core_here(workspace, part, parts);
    struct run run = *shared;

    run.place.work = starfish_workspace_part(workspace, part);
    run.arrays.core = &core;
    launch(&run);
}

/* The first core is that of the worker itself, which begins and ends with all. */
static void tail_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = {a->setting.precision, 0, NULL,
                                         starfish_workspace_part(a->setting.workspace, 0)};
    struct run run = run_of(&place, buffers, a);

    collect(&run, buffers);
    if (a->setting.workspace->shared > 0)
        starfish_team_run(a->header.progress->context, run_on_a_core, &run);
    else
        launch(&run);
    spread(&run, buffers);
}

#ifdef STARFISH_HAVE_GPU
static void tail_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = starfish_grid_place_on_gpu(&a->setting);
    struct run run = run_of(&place, buffers, a);
    struct starfish_replay_key key = {6,
                                      {(uintptr_t)a->tail, (uintptr_t)a->shape, (uintptr_t)a->zero,
                                       (uintptr_t)place.work, (uintptr_t)run.arrays.f, (uintptr_t)run.arrays.u}};

    for (int l = 0; l < a->tail->levels; l++)
        starfish_replay_add(&key, (uintptr_t)run.arrays.table[l]);
    starfish_task_check(&a->header, "parts of the tail", collect(&run, buffers));
    starfish_task_check(&a->header, "tail", starfish_replay(a->setting.replays, &key, place.stream, launch, &run));
    starfish_task_check(&a->header, "parts of the tail", spread(&run, buffers));
}
#endif

STARFISH_CODELET(tail, "grid_tail", 0x555588);

int starfish_tail_recorded(const struct starfish_context *context)
{
    return starfish_times_known_everywhere(&tail_codelet, context);
}

static uint32_t footprint_of(const struct starfish_tail *tail, const struct starfish_tail_task *task, size_t parts,
                             const size_t n[2])
{

    return STARFISH_FOOTPRINT_BUT(parts == 0, (size_t)tail->kind->name[0], strlen(tail->kind->name), tail->precision,
                                  n[0], n[1], (size_t)tail->levels, task->shape, tail->smoothing.smoother,
                                  (size_t)tail->smoothing.before, (size_t)tail->smoothing.after, (size_t)task->zero,
                                  starfish_grid_variant(tail->kind, tail->shape[0]), parts);
}

/* A few ranks each compute the small grids, for which they would otherwise wait while the first one does: nothing need
 * travel back, and as each sends its parts to the others the link works both ways. Of many ranks each would get the
 * parts of all others, so that one computes for all. */
static void choose_ranks(struct starfish_task *task, const struct starfish_space *space)
{
    enum { FEW = 4 };

    if (!space || !space->on_ranks)
        return;
    for (size_t part = 0; part < space->parts[1]; part++)
        starfish_task_copy_on(task, starfish_space_rank(space, part));
    if (task->copies > FEW)
        task->copies = 0;
    task->rank = starfish_space_rank(space, 0);
}

starfish_status starfish_submit_tail(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                     const struct starfish_tail_task *task)
{
    const struct starfish_tail *tail = task->tail;
    const size_t parts = task->f_parts ? task->f_parts->space->parts[1] : 0;
    const size_t size = sizeof(struct arguments) + 2 * parts * sizeof(struct starfish_access);
    struct arguments *const a = malloc(size);
    struct starfish_task submitted;
    struct starfish_extent whole = {.wraps = 0};
    size_t n[2];

    STARFISH_FAIL_IF(!a, STARFISH_ERROR_MEMORY, "out of memory for a task on %zu parts", parts);
    *a =
        (struct arguments){.setting = *setting, .tail = tail, .shape = task->shape, .zero = task->zero, .parts = parts};
    starfish_grid_extent(tail->kind, tail->shape[0], n);
    whole.x1 = (ptrdiff_t)n[0];
    whole.y1 = (ptrdiff_t)n[1];
    starfish_task_begin(&submitted, &tail_codelet, progress, STARFISH_PHASE_TAIL);
    submitted.name = "small grids";
    submitted.width = n[1];
    starfish_task_costs(&submitted, starfish_tail_cost_once(tail, task->costs, task->shape, task->zero));
    starfish_task_of_owner(&submitted, task->u->space, 0, task->where);
    choose_ranks(&submitted, task->u_parts ? task->u_parts->space : NULL);
    a->table = submitted.count;
    for (int l = 0; l < tail->levels; l++)
        starfish_task_data(&submitted, task->table[l], STARPU_R);
    a->f = starfish_vector_attach(&submitted, task->f, 0, &whole, parts > 0 ? STARPU_W : STARPU_R);
    a->u = starfish_vector_attach(&submitted, task->u, 0, &whole, task->zero || parts > 0 ? STARPU_W : STARPU_RW);
    if (parts > 0) {
        starfish_parts_attach(&submitted, task->f_parts, STARPU_R, a->part);
        starfish_parts_attach(&submitted, task->u_parts, task->zero ? STARPU_W : STARPU_RW, a->part + parts);
    }
    a->header.footprint = footprint_of(tail, task, parts, n);
    const starfish_status status = starfish_task_submit(&submitted, a, size);
    free(a);
    return status;
}
