/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels of iterations, run on a device and compared with their definitions. */
#ifndef STARFISH_TESTS_KRYLOV_KRYLOV_CASES_H
#define STARFISH_TESTS_KRYLOV_KRYLOV_CASES_H

#include "krylov/kernels/krylov.h"
#include "tests/common/memory.h"

/* The update by precision. */
struct test_krylov_device {
    const struct test_memory *memory;
    void (*update[2])(const struct starfish_vector_update *arguments);
    void (*narrow)(const struct starfish_vector_narrow *arguments);
    void (*widen)(const struct starfish_vector_widen *arguments);
    void (*scalars)(const struct starfish_krylov_scalars *arguments);
};
/* Returns how many tests failed. */
int test_krylov_kernels(const struct test_krylov_device *device);

#endif
