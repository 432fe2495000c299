/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the stencil kernels as one group, their slabs, and the constant mode of a field. */
#include "tests/stencil/stencil_cases.h"

#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

/* Sizes 1 in every direction, sizes about those of a block of threads, and slabs with planes below, above, or both. */
const struct test_slab test_slabs[TEST_SLABS] = {
    {{1, 1, 1}, 0, 1},   {{3, 1, 1}, 0, 1},  {{1, 3, 1}, 0, 1},   {{1, 1, 3}, 0, 3},    {{2, 2, 2}, 0, 2},
    {{2, 3, 2}, 0, 1},   {{3, 2, 2}, 1, 1},  {{5, 4, 7}, 0, 7},   {{5, 4, 7}, 0, 2},    {{5, 4, 7}, 2, 3},
    {{5, 4, 7}, 3, 1},   {{5, 4, 7}, 5, 2},  {{33, 7, 5}, 1, 4},  {{65, 9, 6}, 2, 2},   {{257, 3, 3}, 0, 3},
    {{2, 1, 3}, 1, 1},   {{2, 5, 6}, 1, 3},  {{2, 131, 4}, 0, 4}, {{1, 259, 3}, 1, 2},  {{261, 1, 4}, 1, 2},
    {{1, 1, 77}, 1, 75}, {{1, 2, 41}, 0, 9}, {{31, 33, 1}, 0, 1}, {{32, 8, 19}, 4, 15}, {{39, 17, 11}, 3, 5},
};

double *test_factors(size_t count, unsigned *seed)
{
    double *factor = test_reals(STARFISH_F64, count, seed);
    for (size_t i = 0; i < count; i++)
        factor[i] += 1.5;
    return factor;
}

/* ---- Constant mode ----------------------------------------------------------------------------------------------- */

static void *weights(starfish_precision precision, size_t n, unsigned *seed)
{
    void *weight = malloc(n * sizeof(double));
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        test_real_put(weight, precision, i, 1.5 + test_real_random(seed));
        sum += test_real_get(weight, precision, i);
    }
    for (size_t i = 0; i < n; i++)
        test_real_put(weight, precision, i, test_real_get(weight, precision, i) / sum);
    return weight;
}

static void check_constant_mode(const struct test_stencil_device *device, starfish_precision precision, size_t lanes,
                                size_t ny, size_t nz, int tiles, int wants_removed)
{
    const struct test_memory *memory = device->memory;
    const size_t real = starfish_real_size(precision), plane = lanes * ny;
    unsigned seed = 29;
    char *field = test_reals(precision, plane * nz, &seed);
    void *weight_y = weights(precision, ny, &seed), *weight_z = weights(precision, nz, &seed);
    struct starfish_constant_mode a = {.lanes = lanes, .ny = ny, .tiles = tiles, .scale = -2.5};
    double mean = 0, removed = 0;
    for (size_t k = 0; k < nz; k++)
        for (size_t j = 0; j < ny; j++)
            mean += test_real_get(weight_y, precision, j) * test_real_get(weight_z, precision, k) *
                    test_real_get(field, precision, lanes * (j + ny * k));
    for (int t = 0; t <= tiles; t++)
        a.first[t] = nz * (size_t)t / (size_t)tiles;
    for (int t = 0; t < tiles; t++)
        a.tile[t] = memory->upload(field + a.first[t] * plane * real, (a.first[t + 1] - a.first[t]) * plane * real);
    a.weight_y = memory->upload(weight_y, ny * real);
    a.weight_z = memory->upload(weight_z, nz * real);
    a.removed = wants_removed ? memory->upload(NULL, sizeof(double)) : NULL;
    device->constant_mode(precision, &a);

    char *got = malloc(plane * nz * real);
    for (int t = 0; t < tiles; t++)
        memory->download(got + a.first[t] * plane * real, a.tile[t], (a.first[t + 1] - a.first[t]) * plane * real);
    if (wants_removed)
        memory->download(&removed, a.removed, sizeof removed);
    for (size_t e = 0; e < plane * nz; e++) {
        const double was = test_real_get(field, precision, e), is = test_real_get(got, precision, e);
        const double expected = e % lanes == 0 ? was - mean : was;
        if (!(fabs(is - expected) <= (e % lanes == 0 ? 4 * test_real_epsilon(precision) : 0)))
            fail_msg("%s f%d lanes %zu ny %zu nz %zu tiles %d: element %zu is %.17g, not %.17g", memory->name,
                     precision == STARFISH_F32 ? 32 : 64, lanes, ny, nz, tiles, e, is, expected);
    }
    assert_true(!wants_removed || fabs(removed + 2.5 * mean) <= 1e-14);
    memory->release();
    free(field);
    free(weight_y);
    free(weight_z);
    free(got);
}

