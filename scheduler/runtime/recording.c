/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that are kept instead of being submitted (recording.h): copies of tasks and arguments, launched later with
 * given data. */
#include "scheduler/runtime/recording.h"

#include <stdlib.h>
#include <string.h>

static starfish_status grow(struct starfish_recording *recording)
{
    const size_t room = recording->room > 0 ? 2 * recording->room : 16;

    if (recording->count < recording->room)
        return STARFISH_SUCCESS;
    struct starfish_recorded *more = realloc(recording->task, room * sizeof *more);
    if (!more)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for recorded tasks");
    recording->task = more;
    recording->room = room;
    return STARFISH_SUCCESS;
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

starfish_status starfish_recording_add(struct starfish_recording *recording, struct starfish_task *task,
                                       const void *arguments, size_t size)
{
    STARFISH_TRY(grow(recording));
    struct starfish_recorded *recorded = &recording->task[recording->count++];
    *recorded = (struct starfish_recorded){.task = copy_of(task),
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

void starfish_recording_clear(struct starfish_recording *recording)
{
    for (size_t i = 0; i < recording->count; i++) {
        if (recording->task[i].task)
            starfish_task_drop(recording->task[i].task);
        free(recording->task[i].task);
        free(recording->task[i].arguments);
        free(recording->task[i].data);
        free(recording->task[i].buffers);
    }
    free(recording->task);
    *recording = (struct starfish_recording){.count = 0};
}

void starfish_recorded_launch(const struct starfish_recorded *recorded, struct starfish_progress *progress,
                              void *buffers[])
{
    for (int i = 0; i < recorded->task->count; i++)
        recorded->buffers[i] = buffers[recorded->data[i]];
    recorded->arguments->progress = progress;
    recorded->task->codelet->cuda_funcs[0](recorded->buffers, recorded->arguments);
}
