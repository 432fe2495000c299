/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghosts on the GPU (ghosts.h): a launch for each direction, a thread for each line along it. */
extern "C" {
#include "stencil/kernels/ghosts.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

constexpr unsigned THREADS = 128;

template <typename real> __device__ real datum(const starfish_ghosts &a, int axis, int end, size_t index)
{
    const real *face = static_cast<const real *>(a.face[axis][end]);
    return face ? face[index] : static_cast<real>(a.constant[axis][end]);
}

template <typename real>
__global__ void __launch_bounds__(THREADS) ghosts_kernel(const __grid_constant__ starfish_ghosts a, int axis)
{
    const size_t across = starfish_ghost_lines(&a, axis, 0), lines = across * starfish_ghost_lines(&a, axis, 1);
    const size_t number = size_t(blockIdx.x) * THREADS + threadIdx.x, problem = number / lines;
    if (problem >= a.problems)
        return;
    const size_t at = number % lines, index = problem * (a.n[0] * a.n[1] * a.n[2] / a.n[axis]);
    const starfish_ghost_line place = starfish_ghost_line_at(&a, axis, at % across, at / across);
    real *line = static_cast<real *>(a.first) + problem * a.strides.box + place.start;
    const ptrdiff_t n = ptrdiff_t(a.n[axis]), stride = ptrdiff_t(place.stride);
    for (int end = 0; end < 2; end++) {
        const starfish_ghost_rule &rule = a.rule[axis][end];
        const ptrdiff_t near = end ? n - 1 : 0, next = n > 1 ? (end ? n - 2 : 1) : near, ghost = end ? n : -1;
        if (rule.kind == STARFISH_GHOST_WRAPS)
            line[ghost * stride] = line[(n - 1 - near) * stride];
        if (rule.kind == STARFISH_GHOST_FORMULA)
            line[ghost * stride] = real(rule.near) * line[near * stride] + real(rule.next) * line[next * stride] +
                                   real(rule.datum) * datum<real>(a, axis, end, index + place.datum) +
                                   real(rule.other) * datum<real>(a, axis, 1 - end, index + place.datum);
    }
}

template <typename real> int ghosts(const starfish_ghosts *a, cudaStream_t stream)
{
    for (int axis = 0; axis < 3; axis++) {
        const size_t lines = starfish_ghost_lines(a, axis, 0) * starfish_ghost_lines(a, axis, 1) * a->problems;
        ghosts_kernel<real><<<unsigned((lines + THREADS - 1) / THREADS), THREADS, 0, stream>>>(*a, axis);
        const cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_ghosts, ghosts)
