/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms of rows in shared memory (line_tile.cuh), both sides in one piece; compiled once for each precision.
 * Bound by memory as transform_lines_cuda.cu says. */
#include "fft/kernels/transform_rows.cuh"

namespace starfish
{

namespace
{

template <typename real, bool packed>
__global__ void __launch_bounds__(threads, blocks) rows_kernel(const __grid_constant__ row_arguments<real> arguments)
{
    const size_t first = (size_t)blockIdx.x * arguments.shape.lanes, offset = first * arguments.transform.n;
    const unsigned lanes = lanes_of_tile(arguments.shape, first, arguments.count);
    const unsigned n = arguments.transform.n;
    const rows_of<real, packed> in = {const_cast<real *>(arguments.in) + offset, n, lanes};
    const rows_of<real, packed> out = {arguments.out + offset, n, lanes};
    nothing none;
    transform_rows_tile(arguments.transform, arguments.shape, shared_numbers<real>(), in, out, none);
}

/* The same where one side is not packed. */
template <typename real, bool packed>
__global__ void __launch_bounds__(threads, blocks)
    placed_rows_kernel(const __grid_constant__ row_arguments<real> arguments, const __grid_constant__ row_places in_at,
                       const __grid_constant__ row_places out_at)
{
    const size_t first = (size_t)blockIdx.x * arguments.shape.lanes;
    const unsigned lanes = lanes_of_tile(arguments.shape, first, arguments.count);
    const placed_rows_of<real, packed> in = {const_cast<real *>(arguments.in), in_at, first, lanes};
    const placed_rows_of<real, packed> out = {arguments.out, out_at, first, lanes};
    nothing none;
    transform_rows_tile(arguments.transform, arguments.shape, shared_numbers<real>(), in, out, none);
}

} // namespace

int REAL_NAME(whole_rows)(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                          const starfish_transform_rows &rows, cudaStream_t stream)
{
    const bool pairs = plan->shape.fft == STARFISH_FFT_REAL, forward = direction == STARFISH_FORWARD;
    row_arguments<real> arguments = row_arguments_of<real>(plan, direction, rows);
    if (forward)
        arguments.out = static_cast<real *>(rows.tile[0]);
    else
        arguments.in = static_cast<const real *>(rows.tile[0]);
    if (rows.strides.row == 0)
        return launch(pairs ? rows_kernel<real, true> : rows_kernel<real, false>, arguments.shape, rows.count, stream,
                      arguments);
    const row_places packed = {{}, 0, plan->n}, values = {rows.strides, rows.first_row, plan->n};
    return launch(pairs ? placed_rows_kernel<real, true> : placed_rows_kernel<real, false>, arguments.shape, rows.count,
                  stream, arguments, forward ? values : packed, forward ? packed : values);
}

} // namespace starfish
