/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seven-point matrices as a grid kind: sweeps of the smoothers, what operations read, and how cores share them. */
#include "multigrid/kernels/flux_kind.h"

#include "multigrid/kernels/flux_pass.h"
#include "multigrid/kernels/flux_steps.h"

static size_t work(const struct starfish_smoothing *smoothing, const void *shape, starfish_precision precision, int gpu)
{
    const size_t steps = starfish_flux_step_work(precision, shape, smoothing->smoother, gpu);
    const size_t planes =
        smoothing->smoother == STARFISH_SMOOTHER_PLANE ? starfish_flux_planes_work(precision, shape, gpu) : 0;

    return planes > steps ? planes : steps;
}

static int solve(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                 const struct starfish_grid_step *step)
{
    (void)smoothing;
    return starfish_flux_invert_here(place, step);
}

/* ---- The smoother ------------------------------------------------------------------------------------------------ */

/* There are no lines along a direction that is decoupled, and one plane across a direction would be all of the problem.
 */
static int is_there(const struct starfish_flux_shape *shape, int sweep)
{
    if (sweep >= STARFISH_FLUX_PLANES_X)
        return shape->n[sweep - (int)STARFISH_FLUX_PLANES_X] > 1;
    return sweep < STARFISH_FLUX_LINES_X || !shape->decoupled[sweep - (int)STARFISH_FLUX_LINES_X];
}

static void describe(const struct starfish_smoothing *smoothing, const void *shape, struct starfish_grid_facts *facts)
{
    static const struct {
        int count, sweep[2][3];
    } all[STARFISH_SMOOTHERS] = {
        /* AUTO is chosen before */
        [STARFISH_SMOOTHER_ADI] = {3,
                                   {{STARFISH_FLUX_LINES_X, STARFISH_FLUX_LINES_Y, STARFISH_FLUX_LINES_Z},
                                    {STARFISH_FLUX_LINES_Z, STARFISH_FLUX_LINES_Y, STARFISH_FLUX_LINES_X}}},
        [STARFISH_SMOOTHER_LINE_X] = {1, {{STARFISH_FLUX_LINES_X}, {STARFISH_FLUX_LINES_X}}},
        [STARFISH_SMOOTHER_LINE_Y] = {1, {{STARFISH_FLUX_LINES_Y}, {STARFISH_FLUX_LINES_Y}}},
        [STARFISH_SMOOTHER_LINE_Z] = {1, {{STARFISH_FLUX_LINES_Z}, {STARFISH_FLUX_LINES_Z}}},
        [STARFISH_SMOOTHER_JACOBI] = {1, {{STARFISH_FLUX_POINTS}, {STARFISH_FLUX_POINTS}}},
        [STARFISH_SMOOTHER_CHEBYSHEV] = {1, {{STARFISH_FLUX_POINTS}, {STARFISH_FLUX_POINTS}}},
        [STARFISH_SMOOTHER_GAUSS_SEIDEL] = {1, {{STARFISH_FLUX_RED_BLACK}, {STARFISH_FLUX_BLACK_RED}}},
        [STARFISH_SMOOTHER_PLANE] = {3,
                                     {{STARFISH_FLUX_PLANES_X, STARFISH_FLUX_PLANES_Y, STARFISH_FLUX_PLANES_Z},
                                      {STARFISH_FLUX_PLANES_Z, STARFISH_FLUX_PLANES_Y, STARFISH_FLUX_PLANES_X}}},
    };
    const struct starfish_flux_shape *grid = shape;

    *facts = (struct starfish_grid_facts){.n = {grid->n[0] * grid->n[1], grid->n[2]},
                                          .column_unit = grid->n[0],
                                          .variant = grid->stored != 0,
                                          .eigenvalue = grid->eigenvalue,
                                          .damping = -1};
    for (int reverse = 0; smoothing && reverse < 2; reverse++) {
        const int *const candidate = all[smoothing->smoother].sweep[reverse];
        facts->sweeps = 0;
        for (int i = 0; i < all[smoothing->smoother].count; i++)
            if (is_there(grid, candidate[i]))
                facts->sweep[reverse][facts->sweeps++] = candidate[i];
    }
}

