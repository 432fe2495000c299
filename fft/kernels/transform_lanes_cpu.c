/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combinations around the FFTs of lines side by side, and the way between rows and lanes.
 *
 * A combination is one loop over lanes for each number of a line, with weights that all lanes share: no gathers, no
 * shuffles. Blocks of 4 x 4 numbers are transposed in registers. Everything is in the first two levels of cache. */
#include "fft/kernels/transform_lanes.h"

#include "base/clones.h"

#include <stdlib.h>
#include <string.h>

enum { HALF = STARFISH_LANE_BYTES / (int)sizeof(real), WIDTH = 2 * HALF };

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* p LINE[first] + q LINE[second] as weights of the real and the imaginary part of one mode. */
static void set_output(const struct starfish_transform_lanes *lanes, const struct starfish_transform_combination *table,
                       real half, size_t i, const struct starfish_lane_output *output)
{
    const size_t length = lanes->fft.length, mode = (size_t)table->first[i] / 2;
    const real p = half * ((const real *)table->p)[i], q = half * ((const real *)table->q)[i];
    output->near[i] = lanes->fft.position[mode];
    output->far[i] = lanes->fft.position[(length - mode) % length];
    ((real *)output->re)[i] = (table->first[i] % 2 == 0 ? p : 0) + (table->second[i] % 2 == 0 ? q : 0);
    ((real *)output->im)[i] = (table->first[i] % 2 == 0 ? 0 : p) + (table->second[i] % 2 == 0 ? 0 : q);
}

static int create_output(const struct starfish_transform_lanes *lanes, const struct starfish_transform_tables *tables,
                         size_t n, int direction, struct starfish_lane_output *output)
{
    const real half = tables->shape.fft == STARFISH_FFT_REAL ? REAL(0.5) : 1;
    output->near = malloc(n * sizeof *output->near);
    output->far = malloc(n * sizeof *output->far);
    output->re = malloc(n * sizeof(real));
    output->im = malloc(n * sizeof(real));
    if (!output->near || !output->far || !output->re || !output->im)
        return 0;
    for (size_t i = 0; i < n; i++)
        set_output(lanes, &tables->after[direction], half, i, output);
    return 1;
}

int REAL_NAME(starfish_transform_lanes_create)(struct starfish_transform_lanes *lanes,
                                               const struct starfish_transform_tables *tables, size_t n)
{
    *lanes = (struct starfish_transform_lanes){.usable = 0};
    if (tables->shape.fft == STARFISH_FFT_NONE || !starfish_lane_fft_possible(tables->shape.length))
        return 1;
    lanes->usable = 1;
    return REAL_NAME(starfish_lane_fft_create)(&lanes->fft, tables->shape.length) &&
           create_output(lanes, tables, n, STARFISH_FORWARD, &lanes->after[STARFISH_FORWARD]) &&
           create_output(lanes, tables, n, STARFISH_BACKWARD, &lanes->after[STARFISH_BACKWARD]);
}

/* ---- Combinations ------------------------------------------------------------------------------------------------ */

/* Numbers of half a block into the FFT's input, where one is `apart` reals behind the other. */
STARFISH_ALWAYS_INLINE void combine_into(const struct starfish_transform_combination *table, const real *restrict in,
                                         size_t stride, real *restrict z, size_t apart)
{
    const real *p = table->p, *q = table->q;
    for (size_t i = 0; i < table->length; i++) {
        const real *restrict first = in + stride * (size_t)table->first[i];
        const real *restrict second = in + stride * (size_t)table->second[i];
        const real of_first = p[i], of_second = q[i];
        real *restrict out = z + i * apart;
        if (table->terms == 2) {
#pragma omp simd
            for (size_t l = 0; l < HALF; l++)
                out[l] = of_first * first[l] + of_second * second[l];
        } else {
#pragma omp simd
            for (size_t l = 0; l < HALF; l++)
                out[l] = of_first * first[l];
        }
    }
}

/* Real lines: one half is the real parts, the other the imaginary ones. */
STARFISH_CLONES
static void pairs_into(const struct starfish_transform_combination *table, const real *in, size_t stride, real *z)
{
    combine_into(table, in, stride, z, WIDTH);
}

