/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algorithms of one thread per line on CUDA: Thomas, Thomas with kept factors, elimination with row interchanges, what
 * a plan prepares, and the border of periodic lines.
 *
 * Bytes per unknown in reals: Thomas 9 (3 coefficients and the right-hand side read, c and d written and read again,
 * the solution written); with kept factors 7 and no division; with row interchanges 12, on periodic lines 16. Coalesced
 * when lines lie side by side, else a sector per element. Bound by memory from some tens of thousands of lines on,
 * below by the latency of the recurrence. Thomas 1949; LAPACK's gtsv for the interchanges. */
#include "tridiag/kernels/batch_cuda.h"
#include "tridiag/kernels/batch_row.h"

namespace
{

enum { THREADS = 128 };

enum Kind { THOMAS, KEPT, PIVOTED, PIVOTED_RING };

template <Kind kind> __global__ void __launch_bounds__(THREADS) solve_lines(const __grid_constant__ starfish_batch b)
{
    const size_t all = b.lines * b.columns;

    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < all; i += size_t(gridDim.x) * THREADS) {
        const size_t line = i % b.lines, column = i / b.lines;
        real *work = static_cast<real *>(b.workspace) + i;
        if (kind == THOMAS)
            batch_thomas_line(&b, line, column, work, all);
        else if (kind == KEPT)
            batch_kept_line(&b, line, column);
        else if (kind == PIVOTED)
            batch_pivoted_line(&b, line, column, work, all);
        else
            batch_pivoted_ring(&b, line, column, work, all);
    }
}

__global__ void __launch_bounds__(THREADS) factor_lines(const __grid_constant__ starfish_batch b, size_t matrices)
{
    for (size_t m = size_t(blockIdx.x) * THREADS + threadIdx.x; m < matrices; m += size_t(gridDim.x) * THREADS)
        batch_factor_line(&b, m);
}

__global__ void __launch_bounds__(THREADS)
    fill_trial(const __grid_constant__ starfish_batch b, real *rhs, size_t matrices, int trial)
{
    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < matrices * b.n; i += size_t(gridDim.x) * THREADS)
        rhs[i] = batch_trial_rhs(&b, i % matrices, i / matrices, trial);
}

__global__ void __launch_bounds__(THREADS)
    end_trial(const __grid_constant__ starfish_batch b, const real *x, size_t matrices, int trial)
{
    for (size_t m = size_t(blockIdx.x) * THREADS + threadIdx.x; m < matrices; m += size_t(gridDim.x) * THREADS)
        batch_trial_end(&b, m, x + m, matrices, trial);
}

__global__ void __launch_bounds__(THREADS) fill_border(const __grid_constant__ starfish_batch b, size_t matrices)
{
    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < matrices * b.n; i += size_t(gridDim.x) * THREADS)
        static_cast<real *>(b.border)[i] = batch_border_rhs(&b, i % matrices, i / matrices);
}

/* The factor of every line and column, in the order of the workspace: x = y - factor z. */
__global__ void __launch_bounds__(THREADS) border_factors(const __grid_constant__ starfish_batch b)
{
    const size_t all = b.lines * b.columns;

    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < all; i += size_t(gridDim.x) * THREADS)
        static_cast<real *>(b.workspace)[i] = batch_border_factor(
            &b, i % b.lines, static_cast<const real *>(b.output) + batch_column_offset(&b, i % b.lines, i / b.lines));
}

/* Neighbouring threads on neighbouring elements of the output, whichever way these run. */
__global__ void __launch_bounds__(THREADS) add_border(const __grid_constant__ starfish_batch b, size_t matrices)
{
    const bool along_lines = b.vectors.row > b.vectors.line;
    const size_t per_column = b.lines * b.n, all = per_column * b.columns;
    const real *factors = static_cast<const real *>(b.workspace), *z = static_cast<const real *>(b.border);

    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < all; i += size_t(gridDim.x) * THREADS) {
        const size_t column = i / per_column, rest = i % per_column;
        const size_t line = along_lines ? rest % b.lines : rest / b.n, k = along_lines ? rest / b.lines : rest % b.n;
        real *x = static_cast<real *>(b.output) + batch_column_offset(&b, line, column) + k * b.vectors.row;
        *x -= factors[column * b.lines + line] * z[k * matrices + (matrices > 1 ? line : 0)];
    }
}

unsigned blocks_for(size_t items)
{
    const size_t blocks = (items + THREADS - 1) / THREADS, most = 1 << 20;

    return unsigned(blocks < most ? blocks : most);
}

} // namespace

extern "C" int REAL_NAME(starfish_batch_lines_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    const bool pivoted = b->algorithm == STARFISH_ALGORITHM_PIVOTED;
    auto kernel = pivoted && b->periodic ? solve_lines<PIVOTED_RING>
                  : pivoted              ? solve_lines<PIVOTED>
                  : b->factors           ? solve_lines<KEPT>
                                         : solve_lines<THOMAS>;

    kernel<<<blocks_for(b->lines * b->columns), THREADS, 0, stream>>>(*b);
    return cudaGetLastError();
}

extern "C" int REAL_NAME(starfish_batch_factor_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    const size_t matrices = starfish_batch_matrices(b);

    factor_lines<<<blocks_for(matrices), THREADS, 0, stream>>>(*b, matrices);
    return cudaGetLastError();
}

extern "C" int REAL_NAME(starfish_batch_try_solves_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    const starfish_batch trial = starfish_batch_trial_cuda(b, sizeof(real));
    real *x = static_cast<real *>(trial.output);
    int status = cudaSuccess;

    for (int t = 0; t < BATCH_TRIALS && status == cudaSuccess; t++) {
        fill_trial<<<blocks_for(trial.lines * b->n), THREADS, 0, stream>>>(*b, x, trial.lines, t);
        status = cudaGetLastError();
        if (status == cudaSuccess)
            status = REAL_NAME(starfish_batch_cuda)(&trial, stream);
        if (status == cudaSuccess) {
            end_trial<<<blocks_for(trial.lines), THREADS, 0, stream>>>(*b, x, trial.lines, t);
            status = cudaGetLastError();
        }
    }
    return status;
}

extern "C" int REAL_NAME(starfish_batch_fill_border_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    const size_t matrices = starfish_batch_matrices(b);

    fill_border<<<blocks_for(matrices * b->n), THREADS, 0, stream>>>(*b, matrices);
    return cudaGetLastError();
}

extern "C" int REAL_NAME(starfish_batch_add_border_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    border_factors<<<blocks_for(b->lines * b->columns), THREADS, 0, stream>>>(*b);
    const cudaError_t status = cudaGetLastError();

    if (status != cudaSuccess)
        return status;
    add_border<<<blocks_for(b->lines * b->columns * b->n), THREADS, 0, stream>>>(*b, starfish_batch_matrices(b));
    return cudaGetLastError();
}
