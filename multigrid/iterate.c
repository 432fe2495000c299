/* The iteration of a multigrid solve: cycles on the solution itself, or in mixed precision corrections by cycles, or
 * conjugate gradients or BiCGStab that either preconditions (krylov/). */
#include "multigrid/solve.h"

#include "krylov/bicgstab.h"
#include "krylov/cg.h"
#include "krylov/correction.h"

#include <math.h>

/* A solve under way. */
struct iterating {
    struct starfish_multigrid_solve *solve;
    struct starfish_multigrid_plan *plan;
    struct starfish_progress *progress;
    struct starfish_algebra algebra;
    struct starfish_correction correction;
    struct starfish_cg cg;
    struct starfish_bicgstab_steps bicgstab;
    double corrected; /* the residual before the last correction, relative, and how many cycles that had */
    int corrected_by;
    /* Corrections that wait: the solution is u[now] and what waits, from zero or added to that. */
    const struct starfish_vector *u[2];
    int now;
    enum { NOTHING_WAITS, SOLUTION_WAITS, CORRECTION_WAITS } waits;
};

/* Do cycles, or what a kind has in their place, precondition an iteration? */
static int is_accelerated(const struct starfish_multigrid_options *o)
{
    return o->conjugate_gradients || o->bicgstab;
}

/* Full multigrid is for the first cycle alone. */
static starfish_status cycle(void *self, int first, int zero)
{
    struct iterating *i = self;
    const starfish_cycle_shape shape = i->plan->options.shape;

    if (is_accelerated(&i->plan->options) && i->plan->hooks->precondition)
        return i->plan->hooks->precondition(i->plan, i->progress);
    return starfish_hierarchy_cycle(&i->plan->graph, i->progress,
                                    shape == STARFISH_CYCLE_FMG && !first ? STARFISH_CYCLE_V : shape, zero);
}

/* ---- Cycles on the solution -------------------------------------------------------------------------------------- */

static starfish_status residual(void *self, int zero, const struct starfish_sums *sums)
{
    const struct iterating *i = self;

    return starfish_operator_residual(
        &i->plan->op, i->progress, zero ? NULL : starfish_hierarchy_solution(&i->plan->graph), i->solve->f, NULL, sums);
}

static starfish_status step(void *self, int number, int zero, int most, int *cycles)
{
    (void)most;
    *cycles = 1;
    return cycle(self, number == 0, zero);
}

/* ---- Corrections in the precision of the cycles ------------------------------------------------------------------ */

static const struct starfish_vector *begin_inner(void *self)
{
    struct iterating *i = self;

    starfish_hierarchy_restart(&i->plan->graph);
    return starfish_hierarchy_rhs(&i->plan->graph);
}

static starfish_status inner_norm(void *self, double *norm)
{
    struct iterating *i = self;
    const struct starfish_hierarchy_graph *graph = &i->plan->graph;
    const struct starfish_grid_operator op = starfish_hierarchy_operator(graph);

    STARFISH_TRY(starfish_operator_residual(&op, i->progress, starfish_hierarchy_solution(graph),
                                            starfish_hierarchy_rhs(graph), NULL, &i->plan->work.inner_sums));
    STARFISH_TRY(starfish_sums_total(&i->plan->work.inner_sums, i->plan->context, norm));
    *norm = sqrt(*norm);
    return STARFISH_SUCCESS;
}

static starfish_status end_inner(void *self, const struct starfish_vector **solution)
{
    struct iterating *i = self;

    STARFISH_TRY(starfish_hierarchy_move_solution(&i->plan->graph, i->progress));
    *solution = starfish_hierarchy_solution(&i->plan->graph);
    return STARFISH_SUCCESS;
}

static starfish_status high_residual(void *self, int zero, const struct starfish_sums *sums)
{
    const struct iterating *i = self;

    return starfish_operator_residual(&i->plan->op, i->progress, zero ? NULL : i->solve->u, i->solve->f,
                                      zero ? NULL : &i->plan->work.residual, sums);
}

/* No more cycles than the tolerance needs if they gain as much as those of the last correction. Where these gained less
 * than cycles mostly do, f32 held no more, and the first cycles of the next correction gain that and more. Of a smooth
 * right-hand side it holds the least, so that the first correction is a short one. */
