/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce geveler-figure4, geveler-figure5: the experiments of Geveler, Ribbrock, Goeddeke, Zajac, Turek,
 * "Towards a complete FEM-based simulation toolkit on GPUs: unstructured grid finite element geometric multigrid
 * solvers with strong smoothers based on sparse approximate inverses", Computers & Fluids 80 (2013), 327-332.
 *
 * -Laplace u = 1, u = 0 outside and 1 on the hole; F cycles, 8 + 8 smoothing steps in 2D and 16 + 16 in 3D, the
 * residual reduced by 1e-8. The paper's times are of a Core i7 980 with six threads and of a Tesla C2070, in f64. Its
 * meshes are drawn, not given: ours are of that kind (apps/plans/domain.h). */
#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/lists.h"
#include "apps/plans/domain.h"
#include "apps/plans/multigrid_run.h"
#include "apps/reproduce/reproduce.h"
#include "apps/workers.h"
#include "fem/options.h"
#include "fem/plan.h"

#include <math.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <string.h>

enum { SMOOTHERS = 3, NUMBERINGS = STARFISH_FEM_NUMBERINGS, PLACES = 2 };

/* Iterations, and seconds on the CPU and the GPU; 0: the paper has none. */
struct paper {
    int iterations;
    double seconds[PLACES];
};

struct experiment {
    struct bench bench; /* first: measure() gets at the rest through it */
    int d;
    size_t less, more; /* refinements that are left out, and added */
    const char *mesh, *only, *known;
    json_t *before; /* rows of earlier runs: what they have is not measured again */
    int copies;
    const struct paper (*paper)[NUMBERINGS][SMOOTHERS]; /* by element */
    struct fem_domain domain;
    double seconds[STARFISH_FEM_ELEMENTS][NUMBERINGS][SMOOTHERS][PLACES]; /* 0: not measured */
};

/* ---- What the paper has ------------------------------------------------------------------------------------------ */

/* By numbering: two-level, Cuthill-McKee, xyz, random, hierarchical; by smoother: Jacobi, SPAI, SAINV. */
static const struct paper figure4[STARFISH_FEM_ELEMENTS][NUMBERINGS][SMOOTHERS] = {
    {{{13, {4.04, 1.06}}, {5, {2.54, 0.56}}, {6, {3.59, 1.19}}},
     {{13, {3.65, 1.03}}, {5, {2.19, 0.72}}, {6, {3.29, 0.82}}},
     {{13, {3.48, 0.98}}, {5, {2.06, 0.51}}, {9, {4.44, 1.03}}},
     {{13, {4.04, 1.74}}, {5, {2.57, 1.04}}, {5, {3.19, 1.29}}},
     {{13, {3.49, 0.97}}, {5, {2.07, 0.50}}, {6, {3.07, 0.77}}}},
    {{{22, {13.19, 2.27}}, {5, {4.87, 0.93}}, {9, {10.24, 2.04}}},
     {{22, {11.40, 2.50}}, {5, {4.40, 1.02}}, {12, {10.58, 2.20}}},
     {{22, {11.29, 2.41}}, {5, {4.21, 0.99}}, {12, {9.58, 2.70}}},
     {{22, {12.92, 4.78}}, {5, {5.14, 2.04}}, {9, {4.64, 1.57}}},
     {{22, {11.25, 2.44}}, {5, {4.24, 1.00}}, {9, {8.68, 1.88}}}}};
static const struct paper figure5[STARFISH_FEM_ELEMENTS][NUMBERINGS][SMOOTHERS] = {
    {{{26, {2.43, 0.66}}, {7, {1.08, 0.27}}, {9, {1.03, 0.28}}},
     {{26, {2.34, 0.66}}, {7, {1.02, 0.28}}, {9, {0.98, 0.29}}},
     {{0}},
     {{26, {2.63, 0.75}}, {7, {1.18, 0.33}}, {10, {1.28, 0.38}}},
     {{0}}},
    {{{42, {9.86, 2.01}}, {8, {3.09, 0.58}}, {10, {2.44, 0.56}}},
     {{42, {7.46, 2.31}}, {8, {2.50, 0.70}}, {12, {2.41, 0.73}}},
     {{0}},
     {{42, {8.89, 2.92}}, {8, {3.14, 0.92}}, {12, {2.90, 0.92}}},
     {{0}}}};
