/* starfish bench multigrid: Q1 multigrid on the meshes of Goeddeke and Strzodka, beside hypre's structured solvers on
 * the same matrix in the same run, and beside what copies of the least bytes take. */
#include "apps/bench/multigrid.h"
#include "apps/bench/bench.h"
#include "apps/command.h"
#include "apps/lists.h"
#include "apps/plans/multigrid_run.h"
#include "apps/workers.h"
#include "bench/peer_hypre.h"
#include "bench/peers.h"
#include "multigrid/options.h"
#include "multigrid/q1.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const problems[] = {[MULTIGRID_Q1] = "q1", [MULTIGRID_SEVEN] = "seven"};
static const struct starfish_option own_rows[] = {
    NAMES_ROW("--problem", problems, "bilinear elements, or seven-point differences on cubes")};
static const struct starfish_option_table own_table = NAMES_TABLE(own_rows);

/* What is being measured. */
struct combination {
    const struct multigrid_mesh *mesh;
    char name[64]; /* of mesh and level */
    struct multigrid_way way;
    size_t matrix, storage;
};

/* ---- Ways and rows of both problems ------------------------------------------------------------------------------ */

static starfish_status measure_ways(struct multigrid_bench *run, const struct axes *axes, struct multigrid_way *way,
                                    starfish_status (*measure)(struct multigrid_bench *run, void *data), void *data)
{
    const int gpus = starfish_context_workers_of(way->context, STARFISH_GPU) > 0;

    for (size_t p = 0; p < axes->precisions; ++p)
        for (size_t s = 0; s < axes->smoothers; ++s)
            for (size_t k = 0; k < axes->shapes; ++k)
                for (size_t w = 0; w < axes->places; ++w) {
                    way->precision = axes->precision[p];
                    way->smoother = axes->smoother[s];
                    way->shape = axes->shape[k];
                    way->place = axes->place[w];
                    if (way->place == 0 || gpus)
                        STARFISH_TRY(measure(run, data));
                }
    return STARFISH_SUCCESS;
}

starfish_status multigrid_bench_ways(struct multigrid_bench *run, const struct axes *axes, struct multigrid_way *way,
                                     starfish_status (*measure)(struct multigrid_bench *run, void *data), void *data)
{
    starfish_status status = STARFISH_SUCCESS;

    for (size_t w = 0; w < axes->workers.count && status == STARFISH_SUCCESS; ++w) {
        way->workers = axes->workers.item[w];
        STARFISH_TRY(multigrid_context(way->workers, &way->context));
        status = measure_ways(run, axes, way, measure, data);
        starfish_context_destroy(way->context);
        ++run->bench.done;
    }
    return status;
}

json_t *multigrid_bench_row(struct multigrid_bench *run, const char *name, const struct multigrid_way *way,
                            const struct starfish_multigrid_options *options, struct repeated *times, double reals)
{
    const struct starfish_option *krylov = starfish_option_of_flag(&starfish_multigrid_option_table, "--krylov");
    const struct starfish_result *result = &times->result;
    const double rate = starfish_context_workers_of(way->context, STARFISH_GPU) > 0 ? run->device_rate : run->host_rate;
    const double bytes = reals * (options->precision == STARFISH_F64 ? 8 : 4);
    json_t *row = bench_row(&run->bench, "starfish", name, times->seconds, times->repeat, bytes);

    bench_keys(row, KEY("precision", starfish_precision_names[way->precision]),
               KEY("smoother", starfish_smoother_names[times->chosen.smoother]),
               KEY("cycle", starfish_cycle_names[way->shape]),
               KEY("krylov", krylov->values[options->conjugate_gradients]), KEY("workers", way->workers),
               KEY("where", names_places[way->place]), KEY("cycles", result->iterations),
               KEY("cycle_seconds", bench_seconds(row) / result->iterations), KEY("factor", result->factor),
               KEY("residual", result->residual), KEY("plan_seconds", times->about.seconds));
    /* Where the number of cycles is given there is nothing to reach. */
    json_object_set_new(row, "reached", run->cycles > 0 ? json_null() : json_boolean(times->reached));
    if (rate > 0)
        bench_limit(row, bytes / rate);
    return row;
}

