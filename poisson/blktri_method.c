/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods blktri and blktri-product: a transform in x, block cyclic reduction in (y, z) in partial-fraction form or
 * in product form (blktri/plan.h). */
#include "poisson/methods.h"

#include "base/sizes.h"
#include "blktri/plan.h"
#include "blktri/share.h"
#include "poisson/accuracy.h"
#include "poisson/condition.h"
#include "poisson/estimate.h"
#include "poisson/ranks.h"
#include "scheduler/runtime/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds: more than any other method that is good. */
#define WHERE_OTHERS_ARE_BETTER 1e9

enum {
    WORK_BESIDE = 1 << 20,    /* bytes of work space for what grows more slowly than blocks */
    SUBTREE_NUMBERS = 1 << 23 /* of a field, from which on its copies take longer than more tasks do */
};

/* The direction of cyclic reduction. */
static const struct starfish_direction *reduced(const struct starfish_poisson_plan *plan)
{
    return starfish_blktri_reduced(plan->direction);
}

/* The product form does no rows that weigh the part in x. */
static starfish_status can(const struct starfish_poisson_plan *plan)
{
    const struct starfish_direction *z = reduced(plan);
    STARFISH_TRY(starfish_poisson_check_transform_x(plan));
    STARFISH_TRY(starfish_check_symmetrizable(plan->name[z - plan->direction], z->lower, z->upper, z->n, z->periodic));
    STARFISH_FAIL_IF(plan->direction[2].weight_x && !starfish_blktri_fractions_suit(z), STARFISH_ERROR_UNSUPPORTED,
                     "%s is too far from symmetric for partial fractions; method slab solves problem %s", plan->name[1],
                     plan->base.about.kind);
    return STARFISH_SUCCESS;
}

static double cost(const struct starfish_poisson_plan *plan, char *why, size_t size)
{
    if (starfish_blktri_loses_digits(plan, why, size))
        return WHERE_OTHERS_ARE_BETTER;
    starfish_poisson_describe_estimate(plan, why, size);
    return starfish_poisson_estimate(plan).fractions;
}

static enum starfish_blktri_form form_of(const struct starfish_poisson_plan *plan)
{
    return plan->method->id == STARFISH_METHOD_BLKTRI && starfish_blktri_fractions_suit(reduced(plan))
               ? STARFISH_BLKTRI_FRACTIONS
               : STARFISH_BLKTRI_PRODUCT;
}

static void __attribute__((format(printf, 2, 3)))
add_reason(struct starfish_poisson_plan *plan, const char *format, ...)
{
    const size_t used = strlen(plan->reason);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(plan->reason + used, sizeof plan->reason - used, format, arguments);
    va_end(arguments);
}

/* Partial fractions give way to the product form where they do not suit z. */
static void choose_form(struct starfish_poisson_plan *plan)
{
    if (plan->method->id != STARFISH_METHOD_BLKTRI || form_of(plan) == STARFISH_BLKTRI_FRACTIONS)
        return;
    add_reason(plan, "; the last direction is too far from symmetric for partial fractions");
    plan->method = &starfish_blktri_product_method;
}

/* Of n cut into parts, the share of the largest in `whole`. */
static size_t largest_share(size_t whole, size_t n, size_t parts)
{
    return parts > 0 ? whole / n * ((n + parts - 1) / parts) : whole;
}

static struct starfish_blktri_problem problem_of(const struct starfish_poisson_plan *plan)
{
    return (struct starfish_blktri_problem){.direction = plan->direction,
                                            .lambda = plan->lambda,
                                            .singular = plan->singular,
                                            .precision = plan->options.precision,
                                            .numbers = plan->numbers};
}

static int has_both(const struct starfish_poisson_plan *plan)
{
    const size_t *workers = plan->base.context->workers_of;
    return workers[STARFISH_CPU] > 0 && workers[STARFISH_GPU] > 0;
}

static struct starfish_blktri_options options_of(const struct starfish_poisson_plan *plan)
{
    return (struct starfish_blktri_options){.form = form_of(plan),
                                            .radix = starfish_poisson_radix(plan),
                                            .algorithm = plan->options.algorithm,
                                            .split = has_both(plan) ? plan->options.split : -1};
}

/* Tasks have a slab and its tiles, a block's tiles and its levels, or a slab, right-hand side and residual of it, with
 * planes beside. */
