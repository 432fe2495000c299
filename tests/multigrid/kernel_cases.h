/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels of Q1 multigrid, run on a device and compared with their definitions written out naively. */
#ifndef STARFISH_TESTS_MULTIGRID_KERNEL_CASES_H
#define STARFISH_TESTS_MULTIGRID_KERNEL_CASES_H

#include "multigrid/kernels/band.h"
#include "multigrid/kernels/transfer.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

/* Kernels by precision; those of four also for f32 with entries in F16 and BF16. */
struct test_multigrid_device {
    const struct test_memory *memory;
    void (*residual[4])(const struct starfish_band_residual *arguments);
    void (*jacobi[4])(const struct starfish_band_jacobi *arguments);
    void (*colours[2])(const struct starfish_band_colours *arguments);
    void (*columns[4])(const struct starfish_band_columns *arguments); /* NULL but on cores */
    void (*dense[2])(const struct starfish_band_dense *arguments);
    void (*restrict_residual[2])(const struct starfish_restrict *arguments);
    void (*prolong[2])(const struct starfish_prolong *arguments);
};

/* band_cases.c, transfer_cases.c; large_sizes: grids of more unknowns than a device has threads, too. They return how
 * many tests failed. */
int test_band_kernels(const struct test_multigrid_device *device, int large_sizes);
int test_transfer_kernels(const struct test_multigrid_device *device, int large_sizes);

#endif
