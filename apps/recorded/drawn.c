/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Gantt chart of a trace.json. Its threads are workers and links with their lanes (json.c); each worker or link is
 * a row. */
#include "apps/recorded/drawn.h"

#include "apps/files/json.h"
#include "apps/pictures/canvas.h"
#include "apps/pictures/gantt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned copy_colour = 0x777788;
enum { MOST_ROWS = 4096, NAME = 64, TEXT = 256 };

struct drawn {
    const char *path; /* of the trace, for complaints */
    const json_t *events;
    size_t first_task; /* event of task 0, behind which those of the others lie */
    struct starfish_gantt gantt;
    const char **row;
    json_int_t (*owner)[2]; /* whose row it is: the process, and a thread without its lane */
    struct starfish_gantt_span *span;
    char (*name)[NAME], (*text)[TEXT]; /* of each span: the operation's, and what is to be told of it */
};

static int is_phase(const json_t *event, const char *phase)
{
    const char *text = starfish_json_text_of(event, "ph");
    return text && strcmp(text, phase) == 0;
}

static json_int_t integer_of(const json_t *event, const char *key)
{
    return json_integer_value(json_object_get(event, key));
}

/* The row of an event's thread; the number of rows: it has none. */
static size_t row_of(const struct drawn *drawn, const json_t *event)
{
    size_t row = 0;
    while (row < drawn->gantt.rows && (drawn->owner[row][0] != integer_of(event, "pid") ||
                                       drawn->owner[row][1] != integer_of(event, "tid") / RECORDED_LANES))
        row++;
    return row;
}

/* Threads in their order in the file; lanes beyond the first have no row of their own. */
static starfish_status add_row(struct drawn *drawn, const json_t *event)
{
    const char *what = starfish_json_text_of(event, "name");
    const char *name = starfish_json_text_of(json_object_get(event, "args"), "name");
    const size_t row = row_of(drawn, event);
    if (!is_phase(event, "M") || !what || strcmp(what, "thread_name") != 0 || row < drawn->gantt.rows)
        return STARFISH_SUCCESS;
    STARFISH_JSON_FAIL_IF(!name, drawn->path, "traceEvents", "a thread without a name");
    STARFISH_JSON_FAIL_IF(row == MOST_ROWS, drawn->path, "traceEvents", "more than %d workers and links", MOST_ROWS);
    drawn->row[row] = name;
    drawn->owner[row][0] = integer_of(event, "pid");
    drawn->owner[row][1] = integer_of(event, "tid") / RECORDED_LANES;
    drawn->gantt.rows++;
    return STARFISH_SUCCESS;
}

/* As the task was drawn where it was recorded; older traces do not say, and there it goes by the operation. */
static unsigned colour_of(const struct drawn *drawn, size_t number, const json_t *event)
{
    const char *said = starfish_json_text_of(json_object_get(event, "args"), "colour");
    size_t others = 0;
    if (said && said[0] == '#')
        return (unsigned)strtoul(said + 1, NULL, 16) & 0xffffff;
    if (strcmp(drawn->name[number], "copy") == 0)
        return copy_colour;
    for (size_t i = 0; i < number; ++i) {
        if (strcmp(drawn->name[i], drawn->name[number]) == 0)
            return drawn->span[i].colour;
        size_t first = 0;
        while (strcmp(drawn->name[first], drawn->name[i]) != 0)
            first++;
        others += first == i && drawn->span[i].colour != copy_colour;
    }
    return starfish_group_colour(others);
}

/* Letters of a task's name before its coordinates: of "ip, first, slab 3" those of "ip, first". */
static int length_of_operation(const char *name)
{
    const char *at = name + strcspn(name, ",");
    int end = 0;
    while (*at && (sscanf(at, ", %*[^, ] %*d%n", &end), end == 0))
        at += 1 + strcspn(at + 1, ",");
    return (int)(at - name);
}

/* "smooth of cycle, level 2: 0.123 ms from 4.567 on". */
static void tell(const struct drawn *drawn, const json_t *event, const struct starfish_gantt_span *span,
                 char text[TEXT])
{
    const json_t *arguments = json_object_get(event, "args"), *of = json_object_get(arguments, "of_task");
    const json_t *task = of ? json_array_get(drawn->events, drawn->first_task + (size_t)json_integer_value(of)) : NULL;
    const char *whole = starfish_json_text_of(task, "name"), *name = starfish_json_text_of(event, "name");
    char what[TEXT];
    if (json_object_get(arguments, "bytes") && strcmp(name, "copy") == 0)
        snprintf(what, sizeof what, "copy of %.2f MB", 1e-6 * starfish_json_number_of(arguments, "bytes"));
    else
        snprintf(what, sizeof what, "%s%s%s", name, whole ? " of " : "", whole ? whole : "");
    snprintf(text, TEXT, "%.200s: %.3f ms from %.3f on", what, span->end - span->start, span->start);
}

