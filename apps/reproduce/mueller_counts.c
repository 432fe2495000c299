/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce mueller-table1, -table2, -table6: the tables of counts, operations and words by the kernels'
 * formulas beside the paper's. */
#include "apps/reproduce/mueller.h"

#include <math.h>

/* ---- Table 1 ----------------------------------------------------------------------------------------------------- */

const struct mueller_cost mueller_paper_cost[STARFISH_ATMOSPHERE_METHODS] = {
    [STARFISH_ATMOSPHERE_MULTIGRID] = {149.4, 29.6}, [STARFISH_ATMOSPHERE_CG] = {54, 15}};

/* Where a kernel runs in an iteration: a step of conjugate gradients, the finest grid of V(1,1), the grids below it,
 * the coarsest one; and how often. */
enum part { CG_STEP, FINEST, COARSER, COARSEST, PARTS, GRIDS = 5 };
static const int calls[PARTS][MUELLER_KERNELS] = {
    [CG_STEP] = {[MUELLER_DIRECTION] = 1, [MUELLER_SOLUTION] = 1, [MUELLER_LINES_FROM_ZERO] = 1},
    [FINEST] = {[MUELLER_LINES] = 1, [MUELLER_RESTRICT] = 1, [MUELLER_CORRECTED_LINES] = 1, [MUELLER_NORM] = 1},
    [COARSER] = {[MUELLER_LINES_FROM_ZERO] = 1, [MUELLER_RESTRICT] = 1, [MUELLER_CORRECTED_LINES] = 1},
    [COARSEST] = {[MUELLER_LINES_FROM_ZERO] = 1, [MUELLER_LINES] = 1}};

/* Add what a part takes on a grid that has `share` of the finest one's unknowns. */
static void add_part(const struct mueller *m, enum part part, double share, struct mueller_cost *sum)
{
    for (int k = 0; k < MUELLER_KERNELS; k++) {
        const struct mueller_cost cost = mueller_kernel_cost(m->layers, (enum mueller_kernel)k);
        sum->operations += share * calls[part][k] * cost.operations;
        sum->words += share * calls[part][k] * cost.words;
    }
}

struct mueller_cost mueller_cost(const struct mueller *m, starfish_atmosphere_method method)
{
    struct mueller_cost sum = {0, 0};

    if (method == STARFISH_ATMOSPHERE_CG) {
        add_part(m, CG_STEP, 1, &sum);
        return sum;
    }
    add_part(m, FINEST, 1, &sum);
    for (int grid = 1; grid < GRIDS; grid++)
        add_part(m, grid + 1 < GRIDS ? COARSER : COARSEST, pow(4, -grid), &sum);
    return sum;
}

static void add_row(struct mueller *m, const char *name, const double paper[3], struct mueller_cost ours)
{
    mueller_add(m, "counted", paper[0], NULL, ours.operations, "%s: operations", name);
    mueller_add(m, "not counted", paper[1], NULL, (double)NAN, "%s: words without caches", name);
    mueller_add(m, "counted", paper[2], NULL, ours.words, "%s: words", name);
}

/* Per cell, as the paper prints: operations, words without caches and with perfect ones. Ours: operations, and arrays
 * that a kernel reads and writes. Of the finest grid the paper's words are two Smooth, a Residual, a Prolongate and the
 * norm; its 122 and 53 are not what its rows add up to (105 and 49). */
starfish_status mueller_count_words(struct mueller *m)
{
    static const struct {
        const char *name;
        double paper[3];
        int kernel[2]; /* the second one is MUELLER_KERNELS where there is one alone */
    } rows[] = {
        {"CG: SpMV, ours direction with product, and solution with residual",
         {32, 12, 6},
         {MUELLER_DIRECTION, MUELLER_SOLUTION}},
        {"CG: Tridiag, ours the lines", {22, 12, 9}, {MUELLER_LINES_FROM_ZERO, MUELLER_KERNELS}},
        {"multigrid: Smooth, before the correction", {37, 17, 8}, {MUELLER_LINES, MUELLER_KERNELS}},
        {"multigrid: RestrictSmooth on a coarse grid, ours without the restriction",
         {17, 12, 6},
         {MUELLER_LINES_FROM_ZERO, MUELLER_KERNELS}},
        {"multigrid: Residual, ours restricted at once", {23, 9, 3}, {MUELLER_RESTRICT, MUELLER_KERNELS}},
        {"multigrid: Prolongate, ours with the Smooth after it", {6, 5, 3}, {MUELLER_CORRECTED_LINES, MUELLER_KERNELS}},
        {"multigrid: residual norm, ours computed anew", {2, 1, 1}, {MUELLER_NORM, MUELLER_KERNELS}}};
    static const double totals[3][3] = {{54, 24, 15}, {122, 53, 23}, {149.4, 67.2, 29.6}};
    struct mueller_cost finest = {0, 0};

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct mueller_cost sum = {0, 0};
        for (int k = 0; k < 2 && rows[r].kernel[k] < MUELLER_KERNELS; k++) {
            const struct mueller_cost cost = mueller_kernel_cost(m->layers, (enum mueller_kernel)rows[r].kernel[k]);
            sum.operations += cost.operations;
            sum.words += cost.words;
        }
        add_row(m, rows[r].name, rows[r].paper, sum);
    }
    add_part(m, FINEST, 1, &finest);
    add_row(m, "CG: total", totals[0], mueller_cost(m, STARFISH_ATMOSPHERE_CG));
    add_row(m, "multigrid: total of the finest grid", totals[1], finest);
    add_row(m, "multigrid: total of all grids", totals[2], mueller_cost(m, STARFISH_ATMOSPHERE_MULTIGRID));
    return STARFISH_SUCCESS;
}

