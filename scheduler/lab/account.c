/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Evaluates a record: durations, busy times, and lower bounds (area, critical path). */
#include "scheduler/lab/account.h"

#include <stdlib.h>
#include <string.h>

/* ---- Durations --------------------------------------------------------------------------------------------------- */

/* Duration of a task on each kind of worker: the model's time if there is one. Otherwise it is the measured time on the
 * kind where the task ran, and infinity on the other kind. */
static void durations_of(const struct starfish_record *record, const struct starfish_task_span *span, double *duration)
{
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        const int ran_here = span->worker >= 0 && record->worker[span->worker].kind == (starfish_worker_kind)kind;
        duration[kind] = span->expected[kind] > 0 ? span->expected[kind]
                         : ran_here               ? span->end - span->start
                         : span->worker < 0       ? 0
                                                  : (double)INFINITY;
        if (record->workers[kind] == 0)
            duration[kind] = (double)INFINITY;
    }
    if (span->worker < 0 || span->helps) /* one that helps is part of another */
        duration[STARFISH_CPU] = duration[STARFISH_GPU] = 0;
}

int starfish_account_calibrated(const struct starfish_record *record)
{
    for (size_t i = 0; i < record->tasks; i++)
        for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
            if (record->workers[kind] > 0 && isnan(record->task[i].expected[kind]))
                return 0;
    return 1;
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

/* qsort has no argument for what it sorts by. */
static _Thread_local const double (*sorted_by)[STARFISH_WORKER_KINDS];

/* Most accelerated by GPUs first. Products instead of quotients: a duration may be infinite or zero. */
static int by_acceleration(const void *a, const void *b)
{
    const double *x = sorted_by[*(const size_t *)a], *y = sorted_by[*(const size_t *)b];
    if (isinf(x[STARFISH_CPU]) || isinf(y[STARFISH_CPU]))
        return (isinf(y[STARFISH_CPU]) != 0) - (isinf(x[STARFISH_CPU]) != 0);
    if (isinf(x[STARFISH_GPU]) || isinf(y[STARFISH_GPU]))
        return (isinf(x[STARFISH_GPU]) != 0) - (isinf(y[STARFISH_GPU]) != 0);
    const double left = x[STARFISH_CPU] * y[STARFISH_GPU], right = y[STARFISH_CPU] * x[STARFISH_GPU];
    return (left < right) - (left > right);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Both kinds there. With the tasks in that order a prefix is the GPUs': their time grows with it and the cores'
 * falls. */
static double balance(size_t count, const double (*duration)[STARFISH_WORKER_KINDS], const size_t *order, double cpus,
                      double gpus)
{
    double gpu = 0, cpu = 0;
    for (size_t i = 0; i < count; i++) {
        const double *d = duration[order[i]];
        cpu += isinf(d[STARFISH_CPU]) ? 0 : d[STARFISH_CPU];
        gpu += isinf(d[STARFISH_CPU]) ? d[STARFISH_GPU] : 0;
    }
    for (size_t i = 0; i < count && gpu / gpus < cpu / cpus; i++) {
        const double *d = duration[order[i]];
        if (isinf(d[STARFISH_CPU]))
            continue;
        if (isinf(d[STARFISH_GPU]))
            break;
        /* gpu + x d_gpu over gpus = cpu - x d_cpu over cpus */
        const double whole = d[STARFISH_GPU] / gpus + d[STARFISH_CPU] / cpus;
        const double part = whole > 0 ? (cpu / cpus - gpu / gpus) / whole : 1;
        const double x = part < 1 ? part : 1;
        gpu += x * d[STARFISH_GPU];
        cpu -= x * d[STARFISH_CPU];
        if (x < 1)
            break;
    }
    return larger(gpu / gpus, cpu / cpus);
}

double starfish_area_bound(size_t count, const double (*duration)[STARFISH_WORKER_KINDS],
                           const size_t workers[STARFISH_WORKER_KINDS], size_t *order)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        if (workers[1 - kind] == 0) {
            for (size_t i = 0; i < count; i++)
                sum += duration[i][kind];
            return sum / (double)workers[kind];
        }
    sorted_by = duration;
    qsort(order, count, sizeof *order, by_acceleration);
    return balance(count, duration, order, (double)workers[STARFISH_CPU], (double)workers[STARFISH_GPU]);
}

static double fastest(const double *duration)
{
    return duration[STARFISH_CPU] < duration[STARFISH_GPU] ? duration[STARFISH_CPU] : duration[STARFISH_GPU];
}

/* Tasks are in topological order: each follows the tasks that it waits for. */
static void follow_paths(const struct starfish_record *record, const double (*duration)[STARFISH_WORKER_KINDS],
                         double *length, size_t *steps, struct starfish_account *account)
{
    size_t edge = 0;
    for (size_t i = 0; i < record->tasks; i++) {
        length[i] = 0;
        steps[i] = 0;
        for (; edge < record->edges && record->edge[edge].to == i; edge++) {
            const size_t from = record->edge[edge].from;
            if (length[from] > length[i]) {
                length[i] = length[from];
                steps[i] = steps[from];
            }
        }
        length[i] += fastest(duration[i]);
        steps[i] += fastest(duration[i]) > 0;
        if (length[i] > account->critical_path) {
            account->critical_path = length[i];
            account->path_tasks = steps[i];
        }
    }
}

/* A task that runs on all cores takes the same time of each. */
static void count_cores(const struct starfish_record *record, double (*duration)[STARFISH_WORKER_KINDS])
{
    for (size_t i = 0; i < record->tasks; i++)
        if (record->task[i].uses_all_cores)
            duration[i][STARFISH_CPU] *= (double)record->workers[STARFISH_CPU];
}

static void add_bounds(const struct starfish_record *record, struct starfish_account *account)
{
    const size_t room = record->tasks > 0 ? record->tasks : 1;
    double(*duration)[STARFISH_WORKER_KINDS] = malloc(room * sizeof *duration);
    double *length = malloc(room * sizeof *length);
    size_t *number = malloc(room * sizeof *number);
    if (duration && length && number) {
        for (size_t i = 0; i < record->tasks; i++)
            durations_of(record, &record->task[i], duration[i]);
        follow_paths(record, (const double(*)[STARFISH_WORKER_KINDS])duration, length, number, account);
        count_cores(record, duration);
        account->area = starfish_area_bound(record->tasks, (const double(*)[STARFISH_WORKER_KINDS])duration,
                                            record->workers, number);
    }
    free(duration);
    free(length);
    free(number);
}

/* ---- The account ------------------------------------------------------------------------------------------------- */

struct starfish_account starfish_account_of(const struct starfish_record *record)
{
    struct starfish_account account = {.begin = (double)INFINITY, .end = -(double)INFINITY};
    for (size_t i = 0; i < record->tasks; i++) {
        const struct starfish_task_span *span = &record->task[i];
        account.begin = fmin(account.begin, span->submitted);
        account.end = fmax(account.end, span->end);
        if (span->worker < 0)
            continue;
        const starfish_worker_kind kind = record->worker[span->worker].kind;
        account.tasks[kind]++;
        account.fetching += span->fetched;
        account.flops += span->flops;
        account.traffic += (double)span->traffic;
    }
    for (size_t i = 0; i < record->pieces; i++)
        account.busy[record->worker[record->piece[i].worker].kind] += starfish_piece_busy(record, &record->piece[i]);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        account.idle[kind] = (double)record->workers[kind] * (account.end - account.begin) - account.busy[kind];
    account.complete = starfish_account_calibrated(record);
    add_bounds(record, &account);
    return account;
}

/* ---- What was waited for ----------------------------------------------------------------------------------------- */

/* The last to end of those that task i could not begin before. */
static size_t waited_for(const struct starfish_record *record, size_t i)
{
    const struct starfish_task_span *span = &record->task[i];
    size_t last = record->tasks;
    for (size_t e = 0; e < record->edges; e++)
        if (record->edge[e].to == i &&
            (last == record->tasks || record->task[record->edge[e].from].end > record->task[last].end))
            last = record->edge[e].from;
    for (size_t other = 0; other < record->tasks; other++)
        if (span->worker >= 0 && other != i && record->task[other].worker == span->worker &&
            record->task[other].end <= span->start &&
            (last == record->tasks || record->task[other].end > record->task[last].end))
            last = other;
    return last;
}

void starfish_waiting_path(const struct starfish_record *record, char *path)
{
    size_t at = record->tasks;
    memset(path, 0, record->tasks);
    for (size_t i = 0; i < record->tasks; i++)
        if (!record->task[i].helps && (at == record->tasks || record->task[i].end > record->task[at].end))
            at = i;
    while (at < record->tasks && !path[at]) {
        path[at] = 1;
        at = waited_for(record, at);
    }
}
