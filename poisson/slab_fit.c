/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the GPUs' memory holds a field in main memory, and if not, slabs of how many planes take turns in it.
 *
 * A GPU's memory holds work space and tables for good, and data while tasks need them. Of a field that fits these are
 * right-hand side, solution, and 8 planes for every slab (separators and heads of two solves, coefficients). Where
 * that is too much the field is streamed (tasks/slab_stream.h): forward has p planes of the right-hand side, p of the
 * solution, and two that it hands on. With three places, one slab is copied in, one is worked on and one is copied
 * out; with two, copies in and out still overlap. Where a GPU solves the reduced systems, best is room for two parts
 * of their modes beside the slabs, since memory of one shape that is given up for another costs an allocation; where
 * there is none, slabs and systems take turns. What of a residual or of boundary data must be there at once is less.
 *
 * Rows that are not packed, and many problems, are not streamed. Of the first all modes, or packed copies, must be
 * there too; of the second a group's right-hand sides and solutions at once, and cores do them where not all fit. */
#include "poisson/slab.h"

#include "base/sizes.h"
#include "scheduler/runtime/memory.h"

enum {
    STREAM_SLABS = 16,           /* at least: the first copy in and the last one out do not overlap with others */
    STREAM_SLAB_BYTES = 4 << 20, /* with slabs of less, three places cost more than they bring */
    PLANES_PER_SLAB = 8,         /* that a slab of a resident field hands on and keeps */
    RESIDUAL_SLABS = 3,
    RESIDUAL_PLANES = 6, /* at once: right-hand side, solution, result; planes beside, faces */
    REDUCED_PLANES = 6,  /* per slab: rhs, head, four coefficients */
};

/* A candidate: slabs of `planes` planes in `slots` places (0: the whole field), `parts` parts of the modes, 0 where
 * the reduced systems are not the GPU's, and these `beside` the slabs or in turn with them. */
struct shape {
    size_t planes, slots, parts;
    int beside;
};

/* Of a rank without planes as of one. */
static size_t planes_here(const struct starfish_poisson_plan *plan)
{
    return plan->here.planes > 0 ? plan->here.planes : 1;
}

static size_t problems_at_once(const struct starfish_poisson_plan *plan)
{
    const struct starfish_slab_space space = {
        .precision = plan->options.precision, .n = {plan->n[0], plan->n[1], plan->n[2]}, .count = plan->count};
    return starfish_slab_problems_at_once(&space);
}

static size_t slabs_of(const struct starfish_poisson_plan *plan, size_t planes, int streamed)
{
    return streamed ? (planes_here(plan) + planes - 1) / planes : starfish_slab_most_resident(plan);
}

static size_t slabs_of_shape(const struct starfish_poisson_plan *plan, const struct shape *shape)
{
    return slabs_of(plan, shape->planes, shape->slots > 0);
}

/* Work space and matrices. */
static size_t fixed_bytes(const struct starfish_poisson_plan *plan, const struct shape *shape)
{
    const struct starfish_direction *d = plan->direction;
    const enum starfish_transform_kind kind[2] = {d[0].transform, d[1].transform};
    size_t bytes = starfish_plane_set_device_bytes(plan->base.context, kind, plan->n, !d[1].has_transform,
                                                   shape->planes, plan->options.precision);
    if (plan->count > 1 || plan->singular)
        bytes += starfish_slab_problems_constants(problems_at_once(plan), plan->n[2]);
    if (plan->count > 1 && starfish_poisson_has_strides(plan))
        bytes += shape->planes * starfish_poisson_plane_bytes(plan); /* modes */
#ifdef STARFISH_HAVE_GPU
    const size_t size = starfish_real_size(plan->options.precision), lanes = plan->n[0] * plan->n[1];
    bytes += starfish_slab_solve_workspace_cuda(starfish_smaller(shape->planes, planes_here(plan)), lanes,
                                                d[2].periodic, size);
    if (shape->parts > 0)
        bytes += starfish_slab_reduced_workspace_cuda((int)slabs_of_shape(plan, shape),
                                                      lanes / shape->parts + plan->n[0], d[2].periodic, size);
#endif
    return bytes;
}

/* Planes of data at once. */
static size_t planes_at_once(const struct starfish_poisson_plan *plan, const struct shape *shape)
{
    const size_t gpus = plan->base.context->workers_of[STARFISH_GPU];
    const size_t fields = starfish_poisson_has_strides(plan) ? 4 : 2; /* with modes of two solves, or packed copies */
    if (shape->slots == 0)
        return (fields * planes_here(plan) + PLANES_PER_SLAB * STARFISH_SLABS_PER_GPU * gpus + gpus - 1) / gpus;
    const size_t streamed = shape->slots * (2 * shape->planes + 2);
    const size_t residual = RESIDUAL_SLABS * shape->planes + RESIDUAL_PLANES;
    const size_t reduced = shape->parts > 0 ? REDUCED_PLANES * slabs_of_shape(plan, shape) / shape->parts + 1 : 0;
    if (shape->beside)
        return starfish_larger(streamed + (shape->parts > 1 ? 2 : 1) * reduced, residual);
    return starfish_larger(starfish_larger(streamed, residual), reduced);
}

