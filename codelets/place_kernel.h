/* Kernels of multigrid by where a step runs. STARFISH_PLACE_KERNEL(run, kernel) defines
 *     static int run(const struct starfish_q1_place *place, const struct kernel *arguments)
 * which calls kernel_cpu_f32 or _f64, or launches kernel_cuda_f32 or _f64 on the place's stream, and returns a cudaError_t. */
#ifndef STARFISH_CODELETS_PLACE_KERNEL_H
#define STARFISH_CODELETS_PLACE_KERNEL_H

#include "codelets/q1_steps.h"

#ifdef STARFISH_CUDA
#define STARFISH_RUN_ON_GPU(kernel)                                                                                    \
    static int (*const on_gpu[])(const struct kernel *, struct CUstream_st *) = {kernel##_cuda_f32,                    \
                                                                                 kernel##_cuda_f64};                   \
    if (place->gpu)                                                                                                    \
        return on_gpu[place->precision](arguments, place->stream);
#else
#define STARFISH_RUN_ON_GPU(kernel)
#endif
#define STARFISH_PLACE_KERNEL(run, kernel)                                                                             \
    static int run(const struct starfish_q1_place *place, const struct kernel *arguments)                              \
    {                                                                                                                  \
        static void (*const on_cpu[])(const struct kernel *) = {kernel##_cpu_f32, kernel##_cpu_f64};                   \
        STARFISH_RUN_ON_GPU(kernel)                                                                                    \
        on_cpu[place->precision](arguments);                                                                           \
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
