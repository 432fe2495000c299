/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cutting a field for the workers of the slab method: as many slabs as overlap and balance want, each for the kind of
 * worker that it is sized for.
 *
 * Cores alone share equal slabs. A GPU whose data are in its own memory does everything, in one slab: another GPU would
 * have to copy its share in and out, which takes longer than the first one needs for all. Of fields that are spread
 * over the GPUs' memories each has a slab, as long. From and to main memory, a GPU wants a few slabs, so that copies
 * and work overlap. Several GPUs get as many each, since each has a link of its own. Teams of cores take the planes
 * that balance them with the GPU's copies, by rates that are measured (slab_trial.c) and by what solves then take
 * (balance.c). */
#include "poisson/slab.h"

#include "base/options.h"
#include "base/sizes.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/team.h"

#include <stdlib.h>

enum {
    BYTES_PER_GPU_SLAB = 8 << 20, /* below this, the time of a task is the runtime's */
    ELEMENTS_PER_TASK = 32768,    /* a task should be worth 100 us */
    STAGED_BYTES = 32 << 20,      /* of a field, from which on more copies overlap than tasks cost */
    STAGING_CORES = 4,            /* copy as fast as a link moves pinned memory; CUDA copies pageable memory by one */
};

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

size_t starfish_slab_cores_step(const struct starfish_poisson_plan *plan)
{
    return plan->base.context->workers_of[STARFISH_CPU] * starfish_team_largest(plan->base.context, STARFISH_CPU);
}

/* Cores that add less to a stream, in the trial, are in the way of its copies: what the trial works on partly stays in
 * caches, and where whole fields keep both directions of a link busy they leave cores next to nothing of the main
 * memory's bandwidth. The trial has said 1.10 where whole streams were slower by a fifth. */
static const double worth_of_cores = 1.25;

/* The planes that balance teams of cores with GPUs, as many for each core, and rather too few than too many: a plane
 * more costs the cores several times what it costs the GPUs. A lone solve's copies go one way at a time, and take about
 * half of the main memory's bandwidth from the cores that a stream's take. */
static starfish_status share_of_cores(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                      enum starfish_pace pace, size_t *planes)
{
    const size_t step = starfish_slab_cores_step(plan);
    const struct starfish_balance *balance = &starfish_slab_state(plan)->balance[residence];
    struct starfish_rates *rates = &starfish_slab_state(plan)->rates[residence];
    if (pace == STARFISH_LONE && balance->known) {
        *planes = balance->items;
        return STARFISH_SUCCESS;
    }
    if (!(rates->stream[STARFISH_GPU] > 0))
        STARFISH_TRY(starfish_slab_trial(plan, residence, rates));
    double cpu = rates->stream[STARFISH_CPU], gpu = rates->stream[STARFISH_GPU];
    if (pace == STARFISH_LONE) {
        cpu = 2 / (1 / cpu + 1 / rates->lone[STARFISH_CPU]);
        gpu = rates->lone[STARFISH_GPU];
        if ((double)plan->here.planes * (1 / gpu - 1 / (cpu + gpu)) < STARFISH_LEAST_GAIN)
            cpu = 0;
    } else if (cpu + gpu < worth_of_cores * rates->gpu_stream) {
        cpu = 0;
    }
    *planes = (size_t)((double)plan->here.planes * cpu / (cpu + gpu)) / step * step;
    return STARFISH_SUCCESS;
}

/* Cores that solve move ten times a field through main memory, and CUDA's copies of pageable memory, by one core, go at
 * a fifth of the link's rate. Cores that copy slabs to and from pinned memory, which the next slab finds in the caches,
 * move twice a field, and the link is busy with pinned memory meanwhile. */
int starfish_slab_would_stage(const struct starfish_poisson_plan *plan, const struct starfish_slab_fit *fit)
{
    const struct starfish_context *context = plan->base.context;
    return plan->count == 1 && plan->options.slabs == 0 && plan->where == 0 && starfish_context_ranks(context) == 1 &&
           context->workers_of[STARFISH_GPU] > 0 && context->workers_of[STARFISH_CPU] > 0 &&
           starfish_slab_cores_step(plan) >= STAGING_CORES && fit->fits == STARFISH_SLAB_RESIDENT &&
           starfish_poisson_field_bytes(plan) >= STAGED_BYTES;
}

