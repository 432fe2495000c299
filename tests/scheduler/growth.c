/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times by terms that rise: what was measured is found again, and the times rise with sizes whatever was measured. */
#include "scheduler/lab/growth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

/* A launch, a step's latency, and arithmetic. */
static void terms_of(double steps, double lanes, double term[STARFISH_GROWTH_TERMS])
{
    for (size_t i = 0; i < STARFISH_GROWTH_TERMS; i++)
        term[i] = 0;
    term[0] = 1;
    term[1] = steps;
    term[2] = steps * lanes;
}

static double time_of(const struct starfish_growth_fit *fit, double steps, double lanes)
{
    double term[STARFISH_GROWTH_TERMS];
    terms_of(steps, lanes, term);
    return starfish_growth_time(fit, term);
}

static void finds_the_coefficients(void **state)
{
    (void)state;
    struct starfish_growth_fit fit = {.count = 0};
    double term[STARFISH_GROWTH_TERMS];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++) {
            const double steps = pow(4, i), lanes = pow(8, j);
            terms_of(steps, lanes, term);
            starfish_growth_add(&fit, term, 20 + 2 * steps + 1e-3 * steps * lanes);
        }
    starfish_growth_solve(&fit);
    assert_true(fabs(time_of(&fit, 1024, 1) - (20 + 2048 + 1.024)) < 2);
    assert_true(fabs(time_of(&fit, 512, 4096) - (20 + 1024 + 2097.152)) < 4);
}

/* The smaller task was measured as the slower one. */
static void rises_where_measured_times_fall(void **state)
{
    (void)state;
    struct starfish_growth_fit fit = {.count = 0};
    double term[STARFISH_GROWTH_TERMS], before = 0;
    const double measured[][2] = {{1, 253}, {7, 23}, {8, 29}, {13, 29}, {128, 124}};
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        terms_of(measured[i][0], 1, term);
        starfish_growth_add(&fit, term, measured[i][1]);
    }
    starfish_growth_solve(&fit);
    for (int i = 0; i < 17; i++) { /* 0.1 to 6554 steps */
        const double time = time_of(&fit, ldexp(0.1, i), 1);
        assert_true(time >= before);
        before = time;
    }
    assert_true(time_of(&fit, 1e4, 1) > time_of(&fit, 1, 1));
}

static void nothing_measured_is_no_time(void **state)
{
    (void)state;
    struct starfish_growth_fit fit = {.count = 0};
    starfish_growth_solve(&fit);
    assert_true(time_of(&fit, 8, 8) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_coefficients),
        cmocka_unit_test(rises_where_measured_times_fall),
        cmocka_unit_test(nothing_measured_is_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
