/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms on the CPU: combine, FFTW's r2c (or complex FFT) on one contiguous line in cache, combine.
 *
 * FFTW's own r2r kinds would be less code, but only its complex and r2c codelets use SIMD: for n = 512 in f64, in
 * cache, a DCT-II took 1.5 us a line through r2r and an r2c of the same length 0.4 us. bench/fft_cpu.c compares the
 * whole. Every line is read from memory once and written once: 2 sizeof(real) bytes an element; all else stays in L1
 * and L2. Columns are taken in blocks of a few cache lines of lanes, so that each cache line fetched is used whole. */
#include "fft/kernels/transform_cpu.h"
#include "base/past_caches.h"
#include "base/real.h"
#include "base/sizes.h"

#include <fftw3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef const struct starfish_transform_combination combination;

enum {
    ALIGNMENT = 64,                  /* bytes; FFTW's SIMD plans need every line aligned as the planned one was */
    LANES = 128 / (int)sizeof(real), /* of a block of columns: two cache lines, which hardware fetches in pairs */
    HALF = LANES / 2,
    CACHE_LINE = ALIGNMENT / (int)sizeof(real) /* reals */
};

/* ---- FFTW ------------------------------------------------------------------------------------------------------- */
/* An odd number of cache lines: at an even one, a power of two at worst, the lines of a block share few cache sets. */
static size_t line_stride(const struct starfish_transform_shape *shape)
{
    return ((shape->line + CACHE_LINE - 1) / CACHE_LINE | 1) * CACHE_LINE;
}

/* FFTW_MEASURE took 0.1 s for 512, 0.5 s for the prime 4093, and takes many seconds for large sizes. Where lines are
 * transformed side by side, FFTW has those that are left over alone. */
static unsigned planner_effort(const struct starfish_transform_cpu *plan)
{
    return plan->tables.shape.length <= 4096 && !plan->lanes.usable ? FFTW_MEASURE : FFTW_ESTIMATE;
}

