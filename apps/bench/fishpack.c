/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench fishpack: calls with FISHPACK's arguments, as made by programs that link libstarfish_fishpack, beside
 * the user's own FISHPACK on one core. Least bytes: the unknowns, read and written once. Rows have no KEY, which ends
 * cppcheck 2.10 in this file. */
#include "apps/bench/bench.h"
#include "apps/bench/fishpack_case.h"
#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "fishpack/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const problems[FISHPACK_PROBLEMS] = {"hwscrt", "hstcrt",   "hwsssp", "hstcsp",
                                                        "blktri", "blktri-r", "hw3crt"};
static const char *const solvers[] = {"none", "cpu", "gpu", "all"};
static const struct starfish_option own_rows[] = {
    NAMES_ROW("--routine", problems, "routines; blktri-r: BLKTRI without a transform"),
    NAMES_ROW("--workers", solvers, "who solves large problems beside the calling thread"),
};
static const struct starfish_option_table own_table = NAMES_TABLE(own_rows);

struct fishpack_bench {
    struct bench bench; /* first: measure() gets at the rest through it */
    const char *routine, *sizes, *fishpack;
    int workers;
    void *peer;
    double seconds[BENCH_MOST_REPEATS];
};

static double least_bytes(const struct fishpack_case *c)
{
    return 16.0 * (double)c->unknowns;
}

/* BLKTRI has no plan, since its coefficients change with every call. */
static starfish_status measure_ours(struct fishpack_bench *run, struct fishpack_case *c, const char *name)
{
    const char *workers = "calling thread", *who = "starfish";
    bench_announce("%s", name);
    STARFISH_TRY(fishpack_case_measure(c, NULL, run->bench.warmup, run->bench.repeat, run->seconds));
    if (c->row->routine != STARFISH_FISHPACK_BLKTRI && starfish_fishpack_may_plan(c->unknowns, 0)) {
        workers = solvers[run->workers];
        who = bench_name("starfish, %s", workers);
    }
    json_t *row = bench_row(&run->bench, who, name, run->seconds, run->bench.repeat, least_bytes(c));
    json_object_set_new(row, "routine", json_string(c->row->name));
    json_object_set_new(row, "workers", json_string(workers));
    return STARFISH_SUCCESS;
}

/* FISHPACK's limits do not end the run. */
static starfish_status measure_peer(struct fishpack_bench *run, struct fishpack_case *c, const char *name)
{
    memcpy(c->solution, c->field, c->count * sizeof *c->field);
    bench_announce("%s, FISHPACK", name);
    const starfish_status status =
        fishpack_case_measure(c, run->peer, run->bench.warmup, run->bench.repeat, run->seconds);
    if (c->error != 0) {
        json_object_set_new(bench_remark(&run->bench, "FISHPACK", name), "ierror", json_integer(c->error));
        return STARFISH_SUCCESS;
    }
    STARFISH_TRY(status);
    json_t *row = bench_row(&run->bench, "FISHPACK", name, run->seconds, run->bench.repeat, least_bytes(c));
    json_object_set_new(row, "routine", json_string(c->row->name));
    json_object_set_new(row, "difference", json_real(fishpack_case_difference(c)));
    return STARFISH_SUCCESS;
}

static starfish_status measure_problem(struct fishpack_bench *run, enum fishpack_problem problem)
{
    const struct fishpack_row *row = &fishpack_rows[problem];
    size_t sizes[LIST_MOST], count;
    STARFISH_TRY(list_choices("--n", run->sizes ? run->sizes : row->sizes, NULL, sizes, &count));
    for (size_t i = 0; i < count; ++i) {
        struct fishpack_case c;
        char name[96], third[32] = "";
        const size_t size = sizes[i], second = problem == FISHPACK_HWSSSP ? 2 * size : size;
        const size_t n[3] = {size, second, row->code[2] ? size : 1};
        STARFISH_REFUSE_IF(size < 5 || size > 8192, "--n: is %zu, must be 5 .. 8192", size);
        if (row->code[2])
            snprintf(third, sizeof third, "x%zu", n[2]);
        snprintf(name, sizeof name, "%s %zux%zu%s", row->title, n[0], n[1], third);
        starfish_status status = fishpack_case_make(&c, problem, n);
        c.change = 1.0 / 1024;
        STARFISH_THEN(status, measure_ours(run, &c, name));
        if (run->peer)
            STARFISH_THEN(status, measure_peer(run, &c, name));
        fishpack_case_free(&c);
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

static starfish_status measure_problems(struct fishpack_bench *run)
{
    size_t which[LIST_MOST], count;
    STARFISH_TRY(list_choices("--routine", run->routine, &own_table, which, &count));
    for (size_t i = 0; i < count; ++i)
        STARFISH_TRY(measure_problem(run, (enum fishpack_problem)which[i]));
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct fishpack_bench *run = (struct fishpack_bench *)bench;
    STARFISH_FAIL_IF(setenv("STARFISH_FISHPACK_WORKERS", solvers[run->workers], 1) != 0, STARFISH_ERROR_MEMORY,
                     "out of memory for variables");
    STARFISH_TRY(bench_look_around(bench));
    if (run->fishpack) {
        run->peer = peer_fishpack_open(run->fishpack);
        STARFISH_REFUSE_IF(!run->peer, "--fishpack: no FORTRAN that can be compiled in %s", run->fishpack);
    }
    const starfish_status status = measure_problems(run);
    peer_fishpack_close(run->peer);
    return status;
}

int bench_fishpack(int argc, char **argv)
{
    static struct fishpack_bench run;
    run = (struct fishpack_bench){.bench = BENCH_DEFAULTS("fishpack"),
                                  .routine = "hwscrt,hstcrt,hwsssp,hstcsp,blktri,blktri-r,hw3crt"};
    const struct option_entry options[] = {
        {"--routine", OPTION_LIST, &run.routine, "LIST", .table = &own_table},
        {"--n", OPTION_TEXT, &run.sizes, "LIST",
         .help = "panels, cells or unknowns per direction, in longitude twice as many; without, by routine"},
        {"--workers", OPTION_MEMBER, &run.workers, "W", .table = &own_table},
        {"--fishpack", OPTION_TEXT, &run.fishpack, "FOLDER",
         .help = "also FISHPACK, compiled from the sources (*.f) in FOLDER"},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    return bench_start(&run.bench, "bench",
                       "FISHPACK's routines by their arguments, f64: ours, and FISHPACK itself on one core.\n\n"
                       "What a routine prepares is not timed. Each call of BLKTRI has other am, bm, cm.",
                       options, argc, argv, measure);
}
