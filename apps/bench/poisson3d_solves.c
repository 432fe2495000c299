/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench poisson3d: our own solves. A case is first solved once with its residual checked, then timed. */
#include "apps/bench/poisson3d.h"
#include "apps/plans/arrays.h"
#include "apps/spread.h"
#include "bench/clock.h"
#include "poisson/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is measured now: a case by a method with its data in one place, `flight` right-hand sides at a time. */
struct subject {
    struct poisson3d *run;
    const struct poisson3d_case *c;
    const struct poisson3d_limits *limits;
    enum poisson3d_where where;
    starfish_method method;
    size_t flight;
    void *rhs[POISSON3D_MOST_IN_FLIGHT], *solution[POISSON3D_MOST_IN_FLIGHT];
    starfish_field *field[2 * POISSON3D_MOST_IN_FLIGHT]; /* instead, spread: of each solve both, of the plan in use */
    double residual;
    double gpu_tasks, tasks;
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Both arrays are written, so that their pages are there before anything is timed. */
static starfish_status make_arrays(struct subject *s)
{
    const size_t bytes = poisson3d_bytes(s->c);
    void *source;
    starfish_status status = STARFISH_SUCCESS;
    if (s->where == POISSON3D_SPREAD) /* plans make them */
        return STARFISH_SUCCESS;
    STARFISH_TRY(poisson3d_random_field(s->c, &source));
    for (size_t i = 0; i < 2 * s->flight && status == STARFISH_SUCCESS; ++i) {
        void **memory = i % 2 ? &s->solution[i / 2] : &s->rhs[i / 2];
        *memory = solve_memory(s->run->sets.context, (enum solve_place)s->where, bytes, source);
        if (!*memory)
            status = starfish_fail(STARFISH_ERROR_MEMORY, "%s: no %s memory for %zu fields", s->c->name,
                                   poisson3d_places[s->where], 2 * s->flight);
    }
    free(source);
    return status;
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

static starfish_status make_plan(const struct subject *s, int check_residual, starfish_plan **plan)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = s->method;
    options.precision = s->c->precision;
    options.slabs = s->run->library.slabs;
    options.check_residual = check_residual;
    return poisson3d_plan(s->run->sets.context, s->c, &options, plan);
}

static void free_fields(struct subject *s)
{
    for (size_t i = 0; i < 2 * s->flight; ++i) {
        starfish_field_destroy(s->field[i]);
        s->field[i] = NULL;
    }
}

/* Right-hand sides are written; solutions lie in memory of GPUs, which is there when it is allocated, or are written by
 * the solve before the first one that is timed. */
static starfish_status make_fields(struct subject *s, starfish_plan *plan)
{
    void *source;
    starfish_status status = STARFISH_SUCCESS;
    if (s->where != POISSON3D_SPREAD)
        return STARFISH_SUCCESS;
    STARFISH_TRY(poisson3d_random_field(s->c, &source));
    for (size_t i = 0; i < 2 * s->flight && status == STARFISH_SUCCESS; ++i) {
        status = starfish_poisson_field_spread(plan, 0, NULL, &s->field[i]);
        if (status == STARFISH_SUCCESS && i % 2 == 0)
            status = spread_write(s->field[i], source, poisson3d_bytes(s->c) / s->c->n[2]);
    }
    free(source);
    return status;
}

static starfish_status submit(const struct subject *s, starfish_plan *plan, size_t array, starfish_job **job)
{
    return s->where == POISSON3D_SPREAD
               ? starfish_poisson_submit_field(plan, NULL, s->field[2 * array], s->field[2 * array + 1], job)
               : starfish_plan_submit(plan, NULL, s->rhs[array], s->solution[array], job);
}

static starfish_status solve_once(struct subject *s, starfish_plan *plan, struct starfish_result *info)
{
    starfish_job *job;
    STARFISH_TRY(make_fields(s, plan));
    STARFISH_TRY(submit(s, plan, 0, &job));
    return starfish_job_finish(job, info);
}

static starfish_status check(struct subject *s)
{
    const double most = s->c->precision == STARFISH_F32 ? 1e-3 : 1e-8;
    starfish_plan *plan;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    STARFISH_TRY(make_plan(s, 1, &plan));
    starfish_status status = solve_once(s, plan, &info);
    free_fields(s);
    starfish_plan_destroy(plan);
    if (status != STARFISH_SUCCESS)
        return status;
    s->residual = info.residual_max;
    STARFISH_FAIL_IF(!(info.residual_max < most), STARFISH_ERROR_NUMERICAL, "%s, %s, %s: the residual is %.3g",
                     s->c->name, starfish_method_list[s->method], s->run->sets.name, info.residual_max);
    return STARFISH_SUCCESS;
}

/* Jobs in flight, the oldest first. */
struct flight {
    starfish_job *job[POISSON3D_MOST_IN_FLIGHT];
    size_t jobs, submitted; /* the latter counts all there were */
};

static starfish_status submit_next(struct subject *s, starfish_plan *plan, struct flight *flight)
{
    const size_t array = flight->submitted % s->flight;
    STARFISH_TRY(submit(s, plan, array, &flight->job[flight->jobs]));
    ++flight->submitted;
    ++flight->jobs;
    return STARFISH_SUCCESS;
}

static starfish_status wait_for_oldest(struct subject *s, struct flight *flight)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_job *oldest = flight->job[0];
    memmove(flight->job, flight->job + 1, --flight->jobs * sizeof flight->job[0]);
    STARFISH_TRY(starfish_job_finish(oldest, &info));
    s->gpu_tasks += (double)info.worker[STARFISH_GPU].tasks;
    s->tasks += (double)(info.worker[STARFISH_GPU].tasks + info.worker[STARFISH_CPU].tasks);
    return STARFISH_SUCCESS;
}

