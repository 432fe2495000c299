/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the CUDA kernels of slab_lines.h share: shifts and parts of lanes, and one step of the
 * elimination of a run of rows that keeps its last row as a separator. */
#ifndef STARFISH_TRIDIAG_KERNELS_SLAB_LINES_CUH
#define STARFISH_TRIDIAG_KERNELS_SLAB_LINES_CUH

extern "C" {
#include "tridiag/kernels/slab_lines.h"
}
#include "base/reciprocal.cuh"
#include "tridiag/kernels/number.cuh"
#include <cuda_runtime.h>

namespace starfish_slab
{

using starfish_number::CoefficientOf;
using starfish_number::RealOf;
using starfish_number::shift_of_row;
using starfish_number::WeighedShift;

/* A lane's shift, with the weights of the rows in device memory. Lanes are counted in 32 bits here: a division of 64
 * bits takes as long as a load. */
template <typename Real>
__device__ inline WeighedShift<Real> weighed_shift(const starfish_slab_lines &lines, unsigned lane)
{
    const Real *inner = static_cast<const Real *>(lines.shift_inner);
    const Real *outer = static_cast<const Real *>(lines.shift_outer);
    const unsigned j = lane / static_cast<unsigned>(lines.inner), i = lane - j * static_cast<unsigned>(lines.inner);

    return {inner ? __ldg(inner + i) : Real(0), (outer ? __ldg(outer + j) : Real(0)) + static_cast<Real>(lines.shift),
            static_cast<const Real *>(lines.weight)};
}

/* The same, or a number where no row has a weight. */
template <typename Real, bool WEIGHED>
__device__ inline auto shift_of_lane(const starfish_slab_lines &lines, unsigned lane)
{
    const WeighedShift<Real> shift = weighed_shift<Real>(lines, lane);
    if constexpr (WEIGHED)
        return shift;
    else
        return shift.weighed + shift.plain;
}

/* Where a lane's real is in an array that is cut into parts. */
struct Place {
    int part;
    size_t index;
};

__device__ inline Place place_of(const starfish_slab_lines &lines, unsigned lane)
{
    const unsigned j = lane / static_cast<unsigned>(lines.inner);
    Place place = {0, 0};

    while (place.part + 1 < lines.parts && j >= lines.first_outer[place.part + 1])
        place.part++;
    place.index = lane - lines.inner * lines.first_outer[place.part];
    return place;
}

/* A run of rows with all rows above row k eliminated:
 *     before v_before + diag u(k) + upper[k] u(k+1) = rhs,     u(0) = head - head_own u(k) - head_before v_before.
 * At the last row these are what slab_lines.h calls lower, diag, rhs, head, head_own and head_before. With SUMS, of row
 * sums: `diag` is the sum of before, diag and upper, and `head_before` that of 1, head_own and head_before. */
template <typename Real> struct Eliminated {
    CoefficientOf<Real> before, diag;
    Real rhs, head;
    CoefficientOf<Real> head_own, head_before;
};

template <typename Real>
__device__ inline Eliminated<Real> first_row(CoefficientOf<Real> lower, CoefficientOf<Real> diag, Real rhs)
{
    return {lower, diag, rhs, Real(0), CoefficientOf<Real>(-1), CoefficientOf<Real>(0)};
}

/* The reciprocal of a row's diagonal. */
template <bool SUMS, typename Real>
__device__ inline CoefficientOf<Real> pivot_of(const Eliminated<Real> &row, CoefficientOf<Real> upper)
{
    return reciprocal(SUMS ? row.diag - row.before - upper : row.diag);
}

/* On to the next row, of lower, diag (with its shift) and rhs; `upper` is of the row that is eliminated, and `pivot`
 * its pivot_of. */
template <bool SUMS = false, typename Real>
__device__ inline void next_row(Eliminated<Real> &row, CoefficientOf<Real> pivot, CoefficientOf<Real> upper,
                                CoefficientOf<Real> lower, CoefficientOf<Real> diag, Real rhs)
{
    const CoefficientOf<Real> own = row.head_own * pivot, multiplier = lower * pivot;
    const CoefficientOf<Real> carried = SUMS ? row.diag : upper;

    row.head -= own * row.rhs;
    row.head_before -= own * (SUMS ? row.diag : row.before);
    row.head_own = -own * upper;
    row.rhs = rhs - multiplier * row.rhs;
    row.before = -multiplier * row.before;
    row.diag = diag - multiplier * carried;
}

} // namespace starfish_slab

#endif
