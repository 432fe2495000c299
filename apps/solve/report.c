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
    const struct starfish_problem *problem = &run->solver.problem;
    table_row(table);
    table_cell(table, "problem");
    if (problem->row->dimensions == 3)
        table_cell(table, "%s, %zu x %zu x %zu, %s", problem->row->name, problem->n[0], problem->n[1], problem->n[2],
                   starfish_precision_names[run->solver.precision]);
    else
        table_cell(table, "%s, %zu x %zu, %s", problem->row->name, problem->n[0], problem->n[1],
                   starfish_precision_names[run->solver.precision]);
    if (run->solver.transport) {
        table_line(table, "ranks", "%d; workers, tasks and times are of the first one", problem_ranks(&run->solver));
    }
    table_line(table, "method", "%s (%s)", run->solver.about.method, run->solver.about.reason);
}

static void add_workers(struct table *table, const struct solve_run *run)
{
    struct starfish_runtime runtime;
    table_row(table);
    table_cell(table, "workers");
    if (starfish_context_runtime(run->solver.context, &runtime) == STARFISH_SUCCESS)
        table_cell(table, "%zu cpu, %zu gpu, StarPU %s, policy %s",
                   starfish_context_workers_of(run->solver.context, STARFISH_CPU),
                   starfish_context_workers_of(run->solver.context, STARFISH_GPU), runtime.starpu_version,
                   runtime.policy);
}

static void add_seconds(struct table *table, const char *name, double seconds)
{
    table_line(table, name, "%.4g s", seconds);
}

static void add_results(struct table *table, const struct solve_run *run)
{
    struct times times = summarise(run);
    add_seconds(table, "plan", run->solver.about.seconds);
    add_seconds(table, "solve", times.median);
    if (run->solver.options.repeat > 1)
        table_cell(table, "median of %zu, fastest %.4g s, %.4g s each as a stream", run->solver.options.repeat,
                   times.least, run->stream_seconds);
    if (run->solver.result.info.iterations > 0)
        table_line(table, "iterations", "%d, to %.3g in the Euclidean norm", run->solver.result.info.iterations,
                   run->solver.result.info.residual);
    table_line(table, "residual", "%.3g", run->solver.result.info.residual_max);
    if (!isnan(run->solver.error))
        table_line(table, "error", "%.6g against the known solution%s", run->solver.error,
                   run->solver.about.singular ? ", up to a constant" : "");
    if (run->solver.about.singular) {
        table_line(table, "pertrb", "%.6g taken off the right-hand side", run->solver.result.info.pertrb);
    }
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
    table_line(table, "memory", "%.4g MB beside the arrays", 1e-6 * (double)memory.main_bytes);
    if (memory.gpu_least == 0)
        return;
    table_line(table, "GPU memory", "%.4g MB of %.4g at least, %.4g to keep all there%s",
               1e-6 * (double)memory.gpu_least, 1e-6 * (double)memory.gpu_there,
               1e-6 * (double)(memory.gpu_work + memory.gpu_data), memory.streamed ? ": streamed" : "");
}

static void print_phases(const struct starfish_poisson_phases *phases)
{
    struct table table = {.alignment = TABLE_RIGHT};
    table_row(&table);
    table_cell(&table, "phase");
    table_cell(&table, "seconds");
    for (int i = 0; i < phases->phases; ++i) {
        table_row(&table);
        table_cell(&table, "%s", phases->phase[i].name);
        table_cell(&table, "%.4f", phases->phase[i].seconds);
    }
    printf("\n");
    table_print(&table);
}

static void print_worker_kinds(const struct starfish_result *info)
{
    struct table table = {.alignment = TABLE_RIGHT};
    table_row(&table);
    table_cell(&table, "worker");
    table_cell(&table, "tasks");
    table_cell(&table, "busy seconds");
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; ++kind) {
        table_row(&table);
        table_cell(&table, "%s", names_workers[kind]);
        table_cell(&table, "%zu", info->worker[kind].tasks);
        table_cell(&table, "%.4f", info->worker[kind].busy_seconds);
    }
    printf("\n");
    table_print(&table);
}

