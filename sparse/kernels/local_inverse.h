/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Approximate inverses row by row: each row of the result is the solution of a small dense system of its own, made of
 * the rows of A that its pattern names. The contract of local_inverse_*, in f64 alone, as a plan's matrices are.
 *
 *     least squares (SPAI)  row k of M: min |sum_j m_j a_j - e_k| over the pattern J of the row, a_j the rows of A, by
 *                           the normal equations, whose matrix has a_p . a_q. Grote, Huckle, SIAM J. Sci. Comput. 18
 *                           (1997), 838-853. A needs not be symmetric.
 *     triangular (FSAI)     row i of G: A(J,J) y = e_i, g = y / sqrt(y_i), where J ends with i. Kolotilina, Yeremin,
 *                           SIAM J. Matrix Anal. Appl. 14 (1993), 45-58. A is symmetric positive definite.
 *
 * Columns of all rows are sorted. Bound by the arithmetic of the systems: for a row of m entries about m^2 / 2 products
 * of rows and m^3 / 3 operations. A core has a row at a time, a GPU 8 to 128 threads per row. CUDA functions launch on
 * `stream` and return a cudaError_t, 0 when the launch was accepted. */
#ifndef STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_H
#define STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

struct starfish_local_matrix {
    const int *start, *column;
    const double *value;
};

/* Rows first .. last-1 of the pattern. result: the values of their entries, from that of the first one on. `longest`:
 * entries of the pattern's longest row. work: starfish_local_inverse_work doubles per row that is worked on at once,
 * unless that is in shared memory; on a core starfish_local_inverse_work_on_core. */
struct starfish_local_inverse {
    struct starfish_local_matrix matrix;
    const int *pattern_start, *pattern_column;
    size_t first, last, longest;
    int triangular;
    double *work;
    double *result;
};

/* Rows of at most so many entries are solved in a GPU's shared memory, 64 KiB at most; of longer ones it works on
 * STARFISH_LOCAL_INVERSE_WARPS at once. */
enum { STARFISH_LOCAL_INVERSE_SHARED = 125, STARFISH_LOCAL_INVERSE_WARPS = 4096 };

static inline size_t starfish_local_inverse_work(size_t longest)
{
    return longest * (longest + 1) / 2 + longest;
}
/* And what a core needs to walk through rows together. */
static inline size_t starfish_local_inverse_work_on_core(size_t longest)
{
    return starfish_local_inverse_work(longest) + 3 * longest;
}
void starfish_local_inverse_cpu(const struct starfish_local_inverse *arguments);
int starfish_local_inverse_cuda(const struct starfish_local_inverse *arguments, struct CUstream_st *stream);

#endif
