/* Kernels on vectors on the CPU. */
#include "tests/krylov/vector_cases.h"

static const struct test_vector_device device = {&test_host_memory,
                                                 {starfish_vector_update_cpu_f32, starfish_vector_update_cpu_f64},
                                                 {starfish_vector_product_cpu_f32, starfish_vector_product_cpu_f64},
                                                 starfish_vector_narrow_cpu,
                                                 starfish_vector_widen_cpu};

int main(void)
{
    return test_vector_kernels(&device, 0);
}
