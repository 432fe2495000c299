/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two entry points of a CUDA kernel with C linkage, over one template.
 *
 * STARFISH_CUDA_ENTRIES(starfish_x, launch) defines starfish_x_cuda_f32 and starfish_x_cuda_f64 (struct starfish_x's
 * kernels, as its contract declares them) by launch<float> and launch<double>, which take the struct and the stream and
 * return a cudaError_t. A file whose templates take long to compile is listed in starfish_real_sources instead of
 * starfish_cuda_sources, and then each of its two objects has the entry of its precision (base/real.h). */
#ifndef STARFISH_BASE_CUDA_ENTRIES_H
#define STARFISH_BASE_CUDA_ENTRIES_H

#define STARFISH_CUDA_ENTRY(kernel, launch, name, type)                                                                \
    extern "C" int kernel##_cuda_##name(const struct kernel *arguments, cudaStream_t stream)                           \
    {                                                                                                                  \
        return launch<type>(arguments, stream);                                                                        \
    }

#if defined(STARFISH_REAL_F32)
#define STARFISH_CUDA_ENTRIES(kernel, launch) STARFISH_CUDA_ENTRY(kernel, launch, f32, float)
#elif defined(STARFISH_REAL_F64)
#define STARFISH_CUDA_ENTRIES(kernel, launch) STARFISH_CUDA_ENTRY(kernel, launch, f64, double)
#else
#define STARFISH_CUDA_ENTRIES(kernel, launch)                                                                          \
    STARFISH_CUDA_ENTRY(kernel, launch, f32, float)                                                                    \
    STARFISH_CUDA_ENTRY(kernel, launch, f64, double)
#endif

#endif
