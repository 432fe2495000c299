/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One unknown of a restriction or a prolongation on the GPU (multigrid/kernels/transfer.h): the unknowns of the other
 * grid that it is made of and their weights, for kernels that do one transfer and for those that do a whole cycle. */
#ifndef STARFISH_MULTIGRID_TRANSFER_CUH
#define STARFISH_MULTIGRID_TRANSFER_CUH

#include <cstddef>

template <typename real> struct Axis {
    size_t fine, coarse, stride, origin;
    const real *left, *right;
};

template <typename real> Axis<real> axis_of(const starfish_transfer_axis &a)
{
    return {
        a.fine, a.coarse, a.stride, a.origin, static_cast<const real *>(a.left), static_cast<const real *>(a.right)};
}

/* The unknowns that one is made of, and their weights: N at most. Those that are missing are one that is there, with
 * weight 0, so that loops have a fixed length and no array leaves the registers. */
template <typename real, int N> struct Parts {
    size_t index[N];
    real weight[N];
};

template <typename real> __device__ __forceinline__ Parts<real, 3> fine_of(const Axis<real> &a, size_t I)
{
    const size_t F = a.stride * I + a.origin, middle = F < a.fine ? F : a.fine - 1;
    const bool below = a.stride > 1 && F > 0, above = a.stride > 1 && F + 1 < a.fine;
    return {{below ? F - 1 : middle, middle, above ? F + 1 : middle},
            {below ? a.left[I] : real(0), F < a.fine ? real(1) : real(0), above ? a.right[I] : real(0)}};
}

template <typename real> __device__ __forceinline__ Parts<real, 2> coarse_of(const Axis<real> &a, size_t i)
{
    if (i < a.origin)
        return {{0, 0}, {a.left[0], 0}};
    const size_t I = (i - a.origin) / a.stride;
    if ((i - a.origin) % a.stride == 0)
        return {{I, I}, {1, 0}};
    const bool upper = I + 1 < a.coarse;
    return {{I, upper ? I + 1 : I}, {a.right[I], upper ? a.left[I + 1] : real(0)}};
}

/* Value at the rows and columns of an array of rows of `nx`, the first of them first_row. */
template <typename real, int N>
__device__ __forceinline__ real combine(const Parts<real, N> &across, const Parts<real, N> &down,
                                        const real *__restrict__ from, size_t first_row, size_t nx)
{
    real sum = 0;
#pragma unroll
    for (int r = 0; r < N; r++) {
        const real *row = from + (down.index[r] - first_row) * nx;
        real part = 0;
#pragma unroll
        for (int c = 0; c < N; c++)
            part += across.weight[c] * row[across.index[c]];
        sum += down.weight[r] * part;
    }
    return sum;
}

#endif
