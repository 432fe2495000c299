/* Plans of Q1 multigrid: the problem is checked, grids are coarsened and assembled in f64, and handed to the task graph. */
#include "multigrid/plan.h"

#include "base/real.h"
#include "multigrid/q1.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

enum { MOST_ELEMENTS = 1 << 24, MOST_COARSEST = 1024 };

static starfish_status check_positive(const char *name, int d, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0) || !isfinite(values[i]))
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.%s[%d][%zu] is %g, must be positive", name, d, i,
                                 values[i]);
    return STARFISH_SUCCESS;
}

static starfish_status check_direction(const struct starfish_q1_problem *p, int d)
{
    if (p->elements[d] < 1 || p->elements[d] > MOST_ELEMENTS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.elements[%d] is %zu, not in 1 .. %d", d, p->elements[d],
                             MOST_ELEMENTS);
    for (int end = 0; end < 2; end++)
        if (p->ends[d][end] != STARFISH_DIRICHLET && p->ends[d][end] != STARFISH_NEUMANN)
            return starfish_fail(STARFISH_ERROR_ARGUMENT,
                                 "problem.ends[%d][%d] is neither STARFISH_DIRICHLET nor STARFISH_NEUMANN", d, end);
    if (!p->width[d])
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.width[%d] is NULL", d);
    return check_positive("width", d, p->width[d], p->elements[d]);
}

static starfish_status check_problem(const struct starfish_q1_problem *p)
{
    size_t n[2];
    int neumann = 0;

    for (int d = 0; d < 2; d++) {
        STARFISH_TRY(check_direction(p, d));
        neumann += (p->ends[d][0] == STARFISH_NEUMANN) + (p->ends[d][1] == STARFISH_NEUMANN);
    }
    starfish_q1_unknowns(p, n);
    if (n[0] == 0 || n[1] == 0 || n[0] > INT32_MAX / n[1])
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.elements: %zu x %zu unknowns, must be 1 .. 2^31", n[0],
                             n[1]);
    for (int d = 0; d < 2; d++)
        if (p->diffusion[d])
            STARFISH_TRY(check_positive("diffusion", d, p->diffusion[d], p->elements[0] * p->elements[1]));
    if (!(p->reaction >= 0) || !isfinite(p->reaction))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.reaction is %g, must not be negative", p->reaction);
    if (neumann == 4 && p->reaction == 0)
        return starfish_fail(STARFISH_ERROR_SINGULAR,
                             "problem: no end is Dirichlet and reaction is 0, so that a constant may be added");
    return STARFISH_SUCCESS;
}

static starfish_status check_numbers(const struct starfish_multigrid_options *o)
{
    if (!(o->damping >= 0) || !isfinite(o->damping))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.damping is %g, must not be negative", o->damping);
    if (o->smoother == STARFISH_SMOOTHER_CHEBYSHEV && o->damping >= 1)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.damping is %g: for Chebyshev a part of the interval, must be below 1",
                             o->damping);
    if (o->before < 0 || o->after < 0 || o->before + o->after < 1)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.before and after are %d and %d: neither may be negative, nor both 0", o->before,
                             o->after);
    if (!(o->tolerance >= 0) || !(o->absolute >= 0))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.tolerance and absolute are %g and %g, must be 0 or more",
                             o->tolerance, o->absolute);
    if (o->most_cycles < 1)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.most_cycles is %d, must be 1 or more", o->most_cycles);
    if (o->inner_cycles < 1 || !(o->inner_digits >= 0))
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.inner_cycles is %d, must be 1 or more, and inner_digits %g, 0 or more",
                             o->inner_cycles, o->inner_digits);
    if (o->levels < 0 || o->levels > STARFISH_Q1_MOST_LEVELS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.levels is %d, not in 0 .. %d", o->levels,
                             STARFISH_Q1_MOST_LEVELS);
    if (o->blocks > STARFISH_TILES_MOST_PARTS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.blocks is %zu, not in 0 .. %d", o->blocks,
                             STARFISH_TILES_MOST_PARTS);
    return STARFISH_SUCCESS;
}

