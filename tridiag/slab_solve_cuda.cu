/* The unknowns of a slab, on CUDA: one read and one write of memory.
 *
 * Floor: 2 reals per unknown, 16 bytes in f64: 512 planes of 512 x 512 lanes are 2.15 GB, 0.51 ms at 4.2 TB/s.
 *
 * A lane is cut into chunks of at most ROWS rows, and a chunk is a slab of its own, held by one thread in registers:
 *   1. load the chunk, all loads in flight at once, and meanwhile eliminate the operator up to its last row, the pivots
 *      going to shared memory; then the right-hand side;
 *   2. a group of threads of one warp per lane solves the system of the chunks' separators by parallel cyclic
 *      reduction through shuffles (periodic lines: the last separator apart, with a second right-hand side);
 *   3. with the separators before and of its own chunk, every thread does Thomas with the pivots kept, and stores.
 * A block of threads holds some neighbouring lanes whole, so every access is of a run of that many reals. The longer
 * the lanes, the fewer fit: runs of 64 bytes move 2.9 TB/s at most, of 128 bytes 3.6, of 256 bytes 3.9. Hence chunks
 * grow with the lanes. Chunks of 32 reals of f64 leave room for two blocks of a multiprocessor, which cannot hide the
 * time between load and store, so that each block also fetches to the second-level cache what one soon to start needs.
 *
 * Measured on an H200, 512 x 512 lanes of f64, whole lines (slabs with known separators) as a fraction of a device copy
 * of as many bytes: 32 planes 0.92 (0.79), 128 planes 0.95 (0.84), 256 planes 0.89 (0.78), 512 planes 0.74 (0.71), which
 * is 0.69 (0.71) ms, 1000 planes 0.52 (0.51); f32 0.78 (0.73) at 128 planes, 0.68 (0.65) at 512. Without fetching ahead
 * 512 planes take 0.79 ms, as they do with chunks of 16. Tried and slower: pivots in registers (0.87 at 128 planes),
 * 512 threads to a block, lanes shared out among the blocks of a cluster (0.93 ms at 512 planes). Neither better nor
 * worse: known neighbours handed down through the padding (5 % slower at 128 and 256 planes of f64, up to 4 % faster at
 * 1000 planes and in f32).
 *
 * Rows that are missing to full chunks are put before the first row, where they are 1e30 u = 0 and alone. Lanes too
 * long for 32 chunks are solved by Thomas, one thread each (thomas_line.cuh). */
#include "tridiag/slab_lines.cuh"
#include "tridiag/thomas_line.cuh"

#include "base/cuda_entries.h"

