/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce mueller-table4, -table5, -figure3: an iteration by its steps and grids. Whole iterations are
 * solves; steps are kernels alone, on a GPU; 64 GPUs are the paper's model. */
#include "apps/reproduce/mueller.h"

#include <math.h>

enum { PLACES = 2, GRIDS = 5 };
static const char *const places[PLACES] = {"1 GPU", "64 GPUs"}, *const hows[PLACES] = {"measured", "modelled"};

/* The paper's milliseconds are of this size alone. */
static double if_paper(const struct mueller *m, double number)
{
    return m->n == 512 && m->layers == 128 ? number : (double)NAN;
}

/* Without a GPU: of cores. */
static const char *place_name(const struct mueller *m, int place)
{
    static const char *const cores[PLACES] = {"cores", "64 sets of cores"};

    return m->bench.gpus > 0 ? places[place] : cores[place];
}

static starfish_status time_iteration(struct mueller *m, size_t n, starfish_atmosphere_method method, int levels,
                                      double *seconds)
{
    const struct mueller_solve solve = {n, method, 8.4, levels, 2, 0, 0, 1};

    return mueller_time(m, &solve, seconds);
}

/* A kernel at a place: with one exchange on many GPUs. */
static double at_place(const struct mueller *m, int place, size_t n, const double step[MUELLER_KERNELS],
                       enum mueller_kernel kernel)
{
    return step[kernel] * (place ? mueller_kernel_slowdown(m, kernel, n) : 1);
}

/* ---- Table 4 ----------------------------------------------------------------------------------------------------- */

starfish_status mueller_break_down_gradients(struct mueller *m)
{
    static const double paper[4][PLACES] = {{14.1, 14.2}, {15.6, 18.0}, {29.7, 32.2}, {29.8, 32.5}};
    double step[MUELLER_KERNELS], iteration;

    m->bench.parts = 3;
    STARFISH_TRY(time_iteration(m, m->n, STARFISH_ATMOSPHERE_CG, 5, &iteration));
    for (int k = 0; k < MUELLER_KERNELS; k++)
        step[k] = (double)NAN;
    bench_next("steps of %zu x %zu x %zu", m->n, m->n, m->layers);
    if (m->bench.gpus > 0)
        STARFISH_TRY(mueller_time_kernels(m->n, m->layers, step));
    for (int place = 0; place < PLACES; place++) {
        const double product =
            at_place(m, place, m->n, step, MUELLER_DIRECTION) + at_place(m, place, m->n, step, MUELLER_SOLUTION);
        const double lines = at_place(m, place, m->n, step, MUELLER_LINES_FROM_ZERO);
        const double ours[4] = {product, lines, product + lines,
                                iteration * (place ? mueller_slowdown(m, STARFISH_ATMOSPHERE_CG, m->n) : 1)};
        static const char *const what[4] = {"SpMV, ours direction with product, and solution with residual",
                                            "Tridiag, ours the lines", "all kernels", "iteration"};
        for (int w = 0; w < 4; w++)
            mueller_add(m, isnan(ours[w]) ? "kernels on a GPU alone" : hows[place], if_paper(m, paper[w][place]),
                        REPRODUCE_SIZE, 1e3 * ours[w], "CG, n = %zu, %s, %s: milliseconds", m->n, place_name(m, place),
                        what[w]);
    }
    return STARFISH_SUCCESS;
}

/* ---- Table 5 ----------------------------------------------------------------------------------------------------- */

enum { SMOOTH, FIRST_SMOOTH, RESIDUAL, PROLONGATE, ALL, STEPS };
static const char *const steps[STEPS] = {"Smooth, ours with the Prolongate before it",
                                         "ResSmooth, ours without the Residual", "Residual, ours restricted at once",
                                         "Prolongate", "all kernels"};
static const double paper_steps[PLACES][STEPS][GRIDS] = {{{45.0, 5.9, 1.9, 0.8, 0.7},
                                                          {NAN, 4.7, 1.7, 0.7, 0.7},
                                                          {15.4, 2.0, 0.8, 0.3, NAN},
                                                          {4.3, 1.1, 0.4, 0.2, NAN},
                                                          {64.7, 13.7, 4.8, 2.0, 1.4}},
                                                         {{50.7, 7.6, 3.2, 1.8, 1.7},
                                                          {NAN, 6.3, 3.0, 1.8, 1.6},
                                                          {21.7, 3.5, 2.0, 1.3, NAN},
                                                          {6.7, 2.7, 1.6, 1.3, NAN},
                                                          {79.1, 20.1, 9.8, 6.3, 3.3}}};

