/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish info: versions, the scheduling policy, what StarPU was built with, and every worker with its device. */
#include "apps/command.h"
#include "apps/files/problem_schema.h"
#include "apps/names.h"
#include "apps/options.h"
#include "apps/table.h"
#include "base/status.h"
#include "fishpack/workers.h"
#include "scheduler/runtime/cache_dir.h"

#include <limits.h>
#include <sched.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static const char *yes_no(int yes)
{
    return yes ? "yes" : "no";
}

/* What a bug report needs beside the runtime. */
struct surroundings {
    char compiler[64], flags[256], cuda[64], driver[128], system[256], cores[256], models[PATH_MAX];
    const char *sharing;
};

/* How the workers of a machine share a solve. */
static const char *sharing_of(const starfish_context *context)
{
    const int both = starfish_context_workers_of(context, STARFISH_CPU) > 0 &&
                     starfish_context_workers_of(context, STARFISH_GPU) > 0;
    return both ? "cores and GPUs get parts by performance models and measured rates, or none if they gain too little"
                : "workers of one kind get equal parts, and tasks by the scheduling policy";
}

/* The first line of a file, without its end; "" where there is none. */
static void read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (!file)
        return;
    if (fgets(text, (int)size, file))
        text[strcspn(text, "\n")] = '\0';
    else
        text[0] = '\0';
    fclose(file);
}

/* Cores that this process may use, as "0-3,8". */
static void list_cores(char *text, size_t size)
{
    cpu_set_t allowed;
    size_t used = 0;
    text[0] = '\0';
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (int first = 0, end; first < CPU_SETSIZE && used < size; first = end + 1) {
        for (end = first; end < CPU_SETSIZE && CPU_ISSET((size_t)end, &allowed); end++)
            ;
        if (end > first)
            used += (size_t)snprintf(text + used, size - used, end > first + 1 ? "%s%d-%d" : "%s%d",
                                     used > 0 ? "," : "", first, end - 1);
    }
}

static void look_around(struct surroundings *here)
{
    struct utsname system;
    struct starfish_cache_dir home;
    *here = (struct surroundings){.compiler = BUILD_COMPILER, .flags = BUILD_FLAGS};
    if (strlen(BUILD_CUDA) > 0)
        snprintf(here->cuda, sizeof here->cuda, "%.20s for %.40s", BUILD_CUDA, BUILD_ARCHITECTURES);
    read_line("/proc/driver/nvidia/version", here->driver, sizeof here->driver);
    if (uname(&system) == 0)
        snprintf(here->system, sizeof here->system, "%s %s %s", system.sysname, system.release, system.machine);
    list_cores(here->cores, sizeof here->cores);
    starfish_cache_dir_find(&home);
    if (home.kind == STARFISH_CACHE_DIR_USUAL || home.kind == STARFISH_CACHE_DIR_CACHE) /* else they are not kept */
        snprintf(here->models, sizeof here->models, "%s",
                 home.kind == STARFISH_CACHE_DIR_CACHE ? home.other : home.usual);
    if (home.kind == STARFISH_CACHE_DIR_TEMPORARY)
        starfish_cache_dir_remove(home.other);
}

static void print_runtime(const struct starfish_runtime *runtime, const struct surroundings *here)
{
    const struct {
        const char *name, *value;
    } rows[] = {
        {"Starfish", runtime->starfish_version},
        {"StarPU", runtime->starpu_version},
        {"scheduling policy", runtime->policy},
        {"CUDA", yes_no(runtime->has_cuda)},
        {"FxT traces", yes_no(runtime->has_fxt)},
        {"MPI", yes_no(runtime->has_mpi)},
        {"simulated", yes_no(runtime->simulated)},
        {"compiler", here->compiler},
        {"flags", here->flags},
        {"CUDA compiler", here->cuda[0] ? here->cuda : "none: ./bootstrap build compiles CUDA where there is nvcc"},
        {"CUDA driver", here->driver},
        {"system", here->system},
        {"allowed cores", here->cores},
        {"models", here->models},
        {"sharing", here->sharing},
    };
    struct table table = {.alignment = TABLE_LEFT};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        table_line(&table, "%s\t%s", rows[i].name, rows[i].value[0] ? rows[i].value : "-");
    const size_t least = starfish_fishpack_least();
    table_line(&table,
               least < SIZE_MAX ? "FISHPACK's names\tby all workers from %zu unknowns on"
                                : "FISHPACK's names\tin the calling thread",
               least);
    table_line(&table, "machine\t%d cores, %d NUMA node%s", runtime->cores, runtime->numa_nodes,
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
    struct table table = {.alignment = TABLE_LEFT};
    table_line(&table, "worker\tdevice\tmemory node\tNUMA node\tcores\tmemory\tname");
    for (size_t i = 0; i < starfish_context_workers(context); ++i) {
        struct starfish_worker worker;
        if (starfish_context_worker(context, i, &worker) != STARFISH_SUCCESS)
            continue;
        table_line(&table, "%s\t%d\t%d", names_workers[worker.kind], worker.device, worker.memory_node);
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

static void print_json(const starfish_context *context, const struct starfish_runtime *runtime,
                       const struct surroundings *here)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "compiler", here->compiler, "flags", here->flags,
                  "cuda_compiler", here->cuda, "cuda_driver", here->driver, "system", here->system, "allowed_cores",
                  here->cores, "models", here->models, "sharing", here->sharing);
    json_t *runs =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:b, s:b, s:b, s:o}", "starfish", runtime->starfish_version, "starpu",
                  runtime->starpu_version, "policy", runtime->policy, "cores", runtime->cores, "numa_nodes",
                  runtime->numa_nodes, "cuda", runtime->has_cuda, "fxt", runtime->has_fxt, "mpi", runtime->has_mpi,
                  "simulated", runtime->simulated, "workers", workers_json(context));
    const size_t least = starfish_fishpack_least();
    json_object_set_new(runs, "fishpack_least", least < SIZE_MAX ? json_integer((json_int_t)least) : json_null());
    json_object_update(runs, object);
    json_decref(object);
    command_print_json(runs);
}

struct request {
    int json, schema;
};

static starfish_status show(void *data)
{
    const struct request *request = data;
    starfish_context *context;
    static struct surroundings here;
    if (request->schema) {
        json_t *schema = starfish_problem_schema();
        STARFISH_FAIL_IF(!schema, STARFISH_ERROR_MEMORY, "--schema: no memory");
        command_print_json(schema);
        return STARFISH_SUCCESS;
    }
    look_around(&here);
    struct starfish_runtime runtime;
    STARFISH_TRY(starfish_context_create(&context, NULL));
    here.sharing = sharing_of(context);
    starfish_status status = starfish_context_runtime(context, &runtime);
    if (status == STARFISH_SUCCESS && request->json)
        print_json(context, &runtime, &here);
    else if (status == STARFISH_SUCCESS) {
        print_runtime(&runtime, &here);
        print_workers(context);
    }
    starfish_context_destroy(context);
    return status;
}

int command_info(int argc, char **argv)
{
    struct request request = {0, 0};
    const struct option_entry options[] = {
        {"--json", OPTION_FLAG, &request.json, .help = "one JSON object on standard output"},
        {"--schema", OPTION_FLAG, &request.schema, .help = "the JSON Schema of problem files, for editors"},
        {.name = NULL},
    };
    const struct command_line line = {.usage = "info [--json | --schema]",
                                      .summary =
                                          "Show the workers, the runtime below them, and what else a bug report needs.",
                                      .options = options,
                                      .json = &request.json};
    return options_run(&line, argc, argv, show, &request);
}
