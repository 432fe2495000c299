/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of lines on a GPU: arrays on the host, and in its own memory. Exit status 77 without a device. */
#include "batches.h"
#include "tests/common/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NO_DEVICE = 77 };

static starfish_context *context;

static void host_arrays_solve(void **state)
{
    (void)state;
    test_batches_table(context, &test_host_memory, 1);
    test_batches_long_lines(context, &test_host_memory, 2049);
}

static void device_arrays_solve(void **state)
{
    (void)state;
    test_batches_table(context, &test_cuda_memory, 1);
    test_batches_long_lines(context, &test_cuda_memory, getenv("STARFISH_TEST_SMALL") ? 513 : 300001);
}

static void interface_holds(void **state)
{
    (void)state;
    test_batches_check(context);
    test_batches_layouts(context);
    test_batches_update(context);
    test_batches_threads(context);
}

/* ---- A GPU and the cores ----------------------------------------------------------------------------------------- */

static void workers_share_lines(void **state)
{
    (void)state;
    test_batches_shared(context);
    test_batches_table(context, &test_host_memory, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(host_arrays_solve), cmocka_unit_test(device_arrays_solve),
                                       cmocka_unit_test(interface_holds)};
    const struct CMUnitTest both[] = {cmocka_unit_test(workers_share_lines)};
    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    return TEST_GROUP("batches on a GPU", tests, &context, -1, 0, 0) +
           TEST_GROUP("a GPU and the cores", both, &context, -1, -1, 0);
}
