/* starfish bench dpcg: the pressure equation with bubbles, Neumann ends, by deflated conjugate gradients and multigrid,
 * beside hypre's conjugate gradients on one core, with PFMG and with simple preconditioners, and beside plain conjugate
 * gradients of cuSPARSE and cuBLAS on the GPU, on the same matrix in the same run. */
#include "apps/bench/bench.h"
#include "apps/command.h"
#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/diffusion_run.h"
#include "apps/plans/multigrid_run.h"
#include "apps/workers.h"
#include "base/real.h"
#include "bench/peer_cg.h"
#include "bench/peer_hypre.h"
#include "diffusion/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dpcg_bench {
    struct bench bench; /* first */
    const char *sizes, *ways, *precisions, *workers, *where;
    size_t dimensions, contrast, vectors, iterations;
    int separate, no_peers;
    double host_rate, device_rate, peer; /* copies; the median of hypre's CG+PFMG, 0: there is none */
};

/* Words per unknown and step that must move, in two and in three dimensions: product and direction; solution and
 * residual; deflation's sums and correction; incomplete Poisson in two passes; a V(2,2) cycle, on each grid. Neumann
 * ends leave nothing on the diagonal but couplings. */
enum {
    PLAIN_FLAT = 6 + 6,
    PLAIN_SOLID = 7 + 6,
    DEFLATED = 5,
    IP_FLAT = 10,
    IP_SOLID = 12,
    CYCLE_FLAT = 23,
    CYCLE_SOLID = 28
};

/* What may be measured: a preconditioner and a deflation. */
static const struct way {
    const char *name;
    starfish_diffusion_preconditioner by;
    starfish_deflation deflation;
    double words[2];
} ways[] = {{"multigrid",
             STARFISH_PRECONDITIONER_MULTIGRID,
             STARFISH_DEFLATION_NONE,
             {PLAIN_FLAT + CYCLE_FLAT * 4. / 3, PLAIN_SOLID + CYCLE_SOLID * 8. / 7}},
            {"none", STARFISH_PRECONDITIONER_NONE, STARFISH_DEFLATION_NONE, {PLAIN_FLAT + 3, PLAIN_SOLID + 3}},
            {"jacobi", STARFISH_PRECONDITIONER_JACOBI, STARFISH_DEFLATION_NONE, {PLAIN_FLAT + 3, PLAIN_SOLID + 3}},
            {"jacobi+regions",
             STARFISH_PRECONDITIONER_JACOBI,
             STARFISH_DEFLATION_REGIONS,
             {PLAIN_FLAT + DEFLATED + 3, PLAIN_SOLID + DEFLATED + 3}},
            {"ip", STARFISH_PRECONDITIONER_IP, STARFISH_DEFLATION_NONE, {PLAIN_FLAT + IP_FLAT, PLAIN_SOLID + IP_SOLID}},
            {"ip+stripes",
             STARFISH_PRECONDITIONER_IP,
             STARFISH_DEFLATION_STRIPES,
             {PLAIN_FLAT + DEFLATED + IP_FLAT, PLAIN_SOLID + DEFLATED + IP_SOLID}},
            {"ip+blocks",
             STARFISH_PRECONDITIONER_IP,
             STARFISH_DEFLATION_BLOCKS,
             {PLAIN_FLAT + DEFLATED + IP_FLAT, PLAIN_SOLID + DEFLATED + IP_SOLID}},
            {"ip+regions",
             STARFISH_PRECONDITIONER_IP,
             STARFISH_DEFLATION_REGIONS,
             {PLAIN_FLAT + DEFLATED + IP_FLAT, PLAIN_SOLID + DEFLATED + IP_SOLID}},
            {"block-ic+blocks",
             STARFISH_PRECONDITIONER_BLOCK_IC,
             STARFISH_DEFLATION_BLOCKS,
             {PLAIN_FLAT + DEFLATED + 9, PLAIN_SOLID + DEFLATED + 9}}};
enum { WAYS = sizeof ways / sizeof ways[0] };

struct combination {
    size_t n, precision, place;
    const struct way *way;
    const char *workers;
    const struct diffusion_case *given;
    starfish_context *context;
};

