/* starfish reproduce gupta-*: Gupta, Vuik, Lemmens, report 10-20, Delft Institute of Applied Mathematics, 2010: the
 * seven versions of their code on one core and on a GPU, what its kernels move, speed-ups, and the two-phase matrix,
 * where theirs ended with false convergence.
 *
 * The matrix is the five-point one with 4 on the diagonal, n x n unknowns, blocks of 2n, 8n stripes, to 1e-5; the
 * paper's right-hand side is not stated, and here belongs to random numbers in [1, 2]. So its counts with deflation,
 * 41 and 49, are not reproduced; those without are. */
#include "apps/reproduce/gupta.h"

#include "apps/plans/multigrid_run.h"
#include "base/status.h"
#include "scheduler/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const workers[PLACES] = {"cpu:1", "gpu"}, *const places[PLACES] = {"one core", "one GPU"};

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static starfish_status set_precision(const struct gupta *g, struct starfish_diffusion_options *options)
{
    const int mixed = strcmp(g->precision, "mixed") == 0, single = strcmp(g->precision, "f32") == 0;

    if (!mixed && !single && strcmp(g->precision, "f64") != 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--precision: is '%s', must be f32, f64 or mixed", g->precision);
    options->precision = single ? STARFISH_F32 : STARFISH_F64;
    options->mixed = mixed;
    return STARFISH_SUCCESS;
}

static starfish_status run(const struct gupta *g, const struct diffusion_case *given,
                           const struct starfish_diffusion_options *options, starfish_context *context,
                           struct diffusion_times *times)
{
    const int one_core = starfish_context_workers_of(context, STARFISH_GPU) == 0; /* which has nothing to choose */
    const struct diffusion_repeats repeats = {one_core ? 0 : g->bench.warmup, g->bench.repeat, 0};

    return diffusion_repeat(given, options, context, &repeats, times);
}

static int places_here(const struct gupta *g)
{
    return g->bench.gpus > 0 ? PLACES : 1;
}

/* Do something in a context with the workers of each place that this machine has, a GPU first. */
static starfish_status at_all_places(struct gupta *g,
                                     starfish_status (*measure)(struct gupta *g, int place, starfish_context *context))
{
    starfish_context *context;

    for (int place = places_here(g) - 1; place >= 0; place--) {
        STARFISH_TRY(multigrid_context(workers[place], &context));
        const starfish_status status = measure(g, place, context);
        starfish_context_destroy(context);
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

static double if_paper(const struct gupta *g, double number)
{
    return g->n == PAPER_N ? number : (double)NAN;
}

static void describe(json_t *row, const struct gupta *g, const struct diffusion_times *times, const char *version)
{
    json_object_set_new(row, "version", json_string(version));
    json_object_set_new(row, "precision", json_string(g->precision));
    json_object_set_new(row, "status", json_string(diffusion_outcome_name(times->info.outcome)));
    json_object_set_new(row, "iterations", json_integer(times->info.iterations));
    json_object_set_new(row, "residual", command_json_real(times->info.residual));
}

/* ---- Table 1, figure 5: seven versions --------------------------------------------------------------------------- */

/* The paper's times in seconds, and counts, on its CPU and GPU. */
static const struct {
    double seconds[PLACES], iterations[PLACES];
} paper_versions[DIFFUSION_VERSIONS] = {{{5.92, 0.5004}, {652, 649}}, {{5.0723, 5.594}, {327, 327}},
                                        {{110.45, 4.45}, {42, 42}},   {{1.5944, 1.0102}, {41, 41}},
                                        {{1.7285, 0.2494}, {49, 49}}, {{1.5938, 0.8866}, {41, 41}},
                                        {{1.7528, 0.0975}, {49, 49}}};

static starfish_status run_version(const struct gupta *g, const struct diffusion_case *given, int version,
                                   starfish_context *context, struct diffusion_times *times)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;

    diffusion_set_version(&diffusion_versions[version], 2 * g->n, 8 * g->n, &options);
    options.tolerance = 1e-5;
    STARFISH_TRY(set_precision(g, &options));
    return run(g, given, &options, context, times);
}

/* GFLOP/s of DIPCG2 by that, in section 7.2.1, whose times are not those of table 1: 0.0987 and 2.237 s. */
static void add_rate(struct gupta *g, int place, double seconds, int steps)
{
    static const double of_paper[PLACES] = {0.65, 14.79};
    char name[96];

    snprintf(name, sizeof name, "DIPCG2 on %s, %zu x %zu: GFLOP/s by equation 25", places[place], g->n, g->n);
    reproduce_number(&g->bench, name, if_paper(g, of_paper[place]), REPRODUCE_SIZE,
                     1e-9 * gupta_operations((double)(g->n * g->n), 8.0 * (double)g->n, steps) / seconds);
}

/* The times of a version at a place, and its count; *seconds: the median. */
static starfish_status add_version(struct gupta *g, const struct diffusion_case *given, int version, int place,
                                   starfish_context *context, double *seconds)
{
    const struct diffusion_version *v = &diffusion_versions[version];
    struct diffusion_times times;
    char name[128];

    bench_next("%s on %s, %zu x %zu", v->name, places[place], g->n, g->n);
    const starfish_status status = run_version(g, given, version, context, &times);
    if (status == STARFISH_SUCCESS) {
        snprintf(name, sizeof name, "DPCG%d (%s) on %s, %zu x %zu", version + 1, v->name, places[place], g->n, g->n);
        json_t *row = bench_row(&g->bench, "starfish", name, times.seconds, times.repeat, 0);
        *seconds = json_number_value(json_object_get(row, "seconds"));
        reproduce_compare(row, if_paper(g, paper_versions[version].seconds[place]), REPRODUCE_SIZE, *seconds);
        describe(row, g, &times, v->name);
        json_object_set_new(row, "plan_seconds", command_json_real(times.plan_seconds));
        json_object_set_new(row, "error", command_json_real(times.error));
        snprintf(name, sizeof name, "DPCG%d (%s) on %s, %zu x %zu: iterations", version + 1, v->name, places[place],
                 g->n, g->n);
        row = reproduce_number(&g->bench, name, if_paper(g, paper_versions[version].iterations[place]), REPRODUCE_SIZE,
                               times.info.iterations);
        describe(row, g, &times, v->name);
        json_object_set_new(row, "error", command_json_real(times.error));
        if (version == DIFFUSION_VERSIONS - 1)
            add_rate(g, place, *seconds, times.info.iterations);
        if (v->deflated)
            json_object_set_new(row, "note", json_string("not reproduced: the paper's right-hand side is not known"));
    }
    diffusion_free_times(&times);
    return status;
}

static starfish_status measure_versions(struct gupta *g, int place, starfish_context *context, double *seconds)
{
    struct diffusion_case given;
    starfish_status status = diffusion_laplacian(g->n, &given);

    for (int v = 0; v < DIFFUSION_VERSIONS && status == STARFISH_SUCCESS; v++)
        status = add_version(g, &given, v, place, context, &seconds[v]);
    diffusion_case_free(&given);
    return status;
}

static starfish_status versions_at(struct gupta *g, int place, starfish_context *context)
{
    double seconds[DIFFUSION_VERSIONS];

    return measure_versions(g, place, context, seconds);
}

static starfish_status measure_table1(struct gupta *g)
{
    g->bench.parts = DIFFUSION_VERSIONS * (size_t)places_here(g);
    return at_all_places(g, versions_at);
}

/* ---- Table 5: shares of the time --------------------------------------------------------------------------------- */

/* What a profiler said of the paper's kernels: percent of the time, GB/s read, written and both, percent of the threads
 * that fit; and our tasks that correspond, with words read and written of a call, per unknown, of gemv per vector. */
enum { SHARE, READ_RATE, WRITTEN_RATE, RATE, OCCUPANCY, STATISTICS, SHARE_TASKS = 2 };
static const char *const statistics[STATISTICS] = {"% of the tasks' time", "GB/s read", "GB/s written", "GB/s",
                                                   "% occupancy"};
static const struct {
    const char *name, *task[SHARE_TASKS];
    double paper[STATISTICS], read, written;
} shares[] = {{"E^-1 b (gemv)", {"coarse_solve"}, {44, 85.2, 0.02, 85.4, 50}, NAN, 1},
              {"IP preconditioning", {"ip, first", "ip, second"}, {9.6, 66.39, 5.75, 72.15, 100}, 9, 2},
              {"SpMV", {"A p"}, {9.6, 66.44, 5.76, 72.2, 100}, 4, 1},
              {"A Z E^-1 b, ours y + Z times it", {"prolong"}, {9.4, 51.93, 6.08, 58.02, 100}, 2.5, 1},
              {"Z' x, ours with (A Z)' y", {"domain_sums"}, {6.6, 8.175, 1.02, 9.19, 50}, 1.5, 1.0 / 64},
              {"saxpy_alpha, ours of x and r with the norm", {"advance"}, {3.2, 34.85, 34.85, 69.7, 100}, 4, 2},
              {"saxpy_beta", {"update"}, {2.5, 42.64, 21.3, 63.67, 100}, 2, 1},
              {"cublas_Sdot, ours in the kernels before it", {NULL}, {8.6, 53.88, 0.197, 54.08, 100}, NAN, NAN},
              {"cublas_Saxpy, ours in saxpy_alpha", {NULL}, {2.9, 42.34, 21.17, 63.52, 100}, NAN, NAN},
              {"cublas 2-norm, ours in saxpy_alpha", {NULL}, {1.81, 37.69, 0.223, 37.92, 100}, NAN, NAN}};

static int is_task(const struct starfish_span *span, const char *name)
{
    return (span->name && strcmp(span->name, name) == 0) || (span->codelet && strcmp(span->codelet, name) == 0) ||
           (span->codelet && strncmp(span->codelet, "starfish_", 9) == 0 && strcmp(span->codelet + 9, name) == 0) ||
           (strcmp(name, "update") == 0 && span->codelet && strstr(span->codelet, "update"));
}

/* Seconds of the tasks of that name, and how many there are. */
static double time_of(const struct starfish_record *record, const char *name, double *count)
{
    double sum = 0;

    *count = 0;
    for (size_t t = 0; t < record->tasks; t++)
        if (!name || is_task(&record->task[t], name)) {
            sum += 1e-6 * (record->task[t].end - record->task[t].start);
            ++*count;
        }
    return sum;
}

/* The statistics of a kernel: NaN where it is in others, or is not counted. */
static void statistics_of(const struct gupta *g, size_t s, const struct starfish_record *record,
                          double ours[STATISTICS])
{
    double seconds = 0, count = 0, all;
    /* gemv: words per vector, of which there are 8 n */
    const double items = s == 0 ? 8.0 * (double)g->n : (double)(g->n * g->n);
    const double read = s == 0 ? 8.0 * (double)g->n + 1 : shares[s].read;

    for (int part = 0; part < SHARE_TASKS && shares[s].task[part]; part++)
        seconds += time_of(record, shares[s].task[part], &count);
    const int counted = seconds > 0;
    ours[SHARE] = shares[s].task[0] ? 100 * seconds / time_of(record, NULL, &all) : (double)NAN;
    ours[READ_RATE] = counted ? 8e-9 * read * items * count / seconds : (double)NAN;
    ours[WRITTEN_RATE] = counted ? 8e-9 * shares[s].written * items * count / seconds : (double)NAN;
    ours[RATE] = ours[READ_RATE] + ours[WRITTEN_RATE];
    ours[OCCUPANCY] = (double)NAN; /* is a profiler's */
}

static void add_shares(struct gupta *g, int place, const struct starfish_record *record)
{
    double ours[STATISTICS];
    char name[128];

    for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
        statistics_of(g, s, record, ours);
        for (int what = 0; what < STATISTICS; what++) {
            const double paper = place == 1 ? if_paper(g, shares[s].paper[what]) : (double)NAN;
            if (isnan(paper) && isnan(ours[what]))
                continue;
            snprintf(name, sizeof name, "%s on %s: %s", shares[s].name, places[place], statistics[what]);
            json_t *row = reproduce_number(&g->bench, name, paper,
                                           place == 1 ? REPRODUCE_SIZE : "the paper's table is of a GPU", ours[what]);
            if (isnan(ours[what]))
                json_object_set_new(row, "note", json_string(what == OCCUPANCY ? "a profiler's" : "no such kernel"));
        }
    }
}

/* DIPCG with a task for each operation, so that its times are known, and with the dense inverse of E, as in the paper.
 */
static starfish_status shares_at(struct gupta *g, int place, starfish_context *context)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    const struct diffusion_repeats once = {1, 1, 0};
    struct starfish_record *record = NULL;
    struct diffusion_case given;
    struct diffusion_times times = {.repeat = 0};

    bench_next("tasks of DIPCG2 on %s, %zu x %zu", places[place], g->n, g->n);
    diffusion_set_version(&diffusion_versions[DIFFUSION_VERSIONS - 1], 2 * g->n, 8 * g->n, &options);
    options.separate_tasks = 1;
    options.coarse = STARFISH_COARSE_DENSE;
    options.tolerance = 1e-5;
    starfish_status status = diffusion_laplacian(g->n, &given);
    if (status == STARFISH_SUCCESS)
        status = starfish_record_start(context, &record);
    if (status == STARFISH_SUCCESS)
        status = diffusion_repeat(&given, &options, context, &once, &times);
    if (status == STARFISH_SUCCESS)
        status = starfish_record_stop(record);
    if (status == STARFISH_SUCCESS)
        add_shares(g, place, record);
    starfish_record_free(record);
    diffusion_free_times(&times);
    diffusion_case_free(&given);
    return status;
}

