/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: backward(slab), the slab's interior from its separators, and the inverse transforms in y and x. */
#include "codelets/slab_window.h"

#include "codelets/kernel_pair.h"

STARFISH_PLACE_KERNEL(run_solve, starfish_slab_solve)

struct arguments {
    struct starfish_task_header header;
    const struct starfish_slab_space *space;
    struct starfish_slab_parts parts;
    size_t first_plane, planes;
    int alone, has_before, itself_before, has_modes;
    struct starfish_access solution; /* for its edges */
};

/* Data: tables, modes unless they are the solution, solution; own separators unless alone; those before unless there
 * are none, or they are its own; its piece of the constant line if singular; edges of the solution if wanted. */
struct work {
    const struct arguments *a;
    struct starfish_slab_solve solve; /* in place */
    void *solution;
    struct starfish_strides strides; /* of the solution */
    struct starfish_slab_lane lane;
};

static struct work work_of(void *buffers[], const struct arguments *a)
{
    const struct starfish_slab_space *space = a->space;
    int at = STARFISH_SLAB_TABLES;
    void *const modes = STARFISH_SLAB(buffers, at++);
    struct work work = {.a = a,
                        .solution = modes,
                        .solve = {.lines = starfish_slab_lines_of(buffers, space, &a->parts, a->first_plane, a->planes),
                                  .data = modes,
                                  .out = modes,
                                  .periodic = a->alone && space->periodic,
                                  .pinned_lane = a->alone ? space->constant_lane : -1}};
    if (a->has_modes) {
        work.strides = starfish_slab_strides(buffers[at], a->planes);
        work.solution = STARFISH_SLAB(buffers, at++);
    }
    for (size_t p = 0; p < a->parts.count && !a->alone; p++)
        work.solve.own[p] = STARFISH_VECTOR(buffers, at++);
    for (size_t p = 0; p < a->parts.count && a->has_before; p++)
        work.solve.before[p] = a->itself_before ? work.solve.own[p] : STARFISH_VECTOR(buffers, at++);
    if (space->constant_lane >= 0) {
        work.lane =
            (struct starfish_slab_lane){.planes = a->planes,
                                        .stride = space->n[0] * space->n[1],
                                        .lane = starfish_real_at(modes, space->precision, (size_t)space->constant_lane),
                                        .line = STARFISH_VECTOR(buffers, at++)};
    }
    return work;
}

static struct starfish_planes planes_of(const struct work *work)
{
    return (struct starfish_planes){.direction = STARFISH_BACKWARD,
                                    .planes = work->a->planes,
                                    .in = work->solve.out,
                                    .out = work->solution,
                                    .scale = 1,
                                    .strides = work->strides};
}

static int solve_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct work *work = data;
    const starfish_precision precision = place->precision;
    struct starfish_slab_window window;
    if (!starfish_slab_window(&window, &work->solve.lines, precision, part, parts))
        return 0;
    struct starfish_slab_solve share = work->solve;
    share.lines = window.lines;
    share.out = starfish_real_at(work->solve.out, precision, window.first_lane);
    share.data = share.out;
    share.workspace = starfish_workspace_part(work->a->parts.workspace, part);
    starfish_slab_window_array(&window, precision, (void *const *)work->solve.own, (void **)share.own);
    starfish_slab_window_array(&window, precision, (void *const *)work->solve.before, (void **)share.before);
    share.pinned_lane =
        starfish_slab_pinned(work->solve.pinned_lane, window.first_lane, window.lines.outer * window.lines.inner);
    return run_solve(place, &share);
}

static void slab_backward_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_slab_space *space = a->space;
    struct work work = work_of(buffers, a);
    const struct starfish_planes planes = planes_of(&work);
    starfish_task_check(&a->header, "interior of a slab",
                        starfish_place_share(place, space->context, solve_share, &work));
    if (space->constant_lane >= 0)
        starfish_task_check(&a->header, "constant mode of a slab", starfish_slab_lane_put(place, &work.lane));
    starfish_task_check(&a->header, "transforms of a slab",
                        starfish_plane_set_share(place, &space->planes, a->parts.workspace, &planes));
    starfish_task_check(&a->header, "edges of a slab", starfish_vector_publish(place, buffers, &a->solution));
}

STARFISH_PLACE_CODELET(slab_backward, arguments, a->space->precision, "slab_backward", 0x66ccee);

starfish_status starfish_submit_slab_backward(struct starfish_progress *progress, int phase,
                                              const struct starfish_slab_backward_task *d)
{
    const struct starfish_slab_space *space = d->space;
    const starpu_data_handle_t solution = d->solution->piece[d->part];
    const size_t parts = d->parts->count;
    struct starfish_task task;
    struct arguments arguments = {.space = space,
                                  .parts = *d->parts,
                                  .first_plane = d->slab->first_plane,
                                  .planes = d->slab->planes,
                                  .alone = d->alone,
                                  .has_before = d->before != NULL && !d->alone,
                                  .itself_before = d->before == d->slab,
                                  .has_modes = d->modes != NULL};
    starfish_task_begin(&task, &slab_backward_codelet, progress, phase);
    task.name = "backward";
    task.device = d->slab->owner.device;
    task.width = space->n[0] * space->n[1];
    task.flops = starfish_slab_flops(space, d->slab->planes);
    starfish_task_at(&task, "slab", solution, 0);
    task.priority = STARFISH_PRIORITY_BACKWARD;
    starfish_slab_tables(&task, space);
    if (d->modes)
        starfish_task_data(&task, d->modes, STARPU_RW);
    const int buffer = task.count;
    starfish_task_data(&task, solution, d->modes ? STARPU_W : STARPU_RW);
    for (size_t p = 0; p < parts && !d->alone; p++)
        starfish_task_data(&task, d->slab->separator[d->owner + p], STARPU_R);
    for (size_t p = 0; p < parts && arguments.has_before && !arguments.itself_before; p++)
        starfish_task_data(&task, d->before->separator[d->owner + p], STARPU_R);
    if (space->constant_lane >= 0)
        starfish_task_data(&task, d->slab->constant, STARPU_R);
    arguments.solution = starfish_vector_attach_edges(&task, d->solution, d->part, buffer);
    if (d->token)
        starfish_task_data(&task, d->token, STARPU_RW);
    arguments.header.footprint = starfish_slab_footprint(space, d->parts, d->slab, d->alone);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
