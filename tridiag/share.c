/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adjustment of the cores' share (share.h): GPUs alone, then cores alone, then both, with a share that follows the
 * measured rates. */
#include "tridiag/share.h"

enum { GPUS_ALONE = 2, CORES_ALONE = 4 }; /* solves until then, of which the last one counts */

int starfish_batch_share_is_known(const struct starfish_batch_share *share)
{
    return share->seen >= CORES_ALONE;
}

static void learn(struct starfish_batch_share *share, size_t pieces, double rate)
{
    share->seen++;
    if (share->seen == GPUS_ALONE) {
        share->gpu_rate = rate;
        share->cores = pieces;
    } else if (share->seen == CORES_ALONE) {
        /* The solves that have been seen were of one kind of worker each. */
        share->cores = (size_t)((double)pieces * rate / (rate + share->gpu_rate));
    }
}

void starfish_batch_share_watch(struct starfish_batch_share *share, size_t pieces, double cores_seconds, double seconds)
{
    if (!starfish_batch_share_is_known(share))
        learn(share, pieces, (double)pieces / seconds);
    else if (starfish_balance_watch(&share->balance, pieces, share->cores, 1, share->gpu_rate, cores_seconds, seconds))
        share->cores = share->balance.items;
}
