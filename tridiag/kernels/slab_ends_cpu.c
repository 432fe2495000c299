/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a slab says of its ends, on the CPU: one read of the slab.
 *
 * A block of lanes walks down the planes; what is known of the rows so far, a handful of reals per lane, stays in the
 * first-level cache. One division and about a dozen other operations per unknown. One core reads 13 GB/s of 64 planes
 * of 128 x 128 lanes, which its caches hold, and 7 GB/s of 1000 planes. */
#include "tridiag/kernels/line_block.h"
#include "tridiag/kernels/slab_shifts.h"

/* Lanes of a block: rows of data of 2 KiB in f64, long enough to stream, and 14 KiB of what is known. */
enum { WIDEST = 256, ROWS_AHEAD = 4 };

/* With all rows above row k eliminated:
 *     before v_before + diag u(k) + upper[k] u(k+1) = rhs,     u(0) = head - head_own u(k) - head_before v_before.
 * Of row sums, in place of diag: diag + upper[k] in `diag`; the sum of all three in `sum`, that of 1, head_own and
 * head_before in `head_before`. */
struct eliminated {
    real before[WIDEST], diag[WIDEST], rhs[WIDEST];
    real head[WIDEST], head_own[WIDEST], head_before[WIDEST];
    real sum[WIDEST];
    real shift[WIDEST];
    size_t first; /* lane */
};

/* Row k of the operator, with the entry above its diagonal's next: upper[k-1]. */
struct row {
    real lower, diag, upper_above;
};

static inline struct row operator_row(const struct starfish_slab_lines *lines, size_t k)
{
    const real *lower = lines->lower, *diag = lines->diag, *upper = lines->upper;

    return (struct row){lower[k], diag[k], k > 0 ? upper[k - 1] : 0};
}

STARFISH_TRIDIAG_INLINE void first_row(const struct starfish_slab_lines *lines, size_t width, struct eliminated *so_far)
{
    struct row row = operator_row(lines, 0);

    slab_shifts_set(lines, so_far->first, width, 0, so_far->shift);
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        so_far->before[l] = row.lower;
        so_far->sum[l] = row.diag + so_far->shift[l];
        so_far->diag[l] = so_far->sum[l] - (lines->row_sums ? row.lower : 0);
        so_far->rhs[l] = 0;
        so_far->head[l] = 0;
        so_far->head_own[l] = -1;
        so_far->head_before[l] = 0;
    }
}

/* The next row: its data alone, */
STARFISH_TRIDIAG_INLINE void next_rhs(struct row row, const real *restrict rhs, size_t width, struct eliminated *so_far)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        real pivot = 1 / so_far->diag[l], own = so_far->head_own[l] * pivot, multiplier = row.lower * pivot;
        so_far->head[l] -= own * so_far->rhs[l];
        so_far->head_own[l] = -own * row.upper_above;
        so_far->rhs[l] = rhs[l] - multiplier * so_far->rhs[l];
        so_far->diag[l] = row.diag + so_far->shift[l] - multiplier * row.upper_above;
    }
}

/* the same of row sums, */
STARFISH_TRIDIAG_INLINE void next_rhs_of_sums(struct row row, const real *restrict rhs, size_t width,
                                              struct eliminated *so_far)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        real pivot = 1 / (so_far->diag[l] - row.upper_above), own = so_far->head_own[l] * pivot;
        real multiplier = row.lower * pivot;
        so_far->head[l] -= own * so_far->rhs[l];
        so_far->head_own[l] = -own * row.upper_above;
        so_far->rhs[l] = rhs[l] - multiplier * so_far->rhs[l];
        so_far->diag[l] = row.diag + so_far->shift[l] - multiplier * so_far->diag[l];
    }
}

/* what does not depend on data, */
STARFISH_TRIDIAG_INLINE void next_coefficients(struct row row, size_t width, struct eliminated *so_far)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        real pivot = 1 / so_far->diag[l], own = so_far->head_own[l] * pivot, multiplier = row.lower * pivot;
        so_far->head_before[l] -= own * so_far->before[l];
        so_far->head_own[l] = -own * row.upper_above;
        so_far->before[l] = -multiplier * so_far->before[l];
        so_far->diag[l] = row.diag + so_far->shift[l] - multiplier * row.upper_above;
    }
}

