/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce gupta-*: Gupta, Vuik, Lemmens, report 10-20, Delft Institute of Applied Mathematics, 2010: the
 * seven versions of their code on one core and on a GPU, what its kernels move, speed-ups, and the two-phase matrix,
 * where theirs ended with false convergence.
 *
 * The matrix is the five-point one with 4 on the diagonal, n x n unknowns, blocks of 2n, 8n stripes, to 1e-5; the
 * paper's right-hand side is not stated, and here belongs to random numbers in [1, 2]. So its counts with deflation,
 * 41 and 49, are not reproduced; those without are. */
#include "apps/reproduce/gupta.h"

#include "apps/workers.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const workers[PLACES] = {"cpu:1", "gpu:1"};
const char *const gupta_places[PLACES] = {"one core", "one GPU"};

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static starfish_status set_precision(const struct gupta *g, struct starfish_diffusion_options *options)
{
    const int mixed = strcmp(g->precision, "mixed") == 0, single = strcmp(g->precision, "f32") == 0;

    STARFISH_FAIL_IF(!mixed && !single && strcmp(g->precision, "f64") != 0, STARFISH_ERROR_ARGUMENT,
                     "--precision: is '%s', must be f32, f64 or mixed", g->precision);
    options->precision = single ? STARFISH_F32 : STARFISH_F64;
    options->mixed = mixed;
    return STARFISH_SUCCESS;
}

static starfish_status run(const struct gupta *g, const struct diffusion_case *given,
                           const struct starfish_diffusion_options *options, starfish_context *context,
                           struct repeated *times)
{
    const int one_core = starfish_context_workers_of(context, STARFISH_GPU) == 0; /* which has nothing to choose */
    struct repeats what = repeats_of(&g->bench, context, SOLVE_PINNED);

    what.warmup = one_core ? 0 : what.warmup;
    return diffusion_repeat(given, options, what, times);
}

int gupta_places_here(const struct gupta *g)
{
    return g->bench.gpus > 0 ? PLACES : 1;
}

