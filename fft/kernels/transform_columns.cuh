/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms of columns in shared memory (line_tile.cuh), by the number of lanes that a line carries. Bound by memory
 * as transform_lines_cuda.cu says. */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_COLUMNS_CUH
#define STARFISH_FFT_KERNELS_TRANSFORM_COLUMNS_CUH

#include "fft/kernels/transform_lines.cuh"

namespace starfish
{

namespace
{

template <typename real> struct column_arguments {
    line_transform<real> transform;
    tile_shape shape;
    size_t inner, count; /* lanes of a plane, and of all planes */
    const real *in;
    real *out;
};

template <typename real, bool packed, bool adjacent>
__global__ void __launch_bounds__(threads, blocks)
    columns_kernel(const __grid_constant__ column_arguments<real> arguments)
{
    const size_t first = (size_t)blockIdx.x * arguments.shape.lanes, inner = arguments.inner;
    const size_t plane = inner * arguments.transform.n, offset = first / inner * plane;
    const unsigned lane = static_cast<unsigned>(first % inner);
    const unsigned lanes = lanes_of_tile(arguments.shape, first, arguments.count),
                   stride = static_cast<unsigned>(inner);
    const columns_of<real, packed, adjacent> in = {const_cast<real *>(arguments.in) + offset, stride, plane, lane,
                                                   lanes};
    const columns_of<real, packed, adjacent> out = {arguments.out + offset, stride, plane, lane, lanes};
    nothing none;
    transform_columns_tile(arguments.transform, arguments.shape, shared_numbers<real>(), in, out, none);
}

template <typename real, bool packed>
int launch_columns(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                   const starfish_transform_columns &columns, const void *in, cudaStream_t stream)
{
    if (columns.inner > UINT32_MAX / STARFISH_LINE_NUMBER)
        return cudaErrorInvalidValue;
    const column_arguments<real> arguments = {line_transform_of<real>(plan, direction, columns.scale),
                                              columns_tile_shape(plan, column_threads(plan)),
                                              columns.inner,
                                              columns.inner * columns.outer,
                                              static_cast<const real *>(in),
                                              static_cast<real *>(columns.data)};
    const bool adjacent = packed && lanes_are_aligned(in, columns.inner, plan->precision) &&
                          lanes_are_aligned(columns.data, columns.inner, plan->precision);
    return launch(adjacent ? columns_kernel<real, packed, packed> : columns_kernel<real, packed, false>,
                  arguments.shape, arguments.count, stream, arguments);
}

} // namespace

} // namespace starfish

#endif
