/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Banded matrices that are eliminated with partial pivoting, in f64 whatever the precision of the vectors: the tables,
 * and a task that solves. Rows are scaled by powers of two first, so that pivots are compared in equal units. Bound by
 * arithmetic, 4 n width^2 operations, in making the tables; a solve reads them once. */
#ifndef STARFISH_CODELETS_BAND_H
#define STARFISH_CODELETS_BAND_H

#include "scheduler/runtime/progress.h"

/* Row i has columns i - width .. i + width, and as many more above as pivoting fills. */
struct starfish_band {
    size_t n, width;
    double *entry;
    double *scale;   /* n: of rows */
    size_t *pivot;   /* n: the row that changed places with this one */
    size_t *place;   /* n: an unknown's row and column. The caller fills it */
    double *weight;  /* n, by unknowns: of the mean that is taken off f and off u; NULL: the matrix is regular */
    size_t left_out; /* then: the unknown that is zero before that, and whose equation is left out */
    starfish_precision precision; /* of right-hand sides and solutions */
};

/* Bytes of the tables. */
double starfish_band_bytes(size_t n, size_t width);
/* Of zeros, but for n, width, and `singular`: the weights are there. Errors: MEMORY. */
starfish_status starfish_band_create(struct starfish_band *band, size_t n, size_t width, int singular);
void starfish_band_destroy(struct starfish_band *band);
/* Row and column are unknowns; adds. */
void starfish_band_add(struct starfish_band *band, size_t row, size_t column, double value);
/* Errors: SINGULAR. */
starfish_status starfish_band_factorise(struct starfish_band *band);

/* Solves on a core. rhs and solution are slabs, of which one may be the other; removed: receives the mean of f, and
 * zero, where there are weights, else NULL. The band must last. */
starfish_status starfish_submit_band(struct starfish_progress *progress, int phase, const struct starfish_band *band,
                                     starpu_data_handle_t rhs, starpu_data_handle_t solution,
                                     starpu_data_handle_t removed);

#endif
