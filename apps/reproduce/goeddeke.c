/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce goeddeke-table1 .. table6, figure2, figure5, figure6: the experiments of Goeddeke and Strzodka,
 * "Cyclic reduction tridiagonal solvers on GPUs applied to mixed precision multigrid", IEEE Trans. Parallel Distrib.
 * Syst. 22 (2011), 22-32.
 *
 * Errors and cycles do not depend on the machine; the paper's times are of a GeForce GTX 280, and of one core of a
 * Core2Duo E6750 where it has ratios of both. The paper counts (2^L+1)^2 unknowns with those on the boundary, ours are
 * the (2^L-1)^2 inner ones. */
#include "apps/plans/multigrid_run.h"
#include "apps/reproduce/reproduce.h"
#include "apps/workers.h"
#include "multigrid/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const meshes[] = {"U1", "U2", "U3", "A1", "A2", "A3", "A4", "A5"};
enum { MESHES = sizeof meshes / sizeof meshes[0], FIRST_LEVEL = 8, PAPER_LEVELS = 2, MOST_CYCLES = 2000 };

struct run;

struct experiment {
    struct bench bench; /* first: measure() gets at the rest through it */
    size_t level;       /* the largest */
    const struct row *row;
    starfish_context *context; /* a GPU if there is one, else all cores */
};

/* A table or figure of the paper. */
struct row {
    const char *name, *summary, *mesh;
    size_t level, solves, with_gpu; /* solves that are announced for a mesh and level (table 1: a level) */
    starfish_status (*measure)(struct experiment *e); /* NULL: every mesh at the largest level and the one before: */
    starfish_status (*measure_mesh)(struct experiment *e, struct run *run, size_t mesh);
    int by_digits; /* table 4 rather than 3 */
    int alone;     /* makes contexts of its own, or none */
};

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* A solve of a mesh at a level; both are put into every row. */
struct run {
    struct multigrid_mesh mesh;
    const char *name;
    int level;
    int beside; /* matrix-free, beside the paper's stored nine bands: the paper has no such number */
    struct starfish_multigrid_options options;
    struct repeated times;
};

static starfish_status run_create(struct run *run, const char *mesh, int level)
{
    const struct starfish_multigrid_options defaults = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;

    *run = (struct run){.name = mesh, .level = level, .options = defaults};
    run->options.smoother = STARFISH_SMOOTHER_ADI;
    run->options.matrix = STARFISH_MATRIX_STORED;
    run->options.max_iterations = MOST_CYCLES;
    return multigrid_mesh_create(mesh, level, &run->mesh);
}

static starfish_status run_once(const struct experiment *e, struct run *run, size_t warmup, size_t repeat)
{
    const struct repeats what = {
        .arrays = {.context = e->context, .place = SOLVE_PINNED}, .warmup = warmup, .repeat = repeat};

    return multigrid_run(&run->mesh, &run->options, what, &run->times);
}

static json_t *complete(json_t *row, const struct run *run, const char *variant, double paper, const char *why,
                        double ours)
{
    reproduce_compare(row, run->beside ? (double)NAN : paper, run->beside ? "the paper stores its matrix" : why, ours);
    command_keys(row, KEY("mesh", run->name), KEY("level", run->level), KEY("variant", variant),
                 KEY("matrix", run->beside ? "matrix-free" : starfish_matrix_names[STARFISH_MATRIX_STORED]),
                 KEY("cycles", run->times.result.iterations), KEY("corrections", run->times.result.corrections),
                 KEY("residual", run->times.result.residual), KEY("error", run->times.error));
    return row;
}

static const char *form_of(const struct run *run)
{
    return run->beside ? ", matrix-free" : "";
}

/* A number that is no time. why: the paper has none, as reproduce_compare has it. */
static json_t *add_number(struct experiment *e, const struct run *run, const char *variant, const char *what,
                          double paper, const char *why, double ours)
{
    return complete(
        bench_remark(&e->bench, "starfish",
                     bench_name("%s, level %d, %s%s: %s", run->name, run->level, variant, form_of(run), what)),
        run, variant, paper, why, ours);
}

