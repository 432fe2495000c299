/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench dpcg: the pressure equation with bubbles, Neumann ends, by deflated conjugate gradients and multigrid,
 * beside hypre's conjugate gradients on one core, with PFMG and with simple preconditioners, and beside plain conjugate
 * gradients of cuSPARSE and cuBLAS on the GPU, on the same matrix in the same run. */
#include "apps/bench/bench.h"
#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/diffusion_run.h"
#include "apps/workers.h"
#include "bench/peer_cg.h"
#include "bench/peer_hypre.h"
#include "diffusion/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE, METHOD, PRECISION, PLACE, AXES };

struct dpcg_bench {
    struct bench bench; /* first */
    struct axis axis[AXES];
    struct bench_sets sets;
    size_t dimensions, contrast, vectors, iterations;
    int separate, no_peers;
    struct diffusion_case given; /* of the size that is measured */
    double peer;                 /* the median of hypre's CG+PFMG, 0: not measured */
};

/* Words per unknown and step that must move, in two and in three dimensions: product and direction, solution and
 * residual; deflation's sums and correction; and by preconditioner: incomplete Poisson in two passes, a V(2,2) cycle on
 * each grid. Neumann ends leave nothing on the diagonal but couplings. */
static const double plain_words[2] = {6 + 6, 7 + 6}, deflation_words = 5,
                    words_by[][2] = {[STARFISH_PRECONDITIONER_MULTIGRID] = {23 * 4. / 3, 28 * 8. / 7},
                                     [STARFISH_PRECONDITIONER_NONE] = {3, 3},
                                     [STARFISH_PRECONDITIONER_JACOBI] = {3, 3},
                                     [STARFISH_PRECONDITIONER_IP] = {10, 12},
                                     [STARFISH_PRECONDITIONER_BLOCK_IC] = {9, 9}};

/* What may be measured: a preconditioner and a deflation. */
static const struct way {
    const char *name;
    starfish_diffusion_preconditioner by;
    starfish_deflation deflation;
} ways[] = {{"multigrid", STARFISH_PRECONDITIONER_MULTIGRID, STARFISH_DEFLATION_NONE},
            {"none", STARFISH_PRECONDITIONER_NONE, STARFISH_DEFLATION_NONE},
            {"jacobi", STARFISH_PRECONDITIONER_JACOBI, STARFISH_DEFLATION_NONE},
            {"jacobi+regions", STARFISH_PRECONDITIONER_JACOBI, STARFISH_DEFLATION_REGIONS},
            {"ip", STARFISH_PRECONDITIONER_IP, STARFISH_DEFLATION_NONE},
            {"ip+stripes", STARFISH_PRECONDITIONER_IP, STARFISH_DEFLATION_STRIPES},
            {"ip+blocks", STARFISH_PRECONDITIONER_IP, STARFISH_DEFLATION_BLOCKS},
            {"ip+regions", STARFISH_PRECONDITIONER_IP, STARFISH_DEFLATION_REGIONS},
            {"block-ic+blocks", STARFISH_PRECONDITIONER_BLOCK_IC, STARFISH_DEFLATION_BLOCKS}};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const double TOLERANCE = 1e-8;

/* ---- Ours -------------------------------------------------------------------------------------------------------- */

static void set_options(const struct dpcg_bench *run, struct starfish_diffusion_options *options)
{
    const struct way *way = &ways[run->axis[METHOD].now];
    const size_t precision = run->axis[PRECISION].now;

    options->method = STARFISH_DIFFUSION_CG;
    options->preconditioner = way->by;
    options->deflation = way->deflation;
    options->vectors = way->deflation == STARFISH_DEFLATION_REGIONS ? 0 : run->vectors;
    options->precision = precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    options->mixed = precision == STARFISH_PRECISION_MIXED;
    options->tolerance = TOLERANCE;
    options->reserved[STARFISH_DIFFUSION_SEPARATE_TASKS] = run->separate;
    options->fixed = run->iterations > 0;
    if (options->fixed)
        options->max_iterations = (int)run->iterations;
}

