/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files of the direct solvers' tests: the workers under test, problems, and the check that a solver returns
 * the u that f = A u was made of. */
#ifndef STARFISH_TESTS_DIRECT_CASES_H
#define STARFISH_TESTS_DIRECT_CASES_H

#include <starfish/starfish.h>

/* Ends and grids of an axis, as test_axis reads them, and the methods. */
enum { DIRECT_AXES = 9, DIRECT_METHODS = 3 };
extern const char *const direct_axes[DIRECT_AXES];
extern const starfish_method direct_methods[DIRECT_METHODS];

/* What the tests run on. */
extern starfish_context *direct_context;
extern int direct_workers[2];

/* ---- Helpers ---------------------------------------------------------------------------------------------------- */

/* Constants and arrays. */
void direct_random_boundary(const struct starfish_poisson_problem *p, struct starfish_boundary *boundary,
                            unsigned *seed);
void direct_free_boundary(struct starfish_boundary *boundary);
/* Solve in the precision of the options; rhs and result in double. */
void direct_solve(starfish_plan *plan, const struct starfish_boundary *boundary, starfish_precision precision,
                  const double *rhs, double *result, size_t count, struct starfish_result *info);
/* Random u and boundary data -> f -> solve -> u? The bound is on the error relative to max|u| = 1. */
void direct_check_recovers(const char *what, struct starfish_poisson_problem *p,
                           const struct starfish_poisson_options *options, int with_boundary, double bound);

/* ---- Tests: direct_uniform.c, direct_matrices.c, direct_use.c, direct_refusals.c --------------------------------- */

void recovers_random_fields(void **state);
void solves_lengths_without_small_factors(void **state);
void solves_eigenvectors(void **state);
void solves_singular_problems(void **state);
void converges_with_second_order(void **state);
void solves_stretched_grids(void **state);
void solves_random_matrices_of_any_size(void **state);
void solves_singular_matrices(void **state);
void solves_fishpack_blktri_example(void **state);
void recovers_random_2d_fields(void **state);
void the_slab_method_does_2d(void **state);
void partial_fractions_stand_stretching(void **state);
void refinement_brings_back_digits(void **state);
void streams_of_solves(void **state);
void planes_of_large_problems_are_timed(void **state);
void methods_and_cuts_agree(void **state);
void blocks_of_one_mode_are_beside_larger_ones(void **state);
void splits_and_algorithms_agree(void **state);
void solves_from_eight_threads(void **state);
void chains_solves_on_fields(void **state);
void counts_tasks_by_worker(void **state);
void boundary_data_take_no_copy(void **state);
void two_contexts_live_together(void **state);
void refuses_what_it_cannot_solve(void **state);
void ignores_what_couples_no_ends(void **state);
void auto_passes_by_a_useless_basis(void **state);
void solves_with_the_largest_lambda(void **state);
void solves_indefinite_problems(void **state);

#endif
