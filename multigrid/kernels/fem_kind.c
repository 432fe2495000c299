/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements as a grid kind (fem_kind.h): every operation is a sparse product, bound by reading the matrix. */
#include "multigrid/kernels/fem_kind.h"

#include "base/real.h"
#include "sparse/kernels/bicgstab.h"

STARFISH_PLACE_KERNEL(run_spmv, starfish_spmv)
STARFISH_PLACE_KERNEL(run_bicgstab, starfish_bicgstab)

enum { ALIGNMENT = 32 }; /* of vectors in the work space, in reals */

/* ---- Operations -------------------------------------------------------------------------------------------------- */

static int apply(const struct starfish_place *place, const struct starfish_grid_step *s, enum starfish_fem_matrix m,
                 struct starfish_spmv step)
{
    const struct starfish_fem_shape *shape = s->shape;

    step.matrix = starfish_sparse_at(&shape->matrix[m], s->table);
    step.first = s->at.y0;
    step.last = s->at.y1;
    step.result = s->result;
    return run_spmv(place, &step);
}

static const void *inverse_of(const struct starfish_grid_step *s)
{
    const struct starfish_fem_shape *shape = s->shape;

    return shape->diagonal ? (const int *)s->table + shape->inverse : NULL;
}

static int smooth(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_spmv points = {
        .factor = -1, .damping = s->damping, .x = s->u, .base = s->f, .inverse = inverse_of(s)};
    const struct starfish_spmv residual = {.factor = -1, .x = s->u, .base = s->f};
    const struct starfish_spmv add = {.factor = s->damping, .x = s->u, .base = s->zero ? NULL : s->result};

    const struct starfish_spmv of_f = {.factor = 1, .x = s->f};
    const struct starfish_spmv of_u = {.factor = 1, .x = s->u, .base = s->f};

    switch ((enum starfish_fem_sweep)s->sweep) {
    case STARFISH_FEM_POINTS:
        return apply(place, s, STARFISH_FEM_A, points);
    case STARFISH_FEM_RESIDUAL:
        return apply(place, s, STARFISH_FEM_A, residual);
    case STARFISH_FEM_OF_F:
        return apply(place, s, STARFISH_FEM_G, of_f);
    case STARFISH_FEM_OF_U:
        return apply(place, s, STARFISH_FEM_E, of_u);
    default:
        return apply(place, s, STARFISH_FEM_M, add);
    }
}

static int restrict_residual(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_spmv of_f = {.factor = 1, .x = s->f};
    const struct starfish_spmv of_u = {.factor = -1, .x = s->u, .base = s->result};

    TRY_LAUNCH(apply(place, s, STARFISH_FEM_R, of_f));
    return s->u ? apply(place, s, STARFISH_FEM_RA, of_u) : 0;
}

static int prolong(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_spmv step = {.factor = 1, .x = s->coarse, .base = s->zero ? NULL : s->result};

    return apply(place, s, STARFISH_FEM_P, step);
}

static int residual(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_spmv step = {
        .factor = -1, .x = s->u, .base = s->f, .sums = s->sums, .sum_count = s->sum_count};

    return apply(place, s, STARFISH_FEM_A, step);
}

static size_t pitch_of(const struct starfish_fem_shape *shape)
{
    return (shape->rows + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int solve(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                 const struct starfish_grid_step *s)
{
    const struct starfish_fem_shape *shape = s->shape;
    const int is_pinned = shape->matrix[STARFISH_FEM_PINNED].entries > 0;
    const struct starfish_sparse_layout *matrix = &shape->matrix[is_pinned ? STARFISH_FEM_PINNED : STARFISH_FEM_A];
    const struct starfish_bicgstab bicgstab = {.matrix = starfish_sparse_at(matrix, s->table),
                                               .preconditioner =
                                                   starfish_sparse_at(&shape->matrix[STARFISH_FEM_M], s->table),
                                               .inverse = inverse_of(s),
                                               .tolerance = smoothing->coarse.tolerance,
                                               .iterations = smoothing->coarse.iterations,
                                               .zero = s->zero,
                                               .f = s->f,
                                               .u = s->result,
                                               .work = place->work,
                                               .pitch = pitch_of(shape)};

    return run_bicgstab(place, &bicgstab);
}

/* ---- The grid kind ----------------------------------------------------------------------------------------------- */

static size_t solve_work(const struct starfish_smoothing *smoothing, const void *shape, starfish_precision precision,
                         int gpu)
{
    (void)smoothing, (void)gpu;
    return STARFISH_BICGSTAB_VECTORS * pitch_of(shape) * starfish_real_size(precision);
}

/* Matrices of one size take different time by their entries and their format. */
static void describe(const struct starfish_smoothing *smoothing, const void *shape, struct starfish_grid_facts *facts)
{
    const struct starfish_fem_shape *grid = shape;
    const int first = grid->diagonal ? STARFISH_FEM_POINTS : STARFISH_FEM_RESIDUAL;
    size_t entries = 0;

    (void)smoothing;
    for (int m = 0; m < STARFISH_FEM_MATRICES; m++)
        entries += grid->matrix[m].entries;
    *facts = (struct starfish_grid_facts){.n = {1, grid->rows},
                                          .column_unit = 1,
                                          .variant = STARFISH_SPARSE_FORMATS * entries +
                                                     (size_t)grid->matrix[STARFISH_FEM_A].format,
                                          .damping = grid->damping,
                                          .sweeps = grid->diagonal ? 1 : 2,
                                          .sweep = {{first, STARFISH_FEM_ADD}, {first, STARFISH_FEM_ADD}}};
}

static int at_once(const void *shape, int sweep[2])
{
    sweep[0] = STARFISH_FEM_OF_F;
    sweep[1] = STARFISH_FEM_OF_U;
    return ((const struct starfish_fem_shape *)shape)->at_once;
}

static const struct starfish_reach nothing = {0, 0, 0, 0, 0};

/* Entries may lead to any unknown and any ghost. Only the right-hand side of a sweep or a residual is read in place. */
static struct starfish_reach all_of(size_t rows)
{
    return (struct starfish_reach){0, 1, -1, (ptrdiff_t)rows + 1, 0};
}

static struct starfish_reach residual_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const struct starfish_fem_shape *shape = step->shape;

    return input == STARFISH_GRID_F ? (struct starfish_reach){0, 1, (ptrdiff_t)step->at.y0, (ptrdiff_t)step->at.y1, 0}
                                    : all_of(shape->rows);
}

static struct starfish_reach sweep_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const struct starfish_fem_shape *shape = step->shape;

    if (input == STARFISH_GRID_F && step->sweep == STARFISH_FEM_OF_F)
        return all_of(shape->rows);
    return input == STARFISH_GRID_F && step->sweep == STARFISH_FEM_ADD ? nothing : residual_reads(step, input);
}

