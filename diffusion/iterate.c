/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The iteration of a solve: conjugate gradients by the recurrence of the residual. The residual is then computed anew
 * and the iteration restarts from it (residual replacement: van der Vorst and Ye, SIAM J. Sci. Comput. 22 (2000),
 * 835-852), until the true residual is small enough or at the level of rounding errors. In mixed precision the
 * iteration is in f32, and the residuals that start it are in f64.
 *
 * A solve that stagnates, or uses most of its iterations, continues with multigrid in the precision of the solution.
 * Requested methods without a second level have no such fallback: no preconditioner or the diagonal alone, without
 * deflation. */
#include "diffusion/solve.h"

#include "base/precision.h"
#include "multigrid/engine.h"
#include "solver/retry.h"

#include <math.h>

/* How far a solve is. Norms are Euclidean. */
struct state {
    struct starfish_diffusion_job *job;
    struct starfish_diffusion_plan *plan;
    struct starfish_retry retry;
    int by_fallback;                     /* the pass is one of the second rung */
    double rhs_norm, rhs_largest, floor; /* floor: up to this norm f is rounding errors of what was taken off it */
    double wanted, recurrence;           /* norms of the residual */
};

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static starfish_status submit(const struct state *s, struct starfish_cells_task task)
{
    task.op = &s->plan->high;
    return starfish_submit_cells(&s->job->algebra, &task);
}

/* Of the sums, their total or the largest. */
static starfish_status sum(const struct state *s, enum starfish_cell_step step, const struct starfish_vector *u,
                           double *value)
{
    STARFISH_TRY(submit(s, (struct starfish_cells_task){.step = step, .u = u, .sums = &s->plan->norm}));
    return step == STARFISH_CELLS_LARGEST ? starfish_sums_largest(&s->plan->norm, s->plan->plan.context, value)
                                          : starfish_sums_total(&s->plan->norm, s->plan->plan.context, value);
}

static starfish_status norm(const struct state *s, const struct starfish_vector *u, double *value)
{
    STARFISH_TRY(starfish_algebra_product(&s->job->algebra, u, u, &s->plan->norm));
    STARFISH_TRY(starfish_sums_total(&s->plan->norm, s->plan->plan.context, value));
    *value = sqrt(*value);
    return STARFISH_SUCCESS;
}

static starfish_status copy(const struct state *s, const struct starfish_vector *from, const struct starfish_vector *to)
{
    return starfish_algebra_update(&s->job->algebra, from, NULL, NULL, to);
}

/* u less its mean. */
static starfish_status take_mean_off(const struct state *s, const struct starfish_vector *u, double *mean)
{
    STARFISH_TRY(sum(s, STARFISH_CELLS_SUM, u, mean));
    *mean /= (double)s->plan->box.cells;
    return submit(
        s, (struct starfish_cells_task){.step = STARFISH_CELLS_SHIFT, .u = u, .q = u, .factor = {.number = -*mean}});
}

/* ---- Right-hand side and residual -------------------------------------------------------------------------------- */

/* A right-hand side so small that digits of it, or of its squares, are lost. */
static starfish_status check_size(const struct state *s)
{
    const double least = fmax(starfish_least_normal(s->plan->options.precision), STARFISH_LEAST_NORM);
    const double size = s->rhs_largest > 0 ? s->rhs_largest : s->job->largest_extra;

    return STARFISH_OR_FAIL(size == 0 || size >= least, STARFISH_ERROR_ARGUMENT, STARFISH_RHS_TOO_SMALL, size);
}

/* f = -rhs + extra. A singular problem's is without its mean, which is taken off twice: the first is as inexact as a
 * sum of as many numbers. */
static starfish_status prepare(struct state *s)
{
    struct starfish_diffusion_plan *plan = s->plan;
    const struct starfish_diffusion_array *array = s->job->array;
    const struct starfish_vector *extra =
        array[STARFISH_DIFFUSION_EXTRA].memory ? &array[STARFISH_DIFFUSION_EXTRA].vector : NULL;
    const struct starfish_factor minus = {.number = -1};
    double mean = 0, more = 0;

    STARFISH_TRY(
        starfish_algebra_update(&s->job->algebra, extra, &minus, &array[STARFISH_DIFFUSION_RHS].vector, &plan->f));
    STARFISH_TRY(starfish_algebra_update(&s->job->algebra, NULL, NULL, NULL, &plan->u));
    STARFISH_TRY(sum(s, STARFISH_CELLS_LARGEST, &plan->f, &s->rhs_largest));
    STARFISH_TRY(check_size(s));
    if (plan->box.singular) {
        STARFISH_TRY(take_mean_off(s, &plan->f, &mean));
        STARFISH_TRY(take_mean_off(s, &plan->f, &more));
        s->floor = 8 * starfish_epsilon(plan->options.precision) * s->rhs_largest * sqrt((double)plan->box.cells);
        STARFISH_TRY(sum(s, STARFISH_CELLS_LARGEST, &plan->f, &s->rhs_largest));
    }
    s->job->job.result.pertrb = -(mean + more);
    return norm(s, &plan->f, &s->rhs_norm);
}