/* ---- Table 2 ----------------------------------------------------------------------------------------------------- */

/* Vectors whose halos a step exchanges, and a cycle on a grid, by hand; the ratio of bandwidths. */
enum { CG_HALOS = 3, CYCLE_HALOS = 3, RATIO = 168 };

/* Equation 17: what is exchanged over what is moved, words of halos `exchanges` times. */
static double exchanged(double n, double exchanges, double words)
{
    return 4 / n * exchanges / words;
}

/* Cycles exchange on each of five grids, of which the coarser have half the halo and a quarter of the work in turn. */
static double of_grids(double n, double exchanges, double words)
{
    double halos = 0;

    for (int l = 0; l < GRIDS; l++)
        halos += exchanges / pow(2, l);
    return exchanged(n, halos, words);
}

double mueller_slowdown(const struct mueller *m, starfish_atmosphere_method method, size_t n)
{
    const double words = mueller_cost(m, method).words;

    return 1 + RATIO * (method == STARFISH_ATMOSPHERE_CG ? exchanged((double)n, CG_HALOS, words)
                                                         : of_grids((double)n, CYCLE_HALOS, words));
}

double mueller_kernel_slowdown(const struct mueller *m, enum mueller_kernel kernel, size_t n)
{
    return 1 + RATIO * exchanged((double)n, 1, mueller_kernel_cost(m->layers, kernel).words);
}

starfish_status mueller_count_halos(struct mueller *m)
{
    static const double paper[3][4] = {{20.8, 10.4, 5.2, 3.5}, {80.5, 40.2, 20.1, 13.4}, {54.3, 27.2, 13.6, 9.1}};
    static const char *const what[3] = {"CG", "multigrid, all grids", "multigrid, finest grid"};
    static const int sizes[4] = {128, 256, 512, 768};
    struct mueller_cost finest = {0, 0};

    add_part(m, FINEST, 1, &finest);
    for (int s = 0; s < 4; s++) {
        const double n = sizes[s];
        const double ours[3] = {exchanged(n, CG_HALOS, mueller_cost(m, STARFISH_ATMOSPHERE_CG).words),
                                of_grids(n, CYCLE_HALOS, mueller_cost(m, STARFISH_ATMOSPHERE_MULTIGRID).words),
                                exchanged(n, CYCLE_HALOS, finest.words)};
        for (int w = 0; w < 3; w++)
            mueller_add(m, "by hand", paper[w][s], NULL, 1e4 * ours[w],
                        "%s, n = %d: 1e4 times words of halos over words of memory", what[w], sizes[s]);
    }
    return STARFISH_SUCCESS;
}

/* ---- Table 6 ----------------------------------------------------------------------------------------------------- */

starfish_status mueller_count_unknowns(struct mueller *m)
{
    static const double paper[][3] = {{8.39e6, 3.36e7, 7.55e7},    {3.36e7, 1.34e8, 3.02e8},
                                      {1.34e8, 5.37e8, 1.21e9},    {5.37e8, 2.15e9, 4.83e9},
                                      {2.15e9, 8.59e9, 1.93e10},   {8.59e9, 3.44e10, 7.73e10},
                                      {3.44e10, 1.37e11, 3.09e11}, {1.37e11, 5.50e11, (double)NAN}};
    static const int sizes[3] = {256, 512, 768};
    /* Cores of each kind that the paper counts for a socket; on EMERALD up to 64, on HECToR up to 4096. */
    static const struct {
        const char *name;
        double of_socket, most;
    } machines[3] = {
        {"GPU cores on Titan", 2688, 16384}, {"GPU cores on EMERALD", 512, 64}, {"cores on HECToR", 16, 4096}};
    double sockets = 1;

    for (size_t r = 0; r < sizeof paper / sizeof paper[0]; r++, sockets *= 4) {
        for (int k = 0; k < 3; k++)
            if (sockets <= machines[k].most)
                mueller_add(m, "the paper's machines", sockets * machines[k].of_socket, NULL, (double)NAN,
                            "%.0f sockets: %s", sockets, machines[k].name);
        for (int s = 0; s < 3; s++)
            if (!isnan(paper[r][s]))
                mueller_add(m, "counted", paper[r][s], NULL, 128 * sockets * sizes[s] * sizes[s],
                            "%.0f GPUs of %d x %d x 128: unknowns", sockets, sizes[s], sizes[s]);
    }
    return STARFISH_SUCCESS;
}
