/* starfish reproduce mueller-*: the tables and figures of Mueller, Scheichl, Vainikko 2015: words, iterations, times
 * per iteration, levels, CFL numbers, cores and GPUs; many GPUs by the paper's model of communication, marked as such.
 *
 * The problem is the paper's on a flat box, f = 1, w = 4.2 h, five grids, V(1,1), two coarse sweeps, to 1e-5, and for
 * iterations on a panel of the cubed sphere too. The paper leaves open the right-hand side, the extent of the panel,
 * its mesh width, lambda(h) and the height: here a whole panel, the mean width of its cells, 1 and 0.00785, and f = 1
 * in the middle quarter, 0 outside. */
#include "apps/command.h"
#include "apps/plans/multigrid_run.h"
#include "apps/reproduce/reproduce.h"
#include "base/status.h"

#include <math.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <string.h>

struct mueller {
    struct bench bench; /* first */
    size_t n, layers;
    starfish_context *context;
    starfish_status (*measure)(struct mueller *m);
};

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

struct solve {
    size_t n;
    starfish_atmosphere_method method;
    double cfl;
    int levels, sweeps, fixed; /* fixed: so many iterations, and no residual is looked at; 0: to 1e-5 */
    int panel;
    size_t times; /* so many times as many rows of columns as there are columns in x; 0: once */
};

static size_t rows_of(const struct solve *s)
{
    return s->times > 0 ? s->times * s->n : s->n;
}

static double rhs_of(const struct solve *s, size_t element)
{
    const size_t i = element % s->n, j = element / s->n % rows_of(s);

    return !s->panel || (4 * i + 2 > s->n && 4 * i + 2 < 3 * s->n && 4 * j + 2 > s->n && 4 * j + 2 < 3 * s->n);
}

static starfish_status fill_and_solve(const struct mueller *m, const struct solve *s, starfish_atmosphere_plan *plan,
                                      struct starfish_atmosphere_info *info)
{
    const size_t count = s->n * rows_of(s) * m->layers;
    double *arrays[2] = {NULL, NULL};
    starfish_status status = STARFISH_SUCCESS;

    for (int a = 0; a < 2 && status == STARFISH_SUCCESS; a++)
        status = starfish_alloc(m->context, count * sizeof(double), (void **)&arrays[a]);
    for (size_t e = 0; e < count && status == STARFISH_SUCCESS; e++)
        arrays[0][e] = rhs_of(s, e);
    for (size_t r = 0; r <= m->bench.warmup && status == STARFISH_SUCCESS; r++)
        status = starfish_atmosphere_solve(plan, arrays[0], arrays[1], info);
    for (int a = 0; a < 2; a++)
        if (arrays[a])
            starfish_free(m->context, arrays[a], count * sizeof(double));
    return status;
}

static starfish_status run(const struct mueller *m, const struct solve *s, struct starfish_atmosphere_info *info)
{
    const double length = s->panel ? sqrt(2.0943951023931954923) : 1; /* of a square that is a sixth of the sphere */
    const struct starfish_atmosphere_problem problem = {.geometry = s->panel ? STARFISH_PANEL : STARFISH_FLAT_BOX,
                                                        .n = {s->n, rows_of(s), m->layers},
                                                        .length = {1, (double)rows_of(s) / (double)s->n},
                                                        .height = 0.00785,
                                                        .omega = 0.5 * s->cfl * length / (double)s->n,
                                                        .lambda = 1};
    struct starfish_atmosphere_options options = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
    starfish_atmosphere_plan *plan;

    bench_next("%zu x %zu x %zu, CFL number %g", s->n, rows_of(s), m->layers, s->cfl);
    *info = (struct starfish_atmosphere_info)STARFISH_ATMOSPHERE_INFO_DEFAULTS;
    options.method = s->method;
    options.levels = s->levels;
    options.coarse_sweeps = s->sweeps;
    options.tolerance = 1e-5;
    options.fixed = s->fixed > 0;
    options.max_iterations = s->fixed > 0 ? s->fixed : 2000;
    STARFISH_TRY(starfish_atmosphere_plan_create(m->context, &problem, &options, &plan));
    const starfish_status status = fill_and_solve(m, s, plan, info);
    starfish_atmosphere_plan_destroy(plan);
    return status;
}

