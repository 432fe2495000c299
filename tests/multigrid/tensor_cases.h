/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels on sums of tensor products, run on a device and compared with the matrix entry by entry. */
#ifndef STARFISH_TESTS_MULTIGRID_TENSOR_CASES_H
#define STARFISH_TESTS_MULTIGRID_TENSOR_CASES_H

#include "multigrid/kernels/tensor.h"
#include "tests/common/memory.h"

/* Kernels by precision; columns and lower are the CPU's alone and may be NULL. */
struct test_tensor_device {
    const struct test_memory *memory;
    void (*residual[2])(const struct starfish_band_residual *arguments);
    void (*jacobi[2])(const struct starfish_band_jacobi *arguments);
    void (*columns[2])(const struct starfish_band_columns *arguments);
    void (*lower[2])(const struct starfish_tensor_lower *arguments);
};

/* Returns how many failed. */
int test_tensor_kernels(const struct test_tensor_device *device);

#endif
