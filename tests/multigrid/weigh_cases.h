/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels on volumes, run on a device and compared with their definitions. */
#ifndef STARFISH_TESTS_MULTIGRID_WEIGH_CASES_H
#define STARFISH_TESTS_MULTIGRID_WEIGH_CASES_H

#include "multigrid/kernels/weigh.h"
#include "tests/common/memory.h"

/* Kernels by precision. */
struct test_weigh_device {
    const struct test_memory *memory;
    void (*weigh[2])(const struct starfish_weigh *arguments);
    void (*sum[2])(const struct starfish_volume_sum *arguments);
};
/* Returns how many tests failed. */
int test_weigh_kernels(const struct test_weigh_device *device);

#endif
