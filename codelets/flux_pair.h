/* What the files of 3D multigrid's codelets share: codelets/q1_pair.h, parts of 3D arrays, and the slabs that a part's
 * neighbours lie in. */
#ifndef STARFISH_CODELETS_FLUX_PAIR_H
#define STARFISH_CODELETS_FLUX_PAIR_H

#include "codelets/flux.h"
#include "codelets/q1_pair.h"

/* Attach the tiles of planes first .. last-1, which may lie beyond the ends: there are the other end's planes if
 * `periodic`, and else nothing. */
static inline struct starfish_tile_access starfish_flux_attach(struct starfish_task *task,
                                                               const struct starfish_tiles *tiles, ptrdiff_t first,
                                                               ptrdiff_t last, int periodic,
                                                               enum starpu_data_access_mode mode)
{
    const ptrdiff_t planes = (ptrdiff_t)tiles->n[1];
    struct starfish_tile_access access = {.buffer = -1};

    for (size_t z = 0; z < tiles->parts[1]; z++) {
        const ptrdiff_t z0 = (ptrdiff_t)tiles->first[1][z], z1 = (ptrdiff_t)tiles->first[1][z + 1];
        int touched = z0 < last && z1 > first;
        if (periodic)
            touched = touched || z1 > first + planes || z0 < last - planes;
        if (!touched)
            continue;
        if (access.buffer < 0)
            access = (struct starfish_tile_access){task->count, (size_t)z0 * tiles->n[0]};
        for (size_t x = 0; x < tiles->parts[0]; x++)
            starfish_task_data(task, tiles->handle[x + z * tiles->parts[0]], mode);
    }
    return access;
}

#endif