static json_t *add_time(struct experiment *e, struct run *run, const char *variant, double paper, const char *why)
{
    json_t *row = bench_row(&e->bench, "starfish",
                            bench_name("%s, level %d, %s%s: time", run->name, run->level, variant, form_of(run)),
                            run->times.seconds, run->times.repeat, 0);
    return complete(row, run, variant, paper, why, bench_seconds(row));
}

/* ---- Tables 1 and 2: errors -------------------------------------------------------------------------------------- */

static starfish_status add_error(struct experiment *e, struct run *run, size_t precision, const char *variant,
                                 double paper, const char *why)
{
    multigrid_set_precision(&run->options, precision);
    /* so that the algebraic error is not seen; single precision stops where rounding errors stop it */
    run->options.tolerance = precision == STARFISH_F32 ? 1e-8 : 1e-10;
    run->options.max_iterations = precision == STARFISH_F32 ? 8 : 100;
    bench_next("%s, level %d, %s", run->name, run->level, variant);
    STARFISH_TRY(run_once(e, run, 0, 1));
    json_t *row = add_number(e, run, variant, "error", paper, why, run->times.error);
    json_object_set_new(row, "digits", json_integer(8));
    return STARFISH_SUCCESS;
}

/* Single precision as in the paper, with diagonals and sums of products, then with row sums and differences. */
static starfish_status add_single_errors(struct experiment *e, struct run *run, double paper, double *error)
{
    run->options.stored_diagonal = 1;
    STARFISH_TRY(add_error(e, run, STARFISH_F32, "single", paper, REPRODUCE_SIZE));
    *error = run->times.error;
    run->options.stored_diagonal = 0;
    return add_error(e, run, STARFISH_F32, "single, row sums", (double)NAN, REPRODUCE_OURS);
}

/* The error of the level before over that of this one, in single and double precision. */
static void add_reductions(struct experiment *e, const struct run *run, const double paper[2], const double ours[2])
{
    static const char *const variants[2] = {"single", "double"};

    for (int w = 0; w < 2 && run->level > 2; w++)
        add_number(e, run, variants[w], "reduction of the error", paper[w], REPRODUCE_SIZE, ours[w]);
}

static starfish_status measure_table1(struct experiment *e)
{
    static const double single[] = {7.1663649e-2, 1.7802522e-2, 4.4428836e-3, 1.1103626e-3, 2.7897810e-4,
                                    5.5209742e-5, 2.8037403e-5, 2.2419906e-4, 1.0585913e-3};
    static const double twice[] = {7.1663606e-2, 1.7802586e-2, 4.4429161e-3, 1.1102363e-3, 2.7752805e-4,
                                   6.9380191e-5, 1.7344895e-5, 4.3362264e-6, 1.0841185e-6};
    enum { KNOWN = sizeof single / sizeof single[0], FIRST = 2 };
    starfish_status status = STARFISH_SUCCESS;
    double last[2] = {NAN, NAN}, error[2] = {NAN, NAN};

    for (int level = FIRST; level <= (int)e->level && status == STARFISH_SUCCESS; level++) {
        const int at = level - FIRST, known = at<KNOWN, before = at> 0 ? at - 1 : 0;
        const double paper[2] = {known && at > 0 ? single[before] / single[at] : (double)NAN,
                                 known && at > 0 ? twice[before] / twice[at] : (double)NAN};
        struct run run;
        status = run_create(&run, "U1", level);
        STARFISH_THEN(status, add_single_errors(e, &run, known ? single[at] : (double)NAN, &error[0]));
        STARFISH_THEN(status,
                      add_error(e, &run, STARFISH_F64, "double", known ? twice[at] : (double)NAN, REPRODUCE_SIZE));
        error[1] = run.times.error;
        if (status == STARFISH_SUCCESS)
            add_reductions(e, &run, paper, (double[]){last[0] / error[0], last[1] / error[1]});
        memcpy(last, error, sizeof last);
        multigrid_mesh_free(&run.mesh);
    }
    return status;
}

