/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies in StarPU's trace (scheduler/lab/fxt.h), read from files that the test writes as StarPU would. */
#include "scheduler/lab/fxt.h"
#include "scheduler/lab/paje.h"

#include "tests/apps/files/scratch.h"
#include "tests/common/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The first task of the record begins at 5 ms of its clock and 100.5 ms of the trace's. */
static const char tasks[] = "Name: StarPU's own\nJobId: 1\nStartTime: 7.0\nEndTime: 8.0\n\n"
                            "Name: forward\nModel: starfish_slab_forward\nStartTime: 100.5\nEndTime: 101\n\n"
                            "Name: forward\nStartTime: 102.0\nEndTime: 103\n\n";
static const char paje[] = "%EventDef\tPajeStartLink\t24\n%\tTime\tdate\n%EndEventDef\n"
                           "24\t100.100000000\tPFTL\tp\t2097152\tmm0\tcom_7\t55b8\t\"rhs\"\t0\t0\n"
                           "20\t100.2\tmm1\tms\tCo\n"
                           "24\t100.200000000\tFL\tp\t512\tmm2\tcom_8\t55b9\t\"\"\t0\t0\n"
                           "19\t100.250000000\tFL\tp\t512\tmm0\tcom_8\n"
                           "19\t100.400000000\tPFTL\tp\t2097152\tmm1\tcom_7\n"
                           "24\t100.500000000\tFL\tp\t99\tmm0\tcom_9\t55b9\t\"\"\t0\t0\n" /* never ends */
                           "24\t100.600000000\tFL\tp\t64\tmm1\tcom_7\t55b9\t\"\"\t0\t0\n" /* the number is used again */
                           "19\t100.700000000\tFL\tp\t64\tmm0\tcom_7\n"
                           "18\t100.8\tWSL\tp\t64\tw1\tcom_7\n";

static struct starfish_task_span spans[] = {{.name = "bring home", .worker = -1, .start = 1},
                                            {.name = "forward", .worker = 0, .start = 6500, .end = 7500},
                                            {.name = "forward", .worker = 1, .start = 5000, .end = 5500}};
static struct starfish_record record = {.tasks = 3, .task = spans};

static const char *folder(void)
{
    static char path[256];
    scratch_file("paje.trace", paje, strlen(paje));
    snprintf(path, sizeof path, "%s", scratch_file("tasks.rec", tasks, strlen(tasks)));
    *strrchr(path, '/') = '\0';
    return path;
}

static int is(const struct starfish_copy *copy, unsigned from, unsigned to, size_t bytes, double start, double end)
{
    return copy->from == from && copy->to == to && copy->bytes == bytes && fabs(copy->start - start) < 1e-6 &&
           fabs(copy->end - end) < 1e-6;
}

static void copies_are_read(void **state)
{
    (void)state;
    struct starfish_copy *copy;
    size_t count;
    ASSERT_OK(starfish_fxt_copies(folder(), &record, &copy, &count));
    assert_int_equal(count, 3);
    assert_true(is(&copy[0], 0, 1, 2097152, 4600, 4900));
    assert_true(is(&copy[1], 2, 0, 512, 4700, 4750));
    assert_true(is(&copy[2], 1, 0, 64, 5100, 5200));
    free(copy);
}

static void none_where_nothing_matches(void **state)
{
    (void)state;
    struct starfish_record other = {.tasks = 1, .task = spans}; /* ran nowhere */
    struct starfish_copy *copy;
    size_t count;
    ASSERT_OK(starfish_fxt_copies(folder(), &other, &copy, &count));
    assert_int_equal(count, 0);
    free(copy);
    ASSERT_OK(starfish_fxt_copies("/no/such/folder", &record, &copy, &count));
    assert_int_equal(count, 0);
    free(copy);
}

/* Ends without a beginning go, of each container and each type of its states, and nothing else does. */
static void events_are_in_order_without_lone_ends(void **state)
{
    (void)state;
    static const char trace[] = "%EventDef\tx\t7\n7\t0.0\tw1\tW\tp\tCPU1\n13\t1.7\tw0\tgf\t0.0\n12\t1.0\tw0\tWS\n11\t1."
                                "1\tw0\tWS\tC\n12\t1.2\tw1\tWS\n12\t1.3\tw0\tWS\n"
                                "10\t1.4\tw0\tWS\t\"P\"\n12\t1.5\tw0\tWS\n12\t1.6\tw0\tWS\n";
    static const char right[] =
        "%EventDef\tx\t7\n7\t0.0\tw1\tW\tp\tCPU1\n11\t1.1\tw0\tWS\tC\n12\t1.3\tw0\tWS\n10\t1.4\tw0\tWS\t\"P\"\n"
        "12\t1.5\tw0\tWS\n13\t1.7\tw0\tgf\t0.0\n";
    char where[256], found[512] = "";
    snprintf(where, sizeof where, "%s", scratch_file("paje.trace", trace, strlen(trace)));
    *strrchr(where, '/') = '\0';
    ASSERT_OK(starfish_paje_mend(where));
    FILE *stream = fopen(scratch("paje.trace"), "r");
    assert_non_null(stream);
    found[fread(found, 1, sizeof found - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(found, right);
    ASSERT_OK(starfish_paje_mend("/no/such/folder"));
}

static void what_is_no_trace_is_refused(void **state)
{
    (void)state;
    char where[256];
    ASSERT_FAILS(starfish_fxt_convert(scratch("nothing")), STARFISH_ERROR_RUNTIME, "");
    assert_int_equal(access(scratch("nothing"), F_OK), -1);
    snprintf(where, sizeof where, "%s", folder());
    scratch_file("trace_0", "this is no trace", 16);
    ASSERT_FAILS(starfish_fxt_convert(where), STARFISH_ERROR_RUNTIME, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_read),
        cmocka_unit_test(none_where_nothing_matches),
        cmocka_unit_test(events_are_in_order_without_lone_ends),
        cmocka_unit_test(what_is_no_trace_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
