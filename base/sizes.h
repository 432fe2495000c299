/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparisons and divisions of sizes, which plans and kernels need everywhere: smaller, larger, ratio rounded up. */
#ifndef STARFISH_BASE_SIZES_H
#define STARFISH_BASE_SIZES_H

#include <stddef.h>

static inline size_t starfish_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t starfish_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* a / b, rounded up. */
static inline size_t starfish_ratio_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

#endif
