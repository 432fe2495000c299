/* Line steps of Q1 multigrid on the GPU, residual, lines and update in one kernel: lines_x.cuh, lines_y.cuh.
 *
 * Floors, f64, 4095^2 unknowns, H200 at 4.2 TB/s: stored bands 8 words, 256 us; tensor product 3 words, 96 us. */
extern "C" {
#include "multigrid/kernels/lines.h"
}

#include "base/cuda_entries.h"
#include "multigrid/kernels/lines_x.cuh"
#include "multigrid/kernels/lines_y.cuh"

#include <cuda_runtime.h>

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
    int device, processors, resident;

    cudaError_t error = allow(kernel, shared);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, int(threads), shared);
    if (error != cudaSuccess)
        return error;
    const size_t most = size_t(processors) * size_t(resident > 0 ? resident : 1);
    const size_t rows = a->last - a->first;
    kernel<<<unsigned(rows < most ? rows : most), threads, shared, stream>>>(
        m, Run{a->first, a->last}, static_cast<real>(a->damping), static_cast<const real *>(a->u),
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

template <int E, unsigned COLUMNS, typename Operator>
cudaError_t launch_y(const starfish_band_lines *a, const Operator &m, cudaStream_t stream)
{
    using real = typename Operator::Real;
    const dim3 blocks(unsigned((a->last - a->first + COLUMNS - 1) / COLUMNS),
                      unsigned((m.ny + CHUNKS * E - 1) / (CHUNKS * E)));
    const Columns<Operator> columns = {m,
                                       {a->first, a->last},
                                       static_cast<const real *>(a->u),
                                       static_cast<const real *>(a->f),
                                       static_cast<real>(a->damping),
                                       static_cast<Joint<real> *>(a->work),
                                       static_cast<real *>(a->v)};

    if (blocks.y > 1) {
        (a->u ? parts_y_kernel<Operator, E, COLUMNS, false>
              : parts_y_kernel<Operator, E, COLUMNS, true>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
        (a->u ? lines_y_kernel<Operator, E, COLUMNS, false, true>
              : lines_y_kernel<Operator, E, COLUMNS, true, true>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
    } else {
        (a->u ? lines_y_kernel<Operator, E, COLUMNS, false, false>
              : lines_y_kernel<Operator, E, COLUMNS, true, false>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
    }
    return cudaGetLastError();
}

/* Short chunks where lines are short, for more threads. */
template <typename Operator> cudaError_t launch(const starfish_band_lines *a, cudaStream_t stream)
{
    if (a->direction == 0)
        return a->matrix.nx <= 512 ? launch_x<4>(a, Operator(a->matrix), stream)
                                   : launch_x<8>(a, Operator(a->matrix), stream);
    const Operator m(a->matrix);
    if (m.ny <= CHUNKS * 4)
        return launch_y<4, 4>(a, m, stream);
    if (m.ny <= CHUNKS * 16)
        return launch_y<4, 8>(a, m, stream);
    return launch_y<8, 8>(a, m, stream);
}

template <typename real> int lines(const starfish_band_lines *a, cudaStream_t stream)
{
    if (a->first >= a->last)
        return cudaSuccess;
    return a->matrix.band[0] ? launch<Stored<real>>(a, stream) : launch<Tensor<real>>(a, stream);
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_band_lines, lines)

extern "C" size_t starfish_band_lines_work(size_t nx, size_t ny, size_t real_size)
{
    const size_t columns = (nx + 15) / 16 * 16, parts = (ny + CHUNKS * 4 - 1) / (CHUNKS * 4);
    return parts > 1 ? columns * parts * 5 * real_size : 0;
}
