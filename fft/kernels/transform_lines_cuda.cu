/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms of rows and columns in shared memory, one kernel each (line_tile.cuh): how lines are put into
 * tiles, and the choice of a kernel (transform_rows.cuh, transform_columns.cuh).
 *
 * The floor is one read and one write of the field, 2 sizeof(real) bytes an element, 0.51 ms of an H200 for 512^3 in
 * f64: measured, forward and backward, rows 0.59 and 0.57, columns 0.71 and 0.68. A number meets shared memory four
 * times in three passes, as combinations are made within the outer passes; what is left is waiting for memory, with 16
 * warps of 128 registers a multiprocessor. Blocks of 96 registers spill and are slower. */
#include "fft/kernels/planes_cuda.cuh"

#include <algorithm>
#include <cstdint>

namespace starfish
{

namespace
{

constexpr int threads = STARFISH_LINE_THREADS;
constexpr int most_lines = 64;

int lanes_of_line(const starfish_transform_cuda *plan)
{
    const int parts = static_cast<int>(STARFISH_LINE_NUMBER / starfish_real_size(plan->precision));
    return plan->shape.fft == STARFISH_FFT_REAL ? parts : parts / 2;
}

/* Numbers of a tile that a thread takes: two butterflies or a pair of them, with radix 8 in mind, up to ten. */
constexpr int fewest_numbers = 16, most_numbers = 20;
/* And of planes in shared memory, of which a multiprocessor has few. */
constexpr int fewest_of_plane = 8;

/* A power of two. */
int lines_of_tile(const starfish_line_plan &line, int block_threads)
{
    int lines = 1;
    while (lines < most_lines && 2 * lines * line.numbers <= most_numbers * block_threads)
        lines *= 2;
    return lines;
}

/* Interleaved lines that are at least 64 bytes wide, which use whole sectors of device memory, but where they would not
 * fit. */
int lines_of_columns(const starfish_transform_cuda *plan, int block_threads)
{
    const size_t line_bytes = static_cast<size_t>(plan->line.plan.places) * STARFISH_LINE_NUMBER;
    int lines = lines_of_tile(plan->line.plan, block_threads);
    while (lines * lanes_of_line(plan) * starfish_real_size(plan->precision) < 64)
        lines *= 2;
    while (lines > 1 && lines * line_bytes > STARFISH_LINE_SHARED)
        lines /= 2;
    return lines;
}

} // namespace

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */
int row_threads(const starfish_transform_cuda *plan)
{
    return plan->line.plan.numbers <= most_numbers * threads / 2 ? threads / 2 : threads;
}

int column_threads(const starfish_transform_cuda *plan)
{
    const int numbers = lines_of_columns(plan, threads / 2) * plan->line.plan.numbers;
    return numbers <= most_numbers * threads / 2 ? threads / 2 : threads;
}

namespace
{

/* `fewest`: numbers of a line to a thread. */
tile_shape rows_tile_of(const starfish_transform_cuda *plan, int block_threads, int lines, int fewest)
{
    const starfish_line_plan &line = plan->line.plan;
    tile_shape shape = {};
    shape.threads = block_threads;
    shape.lines = lines;
    shape.lanes = lanes_of_line(plan) * lines;
    shape.distance = line.places | 1;
    shape.along = 1;
    while (shape.along * fewest < line.numbers && shape.along * lines < block_threads)
        shape.along *= 2;
    shape.shared = static_cast<size_t>(lines) * shape.distance * STARFISH_LINE_NUMBER;
    return shape;
}

tile_shape columns_tile_of(const starfish_transform_cuda *plan, int block_threads, int lines)
{
    tile_shape shape = {};
    shape.threads = block_threads;
    shape.lines = lines;
    shape.lanes = lanes_of_line(plan) * lines;
    while (1 << shape.shift < lines)
        shape.shift++;
    shape.distance = 1;
    shape.shared = static_cast<size_t>(lines) * plan->line.plan.places * STARFISH_LINE_NUMBER;
    return shape;
}

} // namespace

tile_shape rows_tile_shape(const starfish_transform_cuda *plan, int block_threads)
{
    return rows_tile_of(plan, block_threads, lines_of_tile(plan->line.plan, block_threads), fewest_numbers);
}

tile_shape columns_tile_shape(const starfish_transform_cuda *plan, int block_threads)
{
    return columns_tile_of(plan, block_threads, lines_of_columns(plan, block_threads));
}

/* Threads for all butterflies of a pass, which more would only wait for: of 32 x 32 planes of f64, 512 threads took
 * three times as long as 64. */
int threads_of_plane(const starfish_transform_cuda *x, const starfish_transform_cuda *y, int lines)
{
    const int numbers = lines * std::max(x->line.plan.numbers, y->line.plan.numbers);
    int wanted = 64;
    while (wanted < STARFISH_PLANE_THREADS && wanted * fewest_of_plane < numbers)
        wanted *= 2;
    return wanted;
}

/* All rows are one tile and all columns are: with two of each, as of 128 x 128 in f64, whole solves were not faster
 * than by two launches. */
plane_shape plane_in_shared_memory(const starfish_transform_cuda *x, const starfish_transform_cuda *y)
{
    const size_t size = starfish_real_size(x->precision), number = STARFISH_LINE_NUMBER / size;
    const size_t lanes = std::max(x->n, y->n);
    plane_shape shape = {};
    int lines = 1;
    while (lines < most_lines && static_cast<size_t>(lanes_of_line(x) * lines) < lanes)
        lines *= 2;
    shape.pitch = static_cast<unsigned>((x->n + number - 1) / number * number + number);
    const int block_threads = threads_of_plane(x, y, lines);
    shape.rows = rows_tile_of(x, block_threads, lines, fewest_of_plane);
    shape.columns = columns_tile_of(y, block_threads, lines);
    const size_t shared = shape.pitch * y->n * size + std::max(shape.rows.shared, shape.columns.shared);
    if (static_cast<size_t>(shape.rows.lanes) >= lanes && shared <= STARFISH_PLANE_SHARED)
        shape.shared = shared;
    return shape;
}

bool lanes_are_aligned(const void *data, size_t inner, starfish_precision precision)
{
    return inner % (STARFISH_LINE_NUMBER / starfish_real_size(precision)) == 0 &&
           reinterpret_cast<uintptr_t>(data) % STARFISH_LINE_NUMBER == 0;
}

/* ---- Choice of a kernel ----------------------------------------------------------------------------------------- */
int rows_by_lines(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                  const starfish_transform_rows *arguments, cudaStream_t stream)
{
    const bool single = plan->precision == STARFISH_F32;
    if (arguments->tiles == 1)
        return (single ? whole_rows_f32 : whole_rows_f64)(plan, direction, *arguments, stream);
    if (direction == STARFISH_FORWARD)
        return (single ? rows_to_tiles_f32 : rows_to_tiles_f64)(plan, *arguments, stream);
    return (single ? rows_from_tiles_f32 : rows_from_tiles_f64)(plan, *arguments, stream);
}

int columns_by_lines(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                     const starfish_transform_columns *arguments, const void *in, cudaStream_t stream)
{
    const bool single = plan->precision == STARFISH_F32;
    if (plan->shape.fft == STARFISH_FFT_REAL)
        return (single ? columns_of_pairs_f32 : columns_of_pairs_f64)(plan, direction, *arguments, in, stream);
    return (single ? columns_of_lanes_f32 : columns_of_lanes_f64)(plan, direction, *arguments, in, stream);
}

} // namespace starfish
