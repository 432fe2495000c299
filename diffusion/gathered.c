/* Diffusion that one rank solves for all. */
#include "diffusion/gathered.h"

#include "scheduler/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* Cells' values of all ranks, on the first one, of the two kinds that there are. */
struct cells {
    double *coefficient;
    long long *regions;
    int has[2];
};

static starfish_status make_cells(size_t cells, int first, struct cells *whole)
{
    if (first && whole->has[0])
        whole->coefficient = malloc(cells * sizeof *whole->coefficient);
    if (first && whole->has[1])
        whole->regions = malloc(cells * sizeof *whole->regions);
    if (first && ((whole->has[0] && !whole->coefficient) || (whole->has[1] && !whole->regions)))
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the coefficients of %zu cells", cells);
    return STARFISH_SUCCESS;
}

static starfish_status collect_cells(const struct starfish_diffusion_gathered *gathered,
                                     const struct starfish_diffusion_problem *problem, size_t plane,
                                     struct cells *whole)
{
    struct starfish_context *context = gathered->base->context;
    const int rank = starfish_context_rank(context);
    double has[2] = {problem->coefficient != NULL, problem->regions != NULL};
    starfish_status status = STARFISH_SUCCESS;

    STARFISH_TRY(starfish_ranks_maximum(context, has, 2)); /* a rank without planes has no arrays */
    for (int i = 0; i < 2; i++)
        whole->has[i] = has[i] > 0;
    if (gathered->base->planes[rank] > 0 &&
        (whole->has[0] != (problem->coefficient != NULL) || whole->has[1] != (problem->regions != NULL)))
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.coefficient or regions: given on some ranks alone");
    if (status == STARFISH_SUCCESS)
        status = make_cells(plane * gathered->base->all, rank == 0, whole);
    STARFISH_TRY(starfish_ranks_agree(context, status));
    if (whole->has[0])
        STARFISH_TRY(starfish_gathered_collect(gathered->base, problem->coefficient, plane * sizeof(double),
                                               whole->coefficient));
    return whole->has[1]
               ? starfish_gathered_collect(gathered->base, problem->regions, plane * sizeof(long long), whole->regions)
               : STARFISH_SUCCESS;
}

/* What decides about the messages must be the same on all ranks. */
static starfish_status check(struct starfish_diffusion_plan *plan, const struct starfish_diffusion_problem *problem,
                             size_t n[3])
{
    starfish_status status = STARFISH_SUCCESS;

    for (size_t d = 0; d < 3; d++)
        n[d] = d < problem->dimensions ? problem->n[d] : 1;
    const size_t what[] = {problem->dimensions, n[0], n[1], n[2], plan->options.precision};
    if (problem->dimensions < 2 || problem->dimensions > 3 || n[0] < 1 || n[1] < 1 || n[2] < 1)
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "problem: %zu dimensions, or no cells in one of them",
                               problem->dimensions);
    return starfish_ranks_agree_on(plan->context, status, "the problem, or an option,",
                                   starfish_footprint_of(what, sizeof what / sizeof what[0]));
}

static starfish_status make_whole(struct starfish_diffusion_plan *plan, const struct cells *cells,
                                  const struct starfish_diffusion_problem *problem)
{
    struct starfish_diffusion_gathered *gathered = plan->gathered;
    struct starfish_diffusion_problem all = *problem;

    if (!gathered->base->alone)
        return STARFISH_SUCCESS;
    all.coefficient = cells->coefficient;
    all.regions = cells->regions;
    return starfish_diffusion_plan_create(gathered->base->alone, &all, &plan->options, &gathered->whole);
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
                                          const struct starfish_diffusion_problem *problem)
{
    const int rank = starfish_context_rank(plan->context), ranks = starfish_context_ranks(plan->context);
    struct starfish_diffusion_gathered *gathered = calloc(1, sizeof *gathered);
    struct cells cells = {.has = {0}};
    size_t n[3] = {1, 1, 1};

    plan->gathered = gathered;
    STARFISH_TRY(starfish_ranks_agree(
        plan->context, gathered ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan")));
    STARFISH_TRY(check(plan, problem, n));
    memcpy(gathered->n, n, sizeof n);
    gathered->slowest = problem->dimensions == 2 ? 1 : 2;
    const size_t slowest = n[gathered->slowest], plane = gathered->slowest == 2 ? n[0] * n[1] : n[0];
    STARFISH_TRY(starfish_gathered_create(&gathered->base, plan->context, starfish_deal(slowest, rank, ranks).count));
    starfish_status status = collect_cells(gathered, problem, plane, &cells);
    if (status == STARFISH_SUCCESS)
        status = starfish_ranks_agree(plan->context, make_whole(plan, &cells, problem));
    free(cells.coefficient);
    free(cells.regions);
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
