/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A coarse correction on its way into a sweep on a GPU: of column (i,j) and its four neighbours, u + P coarse, from the
 * 3 x 3 coarse columns around, which are read once per layer. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_PATCH_CUH
#define STARFISH_MULTIGRID_KERNELS_FLAT_PATCH_CUH

#include "multigrid/kernels/flat_column.cuh"

namespace flat
{

template <typename real> struct Transfer {
    int fine, coarse, periodic;
    const real *lower, *upper;
};

template <typename real> Transfer<real> transfer_of(const starfish_flat_transfer &t)
{
    return {int(t.fine), int(t.coarse), t.periodic, static_cast<const real *>(t.lower),
            static_cast<const real *>(t.upper)};
}

/* The two coarse cells of fine i and their weights; a cell that is not there has the weight 0 and index `other`. */
template <typename real> struct Terms {
    int index[2];
    real weight[2];
};

template <typename real> __device__ Terms<real> terms_of(const Transfer<real> &t, int i)
{
    if (t.fine == t.coarse)
        return {{i, i}, {real(1), real(0)}};
    const int above = (i + 1) / 2;
    const int index[2] = {neighbour(above - 1, t.coarse, t.periodic), neighbour(above, t.coarse, t.periodic)};
    return {{max(index[0], 0), index[1] < 0 ? max(index[0], 0) : index[1]},
            {index[0] < 0 ? real(0) : t.lower[i], index[1] < 0 ? real(0) : t.upper[i]}};
}

/* Three coarse cells around fine i, and their weights in fine i - 1, i and i + 1. */
template <typename real> struct Around {
    int index[3];
    real weight[3][3];
};

template <typename real> __device__ Around<real> around(const Transfer<real> &t, int i)
{
    const int middle = t.fine == t.coarse ? i : i / 2;
    Around<real> a = {};
#pragma unroll
    for (int c = 0; c < 3; c++)
        a.index[c] = neighbour(middle - 1 + c, t.coarse, t.periodic);
#pragma unroll
    for (int s = 0; s < 3; s++) {
        const int fine = neighbour(i - 1 + s, t.fine, t.periodic);
        if (fine < 0)
            continue;
        const Terms<real> terms = terms_of(t, fine);
#pragma unroll
        for (int e = 0; e < 2; e++) {
            bool found = terms.weight[e] == real(0);
#pragma unroll
            for (int c = 0; c < 3; c++) {
                const bool is = !found && a.index[c] == terms.index[e];
                a.weight[s][c] += is ? terms.weight[e] : real(0);
                found = found || is;
            }
        }
    }
#pragma unroll
    for (int c = 0; c < 3; c++)
        a.index[c] = a.index[c] < 0 ? middle : a.index[c]; /* its weights are 0 */
    return a;
}

template <typename real> struct Corrected {
    Plain<real> plain; /* without u: zeros */
    const real *coarse;
    int coarse_nx;
    size_t coarse_row;
    Around<real> x, y;

    __device__ real own(ptrdiff_t column, int k) const { return plain.u ? plain.beside(column, k) : real(0); }
    /* The patch of layer k, weighed in x for the column's own place, by coarse rows. */
    __device__ real line(int row, int k, const real weight[3]) const
    {
        const real *const layer = coarse + coarse_row * y.index[row] + size_t(coarse_nx) * k;
        return weight[0] * __ldg(layer + x.index[0]) + weight[1] * __ldg(layer + x.index[1]) +
               weight[2] * __ldg(layer + x.index[2]);
    }
    __device__ real here(int k) const
    {
        real sum = own(plain.at.here, k);
#pragma unroll
        for (int row = 0; row < 3; row++)
            sum += y.weight[1][row] * line(row, k, x.weight[1]);
        return sum;
    }
    __device__ real across(int east, int north, int k) const
    {
        real sum = plain.u ? plain.across(east, north, k) : real(0);
#pragma unroll
        for (int row = 0; row < 3; row++)
            sum += (north ? y.weight[2][row] : y.weight[0][row]) * line(row, k, east ? x.weight[2] : x.weight[0]);
        return sum;
    }
    __device__ Five<real> five(int k) const
    {
        Five<real> u = {own(plain.at.here, k), own(plain.at.west, k), own(plain.at.east, k), own(plain.at.south, k),
                        own(plain.at.north, k)};
#pragma unroll
        for (int row = 0; row < 3; row++) {
            const real middle = line(row, k, x.weight[1]);
            u.here += y.weight[1][row] * middle;
            u.south += y.weight[0][row] * middle;
            u.north += y.weight[2][row] * middle;
            u.west += y.weight[1][row] * line(row, k, x.weight[0]);
            u.east += y.weight[1][row] * line(row, k, x.weight[2]);
        }
        return u;
    }
};

} // namespace flat

#endif
