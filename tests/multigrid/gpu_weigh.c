/* Kernels on volumes of unknowns, on CUDA. Exit status 77 without a device. */
#include "tests/multigrid/weigh_cases.h"

#include <cuda_runtime_api.h>

/* `name`, launched and waited for. */
#define ON_DEVICE(name, type)                                                                                          \
    static void name##_here(const struct type *arguments)                                                              \
    {                                                                                                                  \
        test_cuda_check(name(arguments, NULL));                                                                        \
        test_cuda_check(cudaDeviceSynchronize());                                                                      \
    }
#define BOTH_ON_DEVICE(name) ON_DEVICE(name##_cuda_f32, name) ON_DEVICE(name##_cuda_f64, name)

BOTH_ON_DEVICE(starfish_weigh)
BOTH_ON_DEVICE(starfish_volume_sum)

static const struct test_weigh_device device = {&test_cuda_memory,
                                                {starfish_weigh_cuda_f32_here, starfish_weigh_cuda_f64_here},
                                                {starfish_volume_sum_cuda_f32_here, starfish_volume_sum_cuda_f64_here}};

int main(void)
{
    return test_cuda_devices() > 0 ? test_weigh_kernels(&device) : 77;
}
