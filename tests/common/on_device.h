/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels on CUDA as tests of kernels call them: ON_DEVICE(name, type) defines name_here, which launches `name` on a
 * struct type of arguments and waits for it; a launch or a kernel that fails is a failed test. */
#ifndef STARFISH_TESTS_ON_DEVICE_H
#define STARFISH_TESTS_ON_DEVICE_H

#include "tests/common/memory.h"

#include <cuda_runtime_api.h>

#define ON_DEVICE(name, type)                                                                                          \
    static void name##_here(const struct type *arguments)                                                              \
    {                                                                                                                  \
        test_cuda_check(name(arguments, NULL));                                                                        \
        test_cuda_check(cudaDeviceSynchronize());                                                                      \
    }
/* Of both precisions, for arguments of the kernel's own name. */
#define BOTH_ON_DEVICE(name) ON_DEVICE(name##_cuda_f32, name) ON_DEVICE(name##_cuda_f64, name)

#endif
