/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a slab says of its ends, on CUDA: one read of the slab.
 *
 * Floor: 1 real per unknown; 512 planes of 512 x 512 lanes of f64 are 1.07 GB, 0.26 ms at 4.2 TB/s. One thread takes
 * some neighbouring lanes, so that what is the same for all lanes is loaded once for them, and walks down the planes;
 * its loads do not wait for each other, and those of the next few planes are issued before these are worked on. With
 * few lanes it is bound by the recurrence, about 80 cycles per row. Measured on an H200: 0.26 ms for the above where
 * shifts make all but the nearest rows count for nothing, 0.29 ms where they do not (0.98 and 0.88 of a device copy's
 * bandwidth); f32 0.17 ms. */
#include "tridiag/kernels/slab_lines.cuh"

#include "base/cuda_entries.h"

namespace starfish_slab
{
namespace
{

enum { THREADS = 128, STEP = 8 };

/* Neighbouring lanes, moved by one instruction where memory is aligned to it. */
template <typename Real, int LANES> struct alignas(LANES * sizeof(Real)) Pack {
    Real lane[LANES];
};

/* STEP rows from row k on; zero beyond the last. */
template <typename Real, int LANES>
__device__ inline void load_rows(Pack<Real, LANES> *to, const Real *data, size_t k, size_t rows, size_t plane)
{
#pragma unroll
    for (int i = 0; i < STEP; i++)
        if (k + i < rows)
            to[i] = *reinterpret_cast<const Pack<Real, LANES> *>(data + (k + i) * plane);
}

template <typename Real, int LANES, bool SUMS> struct Walk {
    const starfish_slab_lines &lines;
    WeighedShift<Real> shift[LANES];
    Eliminated<Real> row[LANES];

    __device__ Real at(const void *array, size_t k) const { return __ldg(static_cast<const Real *>(array) + k); }
    __device__ Real weight(size_t k) const { return lines.weight ? at(lines.weight, k) : Real(1); }
    __device__ void start(const Pack<Real, LANES> &rhs)
    {
        const Real lower = at(lines.lower, 0), diag = at(lines.diag, 0), by = weight(0);
#pragma unroll
        for (int l = 0; l < LANES; l++)
            row[l] = first_row(lower, diag + (shift[l].plain + by * shift[l].weighed), rhs.lane[l]);
    }
    __device__ void step(size_t k, const Pack<Real, LANES> &rhs)
    {
        const Real upper = at(lines.upper, k - 1), lower = at(lines.lower, k), diag = at(lines.diag, k);
        const Real by = weight(k);
#pragma unroll
        for (int l = 0; l < LANES; l++)
            next_row<SUMS>(row[l], pivot_of<SUMS>(row[l], upper), upper, lower,
                           diag + (shift[l].plain + by * shift[l].weighed), rhs.lane[l]);
    }
};

template <typename Real, int LANES, bool SUMS>
__device__ inline Walk<Real, LANES, SUMS> new_walk(const starfish_slab_lines &lines, unsigned lane)
{
    Walk<Real, LANES, SUMS> walk = {lines, {}, {}};

    for (int l = 0; l < LANES; l++)
        walk.shift[l] = weighed_shift<Real>(lines, lane + l);
    return walk;
}

__device__ inline unsigned first_lane(int lanes_per_thread)
{
    return (blockIdx.x * THREADS + threadIdx.x) * lanes_per_thread;
}

template <typename Real, int LANES, bool SUMS>
__global__ void __launch_bounds__(THREADS) ends(const __grid_constant__ starfish_slab_ends arguments)
{
    typedef Pack<Real, LANES> Some;
    const starfish_slab_lines &lines = arguments.lines;
    const unsigned lane = first_lane(LANES);
    const size_t lanes = lines.inner * lines.outer, rows = lines.rows;
    const Real *data = static_cast<const Real *>(arguments.data) + lane;

    if (lane >= lanes)
        return;
    Some now[STEP], ahead[STEP];
    load_rows(now, data, 0, rows, lines.plane);
    Walk<Real, LANES, SUMS> walk = new_walk<Real, LANES, SUMS>(lines, lane);
    walk.start(now[0]);
    for (size_t k = 0; k < rows; k += STEP) {
        load_rows(ahead, data, k + STEP, rows, lines.plane);
#pragma unroll
        for (int i = 0; i < STEP; i++) {
            if (k + i > 0 && k + i < rows)
                walk.step(k + i, now[i]);
            now[i] = ahead[i];
        }
    }
    for (int l = 0; l < LANES; l++) {
        const Place place = place_of(lines, lane + l);
        static_cast<Real *>(arguments.rhs[place.part])[place.index] = walk.row[l].rhs;
        static_cast<Real *>(arguments.head[place.part])[place.index] = walk.row[l].head;
    }
}

template <typename Real, bool SUMS>
__global__ void __launch_bounds__(THREADS) coefficients(const __grid_constant__ starfish_slab_coefficients arguments)
{
    const starfish_slab_lines &lines = arguments.lines;
    const unsigned lane = first_lane(1);
    const Pack<Real, 1> zero = {};

    if (lane >= lines.inner * lines.outer)
        return;
    Walk<Real, 1, SUMS> walk = new_walk<Real, 1, SUMS>(lines, lane);
    walk.start(zero);
    for (size_t k = 1; k < lines.rows; k++)
        walk.step(k, zero);
    const Place place = place_of(lines, lane);
    static_cast<Real *>(arguments.lower[place.part])[place.index] = walk.row[0].before;
    static_cast<Real *>(arguments.diag[place.part])[place.index] = walk.row[0].diag;
    static_cast<Real *>(arguments.head_own[place.part])[place.index] = walk.row[0].head_own;
    static_cast<Real *>(arguments.head_before[place.part])[place.index] = walk.row[0].head_before;
}

unsigned blocks_of(const starfish_slab_lines &lines, int lanes_per_thread)
{
    const size_t lanes = size_t(THREADS) * lanes_per_thread;

    return static_cast<unsigned>((lines.inner * lines.outer + lanes - 1) / lanes);
}

template <typename Real, bool SUMS>
int launch_ends_of(const starfish_slab_ends &arguments, bool pairs, cudaStream_t stream)
{
    if (pairs)
        ends<Real, 2, SUMS><<<blocks_of(arguments.lines, 2), THREADS, 0, stream>>>(arguments);
    else
        ends<Real, 1, SUMS><<<blocks_of(arguments.lines, 1), THREADS, 0, stream>>>(arguments);
    return cudaGetLastError();
}

template <typename Real> int launch_ends(const starfish_slab_ends *arguments, cudaStream_t stream)
{
    const starfish_slab_lines &lines = arguments->lines;
    const bool pairs = lines.inner * lines.outer % 2 == 0 && lines.plane % 2 == 0 &&
                       reinterpret_cast<size_t>(arguments->data) % (2 * sizeof(Real)) == 0;

    return lines.row_sums ? launch_ends_of<Real, true>(*arguments, pairs, stream)
                          : launch_ends_of<Real, false>(*arguments, pairs, stream);
}

template <typename Real> int launch_coefficients(const starfish_slab_coefficients *arguments, cudaStream_t stream)
{
    auto kernel = arguments->lines.row_sums ? coefficients<Real, true> : coefficients<Real, false>;

    kernel<<<blocks_of(arguments->lines, 1), THREADS, 0, stream>>>(*arguments);
    return cudaGetLastError();
}

} // namespace
} // namespace starfish_slab

STARFISH_CUDA_ENTRIES(starfish_slab_ends, starfish_slab::launch_ends)
STARFISH_CUDA_ENTRIES(starfish_slab_coefficients, starfish_slab::launch_coefficients)
