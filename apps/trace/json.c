/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish trace: the trace event format of Chrome and Perfetto. Process 0 has a thread per worker with the tasks, or
 * per core with the pieces that cores reported of them, which lie within the task on the thread of the worker's own
 * core; process 1 threads of the links with the copies, and process 2 the counters; arrows are dependencies.
 *
 * Perfetto drops spans of a thread that cross without one being inside the other. So a link has as many threads, its
 * lanes, as there are copies on it at a time; and so would a worker that has two tasks at a time. Times are whole
 * nanoseconds, as Perfetto keeps them. */
#include "apps/names.h"
#include "apps/trace/trace.h"

#include "apps/command.h"
#include "apps/files/output.h"
#include "apps/recorded/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum process { WORKERS, LINKS, COUNTERS };
static const char *const process_names[] = {[WORKERS] = "workers", [LINKS] = "links", [COUNTERS] = "counters"};

static void add_name(json_t *events, const char *what, int process, size_t thread, const char *name)
{
    json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", what, "pid", process,
                                            "tid", (int)thread, "args", "name", name));
}

/* Microseconds since the submission, in whole nanoseconds. */
static double moment(const struct trace *trace, double time)
{
    return round(1e3 * trace_time(trace, time)) / 1e3;
}

static json_t *moment_json(const struct trace *trace, double time)
{
    return command_json_real(moment(trace, time));
}

static json_t *length_json(const struct trace *trace, double start, double end)
{
    return command_json_real(round(1e3 * (moment(trace, end) - moment(trace, start))) / 1e3);
}

/* Threads: a number for each pair of a worker, or link, and a lane. */
enum { LANES = RECORDED_LANES };
static size_t thread_of(size_t owner, size_t lane)
{
    return owner * LANES + lane;
}

/* "gpu 0", and of further lanes "gpu 0, lane 2". */
static void add_lane(json_t *events, int process, size_t owner, size_t lane, const char *name)
{
    char text[128];
    const size_t thread = thread_of(owner, lane);
    snprintf(text, sizeof text, lane > 0 ? "%s, lane %zu" : "%s", name, lane + 1);
    add_name(events, "thread_name", process, thread, text);
    json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:i, s:{s:i}}", "ph", "M", "name", "thread_sort_index",
                                            "pid", process, "tid", (int)thread, "args", "sort_index", (int)thread));
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static json_t *expected_of(const struct starfish_task_span *span)
{
    json_t *expected = json_object();
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        json_object_set_new(expected, names_workers[kind], command_json_real(span->expected[kind]));
    return expected;
}

static json_t *arguments_of(const struct trace *trace, size_t number)
{
    const struct starfish_task_span *span = &trace->record->task[number];
    json_t *arguments = json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:b, s:o}", "task", (int)number, "priority",
                                  span->priority, "width", (json_int_t)span->width, "bytes", (json_int_t)span->bytes,
                                  "submitted_us", moment_json(trace, span->submitted), "ready_us",
                                  moment_json(trace, span->ready), "data_wait_us", command_json_real(span->fetched),
                                  "waited_for", trace->path[number], "expected_us", expected_of(span));
    if (!isnan(span->flops))
        json_object_set_new(arguments, "operations", command_json_real(span->flops));
    json_object_set_new(arguments, "colour", json_sprintf("#%06x", span->colour));
    if (starfish_task_span_is_shared(span))
        json_object_set_new(arguments, "pieces", json_integer((json_int_t)span->pieces));
    for (int i = 0; i < span->coordinates; i++)
        json_object_set_new(arguments, span->at[i].name, json_integer(span->at[i].value));
    return arguments;
}

static size_t thread_of_task(const struct trace *trace, size_t number)
{
    return thread_of(trace->first_row[trace->record->task[number].worker], trace->task_lane[number]);
}

/* Tasks that ran nowhere are instants beside the copies that they stand for. */
static void add_task(json_t *events, const struct trace *trace, size_t number)
{
    const struct starfish_task_span *span = &trace->record->task[number];
    char name[128];
    trace_task_name(name, sizeof name, span);
    json_t *event =
        json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", name, "cat", span->codelet, "ph", span->worker < 0 ? "i" : "X",
                  "ts", moment_json(trace, span->start), "args", arguments_of(trace, number));
    if (span->worker < 0)
        command_keys(event, KEY("pid", (int)LINKS), KEY("tid", 0), KEY("s", "p"));
    else
        command_keys(event, KEY("pid", (int)WORKERS), KEY("tid", thread_of_task(trace, number)),
                     KEY("dur", length_json(trace, span->start, span->end)));
    json_array_append_new(events, event);
}

