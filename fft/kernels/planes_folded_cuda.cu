/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on the GPU where rows fit in shared memory and y goes by products of matrices
 * (transform_products.h): the kernel of rows takes a row and its mirror image as the two lanes of a line, so that it
 * writes their sum and difference, which y's products want, and reads them backward. A fold by itself would read and
 * write the field once more. Planes go through work space in groups. Products are of f64 alone. */
#include "fft/kernels/planes_cuda.cuh"
#include "fft/kernels/transform_lines.cuh"
#include "fft/kernels/transform_products_cuda.cuh"

#include <algorithm>

namespace starfish
{

namespace
{

/* Planes of values, and the same with folded columns: row i of a half at folded + pitch * i, planes `plane` apart. */
struct planes_of_pairs {
    halves y;
    double *values;
    plane_places places;
    unsigned first; /* plane of values */
    double *folded;
    size_t pitch, plane;
};

/* Pair number `pair` of a group: rows i and reflect - i of plane k, or row i alone. */
struct pair_of_rows {
    unsigned k, i;
    bool paired;
};

__device__ __forceinline__ pair_of_rows pair_number(const halves &y, unsigned pair)
{
    const unsigned k = pair / y.even, i = pair - k * y.even;
    return {k, i, is_paired(y, i)};
}

/* A line of folded rows: it gives and takes values. */
struct folded_pair {
    double *sum, *difference;
    bool paired;
    __device__ __forceinline__ double2 get(unsigned i) const
    {
        double2 value = {sum[i], paired ? difference[i] : 0};
        meet(value.x, value.y);
        return value;
    }
    __device__ __forceinline__ void put(unsigned i, double2 value) const
    {
        if (paired) {
            meet(value.x, value.y);
            difference[i] = value.y;
        }
        sum[i] = value.x;
    }
};

/* The lines of a tile, one for each pair from `first` on; a row that is alone is both lanes of its line. */
struct lines_of_values {
    static constexpr bool packed = true;
    const planes_of_pairs &all;
    unsigned first, lanes;
    __device__ __forceinline__ auto line(unsigned l) const
    {
        const pair_of_rows pair = pair_number(all.y, first + l);
        const size_t row = all.places.row, second = pair.paired ? all.y.reflect - pair.i : pair.i;
        double *const plane = all.values + all.places(all.first + pair.k);
        return scattered_lanes<double, true>{{plane + pair.i * row, plane + second * row}, sizeof(double)};
    }
};

struct lines_of_folded : lines_of_values {
    __device__ __forceinline__ auto line(unsigned l) const
    {
        const pair_of_rows pair = pair_number(all.y, first + l);
        double *const sum = all.folded + pair.k * all.plane + pair.i * all.pitch;
        return folded_pair{sum, sum + (all.y.start - all.y.skip) * all.pitch, pair.paired};
    }
};

struct folded_rows_arguments {
    line_transform<double> transform;
    tile_shape shape;
    size_t lanes; /* two for each pair */
    planes_of_pairs planes;
};

template <starfish_transform_direction direction>
__global__ void __launch_bounds__(threads, blocks)
    folded_rows_kernel(const __grid_constant__ folded_rows_arguments arguments)
{
    const size_t first = (size_t)blockIdx.x * arguments.shape.lanes;
    const unsigned lanes = lanes_of_tile(arguments.shape, first, arguments.lanes), pair = unsigned(first / 2);
    const lines_of_values values = {arguments.planes, pair, lanes};
    const lines_of_folded folded = {values};
    nothing none;
    if constexpr (direction == STARFISH_FORWARD)
        transform_rows_tile(arguments.transform, arguments.shape, shared_numbers<double>(), values, folded, none);
    else
        transform_rows_tile(arguments.transform, arguments.shape, shared_numbers<double>(), folded, values, none);
}

/* Reals from one row of the work space to the next: whole vectors of 16 bytes. */
size_t pitch_of(const starfish_transform_cuda *x)
{
    return (x->n + 3) / 4 * 4;
}

/* Folded planes take both pieces of the work space, since products leave modes where they belong. */
size_t planes_of_group(const starfish_transform_cuda *x, const starfish_transform_cuda *y)
{
    return 2 * y->group / pitch_of(x);
}

/* Rows that halves are padded with must be numbers. */
int clear_padding(const transform<double> &y, size_t pitch, size_t planes)
{
    const starfish_transform_products &p = y.products();
    for (int half = 0; half < 2; half++) {
        const size_t row = pitch * sizeof(double), padding = (p.pitch[half] - y.size(half)) * row;
        if (padding > 0)
            STARFISH_TRY_CUDA(cudaMemset2DAsync(y.work[0] + (half * p.pitch[0] + y.size(half)) * pitch, y.line() * row,
                                                0, padding, planes, y.stream));
    }
    return cudaSuccess;
}

/* Planes first .. first + count - 1. */
int transform_group(const starfish_transform_cuda *x, const transform<double> &y,
                    const starfish_transform_planes &planes, size_t first, size_t count)
{
    const starfish_transform_products &p = y.products();
    const bool forward = y.direction == STARFISH_FORWARD;
    const size_t nx = x->n, pitch = pitch_of(x), plane = pitch * y.line();
    double *const in = static_cast<double *>(const_cast<void *>(planes.in)), *const out =
                                                                                 static_cast<double *>(planes.out);
    const folded_rows_arguments arguments = {line_transform_of<double>(x, y.direction, 1),
                                             rows_tile_shape(x, row_threads(x)),
                                             2 * p.even * count,
                                             {halves_of(p), forward ? in : out, places_of_values(planes, nx, p.n),
                                              static_cast<unsigned>(first), y.work[0], pitch, plane}};
    const halves_of_lanes<double> folded = {y.work[0], p.pitch[0] * pitch, pitch, plane};
    const halves_of_lanes<double> modes = {(forward ? out : in) + first * nx * p.n, p.first_odd * nx, p.step * nx,
                                           nx * p.n};
    if (!forward)
        STARFISH_TRY_CUDA(multiply_columns(y, nx, count, modes, folded));
    STARFISH_TRY_CUDA(launch(forward ? folded_rows_kernel<STARFISH_FORWARD> : folded_rows_kernel<STARFISH_BACKWARD>,
                             arguments.shape, arguments.lanes, y.stream, arguments));
    return forward ? multiply_columns(y, nx, count, folded, modes) : cudaSuccess;
}

} // namespace

/* A line carries two rows where its transform is real. */
bool planes_are_folded(const starfish_transform_cuda *x, const starfish_transform_cuda *y)
{
    return x->way == STARFISH_IN_SHARED_MEMORY && x->shape.fft == STARFISH_FFT_REAL && x->precision == STARFISH_F64 &&
           y->way == STARFISH_BY_PRODUCTS && y->products.odd > 0 && planes_of_group(x, y) > 0;
}

int planes_by_folded_rows(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                          starfish_transform_direction direction, const starfish_transform_planes &planes,
                          cudaStream_t stream)
{
    const transform<double> of_y = begin<double>(y, direction, planes.scale, planes.workspace, stream);
    const size_t most = planes_of_group(x, y);
    STARFISH_TRY_CUDA(set_blas(y, blas_workspace(of_y), stream));
    if (direction == STARFISH_FORWARD)
        STARFISH_TRY_CUDA(clear_padding(of_y, pitch_of(x), std::min(most, planes.planes)));
    for (size_t first = 0; first < planes.planes; first += most)
        STARFISH_TRY_CUDA(transform_group(x, of_y, planes, first, std::min(most, planes.planes - first)));
    return cudaSuccess;
}

} // namespace starfish