/* Complex lines: every other number is an imaginary part. */
STARFISH_CLONES
static void numbers_into(const struct starfish_transform_combination *table, const real *in, size_t stride, real *z)
{
    combine_into(table, in, stride, z, HALF);
}

STARFISH_CLONES
static void pairs_out_of(const struct starfish_lane_output *output, size_t n, const real *z, real scale,
                         real *const half[2], size_t stride)
{
    for (size_t i = 0; i < n; i++) {
        const real re = scale * ((const real *)output->re)[i], im = scale * ((const real *)output->im)[i];
        const real *restrict near = z + (size_t)output->near[i] * WIDTH;
        const real *restrict far = z + (size_t)output->far[i] * WIDTH;
        real *restrict first = half[0] + stride * i, *restrict second = half[1] + stride * i;
#pragma omp simd
        for (size_t l = 0; l < HALF; l++) {
            const real a = near[l], b = near[l + HALF], c = far[l], d = far[l + HALF];
            first[l] = re * (a + c) + im * (b - d);
            second[l] = re * (b + d) + im * (c - a);
        }
    }
}

STARFISH_CLONES
static void numbers_out_of(const struct starfish_lane_output *output, size_t n, const real *z, real scale, real *out,
                           size_t stride)
{
    for (size_t i = 0; i < n; i++) {
        const real re = scale * ((const real *)output->re)[i], im = scale * ((const real *)output->im)[i];
        const real *restrict near = z + (size_t)output->near[i] * WIDTH;
        real *restrict to = out + stride * i;
#pragma omp simd
        for (size_t l = 0; l < HALF; l++)
            to[l] = re * near[l] + im * near[l + HALF];
    }
}

/* The sum over all inputs of half a block. */
STARFISH_CLONES
static void sum_inputs(const real *restrict weight, size_t n, const real *restrict in, size_t stride, real scale,
                       real *restrict sum)
{
    real so_far[HALF] = {0};
    for (size_t i = 0; i < n; i++)
#pragma omp simd
        for (size_t l = 0; l < HALF; l++)
            so_far[l] += weight[i] * in[i * stride + l];
    for (size_t l = 0; l < HALF; l++)
        sum[l] = scale * so_far[l];
}

STARFISH_CLONES
static void add_running(size_t first, size_t n, real *out, size_t stride)
{
    real so_far[HALF];
    for (size_t l = 0; l < HALF; l++)
        so_far[l] = out[first * stride + l];
    for (size_t i = first + 2; i < n; i += 2) {
        real *restrict row = out + i * stride;
#pragma omp simd
        for (size_t l = 0; l < HALF; l++) {
            so_far[l] += row[l];
            row[l] = so_far[l];
        }
    }
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static real *fft_room(const struct starfish_transform_lane_block *block)
{
    return (real *)block->workspace + block->n * WIDTH;
}

/* Halves that are whole, or where a whole one has room. */
static void transform_block(const struct starfish_transform_lane_block *block, real *const half[2], size_t stride)
{
    const int direction = (int)block->direction;
    const struct starfish_transform_combination *before = &block->tables->before[direction];
    const struct starfish_lane_output *after = &block->lanes->after[direction];
    const struct starfish_transform_sums *sums = &block->tables->sums;
    const real scale = (real)block->scale;
    const struct starfish_lane_fft *fft = &block->lanes->fft;
    real *z = fft_room(block), *room = z + fft->length * WIDTH;
    if (block->tables->shape.fft == STARFISH_FFT_REAL) {
        real sum[2][HALF];
        for (int h = 0; h < 2 && sums->weight; h++)
            sum_inputs(sums->weight, block->n, half[h], stride, scale, sum[h]);
        if (!block->loaded) {
            pairs_into(before, half[0], stride, z);
            pairs_into(before, half[1], stride, z + HALF);
        }
        REAL_NAME(starfish_lane_fft)(fft, z, room, block->meanwhile);
        pairs_out_of(after, block->n, z, scale, half, stride);
        for (int h = 0; h < 2 && sums->running; h++) {
            if (sums->weight)
                memcpy(half[h] + stride, sum[h], sizeof sum[h]);
            add_running(sums->first, block->n, half[h], stride);
        }
        return;
    }
    for (int h = 0; h < 2 && block->count[h] > 0; h++) {
        numbers_into(before, half[h], stride, z);
        REAL_NAME(starfish_lane_fft)(fft, z, room, block->meanwhile);
        numbers_out_of(after, block->n, z, scale, half[h], stride);
    }
}

static void copy_lanes(const real *in, size_t in_stride, size_t count, size_t n, real *out, size_t out_stride)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * out_stride, in + i * in_stride, count * sizeof(real));
}

