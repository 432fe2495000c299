/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lanes in device memory as the lines of a tile, wherever they lie.
 *
 * A line is as many real lanes as a `number` has parts where two lanes go as one complex line (`packed`), half as many
 * where a line is one lane. It gives (get) and takes (put) element i of its lanes, as a number or as a half. A set of
 * lines finds line l of a tile. */
#ifndef STARFISH_FFT_KERNELS_LINE_LANES_CUH
#define STARFISH_FFT_KERNELS_LINE_LANES_CUH

#include "fft/kernels/line_fft.cuh"

#include <type_traits>

namespace starfish
{

/* ---- Values of a line's lanes ----------------------------------------------------------------------------------- */
template <typename real, bool packed> struct values_of {
    static constexpr int lanes = static_cast<int>(STARFISH_LINE_NUMBER / sizeof(real)) / (packed ? 1 : 2);
    using type = typename std::conditional<packed, number<real>, half<real>>::type;
};

template <typename real, bool packed>
__device__ __forceinline__ typename values_of<real, packed>::type
join(const real (&part)[values_of<real, packed>::lanes])
{
    if constexpr (values_of<real, packed>::lanes == 1)
        return part[0];
    else if constexpr (values_of<real, packed>::lanes == 2)
        return {part[0], part[1]};
    else
        return {part[0], part[1], part[2], part[3]};
}

__device__ __forceinline__ void split(double value, double (&part)[1])
{
    part[0] = value;
}
__device__ __forceinline__ void split(double2 value, double (&part)[2])
{
    part[0] = value.x;
    part[1] = value.y;
}
__device__ __forceinline__ void split(float2 value, float (&part)[2])
{
    part[0] = value.x;
    part[1] = value.y;
}
__device__ __forceinline__ void split(float4 value, float (&part)[4])
{
    part[0] = value.x;
    part[1] = value.y;
    part[2] = value.z;
    part[3] = value.w;
}

/* ---- One line --------------------------------------------------------------------------------------------------- */
/* Element i of a lane whose elements are `stride` bytes apart: one instruction, where an index of 64 bits takes six. */
template <typename value> __device__ __forceinline__ value *element(value *first, unsigned i, unsigned stride)
{
    return reinterpret_cast<value *>(reinterpret_cast<char *>(first) + (unsigned long long)i * stride);
}

/* Values that pass through once are the first to leave the L2 cache. */
template <bool passing, typename value> __device__ __forceinline__ value load(const value *from)
{
    if constexpr (passing)
        return __ldcs(from);
    else
        return *from;
}
template <bool passing, typename value> __device__ __forceinline__ void store(value *to, value what)
{
    if constexpr (passing)
        __stcs(to, what);
    else
        *to = what;
}

/* Lanes side by side, aligned as a number. */
template <typename real, bool passing> struct adjacent_lanes {
    number<real> *data;
    unsigned stride; /* bytes */
    __device__ __forceinline__ number<real> get(unsigned i) const { return load<passing>(element(data, i, stride)); }
    __device__ __forceinline__ void put(unsigned i, number<real> value) const
    {
        store<passing>(element(data, i, stride), value);
    }
};

/* Lanes anywhere. Those that are missing behind the last are the first once more, as good as it. */
template <typename real, bool packed, bool passing = false> struct scattered_lanes {
    static constexpr int most = values_of<real, packed>::lanes;
    real *lane[most];
    unsigned stride; /* bytes */
    __device__ __forceinline__ typename values_of<real, packed>::type get(unsigned i) const
    {
        real part[most];
#pragma unroll
        for (int p = 0; p < most; p++)
            part[p] = load<passing>(element(lane[p], i, stride));
        return join<real, packed>(part);
    }
    __device__ __forceinline__ void put(unsigned i, typename values_of<real, packed>::type value) const
    {
        real part[most];
        split(value, part);
#pragma unroll
        for (int p = 0; p < most; p++)
            store<passing>(element(lane[p], i, stride), part[p]);
    }
};

/* Rows that lie in column ranges, as on the spectral side of struct starfish_transform_rows; plain rows are one
 * range. */
template <typename real> struct ranges {
    int count;
    real *base[STARFISH_TRANSFORM_MAX_TILES];
    size_t first[STARFISH_TRANSFORM_MAX_TILES + 1];
    size_t stride; /* of rows where count is 1 */
};

/* Where rows lie that may not be packed: row r, from `first` on. */
struct row_places {
    starfish_strides strides; /* zero: packed, n apart */
    size_t first, n;
    __device__ __forceinline__ size_t operator()(size_t r) const
    {
        return strides.row == 0 ? r * n : starfish_strides_row(&strides, first + r);
    }
};

/* Element i of row 0, and how far the next row is. */
template <typename real> struct column {
    real *base;
    size_t stride;
};

template <typename real> __device__ column<real> locate(const ranges<real> &ranges, size_t i)
{
    if (ranges.count == 1)
        return {ranges.base[0] + i, ranges.stride};
    int t = 0;
    while (i >= ranges.first[t + 1])
        t++;
    return {ranges.base[t] + (i - ranges.first[t]), ranges.first[t + 1] - ranges.first[t]};
}

/* Rows cut into ranges, numbered from `row` on. */
template <typename real, bool packed> struct cut_rows {
    static constexpr int most = values_of<real, packed>::lanes;
    const ranges<real> &all;
    size_t row;
    int count;
    __device__ __forceinline__ typename values_of<real, packed>::type get(int i) const
    {
        const column<real> at = locate(all, i);
        real part[most];
#pragma unroll
        for (int p = 0; p < most; p++)
            part[p] = at.base[(row + (p < count ? p : 0)) * at.stride];
        return join<real, packed>(part);
    }
    __device__ __forceinline__ void put(int i, typename values_of<real, packed>::type value) const
    {
        const column<real> at = locate(all, i);
        real part[most];
        split(value, part);
#pragma unroll
        for (int p = 0; p < most; p++)
            if (p < count)
                at.base[(row + p) * at.stride] = part[p];
    }
};

/* ---- The lines of a tile ---------------------------------------------------------------------------------------- */
/* How many lines hold so many lanes, and how many lanes line l has. */
template <typename real, bool packed> __device__ __forceinline__ int lines_of(unsigned lanes)
{
    constexpr int most = values_of<real, packed>::lanes;
    return (static_cast<int>(lanes) + most - 1) / most;
}

template <typename real, bool is_packed, bool passing = false> struct rows_of {
    static constexpr bool packed = is_packed;
    static constexpr int most = values_of<real, packed>::lanes;
    real *rows; /* the tile's first */
    unsigned n, lanes;
    __device__ __forceinline__ auto line(unsigned l) const
    {
        scattered_lanes<real, packed, passing> line = {{}, sizeof(real)};
        real *first = rows + (size_t)(l * most) * n;
#pragma unroll
        for (int p = 0; p < most; p++)
            line.lane[p] = l * most + p < lanes ? first + (size_t)p * n : first;
        return line;
    }
};

/* Rows from `first` on, wherever they lie. */
template <typename real, bool is_packed> struct placed_rows_of {
    static constexpr bool packed = is_packed;
    static constexpr int most = values_of<real, packed>::lanes;
    real *data;
    const row_places &places;
    size_t first; /* of the tile */
    unsigned lanes;
    __device__ __forceinline__ auto line(unsigned l) const
    {
        scattered_lanes<real, packed> line = {{}, sizeof(real)};
#pragma unroll
        for (int p = 0; p < most; p++)
            line.lane[p] = data + places(first + l * most + (l * most + p < lanes ? p : 0));
        return line;
    }
};

template <typename real, bool is_packed> struct cut_rows_of {
    static constexpr bool packed = is_packed;
    static constexpr int most = values_of<real, packed>::lanes;
    const ranges<real> &all;
    size_t first_row; /* of the tile */
    unsigned lanes;
    __device__ __forceinline__ auto line(unsigned l) const
    {
        return cut_rows<real, packed>{all, first_row + l * most, min(most, (int)(lanes - l * most))};
    }
};

/* Lanes interleaved with stride `inner`; those of all planes are numbered through. `is_adjacent`: a line's lanes lie
 * side by side, aligned, in every plane. */
template <typename real, bool is_packed, bool is_adjacent, bool passing = false> struct columns_of {
    static constexpr bool packed = is_packed;
    static constexpr int most = values_of<real, packed>::lanes;
    real *data; /* the plane of the tile's first lane */
    unsigned inner;
    size_t plane;
    unsigned first_lane; /* of the tile, in that plane */
    unsigned lanes;

    __device__ __forceinline__ real *lane(unsigned number) const
    {
        real *base = data;
        number += first_lane;
        while (number >= inner) {
            number -= inner;
            base += plane;
        }
        return base + number;
    }
    __device__ __forceinline__ auto line(unsigned l) const
    {
        if constexpr (packed && is_adjacent) {
            return adjacent_lanes<real, passing>{reinterpret_cast<number<real> *>(lane(l * most)),
                                                 inner * static_cast<unsigned>(sizeof(real))};
        } else {
            scattered_lanes<real, packed, passing> line = {{}, inner * static_cast<unsigned>(sizeof(real))};
#pragma unroll
            for (int p = 0; p < most; p++)
                line.lane[p] = lane(l * most + (l * most + p < lanes ? p : 0));
            return line;
        }
    }
};

} // namespace starfish

#endif
