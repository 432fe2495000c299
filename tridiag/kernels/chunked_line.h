/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A line by itself, cut into chunks that are eliminated side by side in SIMD lanes, for kernels on cores.
 *
 * Lane c of row k is row k of chunk c. The last row of each chunk is its separator. Eliminating the rows above it from
 * the top leaves
 *     x(k) + c(k) x(k+1) + e(k) left = d(k),
 * `left` being the separator of the chunk before, whose own row has an entry in column k, the `corner`, as in
 * line_block.h; there a line is its own neighbour on both sides, here chunks are each other's. What is left is a
 * tridiagonal system of the separators, which is periodic if the line is. Chunks have `rows` rows or one less; those
 * have no row 0. One division per unknown, of which as many run at once as there are chunks, so that the line is bound
 * by arithmetic and not by waiting for one division after the other. Source: Wang, ACM TOMS 7 (1981). */
#ifndef STARFISH_TRIDIAG_KERNELS_CHUNKED_LINE_H
#define STARFISH_TRIDIAG_KERNELS_CHUNKED_LINE_H

#include "base/clones.h"
#include "base/real.h"

#include <stddef.h>

enum {
    CHUNKED_LANES = 16,
    CHUNKED_FEWEST = 6 * CHUNKED_LANES /* unknowns of a line that is worth cutting */
};

struct chunked_line {
    size_t n, rows;       /* of the line; of the longest chunks */
    size_t longest;       /* chunks of `rows` rows, which come first */
    int periodic, pinned; /* pinned: the line's last unknown is zero */
};

static inline struct chunked_line chunked_line_of(size_t n, int periodic)
{
    const size_t rows = (n + CHUNKED_LANES - 1) / CHUNKED_LANES;
    return (struct chunked_line){.n = n, .rows = rows, .longest = n - CHUNKED_LANES * (rows - 1), .periodic = periodic};
}

/* Where row k of a chunk is in the line, k > 0 in short chunks. */
static inline size_t chunked_line_place(const struct chunked_line *line, size_t chunk, size_t k)
{
    const size_t before = chunk < line->longest ? 0 : chunk - line->longest;
    return chunk * line->rows - before + k - (chunk < line->longest ? 0 : 1);
}

/* Number of a separator that is the left neighbour of a chunk. */
static inline size_t chunked_line_left(size_t chunk)
{
    return (chunk + CHUNKED_LANES - 1) % CHUNKED_LANES;
}

/* The row above, and what the separator of the chunk before has of this chunk. */
struct chunked_state {
    real c[CHUNKED_LANES], d[CHUNKED_LANES], e[CHUNKED_LANES];
    real corner[CHUNKED_LANES], diag[CHUNKED_LANES], rhs[CHUNKED_LANES];
};

struct chunked_row {
    const real *lower, *diag, *upper, *rhs; /* of all chunks */
    real shift;
    real *c, *d, *e; /* results */
};

/* upper: of the separators. */
static inline void chunked_line_begin(const struct chunked_line *line, const real *upper, struct chunked_state *state)
{
    for (size_t l = 0; l < CHUNKED_LANES; l++) {
        state->c[l] = state->d[l] = state->diag[l] = state->rhs[l] = 0;
        state->e[l] = -1;
        state->corner[l] = upper[chunked_line_left(l)];
    }
    if (!line->periodic)
        state->corner[0] = 0;
}

/* A row that is no separator. */
STARFISH_ALWAYS_INLINE void chunked_line_eliminate(const struct chunked_row *row, struct chunked_state *state)
{
    const real *restrict lower = row->lower, *restrict diag = row->diag, *restrict upper = row->upper;
    const real *restrict rhs = row->rhs;
    real *restrict c = row->c, *restrict d = row->d, *restrict e = row->e;
#pragma omp simd
    for (size_t l = 0; l < CHUNKED_LANES; l++) {
        const real pivot = 1 / (diag[l] + row->shift - lower[l] * state->c[l]), corner = state->corner[l];
        const real next = upper[l] * pivot, known = pivot * (rhs[l] - lower[l] * state->d[l]);
        const real left = -lower[l] * state->e[l] * pivot;
        c[l] = state->c[l] = next;
        d[l] = state->d[l] = known;
        e[l] = state->e[l] = left;
        state->diag[l] -= corner * left;
        state->rhs[l] -= corner * known;
        state->corner[l] = -corner * next;
    }
}

