/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA's algorithms over the CPU's tables; STARFISH_TEST_SMALL leaves the long lines out. Exit status 77 without a
 * device. */
#include "tests/tridiag/batch_cases.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NO_DEVICE = 77 };

static void finish(int status)
{
    test_cuda_check(status);
    test_cuda_check(cudaDeviceSynchronize());
}

static void solve_f32(const struct starfish_batch *b)
{
    finish(starfish_batch_cuda_f32(b, NULL));
}

static void solve_f64(const struct starfish_batch *b)
{
    finish(starfish_batch_cuda_f64(b, NULL));
}

static void prepare_f32(const struct starfish_batch *b)
{
    finish(starfish_batch_prepare_cuda_f32(b, NULL));
}

static void prepare_f64(const struct starfish_batch *b)
{
    finish(starfish_batch_prepare_cuda_f64(b, NULL));
}

static const struct test_batch_device cuda = {
    &test_cuda_memory, {solve_f32, solve_f64}, {prepare_f32, prepare_f64}, starfish_batch_workspace_cuda};

static void every_kind_solves(void **state)
{
    (void)state;
    test_batch_table(&cuda, getenv("STARFISH_TEST_SMALL") ? 1 : 4);
}

static void long_lines_solve(void **state)
{
    (void)state;
    test_batch_long_lines(&cuda, getenv("STARFISH_TEST_SMALL") ? 2049 : 2100001);
}

static void many_lines_solve(void **state)
{
    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    test_batch_many_lines(&cuda, 1 << 21);
}

static void growth_is_measured(void **state)
{
    (void)state;
    test_batch_growth(&cuda);
}

static void stability_is_found(void **state)
{
    (void)state;
    test_batch_stability(&cuda);
}

static void symmetric_lines_may_be_one_array(void **state)
{
    (void)state;
    test_batch_one_array(&cuda);
}

static void too_long_a_line_is_refused(void **state)
{
    const struct starfish_batch b = {
        .n = 10000, .lines = 1, .columns = 1, .components = 1, .algorithm = STARFISH_ALGORITHM_CR};
    (void)state;
    assert_int_equal(starfish_batch_cuda_f64(&b, NULL), cudaErrorInvalidConfiguration);
    assert_int_equal(starfish_batch_cuda_f32(&b, NULL), cudaErrorInvalidConfiguration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_solves),         cmocka_unit_test(long_lines_solve),
        cmocka_unit_test(many_lines_solve),          cmocka_unit_test(growth_is_measured),
        cmocka_unit_test(stability_is_found),        cmocka_unit_test(symmetric_lines_may_be_one_array),
        cmocka_unit_test(too_long_a_line_is_refused)};
    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest residual: %.3f of the bound\n", test_batch_worst());
    return failed;
}
