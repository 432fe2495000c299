/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of approximate inverses on the GPU. Short rows of SPAI have a kernel of their own (local_inverse_short.cuh); 8
 * lanes, a warp or a block share one of the others, by the longest row; systems are in shared memory, and where they do
 * not fit a warp has a row at a time in the work space. Bound by the steps of the products of rows, of which many warps
 * hide each other's latencies. */
extern "C" {
#include "sparse/kernels/local_inverse.h"
}

#include "sparse/kernels/local_inverse_short.cuh"

namespace
{

namespace eight
{
#define LOCAL_FUNCTION __device__ static
#define LANE int(threadIdx.x % 8)
#define LANES 8
#define WAIT() __syncwarp(0xffu << (threadIdx.x % 32 / 8 * 8))
#include "sparse/kernels/local_inverse_row.h"
#undef LANE
#undef LANES
#undef WAIT
} // namespace eight

namespace warp
{
#define LANE int(threadIdx.x % 32)
#define LANES 32
#define WAIT() __syncwarp()
#include "sparse/kernels/local_inverse_row.h"
#undef LANE
#undef LANES
#undef WAIT
} // namespace warp

namespace block
{
#define LANE int(threadIdx.x)
#define LANES int(blockDim.x)
#define WAIT() __syncthreads()
#include "sparse/kernels/local_inverse_row.h"
} // namespace block

/* `lanes` threads share a row; `row` does one. */
template <unsigned lanes, void (*row)(const starfish_local_inverse *, size_t, double *)>
__global__ void __launch_bounds__(128) local_inverse_kernel(const starfish_local_inverse a, unsigned size, int shared)
{
    extern __shared__ double here[];
    const unsigned groups = blockDim.x / lanes, group = threadIdx.x / lanes;
    const size_t first = blockIdx.x * size_t(groups) + group;
    double *work = shared ? here + group * size : a.work + first * size;
    for (size_t i = a.first + first; i < a.last; i += gridDim.x * size_t(groups))
        row(&a, i, work);
}

/* Of the rows that the kernel of short ones has left, which are few: 8 lanes look at 8 rows, and share each of these
 * that was left. */
__global__ void __launch_bounds__(128) left_rows_kernel(const starfish_local_inverse a, unsigned size)
{
    extern __shared__ double here[];
    const unsigned lane = threadIdx.x % 8, shift = threadIdx.x % 32 - lane;
    const size_t thread = blockIdx.x * size_t(blockDim.x) + threadIdx.x, first = a.first + thread - lane;
    const bool mine = first + lane < a.last && is_left(a, first + lane);
    const unsigned votes = __ballot_sync(~0u, mine);
    for (unsigned left = votes >> shift & 0xff; left; left &= left - 1)
        eight::local_row(&a, first + __ffs(int(left)) - 1, here + threadIdx.x / 8 * size);
}

using kernel = void (*)(const starfish_local_inverse, unsigned, int);

struct shape {
    kernel run;
    unsigned lanes, threads;
    size_t longest; /* row that it is for */
};

constexpr shape shapes[] = {{local_inverse_kernel<8, eight::local_row>, 8, 128, 16},
                            {local_inverse_kernel<32, warp::local_row>, 32, 64, 63},
                            {local_inverse_kernel<128, block::local_row>, 128, 128, STARFISH_LOCAL_INVERSE_SHARED},
                            {local_inverse_kernel<32, warp::local_row>, 32, 64, size_t(-1)}};

} // namespace

extern "C" int starfish_local_inverse_cuda(const starfish_local_inverse *a, cudaStream_t stream)
{
    const shape *s = shapes;
    if (a->first >= a->last)
        return cudaSuccess;
    while (a->longest > s->longest)
        s++;
    const size_t size = starfish_local_inverse_work(a->longest), groups = s->threads / s->lanes;
    const bool shared = a->longest <= STARFISH_LOCAL_INVERSE_SHARED;
    const size_t bytes = shared ? groups * size * sizeof(double) : 0;
    const size_t wanted = (a->last - a->first + groups - 1) / groups;
    const size_t most = shared ? size_t(1) << 30 : STARFISH_LOCAL_INVERSE_WARPS / groups;
    if (bytes > 48 * 1024) {
        const cudaError_t error = cudaFuncSetAttribute(s->run, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
        if (error != cudaSuccess)
            return error;
    }
    if (!a->triangular && s == shapes) { /* most rows may be short */
        const int failed = launch_short_rows(a, stream);
        if (failed != cudaSuccess)
            return failed;
        const size_t blocks = (a->last - a->first + s->threads - 1) / s->threads;
        left_rows_kernel<<<unsigned(blocks), s->threads, bytes, stream>>>(*a, unsigned(size));
        return cudaGetLastError();
    }
    s->run<<<unsigned(wanted < most ? wanted : most), s->threads, bytes, stream>>>(*a, unsigned(size), shared);
    return cudaGetLastError();
}
