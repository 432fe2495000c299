/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of a solve: a table for people, or one JSON object. */
#include "apps/command.h"
#include "apps/names.h"
#include "apps/solve/solve.h"
#include "apps/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- times of the repetitions ------------------------------------------------------------------------------------ */

struct times {
    double least, median;
};

static struct times summarise(const struct solve_run *run)
{
    size_t count = run->solves;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return (struct times){run->seconds[0], run->seconds[0]};
    memcpy(sorted, run->seconds, count * sizeof *sorted);
    const double median = command_median(sorted, count);
    const struct times times = {sorted[0], median};
    free(sorted);
    return times;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

static void add_problem(struct table *table, const struct solve_run *run)
{
    const struct starfish_read_problem *problem = &run->solver.problem;
    if (problem->row->dimensions == 3)
        table_line(table, "problem\t%s, %zu x %zu x %zu, %s", problem->row->name, problem->n[0], problem->n[1],
                   problem->n[2], starfish_precision_names[run->solver.precision]);
    else
        table_line(table, "problem\t%s, %zu x %zu, %s", problem->row->name, problem->n[0], problem->n[1],
                   starfish_precision_names[run->solver.precision]);
    if (run->solver.transport)
        table_line(table, "ranks\t%d; workers, tasks and times are of the first one", problem_ranks(&run->solver));
    table_line(table, "method\t%s (%s)", run->solver.about.method, run->solver.about.reason);
}

static void add_workers(struct table *table, const struct solve_run *run)
{
    struct starfish_runtime runtime;
    table_line(table, "workers");
    if (starfish_context_runtime(run->solver.context, &runtime) == STARFISH_SUCCESS)
        table_cell(table, "%zu cpu, %zu gpu, StarPU %s, policy %s",
                   starfish_context_workers_of(run->solver.context, STARFISH_CPU),
                   starfish_context_workers_of(run->solver.context, STARFISH_GPU), runtime.starpu_version,
                   runtime.policy);
}

static void add_results(struct table *table, const struct solve_run *run)
{
    struct times times = summarise(run);
    table_line(table, "plan\t%.4g s", run->solver.about.seconds);
    table_line(table, "solve\t%.4g s", times.median);
    if (run->solver.options.repeat > 1)
        table_cell(table, "median of %zu, fastest %.4g s, %.4g s each as a stream", run->solver.options.repeat,
                   times.least, run->stream_seconds);
    if (run->solver.result.info.iterations > 0)
        table_line(table, "iterations\t%d, to %.3g in the Euclidean norm", run->solver.result.info.iterations,
                   run->solver.result.info.residual);
    table_line(table, "residual\t%.3g", run->solver.result.info.residual_max);
    if (!isnan(run->solver.error))
        table_line(table, "error\t%.6g against the known solution%s", run->solver.error,
                   run->solver.about.singular ? ", up to a constant" : "");
    if (run->solver.about.singular)
        table_line(table, "pertrb\t%.6g taken off the right-hand side", run->solver.result.info.pertrb);
}

static int report_memory(const struct solve_run *run, struct starfish_memory *memory)
{
    const struct problem_run *solver = &run->solver;
    return starfish_plan_memory(solver->plan, memory) == STARFISH_SUCCESS;
}

static void add_memory(struct table *table, const struct solve_run *run)
{
    struct starfish_memory memory;
    if (!report_memory(run, &memory))
        return;
    table_line(table, "memory\t%.4g MB beside the arrays", 1e-6 * (double)memory.main_bytes);
    if (memory.gpu_least == 0)
        return;
    table_line(table, "GPU memory\t%.4g MB of %.4g at least, %.4g to keep all there%s", 1e-6 * (double)memory.gpu_least,
               1e-6 * (double)memory.gpu_there, 1e-6 * (double)(memory.gpu_work + memory.gpu_data),
               memory.streamed ? ": streamed" : "");
}

static void print_phases(const struct starfish_poisson_phases *phases)
{
    struct table table = {.alignment = TABLE_RIGHT};
    table_line(&table, "phase\tseconds");
    for (int i = 0; i < phases->phases; ++i)
        table_line(&table, "%s\t%.4f", phases->phase[i].name, phases->phase[i].seconds);
    printf("\n");
    table_print(&table);
}

static void print_worker_kinds(const struct starfish_result *info)
{
    struct table table = {.alignment = TABLE_RIGHT};
    table_line(&table, "worker\ttasks\tbusy seconds");
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; ++kind)
        table_line(&table, "%s\t%zu\t%.4f", names_workers[kind], info->worker[kind].tasks,
                   info->worker[kind].busy_seconds);
    printf("\n");
    table_print(&table);
}

static void print_links(const struct starfish_result *info)
{
    struct table table = {.alignment = TABLE_RIGHT};
    table_line(&table, "link\tMB");
    table_line(&table, "host to device\t%.1f", (double)info->host_to_device / 1e6);
    table_line(&table, "device to host\t%.1f", (double)info->device_to_host / 1e6);
    table_line(&table, "device to device\t%.1f", (double)info->device_to_device / 1e6);
    printf("\n");
    table_print(&table);
}

