/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the seven-point kernels, run on a device and compared with the operator written out naively. */
#ifndef STARFISH_TESTS_STENCIL_STENCIL_CASES_H
#define STARFISH_TESTS_STENCIL_STENCIL_CASES_H

#include "blktri/kernels/constant_mode.h"
#include "stencil/kernels/finite.h"
#include "stencil/kernels/refine.h"
#include "stencil/kernels/stencil.h"
#include "tests/common/memory.h"
#include "tridiag/kernels/constant_line.h"

#include <starfish/types.h>

struct test_stencil_device {
    const struct test_memory *memory;
    void (*refine_add)(starfish_precision precision, const struct starfish_refine_add *arguments);
    void (*refine_restore)(starfish_precision precision, const struct starfish_refine_restore *arguments);
    void (*refine_judge)(const struct starfish_refine_judge *arguments);
    void (*finite)(starfish_precision precision, const struct starfish_finite *arguments);
    void (*residual)(starfish_precision precision, const struct starfish_residual *arguments);
    void (*boundary_rhs)(starfish_precision precision, const struct starfish_boundary_rhs *arguments);
    void (*constant_mode)(starfish_precision precision, const struct starfish_constant_mode *arguments);
    void (*take)(starfish_precision precision, const struct starfish_constant_take *arguments);
    void (*solve)(const struct starfish_constant_solve *arguments);
    void (*put)(starfish_precision precision, const struct starfish_constant_put *arguments);
};

/* A slab of a field: planes first .. first + count - 1 of n[2]. */
struct test_slab {
    size_t n[3], first, count;
};

/* Which factors of other coordinates an operator has, and values of one of them, in (0.5, 2.5); the caller frees. */
enum { TEST_WEIGHT_X = 1, TEST_SCALE_Y = 2, TEST_BOTH_FACTORS = 3 };
double *test_factors(size_t count, unsigned *seed);

enum { TEST_SLABS = 25 };
extern const struct test_slab test_slabs[TEST_SLABS];

/* residual_cases.c: every small slab, precision and set of periodic directions, with factors and without; complex
 * numbers where n[0] is 2. */
void test_residual_table(const struct test_stencil_device *device);
void test_residual_slab(const struct test_stencil_device *device, const struct test_slab *slab);
void test_residual_not_finite(const struct test_stencil_device *device);
/* Where neighbours nearly agree a residual keeps the digits of their differences, in f32 too. */
void test_residual_of_thin_layer(const struct test_stencil_device *device);
/* refine_cases.c */
void test_refinement_steps(const struct test_stencil_device *device);
void test_refinement_verdicts(const struct test_stencil_device *device);
void test_search_for_not_finite(const struct test_stencil_device *device);
/* boundary_cases.c */
void test_boundary_table(const struct test_stencil_device *device);
void test_boundary_slab(const struct test_stencil_device *device, const struct test_slab *slab);
/* stencil_cases.c */
void test_constant_mode_table(const struct test_stencil_device *device);
void test_constant_mode_size(const struct test_stencil_device *device, size_t lanes, size_t ny, size_t nz, int tiles);

/* constant_line_cases.c */
void test_constant_line_table(const struct test_stencil_device *device);

/* All of the above as one group of tests; large_sizes: more unknowns than a device has threads, too. Returns how many
 * failed. */
int test_stencil_kernels(const struct test_stencil_device *device, int large_sizes);

#endif
