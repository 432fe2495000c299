/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernels for rows share: their arguments, and rows whose spectral side is cut into tiles of modes, in either
 * direction (transform_rows_to_tiles_cuda.cu, transform_rows_from_tiles_cuda.cu). */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_ROWS_CUH
#define STARFISH_FFT_KERNELS_TRANSFORM_ROWS_CUH

#include "fft/kernels/transform_lines.cuh"

namespace starfish
{

namespace
{

template <typename real> struct row_arguments {
    line_transform<real> transform;
    tile_shape shape;
    size_t count;
    const real *in; /* plain rows; the other side may be cut into ranges */
    real *out;
};

/* The side that is cut is not set. */
template <typename real>
row_arguments<real> row_arguments_of(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                                     const starfish_transform_rows &rows)
{
    return {line_transform_of<real>(plan, direction, rows.scale), rows_tile_shape(plan, row_threads(plan)), rows.count,
            static_cast<const real *>(rows.rows), static_cast<real *>(rows.rows)};
}

template <typename real, bool packed, starfish_transform_direction direction>
__global__ void __launch_bounds__(threads, blocks)
    cut_rows_kernel(const __grid_constant__ row_arguments<real> arguments, const __grid_constant__ ranges<real> modes)
{
    const size_t first = (size_t)blockIdx.x * arguments.shape.lanes, offset = first * arguments.transform.n;
    const unsigned lanes = lanes_of_tile(arguments.shape, first, arguments.count);
    const unsigned n = arguments.transform.n;
    __shared__ ranges<real> at; /* faster for called functions than the arguments */
    for (int t = threadIdx.x; t <= modes.count; t += blockDim.x) {
        at.first[t] = modes.first[t];
        if (t < modes.count)
            at.base[t] = modes.base[t];
    }
    if (threadIdx.x == 0) {
        at.count = modes.count;
        at.stride = modes.stride;
    }
    __syncthreads();
    const cut_rows_of<real, packed> cut = {at, first, lanes};
    real *rows = direction == STARFISH_FORWARD ? const_cast<real *>(arguments.in) : arguments.out;
    const rows_of<real, packed> plain = {rows + offset, n, lanes};
    nothing none;
    if constexpr (direction == STARFISH_FORWARD)
        transform_rows_tile(arguments.transform, arguments.shape, shared_numbers<real>(), plain, cut, none);
    else
        transform_rows_tile(arguments.transform, arguments.shape, shared_numbers<real>(), cut, plain, none);
}

template <typename real, starfish_transform_direction direction>
int launch_cut_rows(const starfish_transform_cuda *plan, const starfish_transform_rows &rows, cudaStream_t stream)
{
    const row_arguments<real> arguments = row_arguments_of<real>(plan, direction, rows);
    return launch(plan->shape.fft == STARFISH_FFT_REAL ? cut_rows_kernel<real, true, direction>
                                                       : cut_rows_kernel<real, false, direction>,
                  arguments.shape, rows.count, stream, arguments, ranges_of<real>(rows, 0));
}

} // namespace

} // namespace starfish

#endif
