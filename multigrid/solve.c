/* One solve: the user's arrays become runtime data, and the outer iteration submits cycles, or in mixed precision
 * corrections (Goeddeke, Strzodka, Turek, Int. J. Parallel Emergent Distrib. Syst. 22 (2007), 221-256), or steps of
 * conjugate gradients that cycles precondition. */
#include "multigrid/iterate.h"
#include "multigrid/plan.h"

#include "base/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct solve {
    struct starfish_multigrid_plan *plan;
    struct starfish_multigrid_info *info;
    struct starfish_progress progress;
    struct starfish_tiles rhs, solution; /* the user's */
    const struct starfish_tiles *f;      /* what is solved for: rhs, or what the plan makes of it */
    double energy;                       /* conjugate gradients: the last direction's, (p, A p) */
    double floor;                        /* of the residual: rounding errors of f */
};

/* Full multigrid is for the first cycle alone. */
static starfish_cycle_shape shape_of(const struct solve *s, int first)
{
    const starfish_cycle_shape shape = s->plan->options.shape;

    return shape == STARFISH_CYCLE_FMG && !first ? STARFISH_CYCLE_V : shape;
}

/* ---- One precision ----------------------------------------------------------------------------------------------- */

/* Cycles work on a residual's correction rather than on the solution itself. */
static int corrects(const struct starfish_multigrid_plan *plan)
{
    return plan->mixed || plan->options.conjugate_gradients;
}

/* The solution as the graph has it: an odd number of smoothing steps leaves it in the plan's own array. */
static const struct starfish_tiles *current(const struct solve *s)
{
    return corrects(s->plan) ? &s->solution : s->plan->operations->arrays(s->plan).solution;
}

static starfish_status residual(void *self, int zero, double *norm)
{
    struct solve *s = self;
    struct starfish_multigrid_plan *plan = s->plan;

    STARFISH_TRY(plan->operations->residual(plan, &s->progress, 0, zero ? NULL : current(s), s->f,
                                            corrects(plan) && !zero ? &plan->residual : NULL, &plan->sums));
    *norm = starfish_q1_norm(&plan->sums);
    return STARFISH_SUCCESS;
}

static starfish_status step(void *self, int number, int zero, double before, int most, int *cycles)
{
    struct solve *s = self;

    (void)before;
    (void)most;
    *cycles = 1;
    return s->plan->operations->cycle(s->plan, &s->progress, shape_of(s, number == 0), zero);
}

/* ---- Mixed precision --------------------------------------------------------------------------------------------- */

enum { MOST_INNER_CYCLES = 32 };

/* The correction equation's residual, in f32, over that of a zero correction. */
static starfish_status inner_reduction(struct solve *s, double before, double *reduction)
{
    struct starfish_multigrid_plan *plan = s->plan;
    const struct starfish_multigrid_arrays arrays = plan->operations->arrays(plan);

    STARFISH_TRY(plan->operations->residual(plan, &s->progress, 1, arrays.solution, arrays.f, NULL, &plan->inner_sums));
    *reduction = starfish_q1_norm(&plan->inner_sums) / before;
    return STARFISH_SUCCESS;
}

/* Cycles on the correction equation, whose right-hand side has norm `before`. */
static starfish_status correct(struct solve *s, int first, double before, int most, int *cycles)
{
    const struct starfish_multigrid_options *o = &s->plan->options;
    const int digits = o->inner_digits > 0, wanted = digits ? MOST_INNER_CYCLES : o->inner_cycles;
    double reduction = 1;

    s->plan->operations->begin(s->plan);
    for (*cycles = 0; *cycles < wanted && *cycles < most; ++*cycles) {
        if (digits && *cycles > 0) {
            STARFISH_TRY(inner_reduction(s, before, &reduction));
            if (!(reduction > pow(10, -o->inner_digits)))
                break;
        }
        STARFISH_TRY(
            s->plan->operations->cycle(s->plan, &s->progress, shape_of(s, first && *cycles == 0), *cycles == 0));
    }
    return s->plan->operations->settle(s->plan, &s->progress);
}

/* target += a correction for the residual, or = where zero. The residual is scaled by a power of two, which changes no
 * digit, so that f32 holds it. */