static starfish_status measure_shares(struct gupta *g)
{
    g->bench.parts = (size_t)places_here(g);
    return at_all_places(g, shares_at);
}

/* ---- Figure 5, and the sweep over grids, blocks and vectors ------------------------------------------------------ */

static double seconds_of[PLACES][DIFFUSION_VERSIONS];
enum { GRIDS = 3 };

static starfish_status remember_versions(struct gupta *g, int place, starfish_context *context)
{
    return measure_versions(g, place, context, seconds_of[place]);
}

static starfish_status add_sweep(struct gupta *g, const struct diffusion_case *given, size_t n, int version,
                                 starfish_context *context)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    struct diffusion_times times;
    char name[128];

    for (size_t block = 2; block <= (diffusion_versions[version].incomplete_poisson ? 2 : 8); block *= 2)
        for (size_t vectors = 2; vectors <= 8; vectors *= 2) {
            diffusion_set_version(&diffusion_versions[version], block * n, vectors * n, &options);
            options.tolerance = 1e-5;
            STARFISH_TRY(set_precision(g, &options));
            const starfish_status status = run(g, given, &options, context, &times);
            snprintf(name, sizeof name, "%s, %zu x %zu, blocks of %zun, %zun vectors: iterations",
                     diffusion_versions[version].name, n, n, block, vectors);
            if (status == STARFISH_SUCCESS) {
                json_t *row = reproduce_number(&g->bench, name, (double)NAN, REPRODUCE_PICTURE, times.info.iterations);
                describe(row, g, &times, diffusion_versions[version].name);
                json_object_set_new(row, "solve_seconds", command_json_real(diffusion_median(&times)));
            }
            diffusion_free_times(&times);
            STARFISH_TRY(status);
        }
    return STARFISH_SUCCESS;
}

