/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

const char *const multigrid_bench_krylovs[STARFISH_KRYLOVS] = {
    [STARFISH_KRYLOV_NONE] = "", [STARFISH_KRYLOV_CG] = ", CG", [STARFISH_KRYLOV_BICGSTAB] = ", BiCGStab"};

/* ---- Ways and rows of both problems ------------------------------------------------------------------------------ */

int multigrid_bench_options(const struct multigrid_bench *run, size_t steps, struct starfish_multigrid_options *options)
{
    *options = run->options;
    multigrid_set_precision(options, run->axis[MULTIGRID_PRECISION].now);
    options->smoother = (starfish_smoother)run->axis[MULTIGRID_SMOOTHER].now;
    options->cycle = (starfish_cycle_shape)run->axis[MULTIGRID_CYCLE].now;
    multigrid_set_work(options, steps, run->cycles);
    return run->axis[MULTIGRID_PLACE].now == 0 || run->sets.gpus;
}

struct repeats multigrid_bench_repeats(const struct multigrid_bench *run)
{
    return repeats_of(&run->bench, run->sets.context, SOLVE_PINNED + run->axis[MULTIGRID_PLACE].now);
}

json_t *multigrid_bench_row(struct multigrid_bench *run, const char *name,
                            const struct starfish_multigrid_options *options, struct repeated *times, double reals)
{
    const struct starfish_option *krylov = starfish_option_of_flag(&starfish_multigrid_option_table, "--krylov");
    const struct starfish_result *result = &times->result;
    const double bytes = reals * (options->precision == STARFISH_F64 ? 8 : 4);
    json_t *row = bench_row(&run->bench, "starfish", name, times->seconds, times->repeat, bytes);

    command_keys(row, KEY("precision", starfish_precision_names[run->axis[MULTIGRID_PRECISION].now]),
                 KEY("smoother", starfish_smoother_names[times->chosen.smoother]),
                 KEY("cycle", starfish_cycle_names[options->cycle]), KEY("krylov", krylov->values[options->krylov]),
                 KEY("workers", run->sets.name), KEY("where", names_places[run->axis[MULTIGRID_PLACE].now]),
                 KEY("cycles", result->iterations), KEY("cycle_seconds", bench_seconds(row) / result->iterations),
                 KEY("factor", result->factor), KEY("residual", result->residual),
                 KEY("plan_seconds", times->about.seconds),
                 /* Where the number of cycles is given there is nothing to reach. */
                 KEY("reached", run->cycles > 0 ? json_null() : json_boolean(times->reached)));
    bench_limit_bytes(&run->bench, row, run->sets.gpus, bytes);
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
        command_keys(row, KEY("precision", starfish_precision_names[STARFISH_F64]), KEY("workers", "cpu:1"),
                     KEY("cycles", iterations), KEY("cycle_seconds", median / iterations), KEY("plan_seconds", setup));
    }
    free(seconds);
    return median;
}

/* ---- Bilinear elements ------------------------------------------------------------------------------------------- */

/* Entries in 16 bits are for mixed precision. */
static starfish_status measure_combination(void *data)
{
    struct multigrid_bench *run = data;
    const size_t precision = run->axis[MULTIGRID_PRECISION].now, smoother = run->axis[MULTIGRID_SMOOTHER].now;
    const size_t matrix = run->axis[MULTIGRID_MATRIX].now, storage = run->axis[MULTIGRID_STORAGE].now;
    struct starfish_multigrid_options options;
    struct repeated times;
    char name[192];

    if (!multigrid_bench_options(run, multigrid_q1_steps(smoother, run->steps), &options) ||
        (storage > 0 && (precision == STARFISH_F32 || precision == STARFISH_F64)))
        return STARFISH_SUCCESS;
    options.matrix = (starfish_matrix_form)matrix;
    options.storage = (starfish_storage)storage;
    snprintf(name, sizeof name, "%s %s: %s, %s, %s cycle, %s, %s%s%s%s", run->name, starfish_precision_names[precision],
             starfish_smoother_names[smoother], starfish_matrix_names[matrix], starfish_cycle_names[options.cycle],
             run->sets.name, names_places[run->axis[MULTIGRID_PLACE].now], storage > 0 ? ", " : "",
             storage > 0 ? starfish_storage_names[storage] : "", multigrid_bench_krylovs[options.krylov]);
    bench_announce("%s", name);
    STARFISH_TRY(multigrid_run(&run->mesh, &options, multigrid_bench_repeats(run), &times));
    if (!times.reached)
        snprintf(name + strlen(name), sizeof name - strlen(name), ", 1e-8 not reached");
    json_t *row = multigrid_bench_row(run, name, &options, &times, multigrid_words(&times) * (double)run->mesh.count);
    /* Not command_keys, at which cppcheck crashes here. */
    json_object_set_new(row, "matrix", json_string(starfish_matrix_names[times.chosen.matrix]));
    json_object_set_new(row, "storage", json_string(starfish_storage_names[storage]));
    json_object_set_new(row, "error", command_json_real(times.error));
    return STARFISH_SUCCESS;
}