static size_t device_bytes(const struct starfish_poisson_plan *plan, const struct shape *shape)
{
    const size_t *n = plan->n, plane = starfish_poisson_plane_bytes(plan);
    const size_t tables = (n[0] + n[1] + 12 * n[2]) * sizeof(double);
    const size_t data = planes_at_once(plan, shape) * plane;
    const int is_large = shape->planes * plane > STARFISH_SMALL_DATA;
    return fixed_bytes(plan, shape) + (is_large ? starfish_device_footprint(data, tables + 2 * shape->slots * plane)
                                                : starfish_device_footprint(0, data + tables));
}

/* Memory is used again for slabs of the same size alone, so that slabs are all the same where that costs no more than a
 * quarter of their size. Of 256^3 with memory for an eighth, slabs of six planes and a last one of four take 18 ms on
 * an H200, slabs of four 28: what a slab's tasks take hardly depends on its planes there. */
static size_t divisor_below(const struct starfish_poisson_plan *plan, size_t room, size_t least, struct shape shape)
{
    const size_t planes = shape.planes;
    for (; shape.planes >= least && 4 * shape.planes >= 3 * planes; shape.planes--)
        if (planes_here(plan) % shape.planes == 0 && device_bytes(plan, &shape) <= room)
            return shape.planes;
    return planes;
}

/* The most planes that fit into that many places, 0 where not even `least` do. */
static size_t most_planes(const struct starfish_poisson_plan *plan, size_t room, size_t least, struct shape shape)
{
    const size_t plane = starfish_poisson_plane_bytes(plan);
    const size_t most = plan->options.slabs > 0 ? least : starfish_larger(least, planes_here(plan) / STREAM_SLABS);
    for (shape.planes = starfish_smaller(most, room / plane / (2 * shape.slots) + 1); shape.planes >= least;
         shape.planes--)
        if (device_bytes(plan, &shape) <= room)
            return divisor_below(plan, room, least, shape);
    return 0;
}

/* The thickest slabs in that many places, with as few parts as allow it. */
static int find_parts(const struct starfish_poisson_plan *plan, size_t room, size_t least, struct shape *shape)
{
    const size_t most_parts = starfish_smaller(plan->n[1], STARFISH_MAX_MODE_PARTS);
    struct shape at = *shape;
    for (at.parts = 1; at.parts > 0;
         at.parts = at.parts < most_parts ? starfish_smaller(2 * at.parts, most_parts) : 0) {
        at.planes = most_planes(plan, room, least, at);
        if (at.planes > shape->planes)
            *shape = at;
    }
    return shape->planes > 0;
}

/* More places or thicker slabs; reduced systems that are a GPU's beside them, if that is possible with two places. */
static int find_stream(const struct starfish_poisson_plan *plan, size_t room, size_t least, struct shape *shape)
{
    const int on_cores = plan->base.context->workers_of[STARFISH_CPU] > 0;
    for (int beside = !on_cores; beside >= 0; beside--)
        for (size_t slots = 3; slots > (size_t)beside; slots--) {
            *shape = (struct shape){.slots = slots, .beside = beside};
            if (on_cores)
                shape->planes = most_planes(plan, room, least, *shape);
            else if (!find_parts(plan, room, least, shape))
                continue;
            if (shape->planes > 0 &&
                (slots < 3 || shape->planes * starfish_poisson_plane_bytes(plan) >= STREAM_SLAB_BYTES))
                return 1;
        }
    return 0;
}

/* A cut that was asked for is streamed as it is. */
static size_t least_planes(const struct starfish_poisson_plan *plan)
{
    const size_t slabs = plan->options.slabs > 0 ? plan->options.slabs : STARFISH_SLAB_MAX_SLABS;
    return (planes_here(plan) + slabs - 1) / slabs;
}

static struct starfish_slab_fit fit_of(const struct starfish_poisson_plan *plan, enum starfish_slab_fits fits,
                                       const struct shape *shape)
{
    const struct shape whole = {.planes = planes_here(plan)};
    return (struct starfish_slab_fit){.fits = fits,
                                      .planes = shape->planes,
                                      .slots = shape->slots,
                                      .parts = shape->parts,
                                      .work_bytes = fixed_bytes(plan, shape),
                                      .least_bytes = device_bytes(plan, shape),
                                      .data_bytes = planes_at_once(plan, &whole) * starfish_poisson_plane_bytes(plan)};
}

static starfish_status fail(size_t least, size_t room)
{
    return starfish_fail(STARFISH_ERROR_MEMORY,
                         "method slab needs %zu bytes of a GPU's memory at least, and there are %zu", least, room);
}

/* ---- Many problems ----------------------------------------------------------------------------------------------- */

