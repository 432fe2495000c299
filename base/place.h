/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A place where kernels run, one core or a stream of a GPU, and the choice of a kernel by place and precision.
 *
 * STARFISH_PLACE_KERNEL(run, kernel) defines
 *     static int run(const struct starfish_place *place, const struct kernel *arguments)
 * which calls kernel_cpu_f32 or _f64, or launches kernel_cuda_f32 or _f64 on the place's stream, and returns a
 * cudaError_t (0 on a core). STARFISH_PLACE_KERNEL_OF(run, type, kernel) is for a kernel whose argument is another
 * one's, struct type; STARFISH_PLACE_KERNEL_ALONE(run, kernel) for one without precisions, kernel_cpu and kernel_cuda.
 */
#ifndef STARFISH_BASE_PLACE_H
#define STARFISH_BASE_PLACE_H

#include <starfish/types.h>

struct CUstream_st; /* what a cudaStream_t points to */

struct starfish_place {
    starfish_precision precision;
    int gpu;
    struct CUstream_st *stream;
    void *work; /* work space in the memory of the place */
};

/* The same place in another precision. */
static inline struct starfish_place starfish_place_in(const struct starfish_place *place, starfish_precision precision)
{
    struct starfish_place other = *place;

    other.precision = precision;
    return other;
}

#ifdef STARFISH_CUDA
#define STARFISH_LAUNCH_ON_GPU(kernel)                                                                                 \
    if (place->gpu)                                                                                                    \
        return kernel##_cuda(arguments, place->stream);
#define STARFISH_RUN_ON_GPU(type, kernel)                                                                              \
    static int (*const on_gpu[])(const struct type *, struct CUstream_st *) = {kernel##_cuda_f32, kernel##_cuda_f64};  \
    if (place->gpu)                                                                                                    \
        return on_gpu[place->precision](arguments, place->stream);
#else
#define STARFISH_LAUNCH_ON_GPU(kernel) (void)place;
#define STARFISH_RUN_ON_GPU(type, kernel)
#endif
#define STARFISH_PLACE_KERNEL_OF(run, type, kernel)                                                                    \
    static int run(const struct starfish_place *place, const struct type *arguments)                                   \
    {                                                                                                                  \
        static void (*const on_cpu[])(const struct type *) = {kernel##_cpu_f32, kernel##_cpu_f64};                     \
        STARFISH_RUN_ON_GPU(type, kernel)                                                                              \
        on_cpu[place->precision](arguments);                                                                           \
        return 0;                                                                                                      \
    }
#define STARFISH_PLACE_KERNEL(run, kernel) STARFISH_PLACE_KERNEL_OF(run, kernel, kernel)
#define STARFISH_PLACE_KERNEL_ALONE(run, kernel)                                                                       \
    static int run(const struct starfish_place *place, const struct kernel *arguments)                                 \
    {                                                                                                                  \
        STARFISH_LAUNCH_ON_GPU(kernel)                                                                                 \
        kernel##_cpu(arguments);                                                                                       \
        return 0;                                                                                                      \
    }

/* Return from the calling function when a kernel cannot be launched. */
#define TRY_LAUNCH(call)                                                                                               \
    do {                                                                                                               \
        const int try_error = (call);                                                                                  \
        if (try_error != 0)                                                                                            \
            return try_error;                                                                                          \
    } while (0)

#endif
