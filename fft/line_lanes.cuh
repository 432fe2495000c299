/* Lanes in device memory as the lines of a tile: element i of two real lanes, or of one, wherever they lie.
 *
 * A `line` gives (get) and takes (put) element i of its lanes, a complex number or a real; a set of `lines` finds line l
 * of a tile. */
#ifndef STARFISH_FFT_LINE_LANES_CUH
#define STARFISH_FFT_LINE_LANES_CUH

#include "fft/line_fft.cuh"

namespace starfish
{

/* ---- One line ------------------------------------------------------------------------------------------------------ */
/* Two lanes side by side, aligned as a complex number. */
template <typename real> struct adjacent_lanes {
    using element = complex<real>;
    complex<real> *data;
    unsigned stride; /* in complex numbers */
    __device__ __forceinline__ element get(int i) const { return data[(size_t)i * stride]; }
    __device__ __forceinline__ void put(int i, element value) const { data[(size_t)i * stride] = value; }
};

/* Two lanes anywhere; b is a where the last one has no neighbour. */
template <typename real> struct two_lanes {
    using element = complex<real>;
    real *a, *b;
    unsigned stride;
    __device__ __forceinline__ element get(int i) const { return {a[(size_t)i * stride], b[(size_t)i * stride]}; }
    __device__ __forceinline__ void put(int i, element value) const
    {
        a[(size_t)i * stride] = value.x;
        if (b != a)
            b[(size_t)i * stride] = value.y;
    }
};

template <typename real> struct one_lane {
    using element = real;
    real *a;
    unsigned stride;
    __device__ __forceinline__ element get(int i) const { return a[(size_t)i * stride]; }
    __device__ __forceinline__ void put(int i, element value) const { a[(size_t)i * stride] = value; }
};

/* Rows that lie in column ranges, as on the spectral side of struct starfish_transform_rows; plain rows are one range. */
template <typename real> struct ranges {
    int count;
    real *base[STARFISH_TRANSFORM_MAX_TILES];
    size_t first[STARFISH_TRANSFORM_MAX_TILES + 1];
    size_t stride; /* of rows where count is 1 */
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

/* One or two rows cut into ranges. */
template <typename real, bool packed> struct cut_rows;
template <typename real> struct cut_rows<real, true> {
    using element = complex<real>;
    const ranges<real> &all;
    size_t a, b;
    __device__ __forceinline__ element get(int i) const
    {
        const column<real> at = locate(all, i);
        return {at.base[a * at.stride], at.base[b * at.stride]};
    }
    __device__ __forceinline__ void put(int i, element value) const
    {
        const column<real> at = locate(all, i);
        at.base[a * at.stride] = value.x;
        if (b != a)
            at.base[b * at.stride] = value.y;
    }
};
template <typename real> struct cut_rows<real, false> {
    using element = real;
    const ranges<real> &all;
    size_t a;
    __device__ __forceinline__ element get(int i) const
    {
        const column<real> at = locate(all, i);
        return at.base[a * at.stride];
    }
    __device__ __forceinline__ void put(int i, element value) const
    {
        const column<real> at = locate(all, i);
        at.base[a * at.stride] = value;
    }
};

/* ---- The lines of a tile -------------------------------------------------------------------------------------------- */
template <typename real, bool is_packed> struct rows_of {
    using value = real;
    static constexpr bool packed = is_packed;
    real *rows; /* the tile's first */
    size_t n;
    unsigned lanes;
    __device__ __forceinline__ auto line(unsigned l) const
    {
        if constexpr (packed) {
            real *a = rows + 2 * l * n;
            return two_lanes<real>{a, 2 * l + 1 < lanes ? a + n : a, 1};
        } else {
            return one_lane<real>{rows + l * n, 1};
        }
    }
};

template <typename real, bool is_packed> struct cut_rows_of {
    using value = real;
    static constexpr bool packed = is_packed;
    const ranges<real> &all;
    size_t first_row; /* of the tile */
    unsigned lanes;
    __device__ __forceinline__ auto line(unsigned l) const
    {
        if constexpr (packed) {
            const size_t a = first_row + 2 * l;
            return cut_rows<real, true>{all, a, 2 * l + 1 < lanes ? a + 1 : a};
        } else {
            return cut_rows<real, false>{all, first_row + l};
        }
    }
};

/* Lanes interleaved with stride `inner`; those of all planes are numbered through. `is_adjacent`: pairs are aligned as
 * complex numbers, and inner is even. */
template <typename real, bool is_packed, bool is_adjacent> struct columns_of {
    using value = real;
    static constexpr bool packed = is_packed;
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
            return adjacent_lanes<real>{reinterpret_cast<complex<real> *>(lane(2 * l)), inner / 2};
        } else if constexpr (packed) {
            real *a = lane(2 * l);
            return two_lanes<real>{a, 2 * l + 1 < lanes ? lane(2 * l + 1) : a, inner};
        } else {
            return one_lane<real>{lane(l), inner};
        }
    }
};

} // namespace starfish

#endif
