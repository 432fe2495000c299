/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records tasks of a group, and finds their data and their order (task_group.h); nothing here needs CUDA. */
#include "scheduler/runtime/task_group.h"

#include "scheduler/runtime/owner.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = STARFISH_GROUP_NOBODY };

/* ---- Recording --------------------------------------------------------------------------------------------------- */

static int grow(struct starfish_task_group *group)
{
    const size_t room = group->room > 0 ? 2 * group->room : 16;

    if (group->count < group->room)
        return 1;
    struct starfish_group_task *more = realloc(group->task, room * sizeof *more);
    if (!more)
        return 0;
    group->task = more;
    group->room = room;
    return 1;
}

starfish_status starfish_task_group_collect(struct starfish_task_group *group, struct starfish_progress *progress,
                                            starfish_status (*submit)(void *data), void *data)
{
    progress->recorder = &group->recorder;
    const starfish_status status = submit(data);
    progress->recorder = NULL;
    return status;
}

/* The copy takes over data that are allocated. */
static struct starfish_task *copy_of(struct starfish_task *task)
{
    struct starfish_task *copy = malloc(sizeof *copy);

    if (copy) {
        *copy = *task;
        copy->data = task->data == task->few ? copy->few : task->data;
        task->data = task->few;
    }
    return copy;
}

starfish_status starfish_task_group_record(struct starfish_task_group *group, struct starfish_task *task,
                                           const void *arguments, size_t size)
{
    STARFISH_FAIL_IF(!grow(group), STARFISH_ERROR_MEMORY, "out of memory for recorded tasks");
    struct starfish_group_task *recorded = &group->task[group->count++];
    *recorded = (struct starfish_group_task){.task = copy_of(task),
                                             .arguments = malloc(size),
                                             .size = size,
                                             .data = calloc((size_t)task->count + 1, sizeof(int)),
                                             .buffers = calloc((size_t)task->count + 1, sizeof(void *))};
    if (!recorded->task || !recorded->arguments || !recorded->data || !recorded->buffers)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for recorded tasks");
    memcpy(recorded->arguments, arguments, size);
    recorded->arguments->phase = task->phase;
    recorded->arguments->step = task->step;
    return STARFISH_SUCCESS;
}

int starfish_task_group_fits(const struct starfish_task *task)
{
    return task->codelet->cuda_funcs[0] && starfish_device_allows(task->device, 1) &&
           starfish_kind_allowed(task->progress->where, 1);
}

void starfish_task_group_clear(struct starfish_task_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        if (group->task[i].task)
            starfish_task_drop(group->task[i].task);
        free(group->task[i].task);
        free(group->task[i].arguments);
        free(group->task[i].data);
        free(group->task[i].buffers);
    }
    free(group->task);
    group->task = NULL;
    group->count = group->room = 0;
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

static int find_handle(const struct starfish_task_group *group, starpu_data_handle_t handle)
{
    for (int d = 0; d < group->data; d++)
        if (group->datum[d].handle == handle)
            return d;
    return NOBODY;
}

static int add_datum(struct starfish_task_group *group, starpu_data_handle_t handle, enum starpu_data_access_mode mode,
                     int gpu)
{
    if (group->data == STARFISH_TASK_MAX_DATA)
        return NOBODY;
    group->datum[group->data] =
        (struct starfish_group_datum){.handle = handle, .mode = mode, .gpu = gpu, .written_by = NOBODY};
    memset(group->datum[group->data].read_by, NOBODY, sizeof group->datum[0].read_by);
    return group->data++;
}

/* Each handle once, where its last user is: what crosses between GPUs is then written there. What is first written need
 * not be there before. */
static int merge(struct starfish_task_group *group, starpu_data_handle_t handle, enum starpu_data_access_mode mode,
                 int gpu)
{
    const int found = find_handle(group, handle);

    if (found == NOBODY)
        return add_datum(group, handle, mode, gpu);
    if (group->datum[found].mode == STARPU_R && mode != STARPU_R)
        group->datum[found].mode = STARPU_RW;
    group->datum[found].gpu = gpu;
    return found;
}

/* The datum of a handle for a task's GPU: one that is not written has one for each GPU that reads it. */
static int place(struct starfish_task_group *group, starpu_data_handle_t handle, int gpu)
{
    const int found = find_handle(group, handle);

    if (group->datum[found].mode != STARPU_R || group->datum[found].gpu == gpu)
        return found;
    for (int d = found + 1; d < group->data; d++)
        if (group->datum[d].handle == handle && group->datum[d].gpu == gpu)
            return d;
    return add_datum(group, handle, STARPU_R, gpu);
}

