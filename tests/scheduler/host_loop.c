/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops of the host's cores within calls: workers rest meanwhile, unless something is in flight or they never rest. */
#include "scheduler/runtime/host_loop.h"
#include "scheduler/runtime/idle.h"

#include "tests/common/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <starfish/starfish.h>

enum { ITEMS = 1000, RUN = 64 };

struct looked {
    int times[ITEMS];
    int rested; /* while the first item was looked at */
};

static void look(void *data, size_t first, size_t last)
{
    struct looked *looked = data;
    if (first == 0)
        looked->rested = starfish_idle_is_paused();
    for (size_t i = first; i < last; i++)
        looked->times[i]++;
}

static int rested_in_a_loop(double idle_seconds, int in_flight)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct looked looked = {.rested = -1};
    starfish_context *context;
    options.gpu_workers = 0;
    options.cpu_workers = 1;
    options.idle_seconds = idle_seconds;
    ASSERT_OK(starfish_context_create(&context, &options));
    starfish_idle_task_begun(); /* awake, as after tasks */
    starfish_idle_task_done();
    for (int i = 0; i < in_flight; i++)
        starfish_idle_task_begun();
    starfish_idle_call_begin();
    starfish_host_loop_in_call(ITEMS, RUN, look, &looked);
    starfish_idle_call_end();
    for (int i = 0; i < in_flight; i++)
        starfish_idle_task_done();
    starfish_context_destroy(context);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(looked.times[i], 1);
    return looked.rested;
}

static void workers_rest_in_a_loop(void **state)
{
    const double long_moment = 60;
    (void)state;
    assert_int_equal(rested_in_a_loop(long_moment, 0), 1);
    assert_int_equal(rested_in_a_loop(long_moment, 1), 0);
    assert_int_equal(rested_in_a_loop((double)INFINITY, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(workers_rest_in_a_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
