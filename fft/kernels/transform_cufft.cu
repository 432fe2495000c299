/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms of lines that do not fit in shared memory: combine, one batched cuFFT in place on contiguous lines,
 * combine (transform_tables.h).
 *
 * The floor is one read and one write of the field, 2 sizeof(real) bytes an element. Three kernels move 6 sizeof(real)
 * (8 for kinds whose combination reads two elements; twice the middle part for DD_NODE and NN_NODE, whose lines are
 * extended). Lines are done in groups, so that the work space stays small beside the field; their size is measured
 * (transform_tables.c). Where nothing is combined before (PERIODIC forward on rows) cuFFT reads the rows itself. All
 * kernels are bound by memory; figures are in bench/results/poisson3d.md.
 *
 * Columns are transposed on the way: a tile of 32 lanes by 32 elements goes through shared memory (33 wide, so that
 * neither side has bank conflicts), and both memory accesses run along consecutive addresses. */
#include "fft/kernels/transform_cuda.cuh"

#include <algorithm>
#include <cstdint>

namespace starfish
{

namespace
{

constexpr int tile_side = 32;         /* of the transposing kernels, a warp */
constexpr int tile_threads = 8;       /* their block is tile_side x tile_threads */
constexpr int tiles_per_block = 4;    /* along the line: pays for finding where a lane begins */
constexpr int rows_per_thread = 8;    /* of the row kernel: pays for reading the table */
constexpr size_t most_blocks = 65535; /* of a grid in y */

/* A combination whose tables lie in device memory; without tables (terms 0), the element itself times `weight`. */
template <typename real> struct device_combination {
    unsigned length;
    const int *first, *second;
    const real *p, *q;
    real weight;
};

/* ---- Kernels ---------------------------------------------------------------------------------------------------- */
template <typename real> struct row_arguments {
    device_combination<real> table;
    ranges<real> in, out;
    size_t rows;
    row_places in_at, out_at; /* rows of sides that have strides, which are one range; zero: as the range has them */
};

/* Elements from row 0 of a column to the given one. */
template <typename real>
__device__ __forceinline__ size_t before_row(const row_places &places, const column<real> &column, size_t row)
{
    return places.strides.row == 0 ? row * column.stride : places(row);
}

/* A thread owns one output column, so its table entry and its ranges are found once for all of its rows. */
template <typename real, int terms> __global__ void combine_rows(const __grid_constant__ row_arguments<real> arguments)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= arguments.table.length)
        return;
    column<real> first = locate(arguments.in, terms == 0 ? i : (unsigned)arguments.table.first[i]);
    column<real> second = terms == 2 ? locate(arguments.in, (unsigned)arguments.table.second[i]) : first;
    column<real> out = locate(arguments.out, i);
    real p = arguments.table.weight * (terms == 0 ? real(1) : arguments.table.p[i]);
    real q = terms == 2 ? arguments.table.weight * arguments.table.q[i] : real(0);
    const real *__restrict__ first_base = first.base, *__restrict__ second_base = second.base;
    real *__restrict__ out_base = out.base;
    size_t step = (size_t)gridDim.y * blockDim.y;
#pragma unroll 4
    for (size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y; row < arguments.rows; row += step) {
        real value = p * first_base[before_row(arguments.in_at, first, row)];
        if (terms == 2)
            value += q * second_base[before_row(arguments.in_at, second, row)];
        out_base[before_row(arguments.out_at, out, row)] = value;
    }
}

template <typename real> struct column_arguments {
    device_combination<real> table;
    real *data;          /* of struct starfish_transform_columns */
    size_t inner, plane; /* strides of an element and of an outer index */
    real *lines;         /* work space, one line behind the other */
    size_t line;         /* stride */
    size_t begin, count; /* lines of this group, numbered l + inner * o */
};

template <typename real> __device__ real *lane(const column_arguments<real> &arguments, size_t line)
{
    size_t number = arguments.begin + line;
    return arguments.data + number % arguments.inner + number / arguments.inner * arguments.plane;
}

