/* The constant mode along z on the GPU: one block of threads for a problem, a fixed order, so that results repeat.
 * Bytes: one sector of 32 per plane; a few microseconds, of which the launch is most. */
extern "C" {
#include "tridiag/kernels/constant_line.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

enum { THREADS = 256 };

template <typename real> __global__ void __launch_bounds__(THREADS) moments_kernel(const starfish_constant_moments a)
{
    __shared__ double sums[STARFISH_CONSTANT_MOMENTS][THREADS];
    const real *lane = static_cast<const real *>(a.lane) + blockIdx.x * a.distance;
    double mean = 0, pinned_mean = 0;
    for (size_t k = threadIdx.x; k < a.planes; k += THREADS) {
        const double value = double(lane[k * a.stride]);
        mean += a.weight[k] * value;
        pinned_mean += a.influence[k] * value;
    }
    sums[0][threadIdx.x] = mean;
    sums[1][threadIdx.x] = pinned_mean;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (auto &sum : sums)
                sum[threadIdx.x] += sum[threadIdx.x + half];
    }
    __syncthreads();
    if (threadIdx.x < STARFISH_CONSTANT_MOMENTS)
        a.moments[STARFISH_CONSTANT_MOMENTS * blockIdx.x + threadIdx.x] = sums[threadIdx.x][0];
}

__global__ void sum_kernel(const __grid_constant__ starfish_constant_sum a)
{
    double sum = 0;
    for (int s = 0; s < a.slabs; s++)
        sum += a.moments[s][threadIdx.x];
    a.total[threadIdx.x] = sum;
}

template <typename real> __global__ void correct_kernel(const starfish_constant_correct a)
{
    real *lane = static_cast<real *>(a.lane) + blockIdx.y * a.distance;
    const double *total = a.total + STARFISH_CONSTANT_MOMENTS * blockIdx.y;
    const size_t k = size_t(blockIdx.x) * THREADS + threadIdx.x;
    if (k < a.planes)
        lane[k * a.stride] = real(double(lane[k * a.stride]) + total[0] * a.response[k] - total[1]);
}

unsigned problems_of(size_t problems)
{
    return problems > 0 ? unsigned(problems) : 1;
}

template <typename real> int moments(const starfish_constant_moments *a, cudaStream_t stream)
{
    moments_kernel<real><<<problems_of(a->problems), THREADS, 0, stream>>>(*a);
    return cudaGetLastError();
}

template <typename real> int correct(const starfish_constant_correct *a, cudaStream_t stream)
{
    const dim3 blocks(unsigned((a->planes + THREADS - 1) / THREADS), problems_of(a->problems));
    correct_kernel<real><<<blocks, THREADS, 0, stream>>>(*a);
    return cudaGetLastError();
}

} // namespace

extern "C" int starfish_constant_sum_cuda(const struct starfish_constant_sum *a, cudaStream_t stream)
{
    sum_kernel<<<1, STARFISH_CONSTANT_MOMENTS, 0, stream>>>(*a);
    return cudaGetLastError();
}

STARFISH_CUDA_ENTRIES(starfish_constant_moments, moments)
STARFISH_CUDA_ENTRIES(starfish_constant_correct, correct)
