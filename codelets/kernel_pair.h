/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two functions of a codelet whose work is one kernel in two precisions and on two kinds of device.
 *
 * STARFISH_KERNEL_PAIR(operation, kernel) defines operation_cpu and operation_cuda, which unpack the file's
 * `struct arguments` (with members `header` and `precision`) by its function
 *     static struct kernel with_pointers(void *buffers[], const struct arguments *arguments)
 * and call kernel_cpu_f32, kernel_cpu_f64, kernel_cuda_f32 or kernel_cuda_f64.
 * STARFISH_KERNEL_PAIR_OF(operation, type, kernel) is for a kernel whose argument is another one's, struct type.
 *
 * STARFISH_SHARED_KERNEL_PAIR(operation, kernel) does the same, but on CPUs the cores of the worker's team share the
 * work: the file's
 *     static int share_of(struct kernel *kernel, starfish_precision precision, size_t part, size_t parts)
 * makes the whole kernel that of one core, and says whether there is anything to do. */
#ifndef STARFISH_CODELETS_KERNEL_PAIR_H
#define STARFISH_CODELETS_KERNEL_PAIR_H

#include "base/real.h"
#include "scheduler/runtime/task.h"
#include "scheduler/runtime/team.h"

#define STARFISH_KERNEL_PAIR_CPU(operation, type, kernel_name)                                                         \
    static void operation##_cpu(void *buffers[], void *data)                                                           \
    {                                                                                                                  \
        static void (*const kernels[])(const struct type *) = {kernel_name##_cpu_f32, kernel_name##_cpu_f64};          \
        const struct arguments *arguments = data;                                                                      \
        const struct type kernel = with_pointers(buffers, arguments);                                                  \
        kernels[arguments->precision](&kernel);                                                                        \
    }

#define STARFISH_SHARED_KERNEL_PAIR_CPU(operation, kernel_name)                                                        \
    struct operation##_whole {                                                                                         \
        starfish_precision precision;                                                                                  \
        struct kernel_name kernel;                                                                                     \
    };                                                                                                                 \
    static void operation##_on_a_core(void *data, size_t part, size_t parts)                                           \
    {                                                                                                                  \
        static void (*const kernels[])(const struct kernel_name *) = {kernel_name##_cpu_f32, kernel_name##_cpu_f64};   \
        const struct operation##_whole *whole = data;                                                                  \
        struct kernel_name kernel = whole->kernel;                                                                     \
        if (share_of(&kernel, whole->precision, part, parts))                                                          \
            kernels[whole->precision](&kernel);                                                                        \
    }                                                                                                                  \
    static void operation##_cpu(void *buffers[], void *data)                                                           \
    {                                                                                                                  \
        const struct arguments *arguments = data;                                                                      \
        struct operation##_whole whole = {arguments->precision, with_pointers(buffers, arguments)};                    \
        starfish_team_run(arguments->header.progress->context, operation##_on_a_core, &whole);                         \
    }

#ifdef STARFISH_HAVE_GPU
#define STARFISH_KERNEL_PAIR_CUDA(operation, type, kernel_name)                                                        \
    static void operation##_cuda(void *buffers[], void *data)                                                          \
    {                                                                                                                  \
        static int (*const kernels[])(const struct type *, struct CUstream_st *) = {kernel_name##_cuda_f32,            \
                                                                                    kernel_name##_cuda_f64};           \
        const struct arguments *arguments = data;                                                                      \
        const struct type kernel = with_pointers(buffers, arguments);                                                  \
        starfish_task_check(&arguments->header, #operation,                                                            \
                            kernels[arguments->precision](&kernel, starfish_task_stream()));                           \
    }
#else
#define STARFISH_KERNEL_PAIR_CUDA(operation, type, kernel_name)
#endif

#define STARFISH_KERNEL_PAIR_OF(operation, type, kernel_name)                                                          \
    STARFISH_KERNEL_PAIR_CPU(operation, type, kernel_name)                                                             \
    STARFISH_KERNEL_PAIR_CUDA(operation, type, kernel_name)
#define STARFISH_KERNEL_PAIR(operation, kernel_name) STARFISH_KERNEL_PAIR_OF(operation, kernel_name, kernel_name)
#define STARFISH_SHARED_KERNEL_PAIR(operation, kernel_name)                                                            \
    STARFISH_SHARED_KERNEL_PAIR_CPU(operation, kernel_name)                                                            \
    STARFISH_KERNEL_PAIR_CUDA(operation, kernel_name, kernel_name)

/* Pointers of the data that a task works on, by position. */
#define STARFISH_VECTOR(buffers, index) ((void *)STARPU_VECTOR_GET_PTR((buffers)[index]))
#define STARFISH_SLAB(buffers, index) ((void *)STARPU_BLOCK_GET_PTR((buffers)[index]))

/* Element `index` of an array of reals of `precision`. */
static inline void *starfish_real_at(void *array, starfish_precision precision, size_t index)
{
    return (char *)array + index * starfish_real_size(precision);
}

#endif
