/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish sched: the figures of one combination of workers and policy, from the records of its solves: times, shares,
 * links and bounds. */
#include "apps/measured/sched.h"
#include "apps/names.h"

#include "apps/command.h"
#include "apps/recorded/simulate.h"
#include "scheduler/lab/account.h"

#include <math.h>
#include <stdio.h>

static void add_shares(json_t *row, const struct starfish_record *record, const struct starfish_account *account)
{
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
        const char *const name = names_workers[kind];
        command_keys(row, KEY(bench_name("%s_tasks", name), (double)account->tasks[kind] / tasks),
                     KEY(bench_name("%s_work", name), account->busy[kind] / busy),
                     KEY(bench_name("%s_idle_seconds", name), 1e-6 * account->idle[kind]));
    }
    command_keys(row, KEY("idle", idle / (workers * span)), KEY("data_wait_seconds", 1e-6 * account->fetching));
}

/* Every link that anything went over has a key of its own. */
static void add_links(json_t *row, const struct starfish_record *record)
{
    command_keys(row, KEY("host_to_device", record->bytes.host_to_device),
                 KEY("device_to_host", record->bytes.device_to_host),
                 KEY("device_to_device", record->bytes.device_to_device));
    for (unsigned from = 0; from < record->nodes; from++)
        for (unsigned to = 0; to < record->nodes; to++) {
            const char *key = bench_name("link_%s_%s", record->node[from], record->node[to]);
            if (record->links.moved[from][to] > 0)
                json_object_set_new(row, key, json_integer((json_int_t)record->links.moved[from][to]));
        }
}

static void add_bounds(json_t *row, const struct starfish_account *account)
{
    const double seconds = bench_seconds(row);
    const double area = 1e-6 * account->area, path = 1e-6 * account->critical_path;
    bench_limit(row, fmax(area, path));
    command_keys(row, KEY("area_bound_seconds", area), KEY("of_area_bound", area / seconds),
                 KEY("critical_path_seconds", path), KEY("of_critical_path", path / seconds),
                 KEY("critical_path_tasks", account->path_tasks),
                 KEY("bounds_by_models", json_boolean(account->complete)));
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

/* The record whose solve took the time closest to the median. */
static const struct starfish_record *typical(const struct sched_combination *c)
{
    const double median = c->seconds[c->count / 2];
    size_t best = 0;
    for (size_t i = 1; i < c->records; i++)
        if (fabs(c->record_seconds[i] - median) < fabs(c->record_seconds[best] - median))
            best = i;
    return c->record[best];
}

/* From the first submission until a worker begins. */
static double lead_of(const struct starfish_record *record)
{
    double submitted = INFINITY, start = INFINITY;
    for (size_t i = 0; i < record->tasks; i++) {
        submitted = fmin(submitted, record->task[i].submitted);
        if (record->task[i].worker >= 0)
            start = fmin(start, record->task[i].start);
    }
    return start - submitted;
}

void sched_add_row(struct sched *sched, const struct sched_combination *c)
{
    char name[2 * LIST_ITEM + 8];
    snprintf(name, sizeof name, "%s, %s", c->workers, c->policy);
    json_t *row = bench_row(&sched->bench, c->policy, name, c->seconds, c->count, 0); /* sorts the times */
    const struct starfish_record *record = typical(c);
    const struct starfish_account account = starfish_account_of(record);
    const double bytes = total(&record->links), seconds = bench_seconds(row);
    command_keys(row, KEY("bytes", bytes), KEY("bytes_per_second", bytes / seconds), KEY("policy", c->policy),
                 KEY("workers", c->workers), KEY("spread", quartiles_apart(c->seconds, c->count)),
                 KEY("method", c->method), KEY("residual", c->residual));
    add_shares(row, record, &account);
    if (SIMULATED)
        json_object_set_new(row, "far_estimates", command_json_real((double)c->tasks.far / (double)c->tasks.run));
    command_keys(row, KEY("span", 1e-6 * (account.end - account.begin)), KEY("lead", 1e-6 * lead_of(record)));
    add_links(row, record);
    add_bounds(row, &account);
    /* The bytes of tasks, which go through the memory beside their worker, and not over links. */
    json_object_set_new(row, "memory_bytes", json_integer((json_int_t)account.traffic));
    if (!isnan(account.flops))
        bench_operations(row, account.flops);
}