void test_constant_mode_size(const struct test_stencil_device *device, size_t lanes, size_t ny, size_t nz, int tiles)
{
    for (int variant = 0; variant < 4; variant++)
        check_constant_mode(device, (starfish_precision)(variant % 2), lanes, ny, nz, tiles, variant / 2);
}

void test_constant_mode_table(const struct test_stencil_device *device)
{
    static const struct {
        size_t lanes, ny, nz;
        int tiles;
    } sizes[] = {{1, 1, 1, 1}, {3, 1, 1, 1},    {1, 5, 1, 1},    {1, 1, 5, 5},  {2, 3, 4, 2},
                 {5, 7, 9, 4}, {1, 33, 32, 32}, {4, 65, 33, 32}, {17, 1, 70, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        test_constant_mode_size(device, sizes[s].lanes, sizes[s].ny, sizes[s].nz, sizes[s].tiles);
}

/* ---- The group of tests ------------------------------------------------------------------------------------------ */

static const struct test_stencil_device *tested;

static void residual_is_that_of_the_operator(void **state)
{
    (void)state;
    test_residual_table(tested);
}

static void residual_of_what_is_not_finite_is_infinite(void **state)
{
    (void)state;
    test_residual_not_finite(tested);
}

static void residual_of_a_thin_layer_keeps_its_digits(void **state)
{
    (void)state;
    test_residual_of_thin_layer(tested);
}

static void refinement_adds_and_takes_back(void **state)
{
    (void)state;
    test_refinement_steps(tested);
}

static void refinement_is_judged(void **state)
{
    (void)state;
    test_refinement_verdicts(tested);
}

static void first_value_that_is_not_finite_is_found(void **state)
{
    (void)state;
    test_search_for_not_finite(tested);
}

static void boundary_data_moves_to_the_faces(void **state)
{
    (void)state;
    test_boundary_table(tested);
}

static void constant_lines_are_put_right(void **state)
{
    (void)state;
    test_constant_line_table(tested);
}

static void mean_of_the_constant_mode_is_removed(void **state)
{
    (void)state;
    test_constant_mode_table(tested);
}

/* More unknowns than threads, so that every thread walks. */
static void large_sizes_too(void **state)
{
    (void)state;
    static const struct test_slab large[] = {{{255, 129, 70}, 3, 66}, {{1031, 17, 41}, 0, 40}};
    for (int s = 0; s < 2; s++) {
        test_residual_slab(tested, &large[s]);
        test_boundary_slab(tested, &large[s]);
    }
    test_constant_mode_size(tested, 9, 513, 300, 16);
}

int test_stencil_kernels(const struct test_stencil_device *device, int large_sizes)
{
    const struct CMUnitTest table[] = {
        cmocka_unit_test(residual_is_that_of_the_operator),
        cmocka_unit_test(residual_of_what_is_not_finite_is_infinite),
        cmocka_unit_test(residual_of_a_thin_layer_keeps_its_digits),
        cmocka_unit_test(refinement_adds_and_takes_back),
        cmocka_unit_test(refinement_is_judged),
        cmocka_unit_test(first_value_that_is_not_finite_is_found),
        cmocka_unit_test(boundary_data_moves_to_the_faces),
        cmocka_unit_test(mean_of_the_constant_mode_is_removed),
        cmocka_unit_test(constant_lines_are_put_right),
    };
    const struct CMUnitTest large[] = {cmocka_unit_test(large_sizes_too)};
    tested = device;
    const int failed = cmocka_run_group_tests_name("table", table, NULL, NULL);
    return failed + (large_sizes ? cmocka_run_group_tests_name("large sizes", large, NULL, NULL) : 0);
}
