/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce valero-lara-2d, valero-lara-3d: the experiment of Valero-Lara, Pinelli and Prieto-Matias, "Fast
 * finite difference Poisson solvers on heterogeneous architectures", Comput. Phys. Commun. 185 (2014), 1265-1272.
 *
 * BLKTRI in product form. Figures 7 (one 2D problem of 1024 x 1024) and 11 (512^3) have the time of each reduction and
 * each substitution step, and the speedup over one core, for Thomas on cores and Thomas, CR, PCR and CR-PCR on a GPU
 * (two E5-2650, a K20c). Figures 8 and 12 have whole solves with transfers by size, the combination of wide steps by
 * PCR on the GPU and narrow ones by Thomas on cores among them. The text states few numbers; times are in the figures
 * only, so that our rows stand beside "not stated", and what the text claims has rows of its own.
 *
 * N x N here are lines of N and N - 1 rows, as 2^k - 1 rows have k levels. The combination gives to cores the levels
 * next to the root on which all cores were faster than PCR, at least one. In 2D, where narrow steps have few lines,
 * cores cut lines into chunks (tridiag/kernels/chunked_line.h), which the paper did not. */
#include "apps/command.h"
#include "apps/plans/blktri_run.h"
#include "apps/reproduce/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum workers { ONE_CORE, ALL_CORES, ONE_GPU, SPLIT, MODELS };

static const struct variant {
    const char *name;
    enum workers workers;
    starfish_algorithm algorithm;
    int whole;  /* also in the figure of whole solves, at all sizes */
    int single; /* in 2D alone: in 3D lines run side by side anyway */
} variants[] = {
    {"Thomas, one core", ONE_CORE, STARFISH_ALGORITHM_THOMAS, 1, 0},
    {"Thomas, all cores", ALL_CORES, STARFISH_ALGORITHM_THOMAS, 1, 0},
    {"chunks, one core", ONE_CORE, STARFISH_ALGORITHM_AUTO, 1, 1},
    {"chunks, all cores", ALL_CORES, STARFISH_ALGORITHM_AUTO, 1, 1},
    {"Thomas, GPU", ONE_GPU, STARFISH_ALGORITHM_THOMAS, 0, 0},
    {"CR, GPU", ONE_GPU, STARFISH_ALGORITHM_CR, 0, 0},
    {"PCR, GPU", ONE_GPU, STARFISH_ALGORITHM_PCR, 1, 0},
    {"CR-PCR, GPU", ONE_GPU, STARFISH_ALGORITHM_CR_PCR, 0, 0},
    {"PCR, GPU, and cores", SPLIT, STARFISH_ALGORITHM_PCR, 1, 0},
    {"PCR, GPU, or cores, by models", MODELS, STARFISH_ALGORITHM_PCR, 1, 0},
};
enum {
    BY_ONE_CORE,
    BY_CORES,
    BY_CHUNKS_ONE,
    BY_CHUNKS,
    BY_GPU_THOMAS,
    BY_CR,
    BY_PCR,
    BY_CR_PCR,
    BY_BOTH,
    BY_MODELS,
    VARIANTS
};

enum { MOST_SIZES = 4, PAPER_N_2D = 1024, PAPER_N_3D = 512 };

/* Medians of one size. */
struct size_result {
    size_t n, levels, split;
    int have[VARIANTS];
    double total[VARIANTS], step[VARIANTS][BLKTRI_STEPS][BLKTRI_LEVELS];
    double on_device; /* a solve by PCR with the data in the GPU's memory */
};

struct experiment {
    struct bench bench; /* first: measure() gets at the rest through it */
    int dimensions;
    size_t n;     /* the size of the steps' figure */
    size_t sizes; /* from n/4 on, each twice the one before */
    int cores;
    size_t gpus;
    size_t timed_modes; /* of the rows that are added */
};

