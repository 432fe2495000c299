/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields that live spread over memories: runs of slabs, each in the memory of its owner. */
#ifndef STARFISH_SCHEDULER_RUNTIME_SPREAD_H
#define STARFISH_SCHEDULER_RUNTIME_SPREAD_H

#include "scheduler/runtime/field.h"

/* The shares of a field, in order. */
struct starfish_spread {
    size_t count;
    struct starfish_spread_part {
        struct starfish_field_share share;
        int node;           /* the memory node */
        size_t owned_bytes; /* memory is ours when not 0 */
    } part[];
};

/* Appends to `cut`, which is empty, the runs that have these shares: a slab for a GPU's, whose owner it is, and for
 * cores' one per worker. count 0 is no error, and no cut. Errors: ARGUMENT (names the share, what it is of, and why
 * not). */
starfish_status starfish_spread_cut(const struct starfish_context *context, const size_t n[3], size_t count,
                                    const struct starfish_field_share *shares, struct starfish_runs *cut);
/* A field that is cut in this way. shares: as above, with memory or without; NULL: slabs are in their owners' memories,
 * and slabs without an owner are distributed to the GPUs in runs. Errors: ARGUMENT, MEMORY. */
starfish_status starfish_field_spread(struct starfish_context *context, const struct starfish_field_shape *shape,
                                      const struct starfish_runs *cut, const struct starfish_field_share *shares,
                                      struct starfish_field **field);

#endif
