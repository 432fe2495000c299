/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Engines for flat domains: the grids of a problem, and what their solves do before, in and after cycles. */
#include "multigrid/flat.h"
#include "multigrid/flat_boxes.h"
#include "multigrid/plan.h"

#include "multigrid/kernels/flat_sphere.h"
#include "scheduler/runtime/host_loop.h"
#include "tasks/arrange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static starfish_status check_smoother(const struct starfish_multigrid_options *o)
{
    const int lines = o->smoother == STARFISH_SMOOTHER_AUTO || o->smoother == STARFISH_SMOOTHER_LINE_Z;

    STARFISH_FAIL_IF(!lines && o->smoother != STARFISH_SMOOTHER_GAUSS_SEIDEL, STARFISH_ERROR_UNSUPPORTED,
                     "options.smoother: flat domains have lines upwards, LINE_Z or GAUSS_SEIDEL");
    STARFISH_FAIL_IF(o->coarse != STARFISH_COARSE_DIRECT, STARFISH_ERROR_UNSUPPORTED,
                     "options.coarse: the coarsest grid of flat domains is solved by sweeps");
    if (o->storage != STARFISH_STORAGE_INNER || o->stored_diagonal)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "options.storage: matrices of flat domains are not stored");
    return STARFISH_SUCCESS;
}

