/* starfish sched: calibrating for a set of workers, and the figures of one policy.
 *
 * Times are of solves of which no record is kept; of some more a record is kept, and the one that is closest to the median says
 * what the workers did. */
#include "apps/sched.h"

#include "apps/command.h"
#include "apps/workers.h"
#include "base/real.h"
#include "scheduler/account.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALIBRATIONS_AT_MOST =
        200,     /* solves: each brings at least one sample of every task; ten per kind of worker are wanted */
    RECORDS = 5, /* solves of which a record is kept */
};

/* ---- contexts and solves --------------------------------------------------------------------------------------------- */

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
    STARFISH_TRY(make_plan(run, 1));
    STARFISH_TRY(solve(run, NULL));
    STARFISH_TRY(solve_check_result(run));
    return make_plan(run, 0);
}

typedef starfish_status sched_work(struct sched *sched, const char *workers, const char *policy);

static starfish_status with_pinned(struct sched *sched, const char *workers, const char *policy, sched_work *work)
{
    struct solve_run *run = &sched->run;
    void *const memory[] = {run->problem.rhs.array.data, run->solution.data};
    const size_t bytes = starfish_array_count(&run->solution) * starfish_real_size(run->precision);
    STARFISH_TRY(starfish_pin(run->context, memory[0], bytes));
    starfish_status status = starfish_pin(run->context, memory[1], bytes);
    if (status == STARFISH_SUCCESS) {
        status = work(sched, workers, policy);
        starfish_unpin(run->context, memory[1], bytes);
    }
    starfish_unpin(run->context, memory[0], bytes);
    return status;
}

/* `work` in a context of its own. */
static starfish_status with_context(struct sched *sched, const char *workers, const char *policy, sched_work *work)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct solve_run *run = &sched->run;
    STARFISH_TRY(workers_read(workers, &options));
    options.policy = policy;
    STARFISH_TRY(starfish_context_create(&run->context, &options));
    bench_machine(&sched->bench, run->context);
    starfish_status status = with_pinned(sched, workers, policy, work);
    starfish_poisson_plan_destroy(run->plan);
    starfish_context_destroy(run->context);
    run->plan = NULL;
    run->context = NULL;
    return status;
}

/* ---- calibration ----------------------------------------------------------------------------------------------------- */

static starfish_status calibrate_here(struct sched *sched, const char *workers, const char *policy)
{
    int known = 0, solves = 0;
    double seconds = 0;
    (void)policy;
    STARFISH_TRY(check_once(&sched->run));
    while (!known && solves < CALIBRATIONS_AT_MOST) {
        struct starfish_record *record;
        bench_announce("calibrating %s: %d solves", workers, solves);
        starfish_status status = solve(&sched->run, &record);
        known = status == STARFISH_SUCCESS && starfish_account_calibrated(record);
        starfish_record_free(record);
        STARFISH_TRY(status);
        seconds += sched->run.info.seconds;
        ++solves;
    }
    json_array_append_new(json_object_get(sched->bench.more, "calibration"),
                          json_pack("{s:s, s:i, s:o, s:b}", "workers", workers, "solves", solves, "seconds",
                                    command_json_real(seconds), "complete", known));
    return STARFISH_SUCCESS;
}

starfish_status sched_calibrate(struct sched *sched, const char *workers)
{
    const int mine = !getenv("STARPU_CALIBRATE");
    if (mine)
        setenv("STARPU_CALIBRATE", "1", 1);
    /* dmda gives every task to every kind of worker until the models know it. */
    starfish_status status = with_context(sched, workers, "dmda", calibrate_here);
    if (mine)
        unsetenv("STARPU_CALIBRATE");
    return status;
}

/* ---- one combination --------------------------------------------------------------------------------------------------- */

static void add_shares(json_t *row, const struct starfish_record *record, const struct starfish_account *account)
{
    static const char *const names[] = {[STARFISH_CPU] = "cpu", [STARFISH_GPU] = "gpu"};
    const double span = account->end - account->begin;
    double tasks = 0, busy = 0, workers = 0, idle = 0;
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        tasks += (double)account->tasks[kind];
        busy += account->busy[kind];
        idle += account->idle[kind];
        workers += (double)record->workers[kind];
    }
    json_object_set_new(row, "tasks", json_integer((json_int_t)tasks));
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_tasks", names[kind]);
        json_object_set_new(row, key, command_json_real((double)account->tasks[kind] / tasks));
        snprintf(key, sizeof key, "%s_work", names[kind]);
        json_object_set_new(row, key, command_json_real(account->busy[kind] / busy));
        snprintf(key, sizeof key, "%s_idle_seconds", names[kind]);
        json_object_set_new(row, key, command_json_real(1e-6 * account->idle[kind]));
    }
    json_object_set_new(row, "idle", command_json_real(idle / (workers * span)));
    json_object_set_new(row, "data_wait_seconds", command_json_real(1e-6 * account->fetching));
}

