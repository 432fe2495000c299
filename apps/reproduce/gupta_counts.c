/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce gupta-table2 .. table5: what the kernels of Gupta, Vuik, Lemmens 2010 move and compute, how often
 * they run, what they are like, and what share of the time they take. Ours are counts of recorded tasks, whose
 * operations and words the kernels' formulas give (base/cost.h); what is not counted is "by hand".
 *
 * The paper prints that dot products and norms write N words, which write one, and counts a multiplication with its
 * addition once in E^-1 b, twice elsewhere; both stand here as printed. Its equation 24 has Sscal, which its table 3
 * has not, and leaves out (A Z)' x, which that has. */
#include "apps/reproduce/gupta.h"

#include "apps/workers.h"
#include "diffusion/options.h"

#include <math.h>
#include <string.h>

/* ---- Tasks of a solve -------------------------------------------------------------------------------------------- */

static const int lengths[GUPTA_LENGTHS] = {20, 60};

static starfish_status record_one(const struct diffusion_case *given, const struct starfish_diffusion_options *options,
                                  starfish_context *context, size_t warmup, struct starfish_record **record)
{
    const struct repeats what = {.arrays = {.context = context, .place = SOLVE_PINNED}, .warmup = warmup, .repeat = 1};
    struct repeated times;

    STARFISH_TRY(starfish_record_start(context, record));
    starfish_status status = diffusion_repeat(given, options, what, &times);
    STARFISH_THEN(status, starfish_record_stop(*record));
    return status;
}

static struct starfish_diffusion_options options_of(const struct gupta *g, int version, int separate)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;

    diffusion_set_version(&diffusion_versions[version], 2 * g->n, 8 * g->n, &options);
    options.reserved[STARFISH_DIFFUSION_SEPARATE_TASKS] = separate;
    if (separate)
        options.reserved[STARFISH_DIFFUSION_COARSE] = STARFISH_COARSE_DENSE;
    options.tolerance = 1e-5;
    return options;
}

starfish_status gupta_record(const struct gupta *g, const struct diffusion_case *given, starfish_context *context,
                             struct gupta_solves *solves)
{
    struct starfish_diffusion_options options = options_of(g, solves->version, solves->separate);

    options.fixed = 1;
    for (int length = 0; length < GUPTA_LENGTHS; length++) {
        options.max_iterations = lengths[length];
        STARFISH_TRY(record_one(given, &options, context, 0, &solves->record[length]));
    }
    return STARFISH_SUCCESS;
}

void gupta_forget(struct gupta_solves *solves)
{
    for (int length = 0; length < GUPTA_LENGTHS; length++)
        starfish_record_free(solves->record[length]);
}

static int is_task(const struct starfish_task_span *span, const char *name)
{
    return !name || (span->name && strcmp(span->name, name) == 0) ||
           (span->codelet && strcmp(span->codelet, name) == 0) ||
           (span->codelet && strncmp(span->codelet, "starfish_", 9) == 0 && strcmp(span->codelet + 9, name) == 0) ||
           (strcmp(name, "update") == 0 && span->codelet && strstr(span->codelet, "update"));
}

static struct gupta_tasks tasks_of(const struct starfish_record *record, const char *name)
{
    struct gupta_tasks sum = {0, 0, 0, 0};

    for (size_t t = 0; t < record->tasks; t++) {
        const struct starfish_task_span *span = &record->task[t];
        if (!is_task(span, name))
            continue;
        sum.count++;
        sum.seconds += 1e-6 * (span->end - span->start);
        sum.operations += isnan(span->flops) ? 0 : span->flops; /* of tasks that compute nothing */
        sum.words += (double)span->traffic / sizeof(double);
    }
    return sum;
}

struct gupta_tasks gupta_of_step(const struct gupta_solves *solves, const char *name)
{
    const struct gupta_tasks few = tasks_of(solves->record[0], name), many = tasks_of(solves->record[1], name);
    const double steps = lengths[1] - lengths[0];

