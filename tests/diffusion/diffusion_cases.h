/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves of diffusion problems on a context, against the operator written down naively. */
#ifndef STARFISH_TESTS_DIFFUSION_CASES_H
#define STARFISH_TESTS_DIFFUSION_CASES_H

#include "tests/common/memory.h"

#include <starfish/starfish.h>

/* Right-hand sides and solutions lie in the given memory; small: without the large grids. Returns how many tests
 * failed. */
int test_diffusion(starfish_context *given, const struct test_memory *given_memory, int small);
int test_diffusion_jobs(starfish_context *given, const struct test_memory *given_memory); /* of these, jobs_cases.c */

/* ---- Problems (problems.c) --------------------------------------------------------------------------------------- */

/* A problem and its data, owned. */
struct test_diffusion {
    struct starfish_diffusion_problem problem;
    size_t cells;
    double *k, *f;
    long long *regions;
    int dirichlet_nodes; /* the option of that name */
    struct starfish_boundary boundary;
};

/* The two-phase reference: n x n cells of the unit square, k inside of four bubbles and 1 outside, Neumann. */
void test_two_phase(struct test_diffusion *test, size_t n, double k);
/* A random problem of so many dimensions: coefficients up to `contrast`, any ends, boundary data, regions. */
void test_random(struct test_diffusion *test, size_t dimensions, double contrast, unsigned *seed);
/* Nothing but a box of cells with these ends in all directions, k = 1, f = 0. */
void test_plain(struct test_diffusion *test, size_t dimensions, const size_t n[3], starfish_end end);
void test_diffusion_free(struct test_diffusion *test);

/* ||f - pertrb - div(k grad u) - lambda u|| over ||f - pertrb||, f with boundary data: every face by itself. */
double test_diffusion_residual(const struct test_diffusion *test, const double *u, double pertrb);
/* div(k grad u) + lambda u in a cell; f of that cell less what its boundary data add; the norm of the latter less
 * pertrb; whether constants are in the null space. */
double test_diffusion_value(const struct test_diffusion *test, const double *u, size_t cell);
double test_diffusion_rhs(const struct test_diffusion *test, size_t cell);
double test_diffusion_rhs_norm(const struct test_diffusion *test, double pertrb);
int test_diffusion_singular(const struct test_diffusion *test);
/* || |A| |u| || over the same. */
double test_diffusion_magnitude(const struct test_diffusion *test, const double *u, double pertrb);

#endif
