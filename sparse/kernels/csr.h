/* Products with sparse matrices in compressed rows (CSR): the contract of csr_*.
 *
 * Row i has the entries start[i] .. start[i+1]-1 of `column` and `value`. Columns may be beyond the rows: a part of a
 * matrix reads what it needs of other parts behind its own unknowns. Bound by memory: per entry a value, a column and a
 * read of x that is mostly in a cache; per row three more words. CUDA functions launch on `stream` and return a
 * cudaError_t, 0 when the launch was accepted. */
#ifndef STARFISH_SPARSE_KERNELS_CSR_H
#define STARFISH_SPARSE_KERNELS_CSR_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

struct starfish_csr {
    const int *start, *column;
    const void *value;
};

/* On rows first .. last-1, with r = base + factor * A x:
 *     result = r, or where there is an inverse diagonal a Jacobi step, result = x + damping * inverse * r;
 * and `sums`, STARFISH_SUMS doubles (krylov/kernels/vectors.h) that add up to the sum of the squares of r. base NULL:
 * zero; it may be result. x NULL: zero. result or sums may be NULL where it is not wanted. result is not x. */
struct starfish_csr_apply {
    struct starfish_csr matrix;
    size_t first, last;
    double factor, damping;
    const void *x, *base, *inverse;
    void *result;
    double *sums;
};
void starfish_csr_apply_cpu_f32(const struct starfish_csr_apply *arguments);
void starfish_csr_apply_cpu_f64(const struct starfish_csr_apply *arguments);
int starfish_csr_apply_cuda_f32(const struct starfish_csr_apply *arguments, struct CUstream_st *stream);
int starfish_csr_apply_cuda_f64(const struct starfish_csr_apply *arguments, struct CUstream_st *stream);

#endif
