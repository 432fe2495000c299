/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A two-dimensional driver without its right-hand side, kept from one call to the next. */
#ifndef STARFISH_FISHPACK_SHAPE_H
#define STARFISH_FISHPACK_SHAPE_H

#include "fishpack/direct.h"

enum starfish_coordinate_system { STARFISH_CRT, STARFISH_PLR, STARFISH_CYL, STARFISH_SSP, STARFISH_CSP };

/* The arguments but for arrays; [0] is the first direction. */
struct starfish_helmholtz {
    enum starfish_coordinate_system system;
    int cells; /* HST... */
    double low[2], high[2], lambda;
    int panels[2], code[2], idimf;
    int first; /* argument that `a` is: 1 where INTL comes before it */
};

/* (h[1] L[0] + h[0] L[1] + lambda) u = f; NULL: ones. */
struct starfish_shape {
    struct starfish_helmholtz p; /* without idimf */
    struct starfish_axis axis[2];
    struct starfish_direction d[2];
    size_t first[2];              /* of the unknowns in f */
    int has_point[2], has_centre; /* the first direction's ends, and the second one's low end, are one unknown */
    int z;                        /* the direction whose rows are z of the solve */
    int singular;                 /* constants solve the equations without a right-hand side */
    const double *h[2];
    double *radii;                 /* memory of h[1] */
    struct starfish_direct direct; /* lent directions */
};

/* What an end of a direction gives: a pair of values or derivatives, or nothing (axis, pole, centre). */
starfish_end starfish_shape_end(int code, int end, starfish_end nothing);
/* Where unknown k is. */
double starfish_shape_place(const struct starfish_axis *axis, size_t k);

/* The shape of arguments without errors, until starfish_kept_release. Errors: MEMORY, and those of directions. */
starfish_status starfish_shape_find(const struct starfish_helmholtz *problem, const struct starfish_shape **shape);

#endif
