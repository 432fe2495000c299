/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The eigenvalues of all directions of a problem, for the checks of their sums. */
#ifndef STARFISH_POISSON_SPECTRA_H
#define STARFISH_POISSON_SPECTRA_H

#include "tasks/separable.h"

struct starfish_spectra {
    int looked_for; /* 0: nothing else is set */
    int known;      /* 0: those of some direction need not be real, and values and errors mean nothing */
    double *value[3];
    size_t n[3];
    double real[3][2]; /* per direction, no eigenvalue's real part is below the first or above the second of these */
    double error;      /* of a sum of three, besides the rounding of its terms */
};

/* All eigenvalues of the direction's matrix, ascending, into values[n], each to within *error besides the rounding of
 * itself; *known is 0 when they need not be real. */
starfish_status starfish_direction_spectrum(const struct starfish_direction *direction, double *values, double *error,
                                            int *known);

/* Which modes of x count: all; one, which all of x is; or the largest, where z weighs x, if that is zero. */
enum starfish_modes_of_x { STARFISH_ALL_MODES, STARFISH_ONE_LAYER, STARFISH_FIRST_MODE };

/* Of three directions, ascending in each. Destroyed after a failure too. Errors: MEMORY, and those of LAPACK. */
starfish_status starfish_spectra_find(struct starfish_spectra *spectra, const struct starfish_direction *direction,
                                      enum starfish_modes_of_x modes);
void starfish_spectra_destroy(struct starfish_spectra *spectra);

/* The first of n ascending values that is not below `least`; n if all are below. */
size_t starfish_first_not_below(const double *ascending, size_t n, double least);

#endif