static int cycles_needed(const struct iterating *i, int most)
{
    const struct starfish_multigrid_options *o = &i->plan->options;
    const struct starfish_multigrid_info *info = i->solve->info;
    const double common = log(0.3), after_rest = log(0.12), margin = 0.25, first = 6;
    double gain = common;

    if (o->tolerance <= 0 || o->absolute > 0 || info->count == 0 || !(info->residual > o->tolerance))
        return most;
    if (i->corrected_by > 0) {
        const double last = log(info->residual / i->corrected) / i->corrected_by;
        gain = last < common ? last : after_rest;
    }
    double needed = ceil(log(o->tolerance / info->residual) / gain + margin);
    if (i->corrected_by == 0)
        needed = fmin(needed, first);
    return needed < most ? (int)needed : most;
}

static starfish_status correct(void *self, int number, int zero, int most, int *cycles)
{
    struct iterating *i = self;
    const struct starfish_vector *r = zero ? i->solve->f : &i->plan->work.residual;

    most = cycles_needed(i, most);
    STARFISH_TRY(starfish_correct(&i->correction, number == 0, r, !zero, i->solve->u, most, cycles));
    i->corrected = i->solve->info->residual;
    i->corrected_by = *cycles;
    return i->plan->hooks->polish ? i->plan->hooks->polish(i->plan, i->progress, i->solve->f, i->solve->u)
                                  : STARFISH_SUCCESS;
}

/* ---- Corrections that wait for the next residual ----------------------------------------------------------------- */

/* Where the kind combines, one task adds the correction, computes the residual and rounds it to f32 for the next
 * correction: 32 bytes per unknown instead of 56. Solutions take turns in two vectors, as tasks read the rows beside
 * what they write. */

static starfish_status corrected_residual(void *self, int zero, const struct starfish_sums *sums)
{
    struct iterating *i = self;
    struct starfish_operator_step step = {.f = i->solve->f, .sums = sums};

    if (!zero) {
        step.u = i->waits == SOLUTION_WAITS ? NULL : i->u[i->now];
        step.correction = i->correction.solution;
        step.factor = starfish_scalars_factor(&i->plan->work.scalars, 1, STARFISH_KRYLOV_UNSCALE);
        step.v = i->u[!i->now];
        step.result = begin_inner(i);
        step.lower = 1;
        i->now = !i->now;
        i->waits = NOTHING_WAITS;
    }
    return starfish_operator_advance(&i->plan->op, i->progress, &step);
}

static starfish_status correct_later(void *self, int number, int zero, int most, int *cycles)
{
    struct iterating *i = self;

    STARFISH_TRY(starfish_correct(&i->correction, number == 0, zero ? i->solve->f : NULL, 0, NULL,
                                  cycles_needed(i, most), cycles));
    i->corrected = i->solve->info->residual;
    i->corrected_by = *cycles;
    i->waits = zero ? SOLUTION_WAITS : CORRECTION_WAITS;
    return STARFISH_SUCCESS;
}

static starfish_status add_what_waits(struct iterating *i)
{
    const struct starfish_factor unscale = starfish_scalars_factor(&i->plan->work.scalars, 1, STARFISH_KRYLOV_UNSCALE);

    i->solve->u = i->u[i->now];
    return i->waits == NOTHING_WAITS ? STARFISH_SUCCESS
                                     : starfish_algebra_convert(&i->algebra, &unscale, i->waits == CORRECTION_WAITS,
                                                                i->correction.solution, i->solve->u);
}

/* ---- Cycles that precondition ------------------------------------------------------------------------------------ */

static starfish_status precondition(void *self, int number, const struct starfish_vector *r,
                                    const struct starfish_vector *z, int most, int *cycles)
{
    struct iterating *i = self;

    if (i->plan->mixed)
        return starfish_correct(&i->correction, number == 0, r, 0, z, most, cycles);
    *cycles = 1;
    starfish_hierarchy_set_arrays(&i->plan->graph, r, z);
    STARFISH_TRY(cycle(i, number == 0, 1));
    return starfish_hierarchy_move_solution(&i->plan->graph, i->progress);
}

static starfish_status precondition_sums(void *self, const struct starfish_vector *r, const struct starfish_vector *z,
                                         const struct starfish_sums *rz)
{
    struct iterating *i = self;

    return i->plan->hooks->precondition_sums(i->plan, i->progress, r, z, rz);
}

static starfish_status matrix_residual(const void *self, const struct starfish_vector *u,
                                       const struct starfish_vector *f, const struct starfish_vector *result,
                                       const struct starfish_sums *sums)
{
    const struct iterating *i = self;

    return starfish_operator_residual(&i->plan->op, i->progress, u, f, result, sums);
}

static starfish_status combine(const void *self, const struct starfish_operator_step *step)
{
    const struct iterating *i = self;

    return starfish_operator_advance(&i->plan->op, i->progress, step);
}

/* ---- The choice -------------------------------------------------------------------------------------------------- */