/* By mesh, level 8 and 9: double on the CPU, mixed on the GPU. */
static const double table2[MESHES][PAPER_LEVELS][2] = {{{1.7344895e-5, 1.7344902e-5}, {4.3362264e-6, 4.3362292e-6}},
                                                       {{1.6946217e-5, 1.6946281e-5}, {4.2365330e-6, 4.2363011e-6}},
                                                       {{1.6603963e-5, 1.6603650e-5}, {4.1508011e-6, 4.1504573e-6}},
                                                       {{2.2559231e-5, 2.2559230e-5}, {5.6398002e-6, 5.6397099e-6}},
                                                       {{3.3671244e-5, 3.3671243e-5}, {8.4177915e-6, 8.4177905e-6}},
                                                       {{4.9063089e-5, 4.9063092e-5}, {1.2265724e-5, 1.2265727e-5}},
                                                       {{6.3654794e-5, 6.3654654e-5}, {1.5913491e-5, 1.5913506e-5}},
                                                       {{6.6448219e-5, 6.6447308e-5}, {1.6612151e-5, 1.6612856e-5}}};

/* Which of the paper's two levels, or -1. */
static int paper_level(int level)
{
    return level >= FIRST_LEVEL && level < FIRST_LEVEL + PAPER_LEVELS ? level - FIRST_LEVEL : -1;
}

/* With stored bands, then matrix-free. */
static starfish_status in_both_forms(struct experiment *e, struct run *run, size_t mesh)
{
    const struct starfish_multigrid_options usual = run->options;

    STARFISH_TRY(e->row->measure_mesh(e, run, mesh));
    run->options = usual;
    run->options.matrix = STARFISH_MATRIX_TENSOR;
    run->beside = 1;
    return e->row->measure_mesh(e, run, mesh);
}

/* Every mesh at the largest level and the one before. */
static starfish_status measure_meshes(struct experiment *e)
{
    starfish_status status = STARFISH_SUCCESS;

    for (size_t m = 0; m < MESHES; m++)
        for (int level = (int)e->level - 1; level <= (int)e->level && status == STARFISH_SUCCESS; level++) {
            struct run run;
            if (e->row->mesh && strcmp(e->row->mesh, meshes[m]) != 0)
                continue;
            status = run_create(&run, meshes[m], level);
            STARFISH_THEN(status, in_both_forms(e, &run, m));
            multigrid_mesh_free(&run.mesh);
        }
    return status;
}

static starfish_status errors_of_mesh(struct experiment *e, struct run *run, size_t mesh)
{
    const int known = paper_level(run->level);

    STARFISH_TRY(
        add_error(e, run, STARFISH_F64, "double", known < 0 ? (double)NAN : table2[mesh][known][0], REPRODUCE_SIZE));
    return add_error(e, run, STARFISH_PRECISION_MIXED, starfish_precision_names[STARFISH_PRECISION_MIXED],
                     known < 0 ? (double)NAN : table2[mesh][known][1], REPRODUCE_SIZE);
}

/* ---- Tables 3 and 4: cycles and times of mixed precision --------------------------------------------------------- */

/* Inner cycles in all and seconds, after 1, 2, 3 inner cycles each or digits; the double precision's cycles are the
 * same in both tables. */
struct inner {
    int outer, cycles;
    double seconds;
};
static const int cycles_in_double[MESHES][PAPER_LEVELS] = {{5, 5}, {5, 6}, {5, 4}, {6, 6},
                                                           {6, 6}, {6, 6}, {8, 9}, {10, 11}};
static const struct inner table3[MESHES][PAPER_LEVELS][3] = {
    {{{5, 5, 0.0345}, {3, 6, 0.0400}, {3, 9, 0.0586}}, {{5, 5, 0.0659}, {3, 6, 0.0765}, {3, 9, 0.1131}}},
    {{{6, 6, 0.0434}, {3, 6, 0.0379}, {3, 9, 0.0577}}, {{6, 6, 0.0809}, {3, 6, 0.0763}, {3, 9, 0.1124}}},
    {{{5, 5, 0.0038}, {3, 6, 0.0390}, {3, 9, 0.0577}}, {{5, 5, 0.0658}, {3, 6, 0.0760}, {3, 9, 0.1147}}},
    {{{5, 5, 0.0354}, {3, 6, 0.0458}, {3, 9, 0.0674}}, {{6, 6, 0.0790}, {3, 6, 0.0778}, {3, 9, 0.1136}}},
    {{{6, 6, 0.0434}, {3, 6, 0.0401}, {2, 6, 0.0396}}, {{6, 6, 0.0790}, {3, 6, 0.0766}, {3, 9, 0.1189}}},
    {{{6, 6, 0.0411}, {3, 6, 0.0403}, {3, 9, 0.0587}}, {{6, 6, 0.0787}, {3, 6, 0.0765}, {3, 9, 0.1129}}},
    {{{8, 8, 0.0554}, {4, 8, 0.0527}, {3, 9, 0.0586}}, {{8, 8, 0.1055}, {5, 10, 0.1273}, {3, 9, 0.1128}}},
    {{{11, 11, 0.0754}, {6, 12, 0.0792}, {4, 12, 0.0782}}, {{11, 11, 0.1449}, {6, 12, 0.1524}, {4, 12, 0.1505}}}};
