/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two functions of a codelet, for cores and for GPUs, by one sequence of kernels in two precisions.
 *
 * STARFISH_PLACE_CODELET(operation, type, precision, label, color) is STARFISH_CODELET with two functions that call the
 * file's
 *     static void operation_here(const struct starfish_place *place, void *buffers[], const struct type *a)
 * with the core or the GPU that runs the task. The place has that precision, an expression in the arguments `a`, and no
 * work space. The function reports errors of launches by starfish_task_check, which ignores the 0 of cores.
 *
 * STARFISH_KERNEL_CODELET(operation, kernel, label, color) is for a task that is one kernel. It unpacks the file's
 * `struct arguments` (with members `header` and `precision`) by its function
 *     static struct kernel with_pointers(void *buffers[], const struct arguments *arguments)
 * and calls kernel_cpu_f32, kernel_cpu_f64, kernel_cuda_f32 or kernel_cuda_f64.
 *
 * STARFISH_SHARED_KERNEL_CODELET(operation, kernel, label, color) does the same, but on CPUs the cores of the worker's
 * team share the work: the file's
 *     static int share_of(struct kernel *kernel, starfish_precision precision, size_t part, size_t parts)
 * makes the whole kernel that of one core, and says whether there is anything to do. */
#ifndef STARFISH_CODELETS_KERNEL_PAIR_H
#define STARFISH_CODELETS_KERNEL_PAIR_H

#include "base/place.h"
#include "base/real.h"
#include "scheduler/runtime/task.h"

struct starfish_context;

/* Calls work(place, data, part, parts) and returns the first error. On a GPU there is one part. On a CPU worker each
 * core of the team has one, and all run at once. */
typedef int starfish_place_work(const struct starfish_place *place, void *data, size_t part, size_t parts);
int starfish_place_share(const struct starfish_place *place, const struct starfish_context *context,
                         starfish_place_work *work, void *data);
/* `data` of work that needs a task's buffers and its arguments, the file's `struct arguments`. */
struct starfish_task_parameters {
    void **buffers;
    const void *arguments;
};

#ifdef STARFISH_HAVE_GPU
#define STARFISH_PLACE_FUNCTION_CUDA(operation, type, precision)                                                       \
    static void operation##_cuda(void *buffers[], void *data)                                                          \
    {                                                                                                                  \
        const struct type *a = data;                                                                                   \
        const struct starfish_place place = {precision, 1, starfish_task_stream(), NULL};                              \
        operation##_here(&place, buffers, a);                                                                          \
    }
#else
#define STARFISH_PLACE_FUNCTION_CUDA(operation, type, precision)
#endif
#define STARFISH_PLACE_CODELET(operation, type, precision, label, color)                                               \
    static void operation##_cpu(void *buffers[], void *data)                                                           \
    {                                                                                                                  \
        const struct type *a = data;                                                                                   \
        const struct starfish_place place = {precision, 0, NULL, NULL};                                                \
        operation##_here(&place, buffers, a);                                                                          \
    }                                                                                                                  \
    STARFISH_PLACE_FUNCTION_CUDA(operation, type, precision)                                                           \
    STARFISH_CODELET(operation, label, color)

#define STARFISH_KERNEL_CODELET(operation, kernel_name, label, color)                                                  \
    STARFISH_PLACE_KERNEL(operation##_run, kernel_name)                                                                \
    static void operation##_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)       \
    {                                                                                                                  \
        const struct kernel_name kernel = with_pointers(buffers, a);                                                   \
        starfish_task_check(&a->header, #operation, operation##_run(place, &kernel));                                  \
    }                                                                                                                  \
    STARFISH_PLACE_CODELET(operation, arguments, a->precision, label, color)

#define STARFISH_SHARED_KERNEL_CODELET(operation, kernel_name, label, color)                                           \
    STARFISH_PLACE_KERNEL(operation##_run, kernel_name)                                                                \
    static int operation##_share(const struct starfish_place *place, void *data, size_t part, size_t parts)            \
    {                                                                                                                  \
        struct kernel_name kernel = *(const struct kernel_name *)data;                                                 \
        return share_of(&kernel, place->precision, part, parts) ? operation##_run(place, &kernel) : 0;                 \
    }                                                                                                                  \
    static void operation##_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)       \
    {                                                                                                                  \
        struct kernel_name kernel = with_pointers(buffers, a);                                                         \
        starfish_task_check(&a->header, #operation,                                                                    \
                            starfish_place_share(place, a->header.progress->context, operation##_share, &kernel));     \
    }                                                                                                                  \
    STARFISH_PLACE_CODELET(operation, arguments, a->precision, label, color)

/* Pointers of the data that a task works on, by position. */
#define STARFISH_VECTOR(buffers, index) ((void *)STARPU_VECTOR_GET_PTR((buffers)[index]))
#define STARFISH_SLAB(buffers, index) ((void *)STARPU_BLOCK_GET_PTR((buffers)[index]))

/* The vector at a position; NULL where that is -1. */
static inline void *starfish_optional(void *buffers[], int index)
{
    return index < 0 ? NULL : STARFISH_VECTOR(buffers, index);
}

/* Element `index` of an array of reals of `precision`. */
static inline void *starfish_real_at(void *array, starfish_precision precision, size_t index)
{
    return (char *)array + index * starfish_real_size(precision);
}

#endif
