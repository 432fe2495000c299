/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One cycle over small grids at one place: the operations of cycle.h as calls of a grid kind's functions.
 *
 * Two arrays of a level take turns as input and output of the sweeps; `now` says which of them holds the solution. A
 * kind whose sweeps add the coarse grid's correction leaves the prolongation to the sweep that follows. Where the kind
 * has passes on cores, all sweeps before the coarse grid's visit and the restriction are one, in place, and so are the
 * sweeps after it. */
#include "multigrid/kernels/tail.h"

#include "base/real.h"
#include "base/status.h"
#include "multigrid/kernels/cycle.h"

#include <string.h>

enum { ALIGNMENT = 256 };

struct level {
    const void *table, *f;
    void *own_f; /* f, but for the first grid, whose f is only read */
    void *u[2];
    int now;         /* which u holds the solution */
    int uncorrected; /* the coarser grid's solution has yet to be added to it */
    enum {
        NOTHING_WAITS,
        A_PASS_WAITS,
        A_PASS_FROM_ZERO_WAITS
    } waits; /* for the restriction, to be one pass with it */
    void *g; /* what f adds in several steps at once, where the kind does these; good while f is the same */
    int has_g;
};

/* A cycle under way. */
struct run {
    const struct starfish_tail *tail;
    struct starfish_cost *cost; /* what operations take is added up instead of doing them; or NULL */
    struct starfish_place place;
    int error; /* of the first launch that failed */
    struct starfish_tail_core core;
    size_t at_work; /* cores that had a share of the last operation */
    double *sums;   /* that are wanted and not there yet */
    struct level level[STARFISH_GRID_MOST_LEVELS];
};

STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)
STARFISH_PLACE_KERNEL(run_product, starfish_vector_product)

/* The walk ends at the first launch that fails. */
static starfish_status check_launch(struct run *run, int error)
{
    run->error = error;
    return error == 0 ? STARFISH_SUCCESS : STARFISH_ERROR_RUNTIME;
}

static void *solution(const struct run *run, int level)
{
    return run->level[level].u[run->level[level].now];
}

/* Arguments that all operations on a grid share. */
static struct starfish_grid_step step_on(const struct run *run, int level)
{
    const struct starfish_tail *tail = run->tail;
    const int last = level == tail->levels - 1;

    return (struct starfish_grid_step){.shape = tail->shape[level],
                                       .coarse_shape = last ? NULL : tail->shape[level + 1],
                                       .table = run->level[level].table,
                                       .coarse_table = last ? NULL : run->level[level + 1].table,
                                       .at = starfish_grid_whole(tail->kind, tail->shape[level]),
                                       .f = run->level[level].f};
}

/* Cores that share an operation on a grid. */
static size_t cores_of(const struct run *run, int level)
{
    size_t n[2];

    if (run->core.cores == 1 || run->level[level].g)
        return 1;
    starfish_grid_extent(run->tail->kind, run->tail->shape[level], n);
    const size_t most = n[0] * n[1] / run->core.worth;
    return most < 1 ? 1 : most < run->core.cores ? most : run->core.cores;
}

/* Before an operation that so many cores share: waits for those that had a share of the last one. What one core alone
 * does after another is in order. */
static int takes_part(struct run *run, size_t cores)
{
    if (run->at_work > 1 || cores > 1)
        starfish_barrier_wait(run->core.barrier, run->core.self, run->core.cores);
    run->at_work = cores;
    return run->core.self < cores;
}

static int compute(struct run *run, int level, enum starfish_grid_operation operation,
                   const struct starfish_grid_step *step)
{
    const size_t cores = cores_of(run, level);
    struct starfish_grid_step own = *step;

    if (run->cost) {
        starfish_cost_add(run->cost, run->tail->kind->costs->cost(run->tail->precision, operation, step));
        return 0;
    }
    if (!takes_part(run, cores))
        return 0;
    if (cores > 1)
        starfish_grid_share(run->tail->kind, &own, operation, run->core.self, cores);
    starfish_activity_begin(&starfish_grid_activity[operation]);
    return own.at.x0 < own.at.x1 && own.at.y0 < own.at.y1 ? run->tail->kind->compute[operation](&run->place, &own) : 0;
}

