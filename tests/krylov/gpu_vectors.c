/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels on vectors on CUDA: the CPU's table, and sizes that fill a device unless STARFISH_TEST_SMALL is set. Exit
 * status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/krylov/vector_cases.h"

#include <stdlib.h>

BOTH_ON_DEVICE(starfish_vector_update)
BOTH_ON_DEVICE(starfish_vector_product)
ON_DEVICE(starfish_vector_narrow_cuda, starfish_vector_narrow)
ON_DEVICE(starfish_vector_widen_cuda, starfish_vector_widen)

static const struct test_vector_device device = {
    &test_cuda_memory,
    {starfish_vector_update_cuda_f32_here, starfish_vector_update_cuda_f64_here},
    {starfish_vector_product_cuda_f32_here, starfish_vector_product_cuda_f64_here},
    starfish_vector_narrow_cuda_here,
    starfish_vector_widen_cuda_here};

int main(void)
{
    return test_cuda_devices() > 0 ? test_vector_kernels(&device, !getenv("STARFISH_TEST_SMALL")) : 77;
}
