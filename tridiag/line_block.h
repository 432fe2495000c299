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
 * Everything is `width` lanes wide and inlined into its caller, which is compiled for several instruction sets. */
#ifndef STARFISH_TRIDIAG_LINE_BLOCK_H
#define STARFISH_TRIDIAG_LINE_BLOCK_H

#include "base/real.h"
#include "tridiag/blocking.h"
#include "tridiag/tridiag.h"
#include <stdint.h>

/* SSE2, the x86-64 baseline, has two f64 lanes where AVX-512 has eight. The loader picks a version once; sanitizers
 * cannot be up yet when it does. No version contracts to fused multiply-adds (ISO mode), so all give the same bits. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STARFISH_TRIDIAG_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STARFISH_TRIDIAG_CLONES
#endif
#define STARFISH_TRIDIAG_INLINE static inline __attribute__((always_inline))

struct line_block {
    size_t n, pitch; /* row k of an array starts at array + k * pitch */
    int periodic;
    const real *lower, *diag, *upper;
    real *c, *d, *e;                /* n rows each; d ends as the solution; e only when periodic */
    real *x;                        /* n rows that the elimination leaves alone; only in chains */
    real *shift;                    /* from here on one row each */
    real *pivot;                    /* 1 / pivot of the row just eliminated */
    real *corner;                   /* the separator's row: entry in the column being eliminated, */
    real *last_diag;                /* its diagonal so far, */
    real *last_rhs;                 /* its right-hand side so far, */
    real *last;                     /* its solution */
    real *zero, *minus_one;         /* stand for the rows above row 0 */
    real *lane_shift, *keep, *gain; /* for the caller */
};

/* Lay the block out in `workspace`; `arrays` reals per unknown as given to starfish_tridiag_block_bytes. */
static inline struct line_block line_block_create(const struct starfish_tridiag_operator *line, size_t width,
                                                  int keeps_x, void *workspace)
{
    size_t pitch = starfish_tridiag_pitch(width, sizeof(real)), array = line->n * pitch;
    uintptr_t misalignment = (uintptr_t)workspace % STARFISH_TRIDIAG_CACHE_LINE;
    size_t skip = misalignment ? STARFISH_TRIDIAG_CACHE_LINE - misalignment : 0;
    real *c = (real *)(void *)((char *)workspace + skip), *d = c + array, *x = d + array;
    real *e = x + (keeps_x ? array : 0), *loose = e + (line->periodic ? array : 0);
    struct line_block block = {.n = line->n,
                               .pitch = pitch,
                               .periodic = line->periodic,
                               .lower = line->lower,
                               .diag = line->diag,
                               .upper = line->upper,
                               .c = c,
                               .d = d,
                               .e = e,
                               .x = x};
    real **row[STARFISH_TRIDIAG_LOOSE_ROWS] = {&block.shift,      &block.pivot, &block.corner, &block.last_diag,
                                               &block.last_rhs,   &block.last,  &block.zero,   &block.minus_one,
                                               &block.lane_shift, &block.keep,  &block.gain};

    for (int i = 0; i < STARFISH_TRIDIAG_LOOSE_ROWS; i++)
        *row[i] = loose + (size_t)i * pitch;
    for (size_t l = 0; l < pitch; l++) {
        block.zero[l] = 0;
        block.minus_one[l] = -1;
    }
    return block;
}

/* Where the block's memory ends, aligned. */
static inline real *line_block_end(const struct line_block *block)
{
    return block->gain + block->pitch;
}

/* Before the first row: what the separator's row is. */
STARFISH_TRIDIAG_INLINE void line_block_begin(const struct line_block *block, size_t width)
{
    size_t last = block->n - 1;
    real diag = block->diag[last], corner = block->periodic ? block->upper[last] : 0;
    const real *restrict shift = block->shift;
    real *restrict last_diag = block->last_diag, *restrict last_rhs = block->last_rhs, *restrict f = block->corner;

    if (last == 0 && block->periodic) /* its own neighbour on both sides */
        diag += block->lower[0] + block->upper[0];
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
    real lower = block->lower[k];
    const real *restrict above = k > 0 ? block->e + (k - 1) * block->pitch : block->minus_one;
    const real *restrict pivot = block->pivot;
    const real *restrict c = block->c + k * block->pitch, *restrict d = block->d + k * block->pitch;
    real *restrict e = block->e + k * block->pitch, *restrict f = block->corner;
    real *restrict last_diag = block->last_diag, *restrict last_rhs = block->last_rhs;

    if (k + 2 < block->n) {
#pragma omp simd
        for (size_t l = 0; l < width; l++) {
            e[l] = -lower * above[l] * pivot[l];
            last_diag[l] -= f[l] * e[l];
            last_rhs[l] -= f[l] * d[l];
            f[l] = -f[l] * c[l];
        }
    } else { /* column n-2: line_block_last adds lower[n-1] to the corner first */
#pragma omp simd
        for (size_t l = 0; l < width; l++)
            e[l] = -lower * above[l] * pivot[l];
    }
}