/* 0: too many. */
static int find_data(struct starfish_task_group *group)
{
    for (size_t m = 0; m < group->count; m++) {
        const struct starfish_task *task = group->task[m].task;
        for (int i = 0; i < task->count; i++)
            if (merge(group, task->data[i].handle, task->data[i].mode, group->task[m].gpu) == NOBODY)
                return 0;
    }
    for (size_t m = 0; m < group->count; m++)
        for (int i = 0; i < group->task[m].task->count; i++) {
            const int number = place(group, group->task[m].task->data[i].handle, group->task[m].gpu);
            if (number == NOBODY)
                return 0;
            group->task[m].data[i] = number;
        }
    return 1;
}

/* ---- Order ------------------------------------------------------------------------------------------------------- */

static void wait_for(const struct starfish_task_group *group, struct starfish_group_task *grouped, int other)
{
    if (other == NOBODY || group->task[other].gpu == grouped->gpu)
        return;
    int *last = &grouped->waits[group->task[other].gpu];
    if (other > *last)
        *last = other;
}

static void find_waits(struct starfish_task_group *group, size_t m)
{
    struct starfish_group_task *grouped = &group->task[m];
    const struct starfish_task *task = grouped->task;

    for (int i = 0; i < task->count; i++) {
        const struct starfish_group_datum *datum = &group->datum[grouped->data[i]];
        wait_for(group, grouped, datum->written_by);
        for (size_t g = 0; g < STARFISH_GROUP_GPUS && task->data[i].mode != STARPU_R; g++)
            wait_for(group, grouped, datum->read_by[g]);
    }
    for (int i = 0; i < task->count; i++) {
        struct starfish_group_datum *datum = &group->datum[grouped->data[i]];
        *(task->data[i].mode != STARPU_R ? &datum->written_by : &datum->read_by[grouped->gpu]) = (int)m;
    }
}

/* GPUs keep the order of their own tasks: what an earlier one has waited for need not be waited for again. */
static void drop_known(struct starfish_task_group *group)
{
    int known[STARFISH_GROUP_GPUS][STARFISH_GROUP_GPUS];

    memset(known, NOBODY, sizeof known);
    for (size_t m = 0; m < group->count; m++) {
        struct starfish_group_task *grouped = &group->task[m];
        for (size_t g = 0; g < STARFISH_GROUP_GPUS; g++) {
            if (grouped->waits[g] <= known[grouped->gpu][g]) {
                grouped->waits[g] = NOBODY;
                continue;
            }
            known[grouped->gpu][g] = grouped->waits[g];
            group->task[grouped->waits[g]].is_waited_for = 1;
        }
    }
}

int starfish_task_group_order(struct starfish_task_group *group)
{
    for (size_t m = 0; m < group->count; m++) {
        const int gpu = group->task[m].task->device;
        group->task[m].gpu = gpu < 0 || group->gpus == 1 ? 0 : gpu;
        memset(group->task[m].waits, NOBODY, sizeof group->task[m].waits);
    }
    if (!find_data(group))
        return 0;
    for (size_t m = 0; m < group->count; m++)
        find_waits(group, m);
    drop_known(group);
    return 1;
}

static int is_same_task(const struct starfish_group_task *a, const struct starfish_group_task *b)
{
    return a->task->codelet == b->task->codelet && a->size == b->size && a->gpu == b->gpu &&
           a->task->count == b->task->count &&
           memcmp(a->data, b->data, (size_t)a->task->count * sizeof a->data[0]) == 0;
}

int starfish_task_group_is_same(const struct starfish_task_group *a, const struct starfish_task_group *b)
{
    if (a->count != b->count || a->data != b->data)
        return 0;
    for (int d = 0; d < a->data; d++)
        if (a->datum[d].mode != b->datum[d].mode || a->datum[d].gpu != b->datum[d].gpu)
            return 0;
    for (size_t m = 0; m < a->count; m++)
        if (!is_same_task(&a->task[m], &b->task[m]))
            return 0;
    return 1;
}

/* ---- The task ---------------------------------------------------------------------------------------------------- */

void starfish_task_group_attach(const struct starfish_task_group *group, struct starfish_task *whole)
{
    for (int d = 0; d < group->data; d++)
        starfish_task_data(whole, group->datum[d].handle, group->datum[d].mode);
}

void starfish_task_group_launch(const struct starfish_group_task *grouped, struct starfish_progress *progress,
                                void *buffers[])
{
    for (int i = 0; i < grouped->task->count; i++)
        grouped->buffers[i] = buffers[grouped->data[i]];
    grouped->arguments->progress = progress;
    grouped->task->codelet->cuda_funcs[0](grouped->buffers, grouped->arguments);
}
