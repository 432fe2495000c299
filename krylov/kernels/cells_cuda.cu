/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of an iteration on the cells of a matrix on the GPU: a thread per cell, of rows of x. Bound by memory, where
 * few instructions are left over for finding a cell's neighbours: so the usual matrices, stored and without periodic
 * ends, have kernels in which that is known, and whether they have two dimensions or three. */
extern "C" {
#include "krylov/kernels/cell_step.h"
#include "krylov/kernels/krylov_stage.h"
}

#include "krylov/kernels/walk.cuh"

namespace
{

/* As store_sum, of what is not negative. */
__device__ void store_largest(double value, double *sums)
{
    __shared__ double of_warp[WARPS];
    const unsigned thread = threadIdx.y * ACROSS + threadIdx.x;
    for (int step = 16; step > 0; step >>= 1)
        value = cell_add(STARFISH_CELLS_LARGEST, value, __shfl_xor_sync(0xffffffffu, value, step));
    if (thread % 32 == 0)
        of_warp[thread / 32] = value;
    __syncthreads();
    if (thread == 0) {
        for (unsigned w = 0; w < WARPS; w++)
            value = cell_add(STARFISH_CELLS_LARGEST, value, of_warp[w]);
        sums[blockIdx.y * gridDim.x + blockIdx.x] = value;
    }
}

/* The last block to get here adds up what all have stored, and advances the state. */
__device__ void advance_as_the_last(const starfish_cells &a)
{
    __shared__ bool last;
    __shared__ double total;
    const unsigned thread = threadIdx.y * ACROSS + threadIdx.x, blocks = gridDim.x * gridDim.y;
    if (thread == 0) {
        __threadfence();
        unsigned *ticket = reinterpret_cast<unsigned *>(a.then.state + STARFISH_KRYLOV_TICKET);
        last = atomicInc(ticket, blocks - 1) == blocks - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    double sum = 0;
    for (unsigned i = thread; i < blocks; i += THREADS)
        sum += __ldcg(a.sums + i);
    store_total(sum, &total);
    if (thread == 0) {
        starfish_krylov_scalars scalars;
        scalars.stage = a.then.stage;
        scalars.state = a.then.state;
        starfish_krylov_advance(&scalars, total, 0);
    }
}

/* What a kernel knows of its matrix: nothing; or that it is stored, has no periodic ends, fewer than 2^31 cells, and
 * two dimensions, or three. */
enum Shape { ANY, FLAT, SOLID };

/* The same arguments, with what the shape says written in, so that the compiler leaves out what does not happen. */
template <Shape shape> __device__ __forceinline__ starfish_cells told(const starfish_cells &a)
{
    starfish_cells known = a;
    if (shape == ANY)
        return known;
    if (shape == FLAT)
        known.matrix.n[1] = 1;
    for (int d = 0; d < 3; d++)
        known.matrix.periodic[d] = 0;
    __builtin_assume(known.matrix.stored != nullptr);
    return known;
}

template <Shape shape> __device__ __forceinline__ cell cell_of_row(const starfish_cells &a, size_t i, size_t row)
{
    if (shape == FLAT)
        return cell_at(&a, i, 0, row);
    if (shape == SOLID) {
        const unsigned r = unsigned(row), ny = unsigned(a.matrix.n[1]), k = r / ny;
        return cell_at(&a, i, r - k * ny, k);
    }
    return cell_at(&a, i, row % a.matrix.n[1], row / a.matrix.n[1]);
}

template <starfish_cell_step step, Shape shape>
__global__ void __launch_bounds__(THREADS) cells_kernel(const starfish_cells given)
{
    if (given.done && *given.done != 0)
        return;
    const starfish_cells a = told<shape>(given);
    const double scalar = a.scalar ? *a.scalar : 1;
    const starfish_rectangle at = {0, a.matrix.n[0], a.first * a.matrix.n[1], a.last * a.matrix.n[1]};
    double sum = 0;
    walk(at, [&](size_t i, size_t row) {
        const cell c = cell_of_row<shape>(a, i, row);
        sum = cell_add(step, sum, cell_step(step, &a, &c, scalar));
    });
    if (a.sums && step == STARFISH_CELLS_LARGEST)
        store_largest(sum, a.sums);
    else if (a.sums)
        store_sum(sum, a.sums);
    if (a.sums && a.then.state)
        advance_as_the_last(a);
}

/* Does the step read neighbours, so that their finding is worth a kernel of its own? */
constexpr bool reads_neighbours(starfish_cell_step step)
{
    return step == STARFISH_CELLS_APPLY || step == STARFISH_CELLS_TURN || step == STARFISH_CELLS_RESIDUAL ||
           step == STARFISH_CELLS_IP_FIRST || step == STARFISH_CELLS_IP_SECOND;
}

Shape shape_of(const starfish_cell_matrix &m)
{
    const bool is_usual =
        m.stored && !m.periodic[0] && !m.periodic[1] && !m.periodic[2] && m.n[0] * m.n[1] * m.n[2] < size_t(1) << 31;
    return !is_usual ? ANY : m.n[1] == 1 ? FLAT : SOLID;
}

template <starfish_cell_step step> int launch(const starfish_cells *a, cudaStream_t stream)
{
    const starfish_rectangle at = {0, a->matrix.n[0], a->first * a->matrix.n[1], a->last * a->matrix.n[1]};
    const dim3 blocks = empty(at) ? dim3(0) : blocks_for(at), threads(ACROSS, DOWN);
    if (a->sums && !a->then.state && blocks.x * blocks.y < STARFISH_SUMS) {
        const size_t used = empty(at) ? 0 : blocks.x * blocks.y;
        const cudaError_t error = cudaMemsetAsync(a->sums + used, 0, (STARFISH_SUMS - used) * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    if (empty(at))
        return cudaSuccess;
    const Shape shape = shape_of(a->matrix);
    if (reads_neighbours(step) && shape == FLAT)
        cells_kernel<step, reads_neighbours(step) ? FLAT : ANY><<<blocks, threads, 0, stream>>>(*a);
    else if (reads_neighbours(step) && shape == SOLID)
        cells_kernel<step, reads_neighbours(step) ? SOLID : ANY><<<blocks, threads, 0, stream>>>(*a);
    else
        cells_kernel<step, ANY><<<blocks, threads, 0, stream>>>(*a);
    return cudaGetLastError();
}

} // namespace

extern "C" int REAL_NAME(starfish_cells_cuda)(enum starfish_cell_step step, const struct starfish_cells *a,
                                              cudaStream_t stream)
{
    static int (*const launches[])(const starfish_cells *, cudaStream_t) = {
        launch<STARFISH_CELLS_APPLY>,      launch<STARFISH_CELLS_TURN>,     launch<STARFISH_CELLS_RESIDUAL>,
        launch<STARFISH_CELLS_ABSOLUTE>,   launch<STARFISH_CELLS_ADVANCE>,  launch<STARFISH_CELLS_ADVANCE_WIDE>,
        launch<STARFISH_CELLS_JACOBI>,     launch<STARFISH_CELLS_IP_FIRST>, launch<STARFISH_CELLS_IP_SECOND>,
        launch<STARFISH_CELLS_IP_DROPPED>, launch<STARFISH_CELLS_PROLONG>,  launch<STARFISH_CELLS_PROLONG_WIDE>,
        launch<STARFISH_CELLS_SUM>,        launch<STARFISH_CELLS_SHIFT>,    launch<STARFISH_CELLS_LARGEST>};
    return launches[step](a, stream);
}
