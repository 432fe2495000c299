/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a batch's matrices, and lines solved one after the other: for C and for CUDA alike, one line per call.
 *
 * A periodic line's rows are those of A' = A - u v^T (batch.h), with g = -(diag[0] + shift) (or -1), u = (g, 0 .. 0,
 * upper[n-1]) and v = (1, 0 .. 0, lower[0] / g). */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_ROW_H
#define STARFISH_TRIDIAG_KERNELS_BATCH_ROW_H

#include "base/real.h"
#include <float.h>
#include <math.h>
#ifdef __CUDACC__
extern "C" {
#include "tridiag/kernels/batch.h"
}
#include "base/reciprocal.cuh"
#define BATCH_INLINE static __device__ __forceinline__
#define BATCH_RECIPROCAL(x) reciprocal(x)
#else
#include "tridiag/kernels/batch.h"
#define BATCH_INLINE static inline
#define BATCH_RECIPROCAL(x) (1 / (x))
#endif
#if defined(STARFISH_REAL_F32)
#define BATCH_LEAST FLT_MIN
#define BATCH_EPSILON FLT_EPSILON
#else
#define BATCH_LEAST DBL_MIN
#define BATCH_EPSILON DBL_EPSILON
#endif

struct batch_row {
    real lower, diag, upper;
};

/* Whether a pivot and its reciprocal are normal numbers. */
BATCH_INLINE int batch_has_reciprocal(real pivot)
{
    return REAL_FABS(pivot) >= BATCH_LEAST && REAL_FABS(pivot) <= 1 / BATCH_LEAST;
}

BATCH_INLINE real batch_coefficient(const struct starfish_batch *b, const void *array, size_t line, size_t k)
{
    return ((const real *)array)[k * b->coefficients.row + line * b->coefficients.line];
}

BATCH_INLINE real batch_shift(const struct starfish_batch *b, size_t line)
{
    return b->shift ? ((const real *)b->shift)[line] : 0;
}

/* -g: the first diagonal entry, or one where that is zero, which only pivoting survives. */
BATCH_INLINE real batch_first_diag(const struct starfish_batch *b, size_t line)
{
    const real diag = batch_coefficient(b, b->diag, line, 0) + batch_shift(b, line);

    return REAL_FABS(diag) > 0 ? diag : 1;
}

/* What row k gets in a periodic line; an open line only loses what leads out of it. */
BATCH_INLINE struct batch_row batch_end_row(const struct starfish_batch *b, size_t line, size_t k, struct batch_row row)
{
    const real lower = row.lower, upper = row.upper;

    if (k == 0) {
        row.lower = 0;
        if (b->periodic)
            row.diag += batch_first_diag(b, line);
    }
    if (k + 1 == b->n) {
        const real first_lower = k == 0 ? lower : b->periodic ? batch_coefficient(b, b->lower, line, 0) : 0;
        row.upper = 0;
        if (b->periodic)
            row.diag += first_lower * upper / batch_first_diag(b, line);
    }
    return row;
}

/* A row of A as it is stored, with what leads out of an open line. */
BATCH_INLINE struct batch_row batch_whole_row(const struct starfish_batch *b, size_t line, real shift, size_t k)
{
    const struct batch_row row = {batch_coefficient(b, b->lower, line, k),
                                  batch_coefficient(b, b->diag, line, k) + shift,
                                  batch_coefficient(b, b->upper, line, k)};

    return row;
}

BATCH_INLINE struct batch_row batch_row_at(const struct starfish_batch *b, size_t line, real shift, size_t k)
{
    const struct batch_row row = batch_whole_row(b, line, shift, k);

    return k == 0 || k + 1 == b->n ? batch_end_row(b, line, k, row) : row;
}

/* u(k), the right-hand side of which the border is the solution. */
BATCH_INLINE real batch_border_rhs(const struct starfish_batch *b, size_t line, size_t k)
{
    real u = 0;

    if (k == 0)
        u -= batch_first_diag(b, line);
    if (k + 1 == b->n)
        u += batch_coefficient(b, b->upper, line, k);
    return u;
}

/* v^T x, from the first and the last entry of x. */
BATCH_INLINE real batch_border_product(const struct starfish_batch *b, size_t line, real first, real last)
{
    return first - batch_coefficient(b, b->lower, line, 0) / batch_first_diag(b, line) * last;
}

