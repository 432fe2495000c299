/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench tridiag: the rows of one case. They are our times on cores and on a GPU, those of LAPACK and cuSPARSE,
 * and figures of papers. */
#include "apps/bench/tridiag.h"
#include "apps/command.h"
#include "apps/workers.h"
#include "base/place.h"
#include "base/real.h"
#include "bench/clock.h"
#include "tridiag/kernels/batch.h"
#include "tridiag/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small batches are over before the next launch is there: so many in a row. */
enum { SMALL_UNKNOWNS = 1 << 22, LAUNCHES_IN_A_ROW = 40 };
/* Arrays that fit caches would say nothing of memory. */
enum { LEAST_COPIED = 1 << 28, COPIES = 5 };

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* `limited`: the bytes move in the memory of those who work. */
static json_t *add_row_of(struct tridiag_bench *run, const struct batch_case *c, const char *const who[3], int limited,
                          int measured)
{
    const char *what = who[1], *workers = who[2];
    const double rate = strcmp(workers, "gpu") == 0 ? run->device_rate : run->cores_rate;
    char name[256], times[32] = "";
    if ((size_t)measured < run->bench.repeat)
        snprintf(times, sizeof times, ", %d times", measured);
    snprintf(name, sizeof name, "%s: %s, %s%s", c->name, what, workers, times);
    json_t *row = bench_row(&run->bench, who[0], name, run->seconds, (size_t)measured, batch_case_bytes(c));
    command_keys(row, KEY("n", c->n), KEY("lines", c->lines), KEY("precision", starfish_precision_names[c->precision]),
                 KEY("layout", names_layouts[c->interleaved]), KEY("workers", workers));
    /* Elimination by rows: a division, three products and two differences, then a product and a difference. */
    bench_operations(row, 8.0 * (double)c->n * (double)c->lines);
    if (rate > 0 && limited)
        bench_limit(row, batch_case_bytes(c) / rate);
    return row;
}

static json_t *add_row(struct tridiag_bench *run, const struct batch_case *c, const char *who, const char *what,
                       const char *workers, int measured)
{
    return add_row_of(run, c, (const char *const[]){who, what, workers}, 1, measured);
}

/* A figure of a paper's, which no machine here has taken. */
static void add_paper(struct tridiag_bench *run, const struct batch_case *c, const char *who, const char *what,
                      double seconds)
{
    json_t *row = bench_row(&run->bench, who, bench_name("%s: %s", c->name, what), &seconds, 1, batch_case_bytes(c));
    json_object_set_new(row, "workers", json_string("GTX 280"));
}

static void add_papers(struct tridiag_bench *run, const struct batch_case *c)
{
    if (c->precision != STARFISH_F32 || c->interleaved || c->coefficients != BATCH_GENERAL)
        return;
    if (c->n == 513 && c->lines == 513)
        add_paper(run, c, "Goeddeke, Strzodka 2011", "cr, stored apart", 0.445e-3);
    if (c->n == 512 && c->lines == 512) {
        add_paper(run, c, "Zhang, Cohen, Owens 2010", "cr", 1.066e-3);
        add_paper(run, c, "Zhang, Cohen, Owens 2010", "cr-pcr", 0.422e-3);
    }
}

/* ---- the solution ------------------------------------------------------------------------------------------------ */

static starfish_status add_residual(json_t *row, const struct batch_case *c)
{
    const double found = batch_case_residual(c);
    json_object_set_new(row, "residual", command_json_real(found));
    STARFISH_FAIL_IF(found > batch_case_bound(c), STARFISH_ERROR_NUMERICAL, "%s: the residual is %g", c->name, found);
    return STARFISH_SUCCESS;
}

static void *solution_at(const struct batch_case *c, void *solution, size_t element)
{
    return (char *)solution + element * starfish_real_size(c->precision);
}

static void clear_solution(const struct batch_case *c)
{
    const struct starfish_layout layout = batch_case_problem(c).vectors;
    const size_t size = starfish_real_size(c->precision);

    for (size_t l = 0; l < c->lines; l += batch_case_sampled_step(c))
        for (size_t k = 0; k < c->n; ++k)
            memset(solution_at(c, c->host[BATCH_SOLUTION], k * layout.row + l * layout.line), 0xff, size);
    if (c->device[BATCH_SOLUTION])
        peer_device_set(c->device[BATCH_SOLUTION], 0xff, c->count[BATCH_SOLUTION] * size);
}

static void fetch_solution(const struct batch_case *c)
{
    const struct starfish_layout layout = batch_case_problem(c).vectors;
    const size_t size = starfish_real_size(c->precision);

    for (size_t l = 0; l < c->lines; l += batch_case_sampled_step(c))
        peer_device_read(solution_at(c, c->host[BATCH_SOLUTION], l * layout.line),
                         solution_at(c, c->device[BATCH_SOLUTION], l * layout.line), c->n, layout.row, size);
}

