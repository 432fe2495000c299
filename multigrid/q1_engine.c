/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Engines of Q1 multigrid: the problem is checked, grids are coarsened and assembled in f64, and handed to the task
 * graph. */
#include "multigrid/plan.h"

#include "base/arithmetic.h"
#include "base/precision.h"
#include "multigrid/kernels/lines.h"
#include "multigrid/kernels/q1_kind.h"
#include "multigrid/q1.h"
#include "scheduler/runtime/host_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static starfish_status check_mesh(const struct starfish_q1_problem *p)
{
    size_t n[2];
    int neumann = 0;

    for (int d = 0; d < 2; d++) {
        STARFISH_TRY(starfish_q1_check_direction(p, d));
        neumann += (p->ends[d][0] == STARFISH_NEUMANN) + (p->ends[d][1] == STARFISH_NEUMANN);
    }
    starfish_q1_unknowns(p, n);
    STARFISH_REFUSE_IF(n[0] == 0 || n[1] == 0 || n[0] > INT32_MAX / n[1],
                       "problem.elements: %zu x %zu unknowns, must be 1 .. 2^31", n[0], n[1]);
    for (int d = 0; d < 2; d++)
        if (p->coefficient[d])
            STARFISH_TRY(starfish_multigrid_check_positive("coefficient", d, p->coefficient[d],
                                                           p->elements[0] * p->elements[1]));
    STARFISH_REFUSE_IF(!(p->reaction >= 0) || !isfinite(p->reaction), "problem.reaction is %g, must not be negative",
                       p->reaction);
    STARFISH_FAIL_IF(neumann == 4 && p->reaction == 0, STARFISH_ERROR_SINGULAR,
                     "problem: no end is Dirichlet and reaction is 0, so that a constant may be added");
    return STARFISH_SUCCESS;
}

static starfish_status check_smoother(const struct starfish_multigrid_options *o)
{
    STARFISH_REFUSE_IF(o->smoother == STARFISH_SMOOTHER_LINE_Z || o->smoother == STARFISH_SMOOTHER_PLANE,
                       "options.smoother: %s is for three dimensions",
                       o->smoother == STARFISH_SMOOTHER_PLANE ? "PLANE" : "LINE_Z");
    STARFISH_REFUSE_IF(o->krylov == STARFISH_KRYLOV_CG && o->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL,
                       "options.smoother: Gauss-Seidel is not symmetric, which conjugate gradients need");
    STARFISH_REFUSE_IF(o->storage && (o->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL ||
                                      o->smoother == STARFISH_SMOOTHER_ZEBRA || o->stored_diagonal),
                       "options.storage: neither for Gauss-Seidel and zebra lines nor with stored_diagonal");
    STARFISH_REFUSE_IF(o->stored_diagonal && o->smoother == STARFISH_SMOOTHER_ZEBRA,
                       "options.stored_diagonal: not for zebra lines");
    return STARFISH_SUCCESS;
}

