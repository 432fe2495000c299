/* Substitution by blocks and lines on the GPU: a thread per run. Lines are read and written together; blocks are as
 * long as they take the latency of memory. */
extern "C" {
#include "krylov/kernels/block_run.h"
}

#include "krylov/kernels/walk.cuh"

namespace
{

/* Few threads in a block, so that all multiprocessors have some. */
constexpr unsigned RUNS = 32;

__global__ void __launch_bounds__(RUNS) blocks_kernel(const starfish_blocks a, size_t runs)
{
    double sum = 0;
    for (size_t run = blockIdx.x * RUNS + threadIdx.x; run < runs; run += size_t(gridDim.x) * RUNS)
        sum += run_solve(&a, run);
    if (!a.cells.sums)
        return;
    for (int step = 16; step > 0; step >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0)
        a.cells.sums[blockIdx.x] = sum;
}

} // namespace

extern "C" int REAL_NAME(starfish_blocks_cuda)(const struct starfish_blocks *a, cudaStream_t stream)
{
    const size_t plane = a->cells.matrix.n[0] * a->cells.matrix.n[1];
    const size_t runs = a->block == 0 ? plane : ((a->cells.last - a->cells.first) * plane + a->block - 1) / a->block;
    const size_t wanted = (runs + RUNS - 1) / RUNS, most = STARFISH_SUMS;
    const size_t blocks = wanted < most ? wanted : most;
    if (a->cells.sums && blocks < STARFISH_SUMS) {
        const cudaError_t error =
            cudaMemsetAsync(a->cells.sums + blocks, 0, (STARFISH_SUMS - blocks) * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    if (runs == 0)
        return cudaSuccess;
    blocks_kernel<<<unsigned(blocks), RUNS, 0, stream>>>(*a, runs);
    return cudaGetLastError();
}
