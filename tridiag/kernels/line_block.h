/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thomas elimination of a block of lines side by side, row by row: what both CPU kernels of this folder are made of.
 *
 * The last unknown x(n-1) is kept apart as a separator, whether the line is periodic or not. Eliminating the rows
 * above it from the top leaves, for k < n-1,
 *     x(k) + c(k) x(k+1) + e(k) x(n-1) = d(k),
 * e being there only for periodic lines, and updates the separator's own row as it goes: its entry in column k, the
 * `corner`, starts as upper[n-1] and becomes -corner c(k) in column k+1. One forward and one backward sweep therefore
 * serve both kinds (the LU factorisation of a bordered matrix; Golub and Van Loan, Matrix Computations, 4.3 and 4.5),
 * with one division per unknown, and pinning a singular line is setting the separator to zero.
 *
 * Where `diag` are row sums (slab_lines.h) instead of diagonals, g(k) = 1 + c(k) + e(k) is what a row sums to, and
 * takes the place of c and e wherever they would be added to a diagonal; it is kept of the last row alone.
 *
 * Everything is `width` lanes wide and inlined into its caller, which is compiled for several instruction sets. Vectors
 * may be complex and so may the line (base/number.h); one elimination of a real line serves both parts of a complex
 * vector. */
#ifndef STARFISH_TRIDIAG_KERNELS_LINE_BLOCK_H
#define STARFISH_TRIDIAG_KERNELS_LINE_BLOCK_H

#include "base/clones.h"
#include "base/number.h"
#include "tridiag/kernels/blocking.h"
#include "tridiag/kernels/tridiag.h"
#include <stdint.h>

#define STARFISH_TRIDIAG_CLONES STARFISH_CLONES
#define STARFISH_TRIDIAG_INLINE STARFISH_ALWAYS_INLINE

struct line_block {
    size_t n, pitch; /* row k of an array starts at array + k * pitch */
    int periodic, row_sums;
    const coefficient *lower, *diag, *upper;
    const real *weight;     /* of rows, for the caller; NULL: ones */
    coefficient *c, *e;     /* n rows each; e only when periodic */
    scalar *d;              /* the same; ends as the solution */
    scalar *x;              /* n rows that the elimination leaves alone; only in chains */
    real *shift;            /* from here on one row each */
    coefficient *pivot;     /* 1 / pivot of the row just eliminated */
    coefficient *corner;    /* the separator's row: entry in the column being eliminated, */
    coefficient *last_diag; /* its diagonal so far, */
    scalar *last_rhs;       /* its right-hand side so far, */
    scalar *last;           /* its solution */
    coefficient *g;         /* of the row just eliminated */
    scalar *zero;           /* stand for the rows above row 0 */
    coefficient *minus_one;
    real *lane_shift, *keep, *gain; /* for the caller */
};

/* Lay the block out in `workspace`; `arrays` reals per unknown as given to starfish_tridiag_block_bytes. */
static inline struct line_block line_block_create(const struct starfish_tridiag_operator *line, size_t width,
                                                  int keeps_x, void *workspace)
{
    const size_t pitch = starfish_tridiag_pitch(width, sizeof(scalar)), row = pitch * sizeof(scalar);
    uintptr_t misalignment = (uintptr_t)workspace % STARFISH_TRIDIAG_CACHE_LINE;
    char *c = (char *)workspace + (misalignment ? STARFISH_TRIDIAG_CACHE_LINE - misalignment : 0);
    char *d = c + line->n * row, *x = d + line->n * row;
    char *e = x + (keeps_x ? line->n * row : 0), *loose = e + (line->periodic ? line->n * row : 0);
    struct line_block block = {.n = line->n,
                               .pitch = pitch,
                               .periodic = line->periodic,
                               .lower = line->lower,
                               .diag = line->diag,
                               .upper = line->upper,
                               .weight = line->weight,
                               .row_sums = line->weight != NULL,
                               .c = (void *)c,
                               .d = (void *)d,
                               .e = (void *)e,
                               .x = (void *)x,
                               .shift = (void *)loose,
                               .pivot = (void *)(loose + row),
                               .corner = (void *)(loose + 2 * row),
                               .last_diag = (void *)(loose + 3 * row),
                               .last_rhs = (void *)(loose + 4 * row),
                               .last = (void *)(loose + 5 * row),
                               .zero = (void *)(loose + 6 * row),
                               .minus_one = (void *)(loose + 7 * row),
                               .g = (void *)(loose + 8 * row),
                               .lane_shift = (void *)(loose + 9 * row),
                               .keep = (void *)(loose + 10 * row),
                               .gain = (void *)(loose + 11 * row)};

    _Static_assert(STARFISH_TRIDIAG_LOOSE_ROWS == 12, "every row has its place");
    for (size_t l = 0; l < pitch; l++) {
        block.zero[l] = 0;
        block.minus_one[l] = -1;
    }
    return block;
}