static starfish_status add_correction(struct solve *s, int number, const struct starfish_tiles *residual, double norm,
                                      int zero, const struct starfish_tiles *target, int most, int *cycles)
{
    struct starfish_multigrid_plan *plan = s->plan;
    const double scale = norm > 0 && isfinite(norm) ? ldexp(1, -ilogb(norm)) : 1;

    const struct starfish_multigrid_arrays arrays = plan->operations->arrays(plan);

    STARFISH_TRY(starfish_q1_narrow(&plan->finest.setting, &s->progress, scale, residual, arrays.f));
    STARFISH_TRY(correct(s, number == 0, scale * norm, most, cycles));
    s->info->defects++;
    return starfish_q1_widen(&plan->finest.setting, &s->progress, 1 / scale, zero, arrays.first, target);
}

static starfish_status mixed_step(void *self, int number, int zero, double before, int most, int *cycles)
{
    struct solve *s = self;

    if (isnan(before))
        STARFISH_TRY(residual(s, zero, &before));
    STARFISH_TRY(add_correction(s, number, zero ? s->f : &s->plan->residual, before, zero, &s->solution, most, cycles));
    return s->plan->operations->polish ? s->plan->operations->polish(s->plan, &s->progress, s->f, &s->solution)
                                       : STARFISH_SUCCESS;
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

/* Flexible conjugate gradients (Notay, SIAM J. Sci. Comput. 22 (2000), 1444-1460): the residual is computed anew in
 * each step, as it is looked at anyway, and a direction is made conjugate to the last one by an inner product of its
 * own. So rounding errors of cycles in f32, or cycles that differ from step to step, do no harm. Vectors are named as
 * there: z = B r, p, q = A p. */

/* z = cycles from zero on A z = r. */
static starfish_status precondition(struct solve *s, int number, const struct starfish_tiles *r, double norm, int most,
                                    int *cycles)
{
    struct starfish_multigrid_plan *plan = s->plan;

    if (plan->mixed)
        return add_correction(s, number, r, norm, 1, &plan->preconditioned, most, cycles);
    *cycles = 1;
    plan->operations->lend(plan, r, &plan->preconditioned);
    STARFISH_TRY(plan->operations->cycle(plan, &s->progress, plan->options.shape, 1));
    return plan->operations->settle(plan, &s->progress);
}

/* p = z + beta p, conjugate to the last one. */
static starfish_status turn(struct solve *s, int number)
{
    struct starfish_multigrid_plan *plan = s->plan;
    double beta = 0;

    if (number > 0 && s->energy > 0) {
        STARFISH_TRY(
            starfish_q1_product(&plan->finest, &s->progress, &plan->preconditioned, &plan->image, &plan->products[0]));
        beta = -starfish_q1_total(&plan->products[0]) / s->energy;
    }
    return starfish_q1_update(&plan->finest, &s->progress, beta, &plan->preconditioned,
                              number > 0 ? &plan->direction : NULL, &plan->direction);
}

/* q = A p as r - (r - A p): the residual's kernel serves. */
static starfish_status apply(struct solve *s, const struct starfish_tiles *r)
{
    struct starfish_multigrid_plan *plan = s->plan;

    STARFISH_TRY(plan->operations->residual(plan, &s->progress, 0, &plan->direction, r, &plan->image, NULL));
    return starfish_q1_update(&plan->finest, &s->progress, -1, r, &plan->image, &plan->image);
}

static starfish_status gradient_step(void *self, int number, int zero, double before, int most, int *cycles)
{
    struct solve *s = self;
    struct starfish_multigrid_plan *plan = s->plan;
    const struct starfish_tiles *r = zero ? s->f : &plan->residual;

    if (isnan(before))
        STARFISH_TRY(residual(s, zero, &before));
    STARFISH_TRY(precondition(s, number, r, before, most, cycles));
    STARFISH_TRY(turn(s, number));
    STARFISH_TRY(apply(s, r));
    STARFISH_TRY(starfish_q1_product(&plan->finest, &s->progress, &plan->direction, r, &plan->products[0]));
    STARFISH_TRY(starfish_q1_product(&plan->finest, &s->progress, &plan->direction, &plan->image, &plan->products[1]));
    s->energy = starfish_q1_total(&plan->products[1]);
    /* there is no way to go once the residual is zero, or rounding errors, whose direction may be one without energy */
    const double alpha = s->energy > 0 && before > s->floor ? starfish_q1_total(&plan->products[0]) / s->energy : 0;
    return starfish_q1_update(&plan->finest, &s->progress, alpha, zero ? NULL : &s->solution, &plan->direction,
                              &s->solution);
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

static starfish_status lend_array(const struct starfish_multigrid_plan *plan, const char *name, const void *array,
                                  struct starfish_tiles *tiles)
{
    int node;

    STARFISH_TRY(starfish_memory_place(plan->context, name, array, &node, NULL));
    starfish_tiles_over(tiles, plan->options.precision, plan->n, &plan->tiling, node, (void *)(uintptr_t)array);
    return STARFISH_SUCCESS;
}

static starfish_status run(struct solve *s, const void *rhs, void *solution)
{
    struct starfish_multigrid_plan *plan = s->plan;
    const struct starfish_iteration iteration = {s, residual,
                                                 plan->options.conjugate_gradients ? gradient_step
                                                 : plan->mixed                     ? mixed_step
                                                                                   : step};
    struct starfish_multigrid_options options = plan->options;

    STARFISH_TRY(lend_array(plan, "rhs", rhs, &s->rhs));
    STARFISH_TRY(lend_array(plan, "solution", solution, &s->solution));
    s->f = &s->rhs;
    if (plan->operations->prepare)
        STARFISH_TRY(plan->operations->prepare(plan, &s->progress, &s->rhs, &s->f, &s->info->removed, &s->floor));
    if (options.tolerance > 0 || options.absolute > 0)
        options.absolute = fmax(options.absolute, s->floor);
    if (!corrects(plan))
        plan->operations->lend(plan, s->f, &s->solution);
    const starfish_status status = starfish_iterate(&iteration, &options, s->info);
    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_status after = corrects(plan) ? STARFISH_SUCCESS : plan->operations->settle(plan, &s->progress);
    if (after == STARFISH_SUCCESS && plan->operations->finish)
        after = plan->operations->finish(plan, &s->progress, &s->solution);
    return status != STARFISH_SUCCESS ? status : after;
}

static void fill_info(const struct solve *s)
{
    struct starfish_multigrid_info *info = s->info;

    info->levels = s->plan->operations->levels(s->plan);
    info->smoother = s->plan->options.smoother;
    info->matrix = s->plan->options.matrix;
    info->seconds = 1e-6 * (starpu_timing_now() - s->progress.start);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        info->worker[kind].tasks = s->progress.done[kind].tasks;
        info->worker[kind].busy_seconds = s->progress.done[kind].busy_seconds;
    }
}

/* The arrays come home when they are unregistered. A failure of a task is more than one of the numbers that it left. */
static starfish_status solve(struct solve *s, const void *rhs, void *solution)
{
    starfish_progress_init(&s->progress, s->plan->context);
    const starfish_status status = run(s, rhs, solution);
    const starfish_status waited = starfish_progress_wait(&s->progress);
    starfish_tiles_destroy(&s->rhs);
    starfish_tiles_destroy(&s->solution);
    fill_info(s);
    starfish_progress_destroy(&s->progress);
    return waited != STARFISH_SUCCESS ? waited : status;
}

starfish_status starfish_multigrid_solve(starfish_multigrid_plan *plan, const void *rhs, void *solution,
                                         struct starfish_multigrid_info *info)
{
    struct starfish_multigrid_info ignored;

    if (!plan || !rhs || !solution)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL", !plan ? "plan" : !rhs ? "rhs" : "solution");
    if (rhs == solution)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "rhs and solution are the same array");
    info = info ? info : &ignored;
    memset(info, 0, sizeof *info);
    struct solve *s = calloc(1, sizeof *s);
    if (!s)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a solve");
    s->plan = plan;
    s->info = info;
    pthread_mutex_lock(&plan->lock);
    const starfish_status status = solve(s, rhs, solution);
    pthread_mutex_unlock(&plan->lock);
    free(s);
    return status;
}
