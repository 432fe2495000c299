/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Naive references of the kernels on a 3D grid, for the tests: flux.h's and weigh.h's definitions in f64, loop by loop.
 * Arrays are doubles of the whole grid, in the memory of the host; a matrix holds pointers to doubles. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLUX_REF_H
#define STARFISH_MULTIGRID_KERNELS_FLUX_REF_H

#include "multigrid/kernels/flux.h"
#include "multigrid/kernels/weigh.h"

/* Entries of a row: the neighbours below and above in x, y and z, then the diagonal. */
enum { STARFISH_FLUX_REF_DIAGONAL = 6, STARFISH_FLUX_REF_ENTRIES = 7 };

/* A matrix of either form, written out. */
struct starfish_flux_ref {
    size_t n[3], count;
    int periodic[3];
    double *entries; /* STARFISH_FLUX_REF_ENTRIES for each unknown */
};

/* Returns 0, or -1 when memory ran out. */
int starfish_flux_ref_create(struct starfish_flux_ref *ref, const struct starfish_flux_matrix *matrix);
void starfish_flux_ref_destroy(struct starfish_flux_ref *ref);

/* result = f - A u. result is neither. */
void starfish_flux_ref_residual(const struct starfish_flux_ref *ref, const double *u, const double *f, double *result);

/* v += damping * D^-1 (f - A v) in the given order. `residual` holds an array of the grid. */
void starfish_flux_ref_smooth(const struct starfish_flux_ref *ref, enum starfish_flux_order order, double damping,
                              const double *f, double *v, double *residual);

/* (T x) at unknown e, T the part of the matrix along the lines of a direction. */
double starfish_flux_ref_along_line(const struct starfish_flux_ref *ref, int direction, const double *x, size_t e);

/* v += damping * T^-1 (f - A v) on the lines of one colour, or on all of them. Lines are solved by elimination. Returns
 * 0, or -1 when memory ran out. */
int starfish_flux_ref_lines(const struct starfish_flux_ref *ref, int direction, enum starfish_flux_lines_of which,
                            double damping, const double *f, double *v);

/* coarse = R fine, and fine += P coarse. */
void starfish_flux_ref_restrict(const struct starfish_flux_transfer transfer[3], const double *fine, double *coarse);
void starfish_flux_ref_prolong(const struct starfish_flux_transfer transfer[3], const double *coarse, double *fine);

/* weigh.h's result and sum, on planes z0 .. z1-1. */
void starfish_weigh_ref(const struct starfish_weigh *arguments);
double starfish_volume_sum_ref(const struct starfish_volume_sum *arguments);

#endif
