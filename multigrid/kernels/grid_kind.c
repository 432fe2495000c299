/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kinds of grids have in common: rectangles of their arrays, and the damping of a smoother's steps. */
#include "multigrid/kernels/grid_kind.h"

#include <math.h>
#include <string.h>

const struct starfish_activity starfish_grid_activity[STARFISH_GRID_OPERATIONS] = {
    [STARFISH_GRID_SMOOTH] = {"smooth", 0x5588aa, STARFISH_NO_PHASE},
    [STARFISH_GRID_RESTRICT] = {"restrict", 0x88aa55, STARFISH_NO_PHASE},
    [STARFISH_GRID_PROLONG] = {"prolong", 0x88aa88, STARFISH_NO_PHASE},
    [STARFISH_GRID_RESIDUAL] = {"residual", 0xaa8855, STARFISH_NO_PHASE}};
const struct starfish_activity starfish_pass_down_activity = {"smooth and restrict", 0x5588cc, STARFISH_NO_PHASE};
const struct starfish_activity starfish_coarsest_activity = {"coarsest grid", 0x555588, STARFISH_NO_PHASE};

void starfish_grid_extent(const struct starfish_grid_kind *kind, const void *shape, size_t n[2])
{
    struct starfish_grid_facts facts;

    kind->describe(NULL, shape, &facts);
    n[0] = facts.n[0];
    n[1] = facts.n[1];
}

size_t starfish_grid_variant(const struct starfish_grid_kind *kind, const void *shape)
{
    struct starfish_grid_facts facts;

    kind->describe(NULL, shape, &facts);
    return facts.variant;
}

int starfish_grid_sweeps(const struct starfish_grid_kind *kind, const struct starfish_smoothing *smoothing,
                         const void *shape, int reverse, int sweep[STARFISH_GRID_MOST_SWEEPS])
{
    struct starfish_grid_facts facts;

    kind->describe(smoothing, shape, &facts);
    memcpy(sweep, facts.sweep[reverse != 0], sizeof facts.sweep[0]);
    return facts.sweeps;
}

double starfish_grid_step_damping(const struct starfish_grid_kind *kind, const struct starfish_smoothing *smoothing,
                                  const void *shape, int step, int steps)
{
    struct starfish_grid_facts facts;

    kind->describe(NULL, shape, &facts);
    return facts.damping >= 0 ? facts.damping : starfish_grid_damping(smoothing, facts.eigenvalue, step, steps);
}

/* Prolongations read the coarse grid's solution alone, restrictions and residuals all but that. */
struct starfish_reach starfish_grid_reach(const struct starfish_grid_kind *kind, enum starfish_grid_operation operation,
                                          const struct starfish_grid_step *step, enum starfish_grid_input input)
{
    const int may_read_coarse = operation == STARFISH_GRID_PROLONG ||
                                (operation == STARFISH_GRID_SMOOTH && kind->fusing && kind->fusing->adds_correction);
    const int may_read = input == STARFISH_GRID_COARSE ? may_read_coarse : operation != STARFISH_GRID_PROLONG;

    return may_read ? kind->reach[operation](step, input) : (struct starfish_reach){0, 0, 0, 0, 0};
}

void starfish_grid_share(const struct starfish_grid_kind *kind, struct starfish_grid_step *step,
                         enum starfish_grid_operation operation, size_t part, size_t parts)
{
    (kind->sharing ? kind->sharing->share : starfish_grid_share_all_by_rows)(step, operation, part, parts);
}

struct starfish_rectangle starfish_grid_whole(const struct starfish_grid_kind *kind, const void *shape)
{
    size_t n[2];

    starfish_grid_extent(kind, shape, n);
    return (struct starfish_rectangle){0, n[0], 0, n[1]};
}

static double unknowns_of(int axes, const size_t *n)
{
    double count = 1;

    for (int d = 0; d < axes; d++)
        count *= (double)n[d];
    return count;
}

double starfish_grid_coarseness(int axes, const size_t *fine, const size_t *coarse)
{
    return unknowns_of(axes, coarse) / unknowns_of(axes, fine);
}

double starfish_grid_transfer(int axes, const size_t *fine, const size_t *coarse, double operations)
{
    double sum = 0;

    for (int d = 0; d < axes; d++) {
        double count = coarse[d] == fine[d] ? 0 : 1;
        for (int e = 0; e < axes; e++)
            count *= (double)(e <= d ? coarse[e] : fine[e]);
        sum += operations * count;
    }
    return sum / unknowns_of(axes, fine);
}

struct starfish_rectangle starfish_grid_share_rows(struct starfish_rectangle at, size_t part, size_t parts)
{
    const size_t rows = at.y1 - at.y0;

    return (struct starfish_rectangle){at.x0, at.x1, at.y0 + rows * part / parts, at.y0 + rows * (part + 1) / parts};
}

struct starfish_rectangle starfish_grid_share_columns(struct starfish_rectangle at, size_t part, size_t parts)
{
    const size_t columns = at.x1 - at.x0;

    return (struct starfish_rectangle){at.x0 + columns * part / parts, at.x0 + columns * (part + 1) / parts, at.y0,
                                       at.y1};
}

/* The sums of one of `parts` cores, STARFISH_SUMS at most. */
static void share_sums(struct starfish_grid_step *step, size_t part, size_t parts)
{
    const size_t first = STARFISH_SUMS * part / parts;

    step->sums += first;
    step->sum_count = STARFISH_SUMS * (part + 1) / parts - first;
}

void starfish_grid_share_all_by_rows(struct starfish_grid_step *step, enum starfish_grid_operation operation,
                                     size_t part, size_t parts)
{
    const size_t rows = step->at.y1 - step->at.y0, active = rows < parts ? rows : parts;

    (void)operation;
    if (part >= active) {
        step->at.x1 = step->at.x0;
        return;
    }
    step->at = starfish_grid_share_rows(step->at, part, active);
    if (step->sums)
        share_sums(step, part, active);
}

/* Which of `all` zeros, a power of two, comes at place `step`: of twice as many each is followed by its mirror. */
static int zero_of(int step, int all)
{
    int zero = 0;

    for (int count = 2; count <= all; count *= 2)
        zero = step / (all / count) % 2 ? count - 1 - zero : zero;
    return zero;
}

/* How many of the places 0 .. steps-1 have one of the first `zeros` of `all` zeros: those at even places have the first
 * half of them, in the order of half as many, and each is followed by its mirror. */
static int count_first(int all, int steps, int zeros)
{
    if (all == 1)
        return zeros > 0 ? steps : 0;
    return zeros <= all / 2 ? count_first(all / 2, (steps + 1) / 2, zeros)
                            : steps - count_first(all / 2, steps / 2, all - zeros);
}

/* The same of any number of zeros: in the order of the first ones of the next power of two. */
static int order_of(int step, int steps)
{
    int all = 1;

    while (all < steps)
        all *= 2;
    return count_first(all, steps, zero_of(step, all));
}

double starfish_grid_damping(const struct starfish_smoothing *smoothing, double eigenvalue, int step, int steps)
{
    const double pi = 3.14159265358979323846, high = eigenvalue, low = smoothing->damping * high;

    if (smoothing->smoother != STARFISH_SMOOTHER_CHEBYSHEV)
        return smoothing->damping;
    return 2 / (high + low - (high - low) * cos(pi * (order_of(step, steps) + 0.5) / steps));
}
