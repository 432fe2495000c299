/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 elements as a grid kind: sweeps of the smoothers, what operations read, and how cores share them. */
#include "multigrid/kernels/q1_kind.h"

#include "multigrid/kernels/q1_coarse.h"
#include "multigrid/kernels/q1_steps.h"
#include "multigrid/kernels/transfer.h"

static size_t work(const struct starfish_smoothing *smoothing, const void *shape, starfish_precision precision, int gpu)
{
    (void)smoothing;
    return starfish_q1_work(precision, shape, gpu);
}

/* ---- The smoother ------------------------------------------------------------------------------------------------ */

static void describe(const struct starfish_smoothing *smoothing, const void *shape, struct starfish_grid_facts *facts)
{
    static const struct {
        int count, sweep[4];
    } all[STARFISH_SMOOTHERS] = {
        /* AUTO is chosen before */
        [STARFISH_SMOOTHER_ADI] = {2, {STARFISH_Q1_LINES_X, STARFISH_Q1_LINES_Y}},
        [STARFISH_SMOOTHER_LINE_X] = {1, {STARFISH_Q1_LINES_X}},
        [STARFISH_SMOOTHER_LINE_Y] = {1, {STARFISH_Q1_LINES_Y}},
        [STARFISH_SMOOTHER_JACOBI] = {1, {STARFISH_Q1_POINTS}},
        [STARFISH_SMOOTHER_GAUSS_SEIDEL] = {2, {STARFISH_Q1_ROWS_EVEN, STARFISH_Q1_ROWS_ODD}},
        [STARFISH_SMOOTHER_CHEBYSHEV] = {1, {STARFISH_Q1_POINTS}},
        [STARFISH_SMOOTHER_ZEBRA] = {4,
                                     {STARFISH_Q1_EVEN_LINES_X, STARFISH_Q1_ODD_LINES_X, STARFISH_Q1_EVEN_LINES_Y,
                                      STARFISH_Q1_ODD_LINES_Y}},
    };
    const struct starfish_q1_shape *grid = shape;
    const starfish_smoother smoother = smoothing ? smoothing->smoother : STARFISH_SMOOTHER_AUTO;

    *facts = (struct starfish_grid_facts){.n = {grid->n[0], grid->n[1]},
                                          .column_unit = 1,
                                          .variant =
                                              grid->tensor ? 1 : 2 + 2 * (size_t)grid->storage + (grid->diagonals != 0),
                                          .eigenvalue = grid->eigenvalue,
                                          .damping = -1,
                                          .sweeps = all[smoother].count};
    for (int i = 0; i < facts->sweeps; i++)
        facts->sweep[0][i] = facts->sweep[1][facts->sweeps - 1 - i] = all[smoother].sweep[i];
}

enum { ALONG_COLUMNS = 1 << STARFISH_Q1_LINES_Y | 1 << STARFISH_Q1_EVEN_LINES_Y | 1 << STARFISH_Q1_ODD_LINES_Y };

/* ---- What operations read ---------------------------------------------------------------------------------------- */

/* A rectangle and the unknowns around it that a matrix reaches, or where `width` is 0 the rectangle alone. */
static struct starfish_reach around(const struct starfish_q1_shape *shape, struct starfish_rectangle at, size_t width)
{
    const size_t before = at.x0 > width ? at.x0 - width : 0, after = at.x1 + width;
    const size_t nx = shape->n[0];

    return (struct starfish_reach){.x0 = (ptrdiff_t)before,
                                   .x1 = (ptrdiff_t)(after < nx ? after : nx),
                                   .y0 = (ptrdiff_t)at.y0 - (ptrdiff_t)width,
                                   .y1 = (ptrdiff_t)(at.y1 + width)};
}

static struct starfish_reach reads_here(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    return around(step->shape, step->at, input == STARFISH_GRID_U);
}

static struct starfish_transfer_axis rows_of_transfer(const struct starfish_grid_step *step)
{
    const struct starfish_q1_shape *fine = step->shape, *coarse = step->coarse_shape;

    return (struct starfish_transfer_axis){
        .fine = fine->n[1], .coarse = coarse->n[1], .stride = coarse->stride[1], .origin = coarse->origin[1]};
}

static struct starfish_reach restriction_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const struct starfish_transfer_axis axis = rows_of_transfer(step);
    const struct starfish_q1_shape *fine = step->shape;
    size_t rows[2];

    starfish_transfer_fine(&axis, step->at.y0, step->at.y1, rows);
    return around(fine, (struct starfish_rectangle){0, fine->n[0], rows[0], rows[1]}, input == STARFISH_GRID_U);
}

static struct starfish_reach prolongation_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const struct starfish_transfer_axis axis = rows_of_transfer(step);
    const struct starfish_q1_shape *coarse = step->coarse_shape;
    size_t rows[2];

    (void)input;
    starfish_transfer_coarse(&axis, step->at.y0, step->at.y1, rows);
    return around(coarse, (struct starfish_rectangle){0, coarse->n[0], rows[0], rows[1]}, 0);
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

