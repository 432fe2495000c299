/* Diffusion that one rank solves for all. */
#include "diffusion/gathered.h"

#include "diffusion/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* A problem of all ranks' cells on the first rank, whose arrays are ours. */
struct whole {
    struct starfish_diffusion_problem problem;
    double *coefficient;
    long long *regions;
};

static starfish_status allocate(const struct starfish_diffusion_plan *plan, struct whole *whole)
{
    const struct starfish_diffusion_problem own = whole->problem;
    const size_t cells = plan->box.cells;

    if (!plan->gathered->base->alone)
        return STARFISH_SUCCESS;
    if (own.coefficient)
        whole->problem.coefficient = whole->coefficient = malloc(cells * sizeof *whole->coefficient);
    if (own.regions)
        whole->problem.regions = whole->regions = malloc(cells * sizeof *whole->regions);
    if ((own.coefficient && !whole->coefficient) || (own.regions && !whole->regions))
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the coefficients of %zu cells", cells);
    return STARFISH_SUCCESS;
}

static starfish_status collect(const struct starfish_diffusion_plan *plan, const struct starfish_diffusion_problem *own,
                               struct whole *whole)
{
    const size_t plane = plan->box.n[0] * plan->box.n[1];

    *whole = (struct whole){.problem = *own};
    STARFISH_TRY(starfish_ranks_agree(plan->context, allocate(plan, whole)));
    if (own->coefficient)
        STARFISH_TRY(starfish_gathered_collect(plan->gathered->base, own->coefficient,
                                               plane * sizeof *whole->coefficient, whole->coefficient));
    return own->regions ? starfish_gathered_collect(plan->gathered->base, own->regions, plane * sizeof *whole->regions,
                                                    whole->regions)
                        : STARFISH_SUCCESS;
}

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
                                          const struct starfish_diffusion_problem *own)
{
    struct starfish_diffusion_gathered *gathered = calloc(1, sizeof *gathered);
    struct whole whole;

    plan->gathered = gathered;
    STARFISH_TRY(starfish_ranks_agree(
        plan->context, gathered ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan")));
    for (size_t d = 0; d < 3; d++)
        gathered->n[d] = d < own->dimensions ? own->n[d] : 1;
    gathered->slowest = own->dimensions == 2 ? 1 : 2;
    STARFISH_TRY(starfish_gathered_create(&gathered->base, plan->context, starfish_diffusion_planes(plan, own).count));
    starfish_status status = collect(plan, own, &whole);
    if (status == STARFISH_SUCCESS)
        status = starfish_ranks_agree(plan->context, make_whole(plan, &whole.problem));
    free(whole.coefficient);
    free(whole.regions);
    return status == STARFISH_SUCCESS ? tell(plan) : status;
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
