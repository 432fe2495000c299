/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: the mean by volumes of solutions of singular problems whose rows are scaled
 * (stencil/kernels/volume_mean.h). */
#ifndef STARFISH_CODELETS_VOLUME_MEAN_H
#define STARFISH_CODELETS_VOLUME_MEAN_H

#include "codelets/vectors.h"
#include "scheduler/runtime/coefficient_table.h"

/* Of a plan. volumes: reals, of x, then y, then z of the whole field, each sums to one; row: doubles, of y. */
struct starfish_mean_tables {
    size_t n[3];
    struct starfish_coefficient_table volumes, row;
};

/* Of a solve: what its tasks make, per part and as a whole. */
struct starfish_mean_data {
    struct starfish_coefficient_table *sums; /* STARFISH_SUMS doubles each */
    starpu_data_handle_t numbers;            /* STARFISH_MEAN_NUMBERS doubles */
    starpu_data_handle_t removed;            /* two doubles, of which the first is the mean of f; NULL: not again */
};

/* Tasks for all parts of u; of its edges, too. */
starfish_status starfish_submit_volume_mean(struct starfish_progress *progress, int phase,
                                            const struct starfish_mean_tables *tables, const struct starfish_vector *u,
                                            const struct starfish_mean_data *data);

#endif
