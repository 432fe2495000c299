/* starfish bench atmosphere: the pressure correction on flat domains, by multigrid and by conjugate gradients with
 * lines upwards: iterations of a given number, their time, and the bandwidth by the least words that move and by the
 * count of Mueller, Scheichl, Vainikko (2015). */
#include "apps/bench/atmosphere.h"

#include "apps/bench/bench.h"
#include "apps/command.h"
#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/plans/multigrid_run.h"
#include "apps/workers.h"
#include "atmosphere/boxes.h"
#include "atmosphere/geometry.h"
#include "atmosphere/options.h"
#include "base/real.h"
#include "multigrid/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct atmosphere_bench {
    struct bench bench; /* first */
    const char *geometries, *sizes, *methods, *precisions, *workers, *where;
    size_t layers, rows, iterations, boxes; /* rows: of columns in y; 0: as many as there are columns in x */
    int products;
    struct starfish_multigrid_options sharing; /* who shares the fine grids, and in how many parts */
    double host_rate, device_rate;             /* of copies; 0: not known */
};

struct combination {
    struct starfish_atmosphere_problem problem;
    size_t method, precision, place;
    const char *workers;
    starfish_context *context;
    struct starfish_flat_volumes volumes;
};

/* Words per unknown and iteration that must move in the precision of cycles, and the paper's count of its kernels'.
 * Cycles: 8.5 on the finest grid, of which the sweep before the correction 3, the restricted residual 2.25, the
 * corrected sweep 3.25, and a third of 7.5 on the others; conjugate gradients: lines 2,
 * direction and product 3, solution and residual 5; in mixed precision 21. */
static const struct {
    double ours, paper;
} words[STARFISH_ATMOSPHERE_METHODS] = {
    [STARFISH_ATMOSPHERE_MULTIGRID] = {11, 29.6}, [STARFISH_ATMOSPHERE_CG] = {10, 15}};

static void describe(const struct atmosphere_bench *run, json_t *row, const struct combination *c,
                     const struct repeated *times, double bytes)
{
    const double seconds = bench_seconds(row) / (double)run->iterations;
    const double unknowns = (double)c->problem.n[0] * (double)c->problem.n[1] * (double)c->problem.n[2];
    const double rate = starfish_context_workers_of(c->context, STARFISH_GPU) > 0 ? run->device_rate : run->host_rate;

    bench_keys(row, KEY("geometry", names_geometries[c->problem.geometry]), KEY("iterations", run->iterations),
               KEY("iteration_seconds", seconds),
               KEY("paper_bytes_per_second", words[c->method].paper * 8 * unknowns / seconds),
               KEY("method", starfish_atmosphere_method_names[c->method]),
               KEY("precision", starfish_precision_names[c->precision]), KEY("workers", c->workers),
               KEY("where", names_places[c->place]), KEY("levels", times->about.levels),
               KEY("plan_seconds", times->about.seconds));
    if (rate > 0)
        bench_limit(row, bytes / rate);
}

static starfish_status measure_combination(struct atmosphere_bench *run, struct combination *c)
{
    struct starfish_multigrid_options options = run->sharing;
    const struct starfish_atmosphere_options cut = {.slabs = options.parts, .boxes = run->boxes};
    const size_t *n = c->problem.n;
    struct starfish_atmosphere_boxes boxes;
    struct repeated times;
    starfish_plan *plan;
    char name[160];

    multigrid_set_precision(&options, c->precision);
    options.conjugate_gradients = c->method == STARFISH_ATMOSPHERE_CG;
    options.inner_cycles = starfish_flat_inner_cycles(&c->volumes.matrix);
    multigrid_set_work(&options, 1, run->iterations);
    c->volumes.matrix.preconditioner = options.conjugate_gradients ? STARFISH_FLAT_BY_LINES : STARFISH_FLAT_BY_CYCLES;
    STARFISH_TRY(starfish_atmosphere_cut(c->context, &cut, &c->problem, &boxes));
    c->volumes.matrix.cut = boxes.cut.parts[0] > 0 ? &boxes.cut : NULL;
    struct repeats what = repeats_of(&run->bench, c->context, SOLVE_PINNED + c->place);
    what.arrays.precision = options.precision;
    what.arrays.count = n[0] * n[1] * n[2];
    what.constant = 1;
    snprintf(name, sizeof name, "%s %zu x %zu x %zu: %s, %s, %s, %s", names_geometries[c->problem.geometry], n[0], n[1],
             n[2], starfish_atmosphere_method_names[c->method], starfish_precision_names[c->precision], c->workers,
             names_places[c->place]);
    bench_announce("%s", name);
    STARFISH_TRY(starfish_flat_plan_create(c->context, &c->volumes.matrix, &options, &plan));
    const starfish_status status = multigrid_repeat(&what, plan, &times);
    if (status == STARFISH_SUCCESS) {
        const double size = options.precision == STARFISH_F64 && !options.mixed ? 8 : 4;
        const double bytes = words[c->method].ours * size * (double)what.arrays.count * (double)run->iterations;
        json_t *row = bench_row(&run->bench, "starfish", name, times.seconds, times.repeat, bytes);
        describe(run, row, c, &times, bytes);
    }
    return status;
}

