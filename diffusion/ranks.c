/* Problems of several ranks: what they agree on, and their planes as parts. */
#include "diffusion/ranks.h"

#include "base/fingerprint.h"
#include "base/status.h"
#include "diffusion/options.h"
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

/* Of what all ranks give alike; coefficients and regions are those of a rank's own planes. */
static uint64_t fingerprint_of(const struct starfish_diffusion_problem *p)
{
    uint64_t hash = STARFISH_FINGERPRINT;

    starfish_fingerprint_number(&hash, p->dimensions);
    for (size_t d = 0; d < p->dimensions; d++) {
        starfish_fingerprint_number(&hash, p->n[d]);
        starfish_fingerprint_reals(&hash, &p->length[d], 1);
        starfish_fingerprint_number(&hash, (uint64_t)p->ends[d][0]);
        starfish_fingerprint_number(&hash, (uint64_t)p->ends[d][1]);
    }
    starfish_fingerprint_number(&hash, p->dirichlet_nodes != 0);
    starfish_fingerprint_reals(&hash, &p->lambda, 1);
    starfish_fingerprint_number(&hash, (uint64_t)p->mean);
    return hash;
}

static starfish_status check(const struct starfish_diffusion_plan *plan, const struct starfish_diffusion_problem *p)
{
    const int known = p->dimensions == 2 || p->dimensions == 3;
    starfish_status status = STARFISH_SUCCESS;

    if (!known || p->n[0] < 1 || p->n[1] < 1 || (p->dimensions == 3 && p->n[2] < 1))
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "problem: %zu dimensions, or no cells in one of them",
                               p->dimensions);
    return starfish_ranks_agree_on_plan(plan->context, status, &starfish_diffusion_option_table, &plan->options,
                                        known ? fingerprint_of(p) : 0);
}

starfish_status starfish_diffusion_agree_on(const struct starfish_diffusion_plan *plan,
                                            const struct starfish_diffusion_problem *given,
                                            struct starfish_diffusion_problem *problem)
{
    static const double no_coefficient[1];
    static const long long no_region[1];
    const double constant = given->coefficient ? 0 : given->constant_coefficient;
    const double had[2] = {given->coefficient != NULL, given->regions != NULL};
    double all[4] = {had[0], had[1], constant, -constant}; /* the largest of all ranks */
    starfish_status status = STARFISH_SUCCESS;

    *problem = *given;
    STARFISH_TRY(check(plan, given));
    STARFISH_TRY(starfish_ranks_maximum(plan->context, all, 4));
    if (starfish_diffusion_planes(plan, given).count > 0 && (all[0] != had[0] || all[1] != had[1]))
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.coefficient or regions: given on some ranks alone");
    else if (all[0] == 0 && all[2] > -all[3])
        status = starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.constant_coefficient differs between ranks");
    if (all[0] > had[0]) /* of a rank without planes */
        problem->coefficient = no_coefficient;
    if (all[1] > had[1])
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
