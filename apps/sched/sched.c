/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish sched: one problem under several scheduling policies and sets of workers. */
#include "apps/measured/sched.h"
#include "apps/files/json.h"

#include "apps/command.h"
#include "apps/recorded/simulate.h"
#include "apps/table.h"
#include "apps/workers.h"
#include "scheduler/lab/policies/policies.h"
#include "scheduler/runtime/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists on the command line ----------------------------------------------------------------------------------- */

/* Fails where this machine lacks those workers. */
static starfish_status check_workers(const char *workers)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    int cores, numa_nodes;
    const int gpus = starfish_gpu_count();
    const char *fault = NULL;
    starfish_topology_count(&cores, &numa_nodes);
    if (workers_read(workers, &options) != STARFISH_SUCCESS)
        fault = "is not " WORKERS_WORDS;
    else if (options.cpu_workers > cores || options.gpu_workers > gpus || (options.cpu_workers == 0 && gpus == 0))
        fault = "is not there";
    STARFISH_FAIL_IF(fault, STARFISH_ERROR_ARGUMENT, "--workers: '%s' %s; this machine has %d core%s and %d GPU%s",
                     workers, fault, cores, cores == 1 ? "" : "s", gpus, gpus == 1 ? "" : "s");
    return STARFISH_SUCCESS;
}

static starfish_status read_lists(struct sched *sched)
{
    const char *workers = sched->workers ? sched->workers : starfish_gpu_count() > 0 ? "gpu;all;cpu" : "cpu";
    STARFISH_TRY(list_read("--policies", sched->policies, ',', &sched->policy));
    STARFISH_TRY(list_read("--workers", workers, ';', &sched->worker_set));
    for (size_t i = 0; i < sched->policy.count; ++i)
        STARFISH_TRY(starfish_policy_check("--policies", sched->policy.item[i]));
    for (size_t i = 0; i < sched->worker_set.count; ++i)
        STARFISH_TRY(check_workers(sched->worker_set.item[i]));
    return STARFISH_SUCCESS;
}

/* Parts that any worker may take, so that there is something to schedule. */
enum { PARTS = 16 };

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

/* Are most of its tasks further from what was recorded than an estimate can be relied on? */
static int is_far(const json_t *row)
{
    return json_number_value(json_object_get(row, "far_estimates")) > 0.5;
}

static void add_result(struct table *table, const json_t *row)
{
    static const char *const shares[] = {"idle", "gpu_tasks", "gpu_work"};
    static const char *const bytes[] = {"host_to_device", "device_to_host", "device_to_device"};
    static const char *const bounds[] = {"of_area_bound", "of_critical_path"};
    table_line(table, "%s\t%s\t%s%s%.4g\t%.2g", starfish_json_text_of(row, "workers"),
               starfish_json_text_of(row, "policy"), is_far(row) ? "?" : "",
               json_is_true(json_object_get(row, "like_fastest")) ? "~" : "",
               1e3 * starfish_json_number_of(row, "seconds"), 1e3 * starfish_json_number_of(row, "spread"));
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; ++i)
        table_cell(table, "%.0f %%", 100 * starfish_json_number_of(row, shares[i]));
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; ++i)
        table_cell(table, "%.1f", 1e-6 * starfish_json_number_of(row, bytes[i]));
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i)
        table_cell(table, "%.0f %%", 100 * starfish_json_number_of(row, bounds[i]));
}

static void print_calibration(const struct bench *bench)
{
    const json_t *list = json_object_get(bench->more, "calibration"), *entry;
    size_t i;
    json_array_foreach (list, i, entry)
        printf("calibrated %s: %lld solve%s, %.3g s%s\n", json_string_value(json_object_get(entry, "workers")),
               (long long)starfish_json_number_of(entry, "solves"),
               starfish_json_number_of(entry, "solves") > 1 ? "s" : "", starfish_json_number_of(entry, "seconds"),
               json_is_true(json_object_get(entry, "complete")) ? "" : ", and some tasks are still not known");
}

