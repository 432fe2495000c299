/* u += correction on the GPU: a thread per element. Bound by memory: 3 reals per element. */
extern "C" {
#include "stencil/kernels/stencil.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

constexpr unsigned THREADS = 256;

template <typename real>
__global__ void __launch_bounds__(THREADS) add_kernel(real *u, const real *correction, size_t count)
{
    const size_t e = blockIdx.x * size_t(THREADS) + threadIdx.x;
    if (e < count)
        u[e] += correction[e];
}

template <typename real> int add(const starfish_add *a, cudaStream_t stream)
{
    add_kernel<real><<<unsigned((a->count + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        static_cast<real *>(a->u), static_cast<const real *>(a->correction), a->count);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_add, add)
