/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The systems whose solutions are the border of a periodic batch, A' z = u, solved in place. */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_BORDER_H
#define STARFISH_TRIDIAG_KERNELS_BATCH_BORDER_H

#ifdef __cplusplus
extern "C" {
#endif
#include "tridiag/kernels/batch.h"
#ifdef __cplusplus
}
#endif

static inline struct starfish_batch starfish_batch_border(const struct starfish_batch *batch)
{
    const size_t matrices = starfish_batch_matrices(batch);
    struct starfish_batch border = *batch;

    border.lines = matrices;
    border.columns = 1;
    border.components = 1;
    border.vectors.row = starfish_batch_kept_row(batch);
    border.vectors.line = 1;
    border.input = border.output = border.border;
    return border;
}

#endif
