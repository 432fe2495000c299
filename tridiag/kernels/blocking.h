/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the kernels of this folder cut their work: shared with workspace.c, which says what memory that takes. */
#ifndef STARFISH_TRIDIAG_KERNELS_BLOCKING_H
#define STARFISH_TRIDIAG_KERNELS_BLOCKING_H

#include <stddef.h>

enum {
    STARFISH_TRIDIAG_CACHE_LINE = 64,
    /* CPU: what a block of lanes keeps between its forward and its backward sweep. Half of the second-level cache of
     * the server cores of today (1 MiB); the other half is for the tiles that stream past. Halving it costs a few per
     * cent, or a third for periodic lines, whose rows get short. */
    STARFISH_TRIDIAG_BLOCK_BYTES = 512 * 1024,
    /* A block is never narrower: shorter pieces of a row waste the lines fetched at both ends. */
    STARFISH_TRIDIAG_NARROWEST_BYTES = 256,
    /* Vectors of one lane run side by side: a division takes about as long as 16 of them started in a row, so that many
     * hide the latency of the recurrence. */
    STARFISH_TRIDIAG_SIDE_BY_SIDE = 16,
    /* Roots of a sum, times cache lines of lanes, that are solved side by side. */
    STARFISH_TRIDIAG_SUMMED_LINES = 4,
    /* Fewer lanes than this are less parallel than the roots of a sum. */
    STARFISH_TRIDIAG_FEW_LANES = 8,
    /* Rows of a block that are not per unknown: see struct line_block. */
    STARFISH_TRIDIAG_LOOSE_ROWS = 12,
    /* Lanes of a block of reduced systems: rows of 1 KiB in f64, all slabs' coefficients in the second-level cache. */
    STARFISH_TRIDIAG_REDUCED_LANES = 128,
    /* CUDA: bytes of right-hand side that a thread holds in registers at a time. */
    STARFISH_TRIDIAG_CHUNK_BYTES = 64,
    /* CUDA: longest lane of a slab that a block of threads holds in registers. */
    STARFISH_TRIDIAG_LONGEST_SLAB_LANE_BYTES = 8192,
    /* CUDA: long lines of a sum that are solved at once, if there are so many: enough to hide the latency of the
     * recurrence. */
    STARFISH_TRIDIAG_LINES_AT_ONCE = 32768,
    /* CUDA: bytes of a vector that all lines of a sum have together, if there are so many. Ten times what a device
     * solves at once, so that it seldom waits for the last few. */
    STARFISH_TRIDIAG_SUMMED_BYTES = 64 * 1024 * 1024
};

static inline size_t starfish_tridiag_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t starfish_tridiag_round_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* One past the last of a window of lanes; a count of 0 stands for all. */
static inline size_t starfish_tridiag_lanes_end(size_t lanes, size_t first, size_t count)
{
    return count > 0 ? first + count : lanes;
}

/* Lanes in a block that keeps `arrays` reals per unknown. */
static inline size_t starfish_tridiag_block_lanes(size_t n, size_t lanes, size_t arrays, size_t real_size)
{
    size_t narrowest = STARFISH_TRIDIAG_NARROWEST_BYTES / real_size;
    size_t fitting = STARFISH_TRIDIAG_BLOCK_BYTES / (arrays * n * real_size) / narrowest * narrowest;

    return starfish_tridiag_smaller(lanes, fitting > narrowest ? fitting : narrowest);
}

/* CUDA: the parts that the roots of a sum over long lines are divided into, one thread each. */
static inline size_t starfish_tridiag_sum_parts(size_t lanes, size_t groups, size_t most_roots)
{
    size_t parts = STARFISH_TRIDIAG_LINES_AT_ONCE / (lanes * groups);

    return starfish_tridiag_smaller(parts > 0 ? parts : 1, most_roots);
}

/* CUDA: the same for lines that a group of threads holds in registers; the runs of a block of threads make one part. */
static inline size_t starfish_tridiag_sum_runs(size_t n, size_t lanes, size_t groups, size_t most_roots,
                                               size_t real_size)
{
    size_t runs = STARFISH_TRIDIAG_SUMMED_BYTES / (n * real_size * lanes * groups);

    return starfish_tridiag_smaller(runs > 0 ? runs : 1, most_roots);
}

/* Distance between rows of a block: whole cache lines, so that every row is aligned. */
static inline size_t starfish_tridiag_pitch(size_t width, size_t real_size)
{
    return starfish_tridiag_round_up(width, STARFISH_TRIDIAG_CACHE_LINE / real_size);
}

/* Bytes of a block, with room to align its start. */
static inline size_t starfish_tridiag_block_bytes(size_t n, size_t width, size_t arrays, size_t real_size)
{
    size_t rows = arrays * n + STARFISH_TRIDIAG_LOOSE_ROWS;

    return rows * starfish_tridiag_pitch(width, real_size) * real_size + STARFISH_TRIDIAG_CACHE_LINE;
}

#endif
