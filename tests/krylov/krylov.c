/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of iterations on the CPU (krylov/kernels/krylov.h, vectors.h): runs the cases that GPUs run too. */
#include "tests/krylov/krylov_cases.h"

static const struct test_krylov_device device = {&test_host_memory,
                                                 {starfish_vector_update_cpu_f32, starfish_vector_update_cpu_f64},
                                                 starfish_vector_narrow_cpu,
                                                 starfish_vector_widen_cpu,
                                                 starfish_krylov_scalars_cpu};

int main(void)
{
    return test_krylov_kernels(&device);
}
