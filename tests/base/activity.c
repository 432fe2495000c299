/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logs of what a core does: stints, sums by phase, and when the clock is read. */
#include "base/activity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static double now;
static int looks;

static double look(void)
{
    looks++;
    return now;
}

static const struct starfish_activity first = {"first", 1, 2}, also = {"also first", 2, 2}, second = {"second", 3, 5},
                                      other = {"other", 4, STARFISH_NO_PHASE};

/* At a time, one after the other; the last is NULL. */
static void do_at(const struct starfish_activity *activity, double time)
{
    now = time;
    starfish_activity_begin(activity);
}

static void stints_follow_one_another(void **state)
{
    (void)state;
    struct starfish_activity_log log = {.clock = look};
    now = 10;
    starfish_activity_open(&log, 1, NULL);
    do_at(&first, 20);
    do_at(&first, 30);
    do_at(&also, 40);
    do_at(NULL, 50);
    do_at(&other, 60);
    now = 80;
    starfish_activity_close();
    do_at(&first, 90); /* in no log */
    static const struct starfish_stint expected[] = {{&first, 20, 40}, {&also, 40, 50}, {&other, 60, 80}};
    assert_int_equal(log.count, 3);
    assert_memory_equal(log.stint, expected, sizeof expected);
    assert_true(log.busy[2] == 30 && log.busy[5] == 0);
    starfish_activity_clear(&log);
    assert_true(log.count == 0 && log.busy[2] == 0);
    starfish_activity_free(&log);
}

/* What is shorter than a microsecond is no stint, and a wait that is shorter does not end one. */
static void short_stints_are_left_out(void **state)
{
    (void)state;
    struct starfish_activity_log log = {.clock = look};
    now = 0;
    starfish_activity_open(&log, 1, &first);
    do_at(NULL, 5);
    do_at(&first, 5.5);
    do_at(&second, 8);
    do_at(&other, 8.25);
    now = 20;
    starfish_activity_close();
    static const struct starfish_stint expected[] = {{&first, 0, 8}, {&other, 8.25, 20}};
    assert_int_equal(log.count, 2);
    assert_memory_equal(log.stint, expected, sizeof expected);
    assert_true(log.busy[2] == 7.5 && log.busy[5] == 0.25);
    starfish_activity_free(&log);
}

/* Sums are there without stints, and only a change of phase looks at the clock. */
static void without_a_record_phases_alone_are_timed(void **state)
{
    (void)state;
    struct starfish_activity_log log = {.clock = look};
    now = 0;
    looks = 0;
    starfish_activity_open(&log, 0, &other);
    do_at(NULL, 1);
    do_at(&other, 2);
    assert_int_equal(looks, 0);
    do_at(&first, 3);
    do_at(&also, 4);
    do_at(&first, 5);
    assert_int_equal(looks, 1);
    do_at(&second, 10);
    now = 12;
    starfish_activity_close();
    assert_int_equal(looks, 3);
    assert_true(log.busy[2] == 7 && log.busy[5] == 2);
    assert_int_equal(log.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stints_follow_one_another),
                                       cmocka_unit_test(short_stints_are_left_out),
                                       cmocka_unit_test(without_a_record_phases_alone_are_timed)};
    return cmocka_run_group_tests_name("activities", tests, NULL, NULL);
}
