/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of tasks and what they say: dependencies, spans, bounds. Area bounds are compared with trying all
 * assignments. */
#include "scheduler/lab/account.h"
#include "scheduler/runtime/coefficient_table.h"

#include "tests/common/check.h"
#include "tests/common/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <starfish/starfish.h>

static starfish_context *context;

enum { KINDS = STARFISH_WORKER_KINDS };

/* ---- The area bound, against trying all ways --------------------------------------------------------------------- */

/* Tasks are divisible in the bound, so no whole assignment is faster; and one is slower by at most its largest task. */
static double best_whole_assignment(size_t count, const double (*duration)[KINDS], const size_t *workers)
{
    double best = (double)INFINITY;
    for (unsigned gpus = 0; gpus < 1u << count; gpus++) {
        double sum[KINDS] = {0};
        for (size_t i = 0; i < count; i++)
            sum[gpus >> i & 1] += duration[i][gpus >> i & 1];
        best = fmin(best, fmax(sum[0] / (double)workers[0], sum[1] / (double)workers[1]));
    }
    return best;
}

static void area_bound_of_two_kinds(void **state)
{
    (void)state;
    enum { COUNT = 9 };
    unsigned seed = 1;
    for (int round = 0; round < 500; round++) {
        double duration[COUNT][KINDS], largest = 0;
        size_t order[COUNT], workers[KINDS] = {1 + (size_t)(round % 3), 1 + (size_t)(round % 2)};
        for (size_t i = 0; i < COUNT; i++)
            for (int kind = 0; kind < KINDS; kind++) {
                seed = seed * 1664525u + 1013904223u;
                duration[i][kind] = 1 + (seed >> 20) % 100;
                largest = fmax(largest, duration[i][kind]);
            }
        if (round % 4 == 1)
            duration[0][STARFISH_CPU] = (double)INFINITY;
        if (round % 4 == 2)
            duration[1][STARFISH_GPU] = (double)INFINITY;
        const double bound = starfish_area_bound(COUNT, (const double(*)[KINDS])duration, workers, order);
        const double whole = best_whole_assignment(COUNT, (const double(*)[KINDS])duration, workers);
        assert_true(bound <= whole * (1 + 1e-12));
        assert_true(bound >= whole - largest);
    }
}

static void area_bound_by_hand(void **state)
{
    (void)state;
    size_t order[2];
    /* Two tasks alike: x of them on the GPU, 10 x = (2 - x) 30, so 15. */
    static const double alike[2][KINDS] = {{30, 10}, {30, 10}};
    assert_true(fabs(starfish_area_bound(2, alike, (size_t[]){1, 1}, order) - 15) < 1e-12);
    assert_true(fabs(starfish_area_bound(2, alike, (size_t[]){2, 0}, order) - 30) < 1e-12);
    assert_true(fabs(starfish_area_bound(2, alike, (size_t[]){0, 1}, order) - 20) < 1e-12);
    /* Only the cores can do the first: the GPU takes the second. */
    static const double fixed[2][KINDS] = {{30, (double)INFINITY}, {30, 10}};
    assert_true(fabs(starfish_area_bound(2, fixed, (size_t[]){1, 1}, order) - 30) < 1e-12);
}

/* ---- A record of tasks made by hand ------------------------------------------------------------------------------ */

static void spin(void *buffers[], void *argument)
{
    (void)buffers;
    (void)argument;
    const double end = starpu_timing_now() + 300;
    while (starpu_timing_now() < end)
        continue;
}

static struct starpu_codelet spin_codelet = {
    .cpu_funcs = {spin}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "spin", .color = 0x123456};

struct access {
    int data;
    enum starpu_data_access_mode mode;
};

static void submit(struct starfish_progress *progress, starpu_data_handle_t *data, size_t width, struct access first,
                   struct access second)
{
    struct starfish_task task;
    struct starfish_task_header header = {.footprint = 0};
    starfish_task_begin(&task, &spin_codelet, progress, 3);
    task.width = width;
    starfish_task_at(&task, "slab", data[first.data], 0);
    starfish_task_data(&task, data[first.data], first.mode);
    if (second.data >= 0)
        starfish_task_data(&task, data[second.data], second.mode);
    ASSERT_OK(starfish_task_submit(&task, &header, sizeof header));
}