int starfish_slab_stages(const struct starfish_poisson_plan *plan)
{
    return starfish_slab_would_stage(plan, &starfish_slab_state(plan)->fit);
}

/* Of each rank, so that all have some. */
static size_t most_slabs(const struct starfish_poisson_plan *plan)
{
    const size_t ranks = (size_t)starfish_context_ranks(plan->base.context);
    return STARFISH_SLAB_MAX_SLABS / starfish_smaller(ranks, STARFISH_SLAB_MAX_SLABS);
}

static size_t gpu_slabs(const struct starfish_poisson_plan *plan, size_t planes, size_t most)
{
    const size_t gpus = plan->base.context->workers_of[STARFISH_GPU];
    const size_t affordable = planes * starfish_poisson_plane_bytes(plan) / BYTES_PER_GPU_SLAB;
    return starfish_smaller(
        clamp(STARFISH_SLABS_PER_GPU * gpus, 1, starfish_smaller(affordable > gpus ? affordable : gpus, planes)), most);
}

size_t starfish_slab_most_resident(const struct starfish_poisson_plan *plan)
{
    const size_t planes = plan->here.planes > 0 ? plan->here.planes : 1, most = most_slabs(plan);
    const size_t ranks = (size_t)starfish_context_ranks(plan->base.context),
                 cores = plan->base.context->workers_of[STARFISH_CPU];
    const size_t slabs =
        plan->options.slabs > 0 ? starfish_smaller(plan->options.slabs, planes) : cores + gpu_slabs(plan, planes, most);
    return ranks * starfish_smaller(slabs, most);
}

static starfish_status add_slabs(struct starfish_runs *cut, size_t slabs, size_t planes, int device)
{
    return starfish_runs_add(cut, slabs, planes, (struct starfish_owner){0, device});
}

/* Equal slabs of as many planes as fit, but for the last one. */
static starfish_status add_stream(const struct starfish_poisson_plan *plan, struct starfish_runs *cut)
{
    const size_t planes = starfish_slab_state(plan)->fit.planes;
    for (size_t first = 0; first < plan->n[2]; first += planes)
        STARFISH_TRY(add_slabs(cut, 1, starfish_smaller(planes, plan->n[2] - first), STARFISH_GPUS));
    return STARFISH_SUCCESS;
}

/* Slabs of one kind of worker each. */
static starfish_status cut_slabs(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                 enum starfish_pace pace, struct starfish_runs *cut)
{
    const size_t cpus = plan->base.context->workers_of[STARFISH_CPU],
                 gpus = plan->base.context->workers_of[STARFISH_GPU];
    const size_t nz = plan->here.planes, most = most_slabs(plan);
    size_t of_cores = 0;
    if (nz == 0)
        return STARFISH_SUCCESS;
    if (gpus == 0) {
        const size_t affordable = plan->n[0] * plan->n[1] * nz / ELEMENTS_PER_TASK;
        const size_t slabs = clamp(cpus, 1, starfish_smaller(affordable > 0 ? affordable : 1, nz));
        return add_slabs(cut, starfish_smaller(slabs, most), nz, STARFISH_ANY);
    }
    if (starfish_slab_state(plan)->fit.fits == STARFISH_SLAB_ON_CORES)
        return add_slabs(cut, starfish_smaller(cpus, nz), nz, STARFISH_CORES);
    if (starfish_slab_state(plan)->fit.fits == STARFISH_SLAB_STREAMED)
        return add_stream(plan, cut);
    if (residence == STARFISH_ON_DEVICE)
        return add_slabs(cut, 1, nz, STARFISH_GPUS);
    if (residence == STARFISH_SPREAD) {
        STARFISH_TRY(starfish_runs_equally(cut, nz, starfish_smaller(gpus, nz)));
        starfish_runs_deal(cut, 0, cut->parts);
        return STARFISH_SUCCESS;
    }
    if (cpus > 0 && cpus < most && residence != STARFISH_STAGED)
        STARFISH_TRY(share_of_cores(plan, residence, pace, &of_cores));
    if (of_cores > 0)
        STARFISH_TRY(add_slabs(cut, cpus, of_cores, STARFISH_CORES));
    if (nz == of_cores)
        return STARFISH_SUCCESS;
    const size_t first = cut->parts, slabs = gpu_slabs(plan, nz - of_cores, most - (of_cores > 0 ? cpus : 0));
    STARFISH_TRY(add_slabs(cut, slabs, nz - of_cores, STARFISH_GPUS));
    if (gpus > 1)
        starfish_runs_deal(cut, first, gpus);
    return STARFISH_SUCCESS;
}