/* Without a division, which takes as long as the elimination of a row. */
BATCH_INLINE size_t batch_column_offset(const struct starfish_batch *b, size_t line, size_t column)
{
    const size_t pairs = b->components == 2;

    return line * b->vectors.line + (column >> pairs) * b->column + (column & pairs);
}

/* x = y - z (v^T y) / (1 + v^T z), in place. */
BATCH_INLINE real batch_border_factor(const struct starfish_batch *b, size_t line, const real *y)
{
    const size_t m = starfish_batch_matrices(b) == 1 ? 0 : line;
    const real *z = (const real *)b->border + m;
    const size_t last = b->n - 1;

    return batch_border_product(b, line, y[0], y[last * b->vectors.row]) /
           (1 + batch_border_product(b, line, z[0], z[last * starfish_batch_kept_row(b)]));
}

/* Whether the matrix of A's moduli, positive on the diagonal and negative beside it, is an M-matrix: then A is an
 * H-matrix. A tridiagonal A that is dominant by rows or columns, definite and symmetric, or an M-matrix is one. Its
 * elimination is stable in every order, so for every algorithm here: pivots are no smaller than those of the moduli,
 * which are positive, and |L| |U| <= 3 |A| (Higham, 9.6, with |l u / pivot| <= |diag|). For a periodic A the same holds
 * of A', and A' is an H-matrix, too.
 *
 * The moduli are eliminated from the top. Their couplings to the last unknown, `right` in the last column and `bottom`
 * in the last row, begin at the ends of a periodic line and at the last but one row of an open one. Dominance need not
 * be strict, so pivots that are zero but for rounding errors count as positive. */
BATCH_INLINE int batch_is_h_matrix(const struct starfish_batch *b, size_t line)
{
    const size_t last = b->n - 1;
    const real shift = batch_shift(b, line), slack = 16 * BATCH_EPSILON * (real)sqrt((double)b->n);
    const struct batch_row end = batch_whole_row(b, line, shift, last);
    real above = 0, right = 0, bottom = b->periodic ? REAL_FABS(end.upper) : 0, taken = 0;
    int holds = 1;

    for (size_t k = 0; k < last; k++) {
        const struct batch_row row = batch_whole_row(b, line, shift, k);
        const real lower = k > 0 || b->periodic ? REAL_FABS(row.lower) : 0, least = slack * REAL_FABS(row.diag);
        real pivot = REAL_FABS(row.diag) - (k > 0 ? lower * above : 0);
        right = k > 0 ? lower * right : lower;
        if (k + 1 == last) {
            right += REAL_FABS(row.upper);
            bottom += REAL_FABS(end.lower);
        }
        if (pivot >= -least && pivot < least)
            pivot = least;
        holds = holds && batch_has_reciprocal(pivot) && pivot > 0;
        above = REAL_FABS(row.upper) / pivot;
        right /= pivot;
        taken += bottom * right;
        bottom *= above;
    }
    if (last == 0 && b->periodic)
        taken = REAL_FABS(end.lower) + REAL_FABS(end.upper);
    return holds && batch_has_reciprocal(end.diag) && REAL_FABS(end.diag) - taken >= -slack * REAL_FABS(end.diag);
}

/* Pivots of elimination from the top; with factors == NULL only their growth. */
BATCH_INLINE void batch_factor_line(const struct starfish_batch *b, size_t line)
{
    const size_t row_size = starfish_batch_kept_row(b);
    real *inverse = (real *)b->factors + (b->factors ? line : 0), *c = inverse + (b->factors ? b->n * row_size : 0);
    const real shift = batch_shift(b, line);
    real above = 0, largest = 0, largest_pivot = 0;
    int zero = 0;

    for (size_t k = 0; k < b->n; k++) {
        const struct batch_row row = batch_row_at(b, line, shift, k);
        const real pivot = row.diag - row.lower * above;
        const real scale = 1 / pivot;
        above = row.upper * scale;
        if (b->factors) {
            inverse[k * row_size] = scale;
            c[k * row_size] = above;
        }
        zero |= !batch_has_reciprocal(pivot);
        largest_pivot = REAL_FABS(pivot) > largest_pivot ? REAL_FABS(pivot) : largest_pivot;
        largest = REAL_FABS(row.diag) > largest ? REAL_FABS(row.diag) : largest;
        largest = REAL_FABS(row.lower) > largest ? REAL_FABS(row.lower) : largest;
        largest = REAL_FABS(row.upper) > largest ? REAL_FABS(row.upper) : largest;
    }
    if (b->growth) {
        b->growth[line].from_top = zero ? (double)INFINITY : (double)(largest_pivot / largest);
        b->growth[line].any_order = batch_is_h_matrix(b, line) ? 1 : (double)INFINITY;
        b->growth[line].trials = 0;
    }
}

