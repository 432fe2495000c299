/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench blktri: block cyclic reduction by size, form, tridiagonal algorithm, split between kinds of workers,
 * and level by level.
 *
 * Least bytes: the field, or a level's rows, read and written once. Both forms are bound by arithmetic and the latency
 * of recurrences; the column shows their distance from the memory bound. */
#include "apps/bench/bench.h"
#include "apps/bench/fishpack_case.h"
#include "apps/command.h"
#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/blktri_run.h"
#include "apps/workers.h"
#include "poisson/options.h"
#include "scheduler/runtime/options.h"
#include "tridiag/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const data_names[] = {"real", "complex", "complex-lines"}; /* as enum blktri_data */
static const char *const forms[] = {"fractions", "product", "slab"};
static const starfish_method methods[] = {STARFISH_METHOD_BLKTRI, STARFISH_METHOD_BLKTRI_PRODUCT, STARFISH_METHOD_SLAB};
static const struct starfish_option own_rows[] = {
    NAMES_ROW("--form", forms, "partial fractions or products; slab, the other method"),
    NAMES_ROW("--data", data_names, "in 2D also complex right-hand sides, and lines of complex coefficients"),
};
static const struct starfish_option_table own_table = NAMES_TABLE(own_rows);
static const char *const step_names[] = {"reduction", "substitution"};

enum { SIZE, PRECISION, DATA, FORM, ALGORITHM, RADIX, SPLIT, PLACE, AXES };

struct blktri_bench {
    struct bench bench; /* first: measure() gets at the rest through it */
    struct axis axis[AXES];
    struct bench_sets sets;
    const char *fishpack;
    struct starfish_context_options context; /* --team */
    int levels;
    /* What is measured now: */
    struct blktri_case c;
    starfish_context *on;
};

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void name_size(const size_t n[3], char *text, size_t size)
{
    char layers[24] = "";
    if (n[0] > 1)
        snprintf(layers, sizeof layers, "%zux", n[0]);
    snprintf(text, size, "%s%zux%zu", layers, n[1], n[2]);
}

static void describe(const struct blktri_case *c, const char *form, const char *algorithm, const char *split,
                     char *name, size_t size)
{
    char extent[64], data[24] = "", way[48] = "", radix[24] = "", cut[48] = "";
    name_size(c->n, extent, sizeof extent);
    if (c->data != BLKTRI_REAL)
        snprintf(data, sizeof data, " %s", data_names[c->data]);
    if (c->algorithm != STARFISH_ALGORITHM_AUTO)
        snprintf(way, sizeof way, " by %s", algorithm);
    if (c->radix > 0)
        snprintf(radix, sizeof radix, " of radix %d", c->radix);
    if (c->split >= 0)
        snprintf(cut, sizeof cut, ", levels on cores: %s", split);
    snprintf(name, size, "%s %s%s: %s%s%s, %s%s, %s", extent, starfish_precision_names[c->precision], data, form, radix,
             way, c->workers, cut, names_places[c->on_device]);
}

/* `rows`: of the last direction, each read and written at least once. */
static json_t *add_row(struct bench *bench, const struct blktri_case *c, const struct blktri_times *times,
                       const char *name, size_t rows, double *seconds)
{
    const double real = (c->precision ? 8 : 4) * (c->data == BLKTRI_REAL ? 1 : 2);
    const double bytes = 2.0 * (double)c->n[0] * (double)c->n[1] * (double)rows * real;
    char extent[64];
    json_t *row = bench_row(bench, "starfish", name, seconds, times->repeat, bytes);
    name_size(c->n, extent, sizeof extent);
    command_keys(row, KEY("n", extent), KEY("precision", starfish_precision_names[c->precision]),
                 KEY("data", data_names[c->data]), KEY("method", times->method),
                 KEY("radix", c->radix > 0 ? json_integer(c->radix) : json_null()), KEY("workers", c->workers),
                 KEY("where", names_places[c->on_device]));
    return row;
}

