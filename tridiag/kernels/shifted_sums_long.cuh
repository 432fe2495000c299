/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves, on CUDA, of lanes that are too long for shifted_sums_cuda.cu.
 *
 * One thread per line, a line being one lane of one part of a group's roots: it solves the part's roots one after the
 * other by Thomas (thomas_line.cuh) and keeps their weighted sums in global memory, since nothing else holds so much.
 * There are as many parts as make LINES_AT_ONCE lines, so that few lanes and groups still fill a device. Checkpoints
 * and sums of neighbouring lines are neighbours: every access to them is coalesced; inputs are where lanes are many,
 * and one value for all threads of a part where they are one. Bytes per unknown and root, f64: the inputs twice (up to
 * 48, mostly from cache: all roots of a group share them), checkpoints 8 (periodic 12), the sums read and written (16
 * or 32). Few lines are bound by the latency of the recurrence, 2 n divisions per root. */
#ifndef STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_LONG_CUH
#define STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_LONG_CUH

#include "tridiag/kernels/shifted_sums_parts.cuh"

#include <type_traits>

namespace starfish_tridiag
{
namespace
{

/* The vectors of a line, NULL where there is none. */
template <typename Real> struct SummedLine {
    typedef Real Element;
    const Real *in[STARFISH_SHIFTED_SUMS_INPUTS];
    RealOf<Real> in_weight[STARFISH_SHIFTED_SUMS_INPUTS];
    Real *sum[STARFISH_SHIFTED_SUMS_OUTPUTS];
    RealOf<Real> out_weight[STARFISH_SHIFTED_SUMS_OUTPUTS];
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
        result.sum[o] = row < 0 ? NULL : launch.partial + o * launch.of_output + line;
    }
    result.rows = a.line.n;
    result.lanes = a.lanes;
    result.lines = launch.of_row;
    return result;
}

template <typename Real>
__device__ inline void set_weights(const starfish_shifted_sums &a, int root, SummedLine<Real> &line)
{
    const RealOf<Real> *in = static_cast<const RealOf<Real> *>(a.input_weight);
    const RealOf<Real> *out = static_cast<const RealOf<Real> *>(a.output_weight);

    for (int i = 0; i < STARFISH_SHIFTED_SUMS_INPUTS; i++)
        line.in_weight[i] = i < a.inputs ? in[root * a.inputs + i] : RealOf<Real>(0);
    for (int o = 0; o < STARFISH_SHIFTED_SUMS_OUTPUTS; o++)
        line.out_weight[o] = o < a.outputs ? out[root * a.outputs + o] : RealOf<Real>(0);
}

/* Zero is the sum of an empty part. */
template <typename Real> __device__ inline void clear(const SummedLine<Real> &line)
{
    for (int o = 0; o < STARFISH_SHIFTED_SUMS_OUTPUTS; o++)
        for (size_t k = 0; k < line.rows && line.sum[o]; k++)
            line.sum[o][k * line.lines] = Real(0);
}

template <typename Real, bool Periodic, bool WEIGHED = false>
__global__ void __launch_bounds__(THREADS) sum_lines(const __grid_constant__ SumLaunch<Real> launch, Real *checkpoint)
{
    const starfish_shifted_sums &a = launch.sum;
    const size_t threads = size_t(gridDim.x) * THREADS, lines = launch.of_row;
    const RealOf<Real> *mu = static_cast<const RealOf<Real> *>(a.mu);

    for (size_t line = size_t(blockIdx.x) * THREADS + threadIdx.x; line < lines; line += threads) {
        const size_t lane = line % a.lanes, part = line / a.lanes % launch.parts, group = line / a.lanes / launch.parts;
        const int first = first_of_part(a, group, part, launch.parts),
                  end = first_of_part(a, group, part + 1, launch.parts);
        const auto lane_shift = shift_of_lane<Real, WEIGHED>(a, lane);
        SummedLine<Real> tiles = line_of_group(launch, line, group, lane);
        if (first == end)
            clear(tiles);
        for (int root = first; root < end; root++) {
            tiles.begins = root == first;
            set_weights(a, root, tiles);
            solve_line<Real, Periodic, WEIGHED>(a.line, lane_shift + mu[root], lane == 0 && root == a.pinned_root,
                                                tiles, checkpoint + line, lines);
        }
    }
}

/* Lines are counted by group, then part, then lane. */
template <typename Real> int launch_lines(const starfish_shifted_sums &a, cudaStream_t stream)
{
    const size_t parts = starfish_tridiag_sum_parts(a.lanes, a.groups, a.most_roots);
    const size_t lines = a.lanes * a.groups * parts;
    Real *partial = static_cast<Real *>(a.workspace);
    const SumLaunch<Real> launch = {a, 1, parts, partial, parts * a.lanes, a.lanes, a.line.n * lines, lines};
    auto kernel = a.line.periodic ? sum_lines<Real, true> : sum_lines<Real, false>;

    if constexpr (std::is_floating_point<Real>::value)
        kernel = a.line.weight ? sum_lines<Real, false, true> : kernel;
    kernel<<<blocks_for(lines), THREADS, 0, stream>>>(launch, partial + size_t(a.outputs) * a.line.n * lines);
    const cudaError_t status = cudaGetLastError();
    return status != cudaSuccess ? status : launch_add_parts(launch, stream);
}

} // namespace
} // namespace starfish_tridiag

#endif
