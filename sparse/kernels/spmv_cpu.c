/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with sparse matrices on the CPU. CSR goes entry by entry, ELLPACK-T by runs of rows and SELL chunk by chunk,
 * so that rows fill the lanes of vector registers. Bound by memory. */
#include "base/clones.h"
#include "base/real.h"
#include "krylov/kernels/vectors.h"
#include "sparse/kernels/spmv.h"

#include <string.h>

enum { LANES = STARFISH_SELL_CHUNK, RUN = 512 };

/* What becomes of the product of a row. Returns the square of r. */
static inline double finish(const struct starfish_spmv *a, size_t row, real product)
{
    const real *x = a->x, *base = a->base, *inverse = a->inverse;
    real *result = a->result;
    const real r = (base ? base[row] : 0) + (real)a->factor * product;

    if (result)
        result[row] = inverse ? (x ? x[row] : 0) + (real)a->damping * inverse[row] * r : r;
    return (double)r * (double)r;
}

static double without_x(const struct starfish_spmv *a)
{
    double sum = 0;

    for (size_t i = a->first; i < a->last; i++)
        sum += finish(a, i, 0);
    return sum;
}

/* Two sums at once and no vectors: rows are too short for gathers and for sums over lanes to pay. */
STARFISH_CLONES static double by_rows(const struct starfish_spmv *a)
{
    const int *start = a->matrix.start, *column = a->matrix.column;
    const real *value = a->matrix.value, *x = a->x;
    double sum = 0;

    for (size_t i = a->first; i < a->last; i++) {
        real product = 0, other = 0;
        int e = start[i];
        for (; e + 1 < start[i + 1]; e += 2) {
            product += value[e] * x[column[e]];
            other += value[e + 1] * x[column[e + 1]];
        }
        if (e < start[i + 1])
            product += value[e] * x[column[e]];
        product += other;
        sum += finish(a, i, product);
    }
    return sum;
}

static int longest(const int *length, size_t first, size_t last)
{
    int most = 0;

    for (size_t i = first; i < last; i++)
        most = length[i] > most ? length[i] : most;
    return most;
}

/* Padding is zero and leads to column 0. Groups are far from each other in memory: of each a run of rows is read that
 * is long enough for prefetching, and short enough for its products to stay in the first-level cache. */
STARFISH_CLONES static double by_groups(const struct starfish_spmv *a)
{
    const struct starfish_sparse *m = &a->matrix;
    const size_t threads = m->threads, run = RUN / threads;
    const real *value = m->value, *x = a->x;
    double sum = 0;

    for (size_t first = a->first; first < a->last; first += run) {
        const size_t rows = a->last - first < run ? a->last - first : run;
        const size_t groups = (size_t)longest(m->length, first, first + rows);
        real product[RUN] = {0};
        for (size_t g = 0; g < groups; g++)
            for (size_t t = 0; t < threads; t++) {
                const size_t at = (g * m->pitch + first) * threads + t;
#pragma omp simd
                for (size_t row = 0; row < rows; row++)
                    product[row] += value[at + row * threads] * x[m->column[at + row * threads]];
            }
        for (size_t row = 0; row < rows; row++)
            sum += finish(a, first + row, product[row]);
    }
    return sum;
}

/* Of the windows at the ends only some rows count. */
STARFISH_CLONES static double by_chunks(const struct starfish_spmv *a)
{
    const struct starfish_sparse *m = &a->matrix;
    const size_t per_window = STARFISH_SELL_WINDOW / LANES, chunks = (m->rows + LANES - 1) / LANES;
    const size_t first = a->first / STARFISH_SELL_WINDOW * per_window;
    const size_t windows = (a->last + STARFISH_SELL_WINDOW - 1) / STARFISH_SELL_WINDOW * per_window;
    const size_t last = windows < chunks ? windows : chunks;
    const real *value = m->value, *x = a->x;
    double sum = 0;

    for (size_t chunk = first; chunk < last; chunk++) {
        real product[LANES] = {0};
        for (int at = m->start[chunk]; at < m->start[chunk + 1]; at += LANES)
#pragma omp simd
            for (int lane = 0; lane < LANES; lane++)
                product[lane] += value[at + lane] * x[m->column[at + lane]];
        for (size_t lane = 0; lane < LANES; lane++) {
            const size_t row = starfish_sell_row(m, chunk * LANES + lane);
            if (row >= a->first && row < a->last)
                sum += finish(a, row, product[lane]);
        }
    }
    return sum;
}

void REAL_NAME(starfish_spmv_cpu)(const struct starfish_spmv *a)
{
    static double (*const by[STARFISH_SPARSE_FORMATS])(const struct starfish_spmv *) = {
        [STARFISH_SPARSE_CSR] = by_rows, [STARFISH_SPARSE_ELLPACK_T] = by_groups, [STARFISH_SPARSE_SELL] = by_chunks};
    const double sum = a->first >= a->last ? 0 : a->x ? by[a->matrix.format](a) : without_x(a);

    if (a->sums) {
        memset(a->sums, 0, (a->sum_count > 0 ? a->sum_count : STARFISH_SUMS) * sizeof *a->sums);
        a->sums[0] = sum;
    }
}
