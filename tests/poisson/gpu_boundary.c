/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boundary data in device memory, on the host, and on both: the same solutions; 77 where there is no GPU. */
#include "tests/common/check.h"
#include "tests/common/memory.h"
#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <starfish/starfish.h>

enum { NX = 24, NY = 20, NZ = 17, COUNT = NX * NY * NZ };
static const size_t n[3] = {NX, NY, NZ};

/* Faces on the host, and as copies on the device where the bit of the face is set in `on_device`. */
static struct starfish_boundary faces_of(double *host[3][2], int on_device)
{
    struct starfish_boundary boundary = {.constant = {{0}}};
    for (int face = 0; face < 6; face++) {
        const size_t bytes = COUNT / n[face / 2] * sizeof(double);
        double *array = host[face / 2][face % 2];
        boundary.array[face / 2][face % 2] =
            on_device >> face & 1 ? test_cuda_memory.upload(array, bytes) : (const void *)array;
    }
    return boundary;
}

static starfish_plan *plan_of(starfish_context *context, starfish_method method)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = 0};
    starfish_plan *plan;
    options.method = method;
    options.check_residual = 1;
    options.tolerance = 1e-12;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .n = n[axis], .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_NEUMANN}, .grid = STARFISH_CELL};
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    return plan;
}

static void check_method(starfish_context *context, starfish_method method, double *rhs, double *host[3][2])
{
    static const int on_device[] = {0x3f, 0x15, 0x20};
    starfish_plan *plan = plan_of(context, method);
    double *expected = malloc(COUNT * sizeof *expected), *got = malloc(COUNT * sizeof *got), largest = 0;
    struct starfish_boundary boundary = faces_of(host, 0);
    ASSERT_OK(starfish_plan_solve(plan, &boundary, rhs, expected, NULL));
    for (size_t i = 0; i < COUNT; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (int variant = 0; variant < 6; variant++) {
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        starfish_job *job;
        boundary = faces_of(host, on_device[variant / 2]);
        if (variant % 2) {
            ASSERT_OK(starfish_plan_submit(plan, &boundary, rhs, got, &job));
            ASSERT_OK(starfish_job_finish(job, &info));
        } else {
            ASSERT_OK(starfish_plan_solve(plan, &boundary, rhs, got, &info));
        }
        assert_true(info.residual_max < 1e-9);
        for (size_t i = 0; i < COUNT; i++)
            if (!(fabs(got[i] - expected[i]) <= 1e-9 * largest))
                fail_msg("method %d, variant %d, element %zu: %g, not %g", (int)method, variant, i, got[i],
                         expected[i]);
        test_cuda_memory.release();
    }
    starfish_plan_destroy(plan);
    free(expected), free(got);
}

static void device_faces_are_read_where_they_are(void **state)
{
    (void)state;
    static const int cores[] = {0, -1};
    static const starfish_method methods[] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI, STARFISH_METHOD_MULTIGRID};
    unsigned seed = 21;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *host[3][2];
    for (int face = 0; face < 6; face++)
        host[face / 2][face % 2] = test_reals(STARFISH_F64, COUNT / n[face / 2], &seed);
    for (int c = 0; c < 2; c++) {
        struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
        starfish_context *context;
        options.cpu_workers = cores[c];
        ASSERT_OK(starfish_context_create(&context, &options));
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
            check_method(context, methods[m], rhs, host);
        starfish_context_destroy(context);
    }
    for (int face = 0; face < 6; face++)
        free(host[face / 2][face % 2]);
    free(rhs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(device_faces_are_read_where_they_are)};
    return test_cuda_devices() == 0 ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