starfish_status gupta_at_all_places(struct gupta *g,
                                    starfish_status (*measure)(struct gupta *g, int place, starfish_context *context))
{
    starfish_context *context;

    for (int place = gupta_places_here(g) - 1; place >= 0; place--) {
        STARFISH_TRY(workers_open(workers[place], 0, &context));
        const starfish_status status = measure(g, place, context);
        starfish_context_destroy(context);
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

double gupta_if_paper(const struct gupta *g, double number)
{
    return g->n == PAPER_N ? number : (double)NAN;
}

static void describe(json_t *row, const struct gupta *g, const struct repeated *times, const char *version)
{
    command_keys(row, KEY("version", version), KEY("precision", g->precision),
                 KEY("status", starfish_outcome_name(times->result.outcome)),
                 KEY("iterations", times->result.iterations), KEY("residual", times->result.residual));
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
                                   starfish_context *context, struct repeated *times)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;

    diffusion_set_version(&diffusion_versions[version], 2 * g->n, 8 * g->n, &options);
    options.tolerance = 1e-5;
    STARFISH_TRY(set_precision(g, &options));
    return run(g, given, &options, context, times);
}

/* GFLOP/s of DIPCG2. The paper's are by its equation 25, which counts a dense inverse of E, and by the times of section
 * 7.2.1, which are not those of table 1: 0.0987 and 2.237 s. Ours are by what the tasks of a step count. */
static starfish_status add_rate(struct gupta *g, const struct diffusion_case *given, int place,
                                starfish_context *context, double seconds_of_step)
{
    static const double of_paper[PLACES] = {0.65, 14.79};
    struct gupta_solves solves = {.version = GUPTA_DIPCG2};

    const starfish_status status = gupta_record(g, given, context, &solves);
    if (status == STARFISH_SUCCESS)
        reproduce_number(&g->bench, bench_name("DIPCG2 on %s, %zu x %zu: GFLOP/s", gupta_places[place], g->n, g->n),
                         gupta_if_paper(g, of_paper[place]), REPRODUCE_SIZE,
                         1e-9 * gupta_of_step(&solves, NULL).operations / seconds_of_step);
    gupta_forget(&solves);
    return status;
}

/* The times of a version at a place, and its count; *seconds: the median. */
static starfish_status add_version(struct gupta *g, const struct diffusion_case *given, int version, int place,
                                   starfish_context *context, double *seconds)
{
    const struct diffusion_version *v = &diffusion_versions[version];
    struct repeated times;
    char name[128];

    bench_next("%s on %s, %zu x %zu", v->name, gupta_places[place], g->n, g->n);
    STARFISH_TRY(run_version(g, given, version, context, &times));
    snprintf(name, sizeof name, "DPCG%d (%s) on %s, %zu x %zu", version + 1, v->name, gupta_places[place], g->n, g->n);
    json_t *row = bench_row(&g->bench, "starfish", name, times.seconds, times.repeat, 0);
    *seconds = bench_seconds(row);
    reproduce_compare(row, gupta_if_paper(g, paper_versions[version].seconds[place]), REPRODUCE_SIZE, *seconds);
    describe(row, g, &times, v->name);
    command_keys(row, KEY("plan_seconds", times.about.seconds), KEY("error", times.error));
    row = reproduce_number(&g->bench, bench_name("%s: iterations", name),
                           gupta_if_paper(g, paper_versions[version].iterations[place]), REPRODUCE_SIZE,
                           times.result.iterations);
    describe(row, g, &times, v->name);
    command_keys(row, KEY("error", times.error));
    if (v->deflated)
        command_keys(row, KEY("note", "not reproduced: the paper's right-hand side is not known"));
    return version == GUPTA_DIPCG2 ? add_rate(g, given, place, context, *seconds / times.result.iterations)
                                   : STARFISH_SUCCESS;
}

static double seconds_of[PLACES][DIFFUSION_VERSIONS];

static starfish_status measure_versions(struct gupta *g, int place, starfish_context *context)
{
    struct diffusion_case given;
    starfish_status status = diffusion_laplacian(g->n, &given);

    for (int v = 0; v < DIFFUSION_VERSIONS && status == STARFISH_SUCCESS; v++)
        status = add_version(g, &given, v, place, context, &seconds_of[place][v]);
    diffusion_case_free(&given);
    return status;
}

static starfish_status measure_table1(struct gupta *g)
{
    g->bench.parts = DIFFUSION_VERSIONS * (size_t)gupta_places_here(g);
    return gupta_at_all_places(g, measure_versions);
}

/* ---- Figure 5, and the sweep over grids, blocks and vectors ------------------------------------------------------ */

enum { GRIDS = 3 };

static starfish_status add_sweep(struct gupta *g, const struct diffusion_case *given, size_t n, int version,
                                 starfish_context *context)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    struct repeated times;

    for (size_t block = 2; block <= (diffusion_versions[version].incomplete_poisson ? 2 : 8); block *= 2)
        for (size_t vectors = 2; vectors <= 8; vectors *= 2) {
            diffusion_set_version(&diffusion_versions[version], block * n, vectors * n, &options);
            options.tolerance = 1e-5;
            STARFISH_TRY(set_precision(g, &options));
            STARFISH_TRY(run(g, given, &options, context, &times));
            json_t *row = reproduce_number(&g->bench,
                                           bench_name("%s, %zu x %zu, blocks of %zun, %zun vectors: iterations",
                                                      diffusion_versions[version].name, n, n, block, vectors),
                                           (double)NAN, REPRODUCE_PICTURE, times.result.iterations);
            describe(row, g, &times, diffusion_versions[version].name);
            command_keys(row, KEY("solve_seconds", command_median(times.seconds, times.repeat)));
        }
    return STARFISH_SUCCESS;
}

static starfish_status sweep_at(struct gupta *g, int place, starfish_context *context)
{
    if (place + 1 < gupta_places_here(g)) /* on the GPU where there is one */
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
    g->bench.parts = DIFFUSION_VERSIONS * (size_t)gupta_places_here(g) + GRIDS;
    STARFISH_TRY(gupta_at_all_places(g, measure_versions));
    for (int v = 0; v < DIFFUSION_VERSIONS; v++)
        reproduce_number(
            &g->bench, bench_name("DPCG%d (%s): speed-up of the GPU over one core", v + 1, diffusion_versions[v].name),
            gupta_if_paper(g, paper_versions[v].seconds[0] / paper_versions[v].seconds[1]), REPRODUCE_SIZE,
            g->bench.gpus > 0 ? seconds_of[0][v] / seconds_of[1][v] : (double)NAN);
    return gupta_at_all_places(g, sweep_at);
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
                                   struct starfish_result *known, struct repeated *times, int *timed)
{
    const int cut = known->iterations > MANY_ITERATIONS;

