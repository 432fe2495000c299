/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish trace: one solve, watched; files that show it, and an explanation. */
#include "apps/trace/trace.h"

#include "apps/command.h"
#include "apps/files/output.h"
#include "apps/files/temporary.h"
#include "apps/options.h"
#include "apps/pictures/canvas.h"
#include "apps/recorded/recorded.h"
#include "apps/recorded/simulate.h"
#include "apps/table.h"
#include "apps/workers.h"
#include "scheduler/lab/policies/policies.h"
#include "scheduler/runtime/options.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the folder -------------------------------------------------------------------------------------------------- */

enum { PATH = 4096 };
static const char *const our_files[] = {"trace.json", "gantt.svg", "gantt.png", "gantt.pdf"};
enum { JSON, GANTT, FILES = GANTT + 3 };

static void path_of(const struct trace *trace, const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", trace->folder, name);
}

static starfish_status make_folder(struct trace *trace)
{
    STARFISH_FAIL_IF(strlen(trace->folder) > PATH / 2, STARFISH_ERROR_FILE, "--out: the name is too long");
    trace->folder_is_new = starfish_temporary_new_folder(trace->folder) == 0;
    STARFISH_FAIL_IF(!trace->folder_is_new && errno != EEXIST, STARFISH_ERROR_FILE, "%s: cannot be made: %s",
                     trace->folder, strerror(errno));
    for (int file = 0; file < FILES; file++) {
        char path[PATH];
        path_of(trace, our_files[file], path);
        STARFISH_TRY(starfish_output_check(path));
    }
    return STARFISH_SUCCESS;
}

/* What StarPU has written gets its place beside ours. */
static starfish_status move_starpus_files(const struct trace *trace)
{
    struct dirent **entry;
    starfish_status status = STARFISH_SUCCESS;
    const int count = trace->starpus[0] ? scandir(trace->starpus, &entry, NULL, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        static char from[2 * PATH], to[PATH];
        snprintf(from, sizeof from, "%s/%s", trace->starpus, entry[i]->d_name);
        path_of(trace, entry[i]->d_name, to);
        if (entry[i]->d_name[0] != '.' && status == STARFISH_SUCCESS && rename(from, to) != 0)
            status = starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written: %s", to, strerror(errno));
        free(entry[i]);
    }
    if (count > 0)
        free(entry);
    return count >= 0 ? status : starfish_fail(STARFISH_ERROR_FILE, "%s: %s", trace->starpus, strerror(errno));
}

/* ---- the solve --------------------------------------------------------------------------------------------------- */

/* A folder of its own, that goes whole if the command is interrupted. */
static starfish_status prepare_fxt(struct trace *trace)
{
    char folder[PATH];
    path_of(trace, ".starpu-XXXXXX", folder);
    STARFISH_FAIL_IF(starfish_temporary_tree(folder) != 0, STARFISH_ERROR_FILE, "%s: cannot be made: %s", folder,
                     strerror(errno));
    memcpy(trace->starpus, folder, sizeof trace->starpus);
    return starfish_fxt_prepare(trace->starpus);
}

static starfish_status make_context(struct trace *trace, starfish_context **context)
{
    if (trace->plan.flat)
        workers_as_one_team(&trace->context);
    if (starfish_fxt_available())
        STARFISH_TRY(prepare_fxt(trace));
    STARFISH_TRY(starfish_context_create(context, &trace->context));
    return starfish_context_runtime(*context, &trace->runtime);
}

/* The solution has been checked with a plan of its own, so that what is watched does nothing but solve. */
static starfish_status watch(struct trace *trace, starfish_context *context)
{
    struct plan *plan = &trace->plan;
    STARFISH_TRY(plan_start(plan, context));
    for (size_t i = 0; i < trace->warmup; i++)
        STARFISH_TRY(plan->kind->solve(plan));
    STARFISH_TRY(starfish_record_start(context, &trace->record));
    starfish_fxt_begin();
    starfish_status status = plan->kind->solve(plan);
    starfish_fxt_end();
    const starfish_status stopped = starfish_record_stop(trace->record);
    return status == STARFISH_SUCCESS ? stopped : status;
}

/* StarPU writes its trace when the context's end stops it. */
static starfish_status watch_in_context(struct trace *trace)
{
    starfish_context *context = NULL;
    starfish_status status = make_context(trace, &context);
    STARFISH_THEN(status, watch(trace, context));
    plan_stop(&trace->plan);
    starfish_context_destroy(context);
    return status;
}

/* ---- what is left of it ------------------------------------------------------------------------------------------ */

static starfish_status read_fxt(struct trace *trace)
{
    if (!starfish_fxt_available())
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_fxt_convert(trace->starpus));
    return starfish_fxt_copies(trace->starpus, trace->record, &trace->copy, &trace->copies);
}

