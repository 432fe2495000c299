/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench atmosphere: the pressure correction on flat domains, by multigrid and by conjugate gradients with
 * lines upwards: iterations of a given number, their time, and the bandwidth by the least words that move and by the
 * count of Mueller, Scheichl, Vainikko (2015). */
#include "apps/bench/atmosphere.h"

#include "apps/bench/bench.h"
#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/multigrid_run.h"
#include "apps/workers.h"
#include "atmosphere/boxes.h"
#include "atmosphere/geometry.h"
#include "atmosphere/options.h"
#include "multigrid/options.h"

#include <math.h>
#include <stdio.h>

enum { SIZE, GEOMETRY, METHOD, PRECISION, PLACE, AXES };

struct atmosphere_bench {
    struct bench bench; /* first */
    struct axis axis[AXES];
    struct bench_sets sets;
    size_t layers, rows, iterations, boxes; /* rows: of columns in y; 0: as many as there are columns in x */
    int products;
    struct starfish_multigrid_options sharing;  /* who shares the fine grids, and in how many parts */
    struct starfish_atmosphere_problem problem; /* that is measured */
    struct starfish_flat_volumes volumes;
};

/* Words per unknown and iteration that must move, in the precision of cycles, and the count of the paper for its
 * kernels. A cycle moves 8.5 words on the finest grid: 3 in the sweep before the correction, 2.25 for the restricted
 * residual, 3.25 in the corrected sweep. All coarser grids move a third of 7.5 words. Conjugate gradients move 2 words
 * for lines, 3 for direction and product, 5 for solution and residual; in mixed precision 21 in all. */
static const struct {
    double ours, paper;
} words[STARFISH_ATMOSPHERE_METHODS] = {
    [STARFISH_ATMOSPHERE_MULTIGRID] = {11, 29.6}, [STARFISH_ATMOSPHERE_CG] = {10, 15}};

static void add_row(struct atmosphere_bench *run, const char *name, struct repeated *times, double bytes)
{
    const size_t *n = run->problem.n, method = run->axis[METHOD].now;
    json_t *row = bench_row(&run->bench, "starfish", name, times->seconds, times->repeat, bytes);
    const double seconds = bench_seconds(row) / (double)run->iterations;
    const double unknowns = (double)n[0] * (double)n[1] * (double)n[2];

    command_keys(row, KEY("geometry", names_geometries[run->problem.geometry]), KEY("iterations", run->iterations),
                 KEY("iteration_seconds", seconds),
                 KEY("paper_bytes_per_second", words[method].paper * 8 * unknowns / seconds),
                 KEY("method", starfish_atmosphere_method_names[method]),
                 KEY("precision", starfish_precision_names[run->axis[PRECISION].now]), KEY("workers", run->sets.name),
                 KEY("where", names_places[run->axis[PLACE].now]), KEY("levels", times->about.levels),
                 KEY("plan_seconds", times->about.seconds));
    bench_limit_bytes(&run->bench, row, run->sets.gpus, bytes);
}

static starfish_status measure_combination(void *data)
{
    struct atmosphere_bench *run = data;
    struct starfish_multigrid_options options = run->sharing;
    const struct starfish_atmosphere_options cut = {.slabs = options.parts, .boxes = run->boxes};
    const size_t *n = run->problem.n, place = run->axis[PLACE].now;
    size_t *method = &run->axis[METHOD].now;
    struct repeats what = repeats_of(&run->bench, run->sets.context, SOLVE_PINNED + place);
    struct starfish_flat_problem *matrix = &run->volumes.matrix;
    struct starfish_atmosphere_boxes boxes;
    struct repeated times;
    starfish_plan *plan;
    char name[160];

    if (place > 0 && !run->sets.gpus)
        return STARFISH_SUCCESS;
    *method = *method == STARFISH_ATMOSPHERE_AUTO ? STARFISH_ATMOSPHERE_MULTIGRID : *method;
    multigrid_set_precision(&options, run->axis[PRECISION].now);
    options.krylov = *method == STARFISH_ATMOSPHERE_CG ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
    options.inner_cycles = starfish_flat_inner_cycles(matrix);
    multigrid_set_work(&options, 1, run->iterations);
    matrix->preconditioner = options.krylov == STARFISH_KRYLOV_CG ? STARFISH_FLAT_BY_LINES : STARFISH_FLAT_BY_CYCLES;
    STARFISH_TRY(starfish_atmosphere_cut(run->sets.context, &cut, &run->problem, &boxes));
    matrix->cut = boxes.cut.parts[0] > 0 ? &boxes.cut : NULL;
    what.arrays.precision = options.precision;
    what.arrays.count = n[0] * n[1] * n[2];
    what.constant = 1;
    snprintf(name, sizeof name, "%s %zu x %zu x %zu: %s, %s, %s, %s", names_geometries[run->problem.geometry], n[0],
             n[1], n[2], starfish_atmosphere_method_names[*method], starfish_precision_names[run->axis[PRECISION].now],
             run->sets.name, names_places[place]);
    bench_announce("%s", name);
    STARFISH_TRY(starfish_flat_plan_create(run->sets.context, matrix, &options, &plan));
    STARFISH_TRY(multigrid_repeat(&what, plan, &times));
    const double size = options.precision == STARFISH_F64 && !options.mixed ? 8 : 4;
    add_row(run, name, &times, words[*method].ours * size * (double)what.arrays.count * (double)run->iterations);
    return STARFISH_SUCCESS;
}