static void add_piece(json_t *events, const struct trace *trace, const struct starfish_piece *piece)
{
    if (!starfish_task_span_is_shared(&trace->record->task[piece->task]))
        return; /* the task itself */
    json_t *arguments = json_pack("{s:i, s:b}", "of_task", (int)piece->task, "waited_for", trace->path[piece->task]);
    json_object_set_new(arguments, "colour", json_sprintf("#%06x", piece->colour));
    json_array_append_new(events, json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "name", piece->name, "cat",
                                            "piece", "ph", "X", "pid", WORKERS, "tid",
                                            (int)thread_of(trace_row_of(trace, piece), trace_lane_of(trace, piece)),
                                            "ts", moment_json(trace, piece->start), "dur",
                                            length_json(trace, piece->start, piece->end), "args", arguments));
}

/* An arrow belongs to the span around its end: it leaves a nanosecond before its task ends. */
static json_t *arrow_end(const struct trace *trace, size_t number, const struct starfish_task_span *span, size_t task,
                         int begins)
{
    const double start = moment(trace, span->start), end = moment(trace, span->end), last = fmax(start, end - 1e-3);
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:o}", "name", "dependency", "cat", "dependency", "ph",
                     begins ? "s" : "f", "id", (int)number, "pid", WORKERS, "tid", (int)thread_of_task(trace, task),
                     "ts", command_json_real(begins ? last : start));
}

static void add_arrow(json_t *events, const struct trace *trace, size_t number)
{
    const struct starfish_edge *edge = &trace->record->edge[number];
    const struct starfish_task_span *from = &trace->record->task[edge->from], *to = &trace->record->task[edge->to];
    if (from->worker < 0 || to->worker < 0 || to->start < from->end)
        return;
    json_array_append_new(events, arrow_end(trace, number, from, edge->from, 1));
    json_t *tip = arrow_end(trace, number, to, edge->to, 0);
    json_object_set_new(tip, "bp", json_string("e"));
    json_array_append_new(events, tip);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void add_copies(json_t *events, const struct trace *trace)
{
    static char named[(1 + STARPU_MAXNODES * STARPU_MAXNODES) * LANES];
    memset(named, 0, sizeof named);
    for (size_t i = 0; i < trace->copies; i++) {
        const struct starfish_copy *copy = &trace->copy[i];
        const size_t link = 1 + copy->from * STARPU_MAXNODES + copy->to, lane = trace->copy_lane[i];
        char name[64];
        snprintf(name, sizeof name, "%s to %s", trace->record->node[copy->from], trace->record->node[copy->to]);
        if (!named[thread_of(link, lane)]++)
            add_lane(events, LINKS, link, lane, name);
        json_array_append_new(events, json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:{s:I}}", "name", "copy", "cat",
                                                "copy", "ph", "X", "pid", LINKS, "tid", (int)thread_of(link, lane),
                                                "ts", moment_json(trace, copy->start), "dur",
                                                length_json(trace, copy->start, copy->end), "args", "bytes",
                                                (json_int_t)copy->bytes));
    }
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* A counter goes up or down. */
struct step {
    double time;
    int counter;
    json_int_t up;
};
enum counter { READY, RUNNING, MOVING };
static const char *const counter_names[] = {
    [READY] = "tasks ready", [RUNNING] = "workers busy", [MOVING] = "bytes on links"};

static int by_time(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : (x->up > y->up) - (x->up < y->up);
}

static void add_steps(struct step *steps, size_t *count, double start, double end, int counter, json_int_t by)
{
    steps[(*count)++] = (struct step){start, counter, by};
    steps[(*count)++] = (struct step){end, counter, -by};
}