static starfish_status measure_combination(void *data)
{
    struct dpcg_bench *run = data;
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    const size_t precision = run->axis[PRECISION].now, place = run->axis[PLACE].now;
    const struct way *way = &ways[run->axis[METHOD].now];
    const double size = precision == STARFISH_F64 ? 8 : 4;
    struct repeated times;
    char name[160];

    if (place > 0 && !run->sets.gpus)
        return STARFISH_SUCCESS;
    set_options(run, &options);
    snprintf(name, sizeof name, "%zu^%zu, 1:%zu: %s, %s, %s, %s", run->axis[SIZE].now, run->dimensions, run->contrast,
             way->name, starfish_precision_names[precision], run->sets.name, names_places[place]);
    bench_announce("%s", name);
    STARFISH_TRY(diffusion_repeat(&run->given, &options,
                                  repeats_of(&run->bench, run->sets.context, SOLVE_PINNED + place), &times));
    const size_t solid = run->dimensions - 2;
    const double deflated = way->deflation == STARFISH_DEFLATION_NONE ? 0 : deflation_words;
    const double bytes = (plain_words[solid] + deflated + words_by[way->by][solid]) * size * (double)run->given.count *
                         times.result.iterations;
    json_t *row = bench_row(&run->bench, "starfish", name, times.seconds, times.repeat, bytes);
    const double seconds = bench_seconds(row);
    command_keys(row, KEY("precision", starfish_precision_names[precision]), KEY("workers", run->sets.name),
                 KEY("where", names_places[place]), KEY("status", starfish_outcome_name(times.result.outcome)),
                 KEY("iterations", times.result.iterations),
                 KEY("iteration_seconds", seconds / times.result.iterations), KEY("residual", times.result.residual),
                 KEY("plan_seconds", times.about.seconds),
                 KEY("to_peer", run->peer > 0 ? seconds / run->peer : (double)NAN));
    bench_limit_bytes(&run->bench, row, run->sets.gpus, bytes);
    return STARFISH_SUCCESS;
}

/* ---- Peers ------------------------------------------------------------------------------------------------------- */

/* The coupling of a cell with the one above it in direction d; 0 at the end. */
static double coupling(const struct diffusion_case *given, size_t e, size_t d)
{
    const struct starfish_diffusion_problem *p = &given->problem;
    const double h = p->length[d] / (double)p->n[d];
    size_t stride = 1;

    for (size_t i = 0; i < d; i++)
        stride *= p->n[i];
    return e / stride % p->n[d] + 1 < p->n[d] ? 2 / (1 / given->k[e] + 1 / given->k[e + stride]) / (h * h) : 0;
}

/* The matrix as hypre wants it, the diagonal and the entries of the neighbours above, and behind them the right-hand
 * side: -f, whose mean is 0 as the cosines' is. In 2D hypre's bands are C, E, NW, N, NE. */
static void fill_bands(const struct diffusion_case *given, double *bands)
{
    const size_t count = given->count, dimensions = given->problem.dimensions == 3 ? 3 : 2;
    const size_t at[2][3] = {{1, 3, 0}, {1, 2, 3}}, *n = given->problem.n, stride[3] = {1, n[0], n[0] * n[1]};
    double mean = 0;

    memset(bands, 0, PEER_HYPRE_BANDS * count * sizeof *bands);
    for (size_t e = 0; e < count; e++)
        for (size_t d = 0; d < dimensions; d++) {
            const double c = coupling(given, e, d);
            bands[e] += c;
            if (c != 0)
                bands[e + stride[d]] += c;
            bands[at[dimensions - 2][d] * count + e] = -c;
        }
    for (size_t e = 0; e < count; e++)
        mean += given->rhs[e] / (double)count;
    for (size_t e = 0; e < count; e++)
        bands[PEER_HYPRE_BANDS * count + e] = -given->rhs[e] + mean;
}

/* Peers' rows have no residual: they say themselves when they are done. Returns the median. */
static double add_peer(struct dpcg_bench *run, const char *who, const char *workers, double *seconds, int iterations)
{
    json_t *row =
        bench_row(&run->bench, who,
                  bench_name("%zu^%zu, 1:%zu: f64, %s", run->axis[SIZE].now, run->dimensions, run->contrast, workers),
                  seconds, run->bench.repeat, (double)NAN);
    const double median = bench_seconds(row);
    command_keys(row, KEY("precision", starfish_precision_names[STARFISH_F64]), KEY("workers", workers),
                 KEY("iterations", iterations), KEY("iteration_seconds", median / iterations));
    return median;
}

