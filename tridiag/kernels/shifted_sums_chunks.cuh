/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves, on CUDA: a lane and its sums stay on chip over all roots of a group.
 *
 * A lane is cut into at most 32 chunks of ROWS rows, one for each thread of a warp (shorter lanes: several to a warp).
 * A block of threads copies the inputs of some neighbouring lanes to shared memory, once. Then every warp by itself
 * takes root after root: each thread combines its chunk's right-hand side and eliminates up to the last row
 * (shifted_chunks.cuh), the threads solve the system of these last rows by parallel cyclic reduction through shuffles,
 * substitute, and add the unknowns to sums in registers. Sums go back through shared memory, so that both ways are
 * coalesced. Warps wait for each other only at the two ends.
 * Where lanes are few, the warps of a block have different roots of the same lanes, and add up their sums in the end;
 * so do blocks, through memory and a second kernel, where lanes and groups alone do not fill the device.
 *
 * Bytes: inputs read and outputs written once per group; parts add up to SUMMED_BYTES per output, written and read.
 * Instructions of arithmetic per unknown and root, f64, chunks of 16 rows: 3 inputs and 1 output 19.8, and 4.7 for the
 * system of last rows; 1 input and 2 outputs 18.8 and 4.7; one more for each input and output; one reciprocal, no
 * division. More than that, shared memory binds: a multiprocessor delivers 128 bytes per cycle, which makes 257 cycles
 * per root and 512 unknowns either way (94 or 156 for coefficients, 96 or 32 for inputs, 68 for shuffles), against 196
 * or 188 for arithmetic; blktri of radix 4 has 3 inputs and 2 outputs, 320 against 204, and 5 and 3, 384 against 228.
 * blktri of radix 2 at 512^3 has 2.0e9 unknowns times roots: 7.5 GB or 1.8 ms of memory, 2.9 ms of arithmetic, 4.4 ms
 * of shared memory; of radix 4 half the roots, half the memory, and 3.1 ms of shared memory. One lane is bound by
 * latency: about 2 us per root, of which a device solves a thousand at a time, and the launch. Measured on an H200 as
 * whole solves of blktri: 512^3 13.0 ms of radix 4, 16.1 of radix 2; 1023^2 0.74 and 1.24 (one thread per line, the
 * form of shifted_sums_long.cuh, took 113 and 16.3 of radix 2).
 *
 * Complex numbers: a chunk has half as many rows, of the same bytes. Of a real line coefficients and pivots stay real,
 * so that both parts of a vector take one elimination, and coefficients are read once for both.
 *
 * 12 warps to a multiprocessor hide the latency of the elimination, 168 registers each. Three outputs need the
 * registers of 8 warps, and chunks of 256 bytes need them all. Longer lanes still are for shifted_sums_long.cuh.
 *
 * This file is the kernel and its launch, as templates. A kind of numbers, a precision and a length of chunks are
 * compiled at a time (shifted_sums_medium_cuda.cu, shifted_sums_long_cuda.cu); shifted_sums_cuda.cu chooses. */
#ifndef STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_CHUNKS_CUH
#define STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_CHUNKS_CUH

#include "tridiag/kernels/shifted_chunks.cuh"
#include "tridiag/kernels/shifted_sums_numbers.cuh"
#include "tridiag/kernels/shifted_sums_parts.cuh"

#include <type_traits>

