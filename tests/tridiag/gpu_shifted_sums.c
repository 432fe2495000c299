/* Weighted sums of shifted solves on CUDA: the CPU's table, and more lines than run at once. Exit status 77 without a
 * device; with STARFISH_TEST_SMALL set the large sizes are left out. */
#include "base/real.h"
#include "sums_cases.h"
#include "tests/common/reals.h"

#include <math.h>
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

/* ---- Lines too long for dense elimination ------------------------------------------------------------------------ */

enum { GROUPS = 3, INPUTS = 2, OUTPUTS = 2, ROOTS = 9, LONGEST = 9001, LANES = 2 };

/* Reals on the host, and where a device may have a copy. */
struct long_lines {
    double line[3 * LONGEST], mu[ROOTS], weight[2][ROOTS * INPUTS], shift_lane[LANES];
    double input[GROUPS * INPUTS * LONGEST * LANES], output[2][GROUPS * OUTPUTS * LONGEST * LANES];
};
static const int first_root[GROUPS + 1] = {0, 1, 7, ROOTS}, input_row[GROUPS * INPUTS] = {0, 1, 2, -1, 4, 5},
                                     output_row[GROUPS * OUTPUTS] = {5, 1, 2, 3, -1, 0};

static void fill(double *values, size_t count, double middle, unsigned *seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = middle + test_real_random(seed) / 2;
}

static const void *reals(const struct test_memory *memory, starfish_precision precision, const double *values,
                         size_t count)
{
    void *copy = calloc(count, sizeof(double));
    assert_non_null(copy);
    for (size_t i = 0; i < count; i++)
        test_real_put(copy, precision, i, values[i]);
    const void *uploaded = memory->upload(copy, count * starfish_real_size(precision));
    free(copy);
    return uploaded;
}

static void run_long_lines(const struct test_sums_device *on, starfish_precision precision, size_t n, int periodic,
                           const struct long_lines *data, double *output)
{
    const struct test_memory *memory = on->memory;
    const size_t size = starfish_real_size(precision), vector = n * LANES;
    const char *line = reals(memory, precision, data->line, 3 * n);
    struct starfish_shifted_sums a = {
        .line = {.n = n, .periodic = periodic, .lower = line, .diag = line + n * size, .upper = line + 2 * n * size},
        .lanes = LANES,
        .shift_lane = reals(memory, precision, data->shift_lane, LANES),
        .groups = GROUPS,
        .most_roots = 6,
        .inputs = INPUTS,
        .outputs = OUTPUTS,
        .first_root = memory->upload(first_root, sizeof first_root),
        .input_row = memory->upload(input_row, sizeof input_row),
        .output_row = memory->upload(output_row, sizeof output_row),
        .mu = reals(memory, precision, data->mu, ROOTS),
        .input_weight = reals(memory, precision, data->weight[0], (size_t)ROOTS * INPUTS),
        .output_weight = reals(memory, precision, data->weight[1], (size_t)ROOTS * OUTPUTS),
        .pinned_root = -1,
        .input = reals(memory, precision, data->input, GROUPS * INPUTS * vector)};
    void *result = memory->upload(NULL, GROUPS * OUTPUTS * vector * size),
         *copy = calloc(GROUPS * OUTPUTS, vector * size);
    assert_non_null(copy);
    a.output = result;
    a.workspace = memory->upload(NULL, on->workspace(&a, size));
    on->sums(precision, &a);
    memory->download(copy, result, GROUPS * OUTPUTS * vector * size);
    for (size_t i = 0; i < GROUPS * OUTPUTS * vector; i++)
        output[i] = i / vector == 4 ? 0 : test_real_get(copy, precision, i); /* vector 4 is nobody's */
    free(copy);
    memory->release();
}

static void cpu_sums(starfish_precision precision, const struct starfish_shifted_sums *a)
{
    (precision == STARFISH_F32 ? starfish_shifted_sums_cpu_f32 : starfish_shifted_sums_cpu_f64)(a);
}

static size_t cpu_workspace(const struct starfish_shifted_sums *a, size_t real_size)
{
    return starfish_shifted_sums_workspace_cpu(a->line.n, a->lanes, a->line.periodic, real_size);
}

/* One to eight unknowns per thread, then lines that fit no block. */
static void long_lines_match_the_cpu(void **state)
{
    (void)state;
    static const size_t sizes[] = {31, 1023, 1024, 1025, 2049, 5000, 7264, LONGEST};
    static const struct test_sums_device cpu = {&test_host_memory, cpu_sums, cpu_workspace};
    struct long_lines *data = calloc(1, sizeof *data);
    unsigned seed = 11;
    assert_non_null(data);
    for (size_t i = 0; i < 4 * sizeof sizes / sizeof sizes[0]; i++) {
        const starfish_precision precision = (starfish_precision)(i % 2);
        const int periodic = (int)(i / 2 % 2);
        const size_t n = sizes[i / 4], count = GROUPS * OUTPUTS * n * LANES;
        double error = 0, largest = 0;
        fill(data->line, 3 * n, -1, &seed);
        fill(data->line + n, n, 4, &seed); /* dominates */
        fill(data->mu, ROOTS, 1, &seed);
        fill(data->weight[0], (size_t)2 * ROOTS * INPUTS, 0.5, &seed);
        fill(data->shift_lane, LANES, 0.5, &seed);
        fill(data->input, GROUPS * INPUTS * n * LANES, 0, &seed);
        run_long_lines(&cpu, precision, n, periodic, data, data->output[0]);
        run_long_lines(&device, precision, n, periodic, data, data->output[1]);
        for (size_t k = 0; k < count; k++) {
            const double here = fabs(data->output[1][k] - data->output[0][k]);
            error = here <= error ? error : here;
            largest = fmax(largest, fabs(data->output[0][k]));
        }
        if (!(error <= (precision == STARFISH_F32 ? 1e-5 : 1e-13) * largest))
            fail_msg("n %zu, periodic %d, f%d: off by %g of %g", n, periodic, precision == STARFISH_F32 ? 32 : 64,
                     error, largest);
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match_dense_elimination),
        cmocka_unit_test(large_sizes),
        cmocka_unit_test(long_lines_match_the_cpu),
    };
    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest error: %.3f of the bound\n", test_sums_worst_error());
    return failed;
}