/* ---- Combinations ------------------------------------------------------------------------------------------------ */

struct axes {
    size_t geometry[LIST_MOST], geometries, size[LIST_MOST], sizes, method[LIST_MOST], methods, precision[LIST_MOST],
        precisions;
    size_t place[LIST_MOST], places;
    struct list workers;
};

static starfish_status measure_ways(struct atmosphere_bench *run, const struct axes *axes, struct combination *c)
{
    const int gpus = starfish_context_workers_of(c->context, STARFISH_GPU) > 0;

    for (size_t m = 0; m < axes->methods; ++m)
        for (size_t p = 0; p < axes->precisions; ++p)
            for (size_t w = 0; w < axes->places; ++w) {
                c->method =
                    axes->method[m] == STARFISH_ATMOSPHERE_AUTO ? STARFISH_ATMOSPHERE_MULTIGRID : axes->method[m];
                c->precision = axes->precision[p];
                c->place = axes->place[w];
                if (c->place == 0 || gpus)
                    STARFISH_TRY(measure_combination(run, c));
            }
    return STARFISH_SUCCESS;
}

/* The paper's: w = 4.2 h, l = 1, a box of the depth of the atmosphere over the unit square (or of as much more in y as
 * there are more rows), or one or six panels of the sphere, with h the mean width of their cells. */
static starfish_status measure_size(struct atmosphere_bench *run, const struct axes *axes, size_t geometry, size_t n)
{
    enum { FEW_UNKNOWNS = 1 << 24 };
    const int flat = geometry == STARFISH_FLAT_BOX;
    const size_t own_rows = geometry == STARFISH_SPHERE ? 6 * n : n, rows = run->rows > 0 ? run->rows : own_rows;
    const double h = (flat ? 1 : sqrt(2.0943951023931954923)) / (double)n;
    struct combination c = {.problem = {.geometry = (starfish_flat_geometry)geometry,
                                        .n = {n, rows, run->layers},
                                        .length = {1, (double)rows / (double)n},
                                        .height = 0.00785,
                                        .omega = 4.2 * h,
                                        .lambda = 1}};

    if (!flat && rows != own_rows)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--rows is %zu: a %s of --n %zu has %zu rows of columns", rows,
                             names_geometries[geometry], n, own_rows);
    starfish_status status = starfish_flat_volumes_create(&c.volumes, &c.problem);

    for (size_t w = 0; w < axes->workers.count && status == STARFISH_SUCCESS; ++w) {
        c.workers = axes->workers.item[w];
        status = multigrid_context(c.workers, &c.context);
        if (status == STARFISH_SUCCESS) {
            status = measure_ways(run, axes, &c);
            starfish_context_destroy(c.context);
            ++run->bench.done;
        }
    }
    const int few = n * rows * run->layers <= (size_t)FEW_UNKNOWNS;
    if ((run->products || few) && geometry != STARFISH_SPHERE && run->bench.gpus > 0 && status == STARFISH_SUCCESS)
        bench_atmosphere_products(&run->bench, &c.volumes.matrix);
    starfish_flat_volumes_destroy(&c.volumes);
    return status;
}