static const double TOLERANCE = 1e-8;

/* ---- Ours -------------------------------------------------------------------------------------------------------- */

static void describe(const struct dpcg_bench *run, json_t *row, const struct combination *c,
                     const struct repeated *times)
{
    const double seconds = bench_seconds(row);

    bench_keys(row, KEY("precision", starfish_precision_names[c->precision]), KEY("workers", c->workers),
               KEY("where", names_places[c->place]), KEY("status", starfish_outcome_name(times->result.outcome)),
               KEY("iterations", times->result.iterations),
               KEY("iteration_seconds", seconds / times->result.iterations), KEY("residual", times->result.residual),
               KEY("plan_seconds", times->about.seconds),
               KEY("to_peer", run->peer > 0 ? seconds / run->peer : (double)NAN));
}

static starfish_status measure_combination(struct dpcg_bench *run, const struct combination *c)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    const struct repeats what = repeats_of(&run->bench, c->context, SOLVE_PINNED + c->place);
    const double size = c->precision == STARFISH_F64 ? 8 : 4;
    struct repeated times;
    char name[160];

    options.method = STARFISH_DIFFUSION_CG;
    options.preconditioner = c->way->by;
    options.deflation = c->way->deflation;
    options.vectors = c->way->deflation == STARFISH_DEFLATION_REGIONS ? 0 : run->vectors;
    options.precision = c->precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    options.mixed = c->precision == STARFISH_PRECISION_MIXED;
    options.tolerance = TOLERANCE;
    options.reserved[STARFISH_DIFFUSION_SEPARATE_TASKS] = run->separate;
    options.fixed = run->iterations > 0;
    if (options.fixed)
        options.max_iterations = (int)run->iterations;
    snprintf(name, sizeof name, "%zu^%zu, 1:%zu: %s, %s, %s, %s", c->n, run->dimensions, run->contrast, c->way->name,
             starfish_precision_names[c->precision], c->workers, names_places[c->place]);
    bench_announce("%s", name);
    const starfish_status status = diffusion_repeat(c->given, &options, what, &times);
    if (status == STARFISH_SUCCESS) {
        const double bytes =
            c->way->words[run->dimensions - 2] * size * (double)c->given->count * times.result.iterations;
        const double rate =
            starfish_context_workers_of(c->context, STARFISH_GPU) > 0 ? run->device_rate : run->host_rate;
        json_t *row = bench_row(&run->bench, "starfish", name, times.seconds, times.repeat, bytes);
        describe(run, row, c, &times);
        if (rate > 0)
            bench_limit(row, bytes / rate);
    }
    return status;
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
static double add_peer(struct dpcg_bench *run, const char *who, const struct combination *c, double *seconds,
                       int iterations)
{
    char name[96];

    snprintf(name, sizeof name, "%zu^%zu, 1:%zu: f64, %s", c->n, run->dimensions, run->contrast, c->workers);
    json_t *row = bench_row(&run->bench, who, name, seconds, run->bench.repeat, (double)NAN);
    const double median = bench_seconds(row);
    bench_keys(row, KEY("precision", starfish_precision_names[STARFISH_F64]), KEY("workers", c->workers),
               KEY("iterations", iterations), KEY("iteration_seconds", median / iterations));
    return median;
}