void *REAL_NAME(starfish_transform_lane_input)(const struct starfish_transform_lane_block *block)
{
    const struct starfish_transform_tables *tables = block->tables;
    const int plain = tables->shape.fft == STARFISH_FFT_REAL && tables->before[block->direction].terms == 0;
    return plain && !tables->sums.weight ? fft_room(block) : NULL;
}

void REAL_NAME(starfish_transform_lane_columns)(const struct starfish_transform_lane_block *block)
{
    real *half[2] = {block->half[0], block->half[1]};
    if (block->count[0] == HALF && block->count[1] == HALF) {
        transform_block(block, half, block->stride);
        return;
    }
    real *const room = block->workspace;
    memset(room, 0, block->n * WIDTH * sizeof(real));
    for (int h = 0; h < 2; h++) {
        half[h] = room + h * HALF;
        copy_lanes(block->half[h], block->stride, block->count[h], block->n, half[h], WIDTH);
    }
    transform_block(block, half, WIDTH);
    for (int h = 0; h < 2; h++)
        copy_lanes(half[h], WIDTH, block->count[h], block->n, block->half[h], block->stride);
}

/* ---- Rows to lanes and back -------------------------------------------------------------------------------------- */

enum { TILE = 4 };
typedef real tile_row __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));
#if defined(STARFISH_REAL_F32)
typedef int tile_index __attribute__((vector_size(16)));
#else
typedef long long tile_index __attribute__((vector_size(32)));
#endif
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (tile_index){__VA_ARGS__})
#endif

/* Row r of the tile is at in[r]; column c goes to out + c * out_stride. */
STARFISH_ALWAYS_INLINE void transpose_tile(const real *const in[TILE], real *const out[TILE])
{
    const tile_row a = *(const tile_row *)in[0], b = *(const tile_row *)in[1], c = *(const tile_row *)in[2],
                   d = *(const tile_row *)in[3];
    const tile_row ab_low = SHUFFLE(a, b, 0, 4, 2, 6), ab_high = SHUFFLE(a, b, 1, 5, 3, 7);
    const tile_row cd_low = SHUFFLE(c, d, 0, 4, 2, 6), cd_high = SHUFFLE(c, d, 1, 5, 3, 7);
    *(tile_row *)out[0] = SHUFFLE(ab_low, cd_low, 0, 1, 4, 5);
    *(tile_row *)out[1] = SHUFFLE(ab_high, cd_high, 0, 1, 4, 5);
    *(tile_row *)out[2] = SHUFFLE(ab_low, cd_low, 2, 3, 6, 7);
    *(tile_row *)out[3] = SHUFFLE(ab_high, cd_high, 2, 3, 6, 7);
}

STARFISH_ALWAYS_INLINE void four_rows_to_lanes(const real *const *row, size_t n, real *lanes)
{
    size_t i = 0;
    for (; i + TILE <= n; i += TILE) {
        const real *const in[TILE] = {row[0] + i, row[1] + i, row[2] + i, row[3] + i};
        real *const out[TILE] = {lanes + i * WIDTH, lanes + (i + 1) * WIDTH, lanes + (i + 2) * WIDTH,
                                 lanes + (i + 3) * WIDTH};
        transpose_tile(in, out);
    }
    for (; i < n; i++)
        for (size_t r = 0; r < TILE; r++)
            lanes[i * WIDTH + r] = row[r][i];
}

