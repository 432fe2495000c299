/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unknowns of a slab, on CUDA: one read and one write of memory.
 *
 * Floor: 2 reals per unknown, 16 bytes in f64: 512 planes of 512 x 512 lanes are 2.15 GB, 0.51 ms at 4.2 TB/s.
 *
 * A lane is cut into chunks of at most ROWS rows, and a chunk is a slab of its own, held by one thread in registers:
 *   1. load the chunk, all loads in flight at once; eliminate it up to its last row, the pivots going to shared memory;
 *   2. a group of threads of one warp per lane solves the system of the chunks' separators by parallel cyclic
 *      reduction through shuffles (periodic lines: the last separator apart, with a second right-hand side);
 *   3. with the separators before and of its own chunk, every thread does Thomas with the pivots kept, and stores.
 * A block of threads holds some neighbouring lanes whole, so every access is of a run of that many reals. The longer
 * the lanes, the fewer fit: runs of 64 bytes move 2.9 TB/s at most, of 128 bytes 3.6, of 256 bytes 3.9. Hence chunks
 * grow with the lanes, and blocks at last, to 512 threads: 1024 x 1024 lanes of 1024 f64 7.61 to 6.53 ms. Chunks of 32
 * reals of f64 leave room for two blocks of a multiprocessor or one of 512 threads, which cannot hide the time between
 * load and store, so that each block also fetches to the second-level cache what one soon to start needs.
 *
 * Measured on an H200, 512 x 512 lanes of f64, whole lines (slabs with known separators) as a fraction of a device copy
 * of as many bytes: 32 planes 0.92 (0.79), 128 planes 0.95 (0.84), 256 planes 0.89 (0.78), 512 planes 0.74 (0.71),
 * which is 0.69 (0.71) ms, 1000 planes 0.52 (0.51); f32 0.78 (0.73) at 128 planes, 0.70 (0.67) at 512. Without fetching
 * ahead 512 planes take 0.79 ms, as they do with chunks of 16. Tried and slower: pivots in registers (0.87 at 128
 * planes), 512 threads to a block (0.77 ms), lanes shared out among the blocks of a cluster (0.93 ms at 512
 * planes). Neither better nor worse: known neighbours handed down through the padding (5 % slower at 128 and 256 planes
 * of f64, up to 4 % faster at 1000 planes and in f32).
 *
 * Rows that are missing to full chunks are put before the first row, where they are 1e30 u = 0 and alone. Lanes too
 * long for 32 chunks are solved by Thomas, one thread each (thomas_line.cuh). */
#include "tridiag/kernels/shifted_chunks.cuh"
#include "tridiag/kernels/thomas_line.cuh"

#include "base/cuda_entries.h"
#include "krylov/kernels/shared_memory.cuh"