/* A number that is no time of ours; how: "measured", "counted" or "modelled". */
static void add(struct mueller *m, const char *name, const char *how, double paper, double ours)
{
    json_t *row = reproduce_number(&m->bench, name, paper, ours);
    json_object_set_new(row, "how", json_string(how));
}

/* The paper's times are of 512 x 512 x 128; of other sizes it says nothing. */
static double if_paper(const struct mueller *m, size_t n, double number)
{
    return n == 512 && m->layers == 128 ? number : (double)NAN;
}

static const char *const names[] = {
    [STARFISH_ATMOSPHERE_MULTIGRID] = "tensor-product multigrid", [STARFISH_ATMOSPHERE_CG] = "conjugate gradients"};

/* ---- Counts ------------------------------------------------------------------------------------------------------ */

static starfish_status count_words(struct mueller *m)
{
    static const struct {
        const char *name;
        double paper, ours;
    } words[] = {{"CG: SpMV, ours direction with product, and solution with residual", 6, 8},
                 {"CG: Tridiag, ours the lines", 9, 2},
                 {"CG: total", 15, 10},
                 {"multigrid: Smooth, before the correction", 8, 3},
                 {"multigrid: RestrictSmooth on a coarse grid, ours without the restriction", 6, 2},
                 {"multigrid: Residual, ours restricted at once", 3, 2.25},
                 {"multigrid: Prolongate, ours with the Smooth after it, paper's Smooth 8 besides", 3, 3.25},
                 {"multigrid: residual norm, ours computed anew", 1, 2},
                 {"multigrid: total of the finest grid", 23, 10.5},
                 {"multigrid: total of all grids", 29.6, 13}};

    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        add(m, words[w].name, "counted", words[w].paper, words[w].ours);
    return STARFISH_SUCCESS;
}

/* Of a step of conjugate gradients: words per unknown, and vectors whose halos are exchanged. */
enum { CG_WORDS = 10, CG_HALOS = 3 };

/* Equation 17: what is exchanged over what is moved, words of halos `exchanges` times. */
static double exchanged(double n, double exchanges, double words)
{
    return 4 / n * exchanges / words;
}

/* Cycles exchange three times on each of five grids, of which the coarser have half the halo and a quarter of the work
 * in turn; ours twice, since the residual is not stored. */
static double of_grids(double n, double exchanges, double words)
{
    double halos = 0;

    for (int l = 0; l < 5; l++)
        halos += exchanges / pow(2, l);
    return exchanged(n, halos, words);
}

static starfish_status count_halos(struct mueller *m)
{
    static const double paper[3][4] = {{20.8, 10.4, 5.2, 3.5}, {80.5, 40.2, 20.1, 13.4}, {54.3, 27.2, 13.6, 9.1}};
    static const int sizes[4] = {128, 256, 512, 768};
    char name[96];

    for (int s = 0; s < 4; s++) {
        const double n = sizes[s], ours[3] = {1e4 * exchanged(n, CG_HALOS, CG_WORDS), 1e4 * of_grids(n, 3, 13),
                                              1e4 * exchanged(n, 3, 10.5)};
        static const char *const what[3] = {"CG", "multigrid, all grids", "multigrid, finest grid"};
        for (int w = 0; w < 3; w++) {
            snprintf(name, sizeof name, "%s, n = %d: 1e4 times words of halos over words of memory", what[w], sizes[s]);
            add(m, name, "counted", paper[w][s], ours[w]);
        }
    }
    return STARFISH_SUCCESS;
}

static starfish_status count_unknowns(struct mueller *m)
{
    static const struct {
        int gpus, n;
        double paper;
    } rows[] = {{1, 256, 8.39e6},     {1, 512, 3.36e7},     {1, 768, 7.55e7},     {64, 512, 2.15e9},
                {1024, 512, 3.44e10}, {4096, 768, 3.09e11}, {16384, 512, 5.50e11}};
    char name[96];

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        snprintf(name, sizeof name, "%d GPUs of %d x %d x 128: unknowns", rows[r].gpus, rows[r].n, rows[r].n);
        add(m, name, "counted", rows[r].paper, 128.0 * rows[r].gpus * rows[r].n * rows[r].n);
    }
    return STARFISH_SUCCESS;
}

