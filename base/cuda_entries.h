/* The two entry points of a CUDA kernel with C linkage, over one template.
 *
 * STARFISH_CUDA_ENTRIES(starfish_x, launch) defines starfish_x_cuda_f32 and starfish_x_cuda_f64 (struct starfish_x's
 * kernels, as its contract declares them) by launch<float> and launch<double>, which take the struct and the stream and
 * return a cudaError_t. */
#ifndef STARFISH_BASE_CUDA_ENTRIES_H
#define STARFISH_BASE_CUDA_ENTRIES_H

#define STARFISH_CUDA_ENTRIES(kernel, launch)                                                                          \
    extern "C" int kernel##_cuda_f32(const struct kernel *arguments, cudaStream_t stream)                              \
    {                                                                                                                  \
        return launch<float>(arguments, stream);                                                                       \
    }                                                                                                                  \
    extern "C" int kernel##_cuda_f64(const struct kernel *arguments, cudaStream_t stream)                              \
    {                                                                                                                  \
        return launch<double>(arguments, stream);                                                                      \
    }

#endif
