/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of Q1 multigrid for tests, and their solutions on a context. Failures fail the test. */
#ifndef STARFISH_TESTS_MULTIGRID_SOLVE_PROBLEMS_H
#define STARFISH_TESTS_MULTIGRID_SOLVE_PROBLEMS_H

#include "tests/common/memory.h"

#include <starfish/starfish.h>

/* Where solves run, and where right-hand sides and solutions lie: for the tests to set. */
extern starfish_context *test_q1_context;
extern const struct test_memory *test_q1_memory;
/* Of the last plan that solved. */
extern struct starfish_multigrid_options test_q1_chosen;
extern struct starfish_about test_q1_about;
extern size_t test_q1_every; /* of the combinations of options, one of so many */

struct test_q1_mesh {
    struct starfish_q1_problem problem;
    double *width[2], *diffusion[2], *load;
    size_t n[2], count;
};
/* Arrays for nx * ny elements; `neumann`: bits of direction and end. Widths and load are to be filled. */
void test_q1_problem(struct test_q1_mesh *mesh, size_t nx, size_t ny, int neumann);
/* A mesh of the paper with its load. */
void test_q1_named(struct test_q1_mesh *mesh, const char *name, int level);
/* A mesh whose elements become wider, each `growth` times as wide as the one before it, and a load without symmetry. */
void test_q1_growing(struct test_q1_mesh *mesh, size_t nx, size_t ny, int neumann, double growth);
void test_q1_free(struct test_q1_mesh *mesh);

/* `solution`: the initial guess where there is one, and the result. */
starfish_status test_q1_solve_with(starfish_plan *plan, const struct test_q1_mesh *mesh, starfish_precision precision,
                                   int guess, double *solution, struct starfish_result *info);
starfish_status test_q1_solve(const struct test_q1_mesh *mesh, const struct starfish_multigrid_options *options,
                              double *solution, struct starfish_result *info);
/* The error in L2 of a mesh of the paper. F32 alone need not reach its tolerance. */
double test_q1_error_of(const char *name, int level, const struct starfish_multigrid_options *options,
                        struct starfish_result *info);
void test_q1_assert_error(const char *name, int level, double error, double expected, double tolerance);

/* A mesh whose widths and coefficients vary by `spread`, and its random load. */
void test_q1_random(struct test_q1_mesh *mesh, size_t nx, size_t ny, int neumann, double spread, int variable);
/* The largest difference over the largest b; infinite where a is not finite. */
double test_q1_difference(const double *a, const double *b, size_t n);
/* Solutions of the same arithmetic are equal, unless some tasks may run on cores or on a GPU as it comes, which round
 * differently. */
void test_q1_assert_same(const double *a, const double *b, size_t n, double rounding);
/* The solution is that of LAPACK's banded Cholesky factorisation. */
void test_q1_against_elimination(const struct test_q1_mesh *mesh, const struct starfish_multigrid_options *options,
                                 double tolerance);

#endif