static void set_up(struct iterating *i)
{
    struct starfish_multigrid_work *w = &i->plan->work;
    const struct starfish_multigrid_options *o = &i->plan->options;
    const int fuses = starfish_multigrid_fuses(i->plan);

    i->algebra = (struct starfish_algebra){i->progress, STARFISH_PHASE_VECTORS, i->plan->op.setting.where};
    i->u[0] = i->solve->u;
    i->u[1] = &w->other;
    i->correction = (struct starfish_correction){.algebra = &i->algebra,
                                                 .scalars = &w->scalars,
                                                 .inner = {i, begin_inner, cycle, inner_norm, end_inner},
                                                 .cycles = o->inner_cycles,
                                                 .digits = o->inner_digits};
    i->cg = (struct starfish_cg){.algebra = &i->algebra,
                                 .scalars = &w->scalars,
                                 .matrix = {.self = i, .residual = matrix_residual, .combine = combine},
                                 .preconditioner = {i, precondition, fuses ? precondition_sums : NULL},
                                 .fused = fuses,
                                 .b = i->solve->f,
                                 .x = {i->solve->u, &w->other},
                                 .r = &w->residual,
                                 .z = &w->preconditioned,
                                 .p = {&w->direction, &w->image},
                                 .q = &w->image,
                                 .norm = &w->sums,
                                 .pq = &w->products[0],
                                 .rz = &w->products[1]};
    i->bicgstab = (struct starfish_bicgstab_steps){.algebra = &i->algebra,
                                                   .scalars = &w->scalars,
                                                   .matrix = i->cg.matrix,
                                                   .preconditioner = i->cg.preconditioner,
                                                   .f = i->solve->f,
                                                   .u = i->solve->u,
                                                   .residual = &w->residual,
                                                   .shadow = &w->shadow,
                                                   .direction = &w->direction,
                                                   .preconditioned = &w->preconditioned,
                                                   .v = &w->image,
                                                   .t = &w->rest_image,
                                                   .sums = &w->sums,
                                                   .products = w->products};
}

static struct starfish_iteration choose(struct iterating *i)
{
    struct starfish_multigrid_work *w = &i->plan->work;
    const struct starfish_multigrid_options *o = &i->plan->options;
    struct starfish_iteration iteration = {.self = i,
                                           .residual = residual,
                                           .step = step,
                                           .algebra = &i->algebra,
                                           .scalars = &w->scalars,
                                           .sums = &w->sums,
                                           .most_ahead = 1};

    const int most_ahead = i->plan->mixed && o->inner_digits > 0 ? 1 : STARFISH_KRYLOV_RING;

    if (o->conjugate_gradients)
        return starfish_cg_iteration(&i->cg, most_ahead);
    if (o->bicgstab)
        return starfish_bicgstab_iteration(&i->bicgstab, most_ahead);
    if (i->plan->mixed) {
        const int later = starfish_multigrid_fuses_corrections(i->plan);
        iteration.residual = later ? corrected_residual : high_residual;
        iteration.step = later ? correct_later : correct;
        iteration.needs_residual = 1;
    }
    return iteration;
}

/* Corrections that count: conjugate gradients submit steps ahead, of which those after the last one change nothing. */
static int corrections(const struct iterating *i, const struct starfish_iteration_report *report)
{
    const struct starfish_multigrid_options *o = &i->plan->options;
    const int counted = (report->cycles + o->inner_cycles - 1) / o->inner_cycles;

    return o->inner_digits > 0 || i->correction.made < counted ? i->correction.made : counted;
}

static void copy_report(struct iterating *i, const struct starfish_iteration_report *report)
{
    struct starfish_multigrid_info *info = i->solve->info;

    info->outcome = starfish_outcome_of_ending(report->end);
    info->cycles = report->cycles;
    info->defects = corrections(i, report);
    info->rhs_norm = report->rhs_norm;
    info->residual = report->residual;
    info->factor = report->factor;
    info->count = report->count;
}

static void tell(void *self, const struct starfish_iteration_report *report)
{
    struct iterating *i = self;

    copy_report(i, report);
    if (i->solve->tell)
        i->solve->tell(i->solve->tell_data, i->solve->info);
}

/* Residuals of conjugate gradients that are hardly preconditioned rise and stay for many steps before they fall: a step
 * brings what an end says to the next unknown alone, and until all have heard of it the residual may stay. Those of
 * BiCGStab jump. */