/* ---- One GPU, or cores ------------------------------------------------------------------------------------------- */

static double seconds_of(const struct starfish_atmosphere_info *info)
{
    return info->seconds / info->iterations;
}

static starfish_status compare_solvers(struct mueller *m, size_t n, const double iterations[2], const double times[2])
{
    struct starfish_atmosphere_info info;
    char name[96];

    for (int way = 0; way < 4; way++) {
        const int cg = way % 2, panel = way / 2;
        const char *const where = panel ? "panel, " : "";
        const struct solve s = {n, cg ? STARFISH_ATMOSPHERE_CG : STARFISH_ATMOSPHERE_MULTIGRID, 8.4, 5, 2, 0, panel, 1};
        STARFISH_TRY(run(m, &s, &info));
        snprintf(name, sizeof name, "%s, %sn = %zu: iterations", names[s.method], where, n);
        add(m, name, "measured", iterations[cg], info.iterations);
        snprintf(name, sizeof name, "%s, %sn = %zu: milliseconds per iteration", names[s.method], where, n);
        add(m, name, "measured", m->layers == 128 ? times[cg] : (double)NAN, 1e3 * seconds_of(&info));
        snprintf(name, sizeof name, "%s, %sn = %zu: milliseconds in all", names[s.method], where, n);
        add(m, name, "measured", (double)NAN, 1e3 * info.seconds);
    }
    return STARFISH_SUCCESS;
}

/* The paper's sizes, and a smaller one where no more is asked for. */
static starfish_status measure_solvers(struct mueller *m)
{
    static const struct {
        size_t n;
        double iterations[2], milliseconds[2];
    } paper[] = {{128, {9, 70}, {12.8, 2.8}}, {256, {8, 62}, {27.3, 7.5}}, {512, {8, 59}, {88.8, 29.7}}};
    static const double nothing[2] = {NAN, NAN};

    if (m->n < paper[0].n)
        return compare_solvers(m, m->n, nothing, nothing);
    for (size_t p = 0; p < sizeof paper / sizeof paper[0] && paper[p].n <= m->n; p++)
        STARFISH_TRY(compare_solvers(m, paper[p].n, paper[p].iterations, paper[p].milliseconds));
    return STARFISH_SUCCESS;
}

/* Seconds of an iteration, without what a solve takes before the first and after the last one, as copies of host
 * arrays: from solves of different length. */
static starfish_status time_rows(const struct mueller *m, size_t n, size_t times, starfish_atmosphere_method method,
                                 int levels, double *seconds)
{
    const int slow = starfish_context_workers_of(m->context, STARFISH_GPU) == 0 && n * n * m->layers > 1 << 22;
    const int shorter = slow ? 4 : 20, longer = 3 * shorter; /* cores take so long that less is as exact */
    struct solve s = {n, method, 8.4, levels, 2, shorter, 0, times};
    struct starfish_atmosphere_info few, many;

    STARFISH_TRY(run(m, &s, &few));
    s.fixed = longer;
    STARFISH_TRY(run(m, &s, &many));
    *seconds = many.seconds > few.seconds ? (many.seconds - few.seconds) / (longer - shorter) : few.seconds / shorter;
    return STARFISH_SUCCESS;
}

static starfish_status time_iteration(const struct mueller *m, size_t n, starfish_atmosphere_method method, int levels,
                                      double *seconds)
{
    return time_rows(m, n, 1, method, levels, seconds);
}

static starfish_status measure_gradients(struct mueller *m)
{
    double seconds;
    char name[96];

    STARFISH_TRY(time_iteration(m, m->n, STARFISH_ATMOSPHERE_CG, 5, &seconds));
    snprintf(name, sizeof name, "conjugate gradients, n = %zu: milliseconds per iteration", m->n);
    add(m, name, "measured", if_paper(m, m->n, 29.8), 1e3 * seconds);
    return STARFISH_SUCCESS;
}

