/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce goeddeke-figure2: AXPY and DEFECT by level, single and double precision, on all cores and on a
 * GPU, each beside a copy in the same memory.
 *
 * AXPY, y += a x, moves 3 words per unknown and does 2 operations. DEFECT, d = b - A x with nine bands, of which five
 * are stored, moves 8 and does 18. Both are bound by memory, but for small grids: those lie in caches, where cores are
 * faster than the copy, and on a GPU a launch takes longer than the work. */
#include "apps/plans/multigrid_run.h"
#include "apps/reproduce/reproduce.h"
#include "base/precision.h"
#include "base/real.h"
#include "base/status.h"
#include "bench/clock.h"
#include "bench/peer_lines.h"
#include "bench/peers.h"
#include "multigrid/kernels/q1_kind.h"
#include "multigrid/q1.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_LEVEL = 3, MOST_AT_ONCE = 40, UNKNOWNS_AT_ONCE = 1 << 20 };

/* ---- The two operations ------------------------------------------------------------------------------------------ */

enum { TABLE, X, B, RESULT, ARRAYS };
/* On the host or on the device: a matrix and three vectors, in one precision. */
struct arrays {
    starfish_precision precision;
    struct starfish_q1_shape shape;
    enum solve_place place;
    void *of[ARRAYS];
};

STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)

static int axpy(const struct starfish_place *place, const struct arrays *a, struct starfish_rectangle at)
{
    const size_t nx = a->shape.n[0], start = at.x0 + at.y0 * nx;
    const struct starfish_vector_update update = {.nx = nx,
                                                  .at = at,
                                                  .factor = 1e-3,
                                                  .u = a->of[RESULT],
                                                  .correction =
                                                      (const char *)a->of[X] + start * starfish_real_size(a->precision),
                                                  .pitch = nx,
                                                  .v = a->of[RESULT]};

    return run_update(place, &update);
}

static int residual(const struct starfish_place *place, const struct arrays *a, struct starfish_rectangle at)
{
    const struct starfish_grid_step step = {
        .shape = &a->shape, .at = at, .table = a->of[TABLE], .u = a->of[X], .f = a->of[B], .result = a->of[RESULT]};

    return starfish_q1_kind.compute[STARFISH_GRID_RESIDUAL](place, &step);
}