static void measure_hypre(struct dpcg_bench *run, const double *bands, double *seconds)
{
    static const struct {
        enum peer_hypre_solver solver;
        const char *name;
    } peers[] = {{PEER_HYPRE_CG_PFMG, "hypre CG+PFMG"}, {PEER_HYPRE_CG_DIAGONAL, "hypre CG+diagonal"}};
    struct peer_hypre_problem problem = {
        .rhs = bands + PEER_HYPRE_BANDS * run->given.count, .tolerance = TOLERANCE, .most = 20000};
    double setup;
    int iterations;

    for (size_t d = 0; d < run->dimensions; d++)
        problem.n[d] = run->axis[SIZE].now;
    for (size_t b = 0; b < PEER_HYPRE_BANDS; b++)
        problem.band[b] = bands + b * run->given.count;
    for (size_t p = 0; p < sizeof peers / sizeof peers[0]; p++) {
        bench_announce("%zu^%zu: %s", run->axis[SIZE].now, run->dimensions, peers[p].name);
        if (!peer_hypre(peers[p].solver, &problem, NULL, (int)run->bench.repeat, seconds, &setup, &iterations))
            continue;
        const double median = add_peer(run, peers[p].name, "cpu:1", seconds, iterations);
        run->peer = p == 0 ? median : run->peer;
    }
}

/* The bands as compressed rows, columns in order. */
static void fill_rows(const struct diffusion_case *given, const double *bands, int *start, int *column, double *value)
{
    const size_t *n = given->problem.n, dimensions = given->problem.dimensions == 3 ? 3 : 2,
                 stride[3] = {1, n[0], n[0] * n[1]};
    int at = 0;

    for (size_t e = 0; e < given->count; e++) {
        start[e] = at;
        for (int i = -(int)dimensions; i <= (int)dimensions; i++) {
            const size_t d = (size_t)abs(i) - (i != 0), low = i < 0 ? e - stride[d] : e;
            const double c = i == 0 ? bands[e] : i < 0 && e / stride[d] % n[d] == 0 ? 0 : -coupling(given, low, d);
            if (c == 0)
                continue;
            column[at] = i < 0 ? (int)(e - stride[d]) : i > 0 ? (int)(e + stride[d]) : (int)e;
            value[at++] = c;
        }
    }
    start[given->count] = at;
}

static void measure_cusparse(struct dpcg_bench *run, const double *bands, double *seconds)
{
    const size_t count = run->given.count;
    int *start = malloc((count + 1) * sizeof *start), *column = malloc(7 * count * sizeof *column), iterations;
    double *value = malloc(7 * count * sizeof *value);

    bench_announce("%zu^%zu: cuSPARSE", run->axis[SIZE].now, run->dimensions);
    if (start && column && value) {
        fill_rows(&run->given, bands, start, column, value);
        const struct peer_cg problem = {.n = (int)count,
                                        .start = start,
                                        .column = column,
                                        .value = value,
                                        .rhs = bands + PEER_HYPRE_BANDS * count,
                                        .tolerance = TOLERANCE,
                                        .most = 20000};
        if (peer_cusparse_cg(&problem, (int)run->bench.repeat, seconds, &iterations))
            add_peer(run, "cuSPARSE CG", "gpu", seconds, iterations);
    }
    free(start);
    free(column);
    free(value);
}

static starfish_status measure_peers(struct dpcg_bench *run)
{
    double *bands = malloc((PEER_HYPRE_BANDS + 1) * run->given.count * sizeof *bands);
    double *seconds = malloc(run->bench.repeat * sizeof *seconds);

    run->peer = 0;
    if (bands && seconds) {
        fill_bands(&run->given, bands);
        measure_hypre(run, bands, seconds);
        if (run->bench.gpus > 0)
            measure_cusparse(run, bands, seconds);
    }
    const starfish_status status =
        bands && seconds ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix");
    free(bands);
    free(seconds);
    return status;
}

/* ---- Combinations ------------------------------------------------------------------------------------------------ */

