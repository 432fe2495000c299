/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on the GPU: the choice between one launch (planes_persistent_cuda.cu) and two, one for each
 * direction, which move twice as many bytes and do any length. A tile of two launches may hold rows of several planes;
 * of one launch it is of a single plane, so that planes that do not fill tiles are for two. What stays in the cache as
 * a whole is for two as well: there each launch is one wave of tiles, none of which waits for another. Where a plane
 * fits into shared memory beside a tile, that is one wave of one launch (planes_shared_cuda.cu). Where y goes by
 * products of matrices, which are not in place, groups of planes are in the work space between the two. */
#include "fft/kernels/planes_cuda.cuh"
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
struct group {
    size_t first, count; /* planes */
};

/* Rows of a group, whose modes are at `modes`. */
int rows_of_planes(starfish_transform_cuda *x, const starfish_transform_cuda *y, starfish_transform_direction direction,
                   const starfish_transform_planes &planes, group of, void *modes, cudaStream_t stream)
{
    const bool packed = planes.strides.row == 0;
    char *values = static_cast<char *>(direction == STARFISH_FORWARD ? const_cast<void *>(planes.in) : planes.out);
    starfish_transform_rows rows = {};
    rows.count = y->n * of.count;
    rows.rows = values + (packed ? of.first * x->n * y->n * starfish_real_size(x->precision) : 0);
    rows.tiles = 1;
    rows.tile[0] = modes;
    rows.first_mode[1] = x->n;
    rows.scale = 1;
    rows.workspace = planes.workspace;
    rows.strides = planes.strides;
    rows.first_row = packed ? 0 : of.first * y->n;
    return starfish_transform_rows_cuda(x, direction, &rows, stream);
}

/* Columns of `count` planes, which `out` is for. */
starfish_transform_columns columns_of_planes(const starfish_transform_cuda *x, const starfish_transform_planes &planes,
                                             size_t count, void *out)
{
    return {x->n, count, out, planes.scale, planes.workspace, 0};
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */
bool can_be_groups(const starfish_transform_cuda *x, const starfish_transform_cuda *y)
{
    return y->way == STARFISH_BY_PRODUCTS && x->way != STARFISH_BY_CUFFT && y->group >= x->n;
}

/* Through the work space, so that no products are in place. */
int planes_in_groups(starfish_transform_cuda *x, starfish_transform_cuda *y, starfish_transform_direction direction,
                     const starfish_transform_planes &planes, cudaStream_t stream)
{
    const bool forward = direction == STARFISH_FORWARD;
    char *const modes = static_cast<char *>(forward ? planes.out : const_cast<void *>(planes.in));
    void *const between = planes.workspace;
    size_t lines = y->group;
    STARFISH_TRY_CUDA(products_whole_waves(y, &lines));
    const size_t most = std::max<size_t>(lines / x->n, 1);
    for (size_t first = 0; first < planes.planes; first += most) {
        const group of = {first, std::min(most, planes.planes - first)};
        char *const here = modes + first * x->n * y->n * starfish_real_size(x->precision);
        const starfish_transform_columns columns = columns_of_planes(x, planes, of.count, forward ? here : between);
        if (forward)
            STARFISH_TRY_CUDA(rows_of_planes(x, y, direction, planes, of, between, stream));
        STARFISH_TRY_CUDA(columns_from(y, direction, &columns, forward ? between : here, stream));
        if (!forward)
            STARFISH_TRY_CUDA(rows_of_planes(x, y, direction, planes, of, between, stream));
    }
    return cudaSuccess;
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
    if (can_be_groups(x, y))
        return planes_in_groups(x, y, direction, *arguments, stream);
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
    const group all = {0, arguments->planes};
    void *const in = const_cast<void *>(arguments->in), *const out = arguments->out;
    const bool forward = direction == STARFISH_FORWARD;
    void *const between = !forward && arguments->strides.row > 0 ? in : out;
    const starfish_transform_columns columns = columns_of_planes(x, *arguments, arguments->planes, between);
    if (forward)
        STARFISH_TRY_CUDA(rows_of_planes(x, y, direction, *arguments, all, out, stream));
    STARFISH_TRY_CUDA(columns_from(y, direction, &columns, forward ? out : in, stream));
    return forward ? cudaSuccess : rows_of_planes(x, y, direction, *arguments, all, between, stream);
}