static const struct operation {
    const char *name;
    int (*run)(const struct starfish_place *place, const struct arrays *a, struct starfish_rectangle at);
    int words, operations;                          /* per unknown */
    const char *paper_rate[2], *paper_bandwidth[2]; /* by precision, of the largest grids */
} operations[] = {
    {"AXPY", axpy, 3, 2, {NULL, NULL}, {"120, 85% of the peak", "123, 87% of the peak"}},
    {"DEFECT", residual, 8, 18, {"as much as 46.4", "as much as 18.5"}, {NULL, NULL}},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static size_t at_once(const struct arrays *a)
{
    const size_t count = a->shape.n[0] * a->shape.n[1];
    size_t often = 1;

    while (often < MOST_AT_ONCE && often * count < UNKNOWNS_AT_ONCE)
        often++;
    return often;
}

/* Seconds of one: each core has its rows. */
static void time_on_cores(const struct operation *operation, const struct arrays *a, size_t repeat, double *seconds)
{
    const struct starfish_place place = {.precision = a->precision};
    const int cores = peer_cores();
    const size_t rows = a->shape.n[1], parts = (size_t)cores;

    for (size_t r = 0; r < repeat; r++) {
        const double start = clock_now();
        for (size_t i = 0; i < at_once(a); i++) {
#pragma omp parallel for num_threads(cores) schedule(static)
            for (size_t p = 0; p < parts; p++) {
                const struct starfish_rectangle at = {0, a->shape.n[0], rows * p / parts, rows * (p + 1) / parts};
                operation->run(&place, a, at);
            }
        }
        seconds[r] = (clock_now() - start) / (double)at_once(a);
    }
}

struct launch {
    const struct operation *operation;
    const struct arrays *arrays;
};

static int launch(void *data, struct CUstream_st *stream)
{
    const struct launch *l = data;
    const struct starfish_place place = {.precision = l->arrays->precision, .gpu = 1, .stream = stream};

    return l->operation->run(&place, l->arrays,
                             (struct starfish_rectangle){0, l->arrays->shape.n[0], 0, l->arrays->shape.n[1]});
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static size_t unknowns(const struct arrays *a)
{
    return a->shape.n[0] * a->shape.n[1];
}

static size_t entries_of(const struct arrays *a, int array)
{
    return array == TABLE ? starfish_band_table_start(a->shape.n[0], a->shape.n[1], 5) : unknowns(a);
}

static void free_arrays(struct arrays *a)
{
    for (int i = 0; i < ARRAYS; i++)
        solve_memory_free(NULL, a->place, 0, a->of[i]);
}

/* Where they are on the device: with the values of those on the host. Free also after a failure. */
static starfish_status make_arrays(struct arrays *a, const struct arrays *host)
{
    for (int i = 0; i < ARRAYS; i++) {
        a->of[i] = solve_memory(NULL, a->place, entries_of(a, i) * starfish_real_size(a->precision),
                                host ? host->of[i] : NULL);
        STARFISH_FAIL_IF(!a->of[i], STARFISH_ERROR_MEMORY, "out of memory for %zu unknowns%s", unknowns(a),
                         host ? " on the GPU" : "");
    }
    return STARFISH_SUCCESS;
}

/* table: of the mesh in f64. */
static starfish_status make_host(struct arrays *a, const double *table, const double *load)
{
    STARFISH_TRY(make_arrays(a, NULL));
    for (size_t i = 0; i < entries_of(a, TABLE); i++)
        starfish_element_set(a->of[TABLE], a->precision, i, table[i]);
    for (size_t i = 0; i < unknowns(a); i++) {
        starfish_element_set(a->of[X], a->precision, i, 1 + (double)(i % 17) / 16);
        starfish_element_set(a->of[B], a->precision, i, load[i]);
        starfish_element_set(a->of[RESULT], a->precision, i, 0);
    }
    return STARFISH_SUCCESS;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

enum { CORES, GPU };
static const char *const place_names[] = {"all cores", "GPU"};

struct figure {
    struct bench *bench;
    int largest, level;
    double *seconds;
};

static void name_row(json_t *row, const struct figure *figure, const struct arrays *a, const char *variant)
{
    command_keys(row, KEY("mesh", "U1"), KEY("level", figure->level),
                 KEY("precision", starfish_precision_names[a->precision]), KEY("variant", variant));
}

/* A number of what was measured, beside what the paper says of its largest level; NULL: nothing. */
static void add_number(const struct figure *figure, const struct arrays *a, const char *variant, const char *what,
                       double ours, const char *paper_says)
{
    json_t *row = reproduce_number(
        figure->bench,
        bench_name("level %d, %s, %s: %s", figure->level, variant, starfish_precision_names[a->precision], what),
        (double)NAN, REPRODUCE_PICTURE, ours);
    name_row(row, figure, a, variant);
    if (paper_says)
        reproduce_words(row, paper_says);
}

static void add_rows(const struct figure *figure, const struct operation *o, const struct arrays *a, int place,
                     double *seconds)
{
    const double count = (double)unknowns(a), rate = figure->bench->rate[place];
    const double bytes = count * o->words * (double)starfish_real_size(a->precision);
    const int paper = place == GPU && figure->level == figure->largest;
    char variant[64], name[160];

    snprintf(variant, sizeof variant, "%s, %s", o->name, place_names[place]);
    snprintf(name, sizeof name, "level %d, %s, %s: time", figure->level, variant,
             starfish_precision_names[a->precision]);
    json_t *row = bench_row(figure->bench, "starfish", name, seconds, figure->bench->repeat, bytes);
    const double time = bench_seconds(row);
    reproduce_compare(row, (double)NAN, REPRODUCE_PICTURE, time);
    name_row(row, figure, a, variant);
    bench_limit_bytes(figure->bench, row, place, bytes);
    add_number(figure, a, variant, "GFLOP/s", 1e-9 * count * o->operations / time,
               paper ? o->paper_rate[a->precision] : NULL);
    add_number(figure, a, variant, "GB/s", 1e-9 * bytes / time, paper ? o->paper_bandwidth[a->precision] : NULL);
    if (rate > 0)
        add_number(figure, a, variant, "GB/s over those of a copy", bytes / time / rate, NULL);
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static starfish_status measure_gpu(const struct figure *figure, const struct arrays *host)
{
    struct arrays device = {.precision = host->precision, .shape = host->shape, .place = SOLVE_DEVICE};
    starfish_status status = make_arrays(&device, host);

    for (int o = 0; o < OPERATIONS && status == STARFISH_SUCCESS; o++) {
        struct launch job = {&operations[o], &device};
        const int measured =
            peer_device_time(launch, &job, (int)at_once(host), (int)figure->bench->repeat, figure->seconds);
        if (measured < (int)figure->bench->repeat)
            status = starfish_fail(STARFISH_ERROR_RUNTIME, "%s does not run on the GPU", operations[o].name);
        else
            add_rows(figure, &operations[o], host, GPU, figure->seconds);
    }
    free_arrays(&device);
    return status;
}

static starfish_status measure_precision(const struct figure *figure, const struct starfish_q1_shape *shape,
                                         starfish_precision precision, const double *table, const double *load)
{
    struct arrays host = {.precision = precision, .shape = *shape};
    starfish_status status = make_host(&host, table, load);

    if (status == STARFISH_SUCCESS) {
        bench_next("level %d, %s", figure->level, starfish_precision_names[precision]);
        for (int o = 0; o < OPERATIONS; o++) {
            time_on_cores(&operations[o], &host, figure->bench->warmup, figure->seconds);
            time_on_cores(&operations[o], &host, figure->bench->repeat, figure->seconds);
            add_rows(figure, &operations[o], &host, CORES, figure->seconds);
        }
        if (figure->bench->gpus > 0)
            status = measure_gpu(figure, &host);
    }
    free_arrays(&host);
    return status;
}

static starfish_status measure_mesh(const struct figure *figure, const struct multigrid_mesh *mesh)
{
    const struct starfish_q1_shape shape = {.n = {mesh->n[0], mesh->n[1]}};
    struct starfish_q1_grid grid;

    STARFISH_TRY(starfish_q1_grid_create(&grid, &mesh->problem));
    double *table = calloc(starfish_band_table_start(shape.n[0], shape.n[1], 5), sizeof *table);
    starfish_status status = table ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory");
    if (table)
        starfish_q1_assemble(&grid, table);
    starfish_q1_grid_destroy(&grid);
    for (int precision = STARFISH_F32; precision <= STARFISH_F64 && status == STARFISH_SUCCESS; precision++)
        status = measure_precision(figure, &shape, (starfish_precision)precision, table, mesh->load);
    free(table);
    return status;
}

starfish_status reproduce_goeddeke_microbenchmarks(struct bench *bench, int largest)
{
    struct figure figure = {.bench = bench, .largest = largest};
    starfish_status status = STARFISH_SUCCESS;

    figure.seconds = malloc((bench->repeat + bench->warmup) * sizeof *figure.seconds);
    STARFISH_FAIL_IF(!figure.seconds, STARFISH_ERROR_MEMORY, "out of memory for %zu times", bench->repeat);
    bench_copies(bench);
    reproduce_copies(bench);
    for (figure.level = FIRST_LEVEL; figure.level <= largest && status == STARFISH_SUCCESS; figure.level++) {
        struct multigrid_mesh mesh;
        status = multigrid_mesh_create("U1", figure.level, &mesh);
        STARFISH_THEN(status, measure_mesh(&figure, &mesh));
        multigrid_mesh_free(&mesh);
    }
    free(figure.seconds);
    return status;
}
