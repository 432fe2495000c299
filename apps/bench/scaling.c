/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench scaling: one solve on 1, 2, 4, ... ranks, cores or GPUs, real or of a recorded machine. Strong: the
 * same cube for all; weak: as many planes for each. Each figure is measured in a separate process: `starfish solve`,
 * under mpiexec on several ranks; with GPUs or on a recorded machine `starfish sched`, with data distributed over the
 * GPUs.
 *
 * Efficiency is that of the first entry of --count: its seconds times its count over the same here (strong), its
 * seconds over those here (weak). */
#include "apps/bench/bench.h"
#include "apps/command.h"
#include "apps/frame/frame.h"
#include "apps/frame/run.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/recorded/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum over { RANKS, CORES, GPUS };
static const char *const over_names[] = {[RANKS] = "ranks", [CORES] = "cores", [GPUS] = "gpus"};
enum mode { STRONG, WEAK, MODES };
static const char *const mode_names[] = {[STRONG] = "strong", [WEAK] = "weak"};

static const struct starfish_option rows[] = {
    NAMES_ROW("--over", over_names, "of what there are more and more"),
    NAMES_ROW("--mode", mode_names, "the same cube for all; as many planes for each"),
};
static const struct starfish_option_table table = NAMES_TABLE(rows);

struct scaling {
    struct bench bench; /* first: measure() gets at the rest through it */
    const char *over, *mode, *count, *precision, *method, *workers, *simulate, *launcher;
    size_t n;
    /* Read. */
    char subject[160];
    size_t unit, modes, which[LIST_MOST], counts, each[LIST_MOST];
};

static starfish_status read_given(struct scaling *s)
{
    size_t units, unit[LIST_MOST];
    STARFISH_TRY(list_choices("--over", s->over, &table, unit, &units));
    STARFISH_FAIL_IF(units != 1, STARFISH_ERROR_ARGUMENT, "--over: one of ranks, cores and gpus");
    s->unit = unit[0];
    STARFISH_TRY(list_choices("--mode", s->mode, &table, s->which, &s->modes));
    STARFISH_TRY(list_choices("--count", s->count, NULL, s->each, &s->counts));
    STARFISH_FAIL_IF(s->unit == RANKS && s->simulate, STARFISH_ERROR_UNSUPPORTED,
                     "--simulate: ranks are not simulated; starfish sched --nodes has a model of them");
    return STARFISH_SUCCESS;
}

/* ---- One figure -------------------------------------------------------------------------------------------------- */

static void add_solve(struct run_line *line, const struct scaling *s, const char *repeat, const char *workers)
{
    run_add(line, run_self(), "solve", run_problem, "--json", "--repeat", repeat, "--workers", workers, "--precision",
            s->precision, "--method", s->method);
}

/* Data live where the GPUs are; of a simulation, cores have theirs in main memory. */
static void add_sched(struct run_line *line, const struct scaling *s, const char *repeat, const char *workers)
{
    run_add(line, run_self(), "sched", run_problem, "--json", "--repeat", repeat, "--workers", workers, "--precision",
            s->precision, "--method", s->method, "--policies", "dmdas", "--slabs", "0");
    if (s->unit == GPUS)
        run_add(line, "--spread");
    if (s->simulate)
        run_add(line, "--simulate", s->simulate);
}

/* The times of a child: all repetitions of solve; of sched its row, which has their median, least and most. */
struct times {
    double *seconds; /* BENCH_MOST_REPEATS */
    size_t count;
    json_t *row; /* of sched, or NULL */
};

static starfish_status take_seconds(const json_t *printed, struct times *times)
{
    const json_t *found = json_object_get(json_object_get(printed, "repeat"), "seconds");
    double *seconds = times->seconds;
    size_t *count = &times->count;
    times->row = json_incref(json_array_get(json_object_get(printed, "rows"), 0));
    *count = 0;
    if (times->row)
        seconds[(*count)++] = json_number_value(json_object_get(times->row, "seconds"));
    for (size_t i = 0; i < json_array_size(found) && *count < BENCH_MOST_REPEATS; ++i)
        seconds[(*count)++] = json_number_value(json_array_get(found, i));
    return *count > 0 ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_RUNTIME, "a solve told no time");
}