/* In phases, where cores share a sweep that has them. */
static int run_sweep(struct run *run, int level, struct starfish_grid_step *step)
{
    const struct starfish_grid_kind *kind = run->tail->kind;

    if (cores_of(run, level) == 1 || !kind->fusing || !(kind->fusing->phases >> step->sweep & 1))
        return compute(run, level, STARFISH_GRID_SMOOTH, step);
    for (step->phase = STARFISH_SWEEP_BEGIN; step->phase <= STARFISH_SWEEP_END_ODD; step->phase++)
        TRY_LAUNCH(compute(run, level, STARFISH_GRID_SMOOTH, step));
    return 0;
}

static int steps_at_once(const struct starfish_tail *tail, int level, int sweep[2])
{
    const struct starfish_grid_fusing *fusing = tail->kind->fusing;

    return fusing && fusing->at_once ? fusing->at_once(tail->shape[level], sweep) : 0;
}

/* ---- Operations of a cycle --------------------------------------------------------------------------------------- */

static int smooth_once(struct run *run, int level, int sweep, const void *u, void *result)
{
    struct starfish_grid_step step = step_on(run, level);

    step.sweep = sweep;
    step.u = u;
    step.f = u ? run->level[level].g : step.f;
    step.result = result;
    return compute(run, level, STARFISH_GRID_SMOOTH, &step);
}

/* Runs of several steps, u = E u + g. From zero the first one is g = G f, which the steps after the correction need
 * too. */
static int smooth_at_once(struct run *run, struct level *grid, int count, int zero, const int sweep[2])
{
    const int level = (int)(grid - run->level);

    if (zero && count == 1) {
        grid->now = !grid->now;
        return smooth_once(run, level, sweep[0], NULL, solution(run, level));
    }
    if (!grid->has_g)
        TRY_LAUNCH(smooth_once(run, level, sweep[0], NULL, grid->g));
    grid->has_g = 1;
    for (int i = zero; i < count; i++) {
        TRY_LAUNCH(
            smooth_once(run, level, sweep[1], zero && i == 1 ? grid->g : solution(run, level), grid->u[!grid->now]));
        grid->now = !grid->now;
    }
    return 0;
}

/* All steps on a grid in one pass, where the smoother has one sweep, in place; its cores are one or all. */
static int find_pass(const struct run *run, int level, int steps, int after, int zero, struct starfish_grid_pass *pass)
{
    const struct starfish_tail *tail = run->tail;
    const struct starfish_grid_fusing *fusing = tail->kind->fusing;
    const size_t cores = cores_of(run, level);
    int sweep[STARFISH_GRID_MOST_SWEEPS];

    if (!fusing || !fusing->can_pass || run->place.gpu || (cores > 1 && cores < run->core.cores) ||
        starfish_grid_sweeps(tail->kind, &tail->smoothing, tail->shape[level], after && tail->smoothing.symmetric,
                             sweep) != 1)
        return 0;
    *pass = (struct starfish_grid_pass){.step = step_on(run, level),
                                        .sweeps = steps,
                                        .part = run->core.self,
                                        .parts = cores,
                                        .barrier = run->core.barrier};
    pass->step.sweep = sweep[0];
    pass->step.damping = starfish_grid_step_damping(tail->kind, &tail->smoothing, tail->shape[level], 0, steps);
    pass->step.result = solution(run, level);
    pass->step.u = zero ? NULL : pass->step.result;
    pass->step.coarse = run->level[level].uncorrected ? solution(run, level + 1) : NULL;
    if (after && level == 0 && run->sums)
        pass->sum = run->sums + run->core.self;
    pass->restricted = after ? NULL : run->level[level + 1].own_f;
    return fusing->can_pass(pass);
}

/* Its sweeps and restriction, of which the first sweep alone goes through memory, and the coarse residual. */
static struct starfish_cost cost_of_pass(const struct run *run, const struct starfish_grid_pass *pass)
{
    const struct starfish_tail *tail = run->tail;
    struct starfish_grid_step step = pass->step;
    const struct starfish_cost first = tail->kind->costs->cost(tail->precision, STARFISH_GRID_SMOOTH, &step);
    struct starfish_cost sum = first;

    step.u = step.result;
    step.coarse = NULL;
    for (int i = 1; i < pass->sweeps; i++)
        starfish_cost_add(&sum, tail->kind->costs->cost(tail->precision, STARFISH_GRID_SMOOTH, &step));
    sum.bytes = first.bytes;
    if (pass->restricted) {
        step.at = starfish_grid_whole(tail->kind, step.coarse_shape);
        sum.operations += tail->kind->costs->cost(tail->precision, STARFISH_GRID_RESTRICT, &step).operations;
        sum.bytes += starfish_cost_of(starfish_grid_count(step.at), 0, 1, tail->precision).bytes;
    }
    return sum;
}

