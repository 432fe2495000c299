/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One solve by block cyclic reduction, timed step by step (blktri_run.h): the plan, calibration if workers are mixed,
 * and repeated solves. */
#include "apps/plans/blktri_run.h"

#include "apps/plans/arrays.h"
#include "apps/workers.h"
#include "base/status.h"
#include "scheduler/lab/account.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALIBRATIONS_AT_MOST = 200 }; /* each brings a sample of every task, and models want ten */

/* ---- plan -------------------------------------------------------------------------------------------------------- */

/* The rows of a 2D problem, as FISHPACK takes them; complex ones in pairs, of a wave that is damped. */
static starfish_status make_flat_plan(const struct blktri_case *c, starfish_context *context,
                                      const struct starfish_poisson_options *options, starfish_plan **plan)
{
    const size_t most = c->n[1] > c->n[2] ? c->n[1] : c->n[2];
    double *off = calloc(6 * most, sizeof *off);
    STARFISH_FAIL_IF(!off, STARFISH_ERROR_MEMORY, "no memory for %zu rows", most);
    double *diag = off + most, *off_pairs = diag + most, *diag_pairs = off_pairs + 2 * most;
    for (size_t k = 0; k < most; ++k) {
        off[k] = off_pairs[2 * k] = 1;
        diag[k] = diag_pairs[2 * k] = -2;
        diag_pairs[2 * k + 1] = -0.01;
    }
    const struct starfish_axis y = {
        .kind = STARFISH_TRIDIAGONAL, .n = c->n[2], .lower = off, .diag = diag, .upper = off};
    struct starfish_axis x = y;
    x.n = c->n[1];
    if (c->data == BLKTRI_COMPLEX_LINES) {
        x.complex_line = 1;
        x.lower = x.upper = off_pairs;
        x.diag = diag_pairs;
    }
    starfish_status status = starfish_separable2d_plan_create(context, &x, &y, 0, options, plan);
    free(off);
    return status;
}

static starfish_status make_plan(const struct blktri_case *c, starfish_context *context, int check_residual,
                                 starfish_plan **plan)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = c->method;
    options.precision = c->precision;
    options.complex_rhs = c->data != BLKTRI_REAL;
    options.algorithm = c->algorithm;
    options.split = c->split;
    options.radix = c->radix;
    options.check_residual = check_residual;
    if (c->n[0] == 1)
        return make_flat_plan(c, context, &options, plan);
    struct starfish_poisson_problem problem = {.lambda = 0};
    for (int axis = 0; axis < 3; ++axis)
        problem.axis[axis] = (struct starfish_axis){
            .n = c->n[axis], .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .grid = STARFISH_NODE};
    problem.axis[0].ends[0] = problem.axis[0].ends[1] = STARFISH_PERIODIC;
    return starfish_poisson_plan_create(context, &problem, &options, plan);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static starfish_status allocate_times(struct blktri_times *times, size_t levels)
{
    times->levels = levels;
    for (int step = 0; step < BLKTRI_STEPS; ++step)
        for (size_t l = 0; l < levels; ++l)
            STARFISH_FAIL_IF(!(times->step[step][l] = calloc(times->repeat, sizeof(double))), STARFISH_ERROR_MEMORY,
                             "no memory for times of %zu levels", levels);
    return STARFISH_SUCCESS;
}

static double gpu_share(const struct starfish_step_info *step)
{
    const double tasks = (double)(step->tasks[STARFISH_CPU] + step->tasks[STARFISH_GPU]);
    return tasks > 0 ? (double)step->tasks[STARFISH_GPU] / tasks : 0;
}

static starfish_status record(struct blktri_times *times, size_t repetition, const struct starfish_result *info,
                              const struct starfish_poisson_phases *phases, int busy)
{
    if (repetition == 0)
        STARFISH_TRY(allocate_times(times, phases->levels));
    times->seconds[repetition] = info->seconds;
    times->bytes_moved = (double)(info->host_to_device + info->device_to_host);
    for (size_t l = 0; l < phases->levels; ++l) {
        const struct starfish_step_info *const steps[BLKTRI_STEPS] = {&phases->level[l].reduction,
                                                                      &phases->level[l].substitution};
        times->separators[l] = phases->level[l].separators;
        for (int step = 0; step < BLKTRI_STEPS; ++step) {
            times->step[step][l][repetition] = busy ? steps[step]->busy_seconds : steps[step]->seconds;
            times->gpu_share[step][l] += gpu_share(steps[step]) / (double)times->repeat;
        }
    }
    return STARFISH_SUCCESS;
}