static void print_table(const struct bench *bench)
{
    struct table table = {.alignment = TABLE_RIGHT, .left = 1};
    const json_t *row;
    size_t i;
    int any_far = 0;
    char text[2 * BENCH_MACHINE];
    snprintf(text, sizeof text, "%s on %s", json_string_value(json_object_get(bench->more, "problem")), bench->machine);
    table_print_text(text, 0, 4);
    print_calibration(bench);
    if (json_object_get(bench->more, "simulation"))
        table_print_text(json_string_value(json_object_get(bench->more, "simulation")), 0, 4);
    table_line(&table, "workers\tpolicy\tms\tspread\tidle\tgpu tasks\tgpu work\tMB up\tMB down\tMB across\tarea\tpath");
    json_array_foreach (bench->rows, i, row) {
        add_result(&table, row);
        any_far |= is_far(row);
    }
    printf("\n");
    table_print(&table);
    printf("\n");
    table_print_text("~: among the fastest on these workers: the times overlap those of the one with the least median\n"
                     "area, path: bounds from below over the measured time: no worker idle; the longest chain of tasks",
                     0, 0);
    if (any_far)
        table_print_text("?: most tasks are estimates, of sizes over 4 times all that were recorded or under a quarter",
                         0, 0);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static starfish_status measure_rounds(struct sched *sched, struct sched_combination *combination)
{
    const size_t repeat = sched->bench.repeat;
    const size_t rounds = SIMULATED ? 1 : sched->rounds; /* simulated rounds would be the same */
    for (size_t round = 0; round < rounds; ++round) {
        const size_t solves = repeat * (round + 1) / rounds - repeat * round / rounds;
        for (size_t p = 0; p < sched->policy.count && solves > 0; ++p)
            STARFISH_TRY(sched_measure(sched, &combination[p], solves));
    }
    for (size_t p = 0; p < sched->policy.count; ++p)
        sched_add_row(sched, &combination[p]);
    return STARFISH_SUCCESS;
}

/* All policies on one set of workers. */
static starfish_status measure_set(struct sched *sched, const char *workers)
{
    static struct sched_combination combination[LIST_MOST];
    memset(combination, 0, sizeof combination);
    starfish_status status = sched_calibrate(sched, workers);
    for (size_t p = 0; p < sched->policy.count && status == STARFISH_SUCCESS; ++p) {
        combination[p] = (struct sched_combination){.workers = workers, .policy = sched->policy.item[p]};
        combination[p].seconds = malloc(sched->bench.repeat * sizeof *combination[p].seconds);
        if (!combination[p].seconds)
            status = starfish_fail(STARFISH_ERROR_MEMORY, "--repeat: no memory for %zu times", sched->bench.repeat);
    }
    STARFISH_THEN(status, measure_rounds(sched, combination));
    for (size_t p = 0; p < sched->policy.count; ++p) {
        free(combination[p].seconds);
        for (size_t i = 0; i < combination[p].records; ++i)
            starfish_record_free(combination[p].record[i]);
    }
    return status;
}

static starfish_status measure(struct bench *bench)
{
    struct sched *sched = (struct sched *)bench;
    STARFISH_FAIL_IF(sched->rounds > SCHED_MOST_ROUNDS, STARFISH_ERROR_ARGUMENT, "--rounds: at most %d, is %zu",
                     SCHED_MOST_ROUNDS, sched->rounds);
    STARFISH_TRY(read_lists(sched));
    STARFISH_TRY(plan_open(&sched->plan, PARTS));
    bench->more = json_pack("{s:s, s:[]}", "problem", sched->plan.name, "calibration");
    if (!bench->more) /* a file name need not be UTF-8 */
        bench->more = json_pack("{s:s, s:[]}", "problem", "?", "calibration");
    bench->parts = sched->worker_set.count * (sched->policy.count * (SIMULATED ? 1 : sched->rounds) + !SIMULATED);
    for (size_t w = 0; w < sched->worker_set.count; ++w)
        STARFISH_TRY(measure_set(sched, sched->worker_set.item[w]));
    sched->bench.subject = sched->plan.size;
    sched->bench.how = SIMULATED ? "simulated" : NULL;
    char simulation[320];
    simulate_describe(simulation, sizeof simulation);
    if (simulation[0])
        json_object_set_new(bench->more, "simulation", json_string(simulation));
    return STARFISH_SUCCESS;
}

static int wants_model(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strncmp(argv[i], "--nodes", strlen("--nodes")) == 0)
            return 1;
    return 0;
}

int command_sched(int argc, char **argv)
{
    static const struct bench_print print = {.end = print_table};
    static const struct sched defaults = {.bench = BENCH_DEFAULTS("sched"),
                                          .plan.options = PLAN_OPTIONS_DEFAULTS,
                                          .rounds = 3,
                                          .policies = PLAN_POLICIES,
                                          .network = "ndr400"};
    static struct sched sched;
    sched = defaults;
    struct plan_options *given = &sched.plan.options;
    sched.bench.print = &print;
    sched.bench.is_shared = 1;
    sched.bench.warmup = 3;
    static struct option_entry whole[OPTION_MOST];
    const struct option_entry options[] = {
        {"--policies", OPTION_TEXT, &sched.policies, "LIST", .help = "StarPU's, starfish-width, and those of a plug-in",
         .list = starfish_policy_list},
        {"--workers", OPTION_TEXT, &sched.workers, "SETS",
         .help = WORKERS_SETS "; without, gpu;all;cpu, or cpu without a GPU"},
        {"--recalibrate", OPTION_FLAG, &sched.recalibrate, .help = "discard what the models know from before"},
        PLAN_OPTIONS(given),
        {"--simulate", OPTION_TEXT, &sched.simulate, "NAME", .help = "on a recorded machine: starfish machine list",
         .list = simulate_list},
        {"--nodes", OPTION_TEXT, &sched.nodes, "LIST",
         .help = "a model of so many nodes like that machine, slab method"},
        {"--network", OPTION_TEXT, &sched.network, "NAME",
         .help = "between nodes: ndr400, hdr200, ethernet100, nvlink"},
        {"--rounds", OPTION_COUNT, &sched.rounds, "N", .help = "in how many turns, at most 16"},
        BENCH_ROOFLINE(&sched.bench),
        BENCH_OPTIONS(&sched.bench),
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "sched PROBLEM.json | MESH.msh | --mesh M | --batch NxL | --many NxC [OPTION ...]",
        .summary = "Solve something under several scheduling policies of StarPU, on several sets of workers. StarPU's\n"
                   "models are calibrated first.",
        .options = options_expand(options, whole),
        .operands = &given->named[PLAN_PROBLEM],
        .operand_count = 1,
        .may_lack_operands = 1,
    };
    const int models = wants_model(argc, argv);
    if (simulate_wanted(argc, argv) && !models)
        return simulate_instead(argc, argv);
    const int exit_status = bench_main(&sched.bench, &line, argc, argv, models ? sched_measure_nodes : measure);
    plan_close(&sched.plan);
    return exit_status;
}
