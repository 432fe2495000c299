/* Transforms of rows and columns in shared memory, one kernel each (line_tile.cuh).
 *
 * The floor is one read and one write of the field, 2 sizeof(real) bytes an element, 0.51 ms of an H200 for 512^3 in
 * f64: measured, forward and backward, rows 0.59 and 0.57, columns 0.71 and 0.68. A number meets shared memory four
 * times in three passes, as combinations are made within the outer passes; what is left is waiting for memory, with 16
 * warps of 128 registers a multiprocessor. Blocks of 96 registers spill and are slower. */
#include "fft/kernels/transform_cuda.cuh"

#include <algorithm>
#include <cstdint>

namespace starfish
{

namespace
{

constexpr int threads = STARFISH_LINE_THREADS;
constexpr int most_lines = 64;
constexpr int blocks = STARFISH_LINE_BLOCKS;

extern __shared__ double2 shared_memory[];

template <typename real> __device__ __forceinline__ number<real> *shared_numbers()
{
    return reinterpret_cast<number<real> *>(shared_memory);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */
template <typename real> struct row_arguments {
    line_transform<real> transform;
    tile_shape shape;
    size_t count;
    const real *in; /* plain rows; the other side may be cut into ranges */
    real *out;
};

__device__ __forceinline__ unsigned lanes_of_tile(const tile_shape &shape, size_t first, size_t count)
{
    return count - first < (size_t)shape.lanes ? static_cast<unsigned>(count - first) : shape.lanes;
}

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

template <typename real, bool packed, starfish_transform_direction direction>
__global__ void __launch_bounds__(threads, blocks)
    cut_rows_kernel(const __grid_constant__ row_arguments<real> arguments, const __grid_constant__ ranges<real> modes)
{
    const size_t first = (size_t)blockIdx.x * arguments.shape.lanes, offset = first * arguments.transform.n;
    const unsigned lanes = lanes_of_tile(arguments.shape, first, arguments.count);
    const unsigned n = arguments.transform.n;
    const cut_rows_of<real, packed> cut = {modes, first, lanes};
    real *rows = direction == STARFISH_FORWARD ? const_cast<real *>(arguments.in) : arguments.out;
    const rows_of<real, packed> plain = {rows + offset, n, lanes};
    nothing none;
    if constexpr (direction == STARFISH_FORWARD)
        transform_rows_tile(arguments.transform, arguments.shape, shared_numbers<real>(), plain, cut, none);
    else
        transform_rows_tile(arguments.transform, arguments.shape, shared_numbers<real>(), cut, plain, none);
}

/* ---- Columns ---------------------------------------------------------------------------------------------------- */
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

/* ---- Launches --------------------------------------------------------------------------------------------------- */
/* More than 48 KB of shared memory must be asked for; asking again changes nothing. */
template <typename... parameters>
int launch(void (*kernel)(parameters...), const tile_shape &shape, size_t lanes, cudaStream_t stream,
           const parameters &...arguments)
{
    const size_t tiles = (lanes + shape.lanes - 1) / shape.lanes;
    if (tiles == 0)
        return cudaSuccess;
    if (tiles > INT32_MAX)
        return cudaErrorInvalidConfiguration;
    if (shape.shared > 48 * 1024)
        STARFISH_TRY_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(shape.shared)));
    kernel<<<static_cast<unsigned>(tiles), shape.threads, shape.shared, stream>>>(arguments...);
    return cudaGetLastError();
}

template <typename real, bool packed>
int launch_rows(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                const starfish_transform_rows &rows, cudaStream_t stream)
{
    const bool forward = direction == STARFISH_FORWARD;
    row_arguments<real> arguments = {line_transform_of<real>(plan, direction, rows.scale),
                                     rows_tile_shape(plan, row_threads(plan)), rows.count, nullptr, nullptr};
    arguments.in = static_cast<const real *>(forward || rows.tiles > 1 ? rows.rows : rows.tile[0]);
    arguments.out = static_cast<real *>(forward && rows.tiles == 1 ? rows.tile[0] : rows.rows);
    if (rows.tiles == 1)
        return launch(rows_kernel<real, packed>, arguments.shape, rows.count, stream, arguments);
    return launch(forward ? cut_rows_kernel<real, packed, STARFISH_FORWARD>
                          : cut_rows_kernel<real, packed, STARFISH_BACKWARD>,
                  arguments.shape, rows.count, stream, arguments, ranges_of<real>(rows, 0));
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

int lanes_of_line(const starfish_transform_cuda *plan)
{
    const int parts = static_cast<int>(STARFISH_LINE_NUMBER / starfish_real_size(plan->precision));
    return plan->shape.fft == STARFISH_FFT_REAL ? parts : parts / 2;
}

/* Numbers of a tile that a thread takes: two butterflies or a pair of them, with radix 8 in mind, up to ten. */
constexpr int fewest_numbers = 16, most_numbers = 20;

/* A power of two. */
int lines_of_tile(const starfish_line_plan &line, int block_threads)
{
    int lines = 1;
    while (lines < most_lines && 2 * lines * line.length <= most_numbers * block_threads)
        lines *= 2;
    return lines;
}

/* Interleaved lines that are at least 64 bytes wide, which use whole sectors of device memory, but where they would not
 * fit. */
int lines_of_columns(const starfish_transform_cuda *plan, int block_threads)
{
    const size_t line_bytes = static_cast<size_t>(plan->line.plan.places) * STARFISH_LINE_NUMBER;
    int lines = lines_of_tile(plan->line.plan, block_threads);
    while (lines * lanes_of_line(plan) * starfish_real_size(plan->precision) < 64)
        lines *= 2;
    while (lines > 1 && lines * line_bytes > STARFISH_LINE_SHARED)
        lines /= 2;
    return lines;
}

} // namespace

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */
int row_threads(const starfish_transform_cuda *plan)
{
    return plan->line.plan.length <= most_numbers * threads / 2 ? threads / 2 : threads;
}

int column_threads(const starfish_transform_cuda *plan)
{
    const int numbers = lines_of_columns(plan, threads / 2) * plan->line.plan.length;
    return numbers <= most_numbers * threads / 2 ? threads / 2 : threads;
}

tile_shape rows_tile_shape(const starfish_transform_cuda *plan, int block_threads)
{
    const starfish_line_plan &line = plan->line.plan;
    tile_shape shape = {};
    shape.threads = block_threads;
    shape.lines = lines_of_tile(line, block_threads);
    shape.lanes = lanes_of_line(plan) * shape.lines;
    shape.distance = line.places | 1;
    shape.along = 1;
    while (shape.along * fewest_numbers < line.length && shape.along * shape.lines < block_threads)
        shape.along *= 2;
    shape.shared = static_cast<size_t>(shape.lines) * shape.distance * STARFISH_LINE_NUMBER;
    return shape;
}

tile_shape columns_tile_shape(const starfish_transform_cuda *plan, int block_threads)
{
    tile_shape shape = {};
    shape.threads = block_threads;
    shape.lines = lines_of_columns(plan, block_threads);
    shape.lanes = lanes_of_line(plan) * shape.lines;
    while (1 << shape.shift < shape.lines)
        shape.shift++;
    shape.distance = 1;
    shape.shared = static_cast<size_t>(shape.lines) * plan->line.plan.places * STARFISH_LINE_NUMBER;
    return shape;
}

bool lanes_are_aligned(const void *data, size_t inner, starfish_precision precision)
{
    return inner % (STARFISH_LINE_NUMBER / starfish_real_size(precision)) == 0 &&
           reinterpret_cast<uintptr_t>(data) % STARFISH_LINE_NUMBER == 0;
}

/* ---- By precision and shape ------------------------------------------------------------------------------------- */
int rows_by_lines(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                  const starfish_transform_rows *arguments, cudaStream_t stream)
{
    const bool packed = plan->shape.fft == STARFISH_FFT_REAL;
    if (plan->precision == STARFISH_F32)
        return (packed ? launch_rows<float, true> : launch_rows<float, false>)(plan, direction, *arguments, stream);
    return (packed ? launch_rows<double, true> : launch_rows<double, false>)(plan, direction, *arguments, stream);
}

int columns_by_lines(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                     const starfish_transform_columns *arguments, const void *in, cudaStream_t stream)
{
    const bool packed = plan->shape.fft == STARFISH_FFT_REAL;
    if (plan->precision == STARFISH_F32)
        return (packed ? launch_columns<float, true> : launch_columns<float, false>)(plan, direction, *arguments, in,
                                                                                     stream);
    return (packed ? launch_columns<double, true> : launch_columns<double, false>)(plan, direction, *arguments, in,
                                                                                   stream);
}

} // namespace starfish
