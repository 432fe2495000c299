/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench many: many small problems on one grid, one by one, several in flight, and all as one solve (option
 * `count` of plans), beside a copy of their fields. */
#include "apps/bench/bench.h"
#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/arrays.h"
#include "apps/workers.h"
#include "base/real.h"
#include "bench/clock.h"
#include "bench/peers.h"
#include "poisson/options.h"

#include <math.h>
#include <starfish/starfish.h>
#include <stdio.h>

enum way { ONE_BY_ONE, IN_FLIGHT, SUBMIT, AT_ONCE, WAYS };
static const char *const ways[WAYS] = {"one by one", "in flight", "submit", "at once"};
enum { MOST_IN_FLIGHT = 8 };
enum where { ON_HOST, ON_DEVICE };

enum { SIZE, PRECISION, AXES };

struct many {
    struct bench bench; /* the first, so that bench_main's callback finds the rest */
    struct axis axis[AXES];
    struct bench_sets sets;
    const char *where;
    size_t count, place[LIST_MOST], place_count;
    /* What is measured now: */
    size_t n, elements; /* of a problem */
    starfish_precision precision;
    enum where where_now;
    starfish_plan *plan[2]; /* of one problem, and of all */
    struct solve_arrays arrays;
    double residual, alone; /* seconds one by one */
    double submitting;      /* seconds of all calls of submit, with several in flight */
    double seconds[BENCH_MOST_REPEATS];
};

/* ---- Arrays and plans -------------------------------------------------------------------------------------------- */

static size_t bytes_of(const struct many *s, size_t problems)
{
    return s->elements * problems * starfish_real_size(s->precision);
}

/* Of a problem. */
static void *at(const struct many *s, void *array, size_t problem)
{
    return (char *)array + bytes_of(s, problem);
}