/* The residual in truth; a singular problem's without the mean that rounding has left in it, and of a solution without
 * a mean, whose digits would be lost to it. */
static starfish_status find_residual(struct state *s)
{
    struct starfish_diffusion_plan *plan = s->plan;
    double mean;

    if (plan->box.singular)
        STARFISH_TRY(take_mean_off(s, &plan->u, &mean));
    STARFISH_TRY(submit(
        s,
        (struct starfish_cells_task){
            .step = STARFISH_CELLS_RESIDUAL, .u = &plan->u, .f = &plan->f, .q = &plan->residual, .sums = &plan->norm}));
    STARFISH_TRY(starfish_sums_total(&plan->norm, plan->plan.context, &s->retry.norm));
    s->retry.norm = sqrt(s->retry.norm);
    return plan->box.singular ? take_mean_off(s, &plan->residual, &mean) : STARFISH_SUCCESS;
}

/* ---- Passes ------------------------------------------------------------------------------------------------------ */

static starfish_status cycle(void *self, int number, const struct starfish_vector *r, const struct starfish_vector *z,
                             int most, int *cycles)
{
    struct state *s = self;

    (void)number, (void)most;
    *cycles = 1;
    return starfish_multigrid_precondition(s->by_fallback ? s->plan->fallback.multigrid : s->plan->multigrid,
                                           &s->job->job.progress, r, z);
}

/* Vector number i of an iteration: r, z, p, q. */
static const struct starfish_vector *vector(const struct state *s, int i)
{
    const struct starfish_diffusion_plan *plan = s->plan;
    const struct starfish_vector *const usual[] = {&plan->r, &plan->z, &plan->p, &plan->q};

    return s->by_fallback && plan->fallback.has_vectors ? &plan->fallback.vector[i] : usual[i];
}

static starfish_precision precision_now(const struct state *s)
{
    return s->by_fallback ? s->plan->options.precision : s->plan->inner;
}

static struct starfish_cells_matrix cells_now(const struct state *s)
{
    struct starfish_diffusion_plan *plan = s->plan;
    const enum starfish_cell_preconditioner by =
        s->by_fallback ? STARFISH_CELLS_BY_ANOTHER : starfish_diffusion_preconditioner_kind(plan);

    return (struct starfish_cells_matrix){.algebra = &s->job->algebra,
                                          .half = vector(s, 3),
                                          .steps = {.op = s->by_fallback ? &plan->high : &plan->low,
                                                    .by = by,
                                                    .cycle = by == STARFISH_CELLS_BY_ANOTHER ? &plan->cycle : NULL,
                                                    .block = plan->options.block,
                                                    .table = plan->preconditioner.handle,
                                                    .replays = &plan->replays}};
}

static struct starfish_cg gradients(struct state *s, struct starfish_cells_matrix *cells, double unscale)
{
    struct starfish_diffusion_plan *plan = s->plan;
    const int deflates = plan->options.deflation != STARFISH_DEFLATION_NONE && !s->by_fallback;

    return (struct starfish_cg){.algebra = &s->job->algebra,
                                .scalars = &plan->scalars,
                                .matrix = starfish_cells_operator(cells),
                                .preconditioner = cells->steps.by == STARFISH_CELLS_BY_ANOTHER
                                                      ? (struct starfish_preconditioner){.self = s, .apply = cycle}
                                                      : starfish_cells_preconditioner(cells),
                                .recurrence = 1,
                                .fused = plan->fuses && !s->by_fallback &&
                                         !plan->options.reserved[STARFISH_DIFFUSION_PRODUCT_WITH_AZ],
                                .deflation = deflates ? &plan->deflation : NULL,
                                .product_with_az = plan->options.reserved[STARFISH_DIFFUSION_PRODUCT_WITH_AZ],
                                .several = &cells->steps,
                                .r = vector(s, 0),
                                .z = vector(s, 1),
                                .p = {vector(s, 2), plan->other_p.space ? &plan->other_p : &plan->p},
                                .q = vector(s, 3),
                                .x = {&plan->u},
                                .unscale = unscale,
                                .norm = &plan->norm,
                                .pq = &plan->product,
                                .rz = &plan->rz};
}

