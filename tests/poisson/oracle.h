/* The oracle of the solver tests: the discrete operator applied to a given field, written down from the rules for ghost
 * values, so that f = A u is known for any u and any boundary data and a solver must return u. */
#ifndef STARFISH_TESTS_ORACLE_H
#define STARFISH_TESTS_ORACLE_H

#include <starfish/starfish.h>

/* Axes, short: "periodic", or two letters for the ends and the grid, as in "dn node" (uniform), "nd cell stretched". */
struct starfish_axis test_axis(const char *text, size_t n, double origin, double length);
/* Releases what test_axis or test_matrix allocated. */
void test_axis_free(struct starfish_axis *axis);
/* A random tridiagonal matrix, negative definite, lower and upper of one sign and unsymmetric; periodic ones are
 * symmetric up to a diagonal scaling. */
struct starfish_axis test_matrix(size_t n, int periodic, unsigned *seed);

/* out = A u for a field of doubles; boundary data as in starfish_boundary with double arrays, or NULL. */
void test_apply(const struct starfish_poisson_problem *problem, const struct starfish_boundary *boundary,
                const double *u, double *out);
/* Weights of the mean that is free in singular problems, n of them, sum one. */
void test_weights(const struct starfish_axis *axis, double *weight);
/* Position of unknown i. */
double test_position(const struct starfish_axis *axis, size_t i);

double test_random(unsigned *seed); /* in (-1, 1) */
double *test_random_field(size_t count, unsigned *seed);

#endif
