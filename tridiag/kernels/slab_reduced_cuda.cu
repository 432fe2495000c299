/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The systems of the slabs' separators, on CUDA: one thread per lane, the elimination of thomas_line.cuh.
 *
 * Bytes: 6 reals per slab and lane are read, rhs is written, and one real (periodic: two) goes to the workspace; rhs
 * and workspace are read again on the way back and rhs is written, 11 (13) reals in all. With 8 slabs of 512 x 512
 * lanes of f64 that is 0.18 GB, 0.04 ms at 4.2 TB/s, half of it from the second-level cache. Few slabs and few lanes
 * wait for memory instead, slabs times twice. */
#include "tridiag/kernels/slab_lines.cuh"
#include "tridiag/kernels/thomas_line.cuh"

#include "base/cuda_entries.h"

namespace starfish_slab
{
namespace
{

enum { THREADS = 128 };

template <typename Real> __device__ inline Real value(const void *array, size_t lane)
{
    return static_cast<const Real *>(array)[lane];
}

template <typename Real> struct SeparatorRow {
    starfish_tridiag::Row<Real> row;
    Real rhs;
};

/* Row s of a lane, with what the slab after says of its head. Of row sums, diag and head_before are sums. */
template <typename Real, bool PERIODIC>
__device__ inline SeparatorRow<Real> separator_row(const starfish_slab_reduced &system, int s, size_t lane)
{
    const bool last = s + 1 == system.slabs;
    SeparatorRow<Real> row = {
        {s > 0 || PERIODIC ? value<Real>(system.lower[s], lane) : Real(0), value<Real>(system.diag[s], lane), Real(0)},
        value<Real>(system.rhs[s], lane)};

    if (last && !PERIODIC)
        return row;
    const int next = last ? 0 : s + 1;
    const Real upper = __ldg(static_cast<const Real *>(system.upper) + s);
    row.row.diag -= upper * value<Real>(system.head_before[next], lane);
    row.row.upper = -upper * value<Real>(system.head_own[next], lane);
    row.rhs -= upper * value<Real>(system.head[next], lane);
    return row;
}

template <typename Real, bool PERIODIC, bool SUMS>
__global__ void __launch_bounds__(THREADS) reduced(const __grid_constant__ starfish_slab_reduced system)
{
    const size_t lane = size_t(blockIdx.x) * THREADS + threadIdx.x, lanes = system.lanes;
    const int slabs = system.slabs, last = slabs - 1;

    if (lane >= lanes)
        return;
    const starfish_tridiag_operator line = {size_t(slabs), PERIODIC, nullptr, nullptr, nullptr, STARFISH_TRIDIAG_REAL};
    const SeparatorRow<Real> last_row = separator_row<Real, PERIODIC>(system, last, lane);
    Real *c = static_cast<Real *>(system.workspace) + lane, *e = c + slabs * lanes;
    starfish_tridiag::Separator<Real> separator = starfish_tridiag::begin_separator<Real>(line, last_row.row);
    starfish_tridiag::Eliminated<Real> above = {Real(0), Real(0), Real(-1), Real(0)};

    for (int s = 0; s < last; s++) {
        const SeparatorRow<Real> row = separator_row<Real, PERIODIC>(system, s, lane);
        above = starfish_tridiag::eliminate<Real, PERIODIC, SUMS>(above, row.row, Real(0), row.rhs);
        if (PERIODIC && s + 1 < last)
            starfish_tridiag::update_separator<SUMS>(separator, above);
        static_cast<Real *>(system.rhs[s])[lane] = above.d;
        c[s * lanes] = above.c;
        if (PERIODIC)
            e[s * lanes] = above.e;
    }
    const bool pinned = system.pinned_lane >= 0 && size_t(system.pinned_lane) == lane;
    const Real v_last =
        pinned ? Real(0)
               : starfish_tridiag::solve_separator<SUMS>(line, separator, above, last_row.row, Real(0), last_row.rhs);
    Real v = v_last;
    static_cast<Real *>(system.rhs[last])[lane] = v;
    for (int s = last - 1; s >= 0; s--) {
        Real *d = static_cast<Real *>(system.rhs[s]) + lane;
        v = *d - c[s * lanes] * v - (PERIODIC ? e[s * lanes] * v_last : Real(0));
        *d = v;
    }
}

template <typename Real> int launch_reduced(const starfish_slab_reduced *arguments, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>((arguments->lanes + THREADS - 1) / THREADS);
    auto periodic = arguments->row_sums ? reduced<Real, true, true> : reduced<Real, true, false>;
    auto open = arguments->row_sums ? reduced<Real, false, true> : reduced<Real, false, false>;
    auto kernel = arguments->periodic ? periodic : open;

    kernel<<<blocks, THREADS, 0, stream>>>(*arguments);
    return cudaGetLastError();
}

} // namespace
} // namespace starfish_slab

STARFISH_CUDA_ENTRIES(starfish_slab_reduced, starfish_slab::launch_reduced)