static const struct inner table4[MESHES][PAPER_LEVELS][3] = {
    {{{5, 5, 0.0363}, {3, 6, 0.0406}, {3, 6, 0.0513}}, {{5, 5, 0.0665}, {4, 7, 0.0901}, {3, 6, 0.4500}}},
    {{{6, 6, 0.0433}, {4, 7, 0.0472}, {3, 7, 0.0461}}, {{6, 6, 0.0816}, {4, 7, 0.0906}, {3, 7, 0.4551}}},
    {{{5, 5, 0.0344}, {3, 5, 0.0333}, {3, 7, 0.0458}}, {{5, 5, 0.0664}, {3, 5, 0.0649}, {3, 7, 0.4657}}},
    {{{5, 5, 0.0352}, {3, 6, 0.0418}, {3, 7, 0.0407}}, {{6, 6, 0.0802}, {3, 6, 0.0792}, {3, 6, 0.4509}}},
    {{{6, 6, 0.0418}, {3, 6, 0.0408}, {2, 7, 0.0466}}, {{6, 6, 0.0796}, {3, 6, 0.0772}, {3, 7, 0.4614}}},
    {{{6, 6, 0.0416}, {3, 6, 0.0412}, {3, 7, 0.0469}}, {{6, 6, 0.0799}, {3, 6, 0.0768}, {3, 9, 0.1142}}},
    {{{5, 8, 0.0543}, {3, 8, 0.0528}, {3, 11, 0.0717}}, {{5, 8, 0.1034}, {4, 11, 0.1392}, {3, 11, 0.1378}}},
    {{{6, 11, 0.0737}, {4, 13, 0.0986}, {3, 15, 0.0972}}, {{6, 11, 0.1420}, {4, 13, 0.1636}, {3, 14, 0.1743}}}};

static starfish_status add_inner(struct experiment *e, struct run *run, int count, const struct inner *paper)
{
    char variant[32];

    snprintf(variant, sizeof variant, "%d %s%s", count, e->row->by_digits ? "digit" : "inner cycle",
             count > 1 ? "s" : "");
    multigrid_set_precision(&run->options, STARFISH_PRECISION_MIXED);
    run->options.inner_cycles = count;
    run->options.inner_digits = e->row->by_digits ? count : 0;
    bench_next("%s, level %d, %s", run->name, run->level, variant);
    STARFISH_TRY(run_once(e, run, e->bench.warmup, e->bench.repeat));
    json_t *row = add_number(e, run, variant, "cycles", paper ? paper->cycles : (double)NAN, REPRODUCE_SIZE,
                             run->times.result.iterations);
    json_object_set_new(row, "paper_corrections", paper ? json_integer(paper->outer) : json_null());
    add_time(e, run, variant, paper ? paper->seconds : (double)NAN, REPRODUCE_SIZE);
    return STARFISH_SUCCESS;
}

/* Lines one colour after the other, which the paper has not. */
static starfish_status add_zebra(struct experiment *e, struct run *run)
{
    const struct starfish_multigrid_options usual = run->options;

    run->options.smoother = STARFISH_SMOOTHER_ZEBRA;
    run->options.damping = 0;
    bench_next("%s, level %d, zebra lines", run->name, run->level);
    STARFISH_TRY(run_once(e, run, e->bench.warmup, e->bench.repeat));
    add_number(e, run, "double, zebra lines", "cycles", (double)NAN, REPRODUCE_OURS, run->times.result.iterations);
    add_time(e, run, "double, zebra lines", (double)NAN, REPRODUCE_OURS);
    run->options = usual;
    return STARFISH_SUCCESS;
}