void blktri_free_times(struct blktri_times *times)
{
    free(times->seconds);
    for (int step = 0; step < BLKTRI_STEPS; ++step)
        for (size_t l = 0; l < BLKTRI_LEVELS; ++l)
            free(times->step[step][l]);
    memset(times, 0, sizeof *times);
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

static starfish_status check(const struct blktri_case *c, starfish_context *context, const struct solve_arrays *arrays,
                             struct blktri_times *times)
{
    const double most = c->precision == STARFISH_F32 ? 1e-3 : 1e-9;
    starfish_plan *plan;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    STARFISH_TRY(make_plan(c, context, 1, &plan));
    starfish_status status = starfish_plan_about(plan, &about);
    snprintf(times->method, sizeof times->method, "%s", about.method);
    times->plan_seconds = about.seconds;
    STARFISH_THEN(status, starfish_plan_solve(plan, NULL, arrays->rhs, arrays->solution, &info));
    starfish_plan_destroy(plan);
    if (status != STARFISH_SUCCESS)
        return status;
    times->residual = info.residual_max;
    STARFISH_FAIL_IF(!(info.residual_max <= most), STARFISH_ERROR_NUMERICAL,
                     "%zu x %zu x %zu, %s, %s: the residual is %.3g", c->n[0], c->n[1], c->n[2], times->method,
                     c->workers, info.residual_max);
    return STARFISH_SUCCESS;
}

/* With workers of two kinds: until StarPU's models know every task on both. */
static starfish_status calibrate(starfish_context *context, starfish_plan *plan, const struct solve_arrays *arrays)
{
    int known = starfish_context_workers_of(context, STARFISH_CPU) == 0 ||
                starfish_context_workers_of(context, STARFISH_GPU) == 0;
    for (int solve = 0; solve < CALIBRATIONS_AT_MOST && !known; ++solve) {
        struct starfish_record *record;
        STARFISH_TRY(starfish_record_start(context, &record));
        starfish_status status = starfish_plan_solve(plan, NULL, arrays->rhs, arrays->solution, NULL);
        const starfish_status stopped = starfish_record_stop(record);
        known = starfish_account_calibrated(record);
        starfish_record_free(record);
        STARFISH_TRY(status);
        STARFISH_TRY(stopped);
    }
    return STARFISH_SUCCESS;
}

static starfish_status time_solves(starfish_plan *plan, const struct solve_arrays *arrays, size_t warmup, int busy,
                                   struct blktri_times *times)
{
    for (size_t r = 0; r < warmup + times->repeat; ++r) {
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        struct starfish_poisson_phases phases = STARFISH_POISSON_PHASES_DEFAULTS;
        starfish_job *job;
        STARFISH_TRY(starfish_plan_submit(plan, NULL, arrays->rhs, arrays->solution, &job));
        STARFISH_TRY(starfish_poisson_tell_phases(job, &phases));
        STARFISH_TRY(starfish_job_finish(job, &info));
        if (r >= warmup)
            STARFISH_TRY(record(times, r - warmup, &info, &phases, busy));
    }
    return STARFISH_SUCCESS;
}

static starfish_status run_prepared(const struct blktri_case *c, starfish_context *context,
                                    const struct solve_arrays *arrays, size_t warmup, struct blktri_times *times)
{
    starfish_plan *plan;
    STARFISH_TRY(check(c, context, arrays, times));
    STARFISH_TRY(make_plan(c, context, 0, &plan));
    starfish_status status = calibrate(context, plan, arrays);
    STARFISH_THEN(status, time_solves(plan, arrays, warmup, c->busy, times));
    starfish_plan_destroy(plan);
    return status;
}

starfish_status blktri_run(const struct blktri_case *c, starfish_context *context, size_t warmup, size_t repeat,
                           struct blktri_times *times)
{
    struct solve_arrays arrays = {.context = context,
                                  .precision = c->precision,
                                  .place = c->on_device ? SOLVE_DEVICE : SOLVE_PINNED,
                                  .count = c->n[0] * c->n[1] * c->n[2] * (c->data == BLKTRI_REAL ? 1 : 2)};
    memset(times, 0, sizeof *times);
    times->repeat = repeat;
    times->seconds = calloc(repeat, sizeof *times->seconds);
    starfish_status status = times->seconds ? solve_arrays_make(&arrays, NULL, (double)NAN)
                                            : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for %zu times", repeat);
    STARFISH_THEN(status, run_prepared(c, context, &arrays, warmup, times));
    solve_arrays_free(&arrays);
    return status;
}

starfish_status blktri_context(const struct blktri_case *c, starfish_context **context)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    STARFISH_TRY(workers_read(c->workers, &options));
    options.cores_per_worker = c->team;
    if (c->n[0] == 1)
        workers_as_one_team(&options);
    return starfish_context_create(context, &options);
}