static void add_steps(struct bench *bench, const struct blktri_case *c, struct blktri_times *times, const char *name)
{
    for (int step = 0; step < BLKTRI_STEPS; ++step)
        for (size_t i = 0; i < times->levels; ++i) {
            /* in the order in which they come; there is nothing to reduce at the root */
            const size_t level = step == BLKTRI_REDUCTION ? times->levels - 1 - i : i;
            if (step == BLKTRI_REDUCTION && level == 0)
                continue;
            json_t *row = add_row(bench, c, times, bench_name("%s: %s, level %zu", name, step_names[step], level),
                                  times->separators[level], times->step[step][level]);
            command_keys(row, KEY("step", step_names[step]), KEY("level", level),
                         KEY("separators", times->separators[level]), KEY("gpu_share", times->gpu_share[step][level]));
        }
}

static starfish_status measure_case(struct blktri_bench *run, starfish_context *context, const struct blktri_case *c,
                                    const char *name)
{
    struct blktri_times times;
    bench_announce("%s", name);
    starfish_status status = blktri_run(c, context, run->bench.warmup, run->bench.repeat, &times);
    if (status == STARFISH_SUCCESS) {
        json_t *row = add_row(&run->bench, c, &times, name, c->n[2], times.seconds);
        command_keys(row, KEY("plan_seconds", times.plan_seconds), KEY("residual", times.residual),
                     KEY("bytes_moved", times.bytes_moved));
        if (run->levels)
            add_steps(&run->bench, c, &times, name);
    }
    blktri_free_times(&times);
    return status;
}

/* ---- combinations ------------------------------------------------------------------------------------------------ */

/* "N", "MxN" or "SxMxN". */
static starfish_status read_size(const char *item, size_t n[3])
{
    struct list parts;
    STARFISH_TRY(list_read("--size", item, 'x', &parts));
    STARFISH_FAIL_IF(parts.count > 3, STARFISH_ERROR_ARGUMENT, "--size: '%s' must be N, MxN or SxMxN", item);
    n[0] = 1;
    for (size_t i = 0; i < parts.count; ++i)
        STARFISH_TRY(list_count("--size", parts.item[i], &n[3 - parts.count + i]));
    if (parts.count == 1)
        n[1] = n[2];
    return STARFISH_SUCCESS;
}

static starfish_status read_split(const char *item, int *split)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_option row = *starfish_option_of_flag(&starfish_poisson_option_table, "--split");
    row.least = 0;
    if (strcmp(item, "models") != 0)
        STARFISH_TRY(starfish_option_set(&row, &options, item));
    *split = options.split;
    return STARFISH_SUCCESS;
}

/* Ways of solving that differ on GPUs, radices of sums, splits where there are both kinds, and places that are there.
 */
static int makes_sense(const struct blktri_bench *run)
{
    const struct axis *algorithm = &run->axis[ALGORITHM], *radix = &run->axis[RADIX], *split = &run->axis[SPLIT];
    const int gpus = starfish_context_workers_of(run->on, STARFISH_GPU) > 0;
    const int cores = starfish_context_workers_of(run->on, STARFISH_CPU) > 0;
    const struct blktri_case *c = &run->c;
    if (algorithm->now != algorithm->value[0] && (!gpus || c->method != STARFISH_METHOD_BLKTRI_PRODUCT))
        return 0;
    if (radix->now != radix->value[0] && c->method != STARFISH_METHOD_BLKTRI)
        return 0;
    if (c->data != BLKTRI_REAL && c->n[0] > 1)
        return 0;
    if (c->data == BLKTRI_COMPLEX_LINES && c->method == STARFISH_METHOD_SLAB)
        return 0;
    if (split->now > 0 && (!gpus || !cores || c->method == STARFISH_METHOD_SLAB))
        return 0;
    return gpus || !c->on_device;
}

static starfish_status measure_way(void *data)
{
    struct blktri_bench *run = data;
    struct blktri_case *c = &run->c;
    const size_t form = run->axis[FORM].now, algorithm = run->axis[ALGORITHM].now;
    const char *split = axis_text(&run->axis[SPLIT]);
    char name[256];
    c->precision = (starfish_precision)run->axis[PRECISION].now;
    c->data = (enum blktri_data)run->axis[DATA].now;
    c->method = methods[form];
    c->algorithm = (starfish_algorithm)algorithm;
    c->radix = c->method == STARFISH_METHOD_BLKTRI ? (int)run->axis[RADIX].now : 0;
    c->on_device = run->axis[PLACE].now == 1;
    STARFISH_TRY(read_split(split, &c->split));
    if (!makes_sense(run))
        return STARFISH_SUCCESS;
    describe(c, forms[form], starfish_algorithm_names[algorithm], split, name, sizeof name);
    return measure_case(run, run->on, c, name);
}