static starfish_status check(const void *problem, const struct starfish_multigrid_options *options)
{
    STARFISH_TRY(check_mesh(problem));
    return check_smoother(options);
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

/* All grids of a problem and their tables. */
struct hierarchy {
    int levels;
    struct starfish_q1_grid grid[STARFISH_GRID_MOST_LEVELS];
    struct starfish_q1_shape shape[STARFISH_GRID_MOST_LEVELS];
    struct starfish_q1_shape high;
    struct starfish_multigrid_grids made;
};

static void free_hierarchy(struct hierarchy *h)
{
    for (int l = 0; l < h->levels; l++)
        starfish_q1_grid_destroy(&h->grid[l]);
    starfish_multigrid_tables_destroy(&h->made);
    free(h);
}

static starfish_status coarsen_all(struct hierarchy *h, const struct starfish_q1_problem *problem,
                                   const struct starfish_multigrid_options *o)
{
    const size_t largest =
        o->coarse == STARFISH_COARSE_DIRECT ? STARFISH_MULTIGRID_MOST_COARSEST : STARFISH_MULTIGRID_MOST_ITERATED;
    int most = o->levels;

    if (most == 0)
        most = STARFISH_GRID_MOST_LEVELS;
    STARFISH_TRY(starfish_q1_grid_create(&h->grid[0], problem));
    h->levels = 1;
    while (h->levels < most && starfish_q1_grid_coarsens(&h->grid[h->levels - 1])) {
        STARFISH_TRY(starfish_q1_grid_coarsen(&h->grid[h->levels - 1], &h->grid[h->levels]));
        h->levels++;
    }
    const size_t *n = h->grid[h->levels - 1].n;
    STARFISH_REFUSE_IF(n[0] * n[1] > largest,
                       "options.levels is %d: the coarsest grid would have %zu unknowns, more than %zu", most,
                       n[0] * n[1], largest);
    return STARFISH_SUCCESS;
}

/* The diagonal entry of unknown (i,j) of a table of tensor products. */
static double tensor_diagonal(const struct starfish_q1_shape *shape, const double *table, size_t i, size_t j)
{
    const double *width[2] = {table, table + 2 * (shape->n[0] + 1)};
    const size_t at[2] = {i, j};
    double stiffness[2], mass[2];

    for (int d = 0; d < 2; d++) {
        const double *inverse = width[d] + shape->n[d] + 1;
        stiffness[d] = inverse[at[d]] + inverse[at[d] + 1];
        mass[d] = (width[d][at[d]] + width[d][at[d] + 1]) / 3;
    }
    return stiffness[0] * mass[1] + mass[0] * (stiffness[1] + shape->reaction * mass[1]);
}

/* Diagonals must not vanish in the precision, either. */
static starfish_status check_table(const struct hierarchy *h, int l, starfish_precision precision)
{
    const double most = starfish_largest_number(precision), least = starfish_least_normal(precision);
    const struct starfish_q1_shape *shape = &h->shape[l];
    const size_t *n = shape->n;
    struct starfish_band_matrix bands = {0};

    if (!shape->tensor)
        bands = starfish_band_table_point(n[0], n[1], h->made.level[l].table, sizeof(double));
    STARFISH_TRY(starfish_multigrid_table_check(&h->made, l, precision));
    for (size_t i = 0; i < n[0] * n[1]; i++) {
        const double diagonal = shape->tensor ? tensor_diagonal(shape, h->made.level[l].table, i % n[0], i / n[0])
                                              : starfish_band_diagonal(&bands, i);
        STARFISH_FAIL_IF(!(diagonal >= least && diagonal <= most), STARFISH_ERROR_NUMERICAL,
                         "grid %d: a diagonal entry of the matrix is %g, beyond the precision", l, diagonal);
    }
    return STARFISH_SUCCESS;
}

/* The inverse of the coarsest grid's matrix, which is made from bands. */
static starfish_status add_inverse(const struct starfish_q1_grid *grid, const struct starfish_q1_shape *shape,
                                   double *table)
{
    double *inverse = table + starfish_q1_table_inverse(shape);

    if (!shape->tensor)
        return starfish_q1_inverse(grid, table, inverse);
    double *bands = calloc(starfish_band_table_start(grid->n[0], grid->n[1], 5), sizeof *bands);
    STARFISH_FAIL_IF(!bands, STARFISH_ERROR_MEMORY, "out of memory for the matrix of the coarsest grid");
    starfish_q1_assemble(grid, bands);
    const starfish_status status = starfish_q1_inverse(grid, bands, inverse);
    free(bands);
    return status;
}

/* The table with X, Y and Q in 16 bits, all else in f32. */
static starfish_status pack_table(struct hierarchy *h, int l, starfish_storage storage)
{
    struct starfish_q1_shape *shape = &h->shape[l];
    const size_t nx = shape->n[0], ny = shape->n[1];
    const double *rest = h->made.level[l].table + starfish_q1_table_weights(shape);
    const size_t others = starfish_q1_table_size(shape) - starfish_q1_table_weights(shape);

    starfish_q1_assemble_edges(&h->grid[l], h->made.level[l].table);
    shape->storage = storage == STARFISH_STORAGE_F16 ? STARFISH_BAND_F16 : STARFISH_BAND_BF16;
    h->made.level[l].table_size = starfish_q1_table_size(shape); /* smaller than with reals */
    shape->scale = starfish_band_packed_scale(nx, ny, h->made.level[l].table, shape->storage);
    STARFISH_FAIL_IF(!(shape->scale > 0), STARFISH_ERROR_NUMERICAL,
                     "grid %d: options.storage: couplings differ by more than 16 bits can hold", l);
    h->made.level[l].packed = malloc(h->made.level[l].table_size * sizeof(float));
    STARFISH_FAIL_IF(!h->made.level[l].packed, STARFISH_ERROR_MEMORY, "out of memory for the matrix of grid %d", l);
    starfish_band_pack(nx, ny, h->made.level[l].table, shape->storage, shape->scale, h->made.level[l].packed);
    float *to = h->made.level[l].packed + starfish_q1_table_weights(shape);
    for (size_t i = 0; i < others; i++)
        to[i] = (float)rest[i];
    return STARFISH_SUCCESS;
}

static void describe_shape(const struct starfish_multigrid_engine *engine, struct hierarchy *h, int l)
{
    const struct starfish_q1_grid *grid = &h->grid[l];

    h->shape[l] =
        (struct starfish_q1_shape){.n = {grid->n[0], grid->n[1]},
                                   .stride = {grid->stride[0], grid->stride[1]},
                                   .origin = {grid->origin[0], grid->origin[1]},
                                   .coarsest = l == h->levels - 1 && engine->options.coarse == STARFISH_COARSE_DIRECT,
                                   .diagonals = engine->options.stored_diagonal,
                                   .tensor = engine->options.matrix == STARFISH_MATRIX_TENSOR,
                                   .reaction = grid->reaction,
                                   .eigenvalue = starfish_q1_largest_eigenvalue(grid)};
    h->made.level[l].table_size = starfish_q1_table_size(&h->shape[l]);
}

static starfish_status make_table(struct starfish_multigrid_engine *engine, struct hierarchy *h, int l)
{
    const struct starfish_q1_grid *grid = &h->grid[l];
    struct starfish_q1_shape *shape = &h->shape[l];

    STARFISH_TRY(starfish_multigrid_table_create(&h->made, l));
    starfish_host_zero(h->made.level[l].table, h->made.level[l].table_size * sizeof(double));
    (shape->tensor ? starfish_q1_tensor : starfish_q1_assemble)(grid, h->made.level[l].table);
    if (engine->mixed && l == 0)
        STARFISH_TRY(starfish_multigrid_keep_high(engine, h->made.level[0].table, starfish_q1_table_weights(shape)));
    double *weight = h->made.level[l].table + starfish_q1_table_weights(shape);
    for (int d = 0; d < 2 && l > 0; d++) {
        memcpy(weight, grid->left[d], grid->n[d] * sizeof *weight);
        memcpy(weight + grid->n[d], grid->right[d], grid->n[d] * sizeof *weight);
        weight += 2 * grid->n[d];
    }
    if (shape->coarsest)
        STARFISH_TRY(add_inverse(grid, shape, h->made.level[l].table));
    STARFISH_TRY(check_table(h, l, starfish_cycle_precision(&engine->options)));
    if (shape->diagonals)
        starfish_q1_diagonals(grid, h->made.level[l].table);
    return engine->options.storage ? pack_table(h, l, engine->options.storage) : STARFISH_SUCCESS;
}

/* ---- Smoother ---------------------------------------------------------------------------------------------------- */

/* Points smooth as well as lines where neither direction is stronger. A grid of a single line has one direction only.
 */
static int isotropic(const struct hierarchy *h)
{
    const double most = 1.5;

    for (int l = 0; l < h->levels; l++)
        if (starfish_q1_anisotropy(&h->grid[l]) > most)
            return 0;
    return 1;
}

/* Where couplings differ by so much that corrections of line smoothers are poor (meshes A4 and A5: 11 and 14 cycles), a
 * step of conjugate gradients, a sixth of a cycle's words, saves a third to a half of the cycles (7 and 7). */
static int wants_gradients(const struct starfish_multigrid_options *o, const struct hierarchy *h)
{
    const double least = 1e14;
    const int symmetric = o->before == o->after && (o->cycle == STARFISH_CYCLE_V || o->cycle == STARFISH_CYCLE_W);

    return symmetric && o->krylov == STARFISH_KRYLOV_NONE && (o->tolerance > 0 || o->absolute > 0) &&
           starfish_q1_anisotropy(&h->grid[0]) > least;
}

static const double usual_damping[STARFISH_SMOOTHERS] = {
    [STARFISH_SMOOTHER_ADI] = 0.7,    [STARFISH_SMOOTHER_LINE_X] = 0.7,     [STARFISH_SMOOTHER_LINE_Y] = 0.7,
    [STARFISH_SMOOTHER_JACOBI] = 0.7, [STARFISH_SMOOTHER_GAUSS_SEIDEL] = 1, [STARFISH_SMOOTHER_CHEBYSHEV] = 0.4,
    [STARFISH_SMOOTHER_ZEBRA] = 0.9};

static void choose_smoother(struct starfish_multigrid_options *o, const struct hierarchy *h)
{
    if (o->smoother == STARFISH_SMOOTHER_AUTO && isotropic(h) && o->damping == 0) {
        o->smoother = STARFISH_SMOOTHER_CHEBYSHEV;
        o->before = (3 * o->before + 1) / 2;
        o->after = (3 * o->after + 1) / 2;
    } else if (o->smoother == STARFISH_SMOOTHER_AUTO && isotropic(h)) {
        o->smoother = STARFISH_SMOOTHER_JACOBI;
        o->before *= 2;
        o->after *= 2;
    } else if (o->smoother == STARFISH_SMOOTHER_AUTO) {
        o->smoother = STARFISH_SMOOTHER_ADI;
        o->krylov = wants_gradients(o, h) ? STARFISH_KRYLOV_CG : o->krylov;
    }
    if (o->damping == 0)
        o->damping = usual_damping[o->smoother];
}

/* ---- Form of the matrix ------------------------------------------------------------------------------------------ */

/* For the kernels of lines on a GPU. */
static int lines_are_too_long(const struct starfish_multigrid_engine *engine)
{
    const size_t most = STARFISH_BAND_LINES_MOST;

    return engine->context->workers_of[STARFISH_GPU] > 0 && (engine->n[0] > most || engine->n[1] > most);
}

/* Why a tensor product cannot be the form, or NULL. */
static const char *not_tensor(const struct starfish_multigrid_engine *engine, const struct starfish_q1_problem *problem)
{
    const struct starfish_multigrid_options *o = &engine->options;
    const int points = (o->smoother == STARFISH_SMOOTHER_JACOBI || o->smoother == STARFISH_SMOOTHER_CHEBYSHEV) &&
                       o->coarse != STARFISH_COARSE_CG_ADI;

    if (problem->coefficient[0] || problem->coefficient[1])
        return "the problem has coefficients";
    if (o->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL)
        return "the smoother is Gauss-Seidel";
    if (o->stored_diagonal)
        return "stored_diagonal asks for stored bands";
    if (o->storage)
        return "storage is of stored bands";
    if (!points && lines_are_too_long(engine))
        return "lines are too long for a GPU";
    return NULL;
}

static starfish_status choose_form(struct starfish_multigrid_engine *engine, const struct starfish_q1_problem *problem)
{
    const char *reason = not_tensor(engine, problem);
    starfish_matrix_form *form = &engine->options.matrix;

    if (engine->options.smoother == STARFISH_SMOOTHER_ZEBRA && lines_are_too_long(engine))
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "options.smoother: lines are too long for ZEBRA on a GPU");
    STARFISH_REFUSE_IF(*form == STARFISH_MATRIX_TENSOR && reason, "options.matrix is STARFISH_MATRIX_TENSOR, but %s",
                       reason);
    if (*form == STARFISH_MATRIX_AUTO)
        *form = reason ? STARFISH_MATRIX_STORED : STARFISH_MATRIX_TENSOR;
    return STARFISH_SUCCESS;
}