namespace starfish_slab
{
namespace
{

/* ---- A block of lanes -------------------------------------------------------------------------------------------- */

/* Into the second-level cache, the lanes of another block; where these are runs of 64 bytes, every other block fetches
 * those of two, since memory gives runs of 128 bytes faster. */
template <typename Real> __device__ inline void fetch_ahead(const Real *data, const Cut &cut)
{
    enum { LINE = 64 };
    const int two = cut.width * static_cast<int>(sizeof(Real)) <= LINE, width = cut.width << two;
    const size_t lane = size_t(blockIdx.x + (two ? cut.ahead & ~1 : cut.ahead)) * cut.width;
    const int lines = (width * static_cast<int>(sizeof(Real)) + LINE - 1) / LINE;

    if (lane + width > cut.lanes || (two && blockIdx.x % 2 == 1))
        return;
    for (int i = threadIdx.x; i < cut.n * lines; i += blockDim.x) {
        const int k = i / lines;
        const Real *row = data + lane + size_t(k) * cut.plane;
        asm volatile("prefetch.global.L2 [%0];" ::"l"(reinterpret_cast<const char *>(row) + (i - k * lines) * LINE));
    }
}

/* A lane's real in an array that is cut into parts; zero without the array. */
template <typename Real>
__device__ inline Real part_value(const void *const *parts, const starfish_slab_lines &lines, unsigned lane)
{
    if (!parts[0])
        return Real(0);
    const Place place = place_of(lines, lane);
    return static_cast<const Real *>(parts[place.part])[place.index];
}

/* So many blocks share a multiprocessor. One or two do not hide the time between load and store, so that they fetch
 * ahead. */
template <int BLOCKS> struct Sharing {
    static constexpr int THREADS = BLOCKS == 1 ? 2 * MOST_THREADS : MOST_THREADS;
    static constexpr bool FETCHES_AHEAD = BLOCKS <= 2;
};

template <typename Real, int ROWS, bool PERIODIC, bool SUMS, int BLOCKS, bool WEIGHED>
__global__ void __launch_bounds__(Sharing<BLOCKS>::THREADS, BLOCKS)
    solve_chunks(const __grid_constant__ starfish_slab_solve arguments, const __grid_constant__ Cut cut)
{
    extern __shared__ __align__(16) unsigned char memory[];
    typedef Operator<Real, ROWS> Rows;
    Real *weights = reinterpret_cast<Real *>(memory), *shared = weights + weights_size<Real, ROWS, WEIGHED>(cut);
    Rows rows(shared, cut);
    const Exchange<Real> exchange(shared + Rows::size(cut), cut);
    const starfish_slab_lines &lines = arguments.lines;
    const int column = threadIdx.x % cut.width, c = threadIdx.x / cut.width;
    const unsigned lane = blockIdx.x * cut.width + column;
    const bool works = c < cut.chunks && lane < cut.lanes, top = works && c == 0, bottom = works && c + 1 == cut.chunks;
    const int first = top ? cut.padding : works ? 0 : ROWS, at = works ? c * Rows::PITCH : 0;
    const size_t problem = blockIdx.y * arguments.distance;
    const ptrdiff_t offset = (ptrdiff_t(c) * ROWS - cut.padding) * ptrdiff_t(cut.plane) + ptrdiff_t(problem + lane);
    const Real *data = static_cast<const Real *>(arguments.data) + offset;
    Chunk<Real, ROWS> chunk;

    /* Pivots of the first MOST_THREADS threads, behind them those of the others. */
    chunk.prepare(rows, at,
                  shared + Rows::size(cut) + Exchange<Real>::size(cut) +
                      threadIdx.x / MOST_THREADS * (ROWS - 1) * MOST_THREADS);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        chunk.f[i] = i >= first ? data[size_t(i) * cut.plane] : Real(0);
    auto shift = shift_of_lane<Real, WEIGHED>(lines, works ? lane : 0);
    const Real separator = bottom ? part_value<Real>(arguments.own, lines, lane) : Real(0);
    const Real before = top ? part_value<Real>(arguments.before, lines, lane) : Real(0);
    if constexpr (Sharing<BLOCKS>::FETCHES_AHEAD)
        fetch_ahead(static_cast<const Real *>(arguments.data) + problem, cut);
    rows.template load<SUMS>(static_cast<const Real *>(lines.lower), static_cast<const Real *>(lines.diag),
                             static_cast<const Real *>(lines.upper), cut, PERIODIC);
    if constexpr (WEIGHED) {
        load_weights<Real, ROWS>(weights, lines.weight, cut);
        shift.weight = weights;
    }
    __syncthreads();
    /* Not before the barrier, at which all would then wait for these threads' loads. */
    if (bottom && arguments.own[0] && cut.n > 0)
        chunk.f[ROWS - 1] -= __ldg(static_cast<const Real *>(lines.upper) + cut.n - 1) * separator;
    if (!PERIODIC && top && arguments.before[0]) {
        const Real outside = __ldg(static_cast<const Real *>(lines.lower)) * before;
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            if (i == first)
                chunk.f[i] -= outside;
    }
    const Eliminated<Real> last = eliminate<Real, ROWS, PERIODIC, SUMS>(chunk, rows, at, shift, first);
    if (c < cut.chunks)
        exchange.put(c, column, last);
    __syncthreads();
    solve_separators<Real, PERIODIC, Rows::PITCH, SUMS>(exchange, cut, rows.upper, arguments.pinned_lane);
    __syncthreads();
    if (!works)
        return;
    const int neighbour = c > 0 ? c - 1 : cut.chunks - 1;
    substitute<Real, ROWS, PERIODIC>(chunk, rows, at, first,
                                     c > 0 || PERIODIC ? exchange.rhs[exchange.at(neighbour, column)] : Real(0),
                                     exchange.rhs[exchange.at(c, column)]);
    Real *out = static_cast<Real *>(arguments.out) + offset;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        if (i >= first)
            out[size_t(i) * cut.plane] = chunk.f[i];
    if (bottom && arguments.own[0])
        out[size_t(ROWS) * cut.plane] = separator;
}

template <typename Real, int ROWS, int BLOCKS> Cut cut_for(const starfish_slab_solve &arguments, size_t n)
{
    Cut cut = cut_lanes(n, arguments.lines.inner * arguments.lines.outer, ROWS, 32 / sizeof(Real));
    cut.plane = static_cast<unsigned>(arguments.lines.plane);
    cut.width *= Sharing<BLOCKS>::THREADS / MOST_THREADS;
    cut.threads *= Sharing<BLOCKS>::THREADS / MOST_THREADS;
    return cut;
}

template <typename Real, int ROWS, int BLOCKS, bool WEIGHED = false> size_t shared_bytes(const Cut &cut)
{
    return (weights_size<Real, ROWS, WEIGHED>(cut) + Operator<Real, ROWS>::size(cut) + Exchange<Real>::size(cut) +
            size_t(ROWS) * Sharing<BLOCKS>::THREADS) *
           sizeof(Real);
}

template <typename Real, int ROWS, bool PERIODIC, bool SUMS, int BLOCKS, bool WEIGHED = false>
int launch_chunks(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    auto kernel = solve_chunks<Real, ROWS, PERIODIC, SUMS, BLOCKS, WEIGHED>;
    Cut cut = cut_for<Real, ROWS, BLOCKS>(arguments, n);
    const dim3 blocks((cut.lanes + cut.width - 1) / cut.width, unsigned(starfish_slab_problems(&arguments)));
    const int bytes = static_cast<int>(shared_bytes<Real, ROWS, BLOCKS, WEIGHED>(cut));
    int error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

    if (!error && Sharing<BLOCKS>::FETCHES_AHEAD)
        error = blocks_ahead(cut.ahead);
    if (error)
        return error;
    kernel<<<blocks, cut.threads, bytes, stream>>>(arguments, cut);
    return cudaGetLastError();
}

/* ---- Lanes too long for that ------------------------------------------------------------------------------------- */

/* A lane as thomas_line.cuh wants it, with the known neighbours in its right-hand side. */
template <typename Real> struct LongLane {
    typedef Real Element;
    const Real *data;
    Real *out;
    size_t rows, plane;
    Real first_change, last_change;

    __device__ size_t n() const { return rows; }
    __device__ int tiles() const { return 1; }
    __device__ size_t first(int t) const { return t > 0 ? rows : 0; }
    __device__ int last_tile() const { return 0; }
    __device__ Real load(int, size_t k) const
    {
        return data[k * plane] - (k == 0 ? first_change : Real(0)) - (k + 1 == rows ? last_change : Real(0));
    }
    __device__ void store(int, size_t k, Real, Real x) const { out[k * plane] = x; }
};

template <typename Real, bool PERIODIC, bool SUMS, bool WEIGHED>
__global__ void __launch_bounds__(starfish_tridiag::THREADS)
    solve_long(const __grid_constant__ starfish_slab_solve arguments, size_t n)
{
    const starfish_slab_lines &lines = arguments.lines;
    const starfish_tridiag_operator line = {n, PERIODIC, lines.lower, lines.diag, lines.upper, STARFISH_TRIDIAG_REAL};
    const size_t lanes = lines.inner * lines.outer;
    const unsigned lane = blockIdx.x * starfish_tridiag::THREADS + threadIdx.x;

    if (lane >= lanes)
        return;
    const Real own = part_value<Real>(arguments.own, lines, lane);
    const LongLane<Real> all = {static_cast<const Real *>(arguments.data) + lane,
                                static_cast<Real *>(arguments.out) + lane,
                                n,
                                lines.plane,
                                arguments.before[0] ? *static_cast<const Real *>(lines.lower) *
                                                          part_value<Real>(arguments.before, lines, lane)
                                                    : Real(0),
                                arguments.own[0] ? static_cast<const Real *>(lines.upper)[n - 1] * own : Real(0)};
    const bool pinned = arguments.pinned_lane >= 0 && size_t(arguments.pinned_lane) == lane;
    starfish_tridiag::solve_line<Real, PERIODIC, SUMS>(line, shift_of_lane<Real, WEIGHED>(lines, lane), pinned, all,
                                                       static_cast<Real *>(arguments.workspace) + lane, lanes);
    if (arguments.own[0])
        all.out[n * lines.plane] = own;
}

/* One problem after the other, in the same work space: each alone fills a GPU where lanes are that long. */
template <typename Real, bool PERIODIC, bool SUMS, bool WEIGHED = false>
int launch_long(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    const size_t lanes = arguments.lines.inner * arguments.lines.outer;
    const size_t blocks = (lanes + starfish_tridiag::THREADS - 1) / starfish_tridiag::THREADS;
    starfish_slab_solve one = arguments;
    int error = cudaSuccess;

    for (size_t p = 0; p < starfish_slab_problems(&arguments) && error == cudaSuccess; p++) {
        one.data = static_cast<const Real *>(arguments.data) + p * arguments.distance;
        one.out = static_cast<Real *>(arguments.out) + p * arguments.distance;
        solve_long<Real, PERIODIC, SUMS, WEIGHED>
            <<<static_cast<unsigned>(blocks), starfish_tridiag::THREADS, 0, stream>>>(one, n);
        error = cudaGetLastError();
    }
    return error;
}

/* ---- Choice ------------------------------------------------------------------------------------------------------ */

/* The longest lane that chunks of so many rows leave runs of 128 bytes of. */
template <typename Real> constexpr size_t most_rows(int chunk_rows)
{
    return MOST_THREADS / (128 / sizeof(Real)) * size_t(chunk_rows);
}

/* Lanes of f64 that leave shorter runs with long chunks too are shared by twice as many threads, where the device has
 * the memory for that; but for periodic ones, which have no registers to spare. */
template <typename Real, bool PERIODIC, bool SUMS>
int launch_longest(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    typedef Lengths<Real> Is;

    if constexpr (sizeof(Real) == sizeof(double) && !PERIODIC) {
        int most = 0;
        const int error = starfish_most_shared_memory(&most);
        if (error)
            return error;
        if (n > most_rows<Real>(Is::LONG) &&
            shared_bytes<Real, Is::LONG, 1>(cut_for<Real, Is::LONG, 1>(arguments, n)) <= size_t(most))
            return launch_chunks<Real, Is::LONG, PERIODIC, SUMS, 1>(arguments, n, stream);
    }
    return launch_chunks<Real, Is::LONG, PERIODIC, SUMS, 2>(arguments, n, stream);
}

/* Rows with weights, of lines that are not periodic. */
template <typename Real, bool SUMS>
int launch_weighed(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    typedef Lengths<Real> Is;

    if (n <= most_rows<Real>(Is::MEDIUM))
        return launch_chunks<Real, Is::MEDIUM, false, SUMS, 3, true>(arguments, n, stream);
    if (n <= Is::LONG_LANE)
        return launch_chunks<Real, Is::LONG, false, SUMS, 2, true>(arguments, n, stream);
    return launch_long<Real, false, SUMS, true>(arguments, n, stream);
}

template <typename Real, bool PERIODIC, bool SUMS>
int launch_of(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    typedef Lengths<Real> Is;

    if (n <= Is::SHORT_LANE)
        return launch_chunks<Real, Is::SHORT, PERIODIC, SUMS, 3>(arguments, n, stream);
    if (n <= most_rows<Real>(Is::MEDIUM))
        return launch_chunks<Real, Is::MEDIUM, PERIODIC, SUMS, 3>(arguments, n, stream);
    if (n <= Is::LONG_LANE)
        return launch_longest<Real, PERIODIC, SUMS>(arguments, n, stream);
    return launch_long<Real, PERIODIC, SUMS>(arguments, n, stream);
}

template <typename Real, bool PERIODIC> int launch(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    if (arguments.lines.weight && PERIODIC)
        return cudaErrorNotSupported;
    if (arguments.lines.weight)
        return arguments.lines.row_sums ? launch_weighed<Real, true>(arguments, n, stream)
                                        : launch_weighed<Real, false>(arguments, n, stream);
    return arguments.lines.row_sums ? launch_of<Real, PERIODIC, true>(arguments, n, stream)
                                    : launch_of<Real, PERIODIC, false>(arguments, n, stream);
}

template <typename Real> int launch_solve(const starfish_slab_solve *arguments, cudaStream_t stream)
{
    starfish_slab_solve given = *arguments;

    if (!given.own[0])
        return given.periodic ? launch<Real, true>(given, given.lines.rows, stream)
                              : launch<Real, false>(given, given.lines.rows, stream);
    given.pinned_lane = -1;
    return launch<Real, false>(given, given.lines.rows - 1, stream);
}

} // namespace
} // namespace starfish_slab

STARFISH_CUDA_ENTRIES(starfish_slab_solve, starfish_slab::launch_solve)