/* What a grid takes: a cycle from it on less one from the next. */
static starfish_status measure_levels(struct mueller *m)
{
    static const double paper[] = {64.7, 13.7, 4.8, 2.0, 1.4};
    double finer = 0, seconds;
    char name[96];

    for (int l = 0; l < 5 && m->n >> l >= 4; l++) {
        STARFISH_TRY(time_iteration(m, m->n >> l, STARFISH_ATMOSPHERE_MULTIGRID, 5 - l, &seconds));
        if (l > 0) {
            snprintf(name, sizeof name, "multigrid, level %d, n = %zu: milliseconds", 6 - l, m->n >> (l - 1));
            add(m, name, "measured", if_paper(m, m->n, paper[l - 1]), 1e3 * (finer - seconds));
        }
        finer = seconds;
    }
    snprintf(name, sizeof name, "multigrid, the coarsest grid: milliseconds");
    add(m, name, "measured", if_paper(m, m->n, paper[4]), 1e3 * finer);
    return STARFISH_SUCCESS;
}

/* ---- CFL numbers ------------------------------------------------------------------------------------------------- */

static starfish_status measure_numbers(struct mueller *m)
{
    static const struct {
        double cfl;
        int levels, sweeps;
    } cases[] = {{2.1, 5, 2}, {4.2, 5, 2},   {8.4, 5, 2}, {16.8, 5, 2},
                 {84, 5, 30}, {840, 5, 150}, {84, 7, 5},  {840, 7, 15}};
    struct starfish_atmosphere_info info;
    char name[96];

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int cg = 0; cg < 2; cg++) {
            const struct solve s = {m->n,
                                    cg ? STARFISH_ATMOSPHERE_CG : STARFISH_ATMOSPHERE_MULTIGRID,
                                    cases[c].cfl,
                                    cases[c].levels,
                                    cases[c].sweeps,
                                    0,
                                    0,
                                    1};
            if (cg && cases[c].levels != 5)
                continue;
            STARFISH_TRY(run(m, &s, &info));
            snprintf(name, sizeof name, "%s, CFL number %g%s: iterations", names[s.method], s.cfl,
                     cg              ? ""
                     : s.levels == 5 ? ", 5 grids"
                                     : ", 7 grids");
            add(m, name, "measured", (double)NAN, info.iterations);
            snprintf(name, sizeof name, "%s, CFL number %g, %d grids: milliseconds in all", names[s.method], s.cfl,
                     s.levels);
            add(m, name, "measured", (double)NAN, 1e3 * info.seconds);
        }
    return STARFISH_SUCCESS;
}

/* ---- Many GPUs, and cores ---------------------------------------------------------------------------------------- */

/* The paper's model: a time on one, and its share of halos times the ratio of bandwidths, here 4.2 TB/s to 25 GB/s. */
enum { RATIO = 168 };

static starfish_status time_on(struct mueller *m, const char *workers, size_t times, starfish_atmosphere_method method,
                               double *seconds)
{
    starfish_context *const all = m->context;

    STARFISH_TRY(multigrid_context(workers, &m->context));
    const starfish_status status = time_rows(m, m->n, times, method, 5, seconds);
    starfish_context_destroy(m->context);
    m->context = all;
    return status;
}

/* On 1, 2, ... GPUs of this node, where there are several: n x n columns on each (weak), or on all together. */
static starfish_status measure_gpus(struct mueller *m, int weak)
{
    double one = 0, seconds;
    char name[128], workers[16];

    for (int method = STARFISH_ATMOSPHERE_MULTIGRID; method <= STARFISH_ATMOSPHERE_CG && m->bench.gpus > 1; method++)
        for (size_t gpus = 1; gpus <= m->bench.gpus; gpus *= 2) {
            snprintf(workers, sizeof workers, "gpu:%zu", gpus);
            STARFISH_TRY(time_on(m, workers, weak ? gpus : 1, (starfish_atmosphere_method)method, &seconds));
            one = gpus == 1 ? seconds : one;
            snprintf(name, sizeof name, "%s, %zu GPUs, %zu x %zu %s: milliseconds per iteration", names[method], gpus,
                     m->n, m->n, weak ? "each" : "together");
            add(m, name, "measured", (double)NAN, 1e3 * seconds);
            snprintf(name, sizeof name, "%s, %zu GPUs, %zu x %zu %s: efficiency", names[method], gpus, m->n, m->n,
                     weak ? "each" : "together");
            add(m, name, "measured", (double)NAN, one / seconds / (weak ? 1 : (double)gpus));
        }
    return STARFISH_SUCCESS;
}