static void measure_hypre(struct dpcg_bench *run, const struct combination *c, const double *bands, double *seconds)
{
    static const struct {
        enum peer_hypre_solver solver;
        const char *name;
    } peers[] = {{PEER_HYPRE_CG_PFMG, "hypre CG+PFMG"}, {PEER_HYPRE_CG_DIAGONAL, "hypre CG+diagonal"}};
    struct peer_hypre_problem problem = {
        .rhs = bands + PEER_HYPRE_BANDS * c->given->count, .tolerance = TOLERANCE, .most = 20000};
    double setup;
    int iterations;

    for (size_t d = 0; d < run->dimensions; d++)
        problem.n[d] = c->n;
    for (size_t b = 0; b < PEER_HYPRE_BANDS; b++)
        problem.band[b] = bands + b * c->given->count;
    for (size_t p = 0; p < sizeof peers / sizeof peers[0]; p++) {
        bench_announce("%zu^%zu: %s", c->n, run->dimensions, peers[p].name);
        if (!peer_hypre(peers[p].solver, &problem, NULL, (int)run->bench.repeat, seconds, &setup, &iterations))
            continue;
        const double median = add_peer(run, peers[p].name, c, seconds, iterations);
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

static void measure_cusparse(struct dpcg_bench *run, struct combination *c, const double *bands, double *seconds)
{
    const size_t count = c->given->count;
    int *start = malloc((count + 1) * sizeof *start), *column = malloc(7 * count * sizeof *column), iterations;
    double *value = malloc(7 * count * sizeof *value);

    bench_announce("%zu^%zu: cuSPARSE", c->n, run->dimensions);
    if (start && column && value) {
        fill_rows(c->given, bands, start, column, value);
        const struct peer_cg problem = {.n = (int)count,
                                        .start = start,
                                        .column = column,
                                        .value = value,
                                        .rhs = bands + PEER_HYPRE_BANDS * count,
                                        .tolerance = TOLERANCE,
                                        .most = 20000};
        c->workers = "gpu";
        if (peer_cusparse_cg(&problem, (int)run->bench.repeat, seconds, &iterations))
            add_peer(run, "cuSPARSE CG", c, seconds, iterations);
    }
    free(start);
    free(column);
    free(value);
}

static starfish_status measure_peers(struct dpcg_bench *run, struct combination *c)
{
    double *bands = malloc((PEER_HYPRE_BANDS + 1) * c->given->count * sizeof *bands);
    double *seconds = malloc(run->bench.repeat * sizeof *seconds);

    run->peer = 0;
    if (bands && seconds) {
        fill_bands(c->given, bands);
        c->workers = "cpu:1";
        measure_hypre(run, c, bands, seconds);
        if (run->bench.gpus > 0)
            measure_cusparse(run, c, bands, seconds);
    }
    const starfish_status status =
        bands && seconds ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix");
    free(bands);
    free(seconds);
    return status;
}

/* ---- Combinations ------------------------------------------------------------------------------------------------ */

struct axes {
    size_t size[LIST_MOST], sizes, precision[LIST_MOST], precisions, place[LIST_MOST], places;
    const struct way *way[LIST_MOST];
    size_t ways;
    struct list workers;
};

static starfish_status measure_ways(struct dpcg_bench *run, const struct axes *axes, struct combination *c)
{
    const int gpus = starfish_context_workers_of(c->context, STARFISH_GPU) > 0;

    for (size_t w = 0; w < axes->ways; ++w)
        for (size_t p = 0; p < axes->precisions; ++p)
            for (size_t m = 0; m < axes->places; ++m) {
                c->way = axes->way[w];
                c->precision = axes->precision[p];
                c->place = axes->place[m];
                if (c->place == 0 || gpus)
                    STARFISH_TRY(measure_combination(run, c));
            }
    return STARFISH_SUCCESS;
}

/* Cores as `starfish solve` has them. */
static starfish_status open_context(const char *workers, starfish_context **context)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;

    STARFISH_TRY(workers_read(workers, &options));
    workers_as_one_team(&options);
    return starfish_context_create(context, &options);
}

static starfish_status measure_case(struct dpcg_bench *run, const struct axes *axes, struct combination *c)
{
    starfish_status status = STARFISH_SUCCESS;

    if (!run->no_peers)
        STARFISH_TRY(measure_peers(run, c));
    run->bench.done += !run->no_peers;
    for (size_t w = 0; w < axes->workers.count && status == STARFISH_SUCCESS; ++w) {
        c->workers = axes->workers.item[w];
        status = open_context(c->workers, &c->context);
        if (status == STARFISH_SUCCESS) {
            status = measure_ways(run, axes, c);
            starfish_context_destroy(c->context);
            ++run->bench.done;
        }
    }
    return status;
}

static starfish_status read_ways(const char *text, struct axes *axes)
{
    struct list names;

    STARFISH_TRY(list_read("--method", text, ',', &names));
    for (axes->ways = 0; axes->ways < names.count; axes->ways++) {
        size_t w = 0;
        while (w < WAYS && strcmp(ways[w].name, names.item[axes->ways]) != 0)
            w++;
        if (w == WAYS)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "--method: '%s' is not one that --help lists",
                                 names.item[axes->ways]);
        axes->way[axes->ways] = &ways[w];
    }
    return STARFISH_SUCCESS;
}

