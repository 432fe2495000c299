/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains as a grid kind: sweeps, what operations read, and how cores share them. */
#include "multigrid/kernels/flat_kind.h"

static size_t work(const struct starfish_smoothing *smoothing, const void *shape, starfish_precision precision, int gpu)
{
    (void)smoothing;
    return starfish_flat_step_work(shape, precision, gpu);
}

static size_t solve_work(const struct starfish_smoothing *smoothing, const void *shape, starfish_precision precision,
                         int gpu)
{
    (void)smoothing;
    return starfish_flat_solve_work(shape, precision, gpu);
}

/* ---- The smoother ------------------------------------------------------------------------------------------------ */

/* Rows hold columns of cells whole. Grids of one size may have columns of different lengths. */
static void describe(const struct starfish_smoothing *smoothing, const void *shape, struct starfish_grid_facts *facts)
{
    static const int colours[2][2] = {{STARFISH_FLAT_EVEN_LINES, STARFISH_FLAT_ODD_LINES},
                                      {STARFISH_FLAT_ODD_LINES, STARFISH_FLAT_EVEN_LINES}};
    const struct starfish_flat_shape *grid = shape;
    const int coloured = smoothing && smoothing->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL;

    *facts = (struct starfish_grid_facts){.n = {grid->n[0] * grid->n[2], grid->n[1]},
                                          .column_unit = grid->n[0] * grid->n[2],
                                          .variant = 2 * grid->n[2] + (grid->skew != 0),
                                          .eigenvalue = 2,
                                          .damping = -1,
                                          .sweeps = 1 + coloured};
    for (int reverse = 0; reverse < 2; reverse++)
        for (int i = 0; i < facts->sweeps; i++)
            facts->sweep[reverse][i] = coloured ? colours[reverse][i] : STARFISH_FLAT_LINES;
}

/* ---- What operations read ---------------------------------------------------------------------------------------- */

static const struct starfish_reach nothing = {0, 0, 0, 0, 0};

static int is_coarser(const struct starfish_flat_shape *shape)
{
    return shape->coarse[1] != shape->n[1];
}

static struct starfish_reach rows(const struct starfish_flat_shape *shape, ptrdiff_t first, ptrdiff_t last)
{
    return (struct starfish_reach){0, (ptrdiff_t)(shape->n[0] * shape->n[2]), first, last, shape->periodic[1]};
}

/* Coarse rows that fine rows first .. last-1 are prolonged from: fine j from (j-1)/2 and the next, rounded down. Of a
 * periodic direction of odd size the last row is alone in its coarse one, so that the row before the first is
 * interpolated from one further down. */
static struct starfish_reach coarse_rows(const struct starfish_flat_shape *shape, ptrdiff_t first, ptrdiff_t last)
{
    const ptrdiff_t even = 2 * (ptrdiff_t)shape->n[1], columns = (ptrdiff_t)(shape->coarse[0] * shape->n[2]);
    const int further = shape->periodic[1] && shape->n[1] % 2 == 1 && first < 0;

    if (!is_coarser(shape))
        return (struct starfish_reach){0, columns, first, last, shape->periodic[1]};
    return (struct starfish_reach){0, columns, (first - 1 + even) / 2 - even / 2 - further,
                                   (last + even) / 2 + 1 - even / 2, shape->periodic[1]};
}

static struct starfish_reach sweep_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const ptrdiff_t first = (ptrdiff_t)step->at.y0, last = (ptrdiff_t)step->at.y1, width = input == STARFISH_GRID_U;

    if (input == STARFISH_GRID_COARSE)
        return step->coarse_shape ? coarse_rows(step->shape, first - 1, last + 1) : nothing;
    /* with a correction the rows beside are corrected too */
    return rows(step->shape, first - width, last + width);
}

static struct starfish_reach restriction_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const struct starfish_flat_shape *shape = step->shape;
    const ptrdiff_t factor = is_coarser(shape) ? 2 : 1, all = (ptrdiff_t)shape->n[1], width = input == STARFISH_GRID_U;
    const ptrdiff_t first = factor * (ptrdiff_t)step->at.y0, end = factor * (ptrdiff_t)step->at.y1;

    return rows(shape, first - width, (end < all ? end : all) + width);
}

static struct starfish_reach prolongation_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    (void)input;
    return coarse_rows(step->shape, (ptrdiff_t)step->at.y0, (ptrdiff_t)step->at.y1);
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

/* By rows, but one core has all of a sphere's array. */
static void share(struct starfish_grid_step *step, enum starfish_grid_operation operation, size_t part, size_t parts)
{
    const struct starfish_flat_shape *shape = step->shape;

    starfish_grid_share_all_by_rows(step, operation, part, shape->rim > 0 ? 1 : parts);
}

/* ---- What operations take ---------------------------------------------------------------------------------------- */

