/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels on vectors, run on a device and compared with their definitions. */
#ifndef STARFISH_TESTS_KRYLOV_VECTOR_CASES_H
#define STARFISH_TESTS_KRYLOV_VECTOR_CASES_H

#include "krylov/kernels/vectors.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

/* Kernels by precision. */
struct test_vector_device {
    const struct test_memory *memory;
    void (*update[2])(const struct starfish_vector_update *arguments);
    void (*product[2])(const struct starfish_vector_product *arguments);
    void (*narrow)(const struct starfish_vector_narrow *arguments);
    void (*widen)(const struct starfish_vector_widen *arguments);
};

/* large_sizes: grids of more unknowns than a device has threads, too. Returns how many tests failed. */
int test_vector_kernels(const struct test_vector_device *device, int large_sizes);

#endif