static void *create_fft(const struct starfish_transform_cpu *plan)
{
    const struct starfish_transform_shape *shape = &plan->tables.shape;
    size_t stride = line_stride(shape);
    real *in = REAL_FFTW(alloc_real)(2 * stride + CACHE_LINE);
    if (!in)
        return NULL;
    real *first = (real *)(((uintptr_t)in + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT), *second = first + stride;
    int length = (int)shape->length;
    unsigned flags = planner_effort(plan) | FFTW_DESTROY_INPUT;
    void *fft;
    if (shape->fft == STARFISH_FFT_REAL)
        fft = REAL_FFTW(plan_dft_r2c_1d)(length, first, (REAL_FFTW(complex) *)second, flags);
    else
        fft = REAL_FFTW(plan_dft_1d)(length, (REAL_FFTW(complex) *)first, (REAL_FFTW(complex) *)second, FFTW_FORWARD,
                                     flags);
    REAL_FFTW(free)(in);
    return fft;
}

static void destroy_fft(void *fft)
{
    REAL_FFTW(destroy_plan)(fft);
}

static void execute(const struct starfish_transform_cpu *plan, real *line, real *spectrum)
{
    if (plan->tables.shape.fft == STARFISH_FFT_REAL)
        REAL_FFTW(execute_dft_r2c)(plan->fft, line, (REAL_FFTW(complex) *)spectrum);
    else
        REAL_FFTW(execute_dft)(plan->fft, (REAL_FFTW(complex) *)line, (REAL_FFTW(complex) *)spectrum);
}

/* ---- Work space: LANES lines, LANES spectra, one row ------------------------------------------------------------- */
struct work {
    size_t stride;
    real *line, *spectrum, *row;
};

static size_t workspace(const struct starfish_transform_cpu *plan)
{
    size_t bytes = (2 * LANES * line_stride(&plan->tables.shape) + plan->n) * sizeof(real);
    size_t lanes = plan->lanes.usable ? starfish_transform_lanes_workspace(&plan->lanes, plan->n) : 0;
    return (lanes > bytes ? lanes : bytes) + ALIGNMENT;
}

static struct work divide(const struct starfish_transform_cpu *plan, void *space)
{
    struct work work = {.stride = line_stride(&plan->tables.shape)};
    work.line = (real *)(((uintptr_t)space + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    work.spectrum = work.line + LANES * work.stride;
    work.row = work.spectrum + LANES * work.stride;
    return work;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */
static void combine_row(combination *table, const real *restrict in, real scale, real *restrict out)
{
    const int *first = table->first, *second = table->second;
    const real *p = table->p, *q = table->q;
    if (table->terms == 2)
        for (size_t i = 0; i < table->length; i++)
            out[i] = scale * (p[i] * in[first[i]] + q[i] * in[second[i]]);
    else if (table->terms == 1)
        for (size_t i = 0; i < table->length; i++)
            out[i] = scale * p[i] * in[first[i]];
    else
        memcpy(out, in, table->length * sizeof *out);
}

/* Outputs of one line that are running sums; `sum`: over all inputs. */
static void add_running(const struct starfish_transform_sums *sums, real sum, size_t n, real *out, size_t stride)
{
    if (sums->weight)
        out[stride] = sum;
    for (size_t i = sums->first + 2; i < n && sums->running; i += 2)
        out[i * stride] += out[(i - 2) * stride];
}

static real sum_of_inputs(const struct starfish_transform_sums *sums, const real *in, size_t n, size_t stride)
{
    real sum = 0;
    for (size_t i = 0; i < n && sums->weight; i++)
        sum += ((const real *)sums->weight)[i] * in[i * stride];
    return sum;
}

static void transform_row(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                          const struct work *work, const real *in, real scale, real *out)
{
    const struct starfish_transform_tables *tables = &plan->tables;
    if (tables->shape.fft == STARFISH_FFT_NONE) {
        real factor = scale * (real)tables->gain[direction];
        for (size_t i = 0; i < plan->n; i++)
            out[i] = factor * in[i];
        return;
    }
    const real sum = scale * sum_of_inputs(&tables->sums, in, plan->n, 1);
    combine_row(&tables->before[direction], in, REAL(1.0), work->line);
    execute(plan, work->line, work->spectrum);
    combine_row(&tables->after[direction], work->spectrum, scale, out);
    add_running(&tables->sums, sum, plan->n, out, 1);
}

static real *tile_row(const struct starfish_transform_rows *arguments, int tile, size_t row, size_t *width)
{
    *width = arguments->first_mode[tile + 1] - arguments->first_mode[tile];
    return (real *)arguments->tile[tile] + row * *width;
}

static void scatter(const struct starfish_transform_rows *arguments, size_t row, const real *modes)
{
    for (int t = 0; t < arguments->tiles; t++) {
        size_t width;
        real *tile = tile_row(arguments, t, row, &width);
        memcpy(tile, modes + arguments->first_mode[t], width * sizeof *tile);
    }
}

static void gather(const struct starfish_transform_rows *arguments, size_t row, real *modes)
{
    for (int t = 0; t < arguments->tiles; t++) {
        size_t width;
        const real *tile = tile_row(arguments, t, row, &width);
        memcpy(modes + arguments->first_mode[t], tile, width * sizeof *tile);
    }
}

static real *values_row(const struct starfish_transform_cpu *plan, const struct starfish_transform_rows *arguments,
                        size_t row)
{
    const struct starfish_strides *strides = &arguments->strides;
    return (real *)arguments->rows +
           (strides->row > 0 ? starfish_strides_row(strides, arguments->first_row + row) : row * plan->n);
}

/* Rows of which nothing is transformed are one run of memory, however short each of them. */
static void copy_rows(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                      const struct starfish_transform_rows *arguments)
{
    const int forward = direction == STARFISH_FORWARD;
    const real factor = (real)arguments->scale * (real)plan->tables.gain[direction];
    const real *in = forward ? arguments->rows : arguments->tile[0];
    real *out = forward ? arguments->tile[0] : arguments->rows;
    for (size_t i = 0; i < arguments->count * plan->n; i++)
        out[i] = factor * in[i];
}

/* Lines that are too few for a block are done one by one: each takes about a quarter of one. */
static int make_a_block(const struct starfish_transform_cpu *plan, size_t lines)
{
    return plan->lanes.usable && 4 * lines >= LANES;
}

static struct starfish_transform_lane_block block_of(const struct starfish_transform_cpu *plan,
                                                     enum starfish_transform_direction direction, double scale,
                                                     void *space)
{
    return (struct starfish_transform_lane_block){.lanes = &plan->lanes,
                                                  .tables = &plan->tables,
                                                  .direction = direction,
                                                  .n = plan->n,
                                                  .scale = scale,
                                                  .workspace = divide(plan, space).line};
}

/* A block of n numbers of lanes that lie together, in its work space. */
static void transform_room(struct starfish_transform_lane_block *block)
{
    for (int h = 0; h < 2; h++) {
        block->half[h] = (real *)block->workspace + (size_t)h * HALF;
        block->count[h] = HALF;
    }
    block->stride = LANES;
    REAL_NAME(starfish_transform_lane_columns)(block);
}

/* A few rows at a time, through the room behind the block. */
static void rows_past_caches(real *room, size_t count, size_t n, void *const *row)
{
    enum { AT_ONCE = 4 };
    real *const between = room + n * LANES;
    for (size_t first = 0; first < count; first += AT_ONCE) {
        const size_t rows = starfish_smaller(AT_ONCE, count - first);
        void *few[AT_ONCE];
        for (size_t r = 0; r < rows; r++)
            few[r] = between + r * n;
        REAL_NAME(starfish_transform_lanes_to_rows)(room + first, rows, n, few);
        for (size_t r = 0; r < rows; r++)
            starfish_store_past_caches(row[first + r], few[r], n * sizeof(real));
    }
    starfish_past_caches_done();
}

/* What the block of rows from `first` on reads: it may be there when that begins. */
struct ahead {
    struct starfish_fetch fetch;
    const void *piece[STARFISH_TRANSFORM_MAX_TILES + LANES];
};

static void set_ahead(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                      const struct starfish_transform_rows *arguments, size_t first, struct ahead *ahead)
{
    const int forward = direction == STARFISH_FORWARD;
    const size_t rows = first < arguments->count ? starfish_smaller(LANES, arguments->count - first) : 0;
    size_t width = plan->n;
    ahead->fetch = (struct starfish_fetch){.piece = ahead->piece};
    ahead->fetch.pieces = rows == 0 ? 0 : forward ? rows : (size_t)arguments->tiles;
    for (size_t p = 0; p < ahead->fetch.pieces; p++)
        ahead->piece[p] = forward ? values_row(plan, arguments, first + p) : tile_row(arguments, (int)p, first, &width);
    ahead->fetch.bytes = (forward ? plan->n : rows * arguments->first_mode[1]) * sizeof(real);
    starfish_fetch_in(&ahead->fetch, plan->lanes.fft.pauses);
}

/* `count` rows from `first` on, as a block of lanes. */
static void block_of_rows(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                          const struct starfish_transform_rows *arguments, const struct starfish_row_change *change,
                          size_t first, size_t count)
{
    struct starfish_transform_lane_block block = block_of(plan, direction, arguments->scale, arguments->workspace);
    real *const room = block.workspace;
    void *values[LANES];
    struct ahead ahead;
    for (size_t r = 0; r < count; r++)
        values[r] = values_row(plan, arguments, first + r);
    set_ahead(plan, direction, arguments, first + count, &ahead);
    block.meanwhile = &ahead.fetch;
    if (direction == STARFISH_FORWARD) {
        real *const input = REAL_NAME(starfish_transform_lane_input)(&block);
        block.loaded = input != NULL;
        REAL_NAME(starfish_transform_rows_to_lanes)
        ((const void *const *)values, count, plan->n, input ? input : room);
        for (size_t r = 0; r < count && change; r++)
            change->change(change->data, first + r, (input ? input : room) + r, LANES);
        transform_room(&block);
        REAL_NAME(starfish_transform_lanes_to_tiles)(room, arguments, first, count);
        return;
    }
    REAL_NAME(starfish_transform_tiles_to_lanes)(arguments, first, count, room);
    transform_room(&block);
    if (arguments->past_caches)
        rows_past_caches(room, count, plan->n, values);
    else
        REAL_NAME(starfish_transform_lanes_to_rows)(room, count, plan->n, values);
}

/* Row r as it is to be transformed: itself, or its changed copy in `room`. */
static const real *changed_row(const struct starfish_transform_cpu *plan, const struct starfish_row_change *change,
                               size_t r, const real *row, real *room)
{
    if (!change)
        return row;
    memcpy(room, row, plan->n * sizeof *room);
    change->change(change->data, r, room, 1);
    return room;
}

static void rows(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                 const struct starfish_transform_rows *arguments, const struct starfish_row_change *change)
{
    const int packed = arguments->tiles == 1 && arguments->strides.row == 0;
    if (plan->tables.shape.fft == STARFISH_FFT_NONE && packed && !change) {
        copy_rows(plan, direction, arguments);
        return;
    }
    struct work work = divide(plan, arguments->workspace);
    real scale = (real)arguments->scale;
    size_t r = 0;
    for (; make_a_block(plan, arguments->count - r); r += starfish_smaller(LANES, arguments->count - r))
        block_of_rows(plan, direction, arguments, change, r, starfish_smaller(LANES, arguments->count - r));
    for (; r < arguments->count; r++) {
        real *row = values_row(plan, arguments, r);
        bool whole = arguments->tiles == 1; /* then the modes of a row already lie together */
        real *modes = whole ? (real *)arguments->tile[0] + r * plan->n : work.row;
        if (direction == STARFISH_FORWARD) {
            transform_row(plan, direction, &work, changed_row(plan, change, r, row, modes), scale, modes);
            if (!whole)
                scatter(arguments, r, modes);
        } else {
            if (!whole)
                gather(arguments, r, modes);
            transform_row(plan, direction, &work, modes, scale, row);
        }
    }
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */
/* From `lanes` interleaved lanes, mode stride `inner`, to one line each. */
static void combine_from_lanes(combination *table, size_t lanes, size_t inner, const real *restrict data,
                               const struct work *work)
{
    const real *p = table->p, *q = table->q;
    size_t stride = work->stride;
    for (size_t i = 0; i < table->length; i++) {
        const real *first = data + inner * (size_t)table->first[i];
        const real *second = data + inner * (size_t)table->second[i];
        real *restrict line = work->line + i;
        if (table->terms == 2)
            for (size_t l = 0; l < lanes; l++)
                line[l * stride] = p[i] * first[l] + q[i] * second[l];
        else
            for (size_t l = 0; l < lanes; l++)
                line[l * stride] = p[i] * first[l];
    }
}

static void combine_to_lanes(combination *table, size_t lanes, size_t inner, const struct work *work, real scale,
                             real *restrict data)
{
    size_t stride = work->stride;
    for (size_t i = 0; i < table->length; i++) {
        real p = scale * ((const real *)table->p)[i], q = scale * ((const real *)table->q)[i];
        const real *restrict first = work->spectrum + table->first[i];
        const real *restrict second = work->spectrum + table->second[i];
        real *restrict out = data + inner * i;
        if (table->terms == 2)
            for (size_t l = 0; l < lanes; l++)
                out[l] = p * first[l * stride] + q * second[l * stride];
        else
            for (size_t l = 0; l < lanes; l++)
                out[l] = p * first[l * stride];
    }
}

/* Lanes of which there are too few for a block, one line after the other. */
static void columns_by_lines(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                             const struct starfish_transform_columns *arguments, real *block, size_t lanes)
{
    const struct starfish_transform_tables *tables = &plan->tables;
    const struct starfish_transform_sums *sums = &tables->sums;
    const real scale = (real)arguments->scale;
    struct work work = divide(plan, arguments->workspace);
    real sum[LANES];
    for (size_t l = 0; l < lanes; l++)
        sum[l] = scale * sum_of_inputs(sums, block + l, plan->n, arguments->inner);
    combine_from_lanes(&tables->before[direction], lanes, arguments->inner, block, &work);
    for (size_t l = 0; l < lanes; l++)
        execute(plan, work.line + l * work.stride, work.spectrum + l * work.stride);
    combine_to_lanes(&tables->after[direction], lanes, arguments->inner, &work, scale, block);
    for (size_t l = 0; l < lanes; l++)
        add_running(sums, sum[l], plan->n, block + l, arguments->inner);
}

/* Halves of blocks are numbered through all planes, so that the two of one may be of different ones. */
static void columns_by_blocks(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                              const struct starfish_transform_columns *arguments, size_t apart,
                              struct starfish_fetch *fetch)
{
    const size_t inner = arguments->inner, in_plane = (inner + HALF - 1) / HALF, all = in_plane * arguments->outer;
    struct starfish_transform_lane_block block = block_of(plan, direction, arguments->scale, arguments->workspace);
    block.stride = inner;
    block.meanwhile = fetch;
    if (fetch)
        starfish_fetch_in(fetch, (all + 1) / 2 * plan->lanes.fft.pauses);
    for (size_t number = 0; number < all; number += 2) {
        for (size_t h = 0; h < 2; h++) {
            const size_t lane = (number + h) % in_plane * HALF;
            block.half[h] = (real *)arguments->data + lane + (number + h) / in_plane * apart;
            block.count[h] = number + h < all ? starfish_smaller(HALF, inner - lane) : 0;
        }
        REAL_NAME(starfish_transform_lane_columns)(&block);
    }
}

static void columns(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                    const struct starfish_transform_columns *arguments, struct starfish_fetch *fetch)
{
    const struct starfish_transform_tables *tables = &plan->tables;
    const size_t inner = arguments->inner, plane = inner * plan->n;
    const size_t apart = arguments->apart > 0 ? arguments->apart : plane;
    const real factor = (real)arguments->scale * (real)tables->gain[direction];
    real *const data = arguments->data;
    if (tables->shape.fft != STARFISH_FFT_NONE && make_a_block(plan, inner)) {
        columns_by_blocks(plan, direction, arguments, apart, fetch);
        return;
    }
    for (size_t o = 0; o < arguments->outer; o++) {
        if (tables->shape.fft == STARFISH_FFT_NONE)
            for (size_t i = 0; factor != REAL(1.0) && i < plane; i++)
                data[i + apart * o] *= factor;
        else
            for (size_t lane = 0; lane < inner; lane += LANES)
                columns_by_lines(plan, direction, arguments, data + lane + apart * o,
                                 starfish_smaller(LANES, inner - lane));
    }
}

const struct starfish_transform_cpu_code REAL_NAME(starfish_transform_cpu_code) = {
    create_fft, destroy_fft, REAL_NAME(starfish_transform_lanes_create), workspace, rows, columns};