/* Row 0, which short chunks do not have: their state stays as it was. */
static inline void chunked_line_first(const struct chunked_line *line, const struct chunked_row *row,
                                      struct chunked_state *state)
{
    struct chunked_state after = *state;
    chunked_line_eliminate(row, &after);
    for (size_t l = 0; l < line->longest; l++) {
        state->c[l] = after.c[l];
        state->d[l] = after.d[l];
        state->e[l] = after.e[l];
        state->diag[l] = after.diag[l];
        state->rhs[l] = after.rhs[l];
        state->corner[l] = after.corner[l];
    }
    for (size_t l = line->longest; l < CHUNKED_LANES; l++)
        row->c[l] = row->d[l] = row->e[l] = 0;
}

/* Separators, from the elimination's last state and their rows; the last one takes part as that of a periodic line in
 * line_block.h. */
static inline void chunked_line_join(const struct chunked_line *line, const struct chunked_row *row,
                                     const struct chunked_state *state, real *separator)
{
    enum { LAST = CHUNKED_LANES - 1 };
    real diag[CHUNKED_LANES], rhs[CHUNKED_LANES], lower[CHUNKED_LANES], upper[CHUNKED_LANES];
    real c[CHUNKED_LANES], e[CHUNKED_LANES], d[CHUNKED_LANES];
    for (size_t l = 0; l < CHUNKED_LANES; l++) {
        const size_t right = (l + 1) % CHUNKED_LANES;
        lower[l] = -row->lower[l] * state->e[l];
        diag[l] = row->diag[l] + row->shift - row->lower[l] * state->c[l] + state->diag[right];
        rhs[l] = row->rhs[l] - row->lower[l] * state->d[l] + state->rhs[right];
        upper[l] = state->corner[right];
    }
    if (!line->periodic)
        lower[0] = 0;
    real corner = upper[LAST], pivot = 1 / diag[0];
    c[0] = upper[0] * pivot;
    d[0] = rhs[0] * pivot;
    e[0] = lower[0] * pivot;
    for (size_t l = 1; l < LAST; l++) {
        diag[LAST] -= corner * e[l - 1];
        rhs[LAST] -= corner * d[l - 1];
        corner *= -c[l - 1];
        pivot = 1 / (diag[l] - lower[l] * c[l - 1]);
        c[l] = upper[l] * pivot;
        d[l] = (rhs[l] - lower[l] * d[l - 1]) * pivot;
        e[l] = -lower[l] * e[l - 1] * pivot;
    }
    const real entry = lower[LAST] + corner, both = c[LAST - 1] + e[LAST - 1];
    separator[LAST] = line->pinned ? 0 : (rhs[LAST] - entry * d[LAST - 1]) / (diag[LAST] - entry * both);
    for (size_t l = LAST; l-- > 0;)
        separator[l] = d[l] - c[l] * separator[l + 1] - e[l] * separator[LAST];
}

/* Separators of the chunks before; none before the first of a line that is not periodic. */
static inline void chunked_line_lefts(const struct chunked_line *line, const real *separator, real *left)
{
    for (size_t l = 0; l < CHUNKED_LANES; l++)
        left[l] = separator[chunked_line_left(l)];
    if (!line->periodic)
        left[0] = 0;
}

/* x of the row above, from that of the row below. */
STARFISH_ALWAYS_INLINE void chunked_line_substitute(const real *restrict c, const real *restrict d,
                                                    const real *restrict e, const real *restrict left, real *restrict x)
{
#pragma omp simd
    for (size_t l = 0; l < CHUNKED_LANES; l++)
        x[l] = d[l] - c[l] * x[l] - e[l] * left[l];
}

#endif
