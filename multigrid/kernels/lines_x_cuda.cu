/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches of line steps in x (lines_x.cuh), stored bands and tensor products. */
#include "multigrid/kernels/lines_cuda.cuh"

#include "krylov/kernels/multiprocessors.cuh"
#include "multigrid/kernels/lines_x.cuh"

namespace
{

template <typename Kernel> cudaError_t allow(Kernel kernel, size_t shared)
{
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared));
}

/* Rows in x by as many blocks as are resident, each `arrays` rows of shared memory. */
template <int E, typename Operator, typename Kernel>
cudaError_t launch_rows(const starfish_band_lines *a, const Operator &m, Kernel kernel, size_t arrays,
                        cudaStream_t stream)
{
    using real = typename Operator::Real;
    const unsigned threads = unsigned((m.nx + 32 * E - 1) / (32 * E) * 32);
    const size_t shared = (arrays * row_places<E>(threads) + 1 /* see tensor_x_kernel */) * sizeof(real);
    int processors, resident;

    cudaError_t error = allow(kernel, shared);
    if (error == cudaSuccess)
        error = starfish_multiprocessors(&processors);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, int(threads), shared);
    if (error != cudaSuccess)
        return error;
    const size_t most = size_t(processors) * size_t(resident > 0 ? resident : 1);
    const size_t rows = a->last - a->first;
    kernel<<<unsigned(rows < most ? rows : most), threads, shared, stream>>>(
        m, Run{a->first, a->last, a->choice}, static_cast<real>(a->damping), static_cast<const real *>(a->u),
        static_cast<const real *>(a->f), static_cast<real *>(a->v));
    return cudaGetLastError();
}

template <int E, typename real>
cudaError_t launch_x(const starfish_band_lines *a, const Stored<real> &m, cudaStream_t stream)
{
    return launch_rows<E>(a, m, a->u ? lines_x_kernel<Stored<real>, E, false> : lines_x_kernel<Stored<real>, E, true>,
                          3, stream);
}
template <int E, typename real>
cudaError_t launch_x(const starfish_band_lines *a, const Tensor<real> &m, cudaStream_t stream)
{
    return m.nx <= RowOf<real, E>::MOST_THREADS * E
               ? launch_rows<E>(a, m, tensor_x_kernel<real, E>, 5, stream)
               : launch_rows<E>(a, m,
                                a->u ? lines_x_kernel<Tensor<real>, E, false> : lines_x_kernel<Tensor<real>, E, true>,
                                3, stream);
}

/* Short chunks where lines are short, for more threads. */
template <typename Operator> cudaError_t launch(const starfish_band_lines *a, cudaStream_t stream)
{
    return a->matrix.nx <= 512 ? launch_x<4>(a, Operator(a->matrix), stream)
                               : launch_x<8>(a, Operator(a->matrix), stream);
}

} // namespace

int REAL_NAME(lines_in_x)(const starfish_band_lines *arguments, cudaStream_t stream)
{
    return arguments->matrix.band[0] ? launch<Stored<real>>(arguments, stream)
                                     : launch<Tensor<real>>(arguments, stream);
}
