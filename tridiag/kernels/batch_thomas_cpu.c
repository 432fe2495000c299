/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thomas elimination of a batch on the CPU, a block of lines side by side in SIMD lanes.
 *
 * Floor: 5 reals per unknown of general lines, 2 when coefficients are shared; bound by memory when lines are
 * interleaved and a handful of cores work, by the transposition into lanes when they are contiguous. The eliminated
 * rows of a block stay in the second-level cache (blocking.h); lines that do not lie side by side pass through tiles of
 * 8 rows in the first-level cache, one cache line of lines wide, which is 1.5 times as fast as four of them. One
 * division per unknown and matrix, none with kept factors. One Zen 4 core, f64, n = 512: 4.2 ns per unknown contiguous
 * in cache, 6 to 7.5 in memory, where LAPACK's gtsv takes 16; 4 ns interleaved. Solutions of large interleaved batches
 * go past the caches, which takes a tenth off. Source: Thomas 1949; Golub and Van Loan, Matrix Computations, 4.3. */
#include "tridiag/kernels/batch_cpu.h"
#include "tridiag/kernels/batch_row.h"
#include "tridiag/kernels/blocking.h"
#include "tridiag/kernels/line_block.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* How many rows ahead memory is fetched: hardware does not foresee rows that lie pages apart, nor as many lines at once
 * as a block has. */
enum { TILE_ROWS = 8, ROWS_AHEAD = 4, TILES_AHEAD = 2, LOOSE_ROWS = 6 };
/* Fewer lines than this are solved one after the other: a block's overhead per row is that of several unknowns. */
enum { FEWEST_LINES = 4 };
/* Solutions of more bytes than this are not in a cache when they are wanted. */
enum { STREAMED_BYTES = 8 << 20 };

/* One array on its way into lanes: element (row k, lane l) at first[k * row + l * line]. */
struct stream {
    const real *first;
    size_t row, line;
    real *tile; /* TILE_ROWS rows, for line != 1; of upper one more before them, the last one of the tile before */
};

struct block {
    const struct starfish_batch *batch;
    size_t line, width, pitch; /* lines line .. line+width-1; row k of an array starts at array + k * pitch */
    size_t column, columns;    /* right-hand sides worked on */
    int streams;               /* solutions go past the caches */
    int symmetric;             /* row k of lower is row k-1 of upper, whose tile has it in lanes already */
    struct stream lower, diag, upper, inverse, c_kept;
    struct stream rhs[STARFISH_BATCH_COLUMNS_CPU];
    real *c, *d[STARFISH_BATCH_COLUMNS_CPU]; /* n rows each */
    real *shift, *pivot, *zero, *end[3];     /* one row each */
};

/* ---- Layout ----------------------------------------------------------------------------------------------------- */

static int side_by_side(const struct starfish_batch *b)
{
    return b->vectors.line == 1;
}

static size_t block_width(const struct starfish_batch *b, size_t columns)
{
    const size_t narrow = STARFISH_TRIDIAG_CACHE_LINE / sizeof(real);

    return side_by_side(b) ? starfish_tridiag_block_lanes(b->n, b->lines, 1 + columns, sizeof(real))
                           : starfish_tridiag_smaller(b->lines, narrow);
}

static size_t columns_at_once(const struct starfish_batch *b)
{
    return starfish_tridiag_smaller(b->columns, STARFISH_BATCH_COLUMNS_CPU);
}

static size_t block_rows(const struct starfish_batch *b, size_t columns)
{
    return (1 + columns) * b->n + (5 + columns) * TILE_ROWS + 1 + LOOSE_ROWS;
}

size_t REAL_NAME(starfish_batch_thomas_workspace)(const struct starfish_batch *b)
{
    const size_t columns = columns_at_once(b), pitch = starfish_tridiag_pitch(block_width(b, columns), sizeof(real));

    if (b->lines < FEWEST_LINES)
        return b->n * sizeof(real);
    return block_rows(b, columns) * pitch * sizeof(real) + STARFISH_TRIDIAG_CACHE_LINE;
}

static real *take(real **next, size_t reals)
{
    real *taken = *next;

    *next += reals;
    return taken;
}

