/* Long batches and long lines on CUDA: every thread owns ROWS consecutive rows of a line in registers, eliminates them
 * to their last one (batch_chunk.cuh), the joints of a line are reduced in shared memory by a part of a warp, at the end
 * by PCR through shuffles, and every thread substitutes in registers. Each coefficient and right-hand side is read once
 * and each solution written once.
 *
 * Floor: 5 reals per unknown of general lines, 2 when coefficients are shared.
 *
 * A line that is too long for one block is cut into segments, each a block's: reduce every segment to its joint, solve
 * the joints' system (again by this file), then solve every segment with its two separators known. That reads
 * everything twice, 9 reals per unknown, in 4 launches for up to ROWS^2 * 64^2 unknowns and 3 more per factor beyond.
 *
 * Two thread orders: neighbouring threads on neighbouring lines where those lie side by side, else on neighbouring
 * chunks of a line; then a thread's rows are 64 adjacent bytes, read as 16-byte words where alignment allows, and
 * solutions pass through shared memory, so that whole sectors are written.
 *
 * Measured on an H200, bandwidth of the floor's bytes where a copy reaches 4.2 TB/s (f64; f32):
 *     262144 lines of 512     contiguous  1.39 ms, 92 %; 0.67 ms, 95 %     interleaved  1.87 ms, 68 %; 0.82 ms, 78 %
 *     the same, shared and shifted        1.29 ms, 40 %; 0.60 ms, 43 %                  1.27 ms, 40 %; 0.60 ms, 43 %
 *     1048576 lines of 128                                                 interleaved  1.36 ms, 94 %; 0.72 ms, 89 %
 *     65536 lines of 2048     contiguous  1.50 ms, 85 %; 0.69 ms, 93 %     interleaved  3.35 ms, 38 %; in segments
 *     512 lines of 512        contiguous  8.0 us; 5.6 us                   interleaved  8.5 us; 6.5 us
 *     1 line of 2^24                      0.366 ms, 44 %; 0.186 ms, 43 %
 * Bound by memory in the first and third rows when contiguous or short. Side by side, a block of 512 rows has 8 lines of
 * f64: 64 bytes of each row, where memory wants 128, and one such block fills a multiprocessor, so that nobody loads
 * while it computes. Shared lines move so little that the latency of the eliminations is what remains.
 *
 * Tried and left: fetching the next tile into shared memory while this one is worked on (2.3 and 2.6 ms: copies of single
 * elements cost more than they hide); asking for the next tile in the second-level cache (3.2 ms interleaved); blocks of 256
 * threads side by side, 32 bytes of each row (3.5 ms). Two things that cost a third each: divisions of 64-bit
 * indices, and IEEE divisions (batch_reciprocal.cuh).
 */
#include "tridiag/batch_chunk.cuh"
#include "tridiag/batch_cuda.h"
#include <stdint.h>

namespace
{

using namespace starfish_batch_chunk;

enum { ROWS = 64 / sizeof(real), WARP = 32, WORD = 16 / sizeof(real), BANKS = 128 / sizeof(real) };
/* Threads of a block, by thread order. Side by side, 512 threads let a segment of 512 rows be as many lines wide as fill
 * 64 bytes; adjacent chunks are better off in two blocks that take turns. */
enum { THREADS = 512, SIDE_BY_SIDE_THREADS = THREADS, ADJACENT_THREADS = 256 };
/* Longer lines side by side are cut into segments, rather than read in pieces of rows of less than 32 bytes. */
enum { SIDE_BY_SIDE_CHUNKS = SIDE_BY_SIDE_THREADS * sizeof(real) / 32 };

/* Neighbouring threads on neighbouring lines; or on neighbouring rows of a line, which are read one by one or in 16-byte
 * words. */
enum Order { SIDE_BY_SIDE, ADJACENT, ADJACENT_WORDS };

/* How a launch cuts its work. */
struct Shape {
    int chunks;      /* threads of a line in a block */
    int lines;       /* of a block */
    int threads;     /* chunks * lines, and what fills the last warp */
    int order;       /* enum Order */
    int lanes;       /* of the part of a warp that reduces a line's joints: a power of two */
    int rows;        /* joints per lane, lanes * rows >= chunks */
    int pitch;       /* of a line's joints in shared memory */
    unsigned groups; /* of lines */
    size_t segments; /* of a line */
};

/* Which rows of which line and columns a thread has in a tile. */
struct Place {
    size_t line, segment, first, column;
    int line_here, chunk;    /* in the block */
    int count;               /* rows that there are, 0 for a thread with nothing to do */
    int joint, joint_before; /* in shared memory */

