/* Problems of several ranks: what they agree on, and their planes as parts. */
#include "diffusion/ranks.h"

#include "base/fingerprint.h"
#include "base/status.h"
#include "multigrid/plan.h"
#include "scheduler/ranks.h"

/* ---- The problem ------------------------------------------------------------------------------------------------- */

static size_t slowest(const struct starfish_diffusion_problem *p)
{
    return p->n[p->dimensions - 1];
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

starfish_status starfish_diffusion_agree_on(const struct starfish_diffusion_plan *plan,
                                            const struct starfish_diffusion_problem *given,
                                            struct starfish_diffusion_problem *problem)
{
    static const double no_coefficient[1];
    static const long long no_region[1];
    double has[2] = {given->coefficient != NULL, given->regions != NULL};
    const double had[2] = {has[0], has[1]};
    starfish_status status = STARFISH_SUCCESS;

    *problem = *given;
    STARFISH_TRY(check(plan, given));
    STARFISH_TRY(starfish_ranks_maximum(plan->context, has, 2));
    if (starfish_diffusion_planes(plan, given).count > 0 && (has[0] != had[0] || has[1] != had[1]))
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.coefficient or regions: given on some ranks alone");
    if (has[0] > had[0]) /* of a rank without planes */
        problem->coefficient = no_coefficient;
    if (has[1] > had[1])
        problem->regions = no_region;
    return starfish_ranks_agree(plan->context, status);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

starfish_status starfish_diffusion_deal(struct starfish_diffusion_plan *plan)
{
    /* Planes of a rank that multigrid's grids need, and cells of a part that are worth tasks. */
    enum { LEAST_PLANES = 9, ENOUGH = 16384 };
    /* Multigrid has the couplings below its planes, which the matrix has in the plane before. */
    enum { DEPTH = STARFISH_STENCIL_WINDOW + 1 };
    struct starfish_diffusion_box *box = &plan->box;
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
    if (plan->dealt.runs.parts > 0)
        box->window = starfish_window_of_runs(plan->context, &plan->dealt.runs, box->n[2], DEPTH);
    return STARFISH_SUCCESS;
}