static starfish_status cost_of_cut(const struct starfish_poisson_plan *plan, const struct starfish_blktri_options *how,
                                   struct starfish_memory *memory)
{
    enum { PLANES_BESIDE = 6 };
    const struct starfish_blktri_problem problem = problem_of(plan);
    const size_t all = starfish_poisson_field_bytes(plan), ranks = (size_t)starfish_context_ranks(plan->base.context);
    const size_t field = starfish_larger(plan->here.planes * starfish_poisson_plane_bytes(plan), all / ranks);
    const size_t slab = largest_share(all, plan->n[2], how->cut.parts);
    const size_t block = largest_share(all, plan->n[0], how->modes.parts);
    const size_t places = plan->direction[2].weight_x ? plan->n[1] * plan->n[2] : 0;
    const size_t tables = (64 * (plan->n[0] + plan->n[1] + plan->n[2]) + 2 * places) * sizeof(double);
    const size_t large = starfish_larger(2 * block, 3 * slab + PLANES_BESIDE * (all / plan->n[2]));
    STARFISH_TRY(starfish_blktri_device_bytes(plan->base.context, &problem, how, &memory->gpu_work));
    memory->main_bytes = 2 * field + starfish_poisson_copies_bytes(plan);
    memory->gpu_work += WORK_BESIDE;
    memory->gpu_data = 4 * field + starfish_poisson_copies_bytes(plan);
    memory->gpu_least = memory->gpu_work + starfish_device_footprint(large, tables);
    return STARFISH_SUCCESS;
}

/* StarPU can take data out of a GPU's memory and bring them back, but where cores write them too that is slower than
 * the cores are alone, and can stand still. So data that do not fit are the cores', where there are any. */
static uint32_t choose_where(const struct starfish_poisson_plan *plan, const struct starfish_memory *memory)
{
    const int fits = memory->gpu_work + memory->gpu_data <= starfish_device_room(plan->base.context);
    return !has_both(plan) || fits ? 0 : STARFISH_ON_CORES;
}

static void nothing_on_gpus(struct starfish_memory *memory)
{
    memory->gpu_work = memory->gpu_data = memory->gpu_least = 0;
}

/* One more slab or one more block of modes, if their number is not asked for; 0 where there can be no more. */
static int cut_finer(const struct starfish_poisson_plan *plan, struct starfish_blktri_options *how)
{
    const struct starfish_poisson_options *options = &plan->options;
    const size_t most_slabs = starfish_smaller(plan->n[2], STARFISH_MAX_TILED_SLABS);
    const size_t most_blocks =
        starfish_poisson_is_complex(plan) ? 1 : starfish_smaller(plan->n[0], STARFISH_MAX_MODE_BLOCKS);
    const int more_slabs = options->slabs == 0 && how->cut.parts < most_slabs;
    const int more_blocks = options->mode_blocks == 0 && how->modes.parts < most_blocks;
    if (more_slabs && (how->cut.parts <= how->modes.parts || !more_blocks))
        return starfish_runs_equally(&how->cut, plan->n[2], how->cut.parts + 1) == STARFISH_SUCCESS;
    return more_blocks && starfish_runs_equally(&how->modes, plan->n[0], how->modes.parts + 1) == STARFISH_SUCCESS;
}

/* ---- Several ranks ----------------------------------------------------------------------------------------------- */

/* Of a rank: blocks of modes, so that one is reduced while the tiles of the next travel, and slabs for its cores; a GPU
 * wants one. */
enum { BLOCKS_OF_RANK = 4, SLABS_OF_CORES = 4 };

static size_t most_pieces(const struct starfish_poisson_plan *plan)
{
    return STARFISH_MAX_TILED_SLABS / (size_t)plan->here.owners;
}

/* Whether ranks can share the modes: there are several blocks of them, and a slab for each rank with planes. */
static int may_be_dealt(const struct starfish_poisson_plan *plan)
{
    return plan->n[0] > 1 && !starfish_poisson_is_complex(plan) && plan->here.owners <= STARFISH_MAX_TILED_SLABS;
}

