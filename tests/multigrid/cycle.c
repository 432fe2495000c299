/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk of a cycle: operations in the order in which the textbook has them. */
#include "multigrid/kernels/cycle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct diary {
    char text[512];
    int fail_at; /* the operation that fails; 0: none */
    int operations;
};

static starfish_status note(void *self, const char *what, int level, int zero)
{
    struct diary *diary = self;
    const size_t length = strlen(diary->text);

    snprintf(diary->text + length, sizeof diary->text - length, "%s%d%s ", what, level, zero ? "z" : "");
    return ++diary->operations == diary->fail_at ? STARFISH_ERROR_RUNTIME : STARFISH_SUCCESS;
}

static starfish_status smooth(void *self, int level, int steps, int after, int zero)
{
    char what[16];

    snprintf(what, sizeof what, "%s%dx", after ? "S" : "s", steps);
    return note(self, what, level, zero);
}

static starfish_status restrict_residual(void *self, int level, int zero)
{
    return note(self, "r", level, zero);
}

static starfish_status prolong(void *self, int level, int zero)
{
    return note(self, "p", level, zero);
}

static starfish_status coarsest(void *self, int level, starfish_cycle_shape shape, int zero)
{
    const char *const names[] = {"V", "F", "W", "M"};

    return note(self, names[shape], level, zero);
}

static const char *walk(struct diary *diary, int levels, int exact, struct starfish_cycle cycle, int zero)
{
    const struct starfish_hierarchy hierarchy = {.self = diary,
                                                 .levels = levels,
                                                 .smooth = smooth,
                                                 .restrict_residual = restrict_residual,
                                                 .prolong = prolong,
                                                 .solve_coarsest = coarsest,
                                                 .exact = exact};

    assert_int_equal(starfish_cycle_run(&hierarchy, &cycle, 0, zero),
                     diary->fail_at ? STARFISH_ERROR_RUNTIME : STARFISH_SUCCESS);
    return diary->text;
}

static void walks_are_those_of_the_textbook(void **state)
{
    (void)state;
    static const struct {
        int levels, exact;
        struct starfish_cycle cycle;
        int zero;
        const char *walk;
    } cases[] = {
        {1, 1, {STARFISH_CYCLE_V, 1, 1}, 0, "V0 "},
        {3, 1, {STARFISH_CYCLE_V, 2, 1}, 0, "s2x0 r0 s2x1z r1 V2z p1 S1x1 p0 S1x0 "},
        {3, 1, {STARFISH_CYCLE_V, 2, 1}, 1, "s2x0z r0 s2x1z r1 V2z p1 S1x1 p0 S1x0 "},
        {2, 1, {STARFISH_CYCLE_V, 0, 1}, 1, "r0z V1z p0z S1x0 "},
        {2, 1, {STARFISH_CYCLE_V, 1, 0}, 1, "s1x0z r0 V1z p0 "},
        {3, 1, {STARFISH_CYCLE_W, 1, 1}, 0, "s1x0 r0 s1x1z r1 W2z p1 S1x1 s1x1 r1 W2z p1 S1x1 p0 S1x0 "},
        {3, 1, {STARFISH_CYCLE_F, 1, 1}, 0, "s1x0 r0 s1x1z r1 F2z p1 S1x1 s1x1 r1 V2z p1 S1x1 p0 S1x0 "},
        {2, 0, {STARFISH_CYCLE_W, 1, 1}, 0, "s1x0 r0 W1z W1 p0 S1x0 "},
        {2, 0, {STARFISH_CYCLE_F, 1, 1}, 0, "s1x0 r0 F1z V1 p0 S1x0 "},
        {3,
         1,
         {STARFISH_CYCLE_FMG, 1, 1},
         1,
         "r0z r1z M2z p1z s1x1 r1 V2z p1 S1x1 p0z s1x0 r0 s1x1z r1 V2z p1 S1x1 p0 S1x0 "},
        {2, 1, {STARFISH_CYCLE_FMG, 1, 1}, 0, "r0 M1z p0 s1x0 r0 V1z p0 S1x0 "},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct diary diary = {.text = ""};
        assert_string_equal(walk(&diary, cases[c].levels, cases[c].exact, cases[c].cycle, cases[c].zero),
                            cases[c].walk);
    }
}

/* The coarse level of an F cycle in three is visited as F below as well. */
static void shapes_pass_down(void **state)
{
    (void)state;
    struct diary diary = {.text = ""};
    walk(&diary, 4, 1, (struct starfish_cycle){STARFISH_CYCLE_F, 1, 0}, 1);
    assert_string_equal(diary.text,
                        "s1x0z r0 s1x1z r1 s1x2z r2 F3z p2 s1x2 r2 V3z p2 p1 s1x1 r1 s1x2z r2 V3z p2 p1 p0 ");
}

static void what_fails_ends_the_walk(void **state)
{
    (void)state;
    for (int operation = 1; operation <= 9; operation++)
        for (int shape = STARFISH_CYCLE_V; shape <= STARFISH_CYCLE_FMG; shape++) {
            struct diary diary = {.text = "", .fail_at = operation};
            walk(&diary, 3, 1, (struct starfish_cycle){(starfish_cycle_shape)shape, 1, 1}, 1);
            assert_int_equal(diary.operations, operation);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_those_of_the_textbook),
        cmocka_unit_test(shapes_pass_down),
        cmocka_unit_test(what_fails_ends_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
