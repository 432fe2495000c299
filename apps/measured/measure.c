/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish sched: calibrating for a set of workers, and solving under one policy. */
#include "apps/measured/sched.h"

#include "apps/command.h"
#include "apps/recorded/simulate.h"
#include "apps/workers.h"
#include "scheduler/lab/account.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Solves: each brings at least one sample of every task; ten per kind of worker are wanted. */
enum { CALIBRATIONS_AT_MOST = 200 };

/* ---- contexts and solves ----------------------------------------------------------------------------------------- */

static starfish_status solve(struct plan *plan, struct starfish_record **record)
{
    if (record)
        STARFISH_TRY(starfish_record_start(plan->context, record));
    starfish_status status = plan->kind->solve(plan);
    if (record) {
        const starfish_status stopped = starfish_record_stop(*record);
        status = status == STARFISH_SUCCESS ? stopped : status;
    }
    return status;
}

starfish_status sched_solve_here(struct sched *sched)
{
    return solve(&sched->plan, NULL);
}

typedef starfish_status sched_work(struct sched *sched, struct sched_combination *combination, size_t solves);

/* `work` in a context of its own. */
static starfish_status with_context(struct sched *sched, struct sched_combination *combination, size_t solves,
                                    sched_work *work)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    STARFISH_TRY(workers_read(combination->workers, &options));
    options.policy = combination->policy;
    STARFISH_TRY(starfish_context_create(&context, &options));
    bench_machine(&sched->bench, context);
    starfish_status status = plan_start(&sched->plan, context);
    STARFISH_THEN(status, work(sched, combination, solves));
    plan_stop(&sched->plan);
    starfish_context_destroy(context);
    return status;
}

/* ---- calibration ------------------------------------------------------------------------------------------------- */

/* One solve with a record, of which the models learn if `teach` says so. */
static starfish_status solve_teaching(struct plan *plan, int teach, struct starfish_record **record)
{
    starfish_tasks_teach(teach);
    const starfish_status status = solve(plan, record);
    starfish_tasks_teach(1);
    return status;
}

/* The same; did they know every task at its submission? */
static starfish_status solve_known(struct plan *plan, int teach, int *known)
{
    struct starfish_record *record;
    const starfish_status status = solve_teaching(plan, teach, &record);
    *known = status == STARFISH_SUCCESS && starfish_account_calibrated(record);
    starfish_record_free(record);
    return status;
}

/* StarPU discards a model of which as many samples are far from the mean as are near it, and short tasks on a busy
 * machine have such samples. The solve that completes the models may discard one, so another that teaches nothing says
 * whether they are complete. */
starfish_status sched_calibrate_here(struct sched *sched, const struct sched_combination *combination, size_t most,
                                     double most_seconds)
{
    const char *workers = combination->workers;
    int known = 0;
    size_t solves = 0;
    double seconds = 0;
    while (!known && solves < most && seconds < most_seconds) {
        bench_announce("calibrating %s: %zu solves", workers, solves);
        STARFISH_TRY(solve_known(&sched->plan, 1, &known));
        seconds += sched->plan.seconds;
        ++solves;
        if (known)
            STARFISH_TRY(solve_known(&sched->plan, 0, &known));
    }
    json_array_append_new(json_object_get(sched->bench.more, "calibration"),
                          json_pack("{s:s, s:i, s:o, s:b}", "workers", workers, "solves", (int)solves, "seconds",
                                    command_json_real(seconds), "complete", known));
    return STARFISH_SUCCESS;
}

static starfish_status calibrate_here(struct sched *sched, struct sched_combination *combination, size_t most)
{
    return sched_calibrate_here(sched, combination, most, HUGE_VAL);
}

starfish_status sched_calibrate(struct sched *sched, const char *workers)
{
    if (SIMULATED) /* there are the machine's models, and nothing else */
        return STARFISH_SUCCESS;
    struct sched_combination calibration = {.workers = workers, .policy = "dmda"};
    bench_next("calibrating %s", workers);
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

/* ---- one combination --------------------------------------------------------------------------------------------- */

static starfish_status keep_record(struct plan *plan, struct sched_combination *combination)
{
    struct starfish_record *record;
    starfish_status status = solve(plan, &record);
    if (status != STARFISH_SUCCESS) {
        starfish_record_free(record);
        return status;
    }
    combination->record[combination->records] = record;
    combination->record_seconds[combination->records++] = plan->seconds;
    return STARFISH_SUCCESS;
}

starfish_status sched_measure_here(struct sched *sched, struct sched_combination *combination, size_t solves)
{
    struct plan *plan = &sched->plan;
    combination->residual = plan->residual;
    snprintf(combination->method, sizeof combination->method, "%s", plan->method);
    for (size_t i = 0; i < sched->bench.warmup; ++i)
        STARFISH_TRY(solve(plan, NULL));
    for (size_t i = 0; i < solves; ++i) {
        STARFISH_TRY(solve(plan, NULL));
        combination->seconds[combination->count++] = plan->seconds;
    }
    for (int i = 0; i < SCHED_ROUND_RECORDS; ++i)
        STARFISH_TRY(keep_record(plan, combination));
    return STARFISH_SUCCESS;
}

/* Whatever disturbs these solves, the models stay as calibration left them. */
static starfish_status measure_untaught(struct sched *sched, struct sched_combination *combination, size_t solves)
{
    starfish_tasks_teach(0);
    const starfish_status status = sched_measure_here(sched, combination, solves);
    starfish_tasks_teach(1);
    return status;
}

starfish_status sched_measure(struct sched *sched, struct sched_combination *combination, size_t solves)
{
    const struct starfish_recorded_counts before = starfish_recorded_count();
    bench_next("%s, %s", combination->workers, combination->policy);
    const starfish_status status = with_context(sched, combination, solves, measure_untaught);
    const struct starfish_recorded_counts after = starfish_recorded_count();
    combination->tasks.run += after.run - before.run;
    combination->tasks.far += after.far - before.far;
    return status;
}
