/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of lines with coefficients, layouts and right-hand sides of any kind: the contract of every kernel batch_*.
 * tridiag.h has the kernels of the slab method and of block cyclic reduction, whose lines share one operator.
 *
 * Rows, lines, periodicity and stability are those of <starfish/tridiag.h>. Element k of line l is at k * row +
 * l * line reals; a line has `columns` right-hand sides (real and imaginary parts count as two), column c at
 *     (c / components) * column + c % components        reals from the first.
 *
 * Periodic lines by Sherman and Morrison's formula: A = A' + u v^T with A' tridiagonal. A' differs from A in the first
 * and the last diagonal entry (batch_row.h), and the `border` z = A'^-1 u is computed once by starfish_batch_prepare.
 * With that sign of the rank-one term A' is diagonally dominant where A is. PIVOTED eliminates A itself (batch_row.h).
 *
 * All arrays are where the kernel runs and aligned to their elements. Results differ between algorithms and devices by
 * rounding errors. */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_H
#define STARFISH_TRIDIAG_KERNELS_BATCH_H

#include <starfish/tridiag.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define STARFISH_BATCH_HOST_DEVICE __host__ __device__
#else
#define STARFISH_BATCH_HOST_DEVICE
#endif

struct CUstream_st; /* what a cudaStream_t points to */

/* Cyclic reduction in place, with the bank conflicts that storing rows apart avoids: to count them, not to use. */
enum { STARFISH_BATCH_CR_IN_PLACE = STARFISH_ALGORITHMS };

/* How stable elimination without pivoting is. Any of them is infinite where numbers are not finite. */
struct starfish_batch_growth {
    double from_top;  /* largest pivot over largest entry; infinite where a pivot is zero or has no reciprocal */
    double any_order; /* 1 where every order of elimination is stable (batch_row.h), else infinite */
    double trials; /* largest backward error of trial solves by the batch's algorithm, over the precision's epsilon */
};

struct starfish_batch {
    size_t n, lines, columns;
    int components; /* 1 or 2; columns is a multiple of it */
    int periodic;
    int algorithm; /* starfish_algorithm, not AUTO: see starfish_batch_choose_... */
    struct starfish_layout coefficients;
    struct starfish_layout vectors; /* in reals */
    size_t column;                  /* in reals */
    size_t whole_lines;             /* of the batch of which this is a run of lines; 0: this is all of it */
    const void *lower, *diag, *upper;
    const void *shift; /* lines reals, or NULL */
    /* What starfish_batch_prepare computes; each may be NULL when it is not wanted. Matrices are one when coefficients
     * are shared and there is no shift, else as many as lines of the whole batch; those of line l are at
     * [k * matrices + l]. */
    void *factors; /* 2 * n * matrices reals: 1 / pivot, then upper / pivot; THOMAS solves with them */
    void *border;  /* n * matrices reals: needed where starfish_batch_has_border */
    struct starfish_batch_growth *growth; /* one per matrix */
    const void *input;
    void *output;    /* input itself, or apart from it */
    void *workspace; /* starfish_batch_workspace_...(...) bytes */
};

STARFISH_BATCH_HOST_DEVICE static inline size_t starfish_batch_matrices(const struct starfish_batch *batch)
{
    return batch->coefficients.line == 0 && !batch->shift ? 1 : batch->lines;
}

/* PIVOTED eliminates periodic lines as they are, the others by a border. */
STARFISH_BATCH_HOST_DEVICE static inline int starfish_batch_has_border(const struct starfish_batch *batch)
{
    return batch->periodic && batch->algorithm != STARFISH_ALGORITHM_PIVOTED;
}

/* Reals of work for a line and column of PIVOTED. */
static inline size_t starfish_batch_pivoted_reals(const struct starfish_batch *batch)
{
    return (batch->periodic ? 5 : 3) * batch->n;
}

