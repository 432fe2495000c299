/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables, work space, and the submission, counting and failing of tasks: a codelet of the test's own sums numbers. */
#include "scheduler/runtime/task.h"

#include "scheduler/lab/record.h"
#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/workspace.h"
#include "tests/common/check.h"
#include "tests/common/group.h"

#include <starfish/starfish.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static starfish_context *context;

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static void tables_are_converted_copies(void **state)
{
    (void)state;
    double values[] = {0.1, -2, 1e300};
    int numbers[] = {3, -1};
    struct starfish_coefficient_table f32, f64, ints, results;
    ASSERT_OK(starfish_coefficient_table_reals(&f32, STARFISH_F32, values, 2));
    ASSERT_OK(starfish_coefficient_table_reals(&f64, STARFISH_F64, values, 3));
    ASSERT_OK(starfish_coefficient_table_ints(&ints, numbers, 2));
    ASSERT_OK(starfish_coefficient_table_results(&results, 4));
    values[1] = numbers[1] = 0;
    assert_true(((float *)f32.memory)[0] == 0.1f && ((float *)f32.memory)[1] == -2);
    assert_true(((double *)f64.memory)[1] == -2 && ((double *)f64.memory)[2] == 1e300);
    assert_true(((int *)ints.memory)[0] == 3 && ((int *)ints.memory)[1] == -1);
    assert_int_equal(starpu_vector_get_nx(f32.handle), 2);
    assert_int_equal(starpu_vector_get_elemsize(f32.handle), 4);
    assert_int_equal(starpu_vector_get_elemsize(f64.handle), 8);
    assert_int_equal(starpu_vector_get_nx(results.handle), 4);
    starfish_coefficient_table_destroy(&f32);
    starfish_coefficient_table_destroy(&f64);
    starfish_coefficient_table_destroy(&ints);
    starfish_coefficient_table_destroy(&results);
    assert_null(f32.handle);
    starfish_coefficient_table_destroy(&f32); /* twice is once */
}

static void empty_tables_are_allowed(void **state)
{
    (void)state;
    struct starfish_coefficient_table reals, ints;
    ASSERT_OK(starfish_coefficient_table_reals(&reals, STARFISH_F64, NULL, 0));
    ASSERT_OK(starfish_coefficient_table_ints(&ints, NULL, 0));
    assert_non_null(reals.handle);
    assert_int_equal(reals.count, 0);
    starfish_coefficient_table_destroy(&reals);
    starfish_coefficient_table_destroy(&ints);
}

static void refuses_impossible_tables(void **state)
{
    (void)state;
    struct starfish_coefficient_table vector;
    starpu_data_handle_t handle;
    ASSERT_FAILS(starfish_coefficient_table_results(&vector, SIZE_MAX / 4), STARFISH_ERROR_MEMORY, "out of memory");
    ASSERT_FAILS(starfish_array_register(&handle, 0, 8), STARFISH_ERROR_ARGUMENT, "0 elements");
    ASSERT_FAILS(starfish_array_register(&handle, (size_t)UINT32_MAX + 1, 8), STARFISH_ERROR_ARGUMENT, "elements");
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    int count, add, cuda_error;
    const struct starfish_workspace *workspace;
};

/* The first datum becomes the sum of all, plus `add`. */
static void sum_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    double sum = a->add;
    for (int i = 0; i < a->count; i++)
        sum += *(double *)STARPU_VECTOR_GET_PTR(buffers[i]);
    *(double *)STARPU_VECTOR_GET_PTR(buffers[0]) = sum;
    if (a->workspace)
        memset(starfish_workspace_here(a->workspace), 0xff, a->workspace->bytes[STARFISH_CPU]);
    starfish_task_check(&a->header, "summing", a->cuda_error);
}

/* Never called: what it does on a GPU is not the subject. */
#ifdef STARFISH_HAVE_GPU
static void sum_cuda(void *buffers[], void *data)
{
    (void)buffers;
    (void)data;
}
#endif
STARFISH_CODELET(sum, "test_sum", 0x123456);

static starfish_status submit_sum(struct starfish_progress *progress, int phase,
                                  const struct starfish_coefficient_table *data, struct arguments *arguments)
{
    const size_t size = (size_t)arguments->count;
    struct starfish_task task;
    starfish_task_begin(&task, &sum_codelet, progress, phase);
    for (int i = 0; i < arguments->count; i++)
        starfish_task_data(&task, data[i].handle, i == 0 ? STARPU_RW : STARPU_R);
    arguments->header.footprint = starfish_footprint_of(&size, 1);
    return starfish_task_submit(&task, arguments, sizeof *arguments);
}

static double value_of(const struct starfish_coefficient_table *vector)
{
    starpu_data_acquire(vector->handle, STARPU_R);
    const double value = *(double *)vector->memory;
    starpu_data_release(vector->handle);
    return value;
}