static starfish_status look(struct trace *trace)
{
    trace->account = starfish_account_of(trace->record);
    trace->path = calloc(trace->record->tasks + 1, 1);
    STARFISH_FAIL_IF(!trace->path, STARFISH_ERROR_MEMORY, "out of memory for a path");
    starfish_waiting_path(trace->record, trace->path);
    machine_describe(&trace->runtime, trace->record->worker, trace->record->worker_count, trace->machine,
                     sizeof trace->machine);
    return trace_find_lanes(trace);
}

static starfish_status write_files(const struct trace *trace)
{
    static char path[FILES][PATH];
    for (int file = 0; file < FILES; file++)
        path_of(trace, our_files[file], path[file]);
    const char *const pictures[] = {path[GANTT], path[GANTT + 1], path[GANTT + 2]};
    starfish_outputs_begin();
    starfish_status status = trace_write(trace, path[JSON], pictures, FILES - GANTT);
    STARFISH_THEN(status, move_starpus_files(trace));
    return starfish_outputs_finish(status);
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

/* ---- the command ------------------------------------------------------------------------------------------------- */

static starfish_status run_trace(void *data)
{
    struct trace *trace = data;
    STARFISH_FAIL_IF(!trace->folder, STARFISH_ERROR_ARGUMENT, "--out: name a folder for the files");
    STARFISH_TRY(workers_read(trace->workers, &trace->context));
    if (trace->context.policy)
        STARFISH_TRY(starfish_policy_check("--policy", trace->context.policy));
    STARFISH_TRY(plan_open(&trace->plan, 0));
    STARFISH_TRY(make_folder(trace));
    STARFISH_TRY(watch_in_context(trace));
    STARFISH_TRY(read_fxt(trace));
    STARFISH_TRY(look(trace));
    STARFISH_TRY(write_files(trace));
    if (!trace->quiet)
        say_what_is_written(trace);
    if (trace->explain)
        trace_explain(trace);
    char simulation[256];
    simulate_describe(simulation, sizeof simulation);
    if (simulation[0] && !trace->quiet)
        table_print_text(simulation, 0, 4);
    return STARFISH_SUCCESS;
}

static void release(struct trace *trace)
{
    /* A folder that was made for nothing goes again. */
    if (trace->starpus[0])
        starfish_temporary_remove(trace->starpus);
    if (trace->folder_is_new)
        starfish_temporary_remove(trace->folder);
    starfish_record_free(trace->record);
    free(trace->path);
    free(trace->copy);
    free(trace->task_lane);
    free(trace->copy_lane);
    free(trace->first_row);
    plan_close(&trace->plan);
}

int command_trace(int argc, char **argv)
{
    static const struct trace defaults = {.plan.options = PLAN_OPTIONS_DEFAULTS,
                                          .context = STARFISH_CONTEXT_OPTIONS_DEFAULTS,
                                          .workers = "all",
                                          .warmup = 12};
    static struct trace trace;
    trace = defaults;
    struct plan_options *given = &trace.plan.options;
    const char *simulate = NULL;
    static struct option_entry whole[OPTION_MOST];
    const struct option_entry options[] = {
        {"--out", OPTION_TEXT, &trace.folder, "DIR", .help = "folder for the files, made where it is missing"},
        {"--explain", OPTION_FLAG, &trace.explain, .help = "also say in words where the time went"},
        {"--policy", OPTION_MEMBER, &trace.context, "P", .table = &starfish_context_option_table,
         .list = starfish_policy_list},
        {"--workers", OPTION_TEXT, &trace.workers, "W", .help = WORKERS_WORDS},
        PLAN_OPTIONS(given),
        {"--simulate", OPTION_TEXT, &simulate, "NAME", .help = "on a recorded machine: starfish machine list",
         .list = simulate_list},
        {"--warmup", OPTION_NUMBER, &trace.warmup, "N", .help = "solves before the one that is watched"},
        PICTURE_OPTIONS,
        {"--quiet", OPTION_FLAG, &trace.quiet, .help = "do not list the files"},
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "trace PROBLEM.json | MESH.msh | --mesh M | --batch NxL | --many NxC --out DIR [OPTION ...]",
        .summary =
            "Watch a solve: a trace for ui.perfetto.dev, a Gantt chart, and, where StarPU has FxT, its own traces.",
        .options = options_expand(options, whole),
        .operands = &given->named[PLAN_PROBLEM],
        .operand_count = 1,
        .may_lack_operands = 1,
    };
    if (simulate_wanted(argc, argv))
        return simulate_instead(argc, argv);
    const int exit_status = options_run(&line, argc, argv, run_trace, &trace);
    release(&trace);
    return exit_status;
}
