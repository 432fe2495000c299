/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data and order of tasks of several GPUs. Some hundred data at most are compared with each other, once for a cycle. */
#include "scheduler/runtime/joint_order.h"

#include "scheduler/runtime/owner.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = STARFISH_JOINT_NOBODY };

/* ---- Data -------------------------------------------------------------------------------------------------------- */

static const struct starfish_task *task_of(const struct starfish_joint_order *order, size_t m)
{
    return order->recording.task[m].task;
}

static int find_handle(const struct starfish_joint_order *order, starpu_data_handle_t handle)
{
    for (int d = 0; d < order->count; d++)
        if (order->datum[d].handle == handle)
            return d;
    return NOBODY;
}

static int add_datum(struct starfish_joint_order *order, const struct starfish_joint_datum *datum)
{
    if (order->count == STARFISH_TASK_MAX_DATA)
        return NOBODY;
    order->datum[order->count] = *datum;
    return order->count++;
}

/* Each handle once, where its last user is: what crosses between GPUs is then written there. What is first written need
 * not be there before. */
static int merge(struct starfish_joint_order *order, const struct starfish_joint_datum *wanted)
{
    const int found = find_handle(order, wanted->handle);

    if (found == NOBODY)
        return add_datum(order, wanted);
    if (order->datum[found].mode == STARPU_R && wanted->mode != STARPU_R)
        order->datum[found].mode = STARPU_RW;
    order->datum[found].gpu = wanted->gpu;
    return found;
}

/* The datum of a handle for a member's GPU: what nobody writes has one for each GPU that reads it. */
static int place(struct starfish_joint_order *order, starpu_data_handle_t handle, int gpu)
{
    const int found = find_handle(order, handle);

    if (order->datum[found].mode != STARPU_R || order->datum[found].gpu == gpu)
        return found;
    for (int d = found + 1; d < order->count; d++)
        if (order->datum[d].handle == handle && order->datum[d].gpu == gpu)
            return d;
    return add_datum(order, &(struct starfish_joint_datum){.handle = handle, .mode = STARPU_R, .gpu = gpu});
}

/* 0: too many. */
static int find_data(struct starfish_joint_order *order)
{
    for (size_t m = 0; m < order->recording.count; m++)
        for (int i = 0; i < task_of(order, m)->count; i++) {
            const struct starfish_joint_datum wanted = {.handle = task_of(order, m)->data[i].handle,
                                                        .mode = task_of(order, m)->data[i].mode,
                                                        .gpu = order->member[m].gpu};
            if (merge(order, &wanted) == NOBODY)
                return 0;
        }
    for (size_t m = 0; m < order->recording.count; m++)
        for (int i = 0; i < task_of(order, m)->count; i++) {
            const int number = place(order, task_of(order, m)->data[i].handle, order->member[m].gpu);
            if (number == NOBODY)
                return 0;
            order->recording.task[m].data[i] = number;
        }
    return 1;
}

/* ---- Order ------------------------------------------------------------------------------------------------------- */

static void wait_for(const struct starfish_joint_order *order, struct starfish_joint_member *member, int other)
{
    if (other == NOBODY || order->member[other].gpu == member->gpu)
        return;
    int *last = &member->waits[order->member[other].gpu];
    if (other > *last)
        *last = other;
}

static void find_waits(struct starfish_joint_order *order, size_t m)
{
    struct starfish_joint_member *member = &order->member[m];
    const struct starfish_task *task = task_of(order, m);

    for (int i = 0; i < task->count; i++) {
        const struct starfish_joint_datum *datum = &order->datum[order->recording.task[m].data[i]];
        wait_for(order, member, datum->written_by);
        for (size_t g = 0; g < STARFISH_JOINT_GPUS && task->data[i].mode != STARPU_R; g++)
            wait_for(order, member, datum->read_by[g]);
    }
    for (int i = 0; i < task->count; i++) {
        struct starfish_joint_datum *datum = &order->datum[order->recording.task[m].data[i]];
        *(task->data[i].mode != STARPU_R ? &datum->written_by : &datum->read_by[member->gpu]) = (int)m;
    }
}

/* GPUs keep the order of their own tasks: what an earlier one has waited for need not be waited for again. */
static void drop_known(struct starfish_joint_order *order)
{
    int known[STARFISH_JOINT_GPUS][STARFISH_JOINT_GPUS];

    memset(known, NOBODY, sizeof known);
    for (size_t m = 0; m < order->recording.count; m++) {
        struct starfish_joint_member *member = &order->member[m];
        for (size_t g = 0; g < STARFISH_JOINT_GPUS; g++) {
            if (member->waits[g] <= known[member->gpu][g]) {
                member->waits[g] = NOBODY;
                continue;
            }
            known[member->gpu][g] = member->waits[g];
            order->member[member->waits[g]].is_waited_for = 1;
        }
    }
}

starfish_status starfish_joint_order_find(struct starfish_joint_order *order, int *possible)
{
    order->member = calloc(order->recording.count + 1, sizeof *order->member);
    if (!order->member)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for tasks of several GPUs");
    for (size_t m = 0; m < order->recording.count; m++) {
        const int gpu = starfish_where_gpu(task_of(order, m)->where);
        order->member[m].gpu = gpu < 0 ? 0 : gpu;
        memset(order->member[m].waits, NOBODY, sizeof order->member[m].waits);
    }
    *possible = find_data(order);
    if (!*possible)
        return STARFISH_SUCCESS;
    for (int d = 0; d < order->count; d++) {
        order->datum[d].written_by = NOBODY;
        memset(order->datum[d].read_by, NOBODY, sizeof order->datum[d].read_by);
    }
    for (size_t m = 0; m < order->recording.count; m++)
        find_waits(order, m);
    drop_known(order);
    return STARFISH_SUCCESS;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static int is_same_task(const struct starfish_recorded *a, const struct starfish_recorded *b)
{
    return a->task->codelet == b->task->codelet && a->size == b->size && a->task->count == b->task->count &&
           memcmp(a->data, b->data, (size_t)a->task->count * sizeof a->data[0]) == 0;
}

int starfish_joint_order_is_same(const struct starfish_joint_order *a, const struct starfish_joint_order *b)
{
    if (a->recording.count != b->recording.count || a->count != b->count)
        return 0;
    for (int d = 0; d < a->count; d++)
        if (a->datum[d].mode != b->datum[d].mode || a->datum[d].gpu != b->datum[d].gpu)
            return 0;
    for (size_t m = 0; m < a->recording.count; m++)
        if (a->member[m].gpu != b->member[m].gpu || !is_same_task(&a->recording.task[m], &b->recording.task[m]))
            return 0;
    return 1;
}

void starfish_joint_order_clear(struct starfish_joint_order *order)
{
    starfish_recording_clear(&order->recording);
    free(order->member);
    order->member = NULL;
}
