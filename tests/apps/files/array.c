/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays as stored in files (apps/files/array.h): sizes, conversion, and the first element that is not finite. */
#include "tests/apps/files/scratch.h"

#include "apps/files/array.h"

#include <math.h>

static void sizes_are_checked(void **state)
{
    static const struct {
        size_t rank, shape[4];
        int fits;
        size_t bytes;
    } cases[] = {
        {0, {0}, 1, 8},
        {1, {5}, 1, 40},
        {3, {2, 3, 4}, 1, 192},
        {3, {0, SIZE_MAX, SIZE_MAX}, 1, 0},
        {3, {SIZE_MAX, SIZE_MAX, 0}, 1, 0},
        {1, {SIZE_MAX / 8 + 1}, 0, 0},
        {2, {(size_t)1 << 32, (size_t)1 << 29}, 0, 0},
        {4, {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        size_t bytes = 1;
        starfish_status status = starfish_array_bytes(STARFISH_F64, cases[i].rank, cases[i].shape, &bytes);
        assert_int_equal(status, cases[i].fits ? STARFISH_SUCCESS : STARFISH_ERROR_ARGUMENT);
        if (cases[i].fits)
            assert_int_equal(bytes, cases[i].bytes);
    }
}

static void more_than_the_machine_has_is_refused(void **state)
{
    const size_t shape[] = {(size_t)1 << 50};
    struct starfish_array array;
    (void)state;
    assert_int_equal(starfish_array_create(&array, STARFISH_F64, 1, shape), STARFISH_ERROR_MEMORY);
    assert_null(array.data);
    starfish_array_free(&array);
}

static void conversion_keeps_values(void **state)
{
    const size_t shape[] = {2, 3};
    struct starfish_array array;
    (void)state;
    assert_int_equal(starfish_array_create(&array, STARFISH_F64, 2, shape), STARFISH_SUCCESS);
    starfish_array_fill(&array, 0.5);
    ((double *)array.data)[4] = -3;
    assert_int_equal(starfish_array_convert(&array, STARFISH_F32), STARFISH_SUCCESS);
    assert_int_equal(array.precision, STARFISH_F32);
    assert_true(((float *)array.data)[4] == -3.0f);
    assert_int_equal(starfish_array_convert(&array, STARFISH_F64), STARFISH_SUCCESS);
    assert_true(starfish_array_get(&array, 3) == 0.5 && starfish_array_get(&array, 4) == -3);
    starfish_array_free(&array);
}

static void first_nonfinite_is_found(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const size_t shape[] = {7};
    (void)state;
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; ++precision)
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
            struct starfish_array array;
            assert_int_equal(starfish_array_create(&array, STARFISH_F64, 1, shape), STARFISH_SUCCESS);
            starfish_array_fill(&array, 1);
            assert_int_equal(starfish_array_first_nonfinite(&array), 7);
            ((double *)array.data)[i + 2] = bad[i];
            assert_int_equal(starfish_array_convert(&array, (starfish_precision)precision), STARFISH_SUCCESS);
            assert_int_equal(starfish_array_first_nonfinite(&array), i + 2);
            starfish_array_free(&array);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(more_than_the_machine_has_is_refused),
        cmocka_unit_test(conversion_keeps_values),
        cmocka_unit_test(first_nonfinite_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