static struct block block_create(const struct starfish_batch *b)
{
    const size_t columns = columns_at_once(b), width = block_width(b, columns);
    const size_t pitch = starfish_tridiag_pitch(width, sizeof(real));
    const uintptr_t excess = (uintptr_t)b->workspace % STARFISH_TRIDIAG_CACHE_LINE;
    real *next = (real *)(void *)((char *)b->workspace + (excess ? STARFISH_TRIDIAG_CACHE_LINE - excess : 0));
    const size_t lines = b->whole_lines ? b->whole_lines : b->lines;
    struct block block = {
        .batch = b, .width = width, .pitch = pitch, .streams = b->n * lines > STREAMED_BYTES / sizeof(real)};
    struct stream *const streams[] = {&block.lower, &block.diag, &block.upper, &block.inverse, &block.c_kept};
    real **const rows[LOOSE_ROWS] = {&block.shift,  &block.pivot,  &block.zero,
                                     &block.end[0], &block.end[1], &block.end[2]};

    block.c = take(&next, b->n * pitch);
    for (size_t q = 0; q < columns; q++)
        block.d[q] = take(&next, b->n * pitch);
    for (size_t s = 0; s < sizeof streams / sizeof streams[0]; s++) {
        if (streams[s] == &block.upper)
            take(&next, pitch);
        streams[s]->tile = take(&next, TILE_ROWS * pitch);
    }
    for (size_t q = 0; q < columns; q++)
        block.rhs[q].tile = take(&next, TILE_ROWS * pitch);
    for (int i = 0; i < LOOSE_ROWS; i++)
        *rows[i] = take(&next, pitch);
    memset(block.zero, 0, pitch * sizeof(real));
    return block;
}

static void point(struct stream *stream, const void *array, size_t offset, size_t row, size_t line)
{
    stream->first = array ? (const real *)array + offset : NULL;
    stream->row = row;
    stream->line = line;
}

/* Aim the block at its lines and columns. */
static void block_aim(struct block *block)
{
    const struct starfish_batch *b = block->batch;
    const size_t row = b->coefficients.row, line = b->coefficients.line, offset = block->line * line;
    const size_t kept_row = starfish_batch_kept_row(b), kept_line = kept_row > 1;

    block->symmetric = row == 1 && line > 1 && !b->periodic && (const real *)b->lower + 1 == (const real *)b->upper;
    point(&block->lower, b->lower, offset, row, line);
    point(&block->diag, b->diag, offset, row, line);
    point(&block->upper, b->upper, offset, row, line);
    point(&block->inverse, b->factors, block->line * kept_line, kept_row, kept_line);
    point(&block->c_kept, b->factors, block->line * kept_line + b->n * kept_row, kept_row, kept_line);
    for (size_t q = 0; q < block->columns; q++)
        point(&block->rhs[q], b->input, batch_column_offset(b, block->line, block->column + q), b->vectors.row,
              b->vectors.line);
    for (size_t l = 0; l < block->width; l++)
        block->shift[l] = batch_shift(b, block->line + l);
}

/* ---- Rows in and out -------------------------------------------------------------------------------------------- */

STARFISH_TRIDIAG_INLINE void load_tile(const struct stream *s, size_t width, size_t pitch, size_t rows, size_t k)
{
    if (s->line == 0) {
        for (size_t i = 0; i < rows; i++)
            for (size_t l = 0; l < width; l++)
                s->tile[i * pitch + l] = s->first[(k + i) * s->row];
    } else if (s->row == 1 && rows == TILE_ROWS) {
        for (size_t l = 0; l < width; l++) {
            const real *from = s->first + k + l * s->line;
            real *to = s->tile + l;
            for (size_t i = 0; i < TILE_ROWS; i += STARFISH_TRIDIAG_CACHE_LINE / sizeof(real))
                __builtin_prefetch(from + TILES_AHEAD * TILE_ROWS + i);
            for (size_t i = 0; i < TILE_ROWS; i++)
                to[i * pitch] = from[i];
        }
    } else {
        for (size_t l = 0; l < width; l++)
            for (size_t i = 0; i < rows; i++)
                s->tile[i * pitch + l] = s->first[(k + i) * s->row + l * s->line];
    }
}

