/* Cutting a field for the workers: as many slabs as overlap and balance want, each for the kind of worker that it is
 * sized for.
 *
 * Cores alone share equal slabs. A GPU whose data are in its own memory does everything, in one slab. From and to main
 * memory, a GPU wants a few slabs, so that copies and work overlap; and teams of cores take the planes that balance
 * them with the GPU's copies, by rates that are measured (trial.c) and by what solves then take (balance.c). */
#include "poisson/plan.h"

#include "scheduler/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLABS_PER_GPU = 11,           /* of host data: the first copy in and the last one out do not overlap with work */
    BYTES_PER_GPU_SLAB = 8 << 20, /* below this, the time of a task is the runtime's */
    ELEMENTS_PER_TASK = 32768,    /* a task should be worth 100 us */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

static starfish_status check_count(const char *name, size_t asked, size_t most)
{
    if (asked > most)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.%s is %zu, but at most %zu are possible", name, asked,
                             most);
    return STARFISH_SUCCESS;
}

/* ---- Block cyclic reduction: slabs times blocks of modes ------------------------------------------------------------
 */

/* Each core should have a few pieces. A GPU wants few, large ones: enough slabs for copies to overlap with work, few
 * blocks of modes. Shared work is cut for the GPU's sake, cores take what they can. */
static void choose_tiles(const struct starfish_poisson_plan *plan, size_t *slabs, size_t *blocks)
{
    enum { PIECES_AT_MOST = 16 };
    size_t cpus = plan->context->workers_of[STARFISH_CPU], gpus = plan->context->workers_of[STARFISH_GPU];
    const double elements = (double)plan->n[0] * (double)plan->n[1] * (double)plan->n[2];
    /* There are pieces squared tiles. */
    const size_t affordable = (size_t)fmin(fmax(sqrt(elements / ELEMENTS_PER_TASK), 1), PIECES_AT_MOST);
    *slabs = *blocks = 2 * cpus;
    if (gpus > 0) {
        *slabs = cpus > 0 ? 8 * gpus : 4 * gpus;
        *blocks = cpus > 0 ? 4 * gpus : gpus;
    }
    *slabs = clamp(*slabs, 1, affordable);
    *blocks = clamp(*blocks, 1, affordable);
}

static starfish_status cut_tiles(const struct starfish_poisson_plan *plan, struct starfish_cut *cut, size_t *blocks)
{
    const struct starfish_poisson_options *options = &plan->options;
    const size_t most_slabs = smaller(plan->n[2], STARFISH_MAX_TILED_SLABS);
    /* The parts of a complex number stay together. */
    const size_t most_blocks =
        plan->numbers == STARFISH_TRIDIAG_REAL ? smaller(plan->n[0], STARFISH_MAX_MODE_BLOCKS) : 1;
    size_t slabs;
    STARFISH_TRY(check_count("slabs", options->slabs, most_slabs));
    STARFISH_TRY(check_count("mode_blocks", options->mode_blocks, most_blocks));
    choose_tiles(plan, &slabs, blocks);
    *cut = starfish_cut_equally(plan->n[2], options->slabs > 0 ? options->slabs : clamp(slabs, 1, most_slabs));
    *blocks = options->mode_blocks > 0 ? options->mode_blocks : clamp(*blocks, 1, most_blocks);
    return STARFISH_SUCCESS;
}

/* ---- The slab method: slabs
 * ------------------------------------------------------------------------------------------ */

static void add_slabs(struct starfish_cut *cut, size_t slabs, size_t planes, uint32_t where)
{
    size_t first[STARFISH_MAX_SLABS + 1];
    const size_t start = cut->slabs > 0 ? cut->first_plane[cut->slabs] : 0;
    starfish_divide(planes, slabs, first);
    cut->first_plane[cut->slabs] = start;
    for (size_t s = 0; s < slabs; s++) {
        cut->where[cut->slabs] = where;
        cut->first_plane[++cut->slabs] = start + first[s + 1];
    }
}

