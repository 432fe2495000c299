/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algebra of vectors on the GPU: a thread per unknown (walk.cuh). Bound by memory. */
#include "base/cuda_entries.h"
#include "krylov/kernels/walk.cuh"

namespace
{

/* Rows of so few unknowns, as halos in x have, leave most of a block's width empty: threads go by unknowns then. */
constexpr size_t NARROW_ROWS = 16;

unsigned blocks_for_narrow(const starfish_rectangle &at)
{
    const size_t blocks = ((at.x1 - at.x0) * (at.y1 - at.y0) + THREADS - 1) / THREADS;
    return unsigned(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

template <bool NARROW, typename Work> __device__ void walk_rows(const starfish_rectangle &at, Work work)
{
    if (!NARROW) {
        walk(at, work);
        return;
    }
    const size_t width = at.x1 - at.x0, count = width * (at.y1 - at.y0);
    for (size_t e = blockIdx.x * size_t(THREADS) + threadIdx.y * ACROSS + threadIdx.x; e < count;
         e += size_t(gridDim.x) * THREADS)
        work(at.x0 + e % width, at.y0 + e / width);
}

/* v may be u or the correction, so that none is restricted. */
template <typename real, bool NARROW>
__global__ void __launch_bounds__(THREADS) update_kernel(const starfish_vector_update a)
{
    const real *u = static_cast<const real *>(a.u), *correction = static_cast<const real *>(a.correction);
    real *v = static_cast<real *>(a.v);
    const double factor = a.factor * (a.scalar ? *a.scalar : 1);
    const bool adds = correction && factor != 0;
    if (!adds && u == v)
        return;
    walk_rows<NARROW>(a.at, [&](size_t i, size_t j) {
        const size_t e = i + j * a.nx;
        const real before = u ? u[e] : real(0);
        v[e] = adds ? before + real(factor) * correction[(i - a.at.x0) + (j - a.at.y0) * a.pitch] : before;
    });
}

template <typename real> int update(const starfish_vector_update *a, cudaStream_t stream)
{
    if (empty(a->at))
        return cudaSuccess;
    if (a->at.x1 - a->at.x0 <= NARROW_ROWS)
        update_kernel<real, true><<<blocks_for_narrow(a->at), dim3(ACROSS, DOWN), 0, stream>>>(*a);
    else
        update_kernel<real, false><<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(*a);
    return cudaGetLastError();
}

template <typename real>
__global__ void __launch_bounds__(THREADS)
    product_kernel(size_t nx, const starfish_rectangle at, const real *u, const real *v, double *sums)
{
    double sum = 0;
    walk(at, [&](size_t i, size_t j) { sum += double(u[i + j * nx]) * double(v[i + j * nx]); });
    store_sum(sum, sums);
}

template <typename real> int product(const starfish_vector_product *a, cudaStream_t stream)
{
    const cudaError_t error = cudaMemsetAsync(a->sums, 0, STARFISH_SUMS * sizeof(double), stream);
    if (error != cudaSuccess || empty(a->at))
        return error;
    product_kernel<real><<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(
        a->nx, a->at, static_cast<const real *>(a->u), static_cast<const real *>(a->v), a->sums);
    return cudaGetLastError();
}

__global__ void __launch_bounds__(THREADS) narrow_kernel(const starfish_vector_narrow a)
{
    const double scale = a.scale * (a.scalar ? *a.scalar : 1);
    walk(a.at, [&](size_t i, size_t j) { a.low[i + j * a.nx] = float(scale * a.high[i + j * a.nx]); });
}

__global__ void __launch_bounds__(THREADS) widen_kernel(const starfish_vector_widen a)
{
    const double scale = a.scale * (a.scalar ? *a.scalar : 1);
    walk(a.at, [&](size_t i, size_t j) {
        const size_t e = i + j * a.nx;
        a.high[e] = (a.zero ? 0 : a.high[e]) + scale * double(a.low[e]);
    });
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_vector_update, update)
STARFISH_CUDA_ENTRIES(starfish_vector_product, product)

extern "C" int starfish_vector_narrow_cuda(const struct starfish_vector_narrow *a, cudaStream_t stream)
{
    if (empty(a->at))
        return cudaSuccess;
    narrow_kernel<<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(*a);
    return cudaGetLastError();
}

extern "C" int starfish_vector_widen_cuda(const struct starfish_vector_widen *a, cudaStream_t stream)
{
    if (empty(a->at))
        return cudaSuccess;
    widen_kernel<<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(*a);
    return cudaGetLastError();
}
