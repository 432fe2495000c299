/* Steps of a smoother, u += damping M (f - A u), all of them in one kernel: for grids so small that on a GPU the
 * launches of their products take longer than the products. The contract of sparse_smooth_*.
 *
 * On a GPU the blocks of one cluster share the rows and wait for one another between the products, which takes a few
 * hundred nanoseconds where a launch takes 2 to 3 microseconds. What a cluster reads of a matrix stays in the
 * first-level caches of its multiprocessors. Bound by the latency of two products and two barriers per step. GPUs
 * without clusters (compute capability below 9) use one block. */
#ifndef STARFISH_SPARSE_KERNELS_SMOOTH_H
#define STARFISH_SPARSE_KERNELS_SMOOTH_H

#include "sparse/kernels/spmv.h"

/* M is `preconditioner`, or where `inverse` is not NULL that diagonal. zero: u is 0 yet, whatever its memory holds.
 * u and f have the rows of the matrix; r is work space of as many numbers. */
struct starfish_sparse_smooth {
    struct starfish_sparse matrix, preconditioner;
    const void *inverse;
    double damping;
    int steps, zero;
    const void *f;
    void *u, *r;
};
void starfish_sparse_smooth_cpu_f32(const struct starfish_sparse_smooth *arguments);
void starfish_sparse_smooth_cpu_f64(const struct starfish_sparse_smooth *arguments);
int starfish_sparse_smooth_cuda_f32(const struct starfish_sparse_smooth *arguments, struct CUstream_st *stream);
int starfish_sparse_smooth_cuda_f64(const struct starfish_sparse_smooth *arguments, struct CUstream_st *stream);

/* Up to how many rows the current GPU takes less time so than by a launch per product. Any number is right. */
size_t starfish_sparse_smooth_cuda_rows(void);

#endif
