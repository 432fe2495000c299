/* Algebra of vectors on the GPU: a thread per unknown (walk.cuh). Bound by memory. */
#include "base/cuda_entries.h"
#include "krylov/kernels/walk.cuh"

namespace
{

/* v may be u or the correction, so that none is restricted. */
template <typename real> __global__ void __launch_bounds__(THREADS) update_kernel(const starfish_vector_update a)
{
    const real *u = static_cast<const real *>(a.u), *correction = static_cast<const real *>(a.correction);
    real *v = static_cast<real *>(a.v);
    const double factor = a.factor * (a.scalar ? *a.scalar : 1);
    const bool adds = correction && factor != 0;
    if (!adds && u == v)
        return;
    walk(a.at, [&](size_t i, size_t j) {
        const size_t e = i + j * a.nx;
        const real before = u ? u[e] : real(0);
        v[e] = adds ? before + real(factor) * correction[(i - a.at.x0) + (j - a.at.y0) * a.pitch] : before;
    });
}

template <typename real> int update(const starfish_vector_update *a, cudaStream_t stream)
{
    if (empty(a->at))
        return cudaSuccess;
    update_kernel<real><<<blocks_for(a->at), dim3(ACROSS, DOWN), 0, stream>>>(*a);
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