/* Lanes to lines. */
template <typename real, int terms>
__global__ void __launch_bounds__(tile_side *tile_threads)
    combine_from_lanes(const __grid_constant__ column_arguments<real> arguments)
{
    __shared__ real tile[tile_side][tile_side + 1];
    const device_combination<real> &table = arguments.table;
    size_t corner = (size_t)blockIdx.x * tile_side, reader = corner + threadIdx.x;
    const real *in = reader < arguments.count ? lane(arguments, reader) : nullptr;
    for (unsigned start = blockIdx.y * tile_side; start < table.length; start += gridDim.y * tile_side) {
        for (unsigned k = threadIdx.y; k < tile_side; k += tile_threads) {
            unsigned i = start + k;
            if (!in || i >= table.length)
                continue;
            real value =
                (terms == 0 ? real(1) : table.p[i]) * in[arguments.inner * (terms == 0 ? i : (unsigned)table.first[i])];
            if (terms == 2)
                value += table.q[i] * in[arguments.inner * (unsigned)table.second[i]];
            tile[k][threadIdx.x] = table.weight * value;
        }
        __syncthreads();
        unsigned i = start + threadIdx.x;
        for (unsigned l = threadIdx.y; l < tile_side; l += tile_threads)
            if (corner + l < arguments.count && i < table.length)
                arguments.lines[(corner + l) * arguments.line + i] = tile[threadIdx.x][l];
        __syncthreads();
    }
}

/* Lines to lanes. */
template <typename real, int terms>
__global__ void __launch_bounds__(tile_side *tile_threads)
    combine_to_lanes(const __grid_constant__ column_arguments<real> arguments)
{
    __shared__ real tile[tile_side][tile_side + 1];
    const device_combination<real> &table = arguments.table;
    size_t corner = (size_t)blockIdx.x * tile_side, writer = corner + threadIdx.x;
    real *out = writer < arguments.count ? lane(arguments, writer) : nullptr;
    for (unsigned start = blockIdx.y * tile_side; start < table.length; start += gridDim.y * tile_side) {
        unsigned i = start + threadIdx.x;
        if (i < table.length) {
            unsigned first = (unsigned)table.first[i], second = terms == 2 ? (unsigned)table.second[i] : 0;
            real p = table.weight * table.p[i], q = terms == 2 ? table.weight * table.q[i] : real(0);
            for (unsigned l = threadIdx.y; l < tile_side; l += tile_threads) {
                if (corner + l >= arguments.count)
                    break;
                const real *line = arguments.lines + (corner + l) * arguments.line;
                tile[threadIdx.x][l] = p * line[first] + (terms == 2 ? q * line[second] : real(0));
            }
        }
        __syncthreads();
        for (unsigned k = threadIdx.y; k < tile_side; k += tile_threads)
            if (out && start + k < table.length)
                out[arguments.inner * (start + k)] = tile[k][threadIdx.x];
        __syncthreads();
    }
}

template <typename real> __global__ void multiply(real *data, size_t count, real factor)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        data[i] *= factor;
}

