/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of lines on CUDA: every thread owns consecutive rows of a line and eliminates them to their last one
 * (batch_chunk.cuh), the joints of a line are reduced in shared memory by a part of a warp, at the end by PCR through
 * shuffles (batch_joints.cuh), and every thread substitutes. Each coefficient and right-hand side is read once and each
 * solution written once. Lines that are too long for one block are cut: batch_segments_cuda.cu. Large batches that
 * share one matrix have a file of their own, batch_shifted_cuda.cu.
 *
 * Floor: 5 reals per unknown.
 *
 * Thread orders (batch_tile.cuh): neighbouring threads on neighbouring chunks of a line: a thread's rows are 64
 * adjacent bytes, read as 16-byte words where alignment allows, and solutions pass through shared memory, so that whole
 * sectors are written. Where lines lie side by side, neighbouring threads are on neighbouring lines, and a block reads
 * runs of as many reals as it has lines. Runs of 64 bytes move 2.9 TB/s, of 128 bytes 3.6. A block of 512 threads with
 * 64 bytes of a row in registers reaches 128 bytes up to 256 rows. Longer lines of large batches get twice the rows to
 * a thread: the coefficients come in groups of 16 bytes, one group ahead, and what is left of them, c and e, goes to
 * shared memory, so that registers and shared memory together hold 16 lines of 512 in f64. One such block fills a
 * multiprocessor; it fetches the first half of the next one's rows to the second-level cache before it solves its
 * joints, when memory would have nothing to do.
 *
 * Measured on an H200, bandwidth of the floor's bytes where a copy reaches 4.2 TB/s (f64; f32):
 *     262144 lines of 512     contiguous  1.34 ms, 95 %; 0.64 ms, 99 %     interleaved  1.53 ms, 83 %; 0.77 ms, 82 %
 *     262000 lines of 513                                                  interleaved  2.08 ms, 62 %; 1.04 ms, 62 %
 *     1048576 lines of 128                                                 interleaved  1.32 ms, 97 %; 0.73 ms, 87 %
 *     131072 lines of 1024                                                 interleaved  1.95 ms, 65 %; 0.92 ms, 70 %
 *     65536 lines of 2048     contiguous  1.42 ms, 90 %; 0.67 ms, 95 %     interleaved  2.95 ms, 43 %; 1.55 ms, 41 %
 *     512 lines of 512        contiguous  5.9 us; 5.3 us                   interleaved  6.8 us; 5.7 us
 *     1 line of 2^24                      0.352 ms, 45 %; 0.180 ms, 44 %
 * Bound by memory where contiguous or short, by the length of its runs at 512 rows side by side; 513 rows leave a block
 * 12 lines, 1024 rows 8. Lines of 2048 side by side and of 2^24 are in segments.
 *
 * Tried and left, 512 rows side by side in f64: 64 bytes of a row per thread (1.85 ms); no fetching ahead (1.68), a
 * quarter of the next rows (1.56), three quarters (1.66), all (1.88); groups of 32 bytes (1.73 with a quarter fetched);
 * copying the next tile to shared memory (2.3 and 2.6: copies of single elements cost more than they hide). Three
 * things that cost a third, a third and a tenth: divisions of 64-bit indices, IEEE divisions (reciprocal.cuh), and the
 * compiler's mixing loads with eliminations (batch_tile.cuh). */
#include "krylov/kernels/multiprocessors.cuh"
#include "tridiag/kernels/batch_joints.cuh"
#include <stdint.h>

