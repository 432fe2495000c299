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
#include <string.h>

enum { MOST_N = 1023 };

/* What is being measured. */
struct combination {
    size_t n, count;
    struct multigrid_way way;
    double peer; /* seconds of hypre's fastest way, 0 where there is none */
};

/* ---- Ours -------------------------------------------------------------------------------------------------------- */

static starfish_status create_plan(const struct combination *c, const struct starfish_multigrid_options *options,
                                   starfish_plan **plan)
{
    struct starfish_stencil_problem problem = {.n = {c->n, c->n, c->n}, .grid = STARFISH_NODE};
    double *width = malloc((c->n + 1) * sizeof *width);

    if (!width)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a grid");
    for (size_t i = 0; i <= c->n; i++)
        width[i] = 1 / ((double)c->n + 1);
    for (int d = 0; d < 3; d++) {
        problem.width[d] = width;
        problem.ends[d][0] = problem.ends[d][1] = STARFISH_DIRICHLET;
    }
    const starfish_status status = starfish_stencil_plan_create(c->way.context, &problem, options, plan);
    free(width);
    return status;
}

static starfish_status run_solves(const struct bench *bench, const struct combination *c,
                                  const struct starfish_multigrid_options *options, struct repeated *times)
{
    struct repeats what = repeats_of(bench, c->way.context, SOLVE_PINNED + c->way.place);
    starfish_plan *plan;

    what.arrays.precision = options->precision;
    what.arrays.count = c->count;
    what.constant = pow((double)c->n + 1, -3);
    STARFISH_TRY(create_plan(c, options, &plan));
    return multigrid_repeat(&what, plan, times);
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
    const int gradients = options->conjugate_gradients ? result->iterations : 0;
    const double inner = options->mixed ? 0.5 : 1; /* f32 words are half as long */

    return result->iterations * (3 * sweeps + 2.25) * inner * 8 / 7 + 2.0 * result->count + 21.0 * gradients;
}

static starfish_status measure_combination(struct multigrid_bench *run, void *data)
{
    const struct combination *c = data;
    struct starfish_multigrid_options options = run->options;
    struct repeated times;
    char name[192];

    multigrid_set_precision(&options, c->way.precision);
    options.smoother = (starfish_smoother)c->way.smoother;
    options.cycle = (starfish_cycle_shape)c->way.shape;
    multigrid_set_work(&options, run->steps > 0 ? run->steps : 1, run->cycles);
    snprintf(name, sizeof name, "%zu^3: %s, %s, %s(%d,%d)%s, %s, %s", c->n, starfish_precision_names[c->way.precision],
             starfish_smoother_names[c->way.smoother], starfish_cycle_names[c->way.shape], options.before,
             options.after, options.conjugate_gradients ? ", CG" : "", c->way.workers, names_places[c->way.place]);
    bench_announce("%s", name);
    const starfish_status status = run_solves(&run->bench, c, &options, &times);
    if (status == STARFISH_SUCCESS) {
        json_t *row = multigrid_bench_row(run, name, &c->way, &options, &times, words(&times) * (double)c->count);
        const double seconds = bench_seconds(row);
        json_object_set_new(row, "to_peer", command_json_real(c->peer > 0 ? seconds / c->peer : (double)NAN));
    }
    return status;
}

/* ---- hypre ------------------------------------------------------------------------------------------------------- */

static double measure_hypre(struct multigrid_bench *run, const struct combination *c,
                            const struct peer_hypre_problem *problem, enum peer_hypre_solver solver)
{
    char name[96];

    snprintf(name, sizeof name, "%zu^3: f64, one core%s%s", c->n, problem->red_black ? ", red-black" : "",
             problem->constant ? ", constant entries" : "");
    /* The matrix, unless it is stored as one number a band, and a vector or two each time. */
    return multigrid_bench_hypre(run, name, problem, solver, (double)c->count * (problem->constant ? 2 : 6));
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

static starfish_status measure_peers(struct multigrid_bench *run, struct combination *c)
{
    struct peer_hypre_problem problem = {.n = {c->n, c->n, c->n}, .tolerance = 1e-8};
    double *bands = malloc(5 * c->count * sizeof *bands);

    if (!bands)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix");
    fill_bands(c->n, bands, bands + 4 * c->count);
    for (size_t b = 0; b < 4; b++)
        problem.band[b] = bands + b * c->count;
    problem.rhs = bands + 4 * c->count;
    for (int way = 0; way < 4; way++) {
        static const enum peer_hypre_solver solvers[] = {PEER_HYPRE_PFMG, PEER_HYPRE_CG_PFMG};
        problem.red_black = way & 1;
        problem.constant = way >> 1; /* as ours, which stores no matrix either */
        for (size_t s = 0; s < sizeof solvers / sizeof solvers[0]; s++) {
            const double seconds = measure_hypre(run, c, &problem, solvers[s]);
            if (seconds > 0 && (c->peer <= 0 || seconds < c->peer))
                c->peer = seconds;
        }
    }
    free(bands);
    return STARFISH_SUCCESS;
}

/* ---- combinations ------------------------------------------------------------------------------------------------ */

static starfish_status measure_cube(struct multigrid_bench *run, const struct axes *axes, size_t n)
{
    struct combination c = {.n = n, .count = n * n * n};

    if (n < 1 || n > MOST_N)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--n: is %zu, must be 1 .. %d", n, MOST_N);
    if (run->peers != NAMES_NONE)
        STARFISH_TRY(measure_peers(run, &c));
    run->bench.done += run->peers != NAMES_NONE;
    return multigrid_bench_ways(run, axes, &c.way, measure_combination, &c);
}

starfish_status bench_multigrid_cubes(struct multigrid_bench *run, const struct axes *axes)
{
    for (size_t i = 0; i < axes->sizes; ++i)
        STARFISH_TRY(measure_cube(run, axes, axes->size[i]));
    return STARFISH_SUCCESS;
}
