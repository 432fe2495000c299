/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frame of the subcommands that measure: bench, reproduce and sched.
 *
 * A benchmark is one file, apps/bench/NAME.c, with one function int bench_NAME(int argc, char **argv), and one row of
 * the table in apps/bench/bench.c. The function fills a struct bench and its own options, and calls bench_start, which
 * reads the command line, calls back to measure, and shows the rows: a table for people, --csv, --json, --plot.
 *
 *     struct given { struct bench bench; size_t n; } given = {.bench = BENCH_DEFAULTS("tridiag"), .n = 512};
 *     const struct option_entry options[] = {{"--n", OPTION_COUNT, &given.n, "N", .help = "..."},
 *                                            BENCH_OPTIONS(&given.bench), {.name = NULL}};
 *     return bench_start(&given.bench, "bench", "What is measured.", options, argc, argv, measure);
 *
 * where measure(struct bench *) gets at its own options through the first member, calls bench_machine once per context,
 * and bench_row for all that it has measured, ours and the peers' alike. */
#ifndef STARFISH_APPS_FRAME_FRAME_H
#define STARFISH_APPS_FRAME_FRAME_H

#include "apps/command.h"
#include "apps/lists.h"
#include "apps/options.h"
#include "apps/pictures/canvas.h"

#include <jansson.h>
#include <starfish/context.h>

enum { BENCH_MACHINE = 512, BENCH_MOST_REPEATS = 1001 };

/* What --plot draws instead of bars: a curve for each group of rows, over one of their numbers. */
struct bench_curves {
    const char *x, *y, *group; /* keys of rows: two numbers, and a text */
    double times;              /* y is shown so many times as large */
    const char *axis[2];       /* what they are, with their units */
    const char *ideal_name;    /* NULL: none */
    double ideal;              /* the same for all x, as it is shown */
};

struct bench;
/* How rows are shown to people. */
struct bench_print {
    void (*head)(const struct bench *bench);              /* before the first row */
    void (*row)(const json_t *row, const json_t *before); /* as soon as it is complete; before: NULL for the first */
    void (*end)(const struct bench *bench);               /* after the last row */
};

struct bench {
    const char *name;
    size_t repeat, warmup; /* measured solves, and solves before them */
    const char *csv, *plot, *samples, *roofline;
    const struct bench_curves *curves; /* NULL: bars */
    const char *subject;               /* what is measured, for titles; NULL: nothing is said */
    const char *how;                   /* "simulated", "modelled"; NULL: measured */
    int json;
    json_t *sampled;             /* every measured time: case, who, number, seconds */
    double begun;                /* seconds, when measuring began */
    size_t parts, done;          /* of about equal length: of the whole run (0: not known), and measured */
    int is_in_part;              /* bench_next has begun one, which it counts when it begins the next */
    size_t shown;                /* rows that have been printed */
    int is_shared;               /* rows are compared within equal `workers` instead of equal `case` */
    json_t *rows;                /* array of objects; columns are all their keys, in order of appearance */
    size_t gpus;                 /* of the largest context seen */
    double rate[2];              /* bytes per second of copies, of cores and of a GPU; 0: not known (bench_copies) */
    char machine[BENCH_MACHINE]; /* set by bench_machine */
    json_t *more;                /* keys of the JSON beside the rows, or NULL */
    const struct bench_print *print; /* NULL: as all benchmarks have it; each of its functions may be NULL */
    char *left;                      /* what a signal prints in place of the end, or NULL */
};

#define BENCH_DEFAULTS(name_)                                                                                          \
    {                                                                                                                  \
        .name = (name_), .repeat = 11, .warmup = 14                                                                    \
    }

/* What every benchmark understands; goes into its table of options. */
#define BENCH_OPTIONS(bench)                                                                                           \
    {"--samples", OPTION_TEXT, &(bench)->samples, "F.csv", .help = "also write every measured time"},                  \
        BENCH_OPTIONS_OF_ROWS(bench)

/* The same where only the rows of measured times are known. */
#define BENCH_OPTIONS_OF_ROWS(bench)                                                                                   \
    {"--repeat", OPTION_COUNT, &(bench)->repeat, "N", .help = "measure N times, report the median"},                   \
        {"--warmup", OPTION_NUMBER, &(bench)->warmup, "N", .help = "times before that, not measured"},                 \
        {"--csv", OPTION_TEXT, &(bench)->csv, "F", .help = "also write the rows as CSV; - is standard output"},        \
        {"--plot", OPTION_TEXT, &(bench)->plot, "F", .help = "also draw the times, in a .png, .svg or .pdf"},          \
        PICTURE_OPTIONS,                                                                                               \
    {                                                                                                                  \
        "--json", OPTION_FLAG, &(bench)->json, .help = "one JSON object on standard output"                            \
    }