/* What makes a cycle symmetric, as a preconditioner of conjugate gradients must be. */
static starfish_status check_symmetry(const struct starfish_multigrid_options *o)
{
    if (!o->conjugate_gradients)
        return STARFISH_SUCCESS;
    if (o->before != o->after)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.before and after are %d and %d: must be the same for conjugate_gradients",
                             o->before, o->after);
    if (o->shape != STARFISH_CYCLE_V && o->shape != STARFISH_CYCLE_W)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.shape: F and FMG are not symmetric, which conjugate_gradients need");
    if (o->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.smoother: Gauss-Seidel is not symmetric, which conjugate_gradients need");
    return STARFISH_SUCCESS;
}

static starfish_status check_options(const struct starfish_multigrid_options *o)
{
    if (o->size != sizeof *o)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.size is %zu, not %zu: start from "
                             "STARFISH_MULTIGRID_OPTIONS_DEFAULTS",
                             o->size, sizeof *o);
    if ((o->precision != STARFISH_F32 && o->precision != STARFISH_F64) ||
        (o->inner != STARFISH_F32 && o->inner != STARFISH_F64) || o->inner > o->precision)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.precision and inner are %d and %d: each F32 or F64, and "
                             "inner not the wider",
                             (int)o->precision, (int)o->inner);
    if ((int)o->smoother < 0 || o->smoother >= STARFISH_SMOOTHERS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.smoother is %d", (int)o->smoother);
    if ((int)o->shape < 0 || o->shape > STARFISH_CYCLE_FMG)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.shape is %d", (int)o->shape);
    STARFISH_TRY(check_numbers(o));
    return check_symmetry(o);
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

/* All grids of a problem and their tables. */
struct hierarchy {
    int levels;
    struct starfish_q1_grid grid[STARFISH_Q1_MOST_LEVELS];
    struct starfish_q1_shape shape[STARFISH_Q1_MOST_LEVELS];
    double *table[STARFISH_Q1_MOST_LEVELS];
};

static void forget_hierarchy(struct hierarchy *h)
{
    for (int l = 0; l < h->levels; l++) {
        starfish_q1_grid_destroy(&h->grid[l]);
        free(h->table[l]);
    }
    free(h);
}

static starfish_status coarsen_all(struct hierarchy *h, const struct starfish_q1_problem *problem, int most)
{
    if (most == 0)
        most = STARFISH_Q1_MOST_LEVELS;
    STARFISH_TRY(starfish_q1_grid_create(&h->grid[0], problem));
    h->levels = 1;
    while (h->levels < most && starfish_q1_grid_coarsens(&h->grid[h->levels - 1])) {
        STARFISH_TRY(starfish_q1_grid_coarsen(&h->grid[h->levels - 1], &h->grid[h->levels]));
        h->levels++;
    }
    const size_t *n = h->grid[h->levels - 1].n;
    if (n[0] * n[1] > MOST_COARSEST)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.levels is %d: the coarsest grid would have %zu unknowns, more than %d", most,
                             n[0] * n[1], MOST_COARSEST);
    return STARFISH_SUCCESS;
}

/* Entries must be numbers of the precision, and diagonals not vanish in it. */
static starfish_status check_table(const struct hierarchy *h, int l, starfish_precision precision)
{
    const double most = precision == STARFISH_F32 ? (double)FLT_MAX : DBL_MAX;
    const double least = precision == STARFISH_F32 ? (double)FLT_MIN : DBL_MIN;
    const size_t *n = h->shape[l].n;
    const struct starfish_band_matrix bands = starfish_band_table_point(n[0], n[1], h->table[l], sizeof(double));

    for (size_t i = 0; i < starfish_q1_table_size(&h->shape[l]); i++)
        if (!(fabs(h->table[l][i]) <= most))
            return starfish_fail(STARFISH_ERROR_NUMERICAL,
                                 "grid %d: an entry of the matrix is %g, beyond the precision", l, h->table[l][i]);
    for (size_t i = 0; i < n[0] * n[1]; i++) {
        const double diagonal = starfish_band_diagonal(&bands, i);
        if (!(diagonal >= least && diagonal <= most))
            return starfish_fail(STARFISH_ERROR_NUMERICAL,
                                 "grid %d: a diagonal entry of the matrix is %g, beyond the precision", l, diagonal);
    }
    return STARFISH_SUCCESS;
}