    /* No division of 64-bit numbers, and none at all where one will do: each takes as long as the elimination of a row. */
    __device__ __forceinline__ Place(const starfish_batch &b, const Shape &shape, int columns)
    {
        const unsigned thread = threadIdx.x, group = shape.segments == 1 ? blockIdx.x : blockIdx.x % shape.groups;
        const unsigned across = shape.order == SIDE_BY_SIDE ? shape.lines : shape.chunks, slow = thread / across;
        const unsigned fast = thread - slow * across;

        line_here = int(shape.order == SIDE_BY_SIDE ? fast : slow);
        chunk = int(shape.order == SIDE_BY_SIDE ? slow : fast);
        segment = shape.segments == 1 ? 0 : blockIdx.x / shape.groups;
        column = size_t(blockIdx.y) * columns;
        line = size_t(group) * shape.lines + line_here;
        first = (segment * shape.chunks + chunk) * ROWS;
        const bool has_joint = thread < unsigned(shape.chunks * shape.lines);
        count = has_joint && line < b.lines && first < b.n ? int(b.n - first < ROWS ? b.n - first : ROWS) : 0;
        const int lane = shape.rows == 1 ? chunk : int(unsigned(chunk) / unsigned(shape.rows));
        const int t = chunk - lane * shape.rows, skipped = t == 0 ? (shape.rows | 1) - shape.rows : 0;
        joint = has_joint ? line_here * shape.pitch + lane * (shape.rows | 1) + t : 0;
        joint_before = has_joint && chunk > 0 ? joint - 1 - skipped : 0;
    }
};

/* The rows of a thread. All loads are issued before the first is used: that many bytes are in flight. */
template <int Columns, Order order> class Tile
{
  public:
    __device__ __forceinline__ Tile(const starfish_batch &batch, const Place &place) : b(batch)
    {
        const size_t at = place.line * b.coefficients.line + place.first * b.coefficients.row;
        load(lower, static_cast<const real *>(b.lower) + at, b.coefficients.row, place.count);
        load(diag, static_cast<const real *>(b.diag) + at, b.coefficients.row, place.count);
        load(upper, static_cast<const real *>(b.upper) + at, b.coefficients.row, place.count);
#pragma unroll
        for (int q = 0; q < Columns; q++)
            load(
                rhs[q],
                static_cast<const real *>(b.input) + place.first * b.vectors.row +
                    batch_column_offset(&b, place.line, place.column + q < b.columns ? place.column + q : place.column),
                b.vectors.row, place.count);
        shift = b.shift && place.count > 0 ? static_cast<const real *>(b.shift)[place.line] : real(0);
    }

    /* Row i of a thread that has ROWS of them. What leads out of a line may be anything and counts as zero. */
    __device__ __forceinline__ batch_row row_of_full(const Place &place, int i) const
    {
        batch_row row = {lower[i], diag[i] + shift, upper[i]};
        if (i == 0 && place.first == 0)
            row = close_end(place, 0, row);
        if (i == ROWS - 1 && place.first + ROWS == b.n)
            row = close_end(place, i, row);
        return row;
    }

    /* Row i of any thread. Rows beyond the end of a line are x = 0, which couples to nothing. */
    __device__ __forceinline__ batch_row row_of_any(const Place &place, int i) const
    {
        const batch_row row = {lower[i], diag[i] + shift, upper[i]};
        if (i >= place.count)
            return {real(0), real(1), real(0)};
        return place.first + i == 0 || place.first + i + 1 == b.n ? close_end(place, i, row) : row;
    }

    real rhs[Columns][ROWS]; /* zero beyond the end */

  private:
    __device__ __forceinline__ static void load(real (&values)[ROWS], const real *from, size_t stride, int count)
    {
        if (order == ADJACENT_WORDS && count == ROWS) {
            const Words *words = reinterpret_cast<const Words *>(from);
#pragma unroll
            for (int w = 0; w < ROWS / WORD; w++) {
                const Words word = words[w];
#pragma unroll
                for (int p = 0; p < WORD; p++)
                    values[w * WORD + p] = word.part[p];
            }
        } else if (count == ROWS) {
#pragma unroll
            for (int i = 0; i < ROWS; i++, from += stride)
                values[i] = *from;
        } else {
#pragma unroll
            for (int i = 0; i < ROWS; i++, from += stride)
                values[i] = i < count ? *from : real(0);
        }
    }
    __device__ __forceinline__ batch_row close_end(const Place &place, int i, batch_row row) const
    {
        if (b.periodic)
            return batch_end_row(&b, place.line, place.first + i, row);
        row.lower = place.first + i == 0 ? real(0) : row.lower;
        row.upper = place.first + i + 1 == b.n ? real(0) : row.upper;
        return row;
    }

    struct alignas(16) Words {
        real part[WORD];
    };
    const starfish_batch &b;
    real lower[ROWS], diag[ROWS], upper[ROWS], shift;
};

/* The elements from .. from + total - 1 of an array, in the order of the warp's threads; total < 0 when they are not. */
struct Run {
    size_t from;
    int total;