/* Beside them, where rows have operations (bench_operations). */
#define BENCH_ROOFLINE(bench)                                                                                          \
    {                                                                                                                  \
        "--roofline", OPTION_TEXT, &(bench)->roofline, "F",                                                            \
            .help = "also draw operations per second over operations per byte, where both are known"                   \
    }

/* The whole program run: options, `measure`, output. Returns the exit status. */
int bench_main(struct bench *bench, const struct command_line *line, int argc, char **argv,
               starfish_status (*measure)(struct bench *bench));

/* The same of a command "bench" or "reproduce" with the benchmark's name, which has options alone. */
int bench_start(struct bench *bench, const char *command, const char *summary, const struct option_entry *options,
                int argc, char **argv, starfish_status (*measure)(struct bench *bench));

/* Describe the machine by what a context sees: cores, GPUs. The context with most GPUs has the last word. */
void bench_machine(struct bench *bench, const starfish_context *context);

/* bench_machine of a context with all workers that there are, for a moment: then bench->gpus are the machine's. */
starfish_status bench_look_around(struct bench *bench);
/* Sets of workers, one after the other. */
struct bench_sets {
    const char *given; /* of --workers, or NULL */
    int as_team;       /* as workers_open has it */
    struct list list;  /* by bench_worker_sets */
    /* Now: */
    const char *name;
    starfish_context *context;
    int gpus; /* whether there are any */
};
/* bench_look_around, and sets->list: the sets given, or where there are none those for a machine with or without a GPU.
 * Error: ARGUMENT (an unknown set, before the machine is looked at). */
starfish_status bench_worker_sets(struct bench *bench, struct bench_sets *sets, const char *with_gpu,
                                  const char *without);

/* Call `measure` in a context of each of the sets, until it fails. */
starfish_status bench_each_set(struct bench_sets *sets, starfish_status (*measure)(void *data), void *data);
/* The same for each combination of these axes in each set, which is a part of the bench. */
starfish_status bench_each_way(struct bench *bench, struct bench_sets *sets, struct axis *axis, size_t axes,
                               starfish_status (*measure)(void *data));

/* Say on a terminal what is being measured now, in printf format; the next row or line takes its place. Where the bench
 * counts its parts, say too how many are done, and the time that is left by what these took. */
void bench_announce(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same where the next of bench->parts begins: the rows until then are complete, and are shown. */
#define bench_next(...) (bench_begin_part(), bench_announce(__VA_ARGS__))
void bench_begin_part(void);

/* Take that line back. */
void bench_wipe(void);

/* Add a row: who (ours is "starfish"), what, the times of its `count` >= 1 repetitions, which are sorted, and the bytes
 * that must be moved at least. Keys: who, case, seconds (the median), min, max, repeats, bytes, bytes_per_second. The
 * row belongs to the bench; further keys are added with json_object_set_new, numbers as command_json_real. */
json_t *bench_row(struct bench *bench, const char *who, const char *case_, double *seconds, size_t count, double bytes);
/* The row's median, in seconds. */
double bench_seconds(const json_t *row);
/* The name of a row, in printf format. Names may be parts of others: there are as many as BENCH_NAMES at a time. */
enum { BENCH_NAMES = 4 };
const char *bench_name(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Add to a row the time below which it cannot be: keys limit_seconds, and fraction, limit over measured. */
void bench_limit(json_t *row, double seconds);
/* The same by the bytes that move, where copies were measured. */
void bench_limit_bytes(const struct bench *bench, json_t *row, int on_gpu, double bytes);
/* Add rows of what copies reach, from fields that no cache holds, and set bench->rate. */
void bench_copies(struct bench *bench);
/* Add to a row how many floating-point operations its method takes at least: keys operations and
 * operations_per_second. For the roofline, which takes the row's bytes and limit too; or, of tasks on workers of any
 * kind, their `memory_bytes` and the row's `workers`: then the limit is one of operations per second. */
void bench_operations(json_t *row, double operations);
/* Add a row of another kind, without times: keys who and case, others are the caller's. Bars leave it out. */
json_t *bench_remark(struct bench *bench, const char *who, const char *case_);

/* The rows until now are complete: print those that have not been printed yet, and write the files of --csv and
 * --samples, so that a run that is stopped leaves them (output.c). */
void bench_show_rows(struct bench *bench);

/* What the frame shows at the end (output.c). The checks come before the measuring. */
starfish_status bench_check_outputs(const struct bench *bench);
starfish_status bench_write_outputs(struct bench *bench);
/* Nothing is printed by a signal any more. */
void bench_forget_left(struct bench *bench);

#endif
