/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite element plans on several ranks: ownership of unknowns, and data that all ranks need. */
#include "fem/ranks.h"

#include "base/real.h"
#include "scheduler/runtime/distribute.h"

#include <stdlib.h>

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* Part p of `parts` belongs to a rank, each having some in turn where there are enough. */
static void deal_asked(const struct starfish_share *share, size_t ranks, size_t parts, struct starfish_fem_deal *deal)
{
    size_t nth = 0;

    deal->parts = parts;
    for (size_t p = 0; p < parts; p++) {
        const size_t rank = parts < ranks ? p : p * ranks / parts;
        nth = p > 0 && deal->owner[p - 1].rank == (int)rank ? nth + 1 : 0;
        deal->owner[p] = starfish_share_owner(&share[rank], (int)rank, nth);
    }
}

/* A part for each device of each rank, or for each rank, or for the first ones. */
static void deal_by_devices(const struct starfish_share *share, size_t ranks, struct starfish_fem_deal *deal)
{
    size_t devices = 0;

    for (size_t rank = 0; rank < ranks; rank++)
        devices += starfish_share_devices(&share[rank]);
    for (size_t rank = 0; rank < ranks; rank++) {
        const size_t own = devices > STARFISH_FEM_MOST_PARTS ? 1 : starfish_share_devices(&share[rank]);
        for (size_t p = 0; p < own && deal->parts < STARFISH_FEM_MOST_PARTS; p++)
            deal->owner[deal->parts++] = starfish_share_owner(&share[rank], (int)rank, p);
    }
}

starfish_status starfish_fem_deal(const struct starfish_context *context, size_t asked, struct starfish_fem_deal *deal)
{
    const size_t ranks = (size_t)starfish_context_ranks(context);
    struct starfish_share *share;
    const starfish_status status = starfish_gather_shares(context, 0, &share);

    *deal = (struct starfish_fem_deal){.parts = 0};
    for (size_t rank = 0; share && rank < ranks; rank++)
        deal->has_gpus |= share[rank].gpus > 0;
    if (share && asked > 0)
        deal_asked(share, ranks, asked, deal);
    else if (share)
        deal_by_devices(share, ranks, deal);
    free(share);
    return status;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

starfish_status starfish_fem_sum(const struct starfish_fem_plan *plan, double *values, size_t count)
{
    return plan->is_dealt ? starfish_ranks_sum(plan->plan.context, values, count) : STARFISH_SUCCESS;
}

starfish_status starfish_fem_means(const struct starfish_fem_plan *plan, double (*term)(const void *data, size_t i),
                                   const void *data, double **mean)
{
    const size_t count = plan->floating.count;
    double *sums = count > 0 ? calloc(2 * count, sizeof *sums) : NULL;

    *mean = NULL;
    if (count == 0)
        return STARFISH_SUCCESS;
    starfish_status status = STARFISH_OR_FAIL(sums, STARFISH_ERROR_MEMORY, "out of memory for the mean of f or u");
    if (plan->is_dealt)
        status = starfish_ranks_agree(plan->plan.context, status);
    for (size_t i = plan->own[0]; status == STARFISH_SUCCESS && i < plan->own[1]; i++) {
        const int component = plan->floating.of[i];
        if (component >= 0) {
            sums[2 * component] += term(data, i);
            sums[2 * component + 1] += plan->volume[i];
        }
    }
    STARFISH_THEN(status, starfish_fem_sum(plan, sums, 2 * count));
    if (status != STARFISH_SUCCESS) {
        free(sums);
        return status;
    }
    for (size_t k = 0; k < count; k++)
        sums[k] = sums[2 * k] / sums[2 * k + 1];
    *mean = sums;
    return STARFISH_SUCCESS;
}

/* ---- The solution ------------------------------------------------------------------------------------------------ */

/* Of all ranks in order to the first one, and from there to all where others want it. */
static starfish_status bring(const struct starfish_fem_plan *plan, const void *own, int to_all, size_t *bytes,
                             void *all)
{
    const struct starfish_context *context = plan->plan.context;
    const size_t size = starfish_real_size(plan->options.precision), here = (plan->own[1] - plan->own[0]) * size;

    STARFISH_TRY(starfish_ranks_gather(context, &here, sizeof here, bytes));
    STARFISH_TRY(starfish_ranks_collect(context, (const char *)own + plan->own[0] * size, bytes, all));
    return to_all ? starfish_ranks_broadcast(context, all, plan->space.unknowns * size, 0) : STARFISH_SUCCESS;
}

starfish_status starfish_fem_bring_together(const struct starfish_fem_plan *plan, const void *own, int wanted,
                                            void **all)
{
    const struct starfish_context *context = plan->plan.context;
    const int first = starfish_context_rank(context) == 0;
    double to_all = !first && wanted;

    *all = NULL;
    STARFISH_TRY(starfish_ranks_maximum(context, &to_all, 1));
    size_t *bytes = calloc((size_t)starfish_context_ranks(context), sizeof *bytes);
    if (first || to_all > 0)
        *all = malloc((plan->space.unknowns + 1) * starfish_real_size(plan->options.precision));
    const int there = bytes && (*all || !(first || to_all > 0));
    starfish_status status = starfish_ranks_agree(
        context, STARFISH_OR_FAIL(there, STARFISH_ERROR_MEMORY, "out of memory for the solution of all ranks"));
    STARFISH_THEN(status, bring(plan, own, to_all > 0, bytes, *all));
    free(bytes);
    if (status == STARFISH_SUCCESS && (first || wanted))
        return STARFISH_SUCCESS;
    free(*all);
    *all = NULL;
    return status;
}