/* Each rank's planes in slabs, one rank behind the other: the same on all. */
static starfish_status cut_for_ranks(const struct starfish_poisson_plan *plan, struct starfish_blktri_options *how)
{
    const struct starfish_poisson_options *options = &plan->options;
    const int ranks = starfish_context_ranks(plan->base.context);
    const size_t slabs_each = options->slabs > 0 ? options->slabs : plan->here.any_gpu ? 1 : SLABS_OF_CORES;
    const size_t each = starfish_smaller(slabs_each, most_pieces(plan)),
                 blocks_each = starfish_smaller(BLOCKS_OF_RANK, most_pieces(plan));
    const size_t blocks = options->mode_blocks > 0 ? options->mode_blocks : blocks_each * (size_t)ranks;
    how->cut.parts = 0;
    STARFISH_TRY(starfish_runs_equally(
        &how->modes, plan->n[0], starfish_smaller(blocks, starfish_smaller(plan->n[0], STARFISH_MAX_MODE_BLOCKS))));
    for (size_t block = 0; block < how->modes.parts; block++)
        how->modes.owner[block].rank = (int)(block * (size_t)ranks / how->modes.parts);
    for (int rank = 0; rank < ranks; rank++) {
        const struct starfish_run_of_planes run = starfish_poisson_planes_of(plan, rank);
        const struct starfish_owner owner = {rank, STARFISH_ANY};
        const size_t slabs = starfish_smaller(each, run.count);
        STARFISH_TRY(starfish_runs_add(&how->cut, slabs, run.count, owner));
        for (size_t s = 0; s < slabs; s++)
            how->cut.first[how->cut.parts - s] = run.first + run.count * (slabs - s) / slabs;
    }
    return STARFISH_SUCCESS;
}

/* ---- Cuts -------------------------------------------------------------------------------------------------------- */

/* As the workers want it; of GPUs without cores finer where their memory is short, but on ranks, which all have the
 * same cut. */
static starfish_status choose_cut(const struct starfish_poisson_plan *plan, struct starfish_blktri_options *how,
                                  struct starfish_memory *memory)
{
    const struct starfish_poisson_options *options = &plan->options;
    const size_t room =
        plan->base.context->workers_of[STARFISH_GPU] > 0 ? starfish_device_room(plan->base.context) : SIZE_MAX;
    const int on_ranks = starfish_context_ranks(plan->base.context) > 1;
    const size_t numbers = plan->n[0] * plan->n[1] * plan->n[2];
    const int is_free = !on_ranks && options->slabs == 0 && options->mode_blocks == 0;
    how->share = has_both(plan) && is_free && options->split < 0 && numbers >= STARFISH_BLKTRI_SHARED_NUMBERS;
    how->subtrees = is_free && plan->base.context->workers_of[STARFISH_GPU] == 1 && numbers >= SUBTREE_NUMBERS;
    const size_t *all = plan->base.context->workers_of;
    const size_t workers[STARFISH_WORKER_KINDS] = {
        [STARFISH_CPU] = how->share ? 0 : all[STARFISH_CPU], [STARFISH_GPU] = all[STARFISH_GPU]};
    STARFISH_TRY(starfish_blktri_choose_cut(workers, plan->n, starfish_poisson_is_complex(plan), options->slabs,
                                            options->mode_blocks, &how->cut, &how->modes));
    if (on_ranks)
        STARFISH_TRY(cut_for_ranks(plan, how));
    STARFISH_TRY(cost_of_cut(plan, how, memory));
    how->where = choose_where(plan, memory);
    if (how->where == STARFISH_ON_CORES) {
        nothing_on_gpus(memory);
        how->share = 0;
    }
    while (!on_ranks && memory->gpu_least > room && cut_finer(plan, how))
        STARFISH_TRY(cost_of_cut(plan, how, memory));
    return STARFISH_SUCCESS;
}

static void free_cuts(struct starfish_blktri_options *how)
{
    starfish_runs_free(&how->cut);
    starfish_runs_free(&how->modes);
}

static starfish_status memory_of(const struct starfish_poisson_plan *plan, struct starfish_memory *memory)
{
    struct starfish_blktri_options how = options_of(plan);
    if (!plan->state) {
        const starfish_status status = choose_cut(plan, &how, memory);
        free_cuts(&how);
        return status;
    }
    const struct starfish_blktri_plan *blktri = plan->state;
    how.cut = blktri->spectral.cut;
    how.modes = blktri->spectral.modes;
    STARFISH_TRY(cost_of_cut(plan, &how, memory));
    if (plan->where == STARFISH_ON_CORES)
        nothing_on_gpus(memory);
    return STARFISH_SUCCESS;
}