namespace starfish_slab
{
namespace
{

enum { WARP = 32, MOST_THREADS = 256, MOST_CHUNKS = WARP, VALUES = 6 };
constexpr unsigned ALL_THREADS = 0xffffffffu;

/* How the lanes are cut; n rows to solve. */
struct Cut {
    int n;
    unsigned lanes, plane; /* lanes to solve, reals between planes */
    int chunks, group;     /* of a lane, and the power of two from there */
    int width, threads;    /* lanes and threads of a block */
    int padding;           /* rows before the first */
    int ahead;             /* blocks from one to the one it fetches for; 0: none */
};

/* ---- Shared memory ------------------------------------------------------------------------------------------------ */

/* The operator, padded, so that the rows of a chunk are at fixed places from its first one. One more per chunk: the
 * chunks of a warp then lie in different banks. */
template <typename Real, int ROWS> struct Operator {
    static constexpr int PITCH = ROWS + 1;
    Real *lower, *diag, *upper;

    __device__ Operator(Real *shared, const Cut &cut)
        : lower(shared), diag(shared + PITCH * cut.chunks), upper(shared + 2 * PITCH * cut.chunks)
    {
    }
    __host__ __device__ static int size(const Cut &cut) { return 3 * PITCH * cut.chunks; }
    __device__ void load(const starfish_slab_lines &lines, const Cut &cut, bool periodic)
    {
        const Real *from_lower = static_cast<const Real *>(lines.lower);
        const Real *from_diag = static_cast<const Real *>(lines.diag);
        const Real *from_upper = static_cast<const Real *>(lines.upper);

        for (int at = threadIdx.x; at < ROWS * cut.chunks; at += blockDim.x) {
            const int to = at + at / ROWS;
            const int k = at - cut.padding;
            const bool row = k >= 0;
            lower[to] = row && (k > 0 || periodic) ? __ldg(from_lower + k) : Real(0);
            diag[to] = row ? __ldg(from_diag + k) : Real(1e30);
            upper[to] = row && (k + 1 < cut.n || periodic) ? __ldg(from_upper + k) : Real(0);
        }
    }
};

/* What the chunks of a block's lanes tell each other; rhs[] becomes the separators. */
template <typename Real> struct Exchange {
    Real *before, *diag, *rhs, *head, *head_own, *head_before;
    int pitch;

    __device__ Exchange(Real *shared, const Cut &cut) : pitch(cut.width + 1)
    {
        const int size = cut.chunks * pitch;
        before = shared;
        diag = before + size;
        rhs = diag + size;
        head = rhs + size;
        head_own = head + size;
        head_before = head_own + size;
    }
    __host__ __device__ static int size(const Cut &cut) { return VALUES * cut.chunks * (cut.width + 1); }
    __device__ int at(int chunk, int lane) const { return chunk * pitch + lane; }
    __device__ void put(int chunk, int lane, const Eliminated<Real> &last) const
    {
        const int i = at(chunk, lane);
        before[i] = last.before;
        diag[i] = last.diag;
        rhs[i] = last.rhs;
        head[i] = last.head;
        head_own[i] = last.head_own;
        head_before[i] = last.head_before;
    }
};

/* ---- The system of a lane's separators ---------------------------------------------------------------------------- */

/* lower x(i-1) + diag x(i) + upper x(i+1) = rhs - border x(last). */
template <typename Real> struct Separator {
    Real lower, diag, upper, rhs, border;
};

template <typename Real> __device__ inline Separator<Real> no_separator()
{
    return {Real(0), Real(1), Real(0), Real(0), Real(0)};
}

template <typename Real> __device__ inline void scale(Separator<Real> &row, Real by)
{
    row.lower *= by;
    row.upper *= by;
    row.rhs *= by;
    row.border *= by;
}

/* `upper` is of the last row of `chunk`, and the chunk after it is `next`. */
template <typename Real>
__device__ inline Separator<Real> separator_row(const Exchange<Real> &exchange, int chunk, int lane, int next,
                                                Real upper)
{
    const int own = exchange.at(chunk, lane), below = exchange.at(next, lane);

    return {exchange.before[own], exchange.diag[own] - upper * exchange.head_before[below],
            -upper * exchange.head_own[below], exchange.rhs[own] - upper * exchange.head[below], Real(0)};
}

/* Parallel cyclic reduction (Hockney and Jesshope 1981) within groups of `group` threads: rhs becomes the solution,
 * border what is to be subtracted per x(last). Rows beyond the ends are met with a coefficient of zero. */
template <bool BORDERED, typename Real> __device__ inline void reduce_cyclically(Separator<Real> &row, int group)
{
    scale(row, reciprocal(row.diag));
    for (int distance = 1; distance < group; distance *= 2) {
        const Real above_lower = __shfl_up_sync(ALL_THREADS, row.lower, distance, group);
        const Real above_upper = __shfl_up_sync(ALL_THREADS, row.upper, distance, group);
        const Real above_rhs = __shfl_up_sync(ALL_THREADS, row.rhs, distance, group);
        const Real below_lower = __shfl_down_sync(ALL_THREADS, row.lower, distance, group);
        const Real below_upper = __shfl_down_sync(ALL_THREADS, row.upper, distance, group);
        const Real below_rhs = __shfl_down_sync(ALL_THREADS, row.rhs, distance, group);
        row.rhs -= row.lower * above_rhs + row.upper * below_rhs;
        if (BORDERED) {
            const Real above_border = __shfl_up_sync(ALL_THREADS, row.border, distance, group);
            const Real below_border = __shfl_down_sync(ALL_THREADS, row.border, distance, group);
            row.border -= row.lower * above_border + row.upper * below_border;
        }
        const Real diag = Real(1) - row.lower * above_upper - row.upper * below_lower;
        row.lower *= -above_lower;
        row.upper *= -below_upper;
        scale(row, reciprocal(diag));
    }
}

/* The separator of `chunk` when lines are not periodic; threads without a row take part in the shuffles. */
template <typename Real>
__device__ inline Real solve_open(const Exchange<Real> &exchange, const Cut &cut, int chunk, int lane, Real upper,
                                  bool pinned)
{
    Separator<Real> row = no_separator<Real>();
    const bool last = chunk + 1 == cut.chunks;

    if (lane < cut.width && chunk < cut.chunks && !(last && pinned))
        row = separator_row(exchange, chunk, lane, last ? chunk : chunk + 1, upper);
    if (last)
        row.upper = Real(0);
    reduce_cyclically<false>(row, cut.group);
    return row.rhs;
}

/* The same for periodic lines: the last separator borders the system of the others. */
template <typename Real>
__device__ inline Real solve_periodic(const Exchange<Real> &exchange, const Cut &cut, int chunk, int lane, Real upper,
                                      bool pinned)
{
    const int last = cut.chunks - 1, above = last > 0 ? last - 1 : 0;
    Separator<Real> row = no_separator<Real>();

    if (lane < cut.width && chunk < cut.chunks)
        row = separator_row(exchange, chunk, lane, chunk < last ? chunk + 1 : 0, upper);
    const Separator<Real> own = row; /* of the last one needed later */
    if (chunk >= last)
        row = no_separator<Real>();
    if (chunk == 0 && last > 0) {
        row.border = row.lower;
        row.lower = Real(0);
    }
    if (chunk == last - 1) {
        row.border += row.upper;
        row.upper = Real(0);
    }
    reduce_cyclically<true>(row, cut.group);
    const Real above_rhs = __shfl_sync(ALL_THREADS, row.rhs, above, cut.group);
    const Real above_border = __shfl_sync(ALL_THREADS, row.border, above, cut.group);
    const Real first_rhs = __shfl_sync(ALL_THREADS, row.rhs, 0, cut.group);
    const Real first_border = __shfl_sync(ALL_THREADS, row.border, 0, cut.group);
    Real x = last > 0 ? (own.rhs - own.lower * above_rhs - own.upper * first_rhs) /
                            (own.diag - own.lower * above_border - own.upper * first_border)
                      : own.rhs / (own.diag + own.lower + own.upper);
    x = __shfl_sync(ALL_THREADS, pinned ? Real(0) : x, last, cut.group);
    return chunk == last ? x : row.rhs - row.border * x;
}

/* All lanes of a block, each by a group of threads. */
template <typename Real, bool PERIODIC, int PITCH>
__device__ inline void solve_separators(const Exchange<Real> &exchange, const Cut &cut, const Real *uppers,
                                        ptrdiff_t pinned_lane)
{
    const int chunk = threadIdx.x % cut.group, groups = blockDim.x / cut.group;
    const Real upper = chunk < cut.chunks ? uppers[(chunk + 1) * PITCH - 2] : Real(0); /* of its last row */

    for (int first = 0; first < cut.width; first += groups) {
        const int lane = first + threadIdx.x / cut.group;
        const bool pinned = pinned_lane >= 0 && pinned_lane == ptrdiff_t(blockIdx.x) * cut.width + lane;
        const Real x = PERIODIC ? solve_periodic(exchange, cut, chunk, lane, upper, pinned)
                                : solve_open(exchange, cut, chunk, lane, upper, pinned);
        __syncwarp(); /* all of the group have read rhs */
        if (lane < cut.width && chunk < cut.chunks)
            exchange.rhs[exchange.at(chunk, lane)] = x;
    }
}

/* ---- A chunk ------------------------------------------------------------------------------------------------------ */

/* The reciprocals of the pivots lie in shared memory; registers for them too would cost a third of the threads. */
template <typename Real, int ROWS> struct Chunk {
    Real f[ROWS];
    Real *pivots;

    __device__ Real &pivot(int i) { return pivots[i * MOST_THREADS]; }
};

/* All of the elimination up to the last row that does not depend on the data, while these are on their way. `at`: the
 * chunk's first row in `rows`; `first`: where in the chunk the line's first row is. */
template <typename Real, int ROWS, bool PERIODIC>
__device__ inline Eliminated<Real> factorise(Chunk<Real, ROWS> &chunk, const Operator<Real, ROWS> &rows, int at,
                                             Real shift, int first)
{
    Eliminated<Real> row = first_row(rows.lower[at], rows.diag[at] + shift, Real(0));

#pragma unroll 4
    for (int i = 1; i < ROWS; i++) {
        const Real pivot = reciprocal(row.diag);
        chunk.pivot(i - 1) = pivot;
        next_row(row, pivot, rows.upper[at + i - 1], rows.lower[at + i], rows.diag[at + i] + shift, Real(0));
        if (PERIODIC && i == first)
            row = first_row(rows.lower[at + i], row.diag, Real(0));
    }
    return row;
}

/* The rest of it: the right-hand side, which becomes that of the eliminated rows, and the head. */
template <typename Real, int ROWS, bool PERIODIC>
__device__ inline void eliminate(Chunk<Real, ROWS> &chunk, const Operator<Real, ROWS> &rows, int at, int first,
                                 Eliminated<Real> &last)
{
    Real head = Real(0), head_own = Real(-1);

#pragma unroll
    for (int i = 1; i < ROWS; i++) {
        const Real pivot = chunk.pivot(i - 1), own = head_own * pivot;
        head -= own * chunk.f[i - 1];
        head_own = -own * rows.upper[at + i - 1];
        chunk.f[i] -= rows.lower[at + i] * pivot * chunk.f[i - 1];
        if (PERIODIC && i == first) {
            head = Real(0);
            head_own = Real(-1);
        }
    }
    last.rhs = chunk.f[ROWS - 1];
    last.head = head;
}

/* f becomes the unknowns: what the separator before changes in each eliminated row, then Thomas' second sweep. */
template <typename Real, int ROWS, bool PERIODIC>
__device__ inline void substitute(Chunk<Real, ROWS> &chunk, const Operator<Real, ROWS> &rows, int at, int first,
                                  Real before, Real own)
{
    Real change = PERIODIC && first != 0 ? Real(0) : rows.lower[at] * before;

    chunk.f[0] = (chunk.f[0] - change) * chunk.pivot(0);
#pragma unroll
    for (int i = 1; i + 1 < ROWS; i++) {
        change *= -(rows.lower[at + i] * chunk.pivot(i - 1));
        if (PERIODIC && i == first)
            change = rows.lower[at + i] * before;
        chunk.f[i] = (chunk.f[i] - change) * chunk.pivot(i);
    }
    chunk.f[ROWS - 1] = own;
#pragma unroll
    for (int i = ROWS - 2; i >= 0; i--)
        chunk.f[i] -= chunk.pivot(i) * rows.upper[at + i] * chunk.f[i + 1];
}

/* ---- A block of lanes --------------------------------------------------------------------------------------------- */

/* Into the second-level cache, the lanes of another block. */
template <typename Real> __device__ inline void fetch_ahead(const Real *data, const Cut &cut)
{
    enum { LINE = 64 };
    const size_t lane = size_t(blockIdx.x + cut.ahead) * cut.width;
    const int lines = (cut.width * static_cast<int>(sizeof(Real)) + LINE - 1) / LINE;

    if (lane + cut.width > cut.lanes)
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

template <typename Real, int ROWS, bool PERIODIC, int BLOCKS>
__global__ void __launch_bounds__(MOST_THREADS, BLOCKS)
    solve_chunks(const __grid_constant__ starfish_slab_solve arguments, const __grid_constant__ Cut cut)
{
    extern __shared__ __align__(16) unsigned char memory[];
    typedef Operator<Real, ROWS> Rows;
    Real *shared = reinterpret_cast<Real *>(memory);
    Rows rows(shared, cut);
    const Exchange<Real> exchange(shared + Rows::size(cut), cut);
    const starfish_slab_lines &lines = arguments.lines;
    const int column = threadIdx.x % cut.width, c = threadIdx.x / cut.width;
    const unsigned lane = blockIdx.x * cut.width + column;
    const bool works = c < cut.chunks && lane < cut.lanes, top = works && c == 0, bottom = works && c + 1 == cut.chunks;
    const int first = top ? cut.padding : works ? 0 : ROWS, at = works ? c * Rows::PITCH : 0;
    const ptrdiff_t offset = (ptrdiff_t(c) * ROWS - cut.padding) * ptrdiff_t(cut.plane) + ptrdiff_t(lane);
    const Real *data = static_cast<const Real *>(arguments.data) + offset;
    Chunk<Real, ROWS> chunk;

    chunk.pivots = shared + Rows::size(cut) + Exchange<Real>::size(cut) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        chunk.f[i] = i >= first ? data[size_t(i) * cut.plane] : Real(0);
    const Real shift = works ? lane_shift<Real>(lines, lane) : Real(0);
    const Real separator = bottom ? part_value<Real>(arguments.own, lines, lane) : Real(0);
    const Real before = top ? part_value<Real>(arguments.before, lines, lane) : Real(0);
    if (BLOCKS == 2)
        fetch_ahead(static_cast<const Real *>(arguments.data), cut);
    rows.load(lines, cut, PERIODIC);
    __syncthreads();
    Eliminated<Real> last = factorise<Real, ROWS, PERIODIC>(chunk, rows, at, shift, first);
    if (bottom && arguments.own[0] && cut.n > 0)
        chunk.f[ROWS - 1] -= __ldg(static_cast<const Real *>(lines.upper) + cut.n - 1) * separator;
    if (!PERIODIC && top && arguments.before[0]) {
        const Real outside = __ldg(static_cast<const Real *>(lines.lower)) * before;
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            if (i == first)
                chunk.f[i] -= outside;
    }
    eliminate<Real, ROWS, PERIODIC>(chunk, rows, at, first, last);
    if (c < cut.chunks)
        exchange.put(c, column, last);
    __syncthreads();
    solve_separators<Real, PERIODIC, Rows::PITCH>(exchange, cut, rows.upper, arguments.pinned_lane);
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

Cut cut_lines(const starfish_slab_lines &lines, size_t n, int chunk_rows)
{
    Cut cut = {static_cast<int>(n),
               static_cast<unsigned>(lines.inner * lines.outer),
               static_cast<unsigned>(lines.plane),
               1,
               1,
               0,
               0,
               0,
               0};

    if (n > 0)
        cut.chunks = static_cast<int>((n + chunk_rows - 1) / chunk_rows);
    while (cut.group < cut.chunks)
        cut.group *= 2;
    cut.width = MOST_THREADS / cut.group;
    cut.threads = (cut.width * cut.chunks + WARP - 1) / WARP * WARP;
    cut.padding = static_cast<int>(cut.chunks * chunk_rows - n);
    return cut;
}

/* Distance that was best where two blocks share a multiprocessor: half as many blocks as there are multiprocessors. */
int blocks_ahead(int &ahead)
{
    int device = 0, multiprocessors = 0, error = cudaGetDevice(&device);

    if (!error)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    ahead = multiprocessors / 2;
    return error;
}

template <typename Real, int ROWS, bool PERIODIC, int BLOCKS>
int launch_chunks(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    auto kernel = solve_chunks<Real, ROWS, PERIODIC, BLOCKS>;
    Cut cut = cut_lines(arguments.lines, n, ROWS);
    const unsigned blocks = (cut.lanes + cut.width - 1) / cut.width;
    const size_t reals = Operator<Real, ROWS>::size(cut) + Exchange<Real>::size(cut) + size_t(ROWS) * MOST_THREADS;
    const int bytes = static_cast<int>(reals * sizeof(Real));
    int error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

    if (!error && BLOCKS == 2)
        error = blocks_ahead(cut.ahead);
    if (error)
        return error;
    kernel<<<blocks, cut.threads, bytes, stream>>>(arguments, cut);
    return cudaGetLastError();
}

/* ---- Lanes too long for that -------------------------------------------------------------------------------------- */

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

template <typename Real, bool PERIODIC>
__global__ void __launch_bounds__(starfish_tridiag::THREADS)
    solve_long(const __grid_constant__ starfish_slab_solve arguments, size_t n)
{
    const starfish_slab_lines &lines = arguments.lines;
    const starfish_tridiag_operator line = {n, PERIODIC, lines.lower, lines.diag, lines.upper};
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
    starfish_tridiag::solve_line<Real, PERIODIC>(line, lane_shift<Real>(lines, lane), pinned, all,
                                                 static_cast<Real *>(arguments.workspace) + lane, lanes);
    if (arguments.own[0])
        all.out[n * lines.plane] = own;
}

template <typename Real, bool PERIODIC>
int launch_long(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    const size_t lanes = arguments.lines.inner * arguments.lines.outer;
    const size_t blocks = (lanes + starfish_tridiag::THREADS - 1) / starfish_tridiag::THREADS;

    solve_long<Real, PERIODIC><<<static_cast<unsigned>(blocks), starfish_tridiag::THREADS, 0, stream>>>(arguments, n);
    return cudaGetLastError();
}

/* ---- Choice ------------------------------------------------------------------------------------------------------- */

template <typename Real, bool PERIODIC> int launch(const starfish_slab_solve &arguments, size_t n, cudaStream_t stream)
{
    enum { SHORT = 64 / sizeof(Real), MEDIUM = 128 / sizeof(Real), LONG = 256 / sizeof(Real) };
    static_assert(LONG * MOST_CHUNKS * sizeof(Real) == STARFISH_TRIDIAG_LONGEST_SLAB_LANE_BYTES, "as workspace.c says");

    if (n <= 2 * SHORT)
        return launch_chunks<Real, SHORT, PERIODIC, 3>(arguments, n, stream);
    if (n <= MOST_CHUNKS / 2 * MEDIUM)
        return launch_chunks<Real, MEDIUM, PERIODIC, 3>(arguments, n, stream);
    if (n <= MOST_CHUNKS * LONG)
        return launch_chunks<Real, LONG, PERIODIC, 2>(arguments, n, stream);
    return launch_long<Real, PERIODIC>(arguments, n, stream);
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
