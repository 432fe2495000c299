/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: problems(group), whole problems on one grid from their right-hand sides to their solutions; and alone, one
 * problem that has a GPU for itself.
 *
 * Each core takes some of the problems, one at a time: transforms, lines and inverse transforms, while the problem
 * stays in its cache. Memory traffic is one read of the right-hand side and one write of the solution. On a GPU, as
 * many problems as fit in half of its second-level cache form one set of planes and one set of lines. A task of many
 * problems makes the runtime's cost per task negligible. If rows of the solution are not packed, the modes are kept in
 * the work space. */
#include "codelets/slab_window.h"

#include "base/activity.h"
#include "codelets/kernel_pair.h"
#include "codelets/phases.h"
#include "scheduler/runtime/hooks.h"

#include <stdint.h>

STARFISH_PLACE_KERNEL(run_solve, starfish_slab_solve)

enum { ALIGNMENT = 256, GPU_BYTES = 16 << 20, MOST_PROBLEMS = 32768 };

struct arguments {
    struct starfish_task_header header;
    struct starfish_slab_problems_task task;
    int in_place;
};

/* Data: tables, solution, rhs unless in place; constant tables if singular; removed if wanted. */
struct work {
    const struct starfish_place *place;
    const struct arguments *a;
    char *rhs, *solution;
    struct starfish_strides rhs_strides, solution_strides;
    struct starfish_slab_lines lines;
    const double *constant;
    double *removed;
};