/* Launches on the GPU that are timed together, ours and the peer's alike. */
static int in_a_row(const struct batch_case *c)
{
    return c->n * c->lines <= SMALL_UNKNOWNS ? LAUNCHES_IN_A_ROW : 1;
}

/* ---- ours -------------------------------------------------------------------------------------------------------- */

static struct starfish_batch kernel_of(const struct batch_case *c, void *const *array, int algorithm)
{
    const struct starfish_tridiag_problem p = batch_case_problem(c);
    return (struct starfish_batch){.n = c->n,
                                   .lines = c->lines,
                                   .columns = 1,
                                   .components = 1,
                                   .algorithm = algorithm,
                                   .coefficients = p.coefficients,
                                   .vectors = p.vectors,
                                   .lower = array[BATCH_LOWER],
                                   .diag = array[BATCH_DIAG],
                                   .upper = array[BATCH_UPPER],
                                   .shift = array[BATCH_SHIFT],
                                   .input = array[BATCH_RHS],
                                   .output = array[BATCH_SOLUTION]};
}

/* Where the arrays of a solve by the public call are, and who solves. */
enum place { PLACE_PAGEABLE, PLACE_PINNED, PLACE_DEVICE };
struct way {
    const char *what, *workers;
    int cores, gpus; /* are there any? */
    enum place place;
};
static const struct way on_cores = {"", "cpu", 1, 0, PLACE_PAGEABLE};
/* Beside the GPU's kernels. */
static const struct way ways[] = {
    {", the public call, device memory", "gpu", 0, 1, PLACE_DEVICE},
    {", the public call, pinned memory", "gpu", 0, 1, PLACE_PINNED},
    {", the public call, pinned memory", "all", 1, 1, PLACE_PINNED},
    {", the public call, pageable memory", "gpu", 0, 1, PLACE_PAGEABLE},
    {", the public call, pageable memory", "all", 1, 1, PLACE_PAGEABLE},
};

static starfish_status solve_once(starfish_plan *plan, void *const *array, double *seconds)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;

    STARFISH_TRY(starfish_plan_solve(plan, NULL, array[BATCH_RHS], array[BATCH_SOLUTION], &info));
    *seconds = info.seconds;
    return STARFISH_SUCCESS;
}

/* Warm-up and measurements end early where a solve takes long; but GPUs and cores find out in lone solves how to share
 * a batch. */
static starfish_status time_solves(struct tridiag_bench *run, starfish_plan *plan, void *const *array, int shared,
                                   int *measured)
{
    enum { UNTIL_SHARED = 32 };
    const size_t most = shared && run->bench.warmup > 0 ? UNTIL_SHARED : run->bench.warmup;
    const double begin = clock_now(), longest = (shared ? 10 : 1) * PEER_LINES_SECONDS;
    *measured = 0;
    for (size_t r = 0; r < most && clock_now() - begin < longest; ++r)
        STARFISH_TRY(solve_once(plan, array, run->seconds));
    const double start = clock_now();
    while (!peer_lines_enough(*measured, (int)run->bench.repeat, start))
        STARFISH_TRY(solve_once(plan, array, &run->seconds[(*measured)++]));
    return STARFISH_SUCCESS;
}

static starfish_status pin(starfish_context *context, const struct batch_case *c,
                           starfish_status (*change)(starfish_context *, void *, size_t))
{
    const size_t size = starfish_real_size(c->precision);
    STARFISH_TRY(change(context, c->host[BATCH_RHS], c->count[BATCH_RHS] * size));
    return change(context, c->host[BATCH_SOLUTION], c->count[BATCH_SOLUTION] * size);
}

/* A problem's coefficients are where its right-hand sides are. */
static struct starfish_tridiag_problem problem_at(const struct batch_case *c, enum place place)
{
    struct batch_case there = *c;
    if (place == PLACE_DEVICE)
        memcpy(there.host, c->device, sizeof there.host);
    return batch_case_problem(&there);
}