enum { COLOURS = 1 << STARFISH_FLUX_RED_BLACK | 1 << STARFISH_FLUX_BLACK_RED };

static int is_open(const struct starfish_flux_shape *shape, int direction)
{
    return !shape->periodic[direction] || shape->n[direction] == 1;
}

/* By points in two colours, where a row's neighbours are none of the other end. */
static int can_pass(const struct starfish_grid_pass *pass)
{
    const struct starfish_flux_shape *shape = pass->step.shape;
    const size_t planes = shape->n[2] / 2 / pass->parts * 2;

    return (COLOURS >> pass->step.sweep & 1) && pass->sweeps <= STARFISH_FLUX_PASS_SWEEPS && is_open(shape, 1) &&
           is_open(shape, 2) && (!pass->restricted || shape->pairs) &&
           (pass->parts == 1 ||
            planes >= starfish_flux_pass_planes(pass->sweeps, pass->step.coarse != NULL, pass->restricted != NULL));
}

/* ---- What operations read ---------------------------------------------------------------------------------------- */

/* All columns of some planes, of a grid of nx x ny unknowns in a plane. */
static struct starfish_reach planes(const size_t n[3], ptrdiff_t first, ptrdiff_t last, int wraps)
{
    return (struct starfish_reach){0, (ptrdiff_t)(n[0] * n[1]), first, last, wraps};
}

/* The upper one of the two coarse planes that a fine one lies between: of fine i, (i+1)/2 rounded down. Beyond a
 * periodic end it is found where the plane is in the grid, whose size may be odd. */
static ptrdiff_t upper_plane(const struct starfish_flux_shape *shape, ptrdiff_t fine)
{
    const ptrdiff_t n = (ptrdiff_t)shape->n[2], coarse = (ptrdiff_t)shape->coarse[2];

    if (shape->periodic[2] && fine >= n)
        return (fine - n + 1) / 2 + coarse;
    if (shape->periodic[2] && fine < 0)
        return (fine + n + 1) / 2 - coarse;
    return (fine + 1 + 2 * n) / 2 - n; /* a division of numbers that are not negative */
}

/* Coarse planes that fine planes first .. last-1 are prolonged from. */
static struct starfish_reach coarse_planes(const struct starfish_flux_shape *shape, ptrdiff_t first, ptrdiff_t last)
{
    if (shape->coarse[2] == shape->n[2])
        return planes(shape->coarse, first, last, shape->periodic[2]);
    return planes(shape->coarse, upper_plane(shape, first) - 1, upper_plane(shape, last - 1) + 1, shape->periodic[2]);
}

/* Whole rows of x, and `width` rows and planes around them. */
static struct starfish_reach around(const struct starfish_flux_shape *shape, struct starfish_rectangle at,
                                    ptrdiff_t width)
{
    const ptrdiff_t nx = (ptrdiff_t)shape->n[0], columns = nx * (ptrdiff_t)shape->n[1];
    struct starfish_reach reach = {(ptrdiff_t)at.x0 - width * nx, (ptrdiff_t)at.x1 + width * nx,
                                   (ptrdiff_t)at.y0 - width, (ptrdiff_t)at.y1 + width, shape->periodic[2]};

    if (shape->periodic[1] && (reach.x0 < 0 || reach.x1 > columns)) {
        reach.x0 = 0;
        reach.x1 = columns;
    }
    reach.x0 = reach.x0 < 0 ? 0 : reach.x0;
    reach.x1 = reach.x1 > columns ? columns : reach.x1;
    return reach;
}

/* The second of two colours reads the first one's new values around it, and so what they are made of. */
static struct starfish_reach sweep_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const struct starfish_flux_shape *shape = step->shape;
    const int colours = COLOURS >> step->sweep & 1;

    if (step->sweep >= STARFISH_FLUX_LINES_X && input == STARFISH_GRID_COARSE)
        return (struct starfish_reach){0, 0, 0, 0, 0};
    if (step->sweep >= STARFISH_FLUX_PLANES_X)
        return planes(shape->n, 0, (ptrdiff_t)shape->n[2], 0);
    if (input == STARFISH_GRID_COARSE)
        return coarse_planes(shape, (ptrdiff_t)step->at.y0 - 1 - colours, (ptrdiff_t)step->at.y1 + 1 + colours);
    return around(shape, step->at, colours + (input == STARFISH_GRID_U));
}

