/* Weighted sums of shifted solves, on CUDA, in two ways. A line is one lane of one part of a group's roots; a second kernel
 * adds the parts up.
 *
 * Few solves, as in 2D: one block per line, by PCR in shared memory (shared_line.cuh), the part's roots one after the other,
 * their weighted sums in registers. There are as many parts as keep the device's multiprocessors busy. Bound by the
 * latency of the stages, as are chains.
 *
 * Many: one thread per line solves the part's roots one after the other by Thomas (thomas_line.cuh) and keeps their weighted
 * sums in global memory, since nothing else holds so much. There are as many parts as make LINES_AT_ONCE lines, so that few
 * lanes and groups still fill a device, and the work space is bounded. Checkpoints and sums of neighbouring lines are neighbours: every
 * access to them is coalesced; inputs are where lanes are many, and one value for all threads of a part where they are
 * one.
 * Bytes per unknown and root, f64: the inputs twice (up to 48, mostly from cache: all roots of a group share them),
 * checkpoints 8 (periodic 12), the sums read and written (16 or 32). The floor, with all sums on chip, is the input once
 * per group. Few lines are bound by the latency of the recurrence, 2 n divisions per root: on an H200, 1023 roots of one lane of
 * 1023 unknowns take 0.7 to 1 ms however they are grouped. */
#include "tridiag/shared_line.cuh"

extern "C" {
#include "tridiag/shifted_sums.h"
}

#include "base/cuda_entries.h"