static starfish_status read_axes(const struct atmosphere_bench *run, struct axes *axes)
{
    const struct starfish_option_table *table = &starfish_atmosphere_option_table;

    STARFISH_TRY(list_choices("--geometry", run->geometries, &names_table, axes->geometry, &axes->geometries));
    STARFISH_TRY(list_counts("--n", run->sizes, axes->size, &axes->sizes));
    STARFISH_TRY(list_choices("--method", run->methods, table, axes->method, &axes->methods));
    STARFISH_TRY(list_choices("--precision", run->precisions, &names_table, axes->precision, &axes->precisions));
    return list_choices("--where", run->where, &names_table, axes->place, &axes->places);
}

static starfish_status measure(struct bench *bench)
{
    struct atmosphere_bench *run = (struct atmosphere_bench *)bench;
    struct axes axes;

    STARFISH_TRY(read_axes(run, &axes));
    STARFISH_TRY(bench_worker_sets(bench, run->workers, "gpu;cpu", "cpu", &axes.workers));
    multigrid_copies(bench, &run->host_rate, &run->device_rate);
    bench->parts = axes.geometries * axes.sizes * axes.workers.count;
    for (size_t i = 0; i < axes.sizes; ++i)
        for (size_t g = 0; g < axes.geometries; ++g)
            STARFISH_TRY(measure_size(run, &axes, axes.geometry[g], axes.size[i]));
    return STARFISH_SUCCESS;
}

int bench_atmosphere(int argc, char **argv)
{
    static struct atmosphere_bench run = {.bench = BENCH_DEFAULTS("atmosphere"),
                                          .geometries = "flat",
                                          .sizes = "128,256",
                                          .methods = "multigrid,cg",
                                          .precisions = "f64,mixed",
                                          .where = "host,device",
                                          .layers = 128,
                                          .sharing = STARFISH_MULTIGRID_OPTIONS_DEFAULTS,
                                          .iterations = 20};
    const struct starfish_option_table *table = &starfish_atmosphere_option_table;
    const struct option_entry options[] = {
        {"--geometry", OPTION_LIST, &run.geometries, "LIST", .table = &names_table},
        {"--n", OPTION_TEXT, &run.sizes, "LIST", .help = "N x N columns, of a sphere on each of its six panels"},
        {"--layers", OPTION_COUNT, &run.layers, "N", .help = "cells of a column"},
        {"--rows", OPTION_COUNT, &run.rows, "N",
         .help = "of a box: rows of columns in y, so that there are more for more GPUs; without, as many as in x"},
        {"--products", OPTION_FLAG, &run.products,
         .help = "one product beside cuSPARSE's with stored rows, of large problems too"},
        {"--method", OPTION_LIST, &run.methods, "LIST", .table = table},
        {"--precision", OPTION_LIST, &run.precisions, "LIST", .table = &names_table},
        {"--iterations", OPTION_COUNT, &run.iterations, "N", .help = "of each solve"},
        {"--sharing", OPTION_MEMBER, &run.sharing, "S", .table = &starfish_multigrid_option_table},
        {"--parts", OPTION_POSITIVE, &run.sharing, "N", .table = &starfish_multigrid_option_table},
        {"--boxes", OPTION_COUNT, &run.boxes, "N",
         .help = "of them beside one another in x, so that parts are boxes; without, runs of rows"},
        {"--workers", OPTION_TEXT, &run.workers, "SETS", .help = WORKERS_SETS "; without, gpu;cpu, or cpu"},
        {"--where", OPTION_LIST, &run.where, "LIST", .table = &names_table},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "bench atmosphere [OPTION ...]",
        .summary =
            "The pressure correction of Mueller, Scheichl, Vainikko 2015 on flat domains, with w = 4.2 h: V(1,1)\n"
            "cycles, and conjugate gradients with lines upwards, a given number of either.\n"
            "A LIST has commas between its entries; all combinations are measured.",
        .options = options};
    return bench_main(&run.bench, &line, argc, argv, measure);
}