double multigrid_bench_hypre(struct multigrid_bench *run, const char *name, const struct peer_hypre_problem *problem,
                             enum peer_hypre_solver solver, double doubles)
{
    static const char *const names[] = {[PEER_HYPRE_PFMG] = "hypre PFMG",
                                        [PEER_HYPRE_SMG] = "hypre SMG",
                                        [PEER_HYPRE_CG_PFMG] = "hypre CG+PFMG",
                                        [PEER_HYPRE_CG_SMG] = "hypre CG+SMG"};
    double *seconds = malloc(run->bench.repeat * sizeof *seconds), setup, median = 0;
    int iterations;

    bench_announce("%s: %s", name, names[solver]);
    if (seconds && peer_hypre(solver, problem, NULL, (int)run->bench.repeat, seconds, &setup, &iterations)) {
        json_t *row = bench_row(&run->bench, names[solver], name, seconds, run->bench.repeat, 8 * doubles * iterations);
        median = bench_seconds(row);
        bench_keys(row, KEY("precision", starfish_precision_names[STARFISH_F64]), KEY("workers", "cpu:1"),
                   KEY("cycles", iterations), KEY("cycle_seconds", median / iterations), KEY("plan_seconds", setup));
    }
    free(seconds);
    return median;
}

/* ---- Bilinear elements ------------------------------------------------------------------------------------------- */

static void describe_case(const struct combination *c, char *name, size_t size)
{
    const int length =
        snprintf(name, size, "%s %s: %s, %s, %s cycle, %s, %s", c->name, starfish_precision_names[c->way.precision],
                 starfish_smoother_names[c->way.smoother], starfish_matrix_names[c->matrix],
                 starfish_cycle_names[c->way.shape], c->way.workers, names_places[c->way.place]);

    if (c->storage > 0)
        snprintf(name + length, size - (size_t)length, ", %s", starfish_storage_names[c->storage]);
}

static starfish_status measure_combination(struct multigrid_bench *run, const struct combination *c)
{
    struct starfish_multigrid_options options = run->options;
    struct repeated times;
    char name[192];

    multigrid_set_precision(&options, c->way.precision);
    options.smoother = (starfish_smoother)c->way.smoother;
    options.cycle = (starfish_cycle_shape)c->way.shape;
    options.matrix = (starfish_matrix_form)c->matrix;
    options.storage = (starfish_storage)c->storage;
    multigrid_set_work(&options, multigrid_q1_steps(c->way.smoother, run->steps), run->cycles);
    describe_case(c, name, sizeof name);
    if (options.conjugate_gradients)
        snprintf(name + strlen(name), sizeof name - strlen(name), ", CG");
    bench_announce("%s", name);
    starfish_status status =
        multigrid_run(c->mesh, &options, repeats_of(&run->bench, c->way.context, SOLVE_PINNED + c->way.place), &times);
    if (status == STARFISH_SUCCESS) {
        if (!times.reached)
            snprintf(name + strlen(name), sizeof name - strlen(name), ", 1e-8 not reached");
        json_t *row =
            multigrid_bench_row(run, name, &c->way, &options, &times, multigrid_words(&times) * (double)c->mesh->count);
        bench_keys(row, KEY("matrix", starfish_matrix_names[times.chosen.matrix]),
                   KEY("storage", starfish_storage_names[c->storage]), KEY("error", times.error));
    }
    return status;
}

/* ---- hypre ------------------------------------------------------------------------------------------------------- */

static void measure_hypre(struct multigrid_bench *run, const struct combination *c,
                          const struct peer_hypre_problem *problem, enum peer_hypre_solver solver)
{
    char name[96];

    snprintf(name, sizeof name, "%s f64: one core%s", c->name, problem->constant ? ", constant entries" : "");
    /* The matrix, unless it is stored as one number a band, and a vector or two each time. */
    multigrid_bench_hypre(run, name, problem, solver, (double)c->mesh->count * (problem->constant ? 3 : 8));
}

/* Entries that couple two unknowns are the same everywhere, as on a uniform mesh. */
static int is_constant(const struct peer_hypre_problem *p)
{
    const size_t nx = p->n[0], ny = p->n[1], middle = nx / 2 + nx * (ny / 2);

    for (int b = 0; b < PEER_HYPRE_BANDS; b++)
        for (size_t j = 0; j + 1 < ny; j++)
            for (size_t i = 1; i + 1 < nx; i++) {
                const double entry = p->band[b][i + nx * j], other = p->band[b][middle];
                if (fabs(entry - other) > 1e-12 * fabs(p->band[0][middle]))
                    return 0;
            }
    return 1;
}

