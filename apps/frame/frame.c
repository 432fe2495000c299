/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frame of everything that measures (frame.h): reads the command line, calls back to measure, collects rows. */
#include "apps/frame/frame.h"

#include "apps/table.h"
#include "apps/workers.h"
#include "bench/clock.h"
#include "bench/peers.h"

#include <starfish/starfish.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static starfish_status check(const struct bench *bench)
{
    STARFISH_FAIL_IF(bench->repeat > BENCH_MOST_REPEATS, STARFISH_ERROR_ARGUMENT, "--repeat: at most %d, is %zu",
                     BENCH_MOST_REPEATS, bench->repeat);
    return bench_check_outputs(bench);
}

/* What bench_main measures; there is one at a time. */
static struct bench *running;

int bench_main(struct bench *bench, const struct command_line *line, int argc, char **argv,
               starfish_status (*measure)(struct bench *bench))
{
    if (options_ask_help(argc, argv)) {
        options_print_help(line);
        return 0;
    }
    bench->rows = json_array();
    bench->sampled = json_array();
    bench->begun = clock_now();
    running = bench;
    starfish_status status = options_read(line, argc, argv);
    STARFISH_THEN(status, check(bench));
    STARFISH_THEN(status, measure(bench));
    bench_wipe();
    if (status == STARFISH_SUCCESS)
        bench_show_rows(bench);
    bench_forget_left(bench);
    STARFISH_THEN(status, bench_write_outputs(bench));
    running = NULL;
    json_decref(bench->rows);
    json_decref(bench->sampled);
    json_decref(bench->more);
    return options_end(line, status, bench->json);
}

int bench_start(struct bench *bench, const char *command, const char *summary, const struct option_entry *options,
                int argc, char **argv, starfish_status (*measure)(struct bench *bench))
{
    char usage[64];
    snprintf(usage, sizeof usage, "%s %s [OPTION ...]", command, bench->name);
    const struct command_line line = {.usage = usage, .summary = summary, .options = options};
    return bench_main(bench, &line, argc, argv, measure);
}

void bench_announce(const char *format, ...)
{
    char line[512] = "";
    size_t length = 0;
    va_list arguments;
    if (!isatty(STDERR_FILENO))
        return;
    bench_wipe();
    if (running && running->done > 0 && running->parts > running->done) {
        const double spent = clock_now() - running->begun;
        length = (size_t)snprintf(line, sizeof line, "%zu of %zu, %.0f s, about %.0f s are left: ", running->done,
                                  running->parts, spent,
                                  spent / (double)running->done * (double)(running->parts - running->done));
    }
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - length, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%.*s", table_terminal_width() - 1, line); /* one line, which can be taken back */
    fflush(stderr);
}

void bench_begin_part(void)
{
    if (!running)
        return;
    bench_show_rows(running);
    running->done += (size_t)running->is_in_part;
    running->is_in_part = 1;
}

void bench_machine(struct bench *bench, const starfish_context *context)
{
    struct starfish_runtime runtime;
    struct starfish_worker worker;
    size_t gpus = starfish_context_workers_of(context, STARFISH_GPU), length = 0;
    if ((bench->machine[0] && gpus <= bench->gpus) || starfish_context_runtime(context, &runtime) != STARFISH_SUCCESS)
        return;
    bench->gpus = gpus;
    length = (size_t)snprintf(bench->machine, BENCH_MACHINE, "%d core%s", runtime.cores, runtime.cores == 1 ? "" : "s");
    for (size_t i = 0; i < starfish_context_workers(context); ++i)
        if (starfish_context_worker(context, i, &worker) == STARFISH_SUCCESS && worker.kind == STARFISH_GPU &&
            length < BENCH_MACHINE)
            length += (size_t)snprintf(bench->machine + length, BENCH_MACHINE - length, ", %s", worker.name);
    if (length < BENCH_MACHINE)
        snprintf(bench->machine + length, BENCH_MACHINE - length, ", StarPU %s", runtime.starpu_version);
}

starfish_status bench_look_around(struct bench *bench)
{
    starfish_context *context;
    STARFISH_TRY(starfish_context_create(&context, NULL));
    bench_machine(bench, context);
    starfish_context_destroy(context);
    return STARFISH_SUCCESS;
}

static starfish_status read_sets(const char *text, struct list *sets)
{
    STARFISH_TRY(list_read("--workers", text, ';', sets));
    for (size_t i = 0; i < sets->count; ++i) {
        struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
        STARFISH_TRY(workers_read(sets->item[i], &options));
    }
    return STARFISH_SUCCESS;
}

