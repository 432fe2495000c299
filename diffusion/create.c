/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making and ending plans for diffusion: choices, the cut, tables and vectors. */
#include "diffusion/ranks.h"

#include "base/arithmetic.h"
#include "multigrid/engine.h"
#include "solver/accept.h"
#include "solver/gather.h"

#include <float.h>
#include <stdio.h>

/* ---- Choices ----------------------------------------------------------------------------------------------------- */

static void choose(struct starfish_diffusion_options *o, int has_regions)
{
    /* Multigrid, unless something is asked for that belongs to conjugate gradients with other preconditioners. */
    const int other =
        o->deflation > STARFISH_DEFLATION_NONE ||
        (o->preconditioner != STARFISH_PRECONDITIONER_AUTO && o->preconditioner != STARFISH_PRECONDITIONER_MULTIGRID);

    if (o->method == STARFISH_DIFFUSION_AUTO)
        o->method = other ? STARFISH_DIFFUSION_CG : STARFISH_DIFFUSION_MULTIGRID;
    if (o->method == STARFISH_DIFFUSION_MULTIGRID) {
        o->preconditioner = STARFISH_PRECONDITIONER_MULTIGRID;
        if (o->deflation == STARFISH_DEFLATION_AUTO)
            o->deflation = STARFISH_DEFLATION_NONE;
    }
    if (o->preconditioner == STARFISH_PRECONDITIONER_AUTO)
        o->preconditioner = STARFISH_PRECONDITIONER_IP;
    if (o->deflation == STARFISH_DEFLATION_AUTO)
        o->deflation = o->preconditioner == STARFISH_PRECONDITIONER_MULTIGRID ? STARFISH_DEFLATION_NONE
                       : has_regions                                          ? STARFISH_DEFLATION_REGIONS
                                                                              : STARFISH_DEFLATION_BLOCKS;
}

static void say(struct starfish_diffusion_plan *plan)
{
    const struct starfish_diffusion_options *o = &plan->options;
    char deflated[64] = "";

    if (o->deflation != STARFISH_DEFLATION_NONE)
        snprintf(deflated, sizeof deflated, ", deflated by %zu %s", plan->vectors,
                 starfish_deflation_names[o->deflation]);
    snprintf(plan->reason, sizeof plan->reason, "conjugate gradients preconditioned by %s%s%s",
             starfish_preconditioner_names[o->preconditioner], deflated, o->mixed ? ", iterations in f32" : "");
}

/* ---- The cut ----------------------------------------------------------------------------------------------------- */

static size_t choose_parts(const struct starfish_diffusion_plan *plan)
{
    const size_t enough = 16384; /* unknowns of a part that are worth tasks */
    const size_t workers = starfish_context_workers_of(plan->plan.context, STARFISH_CPU);
    const size_t per = starfish_diffusion_rows_per_block(plan), rows = (plan->box.n[2] + per - 1) / per;
    size_t parts = plan->options.slabs;

    /* Lines are not cut. */
    if (plan->options.preconditioner == STARFISH_PRECONDITIONER_LINE_Z)
        return 1;
    if (!starfish_context_has_one_memory(plan->plan.context) && parts == 0)
        return 1;
    if (parts == 0)
        parts = plan->box.cells / enough < workers ? plan->box.cells / enough : workers;
    parts = parts < STARFISH_KRYLOV_MOST_PARTS ? parts : STARFISH_KRYLOV_MOST_PARTS;
    parts = parts < rows ? parts : rows;
    return parts > 0 ? parts : 1;
}

/* Of one rank. */
static starfish_status choose_runs(struct starfish_diffusion_plan *plan)
{
    const size_t rows = plan->box.n[2], parts = choose_parts(plan), per = starfish_diffusion_rows_per_block(plan);
    const size_t blocks = (rows + per - 1) / per, gpus = starfish_context_workers_of(plan->plan.context, STARFISH_GPU);

    for (size_t p = 0; p < parts; p++) {
        const size_t row = blocks * (p + 1) / parts * per, end = row < rows ? row : rows;
        const struct starfish_owner owner = {0, parts > 1 && gpus > 0 ? (int)(p % gpus) : STARFISH_ANY};
        STARFISH_TRY(starfish_runs_add(&plan->runs, 1, end - starfish_runs_end(&plan->runs), owner));
    }
    return STARFISH_SUCCESS;
}

/* ---- The matrix and the vectors ---------------------------------------------------------------------------------- */