/* ---- Trial solves --------------------------------------------------------------------------------------------- */

/* A single right-hand side may hide an error by chance. */
enum { BATCH_TRIALS = 4 };

/* Between 1/2 and 1 in modulus, without order: the right-hand side of even trials, the solution of odd ones. */
BATCH_INLINE real batch_trial_value(size_t k, int trial)
{
    unsigned bits = (unsigned)(k * 2654435761u) + 374761393u * (unsigned)(trial + 1);

    bits = (bits ^ bits >> 15) * 2246822519u;
    bits = (bits ^ bits >> 13) * 3266489917u;
    const real size = REAL(0.5) + (real)(bits >> 9 & 0xffff) / REAL(131072.0);
    return bits >> 31 ? -size : size;
}

BATCH_INLINE size_t batch_before(const struct starfish_batch *b, size_t k)
{
    return k > 0 ? k - 1 : b->n - 1;
}

BATCH_INLINE size_t batch_after(const struct starfish_batch *b, size_t k)
{
    return k + 1 < b->n ? k + 1 : 0;
}

/* Row k of A without what leads out of an open line. */
BATCH_INLINE struct batch_row batch_inner_row(const struct starfish_batch *b, size_t line, real shift, size_t k)
{
    struct batch_row row = batch_whole_row(b, line, shift, k);

    if (k == 0 && !b->periodic)
        row.lower = 0;
    if (k + 1 == b->n && !b->periodic)
        row.upper = 0;
    return row;
}

BATCH_INLINE real batch_trial_rhs(const struct starfish_batch *b, size_t line, size_t k, int trial)
{
    const real own = batch_trial_value(k, trial);

    if (trial % 2 == 0)
        return own;
    const struct batch_row row = batch_inner_row(b, line, batch_shift(b, line), k);
    return row.lower * batch_trial_value(batch_before(b, k), trial) + row.diag * own +
           row.upper * batch_trial_value(batch_after(b, k), trial);
}

/* Keeps the larger backward error of a trial's solution x, whose rows are `stride` reals apart:
 * |A x - d| / (|A| |x| + |d|) in largest norms. */
BATCH_INLINE void batch_trial_end(const struct starfish_batch *b, size_t line, const real *x, size_t stride, int trial)
{
    const real shift = batch_shift(b, line);
    real residual = 0, matrix = 0, solution = 0, rhs = 0, sum = 0;

    for (size_t k = 0; k < b->n; k++) {
        const struct batch_row row = batch_inner_row(b, line, shift, k);
        const real d = batch_trial_rhs(b, line, k, trial), own = x[k * stride];
        const real r =
            row.lower * x[batch_before(b, k) * stride] + row.diag * own + row.upper * x[batch_after(b, k) * stride] - d;
        residual = REAL_FABS(r) > residual ? REAL_FABS(r) : residual;
        solution = REAL_FABS(own) > solution ? REAL_FABS(own) : solution;
        rhs = REAL_FABS(d) > rhs ? REAL_FABS(d) : rhs;
        const real size = REAL_FABS(row.lower) + REAL_FABS(row.diag) + REAL_FABS(row.upper);
        matrix = size > matrix ? size : matrix;
        sum += r; /* comparisons miss NaN */
    }
    const real error = residual / (matrix * solution + rhs) / BATCH_EPSILON;
    const int is_finite = sum - sum == 0 && matrix * solution + rhs <= 1 / BATCH_LEAST;
    const double worst = is_finite ? (double)error : (double)INFINITY;
    b->growth[line].trials = worst > b->growth[line].trials ? worst : b->growth[line].trials;
}

/* ---- Lines one after the other -------------------------------------------------------------------------------- */