/* ---- hypre ------------------------------------------------------------------------------------------------------- */

static void measure_hypre(struct multigrid_bench *run, const struct peer_hypre_problem *problem,
                          enum peer_hypre_solver solver)
{
    /* The matrix, unless it is stored as one number a band, and a vector or two each time. */
    multigrid_bench_hypre(run,
                          bench_name("%s f64: one core%s", run->name, problem->constant ? ", constant entries" : ""),
                          problem, solver, (double)run->mesh.count * (problem->constant ? 3 : 8));
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

static starfish_status measure_peers(struct multigrid_bench *run)
{
    struct peer_hypre_problem problem = {
        .n = {run->mesh.n[0], run->mesh.n[1]}, .rhs = run->mesh.load, .tolerance = 1e-8};
    struct starfish_q1_grid grid;

    STARFISH_TRY(starfish_q1_grid_create(&grid, &run->mesh.problem));
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
        measure_hypre(run, &problem, (enum peer_hypre_solver)solver);
    problem.constant = is_constant(&problem);
    for (int solver = 0; solver <= PEER_HYPRE_CG_SMG && problem.constant; solver++)
        if (solver != PEER_HYPRE_SMG && solver != PEER_HYPRE_CG_SMG) /* which cannot do that */
            measure_hypre(run, &problem, (enum peer_hypre_solver)solver);
    free(table);
    return STARFISH_SUCCESS;
}

/* ---- combinations ------------------------------------------------------------------------------------------------ */

static starfish_status measure_mesh(void *data)
{
    struct multigrid_bench *run = data;
    const char *mesh = axis_text(&run->axis[MULTIGRID_MESH]);
    const size_t given = run->axis[MULTIGRID_LEVEL].now;
    const int level = given <= MULTIGRID_MOST_LEVEL ? (int)given : -1;

    snprintf(run->name, sizeof run->name, "%s level %d", mesh, level);
    starfish_status status = multigrid_mesh_create(mesh, level, &run->mesh);
    STARFISH_THEN(status, bench_each_way(&run->bench, &run->sets, &run->axis[MULTIGRID_PRECISION],
                                         MULTIGRID_AXES - MULTIGRID_PRECISION, measure_combination));
    if (status == STARFISH_SUCCESS && run->peers != NAMES_NONE)
        status = measure_peers(run);
    run->bench.done += run->peers != NAMES_NONE;
    multigrid_mesh_free(&run->mesh);
    return status;
}

static starfish_status measure(struct bench *bench)
{
    struct multigrid_bench *run = (struct multigrid_bench *)bench;
    const struct axis *place = &run->axis[MULTIGRID_PLACE], *mesh = &run->axis[MULTIGRID_MESH];
    struct starfish_q1_refinement refinement;

    STARFISH_TRY(axes_read(run->axis, MULTIGRID_AXES));
    for (size_t i = 0; i < mesh->count; ++i)
        STARFISH_TRY(starfish_q1_named(mesh->list.item[i], &refinement));
    STARFISH_TRY(bench_worker_sets(bench, &run->sets, "gpu;cpu", "cpu:1;cpu"));
    if (place->count == 1 && place->value[0] == 1 && bench->gpus == 0)
        return STARFISH_SUCCESS; /* nothing to measure, which the frame tells */
    bench_copies(bench);
    bench->parts = run->sets.list.count + (run->peers != NAMES_NONE);
    if (run->problem == MULTIGRID_SEVEN) {
        bench->parts *= run->axis[MULTIGRID_SIZE].count;
        return axes_each(&run->axis[MULTIGRID_SIZE], 1, bench_multigrid_cube, run);
    }
    bench->parts *= run->axis[MULTIGRID_LEVEL].count * mesh->count;
    return axes_each(&run->axis[MULTIGRID_LEVEL], 2, measure_mesh, run);
}

int bench_multigrid(int argc, char **argv)
{
    static struct multigrid_bench run = {
        .bench = BENCH_DEFAULTS("multigrid"),
        .axis = {[MULTIGRID_SIZE] = {"--n", "127"},
                 [MULTIGRID_LEVEL] = {"--level", "9"},
                 [MULTIGRID_MESH] = {"--mesh", "U1,U3", .texts = 1},
                 [MULTIGRID_PRECISION] = {"--precision", "f64,mixed", &names_table},
                 [MULTIGRID_SMOOTHER] = {"--smoother", "auto", &starfish_multigrid_option_table},
                 [MULTIGRID_CYCLE] = {"--cycle", "v", &starfish_multigrid_option_table},
                 [MULTIGRID_PLACE] = {"--where", "host,device", &names_table},
                 [MULTIGRID_MATRIX] = {"--matrix", "auto", &starfish_multigrid_option_table},
                 [MULTIGRID_STORAGE] = {"--storage", "inner", &starfish_multigrid_option_table}},
        .options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS};
    const struct starfish_option_table *table = &starfish_multigrid_option_table;
    const struct option_entry options[] = {
        {"--problem", OPTION_MEMBER, &run.problem, "P", .table = &own_table},
        {"--n", OPTION_TEXT, &run.axis[MULTIGRID_SIZE].given, "LIST", .help = "seven: cubes of N^3 unknowns"},
        {"--mesh", OPTION_TEXT, &run.axis[MULTIGRID_MESH].given, "LIST", .help = "q1: U1, U2, U3, A1 .. A5"},
        {"--level", OPTION_TEXT, &run.axis[MULTIGRID_LEVEL].given, "LIST",
         .help = "q1: 2^L x 2^L elements, at most 13"},
        {"--precision", OPTION_LIST, &run.axis[MULTIGRID_PRECISION].given, "LIST", .table = &names_table},
        {"--smoother", OPTION_LIST, &run.axis[MULTIGRID_SMOOTHER].given, "LIST",
         .help = "zebra for q1, line-z and plane for seven alone", .table = table},
        {"--storage", OPTION_LIST, &run.axis[MULTIGRID_STORAGE].given, "LIST", .table = table},
        {"--cycle", OPTION_LIST, &run.axis[MULTIGRID_CYCLE].given, "LIST", .table = table},
        {"--krylov", OPTION_MEMBER, &run.options, "K", .table = table},
        {"--matrix", OPTION_LIST, &run.axis[MULTIGRID_MATRIX].given, "LIST", .table = table},
        {"--tail", OPTION_POSITIVE, &run.options, "N", .table = table},
        {"--sharing", OPTION_MEMBER, &run.options, "S", .table = table},
        {"--parts", OPTION_POSITIVE, &run.options, "N", .table = table},
        {"--steps", OPTION_COUNT, &run.steps, "N",
         .help = "ADI and zebra steps before and after; without, 2; of other smoothers twice as many; seven: 1 of all"},
        {"--smoothing-steps", OPTION_POSITIVE, &run.options, "N", .help = "exactly, of any smoother", .table = table},
        {"--cycles", OPTION_COUNT, &run.cycles, "N",
         .help = "exactly so many, and no residual is looked at, instead of as many as 1e-8 takes"},
        {"--workers", OPTION_TEXT, &run.sets.given, "SETS",
         .help = WORKERS_SETS "; without, gpu;cpu, or cpu:1;cpu without a GPU"},
        {"--where", OPTION_LIST, &run.axis[MULTIGRID_PLACE].given, "LIST", .table = &names_table},
        {"--peers", OPTION_MEMBER, &run.peers, "P", .table = &names_table},
        BENCH_OPTIONS(&run.bench),
        {.name = NULL},
    };
    return bench_start(&run.bench, "bench",
                       "Multigrid for bilinear elements on the meshes of Goeddeke and Strzodka 2011, or for the "
                       "Laplacian's seven-point\n"
                       "differences on the unit cube with u = 0 around it and f = 1, to a residual of 1e-8.\n"
                       "A LIST has commas between its entries; all combinations are measured.\n\n"
                       "Peers: hypre's PFMG and SMG, alone and with CG, on one core, where libhypre-dev was found.",
                       options, argc, argv, measure);
}
