/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passes of an engine: cycles on the solution itself, or in mixed precision corrections by cycles, or conjugate
 * gradients or BiCGStab that either preconditions (krylov/). */
#include "multigrid/solve.h"

#include "krylov/bicgstab.h"
#include "krylov/cg.h"
#include "krylov/correction.h"

#include <math.h>

/* A pass under way. */
struct iterating {
    struct starfish_multigrid_engine *engine;
    struct starfish_progress *progress;
    const struct starfish_vector *f, *u;
    const struct starfish_pass *pass;
    const struct starfish_multigrid_watch *watch;
    struct starfish_result *result;
    struct starfish_algebra algebra;
    struct starfish_correction correction;
    struct starfish_cg cg;
    struct starfish_bicgstab_steps bicgstab;
    double corrected; /* the residual before the last correction, relative, and how many cycles that had */
    int corrected_by;
    /* Corrections that wait: the solution is turn[now] and what waits, from zero or added to that. */
    const struct starfish_vector *turn[2];
    int now;
    enum { NOTHING_WAITS, SOLUTION_WAITS, CORRECTION_WAITS } waits;
};

/* Do cycles, or what a kind has in their place, precondition an iteration? */
static int is_accelerated(const struct starfish_pass *pass)
{
    return pass->variant != STARFISH_KRYLOV_NONE;
}

/* Does the host look after every cycle how many digits a correction has gained? */
static int asks_for_digits(const struct starfish_multigrid_engine *engine)
{
    return engine->mixed && engine->options.inner_digits > 0;
}

/* Do corrections wait for the residual after them? */
static int corrects_later(const struct iterating *i)
{
    return starfish_multigrid_fuses_corrections(i->engine, i->pass) && i->engine->work.other.space;
}

/* Full multigrid is for the first cycle alone. */
static starfish_status cycle(void *self, int first, int zero)
{
    struct iterating *i = self;
    const starfish_cycle_shape shape = i->engine->options.cycle;

    if (is_accelerated(i->pass) && i->engine->hooks->precondition)
        return i->engine->hooks->precondition(i->engine, i->progress);
    return starfish_hierarchy_cycle(&i->engine->graph, i->progress,
                                    shape == STARFISH_CYCLE_FMG && !first ? STARFISH_CYCLE_V : shape, zero);
}

/* ---- Cycles on the solution -------------------------------------------------------------------------------------- */

static starfish_status residual(void *self, int zero, const struct starfish_sums *sums)
{
    const struct iterating *i = self;

    return starfish_operator_residual(&i->engine->op, i->progress,
                                      zero ? NULL : starfish_hierarchy_solution(&i->engine->graph), i->f, NULL, sums);
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

    starfish_hierarchy_restart(&i->engine->graph);
    return starfish_hierarchy_rhs(&i->engine->graph);
}

static starfish_status inner_norm(void *self, double *norm)
{
    struct iterating *i = self;
    const struct starfish_hierarchy_graph *graph = &i->engine->graph;
    const struct starfish_grid_operator op = starfish_hierarchy_operator(graph);

    STARFISH_TRY(starfish_operator_residual(&op, i->progress, starfish_hierarchy_solution(graph),
                                            starfish_hierarchy_rhs(graph), NULL, &i->engine->work.inner_sums));
    STARFISH_TRY(starfish_sums_total(&i->engine->work.inner_sums, i->engine->context, norm));
    *norm = sqrt(*norm);
    return STARFISH_SUCCESS;
}

static starfish_status end_inner(void *self, const struct starfish_vector **solution)
{
    struct iterating *i = self;

    STARFISH_TRY(starfish_hierarchy_move_solution(&i->engine->graph, i->progress));
    *solution = starfish_hierarchy_solution(&i->engine->graph);
    return STARFISH_SUCCESS;
}

static starfish_status high_residual(void *self, int zero, const struct starfish_sums *sums)
{
    const struct iterating *i = self;

    return starfish_operator_residual(&i->engine->op, i->progress, zero ? NULL : i->u, i->f,
                                      zero ? NULL : &i->engine->work.residual, sums);
}

/* No more cycles than the tolerance needs if they gain as much as those of the last correction. Where these gained less
 * than cycles mostly do, f32 held no more, and the first cycles of the next correction gain that and more. Of a smooth
 * right-hand side it holds the least, so that the first correction is a short one. */
static int cycles_needed(const struct iterating *i, int most)
{
    const struct starfish_pass *pass = i->pass;
    const struct starfish_result *result = i->result;
    const double common = log(0.3), after_rest = log(0.12), margin = 0.25, first = 6;
    double gain = common;

    if (pass->tolerance <= 0 || pass->absolute > 0 || result->count == 0 || !(result->residual > pass->tolerance))
        return most;
    if (i->corrected_by > 0) {
        const double last = log(result->residual / i->corrected) / i->corrected_by;
        gain = last < common ? last : after_rest;
    }
    double needed = ceil(log(pass->tolerance / result->residual) / gain + margin);
    if (i->corrected_by == 0)
        needed = fmin(needed, first);
    return needed < most ? (int)needed : most;
}