/* Sums are there where all cores have done it, else they are wanted still. */
static int run_pass(struct run *run, int level, const struct starfish_grid_pass *pass)
{
    run->level[level].uncorrected = 0;
    if (run->cost) {
        starfish_cost_add(run->cost, cost_of_pass(run, pass));
        return 0;
    }
    if (pass->sum && pass->parts == run->core.cores) {
        if (run->core.self == 0)
            memset(run->sums + pass->parts, 0, (STARFISH_SUMS - pass->parts) * sizeof *run->sums);
        run->sums = NULL;
    }
    if (!takes_part(run, pass->parts))
        return 0;
    starfish_activity_begin(pass->restricted ? &starfish_pass_down_activity
                                             : &starfish_grid_activity[STARFISH_GRID_SMOOTH]);
    return run->tail->kind->fusing->pass(&run->place, pass);
}

static starfish_status smooth(void *self, int level, int steps, int after, int zero)
{
    struct run *run = self;
    struct level *grid = &run->level[level];
    const struct starfish_tail *tail = run->tail;
    int sweep[STARFISH_GRID_MOST_SWEEPS];
    const int sweeps = starfish_grid_sweeps(tail->kind, &tail->smoothing, tail->shape[level],
                                            after && tail->smoothing.symmetric, sweep);
    int of_several[2];
    const int at_once = steps_at_once(tail, level, of_several);
    struct starfish_grid_pass pass;

    if (find_pass(run, level, steps, after, zero, &pass)) {
        if (after)
            return check_launch(run, run_pass(run, level, &pass));
        grid->waits = zero ? A_PASS_FROM_ZERO_WAITS : A_PASS_WAITS;
        return STARFISH_SUCCESS;
    }
    if (at_once > 0 && steps % at_once == 0)
        return check_launch(run, smooth_at_once(run, grid, steps / at_once, zero, of_several));
    for (int i = 0; i < steps * sweeps && run->error == 0; i++) {
        struct starfish_grid_step step = step_on(run, level);
        step.sweep = sweep[i % sweeps];
        step.zero = zero && i < sweeps && starfish_grid_adds(tail->kind, step.sweep);
        step.damping = starfish_grid_step_damping(tail->kind, &tail->smoothing, tail->shape[level], i / sweeps, steps);
        step.u = zero && i == 0 ? NULL : solution(run, level);
        step.coarse = grid->uncorrected ? solution(run, level + 1) : NULL;
        step.result = grid->u[!grid->now];
        run->error = run_sweep(run, level, &step);
        grid->uncorrected = 0;
        grid->now = !grid->now;
    }
    return check_launch(run, run->error);
}

static int add_correction(struct run *run, int level, int zero)
{
    struct starfish_grid_step step = step_on(run, level);

    step.zero = zero;
    step.coarse = solution(run, level + 1);
    step.result = solution(run, level);
    run->level[level].uncorrected = 0;
    return compute(run, level, STARFISH_GRID_PROLONG, &step);
}

static starfish_status restrict_residual(void *self, int level, int zero)
{
    struct run *run = self;
    struct starfish_grid_step step = step_on(run, level);
    struct level *grid = &run->level[level];
    struct starfish_grid_pass pass;

    grid[1].has_g = 0;
    if (grid->waits &&
        find_pass(run, level, run->tail->smoothing.before, 0, grid->waits == A_PASS_FROM_ZERO_WAITS, &pass)) {
        grid->waits = NOTHING_WAITS;
        return check_launch(run, run_pass(run, level, &pass));
    }
    if (grid->uncorrected)
        STARFISH_TRY(check_launch(run, add_correction(run, level, 0)));
    step.at = starfish_grid_whole(run->tail->kind, step.coarse_shape);
    step.u = zero ? NULL : solution(run, level);
    step.result = grid[1].own_f;
    return check_launch(run, compute(run, level, STARFISH_GRID_RESTRICT, &step));
}

static starfish_status prolong(void *self, int level, int zero)
{
    struct run *run = self;

    if (zero || !starfish_grid_adds_correction(run->tail->kind, &run->tail->smoothing))
        return check_launch(run, add_correction(run, level, zero));
    run->level[level].uncorrected = 1;
    return STARFISH_SUCCESS;
}