/* The matrix of the defects in f64, before its entries are made those of the cycles. */
static starfish_status keep_high_table(struct starfish_multigrid_plan *plan, const struct hierarchy *h)
{
    return starfish_vector_reals(&plan->high_table, STARFISH_F64, h->table[0],
                                 starfish_band_table_start(plan->n[0], plan->n[1], 5));
}

static starfish_status make_table(struct starfish_multigrid_plan *plan, struct hierarchy *h, int l)
{
    const struct starfish_q1_grid *grid = &h->grid[l];
    struct starfish_q1_shape *shape = &h->shape[l];

    *shape = (struct starfish_q1_shape){.n = {grid->n[0], grid->n[1]},
                                        .stride = {grid->stride[0], grid->stride[1]},
                                        .origin = {grid->origin[0], grid->origin[1]},
                                        .coarsest = l == h->levels - 1,
                                        .diagonals = plan->options.stored_diagonal,
                                        .eigenvalue = starfish_q1_largest_eigenvalue(grid)};
    h->table[l] = calloc(starfish_q1_table_size(shape), sizeof(double));
    if (!h->table[l])
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the matrix of grid %d", l);
    starfish_q1_assemble(grid, h->table[l]);
    if (plan->mixed && l == 0)
        STARFISH_TRY(keep_high_table(plan, h));
    double *weight = h->table[l] + starfish_q1_table_weights(shape);
    for (int d = 0; d < 2 && l > 0; d++) {
        memcpy(weight, grid->left[d], grid->n[d] * sizeof *weight);
        memcpy(weight + grid->n[d], grid->right[d], grid->n[d] * sizeof *weight);
        weight += 2 * grid->n[d];
    }
    if (shape->coarsest)
        STARFISH_TRY(starfish_q1_inverse(grid, h->table[l], h->table[l] + starfish_q1_table_inverse(shape)));
    STARFISH_TRY(check_table(h, l, plan->options.inner));
    if (shape->diagonals)
        starfish_q1_diagonals(grid, h->table[l]);
    return STARFISH_SUCCESS;
}

/* ---- Smoother ---------------------------------------------------------------------------------------------------- */

/* Points smooth as well as lines where neither direction is stronger. A grid of a single line has one direction only. */
static int isotropic(const struct hierarchy *h)
{
    const double most = 1.5;

    for (int l = 0; l < h->levels; l++)
        if (starfish_q1_anisotropy(&h->grid[l]) > most)
            return 0;
    return 1;
}

static const double usual_damping[STARFISH_SMOOTHERS] = {
    [STARFISH_SMOOTHER_ADI] = 0.7,    [STARFISH_SMOOTHER_LINE_X] = 0.7,     [STARFISH_SMOOTHER_LINE_Y] = 0.7,
    [STARFISH_SMOOTHER_JACOBI] = 0.7, [STARFISH_SMOOTHER_GAUSS_SEIDEL] = 1, [STARFISH_SMOOTHER_CHEBYSHEV] = 0.4};

