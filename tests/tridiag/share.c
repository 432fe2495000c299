/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cores' share of a batch: on a pretended machine it ends where both kinds of workers take as long. */
#include "tridiag/share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

enum { PIECES = 32, SOLVES = 60 };

/* Pieces per second of each kind; the GPU is slower while the cores use the memory too. */
struct machine {
    double cores, gpu, beside;
};

static double solve(const struct machine *machine, struct starfish_batch_share *share)
{
    const double cores = (double)share->cores, gpu = PIECES - cores;
    const double busy = cores / machine->cores;
    const double seconds = fmax(busy, gpu / (cores > 0 ? machine->beside : machine->gpu));

    starfish_batch_share_watch(share, PIECES, busy, seconds);
    return seconds;
}

static size_t settle(const struct machine *machine)
{
    struct starfish_batch_share share = {.cores = 0};

    for (int s = 0; s < SOLVES; s++)
        solve(machine, &share);
    return share.cores;
}

static void each_kind_is_tried_alone_first(void **state)
{
    (void)state;
    const struct machine machine = {100, 300, 300};
    const size_t cores[] = {0, 0, PIECES, PIECES, PIECES / 4};
    struct starfish_batch_share share = {.cores = 0};

    for (size_t s = 0; s < sizeof cores / sizeof cores[0]; s++) {
        assert_int_equal(share.cores, cores[s]);
        assert_int_equal(starfish_batch_share_is_known(&share), s >= 4);
        solve(&machine, &share);
    }
}

static void shares_balance(void **state)
{
    (void)state;
    assert_int_equal(settle(&(struct machine){100, 300, 300}), PIECES / 4);
    assert_int_equal(settle(&(struct machine){1, 300, 300}), 0);
    assert_in_range(settle(&(struct machine){300, 20, 20}), PIECES * 14 / 16, PIECES);
    /* Beside the cores the GPU does half of what it does alone: no share that was seen takes less. */
    assert_in_range(settle(&(struct machine){100, 300, 150}), PIECES / 4, PIECES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind_is_tried_alone_first),
                                       cmocka_unit_test(shares_balance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