/* In a column 3 with mass and 6 with lift, across 13, and of corners, which couple two columns of four, 6 more. A
 * column is eliminated, by factors with 5 operations, else with the diagonal, which takes 7, and 8. */
enum { OF_MATRIX = 22, OF_CORNERS = 6, OF_FACTORS = 5, OF_ELIMINATION = 15, OF_PROLONGATION = 6, OF_RESTRICTION = 1 };

static double residual_operations(const struct starfish_flat_shape *shape)
{
    return OF_MATRIX + 1 + (shape->skew ? OF_CORNERS : 0);
}

static double coarseness(const struct starfish_flat_shape *shape)
{
    return starfish_grid_coarseness(2, shape->n, shape->coarse);
}

static double transfer_operations(const struct starfish_flat_shape *shape, double of_coarse)
{
    return starfish_grid_transfer(2, shape->n, shape->coarse, of_coarse);
}

/* Of one colour half of the columns are improved. */
static struct starfish_cost sweep_cost(starfish_precision precision, const struct starfish_grid_step *s)
{
    const struct starfish_flat_shape *shape = s->shape;
    const double improved = s->sweep == STARFISH_FLAT_LINES ? 1 : 0.5;
    const double residual = s->u || s->coarse ? residual_operations(shape) + 1 : 0;
    const double solve = (shape->types > 0 ? OF_FACTORS : OF_ELIMINATION) + 1;
    const double correction = s->coarse ? transfer_operations(shape, OF_PROLONGATION) + (s->u != NULL) : 0;

    return starfish_cost_of(starfish_grid_count(s->at), improved * (residual + solve) + correction + (s->sums ? 2 : 0),
                            2 + (s->u != NULL) + (s->coarse ? coarseness(shape) : 0), precision);
}

static struct starfish_cost residual_cost(starfish_precision precision, const struct starfish_grid_step *s)
{
    const double words =
        1 + (s->f != NULL) + (s->result != NULL) + (s->combined.correction != NULL) + (s->combined.v != NULL);

    return starfish_cost_of(starfish_grid_count(s->at),
                            residual_operations(s->shape) + (s->combined.correction ? 2 : 0) + (s->sums ? 2 : 0), words,
                            precision);
}

static struct starfish_cost cost(starfish_precision precision, enum starfish_grid_operation operation,
                                 const struct starfish_grid_step *s)
{
    const struct starfish_flat_shape *shape = s->shape;
    const double count = starfish_grid_count(s->at);

    switch (operation) {
    case STARFISH_GRID_SMOOTH:
        return sweep_cost(precision, s);
    case STARFISH_GRID_RESTRICT:
        return starfish_cost_of(count / coarseness(shape),
                                (s->u ? residual_operations(shape) : 0) + transfer_operations(shape, OF_RESTRICTION),
                                1 + (s->u != NULL) + coarseness(shape), precision);
    case STARFISH_GRID_PROLONG:
        return starfish_cost_of(count, transfer_operations(shape, OF_PROLONGATION) + !s->zero,
                                2 - s->zero + coarseness(shape), precision);
    default:
        return residual_cost(precision, s);
    }
}

/* By its sweeps, the first of which may begin from zero. */
static struct starfish_cost solve_cost(starfish_precision precision, const struct starfish_smoothing *smoothing,
                                       const struct starfish_grid_step *s)
{
    struct starfish_grid_step step = *s;
    struct starfish_cost sum = {0, 0};

    (void)smoothing;
    step.sweep = STARFISH_FLAT_LINES;
    step.coarse = NULL;
    for (int sweep = 0; sweep < ((const struct starfish_flat_shape *)s->shape)->coarse_sweeps; sweep++) {
        step.u = s->zero && sweep == 0 ? NULL : s->result;
        starfish_cost_add(&sum, sweep_cost(precision, &step));
    }
    return sum;
}

static const char *const sweep_names[STARFISH_FLAT_SWEEPS] = {"lines upwards", "even lines", "odd lines"};

static const struct starfish_grid_sharing sharing = {.share = share};
static const struct starfish_grid_fusing fusing = {.adds_correction = ~0U, .combines = 1, .has_sizes = 1};
static const struct starfish_grid_costs costs = {
    .cost = cost, .solve = solve_cost, .work = work, .solve_work = solve_work};

const struct starfish_grid_kind starfish_flat_kind = {
    .name = "flat domain",
    .sweep_names = sweep_names,
    .compute = {starfish_flat_smooth_here, starfish_flat_restrict_here, starfish_flat_prolong_here,
                starfish_flat_residual_here},
    .solve = starfish_flat_solve_here,
    .describe = describe,
    .reach = {sweep_reads, restriction_reads, prolongation_reads, sweep_reads},
    .sharing = &sharing,
    .fusing = &fusing,
    .costs = &costs};