namespace starfish_slab
{
namespace
{

using starfish_tridiag::first_of_part;
using starfish_tridiag::SumLaunch;

/* How sums are cut into blocks of threads: rows.width lanes of a group, and that many `splits` of a part's roots, each
 * with rows.group threads per lane. All three are powers of two. */
struct SumCut {
    Cut rows;
    int splits;
    int pitch;      /* reals from one line to the next in shared memory */
    unsigned tiles; /* of lanes */
};

/* One output of shorter chunks leaves registers for a third of the operator; two of long ones do not even for pivots,
 * and a third has to be kept beside these. */
template <typename Real, int ROWS, int OUTPUTS> struct Form {
    static constexpr bool LONG = ROWS == Lengths<Real>::LONG, SHARED_PIVOTS = LONG && OUTPUTS >= 2;
    static constexpr int THREADS = LONG ? MOST_THREADS : MOST_THREADS / 2, BLOCKS = LONG ? 1 : OUTPUTS <= 2 ? 3 : 2;
    typedef typename std::conditional<SHARED_PIVOTS, Chunk<Real, ROWS>,
                                      RegisterChunk<Real, ROWS, !LONG && OUTPUTS == 1>>::type Held;
    static constexpr int SHARED_SUMS = LONG && OUTPUTS == 3;
};

/* A thread's sums of its chunk: of all outputs but the last SHARED in registers. */
template <typename Real, int ROWS, int OUTPUTS, int SHARED> struct Sums {
    Real held[OUTPUTS - SHARED][ROWS];
    Real *shared; /* ROWS columns of MOST_THREADS, for each that is not held */

    __device__ Sums(Real *columns) : held{}, shared(columns + threadIdx.x)
    {
#pragma unroll
        for (int i = 0; i < SHARED * ROWS; i++)
            shared[i * MOST_THREADS] = Real(0);
    }
    __device__ Real &at(int o, int k)
    {
        return o < OUTPUTS - SHARED ? held[o][k] : shared[((o - OUTPUTS + SHARED) * ROWS + k) * MOST_THREADS];
    }
};

/* Of shared memory: the operator, weights, and where there is no other place pivots. */
template <typename Real, int ROWS, bool WEIGHED>
__host__ __device__ inline size_t operator_bytes(const SumCut &cut, bool pivots)
{
    typedef CoefficientOf<Real> Coefficient;
    const size_t coefficients = Operator<Coefficient, ROWS>::size(cut.rows) +
                                weights_size<Real, ROWS, WEIGHED>(cut.rows) +
                                (pivots ? size_t(ROWS) * MOST_THREADS : 0);

    return (coefficients * sizeof(Coefficient) + sizeof(Real) - 1) / sizeof(Real) * sizeof(Real);
}

/* ---- A thread's share ---------------------------------------------------------------------------------------------
 */

struct Share {
    unsigned group, part;
    unsigned first_lane, lane; /* of the block, and of the thread */
    int line, column;          /* of the block's lines, and of its lanes */
    int chunk, at;             /* `at`: the chunk's first row in a padded line */
    int first;                 /* where in the chunk the lane's first row is */
    bool works;
};

/* Threads beyond the last chunk or lane do what one of the others does, and keep it to themselves. */
template <int PITCH> __device__ inline Share share_of_thread(const SumCut &cut, unsigned parts)
{
    const unsigned run = blockIdx.x / cut.tiles;
    Share share;

    share.group = run / parts;
    share.part = run - share.group * parts;
    share.first_lane = (blockIdx.x - run * cut.tiles) * cut.rows.width;
    share.line = threadIdx.x / cut.rows.group;
    share.column = share.line % cut.rows.width;
    share.lane = min(share.first_lane + share.column, cut.rows.lanes - 1);
    share.chunk = threadIdx.x % cut.rows.group;
    share.works = share.chunk < cut.rows.chunks;
    share.at = share.works ? share.chunk * PITCH : 0;
    share.first = share.chunk == 0 || !share.works ? cut.rows.padding : 0;
    return share;
}

/* ---- Between global and shared memory -----------------------------------------------------------------------------
 */

/* f(place in a padded line, row) for all rows of a column that one thread of it sees to; rows are negative in the
 * padding. Neighbouring threads have neighbouring columns. */
template <int ROWS, typename Function> __device__ inline void for_each_row(const SumCut &cut, Function f)
{
    const int width = cut.rows.width;

    for (int i = threadIdx.x / width; i < ROWS * cut.rows.chunks; i += blockDim.x / width)
        f(i + i / ROWS, i - cut.rows.padding);
}

/* Which inputs the group has; their lines are on the way to `staged`, one input after the other. */
template <typename Real, int ROWS>
__device__ inline unsigned start_loading(const starfish_shifted_sums &a, const SumCut &cut, const Share &share,
                                         Real *staged)
{
    const int column = threadIdx.x % cut.rows.width;
    const unsigned lane = min(share.first_lane + column, cut.rows.lanes - 1);
    unsigned present = 0;

    for (int i = 0; i < a.inputs; i++) {
        const int row = a.input_row[share.group * a.inputs + i];
        if (row < 0)
            continue;
        const Real *from = static_cast<const Real *>(a.input) + size_t(row) * a.line.n * a.lanes + lane;
        Real *to = staged + (i * cut.rows.width + column) * cut.pitch;
        present |= 1u << i;
        for_each_row<ROWS>(cut, [&](int at, int k) {
            if (k < 0)
                to[at] = Real(0);
            else
                copy_async<sizeof(Real)>(to + at, from + size_t(k) * a.lanes);
        });
    }
    return present;
}

/* The sums of all splits, in their order. */
template <typename Real, int ROWS>
__device__ inline void store_sums(const starfish_shifted_sums &a, const SumCut &cut, const Share &share,
                                  const Real *staged, Real *to)
{
    const int column = threadIdx.x % cut.rows.width;
    const unsigned lane = share.first_lane + column;

    for_each_row<ROWS>(cut, [&](int at, int k) {
        Real sum = Real(0);
        if (k < 0 || lane >= cut.rows.lanes)
            return;
        for (int s = 0; s < cut.splits; s++)
            sum += staged[(s * cut.rows.width + column) * cut.pitch + at];
        to[size_t(k) * a.lanes + lane] = sum;
    });
}

/* Where output `o` of a group goes: the sums of a part, or what was asked for if there is only one. NULL: nowhere. */
template <typename Real> __device__ inline Real *destination(const SumLaunch<Real> &launch, const Share &share, int o)
{
    const starfish_shifted_sums &a = launch.sum;
    const int row = a.output_row[share.group * a.outputs + o];

    if (row < 0)
        return NULL;
    return launch.parts > 1
               ? launch.partial + share.group * launch.of_group + share.part * launch.of_part + o * launch.of_output
               : static_cast<Real *>(a.output) + size_t(row) * a.line.n * a.lanes;
}

/* All outputs; `staged` may still be read by others. */
template <typename Real, int ROWS, int OUTPUTS, int SHARED>
__device__ inline void give_sums(const SumLaunch<Real> &launch, const SumCut &cut, const Share &share,
                                 Sums<Real, ROWS, OUTPUTS, SHARED> &sums, Real *staged)
{
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        __syncthreads();
        if (share.works) {
#pragma unroll
            for (int k = 0; k < ROWS; k++)
                staged[share.line * cut.pitch + share.at + k] = sums.at(o, k);
        }
        __syncthreads();
        if (Real *to = destination(launch, share, o))
            store_sums<Real, ROWS>(launch.sum, cut, share, staged, to);
    }
}

/* ---- One root -----------------------------------------------------------------------------------------------------
 */

/* `staged`: the chunk in the first input, the others `stride` apart. */
template <typename Real, int ROWS>
__device__ inline void combine(Real (&f)[ROWS], const Real *staged, int stride, unsigned present,
                               const RealOf<Real> *weight)
{
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        f[k] = Real(0);
#pragma unroll
    for (int i = 0; i < STARFISH_SHIFTED_SUMS_INPUTS; i++) {
        if (!(present >> i & 1u))
            continue;
        const RealOf<Real> by = __ldg(weight + i);
#pragma unroll
        for (int k = 0; k < ROWS; k++)
            f[k] += by * staged[i * stride + k];
    }
}

/* From right-hand sides to unknowns. */
template <typename Real, int ROWS, bool PERIODIC, bool SUMS, typename Held, typename Shift>
__device__ inline void solve_lane(Held &chunk, const Operator<CoefficientOf<Real>, ROWS> &rows, const Cut &cut,
                                  const Share &share, const Shift &shift, bool pinned)
{
    const Eliminated<Real> last = eliminate<Real, ROWS, PERIODIC, SUMS>(chunk, rows, share.at, shift, share.first);
    const Real own = solve_in_warp<PERIODIC, SUMS>(last, cut, share.chunk, rows.upper[share.at + ROWS - 1], pinned);
    const Real before = __shfl_sync(ALL_THREADS, own, share.chunk > 0 ? share.chunk - 1 : cut.chunks - 1, cut.group);

    substitute<Real, ROWS, PERIODIC>(chunk, rows, share.at, share.first, PERIODIC || share.chunk > 0 ? before : Real(0),
                                     own);
}

/* ---- A block of lanes ---------------------------------------------------------------------------------------------
 */

template <typename Real, int ROWS, bool PERIODIC, int OUTPUTS, bool WEIGHED>
__global__ void __launch_bounds__(Form<Real, ROWS, OUTPUTS>::THREADS, Form<Real, ROWS, OUTPUTS>::BLOCKS)
    sum_chunks(const __grid_constant__ SumLaunch<Real> launch, const __grid_constant__ SumCut cut)
{
    extern __shared__ __align__(16) unsigned char memory[];
    typedef CoefficientOf<Real> Coefficient;
    typedef RealOf<Real> Weight;
    typedef Operator<Coefficient, ROWS> Rows;
    typedef Form<Real, ROWS, OUTPUTS> Is;
    const starfish_shifted_sums &a = launch.sum;
    Coefficient *shared = reinterpret_cast<Coefficient *>(memory), *weights = shared + Rows::size(cut.rows);
    Coefficient *pivots = weights + weights_size<Real, ROWS, WEIGHED>(cut.rows);
    Real *columns = reinterpret_cast<Real *>(memory + operator_bytes<Real, ROWS, WEIGHED>(cut, Is::SHARED_PIVOTS));
    Real *staged = columns + Is::SHARED_SUMS * ROWS * MOST_THREADS;
    Rows rows(shared, cut.rows);
    const Share share = share_of_thread<Rows::PITCH>(cut, static_cast<unsigned>(launch.parts));
    typename Is::Held chunk;
    Sums<Real, ROWS, OUTPUTS, Is::SHARED_SUMS> sums(columns);

    const unsigned present = start_loading<Real, ROWS>(a, cut, share, staged);
    rows.template load<WEIGHED>(static_cast<const Coefficient *>(a.line.lower),
                                static_cast<const Coefficient *>(a.line.diag),
                                static_cast<const Coefficient *>(a.line.upper), cut.rows, PERIODIC);
    const size_t splits = launch.parts * cut.splits;
    const size_t split = size_t(share.part) * cut.splits + share.line / cut.rows.width;
    const int first = first_of_part(a, share.group, split, splits);
    const int end = first_of_part(a, share.group, split + 1, splits);
    const size_t number = share.lane / launch.lanes_of_number;
    auto shift = starfish_tridiag::shift_of_lane<Real, WEIGHED>(a, number);
    if constexpr (WEIGHED) {
        load_weights<Real, ROWS>(weights, a.line.weight, cut.rows);
        shift.weight = weights;
    }
    const int pinned = number == 0 ? a.pinned_root : -1;
    const Real *own = staged + share.column * cut.pitch + share.at;
    wait_for_copies();
    __syncthreads();
    chunk.prepare(rows, share.at, pivots);
    for (int next = first; __any_sync(ALL_THREADS, next < end); next++) {
        /* Those of a warp that have no more roots solve with any, for nothing. */
        const int root = next < end ? next : a.first_root[share.group];
        const Weight *weight = static_cast<const Weight *>(a.output_weight) + size_t(root) * OUTPUTS;
        combine(chunk.f, own, cut.rows.width * cut.pitch, present,
                static_cast<const Weight *>(a.input_weight) + size_t(root) * a.inputs);
        solve_lane<Real, ROWS, PERIODIC, WEIGHED>(
            chunk, rows, cut.rows, share, shift + __ldg(static_cast<const Weight *>(a.mu) + root), root == pinned);
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            const Weight by = next < end ? __ldg(weight + o) : Weight(0);
#pragma unroll
            for (int k = 0; k < ROWS; k++)
                sums.at(o, k) += by * chunk.f[k];
        }
    }
    give_sums(launch, cut, share, sums, staged);
}