/* One for each owner, so that they share the reduced systems. */
static size_t choose_parts(const struct starfish_poisson_plan *plan, const struct starfish_runs *cut)
{
    const size_t cpus = plan->base.context->workers_of[STARFISH_CPU],
                 gpus = plan->base.context->workers_of[STARFISH_GPU];
    const size_t owners = starfish_runs_owners(cut, 0, NULL);
    if (cut->parts == 1)
        return 1;
    if (starfish_context_ranks(plan->base.context) > 1) /* the same on all */
        return clamp(owners, 1, starfish_smaller(plan->n[1], STARFISH_MAX_MODE_PARTS));
    return clamp(owners > 0 ? owners
                 : gpus > 0 ? gpus
                            : cpus,
                 1, starfish_smaller(plan->n[1], STARFISH_MAX_MODE_PARTS));
}

/* Two owners of a slab each both solve all reduced systems. That moves as many numbers between them as if each solved
 * those of half of the modes for both, but once in place of there and back: on two GPUs 0.1 ms of a solve. */
static int each_owner_solves(const struct starfish_runs *cut)
{
    const struct starfish_owner *own = cut->owner;
    const int on_gpus = cut->parts == 2 && own[0].device >= 0 && own[1].device >= 0;
    return cut->parts == 2 && (own[0].rank != own[1].rank || (on_gpus && own[0].device != own[1].device));
}

/* Reduced systems of a stream are the cores', where there are any: theirs is the memory that holds them. */
static void shape_stream(const struct starfish_poisson_plan *plan, const struct starfish_runs *cut,
                         struct starfish_slab_shape *shape)
{
    const size_t cpus = plan->base.context->workers_of[STARFISH_CPU];
    const struct starfish_slab_fit *fit = &starfish_slab_state(plan)->fit;
    if (cut->parts == 1)
        return;
    shape->each_owner = 0;
    shape->slots =
        starfish_smaller(fit->slots * plan->base.context->workers_of[STARFISH_GPU], STARFISH_SLAB_MOST_SLOTS);
    shape->parts = cpus > 0 ? clamp(cpus, 1, starfish_smaller(plan->n[1], STARFISH_MAX_MODE_PARTS)) : fit->parts;
    shape->reduced_device = cpus > 0 ? STARFISH_CORES : STARFISH_GPUS;
}