/* Row k in lanes; rows are requested in ascending order from 0. */
STARFISH_TRIDIAG_INLINE const real *row_of(const struct stream *s, const struct block *block, size_t k)
{
    if (s->line == 1) {
        const real *row = s->first + k * s->row;
        if (k + ROWS_AHEAD < block->batch->n)
            for (size_t l = 0; l < block->width; l += STARFISH_TRIDIAG_CACHE_LINE / sizeof(real))
                __builtin_prefetch(row + ROWS_AHEAD * s->row + l);
        return row;
    }
    if (k % TILE_ROWS == 0)
        load_tile(s, block->width, block->pitch, starfish_tridiag_smaller(TILE_ROWS, block->batch->n - k), k);
    return s->tile + k % TILE_ROWS * block->pitch;
}

/* Rows k of the lower entries and, which come first, of the upper ones. */
STARFISH_TRIDIAG_INLINE void beside_row(const struct block *block, size_t k, const real *row[3])
{
    const struct stream *upper = &block->upper;
    const size_t pitch = block->pitch;

    if (block->symmetric && k > 0 && k % TILE_ROWS == 0)
        memcpy(upper->tile - pitch, upper->tile + (TILE_ROWS - 1) * pitch, block->width * sizeof(real));
    row[2] = row_of(upper, block, k);
    row[0] = !block->symmetric ? row_of(&block->lower, block, k) : k > 0 ? row[2] - pitch : block->zero;
}

/* Past the caches: a store that goes through them first reads what it overwrites. */
STARFISH_TRIDIAG_INLINE void stream_row(real *to, const real *from, size_t width)
{
    enum { TOGETHER = 16 / sizeof(real) };
    size_t l = 0;

#ifdef __SSE2__
    for (; l < width && (uintptr_t)(to + l) % 16 != 0; l++)
        to[l] = from[l];
    for (; l + TOGETHER <= width; l += TOGETHER)
        _mm_stream_si128((__m128i *)(void *)(to + l), _mm_loadu_si128((const __m128i *)(const void *)(from + l)));
#endif
    for (; l < width; l++)
        to[l] = from[l];
}

