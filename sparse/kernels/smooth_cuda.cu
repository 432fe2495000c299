/* Steps of a smoother on the GPU, by the blocks of one cluster, a thread per row. Each of the two objects of this file
 * has one precision (base/real.h). */
extern "C" {
#include "base/real.h"
#include "sparse/kernels/smooth.h"
}

#include "base/cuda_entries.h"
#include "sparse/kernels/spmv_row.cuh"

#include <cooperative_groups.h>

namespace
{

constexpr unsigned BLOCK = 1024;
constexpr unsigned PORTABLE_BLOCKS = 8, MOST_BLOCKS = 16; /* of a cluster: on all GPUs that have them, and at most */

struct smooth_data {
    starfish_sparse_format matrix_format, preconditioner_format;
    Matrix<real> matrix, preconditioner;
    const real *inverse, *f;
    real *u, *r;
    real damping;
    int steps, zero;
};

/* All threads' writes to global memory are seen by all. */
__device__ __forceinline__ void wait_for_all()
{
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#else
    __syncthreads();
#endif
}

__global__ void __launch_bounds__(BLOCK) smooth_kernel(const smooth_data a)
{
    const size_t thread = blockIdx.x * size_t(BLOCK) + threadIdx.x, threads = gridDim.x * size_t(BLOCK);
    for (int step = 0; step < a.steps; step++) {
        const bool zero = a.zero && step == 0;
        if (zero)
            for (size_t i = thread; i < a.matrix.rows; i += threads)
                a.r[i] = a.f[i];
        else
            for_rows(a.matrix_format, a.matrix, a.u, thread, threads,
                     [&](size_t row, real product) { a.r[row] = a.f[row] - product; });
        wait_for_all();
        const auto improve = [&](size_t row, real correction) {
            a.u[row] = (zero ? real(0) : a.u[row]) + a.damping * correction;
        };
        if (a.inverse)
            for (size_t i = thread; i < a.matrix.rows; i += threads)
                improve(i, a.inverse[i] * a.r[i]);
        else
            for_rows(a.preconditioner_format, a.preconditioner, a.r, thread, threads, improve);
        wait_for_all();
    }
}

/* How many blocks a cluster may have on this GPU. */
cudaError_t most_blocks(unsigned *most)
{
    int device = 0, major = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    *most = 1;
    if (error != cudaSuccess || major < 9)
        return error;
    *most = PORTABLE_BLOCKS;
    error = cudaFuncSetAttribute(smooth_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error != cudaSuccess)
        return error;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = MOST_BLOCKS;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t wanted = {};
    wanted.gridDim = dim3(MOST_BLOCKS);
    wanted.blockDim = dim3(BLOCK);
    wanted.attrs = &attribute;
    wanted.numAttrs = 1;
    int clusters = 0;
    error = cudaOccupancyMaxActiveClusters(&clusters, smooth_kernel, &wanted);
    if (error == cudaSuccess && clusters > 0)
        *most = MOST_BLOCKS;
    return error;
}

template <typename type> int smooth(const starfish_sparse_smooth *a, cudaStream_t stream)
{
    const smooth_data data = {a->matrix.format,
                              a->preconditioner.format,
                              matrix_of<type>(a->matrix),
                              matrix_of<type>(a->preconditioner),
                              static_cast<const type *>(a->inverse),
                              static_cast<const type *>(a->f),
                              static_cast<type *>(a->u),
                              static_cast<type *>(a->r),
                              type(a->damping),
                              a->steps,
                              a->zero};
    unsigned most = 1, blocks = 1;
    if (a->matrix.rows == 0)
        return cudaSuccess;
    const cudaError_t error = most_blocks(&most);
    if (error != cudaSuccess)
        return error;
    while (blocks < most && blocks * size_t(BLOCK) < a->matrix.rows)
        blocks *= 2;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = dim3(blocks);
    launch.blockDim = dim3(BLOCK);
    launch.stream = stream;
    launch.attrs = &attribute;
    launch.numAttrs = most > 1;
    return cudaLaunchKernelEx(&launch, smooth_kernel, data);
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_sparse_smooth, smooth)

#ifdef STARFISH_REAL_F64
/* Measured on an H200: a block or a thread with more than one row takes as long as the launches. */
extern "C" size_t starfish_sparse_smooth_cuda_rows(void)
{
    unsigned most = 0;
    return most_blocks(&most) == cudaSuccess ? most * size_t(BLOCK) : 0;
}
#endif