void solve_print_table(const struct solve_run *run)
{
    struct table table = {.alignment = TABLE_LEFT};
    add_problem(&table, run);
    add_workers(&table, run);
    add_results(&table, run);
    add_memory(&table, run);
    const char *names[] = {solve_output_name(run), run->options.vtk, run->options.plot};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (names[i])
            table_line(&table, "written\t%s", names[i]);
    table_print(&table);
    if (run->solver.result.phases.phases)
        print_phases(&run->solver.result.phases);
    print_worker_kinds(&run->solver.result.info);
    print_links(&run->solver.result.info);
}

/* ---- for machines ------------------------------------------------------------------------------------------------ */

static json_t *extents(const struct solve_run *run)
{
    json_t *list = json_array();
    for (size_t d = 0; d < run->solver.problem.row->dimensions; ++d)
        json_array_append_new(list, json_integer((json_int_t)run->solver.problem.n[d]));
    return list;
}

static json_t *workers(const struct solve_run *run)
{
    json_t *object = json_object();
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; ++kind) {
        json_t *worker = json_object();
        command_keys(worker, KEY("count", starfish_context_workers_of(run->solver.context, (starfish_worker_kind)kind)),
                     KEY("tasks", run->solver.result.info.worker[kind].tasks),
                     KEY("busy_seconds", run->solver.result.info.worker[kind].busy_seconds));
        json_object_set_new(object, names_workers[kind], worker);
    }
    return object;
}

/* Of the busy seconds of all workers; those without a task are left out. */
static json_t *shares(const struct solve_run *run)
{
    json_t *object = json_object();
    const size_t workers = starfish_context_workers(run->solver.context);
    double all = 0;
    for (size_t w = 0; w < workers; ++w)
        all += run->busy[w];
    for (size_t w = 0; w < workers; ++w) {
        struct starfish_worker worker;
        char name[32];
        if (run->busy[w] <= 0 || starfish_context_worker(run->solver.context, w, &worker) != STARFISH_SUCCESS)
            continue;
        snprintf(name, sizeof name, "%s %d", names_workers[worker.kind], worker.device);
        json_object_set_new(object, name, command_json_real(run->busy[w] / all));
    }
    return object;
}

static json_t *bytes(const struct starfish_result *info)
{
    json_t *object = json_object();
    command_keys(object, KEY("host_to_device", info->host_to_device), KEY("device_to_host", info->device_to_host),
                 KEY("device_to_device", info->device_to_device));
    return object;
}

static json_t *memory(const struct solve_run *run)
{
    struct starfish_memory memory;
    json_t *object = json_object();
    if (!report_memory(run, &memory))
        return object;
    command_keys(object, KEY("main", memory.main_bytes), KEY("gpu_work", memory.gpu_work),
                 KEY("gpu_data", memory.gpu_data), KEY("gpu_least", memory.gpu_least),
                 KEY("gpu_there", memory.gpu_there), KEY("streamed", json_boolean(memory.streamed)));
    return object;
}

static json_t *phases_of(const struct starfish_poisson_phases *phases)
{
    json_t *object = json_object();
    for (int i = 0; i < phases->phases; ++i)
        json_object_set_new(object, phases->phase[i].name, command_json_real(phases->phase[i].seconds));
    return object;
}

static json_t *repetitions(const struct solve_run *run, struct times times)
{
    json_t *object = json_object(), *list = json_array();
    for (size_t i = 0; i < run->solves; ++i)
        json_array_append_new(list, command_json_real(run->seconds[i]));
    command_keys(object, KEY("median", times.median), KEY("min", times.least), KEY("seconds", list));
    if (run->solver.options.repeat > 1)
        command_keys(object, KEY("stream", run->stream_seconds));
    return object;
}

static void add_iterations(json_t *object, const struct problem_result *result)
{
    if (!result->iterates)
        return;
    command_keys(object, KEY("iterations", result->info.iterations),
                 KEY("converged", json_boolean(result->info.outcome == STARFISH_SOLVED)),
                 KEY("rescued", result->info.fallback), KEY("reached", result->info.residual));
    if (!isnan(result->tolerated))
        command_keys(object, KEY("tolerated", result->tolerated));
}

void solve_print_json(const struct solve_run *run)
{
    const struct times times = summarise(run);
    const struct problem_run *solver = &run->solver;
    const struct starfish_result *info = &solver->result.info;
    json_t *object = json_object();
    command_keys(object, KEY("status", solver->result.status), KEY("kind", solver->problem.row->name),
                 KEY("method", solver->about.method), KEY("reason", solver->about.reason),
                 KEY("precision", starfish_precision_names[solver->precision]), KEY("n", extents(run)),
                 KEY("seconds", times.median), KEY("plan_seconds", solver->about.seconds),
                 KEY("repeat", repetitions(run, times)), KEY("residual", info->residual_max),
                 KEY("residual_bound", info->residual_bound), KEY("error", solver->error),
                 KEY("correction", info->correction), KEY("refinements", info->refinements));
    add_iterations(object, &solver->result);
    command_keys(object, KEY("singular", json_boolean(solver->about.singular)), KEY("pertrb", info->pertrb));
    if (solver->transport)
        command_keys(object, KEY("ranks", problem_ranks(solver)), KEY("owners", solver->about.owners));
    command_keys(object, KEY("phases", phases_of(&solver->result.phases)), KEY("workers", workers(run)),
                 KEY("shares", shares(run)), KEY("bytes", bytes(info)), KEY("memory", memory(run)));
    command_print_json(object);
}
