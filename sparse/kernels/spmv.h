/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with sparse matrices, and the operations of a solver that are little more: residuals, Jacobi steps and steps
 * with an approximate inverse. The contract of spmv_*.
 *
 * A matrix is stored in one of three formats (struct starfish_sparse):
 *
 *     CSR        the entries of a row one after the other. For cores, and for rows of very different lengths.
 *     ELLPACK-T  all rows padded to the longest; of entries T k .. T k + T-1 of all rows those of a row stand together,
 *                and the rows one after the other, so that T threads of a GPU read a row and a warp reads without gaps.
 *                Vazquez, Ortega, Fernandez, Garzon, CIT 2010, 1146-1151.
 *     SELL-C-s   chunks of C rows, each padded to its longest row and stored column by column; within windows of s rows
 *                these are sorted by their lengths where that saves more padding than the rows' order costs.
 *                Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM J. Sci. Comput. 36 (2014), C401-C423.
 *
 * Columns may be beyond the rows: a part of a matrix reads what it needs of other parts behind its own unknowns. Bound
 * by memory: per entry a value, a column and a read of x that is mostly in a cache; per row three more words. CUDA
 * functions launch on `stream` and return a cudaError_t, 0 when the launch was accepted. */
#ifndef STARFISH_SPARSE_KERNELS_SPMV_H
#define STARFISH_SPARSE_KERNELS_SPMV_H

#include <starfish/fem.h>
#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

/* Rows of a chunk and of a window of SELL-C-sigma. */
enum { STARFISH_SELL_CHUNK = 32, STARFISH_SELL_WINDOW = 256 };

struct starfish_sparse {
    starfish_sparse_format format;
    unsigned threads;  /* ELLPACK-T: T, the threads of a GPU that share a row: 1, 2, 4 .. 32; else 1 */
    size_t rows;       /* of all the matrix */
    size_t pitch;      /* ELLPACK-T: rows, padded */
    size_t entries;    /* as stored, padding included */
    const int *start;  /* CSR: of rows, rows + 1; SELL: of chunks, one more than there are */
    const int *length; /* ELLPACK-T: groups of T entries of a row */
    /* SELL: the row at a place, counted from its window's first one; NULL: rows are in their order. */
    const unsigned char *row;
    const int *column;
    const void *value;
};

/* On rows first .. last-1, with r = base + factor * A x:
 *     result = r, or where there is an inverse diagonal a Jacobi step, result = x + damping * inverse * r;
 * and `sums`, STARFISH_SUMS doubles (krylov/kernels/vectors.h), on cores `sum_count` where that is not 0, that add up
 * to the sum of the squares of r. base NULL:
 * zero; it may be result. x NULL: zero. result or sums may be NULL where it is not wanted. result is not x. */
struct starfish_spmv {
    struct starfish_sparse matrix;
    size_t first, last;
    double factor, damping;
    const void *x, *base, *inverse;
    void *result;
    double *sums;
    size_t sum_count;
};
void starfish_spmv_cpu_f32(const struct starfish_spmv *arguments);
void starfish_spmv_cpu_f64(const struct starfish_spmv *arguments);
/* The row at a place of SELL; behind the last place of a row the number is too large. */
static inline size_t starfish_sell_row(const struct starfish_sparse *matrix, size_t place)
{
    return matrix->row ? place / STARFISH_SELL_WINDOW * STARFISH_SELL_WINDOW + matrix->row[place] : place;
}
int starfish_spmv_cuda_f32(const struct starfish_spmv *arguments, struct CUstream_st *stream);
int starfish_spmv_cuda_f64(const struct starfish_spmv *arguments, struct CUstream_st *stream);

#endif