/* From row to row of factors and border, in reals: the matrices of the whole batch. */
STARFISH_BATCH_HOST_DEVICE static inline size_t starfish_batch_kept_row(const struct starfish_batch *batch)
{
    return batch->coefficients.line == 0 && !batch->shift ? 1 : batch->whole_lines ? batch->whole_lines : batch->lines;
}

/* The systems whose solutions are the border of a periodic batch, A' z = u, solved in place. */
static inline struct starfish_batch starfish_batch_border(const struct starfish_batch *batch)
{
    const size_t matrices = starfish_batch_matrices(batch);
    struct starfish_batch border = *batch;

    border.lines = matrices;
    border.columns = 1;
    border.components = 1;
    border.vectors.row = starfish_batch_kept_row(batch);
    border.vectors.line = 1;
    border.input = border.output = border.border;
    return border;
}

/* The first line of run number `run` when lines are cut into `runs` of nearly equal length, for run = 0 .. runs; whole
 * groups of 32 or 8 lines, which begin at a cache line when lines lie side by side, where there are enough for all. */
size_t starfish_batch_first_line(size_t lines, size_t runs, size_t run);
/* Lines first .. first+lines-1 of a batch on the CPU, whose workspace is the caller's to choose. Runs may be solved,
 * and prepared, at the same time; the only matrix of a batch is prepared with line 0. */
struct starfish_batch starfish_batch_run(const struct starfish_batch *batch, size_t first, size_t lines,
                                         size_t real_size);

/* AUTO resolved, everything else as it is. */
int starfish_batch_choose_cpu(const struct starfish_batch *batch);
int starfish_batch_choose_cuda(const struct starfish_batch *batch);

/* The longest line that the algorithm can do: CR, PCR and their hybrids keep a line in shared memory on CUDA. */
size_t starfish_batch_longest_cuda(int algorithm, size_t real_size);

/* Bytes of workspace of a solve, and of prepare. */
size_t starfish_batch_workspace_cpu(const struct starfish_batch *batch, size_t real_size);
size_t starfish_batch_workspace_cuda(const struct starfish_batch *batch, size_t real_size);

/* The batch of a trial solve for each matrix, in place, whose memory is in the batch's workspace behind its own. On
 * CPUs of a batch of one line. */
struct starfish_batch starfish_batch_trial_cpu(const struct starfish_batch *batch, size_t real_size);
struct starfish_batch starfish_batch_trial_cuda(const struct starfish_batch *batch, size_t real_size);

/* Their parts for open lines; for starfish_batch_workspace_... only. */
size_t starfish_batch_open_workspace_cpu_f32(const struct starfish_batch *batch);
size_t starfish_batch_open_workspace_cpu_f64(const struct starfish_batch *batch);
size_t starfish_batch_open_workspace_cuda_f32(const struct starfish_batch *batch);
size_t starfish_batch_open_workspace_cuda_f64(const struct starfish_batch *batch);

void starfish_batch_cpu_f32(const struct starfish_batch *batch);
void starfish_batch_cpu_f64(const struct starfish_batch *batch);
/* Launches on `stream`; returns a cudaError_t, 0 when the launches were accepted; cudaErrorInvalidConfiguration for a
 * line that is longer than the algorithm can do. */
int starfish_batch_cuda_f32(const struct starfish_batch *batch, struct CUstream_st *stream);
int starfish_batch_cuda_f64(const struct starfish_batch *batch, struct CUstream_st *stream);

/* Fill factors, border and growth; input and output are not touched. */
void starfish_batch_prepare_cpu_f32(const struct starfish_batch *batch);
void starfish_batch_prepare_cpu_f64(const struct starfish_batch *batch);
int starfish_batch_prepare_cuda_f32(const struct starfish_batch *batch, struct CUstream_st *stream);
int starfish_batch_prepare_cuda_f64(const struct starfish_batch *batch, struct CUstream_st *stream);

#endif
