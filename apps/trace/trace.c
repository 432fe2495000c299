/* starfish trace: one solve, watched; files that show it, and an explanation. */
#include "apps/trace/trace.h"

#include "apps/command.h"
#include "apps/files/output.h"
#include "apps/machine/simulate.h"
#include "apps/options.h"
#include "apps/workers.h"
#include "base/real.h"
#include "scheduler/policies/policies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names
 * ---------------------------------------------------------------------------------------------------------------- */

void trace_worker_name(char *name, size_t size, const struct starfish_worker *worker)
{
    static const char *const kinds[] = {[STARFISH_CPU] = "cpu", [STARFISH_GPU] = "gpu"};
    const int written = snprintf(name, size, "%s %d", kinds[worker->kind], worker->device);
    if (worker->cores > 1 && written > 0 && (size_t)written < size)
        snprintf(name + written, size - (size_t)written, " (%d cores)", worker->cores);
}

void trace_task_name(char *name, size_t size, const struct starfish_span *span)
{
    size_t length = (size_t)snprintf(name, size, "%s", span->name);
    for (int i = 0; i < span->coordinates && length < size; i++)
        length += (size_t)snprintf(name + length, size - length, ", %s %d", span->at[i].name, span->at[i].value);
}

/* ---- the folder
 * ------------------------------------------------------------------------------------------------------------ */

enum { PATH = 4096 };
static const char *const our_files[] = {"trace.json", "gantt.svg", "gantt.png"};
enum { JSON, SVG, PNG, FILES };

static void path_of(const struct trace *trace, const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", trace->folder, name);
}

static starfish_status make_folder(const struct trace *trace)
{
    if (strlen(trace->folder) > PATH / 2)
        return starfish_fail(STARFISH_ERROR_FILE, "--out: the name is too long");
    if (mkdir(trace->folder, 0777) != 0 && errno != EEXIST)
        return starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be made: %s", trace->folder, strerror(errno));
    for (int file = 0; file < FILES; file++) {
        char path[PATH];
        path_of(trace, our_files[file], path);
        STARFISH_TRY(starfish_output_check(path));
    }
    return STARFISH_SUCCESS;
}

/* ---- the solve
 * --------------------------------------------------------------------------------------------------------------- */

static starfish_status make_context(struct trace *trace)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    STARFISH_TRY(workers_read(trace->run.options.workers, &options));
    options.policy = trace->policy;
    if (trace->run.problem.dimensions == 2)
        workers_for_flat_problem(&options);
    if (starfish_fxt_available())
        STARFISH_TRY(starfish_fxt_prepare(trace->folder));
    STARFISH_TRY(starfish_context_create(&trace->run.context, &options));
    return starfish_context_runtime(trace->run.context, &trace->runtime);
}

static starfish_status solve(struct solve_run *run)
{
    return starfish_poisson_solve(run->plan, &run->boundary, run->problem.rhs.array.data, run->solution.data,
                                  &run->info);
}

/* The solution is checked with a plan of its own, so that what is watched does nothing but solve. */
static starfish_status check_once(struct solve_run *run)
{
    if (!SIMULATED) {
        STARFISH_TRY(solve_make_plan(run, 1));
        STARFISH_TRY(solve(run));
        STARFISH_TRY(solve_check_result(run));
        starfish_poisson_plan_destroy(run->plan);
        run->plan = NULL;
    }
    return solve_make_plan(run, 0);
}

static starfish_status watch(struct trace *trace)
{
    STARFISH_TRY(check_once(&trace->run));
    for (size_t i = 0; i < trace->warmup; i++)
        STARFISH_TRY(solve(&trace->run));
    STARFISH_TRY(starfish_record_start(trace->run.context, &trace->record));
    starfish_fxt_begin();
    starfish_status status = solve(&trace->run);
    starfish_fxt_end();
    const starfish_status stopped = starfish_record_stop(trace->record);
    return status == STARFISH_SUCCESS ? stopped : status;
}

static starfish_status watch_pinned(struct trace *trace)
{
    struct solve_run *run = &trace->run;
    void *const memory[] = {run->problem.rhs.array.data, run->solution.data};
    const size_t bytes = starfish_array_count(&run->solution) * starfish_real_size(run->precision);
    STARFISH_TRY(starfish_pin(run->context, memory[0], bytes));
    starfish_status status = starfish_pin(run->context, memory[1], bytes);
    if (status == STARFISH_SUCCESS) {
        status = watch(trace);
        starfish_unpin(run->context, memory[1], bytes);
    }
    starfish_unpin(run->context, memory[0], bytes);
    return status;
}

/* ---- what is left of it
 * ---------------------------------------------------------------------------------------------------------- */

/* StarPU writes its trace when it stops. */
static starfish_status stop_starpu(struct trace *trace)
{
    snprintf(trace->method, sizeof trace->method, "%s", starfish_poisson_plan_method(trace->run.plan));
    starfish_poisson_plan_destroy(trace->run.plan);
    trace->run.plan = NULL;
    starfish_context_destroy(trace->run.context);
    trace->run.context = NULL;
    if (!starfish_fxt_available())
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_fxt_convert(trace->folder));
    return starfish_fxt_copies(trace->folder, trace->record, &trace->copy, &trace->copies);
}

