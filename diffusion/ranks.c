/* Problems of several ranks: what each of them has is collected on all, and planes become parts. */
#include "diffusion/ranks.h"

#include "base/fingerprint.h"
#include "base/status.h"
#include "scheduler/ranks.h"

#include <stdlib.h>

/* ---- The whole problem ------------------------------------------------------------------------------------------- */

static size_t slowest(const struct starfish_diffusion_problem *p)
{
    return p->n[p->dimensions - 1];
}

static size_t plane_cells(const struct starfish_diffusion_problem *p)
{
    return p->dimensions == 2 ? p->n[0] : p->n[0] * p->n[1];
}

struct starfish_run_of_planes starfish_diffusion_planes(const struct starfish_diffusion_plan *plan,
                                                        const struct starfish_diffusion_problem *problem)
{
    return starfish_deal(slowest(problem), starfish_context_rank(plan->context), starfish_context_ranks(plan->context));
}

/* What decides about the messages must be the same on all ranks. */
static starfish_status check(const struct starfish_diffusion_plan *plan, const struct starfish_diffusion_problem *p)
{
    const struct starfish_diffusion_options *o = &plan->options;
    starfish_status status = STARFISH_SUCCESS;
    uint64_t hash = STARFISH_FINGERPRINT;
    size_t n[3];

    for (size_t d = 0; d < 3; d++)
        n[d] = d < p->dimensions ? p->n[d] : 1;
    const size_t what[] = {p->dimensions,
                           n[0],
                           n[1],
                           n[2],
                           o->precision,
                           o->preconditioner,
                           o->deflation,
                           o->method,
                           o->vectors,
                           o->block,
                           (size_t)o->mixed,
                           o->coarse,
                           p->mean,
                           (size_t)o->max_iterations,
                           (size_t)o->fixed,
                           (size_t)o->dropped_fill,
                           (size_t)o->product_with_az,
                           (size_t)o->matrix_free};
    if (p->dimensions < 2 || p->dimensions > 3 || n[0] < 1 || n[1] < 1 || n[2] < 1)
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "problem: %zu dimensions, or no cells in one of them",
                               p->dimensions);
    starfish_fingerprint_numbers(&hash, what, sizeof what / sizeof what[0]);
    return starfish_ranks_agree_on(plan->context, status, "the problem, or an option,", hash);
}

static starfish_status allocate(size_t cells, const double has[2], struct starfish_diffusion_whole *whole)
{
    if (has[0] > 0)
        whole->problem.coefficient = whole->coefficient = malloc((cells + 1) * sizeof *whole->coefficient);
    if (has[1] > 0)
        whole->problem.regions = whole->regions = malloc((cells + 1) * sizeof *whole->regions);
    if ((has[0] > 0 && !whole->coefficient) || (has[1] > 0 && !whole->regions))
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the coefficients of %zu cells", cells);
    return STARFISH_SUCCESS;
}

/* Every rank's planes of `plane_bytes` to all: one after the other, in messages whose length an int can count. */
static starfish_status spread(struct starfish_context *context, size_t planes, size_t plane_bytes, const void *own,
                              char *all)
{
    enum { MOST_BYTES = 1 << 30 };
    const int ranks = starfish_context_ranks(context), here = starfish_context_rank(context);

    for (int rank = 0; rank < ranks; rank++) {
        const struct starfish_run_of_planes run = starfish_deal(planes, rank, ranks);
        char *const to = all + run.first * plane_bytes;
        const size_t bytes = run.count * plane_bytes;
        if (rank == here && own && bytes > 0)
            memcpy(to, own, bytes);
        for (size_t at = 0; at < bytes; at += MOST_BYTES)
            STARFISH_TRY(
                starfish_ranks_broadcast(context, to + at, bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES, rank));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_diffusion_collect(const struct starfish_diffusion_plan *plan,
                                           const struct starfish_diffusion_problem *problem,
                                           struct starfish_diffusion_whole *whole)
{
    struct starfish_context *context = plan->context;
    double has[2] = {problem->coefficient != NULL, problem->regions != NULL};
    const double had[2] = {has[0], has[1]};
    starfish_status status = STARFISH_SUCCESS;

    *whole = (struct starfish_diffusion_whole){.problem = *problem};
    STARFISH_TRY(check(plan, problem));
    STARFISH_TRY(starfish_ranks_maximum(context, has, 2)); /* a rank without planes has no arrays */
    if (starfish_diffusion_planes(plan, problem).count > 0 && (has[0] != had[0] || has[1] != had[1]))
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.coefficient or regions: given on some ranks alone");
    const size_t planes = slowest(problem), plane = plane_cells(problem);
    if (status == STARFISH_SUCCESS)
        status = allocate(planes * plane, has, whole);
    STARFISH_TRY(starfish_ranks_agree(context, status));
    if (whole->coefficient)
        STARFISH_TRY(spread(context, planes, plane * sizeof(double), problem->coefficient, (char *)whole->coefficient));
    return whole->regions ? spread(context, planes, plane * sizeof(long long), problem->regions, (char *)whole->regions)
                          : STARFISH_SUCCESS;
}

void starfish_diffusion_whole_free(struct starfish_diffusion_whole *whole)
{
    free(whole->coefficient);
    free(whole->regions);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

starfish_status starfish_diffusion_deal(struct starfish_diffusion_plan *plan)
{
    /* Planes of a rank that multigrid's grids need, and cells of a part that are worth tasks. */
    enum { LEAST_PLANES = 9, ENOUGH = 16384 };
    const struct starfish_diffusion_box *box = &plan->box;
    const size_t plane = box->n[0] * box->n[1], worth = (ENOUGH + plane - 1) / plane;
    const struct starfish_deal_spec spec = {
        .rows =
            starfish_deal(box->n[2], starfish_context_rank(plan->context), starfish_context_ranks(plan->context)).count,
        .least = LEAST_PLANES,
        .worth = worth > LEAST_PLANES ? worth : LEAST_PLANES,
        .grain = starfish_diffusion_rows_per_block(plan)};

    STARFISH_TRY(starfish_deal_runs(plan->context, &spec, &plan->dealt));
    if (plan->options.preconditioner == STARFISH_PRECONDITIONER_LINE_Z)
        plan->dealt.runs.parts = 0;
    return STARFISH_SUCCESS;
}
