/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of `reproduce mueller-...` share: Mueller, Scheichl, Vainikko, Parallel Comput. 50 (2015), 53-69.
 *
 * The problem is the paper's on a flat box, f = 1, w = 4.2 h, five grids, V(1,1), two coarse sweeps, to 1e-5, and for
 * iterations on a panel of the cubed sphere too. The paper leaves open the right-hand side, the extent of the panel,
 * its mesh width, lambda(h) and the height: here a whole panel, the mean width of its cells, 1 and 0.00785, and f = 1
 * in the middle quarter, 0 outside. */
#ifndef STARFISH_APPS_REPRODUCE_MUELLER_H
#define STARFISH_APPS_REPRODUCE_MUELLER_H

#include "apps/command.h"
#include "apps/plans/arrays.h"
#include "apps/reproduce/reproduce.h"

#include <starfish/starfish.h>

struct mueller {
    struct bench bench; /* first */
    size_t n, layers;   /* columns in x at most, cells of a column */
    size_t largest;     /* of conjugate gradients alone, which take less memory: where no n is asked for, 768 */
    starfish_context *context;
    starfish_status (*measure)(struct mueller *m);
    struct solve_arrays arrays; /* of the last solve */
    double copy_rate;           /* bytes per second of a copy; 0: not measured */
};

/* A row of ours that is no time of ours; how: "measured", "counted", "modelled", "by words", or why there is none;
 * why: the paper has none (reproduce_compare). The name is in printf format. */
json_t *mueller_add(struct mueller *m, const char *how, double paper, const char *why, double ours, const char *format,
                    ...) __attribute__((format(printf, 6, 7)));
extern const char *const mueller_methods[STARFISH_ATMOSPHERE_METHODS];
/* What the parts of the paper's model are here, where one was measured. */
static inline const char *mueller_parts(const struct mueller *m)
{
    return m->bench.gpus > 0 ? "GPUs" : "sets of cores";
}

/* ---- Words, and the model of many GPUs (mueller_counts.c) -------------------------------------------------------- */

/* Operations and words per unknown, of a kernel or an iteration. */
struct mueller_cost {
    double operations, words;
};
/* Of an iteration as the paper counts it, with perfect caches, and as the kernels' formulas count ours. */
extern const struct mueller_cost mueller_paper_cost[STARFISH_ATMOSPHERE_METHODS];
struct mueller_cost mueller_cost(const struct mueller *m, starfish_atmosphere_method method);

/* The paper's model: an iteration on many parts of n x n columns takes so many times as long as on one, by the share of
 * halos (equation 17) times the ratio of bandwidths, here 4.2 TB/s to 25 GB/s. */
double mueller_slowdown(const struct mueller *m, starfish_atmosphere_method method, size_t n);

starfish_status mueller_count_words(struct mueller *m);
starfish_status mueller_count_halos(struct mueller *m);
starfish_status mueller_count_unknowns(struct mueller *m);

/* ---- Solves (mueller.c) ------------------------------------------------------------------------------------------ */

struct mueller_solve {
    size_t n;
    starfish_atmosphere_method method;
    double cfl;
    int levels, sweeps, fixed; /* fixed: so many iterations, and no residual is looked at; 0: to 1e-5 */
    int panel;
    size_t times; /* so many times as many rows of columns as there are columns in x; 0: once */
};
/* Seconds of an iteration, without what a solve takes before the first and after the last one, as copies of host
 * arrays: from two solves of different length. */
starfish_status mueller_time(struct mueller *m, const struct mueller_solve *solve, double *seconds);

/* A solve to 1e-5, an iteration, and what is left: copies between host and device, and their order. */
struct mueller_figures {
    int iterations;
    double iteration, all, copies; /* seconds */
};
starfish_status mueller_measure(struct mueller *m, size_t n, starfish_atmosphere_method method, int panel,
                                struct mueller_figures *figures);
/* The paper's on one GPU, where it has that size: n = 128, 256, 512, of conjugate gradients 768 too. */
struct mueller_paper {
    double iteration, rate, share, iterations, copies, all; /* milliseconds, GFLOP/s, percent */
};
struct mueller_paper mueller_paper_of(const struct mueller *m, size_t n, starfish_atmosphere_method method);
/* The paper's sizes from `least` on that are asked for; where all are larger, the one that is. Returns how many. */
enum { MUELLER_SIZES = 4 };
size_t mueller_sizes(const struct mueller *m, starfish_atmosphere_method method, size_t least,
                     size_t sizes[MUELLER_SIZES]);
/* Do something in a context with other workers alone. Afterwards there is no context: m->context is NULL. */
starfish_status mueller_with_workers(struct mueller *m, const char *workers, void *data,
                                     starfish_status (*measure)(struct mueller *m, void *data));

/* ---- Steps one by one (mueller_kernels.c) ------------------------------------------------------------------------ */

enum mueller_kernel {
    MUELLER_DIRECTION, /* of conjugate gradients: the new direction, and its product with A */
    MUELLER_SOLUTION,  /* the new solution and residual */
    MUELLER_LINES_FROM_ZERO,
    MUELLER_LINES,
    MUELLER_CORRECTED_LINES,
    MUELLER_RESTRICT, /* the residual, restricted */
    MUELLER_NORM,
    MUELLER_KERNELS
};
/* By the formula of the grid kind. */
struct mueller_cost mueller_kernel_cost(size_t layers, enum mueller_kernel kernel);
/* A kernel on many parts of n x n columns, which exchanges once, takes so many times as long as on one. */
double mueller_kernel_slowdown(const struct mueller *m, enum mueller_kernel kernel, size_t n);
/* Medians on a GPU, of n x n columns. Errors: MEMORY, RUNTIME (without a GPU). */
starfish_status mueller_time_kernels(size_t n, size_t layers, double seconds[MUELLER_KERNELS]);

starfish_status mueller_break_down_gradients(struct mueller *m); /* table 4 (mueller_levels.c) */
starfish_status mueller_break_down_levels(struct mueller *m);    /* table 5, figure 3 */

/* ---- Many GPUs, and cores (mueller_scaling.c) -------------------------------------------------------------------- */

starfish_status mueller_model_weak(struct mueller *m);
starfish_status mueller_model_strong(struct mueller *m);
starfish_status mueller_compare_workers(struct mueller *m);
starfish_status mueller_measure_rates(struct mueller *m);

#endif
