/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish trace: names of workers and tasks, rows of workers and their cores, and lanes for spans that overlap, so
 * that the spans of a lane follow one another. Spans are taken by their beginning, and each goes to the first lane that
 * is free by then: the lanes are as few as possible. */
#include "apps/trace/trace.h"

#include "apps/names.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Names ------------------------------------------------------------------------------------------------------- */

void trace_worker_name(char *name, size_t size, const struct starfish_worker *worker)
{
    const int written = snprintf(name, size, "%s %d", names_workers[worker->kind], worker->device);
    if (worker->cores > 1 && written > 0 && (size_t)written < size)
        snprintf(name + written, size - (size_t)written, " (%d cores)", worker->cores);
}

void trace_task_name(char *name, size_t size, const struct starfish_task_span *span)
{
    size_t length = (size_t)snprintf(name, size, "%s", span->name);
    for (int i = 0; i < span->coordinates && length < size; i++)
        length += (size_t)snprintf(name + length, size - length, ", %s %d", span->at[i].name, span->at[i].value);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static int find_rows(struct trace *trace)
{
    const struct starfish_record *record = trace->record;
    size_t *first = trace->first_row = calloc(record->worker_count + 1, sizeof *first);
    if (!first)
        return 0;
    for (size_t w = 0; w < record->worker_count; w++)
        first[w + 1] = 1;
    for (size_t i = 0; i < record->pieces; i++)
        if (record->piece[i].part > 0)
            first[record->piece[i].worker + 1] = (size_t)record->worker[record->piece[i].worker].cores;
    for (size_t w = 0; w < record->worker_count; w++)
        first[w + 1] += first[w];
    return 1;
}

size_t trace_rows(const struct trace *trace)
{
    return trace->first_row[trace->record->worker_count];
}

void trace_row_name(const struct trace *trace, size_t row, char *name, size_t size)
{
    size_t worker = 0;
    while (row >= trace->first_row[worker + 1])
        worker++;
    const struct starfish_worker *of = &trace->record->worker[worker];
    const size_t rows = trace->first_row[worker + 1] - trace->first_row[worker];
    if (rows == 1)
        trace_worker_name(name, size, of);
    else
        snprintf(name, size, "%s %d, core %zu of %zu", names_workers[of->kind], of->device,
                 row - trace->first_row[worker] + 1, rows);
}

size_t trace_row_of(const struct trace *trace, const struct starfish_piece *piece)
{
    return trace->first_row[piece->worker] + piece->part;
}

/* Tasks of other cores and workers than their own come one after the other. */
size_t trace_lane_of(const struct trace *trace, const struct starfish_piece *piece)
{
    const int own = piece->part == 0 && piece->worker == trace->record->task[piece->task].worker;
    return own ? trace->task_lane[piece->task] : 0;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

struct item {
    double start, end;
    size_t owner, number; /* worker or link; index in the trace */
};

static int by_owner_and_start(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->owner != y->owner)
        return (x->owner > y->owner) - (x->owner < y->owner);
    if (x->start != y->start)
        return (x->start > y->start) - (x->start < y->start);
    return (x->number > y->number) - (x->number < y->number);
}

static void find(struct item *item, size_t count, size_t *lane)
{
    double free_at[RECORDED_LANES];
    qsort(item, count, sizeof *item, by_owner_and_start);
    for (size_t i = 0; i < count; i++) {
        size_t here = 0;
        for (size_t l = 0; l < RECORDED_LANES && (i == 0 || item[i].owner != item[i - 1].owner); l++)
            free_at[l] = item[i].start;
        while (here < RECORDED_LANES - 1 && free_at[here] > item[i].start)
            here++;
        free_at[here] = item[i].end;
        lane[item[i].number] = here;
    }
}

starfish_status trace_find_lanes(struct trace *trace)
{
    const struct starfish_record *record = trace->record;
    const size_t most = record->tasks > trace->copies ? record->tasks : trace->copies;
    struct item *item = malloc((most + 1) * sizeof *item);
    size_t count = 0;
    trace->task_lane = calloc(record->tasks + 1, sizeof *trace->task_lane);
    trace->copy_lane = calloc(trace->copies + 1, sizeof *trace->copy_lane);
    const int failed = !find_rows(trace) || !item || !trace->task_lane || !trace->copy_lane;
    if (!failed) {
        for (size_t i = 0; i < record->tasks; i++)
            if (record->task[i].worker >= 0)
                item[count++] =
                    (struct item){record->task[i].start, record->task[i].end, (size_t)record->task[i].worker, i};
        find(item, count, trace->task_lane);
        for (size_t i = 0; i < trace->copies; i++) {
            const struct starfish_copy *copy = &trace->copy[i];
            item[i] = (struct item){copy->start, copy->end, (size_t)copy->from * STARPU_MAXNODES + copy->to, i};
        }
        find(item, trace->copies, trace->copy_lane);
    }
    free(item);
    return failed ? starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for lanes") : STARFISH_SUCCESS;
}