static starfish_status read_axes(const struct dpcg_bench *run, struct axes *axes)
{
    if (run->dimensions < 2 || run->dimensions > 3)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--dimensions: is %zu, must be 2 or 3", run->dimensions);
    STARFISH_TRY(list_counts("--n", run->sizes, axes->size, &axes->sizes));
    STARFISH_TRY(read_ways(run->ways, axes));
    STARFISH_TRY(list_choices("--precision", run->precisions, &names_table, axes->precision, &axes->precisions));
    return list_choices("--where", run->where, &names_table, axes->place, &axes->places);
}

static starfish_status measure(struct bench *bench)
{
    struct dpcg_bench *run = (struct dpcg_bench *)bench;
    struct axes axes;

    STARFISH_TRY(read_axes(run, &axes));
    STARFISH_TRY(bench_worker_sets(bench, run->workers, "gpu;cpu", "cpu", &axes.workers));
    multigrid_copies(bench, &run->host_rate, &run->device_rate);
    bench->parts = axes.sizes * (axes.workers.count + !run->no_peers);
    for (size_t i = 0; i < axes.sizes; ++i) {
        struct diffusion_case given;
        struct combination c = {.n = axes.size[i], .given = &given};
        starfish_status status = diffusion_bubbles(run->dimensions, c.n, (double)run->contrast, &given);
        if (status == STARFISH_SUCCESS)
            status = measure_case(run, &axes, &c);
        diffusion_case_free(&given);
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

int bench_dpcg(int argc, char **argv)
{
    static struct dpcg_bench run = {.bench = BENCH_DEFAULTS("dpcg"),
                                    .sizes = "256",
                                    .ways = "multigrid,ip+blocks,ip+regions",
                                    .precisions = "f64,mixed",
                                    .where = "host,device",
                                    .dimensions = 2,
                                    .contrast = 1000,
                                    .vectors = 0};
    const struct option_entry options[] = {
        {"--n", OPTION_TEXT, &run.sizes, "LIST", .help = "cells per direction"},
        {"--dimensions", OPTION_COUNT, &run.dimensions, "D", .help = "2, or 3"},
        {"--contrast", OPTION_COUNT, &run.contrast, "K", .help = "of the bubbles to what is around them"},
        {"--method", OPTION_TEXT, &run.ways, "LIST",
         .help = "multigrid, none, jacobi, jacobi+regions, ip, ip+stripes, ip+blocks, ip+regions, block-ic+blocks"},
        {"--vectors", OPTION_NUMBER, &run.vectors, "D", .help = "stripes, or blocks per direction; 0: as solve"},
        {"--iterations", OPTION_NUMBER, &run.iterations, "N", .help = "exactly so many; 0: to 1e-8"},
        {"--separate", OPTION_FLAG, &run.separate, .help = "a task for every operation"},
        {"--precision", OPTION_LIST, &run.precisions, "LIST", .table = &names_table},
        {"--workers", OPTION_TEXT, &run.workers, "SETS", .help = WORKERS_SETS "; without, gpu;cpu, or cpu"},
        {"--where", OPTION_LIST, &run.where, "LIST", .table = &names_table},
        {"--no-peers", OPTION_FLAG, &run.no_peers, .help = "ours alone"},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "bench dpcg [OPTION ...]",
        .summary =
            "The pressure equation of two phases: bubbles in the unit square or cube, Neumann ends, harmonic means,\n"
            "to a residual of 1e-8 from zero. Peers are hypre's CG on one core and cuSPARSE's product in a\n"
            "plain CG on the GPU. A LIST has commas between its entries; all combinations are measured.",
        .options = options};
    return bench_main(&run.bench, &line, argc, argv, measure);
}