    __device__ __forceinline__ Run(size_t offset, int count)
    {
        const unsigned all = 0xffffffffu;
        const int lane = threadIdx.x % WARP;
        from = __shfl_sync(all, static_cast<unsigned long long>(offset), 0);
        total = int(__reduce_max_sync(all, unsigned(count > 0 ? lane * ROWS + count : 0)));
        if (!__all_sync(all, count == 0 || offset == from + size_t(lane) * ROWS))
            total = -1;
    }
};

/* Solutions from registers to memory. Threads on neighbouring rows pass them through shared memory, so that the warp
 * writes whole sectors; the rotation by two keeps both sides free of bank conflicts. */
template <Order order>
__device__ __forceinline__ void store_rows(const real (&values)[ROWS], real *output, size_t offset, size_t stride,
                                           int count, real *of_warp)
{
    const int lane = threadIdx.x % WARP;

    if (order != SIDE_BY_SIDE && stride == 1) {
        const Run run(offset, count);
        if (run.total >= 0) {
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                of_warp[i * WARP + (lane + 2 * i) % WARP] = values[i];
            __syncwarp();
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const int part = lane % ROWS, owner = lane / ROWS + i * (WARP / ROWS);
                if (i * WARP + lane < run.total)
                    output[run.from + i * WARP + lane] = of_warp[part * WARP + (owner + 2 * part) % WARP];
            }
            __syncwarp();
            return;
        }
    }
    real *to = output + offset;
#pragma unroll
    for (int i = 0; i < ROWS; i++, to += stride)
        if (i < count)
            *to = values[i];
}

/* The joints of a block's lines in shared memory, one array per member; a lane's joints are `rows` adjacent ones, and
 * an odd distance between lanes keeps them in different banks. */
template <int Columns> struct SharedJoints {
    real *a, *b, *u, *e, *c, *r[Columns], *d[Columns];

    __device__ __forceinline__ SharedJoints(void *memory, int count)
    {
        real *next = static_cast<real *>(memory);
        real **const members[] = {&a, &b, &u, &e, &c};
        for (real **member : members) {
            *member = next;
            next += count;
        }
        for (int q = 0; q < Columns; q++) {
            r[q] = next + 2 * q * count;
            d[q] = next + (2 * q + 1) * count;
        }
    }
    /* Joint t of the lane that begins there. */
    __device__ __forceinline__ static int at(const Shape &shape, int line, int lane)
    {
        return line * shape.pitch + lane * (shape.rows | 1);
    }
    __device__ __forceinline__ void put(int i, const Joint<Columns> &joint) const
    {
        a[i] = joint.a;
        b[i] = joint.b;
        u[i] = joint.u;
        e[i] = joint.first_e;
        c[i] = joint.first_c;
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            r[q][i] = joint.r[q];
            d[q][i] = joint.first_d[q];
        }
    }
    __device__ __forceinline__ Joint<Columns> get(int i) const
    {
        Joint<Columns> joint;
        joint.a = a[i];
        joint.b = b[i];
        joint.u = u[i];
        joint.first_e = e[i];
        joint.first_c = c[i];
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            joint.r[q] = r[q][i];
            joint.first_d[q] = d[q][i];
        }
        return joint;
    }
    /* The separator's row of joint i; `next` is the joint after it, -1 when there is none. */
    __device__ __forceinline__ Reduced<Columns> row(int i, int next) const
    {
        Joint<Columns> own;
        real next_d[Columns];
        own.a = a[i];
        own.b = b[i];
        own.u = u[i];
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            own.r[q] = r[q][i];
            next_d[q] = next < 0 ? real(0) : d[q][next];
        }
        return join<Columns>(own, next < 0 ? real(0) : e[next], next < 0 ? real(0) : c[next], next_d);
    }
};