static starfish_status inner_of_mesh(struct experiment *e, struct run *run, size_t mesh)
{
    const int known = paper_level(run->level);

    bench_next("%s, level %d, double", run->name, run->level);
    STARFISH_TRY(run_once(e, run, e->bench.warmup, e->bench.repeat));
    add_number(e, run, "double", "cycles", known < 0 ? (double)NAN : cycles_in_double[mesh][known], REPRODUCE_SIZE,
               run->times.result.iterations);
    add_time(e, run, "double", (double)NAN, REPRODUCE_LEFT_OUT);
    if (!e->row->by_digits)
        STARFISH_TRY(add_zebra(e, run));
    for (int count = 1; count <= 3; count++)
        STARFISH_TRY(add_inner(e, run, count,
                               known < 0 ? NULL : &(e->row->by_digits ? table4 : table3)[mesh][known][count - 1]));
    return STARFISH_SUCCESS;
}

/* ---- Tables 5 and 6: one core and a GPU, double and mixed precision ---------------------------------------------- */

enum who { CORE_DOUBLE, CORE_MIXED, GPU_DOUBLE, GPU_MIXED, WHO };
static const char *const who_names[] = {"one core, double", "one core, mixed", "GPU, double", "GPU, mixed"};
static const struct {
    enum who slow, fast;
    const char *name;
} ratios[] = {{CORE_DOUBLE, GPU_DOUBLE, "C(d)/G(d)"},
              {CORE_MIXED, GPU_MIXED, "C(m)/G(m)"},
              {CORE_DOUBLE, GPU_MIXED, "C(d)/G(m)"},
              {GPU_DOUBLE, GPU_MIXED, "G(d)/G(m)"}};
enum { RATIOS = sizeof ratios / sizeof ratios[0] };

/* 0: the paper has none (lines of level 9 did not fit its GPU in double precision). Tables 5 and 6, by mesh and level.
 */
static const double speedups[2][MESHES][PAPER_LEVELS][RATIOS] = {{{{3.25, 3.89, 5.41, 1.66}, {0, 9.69, 12.21, 0}},
                                                                  {{3.10, 3.77, 5.49, 1.77}, {0, 9.66, 14.72, 0}},
                                                                  {{3.15, 3.78, 5.28, 1.67}, {0, 9.64, 17.04, 0}},
                                                                  {{3.26, 3.75, 5.27, 1.62}, {0, 9.48, 16.66, 0}},
                                                                  {{3.26, 3.64, 6.49, 1.99}, {0, 9.60, 17.21, 0}},
                                                                  {{3.25, 3.76, 6.38, 1.96}, {0, 9.82, 17.58, 0}},
                                                                  {{3.18, 3.67, 6.56, 2.06}, {0, 8.76, 12.62, 0}},
                                                                  {{2.91, 3.17, 4.39, 1.51}, {0, 9.58, 14.77, 0}}},
                                                                 {{{3.25, 3.92, 6.38, 1.96}, {0, 9.71, 16.43, 0}},
                                                                  {{3.10, 3.77, 6.26, 2.02}, {0, 9.72, 16.94, 0}},
                                                                  {{3.13, 3.72, 5.59, 1.78}, {0, 9.36, 15.09, 0}},
                                                                  {{3.26, 3.76, 6.17, 1.89}, {0, 9.36, 15.94, 0}},
                                                                  {{3.26, 3.64, 6.45, 1.98}, {0, 9.62, 16.95, 0}},
                                                                  {{3.24, 3.74, 6.25, 1.93}, {0, 9.79, 16.78, 0}},
                                                                  {{3.17, 3.60, 6.44, 2.03}, {0, 8.93, 15.22, 0}},
                                                                  {{3.03, 3.11, 5.16, 1.70}, {0, 9.56, 16.97, 0}}}};