namespace starfish_batch_tile
{
namespace
{

/* Bytes of a row that a block reads where lines lie side by side. */
enum { GOOD_RUN = 128, SECTOR = 32 / sizeof(real), ENOUGH_BLOCKS = 128 };
/* Longer lines side by side would leave shorter runs to threads of few rows; in small batches latency is what
 * counts. */
enum { LONG_BATCH = 1 << 20 };
enum { LONG_LINE = 512 * sizeof(real) / GOOD_RUN * (64 / sizeof(real)) };
enum { FETCHED_ROWS = rows_of(SIDE_BY_SIDE_LONG) / 2 };

/* The separators of a thread's segment: its own last unknown and the one before its first. */
template <int Columns, int Rows>
__device__ __forceinline__ void read_separators(const starfish_batch &b, const Shape &shape, const Place<Rows> &place,
                                                const real *separators, real (&before)[Columns], real (&own)[Columns])
{
#pragma unroll
    for (int q = 0; q < Columns; q++) {
        const size_t of = place.column + q < b.columns ? place.column + q : place.column;
        const real *at = separators + (of * b.lines + place.line) * shape.segments + place.segment;
        own[q] = *at;
        before[q] = place.segment > 0 ? at[-1] : real(0);
    }
}

/* Eliminate a thread's rows; with its separator known, its joint says so. */
template <int Columns, Order order>
__device__ __forceinline__ void eliminate_segment(const starfish_batch &b, const Shape &shape,
                                                  const TilePlace<order> &place, const real *separators,
                                                  TileChunk<Columns, order> &chunk, Joint<Columns> &joint)
{
    const bool given = separators && place.count > 0;
    real before[Columns] = {}, own[Columns] = {};

    if (given)
        read_separators<Columns>(b, shape, place, separators, before, own);
    eliminate<Columns, order>(b, place, given && place.chunk == 0, before, chunk, joint);
    if (given && place.chunk + 1 == shape.chunks && place.segment + 1 < shape.segments) {
        joint.a = joint.u = 0;
        joint.b = 1;
#pragma unroll
        for (int q = 0; q < Columns; q++)
            joint.r[q] = own[q];
    }
}

/* Into the second-level cache, the first rows of each chunk of a block that starts when this one ends: memory would
 * have nothing to do while this block's joints are solved. */
__device__ __forceinline__ void fetch_ahead(const starfish_batch &b, const Shape &shape, int line_here, size_t first)
{
    const size_t line = (size_t(blockIdx.x) + shape.ahead) * shape.lines;

    if (line + shape.lines > b.lines)
        return;
    for (int i = line_here; i < 4 * FETCHED_ROWS; i += shape.lines) {
        const void *array = i % 4 == 0 ? b.lower : i % 4 == 1 ? b.diag : i % 4 == 2 ? b.upper : b.input;
        const size_t row = (i % 4 == 3 ? b.vectors.row : b.coefficients.row) * (first + i / 4);
        const char *at = reinterpret_cast<const char *>(static_cast<const real *>(array) + line + row);
        if (first + i / 4 < b.n)
            for (unsigned byte = 0; byte < shape.lines * sizeof(real); byte += 64)
                asm volatile("prefetch.global.L2 [%0];" ::"l"(at + byte));
    }
}

template <int Columns, Order order>
__device__ __forceinline__ void finish(const starfish_batch &b, const TilePlace<order> &place,
                                       const SharedJoints<Columns> &shared, real *of_warp,
                                       TileChunk<Columns, order> &chunk)
{
#pragma unroll
    for (int q = 0; q < Columns; q++) {
        chunk.substitute(q, place.chunk > 0 ? shared.r[q][place.joint_before] : real(0), shared.r[q][place.joint]);
        if (place.column + q < b.columns)
            store_rows<order>(chunk.d[q], static_cast<real *>(b.output),
                              place.first * b.vectors.row + batch_column_offset(&b, place.line, place.column + q),
                              b.vectors.row, place.count, of_warp);
    }
}

template <int Columns, Order order>
__global__ void __launch_bounds__(threads_of(order), lies_side_by_side(order) || Columns > 1 ? 1 : 2)
    solve_tiles(const __grid_constant__ starfish_batch b, const __grid_constant__ Shape shape, const real *separators)
{
    extern __shared__ double2 memory[];
    real *tile = reinterpret_cast<real *>(memory), *of_warp = tile + threadIdx.x / WARP * WARP * rows_of(order);
    const SharedJoints<Columns> shared(tile + tile_reals(order), shape.lines * shape.pitch);
    const TilePlace<order> place(b, shape, Columns);
    TileChunk<Columns, order> chunk;
    Joint<Columns> joint;

    chunk.kept.keep_in(tile);
    eliminate_segment<Columns, order>(b, shape, place, separators, chunk, joint);
    if (threadIdx.x < shape.chunks * shape.lines)
        shared.put(place.joint, joint);
    if (order == SIDE_BY_SIDE_LONG && shape.ahead > 0)
        fetch_ahead(b, shape, place.line_here, place.first);
    __syncthreads();
    solve_all_joints<Columns>(shared, shape);
    __syncthreads();
    finish<Columns, order>(b, place, shared, of_warp, chunk);
}

/* ---- Cutting --------------------------------------------------------------------------------------------------- */

bool packed(const starfish_layout &layout, size_t column, const void *const (&arrays)[3])
{
    bool all = layout.row == 1 && layout.line % WORD == 0 && column % WORD == 0;

    for (const void *array : arrays)
        all = all && reinterpret_cast<uintptr_t>(array) % 16 == 0;
    return all;
}

int power_of_two_from(int value)
{
    int power = 1;

    while (power < value)
        power *= 2;
    return power;
}

/* The largest power of two that is at most `value`. */
int power_of_two_to(int value)
{
    return power_of_two_from(value + 1) / 2;
}

/* The first number from `value` on that leaves `rest` when divided by the number of banks. */
int next_congruent(int value, int rest)
{
    return value + (rest - value % BANKS + BANKS) % BANKS;
}

/* Lines of a block of `most` threads. Side by side they fill sectors of memory, unless that would leave multiprocessors
 * without a block. */
int lines_of_block(const starfish_batch &b, bool side_by_side, const Shape &shape, int most)
{
    int lines = most / shape.chunks;

    if (side_by_side && lines > SECTOR)
        lines -= lines % SECTOR;
    else
        lines = power_of_two_to(lines);
    while (lines > 1 && size_t(lines) / 2 >= b.lines)
        lines /= 2;
    while (side_by_side && lines >= 2 * SECTOR && (b.lines + lines - 1) / lines * shape.segments < ENOUGH_BLOCKS)
        lines /= 2;
    return lines;
}

bool in_words(const starfish_batch &b)
{
    return packed(b.coefficients, 0, {b.lower, b.diag, b.upper}) && b.components == 1 &&
           packed(b.vectors, b.columns > 1 ? b.column : 0, {b.input, b.output, b.output});
}

/* Chunks of a line in one block; a line that has more is cut into segments of fewer. Side by side there are as many
 * threads on a row as chunks leave over. */
int chunks_of_block(Order order, size_t chunks)
{
    const bool is_long = order == SIDE_BY_SIDE_LONG;
    const size_t bytes = threads_of(order) * sizeof(real);
    const size_t most = lies_side_by_side(order) ? bytes / (is_long ? 64 : 32) : threads_of(order);
    const size_t cut = lies_side_by_side(order) ? bytes / (is_long ? GOOD_RUN : 64) : threads_of(order);

    return int(chunks <= most ? chunks : cut);
}

Order order_of(const starfish_batch &b)
{
    if (b.lines > 1 && b.vectors.row > b.vectors.line)
        return b.columns == 1 && b.n > size_t(LONG_LINE) && b.n * b.lines >= size_t(LONG_BATCH) ? SIDE_BY_SIDE_LONG
                                                                                                : SIDE_BY_SIDE;
    return in_words(b) ? ADJACENT_WORDS : ADJACENT;
}

} // namespace

Shape REAL_NAME(starfish_batch_shape)(const starfish_batch &b)
{
    const Order order = order_of(b);
    const bool side_by_side = lies_side_by_side(order);
    const size_t chunks = (b.n + rows_of(order) - 1) / rows_of(order);
    Shape shape = {};

    shape.order = order;
    shape.chunks = chunks_of_block(order, chunks);
    shape.segments = (chunks + shape.chunks - 1) / shape.chunks;
    shape.lines = lines_of_block(b, side_by_side, shape, threads_of(order));
    shape.threads = (shape.chunks * shape.lines + WARP - 1) / WARP * WARP;
    shape.lanes = shape.chunks < WARP ? power_of_two_from(shape.chunks) : int(WARP);
    shape.rows = (shape.chunks + shape.lanes - 1) / shape.lanes;
    shape.pitch = shape.rows == 1 ? shape.lanes : shape.lanes * (shape.rows | 1);
    if (side_by_side) /* neighbouring threads' joints in different banks */
        shape.pitch = BANKS % shape.lines != 0 ? shape.pitch | 1 : next_congruent(shape.pitch, BANKS / shape.lines);
    shape.groups = unsigned((b.lines + shape.lines - 1) / shape.lines);
    return shape;
}

int REAL_NAME(starfish_batch_solve_tiles)(const starfish_batch &b, const Shape &shape, const real *separators,
                                          cudaStream_t stream)
{
    static decltype(&solve_tiles<1, ADJACENT>) const kernels[2][4] = {
        {solve_tiles<1, SIDE_BY_SIDE>, solve_tiles<1, SIDE_BY_SIDE_LONG>, solve_tiles<1, ADJACENT>,
         solve_tiles<1, ADJACENT_WORDS>},
        {solve_tiles<2, SIDE_BY_SIDE>, NULL, solve_tiles<2, ADJACENT>, solve_tiles<2, ADJACENT_WORDS>}};
    const bool runs = shape.order == SIDE_BY_SIDE_LONG && b.coefficients.line == 1 && b.vectors.line == 1 &&
                      shape.lines * sizeof(real) % GOOD_RUN == 0;
    Shape launched = shape;
    int status = cudaSuccess;

    if (runs && shape.segments == 1)
        status = starfish_multiprocessors(&launched.ahead);
    return status == cudaSuccess ? launch_tiles(kernels[b.columns > 1][shape.order], b, launched, separators, stream)
                                 : status;
}

} // namespace starfish_batch_tile

extern "C" size_t REAL_NAME(starfish_batch_tiled_workspace)(const starfish_batch *batch)
{
    using namespace starfish_batch_tile;
    const Shape shape = REAL_NAME(starfish_batch_shape)(*batch);

    return shape.segments == 1 ? 0 : REAL_NAME(starfish_batch_segments_workspace)(*batch, shape);
}

extern "C" int REAL_NAME(starfish_batch_tiled_cuda)(const starfish_batch *batch, cudaStream_t stream)
{
    using namespace starfish_batch_tile;
    const Shape shape = REAL_NAME(starfish_batch_shape)(*batch);

    return shape.segments == 1 ? REAL_NAME(starfish_batch_solve_tiles)(*batch, shape, NULL, stream)
                               : REAL_NAME(starfish_batch_solve_segments)(*batch, shape, stream);
}
