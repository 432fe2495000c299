/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both CPU kernels of weighted sums of shifted solves share: a group's vectors, and rows of a block that is
 * eliminated (line_block.h). For sources of several numbers (base/number.h). */
#ifndef STARFISH_TRIDIAG_KERNELS_SUMS_BLOCK_H
#define STARFISH_TRIDIAG_KERNELS_SUMS_BLOCK_H

#include "tridiag/kernels/line_block.h"
#include "tridiag/kernels/shifted_sums.h"

#include <string.h>

enum {
    INPUTS = STARFISH_SHIFTED_SUMS_INPUTS,
    OUTPUTS = STARFISH_SHIFTED_SUMS_OUTPUTS,
    ROOTS = STARFISH_TRIDIAG_SUMMED_LINES * STARFISH_TRIDIAG_CACHE_LINE / sizeof(scalar),
    LINE = STARFISH_TRIDIAG_CACHE_LINE / sizeof(scalar),
    LINES = STARFISH_TRIDIAG_SUMMED_LINES
};

STARFISH_TRIDIAG_INLINE const scalar *input_of(const struct starfish_shifted_sums *a, size_t group, int i)
{
    const int row = a->input_row[group * (size_t)a->inputs + (size_t)i];
    return row < 0 ? NULL : (const scalar *)a->input + (size_t)row * a->line.n * a->lanes;
}

STARFISH_TRIDIAG_INLINE scalar *output_of(const struct starfish_shifted_sums *a, size_t group, int o)
{
    const int row = a->output_row[group * (size_t)a->outputs + (size_t)o];
    return row < 0 ? NULL : (scalar *)a->output + (size_t)row * a->line.n * a->lanes;
}

STARFISH_TRIDIAG_INLINE real lane_shift(const struct starfish_shifted_sums *a, size_t lane)
{
    return (real)a->shift + (a->shift_lane ? ((const real *)a->shift_lane)[lane] : 0);
}

STARFISH_TRIDIAG_INLINE size_t lanes_end(const struct starfish_shifted_sums *a)
{
    return starfish_tridiag_lanes_end(a->lanes, a->first_lane, a->lane_count);
}

/* Sums begin as zero. */
STARFISH_TRIDIAG_INLINE void clear_outputs(const struct starfish_shifted_sums *a)
{
    const size_t width = lanes_end(a) - a->first_lane, whole = width == a->lanes;
    for (size_t g = 0; g < a->groups; g++)
        for (int o = 0; o < a->outputs; o++) {
            scalar *out = output_of(a, g, o);
            for (size_t k = 0; out && k < (whole ? 1 : a->line.n); k++)
                memset(out + a->first_lane + k * a->lanes, 0, (whole ? a->line.n : 1) * width * sizeof(scalar));
        }
}

/* ---- Rows of a block --------------------------------------------------------------------------------------------- */

/* A row of solutions, once the rows below it are known. */
STARFISH_TRIDIAG_INLINE const scalar *solution_row(const struct line_block *block, size_t width, size_t k)
{
    if (k + 1 == block->n)
        return block->last;
    line_block_substitute(block, width, k, k + 2 == block->n ? block->last : block->d + (k + 1) * block->pitch);
    return block->d + k * block->pitch;
}

/* The shifts of a slot, whose root's part is kept for rows that weigh the lane's. */
STARFISH_TRIDIAG_INLINE void set_shift(const struct starfish_shifted_sums *a, const struct line_block *block,
                                       size_t slot, size_t lane, size_t root)
{
    const real mu = ((const real *)a->mu)[root];
    block->shift[slot] = lane_shift(a, lane) + mu;
    if (!block->weight)
        return;
    block->keep[slot] = (real)a->shift + mu;
    block->lane_shift[slot] = a->shift_lane ? ((const real *)a->shift_lane)[lane] : 0;
}

STARFISH_TRIDIAG_INLINE void weigh_shifts(const struct line_block *block, size_t width, size_t k)
{
    const real *restrict of_lane = block->lane_shift, *restrict of_root = block->keep;
    real *restrict shift = block->shift;
    if (!block->weight)
        return;
    const real weight = block->weight[k];
#pragma omp simd
    for (size_t l = 0; l < width; l++)
        shift[l] = weight * of_lane[l] + of_root[l];
}

STARFISH_TRIDIAG_INLINE void begin_rows(const struct line_block *block, size_t width)
{
    weigh_shifts(block, width, block->n - 1);
    line_block_begin(block, width);
}

/* The last row is not eliminated, but solved; `pinned` is the slot that is then set to zero, or -1. */
STARFISH_TRIDIAG_INLINE void take_row(const struct line_block *block, size_t width, size_t k, const scalar *rhs,
                                      ptrdiff_t pinned)
{
    if (k + 1 < block->n) {
        weigh_shifts(block, width, k);
        if (block->row_sums)
            line_block_eliminate_sums(block, width, k, rhs);
        else
            line_block_eliminate(block, width, k, rhs);
        return;
    }
    line_block_last(block, width, rhs);
    if (pinned >= 0)
        block->last[pinned] = 0;
}

/* Kernels are made for one, three and all inputs; others are padded with weights of zero. */
STARFISH_TRIDIAG_INLINE size_t padded_inputs(size_t inputs)
{
    return inputs <= 1 ? 1 : inputs <= 3 ? 3 : (size_t)INPUTS;
}

/* A weighted sum of inputs, all of them numbers that the compiler knows: loops would keep it from working on
 * vectors. */
#define WEIGHTED(inputs, weight, value)                                                                                \
    (weight(0) * value(0) + ((inputs) > 1 ? weight(1) * value(1) + weight(2) * value(2) : 0) +                         \
     ((inputs) > 3 ? weight(3) * value(3) + weight(4) * value(4) : 0))

/* Few lanes: neighbouring roots of one lane side by side (shifted_sums_roots_cpu.c). */
void NUMBER_NAME(starfish_sums_of_few_lanes)(const struct starfish_shifted_sums *a);

#endif