/* Who solves, where GPUs and cores could. */
static void explain_share(struct starfish_poisson_plan *plan, const struct starfish_blktri_plan *blktri)
{
    const struct starfish_runs *modes = &blktri->spectral.modes;
    size_t of_cores = 0;
    for (size_t block = 0; block < modes->parts; block++)
        of_cores += modes->owner[block].device == STARFISH_CORES ? starfish_runs_rows(modes, block) : 0;
    if (of_cores > 0)
        add_reason(plan, "; cores solve %zu of %zu modes of x", of_cores, plan->n[0]);
    else if (blktri->spectral.split > 0)
        add_reason(plan, "; cores solve the %d levels next to the root", blktri->spectral.split);
    else
        add_reason(plan, "; %s alone solve", blktri->where == STARFISH_ON_CORES ? "cores" : "GPUs");
}

static starfish_status make_state(struct starfish_poisson_plan *plan)
{
    const struct starfish_blktri_problem problem = problem_of(plan);
    STARFISH_TRY(starfish_blktri_check_digits(plan));
    STARFISH_TRY(starfish_poisson_check_memory(plan));
    struct starfish_memory memory;
    struct starfish_blktri_options how = options_of(plan);
    struct starfish_blktri_plan *blktri = malloc(sizeof *blktri);
    STARFISH_FAIL_IF(!blktri, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    starfish_status status = choose_cut(plan, &how, &memory);
    STARFISH_THEN(status, starfish_blktri_plan_create(blktri, plan->base.context, &problem, &how));
    free_cuts(&how);
    if (status != STARFISH_SUCCESS) {
        free(blktri);
        return status;
    }
    plan->state = blktri;
    plan->only_cut = &blktri->spectral.cut;
    plan->only_graph = &blktri->spectral;
    plan->where = blktri->where;
    if (how.share)
        explain_share(plan, blktri);
    return STARFISH_SUCCESS;
}

static void destroy(struct starfish_poisson_plan *plan)
{
    starfish_blktri_plan_destroy(plan->state);
    free(plan->state);
}

static starfish_status create(struct starfish_poisson_plan *plan)
{
    choose_form(plan);
    if (form_of(plan) == STARFISH_BLKTRI_PRODUCT)
        STARFISH_TRY(starfish_poisson_check_squares(plan));
    const int by_sums = plan->direction[2].weight_x != NULL; /* of rows */
    plan->losses = (struct starfish_losses){.diagonals = by_sums ? 1 : STARFISH_MOST_REFINEMENTS,
                                            .like_data = by_sums,
                                            .pivots = 1,
                                            .chains = form_of(plan) == STARFISH_BLKTRI_PRODUCT,
                                            .steps = starfish_blktri_refinements(reduced(plan))};
    plan->on_one_rank = starfish_context_ranks(plan->base.context) > 1 && !may_be_dealt(plan);
    if (plan->on_one_rank)
        return STARFISH_SUCCESS;
    const starfish_status made = make_state(plan), status = starfish_ranks_agree(plan->base.context, made);
    if (made == STARFISH_SUCCESS && status != STARFISH_SUCCESS) {
        destroy(plan);
        plan->state = NULL;
    }
    return status;
}

static void fill_phases(const struct starfish_poisson_job *job, struct starfish_poisson_phases *phases)
{
    starfish_blktri_fill_levels(job->plan->state, &job->base.progress, phases);
}

const struct starfish_method_row starfish_blktri_method = {
    .id = STARFISH_METHOD_BLKTRI,
    .summary = "a transform in x, block cyclic reduction in (y, z) in partial-fraction form",
    .direct = 1,
    .ranks = 1,
    .can = can,
    .cost = cost,
    .create = create,
    .destroy = destroy,
    .memory = memory_of,
    .submit = starfish_graph_blktri,
    .phases = fill_phases,
};

const struct starfish_method_row starfish_blktri_product_method = {
    .id = STARFISH_METHOD_BLKTRI_PRODUCT,
    .summary = "a transform in x, block cyclic reduction in (y, z) in product form, as in FISHPACK",
    .direct = 1,
    .ranks = 1,
    .can = can,
    .create = create,
    .destroy = destroy,
    .memory = memory_of,
    .submit = starfish_graph_blktri,
    .phases = fill_phases,
};
