/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which tasks of several GPUs wait for which others when they become one task, and where their data are: recordings of
 * tasks that are never run, on data that are numbers. */
#include "scheduler/runtime/task_group.h"

#include "scheduler/runtime/owner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { NOBODY = STARFISH_GROUP_NOBODY };
#define R STARPU_R
#define W STARPU_W
#define RW STARPU_RW

static struct starpu_codelet codelet;

struct use {
    uintptr_t data; /* 0: no more */
    enum starpu_data_access_mode mode;
};

static void record(struct starfish_task_group *group, int gpu, const struct use *uses)
{
    static struct starfish_task task;
    struct starfish_task_header header = {.step = 0};

    starfish_task_begin(&task, &codelet, NULL, 0);
    task.device = gpu;
    for (; uses->data > 0; uses++)
        starfish_task_data(&task, (starpu_data_handle_t)uses->data, uses->mode); /* NOLINT(performance-no-int-to-ptr) */
    assert_int_equal(starfish_task_group_record(group, &task, &header, sizeof header), STARFISH_SUCCESS);
}

static void find(struct starfish_task_group *group, int wanted)
{
    assert_int_equal(starfish_task_group_order(group), wanted);
}

static const struct starfish_group_datum *datum_of(const struct starfish_task_group *group, size_t task, int use)
{
    return &group->datum[group->task[task].data[use]];
}

static int waits(const struct starfish_task_group *group, size_t task, int gpu)
{
    return group->task[task].waits[gpu];
}

/* Two parts on two GPUs: each writes its own and an edge, and reads the other one's edge. */
static void neighbours_wait_for_edges(void **state)
{
    (void)state;
    static struct starfish_task_group group;
    enum { U0 = 1, U1, EDGE0, EDGE1 };

    memset(&group, 0, sizeof group);
    record(&group, 0, (const struct use[]){{U0, W}, {EDGE0, W}, {0, R}});
    record(&group, 1, (const struct use[]){{U1, W}, {EDGE1, W}, {0, R}});
    record(&group, 0, (const struct use[]){{U0, RW}, {EDGE1, R}, {0, R}});
    record(&group, 1, (const struct use[]){{U1, RW}, {EDGE0, R}, {0, R}});
    record(&group, 0, (const struct use[]){{U0, R}, {EDGE0, W}, {0, R}}); /* when it has been read */
    record(&group, 0, (const struct use[]){{EDGE1, R}, {0, R}});          /* known by then */
    find(&group, 1);
    assert_int_equal(group.data, 4);
    static const int wanted[6][2] = {{NOBODY, NOBODY}, {NOBODY, NOBODY}, {NOBODY, 1},
                                     {0, NOBODY},      {NOBODY, 3},      {NOBODY, NOBODY}};
    static const int waited_for[6] = {1, 1, 0, 1, 0, 0};
    for (size_t m = 0; m < 6; m++) {
        assert_int_equal(group.task[m].is_waited_for, waited_for[m]);
        for (int g = 0; g < 2; g++)
            assert_int_equal(waits(&group, m, g), wanted[m][g]);
    }
    assert_int_equal(datum_of(&group, 0, 0)->mode, W); /* first written: need not be there */
    assert_int_equal(datum_of(&group, 0, 1)->gpu, 0);  /* its last user's */
    assert_int_equal(datum_of(&group, 1, 1)->gpu, 0);
    assert_int_equal(datum_of(&group, 1, 0)->gpu, 1);
    starfish_task_group_clear(&group);
}

/* What is only read is on each GPU that reads it; what is read and then written is in one place, and there before. */
static void data_have_places(void **state)
{
    (void)state;
    static struct starfish_task_group group;
    enum { TABLE = 1, STATE };

    memset(&group, 0, sizeof group);
    record(&group, 0, (const struct use[]){{TABLE, R}, {STATE, R}, {0, R}});
    record(&group, 1, (const struct use[]){{TABLE, R}, {STATE, R}, {0, R}});
    record(&group, STARFISH_ANY, (const struct use[]){{STATE, W}, {TABLE, R}, {0, R}}); /* on the first GPU */
    find(&group, 1);
    assert_int_equal(group.data, 3);
    assert_int_equal(group.task[2].gpu, 0);
    assert_ptr_equal(datum_of(&group, 0, 0)->handle, datum_of(&group, 1, 0)->handle);
    assert_int_equal(datum_of(&group, 0, 0)->gpu, 0);
    assert_int_equal(datum_of(&group, 1, 0)->gpu, 1);
    assert_ptr_equal(datum_of(&group, 2, 1), datum_of(&group, 0, 0));
    assert_ptr_equal(datum_of(&group, 0, 1), datum_of(&group, 1, 1));
    assert_int_equal(datum_of(&group, 0, 1)->mode, RW);
    assert_int_equal(waits(&group, 2, 1), 1);
    starfish_task_group_clear(&group);
}

static void other_data_are_the_same_order(void **state)
{
    (void)state;
    static struct starfish_task_group group[4];

    memset(group, 0, sizeof group);
    for (size_t o = 0; o < 4; o++) {
        const uintptr_t first = 1 + 10 * o, second = o == 3 ? first : first + 1;
        record(&group[o], 0, (const struct use[]){{first, W}, {0, R}});
        record(&group[o], 1, (const struct use[]){{first, R}, {second, o == 2 ? RW : W}, {0, R}});
        find(&group[o], 1);
    }
    assert_true(starfish_task_group_is_same(&group[0], &group[1]));
    assert_false(starfish_task_group_is_same(&group[0], &group[2]));
    assert_false(starfish_task_group_is_same(&group[0], &group[3]));
    for (size_t o = 0; o < 4; o++)
        starfish_task_group_clear(&group[o]);
}

static void too_many_data_are_not_one_task(void **state)
{
    (void)state;
    static struct starfish_task_group group;

    memset(&group, 0, sizeof group);
    for (uintptr_t i = 0; i <= STARFISH_TASK_MAX_DATA; i++)
        record(&group, (int)(i % 2), (const struct use[]){{i + 1, RW}, {0, R}});
    find(&group, 0);
    starfish_task_group_clear(&group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_wait_for_edges),
        cmocka_unit_test(data_have_places),
        cmocka_unit_test(other_data_are_the_same_order),
        cmocka_unit_test(too_many_data_are_not_one_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
