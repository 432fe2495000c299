/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Number of pieces of a batch in host memory that teams of cores take beside GPUs, measured in the plan's own lone
 * solves.
 *
 * What cores and GPUs do depends on where the arrays lie: pageable memory is copied at a fifth of the speed of pinned
 * memory. So the first two lone solves are the GPUs' alone, the next two the cores' alone (the first of each brings
 * coefficients and touches memory), then the pieces are divided by what the second ones took, and the division is
 * corrected by what solves then take (scheduler/runtime/balance.h). Not thread-safe. */
#ifndef STARFISH_TRIDIAG_SHARE_H
#define STARFISH_TRIDIAG_SHARE_H

#include "scheduler/runtime/balance.h"

struct starfish_batch_share {
    size_t seen;     /* lone solves, as far as they teach */
    double gpu_rate; /* pieces per second of the GPUs alone */
    size_t cores;    /* pieces that the cores take in the next solve; the GPUs take the others */
    struct starfish_balance balance;
};

/* Before, solves that overlap are better left to the runtime's policy. */
int starfish_batch_share_is_known(const struct starfish_batch_share *share);
/* A lone solve of `pieces` pieces is done, of which the cores had share->cores. `cores_seconds`: how long they were at
 * work. */
void starfish_batch_share_watch(struct starfish_batch_share *share, size_t pieces, double cores_seconds,
                                double seconds);

#endif
