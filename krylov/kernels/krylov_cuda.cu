/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scalars of iterations on the GPU: one block adds up the inner products, and its first thread computes. */
extern "C" {
#include "krylov/kernels/krylov_stage.h"
}

#include "krylov/kernels/walk.cuh"

namespace
{

__device__ double thread_sum(const double *const *sums, size_t parts)
{
    const unsigned thread = threadIdx.y * ACROSS + threadIdx.x;
    double sum = 0;
    for (size_t part = 0; part < parts; part++)
        for (unsigned i = thread; i < STARFISH_SUMS; i += THREADS)
            sum += sums[part][i];
    return sum;
}

__global__ void __launch_bounds__(THREADS) scalars_kernel(const starfish_krylov_scalars a)
{
    __shared__ double total[2]; /* written and read by the first thread */
    const bool two = STARFISH_KRYLOV_HAS_TWO(a.stage);
    store_total(thread_sum(a.sums, a.parts), &total[0]);
    if (two) {
        __syncthreads(); /* the warps' sums of the first product have been read */
        store_total(thread_sum(a.more, a.parts), &total[1]);
    }
    if (threadIdx.x == 0 && threadIdx.y == 0)
        starfish_krylov_advance(&a, a.sign * total[0], two ? total[1] : 0);
}

} // namespace

extern "C" int starfish_krylov_scalars_cuda(const struct starfish_krylov_scalars *a, cudaStream_t stream)
{
    scalars_kernel<<<1, dim3(ACROSS, DOWN), 0, stream>>>(*a);
    return cudaGetLastError();
}
