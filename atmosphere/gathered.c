/* Flat domains that one rank solves for all. */
#include "atmosphere/gathered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* What the first rank's plan says of itself. */
struct about {
    struct starfish_atmosphere_options options;
    char reason[sizeof((struct starfish_atmosphere_plan *)0)->reason];
};

static starfish_status tell(struct starfish_atmosphere_plan *plan)
{
    const struct starfish_atmosphere_plan *whole = plan->gathered->whole;
    struct about about = {.reason = ""};

    if (whole) {
        about.options = whole->options;
        snprintf(about.reason, sizeof about.reason, "%.120s; solved by the first rank", whole->reason);
    }
    STARFISH_TRY(starfish_ranks_broadcast(plan->context, &about, sizeof about, 0));
    plan->options = about.options;
    memcpy(plan->reason, about.reason, sizeof plan->reason);
    return STARFISH_SUCCESS;
}

static starfish_status make_whole(struct starfish_atmosphere_plan *plan,
                                  const struct starfish_atmosphere_problem *problem)
{
    return plan->gathered->base->alone ? starfish_atmosphere_plan_create(plan->gathered->base->alone, problem,
                                                                         &plan->options, &plan->gathered->whole)
                                       : STARFISH_SUCCESS;
}

starfish_status starfish_atmosphere_gather(struct starfish_atmosphere_plan *plan,
                                           const struct starfish_atmosphere_problem *problem)
{
    const int rank = starfish_context_rank(plan->context), ranks = starfish_context_ranks(plan->context);
    struct starfish_atmosphere_gathered *gathered = calloc(1, sizeof *gathered);
    starfish_status status = STARFISH_SUCCESS;

    plan->gathered = gathered;
    if (!gathered)
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    status = starfish_ranks_agree(plan->context, status);
    if (status != STARFISH_SUCCESS || !gathered)
        return status;
    gathered->plane = problem->n[0] * problem->n[1];
    STARFISH_TRY(
        starfish_gathered_create(&gathered->base, plan->context, starfish_deal(problem->n[2], rank, ranks).count));
    STARFISH_TRY(starfish_ranks_agree(plan->context, make_whole(plan, problem)));
    return tell(plan);
}

void starfish_atmosphere_gathered_destroy(struct starfish_atmosphere_gathered *gathered)
{
    if (!gathered)
        return;
    starfish_atmosphere_plan_destroy(gathered->whole);
    starfish_gathered_destroy(gathered->base);
    free(gathered);
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

struct solving {
    struct starfish_atmosphere_plan *whole;
    struct starfish_atmosphere_info *info;
    struct starfish_atmosphere_check *check;
};

static starfish_status solve(void *self, const void *rhs, void *solution)
{
    const struct solving *s = self;

    return starfish_atmosphere_solve(s->whole, rhs, solution, s->info);
}

starfish_status starfish_atmosphere_solve_gathered(struct starfish_atmosphere_plan *plan, const void *rhs,
                                                   void *solution, struct starfish_atmosphere_info *info)
{
    struct starfish_atmosphere_gathered *gathered = plan->gathered;
    struct solving solving = {.whole = gathered->whole, .info = info};
    const struct starfish_gathered_solve request = {.rhs = rhs,
                                                    .solution = solution,
                                                    .plane_bytes =
                                                        gathered->plane * starfish_real_size(plan->options.precision),
                                                    .solve = solve,
                                                    .self = &solving,
                                                    .told = info,
                                                    .told_bytes = sizeof *info};
    const starfish_status status = starfish_gathered_solve(gathered->base, &request);

    if (!gathered->base->alone) /* other ranks have done nothing */
        memset(info->worker, 0, sizeof info->worker);
    return status;
}

static starfish_status check_whole(void *self, const void *rhs, void *solution)
{
    const struct solving *s = self;

    return starfish_atmosphere_check(s->whole, rhs, solution, s->check);
}

starfish_status starfish_atmosphere_check_gathered(const struct starfish_atmosphere_plan *plan, const void *rhs,
                                                   const void *solution, struct starfish_atmosphere_check *check)
{
    const struct starfish_atmosphere_gathered *gathered = plan->gathered;
    struct solving solving = {.whole = gathered->whole, .check = check};
    const struct starfish_gathered_solve request = {.rhs = rhs,
                                                    .solution = (void *)(uintptr_t)solution,
                                                    .plane_bytes =
                                                        gathered->plane * starfish_real_size(plan->options.precision),
                                                    .solve = check_whole,
                                                    .self = &solving,
                                                    .told = check,
                                                    .told_bytes = sizeof *check,
                                                    .looks = 1};

    return starfish_gathered_solve(gathered->base, &request);
}
