/* The methods blktri and blktri-product: a transform in x, block cyclic reduction in (y, z) in partial-fraction form or
 * in product form (blktri/plan.h). */
#include "poisson/methods.h"

#include "blktri/plan.h"
#include "poisson/accuracy.h"
#include "poisson/estimate.h"
#include "scheduler/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds: more than any other method that is good. */
#define WHERE_OTHERS_ARE_BETTER 1e9

enum { WORK_BESIDE = 1 << 20 }; /* bytes of work space for what grows more slowly than blocks */

static starfish_status can(const struct starfish_poisson_plan *plan)
{
    const struct starfish_direction *z = &plan->direction[2];
    STARFISH_TRY(starfish_poisson_check_transform_x(plan));
    return starfish_check_symmetrizable(plan->name[2], z->lower, z->upper, z->n, z->periodic);
}

static double cost(const struct starfish_poisson_plan *plan, char *why, size_t size)
{
    if (starfish_blktri_loses_digits(plan, why, size))
        return WHERE_OTHERS_ARE_BETTER;
    starfish_poisson_describe_estimate(plan, why, size);
    return starfish_poisson_estimate(plan).fractions;
}

/* Partial fractions give way to the product form where they do not suit z. */
static enum starfish_blktri_form choose_form(struct starfish_poisson_plan *plan)
{
    if (plan->method->id == STARFISH_METHOD_BLKTRI && starfish_blktri_fractions_suit(&plan->direction[2]))
        return STARFISH_BLKTRI_FRACTIONS;
    if (plan->method->id == STARFISH_METHOD_BLKTRI) {
        const size_t used = strlen(plan->reason);
        snprintf(plan->reason + used, sizeof plan->reason - used,
                 "; the last direction is too far from symmetric for partial fractions");
        plan->method = &starfish_blktri_product_method;
    }
    return STARFISH_BLKTRI_PRODUCT;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Of n cut into parts, the share of the largest in `whole`. */
static size_t largest_share(size_t whole, size_t n, size_t parts)
{
    return whole / n * ((n + parts - 1) / parts);
}

/* Tasks have a slab and its tiles, or a block of modes and its levels; work space is at most two blocks. */
static void cost_of_cut(const struct starfish_poisson_plan *plan, const struct starfish_cut *cut, size_t blocks,
                        struct starfish_memory *memory)
{
    const size_t field = starfish_poisson_field_bytes(plan);
    const size_t slab = largest_share(field, plan->n[2], cut->slabs), block = largest_share(field, plan->n[0], blocks);
    const size_t tables = 16 * (plan->n[0] + plan->n[1] + plan->n[2]) * sizeof(double);
    memory->main_bytes = 2 * field + starfish_poisson_copies_bytes(plan);
    memory->gpu_work = 2 * block + tables + WORK_BESIDE;
    memory->gpu_data = 4 * field + starfish_poisson_copies_bytes(plan);
    memory->gpu_least = memory->gpu_work + starfish_device_footprint(2 * (slab > block ? slab : block), tables);
}

/* StarPU can take data out of a GPU's memory and bring them back, but where cores write them too that is slower than
 * the cores are alone, and can stand still. So data that do not fit are the cores', where there are any. */
static uint32_t choose_where(const struct starfish_poisson_plan *plan, const struct starfish_memory *memory)
{
    const size_t *workers = plan->context->workers_of;
    const int fits = memory->gpu_work + memory->gpu_data <= starfish_device_room(plan->context);
    return workers[STARFISH_CPU] == 0 || workers[STARFISH_GPU] == 0 || fits ? 0 : STARFISH_ON_CORES;
}

/* As the workers want it; of GPUs without cores, with more slabs and blocks where their memory is short, if they are
 * not asked for. */
static starfish_status choose_cut(const struct starfish_poisson_plan *plan, struct starfish_blktri_options *how,
                                  struct starfish_memory *memory)
{
    const struct starfish_poisson_options *options = &plan->options;
    const int complex = starfish_poisson_is_complex(plan);
    const size_t room = plan->context->workers_of[STARFISH_GPU] > 0 ? starfish_device_room(plan->context) : SIZE_MAX;
    const size_t most_slabs = smaller(plan->n[2], STARFISH_MAX_TILED_SLABS);
    const size_t most_blocks = complex ? 1 : smaller(plan->n[0], STARFISH_MAX_MODE_BLOCKS);
    STARFISH_TRY(starfish_blktri_choose_cut(plan->context, plan->n, complex, options->slabs, options->mode_blocks,
                                            &how->cut, &how->blocks));
    cost_of_cut(plan, &how->cut, how->blocks, memory);
    how->where = choose_where(plan, memory);
    if (how->where == STARFISH_ON_CORES)
        memory->gpu_work = memory->gpu_data = memory->gpu_least = 0;
    while (memory->gpu_least > room) {
        if (options->slabs == 0 && how->cut.slabs < most_slabs && how->cut.slabs <= how->blocks)
            how->cut = starfish_cut_equally(plan->n[2], how->cut.slabs + 1);
        else if (options->mode_blocks == 0 && how->blocks < most_blocks)
            how->blocks++;
        else
            break;
        cost_of_cut(plan, &how->cut, how->blocks, memory);
    }
    return STARFISH_SUCCESS;
}

static starfish_status memory_of(const struct starfish_poisson_plan *plan, struct starfish_memory *memory)
{
    struct starfish_blktri_options how;
    if (!plan->state)
        return choose_cut(plan, &how, memory);
    const struct starfish_blktri_plan *blktri = plan->state;
    cost_of_cut(plan, &blktri->spectral.cut, blktri->spectral.blocks, memory);
    if (plan->where == STARFISH_ON_CORES)
        memory->gpu_work = memory->gpu_data = memory->gpu_least = 0;
    return STARFISH_SUCCESS;
}

static starfish_status create(struct starfish_poisson_plan *plan)
{
    const struct starfish_poisson_options *options = &plan->options;
    const struct starfish_blktri_problem problem = {.direction = plan->direction,
                                                    .lambda = plan->lambda,
                                                    .singular = plan->singular,
                                                    .precision = options->precision,
                                                    .numbers = plan->numbers};
    struct starfish_blktri_options how = {.form = choose_form(plan),
                                          .radix = starfish_poisson_radix(plan),
                                          .algorithm = options->algorithm,
                                          .split = options->split};
    plan->losses = (struct starfish_losses){.diagonals = STARFISH_MOST_REFINEMENTS,
                                            .pivots = 1,
                                            .chains = how.form == STARFISH_BLKTRI_PRODUCT,
                                            .steps = starfish_blktri_refinements(&plan->direction[2])};
    STARFISH_TRY(starfish_blktri_check_digits(plan));
    STARFISH_TRY(starfish_poisson_check_memory(plan));
    struct starfish_memory memory;
    STARFISH_TRY(choose_cut(plan, &how, &memory));
    struct starfish_blktri_plan *blktri = malloc(sizeof *blktri);
    if (!blktri)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    const starfish_status status = starfish_blktri_plan_create(blktri, plan->context, &problem, &how);
    if (status != STARFISH_SUCCESS) {
        free(blktri);
        return status;
    }
    plan->state = blktri;
    plan->where = how.where;
    return STARFISH_SUCCESS;
}

static void destroy(struct starfish_poisson_plan *plan)
{
    starfish_blktri_plan_destroy(plan->state);
    free(plan->state);
}

static starfish_status cut_for(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                               enum starfish_pace pace, const struct starfish_cut **cut)
{
    const struct starfish_blktri_plan *blktri = plan->state;
    (void)residence, (void)pace;
    *cut = &blktri->spectral.cut;
    return STARFISH_SUCCESS;
}

static int has_cut(struct starfish_poisson_plan *plan, const struct starfish_cut *cut)
{
    const struct starfish_blktri_plan *blktri = plan->state;
    return starfish_cut_is_same(&blktri->spectral.cut, cut);
}

static starfish_status submit(struct starfish_job *job, const starfish_handle *rhs, struct starfish_slabs *solution,
                              starfish_handle removed)
{
    return starfish_blktri_submit(job->plan->state, &job->progress, rhs, solution, removed);
}

static void fill_info(const struct starfish_job *job, struct starfish_info *info)
{
    starfish_blktri_fill_levels(job->plan->state, &job->progress, info);
}

const struct starfish_method_row starfish_blktri_method = {
    .id = STARFISH_METHOD_BLKTRI,
    .summary = "a transform in x, block cyclic reduction in (y, z) in partial-fraction form",
    .direct = 1,
    .can = can,
    .cost = cost,
    .create = create,
    .destroy = destroy,
    .cut = cut_for,
    .has_cut = has_cut,
    .memory = memory_of,
    .submit = submit,
    .info = fill_info,
};

const struct starfish_method_row starfish_blktri_product_method = {
    .id = STARFISH_METHOD_BLKTRI_PRODUCT,
    .summary = "a transform in x, block cyclic reduction in (y, z) in product form, as in FISHPACK",
    .direct = 1,
    .can = can,
    .create = create,
    .destroy = destroy,
    .cut = cut_for,
    .has_cut = has_cut,
    .memory = memory_of,
    .submit = submit,
    .info = fill_info,
};
