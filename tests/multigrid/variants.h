/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ways to walk, cut and stop that solves by multigrid are tried with, whatever the kind of grid. */
#ifndef STARFISH_TESTS_MULTIGRID_VARIANTS_H
#define STARFISH_TESTS_MULTIGRID_VARIANTS_H

#include <starfish/multigrid.h>

enum { TEST_VARIANTS = 6 };

/* Sets what the variant says, and every second one's precision of cycles to f32. */
static inline void test_variant_set(struct starfish_multigrid_options *options, size_t variant)
{
    static const struct {
        int before, after, levels, initial_guess;
        size_t blocks, tail;
        double inner_digits;
    } variants[TEST_VARIANTS] = {{2, 1, 0, 0, 3, 100, 0}, {1, 0, 0, 0, 1, 1, 0},    {0, 2, 3, 1, 16, 90, 0},
                                 {3, 2, 0, 0, 2, 1, 2},   {1, 1, 0, 1, 4, 5000, 1}, {2, 2, 0, 0, 0, 100000, 0}};

    options->before = variants[variant].before;
    options->after = variants[variant].after;
    options->levels = variants[variant].levels;
    options->initial_guess = variants[variant].initial_guess;
    options->slabs = variants[variant].blocks;
    options->tail = variants[variant].tail;
    options->inner_digits = variants[variant].inner_digits;
    options->mixed = variant % 2;
}

#endif