/* and the same of row sums. */
STARFISH_TRIDIAG_INLINE void next_sums(struct row row, size_t width, struct eliminated *so_far)
{
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        real pivot = 1 / (so_far->diag[l] - row.upper_above), own = so_far->head_own[l] * pivot;
        real multiplier = row.lower * pivot;
        so_far->head_before[l] -= own * so_far->sum[l];
        so_far->head_own[l] = -own * row.upper_above;
        so_far->before[l] = -multiplier * so_far->before[l];
        so_far->sum[l] = row.diag + so_far->shift[l] - multiplier * so_far->sum[l];
        so_far->diag[l] = row.diag + so_far->shift[l] - multiplier * so_far->diag[l];
    }
}

STARFISH_TRIDIAG_CLONES
static void walk_with_data(const struct starfish_slab_lines *lines, const real *data, size_t width,
                           struct eliminated *so_far)
{
    size_t lanes = lines->plane;

    first_row(lines, width, so_far);
    line_copy_row(so_far->rhs, data, width);
    for (size_t k = 1; k < lines->rows; k++) {
        if (k + ROWS_AHEAD < lines->rows)
            line_prefetch_row(data + (k + ROWS_AHEAD) * lanes, width);
        slab_shifts_of_row(lines, so_far->first, width, k, so_far->shift);
        if (lines->row_sums)
            next_rhs_of_sums(operator_row(lines, k), data + k * lanes, width, so_far);
        else
            next_rhs(operator_row(lines, k), data + k * lanes, width, so_far);
    }
}

STARFISH_TRIDIAG_CLONES
static void walk_without_data(const struct starfish_slab_lines *lines, size_t width, struct eliminated *so_far)
{
    first_row(lines, width, so_far);
    for (size_t k = 1; k < lines->rows; k++) {
        slab_shifts_of_row(lines, so_far->first, width, k, so_far->shift);
        if (lines->row_sums)
            next_sums(operator_row(lines, k), width, so_far);
        else
            next_coefficients(operator_row(lines, k), width, so_far);
    }
}

void REAL_NAME(starfish_slab_ends_cpu)(const struct starfish_slab_ends *arguments)
{
    const struct starfish_slab_lines *lines = &arguments->lines;
    struct eliminated so_far;

    for (int part = 0; part < lines->parts; part++) {
        size_t first = lines->inner * lines->first_outer[part], end = lines->inner * lines->first_outer[part + 1];
        real *rhs = arguments->rhs[part], *head = arguments->head[part];
        for (size_t lane = first; lane < end; lane += WIDEST) {
            size_t width = starfish_tridiag_smaller(WIDEST, end - lane);
            so_far.first = lane;
            walk_with_data(lines, (const real *)arguments->data + lane, width, &so_far);
            line_copy_row(rhs + (lane - first), so_far.rhs, width);
            line_copy_row(head + (lane - first), so_far.head, width);
        }
    }
}

void REAL_NAME(starfish_slab_coefficients_cpu)(const struct starfish_slab_coefficients *arguments)
{
    const struct starfish_slab_lines *lines = &arguments->lines;
    struct eliminated so_far;

    for (int part = 0; part < lines->parts; part++) {
        size_t first = lines->inner * lines->first_outer[part], end = lines->inner * lines->first_outer[part + 1];
        for (size_t lane = first; lane < end; lane += WIDEST) {
            size_t width = starfish_tridiag_smaller(WIDEST, end - lane), at = lane - first;
            so_far.first = lane;
            walk_without_data(lines, width, &so_far);
            line_copy_row((real *)arguments->lower[part] + at, so_far.before, width);
            line_copy_row((real *)arguments->diag[part] + at, lines->row_sums ? so_far.sum : so_far.diag, width);
            line_copy_row((real *)arguments->head_own[part] + at, so_far.head_own, width);
            line_copy_row((real *)arguments->head_before[part] + at, so_far.head_before, width);
        }
    }
}
