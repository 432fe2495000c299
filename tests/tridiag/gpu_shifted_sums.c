/* Weighted sums of shifted solves on CUDA: the CPU's table, and more lines than run at once. Exit status 77 without a
 * device; with STARFISH_TEST_SMALL set the large sizes are left out. */
#include "sums_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NO_DEVICE = 77 };

static void sums(starfish_precision precision, const struct starfish_shifted_sums *a)
{
    test_cuda_check(
        (precision == STARFISH_F32 ? starfish_shifted_sums_cuda_f32 : starfish_shifted_sums_cuda_f64)(a, NULL));
}

static size_t workspace(const struct starfish_shifted_sums *a, size_t real_size)
{
    return starfish_shifted_sums_workspace_cuda(a->line.n, a->lanes, a->groups, a->most_roots, a->outputs,
                                                a->line.periodic, real_size);
}

static const struct test_sums_device device = {&test_cuda_memory, sums, workspace};

static void sums_match_dense_elimination(void **state)
{
    (void)state;
    test_sums_table(&device);
}

/* One part per group, and several roots per part. */
static void large_sizes(void **state)
{
    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    for (int i = 0; i < 4; i++) {
        struct test_sums_case c = {.precision = (starfish_precision)(i % 2),
                                   .periodic = i / 2,
                                   .n = 20,
                                   .lanes = 20001,
                                   .groups = 3,
                                   .most_roots = 5,
                                   .inputs = 3,
                                   .outputs = 2};
        test_sums_check(&device, &c);
        c.lanes = 3001;
        c.most_roots = 25;
        test_sums_check(&device, &c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match_dense_elimination),
        cmocka_unit_test(large_sizes),
    };
    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest error: %.3f of the bound\n", test_sums_worst_error());
    return failed;
}