static starfish_status run_as(struct experiment *e, struct run *run, enum who who, double cost[2][WHO])
{
    multigrid_set_precision(&run->options,
                            who == CORE_DOUBLE || who == GPU_DOUBLE ? STARFISH_F64 : STARFISH_PRECISION_MIXED);
    run->options.inner_digits = 2;
    bench_next("%s, level %d, %s", run->name, run->level, who_names[who]);
    STARFISH_TRY(workers_open(who < GPU_DOUBLE ? "cpu:1" : "gpu:1", 0, &e->context));
    const starfish_status status = run_once(e, run, e->bench.warmup, e->bench.repeat);
    starfish_context_destroy(e->context);
    if (status != STARFISH_SUCCESS)
        return status;
    const json_t *row = add_time(e, run, who_names[who], (double)NAN, "the paper states speed-ups alone");
    cost[0][who] = bench_seconds(row);
    cost[1][who] = cost[0][who] / -log10(run->times.result.residual);
    return STARFISH_SUCCESS;
}

/* Table 5 compares times, table 6 the same times per digit gained (for one mesh the same as per unknown and digit). */
static starfish_status speedups_of_mesh(struct experiment *e, struct run *run, size_t mesh)
{
    static const char *const what[2] = {"times", "times per digit"};
    const int known = paper_level(run->level);
    double cost[2][WHO];

    for (int who = 0; who < WHO; who++)
        cost[0][who] = cost[1][who] = (double)NAN;
    for (int who = 0; who < (e->bench.gpus > 0 ? WHO : GPU_DOUBLE); who++)
        STARFISH_TRY(run_as(e, run, (enum who)who, cost));
    for (int table = 0; table < 2; table++)
        for (int r = 0; r < RATIOS; r++) {
            const double paper = known < 0 ? 0 : speedups[table][mesh][known][r];
            add_number(e, run, ratios[r].name, what[table], paper > 0 ? paper : (double)NAN,
                       known < 0 ? REPRODUCE_SIZE : "in double precision level 9 did not fit the paper's GPU",
                       cost[table][ratios[r].slow] / cost[table][ratios[r].fast]);
        }
    return STARFISH_SUCCESS;
}

/* ---- Figures 5 and 6: smoothers ---------------------------------------------------------------------------------- */

enum smoothers { JACOBI, GAUSS_SEIDEL, ADI_TRIDI, SMOOTHERS };
static const struct {
    const char *name;
    starfish_smoother smoother;
    int before;        /* steps before and after: four elementary ones, of which a step of ADI is two */
    double damping[2]; /* isotropic, anisotropic */
} smoothers[SMOOTHERS] = {{"Jacobi", STARFISH_SMOOTHER_JACOBI, 4, {0.7, 0.6}},
                          {"Gauss-Seidel", STARFISH_SMOOTHER_GAUSS_SEIDEL, 4, {1, 1}},
                          {"ADI-TRIDI", STARFISH_SMOOTHER_ADI, 2, {0.7, 0.7}}};
enum { ONE_CORE, ONE_GPU, DEVICES };
static const char *const device_names[DEVICES] = {"one core", "GPU"};

static int is_isotropic(const struct run *run)
{
    return run->name[0] == 'U';
}

/* One core repeats TIMED_CYCLES alone where a GPU has taken more than MANY_CYCLES: the count is the same, and a solve
 * is as many cycles as long. */
enum { MANY_CYCLES = 40, TIMED_CYCLES = 20 };

/* Give times of a part of the cycles the length of the whole solve that `known` is. */
static void extrapolate(struct repeated *times, const struct starfish_result *known)
{
    for (size_t i = 0; i < times->repeat; i++)
        times->seconds[i] *= (double)known->iterations / times->result.iterations;
    times->result = *known;
    times->error = (double)NAN;
}

/* Nanoseconds per unknown and digit, mixed precision that gains two digits at a time. *known: of the same solve on a
 * GPU, without cycles where there was none; it becomes this solve's. */
static starfish_status add_smoother(struct experiment *e, struct run *run, enum smoothers which, const char *device,
                                    struct starfish_result *known, double *cost)
{
    const int cut = known->iterations > MANY_CYCLES;
    char variant[64];

