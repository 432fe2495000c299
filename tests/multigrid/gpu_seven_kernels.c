/* The kernels on seven-point matrices on CUDA: the CPU's table, and sizes that fill a device unless STARFISH_TEST_SMALL is set. Exit
 * status 77 without a device. */
#include "tests/multigrid/seven_kernel_cases.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

/* `name`, launched and waited for. */
#define ON_DEVICE(name, type)                                                                                          \
    static void name##_here(const struct type *arguments)                                                              \
    {                                                                                                                  \
        test_cuda_check(name(arguments, NULL));                                                                        \
        test_cuda_check(cudaDeviceSynchronize());                                                                      \
    }
#define BOTH_ON_DEVICE(name) ON_DEVICE(name##_cuda_f32, name) ON_DEVICE(name##_cuda_f64, name)

BOTH_ON_DEVICE(starfish_seven_smooth)
BOTH_ON_DEVICE(starfish_seven_defect)
BOTH_ON_DEVICE(starfish_seven_restrict)
BOTH_ON_DEVICE(starfish_seven_prolong)
BOTH_ON_DEVICE(starfish_seven_lines)

static const struct test_seven_device device = {
    &test_cuda_memory,
    {starfish_seven_smooth_cuda_f32_here, starfish_seven_smooth_cuda_f64_here},
    {starfish_seven_defect_cuda_f32_here, starfish_seven_defect_cuda_f64_here},
    {starfish_seven_restrict_cuda_f32_here, starfish_seven_restrict_cuda_f64_here},
    {starfish_seven_prolong_cuda_f32_here, starfish_seven_prolong_cuda_f64_here},
    {starfish_seven_lines_cuda_f32_here, starfish_seven_lines_cuda_f64_here},
    starfish_seven_lines_work_cuda};

int main(void)
{
    return test_cuda_devices() > 0 ? test_seven_kernels(&device, !getenv("STARFISH_TEST_SMALL")) : 77;
}
