/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine record: measures the data that simulations of this machine need.
 *
 * First what it has, which makes StarPU measure the links; then the rates that plans would measure; then the cases,
 * in passes (pass.c), in which StarPU's models take a sample of every task under every policy, so that their means are
 * of tasks with all else at work beside them. What is done is in files, and not done
 * again. */
#include "apps/machine/machine.h"
#include "apps/names.h"
#include "bench/clock.h"

#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/files/temporary.h"
#include "apps/lists.h"
#include "apps/options.h"
#include "apps/plans/plan.h"
#include "poisson/slab.h"
#include "scheduler/runtime/machine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RATE_TRIALS = 3 };
static const size_t rate_sizes[] = {128, 256, 512};
enum { RATE_SIZES = sizeof rate_sizes / sizeof rate_sizes[0] };

struct recording {
    const char *name, *folder;
    size_t seconds;
    int quick;
    double start;
    char absolute[SIMULATE_PATH / 2]; /* the folder */
    char held_out[SIMULATE_PATH];     /* where models of held-out cases are; "": nowhere yet */
    struct starfish_machine machine;
    size_t done, left;
};

static double seconds_left(const struct recording *recording)
{
    return (double)recording->seconds - (clock_now() - recording->start);
}

__attribute__((format(printf, 2, 3))) static void say(const struct recording *recording, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%4.0f s  ", clock_now() - recording->start);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static void path_in(const struct recording *recording, const char *name, char path[SIMULATE_PATH])
{
    snprintf(path, SIMULATE_PATH, "%s/%s", recording->absolute, name);
}

static starfish_status prepare_folder(struct recording *recording)
{
    char path[SIMULATE_PATH];
    if (!recording->folder)
        recording->folder = recording->name;
    STARFISH_TRY(machine_make_folder(recording->folder));
    char *absolute = realpath(recording->folder, NULL);
    const int fits = absolute && snprintf(recording->absolute, sizeof recording->absolute, "%s", absolute) <
                                     (int)sizeof recording->absolute;
    free(absolute);
    STARFISH_FAIL_IF(!fits, STARFISH_ERROR_FILE, "%s: cannot be used: %s", recording->folder,
                     absolute ? "its name is too long" : strerror(errno));
    path_in(recording, "sampling", path);
    return machine_make_folder(path);
}

/* ---- what the machine has ---------------------------------------------------------------------------------------- */

static json_t *gpus_of(const starfish_context *context)
{
    json_t *list = json_array();
    for (size_t i = 0; i < starfish_context_workers(context); ++i) {
        struct starfish_worker worker;
        size_t bytes; /* all of its memory, as there are no plans yet */
        if (starfish_context_worker(context, i, &worker) == STARFISH_SUCCESS && worker.kind == STARFISH_GPU &&
            starfish_context_worker_memory(context, i, &bytes) == STARFISH_SUCCESS)
            json_array_append_new(list,
                                  json_pack("{s:s, s:I}", "name", worker.name, "memory_bytes", (json_int_t)bytes));
    }
    return list;
}

static json_t *workers_of(const starfish_context *context)
{
    json_t *list = json_array();
    for (size_t i = 0; i < starfish_context_workers(context); ++i) {
        struct starfish_worker worker;
        if (starfish_context_worker(context, i, &worker) == STARFISH_SUCCESS)
            json_array_append_new(list,
                                  json_pack("{s:s, s:i}", "kind", names_workers[worker.kind], "cores", worker.cores));
    }
    return list;
}

static json_t *describe(const struct recording *recording, const starfish_context *context)
{
    struct starfish_runtime runtime;
    char date[32];
    const time_t now = time(NULL);
    struct tm today;
    if (starfish_context_runtime(context, &runtime) != STARFISH_SUCCESS || !gmtime_r(&now, &today))
        return NULL;
    strftime(date, sizeof date, "%Y-%m-%d", &today);
    return json_pack("{s:s, s:i, s:i, s:o, s:o, s:s, s:s, s:s, s:[]}", "name", recording->name, "cores", runtime.cores,
                     "numa_nodes", runtime.numa_nodes, "gpus", gpus_of(context), "workers", workers_of(context), "date",
                     date, "starfish", runtime.starfish_version, "starpu", runtime.starpu_version, "rates");
}

/* ---- rates ------------------------------------------------------------------------------------------------------- */

static starfish_status measure_rates(starfish_context *context, size_t n, starfish_precision precision,
                                     struct starfish_rates *rates)
{
    const struct starfish_axis axis = {STARFISH_UNIFORM, .n = n, .length = 1,
                                       .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .grid = STARFISH_CELL};
    struct starfish_axis periodic = axis, neumann = axis;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    periodic.ends[0] = periodic.ends[1] = STARFISH_PERIODIC;
    periodic.periodic = 1;
    neumann.ends[0] = neumann.ends[1] = STARFISH_NEUMANN;
    const struct starfish_poisson_problem problem = {.axis = {periodic, neumann, axis}, .lambda = 0};
    options.method = STARFISH_METHOD_SLAB;
    options.precision = precision;
    STARFISH_TRY(starfish_poisson_plan_create(context, &problem, &options, &plan));
    *rates = starfish_slab_state((struct starfish_poisson_plan *)plan)->rates[STARFISH_PINNED];
    starfish_plan_destroy(plan);
    return STARFISH_SUCCESS;
}

static starfish_status add_rates(starfish_context *context, size_t n, starfish_precision precision, json_t *list)
{
    double lone[STARFISH_WORKER_KINDS][RATE_TRIALS], stream[STARFISH_WORKER_KINDS][RATE_TRIALS];
    double gpu_stream[RATE_TRIALS];
    for (int trial = 0; trial < RATE_TRIALS; ++trial) {
        struct starfish_rates rates;
        STARFISH_TRY(measure_rates(context, n, precision, &rates));
        gpu_stream[trial] = rates.gpu_stream;
        for (int kind = 0; kind < STARFISH_WORKER_KINDS; ++kind) {
            lone[kind][trial] = rates.lone[kind];
            stream[kind][trial] = rates.stream[kind];
        }
    }
    json_array_append_new(list, json_pack("{s:i, s:i, s:s, s:f, s:{s:f, s:f}, s:{s:f, s:f}}", "nx", (int)n, "ny",
                                          (int)n, "precision", starfish_precision_names[precision], "gpu_stream",
                                          command_median(gpu_stream, RATE_TRIALS), "lone", "cpu",
                                          command_median(lone[STARFISH_CPU], RATE_TRIALS), "gpu",
                                          command_median(lone[STARFISH_GPU], RATE_TRIALS), "stream", "cpu",
                                          command_median(stream[STARFISH_CPU], RATE_TRIALS), "gpu",
                                          command_median(stream[STARFISH_GPU], RATE_TRIALS)));
    return STARFISH_SUCCESS;
}

/* Rates serve to share slabs between cores and GPUs: without one of the two there are none. */
static starfish_status add_all_rates(const struct recording *recording, starfish_context *context, json_t *list)
{
    if (starfish_context_workers_of(context, STARFISH_GPU) == 0 ||
        starfish_context_workers_of(context, STARFISH_CPU) == 0)
        return STARFISH_SUCCESS;
    for (size_t i = 0; i < RATE_SIZES; ++i)
        for (int precision = STARFISH_F32; precision <= STARFISH_F64; ++precision) {
            say(recording, "what cores and GPUs do to planes of %zu x %zu, %s", rate_sizes[i], rate_sizes[i],
                starfish_precision_names[precision]);
            STARFISH_TRY(add_rates(context, rate_sizes[i], (starfish_precision)precision, list));
        }
    return STARFISH_SUCCESS;
}

/* ---- machine.json ------------------------------------------------------------------------------------------------ */

static starfish_status describe_in(const struct recording *recording, starfish_context *context, const char *path)
{
    json_t *machine = describe(recording, context);
    starfish_status status = machine ? add_all_rates(recording, context, json_object_get(machine, "rates"))
                                     : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a machine");
    STARFISH_THEN(status, starfish_json_write(path, machine));
    json_decref(machine);
    return status;
}

/* StarPU's variables, before it starts for the first time. */
static starfish_status set_environment(const struct recording *recording)
{
    char sampling[SIMULATE_PATH];
    path_in(recording, "sampling", sampling);
    unsetenv("STARFISH_MACHINE");
    STARFISH_TRY(simulate_set("STARPU_PERF_MODEL_DIR", sampling));
    return simulate_set("STARPU_HOSTNAME", recording->name);
}

static starfish_status write_machine(struct recording *recording)
{
    char path[SIMULATE_PATH];
    starfish_context *context;
    path_in(recording, "machine.json", path);
    if (access(path, F_OK) != 0) {
        say(recording, "links between memories, by StarPU");
        STARFISH_TRY(starfish_context_create(&context, NULL));
        const starfish_status status = describe_in(recording, context, path);
        starfish_context_destroy(context);
        STARFISH_TRY(status);
    }
    STARFISH_TRY(machine_read(recording->absolute, &recording->machine));
    STARFISH_FAIL_IF(strcmp(recording->machine.name, recording->name) != 0, STARFISH_ERROR_ARGUMENT,
                     "%s: is of another machine, %s", path, recording->machine.name);
    return STARFISH_SUCCESS;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* What the cases of a stage are measured with. */
struct stage {
    const char *says, *policies;
    /* Of the time that there is, what a case under the first policy may take, and one under another, beside those of
     * other passes. 0: all, since nothing that comes later is of use without it. */
    double weight, weight_of_others;
};
/* All, the first before the others. */
#define RECORDED_POLICIES MACHINE_FIRST_POLICY ",lws,eager,dmda,dmdar,heteroprio,starfish-width"
static const struct stage stages[MACHINE_STAGES] = {
    [MACHINE_CODELETS] = {"every codelet", MACHINE_FIRST_POLICY, 0, 0},
    [MACHINE_SIZES] = {"sizes", MACHINE_FIRST_POLICY, 1, 0},
    [MACHINE_HELD_OUT] = {"held out", RECORDED_POLICIES, 1, 0.8},
    [MACHINE_POLICIES] = {"policies", RECORDED_POLICIES, 0.3, 0.3},
};

enum { MOST_PASSES = 256 };

struct passes {
    size_t count;
    struct machine_pass pass[MOST_PASSES];
    double weight[MOST_PASSES];
};

static double weight_of(enum machine_stage stage, const char *policy)
{
    const int first = strcmp(policy, MACHINE_FIRST_POLICY) == 0;
    return first ? stages[stage].weight : stages[stage].weight_of_others;
}

static starfish_status add_pass(const struct recording *recording, enum machine_stage stage, const char *workers,
                                const char *policy, struct passes *passes)
{
    struct machine_pass *pass = &passes->pass[passes->count];
    STARFISH_FAIL_IF(passes->count == MOST_PASSES, STARFISH_ERROR_ARGUMENT, "more than %d sets of workers and policies",
                     MOST_PASSES);
    *pass = (struct machine_pass){.gpus = recording->machine.gpus, .quick = recording->quick, .stage = stage};
    snprintf(pass->folder, sizeof pass->folder, "%s", recording->absolute);
    snprintf(pass->workers, sizeof pass->workers, "%s", workers);
    snprintf(pass->policy, sizeof pass->policy, "%s", policy);
    const size_t cases = machine_pass_left(pass);
    /* The start of a context takes about as long as a case. */
    passes->weight[passes->count] = weight_of(stage, policy) * (double)(1 + cases);
    passes->count += cases > 0;
    return STARFISH_SUCCESS;
}

/* All that is left to do, in order: by stage, then policy, then workers. */
static starfish_status plan_passes(const struct recording *recording, struct passes *passes)
{
    static const struct {
        const char *workers;
        int least_gpus;
    } sets[] = {{"gpu", 1}, {"all", 1}, {"cpu", 0}, {"team", 0}, {"cpu:8,gpu", 1}, {"gpu:1", 2}};
    struct list policies;
    passes->count = 0;
    for (int stage = 0; stage < MACHINE_STAGES; ++stage) {
        STARFISH_TRY(list_read("policies", stages[stage].policies, ',', &policies));
        for (size_t p = 0; p < policies.count; ++p)
            for (size_t w = 0; w < sizeof sets / sizeof sets[0]; ++w)
                if (recording->machine.gpus >= sets[w].least_gpus &&
                    !(stage == MACHINE_POLICIES && strcmp(policies.item[p], MACHINE_FIRST_POLICY) == 0))
                    STARFISH_TRY(
                        add_pass(recording, (enum machine_stage)stage, sets[w].workers, policies.item[p], passes));
    }
    return STARFISH_SUCCESS;
}

/* Models of what is held out are calibrated too, but in a folder of their own, which goes when the command ends. */
static starfish_status prepare_held_out(struct recording *recording)
{
    char folder[SIMULATE_PATH], bus[SIMULATE_PATH + 8];
    path_in(recording, "held-out-XXXXXX", folder);
    STARFISH_FAIL_IF(starfish_temporary_tree(folder) != 0, STARFISH_ERROR_FILE, "%s: cannot be made: %s", folder,
                     strerror(errno));
    memcpy(recording->held_out, folder, sizeof folder);
    snprintf(bus, sizeof bus, "%s/bus", folder);
    STARFISH_FAIL_IF(symlink("../sampling/bus", bus) != 0, STARFISH_ERROR_FILE, "%s: %s", bus, strerror(errno));
    return STARFISH_SUCCESS;
}

static starfish_status run_held_out(struct recording *recording, const struct machine_pass *pass)
{
    if (!recording->held_out[0])
        STARFISH_TRY(prepare_held_out(recording));
    STARFISH_TRY(simulate_set("STARPU_PERF_MODEL_DIR", recording->held_out));
    return machine_pass_start(pass);
}

/* A pass that fails is reported, and does not keep the others from being recorded. */
static void run_pass(struct recording *recording, struct machine_pass *pass, double seconds)
{
    const size_t before = machine_pass_left(pass);
    if (before == 0) /* an earlier stage has had it */
        return;
    pass->seconds = seconds;
    say(recording, "%s: %s, %s: %zu cases in %.0f s; %.0f s are left", stages[pass->stage].says, pass->workers,
        pass->policy, before, seconds, seconds_left(recording));
    starfish_status status = simulate_learn_anew();
    STARFISH_THEN(status, pass->stage == MACHINE_HELD_OUT ? run_held_out(recording, pass) : machine_pass_start(pass));
    STARFISH_THEN(status, machine_mend_models(recording->absolute));
    if (status != STARFISH_SUCCESS)
        say(recording, "%s", starfish_error_message());
    const size_t after = machine_pass_left(pass);
    recording->done += before - after;
    recording->left += after;
}

/* Each may take its share of what time there still is. */
static starfish_status run_passes(struct recording *recording)
{
    struct passes *passes = calloc(1, sizeof *passes);
    double weight = 0;
    STARFISH_FAIL_IF(!passes, STARFISH_ERROR_MEMORY, "out of memory for passes");
    const starfish_status status = plan_passes(recording, passes);
    for (size_t i = 0; i < passes->count; ++i)
        weight += passes->weight[i];
    for (size_t i = 0; i < passes->count && status == STARFISH_SUCCESS; weight -= passes->weight[i++]) {
        const double share = passes->weight[i] > 0 ? passes->weight[i] / weight : 1;
        const double seconds = share * seconds_left(recording);
        if (seconds > 0)
            run_pass(recording, &passes->pass[i], seconds);
        else
            recording->left += machine_pass_left(&passes->pass[i]);
    }
    if (recording->held_out[0])
        starfish_temporary_remove(recording->held_out);
    free(passes);
    return status;
}

static starfish_status record(void *data)
{
    struct recording *recording = data;
    STARFISH_TRY(machine_check_name(recording->name));
    STARFISH_TRY(prepare_folder(recording));
    STARFISH_TRY(set_environment(recording));
    STARFISH_TRY(write_machine(recording));
    STARFISH_TRY(simulate_environment(recording->absolute));
    /* StarPU drops samples that are so many per cent from the mean, and then the mean too where these are many: short
     * tasks may be left without a time. Times of the quick cases mean nothing, but no codelet may be without one. */
    STARFISH_TRY(simulate_set("STARPU_CALIBRATE", "1"));
    STARFISH_TRY(simulate_set("STARPU_HISTORY_MAX_ERROR", recording->quick ? "1000000" : "150"));
    STARFISH_TRY(run_passes(recording));
    simulate_discard();
    STARFISH_FAIL_IF(recording->done == 0 && recording->left > 0, STARFISH_ERROR_RUNTIME,
                     "%s: no case could be recorded", recording->folder);
    printf("recorded %s in %s: %zu rows, %.0f s\n", recording->name, recording->folder, recording->done,
           clock_now() - recording->start);
    if (recording->left > 0)
        printf("%zu rows are left: the same command again records them\n", recording->left);
    return STARFISH_SUCCESS;
}

int machine_record(int argc, char **argv)
{
    struct recording recording = {.seconds = 240, .start = clock_now()};
    const struct option_entry options[] = {
        {"--out", OPTION_TEXT, &recording.folder, "DIR", .help = "the machine's folder; without, NAME"},
        {"--budget", OPTION_COUNT, &recording.seconds, "S",
         .help = "seconds, after which nothing is begun; each set of workers and policy gets a share by its cases"},
        {"--quick", OPTION_FLAG, &recording.quick, .help = "small cases on cores, to see that it works"},
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "machine record NAME [OPTION ...]",
        .summary =
            "Measure this machine, with nothing else running on it, so that it can be simulated elsewhere. What is\n"
            "done is kept, and not done again by the same command.",
        .options = options,
        .operands = &recording.name,
        .operand_count = 1,
    };
    return options_run(&line, argc, argv, record, &recording);
}