/* One line and column by Thomas; `c` has n reals, `pitch` apart. Input may be output. */
BATCH_INLINE void batch_thomas_line(const struct starfish_batch *b, size_t line, size_t column, real *c, size_t pitch)
{
    const size_t offset = batch_column_offset(b, line, column), stride = b->vectors.row;
    const real *in = (const real *)b->input + offset, shift = batch_shift(b, line);
    real *out = (real *)b->output + offset, above = 0, x = 0;

    for (size_t k = 0; k < b->n; k++) {
        const struct batch_row row = batch_row_at(b, line, shift, k);
        const real scale = BATCH_RECIPROCAL(row.diag - row.lower * above);
        c[k * pitch] = above = row.upper * scale;
        out[k * stride] = x = (in[k * stride] - row.lower * x) * scale;
    }
    for (size_t k = b->n - 1; k-- > 0;)
        out[k * stride] = x = out[k * stride] - c[k * pitch] * x;
}

/* The same with kept factors, which need no other memory. */
BATCH_INLINE void batch_kept_line(const struct starfish_batch *b, size_t line, size_t column)
{
    const size_t offset = batch_column_offset(b, line, column), stride = b->vectors.row;
    const size_t row_size = starfish_batch_kept_row(b), m = starfish_batch_matrices(b) > 1 ? line : 0;
    const real *inverse = (const real *)b->factors + m, *c = inverse + b->n * row_size;
    const real *in = (const real *)b->input + offset;
    real *out = (real *)b->output + offset, x = 0;

    for (size_t k = 0; k < b->n; k++) {
        const real lower = k > 0 ? batch_coefficient(b, b->lower, line, k) : 0;
        out[k * stride] = x = (in[k * stride] - lower * x) * inverse[k * row_size];
    }
    for (size_t k = b->n - 1; k-- > 0;)
        out[k * stride] = x = out[k * stride] - c[k * row_size] * x;
}

/* One open line and column by elimination with row interchanges, as LAPACK's gtsv does it: `work` has 3 n reals,
 * `pitch` apart, for 1 / pivot and the two entries right of it. Input may be output: a row is overwritten once the next
 * one is read. */
BATCH_INLINE void batch_pivoted_line(const struct starfish_batch *b, size_t line, size_t column, real *work,
                                     size_t pitch)
{
    const size_t offset = batch_column_offset(b, line, column), stride = b->vectors.row, n = b->n;
    const real *in = (const real *)b->input + offset;
    real *out = (real *)b->output + offset, *inverse = work, *c = work + n * pitch, *f = c + n * pitch;
    const real shift = batch_shift(b, line);
    struct batch_row row = batch_row_at(b, line, shift, 0);
    real rhs = in[0];

    for (size_t k = 0; k + 1 < n; k++) {
        const struct batch_row next = batch_row_at(b, line, shift, k + 1);
        const real next_rhs = in[(k + 1) * stride];
        const int stays = REAL_FABS(row.diag) >= REAL_FABS(next.lower);
        const real pivot = stays ? row.diag : next.lower, scale = 1 / pivot;
        const real factor = (stays ? next.lower : row.diag) * scale;
        inverse[k * pitch] = scale;
        c[k * pitch] = stays ? row.upper : next.diag;
        f[k * pitch] = stays ? 0 : next.upper;
        out[k * stride] = stays ? rhs : next_rhs;
        rhs = stays ? next_rhs - factor * rhs : rhs - factor * next_rhs;
        row.diag = stays ? next.diag - factor * row.upper : row.upper - factor * next.diag;
        row.upper = stays ? next.upper : -factor * next.upper;
    }
    real x = rhs / row.diag, below = 0;
    out[(n - 1) * stride] = x;
    for (size_t k = n - 1; k-- > 0;) {
        const real own = (out[k * stride] - c[k * pitch] * x - f[k * pitch] * below) * inverse[k * pitch];
        below = x;
        out[k * stride] = x = own;
    }
}

/* ---- Periodic lines with row interchanges ------------------------------------------------------------------------
 *
 * A periodic line is a ring. Folded flat it is a band: places 0, 1, 2, 3, ... hold the rows 0, n-1, 1, n-2, ... and
 * neighbours on the ring are two places apart at most,
 *
 *     0 - 1 - 2 - ...                     d x x . . .
 *     |              the places are       x d . x . .      for rows 0, n-1, 1, n-2, ...
 *    n-1 - n-2 - ...                      x . d . x .
 *
 * Elimination with row interchanges leaves four entries right of a pivot and makes at most 7 times the largest entry of
 * A, whatever A and n are (Bohte 1975; Higham, 9.5). No part of A needs be regular by itself. */

