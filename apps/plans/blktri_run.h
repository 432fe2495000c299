/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One solve by block cyclic reduction, timed step by step: for `starfish bench blktri` and `starfish reproduce`. */
#ifndef STARFISH_APPS_PLANS_BLKTRI_RUN_H
#define STARFISH_APPS_PLANS_BLKTRI_RUN_H

#include <starfish/starfish.h>

/* Real numbers; complex right-hand sides of real rows; or lines along y that are complex too. The last two in 2D alone.
 */
enum blktri_data { BLKTRI_REAL, BLKTRI_COMPLEX, BLKTRI_COMPLEX_LINES };

/* Uniform Dirichlet rows in y and z; x is periodic, or one layer that nothing couples (2D). Lines lie along y, rows
 * along z are reduced. */
struct blktri_case {
    size_t n[3];
    starfish_precision precision;
    enum blktri_data data;
    starfish_method method;
    starfish_algorithm algorithm;
    int split, radix;
    const char *workers; /* as for --workers */
    int team;            /* cores per CPU worker, 0: by default */
    int busy;            /* steps' times are sums over their tasks, else from the first start to the last end */
    int on_device;       /* right-hand side and solution in a GPU's memory, else in the host's */
};

enum { BLKTRI_LEVELS = STARFISH_MAX_REDUCTION_LEVELS };
enum blktri_step { BLKTRI_REDUCTION, BLKTRI_SUBSTITUTION, BLKTRI_STEPS };

/* Times of the repetitions; a step's of one level lie together. */
struct blktri_times {
    size_t repeat, levels, separators[BLKTRI_LEVELS];
    double *seconds, *step[BLKTRI_STEPS][BLKTRI_LEVELS];
    double gpu_share[BLKTRI_STEPS][BLKTRI_LEVELS]; /* of a step's tasks */
    double plan_seconds, residual, bytes_moved;    /* over links, per solve */
    char method[32];
};

/* Solve once with the residual checked, then `warmup` and `repeat` times; free with blktri_free_times also after a
 * failure. */
starfish_status blktri_run(const struct blktri_case *c, starfish_context *context, size_t warmup, size_t repeat,
                           struct blktri_times *times);
void blktri_free_times(struct blktri_times *times);

/* A context with the case's workers. */
starfish_status blktri_context(const struct blktri_case *c, starfish_context **context);

#endif