namespace starfish_tridiag
{
namespace
{

/* Threads of the first way that keep a device busy: 2048 for each of about 130 multiprocessors. */
enum { THREADS_AT_ONCE = 130 * 2048 };

/* A launch: `sum` lies with its partial sums, element k of output o of line l at partial[o * output_stride + k * row_stride +
 * l * line_stride]. Lines are counted by group, then part, then lane. */
template <typename Real> struct SumLaunch {
    starfish_shifted_sums sum;
    size_t parts, lines;
    size_t output_stride, row_stride, line_stride;
    Real *checkpoint, *partial;
};

/* The vectors of a line, NULL where there is none. */
template <typename Real> struct SummedLine {
    typedef Real Element;
    const Real *in[STARFISH_SHIFTED_SUMS_INPUTS];
    Real in_weight[STARFISH_SHIFTED_SUMS_INPUTS];
    Real *sum[STARFISH_SHIFTED_SUMS_OUTPUTS];
    Real out_weight[STARFISH_SHIFTED_SUMS_OUTPUTS];
    size_t rows, lanes, stride; /* stride: of the sums' rows */
    bool begins;                /* the sums, with this root */

    __device__ size_t n() const { return rows; }
    __device__ int tiles() const { return 1; }
    __device__ size_t first(int t) const { return t > 0 ? rows : 0; }
    __device__ int last_tile() const { return 0; }
    __device__ Real load(int, size_t k) const
    {
        Real rhs = Real(0);
#pragma unroll
        for (int i = 0; i < STARFISH_SHIFTED_SUMS_INPUTS; i++)
            if (in[i])
                rhs += in_weight[i] * in[i][k * lanes];
        return rhs;
    }
    __device__ void store(int, size_t k, Real, Real x) const
    {
#pragma unroll
        for (int o = 0; o < STARFISH_SHIFTED_SUMS_OUTPUTS; o++)
            if (sum[o])
                sum[o][k * stride] = (begins ? Real(0) : sum[o][k * stride]) + out_weight[o] * x;
    }
};

template <typename Real>
__device__ inline SummedLine<Real> line_of_group(const SumLaunch<Real> &launch, size_t line, size_t group, size_t lane)
{
    const starfish_shifted_sums &a = launch.sum;
    const size_t vector = a.line.n * a.lanes;
    SummedLine<Real> result = {};

    for (int i = 0; i < STARFISH_SHIFTED_SUMS_INPUTS; i++) {
        const int row = i < a.inputs ? a.input_row[group * a.inputs + i] : -1;
        result.in[i] = row < 0 ? NULL : static_cast<const Real *>(a.input) + size_t(row) * vector + lane;
    }
    for (int o = 0; o < STARFISH_SHIFTED_SUMS_OUTPUTS; o++) {
        const int row = o < a.outputs ? a.output_row[group * a.outputs + o] : -1;
        result.sum[o] = row < 0 ? NULL : launch.partial + size_t(o) * launch.output_stride + line * launch.line_stride;
    }
    result.rows = a.line.n;
    result.lanes = a.lanes;
    result.stride = launch.row_stride;
    return result;
}

template <typename Real>
__device__ inline void set_weights(const starfish_shifted_sums &a, int root, SummedLine<Real> &line)
{
    for (int i = 0; i < STARFISH_SHIFTED_SUMS_INPUTS; i++)
        line.in_weight[i] = i < a.inputs ? static_cast<const Real *>(a.input_weight)[root * a.inputs + i] : Real(0);
    for (int o = 0; o < STARFISH_SHIFTED_SUMS_OUTPUTS; o++)
        line.out_weight[o] = o < a.outputs ? static_cast<const Real *>(a.output_weight)[root * a.outputs + o] : Real(0);
}

/* First root of a part; a group with fewer roots than parts leaves some parts empty. */
__device__ inline int first_of_part(const starfish_shifted_sums &a, size_t group, size_t part, size_t parts)
{
    const size_t first = a.first_root[group], count = a.first_root[group + 1] - first;

    return static_cast<int>(first + count * part / parts);
}

/* Which roots a line has, and the shift of its lane. */
template <typename Real> struct LineOfSum {
    size_t lane, group;
    int first, end;
    Real shift;

    __device__ LineOfSum(const SumLaunch<Real> &launch, size_t line)
    {
        const starfish_shifted_sums &a = launch.sum;
        const Real *shift_lane = static_cast<const Real *>(a.shift_lane);
        const size_t part = line / a.lanes % launch.parts;

        lane = line % a.lanes;
        group = line / a.lanes / launch.parts;
        first = first_of_part(a, group, part, launch.parts);
        end = first_of_part(a, group, part + 1, launch.parts);
        shift = static_cast<Real>(a.shift) + (shift_lane ? shift_lane[lane] : Real(0));
    }
};

/* ---- One thread per line ----------------------------------------------------------------------------------------- */

template <typename Real, bool Periodic>
__global__ void __launch_bounds__(THREADS) sum_parts(const __grid_constant__ SumLaunch<Real> launch)
{
    const starfish_shifted_sums &a = launch.sum;
    const size_t threads = size_t(gridDim.x) * THREADS;
    const Real *mu = static_cast<const Real *>(a.mu);

    for (size_t line = size_t(blockIdx.x) * THREADS + threadIdx.x; line < launch.lines; line += threads) {
        const LineOfSum<Real> own(launch, line);
        SummedLine<Real> tiles = line_of_group(launch, line, own.group, own.lane);
        for (int root = own.first; root < own.end; root++) {
            tiles.begins = root == own.first;
            set_weights(a, root, tiles);
            solve_line<Real, Periodic>(a.line, own.shift + mu[root], own.lane == 0 && root == a.pinned_root, tiles,
                                       launch.checkpoint + line, launch.lines);
        }
    }
}

/* ---- One block per line ------------------------------------------------------------------------------------------ */

template <typename Real, bool Periodic, int Unknowns>
__global__ void __launch_bounds__(MOST_THREADS, 1) sum_shared(const __grid_constant__ SumLaunch<Real> launch)
{
    extern __shared__ double memory[];
    const starfish_shifted_sums &a = launch.sum;
    const size_t n = a.line.n;
    const Real *mu = static_cast<const Real *>(a.mu);
    const SharedSystem<Real, Periodic> system(memory, n);

    for (size_t line = blockIdx.x; line < launch.lines; line += gridDim.x) {
        const LineOfSum<Real> own(launch, line);
        SummedLine<Real> vectors = line_of_group(launch, line, own.group, own.lane);
        Real sum[STARFISH_SHIFTED_SUMS_OUTPUTS][Unknowns] = {};
        for (int root = own.first; root < own.end; root++) {
            const Step<Real> step = {own.shift + mu[root], Real(0), Real(1), own.lane == 0 && root == a.pinned_root};
            Real x[Unknowns];
            set_weights(a, root, vectors);
#pragma unroll
            for (int u = 0; u < Unknowns; u++) {
                const size_t i = threadIdx.x + size_t(u) * blockDim.x;
                x[u] = i < n ? vectors.load(0, i) : Real(0);
            }
            shared_step<Real, Periodic, Unknowns, ByPcr>(a.line, system, step, x);
#pragma unroll
            for (int o = 0; o < STARFISH_SHIFTED_SUMS_OUTPUTS; o++)
#pragma unroll
                for (int u = 0; u < Unknowns; u++)
                    sum[o][u] += vectors.out_weight[o] * x[u];
        }
#pragma unroll
        for (int o = 0; o < STARFISH_SHIFTED_SUMS_OUTPUTS; o++)
#pragma unroll
            for (int u = 0; u < Unknowns; u++) {
                const size_t i = threadIdx.x + size_t(u) * blockDim.x;
                if (vectors.sum[o] && i < n)
                    vectors.sum[o][i * launch.row_stride] = sum[o][u];
            }
    }
}

template <typename Real> using SumKernel = void (*)(SumLaunch<Real>);

template <typename Real, bool Periodic> SharedShape<SumKernel<Real>> shape_of(size_t n)
{
    static const SumKernel<Real> kernels[] = {sum_shared<Real, Periodic, 1>, sum_shared<Real, Periodic, 2>,
                                              sum_shared<Real, Periodic, 4>, sum_shared<Real, Periodic, 8>};

    return shared_shape<Real, Periodic>(kernels, n);
}

/* ---- Adding up --------------------------------------------------------------------------------------------------- */

/* One thread per element of an output; empty parts have written nothing. */
template <typename Real>
__global__ void __launch_bounds__(THREADS) add_parts(const __grid_constant__ SumLaunch<Real> launch)
{
    const starfish_shifted_sums &a = launch.sum;
    const size_t vector = a.line.n * a.lanes, elements = a.groups * a.outputs * vector;
    const size_t threads = size_t(gridDim.x) * THREADS;

    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < elements; i += threads) {
        const size_t output = i / vector, group = output / a.outputs, o = output % a.outputs;
        const size_t k = i % vector / a.lanes, lane = i % a.lanes;
        const Real *partial = launch.partial + o * launch.output_stride + k * launch.row_stride +
                              (group * launch.parts * a.lanes + lane) * launch.line_stride;
        Real sum = Real(0);
        if (a.output_row[output] < 0)
            continue;
        for (size_t part = 0; part < launch.parts; part++)
            if (first_of_part(a, group, part, launch.parts) < first_of_part(a, group, part + 1, launch.parts))
                sum += partial[part * a.lanes * launch.line_stride];
        static_cast<Real *>(a.output)[size_t(a.output_row[output]) * vector + i % vector] = sum;
    }
}

/* ---- Choice ------------------------------------------------------------------------------------------------------ */

/* As for chains; `most_roots` of every group is about what there is. */
bool is_few(const starfish_shifted_sums &a, size_t real_size)
{
    return a.line.n <= starfish_tridiag_chain_longest_cuda(a.line.periodic, real_size) &&
           (a.lanes < FEWEST_THOMAS_LANES || a.lanes * a.groups * a.most_roots < FEWEST_THOMAS_LINES);
}

template <typename Real> int sum_in_blocks(SumLaunch<Real> *launch, cudaStream_t stream)
{
    const starfish_shifted_sums &a = launch->sum;
    const SharedShape<SumKernel<Real>> shape =
        a.line.periodic ? shape_of<Real, true>(a.line.n) : shape_of<Real, false>(a.line.n);
    const size_t busy = shape.threads > 0 ? THREADS_AT_ONCE / (shape.threads * a.lanes * a.groups) : 0;

    launch->parts = starfish_tridiag_smaller(busy > 0 ? busy : 1, launch->parts);
    launch->lines = a.lanes * a.groups * launch->parts;
    launch->output_stride = a.line.n;
    launch->row_stride = 1;
    launch->line_stride = a.line.n * a.outputs;
    const cudaError_t status = admit(shape);
    if (status != cudaSuccess)
        return status;
    const unsigned blocks = static_cast<unsigned>(starfish_tridiag_smaller(launch->lines, MOST_BLOCKS));
    shape.kernel<<<blocks, shape.threads, shape.shared_bytes, stream>>>(*launch);
    return cudaGetLastError();
}

template <typename Real> int sum_in_threads(SumLaunch<Real> *launch, cudaStream_t stream)
{
    const starfish_shifted_sums &a = launch->sum;
    auto solve = a.line.periodic ? sum_parts<Real, true> : sum_parts<Real, false>;

    launch->output_stride = a.line.n * launch->lines;
    launch->row_stride = launch->lines;
    launch->line_stride = 1;
    solve<<<blocks_for(launch->lines), THREADS, 0, stream>>>(*launch);
    return cudaGetLastError();
}

template <typename Real> int launch_sums(const starfish_shifted_sums *arguments, cudaStream_t stream)
{
    SumLaunch<Real> launch = {*arguments, 0, 0, 0, 0, 0, NULL, NULL};

    if (arguments->groups == 0)
        return cudaSuccess;
    launch.parts = starfish_tridiag_sum_parts(arguments->lanes, arguments->groups, arguments->most_roots);
    launch.lines = arguments->lanes * arguments->groups * launch.parts;
    launch.partial = static_cast<Real *>(arguments->workspace);
    launch.checkpoint = launch.partial + size_t(arguments->outputs) * arguments->line.n * launch.lines;
    const int status =
        is_few(*arguments, sizeof(Real)) ? sum_in_blocks(&launch, stream) : sum_in_threads(&launch, stream);
    if (status != cudaSuccess)
        return status;
    const size_t elements = arguments->groups * arguments->outputs * arguments->line.n * arguments->lanes;
    add_parts<Real><<<blocks_for(elements), THREADS, 0, stream>>>(launch);
    return cudaGetLastError();
}

} // namespace
} // namespace starfish_tridiag

STARFISH_CUDA_ENTRIES(starfish_shifted_sums, starfish_tridiag::launch_sums)