static const struct access nothing = {-1, STARPU_NONE};

/* writer(0), readers (0) twice, the second into 1, then 0 is written again, and 2 stands alone. */
static struct starfish_record *record_of_five(void)
{
    struct starfish_record *record;
    struct starfish_progress progress;
    starpu_data_handle_t data[3];
    for (int d = 0; d < 3; d++) {
        ASSERT_OK(starfish_array_register(&data[d], 4, sizeof(double)));
        starpu_data_set_coordinates(data[d], 1, 10 + d);
    }
    starfish_progress_init(&progress, context);
    ASSERT_OK(starfish_record_start(context, &record));
    submit(&progress, data, 7, (struct access){0, STARPU_W}, nothing);
    submit(&progress, data, 7, (struct access){0, STARPU_R}, nothing);
    submit(&progress, data, 7, (struct access){1, STARPU_W}, (struct access){0, STARPU_R});
    submit(&progress, data, 7, (struct access){0, STARPU_RW}, nothing);
    submit(&progress, data, 7, (struct access){2, STARPU_W}, nothing);
    ASSERT_OK(starfish_progress_wait(&progress));
    ASSERT_OK(starfish_record_stop(record));
    starfish_progress_destroy(&progress);
    for (int d = 0; d < 3; d++)
        starfish_array_unregister(data[d]);
    return record;
}

