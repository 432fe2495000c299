/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on the GPU, both by products of matrices (transform_products.h): folded in both directions at
 * once, then x's products, then y's; back in the opposite order. So there is one fold for both directions, which
 * is bound by memory, where each by itself has one of its own. Planes go through work space in groups. */
#include "fft/kernels/planes_cuda.cuh"
#include "fft/kernels/transform_products_cuda.cuh"

#include <algorithm>

namespace starfish
{

namespace
{

constexpr unsigned across = 32, down = 8; /* of a block of threads */
constexpr size_t most_blocks = 65535;     /* of a grid in z */

template <typename real> struct folded_planes {
    halves x, y;
    real *values;
    plane_places places;
    unsigned first; /* plane */
    real *folded;
    unsigned pitch; /* reals from one folded row to the next */
    unsigned rows;  /* of a folded plane, padded */
    unsigned planes;
};

/* Numbers of two elements that belong together, and whether there is a second one. */
struct pair_of_elements {
    unsigned first, second;
    bool paired;
};

__device__ __forceinline__ pair_of_elements values_of_pair(const halves &h, unsigned i)
{
    return {i, h.reflect - i, is_paired(h, i)};
}

__device__ __forceinline__ pair_of_elements folded_pair(const halves &h, unsigned i, unsigned start)
{
    return {i, start + i - h.skip, is_paired(h, i)};
}

/* Values to planes folded in both directions, or back. */
template <typename real, bool forward>
__global__ void __launch_bounds__(across *down) fold_planes(const __grid_constant__ folded_planes<real> p)
{
    const unsigned i = blockIdx.x * across + threadIdx.x, j = blockIdx.y * down + threadIdx.y;
    if (i >= p.x.even || j >= p.y.even)
        return;
    const pair_of_elements x = values_of_pair(p.x, i), y = values_of_pair(p.y, j);
    const pair_of_elements mode_x = folded_pair(p.x, i, p.x.start), mode_y = folded_pair(p.y, j, p.y.start);
    const pair_of_elements &from_x = forward ? x : mode_x, &from_y = forward ? y : mode_y;
    const pair_of_elements &to_x = forward ? mode_x : x, &to_y = forward ? mode_y : y;
    const size_t from_row = forward ? p.places.row : p.pitch, to_row = forward ? p.pitch : p.places.row;
    for (unsigned k = blockIdx.z; k < p.planes; k += gridDim.z) {
        real *const values = p.values + p.places(p.first + k), *const folded = p.folded + (size_t)k * p.rows * p.pitch;
        const real *from = forward ? values : folded;
        real *to = forward ? folded : values;
        real a = from[from_y.first * from_row + from_x.first];
        real b = x.paired ? from[from_y.first * from_row + from_x.second] : real(0);
        real c = y.paired ? from[from_y.second * from_row + from_x.first] : real(0);
        real d = x.paired && y.paired ? from[from_y.second * from_row + from_x.second] : real(0);
        meet(a, b);
        meet(c, d);
        meet(a, c);
        meet(b, d);
        to[to_y.first * to_row + to_x.first] = a;
        if (x.paired)
            to[to_y.first * to_row + to_x.second] = b;
        if (y.paired)
            to[to_y.second * to_row + to_x.first] = c;
        if (x.paired && y.paired)
            to[to_y.second * to_row + to_x.second] = d;
    }
}

/* Planes that each piece of x's work space holds. */
size_t planes_of_group(const starfish_transform_cuda *x, const starfish_transform_cuda *y)
{
    return std::min<size_t>(x->group / starfish_transform_products_line(&y->products), most_blocks);
}

/* y's products of `count` planes, of even and of odd modes of x, which are apart in the work space. */
template <typename real>
int multiply_halves(const transform<real> &x, const transform<real> &y, size_t count, real *modes)
{
    const starfish_transform_products &px = x.products(), &py = y.products();
    const size_t pitch = x.line();
    for (int half = 0; half < 2 && x.size(half) > 0; half++) {
        const halves_of_lanes<real> between = {x.work[1] + half * px.pitch[0], py.pitch[0] * pitch, pitch,
                                               y.line() * pitch};
        const halves_of_lanes<real> columns = {modes + half * px.first_odd, py.first_odd * px.n, py.step * px.n,
                                               px.n * py.n};
        const bool forward = y.direction == STARFISH_FORWARD;
        STARFISH_TRY_CUDA(
            multiply_columns(y, x.size(half), count, forward ? between : columns, forward ? columns : between));
    }
    return cudaSuccess;
}

/* Planes first .. first + count - 1. */
template <typename real>
int transform_group(const transform<real> &x, const transform<real> &y, const starfish_transform_planes &planes,
                    size_t first, size_t count)
{
    const starfish_transform_products &px = x.products(), &py = y.products();
    const bool forward = x.direction == STARFISH_FORWARD;
    const size_t plane = px.n * py.n, pitch = x.line(), rows_of_plane = y.line(), lines = count * rows_of_plane;
    real *const in = static_cast<real *>(const_cast<void *>(planes.in)), *const out = static_cast<real *>(planes.out);
    real *const modes = (forward ? out : in) + first * plane;
    const folded_planes<real> fold = {halves_of(px),
                                      halves_of(py),
                                      forward ? in : out,
                                      places_of_values(planes, px.n, py.n),
                                      static_cast<unsigned>(first),
                                      x.work[0],
                                      static_cast<unsigned>(pitch),
                                      static_cast<unsigned>(rows_of_plane),
                                      static_cast<unsigned>(count)};
    const halves_of_lines<real> folded = {x.work[0], px.pitch[0], pitch}, rows = {x.work[1], px.pitch[0], pitch};
    const dim3 block(across, down),
        grid(static_cast<unsigned>((px.even + across - 1) / across), static_cast<unsigned>((py.even + down - 1) / down),
             static_cast<unsigned>(count));
    if (forward) {
        fold_planes<real, true><<<grid, block, 0, x.stream>>>(fold);
        STARFISH_TRY_CUDA(multiply_rows(x, lines, true, folded, rows));
        STARFISH_TRY_CUDA(multiply_halves(x, y, count, modes));
    } else {
        STARFISH_TRY_CUDA(multiply_halves(x, y, count, modes));
        STARFISH_TRY_CUDA(multiply_rows(x, lines, true, rows, folded));
        fold_planes<real, false><<<grid, block, 0, x.stream>>>(fold);
    }
    return cudaGetLastError();
}

template <typename real>
int transform_planes(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                     starfish_transform_direction direction, const starfish_transform_planes &planes,
                     cudaStream_t stream)
{
    const transform<real> of_x = begin<real>(x, direction, 1, planes.workspace, stream);
    const transform<real> of_y = begin<real>(y, direction, planes.scale, planes.workspace, stream);
    const size_t most = planes_of_group(x, y);
    STARFISH_TRY_CUDA(set_blas(x, blas_workspace(of_x), stream));
    STARFISH_TRY_CUDA(set_blas(y, blas_workspace(of_x), stream)); /* where x's lines are, not y's */
    STARFISH_TRY_CUDA(clear_lines(of_x, std::min(most, planes.planes) * of_y.line(), 2));
    for (size_t first = 0; first < planes.planes; first += most)
        STARFISH_TRY_CUDA(transform_group(of_x, of_y, planes, first, std::min(most, planes.planes - first)));
    return cudaSuccess;
}

} // namespace

/* x's modes must lie together as its products leave them. */
bool planes_are_products(const starfish_transform_cuda *x, const starfish_transform_cuda *y)
{
    return x->way == STARFISH_BY_PRODUCTS && y->way == STARFISH_BY_PRODUCTS && x->products.step == 1 &&
           planes_of_group(x, y) > 0;
}

int planes_by_products(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                       starfish_transform_direction direction, const starfish_transform_planes &planes,
                       cudaStream_t stream)
{
    return x->precision == STARFISH_F32 ? transform_planes<float>(x, y, direction, planes, stream)
                                        : transform_planes<double>(x, y, direction, planes, stream);
}

} // namespace starfish