struct batch_band_row {
    real entry[5], rhs;
};

BATCH_INLINE size_t batch_row_of_place(size_t place, size_t n)
{
    return place % 2 ? n - 1 - place / 2 : place / 2;
}

BATCH_INLINE size_t batch_place_of_row(size_t row, size_t n)
{
    return row < (n + 1) / 2 ? 2 * row : 2 * (n - 1 - row) + 1;
}

/* The row at a place, entry[j] in column place - 2 + j; beyond the last place x = 0. */
BATCH_INLINE struct batch_band_row batch_band_row_at(const struct starfish_batch *b, size_t line, size_t place,
                                                     const real *in)
{
    struct batch_band_row row = {{0, 0, 1, 0, 0}, 0};

    if (place >= b->n)
        return row;
    const size_t n = b->n, k = batch_row_of_place(place, n);
    const struct batch_row at = batch_whole_row(b, line, batch_shift(b, line), k);
    const size_t before = batch_place_of_row(k > 0 ? k - 1 : n - 1, n) + 2 - place;
    const size_t after = batch_place_of_row(k + 1 < n ? k + 1 : 0, n) + 2 - place;
    for (size_t j = 0; j < 5; j++)
        row.entry[j] = (j == 2 ? at.diag : 0) + (j == before ? at.lower : 0) + (j == after ? at.upper : 0);
    row.rhs = in[k * b->vectors.row];
    return row;
}

/* The row of the larger first entry to `pivot`. */
BATCH_INLINE void batch_interchange(struct batch_band_row *pivot, struct batch_band_row *other)
{
    const int stays = REAL_FABS(pivot->entry[0]) >= REAL_FABS(other->entry[0]);
    const struct batch_band_row larger = stays ? *pivot : *other, smaller = stays ? *other : *pivot;

    *pivot = larger;
    *other = smaller;
}

/* What is left of a row without its first column, moved on by one. */
BATCH_INLINE struct batch_band_row batch_eliminated(const struct batch_band_row *pivot,
                                                    const struct batch_band_row *row)
{
    const real factor = row->entry[0] / pivot->entry[0];
    struct batch_band_row left = {{0, 0, 0, 0, 0}, row->rhs - factor * pivot->rhs};

    for (int j = 1; j < 5; j++)
        left.entry[j - 1] = row->entry[j] - factor * pivot->entry[j];
    return left;
}

/* One periodic line and column; `work` has 5 n reals, `pitch` apart, for the pivot and the four entries right of it.
 * Input may be output: place k is overwritten once place k + 2 is read. */
BATCH_INLINE void batch_pivoted_ring(const struct starfish_batch *b, size_t line, size_t column, real *work,
                                     size_t pitch)
{
    const size_t offset = batch_column_offset(b, line, column), stride = b->vectors.row, n = b->n;
    const real *in = (const real *)b->input + offset;
    real *out = (real *)b->output + offset, x[4] = {0, 0, 0, 0};
    const struct batch_band_row zero = batch_band_row_at(b, line, 0, in), one = batch_band_row_at(b, line, 1, in);
    /* Rows that are not yet a pivot's, from the column of the pivot on. */
    struct batch_band_row first = {{zero.entry[2], zero.entry[3], zero.entry[4], 0, 0}, zero.rhs};
    struct batch_band_row second = {{one.entry[1], one.entry[2], one.entry[3], one.entry[4], 0}, one.rhs};

    for (size_t k = 0; k < n; k++) {
        struct batch_band_row next = batch_band_row_at(b, line, k + 2, in);
        batch_interchange(&first, &second);
        batch_interchange(&first, &next);
        for (size_t j = 0; j < 5; j++)
            work[(j * n + k) * pitch] = first.entry[j];
        out[batch_row_of_place(k, n) * stride] = first.rhs;
        second = batch_eliminated(&first, &second);
        next = batch_eliminated(&first, &next);
        first = second;
        second = next;
    }
    for (size_t k = n; k-- > 0;) {
        real *own = out + batch_row_of_place(k, n) * stride, left = *own;
        for (size_t j = 0; j < 4; j++)
            left -= work[((j + 1) * n + k) * pitch] * x[j];
        x[3] = x[2];
        x[2] = x[1];
        x[1] = x[0];
        *own = x[0] = left / work[k * pitch];
    }
}

#endif
