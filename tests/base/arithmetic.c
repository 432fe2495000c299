/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holding the default floating-point environment, and what is left of the caller's. */
#include "base/arithmetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <float.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

/* Compilers know nothing of the environment: volatile values keep divisions where they are written. */
static const volatile double one = 1, zero = 0, three = 3;

struct seen {
    double third, subnormal;
    int rounding, traps, flags_before, is_own;
};

static struct seen look(void)
{
    STARFISH_OWN_ARITHMETIC;
    const int flags = fetestexcept(FE_ALL_EXCEPT);
    const volatile double least = DBL_MIN, third = one / three, subnormal = least / three;
    const volatile double infinite = one / zero; /* traps in the caller's environment */
    (void)infinite;
    return (struct seen){.third = third,
                         .subnormal = subnormal,
                         .rounding = fegetround(),
                         .traps = fegetexcept(),
                         .flags_before = flags,
                         .is_own = starfish_arithmetic_is_own()};
}

static void set_callers(void)
{
    fesetround(FE_UPWARD);
#ifdef __SSE__
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush results, and subnormal operands, to zero */
#endif
    feraiseexcept(FE_INEXACT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID);
}

static void the_environment_is_the_default(void **state)
{
    (void)state;
    const struct seen usual = look();
    set_callers();
    const struct seen seen = look();
    const int rounding = fegetround(), traps = fegetexcept(), flags = fetestexcept(FE_ALL_EXCEPT);
    const volatile double third = one / three;
    const int is_own = starfish_arithmetic_is_own();
    fesetenv(FE_DFL_ENV);
    assert_int_equal(seen.rounding, FE_TONEAREST);
    assert_int_equal(seen.traps, 0);
    assert_int_equal(seen.flags_before, 0);
    assert_true(seen.third == usual.third && seen.third < third);
    assert_true(seen.subnormal == usual.subnormal && seen.subnormal > 0);
    assert_int_equal(rounding, FE_UPWARD);
    assert_int_equal(traps, FE_DIVBYZERO | FE_INVALID);
    assert_int_equal(flags, FE_INEXACT); /* not the division by zero */
    assert_false(is_own);
#ifdef __SSE__
    assert_true(seen.is_own);
#endif
}

static struct seen look_from_inside(int *rounding_after)
{
    STARFISH_OWN_ARITHMETIC;
    const struct seen seen = look();
    *rounding_after = fegetround();
    return seen;
}

static void calls_within_calls_change_nothing(void **state)
{
    int after_inner;
    (void)state;
    set_callers();
    const struct seen seen = look_from_inside(&after_inner);
    const int rounding = fegetround();
    fesetenv(FE_DFL_ENV);
    assert_int_equal(seen.rounding, FE_TONEAREST);
    assert_int_equal(after_inner, FE_TONEAREST);
    assert_int_equal(rounding, FE_UPWARD);
}

static void suspend_and_resume(int rounding[3])
{
    STARFISH_OWN_ARITHMETIC;
    const int suspended = starfish_arithmetic_suspend();
    rounding[0] = fegetround();
    rounding[1] = look().rounding;
    starfish_arithmetic_resume(suspended);
    rounding[2] = fegetround();
}

static void the_callers_environment_is_there_in_between(void **state)
{
    int rounding[3];
    (void)state;
    set_callers();
    suspend_and_resume(rounding);
    const int after = fegetround();
    fesetenv(FE_DFL_ENV);
    assert_int_equal(rounding[0], FE_UPWARD);
    assert_int_equal(rounding[1], FE_TONEAREST);
    assert_int_equal(rounding[2], FE_TONEAREST);
    assert_int_equal(after, FE_UPWARD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_is_the_default),
        cmocka_unit_test(calls_within_calls_change_nothing),
        cmocka_unit_test(the_callers_environment_is_there_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
