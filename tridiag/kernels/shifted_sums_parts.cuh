/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both forms of weighted sums of shifted solves share on CUDA: where there are too few lanes and groups to fill a
 * device, the roots of a group are summed in parts, whose sums are then added up, in order. */
#ifndef STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_PARTS_CUH
#define STARFISH_TRIDIAG_KERNELS_SHIFTED_SUMS_PARTS_CUH

extern "C" {
#include "tridiag/kernels/shifted_sums.h"
}
#include "tridiag/kernels/thomas_line.cuh"

namespace starfish_tridiag
{
namespace
{

/* Sums of a launch: element k of lane l of an output of a part of a group lies at
 * partial[group * of_group + part * of_part + output * of_output + k * of_row + l]. */
template <typename Real> struct SumLaunch {
    starfish_shifted_sums sum;
    size_t
        lanes_of_number; /* neighbouring lanes with one shift: 2 where they are the parts of complex numbers, else 1 */
    size_t parts;
    Real *partial;
    size_t of_group, of_part, of_output, of_row;
};

/* First root of a part; a group with fewer roots than parts leaves some parts empty. */
__device__ inline int first_of_part(const starfish_shifted_sums &a, size_t group, size_t part, size_t parts)
{
    const size_t first = a.first_root[group], count = a.first_root[group + 1] - first;

    return static_cast<int>(first + count * part / parts);
}

/* Where rows weigh it, with their weights in device memory. */
template <typename Real, bool WEIGHED> __device__ inline auto shift_of_lane(const starfish_shifted_sums &a, size_t lane)
{
    const RealOf<Real> *shift_lane = static_cast<const RealOf<Real> *>(a.shift_lane);
    const RealOf<Real> plain = static_cast<RealOf<Real>>(a.shift),
                       own = shift_lane ? shift_lane[lane] : RealOf<Real>(0);

    if constexpr (WEIGHED)
        return starfish_number::WeighedShift<RealOf<Real>>{own, plain,
                                                           static_cast<const RealOf<Real> *>(a.line.weight)};
    else
        return plain + own;
}

/* One thread per element of an output. */
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
            launch.partial + group * launch.of_group + o * launch.of_output + k * launch.of_row + lane;
        Real sum = Real(0);
        if (a.output_row[output] < 0)
            continue;
#pragma unroll 8
        for (size_t part = 0; part < launch.parts; part++)
            sum += partial[part * launch.of_part];
        static_cast<Real *>(a.output)[size_t(a.output_row[output]) * vector + i % vector] = sum;
    }
}

template <typename Real> int launch_add_parts(const SumLaunch<Real> &launch, cudaStream_t stream)
{
    const starfish_shifted_sums &a = launch.sum;

    add_parts<Real><<<blocks_for(a.groups * a.outputs * a.line.n * a.lanes), THREADS, 0, stream>>>(launch);
    return cudaGetLastError();
}

} // namespace
} // namespace starfish_tridiag

#endif
