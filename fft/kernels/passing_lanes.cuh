/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lanes in device memory that nobody reads again before they have left the caches (line_lanes.cuh has the others): they
 * are read and written as the first to leave, so that what is read again stays there longer. */
#ifndef STARFISH_FFT_KERNELS_PASSING_LANES_CUH
#define STARFISH_FFT_KERNELS_PASSING_LANES_CUH

#include "fft/kernels/line_lanes.cuh"

namespace starfish
{

template <typename real> struct passing_adjacent {
    adjacent_lanes<real> lanes;
    __device__ __forceinline__ number<real> get(unsigned i) const
    {
        return __ldcs(element(lanes.data, i, lanes.stride));
    }
    __device__ __forceinline__ void put(unsigned i, number<real> value) const
    {
        __stcs(element(lanes.data, i, lanes.stride), value);
    }
};

template <typename real> struct passing_scattered {
    static constexpr int most = scattered_lanes<real, true>::most;
    scattered_lanes<real, true> lanes;
    __device__ __forceinline__ number<real> get(unsigned i) const
    {
        real part[most];
#pragma unroll
        for (int p = 0; p < most; p++)
            part[p] = __ldcs(element(lanes.lane[p], i, lanes.stride));
        return join<real, true>(part);
    }
    __device__ __forceinline__ void put(unsigned i, number<real> value) const
    {
        real part[most];
        split(value, part);
#pragma unroll
        for (int p = 0; p < most; p++)
            __stcs(element(lanes.lane[p], i, lanes.stride), part[p]);
    }
};

template <typename real> struct passing_rows : rows_of<real, true> {
    __device__ __forceinline__ auto line(unsigned l) const
    {
        return passing_scattered<real>{rows_of<real, true>::line(l)};
    }
};

template <typename real> struct passing_columns : columns_of<real, true, true> {
    __device__ __forceinline__ auto line(unsigned l) const
    {
        return passing_adjacent<real>{columns_of<real, true, true>::line(l)};
    }
};

} // namespace starfish

#endif
