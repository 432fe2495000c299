/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the rows of a field lie that need not be packed, as in an array with halos: a field is boxes of `depth` planes
 * of `height` rows, and from one row, plane or box to the next it is `row`, `plane` or `box` elements. Rows are
 * counted through all planes and boxes. All zero: packed, each row behind the one before. */
#ifndef STARFISH_BASE_STRIDES_H
#define STARFISH_BASE_STRIDES_H

#include <stddef.h>

#ifdef __CUDACC__
#define STARFISH_HOST_DEVICE __host__ __device__
#else
#define STARFISH_HOST_DEVICE
#endif

struct starfish_strides {
    size_t row, plane, box;
    size_t height, depth; /* rows of a plane, planes of a box */
};

/* Elements before plane k, and before row r, of rows that are not packed. */
STARFISH_HOST_DEVICE static inline size_t starfish_strides_plane(const struct starfish_strides *strides, size_t k)
{
    if (k < strides->depth || strides->depth == 0)
        return k * strides->plane;
    return k / strides->depth * strides->box + k % strides->depth * strides->plane;
}

STARFISH_HOST_DEVICE static inline size_t starfish_strides_row(const struct starfish_strides *strides, size_t r)
{
    const size_t height = strides->height > 0 ? strides->height : 1;
    return starfish_strides_plane(strides, r / height) + r % height * strides->row;
}

/* Those of packed rows of n elements, where `strides` says that they are packed. */
STARFISH_HOST_DEVICE static inline struct starfish_strides
starfish_strides_or_packed(struct starfish_strides strides, size_t n, size_t height, size_t depth)
{
    if (strides.row > 0)
        return strides;
    const struct starfish_strides packed = {n, n * height, n * height * depth, height, depth};
    return packed;
}

#endif