static size_t size_of_steps(const struct experiment *e)
{
    return e->n / 4 * 4; /* one of the sizes: n/4 and its doubles */
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int possible(const struct experiment *e, int variant)
{
    const enum workers workers = variants[variant].workers;
    if (variants[variant].single && e->dimensions == 3)
        return 0;
    if (workers == ALL_CORES)
        return e->cores > 1;
    return workers == ONE_CORE || e->gpus > 0;
}

/* Sets of workers, in the words of --workers. */
static void choose_workers(const struct experiment *e, enum workers workers, struct blktri_case *c, char *text,
                           size_t size)
{
    static const char *const sets[] = {
        [ONE_CORE] = "cpu:1", [ALL_CORES] = "cpu", [ONE_GPU] = "gpu:1", [SPLIT] = "cpu,gpu:1", [MODELS] = "cpu,gpu:1"};
    c->split = -1;
    c->team = workers == ALL_CORES ? e->cores : 0;
    if (c->team > 0)
        snprintf(text, size, "cpu:%d", e->cores);
    else
        snprintf(text, size, "%s", sets[workers]);
    c->workers = text;
}

static void name_size(const struct experiment *e, size_t n, char *text, size_t size)
{
    if (e->dimensions == 2)
        snprintf(text, size, "%zu x %zu", n, n);
    else
        snprintf(text, size, "%zu^3", n);
}

/* One worker does the steps of figure 11, and those of different modes take turns: a step's time is that of its tasks.
 * In 2D there is one mode, and with several workers steps lie beside each other: from the first start to the last end.
 */
static int adds_tasks(const struct experiment *e, int variant)
{
    return e->dimensions == 3 && variants[variant].workers < SPLIT;
}

/* Rows' numbers in words, and the row. */
static json_t *add_time(struct experiment *e, const char *figure, const char *size, const char *what, int variant,
                        double *seconds, size_t count)
{
    json_t *row =
        bench_row(&e->bench, "starfish",
                  bench_name("figure %s, %s: %s, %s", figure, size, what, variants[variant].name), seconds, count, 0);
    reproduce_compare(row, (double)NAN, REPRODUCE_PICTURE, command_median(seconds, count));
    command_keys(row, KEY("figure", figure), KEY("variant", variants[variant].name));
    if (e->dimensions == 3)
        json_object_set_new(row, "timed_modes", json_integer((json_int_t)e->timed_modes));
    return row;
}

static void add_steps(struct experiment *e, const char *size, int variant, struct blktri_times *times,
                      const struct size_result *result)
{
    static const char *const names[] = {"reduction", "substitution"};
    for (int step = 0; step < BLKTRI_STEPS; ++step)
        for (size_t i = step == BLKTRI_REDUCTION; i < times->levels; ++i) {
            /* The paper's steps: reduction begins with the most rows, substitution with one. */
            const size_t level = step == BLKTRI_REDUCTION ? times->levels - i : i;
            const size_t number = step == BLKTRI_REDUCTION ? i : i + 1;
            json_t *row =
                add_time(e, e->dimensions == 2 ? "7" : "11", size, bench_name("%s step %zu", names[step], number),
                         variant, times->step[step][level], times->repeat);
            command_keys(row, KEY("phase", names[step]), KEY("clock", adds_tasks(e, variant) ? "busy" : "wall"),
                         KEY("step", number), KEY("separators", times->separators[level]),
                         KEY("gpu_share", times->gpu_share[step][level]),
                         KEY("speedup", result->step[BY_ONE_CORE][step][level] / result->step[variant][step][level]));
        }
}

static void add_whole(struct experiment *e, const char *size, int variant, struct blktri_times *times,
                      const struct size_result *result)
{
    char what[96] = "whole solve, with transfers";
    if (variants[variant].workers == SPLIT)
        snprintf(what, sizeof what, "whole solve, with transfers, levels on cores: %zu", result->split);
    json_t *row = add_time(e, e->dimensions == 2 ? "8" : "12", size, what, variant, times->seconds, times->repeat);
    command_keys(row, KEY("speedup", result->total[BY_ONE_CORE] / result->total[variant]),
                 KEY("bytes_moved", times->bytes_moved));
}

/* Levels next to the root on which all cores (or the one there is) were faster than PCR. */
static size_t choose_split(const struct size_result *r)
{
    static const int best_first[] = {BY_CHUNKS, BY_CHUNKS_ONE, BY_CORES, BY_ONE_CORE};
    int at = 0;
    while (!r->have[best_first[at]])
        at++;
    const int cores = best_first[at];
    size_t split = 0;
    while (split < r->levels &&
           r->step[cores][BLKTRI_REDUCTION][split] + r->step[cores][BLKTRI_SUBSTITUTION][split] <
               r->step[BY_PCR][BLKTRI_REDUCTION][split] + r->step[BY_PCR][BLKTRI_SUBSTITUTION][split])
        ++split;
    return split > 0 ? split : 1;
}

/* What a variant's solves have in common. */
struct setting {
    int variant;
    starfish_context *context;
    struct blktri_case c; /* but for the size and the split */
    char workers[32];
};

/* Modes are independent, and one core solves them one group after the other: of the largest problem in 3D it gets a
 * sixteenth of them, whose times count sixteen times. */
enum { MANY_MODES = 512, OF_MODES = 16 };

static size_t modes_of(const struct experiment *e, const struct setting *setting, size_t n)
{
    const int few = n >= MANY_MODES && variants[setting->variant].workers == ONE_CORE;
    return e->dimensions == 2 ? 1 : few ? n / OF_MODES : n;
}

static void count_all_modes(struct blktri_times *times, double factor)
{
    for (size_t i = 0; i < times->repeat; ++i) {
        times->seconds[i] *= factor;
        for (int step = 0; step < BLKTRI_STEPS; ++step)
            for (size_t l = 0; l < times->levels; ++l)
                times->step[step][l][i] *= factor;
    }
    times->bytes_moved *= factor;
}

static starfish_status run(const struct experiment *e, struct setting *setting, struct size_result *result,
                           struct blktri_times *times)
{
    const size_t modes = modes_of(e, setting, result->n), n[3] = {modes, result->n, result->n - 1};
    const enum workers workers = variants[setting->variant].workers;
    memcpy(setting->c.n, n, sizeof n);
    setting->c.busy = adds_tasks(e, setting->variant);
    if (workers == SPLIT)
        setting->c.split = (int)(result->split = choose_split(result));
    /* Performance models are for contexts with a choice; others need to be warm at most. */
    const size_t warmup = workers >= SPLIT || e->bench.warmup < 1 ? e->bench.warmup : 1;
    STARFISH_TRY(blktri_run(&setting->c, setting->context, warmup, e->bench.repeat, times));
    if (modes > 1 && modes < result->n)
        count_all_modes(times, (double)result->n / (double)modes);
    return STARFISH_SUCCESS;
}

static starfish_status measure_size(struct experiment *e, struct setting *setting, struct size_result *result)
{
    const int variant = setting->variant;
    struct blktri_times times;
    char size[48];
    name_size(e, result->n, size, sizeof size);
    bench_next("%s: %s", size, variants[variant].name);
    starfish_status status = run(e, setting, result, &times);
    if (status == STARFISH_SUCCESS) {
        e->timed_modes = modes_of(e, setting, result->n);
        result->have[variant] = 1;
        result->levels = times.levels;
        result->total[variant] = command_median(times.seconds, times.repeat);
        for (int step = 0; step < BLKTRI_STEPS; ++step)
            for (size_t l = 0; l < times.levels; ++l)
                result->step[variant][step][l] = command_median(times.step[step][l], times.repeat);
        if (result->n == size_of_steps(e))
            add_steps(e, size, variant, &times, result);
        if (variants[variant].whole)
            add_whole(e, size, variant, &times, result);
    }
    blktri_free_times(&times);
    return status;
}

static starfish_status measure_on_device(const struct experiment *e, struct setting *setting,
                                         struct size_result *result)
{
    struct blktri_times times;
    setting->c.on_device = 1;
    starfish_status status = run(e, setting, result, &times);
    setting->c.on_device = 0;
    if (status == STARFISH_SUCCESS)
        result->on_device = command_median(times.seconds, times.repeat);
    blktri_free_times(&times);
    return status;
}

/* All sizes in one context. */
static starfish_status measure_variant(struct experiment *e, int variant, struct size_result *results)
{
    struct setting setting = {.variant = variant,
                              .c = {.precision = STARFISH_F64,
                                    .method = STARFISH_METHOD_BLKTRI_PRODUCT,
                                    .algorithm = variants[variant].algorithm}};
    choose_workers(e, variants[variant].workers, &setting.c, setting.workers, sizeof setting.workers);
    starfish_status status = blktri_context(&setting.c, &setting.context);
    for (size_t i = 0; i < e->sizes && status == STARFISH_SUCCESS; ++i) {
        if (!variants[variant].whole && results[i].n != size_of_steps(e))
            continue;
        status = measure_size(e, &setting, &results[i]);
        if (status == STARFISH_SUCCESS && variant == BY_PCR && e->dimensions == 3)
            status = measure_on_device(e, &setting, &results[i]);
    }
    starfish_context_destroy(setting.context);
    return status;
}

/* ---- what the text claims ---------------------------------------------------------------------------------------- */

static void claim(struct experiment *e, const char *figure, const char *size, const char *what, double paper,
                  const char *says, double ours)
{
    json_t *row = reproduce_number(&e->bench, bench_name("figure %s, %s: %s", figure, size, what), paper,
                                   REPRODUCE_IN_WORDS, ours);
    json_object_set_new(row, "figure", json_string(figure));
    reproduce_words(row, says);
}

/* On how many of all steps PCR is the fastest of the fine-grained algorithms. */
static double share_of_pcr(const struct size_result *r)
{
    double won = 0, all = 0;
    for (int step = 0; step < BLKTRI_STEPS; ++step)
        for (size_t l = step == BLKTRI_REDUCTION; l < r->levels; ++l) {
            won += r->step[BY_PCR][step][l] <= fmin(r->step[BY_CR][step][l], r->step[BY_CR_PCR][step][l]);
            all++;
        }
    return won / all;
}

static void add_claims(struct experiment *e, const struct size_result *r)
{
    char size[48];
    const char *whole = e->dimensions == 2 ? "8" : "12", *steps = e->dimensions == 2 ? "7" : "11";
    if (!r->have[BY_BOTH])
        return;
    name_size(e, r->n, size, sizeof size);
    const int at_paper = e->n == (e->dimensions == 2 ? PAPER_N_2D : PAPER_N_3D);
    if (r->n == size_of_steps(e) && e->dimensions == 2)
        claim(e, steps, size, "part of the steps on which PCR is the fastest on the GPU", at_paper ? 1 : (double)NAN,
              "1", share_of_pcr(r));
    if (r->have[BY_CORES])
        claim(e, whole, size, "all cores over the combination", (double)NAN, "above 1",
              r->total[BY_CORES] / r->total[BY_BOTH]);
    if (e->dimensions == 3) {
        claim(e, whole, size, "part of the GPU's time that the combination saves", at_paper ? 0.15 : (double)NAN,
              "up to 0.15", 1 - r->total[BY_BOTH] / r->total[BY_PCR]);
        claim(e, whole, size, "part of the GPU's time that transfers take", at_paper ? 0.02 : (double)NAN, "below 0.02",
              1 - r->on_device / r->total[BY_PCR]);
    }
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static starfish_status measure_all(struct experiment *e)
{
    static struct size_result results[MOST_SIZES];
    memset(results, 0, sizeof results);
    for (size_t i = 0; i < e->sizes; ++i)
        results[i].n = e->n / 4 << i;
    for (int variant = 0; variant < VARIANTS; ++variant)
        e->bench.parts += !possible(e, variant) ? 0 : variants[variant].whole ? e->sizes : 1;
    for (int variant = 0; variant < VARIANTS; ++variant)
        if (possible(e, variant))
            STARFISH_TRY(measure_variant(e, variant, results));
    for (size_t i = 0; i < e->sizes; ++i)
        add_claims(e, &results[i]);
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct experiment *e = (struct experiment *)bench;
    struct starfish_runtime runtime;
    starfish_context *context;
    STARFISH_FAIL_IF(e->n < 16, STARFISH_ERROR_ARGUMENT, "--n: at least 16, is %zu", e->n);
    STARFISH_TRY(starfish_context_create(&context, NULL));
    bench_machine(bench, context);
    e->gpus = starfish_context_workers_of(context, STARFISH_GPU);
    starfish_status status = starfish_context_runtime(context, &runtime);
    starfish_context_destroy(context);
    STARFISH_TRY(status);
    e->cores = runtime.cores < 16 ? runtime.cores : 16; /* as many as the paper's */
    e->sizes = e->dimensions == 2 ? 4 : 3;
    return measure_all(e);
}

int reproduce_valero_lara(int argc, char **argv)
{
    static const char *const summaries[2] = {
        "Valero-Lara, Pinelli, Prieto-Matias 2014: one 2D problem by BLKTRI's product form. Figure 7, each\n"
        "step; figure 8, whole solves of N/4 to 2 N. Without a GPU: the rows of cores.",
        "Valero-Lara, Pinelli, Prieto-Matias 2014: N 2D problems by BLKTRI's product form. Figure 11, each\n"
        "step; figure 12, whole solves of N/4 to N. Without a GPU: the rows of cores."};
    const int in_3d = strcmp(argv[0], "valero-lara-3d") == 0;
    struct experiment e = {
        .bench = {.name = in_3d ? "valero-lara-3d" : "valero-lara-2d", .repeat = in_3d ? 3 : 5, .warmup = 14},
        .dimensions = in_3d ? 3 : 2,
        .n = in_3d ? PAPER_N_3D : PAPER_N_2D};
    const struct option_entry options[] = {
        {"--n", OPTION_COUNT, &e.n, "N", .help = in_3d ? "N modes, lines of N, N - 1 rows" : "lines of N, N - 1 rows"},
        BENCH_OPTIONS(&e.bench),
        {.name = NULL},
    };
    return reproduce_main(&e.bench, summaries[in_3d], options, argc, argv, measure);
}
