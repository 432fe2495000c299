/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans for flat domains: the choice of the method, and multigrid engines for it (multigrid/flat.h). */
#include "atmosphere/boxes.h"
#include "atmosphere/ranks.h"

#include "atmosphere/options.h"
#include "base/arithmetic.h"
#include "base/deal.h"
#include "multigrid/engine.h"
#include "solver/gather.h"

#include <stdio.h>

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

/* What is left to be chosen, and what the plan says of itself. */
static void choose(struct starfish_atmosphere_plan *plan)
{
    static const char *const of_cg[] = {[STARFISH_ATMOSPHERE_PRECONDITIONER_NONE] = "without preconditioner",
                                        [STARFISH_ATMOSPHERE_PRECONDITIONER_LINES] = "lines upwards precondition",
                                        [STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID] = "a cycle preconditions"};
    struct starfish_atmosphere_options *o = &plan->options;

    if (o->method == STARFISH_ATMOSPHERE_AUTO)
        o->method = STARFISH_ATMOSPHERE_MULTIGRID;
    if (o->preconditioner == STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO)
        o->preconditioner = STARFISH_ATMOSPHERE_PRECONDITIONER_LINES;
    plan->plan.about.method = starfish_atmosphere_method_names[o->method];
    plan->plan.about.reason = plan->reason;
    if (o->method == STARFISH_ATMOSPHERE_CG)
        snprintf(plan->reason, sizeof plan->reason, "%s, %s", plan->drifts ? "BiCGStab" : "conjugate gradients",
                 of_cg[o->preconditioner]);
    else
        snprintf(plan->reason, sizeof plan->reason, "V(%d,%d) cycles, coarser across, lines upwards%s",
                 o->smoothing_steps, o->smoothing_steps, o->red_black ? " in two colours" : "");
}

/* Unknowns of a grid that is collected in one place where a rank has GPUs: between ranks of a node all of it takes as
 * long to travel as the messages of the exchanges that it would need. */
enum { TAIL_OF_GPUS = 1 << 19 };

/* Into what a problem is cut where the plan's maker does not choose: boxes, or the rows of ranks. */
struct cut {
    struct starfish_atmosphere_boxes boxes;
    struct starfish_distributed dealt;
};

/* The plan's engine, cut into boxes or the parts of several ranks where these are given; or, where `memory` is there,
 * what that would take. */
static starfish_status create_engine(struct starfish_atmosphere_plan *plan, const struct cut *cut,
                                     struct starfish_memory *memory)
{
    struct starfish_context *context = plan->plan.context;
    const struct starfish_runs *runs = cut->dealt.runs.parts > 0 ? &cut->dealt.runs : NULL;
    static const enum starfish_flat_preconditioner preconditioners[] = {
        [STARFISH_ATMOSPHERE_PRECONDITIONER_NONE] = STARFISH_FLAT_BY_NOTHING,
        [STARFISH_ATMOSPHERE_PRECONDITIONER_LINES] = STARFISH_FLAT_BY_LINES,
        [STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID] = STARFISH_FLAT_BY_CYCLES};
    const struct starfish_atmosphere_options *o = &plan->options;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    const int gradients = o->method == STARFISH_ATMOSPHERE_CG;

    options.precision = o->precision;
    options.mixed = o->mixed;
    options.smoother = o->red_black ? STARFISH_SMOOTHER_GAUSS_SEIDEL : STARFISH_SMOOTHER_LINE_Z;
    options.damping = o->damping;
    options.before = options.after = o->smoothing_steps;
    options.tolerance = o->fixed ? 0 : o->tolerance;
    options.max_iterations = o->max_iterations;
    options.levels = o->levels;
    options.slabs = o->slabs;
    options.tail = (runs || cut->boxes.owners > 1) && (cut->dealt.any_gpu || cut->boxes.any_gpu) ? TAIL_OF_GPUS : 0;
    if (gradients)
        options.krylov = plan->drifts ? STARFISH_KRYLOV_BICGSTAB : STARFISH_KRYLOV_CG;
    options.inner_cycles = gradients ? 1 : starfish_flat_inner_cycles(&plan->volumes.matrix);
    plan->volumes.matrix.cut = cut->boxes.cut.parts[0] > 0 ? &cut->boxes.cut : NULL;
    plan->volumes.matrix.coarse_sweeps = o->coarse_sweeps;
    plan->volumes.matrix.preconditioner = gradients ? preconditioners[o->preconditioner] : STARFISH_FLAT_BY_CYCLES;
    const starfish_status status =
        starfish_multigrid_engine_create(context, starfish_flat_hooks(&plan->volumes.matrix), &plan->volumes.matrix,
                                         &options, runs, &plan->engine, memory);
    plan->volumes.matrix.cut = NULL;
    if (plan->engine) {
        plan->plan.about.levels = plan->engine->graph.all_levels;
        plan->plan.memory = plan->engine->memory;
    }
    return status;
}

