/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Change of basis to the eigenvectors of a tridiagonal operator: what a direction without a fast transform has instead.
 *
 *     T = D S D^-1,  S symmetric,  D diagonal,  S = V diag(eigenvalue) V^T
 *     FORWARD   modes = V^T D^-1 x          BACKWARD   x = D V modes
 *
 * so that backward(forward(x)) = x and backward(eigenvalue * forward(x)) = T x. The matrices are dense: 2 n flops per
 * element, by BLAS and cuBLAS.
 *
 * An operator that its reflection leaves unchanged, T(k,l) = T(n-1-k, n-1-l), has even and odd eigenvectors. Then x is
 * folded into sums and differences of mirrored elements, and each half meets only its own matrix of half the size: half
 * the flops for one more pass over memory. Modes 0 .. even-1 belong to even eigenvectors, the others to odd ones.
 *
 * Source: Lynch, Rice and Thomas, "Direct solution of partial difference equations by tensor product methods", Numer.
 * Math. 6 (1964); Cantoni and Butler, "Eigenvalues and eigenvectors of symmetric centrosymmetric matrices", Linear
 * Algebra Appl. 13 (1976). */
#ifndef STARFISH_FFT_KERNELS_BASIS_H
#define STARFISH_FFT_KERNELS_BASIS_H

#include "base/status.h"
#include "fft/kernels/transform.h"

#include <float.h>

struct starfish_basis_operator {
    size_t n; /* 1 .. 16384, so that LAPACK's sizes fit its integers */
    int periodic;
    /* n each: row k is lower[k] x[k-1] + diag[k] x[k] + upper[k] x[k+1], cyclically when periodic; otherwise lower[0]
     * and upper[n-1] are not read. lower[k] * upper[k-1] > 0, or both are 0. */
    const double *lower, *diag, *upper;
    /* By how much mirrored rows may differ, relative to the row's largest entry, and still count as equal, their mean
     * being taken. STARFISH_BASIS_EXACT allows for the rounding of the rows alone. Rows computed from coordinates x
     * with spacing h carry an error of DBL_EPSILON max|x| / min h, and the caller who knows them should say so. */
    double reflection;
    /* n: what rows sum to, for a caller who knows it better than the entries tell; NULL: base/row_sum.h. */
    const double *sum;
    /* n: FORWARD takes weight[j] x[j] in place of x[j], of rows that a problem's equations are multiplied by; NULL:
     * ones. With weights the basis is not reflected. */
    const double *weight;
};
#define STARFISH_BASIS_EXACT (16 * DBL_EPSILON)

/* The plan for CPUs, to be used by many threads at once, and what the plan for a GPU is made of. */
struct starfish_basis {
    size_t n;
    starfish_precision precision;
    int reflected;
    size_t even;        /* size of the even half: (n + 1) / 2 when reflected, else n */
    double *eigenvalue; /* n, by mode, in order within each half */
    size_t constant;    /* where rows sum to zero, the mode of constants, whose eigenvalue is exactly 0; else n */
    double scaling;     /* largest over smallest element of D */
    double asymmetry; /* by how much mirrored rows differed, relative to the row's largest entry; 0 unless reflected */
    double measured;  /* relative error of a solve with a random solution; 0 in f32, where it is not needed */
    int relative; /* every eigenvalue is right to full relative accuracy (definite.h), else to that of the largest */
    /* By direction, elements of the precision: the even half's matrix, rows contiguous, then the odd half's. Columns of
     * FORWARD and rows of BACKWARD correspond to elements as the fold leaves them (struct starfish_basis_columns). */
    void *matrix[2];
};

/* Eigenvalues and vectors by LAPACK in double, rounded to the precision at the end. Fills *basis with nothing on
 * failure, so that destroy may always follow. STARFISH_ERROR_ARGUMENT for n out of range or an entry that is not
 * finite; STARFISH_ERROR_NOT_SYMMETRIZABLE, also for a periodic operator whose products of lower and of upper differ,
 * and for one that the precision cannot scale; STARFISH_ERROR_MEMORY; STARFISH_ERROR_NUMERICAL when LAPACK fails. */
