/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans on several ranks: distribution of planes, and agreement on values that must be equal. */
#include "poisson/ranks.h"

static starfish_status check_asked(const struct starfish_poisson_plan *plan, const size_t *planes)
{
    const int ranks = starfish_context_ranks(plan->base.context);
    size_t sum = 0, with_planes = 0;
    for (int r = 0; r < ranks; r++) {
        STARFISH_REFUSE_IF(planes[r] > plan->n[2] - sum, "options.planes: ranks 0 to %d have more than %zu planes", r,
                           plan->n[2]);
        sum += planes[r];
        with_planes += planes[r] > 0;
    }
    STARFISH_REFUSE_IF(sum != plan->n[2], "options.planes: all ranks have %zu planes, but there are %zu", sum,
                       plan->n[2]);
    STARFISH_FAIL_IF(with_planes > STARFISH_MOST_RANKS, STARFISH_ERROR_UNSUPPORTED,
                     "options.planes: %zu ranks have planes, but %d can at most", with_planes, STARFISH_MOST_RANKS);
    return STARFISH_SUCCESS;
}

struct starfish_run_of_planes starfish_poisson_planes_of(const struct starfish_poisson_plan *plan, int rank)
{
    const size_t *planes = plan->options.planes;
    struct starfish_run_of_planes run = starfish_deal(plan->n[2], rank, starfish_context_ranks(plan->base.context));
    if (planes) {
        run = (struct starfish_run_of_planes){.count = planes[rank]};
        for (int r = 0; r < rank; r++)
            run.first += planes[r];
    }
    return run;
}

starfish_status starfish_poisson_deal_planes(struct starfish_poisson_plan *plan)
{
    const struct starfish_poisson_options *options = &plan->options;
    const int rank = starfish_context_rank(plan->base.context);
    int with_planes = 0;
    plan->here = (struct starfish_planes_here){.planes = plan->n[2], .owners = 1};
    if (starfish_context_ranks(plan->base.context) == 1)
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(plan->count > 1, STARFISH_ERROR_UNSUPPORTED,
                     "options.count is %zu: several ranks solve one problem", plan->count);
    STARFISH_FAIL_IF(options->ghosts, STARFISH_ERROR_UNSUPPORTED, "options.ghosts is for one rank");
    if (options->planes)
        STARFISH_TRY(check_asked(plan, options->planes));
    for (int r = 0; r < starfish_context_ranks(plan->base.context); r++) {
        const struct starfish_run_of_planes run = starfish_poisson_planes_of(plan, r);
        if (r == rank)
            plan->here = (struct starfish_planes_here){.first = run.first, .planes = run.count};
        with_planes += run.count > 0;
    }
    plan->here.owners = with_planes;
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_agree_on_method(struct starfish_poisson_plan *plan, starfish_status status)
{
    double most[2] = {(double)plan->base.context->workers_of[STARFISH_GPU], status != STARFISH_SUCCESS};
    if (starfish_context_ranks(plan->base.context) == 1)
        return status;
    STARFISH_TRY(starfish_ranks_maximum(plan->base.context, most, 2));
    plan->here.any_gpu = most[0] > 0;
    return most[1] > 0 ? starfish_ranks_agree(plan->base.context, status) : STARFISH_SUCCESS;
}

starfish_status starfish_poisson_agree_on_residence(const struct starfish_poisson_plan *plan, starfish_status status,
                                                    enum starfish_residence *residence)
{
    double slowest = -(double)*residence;
    STARFISH_TRY(starfish_ranks_agree_maximum(plan->base.context, status, &slowest, 1));
    *residence = (enum starfish_residence)(-slowest);
    return STARFISH_SUCCESS;
}