/* Row k < n-1, with right-hand side `rhs`. */
STARFISH_TRIDIAG_INLINE void line_block_eliminate(const struct line_block *block, size_t width, size_t k,
                                                  const real *restrict rhs)
{
    real lower = k > 0 ? block->lower[k] : 0, diag = block->diag[k], upper = block->upper[k];
    size_t above = (k > 0 ? k - 1 : 0) * block->pitch;
    const real *restrict c_above = k > 0 ? block->c + above : block->zero;
    const real *restrict d_above = k > 0 ? block->d + above : block->zero;
    const real *restrict shift = block->shift;
    real *restrict c = block->c + k * block->pitch, *restrict d = block->d + k * block->pitch;
    real *restrict pivots = block->pivot;

#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        real pivot = 1 / (diag + shift[l] - lower * c_above[l]);
        pivots[l] = pivot;
        c[l] = upper * pivot;
        d[l] = (rhs[l] - lower * d_above[l]) * pivot;
    }
    if (block->periodic)
        line_block_border(block, width, k);
}

/* The separator, once all rows above are eliminated; lanes that are pinned the caller then sets to zero. */
STARFISH_TRIDIAG_INLINE void line_block_last(const struct line_block *block, size_t width, const real *restrict rhs)
{
    size_t k = block->n - 1, above = (k > 0 ? k - 1 : 0) * block->pitch;
    real lower = k > 0 ? block->lower[k] : 0;
    const real *restrict c = k > 0 ? block->c + above : block->zero;
    const real *restrict d = k > 0 ? block->d + above : block->zero;
    const real *restrict e = k > 0 && block->periodic ? block->e + above : block->zero;
    const real *restrict f = k > 0 ? block->corner : block->zero;
    const real *restrict last_diag = block->last_diag, *restrict last_rhs = block->last_rhs;
    real *restrict last = block->last;

#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        real entry = lower + f[l];
        last[l] = (rhs[l] + last_rhs[l] - entry * d[l]) / (last_diag[l] - entry * (c[l] + e[l]));
    }
}

/* Row k < n-1 on the way back: d(k) becomes x(k); `below` is x(k+1). */
STARFISH_TRIDIAG_INLINE void line_block_substitute(const struct line_block *block, size_t width, size_t k,
                                                   const real *restrict below)
{
    const real *restrict c = block->c + k * block->pitch;
    real *restrict d = block->d + k * block->pitch;

    if (block->periodic) {
        const real *e = block->e + k * block->pitch, *last = block->last; /* `below` is `last` in row n-2 */
#pragma omp simd
        for (size_t l = 0; l < width; l++)
            d[l] -= c[l] * below[l] + e[l] * last[l];
    } else {
#pragma omp simd
        for (size_t l = 0; l < width; l++)
            d[l] -= c[l] * below[l];
    }
}

/* ---- Lanes, for the kernels that know where they lie --------------------------------------------------------------- */

STARFISH_TRIDIAG_INLINE void line_copy_row(real *restrict to, const real *restrict from, size_t width)
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

/* Shifts of `width` lanes from first_lane on; `outer` may be NULL. */
static inline void line_shifts(const real *inner, size_t inner_lanes, const real *outer, double everywhere,
                               size_t first_lane, size_t width, real *shift)
{
    for (size_t l = 0; l < width; l++) {
        size_t lane = first_lane + l;
        shift[l] = (inner ? inner[lane % inner_lanes] : 0) + (outer ? outer[lane / inner_lanes] : 0) + (real)everywhere;
    }
}

/* Set to zero the pinned lane, if it is one of these; -1: none is. */
static inline void line_pin(ptrdiff_t pinned_lane, size_t first_lane, size_t width, real *last)
{
    if (pinned_lane >= 0 && (size_t)pinned_lane >= first_lane && (size_t)pinned_lane < first_lane + width)
        last[(size_t)pinned_lane - first_lane] = 0;
}

#endif