static void dependencies_are_the_datas(void **state)
{
    (void)state;
    static const struct starfish_edge expected[] = {{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    struct starfish_record *record = record_of_five();
    assert_int_equal(record->tasks, 5);
    assert_int_equal(record->edges, 5);
    assert_memory_equal(record->edge, expected, sizeof expected);
    for (size_t e = 0; e < record->edges; e++)
        assert_true(record->task[record->edge[e].from].end <= record->task[record->edge[e].to].start);
    starfish_record_free(record);
}

static void spans_are_told(void **state)
{
    (void)state;
    static const int slab[] = {10, 10, 11, 10, 12};
    struct starfish_record *record = record_of_five();
    for (size_t i = 0; i < record->tasks; i++) {
        const struct starfish_task_span *span = &record->task[i];
        assert_string_equal(span->name, "spin");
        assert_int_equal(span->colour, 0x123456);
        assert_int_equal(span->width, 7);
        assert_int_equal(span->phase, 3);
        assert_int_equal(span->coordinates, 1);
        assert_string_equal(span->at[0].name, "slab");
        assert_int_equal(span->at[0].value, slab[i]);
        assert_in_range(span->worker, 0, starfish_context_workers(context) - 1);
        assert_int_equal(span->bytes, i == 2 ? 64 : 32);
        assert_true(span->submitted <= span->ready && span->ready <= span->start);
        assert_true(span->end - span->start >= 299);
        for (size_t other = 0; other < i; other++)
            assert_true(record->task[other].worker != span->worker || record->task[other].end <= span->start ||
                        record->task[other].start >= span->end);
    }
    starfish_record_free(record);
}

static void the_account_adds_up(void **state)
{
    (void)state;
    struct starfish_record *record = record_of_five();
    const struct starfish_account account = starfish_account_of(record);
    const double workers = (double)starfish_context_workers(context), span = account.end - account.begin;
    double sum = 0, longest = 0;
    for (size_t i = 0; i < record->tasks; i++)
        sum += record->task[i].end - record->task[i].start;
    assert_int_equal(account.tasks[STARFISH_CPU], 5);
    assert_int_equal(account.tasks[STARFISH_GPU], 0);
    assert_true(fabs(account.busy[STARFISH_CPU] - sum) < 1e-6);
    assert_true(fabs(account.idle[STARFISH_CPU] + sum - workers * span) < 1e-6);
    assert_true(account.idle[STARFISH_GPU] == 0 && account.busy[STARFISH_GPU] == 0);
    /* There is no model, so both bounds are of the times themselves: 0, then 1 or 2, then 3. */
    assert_true(fabs(account.area - sum / workers) < 1e-6);
    for (size_t middle = 1; middle <= 2; middle++)
        longest = fmax(longest, record->task[middle].end - record->task[middle].start);
    longest += record->task[0].end - record->task[0].start + record->task[3].end - record->task[3].start;
    const double alone = record->task[4].end - record->task[4].start; /* the longest where the system stopped it */
    assert_true(fabs(account.critical_path - fmax(longest, alone)) < 1e-6);
    assert_int_equal(account.path_tasks, alone > longest ? 1 : 3);
    assert_true(account.area <= span && account.critical_path <= span);
    starfish_record_free(record);
}

static void the_waiting_path_leads_from_the_end_to_the_begin(void **state)
{
    (void)state;
    struct starfish_record *record = record_of_five();
    char path[5];
    size_t first = 5, last = 0;
    starfish_waiting_path(record, path);
    for (size_t i = 0; i < 5; i++)
        if (path[i]) {
            first = first == 5 || record->task[i].start < record->task[first].start ? i : first;
            last = record->task[i].end > record->task[last].end ? i : last;
        }
    for (size_t i = 0; i < 5; i++) {
        assert_true(record->task[i].end <= record->task[last].end);
        for (size_t other = 0; other < i; other++)
            assert_true(!path[i] || !path[other] || record->task[other].end <= record->task[i].start ||
                        record->task[i].end <= record->task[other].start);
    }
    /* What nothing is before: the first writer or the task that stands alone. */
    assert_true(first == 0 || first == 4);
    starfish_record_free(record);
}

/* ---- A record of a solve ----------------------------------------------------------------------------------------- */

static void a_solve_is_recorded_whole(void **state)
{
    (void)state;
    enum { N = 16, SLABS = 4, PARTS = 3 };
    struct starfish_poisson_problem problem = {.lambda = -1};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_record *record, *second;
    starfish_plan *plan;
    static double field[N * N * N];
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    options.method = STARFISH_METHOD_SLAB;
    options.slabs = SLABS;
    options.mode_blocks = PARTS;
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    ASSERT_OK(starfish_record_start(context, &record));
    ASSERT_FAILS(starfish_record_start(context, &second), STARFISH_ERROR_ARGUMENT, "already");
    field[0] = 1;
    ASSERT_OK(starfish_plan_solve(plan, NULL, field, field, NULL));
    ASSERT_OK(starfish_record_stop(record));
    ASSERT_OK(starfish_plan_solve(plan, NULL, field, field, NULL)); /* nobody listens any more */
    starfish_plan_destroy(plan);
    int count[4] = {0};
    static const char *const names[4] = {"forward", "reduced", "backward", "bring home"};
    for (size_t i = 0; i < record->tasks; i++)
        for (int name = 0; name < 4; name++)
            if (strcmp(record->task[i].name, names[name]) == 0) {
                assert_int_equal(record->task[i].coordinates, 1);
                assert_string_equal(record->task[i].at[0].name, name == 1 ? "part" : "slab");
                assert_int_equal(record->task[i].at[0].value, count[name]++);
                assert_int_equal(record->task[i].worker < 0, name == 3);
            }
    assert_int_equal(count[0], SLABS);
    assert_int_equal(count[1], PARTS);
    assert_int_equal(count[2], SLABS);
    assert_int_equal(count[3], SLABS);
    assert_int_equal(record->tasks, 3 * SLABS + PARTS);
    const struct starfish_account account = starfish_account_of(record);
    assert_int_equal(account.tasks[STARFISH_CPU], 2 * SLABS + PARTS);
    assert_int_equal(account.path_tasks, 3);
    starfish_record_free(record);
    starfish_record_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(area_bound_of_two_kinds),
        cmocka_unit_test(area_bound_by_hand),
        cmocka_unit_test(dependencies_are_the_datas),
        cmocka_unit_test(spans_are_told),
        cmocka_unit_test(the_account_adds_up),
        cmocka_unit_test(the_waiting_path_leads_from_the_end_to_the_begin),
        cmocka_unit_test(a_solve_is_recorded_whole),
    };
    return TEST_GROUP("account", tests, &context, 0, -1, 0);
}