/* PCR of one row per lane, `width` lanes a system. */
template <int Columns> __device__ __forceinline__ void reduce_lanes(Reduced<Columns> &row, int lane, int width)
{
    const unsigned all = 0xffffffffu;
    real scale = reciprocal(row.b), a = row.a * scale, c = row.c * scale, r[Columns];

#pragma unroll
    for (int q = 0; q < Columns; q++)
        r[q] = row.r[q] * scale;
    for (int s = 1; s < width; s *= 2) {
        const bool has_before = lane >= s, has_after = lane + s < width;
        real before_a = __shfl_up_sync(all, a, s, width), before_c = __shfl_up_sync(all, c, s, width);
        real after_a = __shfl_down_sync(all, a, s, width), after_c = __shfl_down_sync(all, c, s, width);
        const real left = has_before ? a : real(0), right = has_after ? c : real(0);
        scale = reciprocal(real(1) - left * before_c - right * after_a);
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            const real before_r = __shfl_up_sync(all, r[q], s, width), after_r = __shfl_down_sync(all, r[q], s, width);
            r[q] = scale * (r[q] - left * before_r - right * after_r);
        }
        a = -scale * left * before_a;
        c = -scale * right * after_c;
    }
#pragma unroll
    for (int q = 0; q < Columns; q++)
        row.r[q] = r[q];
}

/* The lane's row of the lanes' system. */
template <int Columns>
__device__ __forceinline__ Reduced<Columns> join_lanes(const Joint<Columns> &joint, bool has_next, int width)
{
    const unsigned all = 0xffffffffu;
    real next_e = __shfl_down_sync(all, joint.first_e, 1, width);
    real next_c = __shfl_down_sync(all, joint.first_c, 1, width), next_d[Columns];

    next_e = has_next ? next_e : real(0);
    next_c = has_next ? next_c : real(0);
#pragma unroll
    for (int q = 0; q < Columns; q++) {
        next_d[q] = __shfl_down_sync(all, joint.first_d[q], 1, width);
        next_d[q] = has_next ? next_d[q] : real(0);
    }
    return join<Columns>(joint, next_e, next_c, next_d);
}

/* One line's joints by `lanes` lanes, each with `rows` of them, eliminated as in batch_chunk.cuh but in shared memory:
 * r becomes the separators. All lanes of the warp come here; `line` may be beyond the block's last. */