static void tasks_take_more_data_than_starpus_arrays_hold(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, STARPU_NMAXBUFS, STARPU_NMAXBUFS + 1, STARFISH_TASK_MAX_DATA};
    static struct starfish_coefficient_table data[STARFISH_TASK_MAX_DATA];
    struct starfish_progress progress;
    double expected = 0;
    starfish_progress_init(&progress, context);
    for (int i = 0; i < STARFISH_TASK_MAX_DATA; i++) {
        const double value = i;
        ASSERT_OK(starfish_coefficient_table_reals(&data[i], STARFISH_F64, &value, 1));
    }
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct arguments arguments = {.count = counts[c], .add = 1};
        ASSERT_OK(submit_sum(&progress, 0, data, &arguments));
        arguments.add = 1000; /* the task has its own copy */
        expected += 1 + (double)counts[c] * (counts[c] - 1) / 2;
    }
    ASSERT_OK(starfish_progress_wait(&progress));
    assert_true(value_of(&data[0]) == expected);
    for (int i = 0; i < STARFISH_TASK_MAX_DATA; i++)
        starfish_coefficient_table_destroy(&data[i]);
    starfish_progress_destroy(&progress);
}

/* One datum too many, or many, is an error of the submission, and nothing is submitted. */
static void too_many_data_are_refused(void **state)
{
    (void)state;
    struct starfish_coefficient_table number;
    struct starfish_progress progress;
    struct {
        struct starfish_task task;
        unsigned char guard[64];
    } room;
    struct arguments arguments = {.count = 1};
    ASSERT_OK(starfish_coefficient_table_results(&number, 1));
    starfish_progress_init(&progress, context);
    for (int more = 1; more < 100; more += 98) {
        memset(&room, 0x5a, sizeof room);
        starfish_task_begin(&room.task, &sum_codelet, &progress, 0);
        for (int i = 0; i < STARFISH_TASK_MAX_DATA + more; i++)
            starfish_task_data(&room.task, number.handle, STARPU_R);
        ASSERT_FAILS(starfish_task_submit(&room.task, &arguments, sizeof arguments), STARFISH_ERROR_RUNTIME,
                     more == 1 ? "codelet test_sum: 545 data, but at most 544" : "codelet test_sum: 643 data");
        for (size_t i = 0; i < sizeof room.guard; i++)
            assert_int_equal(room.guard[i], 0x5a);
    }
    ASSERT_OK(starfish_progress_wait(&progress));
    assert_int_equal(atomic_load(&progress.submitted), 0);
    starfish_progress_destroy(&progress);
    starfish_coefficient_table_destroy(&number);
}

static void counts_and_times_what_is_done(void **state)
{
    (void)state;
    enum { TASKS = 200 };
    struct starfish_coefficient_table number;
    struct starfish_progress progress;
    starfish_progress_init(&progress, context);
    ASSERT_OK(starfish_progress_wait(&progress)); /* nothing to wait for */
    assert_true(starfish_interval_seconds(progress.phase[0].span) == 0);
    ASSERT_OK(starfish_coefficient_table_results(&number, 1));
    for (int i = 0; i < TASKS; i++) {
        struct arguments arguments = {.count = 1, .add = 1};
        ASSERT_OK(submit_sum(&progress, i % 2, &number, &arguments));
        assert_true(atomic_load(&progress.finished) <= atomic_load(&progress.submitted));
    }
    ASSERT_OK(starfish_progress_wait(&progress));
    assert_int_equal(atomic_load(&progress.submitted), TASKS);
    assert_int_equal(atomic_load(&progress.finished), TASKS);
    assert_int_equal(progress.done[STARFISH_CPU].tasks, TASKS);
    assert_int_equal(progress.done[STARFISH_GPU].tasks, 0);
    assert_true(progress.done[STARFISH_CPU].busy_seconds > 0);
    assert_true(starfish_interval_seconds(progress.phase[0].span) > 0);
    assert_true(starfish_interval_seconds(progress.phase[1].span) > 0);
    assert_true(starfish_interval_seconds(progress.phase[2].span) == 0);
    assert_true(value_of(&number) == TASKS);
    starfish_coefficient_table_destroy(&number);
    starfish_progress_destroy(&progress);
}

enum { SUBMITTERS = 4, TASKS_OF_EACH = 500 };

static void *submit_many(void *data)
{
    struct starfish_progress *progress = data;
    struct starfish_coefficient_table number;
    starfish_status status = starfish_coefficient_table_results(&number, 1);
    for (int i = 0; i < TASKS_OF_EACH && status == STARFISH_SUCCESS; i++) {
        struct arguments arguments = {.count = 1, .add = 1};
        status = submit_sum(progress, i % 2, &number, &arguments);
    }
    const int right = status == STARFISH_SUCCESS && value_of(&number) == TASKS_OF_EACH;
    starfish_coefficient_table_destroy(&number);
    return right ? progress : NULL;
}

