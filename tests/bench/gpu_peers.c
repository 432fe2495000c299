/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench/peers.h on a GPU: cuFFT solves the problem that starfish solves, copies take time, memory is device memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/peers.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"

#include <starfish/starfish.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static starfish_context *context;

static const double tolerance[] = {[STARFISH_F32] = 2e-5, [STARFISH_F64] = 1e-12};

static double get(const void *array, starfish_precision precision, size_t i)
{
    return precision == STARFISH_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void compare(const size_t n[3], starfish_precision precision, peer_cufft_way way)
{
    const struct starfish_poisson_problem problem = {
        .axis = {{.n = n[0], .length = 1}, {.n = n[1], .length = 1}, {.n = n[2], .length = 1}}, .lambda = 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    static double f[4096], ours[4096], theirs[4096];
    double seconds[2] = {-1, -1}, worst = 0, largest = 0;
    const size_t count = n[0] * n[1] * n[2];
    for (size_t i = 0; i < count; i++)
        test_real_put(f, precision, i, (double)rand() / RAND_MAX);
    options.precision = precision;
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    ASSERT_OK(starfish_plan_solve(plan, NULL, f, ours, NULL));
    starfish_plan_destroy(plan);
    memset(theirs, 0xff, sizeof theirs); /* NaN */
    assert_int_equal(peer_cufft_periodic(n, precision, way, f, theirs, 2, seconds), 1);
    assert_true(seconds[0] > 0 && seconds[1] > 0);
    for (size_t i = 0; i < count; i++) {
        const double error = fabs(get(ours, precision, i) - get(theirs, precision, i));
        worst = test_worst(worst, error);
        largest = fmax(largest, fabs(get(ours, precision, i)));
    }
    if (!(worst < tolerance[precision] * largest))
        fail_msg("%zu x %zu x %zu, precision %d: differs by %g of %g", n[0], n[1], n[2], (int)precision, worst,
                 largest);
}

static void cufft_solves_what_we_solve(void **state)
{
    static const size_t sizes[][3] = {{16, 16, 16}, {15, 7, 9}, {2, 3, 5}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (peer_cufft_way way = PEER_CUFFT_IN_PLACE; way < PEER_CUFFT_WAYS; way++) {
            compare(sizes[i], STARFISH_F32, way);
            compare(sizes[i], STARFISH_F64, way);
        }
}

static void copies_take_time(void **state)
{
    static const peer_link ways[] = {PEER_UP, PEER_DOWN, PEER_BOTH};
    double seconds[3] = {-1, -1, -1};
    (void)state;
    assert_int_equal(peer_device_copy(1000003, 3, seconds), 1);
    for (int r = 0; r < 3; r++)
        assert_true(seconds[r] > 0);
    for (int way = 0; way < 3; way++) {
        seconds[2] = -1;
        assert_int_equal(peer_link_copy(1000003, ways[way], 3, seconds), 1);
        assert_true(seconds[2] > 0);
    }
}

static void device_memory(void **state)
{
    static const double host[64];
    double *device = peer_device_alloc(sizeof host);
    (void)state;
    assert_non_null(device);
    assert_int_equal(peer_device_write(device, host, sizeof host), 1);
    peer_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cufft_solves_what_we_solve),
        cmocka_unit_test(copies_take_time),
        cmocka_unit_test(device_memory),
    };
    /* StarPU resets the device when it measures the links for the first time, so it comes before the peers. */
    starfish_context *all = NULL;
    if (starfish_context_create(&all, NULL) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const size_t gpus = starfish_context_workers_of(all, STARFISH_GPU);
    starfish_context_destroy(all);
    return gpus == 0 ? 77 : TEST_GROUP("peers on a GPU", tests, &context, 0, -1, 0);
}