static starfish_status measure_way(struct tridiag_bench *run, const struct batch_case *c, starfish_context *context,
                                   starfish_algorithm algorithm, const struct way *way)
{
    const struct starfish_tridiag_problem problem = problem_at(c, way->place);
    struct starfish_tridiag_options options = STARFISH_TRIDIAG_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    int measured;

    options.precision = c->precision;
    options.algorithm = algorithm;
    clear_solution(c);
    STARFISH_TRY(starfish_tridiag_plan_create(context, &problem, &options, &plan));
    starfish_status status = way->place == PLACE_PINNED ? pin(context, c, starfish_pin) : STARFISH_SUCCESS;
    STARFISH_THEN(status, time_solves(run, plan, way->place == PLACE_DEVICE ? c->device : c->host,
                                      way->cores && way->gpus, &measured));
    starfish_plan_destroy(plan);
    if (way->place == PLACE_PINNED)
        pin(context, c, starfish_unpin);
    STARFISH_TRY(status);
    if (way->place == PLACE_DEVICE)
        fetch_solution(c);
    return add_residual(
        add_row_of(run, c,
                   (const char *const[]){"starfish", bench_name("%s%s", starfish_algorithm_names[algorithm], way->what),
                                         way->workers},
                   way->place == PLACE_DEVICE || !way->gpus, measured),
        c);
}

/* By all algorithms that plans have. */
static starfish_status measure_by(struct tridiag_bench *run, const struct batch_case *c, const struct way *way)
{
    starfish_context *context;
    starfish_status status = STARFISH_SUCCESS;
    const size_t size = starfish_real_size(c->precision);

    STARFISH_TRY(workers_open(way->workers, 0, &context));
    for (size_t i = 0; i < run->axis[TRIDIAG_ALGORITHM].count && status == STARFISH_SUCCESS; ++i)
        if (run->axis[TRIDIAG_ALGORITHM].value[i] != STARFISH_BATCH_CR_IN_PLACE &&
            (!way->gpus || c->n <= starfish_batch_longest_cuda((int)run->axis[TRIDIAG_ALGORITHM].value[i], size)))
            status = measure_way(run, c, context, (starfish_algorithm)run->axis[TRIDIAG_ALGORITHM].value[i], way);
    starfish_context_destroy(context);
    return status;
}

STARFISH_PLACE_KERNEL(solve_lines, starfish_batch)

/* The kernels alone, all cores at work. */
static starfish_status measure_core_kernels(struct tridiag_bench *run, const struct batch_case *c, int algorithm)
{
    const struct starfish_place place = {.precision = c->precision};
    const size_t size = starfish_real_size(c->precision), cores = (size_t)peer_cores();
    const size_t runs = cores < c->lines ? cores : c->lines;
    const struct starfish_batch batch = kernel_of(c, c->host, algorithm);
    const size_t bytes = starfish_batch_workspace_cpu(&batch, size) / 64 * 64 + 128;
    char *const workspace = aligned_alloc(64, runs * bytes), what[64];
    int measured = 0;

    STARFISH_FAIL_IF(!workspace, STARFISH_ERROR_MEMORY, "%s: no memory for work space", c->name);
    clear_solution(c);
    for (double start = clock_now(); !peer_lines_enough(measured, (int)run->bench.repeat, start); ++measured) {
        const double begin = clock_now();
#pragma omp parallel for schedule(static, 1) num_threads((int)runs)
        for (size_t r = 0; r < runs; ++r) {
            const size_t first = starfish_batch_first_line(c->lines, runs, r);
            const size_t end = starfish_batch_first_line(c->lines, runs, r + 1);
            struct starfish_batch part = starfish_batch_run(&batch, first, end - first, size);
            part.workspace = workspace + r * bytes;
            solve_lines(&place, &part);
        }
        run->seconds[measured] = clock_now() - begin;
    }
    free(workspace);
    snprintf(what, sizeof what, "%s, kernels", starfish_algorithm_names[algorithm]);
    return add_residual(add_row(run, c, "starfish", what, "cpu", measured), c);
}

struct launch {
    struct starfish_place place;
    struct starfish_batch batch;
};

static int launch(void *data, struct CUstream_st *stream)
{
    struct launch *l = data;
    l->place.stream = stream;
    return solve_lines(&l->place, &l->batch);
}

static starfish_status measure_gpu(struct tridiag_bench *run, const struct batch_case *c, int algorithm)
{
    const size_t size = starfish_real_size(c->precision);
    struct launch job = {{.precision = c->precision, .gpu = 1}, kernel_of(c, c->device, algorithm)};
    if (c->n > starfish_batch_longest_cuda(algorithm, size))
        return STARFISH_SUCCESS;
    job.batch.workspace = peer_device_alloc(starfish_batch_workspace_cuda(&job.batch, size) + 1);
    STARFISH_FAIL_IF(!job.batch.workspace, STARFISH_ERROR_MEMORY, "%s: no memory on the GPU", c->name);
    clear_solution(c);
    const int measured = peer_device_time(launch, &job, in_a_row(c), (int)run->bench.repeat, run->seconds);
    peer_device_free(job.batch.workspace);
    STARFISH_FAIL_IF(measured == 0, STARFISH_ERROR_RUNTIME, "%s: %s does not run on the GPU", c->name,
                     starfish_algorithm_names[algorithm]);
    fetch_solution(c);
    return add_residual(add_row(run, c, "starfish", starfish_algorithm_names[algorithm], "gpu", measured), c);
}