/* A row of coefficients that are zero: all bits of a zero are. */
static inline const coefficient *line_block_zero(const struct line_block *block)
{
    return (const coefficient *)(const void *)block->zero;
}

/* A row for the caller, and where the block's memory ends. Both are aligned. */
static inline scalar *line_block_row(const struct line_block *block)
{
    return (scalar *)(void *)block->gain;
}

static inline scalar *line_block_end(const struct line_block *block)
{
    return line_block_row(block) + block->pitch;
}

/* Before the first row: what the separator's row is. */
STARFISH_TRIDIAG_INLINE void line_block_begin(const struct line_block *block, size_t width)
{
    size_t last = block->n - 1;
    coefficient diag = block->diag[last], corner = block->periodic ? block->upper[last] : 0;
    const real *restrict shift = block->shift;
    coefficient *restrict last_diag = block->last_diag, *restrict f = block->corner;
    scalar *restrict last_rhs = block->last_rhs;

    if (last == 0 && block->periodic && !block->row_sums) /* its own neighbour on both sides */
        diag += block->lower[0] + block->upper[0];
    if (!block->periodic && block->row_sums) /* what is beyond is known */
        diag -= block->upper[last];
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        last_diag[l] = diag + shift[l];
        last_rhs[l] = 0;
        f[l] = corner;
    }
}

/* Row k < n-1 of a periodic line, after the part all lines share: the separator's column and row. */
STARFISH_TRIDIAG_INLINE void line_block_border(const struct line_block *block, size_t width, size_t k)
{
    coefficient lower = block->lower[k];
    const coefficient *restrict above = k > 0 ? block->e + (k - 1) * block->pitch : block->minus_one;
    const coefficient *restrict pivot = block->pivot, *restrict c = block->c + k * block->pitch;
    const scalar *restrict d = block->d + k * block->pitch;
    coefficient *restrict e = block->e + k * block->pitch, *restrict f = block->corner;
    coefficient *restrict last_diag = block->last_diag;
    scalar *restrict last_rhs = block->last_rhs;
    const coefficient *restrict left = block->row_sums ? block->g : e;

    if (k + 2 < block->n) {
#pragma omp simd
        for (size_t l = 0; l < width; l++)
            e[l] = coefficient_product(coefficient_product(-lower, above[l]), pivot[l]);
#pragma omp simd
        for (size_t l = 0; l < width; l++) {
            last_diag[l] -= coefficient_product(f[l], left[l]);
            last_rhs[l] -= scalar_product(f[l], d[l]);
            f[l] = coefficient_product(-f[l], c[l]);
        }
    } else { /* column n-2: line_block_last adds lower[n-1] to the corner first */
#pragma omp simd
        for (size_t l = 0; l < width; l++)
            e[l] = coefficient_product(coefficient_product(-lower, above[l]), pivot[l]);
    }
}

/* Row k < n-1 by its sum. The row above row 0 of a line that is not periodic is known, and counts as 1; of a periodic
 * one it is the separator, whose entry is of the row's own. */
STARFISH_TRIDIAG_INLINE void line_block_eliminate_sums(const struct line_block *block, size_t width, size_t k,
                                                       const scalar *restrict rhs)
{
    coefficient lower = block->lower[k], diag = block->diag[k], upper = block->upper[k];
    const size_t above = (k > 0 ? k - 1 : 0) * block->pitch;
    const int borders = block->periodic;
    const coefficient *restrict e_above = k > 0 && borders ? block->e + above : block->minus_one;
    const scalar *restrict d_above = k > 0 ? block->d + above : block->zero;
    const real *restrict shift = block->shift;
    coefficient *restrict c = block->c + k * block->pitch, *g = block->g;
    const coefficient *g_above = k > 0 ? g : line_block_zero(block);
    scalar *restrict d = block->d + k * block->pitch;
    coefficient *restrict pivots = block->pivot;
    const coefficient outside = k == 0 && !borders ? lower : 0, coupled = k > 0 ? lower : 0;

#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        coefficient sum = diag - outside + shift[l] - coefficient_product(coupled, g_above[l]);
        coefficient pivot =
            coefficient_reciprocal(sum - upper + (borders ? coefficient_product(lower, e_above[l]) : 0));
        pivots[l] = pivot;
        c[l] = coefficient_product(upper, pivot);
        g[l] = coefficient_product(sum, pivot);
        d[l] = scalar_product(pivot, rhs[l] - scalar_product(coupled, d_above[l]));
    }
    if (borders)
        line_block_border(block, width, k);
}

