/* 1 / x to one unit in the last place or so, by the hardware's approximation and Newton's iteration: half the
 * instructions of a division, which is most of an elimination. Denormal x counts as zero. */
#ifndef STARFISH_TRIDIAG_BATCH_RECIPROCAL_CUH
#define STARFISH_TRIDIAG_BATCH_RECIPROCAL_CUH

static __device__ __forceinline__ float reciprocal(float x)
{
    float y;

    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ __forceinline__ double reciprocal(double x)
{
    double y;

    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    y = fma(y, fma(-x, y, 1.0), y);
    return fma(y, fma(-x, y, 1.0), y);
}

#endif
