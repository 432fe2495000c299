/* Cases of the kernels on seven-point matrices, run on a device and compared with their definitions written out naively. */
#ifndef STARFISH_TESTS_MULTIGRID_SEVEN_KERNEL_CASES_H
#define STARFISH_TESTS_MULTIGRID_SEVEN_KERNEL_CASES_H

#include "multigrid/kernels/seven.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

/* Kernels by precision. */
struct test_seven_device {
    const struct test_memory *memory;
    void (*smooth[2])(const struct starfish_seven_smooth *arguments);
    void (*defect[2])(const struct starfish_seven_defect *arguments);
    void (*restrict_defect[2])(const struct starfish_seven_restrict *arguments);
    void (*prolong[2])(const struct starfish_seven_prolong *arguments);
    void (*lines[2])(const struct starfish_seven_lines *arguments);
    size_t (*lines_work)(const struct starfish_seven_lines *arguments, size_t real_size);
};

/* All of them; large_sizes: grids of more unknowns than a device has threads, too. Returns how many failed. */
int test_seven_kernels(const struct test_seven_device *device, int large_sizes);

#endif