static starfish_status measure_peers(struct multigrid_bench *run, const struct combination *c)
{
    struct peer_hypre_problem problem = {.n = {c->mesh->n[0], c->mesh->n[1]}, .rhs = c->mesh->load, .tolerance = 1e-8};
    struct starfish_q1_grid grid;

    STARFISH_TRY(starfish_q1_grid_create(&grid, &c->mesh->problem));
    double *table = calloc(starfish_band_table_start(problem.n[0], problem.n[1], 5), sizeof *table);
    if (!table) {
        starfish_q1_grid_destroy(&grid);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix");
    }
    starfish_q1_assemble(&grid, table);
    starfish_q1_diagonals(&grid, table);
    starfish_q1_grid_destroy(&grid);
    for (size_t b = 0; b < 5; b++)
        problem.band[b] = table + starfish_band_table_start(problem.n[0], problem.n[1], b);
    for (int solver = 0; solver <= PEER_HYPRE_CG_SMG; solver++)
        measure_hypre(run, c, &problem, (enum peer_hypre_solver)solver);
    problem.constant = is_constant(&problem);
    for (int solver = 0; solver <= PEER_HYPRE_CG_SMG && problem.constant; solver++)
        if (solver != PEER_HYPRE_SMG && solver != PEER_HYPRE_CG_SMG) /* which cannot do that */
            measure_hypre(run, c, &problem, (enum peer_hypre_solver)solver);
    free(table);
    return STARFISH_SUCCESS;
}

/* ---- combinations ------------------------------------------------------------------------------------------------ */

/* A mesh, and how it is solved in ways that seven-point differences do not have. */
struct q1_axes {
    const struct axes *axes;
    struct combination c;
};

/* Entries in 16 bits are for mixed precision. */
static starfish_status measure_forms(struct multigrid_bench *run, void *data)
{
    struct q1_axes *q1 = data;
    const struct axes *axes = q1->axes;
    struct combination *c = &q1->c;

    for (size_t m = 0; m < axes->matrices; ++m)
        for (size_t s = 0; s < axes->storages; ++s) {
            c->matrix = axes->matrix[m];
            c->storage = axes->storage[s];
            if (c->storage == 0 || (c->way.precision != STARFISH_F32 && c->way.precision != STARFISH_F64))
                STARFISH_TRY(measure_combination(run, c));
        }
    return STARFISH_SUCCESS;
}

static starfish_status measure_mesh(struct multigrid_bench *run, const struct axes *axes, const char *name, int level)
{
    struct multigrid_mesh mesh;
    struct q1_axes q1 = {.axes = axes, .c = {.mesh = &mesh}};

    snprintf(q1.c.name, sizeof q1.c.name, "%s level %d", name, level);
    starfish_status status = multigrid_mesh_create(name, level, &mesh);
    if (status == STARFISH_SUCCESS)
        status = multigrid_bench_ways(run, axes, &q1.c.way, measure_forms, &q1);
    if (status == STARFISH_SUCCESS && run->peers != NAMES_NONE)
        status = measure_peers(run, &q1.c);
    run->bench.done += run->peers != NAMES_NONE;
    multigrid_mesh_free(&mesh);
    return status;
}

static starfish_status read_axes(const struct multigrid_bench *run, struct axes *axes)
{
    const struct starfish_option_table *table = &starfish_multigrid_option_table;
    struct starfish_q1_refinement refinement;

    STARFISH_TRY(list_counts("--n", run->sizes, axes->size, &axes->sizes));
    STARFISH_TRY(list_read("--mesh", run->meshes, ',', &axes->mesh));
    for (size_t i = 0; i < axes->mesh.count; ++i)
        STARFISH_TRY(starfish_q1_named(axes->mesh.item[i], &refinement));
    STARFISH_TRY(list_counts("--level", run->levels, axes->level, &axes->levels));
    STARFISH_TRY(list_choices("--precision", run->precisions, &names_table, axes->precision, &axes->precisions));
    STARFISH_TRY(list_choices("--smoother", run->smoothers, table, axes->smoother, &axes->smoothers));
    STARFISH_TRY(list_choices("--cycle", run->shapes, table, axes->shape, &axes->shapes));
    STARFISH_TRY(list_choices("--matrix", run->matrices, table, axes->matrix, &axes->matrices));
    STARFISH_TRY(list_choices("--storage", run->storages, table, axes->storage, &axes->storages));
    return list_choices("--where", run->where, &names_table, axes->place, &axes->places);
}

