/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Divides the rows of each rank into parts (distribute.h): ranks gather their shares, and all compute the same
 * parts. */
#include "scheduler/runtime/distribute.h"

#include "scheduler/runtime/ranks.h"

#include <stdlib.h>

starfish_status starfish_gather_shares(const struct starfish_context *context, size_t rows,
                                       struct starfish_share **share)
{
    const int ranks = starfish_context_ranks(context);
    const struct starfish_share own = {rows, context->workers_of[STARFISH_GPU], context->workers_of[STARFISH_CPU]};
    starfish_status status = STARFISH_SUCCESS;

    *share = calloc((size_t)ranks, sizeof **share);
    if (!*share)
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the shares of %d ranks", ranks);
    status = starfish_ranks_agree(context, status);
    STARFISH_THEN(status, starfish_ranks_gather(context, &own, sizeof own, *share));
    if (status != STARFISH_SUCCESS) {
        free(*share);
        *share = NULL;
    }
    return status;
}

static starfish_status add_rank(const struct starfish_distribute_spec *spec, const struct starfish_share *share,
                                int rank, struct starfish_distributed *dealt)
{
    struct starfish_runs *runs = &dealt->runs;
    const size_t workers = starfish_share_devices(share), start = starfish_runs_end(runs), before = runs->parts;
    const size_t grain = spec->grain > 0 ? spec->grain : 1, worth = spec->worth > grain ? spec->worth : grain;
    const size_t most = spec->most / (size_t)dealt->owners;
    size_t parts = workers < most ? workers : most;

    if (share->rows == 0)
        return STARFISH_SUCCESS;
    parts = parts < share->rows / worth ? parts : share->rows / worth;
    parts = parts > 0 ? parts : 1;
    STARFISH_TRY(starfish_runs_add(runs, parts, (share->rows + grain - 1) / grain, (struct starfish_owner){rank, 0}));
    for (size_t p = 0; p < parts; p++) { /* at multiples of the grain */
        const size_t rows = (runs->first[before + p + 1] - start) * grain;
        runs->owner[before + p] = starfish_share_owner(share, rank, p);
        runs->first[before + p + 1] = start + (rows < share->rows ? rows : share->rows);
    }
    return STARFISH_SUCCESS;
}

/* Whether the rows of all ranks can be parts: there are not too many, each is thick enough, and only the last rank's
 * rows may be no multiple of the grain. */
static int can_be_cut(const struct starfish_distribute_spec *spec, const struct starfish_share *share, int ranks,
                      struct starfish_distributed *dealt)
{
    int uneven = 0, fits = 1;

    for (int rank = 0; rank < ranks; rank++) {
        dealt->owners += share[rank].rows > 0;
        dealt->any_gpu |= share[rank].gpus > 0;
        fits &= share[rank].rows == 0 || (share[rank].rows >= spec->least && !uneven);
        uneven |= spec->grain > 1 && share[rank].rows % spec->grain > 0;
    }
    return fits && dealt->owners > 1 && (size_t)dealt->owners <= spec->most;
}

starfish_status starfish_distribute_runs(struct starfish_context *context, const struct starfish_distribute_spec *spec,
                                         struct starfish_distributed *dealt)
{
    const int ranks = starfish_context_ranks(context), here = starfish_context_rank(context);
    struct starfish_share *share;

    *dealt = (struct starfish_distributed){.runs = {.apart = 1}, .rows_here = spec->rows};
    starfish_status status = starfish_gather_shares(context, spec->rows, &share);
    for (int rank = 0; share && rank < here; rank++)
        dealt->first_here += share[rank].rows;
    if (share && can_be_cut(spec, share, ranks, dealt))
        for (int rank = 0; rank < ranks && status == STARFISH_SUCCESS; rank++)
            status = add_rank(spec, &share[rank], rank, dealt);
    free(share);
    return status;
}