static void print_links(const struct starfish_result *info)
{
    const struct {
        const char *name;
        size_t bytes;
    } links[] = {{"host to device", info->host_to_device},
                 {"device to host", info->device_to_host},
                 {"device to device", info->device_to_device}};
    struct table table = {.alignment = TABLE_RIGHT};
    table_row(&table);
    table_cell(&table, "link");
    table_cell(&table, "MB");
    for (size_t i = 0; i < sizeof links / sizeof links[0]; ++i) {
        table_row(&table);
        table_cell(&table, "%s", links[i].name);
        table_cell(&table, "%.1f", (double)links[i].bytes / 1e6);
    }
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
            table_line(&table, "written", "%s", names[i]);
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
        json_object_set_new(
            worker, "count",
            json_integer((json_int_t)starfish_context_workers_of(run->solver.context, (starfish_worker_kind)kind)));
        json_object_set_new(worker, "tasks", json_integer((json_int_t)run->solver.result.info.worker[kind].tasks));
        json_object_set_new(worker, "busy_seconds",
                            command_json_real(run->solver.result.info.worker[kind].busy_seconds));
        json_object_set_new(object, names_workers[kind], worker);
    }
    return object;
}

static json_t *bytes(const struct starfish_result *info)
{
    json_t *object = json_object();
    json_object_set_new(object, "host_to_device", json_integer((json_int_t)info->host_to_device));
    json_object_set_new(object, "device_to_host", json_integer((json_int_t)info->device_to_host));
    json_object_set_new(object, "device_to_device", json_integer((json_int_t)info->device_to_device));
    return object;
}

static json_t *memory(const struct solve_run *run)
{
    struct starfish_memory memory;
    json_t *object = json_object();
    if (!report_memory(run, &memory))
        return object;
    json_object_set_new(object, "main", json_integer((json_int_t)memory.main_bytes));
    json_object_set_new(object, "gpu_work", json_integer((json_int_t)memory.gpu_work));
    json_object_set_new(object, "gpu_data", json_integer((json_int_t)memory.gpu_data));
    json_object_set_new(object, "gpu_least", json_integer((json_int_t)memory.gpu_least));
    json_object_set_new(object, "gpu_there", json_integer((json_int_t)memory.gpu_there));
    json_object_set_new(object, "streamed", json_boolean(memory.streamed));
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
    json_object_set_new(object, "median", command_json_real(times.median));
    json_object_set_new(object, "min", command_json_real(times.least));
    json_object_set_new(object, "seconds", list);
    if (run->solver.options.repeat > 1)
        json_object_set_new(object, "stream", command_json_real(run->stream_seconds));
    return object;
}

static void add_iterations(json_t *object, const struct problem_result *result)
{
    if (!result->iterates)
        return;
    json_object_set_new(object, "iterations", json_integer(result->info.iterations));
    json_object_set_new(object, "converged", json_boolean(result->info.outcome == STARFISH_SOLVED));
    json_object_set_new(object, "rescued", json_integer(result->info.fallback));
    json_object_set_new(object, "reached", command_json_real(result->info.residual));
    if (!isnan(result->tolerated))
        json_object_set_new(object, "tolerated", json_real(result->tolerated));
}

void solve_print_json(const struct solve_run *run)
{
    struct times times = summarise(run);
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string(run->solver.result.status));
    json_object_set_new(object, "kind", json_string(run->solver.problem.row->name));
    json_object_set_new(object, "method", json_string(run->solver.about.method));
    json_object_set_new(object, "reason", json_string(run->solver.about.reason));
    json_object_set_new(object, "precision", json_string(starfish_precision_names[run->solver.precision]));
    json_object_set_new(object, "n", extents(run));
    json_object_set_new(object, "seconds", command_json_real(times.median));
    json_object_set_new(object, "plan_seconds", command_json_real(run->solver.about.seconds));
    json_object_set_new(object, "repeat", repetitions(run, times));
    json_object_set_new(object, "residual", command_json_real(run->solver.result.info.residual_max));
    json_object_set_new(object, "residual_bound", command_json_real(run->solver.result.info.residual_bound));
    json_object_set_new(object, "error", command_json_real(run->solver.error));
    json_object_set_new(object, "correction", command_json_real(run->solver.result.info.correction));
    json_object_set_new(object, "refinements", json_integer(run->solver.result.info.refinements));
    add_iterations(object, &run->solver.result);
    json_object_set_new(object, "singular", json_boolean(run->solver.about.singular));
    json_object_set_new(object, "pertrb", command_json_real(run->solver.result.info.pertrb));
    if (run->solver.transport)
        json_object_set_new(object, "ranks", json_integer(problem_ranks(&run->solver)));
    if (run->solver.transport)
        json_object_set_new(object, "owners", json_integer(run->solver.about.owners));
    json_object_set_new(object, "phases", phases_of(&run->solver.result.phases));
    json_object_set_new(object, "workers", workers(run));
    json_object_set_new(object, "bytes", bytes(&run->solver.result.info));
    json_object_set_new(object, "memory", memory(run));
    command_print_json(object);
}
