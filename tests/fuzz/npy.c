/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: .npy files. What is read has the elements that the file has; what is written is read again. */
#include "tests/fuzz/fuzz.h"

#include "apps/files/npy.h"
#include "base/real.h"

#include <string.h>

const char *const target_words[] = {"\x93NUMPY",
                                    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
                                    "'descr'",
                                    "'fortran_order'",
                                    "'shape'",
                                    "True",
                                    "False",
                                    "'<f4'",
                                    "'>f8'",
                                    "'<i8'",
                                    "'>i4'",
                                    "'|O'",
                                    "(",
                                    ",)",
                                    "()",
                                    "(0,)",
                                    "(4294967296, 4294967296)",
                                    "(2305843009213693952,)",
                                    "{",
                                    "}",
                                    NULL};

static int same(const struct starfish_array *a, const struct starfish_array *b)
{
    return a->precision == b->precision && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0 &&
           memcmp(a->data, b->data, starfish_array_count(a) * starfish_real_size(a->precision)) == 0;
}

static int check_again(const struct starfish_array *array)
{
    struct starfish_array again;
    const char *path = fuzz_path("again.npy");
    if (starfish_npy_write(path, array) != STARFISH_SUCCESS ||
        starfish_npy_read(path, NULL, &again) != STARFISH_SUCCESS)
        return fuzz_broken("what was read cannot be written and read again: %s", starfish_error_message());
    const int equal = same(array, &again);
    starfish_array_free(&again);
    return equal ? 0 : fuzz_broken("what is written is not what is read");
}

static int check_wanted(const char *path, const struct starfish_array *array)
{
    const struct starfish_wanted wanted = {.name = "a", .rank = 2, .shape = {2, 3}, .reason = ""};
    struct starfish_array other;
    const int fits = array->rank == 2 && array->shape[0] == 2 && array->shape[1] == 3;
    const starfish_status status = starfish_npy_read(path, &wanted, &other);
    starfish_array_free(&other);
    return fits == (status == STARFISH_SUCCESS) ? 0 : fuzz_broken("another shape than the wanted one");
}

int target(const uint8_t *data, size_t size)
{
    const char *path = fuzz_write("in.npy", data, size);
    struct starfish_array array;
    fuzz_limit_memory();
    const starfish_status status = starfish_npy_read(path, NULL, &array);
    if (status != STARFISH_SUCCESS)
        return array.data ? fuzz_broken("an array after a failure") : fuzz_check_message(status);
    int result = 0;
    if (starfish_array_count(&array) * sizeof(float) > size)
        result = fuzz_broken("%zu elements in a file of %zu bytes", starfish_array_count(&array), size);
    if (result == 0)
        result = check_again(&array);
    if (result == 0)
        result = check_wanted(path, &array);
    starfish_array_free(&array);
    return result;
}