static starfish_status look(struct trace *trace)
{
    trace->account = starfish_account_of(trace->record);
    trace->path = calloc(trace->record->tasks + 1, 1);
    if (!trace->path)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a path");
    starfish_waiting_path(trace->record, trace->path);
    return STARFISH_SUCCESS;
}

static starfish_status write_files(const struct trace *trace)
{
    char path[FILES][PATH];
    for (int file = 0; file < FILES; file++)
        path_of(trace, our_files[file], path[file]);
    STARFISH_TRY(trace_write_json(trace, path[JSON]));
    return trace_write_gantt(trace, path[SVG], path[PNG]);
}

static void say_what_is_written(const struct trace *trace)
{
    static const char *const starpus[] = {"paje.trace", "tasks.rec", "dag.dot"};
    for (int file = 0; file < FILES; file++)
        printf("written  %s/%s\n", trace->folder, our_files[file]);
    for (size_t i = 0; starfish_fxt_available() && i < sizeof starpus / sizeof starpus[0]; i++)
        printf("written  %s/%s\n", trace->folder, starpus[i]);
    if (!starfish_fxt_available())
        printf("StarPU was built without FxT: no copies, no paje.trace, tasks.rec, dag.dot\n");
}

/* ---- the command
 * --------------------------------------------------------------------------------------------------------------------
 */

static starfish_status run_trace(struct trace *trace)
{
    struct solve_run *run = &trace->run;
    struct starfish_context_options workers = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    if (!trace->folder)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--out: name a folder for the files");
    STARFISH_TRY(workers_read(run->options.workers, &workers));
    if (trace->policy)
        STARFISH_TRY(starfish_policy_check("--policy", trace->policy));
    STARFISH_TRY(solve_read_precision(run));
    STARFISH_TRY(solve_read_problem(run));
    STARFISH_TRY(make_folder(trace));
    STARFISH_TRY(solve_prepare_data(run));
    STARFISH_TRY(make_context(trace));
    STARFISH_TRY(watch_pinned(trace));
    STARFISH_TRY(stop_starpu(trace));
    STARFISH_TRY(look(trace));
    STARFISH_TRY(write_files(trace));
    if (!run->options.quiet)
        say_what_is_written(trace);
    if (trace->explain)
        trace_explain(trace);
    char simulation[256];
    simulate_describe(simulation, sizeof simulation);
    if (simulation[0] && !run->options.quiet)
        printf("%s\n", simulation);
    return STARFISH_SUCCESS;
}

static void release(struct trace *trace)
{
    starfish_record_free(trace->record);
    free(trace->path);
    free(trace->copy);
    solve_release(&trace->run);
}

int command_trace(int argc, char **argv)
{
    struct trace trace = {.run.options = {.method = "auto", .precision = "f64", .workers = "all", .repeat = 1},
                          .warmup = 12};
    struct solve_options *given = &trace.run.options;
    const char *simulate = NULL;
    const struct option_entry options[] = {
        {"--out", OPTION_TEXT, &trace.folder, "DIR", "folder for the files, made where it is missing", {NULL}},
        {"--explain", OPTION_FLAG, &trace.explain, NULL, "also say in words where the time went", {NULL}},
        {"--policy", OPTION_TEXT, &trace.policy, "P", "StarPU's scheduling policy instead of the default", {NULL}},
        {"--workers", OPTION_TEXT, &given->workers, "W", "all, cpu, gpu, cpu:N, gpu:M or cpu:N,gpu:M", {NULL}},
        {"--method", OPTION_CHOICE, &given->method, "M", "how", {"auto", "slab", "blktri", "blktri-product"}},
        {"--precision", OPTION_CHOICE, &given->precision, "P", "of the arithmetic", {"f64", "f32", "mixed"}},
        {"--rhs", OPTION_TEXT, &given->rhs, "F", "right-hand side instead of the problem's", {NULL}},
        {"--slabs", OPTION_COUNT, &given->slabs, "N", "runs of z-planes; default: chosen from the workers", {NULL}},
        {"--simulate", OPTION_TEXT, &simulate, "NAME", "on a recorded machine: starfish machine list", {NULL}},
        {"--warmup", OPTION_NUMBER, &trace.warmup, "N", "solves before the one that is watched; default 12", {NULL}},
        {"--quiet", OPTION_FLAG, &given->quiet, NULL, "do not list the files", {NULL}},
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "trace PROBLEM.json --out DIR [OPTION ...]",
        .summary =
            "Watch a solve: a trace for ui.perfetto.dev, a Gantt chart, and, where StarPU has FxT, its own traces.",
        .options = options,
        .operands = &given->problem,
        .operand_count = 1,
    };
    if (options_ask_help(argc, argv)) {
        options_print_help(&line);
        return 0;
    }
    if (simulate_wanted(argc, argv))
        return simulate_instead(argc, argv);
    starfish_status status = options_read(&line, argc, argv);
    if (status == STARFISH_SUCCESS)
        status = run_trace(&trace);
    const int exit_status = status == STARFISH_SUCCESS ? 0 : command_fail(status, 0);
    release(&trace);
    return exit_status;
}