static starfish_status correct(void *self, int number, int zero, int most, int *cycles)
{
    struct iterating *i = self;
    const struct starfish_vector *r = zero ? i->f : &i->engine->work.residual;

    most = cycles_needed(i, most);
    STARFISH_TRY(starfish_correct(&i->correction, number == 0, r, !zero, i->u, most, cycles));
    i->corrected = i->result->residual;
    i->corrected_by = *cycles;
    return i->engine->hooks->polish ? i->engine->hooks->polish(i->engine, i->progress, i->f, i->u) : STARFISH_SUCCESS;
}

/* ---- Corrections that wait for the next residual ----------------------------------------------------------------- */

/* Where the kind combines, one task adds the correction, computes the residual and rounds it to f32 for the next
 * correction: 32 bytes per unknown instead of 56. Solutions take turns in two vectors, as tasks read the rows beside
 * what they write. */

static starfish_status corrected_residual(void *self, int zero, const struct starfish_sums *sums)
{
    struct iterating *i = self;
    struct starfish_operator_step step = {.f = i->f, .sums = sums};

    if (!zero) {
        step.u = i->waits == SOLUTION_WAITS ? NULL : i->turn[i->now];
        step.correction = i->correction.solution;
        step.factor = starfish_scalars_factor(&i->engine->work.scalars, 1, STARFISH_KRYLOV_UNSCALE);
        step.v = i->turn[!i->now];
        step.result = begin_inner(i);
        step.lower = 1;
        i->now = !i->now;
        i->waits = NOTHING_WAITS;
    }
    return starfish_operator_advance(&i->engine->op, i->progress, &step);
}

static starfish_status correct_later(void *self, int number, int zero, int most, int *cycles)
{
    struct iterating *i = self;

    STARFISH_TRY(
        starfish_correct(&i->correction, number == 0, zero ? i->f : NULL, 0, NULL, cycles_needed(i, most), cycles));
    i->corrected = i->result->residual;
    i->corrected_by = *cycles;
    i->waits = zero ? SOLUTION_WAITS : CORRECTION_WAITS;
    return STARFISH_SUCCESS;
}

static starfish_status add_what_waits(struct iterating *i)
{
    const struct starfish_factor unscale =
        starfish_scalars_factor(&i->engine->work.scalars, 1, STARFISH_KRYLOV_UNSCALE);

    i->u = i->turn[i->now];
    return i->waits == NOTHING_WAITS ? STARFISH_SUCCESS
                                     : starfish_algebra_convert(&i->algebra, &unscale, i->waits == CORRECTION_WAITS,
                                                                i->correction.solution, i->u);
}

/* ---- Cycles that precondition ------------------------------------------------------------------------------------ */

static starfish_status precondition(void *self, int number, const struct starfish_vector *r,
                                    const struct starfish_vector *z, int most, int *cycles)
{
    struct iterating *i = self;

    if (i->engine->mixed)
        return starfish_correct(&i->correction, number == 0, r, 0, z, most, cycles);
    *cycles = 1;
    starfish_hierarchy_set_arrays(&i->engine->graph, r, z);
    STARFISH_TRY(cycle(i, number == 0, 1));
    return starfish_hierarchy_move_solution(&i->engine->graph, i->progress);
}

static starfish_status precondition_sums(void *self, const struct starfish_vector *r, const struct starfish_vector *z,
                                         const struct starfish_sums *rz)
{
    struct iterating *i = self;

    return i->engine->hooks->precondition_sums(i->engine, i->progress, r, z, rz);
}

static starfish_status matrix_residual(const void *self, const struct starfish_vector *u,
                                       const struct starfish_vector *f, const struct starfish_vector *result,
                                       const struct starfish_sums *sums)
{
    const struct iterating *i = self;

    return starfish_operator_residual(&i->engine->op, i->progress, u, f, result, sums);
}

static starfish_status combine(const void *self, const struct starfish_operator_step *step)
{
    const struct iterating *i = self;

    return starfish_operator_advance(&i->engine->op, i->progress, step);
}

/* ---- The choice -------------------------------------------------------------------------------------------------- */