template <int Columns>
__device__ __forceinline__ void solve_joints(const SharedJoints<Columns> &shared, const Shape &shape, int line,
                                             int lane)
{
    const int rows = min(shape.rows, shape.chunks - lane * shape.rows); /* of this lane, 0 or less for none */
    const int first = shared.at(shape, line, lane), next_lane = first + (shape.rows | 1);
    const bool here = line < shape.lines, is_last = (lane + 1) * shape.rows >= shape.chunks;
    real above_c = 0, above_e = -1, above_d[Columns] = {};
    Joint<Columns> joint;

    /* Rows that are not there: y = 0. */
    joint.a = joint.u = joint.first_e = 0;
    joint.b = 1;
    joint.first_c = -1;
#pragma unroll
    for (int q = 0; q < Columns; q++)
        joint.r[q] = joint.first_d[q] = 0;
    for (int t = 0; t < rows && here; t++) {
        const int i = first + t;
        const bool last = t + 1 == rows;
        const Reduced<Columns> row = shared.row(i, !last ? i + 1 : is_last ? -1 : next_lane);
        const real pivot = row.b - row.a * above_c, scale = last ? real(1) : reciprocal(pivot);
        joint.a = -row.a * above_e;
        joint.b = pivot;
        joint.u = row.c;
        shared.a[i] = above_e = joint.a * scale;
        shared.b[i] = above_c = row.c * scale;
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            joint.r[q] = row.r[q] - row.a * above_d[q];
            shared.r[q][i] = above_d[q] = joint.r[q] * scale;
        }
    }
    for (int i = first + rows - 2; i >= first && here; i--) {
        const real c = shared.b[i];
        joint.first_e = shared.a[i] - c * joint.first_e;
        joint.first_c = -c * joint.first_c;
#pragma unroll
        for (int q = 0; q < Columns; q++)
            joint.first_d[q] = shared.r[q][i] - c * joint.first_d[q];
    }
    Reduced<Columns> row = join_lanes<Columns>(joint, lane + 1 < shape.lanes, shape.lanes);
    reduce_lanes<Columns>(row, lane, shape.lanes);
#pragma unroll
    for (int q = 0; q < Columns; q++) {
        real before = __shfl_up_sync(0xffffffffu, row.r[q], 1, shape.lanes), x = row.r[q];
        before = lane > 0 ? before : real(0);
        if (here && rows > 0)
            shared.r[q][first + rows - 1] = x;
        for (int i = first + rows - 2; i >= first && here; i--) {
            shared.r[q][i] = x = shared.r[q][i] - shared.a[i] * before - shared.b[i] * x;
        }
    }
}

template <int Columns>
__device__ __forceinline__ void solve_all_joints(const SharedJoints<Columns> &shared, const Shape &shape)
{
    const int warps = (blockDim.x + WARP - 1) / WARP, per_warp = WARP / shape.lanes, lane = threadIdx.x % WARP;

    for (int line = threadIdx.x / WARP * per_warp; line < shape.lines; line += warps * per_warp)
        solve_joints<Columns>(shared, shape, line + lane / shape.lanes, lane % shape.lanes);
}