/* The arguments of a kernel for the grids from `first` on. */
static struct starfish_grid_cycle cycle_of(const struct run *run, int first)
{
    const struct starfish_tail *tail = run->tail;
    struct starfish_grid_cycle cycle = {.kind = tail->kind,
                                        .smoothing = &tail->smoothing,
                                        .precision = tail->precision,
                                        .levels = tail->levels,
                                        .first = first};

    for (int l = 0; l < tail->levels; l++) {
        cycle.shape[l] = tail->shape[l];
        cycle.table[l] = run->level[l].table;
    }
    return cycle;
}

/* Grids that are walked through; where the last of them is not the coarsest, one kernel does a cycle from there. */
static int levels_of_walk(const struct run *run, starfish_cycle_shape shape)
{
    const struct starfish_grid_fusing *fusing = run->tail->kind->fusing;
    const int levels = run->tail->levels;

    if (run->cost || !run->place.gpu || shape != STARFISH_CYCLE_V || !fusing || !fusing->cycle_from)
        return levels;
    const struct starfish_grid_cycle all = cycle_of(run, 0);
    const int first = fusing->cycle_from(&all);
    return first < levels ? first + 1 : levels;
}

static starfish_status cycle_in_one_kernel(struct run *run, int level)
{
    struct starfish_grid_cycle cycle = cycle_of(run, level);

    cycle.f = run->level[level].f;
    cycle.result = solution(run, level);
    return check_launch(run, run->tail->kind->fusing->cycle(&run->place, &cycle));
}

static starfish_status solve_coarsest(void *self, int level, starfish_cycle_shape shape, int zero)
{
    struct run *run = self;
    struct starfish_grid_step step = step_on(run, level);

    (void)shape;
    if (level < run->tail->levels - 1)
        return cycle_in_one_kernel(run, level);
    step.zero = zero;
    step.result = solution(run, level);
    if (run->cost) {
        starfish_cost_add(run->cost, run->tail->kind->costs->solve(run->tail->precision, &run->tail->smoothing, &step));
        return STARFISH_SUCCESS;
    }
    if (!takes_part(run, 1))
        return STARFISH_SUCCESS;
    starfish_activity_begin(&starfish_coarsest_activity);
    return check_launch(run, run->tail->kind->solve(&run->place, &run->tail->smoothing, &step));
}

/* ---- Work space -------------------------------------------------------------------------------------------------- */

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t array_bytes(const struct starfish_tail *tail, int level)
{
    size_t n[2];

    starfish_grid_extent(tail->kind, tail->shape[level], n);
    return aligned(n[0] * n[1] * starfish_real_size(tail->precision));
}

size_t starfish_tail_shared_work(const struct starfish_tail *tail)
{
    size_t bytes = 0;
    int unused[2];

    for (int l = 0; l < tail->levels; l++)
        bytes += ((l > 0 ? 3 : 1) + (size_t)(steps_at_once(tail, l, unused) > 0)) * array_bytes(tail, l);
    return bytes;
}

size_t starfish_tail_own_work(const struct starfish_tail *tail, int gpu)
{
    const struct starfish_grid_kind *kind = tail->kind;
    size_t most = starfish_grid_solve_work(kind, &tail->smoothing, tail->shape[tail->levels - 1], tail->precision, gpu);

    for (int l = 0; l < tail->levels; l++) {
        const size_t work = starfish_grid_work(kind, &tail->smoothing, tail->shape[l], tail->precision, gpu);
        most = work > most ? work : most;
    }
    return aligned(most);
}

size_t starfish_tail_work(const struct starfish_tail *tail, int gpu)
{
    return starfish_tail_shared_work(tail) + starfish_tail_own_work(tail, gpu);
}

static void *take(char **next, size_t bytes)
{
    void *taken = *next;

    *next += bytes;
    return taken;
}

/* What is left of a single core's work space is that of the operations, which need it one after the other. */
static void lay_out(struct run *run, const struct starfish_tail_arrays *arrays)
{
    char *next = arrays->core ? arrays->core->shared : run->place.work;
    int unused[2];

    for (int l = 0; l < run->tail->levels; l++) {
        const size_t bytes = array_bytes(run->tail, l);
        struct level *grid = &run->level[l];
        grid->table = arrays->table[l];
        grid->now = grid->uncorrected = grid->has_g = 0;
        grid->waits = NOTHING_WAITS;
        grid->g = steps_at_once(run->tail, l, unused) > 0 ? take(&next, bytes) : NULL;
        grid->u[1] = take(&next, bytes);
        grid->u[0] = l > 0 ? take(&next, bytes) : arrays->u;
        grid->own_f = l > 0 ? take(&next, bytes) : NULL;
        grid->f = l > 0 ? grid->own_f : arrays->f;
    }
    if (!arrays->core)
        run->place.work = next;
}