static struct starfish_reach restriction_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    (void)input;
    return all_of(((const struct starfish_fem_shape *)step->shape)->rows);
}

static struct starfish_reach prolongation_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    (void)input;
    return all_of(((const struct starfish_fem_shape *)step->shape)->coarse_rows);
}

/* ---- What operations take ---------------------------------------------------------------------------------------- */

/* A product with some rows of a matrix, which reads a value and a column for each entry, of x each value once, and of
 * what is added or written `words`; besides `operations` for each row. */
static struct starfish_cost product_cost(starfish_precision precision, const struct starfish_grid_step *s,
                                         enum starfish_fem_matrix m, double operations, double words)
{
    const struct starfish_sparse_layout *matrix = &((const struct starfish_fem_shape *)s->shape)->matrix[m];
    const double rows = starfish_grid_count(s->at);
    const double entries = matrix->rows > 0 ? rows / (double)matrix->rows * (double)matrix->entries : 0;
    struct starfish_cost sum = starfish_cost_of(rows, operations, 1 + words, precision);

    starfish_cost_add(&sum, starfish_cost_of(entries, 2, 1, precision));
    sum.bytes += entries * sizeof(int);
    return sum;
}

static struct starfish_cost sweep_cost(starfish_precision precision, const struct starfish_grid_step *s)
{
    switch ((enum starfish_fem_sweep)s->sweep) {
    case STARFISH_FEM_POINTS: /* where u is zero inverse and damping times f */
        return s->u ? product_cost(precision, s, STARFISH_FEM_A, 4, 3)
                    : starfish_cost_of(starfish_grid_count(s->at), 2, 3, precision);
    case STARFISH_FEM_RESIDUAL:
        return s->u ? product_cost(precision, s, STARFISH_FEM_A, 1, 2)
                    : starfish_cost_of(starfish_grid_count(s->at), 0, 2, precision);
    case STARFISH_FEM_OF_F:
        return product_cost(precision, s, STARFISH_FEM_G, 0, 1);
    case STARFISH_FEM_OF_U:
        return product_cost(precision, s, STARFISH_FEM_E, 1, 2);
    default:
        return product_cost(precision, s, STARFISH_FEM_M, 1 + !s->zero, 2 - s->zero);
    }
}

static struct starfish_cost cost(starfish_precision precision, enum starfish_grid_operation operation,
                                 const struct starfish_grid_step *s)
{
    if (operation == STARFISH_GRID_SMOOTH)
        return sweep_cost(precision, s);
    if (operation == STARFISH_GRID_PROLONG)
        return product_cost(precision, s, STARFISH_FEM_P, !s->zero, 2 - s->zero);
    if (operation == STARFISH_GRID_RESIDUAL)
        return product_cost(precision, s, STARFISH_FEM_A, (s->f != NULL) + (s->sums ? 2 : 0),
                            (s->f != NULL) + (s->result != NULL));
    struct starfish_cost sum = product_cost(precision, s, STARFISH_FEM_R, 0, 1);
    if (s->u)
        starfish_cost_add(&sum, product_cost(precision, s, STARFISH_FEM_RA, 1, 2));
    return sum;
}

/* An iteration of BiCGStab: two products with each matrix, six updates and five inner products. */
static struct starfish_cost solve_cost(starfish_precision precision, const struct starfish_smoothing *smoothing,
                                       const struct starfish_grid_step *s)
{
    const struct starfish_fem_shape *shape = s->shape;
    struct starfish_cost sum = {0, 0};

    (void)smoothing;
    for (int i = 0; i < 2; i++) {
        starfish_cost_add(&sum, product_cost(precision, s, STARFISH_FEM_A, 11, 14));
        starfish_cost_add(&sum, shape->diagonal ? starfish_cost_of((double)shape->rows, 1, 3, precision)
                                                : product_cost(precision, s, STARFISH_FEM_M, 0, 1));
    }
    return sum;
}

static const char *const sweep_names[STARFISH_FEM_SWEEPS] = {"points", "f - A u", "u + M r", "G f", "E u + g"};

static const struct starfish_grid_fusing fusing = {.at_once = at_once};
static const struct starfish_grid_costs costs = {.cost = cost, .solve = solve_cost, .solve_work = solve_work};

const struct starfish_grid_kind starfish_fem_kind = {
    .name = "fem",
    .sweep_names = sweep_names,
    .compute = {smooth, restrict_residual, prolong, residual},
    .solve = solve,
    .describe = describe,
    .reach = {sweep_reads, restriction_reads, prolongation_reads, residual_reads},
    .adds = 1U << STARFISH_FEM_ADD,
    .fusing = &fusing,
    .costs = &costs};
