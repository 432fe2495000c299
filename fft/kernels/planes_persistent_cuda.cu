/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on the GPU, in one launch; compiled once for each precision.
 *
 * The floor is one read and one write of the field, 2 sizeof(real) bytes an element; two kernels, one per direction,
 * move twice that. One persistent kernel moves what the floor asks for: its blocks take tiles of both transforms from
 * one counter, tiles of the second transform a few planes behind those of the first, so that what lies between them is
 * read from the L2 cache before it leaves it. A tile of the second transform waits until its plane's tiles of the first
 * are counted as done. All of these were handed out before it, and a block holds at most one tile that it has not
 * begun, of a later number, so the tile of the least number never waits and nothing can lock.
 *
 * On an H200, 512^3 in f64, the floor is 0.51 ms; measured 1.05 both ways. Accesses to the L2 cache move 7.2 GB in that
 * time, of some 9 that it could.
 * How many planes lie between is what matters: a tile takes about ten microseconds, so with too few of them tiles wait;
 * with too many, what lies between leaves the L2 cache, a step being 2 MB read and 2 MB kept. Blocks that hold tiles
 * for long before they begin them make both worse, as does fetching tiles ahead into the L2. Of large fields what
 * the kernel takes from its input and leaves in its output is the first to leave the cache: 1 % at 512^3, 5 % at
 * 1024^3. */
#include "fft/kernels/planes_cuda.cuh"
#include "krylov/kernels/multiprocessors.cuh"

#include <algorithm>

namespace starfish
{

namespace
{

constexpr int threads = STARFISH_LINE_THREADS;
constexpr int blocks = STARFISH_LINE_BLOCKS;

template <typename real> struct plane_arguments {
    line_transform<real> x, y;
    tile_shape rows, columns;
    unsigned nx, ny, planes;
    unsigned row_tiles, column_tiles; /* of a plane */
    unsigned behind;                  /* planes */
    const real *in;
    real *between, *out; /* what the first transform writes, and the second */
    plane_places values;
    unsigned *next; /* tile to hand out */
    unsigned *done; /* tiles of the first transform, by plane */
};

extern __shared__ double2 shared_memory[];

/* The next item of this block. Asked for before the last pass of a tile, since the answer takes as long as an access to
 * memory; not earlier, since others wait for tiles that a block holds and has not begun. */
struct next_item {
    unsigned *counter;
    unsigned item;
    __device__ __forceinline__ void operator()()
    {
        if (threadIdx.x == 0)
            item = atomicAdd(counter, 1);
    }
};

/* Rows of one plane, `in_apart` and `out_apart` from one to the next: the first transform forward, the second back. */
template <starfish_transform_direction direction, bool passing, typename real>
__device__ __forceinline__ void do_rows(const plane_arguments<real> &a, const real *in, unsigned in_apart, real *out,
                                        unsigned out_apart, unsigned tile, next_item &next)
{
    const unsigned first = tile * a.rows.lanes, left = a.ny - first, lanes = min(left, (unsigned)a.rows.lanes);
    const rows_of<real, true, passing &&direction == STARFISH_FORWARD> from = {
        const_cast<real *>(in) + (size_t)first * in_apart, in_apart, lanes};
    const rows_of<real, true, passing &&direction == STARFISH_BACKWARD> to = {out + (size_t)first * out_apart,
                                                                              out_apart, lanes};
    transform_rows_tile(a.x, a.rows, reinterpret_cast<number<real> *>(shared_memory), from, to, next);
}

template <starfish_transform_direction direction, bool passing, typename real>
__device__ __forceinline__ void do_columns(const plane_arguments<real> &a, const real *in, real *out, unsigned tile,
                                           next_item &next)
{
    const unsigned first = tile * a.columns.lanes, left = a.nx - first, lanes = min(left, (unsigned)a.columns.lanes);
    const size_t size = (size_t)a.ny * a.nx;
    const columns_of<real, true, true, passing &&direction == STARFISH_BACKWARD> from = {const_cast<real *>(in), a.nx,
                                                                                         size, first, lanes};
    const columns_of<real, true, true, passing &&direction == STARFISH_FORWARD> to = {out, a.nx, size, first, lanes};
    transform_columns_tile(a.y, a.columns, reinterpret_cast<number<real> *>(shared_memory), from, to, next);
}

/* Everything that threads of other blocks wrote before they counted is visible to this block after the barrier. */
__device__ __forceinline__ void wait_for(const unsigned *done, unsigned count)
{
    if (threadIdx.x == 0) {
        unsigned seen;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(done) : "memory");
        } while (seen < count);
    }
    __syncthreads();
}

/* Does a tile of the first transform, or a tile of the second once the first is done with its plane; returns what
 * counts it when all threads have come to their end. */