static size_t least_of_groups(const struct starfish_poisson_plan *plan, const struct starfish_slab_fit *fit)
{
    const size_t problems = (plan->count + fit->groups - 1) / fit->groups;
    const size_t group = problems * starfish_poisson_field_bytes(plan);
    const size_t tables = (plan->n[0] + plan->n[1] + 12 * plan->n[2]) * sizeof(double);
    const size_t small = group > STARFISH_SMALL_DATA ? 0 : 2 * group;
    return fit->work_bytes + starfish_device_footprint(2 * group - small, tables + small);
}

/* Without cores, more groups than are best where the memory is short, if they are not asked for. */
static starfish_status find_fit_of_groups(const struct starfish_poisson_plan *plan, struct starfish_slab_fit *fit)
{
    const size_t room = starfish_device_room(plan->base.context), gpus = plan->base.context->workers_of[STARFISH_GPU];
    const size_t field = plan->count * starfish_poisson_field_bytes(plan), asked = plan->options.slabs;
    const struct shape shape = {.planes = plan->n[2] * problems_at_once(plan)};
    const size_t most = starfish_smaller(plan->count, STARFISH_SLAB_MAX_SLABS);
    *fit = (struct starfish_slab_fit){.fits = STARFISH_SLAB_RESIDENT, .planes = shape.planes};
    if (gpus == 0)
        return STARFISH_SUCCESS;
    fit->groups = asked > 0 ? starfish_smaller(asked, most) : starfish_slab_groups_of_gpus(plan);
    fit->work_bytes = fixed_bytes(plan, &shape);
    fit->data_bytes = (2 * field + starfish_poisson_copies_bytes(plan)) / gpus;
    fit->least_bytes = least_of_groups(plan, fit);
    if (plan->base.context->workers_of[STARFISH_CPU] > 0) {
        if (fit->least_bytes > room || fit->data_bytes > room - fit->work_bytes)
            *fit = (struct starfish_slab_fit){.fits = STARFISH_SLAB_ON_CORES, .planes = shape.planes};
        return STARFISH_SUCCESS;
    }
    for (; fit->least_bytes > room && asked == 0 && fit->groups < most; fit->least_bytes = least_of_groups(plan, fit))
        fit->groups++;
    return fit->least_bytes <= room ? STARFISH_SUCCESS : fail(fit->least_bytes, room);
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

starfish_status starfish_slab_find_fit(const struct starfish_poisson_plan *plan, struct starfish_slab_fit *fit)
{
    if (plan->count > 1)
        return find_fit_of_groups(plan, fit);
    const size_t room = starfish_device_room(plan->base.context), least = least_planes(plan);
    struct shape shape = {.planes = planes_here(plan), .parts = 1};
    *fit = (struct starfish_slab_fit){.fits = STARFISH_SLAB_RESIDENT, .planes = planes_here(plan)};
    if (plan->base.context->workers_of[STARFISH_GPU] == 0)
        return STARFISH_SUCCESS;
    *fit = fit_of(plan, STARFISH_SLAB_RESIDENT, &shape);
    if (fit->least_bytes <= room)
        return STARFISH_SUCCESS;
    const int may_stream = !starfish_poisson_has_strides(plan);
    if (may_stream && find_stream(plan, room, least, &shape)) {
        *fit = fit_of(plan, STARFISH_SLAB_STREAMED, &shape);
        return STARFISH_SUCCESS;
    }
    if (may_stream)
        shape = (struct shape){.planes = least, .slots = 1};
    if (plan->base.context->workers_of[STARFISH_CPU] == 0)
        return fail(may_stream ? device_bytes(plan, &shape) : fit->least_bytes, room);
    *fit = (struct starfish_slab_fit){.fits = STARFISH_SLAB_ON_CORES, .planes = least};
    return STARFISH_SUCCESS;
}

/* What slabs hand on and keep is in main memory, where no GPU has it. */
starfish_status starfish_slab_report_memory(const struct starfish_poisson_plan *plan, struct starfish_memory *memory)
{
    struct starfish_slab_fit fit;
    if (plan->state)
        fit = starfish_slab_state(plan)->fit;
    else
        STARFISH_TRY(starfish_slab_find_fit(plan, &fit));
    memory->streamed = fit.fits == STARFISH_SLAB_STREAMED;
    /* Groups hand on nothing. */
    const size_t slabs = plan->count > 1 ? 0 : slabs_of(plan, fit.planes, memory->streamed);
    memory->main_bytes =
        slabs * PLANES_PER_SLAB * starfish_poisson_plane_bytes(plan) + starfish_poisson_copies_bytes(plan);
    if (starfish_slab_would_stage(plan, &fit) && !starfish_poisson_has_strides(plan))
        memory->main_bytes += 2 * starfish_poisson_field_bytes(plan); /* if all slabs are staged at once */
    memory->gpu_work = fit.work_bytes;
    memory->gpu_data = fit.data_bytes;
    memory->gpu_least = fit.least_bytes;
    return STARFISH_SUCCESS;
}