static void tell(void *self, const struct starfish_iteration_report *report)
{
    const struct state *s = self;

    atomic_store(&s->job->job.iterations, s->retry.taken + report->cycles);
}

/* r = scale times the residual, in the precision of the iteration. */
static starfish_status scale_residual(struct state *s, const struct starfish_vector *residual, double scale)
{
    const struct starfish_factor factor = {.number = scale};

    if (precision_now(s) != s->plan->options.precision)
        return starfish_algebra_convert(&s->job->algebra, &factor, 0, residual, vector(s, 0));
    return starfish_algebra_update(&s->job->algebra, NULL, &factor, residual, vector(s, 0));
}

/* The norm at which a pass ends. The first one of an iteration in the precision of the solution is to get there alone,
 * as far as the recurrence follows the residual, which is for all but one or two of the precision's digits. Below that
 * the recurrence goes on falling while rounding errors add to the solution, in singular problems without a bound. Later
 * passes leave room for what the recurrence does not see. */
static double aim(const struct state *s)
{
    const int is_f32 = precision_now(s) == STARFISH_F32;

    if (s->retry.passes == 0 && !s->plan->options.mixed)
        return fmax(s->wanted, (is_f32 ? 1e-6 : 1e-14) * s->retry.norm);
    return fmax(0.5 * s->wanted, (is_f32 ? 1e-5 : 0) * s->retry.norm);
}

/* Residuals of conjugate gradients rise before they fall; not for long where cycles precondition, and in f32 what does
 * not fall for long will not. Without rounding errors there are no more steps than cells. */
static int patience(const struct state *s, int most)
{
    const int by_cycles = 500, by_cycles_in_f32 = 100, in_f32 = 1500, is_f32 = precision_now(s) == STARFISH_F32;
    const size_t few_cells = 1000 + 4 * s->plan->box.cells;

    if (s->by_fallback || s->plan->options.preconditioner == STARFISH_PRECONDITIONER_MULTIGRID)
        return is_f32 ? by_cycles_in_f32 : by_cycles;
    if (s->plan->options.mixed)
        return in_f32;
    return few_cells < (size_t)most ? (int)few_cells : most;
}

/* From what there is of a solution. The powers of two, which change no digit, bring the residual into the middle of the
 * range. */
static starfish_status iterate(struct state *s, int most)
{
    const int fixed = s->plan->options.fixed;
    const double norm = s->retry.norm, scale = norm > 0 && isfinite(norm) ? ldexp(1, -ilogb(norm)) : 1;
    struct starfish_cells_matrix cells = cells_now(s);
    struct starfish_cg cg = gradients(s, &cells, 1 / scale);
    const struct starfish_iteration iteration = starfish_cg_iteration(&cg, STARFISH_KRYLOV_RING);
    const struct starfish_stopping stopping = {.absolute = fixed ? 0 : aim(s) * scale,
                                               .outer = 1 / scale,
                                               .patience = patience(s, most),
                                               .most = most,
                                               .cancelled = &s->job->job.cancelled,
                                               .tell = tell,
                                               .data = s};
    struct starfish_iteration_report report = {.most_count = 0};

    STARFISH_TRY(scale_residual(s, s->retry.passes == 0 ? &s->plan->f : &s->plan->residual, scale));
    const starfish_status status = starfish_iterate(&iteration, &stopping, &report);
    s->retry.taken += report.cycles;
    s->job->job.result.fallback += s->by_fallback ? report.cycles : 0;
    s->retry.end = report.end;
    s->recurrence = s->plan->scalars.values[STARFISH_KRYLOV_NORM] / scale;
    atomic_store(&s->job->job.iterations, s->retry.taken);
    return status == STARFISH_ERROR_NUMERICAL ? STARFISH_SUCCESS : status;
}

/* ---- The ladder -------------------------------------------------------------------------------------------------- */

/* The method asked for, and multigrid. */
enum { AS_ASKED, RESCUE, RUNGS };
static const struct starfish_rung ladder[RUNGS] = {{.variant = AS_ASKED, .reserve = 5, .misses = 2},
                                                   {.variant = RESCUE, .misses = 2}};

static int may_fall_back(const struct starfish_diffusion_options *o)
{
    const int plain =
        o->preconditioner == STARFISH_PRECONDITIONER_NONE || o->preconditioner == STARFISH_PRECONDITIONER_JACOBI;

    if (o->deflation != STARFISH_DEFLATION_NONE)
        return 1;
    return !plain && (o->preconditioner != STARFISH_PRECONDITIONER_MULTIGRID || o->mixed);
}

