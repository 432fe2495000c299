/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over chunks of domains on a core (coarse.h). Bound by memory: an index and a gathered value per cell. */
#include "base/real.h"
#include "krylov/kernels/coarse.h"

void REAL_NAME(starfish_chunk_sums_cpu)(const struct starfish_chunk_sums *a)
{
    const real *r = a->r, *y = a->y, *factor = a->factor;

    for (size_t chunk = a->chunk0; chunk < a->chunk1; chunk++) {
        double sum = 0;
        for (int at = a->cell_begin[chunk]; at < a->cell_begin[chunk + 1]; at++)
            sum += (double)r[a->cell[at]];
        for (int at = a->term_begin[chunk]; y && at < a->term_begin[chunk + 1]; at++)
            sum -= (double)factor[at] * (double)y[a->term[at]];
        a->sum[chunk] = sum;
    }
}
