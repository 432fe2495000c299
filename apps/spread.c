/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields distributed over memories. Copies are plain ones, outside the timed part. */
#include "apps/spread.h"

#include "apps/recorded/simulate.h"
#include "bench/peer_lines.h"
#include "bench/peers.h"

#include <string.h>

static starfish_status move(starfish_field *field, char *array, size_t plane_bytes, int writes)
{
    for (size_t s = 0; s < starfish_field_shares(field); ++s) {
        struct starfish_field_share share;
        STARFISH_TRY(starfish_field_share(field, s, &share));
        char *const there = array + share.first_plane * plane_bytes;
        const size_t bytes = share.planes * plane_bytes;
        int moved = 1;
        if (share.device != STARFISH_CORES_SHARE)
            moved = writes ? peer_device_write(share.memory, there, bytes)
                           : peer_device_read(there, share.memory, bytes, 1, 1);
        else
            memcpy(writes ? share.memory : there, writes ? there : share.memory, bytes);
        STARFISH_FAIL_IF(!moved, STARFISH_ERROR_RUNTIME, "no copy %s CUDA device %d", writes ? "to" : "from",
                         share.device);
    }
    return STARFISH_SUCCESS;
}

static starfish_status move_acquired(starfish_field *field, void *array, size_t plane_bytes, int writes)
{
    void *memory;
    if (SIMULATED)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_field_acquire(field, &memory));
    const starfish_status status = move(field, array, plane_bytes, writes);
    const starfish_status released = starfish_field_release(field);
    return status != STARFISH_SUCCESS ? status : released;
}

starfish_status spread_write(starfish_field *field, const void *array, size_t plane_bytes)
{
    return move_acquired(field, (void *)(uintptr_t)array, plane_bytes, 1);
}

starfish_status spread_read(starfish_field *field, void *array, size_t plane_bytes)
{
    return move_acquired(field, array, plane_bytes, 0);
}