/* With refinements fewer or more than the paper has. */
static const struct paper other_sizes[STARFISH_FEM_ELEMENTS][NUMBERINGS][SMOOTHERS];

static int has_its_sizes(const struct experiment *e)
{
    return e->paper != other_sizes;
}

/* Why the paper has no number where it has a row. */
static const char *why_none(const struct experiment *e, const char *why)
{
    return has_its_sizes(e) ? why : REPRODUCE_SIZE;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

/* One case: what it is, and what came of it. */
struct solve {
    starfish_fem_element element;
    starfish_fem_numbering numbering;
    starfish_fem_smoother smoother;
    int place; /* 0: cores, 1: a GPU */
    struct repeated times;
    struct starfish_fem_matrices matrices;
    double bytes; /* of all cycles */
};

/* Solves that are slow are not repeated: some hundred of them are one experiment. */
static const double slow_seconds = 0.2;

static starfish_status run(struct experiment *e, starfish_context *context, struct solve *s)
{
    const int levels[2][STARFISH_FEM_ELEMENTS] = {{7, 6}, {4, 3}};
    const int refinements = levels[e->d - 2][s->element] - 1 - (int)e->less + (int)e->more;
    const struct starfish_fem_problem problem = fem_domain_problem(&e->domain, s->element, refinements);
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;
    struct repeats what = repeats_of(&e->bench, context, SOLVE_PAGEABLE);
    starfish_plan *plan;
    options.smoother = s->smoother;
    options.numbering = s->numbering;
    options.tolerance = 1e-8;
    what.slow = slow_seconds;
    s->matrices = (struct starfish_fem_matrices)STARFISH_FEM_MATRICES_DEFAULTS;
    STARFISH_TRY(starfish_fem_plan_create(context, &problem, &options, &plan));
    starfish_status status = starfish_fem_matrices(plan, &s->matrices);
    STARFISH_THEN(status, repeat_elements(&what, plan, &s->times));
    s->bytes = s->times.result.iterations * starfish_fem_cycle_bytes(plan);
    starfish_plan_destroy(plan);
    return status;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static const char *const places[PLACES] = {"cores", "GPU"};

static void add_keys(json_t *row, const struct solve *s)
{
    command_keys(row, KEY("element", starfish_fem_element_names[s->element]),
                 KEY("smoother", starfish_fem_smoother_names[s->smoother]),
                 KEY("numbering", starfish_fem_numbering_names[s->numbering]), KEY("where", places[s->place]),
                 KEY("unknowns", s->times.about.unknowns), KEY("nonzeros", s->matrices.nonzeros),
                 KEY("smoother_nonzeros", s->matrices.smoother_nonzeros), KEY("setup_seconds", s->times.about.seconds),
                 KEY("smoother_seconds", s->matrices.smoother_seconds));
}

static double or_nan(double stated)
{
    return stated > 0 ? stated : (double)NAN;
}

/* ---- Runs in pieces ---------------------------------------------------------------------------------------------- */

static starfish_status read_known(struct experiment *e)
{
    struct list files;

    e->before = json_array();
    if (!e->known)
        return STARFISH_SUCCESS;
    STARFISH_TRY(list_read("--known", e->known, ',', &files));
    for (size_t i = 0; i < files.count; i++) {
        json_t *root;
        STARFISH_TRY(starfish_json_load(files.item[i], &root));
        const char *name = starfish_json_text_of(root, "name");
        json_t *rows = json_object_get(root, "rows");
        const int good = name && strcmp(name, e->bench.name) == 0 && json_is_array(rows);
        if (good)
            json_array_extend(e->before, rows);
        json_decref(root);
        STARFISH_JSON_FAIL_IF(!good, files.item[i], "name", "must be %s", e->bench.name);
    }
    return STARFISH_SUCCESS;
}

/* NULL: no earlier run has it. */
static json_t *find_known(const struct experiment *e, const char *key, const char *text)
{
    json_t *row;
    size_t i;

    json_array_foreach (e->before, i, row) {
        const char *its = starfish_json_text_of(row, key);
        if (its && strcmp(its, text) == 0)
            return row;
    }
    return NULL;
}

/* The two rows of a case, if earlier runs have them; *seconds: its time. */
static int take_known(struct experiment *e, const char *name, double *seconds)
{
    char line[BENCH_MACHINE];

    snprintf(line, sizeof line, "%s: iterations", name);
    json_t *iterations = find_known(e, "case", line);
    snprintf(line, sizeof line, "%s: time", name);
    json_t *time = find_known(e, "case", line);
    if (!iterations || !time)
        return 0;
    json_array_append(e->bench.rows, iterations);
    json_array_append(e->bench.rows, time);
    *seconds = starfish_json_number_of(time, "ours");
    return 1;
}

/* ---- Cases ------------------------------------------------------------------------------------------------------- */

static starfish_status need_context(struct experiment *e, int place, starfish_context **context)
{
    if (*context)
        return STARFISH_SUCCESS;
    STARFISH_TRY(workers_open(place == 0 ? "cpu" : "gpu:1", place == 0, context));
    bench_machine(&e->bench, *context);
    return STARFISH_SUCCESS;
}

static starfish_status add_case(struct experiment *e, starfish_context **context, struct solve *s)
{
    const int has_paper = (int)s->smoother < SMOOTHERS;
    const struct paper none = {0}, *paper = has_paper ? &e->paper[s->element][s->numbering][s->smoother] : &none;
    char name[160];
    double unused;
    const int length = snprintf(name, sizeof name, "%s, %s, %s, %s", starfish_fem_element_names[s->element],
                                starfish_fem_smoother_names[s->smoother], starfish_fem_numbering_names[s->numbering],
                                places[s->place]);
    if (e->only && !strstr(name, e->only))
        return STARFISH_SUCCESS;
    if (take_known(e, name, has_paper ? &e->seconds[s->element][s->numbering][s->smoother][s->place] : &unused))
        return STARFISH_SUCCESS;
    STARFISH_TRY(need_context(e, s->place, context));
    bench_next("%s", name);
    STARFISH_TRY(run(e, *context, s));
    snprintf(name + length, sizeof name - (size_t)length, ": iterations");
    json_t *row = reproduce_number(&e->bench, name, or_nan(paper->iterations), why_none(e, REPRODUCE_OURS),
                                   s->times.result.iterations);
    add_keys(row, s);
    snprintf(name + length, sizeof name - (size_t)length, ": time");
    row = bench_row(&e->bench, "starfish", name, s->times.seconds, s->times.repeat, s->bytes);
    bench_limit_bytes(&e->bench, row, s->place, s->bytes);
    const double median = bench_seconds(row);
    reproduce_compare(row, or_nan(paper->seconds[s->place]), why_none(e, REPRODUCE_OURS), median);
    add_keys(row, s);
    if (has_paper)
        e->seconds[s->element][s->numbering][s->smoother][s->place] = median;
    return STARFISH_SUCCESS;
}

/* ---- What the paper claims of its times -------------------------------------------------------------------------- */

struct ratios {
    double product, least, most; /* but for product, NaN without any */
    int count;
};

static const struct ratios no_ratios = {1, NAN, NAN, 0};

static void add_ratio(struct ratios *ratios, double slow, double fast)
{
    if (!(slow > 0) || !(fast > 0))
        return;
    ratios->count++;
    ratios->product *= slow / fast;
    ratios->least = fmin(ratios->least, slow / fast);
    ratios->most = fmax(ratios->most, slow / fast);
}

static double mean_of(const struct ratios *ratios)
{
    return ratios->count > 0 ? pow(ratios->product, 1.0 / ratios->count) : (double)NAN;
}

/* The paper's columns of speed-ups: of a smoother over Jacobi on cores and on the GPU, and of the GPU over the cores.
 * The paper's are those of its times. */
static void add_speedup(struct experiment *e, int element, int n, int s, const char *what, double paper, double ours)
{
    if (isnan(ours) && isnan(paper))
        return;
    reproduce_number(&e->bench,
                     bench_name("%s, %s, %s: %s", starfish_fem_element_names[element], starfish_fem_smoother_names[s],
                                starfish_fem_numbering_names[n], what),
                     paper, why_none(e, REPRODUCE_LEFT_OUT), ours);
}

static double over(double slow, double fast)
{
    return slow > 0 && fast > 0 ? slow / fast : (double)NAN;
}

static void add_speedups(struct experiment *e, int element, int n, int s)
{
    static const char *const over_jacobi[PLACES] = {"over Jacobi, cores", "over Jacobi, GPU"};
    const struct paper *paper = &e->paper[element][n][s], *jacobi = &e->paper[element][n][STARFISH_FEM_JACOBI];
    const double *ours = e->seconds[element][n][s], *own_jacobi = e->seconds[element][n][STARFISH_FEM_JACOBI];
    for (int place = 0; place < PLACES && s != STARFISH_FEM_JACOBI; ++place)
        add_speedup(e, element, n, s, over_jacobi[place], over(jacobi->seconds[place], paper->seconds[place]),
                    over(own_jacobi[place], ours[place]));
    add_speedup(e, element, n, s, "GPU over cores", over(paper->seconds[0], paper->seconds[1]), over(ours[0], ours[1]));
}

static void add_claims(struct experiment *e)
{
    struct ratios gpu = no_ratios, spai = no_ratios, numbering = no_ratios, all = no_ratios;
    for (int element = 0; element < STARFISH_FEM_ELEMENTS; ++element)
        for (int n = 0; n < NUMBERINGS; ++n)
            for (int s = 0; s < SMOOTHERS; ++s)
                for (int place = 0; place < PLACES; ++place) {
                    const double own = e->seconds[element][n][s][place];
                    add_ratio(&numbering, e->seconds[element][STARFISH_FEM_RANDOM][s][place], own);
                    if (s == STARFISH_FEM_SPAI)
                        add_ratio(&spai, e->seconds[element][n][STARFISH_FEM_JACOBI][place], own);
                    if (place == 1) {
                        add_ratio(&gpu, e->seconds[element][n][s][0], own);
                        add_ratio(&all, e->seconds[element][STARFISH_FEM_RANDOM][STARFISH_FEM_JACOBI][0], own);
                    }
                }
    const struct {
        const char *name;
        double paper, ours;
    } claims[] = {{"a GPU over the cores, mean", 5, mean_of(&gpu)},
                  {"SPAI over Jacobi, mean", (double)NAN, mean_of(&spai)},
                  {"SPAI over Jacobi, least", 1.5, spai.least},
                  {"SPAI over Jacobi, most", 3.5, spai.most},
                  {"a good numbering over a random one, most", 2, numbering.most},
                  {"all together, most", 40, all.most}};
    for (size_t c = 0; c < sizeof claims / sizeof claims[0]; c++)
        reproduce_number(&e->bench, claims[c].name, has_its_sizes(e) ? claims[c].paper : (double)NAN,
                         why_none(e, "the paper states the least and the most"), claims[c].ours);
}

/* ---- The experiments --------------------------------------------------------------------------------------------- */

static int has_gpu(const struct experiment *e)
{
    return e->bench.gpus > 0 || find_known(e, "where", places[1]);
}

/* The paper's, and FSAI on a GPU, or where there is none: cores take seconds for each of its solves by Q2. */
static int smoothers_at(const struct experiment *e, int place)
{
    if (place == 1)
        return has_gpu(e) ? STARFISH_FEM_SMOOTHERS : 0;
    return has_gpu(e) ? SMOOTHERS : STARFISH_FEM_SMOOTHERS;
}

static starfish_status measure_on(struct experiment *e, int place)
{
    starfish_context *context = NULL;
    starfish_status status = STARFISH_SUCCESS;
    struct solve s;

    for (int element = 0; element < STARFISH_FEM_ELEMENTS; ++element)
        for (int smoother = 0; smoother < smoothers_at(e, place); ++smoother)
            for (int n = 0; n < NUMBERINGS && status == STARFISH_SUCCESS; ++n) {
                s = (struct solve){.element = (starfish_fem_element)element,
                                   .numbering = (starfish_fem_numbering)n,
                                   .smoother = (starfish_fem_smoother)smoother,
                                   .place = place};
                status = add_case(e, &context, &s);
            }
    starfish_context_destroy(context);
    return status;
}

static starfish_status measure_all(struct experiment *e)
{
    for (int place = PLACES - 1; place >= 0; --place)
        if (smoothers_at(e, place) > 0)
            STARFISH_TRY(measure_on(e, place));
    for (int element = 0; element < STARFISH_FEM_ELEMENTS && !e->only; ++element)
        for (int n = 0; n < NUMBERINGS; ++n)
            for (int s = 0; s < SMOOTHERS; ++s)
                add_speedups(e, element, n, s);
    add_claims(e);
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    struct experiment *e = (struct experiment *)bench;
    STARFISH_TRY(bench_look_around(bench));
    if (e->less != e->more)
        e->paper = other_sizes;
    starfish_status status = read_known(e);
    for (int place = 0; place < PLACES && !e->only; ++place)
        bench->parts += STARFISH_FEM_ELEMENTS * NUMBERINGS * (size_t)smoothers_at(e, place);
    if (e->copies && status == STARFISH_SUCCESS)
        bench_copies(bench);
    STARFISH_THEN(status, fem_domain_create(e->d, 1, &e->domain));
    if (status == STARFISH_SUCCESS && e->mesh)
        status = fem_domain_write(&e->domain, e->mesh);
    STARFISH_THEN(status, measure_all(e));
    fem_domain_free(&e->domain);
    json_decref(e->before);
    return status;
}

int reproduce_geveler(int argc, char **argv)
{
    const int in_3d = strcmp(argv[0], "geveler-figure5") == 0;
    struct experiment e = {.bench = {.name = in_3d ? "geveler-figure5" : "geveler-figure4", .repeat = 3, .warmup = 1},
                           .d = in_3d ? 3 : 2,
                           .paper = in_3d ? figure5 : figure4};
    const struct option_entry options[] = {
        {"--less", OPTION_NUMBER, &e.less, "N", .help = "refinements fewer than the paper has"},
        {"--more", OPTION_NUMBER, &e.more, "N", .help = "refinements more than the paper has"},
        {"--only", OPTION_TEXT, &e.only, "TEXT", .help = "only cases whose names have this in them"},
        {"--known", OPTION_TEXT, &e.known, "F.json,..",
         .help = "take what these --json of earlier runs have from them"},
        {"--copies", OPTION_FLAG, &e.copies, .help = "also time copies, and say what times by bytes would be"},
        {"--mesh", OPTION_TEXT, &e.mesh, "F.msh", .help = "also write the coarse mesh, in Gmsh's format"},
        BENCH_OPTIONS(&e.bench),
        {.name = NULL}};
    return reproduce_main(&e.bench,
                          in_3d ? "Geveler et al. 2013, figure 5: the same in 3D."
                                : "Geveler et al. 2013, figure 4: smoothers, numberings and elements in 2D, on cores "
                                  "and on a GPU.",
                          options, argc, argv, measure);
}
