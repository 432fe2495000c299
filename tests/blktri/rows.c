/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Row movements on the CPU, in both precisions: runs the cases of rows_cases.c, which know the definition. */
#include "tests/blktri/rows_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void rows(starfish_precision precision, const struct starfish_rows *a, enum starfish_rows_operation operation)
{
    (precision == STARFISH_F32 ? starfish_rows_cpu_f32 : starfish_rows_cpu_f64)(a, operation);
}

static void rows_move_where_the_tables_say(void **state)
{
    (void)state;
    static const struct test_rows_device device = {&test_host_memory, rows};
    test_rows_table(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_move_where_the_tables_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
