/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kernels need of a plan in one direction, and what they do with numbers around its transform. */
#ifndef STARFISH_FFT_KERNELS_LINE_TRANSFORM_CUH
#define STARFISH_FFT_KERNELS_LINE_TRANSFORM_CUH

#include "fft/kernels/line_fft.cuh"

namespace starfish
{

/* Pairs of butterflies of struct starfish_line_pairs. */
template <typename real> struct line_pairs {
    int count;
    bool weighted, complete;
    const int2 *place, *entry;
    const complex<real> *weight;
    real plain, ratio;
};

/* What kernels need of a plan in one direction. */
template <typename real> struct line_transform {
    line_fft<real> fft;
    bool synthesis;
    int n, length;
    int mirror;                        /* as of struct starfish_line_plan */
    const int *output;                 /* of starfish_line_outputs, of mirrored lines */
    int terms;                         /* of the combination before; of a synthesis: of the other direction's */
    bool weighted;                     /* whether any p is not 1, where it has one term */
    const int2 *input;                 /* first and second of transform_tables.h */
    const complex<real> *input_weight; /* p and q */
    line_pairs<real> pairs;            /* two real lanes a line */
    const int2 *entry;                 /* of struct starfish_line_after: a line is one lane */
    const complex<real> *weight;
    real scale;
};

__device__ __forceinline__ double real_parts(double2 a)
{
    return a.x;
}
__device__ __forceinline__ float2 real_parts(float4 a)
{
    return {a.x, a.z};
}

/* Real and imaginary parts */
__device__ __forceinline__ double2 exchanged(double2 a)
{
    return {a.y, a.x};
}
__device__ __forceinline__ float4 exchanged(float4 a)
{
    return {a.y, a.x, a.w, a.z};
}

/* The second output of an entry, by the sign that its lowest bit tells. */
__device__ __forceinline__ double signed_by(int entry, double a)
{
    return __hiloint2double(__double2hiint(a) ^ (entry << 31), __double2loint(a));
}
__device__ __forceinline__ float signed_by(int entry, float a)
{
    return __int_as_float(__float_as_int(a) ^ (entry << 31));
}
__device__ __forceinline__ double2 signed_by(int entry, double2 a)
{
    return {signed_by(entry, a.x), signed_by(entry, a.y)};
}
__device__ __forceinline__ float4 signed_by(int entry, float4 a)
{
    return {signed_by(entry, a.x), signed_by(entry, a.y), signed_by(entry, a.z), signed_by(entry, a.w)};
}

} // namespace starfish

#endif
