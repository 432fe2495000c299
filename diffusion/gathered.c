/* Diffusion that one rank solves for all. */
#include "diffusion/gathered.h"

#include "diffusion/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static starfish_status make_whole(struct starfish_diffusion_plan *plan, const struct starfish_diffusion_problem *whole)
{
    struct starfish_diffusion_gathered *gathered = plan->gathered;

    return gathered->base->alone
               ? starfish_diffusion_plan_create(gathered->base->alone, whole, &plan->options, &gathered->whole)
               : STARFISH_SUCCESS;
}

/* What the first rank's plan says of itself. */
struct about {
    struct starfish_diffusion_options options;
    int singular;
    size_t vectors;
    char reason[sizeof((struct starfish_diffusion_plan *)0)->reason];
};

static starfish_status tell(struct starfish_diffusion_plan *plan)
{
    const struct starfish_diffusion_plan *whole = plan->gathered->whole;
    struct about about = {.singular = 0};

    if (whole) {
        about.options = whole->options;
        about.singular = whole->box.singular;
        about.vectors = whole->vectors;
        snprintf(about.reason, sizeof about.reason, "%.120s; solved by the first rank", whole->reason);
    }
    STARFISH_TRY(starfish_ranks_broadcast(plan->context, &about, sizeof about, 0));
    plan->options = about.options;
    plan->box.singular = about.singular;
    plan->vectors = about.vectors;
    memcpy(plan->reason, about.reason, sizeof plan->reason);
    return STARFISH_SUCCESS;
}

starfish_status starfish_diffusion_gather(struct starfish_diffusion_plan *plan,
                                          const struct starfish_diffusion_problem *whole)
{
    struct starfish_diffusion_gathered *gathered = calloc(1, sizeof *gathered);

    plan->gathered = gathered;
    STARFISH_TRY(starfish_ranks_agree(
        plan->context, gathered ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan")));
    for (size_t d = 0; d < 3; d++)
        gathered->n[d] = d < whole->dimensions ? whole->n[d] : 1;
    gathered->slowest = whole->dimensions == 2 ? 1 : 2;
    STARFISH_TRY(
        starfish_gathered_create(&gathered->base, plan->context, starfish_diffusion_planes(plan, whole).count));
    STARFISH_TRY(starfish_ranks_agree(plan->context, make_whole(plan, whole)));
    return tell(plan);
}

void starfish_diffusion_gathered_destroy(struct starfish_diffusion_gathered *gathered)
{
    if (!gathered)
        return;
    starfish_diffusion_plan_destroy(gathered->whole);
    starfish_gathered_destroy(gathered->base);
    free(gathered);
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

struct solving {
    struct starfish_diffusion_plan *whole;
    struct starfish_boundary boundary;
    struct starfish_diffusion_info *info;
};

static starfish_status solve(void *self, const void *rhs, void *solution)
{
    const struct solving *s = self;

    return starfish_diffusion_solve(s->whole, &s->boundary, rhs, solution, s->info);
}

starfish_status starfish_diffusion_solve_gathered(struct starfish_diffusion_plan *plan,
                                                  const struct starfish_boundary *boundary, const void *rhs,
                                                  void *solution, struct starfish_diffusion_info *info)
{
    const struct starfish_diffusion_gathered *gathered = plan->gathered;
    const size_t *n = gathered->n, plane = gathered->slowest == 2 ? n[0] * n[1] : n[0];
    struct solving solving = {.whole = gathered->whole, .info = info};
    const struct starfish_gathered_solve request = {.rhs = rhs,
                                                    .solution = solution,
                                                    .plane_bytes = plane * starfish_real_size(plan->options.precision),
                                                    .solve = solve,
                                                    .self = &solving,
                                                    .told = info,
                                                    .told_bytes = sizeof *info};

    STARFISH_TRY(starfish_gathered_boundary(gathered->base, n, gathered->slowest, plan->options.precision, boundary,
                                            &solving.boundary));
    const starfish_status status = starfish_gathered_solve(gathered->base, &request);
    starfish_gathered_free_boundary(&solving.boundary);
    if (!gathered->base->alone) /* other ranks have done nothing */
        memset(info->worker, 0, sizeof info->worker);
    return status;
}