    return (struct gupta_tasks){(many.count - few.count) / steps, (many.seconds - few.seconds) / steps,
                                (many.operations - few.operations) / steps, (many.words - few.words) / steps};
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* Of a call; the last two in calls of m steps: m times so many, and so many besides. */
enum { READ, COMPUTED, WRITTEN, AT_ONCE, PER_STEP, BESIDES, COUNTS };
static const char *const counts[COUNTS] = {"words read",   "operations",           "words written",
                                           "done at once", "calls, of every step", "calls besides"};

/* What the paper prints, in its units: N unknowns, d vectors; and our tasks that correspond, of which some have several
 * of its kernels in them, so that others have none. */
enum { MOST_TASKS = 2, KERNELS = 12 };
enum units { OF_FIELDS, OF_SUMS, OF_GEMV, OF_LINES };
static const char *const units[][PER_STEP] = {[OF_FIELDS] = {"N", "N", "N", "N"},
                                              [OF_SUMS] = {"N", "N", "d", "d"},
                                              [OF_GEMV] = {"d (d + 1)", "d d", "d", "d"},
                                              [OF_LINES] = {"N", "N", "N", "sqrt(N) / 2"}};
static const struct kernel {
    const char *name, *task[MOST_TASKS];
    double paper[COUNTS];
    enum units unit;
    int version; /* that has it */
} kernels[KERNELS] = {
    {"SpMV, ours with (p, A p)", {"A p"}, {6, 9, 1, 1, 1, 1}, OF_FIELDS, GUPTA_DIPCG2},
    {"IP preconditioning, ours in two passes",
     {"ip, first", "ip, second"},
     {6, 9, 1, 1, 1, 1},
     OF_FIELDS,
     GUPTA_DIPCG2},
    {"Z' x, ours with (A Z)' y", {"domain_sums"}, {1, 1, 1, 1, 1, 2}, OF_SUMS, GUPTA_DIPCG2},
    {"E^-1 b (gemv)", {"coarse_solve"}, {1, 1, 1, 1, 1, 3}, OF_GEMV, GUPTA_DIPCG2},
    {"A Z E^-1 b, ours y + Z times it with (r, z)", {"prolong"}, {5, 9, 1, 1, 1, 1}, OF_FIELDS, GUPTA_DIPCG2},
    {"forward and back substitution, ours with the scaling", {"block-ic"}, {4, 3, 1, 1, 1, 1}, OF_LINES, GUPTA_DPCG2},
    {"diagonal scaling", {NULL}, {2, 1, 1, 1, 1, 1}, OF_FIELDS, GUPTA_DPCG2},
    {"(A Z)' x", {NULL}, {6, 5, 1, 1, 0, 1}, OF_SUMS, GUPTA_DIPCG2},
    {"Sdot", {NULL}, {1, 2, 1, NAN, 4, 0}, OF_FIELDS, GUPTA_DIPCG2},
    {"Saxpy, ours x and r at once with (r, r), and p",
     {"advance", "update"},
     {2, 2, 1, NAN, 3, 0},
     OF_FIELDS,
     GUPTA_DIPCG2},
    {"Sscal", {NULL}, {1, 1, 1, NAN, 1, 0}, OF_FIELDS, GUPTA_DIPCG2},
    {"Snrm", {NULL}, {1, 2, 1, NAN, 1, 0}, OF_FIELDS, GUPTA_DIPCG2},
};

static struct gupta_tasks kernel_of_step(const struct kernel *kernel, const struct gupta_solves *solves)
{
    struct gupta_tasks sum = {0, 0, 0, 0};