static starfish_status model_weak(struct mueller *m)
{
    double seconds[STARFISH_ATMOSPHERE_METHODS];
    char name[128];

    for (int method = STARFISH_ATMOSPHERE_MULTIGRID; method <= STARFISH_ATMOSPHERE_CG; method++) {
        const double share = method == STARFISH_ATMOSPHERE_CG ? exchanged((double)m->n, CG_HALOS, CG_WORDS)
                                                              : of_grids((double)m->n, 3, 13);
        STARFISH_TRY(time_iteration(m, m->n, (starfish_atmosphere_method)method, 5, &seconds[method]));
        snprintf(name, sizeof name, "%s, 1 part of %zu x %zu: milliseconds per iteration", names[method], m->n, m->n);
        add(m, name, "measured", if_paper(m, m->n, method == STARFISH_ATMOSPHERE_CG ? 29.8 : 88.8),
            1e3 * seconds[method]);
        for (int parts = 4; parts <= 16384; parts *= 4) {
            snprintf(name, sizeof name, "%s, %d parts of %zu x %zu: milliseconds per iteration", names[method], parts,
                     m->n, m->n);
            add(m, name, "modelled", (double)NAN, 1e3 * seconds[method] * (1 + RATIO * share));
        }
    }
    return measure_gpus(m, 1);
}

/* The paper's parts, and where a smaller size is asked for its own. */
static starfish_status model_strong(struct mueller *m)
{
    static const struct {
        int parts, n;
        double paper[2]; /* seconds of multigrid and CG */
    } rows[] = {{256, 512, {1.102, 2.141}}, {1024, 256, {0.415, 0.631}}, {4096, 128, {0.250, 0.541}}};
    double seconds;
    char name[96];

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int cg = 0; cg < 2 && ((size_t)rows[r].n <= m->n || rows[r].n == 128); cg++) {
            const size_t size = (size_t)rows[r].n < m->n ? (size_t)rows[r].n : m->n;
            const double n = (double)size, share = cg ? exchanged(n, CG_HALOS, CG_WORDS) : of_grids(n, 3, 13);
            const starfish_atmosphere_method method = cg ? STARFISH_ATMOSPHERE_CG : STARFISH_ATMOSPHERE_MULTIGRID;
            STARFISH_TRY(time_iteration(m, size, method, 5, &seconds));
            snprintf(name, sizeof name, "%s, %d GPUs of %zu x %zu: seconds in all", names[method], rows[r].parts, size,
                     size);
            add(m, name, "modelled", size == (size_t)rows[r].n ? rows[r].paper[cg] : (double)NAN,
                (cg ? 66 : 8) * seconds * (1 + RATIO * share));
        }
    return measure_gpus(m, 0);
}

static starfish_status compare_workers(struct mueller *m)
{
    static const char *const sets[] = {"cpu", "gpu"};
    char name[96];

    for (int w = 0; w < (m->bench.gpus > 0 ? 2 : 1); w++)
        for (int method = STARFISH_ATMOSPHERE_MULTIGRID; method <= STARFISH_ATMOSPHERE_CG; method++) {
            double seconds = 0;
            STARFISH_TRY(time_on(m, sets[w], 1, (starfish_atmosphere_method)method, &seconds));
            snprintf(name, sizeof name, "%s, %s, n = %zu: milliseconds per iteration", names[method], sets[w], m->n);
            add(m, name, "measured", (double)NAN, 1e3 * seconds);
        }
    return STARFISH_SUCCESS;
}

