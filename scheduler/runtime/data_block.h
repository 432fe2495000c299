/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of a user's array, in place, as runtime data: their shapes, checks of what the runtime supports, and
 * registration. */
#ifndef STARFISH_SCHEDULER_RUNTIME_DATA_BLOCK_H
#define STARFISH_SCHEDULER_RUNTIME_DATA_BLOCK_H

#include "scheduler/runtime/context.h"

/* A block of elements where it lies: runs of extent[0] elements, extent[1] runs `pitch` elements apart in a plane,
 * extent[2] planes `plane` elements apart. */
struct starfish_data_block {
    size_t extent[3], pitch, plane;
};
/* Whether the runtime has data of that shape: runs follow each other within a plane, and planes each other. The pitch
 * of one run and the distance of one plane do not matter. */
int starfish_data_block_is_nested(const struct starfish_data_block *block);
/* Elements from the first to the last. */
size_t starfish_data_block_span(const struct starfish_data_block *block);
/* Errors: ARGUMENT (2^32 elements or more in a direction; names the array). */
starfish_status starfish_data_block_check(const char *name, const struct starfish_data_block *block);
/* Registers a nested block of the user's on memory node `node`. Errors: as of the check, and ARGUMENT (memory that is
 * pinned in parts). */
struct starfish_data_block_place {
    const struct starfish_context *context;
    const char *name;
    const void *memory;
    int node;
    size_t element_size;
};
starfish_status starfish_data_block_register(starpu_data_handle_t *handle,
                                             const struct starfish_data_block_place *place,
                                             const struct starfish_data_block *block);

#endif
