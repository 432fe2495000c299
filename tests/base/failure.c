/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failures that are kept, and reported later by another thread (base/failure.h), as jobs report what their tasks
 * met. */
#include "base/failure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

static void success_keeps_nothing(void **state)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};

    (void)state;
    starfish_failure_keep(&failure, STARFISH_SUCCESS);
    assert_int_equal(starfish_failure_repeat(&failure), STARFISH_SUCCESS);
}

static void later_calls_do_not_change_it(void **state)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};

    (void)state;
    starfish_failure_keep(&failure, starfish_fail(STARFISH_ERROR_NUMERICAL, "after %d steps", 7));
    starfish_fail(STARFISH_ERROR_MEMORY, "another failure");
    starfish_failure_keep(&failure, STARFISH_SUCCESS);
    assert_int_equal(starfish_failure_repeat(&failure), STARFISH_ERROR_NUMERICAL);
    assert_string_equal(starfish_error_message(), "after 7 steps");
}

static void the_last_failure_counts(void **state)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};

    (void)state;
    starfish_failure_keep(&failure, starfish_fail(STARFISH_ERROR_NUMERICAL, "first"));
    starfish_failure_keep(&failure, starfish_fail(STARFISH_ERROR_RUNTIME, "second"));
    assert_int_equal(starfish_failure_repeat(&failure), STARFISH_ERROR_RUNTIME);
    assert_string_equal(starfish_error_message(), "second");
}

static void *fail_elsewhere(void *data)
{
    starfish_failure_keep(data, starfish_fail(STARFISH_ERROR_FILE, "in a thread"));
    return NULL;
}

static void another_thread_reports_it(void **state)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    pthread_t thread;

    (void)state;
    starfish_fail(STARFISH_ERROR_ARGUMENT, "in this one");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &failure), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(starfish_error_message(), "in this one");
    assert_int_equal(starfish_failure_repeat(&failure), STARFISH_ERROR_FILE);
    assert_string_equal(starfish_error_message(), "in a thread");
}

static void long_messages_are_cut_off(void **state)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    char text[2 * STARFISH_MESSAGE];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    starfish_failure_keep(&failure, starfish_fail(STARFISH_ERROR_FILE, "%s", text));
    starfish_failure_repeat(&failure);
    assert_int_equal(strlen(starfish_error_message()), STARFISH_MESSAGE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_keeps_nothing),     cmocka_unit_test(later_calls_do_not_change_it),
        cmocka_unit_test(the_last_failure_counts),   cmocka_unit_test(another_thread_reports_it),
        cmocka_unit_test(long_messages_are_cut_off),
    };
    return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
