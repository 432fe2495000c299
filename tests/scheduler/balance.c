/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cores' share of lone solves: on a pretended machine it ends where both kinds of workers take as long, and never
 * at a share that took longer than another one. */
#include "scheduler/runtime/balance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

enum { PLANES = 512, STEP = 14, SOLVES = 90 };

/* Planes per second, and how much slower solves get for each time that the field is cut anew. */
struct machine {
    double cores, gpu, worse;
};

/* The share after many solves, from `share` on; *cuts: how often it changed. */
static size_t settle(const struct machine *machine, size_t share, double gpu_rate, size_t *cuts)
{
    struct starfish_balance balance = {.items = 0};
    *cuts = 0;
    for (int solve = 0; solve < SOLVES; solve++) {
        const double cores = (double)share / machine->cores * (1 + 0.02 * (solve % 3)); /* noise */
        const double seconds =
            fmax(cores, (double)(PLANES - share) / machine->gpu) * (1 + machine->worse * (double)*cuts);
        if (starfish_balance_watch(&balance, PLANES, share, STEP, gpu_rate, cores, seconds)) {
            assert_true(balance.known);
            share = balance.items;
            ++*cuts;
        }
    }
    assert_true(balance.settled);
    return share;
}

static void balances_from_either_side(void **state)
{
    (void)state;
    const struct machine machine = {.cores = 3000, .gpu = 13000};
    const size_t balanced = PLANES * 3 / 16 / STEP * STEP;
    size_t cuts;
    assert_int_equal(settle(&machine, STEP, 13000, &cuts), balanced);
    assert_in_range(cuts, 1, 4);
    assert_int_equal(settle(&machine, 20 * STEP, 13000, &cuts), balanced);
    assert_in_range(cuts, 1, 4);
    assert_int_equal(settle(&machine, balanced, 13000, &cuts), balanced);
    assert_int_equal(cuts, 0);
}

static void goes_back_to_the_best(void **state)
{
    (void)state;
    const struct machine machine = {.cores = 3000, .gpu = 13000, .worse = 1};
    size_t cuts;
    assert_int_equal(settle(&machine, STEP, 13000, &cuts), STEP);
    assert_int_equal(cuts, 2); /* there and back */
}

static void useless_cores_get_nothing(void **state)
{
    (void)state;
    const struct machine machine = {.cores = 100, .gpu = 13000};
    size_t cuts;
    assert_int_equal(settle(&machine, 4 * STEP, 13000, &cuts), 0);
    assert_int_equal(cuts, 1);
}

static void leaves_alone_what_has_one_kind_of_worker(void **state)
{
    (void)state;
    struct starfish_balance balance = {.items = 0};
    for (int solve = 0; solve < SOLVES; solve++)
        assert_false(starfish_balance_watch(&balance, PLANES, PLANES, STEP, 1, 1, 1));
    assert_false(balance.known);
}

static void a_kept_cut_stays(void **state)
{
    (void)state;
    struct starfish_balance balance = {.settled = 1};
    for (int solve = 0; solve < SOLVES; solve++)
        assert_false(starfish_balance_watch(&balance, PLANES, STEP, STEP, 13000, 0.001, 0.04));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balances_from_either_side), cmocka_unit_test(goes_back_to_the_best),
        cmocka_unit_test(useless_cores_get_nothing), cmocka_unit_test(leaves_alone_what_has_one_kind_of_worker),
        cmocka_unit_test(a_kept_cut_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
