/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cases on which the kernels of slabs of lines are tested, and the check of one case, the same for every device. */
#ifndef STARFISH_TESTS_SLAB_CASES_H
#define STARFISH_TESTS_SLAB_CASES_H

#include "tests/common/memory.h"
#include "tridiag/kernels/slab_lines.h"
#include <starfish/types.h>

struct test_slab_device {
    const struct test_memory *memory;
    void (*ends)(starfish_precision precision, const struct starfish_slab_ends *arguments);
    void (*coefficients)(starfish_precision precision, const struct starfish_slab_coefficients *arguments);
    void (*reduced)(starfish_precision precision, const struct starfish_slab_reduced *arguments);
    void (*solve)(starfish_precision precision, const struct starfish_slab_solve *arguments);
    size_t (*reduced_workspace)(int slabs, size_t lanes, int periodic, size_t real_size);
    size_t (*solve_workspace)(size_t rows, size_t lanes, int periodic, size_t real_size);
};

extern const struct test_slab_device test_slab_cpu;
/* The same, but whole lines in batches of planes (slab_sweep.h). */
struct test_slab_device test_slab_sweeps(void);

enum test_slab_operator {
    TEST_SLAB_RANDOM,   /* diagonally dominant, entries of both signs */
    TEST_SLAB_POISSON,  /* Dirichlet ends, or periodic with tiny shifts */
    TEST_SLAB_SINGULAR, /* row sums zero and no shift in lane 0, which is pinned */
    /* Given by row sums, of which the bounds ask for an error without the condition number: */
    TEST_SLAB_THIN,          /* couplings of different sizes, sums zero or small, and shifts of 1e-4 */
    TEST_SLAB_THIN_SINGULAR, /* the same without sums and shift in lane 0, which is pinned */
    TEST_SLAB_OPERATORS
};

struct test_slab_case {
    starfish_precision precision;
    enum test_slab_operator operator;
    int periodic, in_place, weighted; /* weighted: rows weigh the inner shifts */
    size_t n, inner, outer;
    int slabs; /* cut at random; 0: the whole lines in one call */
    int parts;
};

/* Against dense elimination in long double: ends, coefficients, separators and unknowns. */
void test_slab_check(const struct test_slab_device *device, const struct test_slab_case *c);
/* Unknowns only, against the CPU's kernels: for sizes that dense elimination is too slow for. */
void test_slab_against_cpu(const struct test_slab_device *device, const struct test_slab_case *c);
/* All operators, kinds of lines and precisions over small sizes. */
void test_slab_table(const struct test_slab_device *device);
/* Largest error so far as a fraction of its bound. */
double test_slab_worst_error(void);

#endif
