/* How the rows of flat domains are dealt to ranks. */
#include "atmosphere/ranks.h"

#include "atmosphere/options.h"
#include "base/fingerprint.h"
#include "scheduler/ranks.h"

/* Rows of a part that are worth it: more than its neighbours read, on the finest grid and on some coarser ones. */
enum { LEAST_ROWS = 9 };

/* Of arrays across the columns, whose numbers plans look at, whether there are any. */
static uint64_t fingerprint_of(const struct starfish_atmosphere_problem *p)
{
    const double numbers[] = {p->length[0], p->length[1], p->height, p->omega, p->lambda};
    const double *const across[] = {p->alpha_across, p->alpha_up, p->beta_across, p->beta_up, p->xi_up};
    const size_t choices[] = {p->n[0],         p->n[1], p->n[2], p->geometry, p->periodic[0] != 0, p->periodic[1] != 0,
                              p->faces != NULL};
    uint64_t hash = STARFISH_FINGERPRINT;

    starfish_fingerprint_reals(&hash, numbers, sizeof numbers / sizeof numbers[0]);
    starfish_fingerprint_numbers(&hash, choices, sizeof choices / sizeof choices[0]);
    for (size_t i = 0; i < sizeof across / sizeof across[0]; i++)
        starfish_fingerprint_number(&hash, across[i] != NULL);
    if (p->faces && p->n[2] < INT32_MAX)
        starfish_fingerprint_reals(&hash, p->faces, p->n[2] + 1);
    return hash;
}

starfish_status starfish_atmosphere_agree(const struct starfish_atmosphere_plan *plan,
                                          const struct starfish_atmosphere_problem *problem)
{
    return starfish_ranks_agree_on_plan(plan->context, STARFISH_SUCCESS, &starfish_atmosphere_option_table,
                                        &plan->options, fingerprint_of(problem));
}

/* Ranks that get rows, and that have planes: so many parts, and tiles of users' arrays, are possible. */
static int owners_of(const struct starfish_atmosphere_problem *problem, int ranks)
{
    const size_t most = problem->n[1] / LEAST_ROWS, all = (size_t)ranks;
    const size_t with_planes = problem->n[2] < all ? problem->n[2] : all;

    if (with_planes > STARFISH_SPACE_MOST_PARTS)
        return 0;
    const size_t owners = most < all ? most : all;
    return owners < STARFISH_SPACE_MOST_PARTS ? (int)owners : STARFISH_SPACE_MOST_PARTS;
}

starfish_status starfish_atmosphere_deal(const struct starfish_atmosphere_plan *plan,
                                         const struct starfish_atmosphere_problem *problem,
                                         struct starfish_dealt *dealt)
{
    const int rank = starfish_context_rank(plan->context), ranks = starfish_context_ranks(plan->context);
    const int owners = owners_of(problem, ranks);
    struct starfish_deal_spec spec = {.least = 1, .worth = LEAST_ROWS};

    if (owners > 0 && rank < owners)
        spec.rows = starfish_deal(problem->n[1], rank, owners).count;
    return starfish_deal_runs(plan->context, &spec, dealt);
}
