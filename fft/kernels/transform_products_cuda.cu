/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms as products of matrices (transform_products.h): fold, two products by cuBLAS, through work space; backward
 * the same in opposite order.
 *
 * Bound by arithmetic: 2 n operations for an element, n where lines have halves. Fold
 * or unfold is one read and one write of the field. Modes of rows whose halves are not contiguous, or that are cut into
 * tiles, take another read and write. Columns are not transposed: lanes are the rows of a product. */
#include "fft/kernels/transform_products_cuda.cuh"

#include <algorithm>

namespace starfish
{

namespace
{

constexpr unsigned row_lanes = 32, rows_per_block = 8, rows_per_thread = 8;
constexpr unsigned column_lanes = 128;
constexpr size_t most_blocks = 65535; /* of a grid in y and z */

/* Where mode k lies in a line of products. */
__device__ __forceinline__ unsigned place_of(const halves &h, unsigned k)
{
    const bool odd = h.step == 2 ? k % 2 == 1 : k >= h.first_odd;
    return odd ? h.start + (k - h.first_odd) / h.step : k / h.step;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */
template <typename real> struct rows_of_values {
    halves of;
    real *values;
    row_places places; /* of row 0 */
    real *lines;
    size_t line, count;
};

/* Values to folded lines, or back. */
template <typename real, bool forward>
__global__ void __launch_bounds__(row_lanes *rows_per_block)
    fold_rows(const __grid_constant__ rows_of_values<real> arguments)
{
    const halves &h = arguments.of;
    const unsigned i = blockIdx.x * row_lanes + threadIdx.x;
    if (i >= h.even)
        return;
    const bool paired = is_paired(h, i);
    const unsigned mirror = paired ? h.reflect - i : i, difference = paired ? h.start + i - h.skip : i;
    const real *__restrict__ in = forward ? arguments.values : arguments.lines;
    real *__restrict__ out = forward ? arguments.lines : arguments.values;
    const size_t step = static_cast<size_t>(gridDim.y) * rows_per_block;
#pragma unroll 4
    for (size_t row = static_cast<size_t>(blockIdx.y) * rows_per_block + threadIdx.y; row < arguments.count;
         row += step) {
        const size_t value = arguments.places(row), line = row * arguments.line;
        const real *from = in + (forward ? value : line);
        real *to = out + (forward ? line : value);
        const real a = from[i], b = from[forward ? mirror : difference];
        to[i] = paired ? a + b : a;
        if (paired)
            to[forward ? difference : mirror] = a - b;
    }
}

template <typename real> struct rows_of_modes {
    halves of;
    unsigned n;
    ranges<real> modes;
    real *lines;
    size_t line, count;
};

/* Lines of products to modes, or back. */
template <typename real, bool forward>
__global__ void __launch_bounds__(row_lanes *rows_per_block)
    place_modes(const __grid_constant__ rows_of_modes<real> arguments)
{
    const unsigned k = blockIdx.x * row_lanes + threadIdx.x;
    if (k >= arguments.n)
        return;
    const column<real> mode = locate(arguments.modes, k);
    real *const place = arguments.lines + place_of(arguments.of, k);
    const real *__restrict__ in = forward ? place : mode.base;
    real *__restrict__ out = forward ? mode.base : place;
    const size_t in_stride = forward ? arguments.line : mode.stride,
                 out_stride = forward ? mode.stride : arguments.line;
    const size_t step = static_cast<size_t>(gridDim.y) * rows_per_block;
#pragma unroll 4
    for (size_t row = static_cast<size_t>(blockIdx.y) * rows_per_block + threadIdx.y; row < arguments.count;
         row += step)
        out[row * out_stride] = in[row * in_stride];
}

dim3 grid_of_rows(size_t elements, size_t rows)
{
    const size_t blocks = (rows + rows_per_block * rows_per_thread - 1) / (rows_per_block * rows_per_thread);
    return dim3(static_cast<unsigned>((elements + row_lanes - 1) / row_lanes),
                static_cast<unsigned>(std::min(blocks, most_blocks)));
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */
template <typename real> struct lanes_of_values {
    halves of;
    const real *in;
    real *out;
    unsigned lanes, in_pitch, out_pitch; /* reals from an element of a lane to the next */
    size_t in_plane, out_plane, planes;
};

/* Values to folded lanes, or back. Halves of folded lanes lie one behind the other. */
template <typename real, bool forward>
__global__ void __launch_bounds__(column_lanes) fold_lanes(const __grid_constant__ lanes_of_values<real> arguments)
{
    const halves &h = arguments.of;
    const unsigned lane = blockIdx.x * column_lanes + threadIdx.x, i = blockIdx.y;
    if (lane >= arguments.lanes)
        return;
    const bool paired = is_paired(h, i);
    const unsigned mirror = paired ? h.reflect - i : i, difference = paired ? h.start + i - h.skip : i;
    const size_t in_first = static_cast<size_t>(arguments.in_pitch) * i + lane;
    const size_t in_second = static_cast<size_t>(arguments.in_pitch) * (forward ? mirror : difference) + lane;
    const size_t out_first = static_cast<size_t>(arguments.out_pitch) * i + lane;
    const size_t out_second = static_cast<size_t>(arguments.out_pitch) * (forward ? difference : mirror) + lane;
#pragma unroll 4
    for (size_t plane = blockIdx.z; plane < arguments.planes; plane += gridDim.z) {
        const real *__restrict__ in = arguments.in + plane * arguments.in_plane;
        real *__restrict__ out = arguments.out + plane * arguments.out_plane;
        const real a = in[in_first], b = in[in_second];
        out[out_first] = paired ? a + b : a;
        if (paired)
            out[out_second] = a - b;
    }
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */
/* Whether products leave modes where they belong, or find them there. */
template <typename real> bool has_direct_modes(const transform<real> &t, const starfish_transform_rows &rows)
{
    return rows.tiles == 1 && t.products().step == 1;
}

template <typename real>
int transform_group_of_rows(const transform<real> &t, const starfish_transform_rows &rows, size_t begin, size_t count)
{
    const starfish_transform_products &p = t.products();
    const bool packed = rows.strides.row == 0, forward = t.direction == STARFISH_FORWARD;
    const halves of = halves_of(p);
    const rows_of_values<real> values = {of,
                                         static_cast<real *>(rows.rows) + (packed ? begin * p.n : 0),
                                         {rows.strides, rows.first_row + (packed ? 0 : begin), p.n},
                                         t.work[0],
                                         t.line(),
                                         count};
    const rows_of_modes<real> modes = {
        of, static_cast<unsigned>(p.n), ranges_of<real>(rows, begin), t.work[1], t.line(), count};
    const bool direct = has_direct_modes(t, rows);
    const halves_of_lines<real> folded = {t.work[0], p.pitch[0], t.line()};
    const halves_of_lines<real> products = direct ? halves_of_lines<real>{modes.modes.base[0], p.first_odd, p.n}
                                                  : halves_of_lines<real>{t.work[1], p.pitch[0], t.line()};
    const dim3 block(row_lanes, rows_per_block), value_grid = grid_of_rows(p.even, count),
                                                 mode_grid = grid_of_rows(p.n, count);
    if (forward) {
        fold_rows<real, true><<<value_grid, block, 0, t.stream>>>(values);
        STARFISH_TRY_CUDA(multiply_rows(t, count, !direct, folded, products));
        if (!direct)
            place_modes<real, true><<<mode_grid, block, 0, t.stream>>>(modes);
    } else {
        if (!direct)
            place_modes<real, false><<<mode_grid, block, 0, t.stream>>>(modes);
        STARFISH_TRY_CUDA(multiply_rows(t, count, !direct, products, folded));
        fold_rows<real, false><<<value_grid, block, 0, t.stream>>>(values);
    }
    return cudaGetLastError();
}

/* Lanes of some planes, or some lanes of a plane. */
struct block_of_lanes {
    size_t first_lane, lanes, first_plane, planes;
};

template <typename real>
int transform_lanes(const transform<real> &t, const starfish_transform_columns &columns, const void *in,
                    const block_of_lanes &block)
{
    const starfish_transform_products &p = t.products();
    const bool forward = t.direction == STARFISH_FORWARD;
    const size_t inner = columns.inner, plane = inner * p.n, offset = block.first_lane + block.first_plane * plane;
    const size_t pitch = (block.lanes + 3) / 4 * 4; /* whole vectors of 16 bytes */
    const real *const source = static_cast<const real *>(in) + offset;
    real *const target = static_cast<real *>(columns.data) + offset, *const work = t.work[0];
    const dim3 grid(static_cast<unsigned>((block.lanes + column_lanes - 1) / column_lanes),
                    static_cast<unsigned>(p.even), static_cast<unsigned>(std::min<size_t>(block.planes, 8)));
    lanes_of_values<real> fold = {halves_of(p),
                                  forward ? source : work,
                                  forward ? work : target,
                                  static_cast<unsigned>(block.lanes),
                                  static_cast<unsigned>(forward ? inner : pitch),
                                  static_cast<unsigned>(forward ? pitch : inner),
                                  forward ? plane : pitch * t.line(),
                                  forward ? pitch * t.line() : plane,
                                  block.planes};
    if (forward)
        fold_lanes<real, true><<<grid, column_lanes, 0, t.stream>>>(fold);
    const halves_of_lanes<real> folded = {work, p.pitch[0] * pitch, pitch, pitch * t.line()};
    const halves_of_lanes<real> modes = {forward ? target : const_cast<real *>(source), p.first_odd * inner,
                                         p.step * inner, plane};
    STARFISH_TRY_CUDA(
        multiply_columns(t, block.lanes, block.planes, forward ? folded : modes, forward ? modes : folded));
    if (!forward)
        fold_lanes<real, false><<<grid, column_lanes, 0, t.stream>>>(fold);
    return cudaGetLastError();
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */
template <typename real>
int transform_rows(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                   const starfish_transform_rows &rows, cudaStream_t stream)
{
    if (rows.count == 0)
        return cudaSuccess;
    const transform<real> t = begin<real>(plan, direction, rows.scale, rows.workspace, stream);
    STARFISH_TRY_CUDA(set_blas(plan, blas_workspace(t), stream));
    STARFISH_TRY_CUDA(clear_lines(t, std::min(t.group, rows.count), has_direct_modes(t, rows) ? 1 : 2));
    for (size_t first = 0; first < rows.count; first += t.group)
        STARFISH_TRY_CUDA(transform_group_of_rows(t, rows, first, std::min(t.group, rows.count - first)));
    return cudaSuccess;
}

template <typename real>
int transform_columns(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                      const starfish_transform_columns &columns, const void *in, cudaStream_t stream)
{
    if (columns.inner == 0 || columns.outer == 0)
        return cudaSuccess;
    const transform<real> t = begin<real>(plan, direction, columns.scale, columns.workspace, stream);
    STARFISH_TRY_CUDA(set_blas(plan, blas_workspace(t), stream));
    const size_t lanes = std::min(columns.inner, t.group),
                 planes = std::max<size_t>(t.group / ((lanes + 3) / 4 * 4), 1);
    STARFISH_TRY_CUDA(clear_lines(t, std::min(t.group, (lanes + 3) / 4 * 4 * columns.outer), 1));
    for (size_t plane = 0; plane < columns.outer; plane += planes)
        for (size_t lane = 0; lane < columns.inner; lane += lanes)
            STARFISH_TRY_CUDA(transform_lanes(
                t, columns, in,
                {lane, std::min(lanes, columns.inner - lane), plane, std::min(planes, columns.outer - plane)}));
    return cudaSuccess;
}

} // namespace

starfish_status products_create(starfish_transform_cuda *plan)
{
    return create_cublas(&plan->blas);
}

/* Failures here mean that the device is lost already; there is nobody to tell. */
void products_destroy(starfish_transform_cuda *plan)
{
    if (plan->blas)
        (void)cublasDestroy(plan->blas);
}

int rows_by_products(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                     const starfish_transform_rows *arguments, cudaStream_t stream)
{
    return plan->precision == STARFISH_F32 ? transform_rows<float>(plan, direction, *arguments, stream)
                                           : transform_rows<double>(plan, direction, *arguments, stream);
}

int columns_by_products(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                        const starfish_transform_columns *arguments, const void *in, cudaStream_t stream)
{
    return plan->precision == STARFISH_F32 ? transform_columns<float>(plan, direction, *arguments, in, stream)
                                           : transform_columns<double>(plan, direction, *arguments, in, stream);
}

} // namespace starfish