size_t starfish_poisson_cores_step(const struct starfish_poisson_plan *plan)
{
    return plan->context->workers_of[STARFISH_CPU] * starfish_team_largest(plan->context, STARFISH_CPU);
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
    const size_t step = starfish_poisson_cores_step(plan);
    const struct starfish_balance *balance = &plan->balance[residence];
    struct starfish_rates *rates = &plan->rates[residence];
    if (pace == STARFISH_LONE && balance->known) {
        *planes = balance->planes;
        return STARFISH_SUCCESS;
    }
    if (!(rates->stream[STARFISH_GPU] > 0))
        STARFISH_TRY(starfish_poisson_trial(plan, residence, rates));
    double cpu = rates->stream[STARFISH_CPU], gpu = rates->stream[STARFISH_GPU];
    if (pace == STARFISH_LONE) {
        cpu = 2 / (1 / cpu + 1 / rates->lone[STARFISH_CPU]);
        gpu = rates->lone[STARFISH_GPU];
    } else if (cpu + gpu < worth_of_cores * rates->gpu_stream) {
        cpu = 0;
    }
    *planes = (size_t)((double)plan->n[2] * cpu / (cpu + gpu)) / step * step;
    return STARFISH_SUCCESS;
}

static size_t gpu_slabs(const struct starfish_poisson_plan *plan, size_t planes)
{
    const size_t gpus = plan->context->workers_of[STARFISH_GPU];
    const size_t affordable = planes * starfish_poisson_plane_bytes(plan) / BYTES_PER_GPU_SLAB;
    return clamp(SLABS_PER_GPU * gpus, 1, smaller(affordable > gpus ? affordable : gpus, planes));
}

/* Slabs of one kind of worker each. */
static starfish_status cut_slabs(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                 enum starfish_pace pace, struct starfish_cut *cut)
{
    const size_t cpus = plan->context->workers_of[STARFISH_CPU], gpus = plan->context->workers_of[STARFISH_GPU];
    const size_t nz = plan->n[2];
    size_t of_cores = 0;
    *cut = (struct starfish_cut){.slabs = 0};
    if (gpus == 0) {
        const size_t affordable = plan->n[0] * plan->n[1] * nz / ELEMENTS_PER_TASK;
        add_slabs(cut, clamp(cpus, 1, smaller(affordable > 0 ? affordable : 1, nz)), nz, 0);
        return STARFISH_SUCCESS;
    }
    if (residence == STARFISH_ON_DEVICE) {
        add_slabs(cut, smaller(gpus, nz), nz, STARPU_CUDA);
        return STARFISH_SUCCESS;
    }
    if (cpus > 0)
        STARFISH_TRY(share_of_cores(plan, residence, pace, &of_cores));
    if (of_cores > 0)
        add_slabs(cut, cpus, of_cores, STARPU_CPU);
    if (nz > of_cores)
        add_slabs(cut, gpu_slabs(plan, nz - of_cores), nz - of_cores, STARPU_CUDA);
    return STARFISH_SUCCESS;
}

static size_t choose_parts(const struct starfish_poisson_plan *plan, size_t slabs)
{
    if (plan->context->workers_of[STARFISH_GPU] > 0 || slabs == 1)
        return 1;
    return clamp(plan->context->workers_of[STARFISH_CPU], 1, smaller(plan->n[1], STARFISH_MAX_MODE_PARTS));
}

static starfish_status cut_for_slab_method(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                           enum starfish_pace pace, struct starfish_cut *cut, size_t *parts)
{
    const struct starfish_poisson_options *options = &plan->options;
    STARFISH_TRY(check_count("slabs", options->slabs, smaller(plan->n[2], STARFISH_MAX_SLABS)));
    STARFISH_TRY(check_count("mode_blocks", options->mode_blocks, smaller(plan->n[1], STARFISH_MAX_MODE_PARTS)));
    if (options->slabs > 0)
        *cut = starfish_cut_equally(plan->n[2], options->slabs);
    else
        STARFISH_TRY(cut_slabs(plan, residence, pace, cut));
    *parts = options->mode_blocks > 0 ? options->mode_blocks : choose_parts(plan, cut->slabs);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_choose_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                            enum starfish_pace pace, struct starfish_cut *cut, size_t *parts)
{
    return plan->method == STARFISH_METHOD_SLAB ? cut_for_slab_method(plan, residence, pace, cut, parts)
                                                : cut_tiles(plan, cut, parts);
}