static starfish_status measure_one(const struct scaling *s, size_t mode, size_t count, struct times *times)
{
    struct run_line line = {.words = 0};
    char number[24], repeat[24], workers[40];
    const size_t n[3] = {s->n, s->n, mode == WEAK ? s->n * count : s->n};
    const int solves = !s->simulate && s->unit != GPUS;
    json_t *printed;
    snprintf(number, sizeof number, "%zu", count);
    snprintf(repeat, sizeof repeat, "%zu", s->bench.repeat);
    snprintf(workers, sizeof workers, "%s:%zu", s->unit == GPUS ? "gpu" : "cpu", count);
    bench_announce("%s, %s %s", mode_names[mode], number, over_names[s->unit]);
    if (s->unit == RANKS)
        run_add(&line, "/usr/bin/env", s->launcher, "-n", number);
    if (solves)
        add_solve(&line, s, repeat, s->unit == RANKS ? s->workers : workers);
    else
        add_sched(&line, s, repeat, workers);
    if (s->unit == RANKS)
        run_add(&line, "--mpi");
    STARFISH_TRY(run_box(n, &line, &printed));
    const starfish_status status = take_seconds(printed, times);
    json_decref(printed);
    return status;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static starfish_status measure_mode(struct scaling *s, size_t mode, double *seconds)
{
    static const char *const kept[] = {"min", "max", "repeats"};
    double first = 0;
    for (size_t i = 0; i < s->counts; ++i) {
        const size_t count = s->each[i], planes = mode == WEAK ? s->n * count : s->n;
        const double field = (double)(s->n * s->n * planes) * (strcmp(s->precision, "f32") == 0 ? 4 : 8);
        struct times times = {.seconds = seconds};
        STARFISH_TRY(measure_one(s, mode, count, &times));
        ++s->bench.done;
        json_t *row = bench_row(&s->bench, "starfish",
                                bench_name("%s %zux%zux%zu %s, %s: %zu %s%s%s", mode_names[mode], s->n, s->n, planes,
                                           s->precision, s->method, count, over_names[s->unit],
                                           s->simulate ? ", simulated " : "", s->simulate ? s->simulate : ""),
                                seconds, times.count, 2 * field);
        for (size_t k = 0; times.row && k < sizeof kept / sizeof kept[0]; ++k)
            json_object_set(row, kept[k], json_object_get(times.row, kept[k]));
        json_decref(times.row);
        const double median = bench_seconds(row);
        first = i == 0 ? median * (mode == STRONG ? (double)count : 1) : first;
        /* Not command_keys, at which cppcheck crashes here. */
        json_object_set_new(row, "mode", json_string(mode_names[mode]));
        json_object_set_new(row, "over", json_string(over_names[s->unit]));
        json_object_set_new(row, "count", command_json_count(count));
        json_object_set_new(row, "efficiency",
                            command_json_real(first / (median * (mode == STRONG ? (double)count : 1))));
        json_object_set_new(row, "simulated", json_boolean(s->simulate != NULL));
    }
    return STARFISH_SUCCESS;
}

/* What --plot draws. */
static const struct bench_curves curves[] = {
    [RANKS] = {"count", "efficiency", "mode", 100, {"ranks", "efficiency in per cent"}, "ideal", 100},
    [CORES] = {"count", "efficiency", "mode", 100, {"cores", "efficiency in per cent"}, "ideal", 100},
    [GPUS] = {"count", "efficiency", "mode", 100, {"GPUs", "efficiency in per cent"}, "ideal", 100},
};

static starfish_status measure(struct bench *bench)
{
    struct scaling *s = (struct scaling *)bench;
    double *seconds = malloc(BENCH_MOST_REPEATS * sizeof *seconds);
    starfish_status status =
        seconds ? read_given(s) : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the times of solves");
    STARFISH_THEN(status, bench_look_around(bench));
    bench->curves = &curves[s->unit];
    bench->how = s->simulate ? "simulated" : NULL;
    snprintf(s->subject, sizeof s->subject, "%zu^3 unknowns in all (strong) or for each (weak), %s, %s", s->n,
             s->precision, s->method);
    bench->subject = s->subject;
    if (status == STARFISH_SUCCESS && s->simulate)
        snprintf(bench->machine, sizeof bench->machine, "simulated machine %s", s->simulate);
    bench->parts = s->modes * s->counts;
    for (size_t m = 0; m < s->modes && status == STARFISH_SUCCESS; ++m)
        status = measure_mode(s, s->which[m], seconds);
    free(seconds);
    return status;
}

int bench_scaling(int argc, char **argv)
{
    struct scaling s = {.bench = BENCH_DEFAULTS("scaling"),
                        .over = "cores",
                        .mode = "strong,weak",
                        .count = "1,2",
                        .precision = "f64",
                        .method = "slab",
                        .workers = "all",
                        .launcher = "mpiexec",
                        .n = 128};
    const struct option_entry options[] = {
        {"--over", OPTION_LIST, &s.over, "WHAT", .table = &table},
        {"--mode", OPTION_LIST, &s.mode, "LIST", .table = &table},
        {"--count", OPTION_TEXT, &s.count, "LIST", .help = "how many of them"},
        {"--n", OPTION_COUNT, &s.n, "N", .help = "planes of N x N; N of them, or N for each"},
        {"--precision", OPTION_TEXT, &s.precision, "P", .help = "f64 or f32"},
        {"--method", OPTION_TEXT, &s.method, "M", .help = "as for solve"},
        {"--workers", OPTION_TEXT, &s.workers, "W", .help = "ranks: of each, as for solve"},
        {"--launcher", OPTION_TEXT, &s.launcher, "COMMAND", .help = "ranks: what starts them with -n N"},
        {"--simulate", OPTION_TEXT, &s.simulate, "NAME", .help = "cores, gpus: of a recorded machine",
         .list = simulate_list},
        BENCH_OPTIONS(&s.bench),
        {.name = NULL},
    };
    return bench_start(
        &s.bench, "bench",
        "One 3D solve by more and more ranks, cores or GPUs, each in a process of its own.\n"
        "Strong: a cube of N^3 for all; weak: N x N x N for each. Efficiency is against the first count.",
        options, argc, argv, measure);
}
