/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on the GPU: the choice between one launch (planes_persistent_cuda.cu) and two, one for each
 * direction, which move twice as many bytes and do any length. A tile of two launches may hold rows of several planes;
 * of one launch it is of a single plane, so that planes that do not fill tiles are for two. What stays in the cache as
 * a whole is for two as well: there each launch is one wave of tiles, none of which waits for another. Where a plane
 * fits into shared memory beside a tile, that is one wave of one launch (planes_shared_cuda.cu). Directions that go by
 * products of matrices take part in folds of both (planes_products_cuda.cu) or in those that rows make
 * (planes_folded_cuda.cu). */
#include "fft/kernels/planes_cuda.cuh"
#include "fft/kernels/transform_products_cuda.cuh"
#include "krylov/kernels/multiprocessors.cuh"
#include "krylov/kernels/shared_memory.cuh"

#include <algorithm>
#include <cstdint>

namespace starfish
{

namespace
{

/* ---- One launch ------------------------------------------------------------------------------------------------- */
bool fills_tiles(const starfish_transform_cuda *x, const starfish_transform_cuda *y)
{
    return static_cast<size_t>(rows_tile_shape(x, row_threads(x)).lanes) <= y->n &&
           static_cast<size_t>(columns_tile_shape(y, column_threads(y)).lanes) <= x->n;
}

/* Bytes that the second-level cache holds beside as many of the other field. */
constexpr size_t most_in_cache = size_t(20) << 20;

bool stays_in_cache(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                    const starfish_transform_planes &planes)
{
    return x->n * y->n * planes.planes * starfish_real_size(x->precision) <= most_in_cache;
}

/* Columns are where modes are, which strides are not of. */
bool can_be_one_launch(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                       starfish_transform_direction direction, const starfish_transform_planes &planes)
{
    const bool strided = planes.strides.row > 0, forward = direction == STARFISH_FORWARD;
    return x->way == STARFISH_IN_SHARED_MEMORY && y->way == STARFISH_IN_SHARED_MEMORY &&
           x->shape.fft == STARFISH_FFT_REAL && y->shape.fft == STARFISH_FFT_REAL &&
           ((strided && forward) || lanes_are_aligned(planes.in, x->n, x->precision)) &&
           ((strided && !forward) || lanes_are_aligned(planes.out, x->n, x->precision)) &&
           planes.strides.row < UINT32_MAX / 2 && planes.strides.depth < UINT32_MAX &&
           (planes.planes + 64) * (x->n + y->n) < UINT32_MAX / 2;
}

/* A block takes a plane at a time, so that few of them leave multiprocessors idle, unless tiles of rows, which may be
 * of several planes, are still fewer. */
int fit_in_shared_memory(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                         const starfish_transform_planes &planes, bool &fit)
{
    int most = 0, processors = 0;
    STARFISH_TRY_CUDA(starfish_most_shared_memory(&most));
    STARFISH_TRY_CUDA(starfish_multiprocessors(&processors));
    const bool are_many = 4 * planes.planes >= static_cast<size_t>(processors) ||
                          static_cast<size_t>(rows_tile_shape(x, row_threads(x)).lanes) >= y->n;
    fit = most >= STARFISH_PLANE_SHARED && are_many && plane_in_shared_memory(x, y).shared > 0;
    return cudaSuccess;
}

/* ---- Two launches ----------------------------------------------------------------------------------------------- */
int rows_of_planes(starfish_transform_cuda *x, const starfish_transform_cuda *y, starfish_transform_direction direction,
                   const starfish_transform_planes &planes, const void *in, cudaStream_t stream)
{
    starfish_transform_rows rows = {};
    rows.count = y->n * planes.planes;
    rows.rows = direction == STARFISH_FORWARD ? const_cast<void *>(in) : planes.out;
    rows.tiles = 1;
    rows.tile[0] = direction == STARFISH_FORWARD ? planes.out : const_cast<void *>(in);
    rows.first_mode[1] = x->n;
    rows.scale = 1;
    rows.workspace = planes.workspace;
    rows.strides = planes.strides;
    return starfish_transform_rows_cuda(x, direction, &rows, stream);
}

/* From `in` to `out`, which may be one. */
int columns_of_planes(const starfish_transform_cuda *x, starfish_transform_cuda *y,
                      starfish_transform_direction direction, const starfish_transform_planes &planes, const void *in,
                      void *out, cudaStream_t stream)
{
    const starfish_transform_columns columns = {x->n, planes.planes, out, planes.scale, planes.workspace, 0};
    return columns_from(y, direction, &columns, in, stream);
}

} // namespace

} // namespace starfish

extern "C" size_t starfish_transform_planes_cuda_workspace(enum starfish_transform_kind x, size_t nx,
                                                           enum starfish_transform_kind y, size_t ny, size_t planes,
                                                           starfish_precision precision)
{
    const size_t rows = starfish_transform_cuda_workspace(x, nx, ny * planes, precision);
    const size_t columns = starfish_transform_cuda_workspace(y, ny, nx * planes, precision);
    return std::max({rows, columns, (planes + 1) * starfish::planes_counter_bytes});
}

extern "C" int starfish_transform_planes_cuda(struct starfish_transform_cuda *x, struct starfish_transform_cuda *y,
                                              enum starfish_transform_direction direction,
                                              const struct starfish_transform_planes *arguments,
                                              struct CUstream_st *stream)
{
    using namespace starfish;
    if (arguments->planes == 0)
        return cudaSuccess;
    if (planes_are_products(x, y))
        return planes_by_products(x, y, direction, *arguments, stream);
    if (planes_are_folded(x, y))
        return planes_by_folded_rows(x, y, direction, *arguments, stream);
    const bool one = can_be_one_launch(x, y, direction, *arguments), in_cache = stays_in_cache(x, y, *arguments);
    bool shared = false;
    if (one && in_cache)
        STARFISH_TRY_CUDA(fit_in_shared_memory(x, y, *arguments, shared));
    if (shared)
        return (x->precision == STARFISH_F32 ? planes_in_shared_memory_f32
                                             : planes_in_shared_memory_f64)(x, y, direction, *arguments, stream);
    if (one && !in_cache && fills_tiles(x, y))
        return (x->precision == STARFISH_F32 ? planes_in_one_launch_f32 : planes_in_one_launch_f64)(x, y, direction,
                                                                                                    *arguments, stream);
    if (direction == STARFISH_FORWARD) {
        STARFISH_TRY_CUDA(rows_of_planes(x, y, direction, *arguments, arguments->in, stream));
        return columns_of_planes(x, y, direction, *arguments, arguments->out, arguments->out, stream);
    }
    void *between = arguments->strides.row > 0 ? const_cast<void *>(arguments->in) : arguments->out;
    STARFISH_TRY_CUDA(columns_of_planes(x, y, direction, *arguments, arguments->in, between, stream));
    return rows_of_planes(x, y, direction, *arguments, between, stream);
}