static starfish_status measure_rates(struct mueller *m)
{
    static const struct {
        double operations, ours, paper, rate;
    } of[] = {
        [STARFISH_ATMOSPHERE_MULTIGRID] = {149.4, 11, 29.6, 56.4}, [STARFISH_ATMOSPHERE_CG] = {54, CG_WORDS, 15, 60.9}};
    const double count = (double)(m->n * m->n * m->layers);
    double seconds;
    char name[96];

    for (int method = STARFISH_ATMOSPHERE_MULTIGRID; method <= STARFISH_ATMOSPHERE_CG; method++) {
        STARFISH_TRY(time_iteration(m, m->n, (starfish_atmosphere_method)method, 5, &seconds));
        const struct {
            const char *what;
            double paper, ours;
        } rows[] = {{"GFLOP/s, the paper's operations", if_paper(m, m->n, of[method].rate),
                     1e-9 * of[method].operations * count / seconds},
                    {"GB/s, the paper's words", (double)NAN, 8e-9 * of[method].paper * count / seconds},
                    {"GB/s, our words", (double)NAN, 8e-9 * of[method].ours * count / seconds}};
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            snprintf(name, sizeof name, "%s, n = %zu: %s", names[method], m->n, rows[r].what);
            add(m, name, "measured", rows[r].paper, rows[r].ours);
        }
    }
    return STARFISH_SUCCESS;
}

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

/* Cores get a smaller problem. */
static starfish_status measure(struct bench *bench)
{
    struct mueller *m = (struct mueller *)bench;
    const struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;

    STARFISH_TRY(bench_look_around(bench));
    if (m->n == 0)
        m->n = bench->gpus > 0 ? 512 : 128;
    if (m->layers == 0)
        m->layers = bench->gpus > 0 ? 128 : 8;
    if (m->measure == compare_workers)
        return m->measure(m);
    STARFISH_TRY(starfish_context_create(&m->context, &options));
    const starfish_status status = m->measure(m);
    starfish_context_destroy(m->context);
    return status;
}

static int reproduce(struct mueller *m, const char *usage, const char *summary, int argc, char **argv)
{
    const struct option_entry options[] = {
        {"--n", OPTION_NUMBER, &m->n, "N", .help = "N x N columns at most; without, 512 on a GPU, 128 on cores"},
        {"--layers", OPTION_NUMBER, &m->layers, "N", .help = "cells of a column; without, 128 on a GPU, 8 on cores"},
        BENCH_OPTIONS(&m->bench),
        {.name = NULL},
    };
    const struct command_line line = {.usage = usage, .summary = summary, .options = options};

    return bench_main(&m->bench, &line, argc, argv, measure);
}

#define EXPERIMENT(function, name_, measure_, summary)                                                                 \
    int function(int argc, char **argv)                                                                                \
    {                                                                                                                  \
        struct mueller m = {.bench = {.name = (name_), .repeat = 1, .warmup = 1, .print = &reproduce_print},           \
                            .measure = (measure_)};                                                                    \
        return reproduce(&m, "reproduce " name_ " [OPTION ...]", "Mueller, Scheichl, Vainikko 2015, " summary, argc,   \
                         argv);                                                                                        \
    }
EXPERIMENT(reproduce_mueller_table1, "mueller-table1", count_words, "table 1: words per cell and iteration.")
EXPERIMENT(reproduce_mueller_table2, "mueller-table2", count_halos, "table 2: words of halos over words of memory.")
EXPERIMENT(reproduce_mueller_table3, "mueller-table3", measure_solvers, "table 3: iterations and times.")
EXPERIMENT(reproduce_mueller_table4, "mueller-table4", measure_gradients, "table 4: conjugate gradients.")
EXPERIMENT(reproduce_mueller_table5, "mueller-table5", measure_levels, "table 5: multigrid by levels.")
EXPERIMENT(reproduce_mueller_table6, "mueller-table6", count_unknowns, "table 6: unknowns.")
EXPERIMENT(reproduce_mueller_table7, "mueller-table7", model_strong,
           "table 7: strong scaling, modelled from times of one part; on the GPUs of this node measured.")
EXPERIMENT(reproduce_mueller_figure2, "mueller-figure2", measure_numbers, "figure 2: CFL numbers.")
EXPERIMENT(reproduce_mueller_figure3, "mueller-figure3", measure_levels, "figure 3: multigrid by levels.")
EXPERIMENT(reproduce_mueller_figure4, "mueller-figure4", model_weak,
           "figure 4: weak scaling, modelled from times of one part; on the GPUs of this node measured.")
EXPERIMENT(reproduce_mueller_figure5, "mueller-figure5", compare_workers, "figure 5: cores and GPUs.")
EXPERIMENT(reproduce_mueller_figure6, "mueller-figure6", measure_rates, "figure 6: operations and bandwidth.")
