/* One solve: the user's arrays become runtime data, and the outer iteration submits cycles, or in mixed precision
 * corrections (Goeddeke, Strzodka, Turek, Int. J. Parallel Emergent Distrib. Syst. 22 (2007), 221-256). */
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
};

/* Full multigrid is for the first cycle alone. */
static starfish_cycle_shape shape_of(const struct solve *s, int first)
{
    const starfish_cycle_shape shape = s->plan->options.shape;

    return shape == STARFISH_CYCLE_FMG && !first ? STARFISH_CYCLE_V : shape;
}

/* ---- One precision ----------------------------------------------------------------------------------------------- */

/* The solution as the graph has it: an odd number of smoothing steps leaves it in the plan's own array. */
static const struct starfish_tiles *current(const struct solve *s)
{
    const struct starfish_q1_level *finest = &s->plan->graph.level[0];

    return s->plan->mixed ? &s->solution : finest->u[finest->now];
}

static starfish_status residual(void *self, int zero, double *norm)
{
    struct solve *s = self;
    struct starfish_multigrid_plan *plan = s->plan;

    STARFISH_TRY(starfish_q1_defect(&plan->finest, &s->progress, zero ? NULL : current(s), &s->rhs,
                                    plan->mixed && !zero ? &plan->defect : NULL, &plan->sums));
    *norm = starfish_q1_norm(&plan->sums);
    return STARFISH_SUCCESS;
}

static starfish_status step(void *self, int number, int zero, double before, int most, int *cycles)
{
    struct solve *s = self;

    (void)before;
    (void)most;
    *cycles = 1;
    return starfish_q1_cycle(&s->plan->graph, &s->progress, shape_of(s, number == 0), zero);
}

/* ---- Mixed precision --------------------------------------------------------------------------------------------- */

enum { MOST_INNER_CYCLES = 32 };

/* The correction equation's residual, in f32, over that of a zero correction. */
static starfish_status inner_reduction(struct solve *s, double before, double *reduction)
{
    struct starfish_multigrid_plan *plan = s->plan;
    const struct starfish_q1_finest finest = starfish_q1_finest_of(&plan->graph);
    const struct starfish_q1_level *level = &plan->graph.level[0];

    STARFISH_TRY(starfish_q1_defect(&finest, &s->progress, level->u[level->now], level->f, NULL, &plan->inner_sums));
    *reduction = starfish_q1_norm(&plan->inner_sums) / before;
    return STARFISH_SUCCESS;
}

/* Cycles on the correction equation, whose right-hand side has norm `before`. */
static starfish_status correct(struct solve *s, int first, double before, int most, int *cycles)
{
    const struct starfish_multigrid_options *o = &s->plan->options;
    const int digits = o->inner_digits > 0, wanted = digits ? MOST_INNER_CYCLES : o->inner_cycles;
    double reduction = 1;

    s->plan->graph.level[0].now = 0;
    for (*cycles = 0; *cycles < wanted && *cycles < most; ++*cycles) {
        if (digits && *cycles > 0) {
            STARFISH_TRY(inner_reduction(s, before, &reduction));
            if (!(reduction > pow(10, -o->inner_digits)))
                break;
        }
        STARFISH_TRY(
            starfish_q1_cycle(&s->plan->graph, &s->progress, shape_of(s, first && *cycles == 0), *cycles == 0));
    }
    return starfish_q1_settle(&s->plan->graph, &s->progress);
}

/* The defect is scaled by a power of two, which changes no digit, so that f32 holds it. */
static starfish_status mixed_step(void *self, int number, int zero, double before, int most, int *cycles)
{
    struct solve *s = self;
    struct starfish_multigrid_plan *plan = s->plan;

    if (isnan(before))
        STARFISH_TRY(residual(s, zero, &before));
    const double scale = before > 0 && isfinite(before) ? ldexp(1, -ilogb(before)) : 1;
    STARFISH_TRY(starfish_q1_narrow(&plan->finest.setting, &s->progress, scale, zero ? &s->rhs : &plan->defect,
                                    plan->graph.level[0].f));
    STARFISH_TRY(correct(s, number == 0, scale * before, most, cycles));
    STARFISH_TRY(starfish_q1_widen(&plan->finest.setting, &s->progress, 1 / scale, zero, plan->graph.level[0].u[0],
                                   &s->solution));
    s->info->defects++;
    return STARFISH_SUCCESS;
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

static starfish_status lend_array(const struct starfish_multigrid_plan *plan, const char *name, const void *array,
                                  struct starfish_tiles *tiles)
{
    int node;

    STARFISH_TRY(starfish_memory_place(plan->context, name, array, &node, NULL));
    starfish_tiles_over(tiles, plan->options.precision, plan->n, plan->blocks, node, (void *)(uintptr_t)array);
    return STARFISH_SUCCESS;
}

static starfish_status run(struct solve *s, const void *rhs, void *solution)
{
    struct starfish_multigrid_plan *plan = s->plan;
    const struct starfish_iteration iteration = {s, residual, plan->mixed ? mixed_step : step};

    STARFISH_TRY(lend_array(plan, "rhs", rhs, &s->rhs));
    STARFISH_TRY(lend_array(plan, "solution", solution, &s->solution));
    if (!plan->mixed)
        starfish_q1_lend(&plan->graph, &s->rhs, &s->solution);
    const starfish_status status = starfish_iterate(&iteration, &plan->options, s->info);
    if (plan->mixed || (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL))
        return status;
    const starfish_status settled = starfish_q1_settle(&plan->graph, &s->progress);
    return status != STARFISH_SUCCESS ? status : settled;
}

static void fill_info(const struct solve *s)
{
    struct starfish_multigrid_info *info = s->info;

    info->levels = s->plan->graph.all_levels;
    info->smoother = s->plan->options.smoother;
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
