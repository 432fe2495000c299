/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench draw: pictures of rows that a benchmark has printed by --json, and of traces, also on another
 * machine. */
#include "apps/frame/draw.h"
#include "apps/bench/bench.h"
#include "apps/files/json.h"
#include "apps/pictures/canvas.h"
#include "apps/recorded/drawn.h"

#include <math.h>
#include <stdio.h>

struct given {
    struct bench bench;
    const char *path, *gantt;
};

static starfish_status check_row(const char *path, size_t number, const json_t *row)
{
    const char *const numbers[] = {"seconds", "min", "max", "bytes", "limit_seconds", "operations", "memory_bytes"};
    char key[32];
    snprintf(key, sizeof key, "rows[%zu]", number);
    STARFISH_JSON_FAIL_IF(!starfish_json_text_of(row, "who") || !starfish_json_text_of(row, "case"), path, key,
                          "has no who or no case");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        const json_t *value = json_object_get(row, numbers[i]);
        STARFISH_JSON_FAIL_IF(
            value && !(json_is_number(value) && isfinite(json_number_value(value)) && json_number_value(value) >= 0),
            path, key, "its %s is no number from 0 on", numbers[i]);
    }
    return STARFISH_SUCCESS;
}

static starfish_status check(const char *path, const json_t *file)
{
    const json_t *rows = json_object_get(file, "rows"), *row;
    size_t i;
    STARFISH_JSON_FAIL_IF(!starfish_json_text_of(file, "name"), path, "name", "not a text");
    STARFISH_JSON_FAIL_IF(json_array_size(rows) == 0, path, "rows", "not a list of rows");
    json_array_foreach (rows, i, row)
        STARFISH_TRY(check_row(path, i, row));
    return STARFISH_SUCCESS;
}

static starfish_status draw_file(struct bench *bench, const json_t *file)
{
    const char *machine = starfish_json_text_of(file, "machine");
    bench->name = starfish_json_text_of(file, "name");
    bench->subject = starfish_json_text_of(file, "subject");
    bench->how = json_object_get(file, "simulation") ? "simulated" : json_object_get(file, "model") ? "modelled" : NULL;
    bench->rows = json_object_get(file, "rows");
    snprintf(bench->machine, BENCH_MACHINE, "%s", machine ? machine : "");
    if (bench->plot)
        STARFISH_TRY(bench_draw(bench));
    return bench->roofline ? bench_draw_roofline(bench) : STARFISH_SUCCESS;
}

static starfish_status draw(void *data)
{
    struct given *given = data;
    json_t *file = NULL;
    const int rows = given->bench.plot || given->bench.roofline;
    STARFISH_FAIL_IF(!rows && !given->gantt, STARFISH_ERROR_ARGUMENT,
                     "bench draw: name a picture by --plot, --roofline or --gantt");
    STARFISH_TRY(bench_check_outputs(&given->bench));
    if (given->gantt)
        STARFISH_TRY(starfish_canvas_check(given->gantt));
    starfish_status status = starfish_json_load(given->path, &file);
    if (status == STARFISH_SUCCESS && given->gantt)
        status = recorded_draw(given->path, file, given->gantt);
    if (status == STARFISH_SUCCESS && rows)
        status = check(given->path, file);
    if (status == STARFISH_SUCCESS && rows)
        status = draw_file(&given->bench, file);
    json_decref(file);
    return status;
}

int bench_draw_rows(int argc, char **argv)
{
    struct given given = {.bench = BENCH_DEFAULTS("draw")};
    const struct option_entry options[] = {
        {"--plot", OPTION_TEXT, &given.bench.plot, "F", .help = "the times as bars, in a .png, .svg or .pdf"},
        {"--roofline", OPTION_TEXT, &given.bench.roofline, "F",
         .help = "operations per second over operations per byte, where both are known"},
        {"--gantt", OPTION_TEXT, &given.gantt, "F", .help = "of a trace.json of starfish trace: its Gantt chart"},
        PICTURE_OPTIONS,
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "bench draw ROWS.json | trace.json [OPTION ...]",
        .summary = "Draw the JSON that bench, reproduce or sched has printed, or that trace has left, here or on "
                   "another machine.",
        .options = options,
        .operands = &given.path,
        .operand_count = 1,
    };
    return options_run(&line, argc, argv, draw, &given);
}