static starfish_status create_operator(const struct starfish_diffusion_plan *plan, starfish_mean mean,
                                       starfish_precision precision, struct starfish_coefficient_table *table,
                                       struct starfish_cell_operator *op)
{
    const struct starfish_diffusion_box *box = &plan->box;
    const int stored = !plan->options.reserved[STARFISH_DIFFUSION_MATRIX_FREE];
    const double *values = stored ? box->stored : box->k;
    const size_t count = stored ? 4 * box->cells : box->cells, plane = box->n[0] * box->n[1];
    const struct starfish_spans spans = starfish_halo_window_spans(&box->window, stored ? 4 : 1, plane);
    const struct starfish_spans extra = starfish_halo_window_spans(&box->window, 1, plane);

    op->stored = stored;
    op->matrix = (struct starfish_cell_matrix){.arithmetic = mean == STARFISH_MEAN_ARITHMETIC, .shift = -box->lambda};
    for (int d = 0; d < 3; d++) {
        const double weight = 1 / (box->spacing[d] * box->spacing[d]);
        op->matrix.n[d] = box->n[d];
        op->matrix.periodic[d] = box->periodic[d];
        op->matrix.weight[d] = box->n[d] > 1 ? weight : 0;
        for (int side = 0; side < 2; side++)
            op->matrix.end[d][side] = box->ends[d][side] == STARFISH_DIRICHLET ? box->dirichlet * weight : 0;
    }
    op->matrix.without_extra =
        stored && starfish_spans_find_beyond(&extra, box->stored + 3 * box->cells, 0, 0, box->cells) == box->cells;
    const size_t beyond = precision == STARFISH_F32
                              ? starfish_spans_find_beyond(&spans, values, -(double)FLT_MAX, (double)FLT_MAX, count)
                              : count;
    STARFISH_REFUSE_IF(beyond < count, "problem.coefficient: f32 cannot hold %g of cell %zu", values[beyond],
                       beyond % box->cells);
    STARFISH_TRY(starfish_coefficient_table_reals_of(table, precision, values, count, &spans));
    op->table = table->handle;
    return STARFISH_SUCCESS;
}

/* Cycles must be one task for that, and of V shape all steps alike. */
static int has_cycles_in_steps(const struct starfish_diffusion_plan *plan)
{
    const struct starfish_hierarchy_graph *graph = plan->multigrid ? &plan->multigrid->graph : NULL;

    return !graph || (graph->levels == 1 && !graph->collects && graph->workspace.shared > 0 &&
                      plan->multigrid->options.cycle != STARFISH_CYCLE_FMG);
}

/* May some steps be one task? */
static int may_fuse(const struct starfish_diffusion_plan *plan)
{
    const enum starfish_cell_preconditioner by = starfish_diffusion_preconditioner_kind(plan);
    const int deflates = plan->options.deflation != STARFISH_DEFLATION_NONE;

    if (by == STARFISH_CELLS_BY_ANOTHER && (deflates || !has_cycles_in_steps(plan)))
        return 0;
    return !plan->options.reserved[STARFISH_DIFFUSION_SEPARATE_TASKS] &&
           !(deflates && plan->options.reserved[STARFISH_DIFFUSION_PRODUCT_WITH_AZ]) &&
           starfish_gradients_fit(&plan->space, by,
                                  deflates ? plan->deflation.coarse.form : STARFISH_COARSE_BY_INVERSE);
}