/* Streamed data are in memory before other cores are notified. */
static inline void stream_end(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Solutions of rows k .. k+rows-1 to where they belong. */
STARFISH_TRIDIAG_INLINE void store_rows(const struct block *block, size_t q, size_t k, size_t rows)
{
    const struct starfish_batch *b = block->batch;
    const real *from = block->d[q] + k * block->pitch;
    real *to = (real *)b->output + batch_column_offset(b, block->line, block->column + q) + k * b->vectors.row;

    if (b->vectors.line == 1) {
        for (size_t i = 0; i < rows; i++)
            if (block->streams)
                stream_row(to + i * b->vectors.row, from + i * block->pitch, block->width);
            else
                line_copy_row(to + i * b->vectors.row, from + i * block->pitch, block->width);
        return;
    }
    for (size_t l = 0; l < block->width; l++)
        for (size_t i = 0; i < rows; i++)
            to[i * b->vectors.row + l * b->vectors.line] = from[i * block->pitch + l];
}

/* First and last rows are not as stored (batch_row.h). */
static void close_ends(const struct block *block, size_t k, const real *row[3])
{
    for (size_t l = 0; l < block->width; l++) {
        const struct batch_row end = batch_end_row(
            block->batch, block->line + l, k, (struct batch_row){row[0][l], row[1][l] + block->shift[l], row[2][l]});
        block->end[0][l] = end.lower;
        block->end[1][l] = end.diag - block->shift[l];
        block->end[2][l] = end.upper;
    }
    for (int i = 0; i < 3; i++)
        row[i] = block->end[i];
}

/* ---- Elimination ------------------------------------------------------------------------------------------------ */

STARFISH_TRIDIAG_INLINE void factor_row(const struct block *block, size_t k, const real *const row[3])
{
    const real *restrict lower = row[0], *restrict diag = row[1], *restrict upper = row[2];
    const real *restrict shift = block->shift;
    const real *restrict above = k > 0 ? block->c + (k - 1) * block->pitch : block->zero;
    real *restrict c = block->c + k * block->pitch, *restrict pivot = block->pivot;

#pragma omp simd
    for (size_t l = 0; l < block->width; l++) {
        pivot[l] = 1 / (diag[l] + shift[l] - lower[l] * above[l]);
        c[l] = upper[l] * pivot[l];
    }
}

STARFISH_TRIDIAG_INLINE void eliminate_row(const struct block *block, size_t q, size_t k, const real *restrict lower,
                                           const real *restrict pivot)
{
    const real *restrict rhs = row_of(&block->rhs[q], block, k);
    const real *restrict above = k > 0 ? block->d[q] + (k - 1) * block->pitch : block->zero;
    real *restrict d = block->d[q] + k * block->pitch;

#pragma omp simd
    for (size_t l = 0; l < block->width; l++)
        d[l] = (rhs[l] - lower[l] * above[l]) * pivot[l];
}

STARFISH_TRIDIAG_CLONES
static void forward(const struct block *block)
{
    const size_t n = block->batch->n;

    for (size_t k = 0; k < n; k++) {
        const real *row[3] = {NULL, row_of(&block->diag, block, k), NULL};
        beside_row(block, k, row);
        if (k == 0 || k + 1 == n)
            close_ends(block, k, row);
        factor_row(block, k, row);
        for (size_t q = 0; q < block->columns; q++)
            eliminate_row(block, q, k, row[0], block->pivot);
    }
}

/* With kept factors; c is copied beside d, where the way back finds it. */
STARFISH_TRIDIAG_CLONES
static void forward_kept(const struct block *block)
{
    for (size_t k = 0; k < block->batch->n; k++) {
        const real *lower = k > 0 ? row_of(&block->lower, block, k) : block->zero;
        const real *inverse = row_of(&block->inverse, block, k);
        if (k == 0)
            row_of(&block->lower, block, k);
        memcpy(block->c + k * block->pitch, row_of(&block->c_kept, block, k), block->width * sizeof(real));
        for (size_t q = 0; q < block->columns; q++)
            eliminate_row(block, q, k, lower, inverse);
    }
}

STARFISH_TRIDIAG_CLONES
static void backward(const struct block *block, size_t q)
{
    size_t stored = block->batch->n;

    for (size_t k = block->batch->n; k-- > 0;) {
        real *restrict d = block->d[q] + k * block->pitch;
        const real *restrict c = block->c + k * block->pitch;
        const real *restrict below = d + block->pitch;
        if (k + 1 < block->batch->n) {
#pragma omp simd
            for (size_t l = 0; l < block->width; l++)
                d[l] -= c[l] * below[l];
        }
        if (k % TILE_ROWS == 0) {
            store_rows(block, q, k, stored - k);
            stored = k;
        }
    }
}

static void solve_few(const struct starfish_batch *b)
{
    for (size_t column = 0; column < b->columns; column++)
        for (size_t line = 0; line < b->lines; line++) {
            if (b->factors)
                batch_kept_line(b, line, column);
            else
                batch_thomas_line(b, line, column, b->workspace, 1);
        }
}

static void solve_blocks(const struct starfish_batch *b)
{
    struct block block = block_create(b);
    const size_t width = block.width, columns = columns_at_once(b);

    for (block.line = 0; block.line < b->lines; block.line += width) {
        block.width = starfish_tridiag_smaller(width, b->lines - block.line);
        for (block.column = 0; block.column < b->columns; block.column += columns) {
            block.columns = starfish_tridiag_smaller(columns, b->columns - block.column);
            block_aim(&block);
            (b->factors ? forward_kept : forward)(&block);
            for (size_t q = 0; q < block.columns; q++)
                backward(&block, q);
        }
    }
    stream_end();
}

void REAL_NAME(starfish_batch_thomas_cpu)(const struct starfish_batch *b)
{
    (b->lines < FEWEST_LINES ? solve_few : solve_blocks)(b);
}