static starfish_status measure_form(void *data)
{
    struct blktri_bench *run = data;
    STARFISH_TRY(axes_each(&run->axis[ALGORITHM], AXES - ALGORITHM, measure_way, run));
    ++run->bench.done;
    return STARFISH_SUCCESS;
}

static starfish_status measure_size(void *data)
{
    struct blktri_bench *run = data;
    STARFISH_TRY(read_size(axis_text(&run->axis[SIZE]), run->c.n));
    STARFISH_TRY(blktri_context(&run->c, &run->on));
    const starfish_status status = axes_each(&run->axis[PRECISION], ALGORITHM - PRECISION, measure_form, run);
    starfish_context_destroy(run->on);
    return status;
}

/* ---- FISHPACK ---------------------------------------------------------------------------------------------------- */

/* max |f - A u| / max |f| of the differences on the unit square. */
static double fishpack_residual(const struct fishpack_case *c)
{
    const int m = c->n[0], n = c->n[1];
    const double hx = 1 / ((double)m + 1), hy = 1 / ((double)n + 1);
    double worst = 0, largest = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            const ptrdiff_t at = i + (ptrdiff_t)m * j;
            const double *u = c->field + at, f = c->rhs[at];
            const double x = (i > 0 ? u[-1] : 0) - 2 * u[0] + (i + 1 < m ? u[1] : 0);
            const double y = (j > 0 ? u[-m] : 0) - 2 * u[0] + (j + 1 < n ? u[m] : 0);
            worst = fmax(worst, fabs(f - x / (hx * hx) - y / (hy * hy)));
            largest = fmax(largest, fabs(f));
        }
    return worst / largest;
}

/* FISHPACK's BLKTRI, in 2D. Error: ARGUMENT (it is not there, or does not solve). */
static starfish_status measure_fishpack(struct blktri_bench *run, struct fishpack_case *c, void *peer)
{
    double seconds[BENCH_MOST_REPEATS];
    char name[96];
    snprintf(name, sizeof name, "%dx%d f64: BLKTRI, one core", c->n[0], c->n[1]);
    bench_announce("%s", name);
    STARFISH_TRY(fishpack_case_measure(c, peer, 1, run->bench.repeat, seconds));
    const double residual = fishpack_residual(c);
    STARFISH_REFUSE_IF(!(residual < 1e-6), "--fishpack: the residual of BLKTRI in %s is %g", run->fishpack, residual);
    json_t *row = bench_row(&run->bench, "FISHPACK", name, seconds, run->bench.repeat, 16.0 * (double)c->count);
    json_object_set_new(row, "residual", command_json_real(residual));
    return STARFISH_SUCCESS;
}

static starfish_status add_fishpack(struct blktri_bench *run)
{
    const struct list *sizes = &run->axis[SIZE].list;
    starfish_status status = STARFISH_SUCCESS;
    void *const peer = run->fishpack ? peer_fishpack_open(run->fishpack) : NULL;
    STARFISH_REFUSE_IF(run->fishpack && !peer, "--fishpack: no BLKTRI that can be compiled in %s", run->fishpack);
    for (size_t i = 0; i < sizes->count && peer && status == STARFISH_SUCCESS; ++i) {
        struct fishpack_case c;
        size_t n[3] = {0};
        STARFISH_THEN(status, read_size(sizes->item[i], n));
        if (n[0] > 1 || n[1] < 5 || n[2] < 5)
            continue;
        STARFISH_THEN(status, fishpack_case_make(&c, FISHPACK_BLKTRI, (const size_t[3]){n[1], n[2], 1}));
        STARFISH_THEN(status, measure_fishpack(run, &c, peer));
        fishpack_case_free(&c);
    }
    peer_fishpack_close(peer);
    return status;
}

