/* Rows of a batch's matrices, and lines solved one after the other: for C and for CUDA alike, one line per call.
 *
 * A periodic line's rows are those of A' = A - u v^T (batch.h), with g = -(diag[0] + shift) (or -1), u = (g, 0 .. 0,
 * upper[n-1]) and v = (1, 0 .. 0, lower[0] / g). */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_ROW_H
#define STARFISH_TRIDIAG_KERNELS_BATCH_ROW_H

#include "base/real.h"
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

struct batch_row {
    real lower, diag, upper;
};

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

BATCH_INLINE struct batch_row batch_row_at(const struct starfish_batch *b, size_t line, real shift, size_t k)
{
    struct batch_row row = {batch_coefficient(b, b->lower, line, k), batch_coefficient(b, b->diag, line, k) + shift,
                            batch_coefficient(b, b->upper, line, k)};

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
        zero |= !(REAL_FABS(pivot) > 0);
        largest_pivot = REAL_FABS(pivot) > largest_pivot ? REAL_FABS(pivot) : largest_pivot;
        largest = REAL_FABS(row.diag) > largest ? REAL_FABS(row.diag) : largest;
        largest = REAL_FABS(row.lower) > largest ? REAL_FABS(row.lower) : largest;
        largest = REAL_FABS(row.upper) > largest ? REAL_FABS(row.upper) : largest;
    }
    if (b->growth)
        b->growth[line] = zero ? (double)INFINITY : (double)(largest_pivot / largest);
}

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

/* One line and column by elimination with row interchanges, as LAPACK's gtsv does it: `work` has 3 n reals, `pitch`
 * apart, for 1 / pivot and the two entries right of it. Input may be output: a row is overwritten once the next one is
 * read. */
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

#endif
