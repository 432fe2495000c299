/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels of flat domains, run on a device and compared with their definitions written out naively. */
#ifndef STARFISH_TESTS_MULTIGRID_FLAT_KERNEL_CASES_H
#define STARFISH_TESTS_MULTIGRID_FLAT_KERNEL_CASES_H

#include "multigrid/kernels/flat_sizes.h"
#include "multigrid/kernels/flat_sphere.h"
#include "tests/common/memory.h"

/* Kernels by precision. */
struct test_flat_device {
    const struct test_memory *memory;
    void (*smooth[2])(const struct starfish_flat_smooth *arguments);
    void (*residual[2])(const struct starfish_flat_residual *arguments);
    void (*sizes[2])(const struct starfish_flat_sizes *arguments);
    void (*restrict_residual[2])(const struct starfish_flat_restrict *arguments);
    void (*prolong[2])(const struct starfish_flat_prolong *arguments);
    void (*arrange[2])(const struct starfish_flat_arrange *arguments);
    void (*seams[2])(const struct starfish_flat_seams *arguments);
    size_t (*work)(const struct starfish_flat_matrix *matrix, size_t real_size);
};

/* All of them. Returns how many failed. */
int test_flat_kernels(const struct test_flat_device *device);
/* Of arrays of a sphere (flat_seams.c). */
int test_flat_seams(const struct test_flat_device *device);

#endif
