/* starfish machine record: what simulations must know of this machine, measured.
 *
 * First what it has, which makes StarPU measure the links; then the rates that plans would measure; then the cases,
 * each by `starfish sched` in a process of its own, in which StarPU's models take a sample of every task under every
 * policy, so that their means are of tasks with all else at work beside them. What is done is in files, and not done
 * again. */
#include "apps/machine/machine.h"
#include "apps/names.h"

#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/options.h"
#include "poisson/slab.h"
#include "scheduler/machine.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RATE_TRIALS = 5 };
static const size_t rate_sizes[] = {128, 256, 512};
enum { RATE_SIZES = sizeof rate_sizes / sizeof rate_sizes[0] };

struct recording {
    const char *name, *folder;
    size_t minutes;
    int quick;
    double start;
    char absolute[SIMULATE_PATH / 2]; /* the folder */
    struct starfish_machine machine;
    size_t done, left;
};

static double seconds_left(const struct recording *recording)
{
    return 60 * (double)recording->minutes - (machine_clock() - recording->start);
}

__attribute__((format(printf, 2, 3))) static void say(const struct recording *recording, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%4.0f s  ", machine_clock() - recording->start);
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
    if (!fits)
        return starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be used: %s", recording->folder,
                             absolute ? "its name is too long" : strerror(errno));
    static const char *const folders[] = {"sampling", "measured"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        path_in(recording, folders[i], path);
        STARFISH_TRY(machine_make_folder(path));
    }
    return STARFISH_SUCCESS;
}

/* ---- what the machine has ---------------------------------------------------------------------------------------- */