starfish_status bench_worker_sets(struct bench *bench, struct bench_sets *sets, const char *with_gpu,
                                  const char *without)
{
    if (sets->given) /* a mistake is said before the machine is looked at */
        STARFISH_TRY(read_sets(sets->given, &sets->list));
    STARFISH_TRY(bench_look_around(bench));
    return sets->given ? STARFISH_SUCCESS : read_sets(bench->gpus > 0 ? with_gpu : without, &sets->list);
}

starfish_status bench_each_set(struct bench_sets *sets, starfish_status (*measure)(void *data), void *data)
{
    for (size_t i = 0; i < sets->list.count; ++i) {
        sets->name = sets->list.item[i];
        STARFISH_TRY(workers_open(sets->name, sets->as_team, &sets->context));
        sets->gpus = starfish_context_workers_of(sets->context, STARFISH_GPU) > 0;
        const starfish_status status = measure(data);
        starfish_context_destroy(sets->context);
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

struct ways {
    struct bench *bench;
    struct axis *axis;
    size_t axes;
    starfish_status (*measure)(void *data);
};

static starfish_status measure_ways(void *data)
{
    const struct ways *ways = data;
    const starfish_status status = axes_each(ways->axis, ways->axes, ways->measure, ways->bench);
    ++ways->bench->done;
    return status;
}

starfish_status bench_each_way(struct bench *bench, struct bench_sets *sets, struct axis *axis, size_t axes,
                               starfish_status (*measure)(void *data))
{
    return bench_each_set(sets, measure_ways, &(struct ways){bench, axis, axes, measure});
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

json_t *bench_row(struct bench *bench, const char *who, const char *case_, double *seconds, size_t count, double bytes)
{
    /* In the order of measuring. */
    for (size_t i = 0; i < count && bench->samples; ++i)
        json_array_append_new(bench->sampled, json_pack("{s:s, s:s, s:i, s:o}", "case", case_, "who", who, "number",
                                                        (int)i + 1, "seconds", command_json_real(seconds[i])));
    json_t *row = bench_remark(bench, who, case_);
    const double median = command_median(seconds, count);
    command_keys(row, KEY("seconds", median), KEY("min", seconds[0]), KEY("max", seconds[count - 1]),
                 KEY("repeats", count), KEY("bytes", json_integer((json_int_t)bytes)),
                 KEY("bytes_per_second", bytes / median));
    return row;
}

json_t *bench_remark(struct bench *bench, const char *who, const char *case_)
{
    json_t *row = json_object();
    command_keys(row, KEY("who", who), KEY("case", case_));
    bench_show_rows(bench); /* those before, to which nothing is added any more */
    json_array_append_new(bench->rows, row);
    return row;
}

double bench_seconds(const json_t *row)
{
    return json_number_value(json_object_get(row, "seconds"));
}

const char *bench_name(const char *format, ...)
{
    static char names[BENCH_NAMES][BENCH_MACHINE];
    static size_t next;
    char *name = names[next++ % BENCH_NAMES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof names[0], format, arguments);
    va_end(arguments);
    return name;
}

void bench_limit(json_t *row, double seconds)
{
    command_keys(row, KEY("limit_seconds", seconds), KEY("fraction", seconds / bench_seconds(row)));
}

void bench_limit_bytes(const struct bench *bench, json_t *row, int on_gpu, double bytes)
{
    if (bench->rate[on_gpu] > 0)
        bench_limit(row, bytes / bench->rate[on_gpu]);
}

void bench_copies(struct bench *bench)
{
    enum { TIMES = 3 };
    static const char *const names[] = {"host memory, ten passes", "device memory"};
    const size_t bytes = (size_t)256 << 20;
    double seconds[TIMES];

    for (int gpu = 0; gpu < (bench->gpus > 0 ? 2 : 1); gpu++)
        if ((gpu ? peer_device_copy : peer_stream_passes)(bytes, TIMES, seconds)) {
            const json_t *row =
                bench_row(bench, "copy", names[gpu], seconds, TIMES, (gpu ? 2.0 : 10.0) * (double)bytes);
            bench->rate[gpu] = json_number_value(json_object_get(row, "bytes_per_second"));
        }
}

void bench_operations(json_t *row, double operations)
{
    command_keys(row, KEY("operations", operations), KEY("operations_per_second", operations / bench_seconds(row)));
}
