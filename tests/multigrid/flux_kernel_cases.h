/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels on seven-point matrices, run on a device and compared with their definitions written out
 * naively. */
#ifndef STARFISH_TESTS_MULTIGRID_FLUX_KERNEL_CASES_H
#define STARFISH_TESTS_MULTIGRID_FLUX_KERNEL_CASES_H

#include "multigrid/kernels/flux.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

/* Kernels by precision. */
struct test_flux_device {
    const struct test_memory *memory;
    void (*smooth[2])(const struct starfish_flux_smooth *arguments);
    void (*residual[2])(const struct starfish_flux_residual *arguments);
    void (*restrict_residual[2])(const struct starfish_flux_restrict *arguments);
    void (*prolong[2])(const struct starfish_flux_prolong *arguments);
    void (*lines[2])(const struct starfish_flux_lines *arguments);
    size_t (*lines_work)(const struct starfish_flux_lines *arguments, size_t real_size);
};

/* All of them; large_sizes: grids of more unknowns than a device has threads, too. Returns how many failed. */
int test_flux_kernels(const struct test_flux_device *device, int large_sizes);

#endif
