/* Weighted sums of shifted solves, on CUDA.
 *
 * One thread per line, a line being one lane of one part of a group's roots: it solves the part's roots one after the
 * other by Thomas (thomas_line.cuh) and keeps their weighted sums in global memory, since nothing else holds so much. A
 * second kernel adds the parts up. There are as many parts as make LINES_AT_ONCE lines, so that few lanes and groups
 * still fill a device, and the work space is bounded. Checkpoints and sums of neighbouring lines are neighbours: every
 * access to them is coalesced; inputs are where lanes are many, and one value for all threads of a part where they are
 * one.
 * Bytes per unknown and root, f64: the inputs twice (up to 48, mostly from cache: all roots of a group share them),
 * checkpoints 8 (periodic 12), the sums read and written (16 or 32). The floor, with all sums on chip, is the input once
 * per group. Few lines are bound by the latency of the recurrence, 2 n divisions per root. Not measured yet. */
#include "tridiag/thomas_line.cuh"

extern "C" {
#include "tridiag/shifted_sums.h"
}

#include "base/cuda_entries.h"

namespace starfish_tridiag
{
namespace
{

/* A launch: `sum` lies with its partial sums, element k of output o of line l at partial[(o * n + k) * lines + l]. Lines
 * are counted by group, then part, then lane. */
template <typename Real> struct SumLaunch {
    starfish_shifted_sums sum;
    size_t parts, lines;
    Real *checkpoint, *partial;
};

/* The vectors of a line, NULL where there is none. */
template <typename Real> struct SummedLine {
    typedef Real Element;
    const Real *in[STARFISH_SHIFTED_SUMS_INPUTS];
    Real in_weight[STARFISH_SHIFTED_SUMS_INPUTS];
    Real *sum[STARFISH_SHIFTED_SUMS_OUTPUTS];
    Real out_weight[STARFISH_SHIFTED_SUMS_OUTPUTS];
    size_t rows, lanes, lines;
    bool begins; /* the sums, with this root */

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
                sum[o][k * lines] = (begins ? Real(0) : sum[o][k * lines]) + out_weight[o] * x;
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
        result.sum[o] = row < 0 ? NULL : launch.partial + size_t(o) * a.line.n * launch.lines + line;
    }
    result.rows = a.line.n;
    result.lanes = a.lanes;
    result.lines = launch.lines;
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

template <typename Real, bool Periodic>
__global__ void __launch_bounds__(THREADS) sum_parts(const __grid_constant__ SumLaunch<Real> launch)
{
    const starfish_shifted_sums &a = launch.sum;
    const size_t threads = size_t(gridDim.x) * THREADS;
    const Real *shift_lane = static_cast<const Real *>(a.shift_lane), *mu = static_cast<const Real *>(a.mu);

    for (size_t line = size_t(blockIdx.x) * THREADS + threadIdx.x; line < launch.lines; line += threads) {
        const size_t lane = line % a.lanes, part = line / a.lanes % launch.parts, group = line / a.lanes / launch.parts;
        const int first = first_of_part(a, group, part, launch.parts),
                  end = first_of_part(a, group, part + 1, launch.parts);
        const Real lane_shift = static_cast<Real>(a.shift) + (shift_lane ? shift_lane[lane] : Real(0));
        SummedLine<Real> tiles = line_of_group(launch, line, group, lane);
        for (int root = first; root < end; root++) {
            tiles.begins = root == first;
            set_weights(a, root, tiles);
            solve_line<Real, Periodic>(a.line, lane_shift + mu[root], lane == 0 && root == a.pinned_root, tiles,
                                       launch.checkpoint + line, launch.lines);
        }
    }
}

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
        const Real *partial =
            launch.partial + (o * a.line.n + k) * launch.lines + group * launch.parts * a.lanes + lane;
        Real sum = Real(0);
        if (a.output_row[output] < 0)
            continue;
        for (size_t part = 0; part < launch.parts; part++)
            if (first_of_part(a, group, part, launch.parts) < first_of_part(a, group, part + 1, launch.parts))
                sum += partial[part * a.lanes];
        static_cast<Real *>(a.output)[size_t(a.output_row[output]) * vector + i % vector] = sum;
    }
}

template <typename Real> int launch_sums(const starfish_shifted_sums *arguments, cudaStream_t stream)
{
    SumLaunch<Real> launch = {*arguments, 0, 0, NULL, NULL};
    auto solve = arguments->line.periodic ? sum_parts<Real, true> : sum_parts<Real, false>;

    if (arguments->groups == 0)
        return cudaSuccess;
    launch.parts = starfish_tridiag_sum_parts(arguments->lanes, arguments->groups, arguments->most_roots);
    launch.lines = arguments->lanes * arguments->groups * launch.parts;
    launch.partial = static_cast<Real *>(arguments->workspace);
    launch.checkpoint = launch.partial + size_t(arguments->outputs) * arguments->line.n * launch.lines;
    solve<<<blocks_for(launch.lines), THREADS, 0, stream>>>(launch);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess)
        return status;
    const size_t elements = arguments->groups * arguments->outputs * arguments->line.n * arguments->lanes;
    add_parts<Real><<<blocks_for(elements), THREADS, 0, stream>>>(launch);
    return cudaGetLastError();
}

} // namespace
} // namespace starfish_tridiag

STARFISH_CUDA_ENTRIES(starfish_shifted_sums, starfish_tridiag::launch_sums)