static int patience_for(const struct starfish_multigrid_plan *plan)
{
    enum { ALONE = 200, JUMPS = 50, MOST = 1 << 20 };
    const size_t rows = plan->n[1] < MOST ? plan->n[1] : MOST;

    if (is_accelerated(&plan->options) && plan->hooks->precondition)
        return ALONE + 2 * (int)rows;
    return plan->options.bicgstab ? JUMPS : 0;
}

/* Was the residual smaller on the way than where the iteration stagnated? Rounding errors make residuals of conjugate
 * gradients and BiCGStab rise again, without a bound, once they are as small as they can be. */
static int was_better(const struct iterating *i)
{
    const struct starfish_multigrid_options *o = &i->plan->options;
    const double *const values = i->plan->work.scalars.values;
    const int done = (int)values[STARFISH_KRYLOV_DONE];

    return is_accelerated(o) && !o->initial_guess &&
           (done == STARFISH_KRYLOV_STAGNATED || done == STARFISH_KRYLOV_NOT_FINITE) &&
           values[STARFISH_KRYLOV_BEST] < values[STARFISH_KRYLOV_FIRST_NORM] &&
           !(values[STARFISH_KRYLOV_NORM] <= 2 * values[STARFISH_KRYLOV_BEST]);
}

/* Iterates once more from zero, and ends at the smallest residual that there was: that solution is worth looking at. */
static starfish_status return_to_best(struct iterating *i, const struct starfish_stopping *stopping,
                                      struct starfish_iteration_report *report)
{
    struct starfish_stopping nearer = *stopping;

    nearer.absolute = fmax(stopping->absolute, 1.5 * i->plan->work.scalars.values[STARFISH_KRYLOV_BEST]);
    set_up(i);
    const struct starfish_iteration iteration = choose(i);
    STARFISH_TRY(starfish_iterate(&iteration, &nearer, report));
    starfish_iteration_fell_short(stopping, STARFISH_ENDED_STALLED, report);
    return starfish_fail(STARFISH_ERROR_NUMERICAL, "the residual stopped falling at %.3g of the right-hand side",
                         report->residual);
}

/* The solution is solve->u. */
static starfish_status end(struct iterating *i)
{
    if (i->plan->options.conjugate_gradients)
        return starfish_cg_end(&i->cg);
    if (starfish_multigrid_fuses_corrections(i->plan))
        return add_what_waits(i);
    return i->plan->mixed || is_accelerated(&i->plan->options)
               ? STARFISH_SUCCESS
               : starfish_hierarchy_move_solution(&i->plan->graph, i->progress);
}

starfish_status starfish_multigrid_iterate(struct starfish_multigrid_solve *solve)
{
    struct iterating i = {.solve = solve, .plan = solve->plan, .progress = solve->progress};
    const struct starfish_multigrid_options *o = &solve->plan->options;
    const int watched = o->tolerance > 0 || o->absolute > 0;
    const struct starfish_stopping stopping = {.tolerance = o->tolerance,
                                               .absolute = watched ? fmax(o->absolute, solve->floor) : 0,
                                               .floor = solve->floor,
                                               .patience = patience_for(solve->plan),
                                               .most_cycles = o->most_cycles,
                                               .initial_guess = o->initial_guess,
                                               .cancelled = solve->cancelled,
                                               .tell = tell,
                                               .data = &i};
    struct starfish_iteration_report report = {.history = solve->info->history,
                                               .most_count = STARFISH_MULTIGRID_HISTORY};

    set_up(&i);
    if (!solve->plan->mixed && !is_accelerated(o))
        starfish_hierarchy_set_arrays(&solve->plan->graph, solve->f, solve->u);
    struct starfish_iteration iteration = choose(&i);
    const int asks = solve->plan->mixed && o->inner_digits > 0; /* the host, how far inner cycles have come */
    if (!asks && !solve->plan->hooks->polish)
        iteration.joint = solve->plan->graph.joint;
    starfish_status status = starfish_iterate(&iteration, &stopping, &report);
    if (status == STARFISH_ERROR_NUMERICAL && was_better(&i))
        status = return_to_best(&i, &stopping, &report);
    copy_report(&i, &report);
    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    const starfish_status ended = end(&i);
    return status != STARFISH_SUCCESS ? status : ended;
}

/* ---- For iterations of others ------------------------------------------------------------------------------------ */

starfish_status starfish_multigrid_precondition(struct starfish_multigrid_plan *plan,
                                                struct starfish_progress *progress, const struct starfish_vector *r,
                                                const struct starfish_vector *z)
{
    starfish_hierarchy_set_arrays(&plan->graph, r, z);
    STARFISH_TRY(starfish_hierarchy_cycle(&plan->graph, progress, plan->options.shape, 1));
    return starfish_hierarchy_move_solution(&plan->graph, progress);
}
