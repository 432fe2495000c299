/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels on seven-point matrices, run on a device and compared with their definitions written out
 * naively. */
#ifndef STARFISH_TESTS_MULTIGRID_FLUX_KERNEL_CASES_H
#define STARFISH_TESTS_MULTIGRID_FLUX_KERNEL_CASES_H

#include "tests/multigrid/flux_grid.h"

/* All of them; large_sizes: grids of more unknowns than a device has threads, too. Returns how many failed. */
int test_flux_kernels(const struct test_flux_device *device, int large_sizes);

#endif
