/* starfish sched: calibrating for a set of workers, and solving under one policy. */
#include "apps/sched/sched.h"

#include "apps/command.h"
#include "apps/machine/simulate.h"
#include "apps/workers.h"
#include "base/real.h"
#include "scheduler/account.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALIBRATIONS_AT_MOST = 200
}; /* solves: each brings at least one sample of every task; ten per kind of worker are wanted */

/* ---- contexts and solves
 * --------------------------------------------------------------------------------------------- */

static starfish_status solve(struct solve_run *run, struct starfish_record **record)
{
    if (record)
        STARFISH_TRY(starfish_record_start(run->context, record));
    starfish_status status =
        starfish_poisson_solve(run->plan, &run->boundary, run->problem.rhs.array.data, run->solution.data, &run->info);
    if (record) {
        const starfish_status stopped = starfish_record_stop(*record);
        status = status == STARFISH_SUCCESS ? stopped : status;
    }
    return status;
}

static starfish_status make_plan(struct solve_run *run, int check_residual)
{
    starfish_poisson_plan_destroy(run->plan);
    run->plan = NULL;
    return solve_make_plan(run, check_residual);
}

/* The first plan checks the solution, the second does nothing but solve. */
static starfish_status check_once(struct solve_run *run)
{
    run->info.residual = (double)NAN;
    if (!SIMULATED) {
        STARFISH_TRY(make_plan(run, 1));
        STARFISH_TRY(solve(run, NULL));
        STARFISH_TRY(solve_check_result(run));
    }
    return make_plan(run, 0);
}

typedef starfish_status sched_work(struct sched *sched, struct sched_combination *combination, size_t solves);

static starfish_status with_pinned(struct sched *sched, struct sched_combination *combination, size_t solves,
                                   sched_work *work)
{
    struct solve_run *run = &sched->run;
    void *const memory[] = {run->problem.rhs.array.data, run->solution.data};
    const size_t bytes = starfish_array_count(&run->solution) * starfish_real_size(run->precision);
    STARFISH_TRY(starfish_pin(run->context, memory[0], bytes));
    starfish_status status = starfish_pin(run->context, memory[1], bytes);
    if (status == STARFISH_SUCCESS) {
        status = work(sched, combination, solves);
        starfish_unpin(run->context, memory[1], bytes);
    }
    starfish_unpin(run->context, memory[0], bytes);
    return status;
}

/* `work` in a context of its own. */
static starfish_status with_context(struct sched *sched, struct sched_combination *combination, size_t solves,
                                    sched_work *work)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct solve_run *run = &sched->run;
    STARFISH_TRY(workers_read(combination->workers, &options));
    options.policy = combination->policy;
    STARFISH_TRY(starfish_context_create(&run->context, &options));
    bench_machine(&sched->bench, run->context);
    starfish_status status = with_pinned(sched, combination, solves, work);
    starfish_poisson_plan_destroy(run->plan);
    starfish_context_destroy(run->context);
    run->plan = NULL;
    run->context = NULL;
    return status;
}

/* ---- calibration
 * ----------------------------------------------------------------------------------------------------- */

static starfish_status calibrate_here(struct sched *sched, struct sched_combination *combination, size_t most)
{
    const char *workers = combination->workers;
    int known = 0;
    size_t solves = 0;
    double seconds = 0;
    STARFISH_TRY(check_once(&sched->run));
    while (!known && solves < most) {
        struct starfish_record *record;
        bench_announce("calibrating %s: %zu solves", workers, solves);
        starfish_status status = solve(&sched->run, &record);
        known = status == STARFISH_SUCCESS && starfish_account_calibrated(record);
        starfish_record_free(record);
        STARFISH_TRY(status);
        seconds += sched->run.info.seconds;
        ++solves;
    }
    json_array_append_new(json_object_get(sched->bench.more, "calibration"),
                          json_pack("{s:s, s:i, s:o, s:b}", "workers", workers, "solves", (int)solves, "seconds",
                                    command_json_real(seconds), "complete", known));
    return STARFISH_SUCCESS;
}

starfish_status sched_calibrate(struct sched *sched, const char *workers)
{
    if (SIMULATED) /* there are the machine's models, and nothing else */
        return STARFISH_SUCCESS;
    struct sched_combination calibration = {.workers = workers, .policy = "dmda"};
    const char *before = getenv("STARPU_CALIBRATE");
    char *kept = before ? strdup(before) : NULL;
    if (sched->recalibrate || !before)
        setenv("STARPU_CALIBRATE", sched->recalibrate ? "2" : "1", 1);
    /* dmda gives every task to every kind of worker until the models know it. */
    starfish_status status = with_context(sched, &calibration, CALIBRATIONS_AT_MOST, calibrate_here);
    unsetenv("STARPU_CALIBRATE");
    if (kept)
        setenv("STARPU_CALIBRATE", kept, 1);
    free(kept);
    return status;
}

/* ---- one combination
 * --------------------------------------------------------------------------------------------------- */

static starfish_status keep_record(struct solve_run *run, struct sched_combination *combination)
{
    struct starfish_record *record;
    starfish_status status = solve(run, &record);
    if (status != STARFISH_SUCCESS) {
        starfish_record_free(record);
        return status;
    }
    combination->record[combination->records] = record;
    combination->record_seconds[combination->records++] = run->info.seconds;
    return STARFISH_SUCCESS;
}

static starfish_status measure_here(struct sched *sched, struct sched_combination *combination, size_t solves)
{
    struct solve_run *run = &sched->run;
    STARFISH_TRY(check_once(run));
    combination->residual = run->info.residual;
    snprintf(combination->method, sizeof combination->method, "%s", starfish_poisson_plan_method(run->plan));
    for (size_t i = 0; i < sched->bench.warmup; ++i)
        STARFISH_TRY(solve(run, NULL));
    for (size_t i = 0; i < solves; ++i) {
        STARFISH_TRY(solve(run, NULL));
        combination->seconds[combination->count++] = run->info.seconds;
    }
    for (int i = 0; i < SCHED_ROUND_RECORDS; ++i)
        STARFISH_TRY(keep_record(run, combination));
    return STARFISH_SUCCESS;
}

starfish_status sched_measure(struct sched *sched, struct sched_combination *combination, size_t solves)
{
    bench_announce("%s, %s", combination->workers, combination->policy);
    return with_context(sched, combination, solves, measure_here);
}
