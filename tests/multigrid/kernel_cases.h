/* Cases of the multigrid kernels, run on a device and compared with their definitions written out naively. */
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
    void (*update[2])(const struct starfish_vector_update *arguments);
    void (*product[2])(const struct starfish_vector_product *arguments);
    void (*dense[2])(const struct starfish_band_dense *arguments);
    void (*narrow)(const struct starfish_vector_narrow *arguments);
    void (*widen)(const struct starfish_vector_widen *arguments);
    void (*restrict_residual[2])(const struct starfish_restrict *arguments);
    void (*prolong[2])(const struct starfish_prolong *arguments);
};

/* All of them; large_sizes: grids of more unknowns than a device has threads, too. Returns how many failed. */
int test_multigrid_kernels(const struct test_multigrid_device *device, int large_sizes);

#endif