static starfish_status create_vectors(struct starfish_diffusion_plan *plan)
{
    struct starfish_vector *const high[] = {&plan->f, &plan->u, &plan->best, &plan->residual};
    struct starfish_vector *const low[] = {&plan->r, &plan->z, &plan->p, &plan->q};
    struct starfish_sums *const sums[] = {&plan->norm, &plan->product, &plan->rz};

    for (int i = 0; i < 4; i++) {
        STARFISH_TRY(starfish_vector_create(high[i], &plan->space, plan->options.precision));
        STARFISH_TRY(starfish_vector_create(low[i], &plan->space, plan->inner));
    }
    if (plan->fuses) {
        if (starfish_context_workers_of(plan->plan.context, STARFISH_GPU) > 0)
            STARFISH_TRY(starfish_vector_create(&plan->other_p, &plan->space, plan->inner));
        starfish_replays_create(&plan->replays, plan->plan.context);
    }
    for (int i = 0; i < 3; i++)
        STARFISH_TRY(starfish_sums_create_on(sums[i], &plan->space));
    return starfish_scalars_create(&plan->scalars, &plan->space, 0);
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* Choices and the box, but for its coefficients. */
static starfish_status prepare(struct starfish_diffusion_plan *plan, const struct starfish_diffusion_problem *problem)
{
    choose(&plan->options, problem->regions != NULL);
    STARFISH_REFUSE_IF(plan->options.deflation == STARFISH_DEFLATION_REGIONS && !problem->regions,
                       "problem.regions is NULL, and deflation is by regions");
    STARFISH_REFUSE_IF(plan->options.method == STARFISH_DIFFUSION_MULTIGRID &&
                           plan->options.preconditioner != STARFISH_PRECONDITIONER_MULTIGRID,
                       "options.preconditioner is for the method cg");
    STARFISH_TRY(starfish_diffusion_box_describe(&plan->box, problem));
    plan->box.dirichlet = plan->options.reserved[STARFISH_DIFFUSION_DIRICHLET_NODES] ? 1 : 2;
    if (plan->options.block == 0)
        plan->options.block = 4 * plan->box.n[0] * plan->box.n[1];
    plan->inner = plan->options.mixed ? STARFISH_F32 : plan->options.precision;
    return STARFISH_SUCCESS;
}

static starfish_status create_tables(struct starfish_diffusion_plan *plan,
                                     const struct starfish_diffusion_problem *problem)
{
    /* Cycles read the vectors of the iteration that they precondition, and more planes of them than the matrix does. */
    const size_t n[2] = {plan->box.n[0] * plan->box.n[1], plan->box.n[2]};
    const struct starfish_space *finest = plan->multigrid ? plan->multigrid->op.space : NULL;

    if (finest && finest->halos > 0)
        plan->runs.depth = starfish_space_depth(finest);
    STARFISH_TRY(starfish_space_runs(&plan->space, plan->plan.context, n, &plan->runs));
    STARFISH_TRY(create_operator(plan, problem->mean, plan->options.precision, &plan->high_table, &plan->high));
    plan->low = plan->high;
    STARFISH_TRY(plan->inner == plan->options.precision
                     ? STARFISH_SUCCESS
                     : create_operator(plan, problem->mean, plan->inner, &plan->low_table, &plan->low));
    return starfish_diffusion_create_table(plan);
}

/* Ranks with parts agree on every step, since most of them exchange planes. */
static starfish_status complete(struct starfish_diffusion_plan *plan, const struct starfish_diffusion_problem *problem)
{
    const struct starfish_halo_window *window = &plan->box.window;

    STARFISH_TRY(plan->dealt.runs.parts > 0 ? starfish_runs_copy(&plan->runs, &plan->dealt.runs) : choose_runs(plan));
    plan->runs.depth = 1;
    plan->runs.wraps = plan->box.periodic[2];
    STARFISH_TRY(starfish_halo_window_agree(window, starfish_diffusion_box_assemble(&plan->box, problem)));
    if (!plan->plan.is_measured)
        STARFISH_TRY(starfish_halo_window_agree(window, starfish_diffusion_create_cycles(plan)));
    STARFISH_TRY(starfish_halo_window_agree(window, starfish_diffusion_measure(plan, problem)));
    if (plan->plan.is_measured)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_halo_window_agree(window, create_tables(plan, problem)));
    STARFISH_TRY(starfish_halo_window_agree(window, starfish_diffusion_create_deflation(plan, problem)));
    plan->fuses = may_fuse(plan);
    if (plan->multigrid)
        plan->cycle = (struct starfish_gradients_cycle){.tail = &plan->multigrid->graph.tail,
                                                        .costs = &plan->multigrid->graph.tail_costs,
                                                        .table = plan->multigrid->graph.tail_table,
                                                        .shape = plan->multigrid->options.cycle,
                                                        .workspace = &plan->multigrid->graph.workspace};
    STARFISH_TRY(create_vectors(plan));
    say(plan);
    return STARFISH_SUCCESS;
}

static starfish_status gather(struct starfish_diffusion_plan *plan, const struct starfish_diffusion_problem *own)
{
    const int slowest = (int)own->dimensions - 1;

    return starfish_gather_create(&plan->plan, (const size_t[]){own->n[0], own->n[1], slowest == 1 ? 1 : own->n[2]},
                                  slowest, plan->options.precision, starfish_diffusion_planes(plan, own).count, NULL);
}