/* StarPU has one number of the iteration for all threads, and ends the program where two of them set it at once. */
static void threads_submit_what_is_watched(void **state)
{
    (void)state;
    struct starfish_progress progress;
    struct starfish_record *record;
    pthread_t thread[SUBMITTERS];
    starfish_progress_init(&progress, context);
    ASSERT_OK(starfish_record_start(context, &record));
    for (int i = 0; i < SUBMITTERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, submit_many, &progress), 0);
    for (int i = 0; i < SUBMITTERS; i++) {
        void *right;
        assert_int_equal(pthread_join(thread[i], &right), 0);
        assert_ptr_equal(right, &progress);
    }
    ASSERT_OK(starfish_progress_wait(&progress));
    ASSERT_OK(starfish_record_stop(record));
    assert_int_equal(record->tasks, SUBMITTERS * TASKS_OF_EACH);
    starfish_record_free(record);
    starfish_progress_destroy(&progress);
}

/* The first error of a kernel's launch is the job's, the other tasks run on, and the next job is not touched. */
static void errors_of_kernels_reach_whoever_waits(void **state)
{
    (void)state;
    struct starfish_coefficient_table number;
    ASSERT_OK(starfish_coefficient_table_results(&number, 1));
    for (int round = 0; round < 3; round++) {
        struct starfish_progress progress;
        starfish_progress_init(&progress, context);
        for (int i = 0; i < 10; i++) {
            struct arguments arguments = {.count = 1, .add = 1, .cuda_error = round == 1 && i >= 4 ? 9 : 0};
            ASSERT_OK(submit_sum(&progress, 0, &number, &arguments));
        }
        if (round == 1)
            ASSERT_FAILS(starfish_progress_wait(&progress), STARFISH_ERROR_RUNTIME, "task summing: ");
        else
            ASSERT_OK(starfish_progress_wait(&progress));
        assert_int_equal(atomic_load(&progress.finished), 10);
        starfish_progress_destroy(&progress);
    }
    assert_true(value_of(&number) == 30);
    starfish_coefficient_table_destroy(&number);
}

static void footprints_tell_sizes_apart(void **state)
{
    (void)state;
    const size_t a[] = {1, 2, 3}, b[] = {1, 3, 2}, c[] = {1, 2, (size_t)3 << 32};
    assert_int_equal(starfish_footprint_of(a, 3), starfish_footprint_of((size_t[]){1, 2, 3}, 3));
    assert_int_not_equal(starfish_footprint_of(a, 3), starfish_footprint_of(b, 3));
    assert_int_not_equal(starfish_footprint_of(a, 3), starfish_footprint_of(c, 3));
    assert_int_not_equal(starfish_footprint_of(a, 3), starfish_footprint_of(a, 2));
}

/* ---- Work space -------------------------------------------------------------------------------------------------- */

static void every_worker_has_its_piece(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 64, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct starfish_workspace workspace;
        struct starfish_progress progress;
        struct starfish_coefficient_table number[4];
        ASSERT_OK(starfish_workspace_create(&workspace, context, sizes[s], SIZE_MAX / 2));
        for (size_t w = 0; w < starfish_context_workers(context); w++) {
            assert_non_null(workspace.piece[w]);
            assert_int_equal((uintptr_t)workspace.piece[w] % 64, 0);
            for (size_t other = 0; other < w; other++)
                assert_ptr_not_equal(workspace.piece[w], workspace.piece[other]);
        }
        starfish_progress_init(&progress, context);
        for (int i = 0; i < 4; i++)
            ASSERT_OK(starfish_coefficient_table_results(&number[i], 1));
        for (int i = 0; i < 40; i++) {
            struct arguments arguments = {.count = 1, .workspace = &workspace};
            ASSERT_OK(submit_sum(&progress, 0, &number[i % 4], &arguments));
        }
        ASSERT_OK(starfish_progress_wait(&progress));
        for (int i = 0; i < 4; i++)
            starfish_coefficient_table_destroy(&number[i]);
        starfish_progress_destroy(&progress);
        starfish_workspace_destroy(&workspace);
        starfish_workspace_destroy(&workspace); /* twice is once */
    }
}

static void work_space_that_cannot_be_had_is_refused(void **state)
{
    (void)state;
    struct starfish_workspace workspace;
    ASSERT_FAILS(starfish_workspace_create(&workspace, context, SIZE_MAX / 2, 0), STARFISH_ERROR_MEMORY, "on a core");
    starfish_workspace_destroy(&workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_converted_copies),
        cmocka_unit_test(empty_tables_are_allowed),
        cmocka_unit_test(refuses_impossible_tables),
        cmocka_unit_test(tasks_take_more_data_than_starpus_arrays_hold),
        cmocka_unit_test(too_many_data_are_refused),
        cmocka_unit_test(counts_and_times_what_is_done),
        cmocka_unit_test(threads_submit_what_is_watched),
        cmocka_unit_test(errors_of_kernels_reach_whoever_waits),
        cmocka_unit_test(footprints_tell_sizes_apart),
        cmocka_unit_test(every_worker_has_its_piece),
        cmocka_unit_test(work_space_that_cannot_be_had_is_refused),
    };
    return TEST_GROUP("tasks", tests, &context, 0, -1, 0);
}
