/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transforms of transform.h as products of matrices (transform_products.h), by one kernel (products_tensor.cuh).
 *
 * Bound by arithmetic: 2 n operations for an element, n where lines have halves; the field is read and written once.
 * Since a block reads lines that others write parts of, products go from one array to another: in place, and with modes
 * that are cut into tiles, through work space, which takes a copy of the field. */
#include "fft/kernels/products_tensor.cuh"
#include "fft/kernels/transform_cuda.cuh"
#include "krylov/kernels/multiprocessors.cuh"

#include <algorithm>
#include <climits>
#include <new>

namespace starfish
{

namespace
{

/* ---- Plans ------------------------------------------------------------------------------------------------------- */
/* Rows of a half in a tile: without halves the second one's place is taken by further rows. */
size_t tile_rows(const starfish_transform_products &p)
{
    return p.odd > 0 ? products::rows : 2 * products::rows;
}

size_t row_tiles(const starfish_transform_products &p)
{
    return (p.even + tile_rows(p) - 1) / tile_rows(p);
}

size_t steps(const starfish_transform_products &p)
{
    return (p.even + products::depth - 1) / products::depth;
}

/* Zero outside, also where the kernel repeats inputs. It takes an element without a partner twice. */
double value_of(const starfish_transform_products &p, starfish_transform_direction direction, const products::entry &at)
{
    const bool forward = direction == STARFISH_FORWARD, odd = at.half == 1;
    const size_t size = odd ? p.odd : p.even, mode = forward ? at.row : at.input;
    const size_t element = (forward ? at.input : at.row) - (odd ? p.skip : 0);
    if (mode >= size || element >= size)
        return 0;
    const double value = p.matrix[direction][(odd ? p.even * p.even : 0) + mode * size + element];
    return forward && p.odd > 0 && !odd && element - p.skip >= p.odd ? value / 2 : value;
}

int upload(starfish_transform_cuda *plan, const starfish_transform_products &host, double *buffer, size_t reals)
{
    STARFISH_TRY_CUDA(cudaMalloc(&plan->tables, 2 * reals * sizeof(double)));
    for (int d = 0; d < 2; d++) {
        const starfish_transform_direction direction = static_cast<starfish_transform_direction>(d);
        for (size_t i = 0; i < reals; i++)
            buffer[i] = value_of(host, direction, products::entry_at(i, host.odd > 0, steps(host)));
        plan->products.matrix[d] = static_cast<double *>(plan->tables) + d * reals;
        STARFISH_TRY_CUDA(cudaMemcpy(plan->products.matrix[d], buffer, reals * sizeof(double), cudaMemcpyHostToDevice));
    }
    return cudaSuccess;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */
/* Lines of an array: elements `pitch` apart. */
struct line_array {
    double *base;
    products::places places;
    size_t pitch;
};

line_array packed_rows(double *base, size_t n)
{
    return {base, {UINT_MAX, UINT_MAX, 0, n, 0, 0}, 1};
}

line_array value_rows(const starfish_transform_rows &rows, size_t n, size_t begin)
{
    double *const base = static_cast<double *>(rows.rows);
    const starfish_strides &s = rows.strides;
    if (s.row == 0)
        return packed_rows(base + begin * n, n);
    const unsigned height = s.height > 0 ? static_cast<unsigned>(s.height) : 1;
    const unsigned depth = s.depth > 0 ? static_cast<unsigned>(s.depth) : UINT_MAX;
    return {base, {height, depth, static_cast<unsigned>(rows.first_row + begin), s.row, s.plane, s.box}, 1};
}

/* Of `lanes` lanes, which are those of a whole plane or of a part of one. */
line_array lanes_of(double *base, size_t lanes, size_t inner, size_t n)
{
    return {base, {static_cast<unsigned>(lanes), UINT_MAX, 0, 1, inner * n, 0}, inner};
}

/* As the kernel reads and writes them: values, or modes. */
products::elements value_elements(const starfish_transform_products &p, bool read)
{
    const unsigned even = static_cast<unsigned>(p.even), odd = static_cast<unsigned>(p.odd);
    if (odd == 0)
        return {{0, products::rows}, {1, 1}, {0, 0}, {even, even - std::min(even, products::rows)}};
    return {{0, static_cast<int>(p.reflect)},
            {1, -1},
            {0, read ? 0 : static_cast<unsigned>(p.skip)},
            {even, read ? even : odd}};
}

products::elements mode_elements(const starfish_transform_products &p)
{
    if (p.odd == 0)
        return value_elements(p, false);
    const int step = static_cast<int>(p.step);
    return {{0, static_cast<int>(p.first_odd)},
            {step, step},
            {0, 0},
            {static_cast<unsigned>(p.even), static_cast<unsigned>(p.odd)}};
}

struct transform {
    const starfish_transform_cuda *plan;
    starfish_transform_direction direction;
    double scale;
    bool columns;
    cudaStream_t stream;
};

int multiply(const transform &t, size_t count, const line_array &in, const line_array &out)
{
    const starfish_transform_products &p = t.plan->products;
    const bool forward = t.direction == STARFISH_FORWARD;
    const size_t tiles = (count + products::lines - 1) / products::lines * row_tiles(p);
    const products::arguments arguments = {p.matrix[t.direction],
                                           in.base,
                                           out.base,
                                           forward ? value_elements(p, true) : mode_elements(p),
                                           forward ? mode_elements(p) : value_elements(p, false),
                                           in.places,
                                           out.places,
                                           in.pitch,
                                           out.pitch,
                                           static_cast<unsigned>(p.n),
                                           static_cast<unsigned>(count),
                                           static_cast<unsigned>(tile_rows(p)),
                                           static_cast<unsigned>(row_tiles(p)),
                                           static_cast<unsigned>(steps(p)),
                                           static_cast<unsigned>(tiles),
                                           t.scale};
    int processors = 0;
    STARFISH_TRY_CUDA(starfish_multiprocessors(&processors));
    const unsigned blocks = static_cast<unsigned>(std::min<size_t>(tiles, processors));
    const int bytes = products::bytes_of(t.columns);
    products::kernel_of(t.columns, p.odd > 0, forward)<<<blocks, products::threads, bytes, t.stream>>>(arguments);
    return cudaGetLastError();
}

/* ---- Rows and columns -------------------------------------------------------------------------------------------- */
/* Modes of rows begin .. begin + count - 1 from the work space to their tiles, or back. */
int copy_modes(const transform &t, const starfish_transform_rows &rows, size_t begin, size_t count)
{
    const size_t n = t.plan->n;
    for (int i = 0; i < rows.tiles; i++) {
        const size_t first = rows.first_mode[i], width = rows.first_mode[i + 1] - first;
        double *const tile = static_cast<double *>(rows.tile[i]) + begin * width, *const work = static_cast<double *>(
                                                                                                    rows.workspace) +
                                                                                                first;
        const bool forward = t.direction == STARFISH_FORWARD;
        const size_t row = width * sizeof(double), line = n * sizeof(double);
        if (width > 0)
            STARFISH_TRY_CUDA(cudaMemcpy2DAsync(forward ? tile : work, forward ? row : line, forward ? work : tile,
                                                forward ? line : row, row, count, cudaMemcpyDeviceToDevice, t.stream));
    }
    return cudaSuccess;
}

int transform_group_of_rows(const transform &t, const starfish_transform_rows &rows, size_t begin, size_t count)
{
    const size_t n = t.plan->n;
    const line_array values = value_rows(rows, n, begin), work = packed_rows(static_cast<double *>(rows.workspace), n);
    if (t.direction == STARFISH_FORWARD) {
        STARFISH_TRY_CUDA(multiply(t, count, values, work));
        return copy_modes(t, rows, begin, count);
    }
    STARFISH_TRY_CUDA(copy_modes(t, rows, begin, count));
    return multiply(t, count, work, values);
}

/* Lanes of some planes, or some lanes of a plane. */
struct block_of_lanes {
    size_t first_lane, lanes, first_plane, planes;
};

int transform_lanes_in_place(const transform &t, const starfish_transform_columns &columns, const block_of_lanes &block)
{
    const size_t n = t.plan->n, inner = columns.inner, plane = inner * n, width = block.lanes * sizeof(double);
    double *const data = static_cast<double *>(columns.data) + block.first_lane + block.first_plane * plane;
    double *const work = static_cast<double *>(columns.workspace);
    STARFISH_TRY_CUDA(multiply(t, block.lanes * block.planes, lanes_of(data, block.lanes, inner, n),
                               lanes_of(work, block.lanes, block.lanes, n)));
    return cudaMemcpy2DAsync(data, inner * sizeof(double), work, width, width, n * block.planes,
                             cudaMemcpyDeviceToDevice, t.stream);
}

} // namespace

/* Not on devices without such tensor cores or as much shared memory. */
bool products_can_be()
{
    bool can = true;
    for (int i = 0; i < 8; i++) {
        const auto function = reinterpret_cast<const void *>(products::kernel_of(i / 4, i / 2 % 2, i % 2));
        cudaFuncAttributes about;
        can = can && cudaFuncGetAttributes(&about, function) == cudaSuccess && about.ptxVersion >= 80 &&
              cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, products::bytes_of(i / 4)) ==
                  cudaSuccess;
    }
    if (!can)
        (void)cudaGetLastError();
    return can;
}

starfish_status products_create(starfish_transform_cuda *plan, const starfish_transform_products &host)
{
    const size_t reals = row_tiles(host) * steps(host) * products::matrix_stage;
    double *const buffer = new (std::nothrow) double[reals];
    STARFISH_FAIL_IF(!buffer, STARFISH_ERROR_MEMORY, "no memory for matrices of a transform with n = %zu", plan->n);
    const int error = upload(plan, host, buffer, reals);
    delete[] buffer;
    STARFISH_FAIL_IF(
        error != cudaSuccess, error == cudaErrorMemoryAllocation ? STARFISH_ERROR_MEMORY : STARFISH_ERROR_RUNTIME,
        "matrices of a transform with n = %zu: %s", plan->n, cudaGetErrorString(static_cast<cudaError_t>(error)));
    return STARFISH_SUCCESS;
}

int products_whole_waves(const starfish_transform_cuda *plan, size_t *lines)
{
    int processors = 0;
    STARFISH_TRY_CUDA(starfish_multiprocessors(&processors));
    const size_t wave = std::max<size_t>(processors / row_tiles(plan->products), 1) * products::lines;
    if (*lines > wave)
        *lines -= *lines % wave;
    return cudaSuccess;
}

/* At once if values and modes are each in one array of their own. */
int rows_by_products(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                     const starfish_transform_rows *rows, cudaStream_t stream)
{
    const transform t = {plan, direction, rows->scale, false, stream};
    if (rows->tiles == 1 && rows->tile[0] != rows->rows && rows->count > 0) {
        const line_array values = value_rows(*rows, plan->n, 0);
        const line_array modes = packed_rows(static_cast<double *>(rows->tile[0]), plan->n);
        const bool forward = direction == STARFISH_FORWARD;
        return multiply(t, rows->count, forward ? values : modes, forward ? modes : values);
    }
    for (size_t first = 0; first < rows->count; first += plan->group)
        STARFISH_TRY_CUDA(transform_group_of_rows(t, *rows, first, std::min(plan->group, rows->count - first)));
    return cudaSuccess;
}

int columns_by_products(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                        const starfish_transform_columns *columns, const void *in, cudaStream_t stream)
{
    const transform t = {plan, direction, columns->scale, true, stream};
    const size_t inner = columns->inner, outer = columns->outer;
    if (inner == 0 || outer == 0)
        return cudaSuccess;
    if (in != columns->data)
        return multiply(t, inner * outer,
                        lanes_of(static_cast<double *>(const_cast<void *>(in)), inner, inner, plan->n),
                        lanes_of(static_cast<double *>(columns->data), inner, inner, plan->n));
    const size_t lanes = std::min(inner, plan->group), planes = std::max<size_t>(plan->group / lanes, 1);
    for (size_t plane = 0; plane < outer; plane += planes)
        for (size_t lane = 0; lane < inner; lane += lanes)
            STARFISH_TRY_CUDA(transform_lanes_in_place(
                t, *columns, {lane, std::min(lanes, inner - lane), plane, std::min(planes, outer - plane)}));
    return cudaSuccess;
}

} // namespace starfish