/* In parts of the ranks' planes, or where these cannot be parts by the first rank for all. */
static starfish_status create_on_ranks(struct starfish_diffusion_plan *plan, struct starfish_diffusion_problem *problem)
{
    STARFISH_TRY(starfish_diffusion_complete_problem(plan, problem));
    STARFISH_TRY(starfish_ranks_agree(plan->plan.context, prepare(plan, problem)));
    STARFISH_TRY(starfish_diffusion_deal(plan));
    return plan->dealt.runs.parts > 0 ? starfish_ranks_agree(plan->plan.context, complete(plan, problem))
                                      : gather(plan, problem);
}

static starfish_status create_alone(struct starfish_diffusion_plan *plan,
                                    const struct starfish_diffusion_problem *problem)
{
    STARFISH_TRY(prepare(plan, problem));
    return complete(plan, problem);
}

static void fill_about(struct starfish_diffusion_plan *plan)
{
    struct starfish_about *about = &plan->plan.about;

    about->kind = plan->box.dimensions == 2 ? "diffusion2d" : "diffusion3d";
    if (plan->plan.gather)
        return;
    about->method = starfish_diffusion_method_names[plan->options.method];
    about->reason = plan->reason;
    about->unknowns = plan->box.cells;
    about->singular = plan->box.singular;
    about->owners = plan->dealt.runs.parts > 0 ? plan->dealt.owners : 1;
    about->levels = plan->multigrid ? plan->multigrid->graph.all_levels : 0;
}

/* ---- For the kind ------------------------------------------------------------------------------------------------ */

starfish_status starfish_diffusion_check_plan(struct starfish_plan *base)
{
    struct starfish_diffusion_plan *plan = (struct starfish_diffusion_plan *)base;
    struct starfish_diffusion_options *o = &plan->options;

    STARFISH_TRY(starfish_complete_options(o->precision, o->mixed, &o->tolerance));
    if (starfish_context_ranks(base->context) == 1)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_diffusion_check_planes(base->problem));
    base->is_idle = starfish_diffusion_planes(plan, base->problem).count == 0;
    return STARFISH_SUCCESS;
}

starfish_status starfish_diffusion_create_plan(struct starfish_plan *base)
{
    struct starfish_diffusion_plan *plan = (struct starfish_diffusion_plan *)base;
    const int is_together = !base->is_measured && starfish_context_ranks(base->context) > 1;

    STARFISH_TRY(is_together ? create_on_ranks(plan, base->problem) : create_alone(plan, base->problem));
    fill_about(plan);
    return STARFISH_SUCCESS;
}

void starfish_diffusion_release(struct starfish_plan *base)
{
    struct starfish_diffusion_plan *plan = (struct starfish_diffusion_plan *)base;
    struct starfish_vector *const vectors[] = {&plan->f, &plan->u, &plan->best, &plan->residual, &plan->r,
                                               &plan->z, &plan->p, &plan->q,    &plan->other_p};

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        starfish_vector_destroy(vectors[i]);
    for (int i = 0; i < 4; i++)
        starfish_vector_destroy(&plan->fallback.vector[i]);
    starfish_sums_destroy(&plan->norm);
    starfish_sums_destroy(&plan->product);
    starfish_sums_destroy(&plan->rz);
    starfish_scalars_destroy(&plan->scalars);
    starfish_replays_destroy(&plan->replays);
    starfish_deflation_destroy(&plan->deflation);
    starfish_multigrid_engine_destroy(plan->multigrid);
    starfish_multigrid_engine_destroy(plan->fallback.multigrid);
    starfish_coefficient_table_destroy(&plan->preconditioner);
    starfish_coefficient_table_destroy(&plan->high_table);
    starfish_coefficient_table_destroy(&plan->low_table);
    starfish_space_destroy(&plan->space);
    starfish_runs_free(&plan->runs);
    starfish_runs_free(&plan->dealt.runs);
    starfish_diffusion_box_destroy(&plan->box);
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

starfish_status starfish_diffusion_plan_create(starfish_context *context,
                                               const struct starfish_diffusion_problem *problem,
                                               const struct starfish_diffusion_options *options, starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_make(context, &starfish_kind_diffusion, &starfish_diffusion_problem_table, problem, options,
                              plan);
}

starfish_status starfish_diffusion_memory(starfish_context *context, const struct starfish_diffusion_problem *problem,
                                          const struct starfish_diffusion_options *options,
                                          struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_measure(context, &starfish_kind_diffusion, &starfish_diffusion_problem_table, problem, options,
                                 memory);
}
