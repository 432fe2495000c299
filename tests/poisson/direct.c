/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of the direct solvers: f = A u by the oracle, solve, compare with u. */
#include "tests/poisson/direct.h"

#include "tests/common/group.h"
#include "tests/poisson/direct_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int test_direct_solvers(const char *name, int cpu_workers, int gpu_workers, int cores)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_random_fields),
        cmocka_unit_test(solves_lengths_without_small_factors),
        cmocka_unit_test(solves_eigenvectors),
        cmocka_unit_test(solves_singular_problems),
        cmocka_unit_test(converges_with_second_order),
        cmocka_unit_test(solves_stretched_grids),
        cmocka_unit_test(solves_random_matrices_of_any_size),
        cmocka_unit_test(solves_singular_matrices),
        cmocka_unit_test(solves_fishpack_blktri_example),
        cmocka_unit_test(recovers_random_2d_fields),
        cmocka_unit_test(the_slab_method_does_2d),
        cmocka_unit_test(partial_fractions_stand_stretching),
        cmocka_unit_test(methods_and_cuts_agree),
        cmocka_unit_test(blocks_of_one_mode_are_beside_larger_ones),
        cmocka_unit_test(splits_and_algorithms_agree),
        cmocka_unit_test(solves_from_eight_threads),
        cmocka_unit_test(chains_solves_on_fields),
        cmocka_unit_test(counts_tasks_by_worker),
        cmocka_unit_test(boundary_data_take_no_copy),
        cmocka_unit_test(two_contexts_live_together),
        cmocka_unit_test(refuses_what_it_cannot_solve),
        cmocka_unit_test(solves_indefinite_problems),
        cmocka_unit_test(refinement_brings_back_digits),
        cmocka_unit_test(streams_of_solves),
        cmocka_unit_test(ignores_what_couples_no_ends),
        cmocka_unit_test(solves_with_the_largest_lambda),
        cmocka_unit_test(auto_passes_by_a_useless_basis),
        cmocka_unit_test(planes_of_large_problems_are_timed),
    };
    direct_workers[STARFISH_CPU] = cpu_workers;
    direct_workers[STARFISH_GPU] = gpu_workers;
    return TEST_GROUP(name, tests, &direct_context, gpu_workers, cpu_workers, cores);
}