/* A segment whose separators, its own last unknown and the one before its first, are known. */
template <int Columns>
__device__ __forceinline__ void read_separators(const starfish_batch &b, const Shape &shape, const Place &place,
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

/* Load and eliminate a thread's rows and hand on their joint. */
template <int Columns, Order order>
__device__ __forceinline__ void eliminate(const Shape &shape, const Place &place, const starfish_batch &b,
                                          const real *separators, Chunk<ROWS, Columns> &chunk, Joint<Columns> &joint)
{
    const Tile<Columns, order> tile(b, place);
    real before[Columns] = {}, own[Columns] = {};
    const bool segment_given = separators && place.count > 0;

    if (segment_given)
        read_separators<Columns>(b, shape, place, separators, before, own);
    const bool known = segment_given && place.chunk == 0;
    if (place.count == ROWS)
        chunk.eliminate([&](int i) { return tile.row_of_full(place, i); }, tile.rhs, known, before, joint);
    else
        chunk.eliminate([&](int i) { return tile.row_of_any(place, i); }, tile.rhs, known, before, joint);
    if (segment_given && place.chunk + 1 == shape.chunks && place.segment + 1 < shape.segments) {
        joint.a = joint.u = 0;
        joint.b = 1;
#pragma unroll
        for (int q = 0; q < Columns; q++)
            joint.r[q] = own[q];
    }
}

template <int Columns, Order order>
__device__ __forceinline__ void finish(const starfish_batch &b, const Shape &shape, const Place &place,
                                       const SharedJoints<Columns> &shared, real *of_warp, Chunk<ROWS, Columns> &chunk)
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
__global__ void __launch_bounds__(order == SIDE_BY_SIDE ? SIDE_BY_SIDE_THREADS : ADJACENT_THREADS,
                                  order == SIDE_BY_SIDE || Columns > 1 ? 1 : 2)
    solve_tiles(const __grid_constant__ starfish_batch b, const __grid_constant__ Shape shape, const real *separators)
{
    extern __shared__ double2 memory[];
    real *of_warp = reinterpret_cast<real *>(memory) + threadIdx.x / WARP * WARP * ROWS;
    const SharedJoints<Columns> shared(reinterpret_cast<real *>(memory) +
                                           (order == SIDE_BY_SIDE ? 0 : shape.threads * ROWS),
                                       shape.lines * shape.pitch);
    const Place place(b, shape, Columns);
    Chunk<ROWS, Columns> chunk;
    Joint<Columns> joint;

    eliminate<Columns, order>(shape, place, b, separators, chunk, joint);
    if (threadIdx.x < shape.chunks * shape.lines)
        shared.put(place.joint, joint);
    __syncthreads();
    solve_all_joints<Columns>(shared, shape);
    __syncthreads();
    finish<Columns, order>(b, shape, place, shared, of_warp, chunk);
}

/* ---- Lines over several blocks -------------------------------------------------------------------------------- */

/* The joints of all segments, in global memory: member m of segment s of line l at [m][l * segments + s], the members of
 * the columns, r and D, after the others as [column][r, D]. */
enum { JOINT_A, JOINT_B, JOINT_U, JOINT_E, JOINT_C, JOINT_MEMBERS };

template <int Columns>
__device__ __forceinline__ Joint<Columns> joint_of_lane(const Joint<Columns> &joint, int distance)
{
    const unsigned all = 0xffffffffu;
    Joint<Columns> other;

    other.a = __shfl_down_sync(all, joint.a, distance);
    other.b = __shfl_down_sync(all, joint.b, distance);
    other.u = __shfl_down_sync(all, joint.u, distance);
    other.first_e = __shfl_down_sync(all, joint.first_e, distance);
    other.first_c = __shfl_down_sync(all, joint.first_c, distance);
#pragma unroll
    for (int q = 0; q < Columns; q++) {
        other.r[q] = __shfl_down_sync(all, joint.r[q], distance);
        other.first_d[q] = __shfl_down_sync(all, joint.first_d[q], distance);
    }
    return other;
}

template <int Columns>
__device__ __forceinline__ void store_joint(const starfish_batch &b, const Shape &shape, size_t line,
                                            const Place &place, const Joint<Columns> &joint, real *joints)
{
    const size_t member = b.lines * shape.segments, at = line * shape.segments + place.segment;

    if (place.column == 0) {
        joints[JOINT_A * member + at] = joint.a;
        joints[JOINT_B * member + at] = joint.b;
        joints[JOINT_U * member + at] = joint.u;
        joints[JOINT_E * member + at] = joint.first_e;
        joints[JOINT_C * member + at] = joint.first_c;
    }
#pragma unroll
    for (int q = 0; q < Columns; q++)
        if (place.column + q < b.columns) {
            joints[(JOINT_MEMBERS + 2 * (place.column + q)) * member + at] = joint.r[q];
            joints[(JOINT_MEMBERS + 2 * (place.column + q) + 1) * member + at] = joint.first_d[q];
        }
}

/* All joints of each line of a segment merged into one, by a warp per line; WARP * rows = chunks. */
template <int Columns>
__device__ __forceinline__ void merge_joints(const starfish_batch &b, const Shape &shape, const Place &place,
                                             const SharedJoints<Columns> &shared, real *joints)
{
    const int lane = threadIdx.x % WARP;
    const size_t first_line = place.line - place.line_here;

    for (int line = threadIdx.x / WARP; line < shape.lines && first_line + line < b.lines; line += blockDim.x / WARP) {
        const int first = shared.at(shape, line, lane);
        Joint<Columns> joint = shared.get(first);
        for (int t = 1; t < shape.rows; t++)
            joint = merge<Columns>(joint, shared.get(first + t));
        for (int s = 1; s < WARP; s *= 2)
            joint = merge<Columns>(joint, joint_of_lane<Columns>(joint, s)); /* of use in lanes that 2 s divides */
        if (lane == 0)
            store_joint<Columns>(b, shape, first_line + line, place, joint, joints);
    }
}

template <int Columns, Order order>
__global__ void __launch_bounds__(order == SIDE_BY_SIDE ? SIDE_BY_SIDE_THREADS : ADJACENT_THREADS,
                                  order == SIDE_BY_SIDE || Columns > 1 ? 1 : 2)
    reduce_segments(const __grid_constant__ starfish_batch b, const __grid_constant__ Shape shape, real *joints)
{
    extern __shared__ double2 memory[];
    const SharedJoints<Columns> shared(memory, shape.lines * shape.pitch);
    const Place place(b, shape, Columns);
    Chunk<ROWS, Columns> chunk;
    Joint<Columns> joint;

    eliminate<Columns, order>(shape, place, b, NULL, chunk, joint);
    shared.put(place.joint, joint);
    __syncthreads();
    merge_joints<Columns>(b, shape, place, shared, joints);
}

/* The separators' rows from the joints: lower, diag, upper and the right-hand sides, each [line][segment]. */
__global__ void __launch_bounds__(THREADS)
    join_segments(const real *joints, real *rows, size_t lines, size_t segments, size_t columns)
{
    const size_t member = lines * segments;

    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < member; i += size_t(gridDim.x) * THREADS) {
        const bool last = (i + 1) % segments == 0;
        const real u = last ? real(0) : joints[JOINT_U * member + i];
        const size_t next = last ? i : i + 1;
        rows[i] = joints[JOINT_A * member + i];
        rows[member + i] = joints[JOINT_B * member + i] - u * joints[JOINT_E * member + next];
        rows[2 * member + i] = -u * joints[JOINT_C * member + next];
        for (size_t q = 0; q < columns; q++) {
            const real *of_column = joints + (JOINT_MEMBERS + 2 * q) * member;
            rows[(3 + q) * member + i] = of_column[i] - u * of_column[member + next];
        }
    }
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

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

Shape shape_of(const starfish_batch &b)
{
    const size_t chunks = (b.n + ROWS - 1) / ROWS;
    Shape shape = {};

    const bool side_by_side = b.lines > 1 && b.vectors.row > b.vectors.line;
    const size_t most = side_by_side ? size_t(SIDE_BY_SIDE_CHUNKS) : size_t(ADJACENT_THREADS);
    const size_t cut = side_by_side ? size_t(SIDE_BY_SIDE_THREADS) / ROWS : size_t(ADJACENT_THREADS);
    shape.chunks = int(chunks <= most ? chunks : cut);
    shape.segments = (chunks + shape.chunks - 1) / shape.chunks;
    shape.lines = power_of_two_to((side_by_side ? SIDE_BY_SIDE_THREADS : ADJACENT_THREADS) / shape.chunks);
    while (shape.lines > 1 && size_t(shape.lines) / 2 >= b.lines)
        shape.lines /= 2;
    shape.threads = (shape.chunks * shape.lines + WARP - 1) / WARP * WARP;
    shape.lanes = shape.chunks < WARP ? power_of_two_from(shape.chunks) : int(WARP);
    shape.rows = (shape.chunks + shape.lanes - 1) / shape.lanes;
    shape.pitch = shape.rows == 1 ? shape.lanes : shape.lanes * (shape.rows | 1);
    if (side_by_side) /* neighbouring threads' joints in different banks */
        shape.pitch = shape.lines >= BANKS ? shape.pitch | 1 : next_congruent(shape.pitch, BANKS / shape.lines);
    shape.groups = unsigned((b.lines + shape.lines - 1) / shape.lines);
    shape.order = side_by_side ? SIDE_BY_SIDE : ADJACENT;
    if (!side_by_side && packed(b.coefficients, 0, {b.lower, b.diag, b.upper}) && b.components == 1 &&
        packed(b.vectors, b.columns > 1 ? b.column : 0, {b.input, b.output, b.output}))
        shape.order = ADJACENT_WORDS;
    return shape;
}

size_t shared_bytes(const Shape &shape, int columns)
{
    const size_t staged = shape.order == SIDE_BY_SIDE ? 0 : size_t(shape.threads) * ROWS * sizeof(real);

    return staged + size_t(5 + 2 * columns) * shape.lines * shape.pitch * sizeof(real);
}

template <typename Kernel, typename Pointer>
int launch(Kernel *kernel, const starfish_batch &b, const Shape &shape, Pointer last, cudaStream_t stream)
{
    const size_t bytes = shared_bytes(shape, b.columns == 1 ? 1 : 2);
    const cudaError_t status = starfish_batch_allow_shared(kernel, bytes);

    if (status != cudaSuccess)
        return status;
    const dim3 grid(unsigned(shape.groups * shape.segments), unsigned(b.columns == 1 ? 1 : (b.columns + 1) / 2));
    kernel<<<grid, shape.threads, bytes, stream>>>(b, shape, last);
    return cudaGetLastError();
}

int launch_solve(const starfish_batch &b, const Shape &shape, const real *separators, cudaStream_t stream)
{
    static decltype(&solve_tiles<1, ADJACENT>) const kernels[2][3] = {
        {solve_tiles<1, SIDE_BY_SIDE>, solve_tiles<1, ADJACENT>, solve_tiles<1, ADJACENT_WORDS>},
        {solve_tiles<2, SIDE_BY_SIDE>, solve_tiles<2, ADJACENT>, solve_tiles<2, ADJACENT_WORDS>}};

    return launch(kernels[b.columns > 1][shape.order], b, shape, separators, stream);
}

int launch_reduce(const starfish_batch &b, const Shape &shape, real *joints, cudaStream_t stream)
{
    static decltype(&reduce_segments<1, ADJACENT>) const kernels[2][3] = {
        {reduce_segments<1, SIDE_BY_SIDE>, reduce_segments<1, ADJACENT>, reduce_segments<1, ADJACENT_WORDS>},
        {reduce_segments<2, SIDE_BY_SIDE>, reduce_segments<2, ADJACENT>, reduce_segments<2, ADJACENT_WORDS>}};

    return launch(kernels[b.columns > 1][shape.order], b, shape, joints, stream);
}

/* The separators' system of segmented lines. */
starfish_batch separators_of(const starfish_batch &b, const Shape &shape, real *rows, void *workspace)
{
    const size_t member = b.lines * shape.segments;
    starfish_batch reduced = {};

    reduced.n = shape.segments;
    reduced.lines = b.lines;
    reduced.columns = b.columns;
    reduced.components = 1;
    reduced.coefficients = reduced.vectors = {1, shape.segments};
    reduced.column = member;
    reduced.lower = rows;
    reduced.diag = rows + member;
    reduced.upper = rows + 2 * member;
    reduced.input = reduced.output = rows + 3 * member;
    reduced.workspace = workspace;
    return reduced;
}

int solve_in_segments(const starfish_batch &b, const Shape &shape, cudaStream_t stream)
{
    const size_t member = b.lines * shape.segments;
    real *joints = static_cast<real *>(b.workspace), *rows = joints + (JOINT_MEMBERS + 2 * b.columns) * member;
    const starfish_batch reduced = separators_of(b, shape, rows, rows + (3 + b.columns) * member);
    int status = launch_reduce(b, shape, joints, stream);

    if (status == cudaSuccess) {
        const size_t blocks = (member + THREADS - 1) / THREADS;
        join_segments<<<unsigned(blocks < 65536 ? blocks : 65536), THREADS, 0, stream>>>(joints, rows, b.lines,
                                                                                         shape.segments, b.columns);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess)
        status = REAL_NAME(starfish_batch_tiled_cuda)(&reduced, stream);
    if (status == cudaSuccess)
        status = launch_solve(b, shape, static_cast<const real *>(reduced.output), stream);
    return status;
}

} // namespace

extern "C" size_t REAL_NAME(starfish_batch_tiled_workspace)(const starfish_batch *batch)
{
    const Shape shape = shape_of(*batch);
    const size_t member = batch->lines * shape.segments;

    if (shape.segments == 1)
        return 0;
    const starfish_batch reduced = separators_of(*batch, shape, NULL, NULL);
    return (JOINT_MEMBERS + 3 + 3 * batch->columns) * member * sizeof(real) +
           REAL_NAME(starfish_batch_tiled_workspace)(&reduced);
}

extern "C" int REAL_NAME(starfish_batch_tiled_cuda)(const starfish_batch *batch, cudaStream_t stream)
{
    const Shape shape = shape_of(*batch);

    return shape.segments == 1 ? launch_solve(*batch, shape, NULL, stream) : solve_in_segments(*batch, shape, stream);
}