static starfish_status measure_size(void *data)
{
    struct dpcg_bench *run = data;
    starfish_status status =
        diffusion_bubbles(run->dimensions, run->axis[SIZE].now, (double)run->contrast, &run->given);

    if (status == STARFISH_SUCCESS && !run->no_peers)
        status = measure_peers(run);
    run->bench.done += !run->no_peers;
    STARFISH_THEN(status,
                  bench_each_way(&run->bench, &run->sets, &run->axis[METHOD], AXES - METHOD, measure_combination));
    diffusion_case_free(&run->given);
    return status;
}

static starfish_status find_ways(struct axis *axis)
{
    for (size_t i = 0; i < axis->count; i++) {
        size_t w = 0;
        while (w < WAYS && strcmp(ways[w].name, axis->list.item[i]) != 0)
            w++;
        STARFISH_FAIL_IF(w == WAYS, STARFISH_ERROR_ARGUMENT, "--method: '%s' is not one that --help lists",
                         axis->list.item[i]);
        axis->value[i] = w;
    }
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct dpcg_bench *run = (struct dpcg_bench *)bench;

    STARFISH_FAIL_IF(run->dimensions < 2 || run->dimensions > 3, STARFISH_ERROR_ARGUMENT,
                     "--dimensions: is %zu, must be 2 or 3", run->dimensions);
    STARFISH_TRY(axes_read(run->axis, AXES));
    STARFISH_TRY(find_ways(&run->axis[METHOD]));
    STARFISH_TRY(bench_worker_sets(bench, &run->sets, "gpu;cpu", "cpu"));
    bench_copies(bench);
    bench->parts = run->axis[SIZE].count * (run->sets.list.count + !run->no_peers);
    return axes_each(run->axis, 1, measure_size, run);
}

int bench_dpcg(int argc, char **argv)
{
    static struct dpcg_bench run = {.bench = BENCH_DEFAULTS("dpcg"),
                                    .axis = {[SIZE] = {"--n", "256"},
                                             [METHOD] = {"--method", "multigrid,ip+blocks,ip+regions", .texts = 1},
                                             [PRECISION] = {"--precision", "f64,mixed", &names_table},
                                             [PLACE] = {"--where", "host,device", &names_table}},
                                    .sets = {.as_team = 1}, /* as `starfish solve` has cores */
                                    .dimensions = 2,
                                    .contrast = 1000};
    const struct option_entry options[] = {
        {"--n", OPTION_TEXT, &run.axis[SIZE].given, "LIST", .help = "cells per direction"},
        {"--dimensions", OPTION_COUNT, &run.dimensions, "D", .help = "2, or 3"},
        {"--contrast", OPTION_COUNT, &run.contrast, "K", .help = "of the bubbles to what is around them"},
        {"--method", OPTION_TEXT, &run.axis[METHOD].given, "LIST",
         .help = "multigrid, none, jacobi, jacobi+regions, ip, ip+stripes, ip+blocks, ip+regions, block-ic+blocks"},
        {"--vectors", OPTION_NUMBER, &run.vectors, "D", .help = "stripes, or blocks per direction; 0: as solve"},
        {"--iterations", OPTION_NUMBER, &run.iterations, "N", .help = "exactly so many; 0: to 1e-8"},
        {"--separate", OPTION_FLAG, &run.separate, .help = "a task for every operation"},
        {"--precision", OPTION_LIST, &run.axis[PRECISION].given, "LIST", .table = &names_table},
        {"--workers", OPTION_TEXT, &run.sets.given, "SETS", .help = WORKERS_SETS "; without, gpu;cpu, or cpu"},
        {"--where", OPTION_LIST, &run.axis[PLACE].given, "LIST", .table = &names_table},
        {"--no-peers", OPTION_FLAG, &run.no_peers, .help = "ours alone"},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    return bench_start(
        &run.bench, "bench",
        "The pressure equation of two phases: bubbles in the unit square or cube, Neumann ends, harmonic means,\n"
        "to a residual of 1e-8 from zero. Peers are hypre's CG on one core and cuSPARSE's product in a\n"
        "plain CG on the GPU. A LIST has commas between its entries; all combinations are measured.",
        options, argc, argv, measure);
}