/* ---- Combinations ------------------------------------------------------------------------------------------------ */

/* The paper's: w = 4.2 h, l = 1, a box of the depth of the atmosphere over the unit square (or of as much more in y as
 * there are more rows), or one or six panels of the sphere, with h the mean width of their cells. */
static starfish_status measure_size(void *data)
{
    enum { FEW_UNKNOWNS = 1 << 24 };
    struct atmosphere_bench *run = data;
    const size_t n = run->axis[SIZE].now, geometry = run->axis[GEOMETRY].now;
    const int flat = geometry == STARFISH_FLAT_BOX;
    const size_t own_rows = geometry == STARFISH_SPHERE ? 6 * n : n, rows = run->rows > 0 ? run->rows : own_rows;
    const double h = (flat ? 1 : sqrt(2.0943951023931954923)) / (double)n;

    STARFISH_FAIL_IF(!flat && rows != own_rows, STARFISH_ERROR_ARGUMENT,
                     "--rows is %zu: a %s of --n %zu has %zu rows of columns", rows, names_geometries[geometry], n,
                     own_rows);
    run->problem = (struct starfish_atmosphere_problem){.geometry = (starfish_flat_geometry)geometry,
                                                        .n = {n, rows, run->layers},
                                                        .length = {1, (double)rows / (double)n},
                                                        .height = 0.00785,
                                                        .omega = 4.2 * h,
                                                        .lambda = 1};
    starfish_status status = starfish_flat_volumes_create(&run->volumes, &run->problem);
    STARFISH_THEN(status,
                  bench_each_way(&run->bench, &run->sets, &run->axis[METHOD], AXES - METHOD, measure_combination));
    const int few = n * rows * run->layers <= (size_t)FEW_UNKNOWNS;
    if ((run->products || few) && geometry != STARFISH_SPHERE && run->bench.gpus > 0 && status == STARFISH_SUCCESS)
        bench_atmosphere_products(&run->bench, &run->volumes.matrix);
    starfish_flat_volumes_destroy(&run->volumes);
    return status;
}

static starfish_status measure(struct bench *bench)
{
    struct atmosphere_bench *run = (struct atmosphere_bench *)bench;

    STARFISH_TRY(axes_read(run->axis, AXES));
    STARFISH_TRY(bench_worker_sets(bench, &run->sets, "gpu;cpu", "cpu"));
    bench_copies(bench);
    bench->parts = run->axis[GEOMETRY].count * run->axis[SIZE].count * run->sets.list.count;
    return axes_each(run->axis, 2, measure_size, run);
}

int bench_atmosphere(int argc, char **argv)
{
    static struct atmosphere_bench run = {
        .bench = BENCH_DEFAULTS("atmosphere"),
        .axis = {[SIZE] = {"--n", "128,256"},
                 [GEOMETRY] = {"--geometry", "flat", &names_table},
                 [METHOD] = {"--method", "multigrid,cg", &starfish_atmosphere_option_table},
                 [PRECISION] = {"--precision", "f64,mixed", &names_table},
                 [PLACE] = {"--where", "host,device", &names_table}},
        .layers = 128,
        .sharing = STARFISH_MULTIGRID_OPTIONS_DEFAULTS,
        .iterations = 20};
    const struct starfish_option_table *table = &starfish_atmosphere_option_table;
    const struct option_entry options[] = {
        {"--geometry", OPTION_LIST, &run.axis[GEOMETRY].given, "LIST", .table = &names_table},
        {"--n", OPTION_TEXT, &run.axis[SIZE].given, "LIST",
         .help = "N x N columns, of a sphere on each of its six panels"},
        {"--layers", OPTION_COUNT, &run.layers, "N", .help = "cells of a column"},
        {"--rows", OPTION_COUNT, &run.rows, "N",
         .help = "of a box: rows of columns in y, so that there are more for more GPUs; without, as many as in x"},
        {"--products", OPTION_FLAG, &run.products,
         .help = "one product beside cuSPARSE's with stored rows, of large problems too"},
        {"--method", OPTION_LIST, &run.axis[METHOD].given, "LIST", .table = table},
        {"--precision", OPTION_LIST, &run.axis[PRECISION].given, "LIST", .table = &names_table},
        {"--iterations", OPTION_COUNT, &run.iterations, "N", .help = "of each solve"},
        {"--sharing", OPTION_MEMBER, &run.sharing, "S", .table = &starfish_multigrid_option_table},
        {"--parts", OPTION_POSITIVE, &run.sharing, "N", .table = &starfish_multigrid_option_table},
        {"--boxes", OPTION_COUNT, &run.boxes, "N",
         .help = "of them beside one another in x, so that parts are boxes; without, runs of rows"},
        {"--workers", OPTION_TEXT, &run.sets.given, "SETS", .help = WORKERS_SETS "; without, gpu;cpu, or cpu"},
        {"--where", OPTION_LIST, &run.axis[PLACE].given, "LIST", .table = &names_table},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    return bench_start(
        &run.bench, "bench",
        "The pressure correction of Mueller, Scheichl, Vainikko 2015 on flat domains, with w = 4.2 h: V(1,1)\n"
        "cycles, and conjugate gradients with lines upwards, a given number of either.\n"
        "A LIST has commas between its entries; all combinations are measured.",
        options, argc, argv, measure);
}