static json_t *gpus_of(const starfish_context *context)
{
    json_t *list = json_array();
    for (size_t i = 0; i < starfish_context_workers(context); ++i) {
        struct starfish_worker worker;
        if (starfish_context_worker(context, i, &worker) == STARFISH_SUCCESS && worker.kind == STARFISH_GPU)
            json_array_append_new(list, json_pack("{s:s, s:I}", "name", worker.name, "memory_bytes",
                                                  (json_int_t)starpu_memory_get_total((unsigned)worker.memory_node)));
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
    starfish_poisson_plan *plan;
    periodic.ends[0] = periodic.ends[1] = STARFISH_PERIODIC;
    periodic.periodic = 1;
    neumann.ends[0] = neumann.ends[1] = STARFISH_NEUMANN;
    const struct starfish_poisson_problem problem = {{periodic, neumann, axis}, .lambda = 0};
    options.method = STARFISH_METHOD_SLAB;
    options.precision = precision;
    STARFISH_TRY(starfish_poisson_plan_create(context, &problem, &options, &plan));
    *rates = starfish_slab_state(plan)->rates[STARFISH_PINNED];
    starfish_poisson_plan_destroy(plan);
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
    if (status == STARFISH_SUCCESS && json_dump_file(machine, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) != 0)
        status = starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written", path);
    json_decref(machine);
    return status;
}

/* StarPU's variables, before it starts for the first time. */
static starfish_status set_environment(const struct recording *recording)
{
    char sampling[SIMULATE_PATH];
    path_in(recording, "sampling", sampling);
    if (setenv("STARPU_PERF_MODEL_DIR", sampling, 1) != 0 || setenv("STARPU_HOSTNAME", recording->name, 1) != 0 ||
        unsetenv("STARFISH_MACHINE") != 0)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for variables");
    return STARFISH_SUCCESS;
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
    if (strcmp(recording->machine.name, recording->name) != 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s: is of another machine, %s", path, recording->machine.name);
    return STARFISH_SUCCESS;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* Of a row of `starfish sched --json`, what is worth keeping. */
static json_t *kept_row(const json_t *row)
{
    static const char *const keys[] = {"workers",
                                       "policy",
                                       "seconds",
                                       "min",
                                       "max",
                                       "repeats",
                                       "tasks",
                                       "idle",
                                       "gpu_work",
                                       "gpu_tasks",
                                       "host_to_device",
                                       "device_to_host",
                                       "device_to_device"};
    json_t *kept = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (json_object_get(row, keys[i]))
            json_object_set(kept, keys[i], json_object_get(row, keys[i]));
    return kept;
}

/* From the sched's output to the machine's file. */
static starfish_status keep_case(const struct machine_case *what, const char *const arguments[], const char *from,
                                 const char *to)
{
    json_t *said, *kept = json_pack("{s:s, s:[], s:[]}", "name", what->name, "arguments", "rows");
    const json_t *row;
    size_t i;
    if (!kept)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a case");
    if (what->problem) {
        json_object_set_new(kept, "n", json_integer((json_int_t)what->n));
        json_object_set_new(kept, "problem", json_string(what->problem));
    }
    starfish_status status = starfish_json_load(from, &said);
    if (status == STARFISH_SUCCESS) {
        json_array_foreach(json_object_get(said, "rows"), i, row)
        {
            json_array_append_new(json_object_get(kept, "rows"), kept_row(row));
        }
        for (i = 0; arguments[i]; ++i)
            json_array_append_new(json_object_get(kept, "arguments"), json_string(arguments[i]));
        if (json_dump_file(kept, to, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0)
            status = starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written", to);
        json_decref(said);
    }
    json_decref(kept);
    return status;
}

enum { MOST_ARGUMENTS = 48 };

/* The command line of a case's `starfish sched`: words of the case, cut apart in `text`, then what all cases have.
 * Returns where its options begin. */
static const char *const *arguments_of(const struct machine_case *what, const char *problem, char *text,
                                       const char *arguments[MOST_ARGUMENTS])
{
    static const char *const everywhere[] = {"--warmup", "2", "--rounds", "1", "--json"};
    size_t count = 0;
    arguments[count++] = "/proc/self/exe";
    arguments[count++] = "sched";
    if (what->problem)
        arguments[count++] = problem;
    const char *const *const options = arguments + count;
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word && count < MOST_ARGUMENTS - 12;
         word = strtok_r(NULL, " ", &rest))
        arguments[count++] = word;
    for (size_t i = 0; i < sizeof everywhere / sizeof everywhere[0]; ++i)
        arguments[count++] = everywhere[i];
    arguments[count] = NULL;
    return options;
}

static starfish_status run_case(const struct recording *recording, const struct machine_case *what, const char *path)
{
    char problem[SIMULATE_PATH], output[SIMULATE_PATH], text[512];
    const char *arguments[MOST_ARGUMENTS];
    path_in(recording, "problem.json", problem);
    path_in(recording, "sched.json", output);
    snprintf(text, sizeof text, "%s --workers %s --policies %s --repeat %zu", what->arguments, what->workers,
             what->policies, what->repeat);
    const char *const *const options = arguments_of(what, problem, text, arguments);
    const double most = fmax(seconds_left(recording), 30) + 30;
    STARFISH_TRY(simulate_learn_anew());
    STARFISH_TRY(machine_expect_case(recording->absolute));
    if (what->problem)
        STARFISH_TRY(machine_write_problem(recording->absolute, what->n, what->problem));
    starfish_status status = machine_run(arguments, output, most);
    if (status == STARFISH_SUCCESS)
        status = keep_case(what, options, output, path);
    machine_remove_case(recording->absolute);
    return status;
}

/* A case that fails is reported, and does not keep the others from being recorded. */
static void record_case(struct recording *recording, const struct machine_case *what)
{
    char path[SIMULATE_PATH], name[128];
    snprintf(name, sizeof name, "measured/%s.json", what->name);
    path_in(recording, name, path);
    if (access(path, F_OK) == 0) {
        say(recording, "%s was there", what->name);
        recording->done++;
    } else if (seconds_left(recording) <= 0) {
        recording->left++;
    } else {
        const double start = machine_clock();
        const starfish_status status = run_case(recording, what, path);
        if (status == STARFISH_SUCCESS)
            say(recording, "%s: %.1f s, expected %.0f", what->name, machine_clock() - start, what->seconds);
        else
            say(recording, "%s: %s", what->name, starfish_error_message());
        recording->done += status == STARFISH_SUCCESS;
        recording->left += status != STARFISH_SUCCESS;
    }
}

static starfish_status record(void *data)
{
    struct recording *recording = data;
    STARFISH_TRY(machine_check_name(recording->name));
    STARFISH_TRY(prepare_folder(recording));
    STARFISH_TRY(set_environment(recording));
    STARFISH_TRY(write_machine(recording));
    STARFISH_TRY(simulate_environment(recording->absolute));
    /* StarPU drops samples that are far from the mean, and then the mean too where these are many. Times of the quick
     * cases mean nothing, but no codelet may be left without one. */
    if (setenv("STARPU_CALIBRATE", "1", 1) != 0 ||
        (recording->quick && setenv("STARPU_HISTORY_MAX_ERROR", "1000000", 1) != 0))
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for variables");
    for (const struct machine_case *what = recording->quick ? machine_quick_cases()
                                                            : machine_cases(recording->machine.gpus);
         what->name; ++what)
        record_case(recording, what);
    simulate_discard();
    if (recording->done == 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "%s: no case could be recorded", recording->folder);
    printf("recorded %s in %s: %zu cases, %.0f s\n", recording->name, recording->folder, recording->done,
           machine_clock() - recording->start);
    if (recording->left > 0)
        printf("%zu cases are left: the same command again records them\n", recording->left);
    return STARFISH_SUCCESS;
}

int machine_record(int argc, char **argv)
{
    struct recording recording = {.minutes = 6, .start = machine_clock()};
    const struct option_entry options[] = {
        {"--out", OPTION_TEXT, &recording.folder, "DIR", .help = "the machine's folder; without, NAME"},
        {"--minutes", OPTION_COUNT, &recording.minutes, "N", .help = "begin nothing after so many"},
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
