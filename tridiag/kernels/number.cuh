/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Complex numbers of the kernels for chains and sums of solves. Their templates take the type of a vector's elements: a
 * real type; Complex<real, false>, where lines are real; or Complex<real, true>, where they are complex too. From it
 * follow the types of a line's coefficients and of shifts and weights.
 *
 * In a namespace of their own, so that what CUDA has for real numbers is found beside what is here for complex ones. */
#ifndef STARFISH_TRIDIAG_KERNELS_NUMBER_CUH
#define STARFISH_TRIDIAG_KERNELS_NUMBER_CUH

#include "base/real.h"
#include "base/reciprocal.cuh"
#include <cuda_runtime.h>

namespace starfish_number
{

template <typename Real, bool LINES> struct alignas(2 * sizeof(Real)) Complex {
    Real re, im;

    Complex() = default;
    __host__ __device__ Complex(Real real, Real imaginary = Real(0)) : re(real), im(imaginary) {}

    friend __device__ inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend __device__ inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend __device__ inline Complex operator-(Complex a) { return {-a.re, -a.im}; }
    friend __device__ inline Complex operator*(Complex a, Complex b)
    {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend __device__ inline Complex operator+(Complex a, Real b) { return {a.re + b, a.im}; }
    friend __device__ inline Complex operator*(Complex a, Real b) { return {a.re * b, a.im * b}; }
    friend __device__ inline Complex operator*(Real a, Complex b) { return {a * b.re, a * b.im}; }
    friend __device__ inline Complex operator/(Complex a, Real b) { return {a.re / b, a.im / b}; }
    friend __device__ inline Complex operator/(Complex a, Complex b)
    {
        const Real by = Real(1) / (b.re * b.re + b.im * b.im);
        return a * Complex(b.re * by, -b.im * by);
    }
    template <typename Other> __device__ inline Complex &operator+=(Other b) { return *this = *this + b; }
    template <typename Other> __device__ inline Complex &operator-=(Other b) { return *this = *this - b; }
    template <typename Other> __device__ inline Complex &operator*=(Other b) { return *this = *this * b; }
};

/* What vectors are made of in a file listed in starfish_number_sources (base/number_name.h). */
#if defined(STARFISH_REAL_F32) || defined(STARFISH_REAL_F64)
#if defined(STARFISH_COMPLEX_VECTORS)
typedef Complex<real, false> FileNumber;
#elif defined(STARFISH_COMPLEX_LINES)
typedef Complex<real, true> FileNumber;
#else
typedef real FileNumber;
#endif
#endif

template <typename Scalar> struct Numbers {
    typedef Scalar Real, Coefficient;
};
template <typename R> struct Numbers<Complex<R, false>> {
    typedef R Real, Coefficient;
};
template <typename R> struct Numbers<Complex<R, true>> {
    typedef R Real;
    typedef Complex<R, true> Coefficient;
};
template <typename Scalar> using RealOf = typename Numbers<Scalar>::Real;
template <typename Scalar> using CoefficientOf = typename Numbers<Scalar>::Coefficient;

/* A coefficient that was kept where elements are. */
template <typename Real> __device__ inline Real coefficient_in(Real x)
{
    return x;
}
template <typename Real> __device__ inline Real coefficient_in(Complex<Real, false> x)
{
    return x.re;
}

/* ---- What CUDA and reciprocal.cuh have for real numbers ---------------------------------------------------------- */

template <typename Real, bool LINES> __device__ inline Complex<Real, LINES> reciprocal(Complex<Real, LINES> x)
{
    const Real by = ::reciprocal(x.re * x.re + x.im * x.im);
    return {x.re * by, -x.im * by};
}

template <typename Real, bool LINES> __device__ inline Complex<Real, LINES> __ldg(const Complex<Real, LINES> *from)
{
    const Real *parts = &from->re;
    return {::__ldg(parts), ::__ldg(parts + 1)};
}

template <typename Real, bool LINES>
__device__ inline Complex<Real, LINES> __shfl_sync(unsigned threads, Complex<Real, LINES> x, int from, int group)
{
    return {::__shfl_sync(threads, x.re, from, group), ::__shfl_sync(threads, x.im, from, group)};
}

template <typename Real, bool LINES>
__device__ inline Complex<Real, LINES> __shfl_up_sync(unsigned threads, Complex<Real, LINES> x, unsigned distance,
                                                      int group)
{
    return {::__shfl_up_sync(threads, x.re, distance, group), ::__shfl_up_sync(threads, x.im, distance, group)};
}

template <typename Real, bool LINES>
__device__ inline Complex<Real, LINES> __shfl_down_sync(unsigned threads, Complex<Real, LINES> x, unsigned distance,
                                                        int group)
{
    return {::__shfl_down_sync(threads, x.re, distance, group), ::__shfl_down_sync(threads, x.im, distance, group)};
}

/* A lane's shift in row k: a number, or one that rows weigh. */
template <typename Real> struct WeighedShift {
    Real weighed, plain;
    const Real *weight;
};
template <typename Real>
__device__ __forceinline__ WeighedShift<Real> operator+(const WeighedShift<Real> &shift, Real x)
{
    return {shift.weighed, shift.plain + x, shift.weight};
}
template <typename Real> __device__ __forceinline__ Real shift_of_row(Real shift, size_t)
{
    return shift;
}
template <typename Real> __device__ __forceinline__ Real shift_of_row(const WeighedShift<Real> &shift, size_t k)
{
    return shift.plain + shift.weight[k] * shift.weighed;
}

} // namespace starfish_number

#endif
