/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a fine unknown lies between coarse ones, on the GPU: two coarse indices and their weights in each direction
 * (flux.h). */
#ifndef STARFISH_MULTIGRID_FLUX_TRANSFER_CUH
#define STARFISH_MULTIGRID_FLUX_TRANSFER_CUH

extern "C" {
#include "multigrid/kernels/flux.h"
}

namespace flux
{

template <typename real> struct Transfer {
    int fine, coarse, periodic, ghosts;
    const real *lower, *upper, *gather[4];
};

template <typename real> Transfer<real> transfer_of(const starfish_flux_transfer &t)
{
    Transfer<real> to = {int(t.fine),
                         int(t.coarse),
                         t.periodic,
                         t.ghosts,
                         static_cast<const real *>(t.lower),
                         static_cast<const real *>(t.upper),
                         {}};
    for (int tap = 0; tap < 4; tap++)
        to.gather[tap] = static_cast<const real *>(t.gather[tap]);
    return to;
}

/* The starts of two coarse unknowns, rows (within a plane) or planes, and their weights. */
template <typename real, typename Index = long long> struct Pair {
    Index start[2];
    real weight[2];
};

/* Of fine index i. */
template <typename real, typename Index = long long>
__device__ Pair<real, Index> pair_of(const Transfer<real> &t, int i, Index stride)
{
    if (t.fine == t.coarse)
        return {{Index(i) * stride, Index(i) * stride}, {1, 0}};
    const int upper = (i + 1) / 2;
    const int first = t.ghosts     ? -1
                      : t.periodic ? t.coarse - 1
                                   : 0,
              end = t.ghosts     ? t.coarse
                    : t.periodic ? 0
                                 : t.coarse - 1;
    return {{Index(upper > 0 ? upper - 1 : first) * stride, Index(upper < t.coarse ? upper : end) * stride},
            {t.lower[i], t.upper[i]}};
}

/* The value at one row of a coarse plane between two columns. */
template <typename real> __device__ __forceinline__ real between(const real *plane, const Pair<real, int> &x, int row)
{
    return x.weight[0] * __ldg(plane + (row + x.start[0])) + x.weight[1] * __ldg(plane + (row + x.start[1]));
}

} // namespace flux

#endif