/* ---- Launch -------------------------------------------------------------------------------------------------------
 */

template <typename Real, int ROWS, int OUTPUTS, bool WEIGHED> size_t shared_bytes(const SumCut &cut, int inputs)
{
    typedef Form<Real, ROWS, OUTPUTS> Is;
    const size_t lines = size_t(cut.rows.width) * (inputs > cut.splits ? inputs : cut.splits);

    return operator_bytes<Real, ROWS, WEIGHED>(cut, Is::SHARED_PIVOTS) +
           (lines * cut.pitch + size_t(Is::SHARED_SUMS) * ROWS * MOST_THREADS) * sizeof(Real);
}

/* A block has neighbouring lanes as far as there are such and shared memory holds their inputs; the rest of its threads
 * is for other roots. */
template <typename Real, int ROWS, int OUTPUTS, bool WEIGHED>
SumCut cut_sums(const starfish_shifted_sums &a, size_t most_bytes)
{
    enum { APART = 4 }; /* lines that start in different banks */
    SumCut cut = {cut_rows(a.line.n, a.lanes, ROWS), 1, 0, 0};
    const int lines = Form<Real, ROWS, OUTPUTS>::THREADS / cut.rows.group, fewest = WARP / cut.rows.group;

    cut.pitch = Operator<CoefficientOf<Real>, ROWS>::PITCH * cut.rows.chunks + APART;
    cut.rows.width = 1;
    while (cut.rows.width < lines && size_t(cut.rows.width) < a.lanes)
        cut.rows.width *= 2;
    for (;; cut.rows.width /= 2) {
        cut.splits = lines / cut.rows.width;
        while (cut.splits * cut.rows.width > fewest && size_t(cut.splits / 2) >= a.most_roots)
            cut.splits /= 2;
        if (cut.rows.width == 1 || shared_bytes<Real, ROWS, OUTPUTS, WEIGHED>(cut, a.inputs) <= most_bytes)
            break;
    }
    while (cut.splits * cut.rows.width > fewest &&
           shared_bytes<Real, ROWS, OUTPUTS, WEIGHED>(cut, a.inputs) > most_bytes)
        cut.splits /= 2;
    cut.rows.threads = cut.rows.group * cut.rows.width * cut.splits;
    cut.tiles = static_cast<unsigned>((a.lanes + cut.rows.width - 1) / cut.rows.width);
    return cut;
}

