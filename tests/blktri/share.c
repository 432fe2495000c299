/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How GPUs and cores share block cyclic reduction (blktri/share.h), by made-up times of levels: by width, where there
 * are several modes, and by split, where there is one. */
#include "blktri/share.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { LEVELS = 9, MODES = 512 };
static const double beside_copies = 1.25; /* what copies cost the cores (blktri/share.c) */

/* A worker that takes `latency` for each level's steps, and `per_mode` for those of a mode; measured on one mode. Level
 * l has 2^l rows, and as much work as every other level. */
static struct starfish_blktri_pace pace_of(size_t workers, double per_step, double per_mode)
{
    struct starfish_blktri_pace pace = {.workers = workers, .modes = 1, .levels = LEVELS};
    for (size_t l = 0; l < LEVELS; l++) {
        pace.work[l] = 1;
        pace.seconds[l] = fmax(per_step * ldexp(1, LEVELS - 1 - (int)l), per_mode);
    }
    return pace;
}

static struct starfish_blktri_share share_of(const struct starfish_blktri_pace *cores,
                                             const struct starfish_blktri_pace *gpus, size_t modes)
{
    const struct starfish_blktri_pace pace[STARFISH_WORKER_KINDS] = {[STARFISH_CPU] = *cores, [STARFISH_GPU] = *gpus};
    return starfish_blktri_share_by(pace, modes, 50e-6);
}

/* Both kinds end at the same time, but for the step in which modes are distributed. */
static void modes_are_shared_by_rates(void **state)
{
    (void)state;
    for (int slowness = 1; slowness <= 8; slowness *= 2) {
        const struct starfish_blktri_pace cores = pace_of(2, 0, 1e-3 * slowness), gpus = pace_of(1, 0, 1e-3);
        const struct starfish_blktri_share share = share_of(&cores, &gpus, MODES);
        const double of_cores = MODES / (1 + beside_copies * slowness / 2);
        assert_int_equal(share.where, 0);
        assert_int_equal(share.split, -1);
        assert_true(fabs((double)share.modes_of_cores - of_cores) <= 2);
    }
}

static void slow_workers_take_no_part(void **state)
{
    (void)state;
    const struct starfish_blktri_pace slow = pace_of(1, 0, 1e-1), fast = pace_of(1, 0, 1e-3);
    assert_int_equal(share_of(&slow, &fast, MODES).where, STARFISH_ON_GPUS);
    assert_int_equal(share_of(&slow, &fast, 1).where, STARFISH_ON_GPUS);
    assert_int_equal(share_of(&fast, &slow, MODES).where, STARFISH_ON_CORES);
    assert_int_equal(share_of(&fast, &slow, 1).where, STARFISH_ON_CORES);
}

/* A GPU that is fast on many rows and has a long latency leaves the levels at the root to the cores, and the more the
 * slower its steps are. */
static void levels_are_split_by_latency(void **state)
{
    (void)state;
    const struct starfish_blktri_pace cores = pace_of(1, 1e-6, 2e-3);
    int before = 0;
    for (int slowness = 1; slowness <= 8; slowness *= 2) {
        const struct starfish_blktri_pace gpus = pace_of(1, 16e-6 * slowness, 1e-4);
        const struct starfish_blktri_share share = share_of(&cores, &gpus, 1);
        assert_int_equal(share.where, 0);
        assert_int_equal(share.modes_of_cores, 0);
        assert_true(share.split > before);
        assert_true(share.split < LEVELS);
        before = share.split;
    }
}

/* A level whose time is latency takes no longer for more modes: the cores get less than the rates on one mode say. */
static void latency_hides_modes(void **state)
{
    (void)state;
    const struct starfish_blktri_pace cores = pace_of(1, 0, 2e-4);
    struct starfish_blktri_pace gpus = pace_of(1, 1e-4, 1e-4);
    double of_gpus = 0;
    for (size_t l = 0; l < LEVELS; l++)
        of_gpus += gpus.seconds[l];
    gpus.hides_latency = 1;
    const size_t modes_of_cores = share_of(&cores, &gpus, MODES / 4).modes_of_cores;
    assert_true(modes_of_cores > 0);
    assert_true((double)modes_of_cores < 0.125 * MODES * of_gpus / (of_gpus + beside_copies * LEVELS * 2e-4));
}

static void unknown_times_leave_a_kind_out(void **state)
{
    (void)state;
    struct starfish_blktri_pace known = pace_of(1, 0, 1e-1), unknown = pace_of(1, 0, 1e-6);
    unknown.seconds[LEVELS / 2] = (double)NAN;
    assert_int_equal(share_of(&unknown, &known, MODES).where, STARFISH_ON_GPUS);
    assert_int_equal(share_of(&known, &unknown, 1).where, STARFISH_ON_CORES);
    assert_int_equal(share_of(&unknown, &unknown, MODES).where, STARFISH_ON_GPUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_shared_by_rates),      cmocka_unit_test(slow_workers_take_no_part),
        cmocka_unit_test(levels_are_split_by_latency),    cmocka_unit_test(latency_hides_modes),
        cmocka_unit_test(unknown_times_leave_a_kind_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