int cuda_error(cufftResult result)
{
    return result == CUFFT_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */
template <typename real> device_combination<real> with_weight(const starfish_device_tables &tables, double weight)
{
    return {tables.length,
            tables.first,
            tables.second,
            static_cast<const real *>(tables.p),
            static_cast<const real *>(tables.q),
            static_cast<real>(weight)};
}

template <typename real> ranges<real> plain_rows(real *base, size_t stride)
{
    ranges<real> ranges = {};
    ranges.count = 1;
    ranges.base[0] = base;
    ranges.stride = stride;
    return ranges;
}

template <typename real> int launch_rows(int terms, const row_arguments<real> &arguments, cudaStream_t stream)
{
    using kernel = void (*)(row_arguments<real>);
    static const kernel kernels[] = {combine_rows<real, 0>, combine_rows<real, 1>, combine_rows<real, 2>};
    unsigned width = 32;
    while (width < 256 && width < arguments.table.length)
        width *= 2;
    dim3 block(width, 256 / width);
    size_t rows = (arguments.rows + block.y * rows_per_thread - 1) / (block.y * rows_per_thread);
    dim3 grid((arguments.table.length + width - 1) / width, static_cast<unsigned>(std::min(rows, most_blocks)));
    kernels[terms]<<<grid, block, 0, stream>>>(arguments);
    return cudaGetLastError();
}

template <typename real>
int launch_columns(bool to_lanes, int terms, const column_arguments<real> &arguments, cudaStream_t stream)
{
    using kernel = void (*)(column_arguments<real>);
    static const kernel from[] = {combine_from_lanes<real, 0>, combine_from_lanes<real, 1>,
                                  combine_from_lanes<real, 2>};
    /* Nothing that comes out of an FFT is a plain copy, but a table serves that too. */
    static const kernel to[] = {combine_to_lanes<real, 1>, combine_to_lanes<real, 1>, combine_to_lanes<real, 2>};
    size_t along = (arguments.table.length + tile_side * tiles_per_block - 1) / (tile_side * tiles_per_block);
    dim3 block(tile_side, tile_threads);
    dim3 grid(static_cast<unsigned>((arguments.count + tile_side - 1) / tile_side),
              static_cast<unsigned>(std::min(along, most_blocks)));
    (to_lanes ? to : from)[terms]<<<grid, block, 0, stream>>>(arguments);
    return cudaGetLastError();
}

template <typename real> int launch_multiply(real *data, size_t count, real factor, cudaStream_t stream)
{
    if (count == 0 || factor == real(1))
        return cudaSuccess;
    size_t blocks = std::min((count + 1023) / 1024, most_blocks);
    multiply<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(data, count, factor);
    return cudaGetLastError();
}

/* ---- cuFFT ------------------------------------------------------------------------------------------------------ */
cufftResult real_fft(cufftHandle fft, float *in, float *out)
{
    return cufftExecR2C(fft, in, reinterpret_cast<cufftComplex *>(out));
}
cufftResult real_fft(cufftHandle fft, double *in, double *out)
{
    return cufftExecD2Z(fft, in, reinterpret_cast<cufftDoubleComplex *>(out));
}
cufftResult complex_fft(cufftHandle fft, float *line)
{
    cufftComplex *data = reinterpret_cast<cufftComplex *>(line);
    return cufftExecC2C(fft, data, data, CUFFT_FORWARD);
}
cufftResult complex_fft(cufftHandle fft, double *line)
{
    cufftDoubleComplex *data = reinterpret_cast<cufftDoubleComplex *>(line);
    return cufftExecZ2Z(fft, data, data, CUFFT_FORWARD);
}

/* All `group` lines of the work space, of which `count` are used. The others are zeroed: for some lengths cuFFT
 * transforms two real lines as one complex line, so that what the work space held, a NaN even, would reach the last
 * used line. */
template <typename real>
int transform_lines(const starfish_transform_cuda *plan, real *lines, size_t count, cudaStream_t stream)
{
    const size_t line = plan->shape.line;

    if (plan->fft == no_fft)
        return cudaSuccess;
    if (count < plan->group)
        STARFISH_TRY_CUDA(
            cudaMemsetAsync(lines + count * line, 0, (plan->group - count) * line * sizeof(real), stream));
    STARFISH_TRY_CUDA(cuda_error(cufftSetStream(plan->fft, stream)));
    return cuda_error(plan->shape.fft == STARFISH_FFT_REAL ? real_fft(plan->fft, lines, lines)
                                                           : complex_fft(plan->fft, lines));
}

/* ---- Rows and columns ------------------------------------------------------------------------------------------- */
/* cuFFT may read the rows itself when it has a plan for that, the group is full, and they are aligned as it asks. */
template <typename real> bool reads_rows(const starfish_transform_cuda *plan, const real *rows, size_t count)
{
    return plan->from_rows != no_fft && count == plan->group &&
           reinterpret_cast<uintptr_t>(rows) % (2 * sizeof(real)) == 0;
}

template <typename real>
int transform_group_of_rows(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                            const starfish_transform_rows &arguments, size_t begin, size_t count, cudaStream_t stream)
{
    const bool packed = arguments.strides.row == 0;
    const row_places values = {arguments.strides, arguments.first_row + begin, plan->n}, none = {};
    const row_places &in_at = direction == STARFISH_FORWARD ? values : none;
    const row_places &out_at = direction == STARFISH_FORWARD ? none : values;
    real *rows = static_cast<real *>(arguments.rows) + (packed ? begin * plan->n : 0),
         *work = static_cast<real *>(arguments.workspace);
    ranges<real> lines = plain_rows(work, plan->shape.line), ours = plain_rows(rows, plan->n);
    ranges<real> modes = ranges_of<real>(arguments, begin);
    const ranges<real> &in = direction == STARFISH_FORWARD ? ours : modes;
    const ranges<real> &out = direction == STARFISH_FORWARD ? modes : ours;
    if (plan->shape.fft == STARFISH_FFT_NONE) {
        device_combination<real> copy = {static_cast<unsigned>(plan->n),
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         static_cast<real>(arguments.scale * plan->gain[direction])};
        return launch_rows<real>(0, {copy, in, out, count, in_at, out_at}, stream);
    }
    const starfish_device_tables &before = plan->before[direction], &after = plan->after[direction];
    if (direction == STARFISH_FORWARD && packed && reads_rows(plan, rows, count)) {
        STARFISH_TRY_CUDA(cuda_error(cufftSetStream(plan->from_rows, stream)));
        STARFISH_TRY_CUDA(cuda_error(real_fft(plan->from_rows, rows, work)));
    } else {
        STARFISH_TRY_CUDA(
            launch_rows<real>(before.terms, {with_weight<real>(before, 1), in, lines, count, in_at, none}, stream));
        STARFISH_TRY_CUDA(transform_lines(plan, work, count, stream));
    }
    return launch_rows<real>(after.terms, {with_weight<real>(after, arguments.scale), lines, out, count, none, out_at},
                             stream);
}

template <typename real>
int transform_rows(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                   const starfish_transform_rows &arguments, cudaStream_t stream)
{
    for (size_t begin = 0; begin < arguments.count; begin += plan->group) {
        size_t count = std::min(plan->group, arguments.count - begin);
        STARFISH_TRY_CUDA(transform_group_of_rows<real>(plan, direction, arguments, begin, count, stream));
    }
    return cudaSuccess;
}

template <typename real>
int transform_columns(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                      const starfish_transform_columns &arguments, cudaStream_t stream)
{
    size_t total = arguments.inner * arguments.outer;
    real *data = static_cast<real *>(arguments.data), *work = static_cast<real *>(arguments.workspace);
    if (plan->shape.fft == STARFISH_FFT_NONE)
        return launch_multiply(data, total * plan->n, static_cast<real>(arguments.scale * plan->gain[direction]),
                               stream);
    const starfish_device_tables &before = plan->before[direction], &after = plan->after[direction];
    for (size_t begin = 0; begin < total; begin += plan->group) {
        column_arguments<real> lanes = {with_weight<real>(before, 1),
                                        data,
                                        arguments.inner,
                                        arguments.inner * plan->n,
                                        work,
                                        plan->shape.line,
                                        begin,
                                        std::min(plan->group, total - begin)};
        STARFISH_TRY_CUDA(launch_columns(false, before.terms, lanes, stream));
        STARFISH_TRY_CUDA(transform_lines(plan, work, lanes.count, stream));
        lanes.table = with_weight<real>(after, arguments.scale);
        STARFISH_TRY_CUDA(launch_columns(true, after.terms, lanes, stream));
    }
    return cudaSuccess;
}

/* ---- Creation --------------------------------------------------------------------------------------------------- */
cufftType type_of(const starfish_transform_cuda *plan)
{
    bool single = plan->precision == STARFISH_F32;
    if (plan->shape.fft == STARFISH_FFT_REAL)
        return single ? CUFFT_R2C : CUFFT_D2Z;
    return single ? CUFFT_C2C : CUFFT_Z2Z;
}

/* `group` lines with `distance` inputs from one to the next, to lines of the work space. */
cufftResult create_fft(const starfish_transform_cuda *plan, size_t distance, cufftHandle *fft)
{
    long long length = static_cast<long long>(plan->shape.length), in = static_cast<long long>(distance);
    long long out = static_cast<long long>(plan->shape.line / 2);
    size_t work = 0;
    cufftResult result = cufftCreate(fft);
    if (result != CUFFT_SUCCESS)
        *fft = no_fft;
    if (result == CUFFT_SUCCESS)
        result = cufftMakePlanMany64(*fft, 1, &length, &length, 1, in, &length, 1, out, type_of(plan),
                                     static_cast<long long>(plan->group), &work);
    return result;
}

} // namespace