static starfish_status measure(struct bench *bench)
{
    struct multigrid_bench *run = (struct multigrid_bench *)bench;
    struct axes axes;

    STARFISH_TRY(read_axes(run, &axes));
    STARFISH_TRY(bench_worker_sets(bench, run->workers, "gpu;cpu", "cpu:1;cpu", &axes.workers));
    if (axes.places == 1 && axes.place[0] == 1 && bench->gpus == 0)
        return STARFISH_SUCCESS; /* nothing to measure, which the frame tells */
    multigrid_copies(bench, &run->host_rate, &run->device_rate);
    bench->parts = axes.workers.count + (run->peers != NAMES_NONE);
    bench->parts *= run->problem == MULTIGRID_SEVEN ? axes.sizes : axes.levels * axes.mesh.count;
    if (run->problem == MULTIGRID_SEVEN)
        return bench_multigrid_cubes(run, &axes);
    for (size_t l = 0; l < axes.levels; ++l)
        for (size_t m = 0; m < axes.mesh.count; ++m)
            STARFISH_TRY(measure_mesh(run, &axes, axes.mesh.item[m],
                                      axes.level[l] <= MULTIGRID_MOST_LEVEL ? (int)axes.level[l] : -1));
    return STARFISH_SUCCESS;
}

int bench_multigrid(int argc, char **argv)
{
    static struct multigrid_bench run = {.bench = BENCH_DEFAULTS("multigrid"),
                                         .sizes = "127",
                                         .meshes = "U1,U3",
                                         .levels = "9",
                                         .precisions = "f64,mixed",
                                         .smoothers = "auto",
                                         .shapes = "v",
                                         .where = "host,device",
                                         .options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS,
                                         .storages = "inner",
                                         .matrices = "auto"};
    const struct starfish_option_table *table = &starfish_multigrid_option_table;
    const struct option_entry options[] = {
        {"--problem", OPTION_MEMBER, &run.problem, "P", .table = &own_table},
        {"--n", OPTION_TEXT, &run.sizes, "LIST", .help = "seven: cubes of N^3 unknowns"},
        {"--mesh", OPTION_TEXT, &run.meshes, "LIST", .help = "q1: U1, U2, U3, A1 .. A5"},
        {"--level", OPTION_TEXT, &run.levels, "LIST", .help = "q1: 2^L x 2^L elements, at most 13"},
        {"--precision", OPTION_LIST, &run.precisions, "LIST", .table = &names_table},
        {"--smoother", OPTION_LIST, &run.smoothers, "LIST", .help = "zebra for q1, line-z and plane for seven alone",
         .table = table},
        {"--storage", OPTION_LIST, &run.storages, "LIST", .table = table},
        {"--cycle", OPTION_LIST, &run.shapes, "LIST", .table = table},
        {"--krylov", OPTION_MEMBER, &run.options, "K", .table = table},
        {"--matrix", OPTION_LIST, &run.matrices, "LIST", .table = table},
        {"--tail", OPTION_POSITIVE, &run.options, "N", .table = table},
        {"--sharing", OPTION_MEMBER, &run.options, "S", .table = table},
        {"--parts", OPTION_POSITIVE, &run.options, "N", .table = table},
        {"--steps", OPTION_COUNT, &run.steps, "N",
         .help = "ADI and zebra steps before and after; without, 2; of other smoothers twice as many; seven: 1 of all"},
        {"--cycles", OPTION_COUNT, &run.cycles, "N",
         .help = "exactly so many, and no residual is looked at, instead of as many as 1e-8 takes"},
        {"--workers", OPTION_TEXT, &run.workers, "SETS",
         .help = WORKERS_SETS "; without, gpu;cpu, or cpu:1;cpu without a GPU"},
        {"--where", OPTION_LIST, &run.where, "LIST", .table = &names_table},
        {"--peers", OPTION_MEMBER, &run.peers, "P", .table = &names_table},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "bench multigrid [OPTION ...]",
        .summary = "Multigrid for bilinear elements on the meshes of Goeddeke and Strzodka 2011, or for the "
                   "Laplacian's seven-point\n"
                   "differences on the unit cube with u = 0 around it and f = 1, to a residual of 1e-8.\n"
                   "A LIST has commas between its entries; all combinations are measured.\n\n"
                   "Peers: hypre's PFMG and SMG, alone and with CG, on one core, where libhypre-dev was found.",
        .options = options};
    return bench_main(&run.bench, &line, argc, argv, measure);
}