/* What streams through GPUs cannot live on them. */
static starfish_status check_spread(const struct starfish_poisson_plan *plan)
{
    return STARFISH_OR_FAIL(starfish_slab_state(plan)->fit.fits == STARFISH_SLAB_RESIDENT, STARFISH_ERROR_MEMORY,
                            "a spread field: of %zu planes a GPU's memory holds %zu at a time", plan->n[2],
                            starfish_slab_state(plan)->fit.planes);
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

/* How one rank cuts its planes. */
struct part_of_cut {
    size_t slabs, planes[STARFISH_SLAB_MAX_SLABS];
    int device[STARFISH_SLAB_MAX_SLABS];
};

static starfish_status add_part(struct starfish_runs *cut, const struct part_of_cut *part, int rank)
{
    for (size_t s = 0; s < part->slabs && cut->parts < STARFISH_SLAB_MAX_SLABS; s++)
        STARFISH_TRY(starfish_runs_add(cut, 1, part->planes[s], (struct starfish_owner){rank, part->device[s]}));
    return STARFISH_SUCCESS;
}

/* One behind the other, in the order of the ranks, the same on all. Collective; `status`: of cutting this rank's. */
static starfish_status join_cuts(const struct starfish_poisson_plan *plan, starfish_status status,
                                 struct starfish_runs *cut)
{
    const size_t ranks = (size_t)starfish_context_ranks(plan->base.context);
    if (ranks == 1)
        return status;
    struct part_of_cut own = {.slabs = cut->parts}, *all = malloc(ranks * sizeof *all);
    STARFISH_THEN(status,
                  STARFISH_OR_FAIL(all, STARFISH_ERROR_MEMORY, "out of memory for the slabs of %zu ranks", ranks));
    status = starfish_ranks_agree(plan->base.context, status);
    for (size_t s = 0; s < own.slabs; s++) {
        own.planes[s] = starfish_runs_rows(cut, s);
        own.device[s] = cut->owner[s].device;
    }
    STARFISH_THEN(status, starfish_ranks_gather(plan->base.context, &own, sizeof own, all));
    cut->parts = 0;
    for (size_t rank = 0; rank < ranks && status == STARFISH_SUCCESS; rank++)
        status = add_part(cut, &all[rank], (int)rank);
    free(all);
    return status;
}

/* ---- The cut ----------------------------------------------------------------------------------------------------- */

static starfish_status cut_here(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                enum starfish_pace pace, struct starfish_runs *cut)
{
    const struct starfish_poisson_options *options = &plan->options;
    const int alone = starfish_context_ranks(plan->base.context) == 1;
    const size_t most = alone ? starfish_smaller(plan->n[2], STARFISH_SLAB_MAX_SLABS) : most_slabs(plan);
    STARFISH_REFUSE_ABOVE(most, "slabs", options->slabs);
    STARFISH_REFUSE_ABOVE(starfish_smaller(plan->n[1], STARFISH_MAX_MODE_PARTS), "mode_blocks", options->mode_blocks);
    if (residence == STARFISH_SPREAD)
        STARFISH_TRY(check_spread(plan));
    if (residence == STARFISH_SPREAD && plan->spread.parts > 0)
        return starfish_runs_copy(cut, &plan->spread);
    if (options->slabs > 0 && plan->here.planes > 0)
        return starfish_runs_equally(cut, plan->here.planes, starfish_smaller(options->slabs, plan->here.planes));
    return cut_slabs(plan, residence, pace, cut);
}

/* Where no option says how to cut, cores alone do the whole field together. */
static int may_be_whole(const struct starfish_poisson_plan *plan)
{
    return plan->options.slabs == 0 && plan->options.mode_blocks == 0 &&
           starfish_context_ranks(plan->base.context) == 1 &&
           starfish_slab_whole_possible(&starfish_slab_state(plan)->space);
}

starfish_status starfish_slab_choose_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                         enum starfish_pace pace, struct starfish_runs *cut,
                                         struct starfish_slab_shape *shape)
{
    STARFISH_TRY(join_cuts(plan, cut_here(plan, residence, pace, cut), cut));
    shape->each_owner = each_owner_solves(cut) && plan->options.mode_blocks == 0;
    shape->parts = shape->each_owner ? 1 : choose_parts(plan, cut);
    /* Where slabs have kinds of workers, the reduced system is the GPU's. */
    shape->reduced_device = starfish_runs_owner(cut, cut->parts - 1).device;
    if (starfish_slab_state(plan)->fit.fits == STARFISH_SLAB_STREAMED)
        shape_stream(plan, cut, shape);
    if (plan->options.mode_blocks > 0)
        shape->parts = plan->options.mode_blocks;
    shape->joined = residence == STARFISH_SPREAD;
    shape->whole = may_be_whole(plan);
    return STARFISH_SUCCESS;
}
