/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apps/command.h: JSON has short numbers, and is an error where there is no memory for it. */
#include "apps/command.h"

#include "tests/common/group.h"

#include <stdlib.h>
#include <string.h>

static json_t *sample(void)
{
    return json_pack("{s:f, s:f, s:i, s:s}", "a", 0.1, "b", 1e-7, "c", 12, "d", "\"1.50000000000000000\\");
}

static void numbers_are_short(void **state)
{
    static const char expected[] =
        "{\n  \"a\": 0.1,\n  \"b\": 1e-7,\n  \"c\": 12,\n  \"d\": \"\\\"1.50000000000000000\\\\\"\n}\n";
    char *text = NULL;
    size_t length;
    (void)state;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    assert_int_equal(command_write_json(stream, sample()), 0);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void *no_memory(size_t size)
{
    (void)size;
    return NULL;
}

static void no_memory_is_an_error(void **state)
{
    json_t *object = sample();
    FILE *stream = fopen("/dev/null", "w");
    (void)state;
    assert_non_null(stream);
    json_set_alloc_funcs(no_memory, free);
    assert_int_not_equal(command_write_json(stream, object), 0);
    json_set_alloc_funcs(malloc, free);
    fclose(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_short), cmocka_unit_test(no_memory_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