STARFISH_ALWAYS_INLINE void lanes_to_four_rows(const real *lanes, size_t n, real *const *row)
{
    size_t i = 0;
    for (; i + TILE <= n; i += TILE) {
        real *const out[TILE] = {row[0] + i, row[1] + i, row[2] + i, row[3] + i};
        const real *const in[TILE] = {lanes + i * WIDTH, lanes + (i + 1) * WIDTH, lanes + (i + 2) * WIDTH,
                                      lanes + (i + 3) * WIDTH};
        transpose_tile(in, out);
    }
    for (; i < n; i++)
        for (size_t r = 0; r < TILE; r++)
            row[r][i] = lanes[i * WIDTH + r];
}

STARFISH_ALWAYS_INLINE void to_lanes(const real *const *row, size_t count, size_t n, real *lanes)
{
    size_t r = 0;
    for (; r + TILE <= count; r += TILE)
        four_rows_to_lanes(row + r, n, lanes + r);
    for (; r < count; r++)
        for (size_t i = 0; i < n; i++)
            lanes[i * WIDTH + r] = row[r][i];
    for (; r < WIDTH; r++)
        for (size_t i = 0; i < n; i++)
            lanes[i * WIDTH + r] = 0;
}

STARFISH_ALWAYS_INLINE void from_lanes(const real *lanes, size_t count, size_t n, real *const *row)
{
    size_t r = 0;
    for (; r + TILE <= count; r += TILE)
        lanes_to_four_rows(lanes + r, n, row + r);
    for (; r < count; r++)
        for (size_t i = 0; i < n; i++)
            row[r][i] = lanes[i * WIDTH + r];
}

STARFISH_CLONES
static void rows_to_lanes(const real *const *row, size_t count, size_t n, real *lanes)
{
    to_lanes(row, count, n, lanes);
}

STARFISH_CLONES
static void lanes_to_rows(const real *lanes, size_t count, size_t n, real *const *row)
{
    from_lanes(lanes, count, n, row);
}

/* Points at `count` rows of tile t; how long they are. */
STARFISH_ALWAYS_INLINE size_t rows_of_tile(const struct starfish_transform_rows *rows, int t, size_t first,
                                           size_t count, real *row[WIDTH])
{
    const size_t width = rows->first_mode[t + 1] - rows->first_mode[t];
    for (size_t r = 0; r < count; r++)
        row[r] = (real *)rows->tile[t] + (first + r) * width;
    return width;
}

STARFISH_CLONES
static void tiles_to_lanes(const struct starfish_transform_rows *rows, size_t first, size_t count, real *lanes)
{
    real *row[WIDTH];
    for (int t = 0; t < rows->tiles; t++) {
        const size_t width = rows_of_tile(rows, t, first, count, row);
        to_lanes((const real *const *)row, count, width, lanes + rows->first_mode[t] * WIDTH);
    }
}

STARFISH_CLONES
static void lanes_to_tiles(const real *lanes, const struct starfish_transform_rows *rows, size_t first, size_t count)
{
    real *row[WIDTH];
    for (int t = 0; t < rows->tiles; t++) {
        const size_t width = rows_of_tile(rows, t, first, count, row);
        from_lanes(lanes + rows->first_mode[t] * WIDTH, count, width, row);
    }
}

void REAL_NAME(starfish_transform_rows_to_lanes)(const void *const *row, size_t count, size_t n, void *lanes)
{
    rows_to_lanes((const real *const *)row, count, n, lanes);
}

void REAL_NAME(starfish_transform_lanes_to_rows)(const void *lanes, size_t count, size_t n, void *const *row)
{
    lanes_to_rows(lanes, count, n, (real *const *)row);
}

void REAL_NAME(starfish_transform_tiles_to_lanes)(const struct starfish_transform_rows *rows, size_t first,
                                                  size_t count, void *lanes)
{
    tiles_to_lanes(rows, first, count, lanes);
}

void REAL_NAME(starfish_transform_lanes_to_tiles)(const void *lanes, const struct starfish_transform_rows *rows,
                                                  size_t first, size_t count)
{
    lanes_to_tiles(lanes, rows, first, count);
}