static void set_up(struct iterating *i)
{
    struct starfish_multigrid_work *w = &i->engine->work;
    const struct starfish_multigrid_options *o = &i->engine->options;
    const int fuses = starfish_multigrid_fuses(i->engine, i->pass);

    i->algebra = (struct starfish_algebra){i->progress, STARFISH_PHASE_VECTORS, i->engine->op.setting.where};
    i->turn[0] = i->u;
    i->turn[1] = &w->other;
    i->correction = (struct starfish_correction){.algebra = &i->algebra,
                                                 .scalars = &w->scalars,
                                                 .inner = {i, begin_inner, cycle, inner_norm, end_inner},
                                                 .cycles = o->inner_cycles,
                                                 .digits = o->inner_digits};
    i->cg = (struct starfish_cg){
        .algebra = &i->algebra,
        .scalars = &w->scalars,
        .matrix = {.self = i, .residual = matrix_residual, .combine = combine},
        .preconditioner = {.self = i, .apply = precondition, .apply_and_sum = fuses ? precondition_sums : NULL},
        .fused = fuses,
        .b = i->f,
        .x = {i->u, &w->other},
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
                                                   .f = i->f,
                                                   .u = i->u,
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
    struct starfish_multigrid_work *w = &i->engine->work;
    struct starfish_iteration iteration = {.self = i,
                                           .residual = residual,
                                           .step = step,
                                           .algebra = &i->algebra,
                                           .scalars = &w->scalars,
                                           .sums = &w->sums,
                                           .most_ahead = 1};

    const int most_ahead = asks_for_digits(i->engine) ? 1 : STARFISH_KRYLOV_RING;

    if (i->pass->variant == STARFISH_KRYLOV_CG)
        return starfish_cg_iteration(&i->cg, most_ahead);
    if (i->pass->variant == STARFISH_KRYLOV_BICGSTAB)
        return starfish_bicgstab_iteration(&i->bicgstab, most_ahead);
    if (i->engine->mixed) {
        const int later = corrects_later(i);
        iteration.residual = later ? corrected_residual : high_residual;
        iteration.step = later ? correct_later : correct;
        iteration.needs_residual = 1;
    }
    return iteration;
}

/* Corrections that count: conjugate gradients submit steps ahead, of which those after the last one change nothing. */
static int corrections(const struct iterating *i, const struct starfish_iteration_report *report)
{
    const struct starfish_multigrid_options *o = &i->engine->options;
    const int counted = (report->cycles + o->inner_cycles - 1) / o->inner_cycles;

    return o->inner_digits > 0 || i->correction.made < counted ? i->correction.made : counted;
}

static void copy_report(struct iterating *i, const struct starfish_iteration_report *report)
{
    struct starfish_result *result = i->result;

    result->outcome = starfish_outcome_of_ending(report->end);
    result->iterations = report->cycles;
    result->corrections = corrections(i, report);
    result->rhs_norm = report->rhs_norm;
    result->residual = report->residual;
    result->factor = report->factor;
    result->count = report->count;
}

static void tell(void *self, const struct starfish_iteration_report *report)
{
    struct iterating *i = self;

    copy_report(i, report);
    if (i->watch->tell)
        i->watch->tell(i->watch->data, i->result);
}

/* Residuals of conjugate gradients that are hardly preconditioned rise and stay for many steps before they fall: a step
 * brings what an end says to the next unknown alone, and until all have heard of it the residual may stay. Those of
 * BiCGStab jump. */
static int patience_for(const struct iterating *i)
{
    enum { ALONE = 200, JUMPS = 50, MOST = 1 << 20 };
    const size_t rows = i->engine->n[1] < MOST ? i->engine->n[1] : MOST;

    if (is_accelerated(i->pass) && i->engine->hooks->precondition)
        return ALONE + 2 * (int)rows;
    return i->pass->variant == STARFISH_KRYLOV_BICGSTAB ? JUMPS : 0;
}

/* Was the residual smaller on the way than where the iteration stagnated? Rounding errors make residuals of conjugate
 * gradients and BiCGStab rise again, without a bound, once they are as small as they can be. */
static int was_better(const struct iterating *i)
{
    const double *const values = i->engine->work.scalars.values;
    const int done = (int)values[STARFISH_KRYLOV_DONE];

    return is_accelerated(i->pass) && !i->pass->from_guess &&
           (done == STARFISH_KRYLOV_STAGNATED || done == STARFISH_KRYLOV_NOT_FINITE) &&
           values[STARFISH_KRYLOV_BEST] < values[STARFISH_KRYLOV_FIRST_NORM] &&
           !(values[STARFISH_KRYLOV_NORM] <= 2 * values[STARFISH_KRYLOV_BEST]);
}

/* Iterates once more from zero, and ends at the smallest residual that there was: that solution is worth looking at. */
static starfish_status return_to_best(struct iterating *i, const struct starfish_stopping *stopping,
                                      struct starfish_iteration_report *report)
{
    struct starfish_stopping nearer = *stopping;

    nearer.absolute = fmax(stopping->absolute, 1.5 * i->engine->work.scalars.values[STARFISH_KRYLOV_BEST]);
    set_up(i);
    const struct starfish_iteration iteration = choose(i);
    STARFISH_TRY(starfish_iterate(&iteration, &nearer, report));
    starfish_iteration_fell_short(stopping, STARFISH_ENDED_STALLED, report);
    return starfish_fail(STARFISH_ERROR_NUMERICAL, "the residual stopped falling at %.3g of the right-hand side",
                         report->residual);
}

/* The solution is i->u. */
static starfish_status end(struct iterating *i)
{
    if (i->pass->variant == STARFISH_KRYLOV_CG)
        return starfish_cg_end(&i->cg);
    if (corrects_later(i))
        return add_what_waits(i);
    return i->engine->mixed || is_accelerated(i->pass)
               ? STARFISH_SUCCESS
               : starfish_hierarchy_move_solution(&i->engine->graph, i->progress);
}

/* Whether the engine has what the pass needs: vectors, and of CG a smoother that is symmetric. */
static int can(const struct starfish_multigrid_engine *engine, const struct starfish_pass *pass)
{
    const struct starfish_multigrid_options *o = &engine->options;

    if (pass->variant == STARFISH_KRYLOV_NONE)
        return !engine->mixed || engine->work.residual.space || starfish_multigrid_fuses_corrections(engine, pass);
    return starfish_multigrid_has(o, (starfish_krylov)pass->variant);
}

/* One pass for A u = f, vectors of the engine's space and of the precision of the solution. *u: where the solution
 * begins; where it is in the end. Errors: NUMERICAL where it ends short of the tolerance, with the solution as it then
 * is; ARGUMENT (the engine has no such variant); RUNTIME. */
static starfish_status run(struct starfish_multigrid_solve *solve, const struct starfish_vector *f,
                           const struct starfish_vector **u)
{
    struct starfish_multigrid_engine *engine = solve->engine;
    struct starfish_pass *pass = &solve->pass;
    struct iterating i = {.engine = engine,
                          .progress = solve->progress,
                          .f = f,
                          .u = *u,
                          .pass = pass,
                          .watch = &solve->watch,
                          .result = solve->result};
    const double *const values = engine->work.scalars.values;
    const int watched = pass->tolerance > 0 || pass->absolute > 0;
    const struct starfish_stopping stopping = {.tolerance = pass->tolerance,
                                               .absolute = watched ? fmax(pass->absolute, pass->floor) : 0,
                                               .floor = pass->floor,
                                               .patience = patience_for(&i),
                                               .most = pass->most,
                                               .from_guess = pass->from_guess,
                                               .cancelled = solve->watch.cancelled,
                                               .tell = tell,
                                               .data = &i};
    struct starfish_iteration_report report = {.history = solve->result->history, .most_count = STARFISH_HISTORY};

    STARFISH_REFUSE_IF(!can(engine, pass), "the engine was not made for passes of variant %d", pass->variant);
    set_up(&i);
    if (!engine->mixed && !is_accelerated(pass))
        starfish_hierarchy_set_arrays(&engine->graph, f, i.u);
    struct starfish_iteration iteration = choose(&i);
    if (!asks_for_digits(engine) && !engine->hooks->polish)
        iteration.groups = engine->graph.groups;
    starfish_status status = starfish_iterate(&iteration, &stopping, &report);
    if (status == STARFISH_ERROR_NUMERICAL && was_better(&i))
        status = return_to_best(&i, &stopping, &report);
    copy_report(&i, &report);
    pass->steps = report.cycles;
    pass->norm = watched ? values[STARFISH_KRYLOV_NORM] : (double)NAN;
    pass->best = watched ? values[STARFISH_KRYLOV_BEST] : (double)NAN;
    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    const starfish_status ended = end(&i);
    *u = i.u;
    return status != STARFISH_SUCCESS ? status : ended;
}

starfish_status starfish_multigrid_solve_run(struct starfish_multigrid_solve *solve)
{
    const struct starfish_vector *f, *u = NULL;
    const double start = starfish_now();
    starfish_status status = starfish_multigrid_solve_begin(solve, &f, &u);

    STARFISH_THEN(status, run(solve, f, &u));
    status = starfish_multigrid_solve_end(solve, status, u);
    solve->seconds = starfish_now() - start;
    return status;
}

starfish_status starfish_multigrid_job_run(struct starfish_job *job)
{
    return starfish_multigrid_solve_run(job->of_run);
}

/* ---- For iterations of others ------------------------------------------------------------------------------------ */

starfish_status starfish_multigrid_precondition(struct starfish_multigrid_engine *engine,
                                                struct starfish_progress *progress, const struct starfish_vector *r,
                                                const struct starfish_vector *z)
{
    starfish_hierarchy_set_arrays(&engine->graph, r, z);
    STARFISH_TRY(starfish_hierarchy_cycle(&engine->graph, progress, engine->options.cycle, 1));
    return starfish_hierarchy_move_solution(&engine->graph, progress);
}
