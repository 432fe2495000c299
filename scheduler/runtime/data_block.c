/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks as runtime data. Shapes that the runtime does not support are rejected before its assertions end the
 * process. */
#include "scheduler/runtime/data_block.h"

#include <stdint.h>

/* The runtime checks pitches also in directions of extent 1, so there they are the packed ones. */
static struct starfish_data_block with_packed_pitches(const struct starfish_data_block *block)
{
    struct starfish_data_block packed = *block;
    if (block->extent[1] == 1)
        packed.pitch = block->extent[0];
    if (block->extent[2] == 1)
        packed.plane = packed.pitch * block->extent[1];
    return packed;
}

int starfish_data_block_is_nested(const struct starfish_data_block *block)
{
    const struct starfish_data_block b = with_packed_pitches(block);
    return b.pitch >= b.extent[0] && b.plane / b.pitch >= b.extent[1];
}

size_t starfish_data_block_span(const struct starfish_data_block *block)
{
    return (block->extent[2] - 1) * block->plane + (block->extent[1] - 1) * block->pitch + block->extent[0];
}

starfish_status starfish_data_block_check(const char *name, const struct starfish_data_block *block)
{
    const struct starfish_data_block b = with_packed_pitches(block);
    const size_t sizes[] = {b.extent[0], b.extent[1], b.extent[2], b.pitch, b.plane};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        STARFISH_REFUSE_IF(sizes[i] > UINT32_MAX, "%s: strides or sizes of 2^32 elements and more", name);
    return STARFISH_SUCCESS;
}

starfish_status starfish_data_block_register(starpu_data_handle_t *handle,
                                             const struct starfish_data_block_place *place,
                                             const struct starfish_data_block *block)
{
    const struct starfish_data_block b = with_packed_pitches(block);
    STARFISH_TRY(starfish_data_block_check(place->name, block));
    STARFISH_TRY(starfish_memory_check_pinned(place->context, place->name, place->memory,
                                              starfish_data_block_span(&b) * place->element_size));
    starpu_block_data_register(handle, place->node, (uintptr_t)place->memory, (uint32_t)b.pitch, (uint32_t)b.plane,
                               (uint32_t)b.extent[0], (uint32_t)b.extent[1], (uint32_t)b.extent[2],
                               place->element_size);
    return STARFISH_SUCCESS;
}