/* ---- Mixed precision --------------------------------------------------------------------------------------------- */

/* A correction u in f32 is off by 6e-8 u at random, which as a residual is 6e-8 times the largest eigenvalue: a
 * hundredth of the residual itself on a mesh of 4000^2 elements. Two Jacobi steps, u to the residual's array and back,
 * which they are not needed in. */
static starfish_status polish(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                              const struct starfish_vector *f, const struct starfish_vector *u)
{
    enum { MANY_UNKNOWNS = 1 << 20 };
    const struct starfish_q1_shape *shape = engine->op.grid->part[0].shape;
    const struct starfish_vector *other = &engine->work.residual;
    const struct starfish_operator_sweep there = {
        .sweep = STARFISH_Q1_POINTS, .damping = 1.2 / shape->eigenvalue, .u = u, .f = f, .v = other};
    struct starfish_operator_sweep back = there;

    if (engine->n[0] * engine->n[1] < MANY_UNKNOWNS)
        return STARFISH_SUCCESS;
    back.u = other;
    back.v = u;
    STARFISH_TRY(starfish_operator_sweep(&engine->op, progress, &there));
    return starfish_operator_sweep(&engine->op, progress, &back);
}

/* ---- The engine -------------------------------------------------------------------------------------------------- */

/* Unknowns that are worth a task, about 100 us of a core's work on a smoothing step; and of the first grid of the tail.
 * A GPU has every grid to itself, so that a cycle over all of them is one task, whose launches are one graph; up to
 * TAIL_ON_EITHER unknowns a core may have it instead. */
