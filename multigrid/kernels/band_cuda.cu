/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nine-band kernels on the GPU.
 *
 * Words (reals) per unknown that must move, on an H200 at 4.2 TB/s, 4095^2 unknowns, f64:
 *     residual     8    5 bands, u, f, result     256 us      sum alone   7    224 us      with the diagonal   9    288
 * us Jacobi     8    5 bands, u, f, v          256 us      update      3     96 us colours    5    8 in half of the
 * rows     160 us f32 with entries in 16 bits, 5.5 words of 4 bytes instead of 8: 88 us instead of 128. narrow   1.5
 * widen  2.5 All are bound by memory. A block is 64 x 4 threads, one thread per unknown and along x, so that every
 * band, f and result are read and written coalesced; the eight neighbours of u, and the bands seen from a neighbour,
 * are a row or an unknown away and come from the caches: a row is 32 KB where the second-level cache is 50 MB. Where
 * there are more blocks than STARFISH_SUMS a block walks on through the grid, which also lets its sum be one double:
 * sums do not depend on the order in which blocks run. */
extern "C" {
#include "multigrid/kernels/band.h"
}

#include "base/cuda_entries.h"
#include "krylov/kernels/walk.cuh"

#include <cuda_fp16.h>

namespace
{

/* The nine values of u that an unknown's row is applied to, [dy + 1][dx + 1]. A neighbour that is missing is the
 * unknown itself: its entry is 0. */
template <typename real> struct Around {
    real u[3][3];

    __device__ Around() : u() {}
    __device__ void read(const real *__restrict__ values, size_t nx, size_t ny, size_t i, size_t j)
    {
        const size_t e = i + j * nx, left = i > 0, right = i + 1 < nx;
        const real *row[3] = {values + e - (j > 0 ? nx : 0), values + e, values + e + (j + 1 < ny ? nx : 0)};
#pragma unroll
        for (int y = 0; y < 3; y++) {
            u[y][0] = *(row[y] - left);
            u[y][1] = *row[y];
            u[y][2] = row[y][right];
        }
    }
};

/* A matrix: a row's product, its diagonal, and the entry of the next unknown in x or y. */
template <typename T> struct Matrix {
    using real = T;
    size_t nx, ny;
    const real *band[STARFISH_BANDS];
    real own; /* 1, or 0 in matrices with diagonals: what part of u here is taken from its neighbours */

    explicit Matrix(const starfish_band_matrix &matrix)
        : nx(matrix.nx), ny(matrix.ny), band(), own(matrix.diagonals ? real(0) : real(1))
    {
        for (int b = 0; b < STARFISH_BANDS; b++)
            band[b] = static_cast<const real *>(matrix.band[b]);
    }
    __device__ real diagonal(size_t e) const
    {
        const real below = band[STARFISH_BAND_SW][e] + band[STARFISH_BAND_S][e] + band[STARFISH_BAND_SE][e];
        const real above = band[STARFISH_BAND_NW][e] + band[STARFISH_BAND_N][e] + band[STARFISH_BAND_NE][e];
        return band[STARFISH_BAND_SUM][e] -
               own * (below + (band[STARFISH_BAND_W][e] + band[STARFISH_BAND_E][e]) + above);
    }
    __device__ real ahead(size_t e, bool along_y) const
    {
        return along_y ? band[STARFISH_BAND_N][e] : band[STARFISH_BAND_E][e];
    }
    __device__ real product(const Around<real> &a, size_t e) const
    {
        const real here = own * a.u[1][1];
        const real below = band[STARFISH_BAND_SW][e] * (a.u[0][0] - here) +
                           band[STARFISH_BAND_S][e] * (a.u[0][1] - here) +
                           band[STARFISH_BAND_SE][e] * (a.u[0][2] - here);
        const real beside = band[STARFISH_BAND_W][e] * (a.u[1][0] - here) + band[STARFISH_BAND_SUM][e] * a.u[1][1] +
                            band[STARFISH_BAND_E][e] * (a.u[1][2] - here);
        const real above = band[STARFISH_BAND_NW][e] * (a.u[2][0] - here) +
                           band[STARFISH_BAND_N][e] * (a.u[2][1] - here) +
                           band[STARFISH_BAND_NE][e] * (a.u[2][2] - here);
        return below + beside + above;
    }
};

/* The same of entries X, Y and Q in 16 bits. */
template <starfish_band_storage storage> struct Packed {
    using real = float;
    size_t nx, ny;
    const unsigned short *x, *y, *q;
    const float *sum;
    float scale;

    explicit Packed(const starfish_band_matrix &matrix)
        : nx(matrix.nx), ny(matrix.ny), x(static_cast<const unsigned short *>(matrix.band[STARFISH_BAND_E])),
          y(static_cast<const unsigned short *>(matrix.band[STARFISH_BAND_N])),
          q(static_cast<const unsigned short *>(matrix.band[STARFISH_BAND_NE])),
          sum(static_cast<const float *>(matrix.band[STARFISH_BAND_SUM])), scale(float(matrix.scale))
    {
    }
    static __device__ float entry(const unsigned short *at)
    {
        if constexpr (storage == STARFISH_BAND_BF16)
            return __uint_as_float(unsigned(*at) << 16);
        else
            return __half2float(__ushort_as_half(*at));
    }
    __device__ float diagonal(size_t e) const
    {
        const float corners = (entry(q + e - nx - 1) + entry(q + e - nx)) + (entry(q + e - 1) + entry(q + e));
        const float edges = (entry(x + e - 1) + entry(x + e)) + (entry(y + e - nx) + entry(y + e));
        return sum[e] + scale * (corners - edges);
    }
    __device__ float ahead(size_t e, bool along_y) const
    {
        return along_y ? scale * (entry(y + e) - (entry(q + e) + entry(q + e - 1)))
                       : scale * (entry(x + e) - (entry(q + e) + entry(q + e - nx)));
    }
    __device__ float product(const Around<float> &a, size_t e) const
    {
        const float here = a.u[1][1], w = a.u[1][0] - here, east = a.u[1][2] - here;
        const float s = a.u[0][1] - here, n = a.u[2][1] - here;
        const float edges = (entry(x + e - 1) * w + entry(x + e) * east) + (entry(y + e - nx) * s + entry(y + e) * n);
        const float below = entry(q + e - nx - 1) * ((a.u[0][0] - a.u[0][1]) - w) +
                            entry(q + e - nx) * ((a.u[0][2] - a.u[0][1]) - east);
        const float above =
            entry(q + e - 1) * ((a.u[2][0] - a.u[2][1]) - w) + entry(q + e) * ((a.u[2][2] - a.u[2][1]) - east);
        return scale * (edges + (below + above)) + sum[e] * here;
    }
};

/* f - A u at (i,j), f or u being zero where it is missing. */
template <typename M, typename real>
__device__ real residual_at(const M &m, const real *__restrict__ u, const real *__restrict__ f, size_t i, size_t j)
{
    const size_t e = i + j * m.nx;
    if (!u)
        return f[e];
    Around<real> around;
    around.read(u, m.nx, m.ny, i, j);
    return (f ? f[e] : real(0)) - m.product(around, e);
}

/* What is written beside the residual, where it is wanted. */
template <typename real> struct ResidualResults {
    real *result, *diag, *ahead;
    bool along_y;
    size_t pitch;
    double *sums;
};

template <typename M, typename real>
__global__ void __launch_bounds__(THREADS)
    residual_kernel(const M m, const starfish_rectangle at, const real *__restrict__ u, const real *__restrict__ f,
                    const ResidualResults<real> to)
{
    double sum = 0;
    walk(at, [&](size_t i, size_t j) {
        const size_t e = i + j * m.nx, place = (i - at.x0) + (j - at.y0) * to.pitch;
        const real residual = residual_at(m, u, f, i, j);
        if (to.result)
            to.result[place] = residual;
        if (to.diag)
            to.diag[place] = m.diagonal(e);
        if (to.ahead)
            to.ahead[place] = m.ahead(e, to.along_y);
        if (to.sums)
            sum += double(residual) * double(residual);
    });
    if (to.sums)
        store_sum(sum, to.sums);
}

template <typename M> int residual_of(const starfish_band_residual *a, cudaStream_t stream)
{
    using real = typename M::real;
    const ResidualResults<real> to = {static_cast<real *>(a->result),
                                      static_cast<real *>(a->diag),
                                      static_cast<real *>(a->ahead),
                                      a->along_y != 0,
                                      a->pitch,
                                      a->sums};
    if (a->sums) {
        const cudaError_t error = cudaMemsetAsync(a->sums, 0, STARFISH_SUMS * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    if (empty(a->at))
        return cudaSuccess;
    residual_kernel<M, real><<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(
        M(a->matrix), a->at, static_cast<const real *>(a->u), static_cast<const real *>(a->f), to);
    return cudaGetLastError();
}

template <typename real> int residual(const starfish_band_residual *a, cudaStream_t stream)
{
    return residual_of<Matrix<real>>(a, stream);
}

template <typename M, typename real>
__global__ void __launch_bounds__(THREADS)
    jacobi_kernel(const M m, const starfish_rectangle at, real damping, const real *__restrict__ u,
                  const real *__restrict__ f, real *__restrict__ v)
{
    walk(at, [&](size_t i, size_t j) {
        const size_t e = i + j * m.nx;
        const real step = damping * residual_at(m, u, f, i, j) / m.diagonal(e);
        v[e] = u ? u[e] + step : step;
    });
}

template <typename M> int jacobi_of(const starfish_band_jacobi *a, cudaStream_t stream)
{
    using real = typename M::real;
    if (empty(a->at))
        return cudaSuccess;
    jacobi_kernel<M, real><<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(
        M(a->matrix), a->at, static_cast<real>(a->damping), static_cast<const real *>(a->u),
        static_cast<const real *>(a->f), static_cast<real *>(a->v));
    return cudaGetLastError();
}

template <typename real> int jacobi(const starfish_band_jacobi *a, cudaStream_t stream)
{
    return jacobi_of<Matrix<real>>(a, stream);
}

/* f - A w over the diagonal at (i,j), where w is v's colour of even unknowns beside (i,j) and u elsewhere: west and
 * east are given. */
template <typename real>
__device__ real relaxed(const Matrix<real> &m, const real *__restrict__ u, const real *__restrict__ f, real damping,
                        size_t i, size_t j, real west, real east)
{
    const size_t e = i + j * m.nx;
    const real middle = u ? u[e] : real(0);
    Around<real> around;
    if (u)
        around.read(u, m.nx, m.ny, i, j);
    around.u[1][0] = west;
    around.u[1][2] = east;
    return middle + damping * (f[e] - m.product(around, e)) / m.diagonal(e);
}

/* The new value at an unknown of even i, which no other of its pass depends on. */
template <typename real>
__device__ real relaxed_even(const Matrix<real> &m, const real *__restrict__ u, const real *__restrict__ f,
                             real damping, size_t i, size_t j)
{
    const real *row = u ? u + j * m.nx : nullptr;
    return relaxed(m, u, f, damping, i, j, row && i > 0 ? row[i - 1] : real(0),
                   row && i + 1 < m.nx ? row[i + 1] : real(0));
}

/* Odd unknowns compute the even ones beside them again: what that reads is in the cache, and no thread waits for
 * another. */
template <typename real>
__global__ void __launch_bounds__(THREADS)
    colours_kernel(const Matrix<real> m, const starfish_rectangle at, size_t parity, real damping,
                   const real *__restrict__ u, const real *__restrict__ f, real *__restrict__ v)
{
    walk(at, [&](size_t i, size_t j) {
        const size_t e = i + j * m.nx;
        if (j % 2 != parity)
            v[e] = u ? u[e] : real(0);
        else if (i % 2 == 0)
            v[e] = relaxed_even(m, u, f, damping, i, j);
        else
            v[e] = relaxed(m, u, f, damping, i, j, relaxed_even(m, u, f, damping, i - 1, j),
                           i + 1 < m.nx ? relaxed_even(m, u, f, damping, i + 1, j) : real(0));
    });
}

template <typename real> int colours(const starfish_band_colours *a, cudaStream_t stream)
{
    if (empty(a->at))
        return cudaSuccess;
    colours_kernel<real><<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(
        Matrix<real>(a->matrix), a->at, a->parity, static_cast<real>(a->damping), static_cast<const real *>(a->u),
        static_cast<const real *>(a->f), static_cast<real *>(a->v));
    return cudaGetLastError();
}

/* A thread per unknown; the inverse is symmetric, so that its columns are read coalesced. */
template <typename real>
__global__ void dense_kernel(size_t n, const real *__restrict__ inverse, const real *__restrict__ f,
                             real *__restrict__ u)
{
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    real sum = 0;
    if (i >= n)
        return;
    for (size_t j = 0; j < n; j++)
        sum += inverse[j * n + i] * f[j];
    u[i] = sum;
}

template <typename real> int dense(const starfish_band_dense *a, cudaStream_t stream)
{
    dense_kernel<real><<<unsigned((a->n + 63) / 64), 64, 0, stream>>>(
        a->n, static_cast<const real *>(a->inverse), static_cast<const real *>(a->f), static_cast<real *>(a->u));
    return cudaGetLastError();
}

} // namespace

/* Of f32 with entries in 16 bits. */
#define PACKED_ENTRIES(kernel, launch)                                                                                 \
    extern "C" int kernel##_cuda_f32_f16(const struct kernel *arguments, cudaStream_t stream)                          \
    {                                                                                                                  \
        return launch<Packed<STARFISH_BAND_F16>>(arguments, stream);                                                   \
    }                                                                                                                  \
    extern "C" int kernel##_cuda_f32_bf16(const struct kernel *arguments, cudaStream_t stream)                         \
    {                                                                                                                  \
        return launch<Packed<STARFISH_BAND_BF16>>(arguments, stream);                                                  \
    }

STARFISH_CUDA_ENTRIES(starfish_band_residual, residual)
PACKED_ENTRIES(starfish_band_residual, residual_of)
STARFISH_CUDA_ENTRIES(starfish_band_jacobi, jacobi)
PACKED_ENTRIES(starfish_band_jacobi, jacobi_of)
STARFISH_CUDA_ENTRIES(starfish_band_colours, colours)
STARFISH_CUDA_ENTRIES(starfish_band_dense, dense)