/* Lines are whole. A sum is one number, so that one core computes it. */
static void share(struct starfish_grid_step *step, enum starfish_grid_operation operation, size_t part, size_t parts)
{
    const int columns = operation == STARFISH_GRID_SMOOTH && ALONG_COLUMNS >> step->sweep & 1;

    if (operation == STARFISH_GRID_RESIDUAL && step->sums) {
        if (part > 0)
            step->at.x1 = step->at.x0;
        return;
    }
    step->at = (columns ? starfish_grid_share_columns : starfish_grid_share_rows)(step->at, part, parts);
    if (step->at.y0 == step->at.y1)
        step->at.x1 = step->at.x0;
}

/* ---- What operations take ---------------------------------------------------------------------------------------- */

/* By the row sum and eight differences; the diagonal is the row sum less eight entries. A line is eliminated. */
enum { OF_MATRIX = 25, OF_DIAGONAL = 8, OF_ELIMINATION = 8, OF_TRANSFER = 4 };

/* Words of the matrix for an unknown. */
static double matrix_words(const struct starfish_q1_shape *shape)
{
    return shape->tensor ? 0 : shape->storage == STARFISH_BAND_REALS ? 5 : 2.5;
}

/* Sweeps of two colours, or of every second line, improve a half and copy the other. */
static struct starfish_cost sweep_cost(starfish_precision precision, const struct starfish_grid_step *s)
{
    const int by_points = s->sweep >= STARFISH_Q1_POINTS && s->sweep <= STARFISH_Q1_ROWS_ODD;
    const double improved = s->sweep <= STARFISH_Q1_POINTS ? 1 : 0.5;
    const double residual = s->u ? OF_MATRIX + 1 : 0, update = s->u ? 2 : 1;
    const double solve = OF_DIAGONAL + (by_points ? 1 : OF_ELIMINATION);

    return starfish_cost_of(starfish_grid_count(s->at), improved * (residual + solve + update),
                            improved * (matrix_words(s->shape) + 1) + (s->u != NULL) + 1, precision);
}

static struct starfish_cost cost(starfish_precision precision, enum starfish_grid_operation operation,
                                 const struct starfish_grid_step *s)
{
    const struct starfish_q1_shape *fine = s->shape, *coarse = s->coarse_shape;
    const double words = matrix_words(fine);

    if (operation == STARFISH_GRID_SMOOTH)
        return sweep_cost(precision, s);
    if (operation == STARFISH_GRID_RESIDUAL)
        return starfish_cost_of(starfish_grid_count(s->at), OF_MATRIX + (s->f != NULL) + (s->sums ? 2 : 0),
                                words + 1 + (s->f != NULL) + (s->result != NULL), precision);
    const double unknowns = 1 / starfish_grid_coarseness(2, fine->n, coarse->n);
    const double transfer = starfish_grid_transfer(2, fine->n, coarse->n, OF_TRANSFER);
    if (operation == STARFISH_GRID_RESTRICT)
        return starfish_cost_of(starfish_grid_count(s->at), unknowns * (transfer + (s->u ? OF_MATRIX + 1 : 0)),
                                unknowns * (s->u ? words + 2 : 1) + 1, precision);
    return starfish_cost_of(starfish_grid_count(s->at), transfer + !s->zero, 1 / unknowns + 2 - s->zero, precision);
}

/* By the inverse; an iteration of conjugate gradients, three updates and two inner products, with the diagonal or four
 * line steps. */
static struct starfish_cost solve_cost(starfish_precision precision, const struct starfish_smoothing *smoothing,
                                       const struct starfish_grid_step *s)
{
    const struct starfish_q1_shape *shape = s->shape;
    const double n = (double)shape->n[0] * (double)shape->n[1];
    const double lines = 4 * (OF_MATRIX + 1 + OF_DIAGONAL + OF_ELIMINATION + 2);

    if (smoothing->coarse.solver == STARFISH_COARSE_DIRECT)
        return starfish_cost_of(n, 2 * n, n + 2, precision);
    return starfish_cost_of(
        n, OF_MATRIX + 10 + (smoothing->coarse.solver == STARFISH_COARSE_CG_ADI ? lines : OF_DIAGONAL + 1),
        matrix_words(shape) + 12, precision);
}

static const char *const sweep_names[STARFISH_Q1_SWEEPS] = {"lines in x",     "lines in y",      "points",
                                                            "even rows",      "odd rows",        "even lines in x",
                                                            "odd lines in x", "even lines in y", "odd lines in y"};

static const struct starfish_grid_sharing sharing = {.share = share, .along_columns = ALONG_COLUMNS};
static const struct starfish_grid_costs costs = {
    .cost = cost, .solve = solve_cost, .work = work, .solve_work = starfish_q1_solve_work};

#ifdef STARFISH_CUDA
static const struct starfish_grid_fusing fusing = {.cycle_from = starfish_q1_cycle_from,
                                                   .cycle = starfish_q1_cycle_here};
#endif

const struct starfish_grid_kind starfish_q1_kind = {
    .name = "q1",
    .sweep_names = sweep_names,
    .compute = {starfish_q1_smooth_here, starfish_q1_restrict_here, starfish_q1_prolong_here,
                starfish_q1_residual_here},
    .solve = starfish_q1_solve_here,
    .describe = describe,
    .reach = {reads_here, restriction_reads, prolongation_reads, reads_here},
    .sharing = &sharing,
#ifdef STARFISH_CUDA
    .fusing = &fusing,
#endif
    .costs = &costs};
