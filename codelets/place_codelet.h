/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Codelets whose one function serves both kinds of worker.
 *
 * STARFISH_PLACE_CODELET(operation, type, member, label, color) is STARFISH_CODELET with two functions that call the
 * file's
 *     static void operation_here(const struct starfish_place *place, void *buffers[], const struct type *arguments)
 * with the core or the GPU that runs the task. The place has the precision arguments->member, and no work space. The
 * function reports errors of launches by starfish_task_check, which ignores the 0 of cores. */
#ifndef STARFISH_CODELETS_PLACE_CODELET_H
#define STARFISH_CODELETS_PLACE_CODELET_H

#include "base/place.h"
#include "scheduler/runtime/task.h"

struct starfish_context;

/* Calls work(place, data, part, parts) and returns the first error. On a GPU there is one part. On a CPU worker each
 * core of the team has one, and all run at once. */
typedef int starfish_place_work(const struct starfish_place *place, void *data, size_t part, size_t parts);
int starfish_place_share(const struct starfish_place *place, const struct starfish_context *context,
                         starfish_place_work *work, void *data);

#ifdef STARFISH_HAVE_GPU
#define STARFISH_PLACE_FUNCTION_CUDA(operation, type, member)                                                          \
    static void operation##_cuda(void *buffers[], void *data)                                                          \
    {                                                                                                                  \
        const struct type *arguments = data;                                                                           \
        const struct starfish_place place = {arguments->member, 1, starfish_task_stream(), NULL};                      \
        operation##_here(&place, buffers, arguments);                                                                  \
    }
#else
#define STARFISH_PLACE_FUNCTION_CUDA(operation, type, member)
#endif
#define STARFISH_PLACE_CODELET(operation, type, member, label, color)                                                  \
    static void operation##_cpu(void *buffers[], void *data)                                                           \
    {                                                                                                                  \
        const struct type *arguments = data;                                                                           \
        const struct starfish_place place = {.precision = arguments->member};                                          \
        operation##_here(&place, buffers, arguments);                                                                  \
    }                                                                                                                  \
    STARFISH_PLACE_FUNCTION_CUDA(operation, type, member)                                                              \
    STARFISH_CODELET(operation, label, color)

#endif