static void choose_smoother(struct starfish_multigrid_options *o, const struct hierarchy *h)
{
    if (o->smoother == STARFISH_SMOOTHER_AUTO && isotropic(h)) {
        o->smoother = STARFISH_SMOOTHER_JACOBI;
        o->before *= 2;
        o->after *= 2;
    } else if (o->smoother == STARFISH_SMOOTHER_AUTO) {
        o->smoother = STARFISH_SMOOTHER_ADI;
    }
    if (o->damping == 0)
        o->damping = usual_damping[o->smoother];
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static starfish_status create_graph(struct starfish_multigrid_plan *plan, const struct hierarchy *h)
{
    const struct starfish_multigrid_options *o = &plan->options;
    const struct starfish_q1_parts parts = {.precision = o->inner,
                                            .levels = h->levels,
                                            .shape = h->shape,
                                            .table = h->table,
                                            .smoother = o->smoother,
                                            .damping = o->damping,
                                            .before = o->before,
                                            .after = o->after,
                                            .symmetric = o->conjugate_gradients,
                                            .blocks = o->blocks,
                                            .tail = o->tail,
                                            .borrows_finest = !plan->mixed};

    STARFISH_TRY(starfish_q1_graph_create(&plan->graph, plan->context, &parts));
    plan->blocks = plan->graph.levels > 1 ? starfish_q1_blocks(plan->context, plan->n, o->blocks) : 1;
    plan->finest = starfish_q1_finest_of(&plan->graph);
    STARFISH_TRY(starfish_q1_sums_create(&plan->sums, plan->blocks < plan->n[1] ? plan->blocks : plan->n[1]));
    return starfish_q1_sums_create(&plan->inner_sums, plan->sums.parts);
}

/* A vector of the finest grid. */
static starfish_status create_vector(const struct starfish_multigrid_plan *plan, struct starfish_tiles *tiles)
{
    return starfish_tiles_create(tiles, plan->options.precision, plan->n, plan->blocks,
                                 plan->context->workers_of[STARFISH_GPU] == 0);
}

static starfish_status create_high(struct starfish_multigrid_plan *plan)
{
    plan->finest.setting.precision = STARFISH_F64;
    plan->finest.data.shape.diagonals = 0;
    plan->finest.data.table = plan->high_table.handle;
    return create_vector(plan, &plan->defect);
}

static starfish_status create_gradients(struct starfish_multigrid_plan *plan)
{
    if (!plan->mixed)
        STARFISH_TRY(create_vector(plan, &plan->defect));
    STARFISH_TRY(create_vector(plan, &plan->preconditioned));
    STARFISH_TRY(create_vector(plan, &plan->direction));
    STARFISH_TRY(create_vector(plan, &plan->image));
    STARFISH_TRY(starfish_q1_sums_create(&plan->products[0], plan->sums.parts));
    return starfish_q1_sums_create(&plan->products[1], plan->sums.parts);
}

static starfish_status create(struct starfish_multigrid_plan *plan, const struct starfish_q1_problem *problem)
{
    struct hierarchy *h = calloc(1, sizeof *h);
    if (!h)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a hierarchy");
    starfish_status status = coarsen_all(h, problem, plan->options.levels);
    choose_smoother(&plan->options, h);
    for (int l = 0; l < h->levels && status == STARFISH_SUCCESS; l++)
        status = make_table(plan, h, l);
    if (status == STARFISH_SUCCESS)
        status = create_graph(plan, h);
    if (status == STARFISH_SUCCESS && plan->mixed)
        status = create_high(plan);
    if (status == STARFISH_SUCCESS && plan->options.conjugate_gradients)
        status = create_gradients(plan);
    forget_hierarchy(h);
    return status;
}

starfish_status starfish_q1_plan_create(starfish_context *context, const struct starfish_q1_problem *problem,
                                        const struct starfish_multigrid_options *options,
                                        starfish_multigrid_plan **result)
{
    static const struct starfish_multigrid_options defaults = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;

    if (!context || !problem || !result)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL",
                             !context   ? "context"
                             : !problem ? "problem"
                                        : "plan");
    *result = NULL;
    options = options ? options : &defaults;
    STARFISH_TRY(check_options(options));
    STARFISH_TRY(check_problem(problem));
    struct starfish_multigrid_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    plan->context = context;
    plan->options = *options;
    plan->mixed = options->inner != options->precision;
    starfish_q1_unknowns(problem, plan->n);
    pthread_mutex_init(&plan->lock, NULL);
    const starfish_status status = create(plan, problem);
    if (status != STARFISH_SUCCESS) {
        starfish_multigrid_plan_destroy(plan);
        return status;
    }
    *result = plan;
    return STARFISH_SUCCESS;
}

void starfish_multigrid_plan_destroy(starfish_multigrid_plan *plan)
{
    if (!plan)
        return;
    starfish_q1_graph_destroy(&plan->graph);
    starfish_q1_sums_destroy(&plan->sums);
    starfish_q1_sums_destroy(&plan->inner_sums);
    starfish_vector_destroy(&plan->high_table);
    starfish_tiles_destroy(&plan->defect);
    starfish_tiles_destroy(&plan->preconditioned);
    starfish_tiles_destroy(&plan->direction);
    starfish_tiles_destroy(&plan->image);
    starfish_q1_sums_destroy(&plan->products[0]);
    starfish_q1_sums_destroy(&plan->products[1]);
    pthread_mutex_destroy(&plan->lock);
    free(plan);
}
