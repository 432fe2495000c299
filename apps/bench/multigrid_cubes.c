/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench multigrid --problem seven: -Laplace(u) = 1 in the unit cube, u = 0 around it, by seven-point
 * differences on N^3 nodes, beside hypre's PFMG on the same matrix in the same run, and beside what copies of the least
 * bytes take. */
#include "apps/bench/multigrid.h"
#include "apps/command.h"
#include "apps/plans/multigrid_run.h"
#include "base/real.h"
#include "bench/peer_hypre.h"
#include "bench/peers.h"
#include "multigrid/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_N = 1023 };

static size_t n_of(const struct multigrid_bench *run)
{
    return run->axis[MULTIGRID_SIZE].now;
}

static size_t count_of(const struct multigrid_bench *run)
{
    return n_of(run) * n_of(run) * n_of(run);
}

/* ---- Ours -------------------------------------------------------------------------------------------------------- */

static starfish_status create_plan(const struct multigrid_bench *run, const struct starfish_multigrid_options *options,
                                   starfish_plan **plan)
{
    const size_t n = n_of(run);
    struct starfish_stencil_problem problem = {.n = {n, n, n}, .grid = STARFISH_NODE};
    double *width = malloc((n + 1) * sizeof *width);

    STARFISH_FAIL_IF(!width, STARFISH_ERROR_MEMORY, "out of memory for a grid");
    for (size_t i = 0; i <= n; i++)
        width[i] = 1 / ((double)n + 1);
    for (int d = 0; d < 3; d++) {
        problem.width[d] = width;
        problem.ends[d][0] = problem.ends[d][1] = STARFISH_DIRICHLET;
    }
    const starfish_status status = starfish_stencil_plan_create(run->sets.context, &problem, options, plan);
    free(width);
    return status;
}

/* Words per unknown of the finest grid that a solve must move at least (multigrid/kernels/flux.h): a sweep 3, the first
 * from zero 2, the restricted residual 2; planes in all directions 3 residuals (3), cycles (4/3 of 15.25) and updates
 * (3); all grids together 8/7 of the finest and an eighth more for what goes between them; the residual's norm 2, a
 * step of conjugate gradients 21. */
static double words(const struct repeated *times)
{
    const struct starfish_multigrid_options *options = &times->chosen;
    const struct starfish_result *result = &times->result;
    const double step = options->smoother == STARFISH_SMOOTHER_ADI     ? 3.0
                        : options->smoother == STARFISH_SMOOTHER_PLANE ? 3 + 15.25 * 4 / 3 + 3
                                                                       : 1.0;
    const double sweeps = step * (options->before + options->after);
    const int gradients = options->krylov == STARFISH_KRYLOV_CG ? result->iterations : 0;
    const double inner = options->mixed ? 0.5 : 1; /* f32 words are half as long */

    return result->iterations * (3 * sweeps + 2.25) * inner * 8 / 7 + 2.0 * result->count + 21.0 * gradients;
}

static starfish_status measure_combination(void *data)
{
    struct multigrid_bench *run = data;
    struct repeats what = multigrid_bench_repeats(run);
    struct starfish_multigrid_options options;
    struct repeated times;
    starfish_plan *plan;
    char name[192];

    if (!multigrid_bench_options(run, run->steps > 0 ? run->steps : 1, &options))
        return STARFISH_SUCCESS;
    what.arrays.precision = options.precision;
    what.arrays.count = count_of(run);
    what.constant = pow((double)n_of(run) + 1, -3);
    snprintf(name, sizeof name, "%zu^3: %s, %s, %s(%d,%d)%s, %s, %s", n_of(run),
             starfish_precision_names[run->axis[MULTIGRID_PRECISION].now], starfish_smoother_names[options.smoother],
             starfish_cycle_names[options.cycle], options.before, options.after,
             multigrid_bench_krylovs[options.krylov], run->sets.name, names_places[run->axis[MULTIGRID_PLACE].now]);
    bench_announce("%s", name);
    STARFISH_TRY(create_plan(run, &options, &plan));
    STARFISH_TRY(multigrid_repeat(&what, plan, &times));
    json_t *row = multigrid_bench_row(run, name, &options, &times, words(&times) * (double)count_of(run));
    command_keys(row, KEY("to_peer", run->peer > 0 ? bench_seconds(row) / run->peer : (double)NAN));
    return STARFISH_SUCCESS;
}

/* ---- hypre ------------------------------------------------------------------------------------------------------- */

static double measure_hypre(struct multigrid_bench *run, const struct peer_hypre_problem *problem,
                            enum peer_hypre_solver solver)
{
    /* The matrix, unless it is stored as one number a band, and a vector or two each time. */
    return multigrid_bench_hypre(run,
                                 bench_name("%zu^3: f64, one core%s%s", n_of(run),
                                            problem->red_black ? ", red-black" : "",
                                            problem->constant ? ", constant entries" : ""),
                                 problem, solver, (double)count_of(run) * (problem->constant ? 2 : 6));
}

/* The matrix as hypre wants it: the diagonal, and the entries of the neighbours above. */
static void fill_bands(size_t n, double *bands, double *rhs)
{
    const size_t count = n * n * n, stride[3] = {1, n, n * n};
    const double h = 1 / ((double)n + 1);

    for (size_t e = 0; e < count; e++) {
        bands[e] = 6 * h;
        for (int d = 0; d < 3; d++)
            bands[(size_t)(d + 1) * count + e] = e / stride[d] % n + 1 < n ? -h : 0;
        rhs[e] = h * h * h;
    }
}

static starfish_status measure_peers(struct multigrid_bench *run)
{
    struct peer_hypre_problem problem = {.n = {n_of(run), n_of(run), n_of(run)}, .tolerance = 1e-8};
    double *bands = malloc(5 * count_of(run) * sizeof *bands);

    STARFISH_FAIL_IF(!bands, STARFISH_ERROR_MEMORY, "out of memory for a matrix");
    fill_bands(n_of(run), bands, bands + 4 * count_of(run));
    for (size_t b = 0; b < 4; b++)
        problem.band[b] = bands + b * count_of(run);
    problem.rhs = bands + 4 * count_of(run);
    for (int way = 0; way < 4; way++) {
        static const enum peer_hypre_solver solvers[] = {PEER_HYPRE_PFMG, PEER_HYPRE_CG_PFMG};
        problem.red_black = way & 1;
        problem.constant = way >> 1; /* as ours, which stores no matrix either */
        for (size_t s = 0; s < sizeof solvers / sizeof solvers[0]; s++) {
            const double seconds = measure_hypre(run, &problem, solvers[s]);
            if (seconds > 0 && (run->peer <= 0 || seconds < run->peer))
                run->peer = seconds;
        }
    }
    free(bands);
    return STARFISH_SUCCESS;
}

/* ---- combinations ------------------------------------------------------------------------------------------------ */

starfish_status bench_multigrid_cube(void *data)
{
    struct multigrid_bench *run = data;

    STARFISH_FAIL_IF(n_of(run) < 1 || n_of(run) > MOST_N, STARFISH_ERROR_ARGUMENT, "--n: is %zu, must be 1 .. %d",
                     n_of(run), MOST_N);
    run->peer = 0;
    if (run->peers != NAMES_NONE)
        STARFISH_TRY(measure_peers(run));
    run->bench.done += run->peers != NAMES_NONE;
    return bench_each_way(&run->bench, &run->sets, &run->axis[MULTIGRID_PRECISION],
                          MULTIGRID_MATRIX - MULTIGRID_PRECISION, measure_combination);
}