static starfish_status check(const void *described, const struct starfish_multigrid_options *options)
{
    const struct starfish_flat_problem *problem = described;
    const size_t most = (size_t)1 << 31;

    for (int d = 0; d < 3; d++)
        STARFISH_REFUSE_IF(problem->n[d] < 1 || problem->n[d] >= most, "problem.n[%d] is %zu, must be 1 to 2^31 - 1", d,
                           problem->n[d]);
    STARFISH_REFUSE_IF(
        problem->n[0] * problem->n[2] >= most || problem->n[1] >= 65536 || (problem->n[0] + 31) / 32 >= 65536,
        "problem.n: a row of columns has %zu x %zu cells, there are %zu", problem->n[0], problem->n[2], problem->n[1]);
    STARFISH_REFUSE_IF(problem->coarse_sweeps < 0, "problem.coarse_sweeps is %d, must not be negative",
                       problem->coarse_sweeps);
    return check_smoother(options);
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

enum { USUAL_LEVELS = 5 };

struct hierarchy {
    int levels;
    struct starfish_flat_grid grid[STARFISH_GRID_MOST_LEVELS];
    struct starfish_flat_shape shape[STARFISH_GRID_MOST_LEVELS];
    struct starfish_multigrid_grids made;
    int collected;                    /* of a sphere, the first grid that is collected in one place */
    struct starfish_flat_boxes boxes; /* where the problem is cut into them */
};

static void free_hierarchy(struct hierarchy *h)
{
    for (int l = 0; l < STARFISH_GRID_MOST_LEVELS; l++)
        starfish_flat_grid_destroy(&h->grid[l]);
    starfish_multigrid_tables_destroy(&h->made);
    starfish_flat_boxes_destroy(&h->boxes);
    free(h);
}

/* Sweeps that reduce what is smoothest on a grid to a tenth, where `lowest` is the smallest eigenvalue of M^-1 A: two
 * usual ones where columns are hardly coupled, else Chebyshev's. */
static int sweeps_for(double lowest, int *chebyshev)
{
    const double root = sqrt(2 / lowest), steps = log(20) / log((root + 1) / (root - 1));

    *chebyshev = lowest < 0.5;
    return !*chebyshev ? 2 : steps < 2 ? 2 : steps > 1000 ? 1000 : (int)ceil(steps);
}

/* Sweeps of the coarsest grid beyond which another grid is cheaper. */
enum { MANY_SWEEPS = 64 };

static int is_easy(const struct hierarchy *h, const struct starfish_flat_problem *problem)
{
    int chebyshev;

    return sweeps_for(starfish_flat_grid_lowest(&h->grid[h->levels - 1], problem), &chebyshev) <= MANY_SWEEPS;
}

static starfish_status coarsen_all(struct hierarchy *h, const struct starfish_flat_problem *problem, int levels)
{
    const int most = levels > 0 ? levels : STARFISH_GRID_MOST_LEVELS;
    int coarsened[2];

    STARFISH_TRY(starfish_flat_grid_create(&h->grid[0], problem));
    for (h->levels = 1; h->levels < most; h->levels++) {
        const struct starfish_flat_grid *fine = &h->grid[h->levels - 1];
        if (levels == 0 && h->levels >= USUAL_LEVELS && is_easy(h, problem))
            break;
        if (!starfish_flat_grid_directions(fine, coarsened))
            break;
        STARFISH_TRY(starfish_flat_grid_coarsen(fine, coarsened, &h->grid[h->levels]));
    }
    return STARFISH_SUCCESS;
}

static void complete_coarsest(struct hierarchy *h, const struct starfish_flat_problem *problem, double damping)
{
    struct starfish_flat_shape *shape = &h->shape[h->levels - 1];
    const double lowest = starfish_flat_grid_lowest(&h->grid[h->levels - 1], problem);
    int chebyshev;

    shape->coarse_sweeps = sweeps_for(lowest, &chebyshev);
    shape->coarse_damping = damping;
    if (problem->coarse_sweeps > 0)
        shape->coarse_sweeps = problem->coarse_sweeps;
    else if (chebyshev)
        shape->lowest = lowest;
}

/* Ghosts around the panels of a sphere's grid: one on the coarsest of the grids that are collected, and on the coarsest
 * of those that are cut; on each finer one twice as many, so that coarse ones are pairs, too. */
static size_t rim_of(const struct hierarchy *h, int l)
{
    const int coarsest = l < h->collected ? h->collected : h->levels - 1;

    /* NOLINTNEXTLINE(clang-analyzer-core.*): there are at most STARFISH_GRID_MOST_LEVELS grids */
    return h->grid[l].sphere ? (size_t)1 << (coarsest - l) : 0;
}

static size_t columns_of(const struct hierarchy *h, int l, int d)
{
    return h->grid[l].n[d] + 2 * rim_of(h, l) * (d == 1 ? STARFISH_PANELS : 1);
}

static void describe_shape(struct hierarchy *h, const struct starfish_flat_problem *problem, int l)
{
    const struct starfish_flat_grid *grid = &h->grid[l];
    struct starfish_flat_shape *shape = &h->shape[l];

    for (int d = 0; d < 2; d++) {
        shape->n[d] = columns_of(h, l, d);
        shape->coarse[d] = columns_of(h, l + 1 < h->levels ? l + 1 : l, d);
        shape->periodic[d] = grid->periodic[d];
    }
    shape->rim = rim_of(h, l);
    shape->n[2] = problem->n[2];
    shape->skew = grid->corner != NULL;
    shape->types = starfish_flat_grid_types(grid, problem->n[2]);
    h->made.level[l].table_size = starfish_flat_table_entry(shape, STARFISH_FLAT_ENTRIES);
}

static starfish_status fill_table(const struct starfish_flat_grid *grid, const struct starfish_flat_problem *problem,
                                  const struct starfish_flat_shape *shape, double *table)
{
    struct starfish_flat_grid padded;

    if (!grid->sphere) {
        starfish_flat_grid_fill(grid, problem, shape, table);
        return STARFISH_SUCCESS;
    }
    STARFISH_TRY(starfish_flat_panels_pad(grid, shape->rim, &padded));
    starfish_flat_grid_fill(&padded, problem, shape, table);
    starfish_flat_grid_destroy(&padded);
    return STARFISH_SUCCESS;
}

static starfish_status make_table(struct hierarchy *h, const struct starfish_flat_problem *problem, int l,
                                  starfish_precision precision)
{
    STARFISH_TRY(starfish_multigrid_table_create(&h->made, l));
    starfish_host_zero(h->made.level[l].table, h->made.level[l].table_size * sizeof(double));
    STARFISH_TRY(fill_table(&h->grid[l], problem, &h->shape[l], h->made.level[l].table));
    return starfish_multigrid_table_check(&h->made, l, precision);
}

/* ---- Before, in and after a solve -------------------------------------------------------------------------------- */

struct flat_state {
    size_t n[3];
    enum starfish_flat_preconditioner preconditioner;
    struct starfish_coefficient_table column, layer; /* volumes of cells */
};

static starfish_status arrange(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                               enum starfish_multigrid_array which, const struct starfish_vector *from,
                               const struct starfish_vector *to)
{
    const struct flat_state *state = engine->state;
    const struct starfish_algebra algebra = {progress, STARFISH_PHASE_VECTORS, engine->op.setting.where};
    struct starfish_arrangement arrangement = {.n = {state->n[0], state->n[1], state->n[2]},
                                               .back = which == STARFISH_MULTIGRID_SOLUTION};

    if (which == STARFISH_MULTIGRID_RHS) {
        arrangement.column = state->column.handle;
        arrangement.layer = state->layer.handle;
    }
    return starfish_algebra_arrange(&algebra, &arrangement, from, to);
}

/* z = an approximate solution for r; with the sum of their products, or NULL. */
static starfish_status apply_lines(const struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                                   const struct starfish_grid_operator *op, const struct starfish_operator_sweep *lines)
{
    const struct flat_state *state = engine->state;
    const struct starfish_algebra algebra = {progress, STARFISH_PHASE_VECTORS, engine->op.setting.where};

    if (state->preconditioner != STARFISH_FLAT_BY_NOTHING)
        return starfish_operator_sweep(op, progress, lines);
    STARFISH_TRY(starfish_algebra_update(&algebra, lines->f, NULL, NULL, lines->v));
    return lines->sums ? starfish_algebra_product(&algebra, lines->f, lines->v, lines->sums) : STARFISH_SUCCESS;
}

static starfish_status precondition(struct starfish_multigrid_engine *engine, struct starfish_progress *progress)
{
    const struct starfish_grid_operator op = starfish_hierarchy_operator(&engine->graph);
    const struct starfish_operator_sweep lines = {.sweep = STARFISH_FLAT_LINES,
                                                  .damping = 1,
                                                  .f = starfish_hierarchy_rhs(&engine->graph),
                                                  .v = starfish_hierarchy_solution(&engine->graph)};

    return apply_lines(engine, progress, &op, &lines);
}

static starfish_status precondition_sums(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                                         const struct starfish_vector *r, const struct starfish_vector *z,
                                         const struct starfish_sums *rz)
{
    const struct starfish_operator_sweep lines = {
        .sweep = STARFISH_FLAT_LINES, .damping = 1, .f = r, .v = z, .sums = rz};

    return apply_lines(engine, progress, &engine->op, &lines);
}

static void destroy(struct starfish_multigrid_engine *engine)
{
    struct flat_state *state = engine->state;

    if (!state)
        return;
    starfish_coefficient_table_destroy(&state->column);
    starfish_coefficient_table_destroy(&state->layer);
    free(state);
}

static starfish_status create_state(struct starfish_multigrid_engine *engine,
                                    const struct starfish_flat_problem *problem)
{
    struct flat_state *state = engine->state = calloc(1, sizeof *state);

    STARFISH_FAIL_IF(!state, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    memcpy(state->n, problem->n, sizeof state->n);
    state->preconditioner = problem->preconditioner;
    STARFISH_TRY(
        starfish_coefficient_table_reals(&state->column, STARFISH_F64, problem->column, problem->n[0] * problem->n[1]));
    return starfish_coefficient_table_reals(&state->layer, STARFISH_F64, problem->layer, problem->n[2]);
}

/* ---- The engine -------------------------------------------------------------------------------------------------- */

static void complete_options(struct starfish_multigrid_options *o, const struct starfish_flat_problem *problem)
{
    if (o->damping == 0)
        o->damping = o->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL ? 1 : 2.0 / 3;
    if (o->smoother == STARFISH_SMOOTHER_AUTO)
        o->smoother = STARFISH_SMOOTHER_LINE_Z;
    if (problem->preconditioner != STARFISH_FLAT_BY_CYCLES) {
        o->inner_cycles = 1;
        o->inner_digits = 0;
    }
}

/* Unknowns of a run of rows that are worth a task, some 100 us of a core's work on a sweep; and of the first grid of
 * the tail. */
enum { UNKNOWNS_PER_TASK = 32768, TAIL_ON_CORES = 32768 };

/* Of the first grid of the tail where GPUs share grids: with 2^26 unknowns on two GPUs cycles take 2 % less than with
 * 2^22, as the tail is on one GPU while the other waits, and 24 % less than with 2^24. */
enum { TAIL_SHARED = 1 << 20 };

static void describe_grids(const struct starfish_flat_problem *problem, const struct starfish_runs *runs,
                           struct hierarchy *h)
{
    const struct starfish_flat_cut *cut = problem->cut;

    h->made.spec = (struct starfish_hierarchy_spec){.kind = &starfish_flat_kind,
                                                    .levels = h->levels,
                                                    .unknowns_per_task = UNKNOWNS_PER_TASK,
                                                    .tail_on_cores = TAIL_ON_CORES,
                                                    .tail_on_either = TAIL_ON_CORES,
                                                    .tail_shared = TAIL_SHARED,
                                                    .runs = runs};
    h->made.shape = h->made.high_shape = h->shape;
    h->made.shape_size = sizeof h->shape[0];
    h->made.parts_apart = cut ? cut->parts[0] * cut->parts[1] : runs ? runs->parts : 0;
}

static int has_one_owner(const struct starfish_flat_cut *cut)
{
    for (size_t p = 1; p < cut->parts[0] * cut->parts[1]; p++)
        if (cut->owner[p].rank != cut->owner[0].rank || cut->owner[p].device != cut->owner[0].device)
            return 0;
    return 1;
}

/* Of the first grid of the tail below boxes. Where one GPU has all panels of a sphere it has all grids of a cycle in
 * one array each: a kernel for six panels takes less time than six kernels and the copies of their edges. */
static size_t tail_of_boxes(const struct starfish_multigrid_engine *engine, const struct starfish_flat_problem *problem)
{
    const int on_gpu = problem->cut && problem->cut->owner && problem->cut->owner[0].device >= 0;

    if (engine->options.tail > 0)
        return engine->options.tail;
    if (on_gpu && problem->sphere && has_one_owner(problem->cut))
        return SIZE_MAX;
    return on_gpu ? TAIL_SHARED : TAIL_ON_CORES;
}

/* Panels are cut from each other on all grids that are large. */
static void choose_collected(struct hierarchy *h, const struct starfish_flat_problem *problem, size_t tail)
{
    while (problem->sphere && h->collected + 1 < h->levels &&
           h->grid[h->collected].n[0] * h->grid[h->collected].n[1] * problem->n[2] > tail)
        h->collected++;
}

static starfish_status make_boxes(struct starfish_multigrid_engine *engine, struct hierarchy *h,
                                  const struct starfish_flat_problem *problem)
{
    const struct starfish_flat_whole whole = {h->levels, h->shape, h->made.level, tail_of_boxes(engine, problem),
                                              h->collected};

    STARFISH_TRY(starfish_flat_boxes_create(&h->boxes, problem->cut, &whole));
    engine->part_shapes = h->boxes.shape; /* they must stay as long as the graph */
    h->boxes.shape = NULL;
    h->made.spec.index_levels = h->boxes.levels;
    h->made.spec.index_sets = h->boxes.sets;
    return STARFISH_SUCCESS;
}

static starfish_status complete(struct starfish_multigrid_engine *engine, struct hierarchy *h,
                                const struct starfish_flat_problem *problem)
{
    const struct flat_state *state = engine->state;

    if (problem->cut)
        STARFISH_TRY(make_boxes(engine, h, problem));
    if (engine->mixed && !problem->cut)
        STARFISH_TRY(starfish_multigrid_keep_high(engine, h->made.level[0].table, h->made.level[0].table_size));
    STARFISH_TRY(starfish_multigrid_engine_complete(engine, &h->made));
    return starfish_users_space(&engine->users, engine->op.space, state->n);
}

static starfish_status create(struct starfish_multigrid_engine *engine, const void *described,
                              const struct starfish_runs *runs)
{
    const struct starfish_flat_problem *problem = described;
    struct hierarchy *h = calloc(1, sizeof *h);
    STARFISH_FAIL_IF(!h, STARFISH_ERROR_MEMORY, "out of memory for a hierarchy");
    complete_options(&engine->options, problem);
    starfish_status status = create_state(engine, problem);
    STARFISH_THEN(status, coarsen_all(h, problem, engine->options.levels));
    choose_collected(h, problem, tail_of_boxes(engine, problem));
    for (int l = 0; l < h->levels && status == STARFISH_SUCCESS; l++)
        describe_shape(h, problem, l);
    if (status == STARFISH_SUCCESS) {
        complete_coarsest(h, problem, engine->options.damping);
        describe_grids(problem, runs, h);
        status = starfish_multigrid_engine_measure(engine, &h->made, 0);
    }
    for (int l = 0; l < h->levels && status == STARFISH_SUCCESS && !engine->measured; l++)
        status = make_table(h, problem, l, starfish_cycle_precision(&engine->options));
    if (status == STARFISH_SUCCESS && !engine->measured)
        status = complete(engine, h, problem);
    free_hierarchy(h);
    return status;
}

static const struct starfish_multigrid_hooks of_cycles = {
    .check = check, .create = create, .destroy = destroy, .arrange = arrange};
static const struct starfish_multigrid_hooks of_lines = {.check = check,
                                                         .create = create,
                                                         .destroy = destroy,
                                                         .arrange = arrange,
                                                         .precondition = precondition,
                                                         .precondition_sums = precondition_sums};

const struct starfish_multigrid_hooks *starfish_flat_hooks(const struct starfish_flat_problem *problem)
{
    return problem->preconditioner == STARFISH_FLAT_BY_CYCLES ? &of_cycles : &of_lines;
}

starfish_status starfish_flat_plan_create(starfish_context *context, const struct starfish_flat_problem *problem,
                                          const struct starfish_multigrid_options *options, starfish_plan **plan)
{
    return starfish_multigrid_plan_create(context, starfish_flat_hooks(problem), problem, options, plan);
}