/* Row k < n-1, with right-hand side `rhs`. */
STARFISH_TRIDIAG_INLINE void line_block_eliminate(const struct line_block *block, size_t width, size_t k,
                                                  const scalar *restrict rhs)
{
    coefficient lower = k > 0 ? block->lower[k] : 0, diag = block->diag[k], upper = block->upper[k];
    size_t above = (k > 0 ? k - 1 : 0) * block->pitch;
    const coefficient *restrict c_above = k > 0 ? block->c + above : line_block_zero(block);
    const scalar *restrict d_above = k > 0 ? block->d + above : block->zero;
    const real *restrict shift = block->shift;
    coefficient *restrict c = block->c + k * block->pitch;
    scalar *restrict d = block->d + k * block->pitch;
    coefficient *restrict pivots = block->pivot;

#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        coefficient pivot = coefficient_reciprocal(diag + shift[l] - coefficient_product(lower, c_above[l]));
        pivots[l] = pivot;
        c[l] = coefficient_product(upper, pivot);
        d[l] = scalar_product(pivot, rhs[l] - scalar_product(lower, d_above[l]));
    }
    if (block->periodic)
        line_block_border(block, width, k);
}

/* The separator, once all rows above are eliminated; lanes that are pinned the caller then sets to zero. */
STARFISH_TRIDIAG_INLINE void line_block_last(const struct line_block *block, size_t width, const scalar *restrict rhs)
{
    size_t k = block->n - 1, above = (k > 0 ? k - 1 : 0) * block->pitch;
    coefficient lower = k > 0 ? block->lower[k] : 0;
    const coefficient *restrict c = k > 0 ? block->c + above : line_block_zero(block);
    const scalar *restrict d = k > 0 ? block->d + above : block->zero;
    const coefficient *restrict e = k > 0 && block->periodic ? block->e + above : line_block_zero(block);
    const coefficient *restrict f = k > 0 ? block->corner : line_block_zero(block);
    const coefficient *restrict g = k > 0 ? block->g : line_block_zero(block);
    const coefficient outside = k == 0 && !block->periodic && block->row_sums ? block->lower[0] : 0;
    const coefficient *restrict last_diag = block->last_diag;
    const scalar *restrict last_rhs = block->last_rhs;
    scalar *restrict last = block->last;

#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        coefficient entry = lower + f[l];
        coefficient left = block->row_sums ? g[l] : c[l] + e[l];
        last[l] = scalar_divided(rhs[l] + last_rhs[l] - scalar_product(entry, d[l]),
                                 last_diag[l] - outside - coefficient_product(entry, left));
    }
}

/* Row k < n-1 on the way back: d(k) becomes x(k); `below` is x(k+1). */
STARFISH_TRIDIAG_INLINE void line_block_substitute(const struct line_block *block, size_t width, size_t k,
                                                   const scalar *restrict below)
{
    const coefficient *restrict c = block->c + k * block->pitch;
    scalar *restrict d = block->d + k * block->pitch;

    if (block->periodic) {
        const coefficient *e = block->e + k * block->pitch;
        const scalar *last = block->last; /* `below` is `last` in row n-2 */
#pragma omp simd
        for (size_t l = 0; l < width; l++)
            d[l] -= scalar_product(c[l], below[l]) + scalar_product(e[l], last[l]);
    } else {
#pragma omp simd
        for (size_t l = 0; l < width; l++)
            d[l] -= scalar_product(c[l], below[l]);
    }
}

/* ---- Lanes, for the kernels that know where they lie ------------------------------------------------------------- */

STARFISH_TRIDIAG_INLINE void line_copy_row(scalar *restrict to, const scalar *restrict from, size_t width)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++)
        to[l] = from[l];
}

/* Fetch a row ahead of time: hardware does not foresee rows that lie pages apart. */
static inline void line_prefetch_row(const real *row, size_t width)
{
    for (size_t l = 0; l < width; l += STARFISH_TRIDIAG_CACHE_LINE / sizeof(real))
        __builtin_prefetch(row + l, 1);
}

/* Set to zero the pinned lane, if it is one of these; -1: none is. */
static inline void line_pin(ptrdiff_t pinned_lane, size_t first_lane, size_t width, real *last)
{
    if (pinned_lane >= 0 && (size_t)pinned_lane >= first_lane && (size_t)pinned_lane < first_lane + width)
        last[(size_t)pinned_lane - first_lane] = 0;
}

#endif
