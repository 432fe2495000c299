/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distribution of the rows of flat domains to ranks (ranks.h): as many ranks get rows as have parts of at least
 * nine. */
#include "atmosphere/ranks.h"

/* Rows of a part that are worth it: more than its neighbours read, on the finest grid and on some coarser ones. */
enum { LEAST_ROWS = 9 };

/* Ranks that get rows, and that have planes: so many parts, and tiles of users' arrays, are possible. */
static int owners_of(const struct starfish_atmosphere_problem *problem, int ranks)
{
    const size_t most = problem->n[1] / LEAST_ROWS, all = (size_t)ranks;
    const size_t with_planes = problem->n[2] < all ? problem->n[2] : all;

    if (with_planes > STARFISH_KRYLOV_MOST_PARTS)
        return 0;
    const size_t owners = most < all ? most : all;
    return owners < STARFISH_KRYLOV_MOST_PARTS ? (int)owners : STARFISH_KRYLOV_MOST_PARTS;
}

starfish_status starfish_atmosphere_deal(const struct starfish_atmosphere_plan *plan,
                                         const struct starfish_atmosphere_problem *problem,
                                         struct starfish_distributed *dealt)
{
    const int rank = starfish_context_rank(plan->plan.context), ranks = starfish_context_ranks(plan->plan.context);
    const int owners = owners_of(problem, ranks);
    struct starfish_distribute_spec spec = {.most = STARFISH_KRYLOV_MOST_PARTS, .least = 1, .worth = LEAST_ROWS};

    if (owners > 0 && rank < owners)
        spec.rows = starfish_deal(problem->n[1], rank, owners).count;
    return starfish_distribute_runs(plan->plan.context, &spec, dealt);
}