/* ---- The cycle --------------------------------------------------------------------------------------------------- */

static int copy_back(struct run *run)
{
    const struct starfish_rectangle all = starfish_grid_whole(run->tail->kind, run->tail->shape[0]);
    const struct starfish_vector_update copy = {
        .nx = all.x1, .at = all, .u = run->level[0].u[1], .pitch = all.x1, .v = run->level[0].u[0]};

    return takes_part(run, 1) ? run_update(&run->place, &copy) : 0;
}

static int multiply(struct run *run)
{
    const size_t cores = run->core.cores;
    const struct starfish_rectangle all = starfish_grid_whole(run->tail->kind, run->tail->shape[0]);
    const struct starfish_vector_product product = {.nx = all.x1,
                                                    .at = starfish_grid_share_rows(all, run->core.self, cores),
                                                    .u = run->level[0].f,
                                                    .v = run->level[0].u[0],
                                                    .sums = run->sums,
                                                    .slot = run->core.self,
                                                    .slots = cores};

    takes_part(run, cores);
    return run_product(&run->place, &product);
}

static starfish_status walk(struct run *run, starfish_cycle_shape shape, int zero)
{
    const struct starfish_tail *tail = run->tail;
    const struct starfish_cycle cycle = {shape, tail->smoothing.before, tail->smoothing.after};
    const struct starfish_hierarchy hierarchy = {.self = run,
                                                 .levels = levels_of_walk(run, shape),
                                                 .smooth = smooth,
                                                 .restrict_residual = restrict_residual,
                                                 .prolong = prolong,
                                                 .solve_coarsest = solve_coarsest,
                                                 .exact = 1};

    return starfish_cycle_run(&hierarchy, &cycle, 0, zero);
}

/* On one core; no array is touched, only whether there is one counts. */
struct starfish_cost starfish_tail_cost(const struct starfish_tail *tail, starfish_cycle_shape shape, int zero)
{
    static char array;
    struct starfish_cost cost = {0, 0};
    struct run run = {.tail = tail, .cost = &cost, .place.precision = tail->precision, .core.cores = 1, .at_work = 1};
    int unused[2];

    for (int l = 0; l < tail->levels; l++)
        run.level[l] = (struct level){.f = &array,
                                      .own_f = &array,
                                      .u = {&array, &array},
                                      .g = steps_at_once(tail, l, unused) > 0 ? &array : NULL};
    walk(&run, shape, zero); /* nothing that can fail */
    if (run.level[0].now != 0)
        starfish_cost_add(&cost, starfish_cost_of(starfish_grid_count(starfish_grid_whole(tail->kind, tail->shape[0])),
                                                  0, 2, tail->precision));
    return cost;
}

struct starfish_cost starfish_tail_cost_once(const struct starfish_tail *tail, struct starfish_tail_costs *costs,
                                             starfish_cycle_shape shape, int zero)
{
    const int from_zero = zero != 0;

    if (!costs->of[shape][from_zero].is_counted) {
        costs->of[shape][from_zero].cost = starfish_tail_cost(tail, shape, zero);
        costs->of[shape][from_zero].is_counted = 1;
    }
    return costs->of[shape][from_zero].cost;
}

int starfish_tail_run(const struct starfish_place *place, const struct starfish_tail *tail,
                      const struct starfish_tail_arrays *arrays, starfish_cycle_shape shape, int zero)
{
    struct run run;

    run.tail = tail;
    run.cost = NULL;
    run.place = *place;
    run.error = 0;
    run.core = arrays->core ? *arrays->core : (struct starfish_tail_core){.cores = 1};
    run.at_work = 1;
    run.sums = arrays->sums;
    lay_out(&run, arrays);
    if (walk(&run, shape, zero) == STARFISH_SUCCESS && run.level[0].now != 0)
        run.error = copy_back(&run);
    if (run.error == 0 && run.sums)
        run.error = multiply(&run);
    return run.error;
}