    for (int part = 0; part < MOST_TASKS && kernel->task[part]; part++) {
        const struct gupta_tasks tasks = gupta_of_step(solves, kernel->task[part]);
        sum.count += tasks.count;
        sum.operations += tasks.operations;
        sum.words += tasks.words;
    }
    return sum;
}

static void add_count(struct gupta *g, const char *kernel, const char *what, const char *unit, double paper,
                      double ours)
{
    command_keys(reproduce_number(&g->bench,
                                  bench_name("%s: %s%s%s", kernel, what, unit ? ", over " : "", unit ? unit : ""),
                                  paper, "the paper counts reading and writing apart", ours),
                 KEY("how", isnan(ours) ? "no such kernel, or not counted" : "counted"));
}

static void add_kernel(struct gupta *g, const struct kernel *kernel, const struct gupta_tasks *ours)
{
    const double unknowns = (double)(g->n * g->n), vectors = 8.0 * (double)g->n;
    const int gemv = kernel->unit == OF_GEMV;

    for (int c = 0; c < COUNTS; c++) {
        const double counted = c == COMPUTED   ? ours->operations / (gemv ? vectors * vectors : unknowns)
                               : c == PER_STEP ? ours->count
                                               : (double)NAN;
        add_count(g, kernel->name, counts[c], c < PER_STEP ? units[kernel->unit][c] : NULL, kernel->paper[c],
                  ours->count > 0 ? counted : (double)NAN);
    }
    if (ours->count > 0)
        add_count(g, kernel->name, "words read and written", units[kernel->unit][READ], (double)NAN,
                  ours->words / (gemv ? vectors * (vectors + 1) : unknowns));
}

/* Do something with the tasks of one version's steps, of the GPU if there is one. */
static starfish_status with_steps(struct gupta *g, int version,
                                  void (*add)(struct gupta *g, const struct gupta_solves *solves))
{
    struct gupta_solves solves = {.version = version, .separate = 1};
    struct diffusion_case given;
    starfish_context *context = NULL;

    bench_next("tasks of %s, %zu x %zu", diffusion_versions[version].name, g->n, g->n);
    starfish_status status = diffusion_laplacian(g->n, &given);
    STARFISH_THEN(status, workers_open(g->bench.gpus > 0 ? "gpu:1" : "cpu:1", 0, &context));
    STARFISH_THEN(status, gupta_record(g, &given, context, &solves));
    if (status == STARFISH_SUCCESS)
        add(g, &solves);
    gupta_forget(&solves);
    starfish_context_destroy(context);
    diffusion_case_free(&given);
    return status;
}

static void add_kernels(struct gupta *g, const struct gupta_solves *solves)
{
    for (int k = 0; k < KERNELS; k++)
        if (kernels[k].version == solves->version) {
            const struct gupta_tasks ours = kernel_of_step(&kernels[k], solves);
            add_kernel(g, &kernels[k], &ours);
        }
    if (solves->version == GUPTA_DIPCG2)
        add_count(g, "a step of DIPCG2, by equation 25 with 49 steps", "operations", NULL,
                  gupta_if_paper(g, 1.46e9 / 49), gupta_of_step(solves, NULL).operations);
}

starfish_status gupta_count_kernels(struct gupta *g)
{
    g->bench.parts = 2;
    STARFISH_TRY(with_steps(g, GUPTA_DIPCG2, add_kernels));
    return with_steps(g, GUPTA_DPCG2, add_kernels);
}

/* How often a step of DIPCG2 launches each, after equation 24; our tasks, of which each is a kernel. */
static void add_launches(struct gupta *g, const struct gupta_solves *solves)
{
    double named = 0;

    for (int k = 0; k < KERNELS; k++)
        if (kernels[k].version == GUPTA_DIPCG2) {
            const double ours = kernel_of_step(&kernels[k], solves).count;
            named += ours;
            add_count(g, kernels[k].name, "launches per step of DIPCG2, ours tasks", NULL, kernels[k].paper[PER_STEP],
                      ours);
        }
    add_count(g, "others, ours scalars", "launches per step of DIPCG2, ours tasks", NULL, 0,
              gupta_of_step(solves, NULL).count - named);
}

starfish_status gupta_count_launches(struct gupta *g)
{
    g->bench.parts = 1;
    return with_steps(g, GUPTA_DIPCG2, add_launches);
}

/* ---- Table 4 ----------------------------------------------------------------------------------------------------- */

/* 1: yes, 0: no, the paper's "minimal" with yes. Ours are what the kernels' authors say. */
starfish_status gupta_list_characteristics(struct gupta *g)
{
    static const char *const what[4] = {"shared memory", "divergence", "bank conflicts", "warp serialisation"};
    static const struct {
        const char *name;
        int paper[4], ours[4];
    } rows[] = {{"Magma_Sgemv", {1, 0, 0, 0}, {1, 0, 0, 0}}, {"IP preconditioning", {1, 1, 1, 0}, {0, 1, 0, 0}},
                {"SpMV", {1, 1, 1, 0}, {0, 1, 0, 0}},        {"A Z E^-1 b", {1, 1, 1, 0}, {0, 0, 0, 0}},
                {"Z' x", {1, 1, 1, 1}, {0, 0, 0, 0}},        {"saxpy_alpha", {1, 0, 0, 0}, {0, 0, 0, 0}},
                {"saxpy_beta", {0, 0, 0, 0}, {0, 0, 0, 0}}};

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int w = 0; w < 4; w++)
            command_keys(reproduce_number(&g->bench, bench_name("%s: %s", rows[r].name, what[w]), rows[r].paper[w],
                                          NULL, rows[r].ours[w]),
                         KEY("how", "by hand"));
    return STARFISH_SUCCESS;
}