/* A stream without end. Solves may be done in bursts, so a sample is over as many solves as are in flight. */
static starfish_status stream(struct subject *s, starfish_plan *plan, struct flight *flight)
{
    const struct bench *bench = &s->run->bench;
    double done[POISSON3D_MOST_IN_FLIGHT] = {0}; /* when the last ones were */
    const size_t places = s->flight > 1 ? s->flight : 1, warmup = bench->warmup > places ? bench->warmup : places;
    while (flight->jobs + 1 < s->flight)
        STARFISH_TRY(submit_next(s, plan, flight));
    for (size_t solve = 0; solve < warmup + bench->repeat; ++solve) {
        done[0] = places > 1 ? done[0] : clock_now();
        STARFISH_TRY(submit_next(s, plan, flight));
        if (solve == warmup)
            s->gpu_tasks = s->tasks = 0;
        STARFISH_TRY(wait_for_oldest(s, flight));
        const double time = clock_now();
        if (solve >= warmup)
            s->run->seconds[solve - warmup] = (time - done[solve % places]) / (double)places;
        done[solve % places] = time;
    }
    return STARFISH_SUCCESS;
}

static starfish_status time_solves(struct subject *s, starfish_plan *plan)
{
    struct flight flight = {.jobs = 0};
    starfish_status status = stream(s, plan, &flight);
    while (flight.jobs > 0) {
        const starfish_status waited = wait_for_oldest(s, &flight);
        status = status == STARFISH_SUCCESS ? waited : status;
    }
    return status;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Least bytes and, in *limit, the least time: of the GPUs, of the cores, of both at their own limits. */
static double least_bytes(const struct subject *s, double *limit)
{
    const double field = (double)poisson3d_bytes(s->c);
    const struct poisson3d_limits *rate = s->limits;
    const size_t gpus = starfish_context_workers_of(s->run->sets.context, STARFISH_GPU);
    const double cores = 10 * field / rate->cores;
    if (gpus == 0) {
        *limit = cores;
        return 10 * field;
    }
    double gpu = 8 * field / rate->device / (s->where == POISSON3D_SPREAD ? (double)gpus : 1);
    if (s->where < POISSON3D_DEVICE)
        gpu = (s->flight > 1 ? 2 * field / rate->both : field / rate->up + field / rate->down) / (double)gpus;
    *limit = starfish_context_workers_of(s->run->sets.context, STARFISH_CPU) ? 1 / (1 / gpu + 1 / cores) : gpu;
    return s->where >= POISSON3D_DEVICE ? 8 * field : 2 * field;
}

/* Of the slab method: real transforms of x and y forward and back, 2.5 log2 of their length for each unknown, and 8 for
 * the lines in z. */
static double operations_of(const size_t n[3])
{
    return (double)n[0] * (double)n[1] * (double)n[2] * (5 * (log2((double)n[0]) + log2((double)n[1])) + 8);
}

static void add_row(const struct subject *s, const starfish_plan *plan)
{
    char name[256], flight[48] = "";
    double limit, bytes = least_bytes(s, &limit);
    struct poisson3d *run = s->run;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    starfish_plan_about(plan, &about);
    if (s->flight > 1)
        snprintf(flight, sizeof flight, ", %zu in flight", s->flight);
    snprintf(name, sizeof name, "%s: %s, %s, %s%s", s->c->name, starfish_method_list[s->method], s->run->sets.name,
             poisson3d_places[s->where], flight);
    json_t *row = bench_row(&run->bench, "starfish", name, run->seconds, run->bench.repeat, bytes);
    bench_limit(row, limit);
    if (strcmp(about.method, "slab") == 0)
        bench_operations(row, operations_of(s->c->n));
    poisson3d_describe_size(row, s->c);
    poisson3d_describe(row, s->c);
    command_keys(row, KEY("method", about.method), KEY("workers", s->run->sets.name),
                 KEY("where", poisson3d_places[s->where]), KEY("in_flight", s->flight),
                 KEY("plan_seconds", about.seconds), KEY("residual", s->residual),
                 KEY("gpu_share", s->gpu_tasks / s->tasks));
}

static starfish_status measure_prepared(struct subject *s)
{
    starfish_plan *plan;
    STARFISH_TRY(check(s));
    STARFISH_TRY(make_plan(s, 0, &plan));
    starfish_status status = make_fields(s, plan);
    STARFISH_THEN(status, time_solves(s, plan));
    if (status == STARFISH_SUCCESS)
        add_row(s, plan);
    s->run->solves += status == STARFISH_SUCCESS;
    free_fields(s);
    starfish_plan_destroy(plan);
    return status;
}

static starfish_status measure_one(struct subject *s)
{
    bench_announce("%s: %s, %s, %s, %zu in flight", s->c->name, starfish_method_list[s->method], s->run->sets.name,
                   poisson3d_places[s->where], s->flight);
    starfish_status status = make_arrays(s);
    STARFISH_THEN(status, measure_prepared(s));
    for (size_t i = 0; i < s->flight; ++i) {
        solve_memory_free(s->run->sets.context, (enum solve_place)s->where, poisson3d_bytes(s->c), s->rhs[i]);
        solve_memory_free(s->run->sets.context, (enum solve_place)s->where, poisson3d_bytes(s->c), s->solution[i]);
        s->rhs[i] = s->solution[i] = NULL;
    }
    return status;
}

/* ---- everything with one set of workers -------------------------------------------------------------------------- */

/* Is that place of the data wanted, and there? Host memory is all one to cores, and one GPU has one memory. */
static int takes_place(const struct subject *s)
{
    const struct poisson3d *run = s->run;
    const size_t gpus = starfish_context_workers_of(s->run->sets.context, STARFISH_GPU);
    if (run->places == 0 && s->where == POISSON3D_SPREAD)
        return gpus > 1;
    if (run->places == 0)
        return gpus > 0 || s->where == POISSON3D_PAGEABLE;
    for (size_t i = 0; i < run->places; ++i)
        if (run->place[i] == s->where)
            return gpus > 0 || s->where < POISSON3D_DEVICE;
    return 0;
}

static starfish_status measure_places(struct subject *s)
{
    for (int where = POISSON3D_PLACES - 1; where >= 0; --where) {
        s->where = (enum poisson3d_where)where;
        for (size_t i = 0; takes_place(s) && i < s->run->axis[POISSON3D_STREAM].count; ++i) {
            s->flight = s->run->axis[POISSON3D_STREAM].value[i];
            STARFISH_TRY(measure_one(s));
        }
    }
    return STARFISH_SUCCESS;
}

starfish_status poisson3d_measure_solves(void *data)
{
    struct poisson3d *run = data;
    const struct axis *method = &run->axis[POISSON3D_METHOD];
    for (size_t i = 0; i < run->cases; ++i)
        for (size_t m = 0; m < method->count; ++m) {
            struct subject subject = {
                .run = run, .c = &run->each[i], .limits = &run->limits[i], .method = (starfish_method)method->value[m]};
            STARFISH_TRY(measure_places(&subject));
            ++run->bench.done;
        }
    return STARFISH_SUCCESS;
}
