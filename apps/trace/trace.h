/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish trace: declarations shared by its files. One recorded solve is shown as a Gantt chart, a trace file, and an
 * explanation. */
#ifndef STARFISH_APPS_TRACE_TRACE_H
#define STARFISH_APPS_TRACE_TRACE_H

#include "apps/plans/plan.h"
#include "apps/recorded/drawn.h"
#include "scheduler/lab/account.h"
#include "scheduler/lab/fxt.h"

/* What there is to show: one solve. */
struct trace {
    struct plan plan; /* what is solved */
    struct starfish_context_options context;
    const char *folder, *workers;
    int folder_is_new;
    char starpus[4096]; /* where StarPU writes, until all files get their names; "": nowhere yet */
    size_t warmup;
    int explain, quiet;
    struct starfish_runtime runtime;
    struct starfish_record *record;
    struct starfish_account account;
    char *path;                 /* per task: 1 on the path of what was waited for */
    struct starfish_copy *copy; /* known with FxT only */
    size_t copies;
    size_t *task_lane, *copy_lane; /* of each, in which lane of its worker or link it is (lanes.c) */
    size_t *first_row;             /* per worker, and the number of rows: where its rows begin (lanes.c) */
    char machine[256];             /* the simulated one's name, else what it has */
};

/* Microseconds that the solve took: the total of title, axis and text. */
static inline double trace_total(const struct trace *trace)
{
    return trace->account.end - trace->account.begin;
}
/* Microseconds since the submission. */
static inline double trace_time(const struct trace *trace, double time)
{
    return time - trace->account.begin;
}
/* A worker's name as in charts: "cpu 0", "gpu 1", by kind and StarPU's device or core. */
void trace_worker_name(char *name, size_t size, const struct starfish_worker *worker);
/* A task's name with its coordinates: "forward, slab 3". */
void trace_task_name(char *name, size_t size, const struct starfish_task_span *span);

/* Charts have a row per worker, or per core of those whose cores have reported. Sets task_lane, copy_lane and
 * first_row. Error: MEMORY. */
starfish_status trace_find_lanes(struct trace *trace);
size_t trace_rows(const struct trace *trace);
/* "cpu 0", "gpu 1", "cpu 0, core 2 of 16". */
void trace_row_name(const struct trace *trace, size_t row, char *name, size_t size);
size_t trace_row_of(const struct trace *trace, const struct starfish_piece *piece);
size_t trace_lane_of(const struct trace *trace, const struct starfish_piece *piece);

/* trace.json for chrome://tracing and ui.perfetto.dev, and its Gantt chart once for each of the names (json.c). */
starfish_status trace_write(const struct trace *trace, const char *path, const char *const pictures[], size_t count);
/* In words, on standard output (explain.c). */
void trace_explain(const struct trace *trace);

#endif