static starfish_status add_counters(json_t *events, const struct trace *trace)
{
    const struct starfish_record *record = trace->record;
    struct step *steps = malloc((4 * record->tasks + 2 * trace->copies + 1) * sizeof *steps);
    size_t count = 0;
    json_int_t value[3] = {0};
    STARFISH_FAIL_IF(!steps, STARFISH_ERROR_MEMORY, "out of memory for counters");
    for (size_t i = 0; i < record->tasks; i++)
        if (record->task[i].worker >= 0) {
            add_steps(steps, &count, record->task[i].ready, record->task[i].start, READY, 1);
            add_steps(steps, &count, record->task[i].start, record->task[i].end, RUNNING, 1);
        }
    for (size_t i = 0; i < trace->copies; i++)
        add_steps(steps, &count, trace->copy[i].start, trace->copy[i].end, MOVING, (json_int_t)trace->copy[i].bytes);
    qsort(steps, count, sizeof *steps, by_time);
    for (size_t i = 0; i < count; i++) {
        value[steps[i].counter] += steps[i].up;
        json_array_append_new(events,
                              json_pack("{s:s, s:s, s:i, s:i, s:o, s:{s:I}}", "name", counter_names[steps[i].counter],
                                        "ph", "C", "pid", COUNTERS, "tid", 0, "ts", moment_json(trace, steps[i].time),
                                        "args", "value", value[steps[i].counter]));
    }
    free(steps);
    return STARFISH_SUCCESS;
}

/* Memory that StarPU had allocated on a node, known at the end of every task of the node's workers. */
static void add_memory(json_t *events, const struct trace *trace)
{
    const struct starfish_record *record = trace->record;
    for (size_t i = 0; i < record->tasks; i++) {
        const struct starfish_task_span *span = &record->task[i];
        char name[64];
        if (span->worker < 0)
            continue;
        snprintf(name, sizeof name, "bytes got at %s", record->node[record->worker[span->worker].memory_node]);
        json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:i, s:o, s:{s:I}}", "name", name, "ph", "C", "pid",
                                                COUNTERS, "tid", 0, "ts", moment_json(trace, span->end), "args",
                                                "value", (json_int_t)span->memory));
    }
}

/* The last lane that a worker's tasks need. */
static size_t most_lane(const struct trace *trace, int worker)
{
    size_t most = 0;
    for (size_t i = 0; i < trace->record->tasks; i++)
        if (trace->record->task[i].worker == worker && trace->task_lane[i] > most)
            most = trace->task_lane[i];
    return most;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static starfish_status fill(json_t *events, const struct trace *trace)
{
    const struct starfish_record *record = trace->record;
    for (int process = WORKERS; process <= COUNTERS; process++)
        add_name(events, "process_name", process, 0, process_names[process]);
    for (size_t row = 0, worker = 0; row < trace_rows(trace); row++) {
        char name[64];
        worker += row == trace->first_row[worker + 1];
        trace_row_name(trace, row, name, sizeof name);
        for (size_t lane = 0; lane <= (row == trace->first_row[worker] ? most_lane(trace, (int)worker) : 0); lane++)
            add_lane(events, WORKERS, row, lane, name);
    }
    for (size_t i = 0; i < record->tasks; i++)
        add_task(events, trace, i);
    for (size_t i = 0; i < record->pieces; i++)
        add_piece(events, trace, &record->piece[i]);
    for (size_t i = 0; i < record->edges; i++)
        add_arrow(events, trace, i);
    add_copies(events, trace);
    add_memory(events, trace);
    return add_counters(events, trace);
}

static starfish_status write_object(const json_t *object, const char *path)
{
    struct starfish_output output;
    STARFISH_TRY(starfish_output_open(&output, path));
    const int failed = json_dumpf(object, output.stream, JSON_COMPACT | JSON_REAL_PRECISION(12));
    return starfish_output_finish(&output, failed ? starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written", path)
                                                  : STARFISH_SUCCESS);
}

starfish_status trace_write(const struct trace *trace, const char *path, const char *const pictures[], size_t count)
{
    json_t *events = json_array();
    starfish_status status = fill(events, trace);
    json_t *object = json_pack("{s:o, s:s, s:{s:s, s:s, s:s, s:i}}", "traceEvents", events, "displayTimeUnit", "ms",
                               "otherData", "starfish", trace->runtime.starfish_version, "policy",
                               trace->runtime.policy, "method", trace->plan.method, "tasks", (int)trace->record->tasks);
    /* A file name need not be UTF-8, and is left out then. */
    command_keys(json_object_get(object, "otherData"), KEY("problem", trace->plan.name), KEY("size", trace->plan.size),
                 KEY("machine", trace->machine), KEY("simulated", json_boolean(SIMULATED)),
                 KEY("seconds", 1e-6 * trace_total(trace)));
    STARFISH_THEN(status, write_object(object, path));
    for (size_t i = 0; i < count && status == STARFISH_SUCCESS; i++)
        status = recorded_draw(path, object, pictures[i]);
    json_decref(object);
    return status;
}