    options->fixed = cut;
    options->max_iterations = cut ? TIMED_ITERATIONS : 2000;
    STARFISH_TRY(run(g, given, options, context, times));
    *timed = times->result.iterations;
    for (size_t i = 0; i < times->repeat && cut; i++)
        times->seconds[i] *= (double)known->iterations / *timed;
    if (cut)
        times->result = *known;
    *known = times->result;
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
                                  struct starfish_result known[PRECISIONS])
{
    static const char *const what[PRECISIONS] = {"f32", "f64", "mixed"};
    struct repeated times;
    int timed;

    for (int p = 0; p < PRECISIONS; p++) {
        struct starfish_diffusion_options o = *options;
        o.precision = p == 0 ? STARFISH_F32 : STARFISH_F64;
        o.mixed = p == 2;
        o.tolerance = p == 0 ? 1e-6 : 1e-8;
        bench_next("two phases, %s, %s on %s", name, what[p], gupta_places[place]);
        STARFISH_TRY(run_or_time(g, given, &o, context, &known[p], &times, &timed));
        json_t *row = reproduce_number(&g->bench,
                                       bench_name("two phases, %zu x %zu, %s, %s on %s: iterations", g->n, g->n, name,
                                                  what[p], gupta_places[place]),
                                       (double)NAN, REPRODUCE_OURS, times.result.iterations);
        describe(row, g, &times, name);
        command_keys(row, KEY("precision", what[p]), KEY("recurrence", times.result.recurrence),
                     KEY("solve_seconds", command_median(times.seconds, times.repeat)), KEY("timed_iterations", timed));
        if (says_of(options))
            reproduce_words(row, says_of(options));
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
    STARFISH_THEN(status, add_phases(g, &given, place, "IP, regions", &options, context, g->known[4]));
    options = (struct starfish_diffusion_options)STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    STARFISH_THEN(status, add_phases(g, &given, place, "multigrid", &options, context, g->known[5]));
    diffusion_case_free(&given);
    return status;
}

static starfish_status measure_phases(struct gupta *g)
{
    g->bench.parts = PHASE_METHODS * PRECISIONS * (size_t)gupta_places_here(g);
    return gupta_at_all_places(g, phases_at);
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
    STARFISH_FAIL_IF(g->n < 16 || g->n > 1024, STARFISH_ERROR_ARGUMENT, "--n: is %zu, must be 16 .. 1024", g->n);
    return g->measure(g);
}

int reproduce_gupta(int argc, char **argv)
{
#define PAPER "Gupta, Vuik, Lemmens 2010, "
    static const struct {
        const char *name;
        starfish_status (*measure)(struct gupta *g);
        const char *summary;
    } rows[] = {
        {"gupta-table1", measure_table1, PAPER "table 1: seven versions, times and iterations."},
        {"gupta-table2", gupta_count_kernels, PAPER "table 2: words and operations of kernels."},
        {"gupta-table3", gupta_count_launches, PAPER "table 3: kernels of DIPCG2."},
        {"gupta-table4", gupta_list_characteristics, PAPER "table 4: characteristics of kernels."},
        {"gupta-table5", gupta_measure_shares, PAPER "table 5: shares of the time and bandwidths."},
        {"gupta-figure5", measure_figure5, PAPER "figure 5: speed-ups, and counts by grids, blocks and vectors."},
        {"gupta-two-phase", measure_phases, PAPER "section 7.1: two phases at 1000:1, true residuals."},
    };
    size_t row = 0;
    while (strcmp(rows[row].name, argv[0]) != 0)
        row++;
    static const struct gupta defaults = {.bench = {.repeat = 1, .warmup = 1}, .precision = "f64"};
    static struct gupta g;
    g = defaults;
    g.bench.name = rows[row].name;
    g.measure = rows[row].measure;
    const struct option_entry options[] = {
        {"--n", OPTION_NUMBER, &g.n, "N", .help = "N x N unknowns; without, the paper's 512 on a GPU, 64 on cores"},
        {"--precision", OPTION_TEXT, &g.precision, "P", .help = "f32, the paper's, f64 or mixed"},
        BENCH_OPTIONS(&g.bench),
        {.name = NULL},
    };
    return reproduce_main(&g.bench, rows[row].summary, options, argc, argv, measure);
}
