/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer of ghosts around a 3D field, from the field and its boundary data: in each direction, on both ends,
 *     ghost = near u(first) + next u(second) + datum g + other g'
 * counted from that end, with g the end's boundary data and g' the other end's; or the unknown at the other end, where
 * the direction wraps around.
 *
 * Directions are filled one after the other, x, y, z, each along all that is there by then: so edges and corners are
 * filled, too. What wraps is exact there; boundary data are those of the nearest unknown. Bound by memory, and small
 * beside the field. */
#ifndef STARFISH_STENCIL_KERNELS_GHOSTS_H
#define STARFISH_STENCIL_KERNELS_GHOSTS_H

#include "base/strides.h"

struct CUstream_st; /* what a cudaStream_t points to */

enum starfish_ghost_kind { STARFISH_GHOST_NONE, STARFISH_GHOST_WRAPS, STARFISH_GHOST_FORMULA };
struct starfish_ghost_rule {
    enum starfish_ghost_kind kind; /* NONE: it is left as it is */
    double near, next, datum, other;
};

struct starfish_ghosts {
    size_t n[3]; /* unknowns of a problem */
    size_t problems;
    void *first;                     /* unknown (0,0,0) of the first problem; ghosts lie before it */
    struct starfish_strides strides; /* row, plane and box are read */
    struct starfish_ghost_rule rule[3][2];
    const void *face[3][2]; /* over the other two directions, lower direction fastest, problems one behind the other */
    double constant[3][2];  /* where there is no array */
};
void starfish_ghosts_cpu_f32(const struct starfish_ghosts *arguments);
void starfish_ghosts_cpu_f64(const struct starfish_ghosts *arguments);
int starfish_ghosts_cuda_f32(const struct starfish_ghosts *arguments, struct CUstream_st *stream);
int starfish_ghosts_cuda_f64(const struct starfish_ghosts *arguments, struct CUstream_st *stream);

/* ---- For both versions: the ghosts of one direction, which are pairs of them on lines along it ------------------- */

/* Lines of direction `axis`: those of the lower other direction, and of the higher one; before `axis` with ghosts. */
STARFISH_HOST_DEVICE static inline size_t starfish_ghost_lines(const struct starfish_ghosts *a, int axis, int higher)
{
    const int other = higher ? (axis == 2 ? 1 : 2) : (axis == 0 ? 1 : 0);
    return a->n[other] + (other < axis ? 2 : 0);
}

/* Line (p, q) of a problem: its first unknown, as elements from the problem's first, the distance of unknowns along it,
 * and where its data are in a face. */
struct starfish_ghost_line {
    ptrdiff_t start;
    size_t stride, datum;
};

STARFISH_HOST_DEVICE static inline size_t starfish_ghost_nearest(ptrdiff_t index, size_t n)
{
    return index < 0 ? 0 : (size_t)index < n ? (size_t)index : n - 1;
}

STARFISH_HOST_DEVICE static inline struct starfish_ghost_line starfish_ghost_line_at(const struct starfish_ghosts *a,
                                                                                     int axis, size_t p, size_t q)
{
    const int lower = axis == 0 ? 1 : 0, higher = axis == 2 ? 1 : 2;
    const size_t stride[3] = {1, a->strides.row, a->strides.plane};
    const ptrdiff_t i = (ptrdiff_t)p - (lower < axis), j = (ptrdiff_t)q - (higher < axis);
    const struct starfish_ghost_line line = {i * (ptrdiff_t)stride[lower] + j * (ptrdiff_t)stride[higher], stride[axis],
                                             starfish_ghost_nearest(i, a->n[lower]) +
                                                 a->n[lower] * starfish_ghost_nearest(j, a->n[higher])};
    return line;
}

#endif