/* Every link that anything went over has a key of its own. */
static void add_links(json_t *row, const struct starfish_record *record)
{
    json_object_set_new(row, "host_to_device", json_integer((json_int_t)record->bytes.host_to_device));
    json_object_set_new(row, "device_to_host", json_integer((json_int_t)record->bytes.device_to_host));
    json_object_set_new(row, "device_to_device", json_integer((json_int_t)record->bytes.device_to_device));
    for (unsigned from = 0; from < record->nodes; from++)
        for (unsigned to = 0; to < record->nodes; to++) {
            char key[64];
            snprintf(key, sizeof key, "link_%s_%s", record->node[from], record->node[to]);
            if (record->links.moved[from][to] > 0)
                json_object_set_new(row, key, json_integer((json_int_t)record->links.moved[from][to]));
        }
}

static void add_bounds(json_t *row, const struct starfish_account *account)
{
    const double seconds = json_number_value(json_object_get(row, "seconds"));
    const double area = 1e-6 * account->area, path = 1e-6 * account->critical_path;
    bench_limit(row, fmax(area, path));
    json_object_set_new(row, "area_bound_seconds", command_json_real(area));
    json_object_set_new(row, "of_area_bound", command_json_real(area / seconds));
    json_object_set_new(row, "critical_path_seconds", command_json_real(path));
    json_object_set_new(row, "of_critical_path", command_json_real(path / seconds));
    json_object_set_new(row, "critical_path_tasks", json_integer((json_int_t)account->path_tasks));
    json_object_set_new(row, "bounds_by_models", json_boolean(account->complete));
}

/* `seconds` are sorted. */
static double quartiles_apart(const double *seconds, size_t count)
{
    return seconds[(count - 1) - (count - 1) / 4] - seconds[(count - 1) / 4];
}

static double total(const struct starfish_links *links)
{
    double sum = 0;
    for (unsigned from = 0; from < STARPU_MAXNODES; from++)
        for (unsigned to = 0; to < STARPU_MAXNODES; to++)
            sum += (double)links->moved[from][to];
    return sum;
}

static void add_row(struct sched *sched, const char *workers, const char *policy, double *seconds, double residual,
                    const struct starfish_record *record)
{
    const size_t count = sched->bench.repeat;
    const struct starfish_account account = starfish_account_of(record);
    char name[2 * LIST_ITEM + 8];
    snprintf(name, sizeof name, "%s, %s", workers, policy);
    json_t *row = bench_row(&sched->bench, policy, name, seconds, count, total(&record->links));
    json_object_set_new(row, "policy", json_string(policy));
    json_object_set_new(row, "workers", json_string(workers));
    json_object_set_new(row, "spread", command_json_real(quartiles_apart(seconds, count)));
    json_object_set_new(row, "method", json_string(starfish_poisson_plan_method(sched->run.plan)));
    json_object_set_new(row, "residual", command_json_real(residual));
    add_shares(row, record, &account);
    add_links(row, record);
    add_bounds(row, &account);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The record whose solve took the time closest to `wanted`; the caller frees it. */
static starfish_status keep_record(struct solve_run *run, double wanted, struct starfish_record **kept)
{
    double distance = (double)INFINITY;
    *kept = NULL;
    for (int i = 0; i < RECORDS; i++) {
        struct starfish_record *record;
        starfish_status status = solve(run, &record);
        const int closer = status == STARFISH_SUCCESS && fabs(run->info.seconds - wanted) < distance;
        if (closer) {
            distance = fabs(run->info.seconds - wanted);
            starfish_record_free(*kept);
            *kept = record;
        } else {
            starfish_record_free(record);
        }
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

static starfish_status measure_here(struct sched *sched, const char *workers, const char *policy)
{
    struct solve_run *run = &sched->run;
    struct starfish_record *record = NULL;
    const size_t count = sched->bench.repeat;
    STARFISH_TRY(check_once(run));
    const double residual = run->info.residual;
    for (size_t i = 0; i < sched->bench.warmup + count; ++i) {
        STARFISH_TRY(solve(run, NULL));
        if (i >= sched->bench.warmup)
            run->seconds[i - sched->bench.warmup] = run->info.seconds;
    }
    qsort(run->seconds, count, sizeof *run->seconds, ascending);
    starfish_status status = keep_record(run, run->seconds[count / 2], &record);
    if (status == STARFISH_SUCCESS)
        add_row(sched, workers, policy, run->seconds, residual, record);
    starfish_record_free(record);
    return status;
}

starfish_status sched_measure(struct sched *sched, const char *workers, const char *policy)
{
    bench_announce("%s, %s", workers, policy);
    return with_context(sched, workers, policy, measure_here);
}
