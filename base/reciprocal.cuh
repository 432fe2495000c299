/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 1 / x within about one unit in the last place, for normal x and 1 / x: a third of the instructions of a division that
 * is correctly rounded, which is most of an elimination. */
#ifndef STARFISH_BASE_RECIPROCAL_CUH
#define STARFISH_BASE_RECIPROCAL_CUH

static __device__ __forceinline__ float reciprocal(float x)
{
    float r;

    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

/* The approximation has an error below 2^-20, the series 1 + e + e^2 leaves e^3. */
static __device__ __forceinline__ double reciprocal(double x)
{
    double r;

    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    double e = fma(-x, r, 1.0);
    e = fma(e, e, e);
    return fma(r, e, r);
}

#endif