template <starfish_transform_direction direction, bool passing, typename real>
__device__ __forceinline__ unsigned *do_item(const plane_arguments<real> &a, unsigned step, unsigned tile,
                                             next_item &next)
{
    constexpr bool rows_first = direction == STARFISH_FORWARD;
    const unsigned first_tiles = rows_first ? a.row_tiles : a.column_tiles;
    const bool first = tile < first_tiles;
    if (first ? step >= a.planes : step < a.behind) {
        next();
        return nullptr;
    }
    const unsigned plane = first ? step : step - a.behind, own = first ? tile : tile - first_tiles;
    const size_t modes = (size_t)plane * a.ny * a.nx, values = a.values(plane);
    if (!first)
        wait_for(&a.done[plane], first_tiles);
    if (first != rows_first)
        do_columns<direction, passing>(a, (first ? a.in : a.between) + modes, (first ? a.between : a.out) + modes, own,
                                       next);
    else
        do_rows<direction, passing>(a, first ? a.in + values : a.between + modes, first ? a.values.row : a.nx,
                                    first ? a.between + modes : a.out + values, first ? a.nx : a.values.row, own, next);
    return first ? &a.done[plane] : nullptr;
}

template <typename real, starfish_transform_direction direction, bool passing>
__global__ void __launch_bounds__(threads, blocks) planes_kernel(const __grid_constant__ plane_arguments<real> a)
{
    __shared__ unsigned items[2]; /* this one and the next: some threads read the one while another writes the other */
    const unsigned tiles = a.row_tiles + a.column_tiles, end = tiles * (a.planes + a.behind);
    if (threadIdx.x == 0)
        items[0] = atomicAdd(a.next, 1);
    __syncthreads();
    for (unsigned turn = 0; items[turn] < end; turn ^= 1) {
        const unsigned item = items[turn];
        next_item next = {a.next, end};
        unsigned *count = do_item<direction, passing>(a, item / tiles, item % tiles, next);
        if (threadIdx.x == 0)
            items[turn ^ 1] = next.item;
        __syncthreads();
        if (count && threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1);
        }
    }
}

/* ---- One launch ------------------------------------------------------------------------------------------------- */
/* Planes between the two transforms, so that tiles rarely wait: as many tiles as are in work at once, and nearly half
 * as many more. Of large planes no more than needed fit into the cache. */
unsigned planes_behind(unsigned resident, unsigned tiles)
{
    return (resident * 29 / 20 + tiles - 1) / tiles;
}

/* In caches: of smaller fields the next kernel finds enough in the cache that a hint to let it go costs 1 to 3 %. */
constexpr size_t PASSING_FROM = 6;

template <typename real> auto kernel_for(starfish_transform_direction direction, bool passing)
{
    if (direction == STARFISH_FORWARD)
        return passing ? planes_kernel<real, STARFISH_FORWARD, true> : planes_kernel<real, STARFISH_FORWARD, false>;
    return passing ? planes_kernel<real, STARFISH_BACKWARD, true> : planes_kernel<real, STARFISH_BACKWARD, false>;
}

template <typename real>
int launch_planes(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                  starfish_transform_direction direction, const starfish_transform_planes &planes, cudaStream_t stream)
{
    const size_t bytes = planes.planes * x->n * y->n * sizeof(real);
    int cache;
    STARFISH_TRY_CUDA(starfish_l2_bytes(&cache));
    auto kernel = kernel_for<real>(direction, bytes > PASSING_FROM * static_cast<size_t>(cache));
    plane_arguments<real> a = {};
    a.x = line_transform_of<real>(x, direction, 1);
    a.y = line_transform_of<real>(y, direction, planes.scale);
    const int block_threads = std::max(row_threads(x), column_threads(y));
    a.rows = rows_tile_shape(x, block_threads);
    a.columns = columns_tile_shape(y, block_threads);
    a.nx = static_cast<unsigned>(x->n);
    a.ny = static_cast<unsigned>(y->n);
    a.planes = static_cast<unsigned>(planes.planes);
    a.row_tiles = (a.ny + a.rows.lanes - 1) / a.rows.lanes;
    a.column_tiles = (a.nx + a.columns.lanes - 1) / a.columns.lanes;
    a.in = static_cast<const real *>(planes.in);
    a.out = static_cast<real *>(planes.out);
    a.between = planes.strides.row > 0 && direction == STARFISH_BACKWARD ? const_cast<real *>(a.in) : a.out;
    a.values = places_of_values(planes, x->n, y->n);
    a.next = static_cast<unsigned *>(planes.workspace);
    a.done = a.next + 1;
    const size_t shared = std::max(a.rows.shared, a.columns.shared);
    int processors, resident;
    STARFISH_TRY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, STARFISH_LINE_SHARED));
    STARFISH_TRY_CUDA(starfish_multiprocessors(&processors));
    STARFISH_TRY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block_threads, shared));
    const unsigned grid = static_cast<unsigned>(processors * resident), tiles = a.row_tiles + a.column_tiles;
    a.behind = planes_behind(grid, tiles);
    STARFISH_TRY_CUDA(cudaMemsetAsync(planes.workspace, 0, (planes.planes + 1) * planes_counter_bytes, stream));
    kernel<<<grid, block_threads, shared, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

int REAL_NAME(planes_in_one_launch)(const starfish_transform_cuda *x, const starfish_transform_cuda *y,
                                    starfish_transform_direction direction, const starfish_transform_planes &planes,
                                    cudaStream_t stream)
{
    return launch_planes<real>(x, y, direction, planes, stream);
}

} // namespace starfish
