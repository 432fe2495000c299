/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The oracle of the solver tests: the discrete operator applied to a given field, written down from the rules for ghost
 * values, so that f = A u is known for any u and any boundary data and a solver must return u. */
#ifndef STARFISH_TESTS_ORACLE_H
#define STARFISH_TESTS_ORACLE_H

#include "tests/common/reals.h"

#include <starfish/starfish.h>

/* Axes, short: "periodic", or two letters for the ends and the grid, as in "dn node" (uniform), "nd cell stretched". */
struct starfish_axis test_axis(const char *text, size_t n, double origin, double length);
/* Releases what test_axis or test_matrix allocated. */
void test_axis_free(struct starfish_axis *axis);
/* A random tridiagonal matrix, negative definite, lower and upper of one sign and unsymmetric; periodic ones are
 * symmetric up to a diagonal scaling. */
struct starfish_axis test_matrix(size_t n, int periodic, unsigned *seed);
/* A random one whose rows sum to zero but for rounding: fluxes between cells of any width, none through ends. */
struct starfish_axis test_flux_matrix(size_t n, int periodic, unsigned *seed);

/* A problem of three such axes, which begin at 0, -1 and 0.5 and are 1.5, 1 and 2 long. */
struct starfish_poisson_problem test_problem(const char *x, const char *y, const char *z, size_t nx, size_t ny,
                                             size_t nz, double lambda);
/* Releases what its axes have allocated. */
void test_free_problem(struct starfish_poisson_problem *problem);
size_t test_unknowns(const struct starfish_poisson_problem *problem);

/* out = A u for a field of doubles; boundary data as in starfish_boundary with double arrays, or NULL. */
void test_apply(const struct starfish_poisson_problem *problem, const struct starfish_boundary *boundary,
                const double *u, double *out);
/* Weights of the mean that is free in singular problems, n of them, sum one. */
void test_weights(const struct starfish_axis *axis, double *weight);
/* The mean of u with these weights. */
double test_weighted_mean(const struct starfish_poisson_problem *problem, const double *u);
/* Position of unknown i. */
double test_position(const struct starfish_axis *axis, size_t i);

#endif
