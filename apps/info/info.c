/* starfish info: versions, the scheduling policy, what StarPU was built with, and every worker with its device. */
#include "apps/command.h"
#include "apps/names.h"
#include "apps/options.h"
#include "apps/table.h"

#include <starfish/starfish.h>
#include <stdio.h>

static const char *yes_no(int yes)
{
    return yes ? "yes" : "no";
}

static void print_runtime(const struct starfish_runtime *runtime)
{
    const struct {
        const char *name, *value;
    } rows[] = {
        {"Starfish", runtime->starfish_version},   {"StarPU", runtime->starpu_version},
        {"scheduling policy", runtime->policy},    {"CUDA", yes_no(runtime->has_cuda)},
        {"FxT traces", yes_no(runtime->has_fxt)},  {"MPI", yes_no(runtime->has_mpi)},
        {"simulated", yes_no(runtime->simulated)},
    };
    struct table table = {.alignment = TABLE_LEFT};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        table_row(&table);
        table_cell(&table, "%s", rows[i].name);
        table_cell(&table, "%s", rows[i].value);
    }
    table_row(&table);
    table_cell(&table, "machine");
    table_cell(&table, "%d cores, %d NUMA node%s", runtime->cores, runtime->numa_nodes,
               runtime->numa_nodes == 1 ? "" : "s");
    table_print(&table);
}

/* 0 where it is not known. */
static size_t memory_of(const starfish_context *context, size_t worker)
{
    size_t bytes = 0;
    if (starfish_context_worker_memory(context, worker, &bytes) != STARFISH_SUCCESS)
        return 0;
    return bytes;
}

static void print_workers(const starfish_context *context)
{
    static const char *const head[] = {"worker", "device", "memory node", "NUMA node", "cores", "memory", "name"};
    struct table table = {.alignment = TABLE_LEFT};
    table_row(&table);
    for (size_t i = 0; i < sizeof head / sizeof head[0]; ++i)
        table_cell(&table, "%s", head[i]);
    for (size_t i = 0; i < starfish_context_workers(context); ++i) {
        struct starfish_worker worker;
        if (starfish_context_worker(context, i, &worker) != STARFISH_SUCCESS)
            continue;
        table_row(&table);
        table_cell(&table, "%s", names_workers[worker.kind]);
        table_cell(&table, "%d", worker.device);
        table_cell(&table, "%d", worker.memory_node);
        table_cell(&table, worker.numa_node < 0 ? "-" : "%d", worker.numa_node);
        table_cell(&table, "%d", worker.cores);
        const size_t bytes = memory_of(context, i);
        table_cell(&table, bytes > 0 ? "%.4g GB" : "-", 1e-9 * (double)bytes);
        table_cell(&table, "%s", worker.name);
    }
    printf("\n");
    table_print(&table);
}

static json_t *workers_json(const starfish_context *context)
{
    json_t *list = json_array();
    for (size_t i = 0; i < starfish_context_workers(context); ++i) {
        struct starfish_worker worker;
        if (starfish_context_worker(context, i, &worker) == STARFISH_SUCCESS)
            json_array_append_new(list,
                                  json_pack("{s:s, s:i, s:i, s:i, s:i, s:I, s:s}", "kind", names_workers[worker.kind],
                                            "device", worker.device, "memory_node", worker.memory_node, "numa_node",
                                            worker.numa_node, "cores", worker.cores, "memory",
                                            (json_int_t)memory_of(context, i), "name", worker.name));
    }
    return list;
}

static void print_json(const starfish_context *context, const struct starfish_runtime *runtime)
{
    command_print_json(json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:b, s:b, s:b, s:o}", "starfish",
                                 runtime->starfish_version, "starpu", runtime->starpu_version, "policy",
                                 runtime->policy, "cores", runtime->cores, "numa_nodes", runtime->numa_nodes, "cuda",
                                 runtime->has_cuda, "fxt", runtime->has_fxt, "mpi", runtime->has_mpi, "simulated",
                                 runtime->simulated, "workers", workers_json(context)));
}

static starfish_status show(void *data)
{
    const int json = *(const int *)data;
    starfish_context *context;
    struct starfish_runtime runtime;
    STARFISH_TRY(starfish_context_create(&context, NULL));
    starfish_status status = starfish_context_runtime(context, &runtime);
    if (status == STARFISH_SUCCESS && json) {
        print_json(context, &runtime);
    } else if (status == STARFISH_SUCCESS) {
        print_runtime(&runtime);
        print_workers(context);
    }
    starfish_context_destroy(context);
    return status;
}

int command_info(int argc, char **argv)
{
    int json = 0;
    const struct option_entry options[] = {
        {"--json", OPTION_FLAG, &json, .help = "one JSON object on standard output"},
        {.name = NULL},
    };
    const struct command_line line = {.usage = "info [--json]",
                                      .summary = "Show the workers, and the runtime below them.",
                                      .options = options,
                                      .json = &json};
    return options_run(&line, argc, argv, show, &json);
}