starfish_status starfish_basis_create(struct starfish_basis *basis, const struct starfish_basis_operator *op,
                                      starfish_precision precision);
void starfish_basis_destroy(struct starfish_basis *basis);
/* Will the basis be `reflected`? */
int starfish_basis_is_reflected(const struct starfish_basis_operator *op);

/* Estimate of the relative error with which T + shift is solved by forward, division and backward: from the
 * decomposition, and from the error of one solve, since vectors of a cluster may be wrong where eigenvalues are right.
 * Rounding in the precision's own products adds its unit roundoff to this, and is not amplified. One step of iterative
 * refinement, with residuals in f64, pays from STARFISH_BASIS_REFINE on; with residuals in f32 it never does. */
double starfish_basis_error(const struct starfish_basis *basis, double shift);
#define STARFISH_BASIS_REFINE 1e-10

/* What x = 1 everywhere has in an even mode (FORWARD). */
double starfish_basis_of_ones(const struct starfish_basis *basis, size_t mode);

/* ---- The operation -----------------------------------------------------------------------------------------------
 * Element (l, j, o) at [l + inner * (j + n * o)], l < inner, o < outer:
 *     out(l, k, o) = scale * sum_j B[k][j] in(l, j, o)
 * with B the matrix of the direction. `out` is only written; the arrays may not overlap. `in` may be overwritten when
 * FORWARD and reflected: element j of the lower half becomes x[j] + x[n-1-j], its mirror x[j] - x[n-1-j], the middle
 * one stays. inner, outer < 2^31. Bound by arithmetic: 2 n flops per element, n when reflected, beside 2 reals of
 * memory, 4 when reflected. */
struct starfish_basis_columns {
    size_t inner, outer;
    void *in, *out; /* aligned to the precision's reals */
    double scale;
};

/* On the calling thread alone; needs no work space. */
void starfish_basis_columns_cpu(const struct starfish_basis *basis, enum starfish_transform_direction direction,
                                const struct starfish_basis_columns *arguments);

/* CUDA. Create and destroy with the device current; one plan serves one stream at a time, so make one per CUDA
 * worker. It copies the matrices, holds cuBLAS's work space, and does not need *basis afterwards.
 * STARFISH_ERROR_MEMORY, STARFISH_ERROR_RUNTIME. */
struct starfish_basis_cuda;
/* Of a GPU's memory, beside the matrices: cuBLAS's work space on compute capability 9.0. */
enum { STARFISH_BASIS_BLAS_BYTES = 32 << 20 };
/* In f32 up to this n it holds the matrices a second time, split for tensor cores (basis_tensor.cuh). */
enum { STARFISH_BASIS_MOST_SPLIT = 4096, STARFISH_BASIS_SPLIT_ROWS = 128 };
starfish_status starfish_basis_cuda_create(struct starfish_basis_cuda **plan, const struct starfish_basis *basis);
void starfish_basis_cuda_destroy(struct starfish_basis_cuda *plan);
/* Returns a cudaError_t (0 when accepted; cuBLAS's failures as cudaErrorUnknown). */
int starfish_basis_columns_cuda(struct starfish_basis_cuda *plan, enum starfish_transform_direction direction,
                                const struct starfish_basis_columns *arguments, struct CUstream_st *stream);

/* Between basis.c and the two compilations of basis_cpu.c. */
void starfish_basis_columns_cpu_f32(const struct starfish_basis *basis, enum starfish_transform_direction direction,
                                    const struct starfish_basis_columns *arguments);
void starfish_basis_columns_cpu_f64(const struct starfish_basis *basis, enum starfish_transform_direction direction,
                                    const struct starfish_basis_columns *arguments);

#endif