/* What it came to is the residual in truth. */
static starfish_status pass(struct state *s)
{
    s->by_fallback = s->retry.rung->variant == RESCUE;
    if (s->by_fallback)
        STARFISH_TRY(starfish_diffusion_need_fallback(s->plan));
    STARFISH_TRY(iterate(s, s->retry.steps));
    STARFISH_TRY(find_residual(s));
    if (s->retry.norm <= s->wanted)
        s->retry.end = STARFISH_ENDED_REACHED;
    else if (!isfinite(s->retry.norm))
        s->retry.end = STARFISH_ENDED_NOT_FINITE;
    else if (s->retry.end != STARFISH_ENDED_CANCELLED)
        s->retry.end = STARFISH_ENDED_EXHAUSTED;
    return STARFISH_SUCCESS;
}

static starfish_status keep(void *self)
{
    const struct state *s = self;

    return copy(s, &s->plan->u, &s->plan->best);
}

static starfish_status go_back(void *self)
{
    struct state *s = self;

    STARFISH_TRY(copy(s, &s->plan->best, &s->plan->u));
    return find_residual(s);
}

/* ---- The judgement ----------------------------------------------------------------------------------------------- */

const struct starfish_acceptance starfish_diffusion_acceptance = {
    .excused = 1 << STARFISH_ENDED_STALLED, .diverged_above = (double)NAN, .of_nan = STARFISH_DIVERGED};

static starfish_status accept(const struct state *s)
{
    struct starfish_result *result = &s->job->job.result;
    const struct starfish_evidence evidence = {.end = s->retry.end,
                                               .iterations = result->iterations,
                                               .asked = result->tolerance,
                                               .reached = result->residual,
                                               .rounding = result->rounding,
                                               .recurrence = result->recurrence};

    return starfish_accept(&starfish_diffusion_acceptance, &evidence, result);
}

/* What may be said of the solution. */
static starfish_status finish(struct state *s)
{
    struct starfish_diffusion_plan *plan = s->plan;
    struct starfish_result *result = &s->job->job.result;
    double largest, absolute;

    STARFISH_TRY(sum(s, STARFISH_CELLS_LARGEST, &plan->residual, &largest));
    STARFISH_TRY(sum(s, STARFISH_CELLS_ABSOLUTE, &plan->u, &absolute));
    result->residual = s->retry.norm / s->rhs_norm;
    result->residual_max = largest / s->rhs_largest;
    result->recurrence = s->recurrence / s->rhs_norm;
    result->rounding = starfish_rounding(plan->options.precision, sqrt(absolute), s->rhs_norm);
    const starfish_status status = accept(s);
    result->residual_bound = result->tolerance * s->rhs_norm / s->rhs_largest;
    return status;
}

/* Exactly as many iterations as there may be. */
static starfish_status run_fixed(struct state *s)
{
    STARFISH_TRY(iterate(s, s->plan->options.max_iterations));
    s->job->job.result.iterations = s->retry.taken;
    return accept(s);
}

starfish_status starfish_diffusion_iterate(struct starfish_diffusion_job *job)
{
    struct starfish_diffusion_plan *plan = (struct starfish_diffusion_plan *)job->job.plan;
    struct starfish_result *result = &job->job.result;
    struct state s = {
        .job = job,
        .plan = plan,
        .retry = {.rung = ladder,
                  .rungs = may_fall_back(&plan->options) ? RUNGS : 1,
                  .most = plan->options.max_iterations,
                  .stops = 1 << STARFISH_ENDED_REACHED | 1 << STARFISH_ENDED_NOT_FINITE | 1 << STARFISH_ENDED_CANCELLED,
                  .self = &s,
                  .keep = keep,
                  .go_back = go_back,
                  .end = STARFISH_ENDED_NOT_FINITE}};

    STARFISH_TRY(prepare(&s));
    s.retry.norm = result->rhs_norm = s.rhs_norm;
    if (plan->options.fixed)
        return run_fixed(&s);
    result->tolerance = plan->options.tolerance;
    if (!isfinite(s.rhs_norm))
        return accept(&s);
    s.wanted = result->tolerance * s.rhs_norm;
    if (s.rhs_norm <= s.floor || s.rhs_norm == 0) {
        result->residual = result->residual_max = result->residual_bound = 0;
        return STARFISH_SUCCESS;
    }
    STARFISH_TRY(starfish_retry_next(&s.retry));
    while (s.retry.steps > 0) {
        STARFISH_TRY(pass(&s));
        STARFISH_TRY(starfish_retry_next(&s.retry));
    }
    result->iterations = s.retry.taken;
    result->replacements = s.retry.passes - 1;
    return finish(&s);
}