static size_t elements(const struct starfish_slab_space *space)
{
    return space->n[0] * space->n[1] * space->n[2];
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- Work space: of the kernels, then modes, then constant lines ------------------------------------------------- */

static size_t kernels_bytes(const struct starfish_slab_space *space, starfish_worker_kind kind)
{
    return aligned(starfish_slab_workspace(space, kind, 1, space->n[2]));
}

static size_t modes_bytes(const struct starfish_slab_space *space, size_t problems)
{
    return aligned(problems * elements(space) * starfish_real_size(space->precision));
}

size_t starfish_slab_problems_at_once(const struct starfish_slab_space *space)
{
    const size_t most = GPU_BYTES / (elements(space) * starfish_real_size(space->precision));
    const size_t fitting = most < 1 ? 1 : most > MOST_PROBLEMS ? MOST_PROBLEMS : most;
    return fitting < space->count ? fitting : space->count;
}

static size_t removed_bytes(size_t problems)
{
    return aligned(problems * STARFISH_CONSTANT_REMOVED * sizeof(double));
}

static size_t constants_bytes(size_t problems, size_t planes)
{
    return removed_bytes(problems) + aligned(problems * planes * sizeof(double)) + ALIGNMENT;
}

/* And what aligns the parts before them. */
size_t starfish_slab_problems_constants(size_t problems, size_t planes)
{
    return constants_bytes(problems, planes) + ALIGNMENT;
}

size_t starfish_slab_problems_workspace(const struct starfish_slab_space *space, starfish_worker_kind kind, int strided)
{
    const size_t problems = kind == STARFISH_GPU ? starfish_slab_problems_at_once(space) : 1;
    return kernels_bytes(space, kind) + (strided ? modes_bytes(space, problems) : 0) +
           (space->constant_lane >= 0 ? constants_bytes(problems, space->n[2]) : ALIGNMENT);
}

/* ---- Some of the problems on one core, or on the GPU --------------------------------------------------------------
 */

/* `count` problems from the first one on, at a place whose work space is `workspace`. */
struct batch {
    const struct work *work;
    struct starfish_planes forward, backward;
    struct starfish_slab_solve solve;
    struct starfish_slab_lane lane; /* of singular problems */
};

/* Bytes before a problem. */
static size_t before(const struct work *work, const struct starfish_strides *strides, size_t problem)
{
    const struct starfish_slab_space *space = work->a->task.space;
    return problem * (strides->row > 0 ? strides->box : elements(space)) * starfish_real_size(space->precision);
}

/* room: of constants_bytes. */
static void describe_constant(struct batch *batch, void *modes, size_t first, size_t count, char *room)
{
    const struct work *work = batch->work;
    const struct starfish_slab_space *space = work->a->task.space;
    batch->lane =
        (struct starfish_slab_lane){.planes = space->n[2],
                                    .stride = space->n[0] * space->n[1],
                                    .problems = count,
                                    .distance = elements(space),
                                    .lane = starfish_real_at(modes, space->precision, (size_t)space->constant_lane),
                                    .line = starfish_real_at(room + removed_bytes(count), STARFISH_F64, 0),
                                    .tables = work->constant,
                                    .removed = work->removed ? work->removed + STARFISH_CONSTANT_REMOVED * first
                                                             : starfish_real_at(room, STARFISH_F64, 0)};
}

static struct batch batch_of(const struct work *work, size_t first, size_t count, char *workspace)
{
    const starfish_worker_kind kind = work->place->gpu ? STARFISH_GPU : STARFISH_CPU;
    const struct starfish_slab_space *space = work->a->task.space;
    const int strided = work->solution_strides.row > 0;
    char *const room = (char *)aligned((uintptr_t)workspace), *const kernels = room;
    char *const own_modes = kernels + kernels_bytes(space, kind);
    char *const constants = own_modes + (strided ? modes_bytes(space, count) : 0);
    char *const rhs = work->rhs + before(work, &work->rhs_strides, first);
    char *const solution = work->solution + before(work, &work->solution_strides, first);
    void *const modes = strided ? own_modes : solution;
    struct batch batch = {
        .work = work,
        .forward = {STARFISH_FORWARD, count * space->n[2], rhs, modes, 1 / starfish_plane_set_scale(&space->planes),
                    kernels, work->rhs_strides},
        .backward = {STARFISH_BACKWARD, count * space->n[2], modes, solution, 1, kernels, work->solution_strides},
        .solve = {.lines = work->lines,
                  .data = modes,
                  .out = modes,
                  .periodic = space->periodic,
                  .pinned_lane = space->constant_lane,
                  .workspace = kernels,
                  .problems = count,
                  .distance = elements(space)}};
    if (space->constant_lane >= 0)
        describe_constant(&batch, modes, first, count, constants);
    return batch;
}

static struct work work_of(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_slab_space *space = a->task.space;
    const struct starfish_slab_parts whole = {.count = 1, .first_row = {0, space->n[1]}};
    int at = STARFISH_SLAB_TABLES;
    struct work work = {.place = place,
                        .a = a,
                        .solution = starfish_slab_memory(buffers[at]),
                        .solution_strides = starfish_slab_strides(buffers[at], space->n[2]),
                        .lines = starfish_slab_lines_of(buffers, space, &whole, 0, space->n[2])};
    if (!a->in_place)
        at++;
    work.rhs = starfish_slab_memory(buffers[at]);
    work.rhs_strides = starfish_slab_strides(buffers[at], space->n[2]);
    at++;
    if (space->constant_lane >= 0)
        work.constant = STARFISH_VECTOR(buffers, at++);
    if (a->task.removed)
        work.removed = STARFISH_VECTOR(buffers, at++);
    return work;
}

static const struct starfish_activity forward = {"transform", 0x4477aa, STARFISH_PHASE_FORWARD};
static const struct starfish_activity in_z = {"solve in z", 0xee6677, STARFISH_PHASE_MODES};
static const struct starfish_activity backward = {"transform back", 0x228833, STARFISH_PHASE_BACKWARD};

/* On cores, of problems whose parts take many looks at the clock. */
static void report(const struct work *work, const struct starfish_activity *activity)
{
    enum { LEAST_UNKNOWNS = 4096 };
    if (!work->place->gpu && elements(work->a->task.space) >= LEAST_UNKNOWNS)
        starfish_activity_begin(activity);
}

static int run_batch(const struct batch *batch)
{
    const struct work *work = batch->work;
    const struct starfish_place *place = work->place;
    const struct starfish_slab_space *space = work->a->task.space;
    const int singular = space->constant_lane >= 0;
    report(work, &forward);
    TRY_LAUNCH(starfish_plane_set_here(place, &space->planes, &batch->forward));
    report(work, &in_z);
    if (singular)
        TRY_LAUNCH(starfish_slab_lane_take(place, &batch->lane));
    TRY_LAUNCH(run_solve(place, &batch->solve));
    if (singular) {
        TRY_LAUNCH(starfish_slab_lane_solve(place, space, &batch->lane));
        TRY_LAUNCH(starfish_slab_lane_put(place, &batch->lane));
    }
    report(work, &backward);
    return starfish_plane_set_here(place, &space->planes, &batch->backward);
}

/* One problem at a time on a core, as many as its cache holds on a GPU. */
static int problems_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct work *work = data;
    const struct arguments *a = work->a;
    const size_t most = place->gpu ? starfish_slab_problems_at_once(a->task.space) : 1;
    const size_t end = a->task.problems * (part + 1) / parts;
    for (size_t first = a->task.problems * part / parts; first < end; first += most) {
        const size_t left = end - first;
        const struct batch batch =
            batch_of(work, first, left < most ? left : most, starfish_workspace_part(a->task.workspace, part));
        TRY_LAUNCH(run_batch(&batch));
    }
    return 0;
}