static starfish_status sweep_at(struct gupta *g, int place, starfish_context *context)
{
    if (place + 1 < places_here(g)) /* on the GPU where there is one */
        return STARFISH_SUCCESS;
    for (size_t n = g->n / 4; n <= g->n; n *= 2) {
        struct diffusion_case given;
        starfish_status status = diffusion_laplacian(n, &given);
        bench_next("blocks and vectors, %zu x %zu", n, n);
        for (int v = 5; v < DIFFUSION_VERSIONS && status == STARFISH_SUCCESS; v++)
            status = add_sweep(g, &given, n, v, context);
        diffusion_case_free(&given);
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

static starfish_status measure_figure5(struct gupta *g)
{
    char name[96];

    g->bench.parts = DIFFUSION_VERSIONS * (size_t)places_here(g) + GRIDS;
    STARFISH_TRY(at_all_places(g, remember_versions));
    for (int v = 0; v < DIFFUSION_VERSIONS; v++) {
        snprintf(name, sizeof name, "DPCG%d (%s): speed-up of the GPU over one core", v + 1,
                 diffusion_versions[v].name);
        reproduce_number(&g->bench, name, if_paper(g, paper_versions[v].seconds[0] / paper_versions[v].seconds[1]),
                         REPRODUCE_SIZE, g->bench.gpus > 0 ? seconds_of[0][v] / seconds_of[1][v] : (double)NAN);
    }
    return at_all_places(g, sweep_at);
}

/* ---- Two phases -------------------------------------------------------------------------------------------------- */

/* The paper's versions 1, 2, 6 and 7 at 1000:1, which ended at 1e-2 with false convergence; here in every precision,
 * with the true residual, then with regions as vectors and with multigrid. */
enum { MANY_ITERATIONS = 100, TIMED_ITERATIONS = 20 };

/* A run whose outcome is `known` from a GPU: one core repeats TIMED_ITERATIONS alone where there are more than
 * MANY_ITERATIONS, and the time is as many times as long as the count. known without iterations: a whole run, whose
 * outcome it becomes. *timed: how many iterations ran. */
static starfish_status run_or_time(const struct gupta *g, const struct diffusion_case *given,
                                   struct starfish_diffusion_options *options, starfish_context *context,
                                   struct starfish_diffusion_info *known, struct diffusion_times *times, int *timed)
{
    const int cut = known->iterations > MANY_ITERATIONS;

    options->fixed = cut;
    options->max_iterations = cut ? TIMED_ITERATIONS : 2000;
    STARFISH_TRY(run(g, given, options, context, times));
    *timed = times->info.iterations;
    for (size_t i = 0; i < times->repeat && cut; i++)
        times->seconds[i] *= (double)known->iterations / *timed;
    if (cut)
        times->info = *known;
    *known = times->info;
    return STARFISH_SUCCESS;
}

/* What the paper found with its versions, in f32; of others nothing. */
static const char *says_of(const struct starfish_diffusion_options *options)
{
    if (options->method != STARFISH_DIFFUSION_CG || options->deflation == STARFISH_DEFLATION_REGIONS)
        return NULL;
    return options->deflation == STARFISH_DEFLATION_NONE ? "false convergence at 1e-2" : "missed with many vectors";
}

static starfish_status add_phases(struct gupta *g, const struct diffusion_case *given, int place, const char *name,
                                  const struct starfish_diffusion_options *options, starfish_context *context,
                                  struct starfish_diffusion_info known[PRECISIONS])
{
    static const char *const what[PRECISIONS] = {"f32", "f64", "mixed"};
    struct diffusion_times times;
    char line[160];
    int timed;

    for (int p = 0; p < PRECISIONS; p++) {
        struct starfish_diffusion_options o = *options;
        o.precision = p == 0 ? STARFISH_F32 : STARFISH_F64;
        o.mixed = p == 2;
        o.tolerance = p == 0 ? 1e-6 : 1e-8;
        bench_next("two phases, %s, %s on %s", name, what[p], places[place]);
        const starfish_status status = run_or_time(g, given, &o, context, &known[p], &times, &timed);
        if (status == STARFISH_SUCCESS) {
            snprintf(line, sizeof line, "two phases, %zu x %zu, %s, %s on %s: iterations", g->n, g->n, name, what[p],
                     places[place]);
            json_t *row = reproduce_number(&g->bench, line, (double)NAN, REPRODUCE_OURS, times.info.iterations);
            describe(row, g, &times, name);
            json_object_set_new(row, "precision", json_string(what[p]));
            json_object_set_new(row, "recurrence", command_json_real(times.info.recurrence));
            json_object_set_new(row, "solve_seconds", command_json_real(diffusion_median(&times)));
            json_object_set_new(row, "timed_iterations", json_integer(timed));
            if (says_of(options))
                reproduce_words(row, says_of(options));
        }
        diffusion_free_times(&times);
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

static starfish_status phases_at(struct gupta *g, int place, starfish_context *context)
{
    static const int versions[] = {0, 1, 5, 6};
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    struct diffusion_case given;
    starfish_status status = diffusion_two_phase(g->n, 1000, &given);

    for (size_t v = 0; v < 4 && status == STARFISH_SUCCESS; v++) {
        diffusion_set_version(&diffusion_versions[versions[v]], 2 * g->n, 8 * g->n, &options);
        status = add_phases(g, &given, place, diffusion_versions[versions[v]].name, &options, context, g->known[v]);
    }
    options = (struct starfish_diffusion_options)STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    options.method = STARFISH_DIFFUSION_CG;
    options.preconditioner = STARFISH_PRECONDITIONER_IP;
    options.deflation = STARFISH_DEFLATION_REGIONS;
    if (status == STARFISH_SUCCESS)
        status = add_phases(g, &given, place, "IP, regions", &options, context, g->known[4]);
    options = (struct starfish_diffusion_options)STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    if (status == STARFISH_SUCCESS)
        status = add_phases(g, &given, place, "multigrid", &options, context, g->known[5]);
    diffusion_case_free(&given);
    return status;
}

static starfish_status measure_phases(struct gupta *g)
{
    g->bench.parts = PHASE_METHODS * PRECISIONS * (size_t)places_here(g);
    return at_all_places(g, phases_at);
}

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

/* Cores get a smaller problem. */
static starfish_status measure(struct bench *bench)
{
    struct gupta *g = (struct gupta *)bench;
    struct starfish_diffusion_options unused;

    STARFISH_TRY(set_precision(g, &unused));
    STARFISH_TRY(bench_look_around(bench));
    if (g->n == 0)
        g->n = bench->gpus > 0 ? PAPER_N : 64;
    if (g->n < 16 || g->n > 1024)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--n: is %zu, must be 16 .. 1024", g->n);
    return g->measure(g);
}

static int reproduce(struct gupta *g, const char *usage, const char *summary, int argc, char **argv)
{
    const struct option_entry options[] = {
        {"--n", OPTION_NUMBER, &g->n, "N", .help = "N x N unknowns; without, the paper's 512 on a GPU, 64 on cores"},
        {"--precision", OPTION_TEXT, &g->precision, "P", .help = "f32, the paper's, f64 or mixed"},
        BENCH_OPTIONS(&g->bench),
        {.name = NULL},
    };
    const struct command_line line = {.usage = usage, .summary = summary, .options = options};

    return bench_main(&g->bench, &line, argc, argv, measure);
}

#define EXPERIMENT(function, name_, measure_, summary)                                                                 \
    int function(int argc, char **argv)                                                                                \
    {                                                                                                                  \
        struct gupta g = {.bench = {.name = (name_), .repeat = 1, .warmup = 1, .print = &reproduce_print},             \
                          .precision = "f64",                                                                          \
                          .measure = (measure_)};                                                                      \
        return reproduce(&g, "reproduce " name_ " [OPTION ...]", "Gupta, Vuik, Lemmens 2010, " summary, argc, argv);   \
    }
EXPERIMENT(reproduce_gupta_table1, "gupta-table1", measure_table1, "table 1: seven versions, times and iterations.")
EXPERIMENT(reproduce_gupta_table2, "gupta-table2", gupta_count_kernels, "table 2: words and operations of kernels.")
EXPERIMENT(reproduce_gupta_table3, "gupta-table3", gupta_count_launches, "table 3: kernels of DIPCG2.")
EXPERIMENT(reproduce_gupta_table4, "gupta-table4", gupta_list_characteristics, "table 4: characteristics of kernels.")
EXPERIMENT(reproduce_gupta_table5, "gupta-table5", measure_shares, "table 5: shares of the time and bandwidths.")
EXPERIMENT(reproduce_gupta_figure5, "gupta-figure5", measure_figure5,
           "figure 5: speed-ups, and counts by grids, blocks and vectors.")
EXPERIMENT(reproduce_gupta_two_phase, "gupta-two-phase", measure_phases,
           "section 7.1: two phases at 1000:1, true residuals.")