static starfish_status measure_ours(struct tridiag_bench *run, const struct batch_case *c)
{
    STARFISH_TRY(measure_by(run, c, &on_cores));
    for (size_t i = 0; i < run->axis[TRIDIAG_ALGORITHM].count; ++i)
        STARFISH_TRY(measure_core_kernels(run, c, (int)run->axis[TRIDIAG_ALGORITHM].value[i]));
    if (run->bench.gpus == 0)
        return STARFISH_SUCCESS;
    for (size_t i = 0; i < run->axis[TRIDIAG_ALGORITHM].count; ++i)
        STARFISH_TRY(measure_gpu(run, c, (int)run->axis[TRIDIAG_ALGORITHM].value[i]));
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w)
        STARFISH_TRY(measure_by(run, c, &ways[w]));
    return STARFISH_SUCCESS;
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

static struct peer_lines lines_of(const struct batch_case *c, void *const *arrays)
{
    return (struct peer_lines){.n = c->n,
                               .lines = c->lines,
                               .interleaved = c->interleaved,
                               .precision = c->precision,
                               .lower = arrays[BATCH_LOWER],
                               .diag = arrays[BATCH_DIAG],
                               .upper = arrays[BATCH_UPPER],
                               .rhs = arrays[BATCH_RHS],
                               .solution = arrays[BATCH_SOLUTION]};
}

static starfish_status add_peer(struct tridiag_bench *run, const struct batch_case *c, const char *who,
                                const char *what, const char *workers, int measured)
{
    if (measured == 0)
        return STARFISH_SUCCESS;
    if (strcmp(workers, "gpu") == 0)
        fetch_solution(c);
    return add_residual(add_row(run, c, who, what, workers, measured), c);
}

/* They know general lines only. */
static starfish_status measure_peers(struct tridiag_bench *run, const struct batch_case *c)
{
    const struct peer_lines host = lines_of(c, c->host), device = lines_of(c, c->device);
    const int repeat = (int)run->bench.repeat;

    if (c->coefficients != BATCH_GENERAL || run->peers == NAMES_NONE)
        return STARFISH_SUCCESS;
    clear_solution(c);
    STARFISH_TRY(add_peer(run, c, "LAPACK", "gtsv per line", "cpu", peer_lapack_gtsv(&host, repeat, run->seconds)));
    if (run->bench.gpus == 0)
        return STARFISH_SUCCESS;
    clear_solution(c);
    STARFISH_TRY(add_peer(run, c, "cuSPARSE", c->interleaved ? "gtsvInterleavedBatch" : "gtsv2StridedBatch", "gpu",
                          c->n > 2 ? peer_cusparse_batch(&device, in_a_row(c), repeat, run->seconds) : 0));
    for (int pivot = 0; pivot < 2; ++pivot) {
        clear_solution(c);
        STARFISH_TRY(add_peer(run, c, "cuSPARSE", pivot ? "gtsv2" : "gtsv2_nopivot", "gpu",
                              peer_cusparse_line(&device, pivot, repeat, run->seconds)));
    }
    return STARFISH_SUCCESS;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* The most of all repetitions. */
static double rate_of(const double *seconds, double bytes)
{
    double shortest = HUGE_VAL;

    for (int r = 0; r < COPIES; ++r)
        shortest = fmin(shortest, seconds[r]);
    return bytes / shortest;
}

/* Of arrays as large as the case's, or as an earlier one's that was larger. */
static void measure_copies(struct tridiag_bench *run, const struct batch_case *c)
{
    const double bytes = fmax(batch_case_bytes(c) / 2, LEAST_COPIED);
    double seconds[COPIES];

    if (bytes <= run->copied)
        return;
    run->copied = bytes;
    run->cores_rate = run->device_rate = (double)NAN;
    if (peer_stream_passes((size_t)bytes, COPIES, seconds))
        run->cores_rate = rate_of(seconds, 10 * bytes);
    if (run->bench.gpus > 0 && peer_device_copy((size_t)bytes, COPIES, seconds))
        run->device_rate = rate_of(seconds, 2 * bytes);
}

starfish_status tridiag_measure_case(struct tridiag_bench *run, const struct batch_case *c)
{
    measure_copies(run, c);
    STARFISH_TRY(measure_ours(run, c));
    STARFISH_TRY(measure_peers(run, c));
    add_papers(run, c);
    return STARFISH_SUCCESS;
}