static starfish_status add_span(struct drawn *drawn, const json_t *event)
{
    const char *name = starfish_json_text_of(event, "name");
    const double start = 1e-3 * starfish_json_number_of(event, "ts");
    const double length = 1e-3 * starfish_json_number_of(event, "dur");
    const size_t row = row_of(drawn, event), at = drawn->gantt.count;
    if (!is_phase(event, "X") || json_object_get(json_object_get(event, "args"), "pieces"))
        return STARFISH_SUCCESS; /* its pieces are spans of their own */
    STARFISH_JSON_FAIL_IF(!name || row == drawn->gantt.rows || !(start >= 0) || !(length >= 0), drawn->path,
                          "traceEvents", "a span without a name, a thread, a time or a length");
    snprintf(drawn->name[at], NAME, "%.*s", length_of_operation(name), name);
    drawn->span[at] = (struct starfish_gantt_span){
        .row = row,
        .lane = (size_t)(integer_of(event, "tid") % RECORDED_LANES),
        .start = start,
        .end = start + length,
        .colour = colour_of(drawn, at, event),
        .marked = json_is_true(json_object_get(json_object_get(event, "args"), "waited_for")),
        .name = drawn->name[at],
        .text = drawn->text[at]};
    tell(drawn, event, &drawn->span[at], drawn->text[at]);
    drawn->gantt.end = fmax(drawn->gantt.end, start + length);
    drawn->gantt.count++;
    return STARFISH_SUCCESS;
}

static starfish_status fill(struct drawn *drawn)
{
    const json_t *event;
    size_t i;
    json_array_foreach (drawn->events, i, event)
        STARFISH_TRY(add_row(drawn, event));
    while ((event = json_array_get(drawn->events, drawn->first_task)) &&
           !json_object_get(json_object_get(event, "args"), "task"))
        drawn->first_task++;
    json_array_foreach (drawn->events, i, event)
        STARFISH_TRY(add_span(drawn, event));
    /* A task of all cores that have told of no piece has no span. */
    STARFISH_JSON_FAIL_IF(drawn->gantt.count == 0 && drawn->first_task == json_array_size(drawn->events), drawn->path,
                          "traceEvents", "there is no task");
    return STARFISH_SUCCESS;
}

/* The solve ends with its last data at home; older traces do not say when. */
static starfish_status write_picture(struct drawn *drawn, const json_t *about, const char *picture)
{
    char title[256], subtitle[512];
    const double seconds = starfish_json_number_of(about, "seconds");
    const char *const said[] = {"size", "method", "machine", "policy"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; ++i)
        STARFISH_JSON_FAIL_IF(!starfish_json_text_of(about, said[i]), drawn->path, "otherData", "has no text \"%s\"",
                              said[i]);
    drawn->gantt.end = fmax(drawn->gantt.end, seconds > 0 ? 1e3 * seconds : 0);
    snprintf(title, sizeof title, "%s, %s: %.4g ms", starfish_json_text_of(about, "size"),
             starfish_json_text_of(about, "method"), drawn->gantt.end);
    snprintf(subtitle, sizeof subtitle, "%s, policy %s, %.0f tasks, %s", starfish_json_text_of(about, "machine"),
             starfish_json_text_of(about, "policy"), starfish_json_number_of(about, "tasks"),
             json_is_true(json_object_get(about, "simulated")) ? "simulated" : "measured");
    drawn->gantt.title = title;
    drawn->gantt.subtitle = subtitle;
    drawn->gantt.axis = "milliseconds since the submission";
    drawn->gantt.mark = "critical path: what the end had to wait for";
    drawn->gantt.row = drawn->row;
    drawn->gantt.span = drawn->span;
    return starfish_gantt_write(picture, &drawn->gantt);
}

starfish_status recorded_draw(const char *path, const json_t *trace, const char *picture)
{
    struct drawn drawn = {.path = path, .events = json_object_get(trace, "traceEvents")};
    const size_t count = json_array_size(drawn.events) + 1;
    drawn.row = calloc(count, sizeof *drawn.row);
    drawn.owner = calloc(count, sizeof *drawn.owner);
    drawn.span = calloc(count, sizeof *drawn.span);
    drawn.name = calloc(count, sizeof *drawn.name);
    drawn.text = calloc(count, sizeof *drawn.text);
    starfish_status status = drawn.row && drawn.owner && drawn.span && drawn.name && drawn.text
                                 ? fill(&drawn)
                                 : starfish_fail(STARFISH_ERROR_MEMORY, "%s: no memory for a chart", path);
    STARFISH_THEN(status, write_picture(&drawn, json_object_get(trace, "otherData"), picture));
    free((void *)drawn.row);
    free(drawn.owner);
    free(drawn.text);
    free(drawn.span);
    free(drawn.name);
    return status;
}