    snprintf(variant, sizeof variant, "%s, %s", smoothers[which].name, device);
    run->options.max_iterations = cut ? TIMED_CYCLES : MOST_CYCLES;
    multigrid_set_precision(&run->options, STARFISH_PRECISION_MIXED);
    run->options.inner_digits = 2;
    run->options.smoother = smoothers[which].smoother;
    run->options.before = run->options.after = smoothers[which].before;
    run->options.damping = smoothers[which].damping[!is_isotropic(run)];
    bench_next("%s, level %d, %s", run->name, run->level, variant);
    STARFISH_TRY(run_once(e, run, cut ? 0 : e->bench.warmup, e->bench.repeat));
    const int timed = run->times.result.iterations;
    if (cut)
        extrapolate(&run->times, known);
    *known = run->times.result;
    json_t *row = add_time(e, run, variant, (double)NAN, REPRODUCE_PICTURE);
    json_object_set_new(row, "timed_cycles", json_integer(timed));
    *cost = 1e9 * bench_seconds(row) / (double)run->mesh.count / -log10(run->times.result.residual);
    add_number(e, run, variant, "ns per unknown and digit", (double)NAN, REPRODUCE_PICTURE, *cost);
    return STARFISH_SUCCESS;
}

static starfish_status smoothers_on(struct experiment *e, struct run *run, int device,
                                    struct starfish_result known[SMOOTHERS], double cost[SMOOTHERS])
{
    STARFISH_TRY(workers_open(device == ONE_CORE ? "cpu:1" : "gpu:1", 0, &e->context));
    starfish_status status = STARFISH_SUCCESS;
    for (int s = 0; s < SMOOTHERS && status == STARFISH_SUCCESS; s++) {
        cost[s] = (double)NAN;
        if (!run->beside || s != GAUSS_SEIDEL) /* which needs the stored matrix */
            status = add_smoother(e, run, (enum smoothers)s, device_names[device], &known[s], &cost[s]);
    }
    starfish_context_destroy(e->context);
    return status;
}

static void claim(struct experiment *e, struct run *run, const char *what, double paper, const char *says, double ours)
{
    reproduce_words(add_number(e, run, what, "times", paper, REPRODUCE_IN_WORDS, ours), says);
}

/* What the text says of the pictures, whose numbers it does not have. */
static void add_claims(struct experiment *e, struct run *run, double cost[DEVICES][SMOOTHERS])
{
    static const double faster[2][PAPER_LEVELS] = {{10.9, 21.2}, {12.5, 19.5}}; /* by level, from 9 on */
    const int last = e->bench.gpus > 0 ? ONE_GPU : ONE_CORE, known = run->level - FIRST_LEVEL - 1;
    const int at_paper = known >= 0 && known < PAPER_LEVELS;
    const double *times = cost[last];

    if (is_isotropic(run))
        claim(e, run, "ADI-TRIDI over Jacobi", at_paper ? 2.3 : (double)NAN, "about 2.3",
              times[ADI_TRIDI] / times[JACOBI]);
    else
        claim(e, run, "Jacobi over ADI-TRIDI", at_paper ? 14 : (double)NAN, "more than 14",
              times[JACOBI] / times[ADI_TRIDI]);
    if (!run->beside)
        claim(e, run, "Gauss-Seidel over Jacobi", (double)NAN,
              is_isotropic(run) ? "slightly above 1" : "slightly below 1", times[GAUSS_SEIDEL] / times[JACOBI]);
    for (int s = 0; s < SMOOTHERS && last == ONE_GPU; s++) {
        const int has = is_isotropic(run) && s < ADI_TRIDI && at_paper;
        claim(e, run, bench_name("%s, one core over GPU", smoothers[s].name), has ? faster[s][known] : (double)NAN,
              has ? "as here" : "in the picture alone", cost[ONE_CORE][s] / cost[ONE_GPU][s]);
    }
}

/* The GPU first, whose counts bound the work of the core. */
static starfish_status smoothers_of_mesh(struct experiment *e, struct run *run, size_t mesh)
{
    struct starfish_result known[SMOOTHERS] = {{.iterations = 0}};
    double cost[DEVICES][SMOOTHERS] = {{0}};

    (void)mesh;
    for (int device = e->bench.gpus > 0 ? ONE_GPU : ONE_CORE; device >= ONE_CORE; device--)
        STARFISH_TRY(smoothers_on(e, run, device, known, cost[device]));
    add_claims(e, run, cost);
    return STARFISH_SUCCESS;
}