/* The first rank solves for all. Planes are layers. */
static starfish_status gather(struct starfish_atmosphere_plan *plan, const struct starfish_atmosphere_problem *problem)
{
    const struct starfish_context *context = plan->plan.context;
    const int rank = starfish_context_rank(context), ranks = starfish_context_ranks(context);

    plan->options.boxes = 0; /* of one rank they may be impossible too */
    return starfish_gather_create(&plan->plan, problem->n, 2, plan->options.precision,
                                  starfish_deal(problem->n[2], rank, ranks).count, NULL);
}

/* In boxes or parts of the ranks' rows, where these can be. */
static starfish_status create_on_ranks(struct starfish_atmosphere_plan *plan,
                                       const struct starfish_atmosphere_problem *problem, struct cut *cut)
{
    struct starfish_plan *base = &plan->plan;

    STARFISH_TRY(starfish_atmosphere_cut(base->context, &plan->options, problem, &cut->boxes));
    if (cut->boxes.cut.parts[0] == 0 && !problem->periodic[1])
        STARFISH_TRY(starfish_atmosphere_deal(plan, problem, &cut->dealt));
    if (cut->boxes.cut.parts[0] == 0 && cut->dealt.runs.parts == 0)
        return gather(plan, problem);
    base->about.owners = cut->dealt.runs.parts > 0 ? cut->dealt.owners : cut->boxes.owners;
    const starfish_status status = starfish_ranks_agree(base->context, create_engine(plan, cut, NULL));
    starfish_runs_free(&cut->dealt.runs);
    return status;
}

/* ---- For the kind ------------------------------------------------------------------------------------------------ */

starfish_status starfish_atmosphere_check_plan(struct starfish_plan *base)
{
    struct starfish_atmosphere_plan *plan = (struct starfish_atmosphere_plan *)base;
    struct starfish_atmosphere_options *o = &plan->options;

    STARFISH_TRY(starfish_complete_options(o->precision, o->mixed, &o->tolerance));
    return starfish_flat_volumes_create(&plan->volumes, base->problem);
}

starfish_status starfish_atmosphere_create_plan(struct starfish_plan *base)
{
    struct starfish_atmosphere_plan *plan = (struct starfish_atmosphere_plan *)base;
    const struct starfish_atmosphere_problem *problem = base->problem;
    struct cut cut = {.dealt = {.runs = {.parts = 0}}};

    plan->drifts = problem->xi_up != NULL;
    base->about.unknowns = problem->n[0] * problem->n[1] * problem->n[2];
    choose(plan);
    if (base->is_measured)
        return create_engine(plan, &cut, &base->memory);
    if (starfish_context_ranks(base->context) > 1)
        return create_on_ranks(plan, problem, &cut);
    STARFISH_TRY(starfish_atmosphere_cut(base->context, &plan->options, problem, &cut.boxes));
    return create_engine(plan, &cut, NULL);
}

void starfish_atmosphere_release(struct starfish_plan *base)
{
    struct starfish_atmosphere_plan *plan = (struct starfish_atmosphere_plan *)base;

    starfish_multigrid_engine_destroy(plan->engine);
    starfish_flat_volumes_destroy(&plan->volumes);
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

starfish_status starfish_atmosphere_plan_create(starfish_context *context,
                                                const struct starfish_atmosphere_problem *problem,
                                                const struct starfish_atmosphere_options *options, starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_make(context, &starfish_kind_atmosphere, &starfish_atmosphere_problem_table, problem, options,
                              plan);
}

starfish_status starfish_atmosphere_memory(starfish_context *context, const struct starfish_atmosphere_problem *problem,
                                           const struct starfish_atmosphere_options *options,
                                           struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_measure(context, &starfish_kind_atmosphere, &starfish_atmosphere_problem_table, problem,
                                 options, memory);
}