#ifdef STARFISH_HAVE_GPU
static int launch_all(void *data)
{
    const struct work *work = data;
    return problems_share(work->place, data, 0, 1);
}

/* What launches depend on; all else stays as long as the graph that the tasks are of. */
static struct starfish_replay_key key_of(const struct work *work)
{
    const struct starfish_strides *rhs = &work->rhs_strides, *solution = &work->solution_strides;
    return (struct starfish_replay_key){13,
                                        {(uintptr_t)work->rhs, (uintptr_t)work->solution, (uintptr_t)work->lines.lower,
                                         (uintptr_t)work->lines.shift_inner, (uintptr_t)work->constant,
                                         (uintptr_t)work->removed, work->a->task.problems, rhs->row, rhs->plane,
                                         rhs->box, solution->row, solution->plane, solution->box}};
}
#endif

static void slab_problems_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct work work = work_of(place, buffers, a);
#ifdef STARFISH_HAVE_GPU
    if (place->gpu) {
        const struct starfish_replay_key key = key_of(&work);
        starfish_task_check(&a->header, "whole problems",
                            starfish_replay(a->task.replays, &key, place->stream, launch_all, &work));
        return;
    }
#endif
    starfish_place_share(place, a->task.space->context, problems_share, &work);
}

/* A problem that is alone has times of its own. */
#define slab_alone_here slab_problems_here

STARFISH_PLACE_CODELET(slab_problems, arguments, a->task.space->precision, "slab_problems", 0x228833);
STARFISH_PLACE_CODELET(slab_alone, arguments, a->task.space->precision, "slab_alone", 0x228833);

int starfish_slab_alone_is_known(const struct starfish_context *context)
{
    return starfish_times_known(&slab_alone_codelet, context, STARFISH_GPU);
}

/* ---- Submission -------------------------------------------------------------------------------------------------- */

starfish_status starfish_submit_slab_problems(struct starfish_progress *progress, int phase,
                                              const struct starfish_slab_problems_task *d)
{
    const struct starfish_slab_space *space = d->space;
    struct starfish_task task;
    struct arguments arguments = {.task = *d, .in_place = d->rhs == d->solution};
    starfish_task_begin(&task, d->alone ? &slab_alone_codelet : &slab_problems_codelet, progress, phase);
    task.name = d->alone ? "alone" : "problems";
    task.flops = (double)d->problems * 2 * starfish_slab_flops(space, space->n[2]);
    task.device = d->device;
    starfish_task_stay(&task, starpu_data_get_home_node(d->solution));
    task.width = space->n[0] * space->n[1] * d->problems;
    starfish_task_at(&task, "slab", d->solution, 0);
    starfish_slab_tables(&task, space);
    starfish_task_data(&task, d->solution, arguments.in_place ? STARPU_RW : STARPU_W);
    if (!arguments.in_place)
        starfish_task_data(&task, d->rhs, STARPU_R);
    if (space->constant_lane >= 0)
        starfish_task_data(&task, space->constant.handle, STARPU_R);
    if (d->removed)
        starfish_task_data(&task, d->removed, STARPU_W);
    arguments.header.footprint = STARFISH_FOOTPRINT(
        space->precision, space->n[0], space->n[1], space->n[2], d->problems, space->planes.x.kind,
        space->planes.y.kind, (size_t)space->periodic, space->planes.basis.basis.n > 0, space->constant_lane >= 0);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