starfish_status cufft_create(starfish_transform_cuda *plan)
{
    bool is_real = plan->shape.fft == STARFISH_FFT_REAL;
    cufftResult result = CUFFT_SUCCESS;
    if (plan->shape.length > 1) /* a Fourier transform of length 1 changes nothing */
        result = create_fft(plan, is_real ? plan->shape.line : plan->shape.length, &plan->fft);
    if (result == CUFFT_SUCCESS && plan->before[STARFISH_FORWARD].terms == 0)
        result = create_fft(plan, plan->n, &plan->from_rows);
    if (result == CUFFT_SUCCESS)
        return STARFISH_SUCCESS;
    return starfish_fail(result == CUFFT_ALLOC_FAILED ? STARFISH_ERROR_MEMORY : STARFISH_ERROR_RUNTIME,
                         "cuFFT error %d for %zu lines of length %zu", static_cast<int>(result), plan->group,
                         plan->shape.length);
}

/* Failures here mean that the device is lost already; there is nobody to tell. */
void cufft_destroy(starfish_transform_cuda *plan)
{
    if (plan->fft != no_fft)
        (void)cufftDestroy(plan->fft);
    if (plan->from_rows != no_fft)
        (void)cufftDestroy(plan->from_rows);
}

int rows_by_cufft(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                  const starfish_transform_rows *arguments, cudaStream_t stream)
{
    return plan->precision == STARFISH_F32 ? transform_rows<float>(plan, direction, *arguments, stream)
                                           : transform_rows<double>(plan, direction, *arguments, stream);
}

int columns_by_cufft(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                     const starfish_transform_columns *arguments, cudaStream_t stream)
{
    return plan->precision == STARFISH_F32 ? transform_columns<float>(plan, direction, *arguments, stream)
                                           : transform_columns<double>(plan, direction, *arguments, stream);
}

} // namespace starfish