/* What a grid's kernels take: V(1,1), on the finest from a solution that is there, on others from zero, two sweeps on
 * the coarsest. The norm on the finest is in none of the paper's rows but the iteration. */
static void steps_of_grid(const struct mueller *m, int place, int grid, int last, const double step[MUELLER_KERNELS],
                          double ours[STEPS])
{
    const size_t n = m->n >> grid;
    const double first = at_place(m, place, n, step, MUELLER_LINES_FROM_ZERO);
    const double lines = at_place(m, place, n, step, MUELLER_LINES);

    ours[SMOOTH] = last ? lines : at_place(m, place, n, step, MUELLER_CORRECTED_LINES) + (grid == 0 ? lines : 0);
    ours[FIRST_SMOOTH] = grid == 0 ? (double)NAN : first;
    ours[RESIDUAL] = last ? (double)NAN : at_place(m, place, n, step, MUELLER_RESTRICT);
    ours[PROLONGATE] = (double)NAN;
    ours[ALL] = ours[SMOOTH] + (grid == 0 ? 0 : ours[FIRST_SMOOTH]) + (last ? 0 : ours[RESIDUAL]);
}

static starfish_status add_steps(struct mueller *m, int grid, int last)
{
    const size_t n = m->n >> grid;
    double step[MUELLER_KERNELS], ours[STEPS];

    bench_next("steps of %zu x %zu x %zu", n, n, m->layers);
    STARFISH_TRY(mueller_time_kernels(n, m->layers, step));
    for (int place = 0; place < PLACES; place++) {
        steps_of_grid(m, place, grid, last, step, ours);
        for (int s = 0; s < STEPS; s++)
            mueller_add(m, isnan(ours[s]) ? "no such kernel" : hows[place], if_paper(m, paper_steps[place][s][grid]),
                        isnan(paper_steps[place][s][grid]) ? REPRODUCE_LEFT_OUT : REPRODUCE_SIZE, 1e3 * ours[s],
                        "multigrid, level %d, n = %zu, %s, %s: milliseconds", GRIDS - grid, n, places[place], steps[s]);
    }
    return STARFISH_SUCCESS;
}

/* What a grid takes in a solve: a cycle from it on less one from the next. */
static starfish_status add_grids(struct mueller *m, int grids, double *cycle)
{
    double finer = 0, seconds;

    for (int l = 0; l < grids; l++) {
        STARFISH_TRY(time_iteration(m, m->n >> l, STARFISH_ATMOSPHERE_MULTIGRID, grids - l, &seconds));
        if (l == 0)
            *cycle = seconds;
        else
            mueller_add(m, "measured", if_paper(m, paper_steps[0][ALL][l - 1]), REPRODUCE_SIZE, 1e3 * (finer - seconds),
                        "multigrid, level %d, n = %zu, %s, in a cycle: milliseconds", GRIDS + 1 - l, m->n >> (l - 1),
                        place_name(m, 0));
        finer = seconds;
    }
    mueller_add(m, "measured", if_paper(m, paper_steps[0][ALL][grids - 1]), REPRODUCE_SIZE, 1e3 * finer,
                "multigrid, the coarsest grid, %s, in a cycle: milliseconds", place_name(m, 0));
    return STARFISH_SUCCESS;
}

starfish_status mueller_break_down_levels(struct mueller *m)
{
    static const double paper[PLACES] = {88.8, 122.0};
    double cycle = 0;
    int grids = 1;

    while (grids < GRIDS && m->n >> grids >= 4)
        grids++;
    m->bench.parts = (size_t)grids * (m->bench.gpus > 0 ? 3 : 2);
    STARFISH_TRY(add_grids(m, grids, &cycle));
    for (int grid = 0; grid < grids && m->bench.gpus > 0; grid++)
        STARFISH_TRY(add_steps(m, grid, grid + 1 == grids));
    for (int place = 0; place < PLACES; place++)
        mueller_add(m, hows[place], if_paper(m, paper[place]), REPRODUCE_SIZE,
                    1e3 * cycle * (place ? mueller_slowdown(m, STARFISH_ATMOSPHERE_MULTIGRID, m->n) : 1),
                    "multigrid, n = %zu, %s, iteration: milliseconds", m->n, place_name(m, place));
    return STARFISH_SUCCESS;
}
