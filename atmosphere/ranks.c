/* How the rows of flat domains are dealt to ranks. */
#include "atmosphere/ranks.h"

#include "base/fingerprint.h"
#include "scheduler/ranks.h"

/* Rows of a part that are worth it: more than its neighbours read, on the finest grid and on some coarser ones. */
enum { LEAST_ROWS = 9 };

/* All that must be the same on all ranks; of arrays whether there are any. */
static uint64_t fingerprint_of(const struct starfish_atmosphere_plan *plan, const struct starfish_atmosphere_problem *p)
{
    const struct starfish_atmosphere_options *o = &plan->options;
    const double numbers[] = {p->length[0], p->length[1], p->height, p->omega, p->lambda, o->damping, o->tolerance};
    const size_t choices[] = {p->n[0],
                              p->n[1],
                              p->n[2],
                              p->geometry,
                              (size_t)p->periodic[0],
                              (size_t)p->periodic[1],
                              p->faces != NULL,
                              p->xi_up != NULL,
                              o->method,
                              o->preconditioner,
                              o->precision,
                              (size_t)o->mixed,
                              (size_t)o->levels,
                              (size_t)o->coarse_sweeps,
                              (size_t)o->smoothing_steps,
                              (size_t)o->red_black,
                              (size_t)o->max_iterations,
                              (size_t)o->fixed,
                              o->parts,
                              o->boxes};
    uint64_t hash = STARFISH_FINGERPRINT;

    starfish_fingerprint_reals(&hash, numbers, sizeof numbers / sizeof numbers[0]);
    starfish_fingerprint_numbers(&hash, choices, sizeof choices / sizeof choices[0]);
    return hash;
}

starfish_status starfish_atmosphere_agree(const struct starfish_atmosphere_plan *plan,
                                          const struct starfish_atmosphere_problem *problem)
{
    return starfish_ranks_agree_on(plan->context, STARFISH_SUCCESS, "the problem, or an option,",
                                   fingerprint_of(plan, problem));
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
