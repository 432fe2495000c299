/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce mueller-*: the tables and figures of Mueller, Scheichl, Vainikko 2015 (mueller.h): solves, their
 * iterations and times, CFL numbers; and the commands. */
#include "apps/reproduce/mueller.h"

#include "apps/workers.h"
#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

const char *const mueller_methods[STARFISH_ATMOSPHERE_METHODS] = {
    [STARFISH_ATMOSPHERE_MULTIGRID] = "tensor-product multigrid", [STARFISH_ATMOSPHERE_CG] = "conjugate gradients"};

json_t *mueller_add(struct mueller *m, const char *how, double paper, const char *why, double ours, const char *format,
                    ...)
{
    char name[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    json_t *row = reproduce_number(&m->bench, name, paper, why, ours);
    json_object_set_new(row, "how", json_string(how));
    return row;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

static size_t rows_of(const struct mueller_solve *s)
{
    return s->times > 0 ? s->times * s->n : s->n;
}

static double rhs_of(const struct mueller_solve *s, size_t element)
{
    const size_t i = element % s->n, j = element / s->n % rows_of(s);

    return 4 * i + 2 > s->n && 4 * i + 2 < 3 * s->n && 4 * j + 2 > s->n && 4 * j + 2 < 3 * s->n;
}

/* Pinned memory takes longer to get than a solve; so it is kept while the size stays. */
static starfish_status need_arrays(struct mueller *m, size_t count)
{
    if (m->arrays.rhs && m->arrays.count == count)
        return STARFISH_SUCCESS;
    solve_arrays_free(&m->arrays);
    m->arrays =
        (struct solve_arrays){.context = m->context, .precision = STARFISH_F64, .place = SOLVE_PINNED, .count = count};
    return solve_arrays_make(&m->arrays, NULL, 1);
}

static starfish_status fill_and_solve(struct mueller *m, const struct mueller_solve *s, starfish_plan *plan,
                                      struct starfish_result *info)
{
    const size_t count = s->n * rows_of(s) * m->layers;

    STARFISH_TRY(need_arrays(m, count));
    for (size_t e = 0; e < count; e++)
        ((double *)m->arrays.rhs)[e] = s->panel ? rhs_of(s, e) : 1;
    for (size_t r = 0; r <= m->bench.warmup; r++)
        STARFISH_TRY(starfish_plan_solve(plan, NULL, m->arrays.rhs, m->arrays.solution, info));
    return STARFISH_SUCCESS;
}

static starfish_status run_solve(struct mueller *m, const struct mueller_solve *s, struct starfish_result *info)
{
    const double length = s->panel ? sqrt(2.0943951023931954923) : 1; /* of a square that is a sixth of the sphere */
    const struct starfish_atmosphere_problem problem = {.geometry = s->panel ? STARFISH_PANEL : STARFISH_FLAT_BOX,
                                                        .n = {s->n, rows_of(s), m->layers},
                                                        .length = {1, (double)rows_of(s) / (double)s->n},
                                                        .height = 0.00785,
                                                        .omega = 0.5 * s->cfl * length / (double)s->n,
                                                        .lambda = 1};
    struct starfish_atmosphere_options options = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
    starfish_plan *plan;

    bench_next("%zu x %zu x %zu, %s, CFL number %g", s->n, rows_of(s), m->layers, mueller_methods[s->method], s->cfl);
    options.method = s->method;
    options.levels = s->levels;
    options.coarse_sweeps = s->sweeps;
    options.tolerance = 1e-5;
    options.fixed = s->fixed > 0;
    options.max_iterations = s->fixed > 0 ? s->fixed : 20000;
    STARFISH_TRY(starfish_atmosphere_plan_create(m->context, &problem, &options, &plan));
    const starfish_status status = fill_and_solve(m, s, plan, info);
    starfish_plan_destroy(plan);
    return status;
}

starfish_status mueller_time(struct mueller *m, const struct mueller_solve *solve, double *seconds)
{
    const int slow =
        starfish_context_workers_of(m->context, STARFISH_GPU) == 0 && solve->n * solve->n * m->layers > 1 << 22;
    const int shorter = slow ? 4 : 20, longer = 3 * shorter; /* cores take so long that less is as exact */
    struct mueller_solve s = *solve;
    struct starfish_result few = STARFISH_RESULT_DEFAULTS, many = STARFISH_RESULT_DEFAULTS;

    s.fixed = shorter;
    STARFISH_TRY(run_solve(m, &s, &few));
    s.fixed = longer;
    STARFISH_TRY(run_solve(m, &s, &many));
    *seconds = many.seconds > few.seconds ? (many.seconds - few.seconds) / (longer - shorter) : few.seconds / shorter;
    return STARFISH_SUCCESS;
}

starfish_status mueller_measure(struct mueller *m, size_t n, starfish_atmosphere_method method, int panel,
                                struct mueller_figures *figures)
{
    const struct mueller_solve solve = {n, method, 8.4, 5, 2, 0, panel, 1};
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;

    STARFISH_TRY(run_solve(m, &solve, &info));
    STARFISH_TRY(mueller_time(m, &solve, &figures->iteration));
    figures->iterations = info.iterations;
    figures->all = info.seconds;
    figures->copies = fmax(0, info.seconds - info.iterations * figures->iteration);
    return STARFISH_SUCCESS;
}

starfish_status mueller_with_workers(struct mueller *m, const char *workers, void *data,
                                     starfish_status (*measure)(struct mueller *m, void *data))
{
    const int as_team = strncmp(workers, "cpu", 3) == 0;
    const size_t warmup = m->bench.warmup;

    m->bench.warmup = as_team ? 0 : warmup;
    solve_arrays_free(&m->arrays);
    starfish_context_destroy(m->context); /* one beside it would join its StarPU, and have its workers */
    m->context = NULL;
    starfish_status status = workers_open(workers, as_team, &m->context);
    STARFISH_THEN(status, measure(m, data));
    solve_arrays_free(&m->arrays);
    starfish_context_destroy(m->context);
    m->context = NULL;
    m->bench.warmup = warmup;
    return status;
}

/* ---- Table 3 ----------------------------------------------------------------------------------------------------- */

static const struct {
    size_t n;
    struct mueller_paper of[STARFISH_ATMOSPHERE_METHODS];
} paper_sizes[MUELLER_SIZES] = {{128,
                                 {[STARFISH_ATMOSPHERE_CG] = {2.8, 41.0, 36.4, 70, 19.4, 217.1},
                                  [STARFISH_ATMOSPHERE_MULTIGRID] = {12.8, 24.6, 15.6, 9, 19.6, 135.5}}},
                                {256,
                                 {[STARFISH_ATMOSPHERE_CG] = {7.5, 60.1, 53.4, 62, 63.5, 543.7},
                                  [STARFISH_ATMOSPHERE_MULTIGRID] = {27.3, 45.9, 29.1, 8, 64.3, 285.7}}},
                                {512,
                                 {[STARFISH_ATMOSPHERE_CG] = {29.7, 60.9, 54.2, 59, 228.4, 2029.0},
                                  [STARFISH_ATMOSPHERE_MULTIGRID] = {88.8, 56.4, 35.8, 8, 229.5, 949.9}}},
                                {768, {[STARFISH_ATMOSPHERE_CG] = {65.0, 62.7, 55.7, 58, 494.0, 4365.0}}}};

struct mueller_paper mueller_paper_of(const struct mueller *m, size_t n, starfish_atmosphere_method method)
{
    const struct mueller_paper none = {NAN, NAN, NAN, NAN, NAN, NAN};

    for (size_t s = 0; s < MUELLER_SIZES && m->layers == 128; s++)
        if (paper_sizes[s].n == n && paper_sizes[s].of[method].iterations > 0)
            return paper_sizes[s].of[method];
    return none;
}

size_t mueller_sizes(const struct mueller *m, starfish_atmosphere_method method, size_t least,
                     size_t sizes[MUELLER_SIZES])
{
    size_t count = 0;

    for (size_t s = 0; s < MUELLER_SIZES; s++)
        if (paper_sizes[s].n >= least && paper_sizes[s].of[method].iterations > 0 &&
            paper_sizes[s].n <= (method == STARFISH_ATMOSPHERE_CG ? m->largest : m->n))
            sizes[count++] = paper_sizes[s].n;
    if (count == 0)
        sizes[count++] = m->n;
    return count;
}

/* Rows of a copy in the memory of who solves; the rate of a copy is what the paper's peak bandwidth stands for. */
static void measure_copy(struct mueller *m)
{
    json_t *row;
    size_t i;

    bench_copies(&m->bench);
    m->copy_rate = m->bench.rate[m->bench.gpus > 0];
    reproduce_copies(&m->bench);
    json_array_foreach (m->bench.rows, i, row)
        json_object_set_new(row, "how", json_string("measured"));
}

/* Bytes per second that an iteration of so many words moves, over those of a copy, in percent. */
static double share_of_copy(const struct mueller *m, size_t n, double words, double seconds)
{
    return m->copy_rate > 0 ? 100 * 8 * words * (double)(n * n * m->layers) / seconds / m->copy_rate : (double)NAN;
}

static void add_figures(struct mueller *m, size_t n, starfish_atmosphere_method method, const char *where,
                        const struct mueller_figures *f)
{
    const struct mueller_paper p = mueller_paper_of(m, n, method);
    const struct mueller_cost by_paper = mueller_paper_cost[method];
    const double cells = (double)(n * n * m->layers);
    const struct {
        const char *what;
        double paper, ours;
    } rows[] = {
        {"iterations", p.iterations, f->iterations},
        {"milliseconds per iteration", p.iteration, 1e3 * f->iteration},
        {"GFLOP/s, the paper's operations", p.rate, 1e-9 * by_paper.operations * cells / f->iteration},
        {"% of a copy's bandwidth, the paper's words", p.share, share_of_copy(m, n, by_paper.words, f->iteration)},
        {"% of a copy's bandwidth, our words", (double)NAN,
         share_of_copy(m, n, mueller_cost(m, method).words, f->iteration)},
        {"milliseconds of copies and their order", p.copies, 1e3 * f->copies},
        {"milliseconds in all", p.all, 1e3 * f->all}};

    const char *const why = isnan(p.iterations) ? REPRODUCE_SIZE : "the paper counts its own words";

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        mueller_add(m, "measured", rows[r].paper, why, rows[r].ours, "%s, %sn = %zu: %s", mueller_methods[method],
                    where, n, rows[r].what);
}

static starfish_status measure_solvers(struct mueller *m)
{
    static const char *const where[2] = {"", "panel, "};
    size_t sizes[MUELLER_SIZES];

    measure_copy(m);
    for (int method = STARFISH_ATMOSPHERE_MULTIGRID; method <= STARFISH_ATMOSPHERE_CG; method++)
        m->bench.parts += 6 * mueller_sizes(m, (starfish_atmosphere_method)method, 128, sizes);
    for (int method = STARFISH_ATMOSPHERE_MULTIGRID; method <= STARFISH_ATMOSPHERE_CG; method++) {
        const size_t count = mueller_sizes(m, (starfish_atmosphere_method)method, 128, sizes);
        for (size_t s = 0; s < count; s++)
            for (int panel = 0; panel < 2; panel++) {
                struct mueller_figures f;
                STARFISH_TRY(mueller_measure(m, sizes[s], (starfish_atmosphere_method)method, panel, &f));
                add_figures(m, sizes[s], (starfish_atmosphere_method)method, where[panel], &f);
            }
    }
    return STARFISH_SUCCESS;
}

/* ---- Figure 2: CFL numbers --------------------------------------------------------------------------------------- */

/* Grids, and the sweeps on the coarsest one that the paper found enough, by CFL number. */
enum { NUMBERS = 6, HIERARCHIES = 3 };
static const double cfl_numbers[NUMBERS] = {2.1, 4.2, 8.4, 16.8, 84, 840};
static const struct {
    int grids, sweeps[NUMBERS];
} hierarchies[HIERARCHIES] = {{5, {2, 2, 2, 2, 30, 150}}, {7, {2, 2, 2, 2, 5, 15}}, {10, {2, 2, 2, 2, 2, 2}}};

static starfish_status add_number(struct mueller *m, const struct mueller_solve *s, const char *hierarchy)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    const starfish_status status = run_solve(m, s, &info);
    const int converged = status == STARFISH_SUCCESS;
    const char *const how = converged ? "measured" : "did not converge";

    if (!converged && status != STARFISH_ERROR_NUMERICAL)
        return status;
    mueller_add(m, how, (double)NAN, REPRODUCE_PICTURE, converged ? info.iterations : (double)NAN,
                "%s%s, CFL number %g: iterations", mueller_methods[s->method], hierarchy, s->cfl);
    mueller_add(m, how, (double)NAN, REPRODUCE_PICTURE, converged ? 1e3 * info.seconds : (double)NAN,
                "%s%s, CFL number %g: milliseconds in all", mueller_methods[s->method], hierarchy, s->cfl);
    return STARFISH_SUCCESS;
}

static starfish_status measure_numbers(struct mueller *m)
{
    char hierarchy[32];

    m->bench.parts = NUMBERS * (HIERARCHIES + 1);
    for (int h = 0; h < HIERARCHIES; h++)
        for (int c = 0; c < NUMBERS; c++) {
            struct mueller_solve s = {m->n, STARFISH_ATMOSPHERE_MULTIGRID, cfl_numbers[c], .times = 1};
            s.levels = hierarchies[h].grids;
            s.sweeps = hierarchies[h].sweeps[c];
            snprintf(hierarchy, sizeof hierarchy, ", %d grids", s.levels);
            STARFISH_TRY(add_number(m, &s, hierarchy));
        }
    for (int c = 0; c < NUMBERS; c++) {
        const struct mueller_solve s = {m->n, STARFISH_ATMOSPHERE_CG, cfl_numbers[c], 5, 2, 0, 0, 1};
        STARFISH_TRY(add_number(m, &s, ""));
    }
    return STARFISH_SUCCESS;
}

/* ---- Figure 6 ---------------------------------------------------------------------------------------------------- */

static starfish_status measure_rates(struct mueller *m)
{
    measure_copy(m);
    return mueller_measure_rates(m);
}

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

/* Cores get a smaller problem. */
static starfish_status measure(struct bench *bench)
{
    struct mueller *m = (struct mueller *)bench;

    STARFISH_TRY(bench_look_around(bench));
    m->largest = m->n > 0 ? m->n : bench->gpus > 0 ? 768 : 128;
    if (m->n == 0)
        m->n = bench->gpus > 0 ? 512 : 128;
    if (m->layers == 0)
        m->layers = bench->gpus > 0 ? 128 : 8;
    /* What is called one GPU is one, however many there are. */
    STARFISH_TRY(workers_open(bench->gpus > 0 ? "gpu:1" : "cpu", 0, &m->context));
    const starfish_status status = m->measure(m);
    solve_arrays_free(&m->arrays);
    starfish_context_destroy(m->context);
    return status;
}

int reproduce_mueller(int argc, char **argv)
{
#define PAPER "Mueller, Scheichl, Vainikko 2015, "
    static const struct {
        const char *name;
        starfish_status (*measure)(struct mueller *m);
        const char *summary;
    } rows[] = {
        {"mueller-table1", mueller_count_words, PAPER "table 1: words per cell and iteration."},
        {"mueller-table2", mueller_count_halos, PAPER "table 2: words of halos over words of memory."},
        {"mueller-table3", measure_solvers, PAPER "table 3: iterations and times."},
        {"mueller-table4", mueller_break_down_gradients, PAPER "table 4: conjugate gradients."},
        {"mueller-table5", mueller_break_down_levels, PAPER "table 5: multigrid by levels."},
        {"mueller-table6", mueller_count_unknowns, PAPER "table 6: unknowns."},
        {"mueller-table7", mueller_model_strong,
         PAPER "table 7: strong scaling, modelled from times of one part; on the GPUs of this node measured."},
        {"mueller-figure2", measure_numbers, PAPER "figure 2: CFL numbers."},
        {"mueller-figure3", mueller_break_down_levels, PAPER "figure 3: multigrid by levels."},
        {"mueller-figure4", mueller_model_weak,
         PAPER "figure 4: weak scaling, modelled from times of one part; on the GPUs of this node measured."},
        {"mueller-figure5", mueller_compare_workers, PAPER "figure 5: cores and GPUs."},
        {"mueller-figure6", measure_rates, PAPER "figure 6: operations and bandwidth."},
    };
    size_t row = 0;
    while (strcmp(rows[row].name, argv[0]) != 0)
        row++;
    struct mueller m = {.bench = {.name = rows[row].name, .repeat = 1, .warmup = 1}, .measure = rows[row].measure};
    const struct option_entry options[] = {
        {"--n", OPTION_NUMBER, &m.n, "N", .help = "N x N columns at most; without, 512 on a GPU, 128 on cores"},
        {"--layers", OPTION_NUMBER, &m.layers, "N", .help = "cells of a column; without, 128 on a GPU, 8 on cores"},
        BENCH_OPTIONS(&m.bench),
        {.name = NULL},
    };
    return reproduce_main(&m.bench, rows[row].summary, options, argc, argv, measure);
}
