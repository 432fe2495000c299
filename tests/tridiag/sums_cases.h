/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cases on which weighted sums of shifted solves are tested, and the check of one case, the same for every
 * device. */
#ifndef STARFISH_TESTS_SUMS_CASES_H
#define STARFISH_TESTS_SUMS_CASES_H

#include "tests/common/memory.h"
#include "tridiag/kernels/shifted_sums.h"
#include <starfish/types.h>

struct test_sums_device {
    const struct test_memory *memory;
    void (*sums)(starfish_precision precision, const struct starfish_shifted_sums *arguments);
    /* Bytes for these arguments, whose pointers are not looked at. */
    size_t (*workspace)(const struct starfish_shifted_sums *arguments, size_t element_size);
};

struct test_sums_case {
    starfish_precision precision;
    enum starfish_tridiag_numbers numbers;
    int periodic, pinned; /* pinned: a singular matrix in lane 0 */
    size_t n, lanes, groups;
    size_t most_roots; /* groups have 1 to so many */
    int inputs, outputs;
};

/* Against dense elimination in long double; outputs that are not asked for stay as they were. Real lines that are not
 * periodic are tested once more with weights of rows, here and below. */
void test_sums_check(const struct test_sums_device *device, const struct test_sums_case *c);
/* Against another device, for sizes at which dense elimination takes too long. */
void test_sums_compare(const struct test_sums_device *device, const struct test_sums_device *reference,
                       const struct test_sums_case *c);
/* Few lanes and many, both kinds of lines and precisions, all kinds of numbers, all numbers of inputs and outputs, over
 * small sizes. */
void test_sums_table(const struct test_sums_device *device);
/* Largest error so far as a fraction of its bound. */
double test_sums_worst_error(void);

#endif