/* Coarse I is made of fine 2 I - 1 .. 2 I + 2. */
static struct starfish_reach restriction_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const struct starfish_flux_shape *shape = step->shape;
    const ptrdiff_t z0 = (ptrdiff_t)step->at.y0, z1 = (ptrdiff_t)step->at.y1, width = input == STARFISH_GRID_U;

    if (shape->coarse[2] == shape->n[2])
        return planes(shape->n, z0 - width, z1 + width, shape->periodic[2]);
    return planes(shape->n, 2 * z0 - 1 - width, 2 * z1 + 1 + width, shape->periodic[2]);
}

static struct starfish_reach prolongation_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    (void)input;
    return coarse_planes(step->shape, (ptrdiff_t)step->at.y0, (ptrdiff_t)step->at.y1);
}

static struct starfish_reach residual_reads(const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    return around(step->shape, step->at, input == STARFISH_GRID_U);
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

/* A sum is one number, so that one core computes it; a cycle on planes needs all of them. */
static int is_for_one_core(const struct starfish_grid_step *step, enum starfish_grid_operation operation)
{
    return operation == STARFISH_GRID_RESIDUAL
               ? step->sums != NULL
               : operation == STARFISH_GRID_SMOOTH && step->sweep >= STARFISH_FLUX_PLANES_X;
}

/* Lines are whole: those in z are shared by rows, those in y by planes. All else is shared by planes, or by rows where
 * there are fewer planes than rows. */
static int is_shared_by_rows(const struct starfish_grid_step *step, enum starfish_grid_operation operation, size_t rows)
{
    if (operation == STARFISH_GRID_SMOOTH && step->sweep == STARFISH_FLUX_LINES_Z)
        return 1;
    if (operation == STARFISH_GRID_SMOOTH && step->sweep == STARFISH_FLUX_LINES_Y)
        return 0;
    return rows > step->at.y1 - step->at.y0;
}

static void share(struct starfish_grid_step *step, enum starfish_grid_operation operation, size_t part, size_t parts)
{
    const struct starfish_flux_shape *shape = step->shape;
    const size_t nx = operation == STARFISH_GRID_RESTRICT ? shape->coarse[0] : shape->n[0];
    const struct starfish_rectangle at = step->at;
    const size_t first = at.x0 / nx, rows = (at.x1 - at.x0) / nx;

    if (is_for_one_core(step, operation)) {
        if (part > 0)
            step->at.x1 = step->at.x0;
        return;
    }
    if (is_shared_by_rows(step, operation, rows)) {
        step->at.x0 = (first + rows * part / parts) * nx;
        step->at.x1 = (first + rows * (part + 1) / parts) * nx;
        return;
    }
    step->at = starfish_grid_share_rows(at, part, parts);
    if (step->at.y0 == step->at.y1)
        step->at.x1 = step->at.x0;
}

/* ---- What operations take ---------------------------------------------------------------------------------------- */

/* A direction has two faces, with a difference, a product and a sum each; the rest a product. A line is eliminated. */
enum { OF_FACES = 6, OF_ELIMINATION = 8, OF_PROLONGATION = 6, OF_RESTRICTION = 7, OF_PAIRS = 1 };

static double residual_operations(const struct starfish_flux_shape *shape)
{
    return OF_FACES * starfish_directions(shape->n) + 2;
}

static double matrix_words(const struct starfish_flux_shape *shape)
{
    return shape->stored ? starfish_directions(shape->n) + !shape->without_rest : 0;
}

static double coarseness(const struct starfish_flux_shape *shape)
{
    return starfish_grid_coarseness(3, shape->n, shape->coarse);
}

static double transfer_operations(const struct starfish_flux_shape *shape, double of_coarse)
{
    return starfish_grid_transfer(3, shape->n, shape->coarse, of_coarse);
}

static struct starfish_cost sweep_cost(starfish_precision precision, const struct starfish_grid_step *s)
{
    const struct starfish_flux_shape *shape = s->shape;
    const int is_zero = !s->u && !s->coarse;
    const double count = starfish_grid_count(s->at), residual = is_zero ? 0 : residual_operations(shape) + 1;
    const double words = matrix_words(shape) + 2 + (s->u != NULL);

    if (s->sweep >= STARFISH_FLUX_PLANES_X) {
        struct starfish_cost sum = starfish_cost_of(count, residual + 1, words + 1, precision);
        starfish_cost_add(&sum, starfish_flux_planes_cost(precision, s));
        return sum;
    }
    const double solve =
        2 * starfish_directions(shape->n) + 1 + (s->sweep >= STARFISH_FLUX_LINES_X ? OF_ELIMINATION : 1);
    const double correction = s->coarse ? transfer_operations(shape, OF_PROLONGATION) + (s->u != NULL) : 0;
    return starfish_cost_of(count, residual + solve + correction, words + (s->coarse ? coarseness(shape) : 0),
                            precision);
}

static struct starfish_cost cost(starfish_precision precision, enum starfish_grid_operation operation,
                                 const struct starfish_grid_step *s)
{
    const struct starfish_flux_shape *shape = s->shape;
    const double count = starfish_grid_count(s->at), words = matrix_words(shape);

    if (operation == STARFISH_GRID_SMOOTH)
        return sweep_cost(precision, s);
    if (operation == STARFISH_GRID_RESIDUAL)
        return starfish_cost_of(count, residual_operations(shape) + (s->sums ? 2 : 0),
                                words + 1 + (s->f != NULL) + (s->result != NULL), precision);
    if (operation == STARFISH_GRID_RESTRICT)
        return starfish_cost_of(count / coarseness(shape),
                                (s->u ? residual_operations(shape) : 0) +
                                    transfer_operations(shape, shape->pairs ? OF_PAIRS : OF_RESTRICTION),
                                (s->u ? words + 2 : 1) + coarseness(shape), precision);
    return starfish_cost_of(count, transfer_operations(shape, OF_PROLONGATION) + !s->zero,
                            2 - s->zero + coarseness(shape), precision);
}

static struct starfish_cost solve_cost(starfish_precision precision, const struct starfish_smoothing *smoothing,
                                       const struct starfish_grid_step *s)
{
    const double n = (double)starfish_flux_unknowns(s->shape);

    (void)smoothing;
    return starfish_cost_of(n, 2 * n, n + 2, precision);
}

static const char *const sweep_names[STARFISH_FLUX_SWEEPS] = {"points",          "red-black",       "black-red",
                                                              "lines in x",      "lines in y",      "lines in z",
                                                              "planes across x", "planes across y", "planes across z"};

static const struct starfish_grid_sharing sharing = {
    .share = share, .along_columns = 1U << STARFISH_FLUX_LINES_Z, .has_ghosts = 1};
/* Sweeps by points add corrections. */
static const struct starfish_grid_fusing fusing = {.adds_correction = 1U << STARFISH_SMOOTHER_JACOBI |
                                                                      1U << STARFISH_SMOOTHER_CHEBYSHEV |
                                                                      1U << STARFISH_SMOOTHER_GAUSS_SEIDEL,
                                                   .phases = COLOURS,
                                                   .can_pass = can_pass,
                                                   .pass = starfish_flux_pass_here};
static const struct starfish_grid_costs costs = {.cost = cost, .solve = solve_cost, .work = work};
static const struct starfish_grid_costs plane_costs = {
    .cost = cost, .solve = starfish_flux_plane_solve_cost, .work = work, .solve_work = starfish_flux_plane_solve_work};

/* What grids and grids of planes have in common. */
#define OPERATIONS                                                                                                     \
    .sweep_names = sweep_names,                                                                                        \
    .compute = {starfish_flux_smooth_here, starfish_flux_restrict_here, starfish_flux_prolong_here,                    \
                starfish_flux_residual_here},                                                                          \
    .describe = describe, .reach = {sweep_reads, restriction_reads, prolongation_reads, residual_reads},               \
    .sharing = &sharing, .fusing = &fusing

const struct starfish_grid_kind starfish_flux_kind = {.name = "flux", .solve = solve, .costs = &costs, OPERATIONS};
const struct starfish_grid_kind starfish_flux_plane_kind = {
    .name = "flux planes", .solve = starfish_flux_plane_solve, .costs = &plane_costs, OPERATIONS};