enum { UNKNOWNS_PER_TASK = 8192, TAIL_ON_CORES = 8192, TAIL_ON_EITHER = 129 * 129 };

static void describe_grids(const struct starfish_multigrid_options *o, const struct starfish_runs *runs,
                           struct hierarchy *h)
{
    h->made.spec =
        (struct starfish_hierarchy_spec){.kind = &starfish_q1_kind,
                                         .levels = h->levels,
                                         .smoothing.coarse = {o->coarse, o->coarse_tolerance, o->coarse_iterations},
                                         .unknowns_per_task = UNKNOWNS_PER_TASK,
                                         .tail_on_cores = TAIL_ON_CORES,
                                         .tail_on_either = TAIL_ON_EITHER,
                                         .runs = runs};
    h->made.shape = h->shape;
    h->made.shape_size = sizeof h->shape[0];
    h->made.high_shape = &h->high;
}

/* In mixed precision residuals are of the matrix as it is stored in f64. */
static starfish_status complete(struct starfish_multigrid_engine *engine, struct hierarchy *h)
{
    h->high = h->shape[0];
    h->high.diagonals = 0;
    h->high.storage = STARFISH_BAND_REALS;
    return starfish_multigrid_engine_complete(engine, &h->made);
}

static starfish_status create(struct starfish_multigrid_engine *engine, const void *described,
                              const struct starfish_runs *runs)
{
    const struct starfish_q1_problem *problem = described;
    struct hierarchy *h = calloc(1, sizeof *h);
    STARFISH_FAIL_IF(!h, STARFISH_ERROR_MEMORY, "out of memory for a hierarchy");
    starfish_q1_unknowns(problem, engine->n);
    if (engine->options.coarse_tolerance == 0)
        engine->options.coarse_tolerance = 1e-2;
    if (engine->options.coarse_iterations == 0)
        engine->options.coarse_iterations = 100;
    starfish_status status = coarsen_all(h, problem, &engine->options);
    choose_smoother(&engine->options, h);
    STARFISH_THEN(status, choose_form(engine, problem));
    for (int l = 0; l < h->levels && status == STARFISH_SUCCESS; l++)
        describe_shape(engine, h, l);
    if (status == STARFISH_SUCCESS)
        describe_grids(&engine->options, runs, h);
    STARFISH_THEN(status, starfish_multigrid_engine_measure(engine, &h->made, 0));
    for (int l = 0; l < h->levels && status == STARFISH_SUCCESS && !engine->measured; l++)
        status = make_table(engine, h, l);
    if (status == STARFISH_SUCCESS && !engine->measured)
        status = complete(engine, h);
    free_hierarchy(h);
    return status;
}

const struct starfish_multigrid_hooks starfish_q1_hooks = {.check = check, .create = create, .polish = polish};

starfish_status starfish_q1_plan_create(starfish_context *context, const struct starfish_q1_problem *problem,
                                        const struct starfish_multigrid_options *options, starfish_plan **result)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_q1_problem own;

    STARFISH_NEED(context, "context");
    STARFISH_NEED(result, "plan");
    *result = NULL;
    STARFISH_TRY(starfish_problem_take(problem, &own, sizeof own));
    return starfish_multigrid_plan_create(context, &starfish_q1_hooks, &own, options, result);
}

starfish_status starfish_q1_memory(starfish_context *context, const struct starfish_q1_problem *problem,
                                   const struct starfish_multigrid_options *options, struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_q1_problem own;

    STARFISH_NEED(memory, "memory");
    STARFISH_TRY(starfish_problem_take(problem, &own, sizeof own));
    return starfish_multigrid_engine_create(context, &starfish_q1_hooks, &own, options, NULL, NULL, memory);
}
