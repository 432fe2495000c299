/* Thomas along the last direction of tiles, on CUDA: one thread per lane, neighbouring threads on neighbouring lanes,
 * so every access to a row is coalesced.
 *
 * Moves 28 bytes per f64 unknown (periodic 30) and 13 per f32 unknown (14); the floor, one read and one write, is 16
 * and 8. See thomas_line.cuh for how. Bound by memory bandwidth when there are enough lanes to fill the device, from
 * about 64 thousand on; below that by the latency of the recurrence, n divisions one after the other, twice. */
#include "tridiag/thomas_line.cuh"

#include "base/cuda_entries.h"

namespace starfish_tridiag
{
namespace
{

template <typename Real> class LaneOfTiles
{
  public:
    typedef Real Element;

    __device__ LaneOfTiles(const starfish_thomas_tiles &arguments, size_t lanes, size_t lane)
        : arguments_(arguments), lanes_(lanes), lane_(lane)
    {
    }
    __device__ size_t n() const { return arguments_.line.n; }
    __device__ int tiles() const { return arguments_.tiles; }
    __device__ size_t first(int t) const { return arguments_.first[t]; }
    __device__ int last_tile() const
    {
        int t = tiles() - 1;
        while (first(t) == n()) /* empty tiles at the end */
            t--;
        return t;
    }
    __device__ Real load(int t, size_t k) const { return *at(t, k); }
    __device__ void store(int t, size_t k, Real, Real x) const { *at(t, k) = x; }

  private:
    __device__ Real *at(int t, size_t k) const
    {
        return static_cast<Real *>(arguments_.tile[t]) + (k - arguments_.first[t]) * lanes_ + lane_;
    }
    const starfish_thomas_tiles &arguments_;
    size_t lanes_, lane_;
};

template <typename Real> __device__ inline Real lane_shift(const starfish_thomas_tiles &arguments, size_t lane)
{
    const Real *inner = static_cast<const Real *>(arguments.shift_inner);
    const Real *outer = static_cast<const Real *>(arguments.shift_outer);

    return inner[lane % arguments.inner] + (outer ? outer[lane / arguments.inner] : Real(0)) +
           static_cast<Real>(arguments.shift);
}

template <typename Real, bool Periodic>
__global__ void __launch_bounds__(THREADS) thomas_tiles(const __grid_constant__ starfish_thomas_tiles arguments)
{
    const size_t lanes = arguments.inner * arguments.outer, threads = size_t(gridDim.x) * THREADS;

    for (size_t lane = size_t(blockIdx.x) * THREADS + threadIdx.x; lane < lanes; lane += threads) {
        const bool pinned = arguments.pinned_lane >= 0 && size_t(arguments.pinned_lane) == lane;
        const LaneOfTiles<Real> tiles(arguments, lanes, lane);
        solve_line<Real, Periodic>(arguments.line, lane_shift<Real>(arguments, lane), pinned, tiles,
                                   static_cast<Real *>(arguments.workspace) + lane, lanes);
    }
}

template <typename Real> int launch_thomas_tiles(const starfish_thomas_tiles *arguments, cudaStream_t stream)
{
    const size_t lanes = arguments->inner * arguments->outer;
    auto kernel = arguments->line.periodic ? thomas_tiles<Real, true> : thomas_tiles<Real, false>;

    kernel<<<blocks_for(lanes), THREADS, 0, stream>>>(*arguments);
    return cudaGetLastError();
}

} // namespace
} // namespace starfish_tridiag

STARFISH_CUDA_ENTRIES(starfish_thomas_tiles, starfish_tridiag::launch_thomas_tiles)
