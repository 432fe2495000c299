/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffusion on several ranks (ranks.h): agreement on the problem, and the ranks' planes as parts of the spaces of a
 * plan. */
#include "diffusion/ranks.h"

#include "multigrid/engine.h"

/* ---- The problem ------------------------------------------------------------------------------------------------- */

static size_t slowest(const struct starfish_diffusion_problem *p)
{
    return p->n[p->dimensions - 1];
}

struct starfish_run_of_planes starfish_diffusion_planes(const struct starfish_diffusion_plan *plan,
                                                        const struct starfish_diffusion_problem *problem)
{
    return starfish_deal(slowest(problem), starfish_context_rank(plan->plan.context),
                         starfish_context_ranks(plan->plan.context));
}

starfish_status starfish_diffusion_check_planes(const struct starfish_diffusion_problem *p)
{
    STARFISH_REFUSE_IF((p->dimensions != 2 && p->dimensions != 3) || p->n[0] < 1 || p->n[1] < 1 || slowest(p) < 1,
                       "problem: %zu dimensions, or no cells in one of them", p->dimensions);
    return STARFISH_SUCCESS;
}

/* A rank without planes learns what the others have. */
starfish_status starfish_diffusion_complete_problem(const struct starfish_diffusion_plan *plan,
                                                    struct starfish_diffusion_problem *problem)
{
    static const double no_coefficient[1];
    static const long long no_region[1];
    double has[2] = {problem->coefficient != NULL, problem->regions != NULL};

    if (slowest(problem) >= (size_t)starfish_context_ranks(plan->plan.context))
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_ranks_maximum(plan->plan.context, has, 2));
    if (has[0] > 0 && !problem->coefficient)
        problem->coefficient = no_coefficient;
    if (has[1] > 0 && !problem->regions)
        problem->regions = no_region;
    return STARFISH_SUCCESS;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

static size_t common_divisor(size_t a, size_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

size_t starfish_diffusion_rows_per_block(const struct starfish_diffusion_plan *plan)
{
    const size_t row = plan->box.n[0] * plan->box.n[1], block = plan->options.block;

    return plan->options.preconditioner == STARFISH_PRECONDITIONER_BLOCK_IC ? block / common_divisor(block, row) : 1;
}

starfish_status starfish_diffusion_deal(struct starfish_diffusion_plan *plan)
{
    /* Planes of a rank that multigrid's grids need, and cells of a part that are worth tasks. */
    enum { LEAST_PLANES = 9, ENOUGH = 16384 };
    /* Multigrid has the couplings below its planes, which the matrix has in the plane before. */
    enum { DEPTH = STARFISH_STENCIL_WINDOW + 1 };
    struct starfish_diffusion_box *box = &plan->box;
    const size_t plane = box->n[0] * box->n[1], worth = (ENOUGH + plane - 1) / plane;
    const struct starfish_distribute_spec spec = {.most = STARFISH_KRYLOV_MOST_PARTS,
                                                  .rows = starfish_deal(box->n[2],
                                                                        starfish_context_rank(plan->plan.context),
                                                                        starfish_context_ranks(plan->plan.context))
                                                              .count,
                                                  .least = LEAST_PLANES,
                                                  .worth = worth > LEAST_PLANES ? worth : LEAST_PLANES,
                                                  .grain = starfish_diffusion_rows_per_block(plan)};

    STARFISH_TRY(starfish_distribute_runs(plan->plan.context, &spec, &plan->dealt));
    if (plan->options.preconditioner == STARFISH_PRECONDITIONER_LINE_Z)
        plan->dealt.runs.parts = 0;
    if (plan->dealt.runs.parts > 0)
        box->window = starfish_halo_window_of_runs(plan->plan.context, &plan->dealt.runs, box->n[2], DEPTH);
    return STARFISH_SUCCESS;
}
