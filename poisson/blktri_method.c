/* The methods blktri and blktri-product: a transform in x, block cyclic reduction in (y, z) in partial-fraction form or
 * in product form (blktri/plan.h). */
#include "poisson/methods.h"

#include "blktri/plan.h"
#include "poisson/accuracy.h"
#include "poisson/estimate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds: more than any other method that is good. */
#define WHERE_OTHERS_ARE_BETTER 1e9

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
    STARFISH_TRY(starfish_blktri_choose_cut(plan->context, plan->n, starfish_poisson_is_complex(plan), options->slabs,
                                            options->mode_blocks, &how.cut, &how.blocks));
    struct starfish_blktri_plan *blktri = malloc(sizeof *blktri);
    if (!blktri)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    const starfish_status status = starfish_blktri_plan_create(blktri, plan->context, &problem, &how);
    if (status == STARFISH_SUCCESS)
        plan->state = blktri;
    else
        free(blktri);
    return status;
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
    .submit = submit,
    .info = fill_info,
};
