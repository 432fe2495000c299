/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Restriction and prolongation on the GPU: a thread per unknown that is written.
 *
 * Floors in words per fine unknown: restriction 1.25, prolongation 2.25 (1.25 into zero); f64, 4095^2 fine unknowns,
 * H200 at 4.2 TB/s: 40 us and 72 us (40). Bound by memory: a restriction reads nine neighbours, each cache line of the
 * residual once from memory and the rest of the time from the first-level cache. */
extern "C" {
#include "multigrid/kernels/transfer.h"
}

#include "base/cuda_entries.h"
#include "multigrid/kernels/transfer.cuh"

#include <cuda_runtime.h>

namespace
{

constexpr unsigned ACROSS = 64, DOWN = 4, MOST_DOWN = 65535;

dim3 blocks_for(const starfish_rectangle &at)
{
    const size_t down = (at.y1 - at.y0 + DOWN - 1) / DOWN;
    return dim3(unsigned((at.x1 - at.x0 + ACROSS - 1) / ACROSS), unsigned(down < MOST_DOWN ? down : MOST_DOWN));
}

template <typename real>
__global__ void __launch_bounds__(ACROSS *DOWN)
    restrict_kernel(const Axis<real> x, const Axis<real> y, const starfish_rectangle at,
                    const real *__restrict__ residual, size_t first_row, real *__restrict__ coarse)
{
    const size_t I = at.x0 + blockIdx.x * size_t(ACROSS) + threadIdx.x;
    if (I >= at.x1)
        return;
    const Parts<real, 3> across = fine_of(x, I);
    for (size_t J = at.y0 + blockIdx.y * size_t(DOWN) + threadIdx.y; J < at.y1; J += size_t(gridDim.y) * DOWN)
        coarse[I + J * x.coarse] = combine(across, fine_of(y, J), residual, first_row, x.fine);
}

template <typename real> int restrict_residual(const starfish_restrict *a, cudaStream_t stream)
{
    if (a->at.x0 >= a->at.x1 || a->at.y0 >= a->at.y1)
        return cudaSuccess;
    restrict_kernel<real><<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(
        axis_of<real>(a->axis[0]), axis_of<real>(a->axis[1]), a->at, static_cast<const real *>(a->residual),
        a->first_row, static_cast<real *>(a->coarse));
    return cudaGetLastError();
}

template <typename real>
__global__ void __launch_bounds__(ACROSS *DOWN)
    prolong_kernel(const Axis<real> x, const Axis<real> y, const starfish_rectangle at, int zero,
                   const real *__restrict__ coarse, real *__restrict__ u)
{
    const size_t i = at.x0 + blockIdx.x * size_t(ACROSS) + threadIdx.x;
    if (i >= at.x1)
        return;
    const Parts<real, 2> across = coarse_of(x, i);
    for (size_t j = at.y0 + blockIdx.y * size_t(DOWN) + threadIdx.y; j < at.y1; j += size_t(gridDim.y) * DOWN) {
        const real sum = combine(across, coarse_of(y, j), coarse, 0, x.coarse);
        real *to = u + i + j * x.fine;
        *to = zero ? sum : *to + sum;
    }
}

template <typename real> int prolong(const starfish_prolong *a, cudaStream_t stream)
{
    if (a->at.x0 >= a->at.x1 || a->at.y0 >= a->at.y1)
        return cudaSuccess;
    prolong_kernel<real><<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(
        axis_of<real>(a->axis[0]), axis_of<real>(a->axis[1]), a->at, a->zero, static_cast<const real *>(a->coarse),
        static_cast<real *>(a->u));
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_restrict, restrict_residual)
STARFISH_CUDA_ENTRIES(starfish_prolong, prolong)
