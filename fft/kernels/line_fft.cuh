/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Complex Fourier transforms of lines that lie in shared memory, by a block of threads (line_plan.h).
 *
 * A pass reads and writes every number once, 32 bytes of shared memory, and meets one barrier; the first reads and the
 * last writes device memory instead (line_tile.cuh). Those two hold two butterflies at once, so that their radices are
 * at most 8; passes between them go up to 16, which saves 640, 768, 896 and 1024 their fourth pass.
 *
 * Source for the small odd lengths: symmetric sums, as in Winograd, Math. Comp. 32 (1978), without his nesting. */
#ifndef STARFISH_FFT_KERNELS_LINE_FFT_CUH
#define STARFISH_FFT_KERNELS_LINE_FFT_CUH

extern "C" {
#include "fft/kernels/line_plan.h"
}

#include <cuda_runtime.h>

namespace starfish
{

template <typename real> struct types;
template <> struct types<float> {
    using complex = float2;
    using number = float4;
    using half = float2;
};
template <> struct types<double> {
    using complex = double2;
    using number = double2;
    using half = double;
};
template <typename real> using complex = typename types<real>::complex;

/* What a thread handles as one: 16 bytes, the complex numbers at the same place of one line in f64 and of two in
 * f32, so that in f32 too an access to memory moves 16 bytes and finding it costs the same. Real parts alone are a
 * `half`. */
template <typename real> using number = typename types<real>::number;
template <typename real> using half = typename types<real>::half;

__device__ __forceinline__ double2 operator+(double2 a, double2 b)
{
    return {a.x + b.x, a.y + b.y};
}
__device__ __forceinline__ float4 operator+(float4 a, float4 b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__device__ __forceinline__ double2 operator-(double2 a, double2 b)
{
    return {a.x - b.x, a.y - b.y};
}
__device__ __forceinline__ float4 operator-(float4 a, float4 b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}
__device__ __forceinline__ double2 operator*(double c, double2 a)
{
    return {c * a.x, c * a.y};
}
__device__ __forceinline__ float4 operator*(float c, float4 a)
{
    return {c * a.x, c * a.y, c * a.z, c * a.w};
}

/* -i a: a quarter turn */
__device__ __forceinline__ double2 quarter(double2 a)
{
    return {a.y, -a.x};
}
__device__ __forceinline__ float4 quarter(float4 a)
{
    return {a.y, -a.x, a.w, -a.z};
}

/* a w; a complex number, or all of a `number` */
template <typename complex> __device__ __forceinline__ complex turned_by(complex a, complex w)
{
    return {a.x * w.x - a.y * w.y, a.x * w.y + a.y * w.x};
}
__device__ __forceinline__ float4 turned_by(float4 a, float2 w)
{
    const float2 first = turned_by(float2{a.x, a.y}, w), second = turned_by(float2{a.z, a.w}, w);
    return {first.x, first.y, second.x, second.y};
}

/* ---- Transforms of a few numbers in registers ------------------------------------------------------------------- */
/* cos and sin of 2 pi k / n. */
template <int n> __device__ __forceinline__ double cosine(int k)
{
    static_assert(n == 3 || n == 5 || n == 7 || n == 16);
    constexpr double thirds[] = {1, -0.5, -0.5};
    constexpr double sixteenths[] = {1,  0.92387953251128675613,  0.70710678118654752440,  0.38268343236508977173,
                                     0,  -0.38268343236508977173, -0.70710678118654752440, -0.92387953251128675613,
                                     -1, -0.92387953251128675613};
    constexpr double fifths[] = {1, 0.30901699437494742410, -0.80901699437494742410, -0.80901699437494742410,
                                 0.30901699437494742410};
    constexpr double sevenths[] = {1,
                                   0.62348980185873353053,
                                   -0.22252093395631440429,
                                   -0.90096886790241912624,
                                   -0.90096886790241912624,
                                   -0.22252093395631440429,
                                   0.62348980185873353053};
    return n == 3 ? thirds[k % 3] : n == 5 ? fifths[k % 5] : n == 7 ? sevenths[k % 7] : sixteenths[k];
}

template <int n> __device__ __forceinline__ double sine(int k)
{
    static_assert(n == 3 || n == 5 || n == 7 || n == 16);
    constexpr double sixteenths[] = {0, 0.38268343236508977173, 0.70710678118654752440, 0.92387953251128675613,
                                     1, 0.92387953251128675613, 0.70710678118654752440, 0.38268343236508977173,
                                     0, -0.38268343236508977173};
    constexpr double thirds[] = {0, 0.86602540378443864676, -0.86602540378443864676};
    constexpr double fifths[] = {0, 0.95105651629515357212, 0.58778525229247312917, -0.58778525229247312917,
                                 -0.95105651629515357212};
    constexpr double sevenths[] = {0,
                                   0.78183148246802980871,
                                   0.97492791218182360702,
                                   0.43388373911755812048,
                                   -0.43388373911755812048,
                                   -0.97492791218182360702,
                                   -0.78183148246802980871};
    return n == 3 ? thirds[k % 3] : n == 5 ? fifths[k % 5] : n == 7 ? sevenths[k % 7] : sixteenths[k];
}

/* x[k] = sum of x[j] exp(-2 pi i j k / n): the odd n. Terms j and n - j share their cosine and, up to sign, their
 * sine. */
template <typename real, int n> struct dft {
    static __device__ __forceinline__ void apply(number<real> (&x)[n])
    {
        constexpr int half = (n - 1) / 2;
        number<real> even[half], odd[half], first = x[0];
#pragma unroll
        for (int j = 0; j < half; j++) {
            even[j] = x[j + 1] + x[n - 1 - j];
            odd[j] = quarter(x[j + 1] - x[n - 1 - j]);
            x[0] = x[0] + even[j];
        }
#pragma unroll
        for (int k = 1; k <= half; k++) {
            number<real> cosines = first, sines = {};
#pragma unroll
            for (int j = 0; j < half; j++) {
                cosines = cosines + static_cast<real>(cosine<n>(k * (j + 1))) * even[j];
                sines = sines + static_cast<real>(sine<n>(k * (j + 1))) * odd[j];
            }
            x[k] = cosines + sines;
            x[n - k] = cosines - sines;
        }
    }
};

template <typename real> struct dft<real, 1> {
    static __device__ __forceinline__ void apply(number<real> (&)[1]) {}
};

template <typename real> struct dft<real, 2> {
    static __device__ __forceinline__ void apply(number<real> (&x)[2])
    {
        const number<real> a = x[0];
        x[0] = a + x[1];
        x[1] = a - x[1];
    }
};

template <typename real> struct dft<real, 4> {
    static __device__ __forceinline__ void apply(number<real> (&x)[4])
    {
        const number<real> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = quarter(x[1] - x[3]);
        x[0] = a + c;
        x[1] = b + d;
        x[2] = a - c;
        x[3] = b - d;
    }
};

/* x times exp(-2 pi i k / n), for the k that a product of two lengths meets. */
template <typename real, int n> __device__ __forceinline__ number<real> turn(number<real> x, int k)
{
    if (k == 0)
        return x;
    if constexpr (n == 8) {
        const real c = static_cast<real>(0.70710678118654752440);
        return k == 1 ? c * (x + quarter(x)) : k == 2 ? quarter(x) : c * (quarter(x) - x);
    } else if (n == 16 && k % 2 == 0) {
        return turn<real, 8>(x, k / 2);
    } else {
        return static_cast<real>(cosine<n>(k)) * x + static_cast<real>(sine<n>(k)) * quarter(x);
    }
}

/* n = a b: b transforms of length a, turns, a transforms of length b (Cooley and Tukey 1965). */
template <typename real, int a, int b> struct dft_product {
    static __device__ __forceinline__ void apply(number<real> (&x)[a * b])
    {
#pragma unroll
        for (int j = 0; j < b; j++) {
            number<real> part[a];
#pragma unroll
            for (int i = 0; i < a; i++)
                part[i] = x[i * b + j];
            dft<real, a>::apply(part);
#pragma unroll
            for (int i = 0; i < a; i++)
                x[i * b + j] = turn<real, a * b>(part[i], i * j);
        }
        number<real> out[a * b];
#pragma unroll
        for (int i = 0; i < a; i++) {
            number<real> part[b];
#pragma unroll
            for (int j = 0; j < b; j++)
                part[j] = x[i * b + j];
            dft<real, b>::apply(part);
#pragma unroll
            for (int j = 0; j < b; j++)
                out[i + a * j] = part[j];
        }
#pragma unroll
        for (int i = 0; i < a * b; i++)
            x[i] = out[i];
    }
};

/* n = a b without a common factor: the inputs i b + j a of i < a, j < b need no turns, and output k is that of k mod a
 * and k mod b (Good 1958). */
template <typename real, int a, int b> struct dft_coprime {
    static __device__ __forceinline__ void apply(number<real> (&x)[a * b])
    {
        number<real> rows[b][a];
#pragma unroll
        for (int j = 0; j < b; j++) {
#pragma unroll
            for (int i = 0; i < a; i++)
                rows[j][i] = x[(i * b + j * a) % (a * b)];
            dft<real, a>::apply(rows[j]);
        }
#pragma unroll
        for (int i = 0; i < a; i++) {
            number<real> part[b];
#pragma unroll
            for (int j = 0; j < b; j++)
                part[j] = rows[j][i];
            dft<real, b>::apply(part);
#pragma unroll
            for (int k = i; k < a * b; k += a)
                x[k] = part[k % b];
        }
    }
};

template <typename real> struct dft<real, 6> : dft_coprime<real, 2, 3> {
};
template <typename real> struct dft<real, 10> : dft_coprime<real, 2, 5> {
};
template <typename real> struct dft<real, 8> : dft_product<real, 2, 4> {
};
template <typename real> struct dft<real, 16> : dft_product<real, 4, 4> {
};

/* ---- Passes over the lines of a block --------------------------------------------------------------------------- */
template <typename real> struct line_pass {
    int radix, butterflies, span, step;
    const int2 *start;
    const complex<real> *twiddle;
};

template <typename real> struct line_fft {
    int passes;
    line_pass<real> pass[STARFISH_LINE_PASSES];
};

/* Where the lines of a block lie, and which of their elements this thread takes. Place p of line l is number
 * l * distance + (p << shift): side by side for columns, one behind the other for rows. */
struct line_share {
    int lines;                       /* of this block */
    int shift, distance;             /* of places, as a power of two; of lines */
    int first_line, line_step;       /* this thread's lines */
    int first_element, element_step; /* and its butterflies, or pairs of them, in each of them */
    bool in_warp;                    /* whether all threads that share a line are of one warp */
};

/* x[s] times w^s. w, w^2, w^4 and w^8 come from the table, the other powers are their products, which costs less than
 * reading them. */
template <typename real, int radix>
__device__ __forceinline__ void twiddle(number<real> (&x)[radix], const complex<real> *table, int span)
{
    if constexpr (radix > 1) {
        const complex<real> w1 = __ldg(table);
        x[1] = turned_by(x[1], w1);
        if constexpr (radix > 2) {
            const complex<real> w2 = __ldg(table + span), w3 = turned_by(w1, w2);
            x[2] = turned_by(x[2], w2);
            if constexpr (radix > 3)
                x[3] = turned_by(x[3], w3);
            if constexpr (radix > 4) {
                const complex<real> w4 = __ldg(table + 2 * span);
                const complex<real> w[8] = {
                    {}, w1, w2, w3, w4, turned_by(w4, w1), turned_by(w4, w2), turned_by(w4, w3)};
#pragma unroll
                for (int s = 4; s < radix && s < 8; s++)
                    x[s] = turned_by(x[s], w[s]);
                if constexpr (radix > 8) {
                    const complex<real> w8 = __ldg(table + 3 * span);
                    x[8] = turned_by(x[8], w8);
#pragma unroll
                    for (int s = 9; s < radix; s++)
                        x[s] = turned_by(x[s], turned_by(w8, w[s - 8]));
                }
            }
        }
    }
}

/* Registers that some path leaves as they were would be kept through every loop around. */
template <typename number, int count> __device__ __forceinline__ void clear(number (&x)[count])
{
#pragma unroll
    for (int s = 0; s < count; s++)
        x[s] = number{};
}

/* One pass over butterflies that are independent of each other. `load` fills the inputs of butterfly j of line l, from
 * shared memory or, in the first pass, from wherever the line comes from; `depth` butterflies are loaded before the
 * first is used. `store` takes the outputs. */
template <typename real, int radix, typename loader, typename storer>
__device__ __forceinline__ void run_butterflies(const line_pass<real> &pass, const line_share &share,
                                                number<real> *numbers, const loader &load, const storer &store)
{
    constexpr int depth = loader::depth;
    const int step = pass.step << share.shift;
#pragma unroll 1
    for (int first = share.first_element; first < pass.butterflies; first += depth * share.element_step)
#pragma unroll 1
        for (int l = share.first_line; l < share.lines; l += share.line_step) {
            number<real> x[depth][radix];
            int2 start[depth];
#pragma unroll
            for (int d = 0; d < depth; d++) {
                const int b = first + d * share.element_step;
                start[d] = make_int2(0, 0);
                if (d > 0 && b >= pass.butterflies) {
                    clear(x[d]);
                    continue;
                }
                start[d] = __ldg(&pass.start[b]);
                load.template fill<radix>(x[d], l, loader::in_order ? b : start[d].y, pass.span,
                                          numbers + l * share.distance + (start[d].x << share.shift), step);
            }
#pragma unroll
            for (int d = 0; d < depth; d++)
                if (d == 0 || first + d * share.element_step < pass.butterflies) {
                    dft<real, radix>::apply(x[d]);
                    store.template drain<radix>(x[d], l, start[d].y, pass,
                                                numbers + l * share.distance + (start[d].x << share.shift), step);
                }
        }
}

/* Called, not inlined: the compiler took minutes for a copy of each radix in each place of each kernel. Radix 8 is
 * inlined everywhere, which is as fast as before. Arguments go by value, since the compiler reads those behind a
 * reference again after each store. */
template <typename real, int radix, typename loader, typename storer>
__device__ __noinline__ void call_butterflies(line_pass<real> pass, line_share share, number<real> *numbers,
                                              loader load, storer store)
{
    __builtin_assume(__isShared(numbers));
    run_butterflies<real, radix>(pass, share, numbers, load, store);
}

/* radix: that of the pass where it is known at compile time, whose code then is inlined; else 0. */
template <int radix, typename real, typename loader, typename storer>
__device__ __forceinline__ void run_pass(const line_pass<real> &pass, const line_share &share, number<real> *numbers,
                                         const loader &load, const storer &store)
{
    if constexpr (radix > 0)
        return run_butterflies<real, radix>(pass, share, numbers, load, store);
    switch (pass.radix) {
    case 1:
        return call_butterflies<real, 1>(pass, share, numbers, load, store);
    case 2:
        return call_butterflies<real, 2>(pass, share, numbers, load, store);
    case 3:
        return call_butterflies<real, 3>(pass, share, numbers, load, store);
    case 4:
        return call_butterflies<real, 4>(pass, share, numbers, load, store);
    case 5:
        return call_butterflies<real, 5>(pass, share, numbers, load, store);
    case 6:
        return call_butterflies<real, 6>(pass, share, numbers, load, store);
    case 7:
        return call_butterflies<real, 7>(pass, share, numbers, load, store);
    case 8:
        return run_butterflies<real, 8>(pass, share, numbers, load, store);
    case 10:
        return call_butterflies<real, 10>(pass, share, numbers, load, store);
    }
}

template <typename real> struct from_shared {
    static constexpr int depth = 1;
    static constexpr bool in_order = false;
    template <int radix>
    __device__ __forceinline__ void fill(number<real> (&x)[radix], int, int, int, const number<real> *place,
                                         int step) const
    {
#pragma unroll
        for (int s = 0; s < radix; s++)
            x[s] = place[s * step];
    }
};

template <typename real> struct to_shared {
    template <int radix>
    __device__ __forceinline__ void drain(number<real> (&x)[radix], int, int j, const line_pass<real> &pass,
                                          number<real> *place, int step) const
    {
        if (pass.span > 1)
            twiddle<real, radix>(x, pass.twiddle + j, pass.span);
#pragma unroll
        for (int s = 0; s < radix; s++)
            place[s * step] = x[s];
    }
};

/* Between passes: the threads that share lines wait for each other. */
__device__ __forceinline__ void wait_for_share(const line_share &share)
{
    if (share.in_warp)
        __syncwarp();
    else
        __syncthreads();
}

/* All passes but the first and the last, after which `numbers` wait for the last one. radix: that of
 * all passes, which are three; or 0. */
template <int radix, typename real>
__device__ __forceinline__ void run_middle(const line_fft<real> &fft, const line_share &share, number<real> *numbers)
{
    wait_for_share(share);
    if constexpr (radix > 0) {
        run_pass<radix>(fft.pass[1], share, numbers, from_shared<real>(), to_shared<real>());
        wait_for_share(share);
    } else {
#pragma unroll 1
        for (int i = 1; i + 1 < fft.passes; i++) {
            if (fft.pass[i].radix == STARFISH_LINE_WIDEST)
                call_butterflies<real, STARFISH_LINE_WIDEST>(fft.pass[i], share, numbers, from_shared<real>(),
                                                             to_shared<real>());
            else
                run_pass<0>(fft.pass[i], share, numbers, from_shared<real>(), to_shared<real>());
            wait_for_share(share);
        }
    }
}

} // namespace starfish

#endif
