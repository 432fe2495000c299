/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish trace: the Gantt chart. Cores and GPUs first, then the links into each memory node. */
#include "apps/trace/trace.h"

#include "apps/pictures/gantt.h"
#include "apps/recorded/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, TEXT = 256 };

struct chart {
    struct starfish_gantt gantt;
    size_t rows;
    char (*name)[NAME];
    const char **row;
    size_t row_of_link[STARPU_MAXNODES][STARPU_MAXNODES]; /* 0: none: the first row is a worker's */
    struct starfish_gantt_span *span;
    char (*text)[TEXT];
};

static void add_rows(struct chart *chart, const struct trace *trace)
{
    const struct starfish_record *record = trace->record;
    for (size_t row = 0; row < trace_rows(trace); row++)
        trace_row_name(trace, row, chart->name[chart->rows++], NAME);
    for (unsigned to = 0; to < record->nodes; to++)
        for (unsigned from = 0; from < record->nodes; from++)
            for (size_t i = 0; i < trace->copies && !chart->row_of_link[from][to]; i++)
                if (trace->copy[i].from == from && trace->copy[i].to == to) {
                    snprintf(chart->name[chart->rows], NAME, "%s to %s", record->node[from], record->node[to]);
                    chart->row_of_link[from][to] = chart->rows++;
                }
    for (size_t r = 0; r < chart->rows; r++)
        chart->row[r] = chart->name[r];
}

static void add_piece(struct chart *chart, const struct trace *trace, const struct starfish_piece *piece)
{
    const struct starfish_task_span *task = &trace->record->task[piece->task];
    const size_t at = chart->gantt.count++;
    const int shared = starfish_task_span_is_shared(task);
    char name[128];
    trace_task_name(name, sizeof name, task);
    snprintf(chart->text[at], TEXT, "%s%s%s: %.3f ms from %.3f on", shared ? piece->name : "", shared ? " of " : "",
             name, 1e-3 * (piece->end - piece->start), 1e-3 * trace_time(trace, piece->start));
    chart->span[at] = (struct starfish_gantt_span){.row = trace_row_of(trace, piece),
                                                   .lane = trace_lane_of(trace, piece),
                                                   .start = 1e-3 * trace_time(trace, piece->start),
                                                   .end = 1e-3 * trace_time(trace, piece->end),
                                                   .colour = piece->colour,
                                                   .marked = trace->path[piece->task],
                                                   .name = piece->name,
                                                   .text = chart->text[at]};
}

static void add_copy(struct chart *chart, const struct trace *trace, size_t number)
{
    const struct starfish_copy *copy = &trace->copy[number];
    const size_t at = chart->gantt.count++;
    snprintf(chart->text[at], TEXT, "copy of %.2f MB: %.3f ms from %.3f on", 1e-6 * (double)copy->bytes,
             1e-3 * (copy->end - copy->start), 1e-3 * trace_time(trace, copy->start));
    chart->span[at] = (struct starfish_gantt_span){.row = chart->row_of_link[copy->from][copy->to],
                                                   .lane = trace->copy_lane[number],
                                                   .start = 1e-3 * trace_time(trace, copy->start),
                                                   .end = 1e-3 * trace_time(trace, copy->end),
                                                   .colour = RECORDED_COPY_COLOUR,
                                                   .name = "copy",
                                                   .text = chart->text[at]};
}

static void fill(struct chart *chart, const struct trace *trace)
{
    add_rows(chart, trace);
    for (size_t i = 0; i < trace->record->pieces; i++)
        add_piece(chart, trace, &trace->record->piece[i]);
    for (size_t i = 0; i < trace->copies; i++)
        add_copy(chart, trace, i);
    chart->gantt.row = chart->row;
    chart->gantt.rows = chart->rows;
    chart->gantt.span = chart->span;
    chart->gantt.end = 1e-3 * trace_total(trace);
    chart->gantt.axis = RECORDED_AXIS;
    chart->gantt.mark = RECORDED_MARK;
}

static void destroy(struct chart *chart)
{
    if (!chart)
        return;
    free(chart->name);
    free((void *)chart->row);
    free(chart->span);
    free(chart->text);
    free(chart);
}

/* NULL without memory. */
static struct chart *create(size_t rows, size_t spans)
{
    struct chart *chart = calloc(1, sizeof *chart);
    if (!chart)
        return NULL;
    chart->name = calloc(rows, sizeof *chart->name);
    chart->row = calloc(rows, sizeof *chart->row);
    chart->span = calloc(spans + 1, sizeof *chart->span);
    chart->text = calloc(spans + 1, sizeof *chart->text);
    if (chart->name && chart->row && chart->span && chart->text)
        return chart;
    destroy(chart);
    return NULL;
}

starfish_status trace_write_gantt(const struct trace *trace, const char *const path[], size_t count)
{
    const struct starfish_record *record = trace->record;
    struct chart *chart =
        create(trace_rows(trace) + (size_t)record->nodes * record->nodes, record->pieces + trace->copies);
    STARFISH_FAIL_IF(!chart, STARFISH_ERROR_MEMORY, "out of memory for a chart");
    char title[256], subtitle[512];
    snprintf(title, sizeof title, "%s, %s: %.4g ms", trace->plan.size, trace->plan.method, 1e-3 * trace_total(trace));
    snprintf(subtitle, sizeof subtitle, "%s, policy %s, %zu tasks, %s", trace->machine, trace->runtime.policy,
             trace->record->tasks, SIMULATED ? "simulated" : "measured");
    fill(chart, trace);
    chart->gantt.title = title;
    chart->gantt.subtitle = subtitle;
    starfish_status status = STARFISH_SUCCESS;
    for (size_t i = 0; i < count && status == STARFISH_SUCCESS; ++i)
        status = starfish_gantt_write(path[i], &chart->gantt);
    destroy(chart);
    return status;
}
