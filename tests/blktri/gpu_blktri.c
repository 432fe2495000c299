/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Row movements on CUDA: the CPU's table, and more rows and longer ones than a grid of blocks covers at once, unless
 * STARFISH_TEST_SMALL is set. Exit status 77 without a device. */
#include "tests/blktri/rows_cases.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NO_DEVICE = 77 };

static void rows(starfish_precision precision, const struct starfish_rows *a, enum starfish_rows_operation operation)
{
    test_cuda_check((precision == STARFISH_F32 ? starfish_rows_cuda_f32 : starfish_rows_cuda_f64)(a, operation, NULL));
    test_cuda_check(cudaDeviceSynchronize());
}

static const struct test_rows_device device = {&test_cuda_memory, rows};

static void rows_move_where_the_tables_say(void **state)
{
    (void)state;
    test_rows_table(&device);
}

static void large_sizes(void **state)
{
    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    test_rows_size(&device, 3, 70001, 2);
    test_rows_size(&device, 1200001, 3, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_move_where_the_tables_say), cmocka_unit_test(large_sizes)};
    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
