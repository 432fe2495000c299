/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: forward(slab), transforms in x and y and the slab's contribution to the reduced system. */
#include "codelets/slab_window.h"

#include "codelets/kernel_pair.h"

STARFISH_PLACE_KERNEL(run_ends, starfish_slab_ends)

struct arguments {
    struct starfish_task_header header;
    const struct starfish_slab_space *space;
    struct starfish_slab_parts parts;
    size_t first_plane, planes;
    int in_place, alone, has_ends;
};

/* Data: tables, solution, rhs unless in place; ends, or separators and heads, unless alone; its piece of the constant
 * line if singular. */
struct work {
    const struct arguments *a;
    const void *rhs;
    struct starfish_strides strides; /* of the right-hand side */
    void *solution;
    struct starfish_slab_ends ends;
    struct starfish_slab_lane lane;
};

static struct work work_of(void *buffers[], const struct arguments *a)
{
    const struct starfish_slab_space *space = a->space;
    int at = STARFISH_SLAB_TABLES;
    struct work work = {.a = a, .solution = STARFISH_SLAB(buffers, at++)};
    if (!a->in_place)
        work.strides = starfish_slab_strides(buffers[at], a->planes);
    work.rhs = a->in_place ? work.solution : STARFISH_SLAB(buffers, at++);
    work.ends.lines = starfish_slab_lines_of(buffers, space, &a->parts, a->first_plane, a->planes);
    work.ends.data = work.solution;
    if (a->has_ends) {
        work.ends.rhs[0] = STARFISH_VECTOR(buffers, at++);
        work.ends.head[0] = starfish_real_at(work.ends.rhs[0], space->precision, space->n[0] * space->n[1]);
    }
    for (size_t p = 0; p < a->parts.count && !a->alone && !a->has_ends; p++) {
        work.ends.rhs[p] = STARFISH_VECTOR(buffers, at++);
        work.ends.head[p] = STARFISH_VECTOR(buffers, at++);
    }
    if (space->constant_lane >= 0) {
        work.lane = (struct starfish_slab_lane){
            .planes = a->planes,
            .stride = space->n[0] * space->n[1],
            .lane = starfish_real_at(work.solution, space->precision, (size_t)space->constant_lane),
            .line = STARFISH_VECTOR(buffers, at++)};
    }
    return work;
}

static struct starfish_planes planes_of(const struct work *work)
{
    return (struct starfish_planes){.direction = STARFISH_FORWARD,
                                    .planes = work->a->planes,
                                    .in = work->rhs,
                                    .out = work->solution,
                                    .scale = 1 / starfish_plane_set_scale(&work->a->space->planes),
                                    .strides = work->strides};
}

static int ends_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct work *work = data;
    struct starfish_slab_window window;
    if (!starfish_slab_window(&window, &work->ends.lines, place->precision, part, parts))
        return 0;
    struct starfish_slab_ends share = {.lines = window.lines,
                                       .data = starfish_real_at(work->solution, place->precision, window.first_lane)};
    starfish_slab_window_array(&window, place->precision, work->ends.rhs, share.rhs);
    starfish_slab_window_array(&window, place->precision, work->ends.head, share.head);
    return run_ends(place, &share);
}

static void slab_forward_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_slab_space *space = a->space;
    struct work work = work_of(buffers, a);
    const struct starfish_planes planes = planes_of(&work);
    starfish_task_check(&a->header, "transforms of a slab",
                        starfish_plane_set_share(place, &space->planes, a->parts.workspace, &planes));
    if (!a->alone)
        starfish_task_check(&a->header, "ends of a slab",
                            starfish_place_share(place, space->context, ends_share, &work));
    if (space->constant_lane >= 0)
        starfish_task_check(&a->header, "constant mode of a slab", starfish_slab_lane_take(place, &work.lane));
}

STARFISH_PLACE_CODELET(slab_forward, arguments, a->space->precision, "slab_forward", 0x4477aa);

starfish_status starfish_submit_slab_forward(struct starfish_progress *progress, int phase,
                                             const struct starfish_slab_forward_task *d)
{
    const struct starfish_slab_space *space = d->space;
    const int in_place = d->rhs == d->solution;
    struct starfish_task task;
    starfish_task_begin(&task, &slab_forward_codelet, progress, phase);
    task.name = "forward";
    task.device = d->slab->owner.device;
    task.width = space->n[0] * space->n[1];
    task.flops = starfish_slab_flops(space, d->slab->planes);
    starfish_task_at(&task, "slab", d->solution, 0);
    task.priority = STARFISH_PRIORITY_FORWARD;
    starfish_slab_tables(&task, space);
    starfish_task_data(&task, d->solution, in_place ? STARPU_RW : STARPU_W);
    if (!in_place)
        starfish_task_data(&task, d->rhs, STARPU_R);
    const int has_ends = d->slab->ends && !d->alone;
    if (has_ends)
        starfish_task_data(&task, d->slab->ends, STARPU_W);
    for (size_t p = 0; p < d->parts->count && !d->alone && !has_ends; p++) {
        starfish_task_data(&task, d->slab->separator[p], STARPU_W);
        starfish_task_data(&task, d->slab->head[p], STARPU_W);
    }
    if (space->constant_lane >= 0)
        starfish_task_data(&task, d->slab->constant, STARPU_W);
    if (d->token)
        starfish_task_data(&task, d->token, STARPU_RW);
    struct arguments arguments = {.space = space,
                                  .parts = *d->parts,
                                  .first_plane = d->slab->first_plane,
                                  .planes = d->slab->planes,
                                  .in_place = in_place,
                                  .alone = d->alone,
                                  .has_ends = has_ends};
    arguments.header.footprint = starfish_slab_footprint(space, d->parts, d->slab, d->alone);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
