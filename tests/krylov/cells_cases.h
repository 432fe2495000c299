/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels on cells (krylov/kernels/cells.h, blocks.h, coarse.h), run on a device and compared with dense
 * matrices. */
#ifndef STARFISH_TESTS_KRYLOV_CELLS_CASES_H
#define STARFISH_TESTS_KRYLOV_CELLS_CASES_H

#include "krylov/kernels/blocks.h"
#include "krylov/kernels/cells.h"
#include "krylov/kernels/coarse.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

/* Kernels by precision. */
struct test_cells_device {
    const struct test_memory *memory;
    void (*cells[2])(enum starfish_cell_step step, const struct starfish_cells *arguments);
    void (*blocks[2])(const struct starfish_blocks *arguments);
    void (*chunk_sums[2])(const struct starfish_chunk_sums *arguments);
    void (*coarse_solve)(const struct starfish_coarse_solve *arguments);
    int has_bands; /* coarse_solve takes factors of a band, too */
};

/* Returns how many tests failed. */
int test_cells_kernels(const struct test_cells_device *device);

#endif