static starfish_status measure(struct bench *bench)
{
    struct blktri_bench *run = (struct blktri_bench *)bench;
    const struct list *sizes = &run->axis[SIZE].list, *splits = &run->axis[SPLIT].list;
    size_t n[3] = {0};
    int split;
    STARFISH_TRY(axes_read(run->axis, AXES));
    for (size_t i = 0; i < sizes->count; ++i)
        STARFISH_TRY(read_size(sizes->item[i], n));
    for (size_t i = 0; i < splits->count; ++i)
        STARFISH_TRY(read_split(splits->item[i], &split));
    STARFISH_TRY(bench_worker_sets(bench, &run->sets, "gpu;all;cpu", "cpu:1;cpu"));
    bench->parts = run->sets.list.count;
    for (int a = SIZE; a < ALGORITHM; ++a)
        bench->parts *= run->axis[a].count;
    STARFISH_TRY(add_fishpack(run));
    for (size_t i = 0; i < run->sets.list.count; ++i) {
        run->c = (struct blktri_case){.workers = run->sets.list.item[i], .team = run->context.cores_per_worker};
        STARFISH_TRY(axes_each(run->axis, 1, measure_size, run));
    }
    return STARFISH_SUCCESS;
}

int bench_blktri(int argc, char **argv)
{
    static struct blktri_bench run = {.bench = BENCH_DEFAULTS("blktri"),
                                      .axis = {[SIZE] = {"--size", "511,1023", .texts = 1},
                                               [PRECISION] = {"--precision", "f64", &starfish_poisson_option_table},
                                               [DATA] = {"--data", "real", &own_table},
                                               [FORM] = {"--form", "fractions,product", &own_table},
                                               [ALGORITHM] = {"--algorithm", "auto", &starfish_poisson_option_table},
                                               [RADIX] = {"--radix", "auto", &starfish_poisson_option_table},
                                               [SPLIT] = {"--split", "models", .texts = 1},
                                               [PLACE] = {"--where", "host,device", &names_table}},
                                      .context = STARFISH_CONTEXT_OPTIONS_DEFAULTS};
    const struct option_entry options[] = {
        {"--size", OPTION_TEXT, &run.axis[SIZE].given, "LIST",
         .help = "N or MxN in 2D, SxMxN in 3D: S modes, lines of M, N rows"},
        {"--form", OPTION_LIST, &run.axis[FORM].given, "LIST", .table = &own_table},
        {"--precision", OPTION_LIST, &run.axis[PRECISION].given, "LIST", .table = &starfish_poisson_option_table},
        {"--data", OPTION_LIST, &run.axis[DATA].given, "LIST", .table = &own_table},
        {"--algorithm", OPTION_LIST, &run.axis[ALGORITHM].given, "LIST", .table = &starfish_poisson_option_table},
        {"--radix", OPTION_LIST, &run.axis[RADIX].given, "LIST", .table = &starfish_poisson_option_table},
        {"--split", OPTION_TEXT, &run.axis[SPLIT].given, "LIST",
         .help = "levels next to the root that are for cores, others for GPUs; models: as they say"},
        {"--workers", OPTION_TEXT, &run.sets.given, "SETS",
         .help = WORKERS_SETS "; without, gpu;all;cpu, or cpu:1;cpu without a GPU"},
        {"--team", OPTION_MEMBER, &run.context, "N", .table = &starfish_context_option_table},
        {"--where", OPTION_LIST, &run.axis[PLACE].given, "LIST", .table = &names_table},
        {"--fishpack", OPTION_TEXT, &run.fishpack, "FOLDER",
         .help = "in 2D also FISHPACK's BLKTRI, compiled from the sources (*.f) in FOLDER"},
        {"--levels", OPTION_FLAG, &run.levels, .help = "also a row for each step of reduction and substitution"},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    return bench_start(
        &run.bench, "bench",
        "Block cyclic reduction on uniform Dirichlet grids, as sums of partial fractions or as products.\n"
        "A LIST has commas between its entries; all combinations that differ are measured.\n\n"
        "Steps are timed from their first task's start to their last one's end, without the copies before.",
        options, argc, argv, measure);
}
