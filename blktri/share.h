/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How GPUs and cores share block cyclic reduction.
 *
 * Several modes of x are distributed by rates, so that both kinds of workers end at the same time:
 *
 *     modes    0 .................................. m ........ n
 *              [ blocks of the GPUs, all levels   ][ of cores ]
 *
 * A single mode is shared by levels: the wide levels at the leaves suit a GPU, and the chains near the root a core.
 *
 *     level    0 ..... split ......................... leaves
 *              [ cores ][ GPUs                              ]
 *
 * Of small problems a trial would take longer than many solves, so that the scheduler decides by the task.
 *
 * Times of levels are those of the performance models where they have them for both kinds. Elsewhere a trial measures
 * them on some modes. */
#ifndef STARFISH_BLKTRI_SHARE_H
#define STARFISH_BLKTRI_SHARE_H

#include "tasks/spectral.h"

enum { STARFISH_BLKTRI_SHARED_NUMBERS = 1 << 17 }; /* of a field, from which on a plan decides */

struct starfish_blktri_share {
    uint32_t where;        /* kinds of workers that solve */
    size_t modes_of_cores; /* of x, if both kinds solve and there are several modes */
    int split;             /* levels of cores, if both kinds solve and there is one mode; else -1 */
};

/* Times of the levels on one worker of a kind, for so many modes. */
struct starfish_blktri_pace {
    size_t workers, modes, levels;
    int hides_latency; /* a GPU: more modes may take no longer */
    double seconds[STARFISH_MAX_LEVELS];
    double work[STARFISH_MAX_LEVELS]; /* in proportion to operations */
};

/* Of all `modes`. A kind of workers that cannot be timed (NaN) takes no part. */
struct starfish_blktri_share starfish_blktri_share_by(const struct starfish_blktri_pace pace[STARFISH_WORKER_KINDS],
                                                      size_t modes, double exchange_seconds);

/* For a problem whose product or fractions are set; kinds without workers take no part. May take tenths of a second.
 * Errors: MEMORY, RUNTIME. */
starfish_status starfish_blktri_choose_share(struct starfish_context *context,
                                             const struct starfish_spectral_problem *problem,
                                             struct starfish_blktri_share *share);

#endif
