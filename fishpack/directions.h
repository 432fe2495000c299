/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directions of FISHPACK's systems: matrices that a caller gives, and second differences with its codes of ends. */
#ifndef STARFISH_FISHPACK_DIRECTIONS_H
#define STARFISH_FISHPACK_DIRECTIONS_H

#include "fishpack/arguments.h"
#include "fishpack/direct.h"

/* Three arrays of n numbers of `parts` reals. */
struct starfish_rows {
    size_t n, parts;
    int periodic;
    const double *lower, *diag, *upper;
};
/* Arguments k, k + 1, k + 2. */
struct starfish_rows starfish_rows_read(struct starfish_call *call, int k, size_t n, int periodic, size_t parts);

struct starfish_axis starfish_axis_of_rows(const struct starfish_rows *matrix);
/* The real rows of a direction, lent. */
struct starfish_axis starfish_axis_of_direction(const struct starfish_direction *d);
/* Second differences of unit spacing: 0 periodic; x(0) = 0 or, staggered, -x(1) where the code is 1 or 2, else a mirror
 * image, and likewise x(n+1) where it is 1 or 4. */
struct starfish_axis starfish_axis_of_period(int code, size_t n, int staggered);
struct starfish_axis starfish_no_axis(void);
/* The first row of a matrix that is coupled to the one before with another sign than that one to it; n: no such row. */
size_t starfish_opposed_row(const struct starfish_axis *axis);

/* Second differences of x and y are multiplied by `factor`, 0 meaning 1. */
struct starfish_direct_axes {
    struct starfish_axis x, y, z;
    size_t parts;
    double factor[2], lambda;
};
starfish_status starfish_direct_create(struct starfish_direct *direct, const struct starfish_direct_axes *axes);
/* The same, kept until starfish_kept_release. Its axes have lost the coefficients that the caller gave. */
starfish_status starfish_direct_find(const struct starfish_direct_axes *axes, const struct starfish_direct **direct);

#endif