/* ---- Table 5: shares of the time --------------------------------------------------------------------------------- */

/* What a profiler said of the paper's kernels: percent of the time, GB/s read, written and both, percent of the threads
 * that fit; and our tasks that correspond. */
enum { SHARE, READ_RATE, WRITTEN_RATE, RATE, OCCUPANCY, STATISTICS };
static const char *const statistics[STATISTICS] = {"% of the tasks' time", "GB/s read", "GB/s written", "GB/s",
                                                   "% occupancy"};
static const struct share {
    const char *name, *task[MOST_TASKS];
    double paper[STATISTICS];
} shares[] = {{"E^-1 b (gemv)", {"coarse_solve"}, {44, 85.2, 0.02, 85.4, 50}},
              {"IP preconditioning", {"ip, first", "ip, second"}, {9.6, 66.39, 5.75, 72.15, 100}},
              {"SpMV", {"A p"}, {9.6, 66.44, 5.76, 72.2, 100}},
              {"A Z E^-1 b, ours y + Z times it", {"prolong"}, {9.4, 51.93, 6.08, 58.02, 100}},
              {"Z' x, ours with (A Z)' y", {"domain_sums"}, {6.6, 8.175, 1.02, 9.19, 50}},
              {"saxpy_alpha, ours of x and r with the norm", {"advance"}, {3.2, 34.85, 34.85, 69.7, 100}},
              {"saxpy_beta", {"update"}, {2.5, 42.64, 21.3, 63.67, 100}},
              {"cublas_Sdot, ours in the kernels before it", {NULL}, {8.6, 53.88, 0.197, 54.08, 100}},
              {"cublas_Saxpy, ours in saxpy_alpha", {NULL}, {2.9, 42.34, 21.17, 63.52, 100}},
              {"cublas 2-norm, ours in saxpy_alpha", {NULL}, {1.81, 37.69, 0.223, 37.92, 100}}};

/* The statistics of a kernel: NaN where it is in others, or is not counted. */
static void statistics_of(const struct share *share, const struct starfish_record *record, double ours[STATISTICS])
{
    double seconds = 0, words = 0;

    for (int part = 0; part < MOST_TASKS && share->task[part]; part++) {
        const struct gupta_tasks tasks = tasks_of(record, share->task[part]);
        seconds += tasks.seconds;
        words += tasks.words;
    }
    for (int what = 0; what < STATISTICS; what++)
        ours[what] = (double)NAN;
    if (seconds > 0) {
        ours[SHARE] = 100 * seconds / tasks_of(record, NULL).seconds;
        ours[RATE] = 1e-9 * sizeof(double) * words / seconds;
    }
}

static void add_shares(struct gupta *g, int place, const struct starfish_record *record)
{
    double ours[STATISTICS];

    for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
        statistics_of(&shares[s], record, ours);
        for (int what = 0; what < STATISTICS; what++) {
            const double paper = place == 1 ? gupta_if_paper(g, shares[s].paper[what]) : (double)NAN;
            if (isnan(paper) && isnan(ours[what]))
                continue;
            json_t *row = reproduce_number(
                &g->bench, bench_name("%s on %s: %s", shares[s].name, gupta_places[place], statistics[what]), paper,
                place == 1 ? REPRODUCE_SIZE : "the paper's table is of a GPU", ours[what]);
            if (isnan(ours[what]))
                command_keys(row, KEY("note", what == OCCUPANCY    ? "a profiler's"
                                              : isnan(ours[SHARE]) ? "no such kernel"
                                                                   : "counted together"));
        }
    }
}

/* DIPCG with a task for each operation, so that its times are known. */
static starfish_status shares_at(struct gupta *g, int place, starfish_context *context)
{
    const struct starfish_diffusion_options options = options_of(g, GUPTA_DIPCG2, 1);
    struct starfish_record *record = NULL;
    struct diffusion_case given;

    bench_next("tasks of DIPCG2 on %s, %zu x %zu", gupta_places[place], g->n, g->n);
    starfish_status status = diffusion_laplacian(g->n, &given);
    STARFISH_THEN(status, record_one(&given, &options, context, 1, &record));
    if (status == STARFISH_SUCCESS)
        add_shares(g, place, record);
    starfish_record_free(record);
    diffusion_case_free(&given);
    return status;
}

starfish_status gupta_measure_shares(struct gupta *g)
{
    g->bench.parts = (size_t)gupta_places_here(g);
    return gupta_at_all_places(g, shares_at);
}
