/* Rows of approximate inverses on the GPU, a warp each; warps walk on through the rows. Bound by the latency of a row's
 * steps, of which thousands of warps hide each other's. */
extern "C" {
#include "sparse/kernels/local_inverse.h"
}

#include <cuda_runtime.h>

namespace
{

constexpr unsigned WARPS = 4;

#define LOCAL_FUNCTION __device__ static
#define LANE (threadIdx.x % 32)
#define LANES 32
#define WAIT() __syncwarp()
#include "sparse/kernels/local_inverse_row.h"

__global__ void __launch_bounds__(32 * WARPS) local_inverse_kernel(const starfish_local_inverse a)
{
    const size_t warp = blockIdx.x * size_t(WARPS) + threadIdx.x / 32;
    double *work = a.work + warp * (a.longest * a.longest + a.longest);
    for (size_t row = a.first + warp; row < a.last; row += gridDim.x * size_t(WARPS))
        local_row(&a, row, work);
}

} // namespace

extern "C" int starfish_local_inverse_cuda(const starfish_local_inverse *a, cudaStream_t stream)
{
    const size_t most = STARFISH_LOCAL_INVERSE_WARPS / WARPS;
    if (a->first >= a->last)
        return cudaSuccess;
    const size_t wanted = (a->last - a->first + WARPS - 1) / WARPS;
    local_inverse_kernel<<<unsigned(wanted < most ? wanted : most), 32 * WARPS, 0, stream>>>(*a);
    return cudaGetLastError();
}