template <typename Real, int ROWS, bool PERIODIC, int OUTPUTS, bool WEIGHED>
int launch_chunks(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream)
{
    auto kernel = sum_chunks<Real, ROWS, PERIODIC, OUTPUTS, WEIGHED>;
    int device = 0, most_bytes = 0, status = cudaGetDevice(&device);

    if (!status)
        status = cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    const SumCut cut = cut_sums<Real, ROWS, OUTPUTS, WEIGHED>(a, most_bytes);
    const int bytes = static_cast<int>(shared_bytes<Real, ROWS, OUTPUTS, WEIGHED>(cut, a.inputs));
    if (!status)
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status)
        return status;
    const size_t runs = starfish_tridiag_sum_runs(a.line.n, a.lanes, a.groups, a.most_roots, sizeof(Real));
    const size_t parts = (runs + cut.splits - 1) / cut.splits, vector = a.line.n * a.lanes;
    const SumLaunch<Real> launch = {
        a,      lanes_of_number, parts, static_cast<Real *>(a.workspace), parts * OUTPUTS * vector, OUTPUTS * vector,
        vector, a.lanes};
    kernel<<<static_cast<unsigned>(cut.tiles * parts * a.groups), cut.rows.threads, bytes, stream>>>(launch, cut);
    status = cudaGetLastError();
    return status || parts == 1 ? status : starfish_tridiag::launch_add_parts(launch, stream);
}

template <typename Real, int ROWS, bool PERIODIC, bool WEIGHED = false>
int launch_outputs(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream)
{
    static_assert(STARFISH_SHIFTED_SUMS_OUTPUTS == 3, "each has a kernel");
    if (a.outputs == 1)
        return launch_chunks<Real, ROWS, PERIODIC, 1, WEIGHED>(a, lanes_of_number, stream);
    return a.outputs == 2 ? launch_chunks<Real, ROWS, PERIODIC, 2, WEIGHED>(a, lanes_of_number, stream)
                          : launch_chunks<Real, ROWS, PERIODIC, 3, WEIGHED>(a, lanes_of_number, stream);
}

template <typename Real, int ROWS>
int launch_form(const starfish_shifted_sums &a, size_t lanes_of_number, cudaStream_t stream)
{
    if constexpr (std::is_floating_point<Real>::value)
        if (a.line.weight)
            return launch_outputs<Real, ROWS, false, true>(a, lanes_of_number, stream);
    return a.line.periodic ? launch_outputs<Real, ROWS, true>(a, lanes_of_number, stream)
                           : launch_outputs<Real, ROWS, false>(a, lanes_of_number, stream);
}

} // namespace
} // namespace starfish_slab

#endif
