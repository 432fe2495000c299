/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of the FFTW peers' problem: how it is transformed, or its tridiagonal rows. */
#ifndef STARFISH_BENCH_PEER_AXIS_H
#define STARFISH_BENCH_PEER_AXIS_H

#include <fftw3.h>
#include <starfish/poisson.h>
#include <stddef.h>

/* FFTW's kinds are told by the symmetry of the input at its ends; eigenvalues are
 *     -4 m^2 sin^2(pi k' / (2 m)),  k' = k + shift, or twice the wave number of a half-complex entry when periodic,
 * and forward then backward multiplies by `scale`. */
struct peer_axis {
    size_t n;
    int periodic;
    fftw_r2r_kind forward, backward;
    double m; /* 1 / spacing */
    double shift;
    double scale;
};

struct peer_axis peer_axis_of(size_t n, const starfish_end ends[2], starfish_grid grid);
double peer_axis_eigenvalue(const struct peer_axis *axis, size_t k);

/* Row k of the second difference as {lower, diag, upper}; what would reach over the end is 0. */
void peer_axis_row(const struct peer_axis *axis, const starfish_end ends[2], starfish_grid grid, size_t k,
                   double row[3]);

#endif
