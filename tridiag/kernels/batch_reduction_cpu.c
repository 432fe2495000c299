/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cyclic reduction and its relatives on the CPU, one line after the other: what the CUDA kernels are compared with, and
 * vectorised along the line where there is one line only.
 *
 * Bytes: the floor for lines that fit a cache. 3 to 4 times Thomas's operations (CR), log2 n times (PCR). Rows are
 * scaled to a unit diagonal, x(i) + a x(i-s) + c x(i+s) = d, as in batch_shared_cuda.cu, whose levels and switches
 * these are; here every level of CR has memory of its own, 2 n rows in all. */
#include "tridiag/kernels/batch_cpu.h"
#include "tridiag/kernels/batch_row.h"

enum { TAIL = 32, THOMAS_ROWS = 8 };

struct rows {
    real *a, *c, *d;
};

static struct rows rows_from(real *memory, size_t count)
{
    return (struct rows){memory, memory + count, memory + 2 * count};
}

static struct rows rows_after(struct rows rows, size_t skipped)
{
    return (struct rows){rows.a + skipped, rows.c + skipped, rows.d + skipped};
}

/* Two lines of n rows for PCR's stages, or all levels of CR and two times TAIL rows. */
static size_t reals_for(size_t n)
{
    return 3 * (2 * n + 2 * TAIL);
}

size_t REAL_NAME(starfish_batch_reduction_workspace)(const struct starfish_batch *b)
{
    return reals_for(b->n) * sizeof(real);
}

static void load(const struct starfish_batch *b, size_t line, size_t column, struct rows to)
{
    const real *rhs = (const real *)b->input + batch_column_offset(b, line, column);
    const real shift = batch_shift(b, line);

    for (size_t i = 0; i < b->n; i++) {
        const struct batch_row row = batch_row_at(b, line, shift, i);
        const real scale = 1 / row.diag;
        to.a[i] = row.lower * scale;
        to.c[i] = row.upper * scale;
        to.d[i] = rhs[i * b->vectors.row] * scale;
    }
}

/* Row `to_row` of `to` from row i of `from`, whose neighbours `before` and `after` are eliminated where they are. */
static inline void reduce(struct rows from, size_t i, int has_before, size_t before, int has_after, size_t after,
                          struct rows to, size_t to_row)
{
    const real a = has_before ? from.a[i] : 0, c = has_after ? from.c[i] : 0;
    const size_t p = has_before ? before : i, q = has_after ? after : i;
    const real scale = 1 / (1 - a * from.c[p] - c * from.a[q]);

    to.a[to_row] = -scale * a * from.a[p];
    to.c[to_row] = -scale * c * from.c[q];
    to.d[to_row] = scale * (from.d[i] - a * from.d[p] - c * from.d[q]);
}

/* One stage of PCR on m rows. */
static void reduce_all(struct rows from, struct rows to, size_t m, size_t s)
{
    for (size_t i = 0; i < m; i++)
        reduce(from, i, i >= s, i - s, i + s < m, i + s, to, i);
}

/* Stages s = 1, 2, 4 ... < until; returns where the rows are then: in `rows` or in `other`. */
static struct rows parallel_reduction(struct rows rows, struct rows other, size_t m, size_t until, size_t *stride)
{
    size_t s = 1;

    for (; s < until; s *= 2) {
        struct rows swapped = other;
        reduce_all(rows, other, m, s);
        other = rows;
        rows = swapped;
    }
    *stride = s;
    return rows;
}

/* The s interleaved systems of rows r, r + s, ... , side by side. */
static void thomas(struct rows rows, size_t n, size_t s)
{
    for (size_t i = s; i < n; i++) {
        const real scale = 1 / (1 - rows.a[i] * rows.c[i - s]);
        rows.c[i] *= scale;
        rows.d[i] = (rows.d[i] - rows.a[i] * rows.d[i - s]) * scale;
    }
    for (size_t i = n > s ? n - s : 0; i-- > 0;)
        rows.d[i] -= rows.c[i] * rows.d[i + s];
}

/* Reduce level by level to `tail` rows or fewer, solve those, and substitute back: d of the first level is x. */
static void cyclic_reduction(struct rows rows, size_t n, size_t tail)
{
    struct rows level = rows, solved;
    size_t m = n, stride;

    for (; m > tail; m /= 2) {
        struct rows next = rows_after(level, m);
        for (size_t j = 0; j < m / 2; j++)
            reduce(level, 2 * j + 1, 1, 2 * j, 2 * j + 2 < m, 2 * j + 2, next, j);
        level = next;
    }
    solved = parallel_reduction(level, rows_after(level, m), m, m, &stride);
    memmove(level.d, solved.d, m * sizeof(real));
    while (level.a > rows.a) {
        size_t above = n;
        struct rows below = level;
        level = rows;
        while (level.a + above < below.a) { /* the level before */
            level = rows_after(level, above);
            above /= 2;
        }
        for (size_t i = 0; i < above; i++) {
            const size_t j = i / 2;
            const real before = j > 0 ? below.d[j - 1] : 0, after = i + 1 < above ? below.d[j] : 0;
            level.d[i] = i % 2 ? below.d[j] : level.d[i] - level.a[i] * before - level.c[i] * after;
        }
    }
}

static const real *solve(const struct starfish_batch *b, struct rows rows)
{
    const size_t n = b->n;
    size_t stride;

    switch (b->algorithm) {
    case STARFISH_ALGORITHM_PCR:
        return parallel_reduction(rows, rows_after(rows, n), n, n, &stride).d;
    case STARFISH_ALGORITHM_PCR_THOMAS:
        rows = parallel_reduction(rows, rows_after(rows, n), n, (n + THOMAS_ROWS - 1) / THOMAS_ROWS, &stride);
        thomas(rows, n, stride);
        return rows.d;
    default:
        cyclic_reduction(rows, n, b->algorithm == STARFISH_ALGORITHM_CR_PCR ? TAIL : 1);
        return rows.d;
    }
}

void REAL_NAME(starfish_batch_reduction_cpu)(const struct starfish_batch *b)
{
    const struct rows rows = rows_from(b->workspace, reals_for(b->n) / 3);

    for (size_t column = 0; column < b->columns; column++)
        for (size_t line = 0; line < b->lines; line++) {
            real *x = (real *)b->output + batch_column_offset(b, line, column);
            load(b, line, column, rows);
            const real *solution = solve(b, rows);
            for (size_t i = 0; i < b->n; i++)
                x[i * b->vectors.row] = solution[i];
        }
}
