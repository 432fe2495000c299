/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of every kind against two oracles: dense elimination in long double for short lines, and the residual, row by
 * row in long double, for all. */
#ifndef STARFISH_TESTS_BATCH_CASES_H
#define STARFISH_TESTS_BATCH_CASES_H

#include "tests/common/memory.h"
#include "tridiag/kernels/batch.h"

enum test_matrix {
    TEST_DOMINANT,       /* random, diagonally dominant by rows */
    TEST_TOEPLITZ,       /* -1, 2, -1: condition n^2; made a little heavier where lines are periodic */
    TEST_WILDLY_SCALED,  /* dominant, rows scaled by powers of ten */
    TEST_GENERAL,        /* random, with zeros on the diagonal: for pivoting only */
    TEST_SMALL_DIAGONAL, /* for pivoting only: of a periodic line without its ends hardly anything can be eliminated */
    TEST_MATRICES
};
enum test_layout { TEST_CONTIGUOUS, TEST_INTERLEAVED, TEST_STRIDED, TEST_LAYOUTS };
enum test_coefficients { TEST_PER_LINE, TEST_PER_LINE_SHIFTED, TEST_SHARED, TEST_SHARED_SHIFTED, TEST_COEFFICIENTS };

struct test_batch {
    starfish_precision precision;
    int algorithm;
    enum test_matrix matrix;
    enum test_layout layout;
    enum test_coefficients coefficients;
    int periodic, complex_rhs, in_place, keep_factors;
    size_t n, lines, rhs;
};

/* Kernels of a device, by precision, with a place for them to work in. */
struct test_batch_device {
    const struct test_memory *memory;
    void (*solve[2])(const struct starfish_batch *);
    void (*prepare[2])(const struct starfish_batch *);
    size_t (*workspace)(const struct starfish_batch *, size_t real_size);
};

void test_batch_case(const struct test_batch_device *device, const struct test_batch *test);
/* Every algorithm, layout, kind of coefficients and of right-hand sides; `sizes` of the lengths for each. */
void test_batch_table(const struct test_batch_device *device, size_t sizes);
/* Lines as long as blocks, segments and levels make them; `longest` at most. */
void test_batch_long_lines(const struct test_batch_device *device, size_t longest);
/* So many lines that kernels do what they do with large batches only: `unknowns` or some more. */
void test_batch_many_lines(const struct test_batch_device *device, size_t unknowns);
void test_batch_growth(const struct test_batch_device *device);
/* What `check` is decided by, for every algorithm, on open and periodic lines. */
void test_batch_stability(const struct test_batch_device *device);
/* Symmetric lines, whose lower and upper entries are one array. */
void test_batch_one_array(const struct test_batch_device *device);
/* Largest residual seen, in units of the bound. */
double test_batch_worst(void);

#endif
