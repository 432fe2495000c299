/* Conjugate gradients on the GPU: a thread per unknown (walk.cuh), and one block that adds up an inner product, whose
 * first thread computes the scalars. */
extern "C" {
#include "krylov/kernels/krylov_stage.h"
}

#include "base/cuda_entries.h"
#include "krylov/kernels/walk.cuh"

namespace
{

__global__ void __launch_bounds__(THREADS) scalars_kernel(const starfish_krylov_scalars a)
{
    __shared__ double total; /* written and read by the first thread */
    const unsigned thread = threadIdx.y * ACROSS + threadIdx.x;
    double sum = 0;
    for (unsigned i = thread; i < STARFISH_SUMS; i += THREADS)
        sum += a.sums[i];
    store_sum(sum, &total);
    if (thread == 0)
        starfish_krylov_advance(&a, a.sign * total);
}

template <typename real>
__global__ void __launch_bounds__(THREADS)
    update_kernel(const starfish_rectangle at, const double *factor, const real *u, const real *correction, real *v)
{
    const real by = real(*factor);
    const bool adds = *factor != 0;
    if (!adds && u == v)
        return;
    walk(at, [&](size_t i, size_t j) {
        const size_t e = i + j * at.x1;
        const real before = u ? u[e] : real(0);
        v[e] = adds ? before + by * correction[e] : before;
    });
}

template <typename real> int update(const starfish_krylov_update *a, cudaStream_t stream)
{
    const starfish_rectangle at = {0, a->nx, 0, a->ny};
    if (empty(at))
        return cudaSuccess;
    update_kernel<real><<<blocks_for(at), dim3(ACROSS, DOWN), 0, stream>>>(
        at, a->factor, static_cast<const real *>(a->u), static_cast<const real *>(a->correction),
        static_cast<real *>(a->v));
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_krylov_update, update)

extern "C" int starfish_krylov_scalars_cuda(const struct starfish_krylov_scalars *a, cudaStream_t stream)
{
    scalars_kernel<<<1, dim3(ACROSS, DOWN), 0, stream>>>(*a);
    return cudaGetLastError();
}