/* ---- Figure 2: two operations by level --------------------------------------------------------------------------- */

static starfish_status measure_operations(struct experiment *e)
{
    return reproduce_goeddeke_microbenchmarks(&e->bench, (int)e->level);
}

/* Meshes and levels. */
static int count_problems(const struct experiment *e)
{
    return e->row->measure == measure_table1       ? (int)e->level - 1
           : e->row->measure == measure_operations ? (int)e->level - 2
           : e->row->mesh                          ? 2
                                                   : 2 * MESHES;
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

static starfish_status measure(struct bench *bench)
{
    struct experiment *e = (struct experiment *)bench;

    STARFISH_FAIL_IF(e->level < 3 || e->level > MULTIGRID_MOST_LEVEL, STARFISH_ERROR_ARGUMENT,
                     "--level: is %zu, must be 3 .. %d", e->level, MULTIGRID_MOST_LEVEL);
    STARFISH_TRY(bench_look_around(bench));
    bench->parts = (bench->gpus > 0 ? e->row->with_gpu : e->row->solves) * (size_t)count_problems(e);
    if (!e->row->alone)
        STARFISH_TRY(workers_open(bench->gpus > 0 ? "gpu:1" : "cpu", 0, &e->context));
    const starfish_status status = (e->row->measure ? e->row->measure : measure_meshes)(e);
    if (!e->row->alone)
        starfish_context_destroy(e->context);
    return status;
}

int reproduce_goeddeke(int argc, char **argv)
{
#define PAPER "Goeddeke, Strzodka 2011, "
    static const struct row rows[] = {
        {"goeddeke-table1", PAPER "table 1: errors in L2 by level, in single and double precision.", "U1", 10, 3, 3,
         measure_table1, NULL, 0, 0},
        {"goeddeke-table2", PAPER "table 2: errors in L2 on all meshes, in double and mixed precision.", NULL, 9, 4, 4,
         NULL, errors_of_mesh, 0, 0},
        {"goeddeke-table3", PAPER "table 3: cycles and times of mixed precision by 1, 2, 3 inner cycles.", NULL, 9, 10,
         10, NULL, inner_of_mesh, 0, 0},
        {"goeddeke-table4", PAPER "table 4: cycles and times of mixed precision by 1, 2, 3 digits gained in f32.", NULL,
         9, 8, 8, NULL, inner_of_mesh, 1, 0},
        {"goeddeke-table5",
         PAPER "tables 5 and 6: one core and a GPU by times and by times per digit. Without a GPU: the core's times.",
         NULL, 9, 4, 8, NULL, speedups_of_mesh, 0, 1},
        {"goeddeke-table6", PAPER "tables 5 and 6: the rows of goeddeke-table5, from which table 6 is computed.", NULL,
         9, 4, 8, NULL, speedups_of_mesh, 0, 1},
        {"goeddeke-figure2",
         PAPER "figure 2: AXPY and DEFECT by level, in single and double precision, on all cores and on a GPU if there "
               "is one.",
         NULL, 10, 2, 2, measure_operations, NULL, 0, 1},
        {"goeddeke-figure5", PAPER "figure 5: smoothers on the isotropic mesh U1, on one core and a GPU.", "U1", 10, 5,
         10, NULL, smoothers_of_mesh, 0, 1},
        {"goeddeke-figure6", PAPER "figure 6: smoothers on the anisotropic mesh A2, on one core and a GPU.", "A2", 10,
         5, 10, NULL, smoothers_of_mesh, 0, 1},
    };
    const struct row *row = rows;
    while (strcmp(row->name, argv[0]) != 0)
        row++;
    struct experiment e = {.bench = {.name = row->name, .repeat = 5, .warmup = 2}, .level = row->level, .row = row};
    const struct option_entry options[] = {
        {"--level", OPTION_COUNT, &e.level, "L", .help = "the largest level"},
        BENCH_OPTIONS(&e.bench),
        {.name = NULL},
    };
    return reproduce_main(&e.bench, row->summary, options, argc, argv, measure);
}
