/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unknowns of a call in two dimensions, apart from its array, in the order that a solve wants. */
#ifndef STARFISH_FISHPACK_FIELD_H
#define STARFISH_FISHPACK_FIELD_H

#include "fishpack/arguments.h"
#include "fishpack/direct.h"

struct starfish_plane {
    double *at;
    size_t n[2], stride[2], parts; /* of the first and the second index; strides in numbers */
};

static inline double *starfish_plane_number(const struct starfish_plane *plane, size_t i, size_t j)
{
    return plane->at + plane->parts * (i * plane->stride[0] + j * plane->stride[1]);
}

/* The solve's field, whose z is index `z`. */
struct starfish_plane starfish_plane_of(const struct starfish_direct *direct, const struct starfish_direct_way *way,
                                        int z);
/* From a grid whose element (first[0], first[1]) is unknown (0,0), or back. */
void starfish_plane_take(const struct starfish_plane *plane, const struct starfish_call_array *grid,
                         const size_t first[2]);
void starfish_plane_give(const struct starfish_plane *plane, const struct starfish_call_array *grid,
                         const size_t first[2]);

/* Adds to all real numbers. */
void starfish_plane_add(const struct starfish_plane *plane, double shift);
/* sum of weight[0][i] weight[1][j] u(i,j). */
double starfish_plane_mean(const struct starfish_plane *plane, const double *const weight[2]);

#endif