static starfish_status make_plan(const struct many *s, size_t count, int check, starfish_plan **plan)
{
    const struct starfish_axis axis = {
        .n = s->n, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .grid = STARFISH_CELL};
    const struct starfish_poisson_problem problem = {.axis = {axis, axis, axis}, .lambda = 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = STARFISH_METHOD_SLAB;
    options.precision = s->precision;
    options.count = count;
    options.check_residual = check;
    return starfish_poisson_plan_create(s->sets.context, &problem, &options, plan);
}

static starfish_status check(struct many *s)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    STARFISH_TRY(make_plan(s, s->count, 1, &plan));
    const starfish_status status = starfish_plan_solve(plan, NULL, s->arrays.rhs, s->arrays.solution, &info);
    starfish_plan_destroy(plan);
    if (status != STARFISH_SUCCESS)
        return status;
    s->residual = info.residual_max;
    STARFISH_FAIL_IF(!(info.residual_max < (s->precision == STARFISH_F32 ? 1e-3 : 1e-9)), STARFISH_ERROR_NUMERICAL,
                     "the residual is %.3g", info.residual_max);
    return STARFISH_SUCCESS;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

static starfish_status solve_one_by_one(struct many *s)
{
    for (size_t p = 0; p < s->count; ++p)
        STARFISH_TRY(
            starfish_plan_solve(s->plan[0], NULL, at(s, s->arrays.rhs, p), at(s, s->arrays.solution, p), NULL));
    return STARFISH_SUCCESS;
}

static starfish_status solve_in_flight(struct many *s)
{
    starfish_job *job[MOST_IN_FLIGHT] = {NULL};
    starfish_status status = STARFISH_SUCCESS;
    s->submitting = 0;
    for (size_t p = 0; p < s->count + MOST_IN_FLIGHT; ++p) {
        starfish_job **slot = &job[p % MOST_IN_FLIGHT];
        const starfish_status waited = *slot ? starfish_job_finish(*slot, NULL) : STARFISH_SUCCESS;
        *slot = NULL;
        status = status == STARFISH_SUCCESS ? waited : status;
        const double start = clock_now();
        if (p < s->count && status == STARFISH_SUCCESS)
            status =
                starfish_plan_submit(s->plan[0], NULL, at(s, s->arrays.rhs, p), at(s, s->arrays.solution, p), slot);
        s->submitting += clock_now() - start;
    }
    return status;
}

static starfish_status solve_at_once(struct many *s)
{
    return starfish_plan_solve(s->plan[1], NULL, s->arrays.rhs, s->arrays.solution, NULL);
}

static starfish_status measure_way(struct many *s, enum way way, double limit)
{
    static starfish_status (*const solve[WAYS])(struct many *) = {solve_one_by_one, solve_in_flight, solve_in_flight,
                                                                  solve_at_once};
    const size_t warmup = way == AT_ONCE ? s->bench.warmup : 1; /* others warm up within one set */
    char name[160];
    snprintf(name, sizeof name, "%zu x %zu^3 %s, %s, %s: %s", s->count, s->n, starfish_precision_names[s->precision],
             s->sets.name, names_places[s->where_now], ways[way]);
    bench_announce("%s", name);
    for (size_t i = 0; i < warmup + s->bench.repeat; ++i) {
        const double start = clock_now();
        STARFISH_TRY(solve[way](s));
        if (i >= warmup)
            s->seconds[i - warmup] = way == SUBMIT ? s->submitting : clock_now() - start;
    }
    json_t *row =
        bench_row(&s->bench, "starfish", name, s->seconds, s->bench.repeat, 2 * (double)bytes_of(s, s->count));
    const double median = s->seconds[s->bench.repeat / 2];
    s->alone = way == ONE_BY_ONE ? median : s->alone;
    bench_limit(row, way == SUBMIT ? (double)NAN : limit);
    command_keys(row, KEY("count", s->count), KEY("n", s->n), KEY("precision", starfish_precision_names[s->precision]),
                 KEY("way", ways[way]), KEY("workers", s->sets.name), KEY("where", names_places[s->where_now]),
                 KEY("speedup", s->alone / median), KEY("residual", s->residual));
    return STARFISH_SUCCESS;
}

/* What a copy of the right-hand sides to the solutions takes where they are. */
static double copy_seconds(const struct many *s)
{
    const size_t bytes = bytes_of(s, s->count);
    double seconds[3] = {NAN, NAN, NAN};
    if (s->where_now == ON_DEVICE)
        return peer_device_copy(bytes, 3, seconds) ? seconds[1] : (double)NAN;
    return peer_stream_passes(bytes, 3, seconds) ? seconds[1] / 5 : (double)NAN;
}

static starfish_status measure_ways(struct many *s)
{
    const double limit = copy_seconds(s);
    s->arrays = (struct solve_arrays){.context = s->sets.context,
                                      .precision = s->precision,
                                      .place = s->where_now == ON_DEVICE ? SOLVE_DEVICE : SOLVE_PINNED,
                                      .count = s->elements * s->count};
    STARFISH_TRY(solve_arrays_make(&s->arrays, NULL, (double)NAN));
    STARFISH_TRY(check(s));
    STARFISH_TRY(make_plan(s, 1, 0, &s->plan[0]));
    STARFISH_TRY(make_plan(s, s->count, 0, &s->plan[1]));
    for (int way = 0; way < WAYS; ++way)
        STARFISH_TRY(measure_way(s, (enum way)way, limit));
    return STARFISH_SUCCESS;
}

/* ---- Everything -------------------------------------------------------------------------------------------------- */

static int takes_place(const struct many *s)
{
    const int gpus = s->sets.gpus;
    for (size_t i = 0; i < s->place_count; ++i)
        if (s->place[i] == s->where_now)
            return gpus || s->where_now == ON_HOST;
    return s->place_count == 0 && (gpus || s->where_now == ON_HOST);
}

static starfish_status measure_places(void *data)
{
    struct many *s = data;
    starfish_status status = STARFISH_SUCCESS;
    s->n = s->axis[SIZE].now;
    s->elements = s->n * s->n * s->n;
    s->precision = (starfish_precision)s->axis[PRECISION].now;
    for (int where = ON_DEVICE; where >= ON_HOST && status == STARFISH_SUCCESS; --where) {
        s->where_now = (enum where)where;
        if (!takes_place(s))
            continue;
        status = measure_ways(s);
        for (int p = 0; p < 2; ++p) {
            starfish_plan_destroy(s->plan[p]);
            s->plan[p] = NULL;
        }
        solve_arrays_free(&s->arrays);
    }
    ++s->bench.done;
    return status;
}

static starfish_status measure_set(void *data)
{
    return axes_each(((struct many *)data)->axis, AXES, measure_places, data);
}

static starfish_status measure(struct bench *bench)
{
    struct many *run = (struct many *)bench;
    if (run->where)
        STARFISH_TRY(list_choices("--where", run->where, &names_table, run->place, &run->place_count));
    STARFISH_TRY(axes_read(run->axis, AXES));
    STARFISH_TRY(bench_worker_sets(bench, &run->sets, "gpu;cpu", "cpu"));
    bench->parts = run->sets.list.count * run->axis[SIZE].count * run->axis[PRECISION].count;
    return bench_each_set(&run->sets, measure_set, run);
}

int bench_many(int argc, char **argv)
{
    static const struct many defaults = {
        .bench = BENCH_DEFAULTS("many"),
        .axis = {[SIZE] = {"--n", "32"}, [PRECISION] = {"--precision", "f64", &starfish_poisson_option_table}},
        .count = 1000};
    static struct many run;
    run = defaults;
    const struct option_entry options[] = {
        {"--n", OPTION_TEXT, &run.axis[SIZE].given, "LIST", .help = "sizes, N for a cube"},
        {"--count", OPTION_COUNT, &run.count, "N", .help = "problems"},
        {"--precision", OPTION_LIST, &run.axis[PRECISION].given, "LIST", .table = &starfish_poisson_option_table},
        {"--workers", OPTION_TEXT, &run.sets.given, "SETS",
         .help = WORKERS_SETS "; without, gpu;cpu, or cpu without a GPU"},
        {"--where", OPTION_LIST, &run.where, "LIST", .table = &names_table},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    return bench_start(&run.bench, "bench",
                       "Many small problems with Dirichlet ends: one by one, 8 in flight, and all at once.\n"
                       "submit: the calls that submit them, with 8 in flight.\n\n"
                       "of limit: the time of a copy of their fields over the measured time.",
                       options, argc, argv, measure);
}
