/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coarse space of deflation: vectors that are constant on domains of cells (Tang and Vuik, ETNA 26 (2007),
 * 330-349), Z having a column of ones and zeros for each domain, and the small matrix E = Z' A Z.
 *
 * Cells of a domain are summed in chunks of at most STARFISH_CHUNK, so that the order of sums depends on nothing.
 * (A Z)' y has few terms, those of cells at the boundary of a domain or of the problem: they are stored with their
 * factors (the sparse A Z of Gupta et al. 2010, DPCG1). E is banded after a reordering, and factored; or its inverse is
 * stored, as the paper has it, or the two sparse halves of that (krylov/dissection.h). CUDA functions launch on
 * `stream` and return a cudaError_t. */
#ifndef STARFISH_KRYLOV_KERNELS_COARSE_H
#define STARFISH_KRYLOV_KERNELS_COARSE_H

#include "base/cost.h"

struct CUstream_st; /* what a cudaStream_t points to */

enum { STARFISH_CHUNK = 1024 };

/* sum[chunk] = sum of r over its cells - sum of factor y over its terms; y may be NULL. 1.5 words per unknown. */
struct starfish_chunk_sums {
    size_t chunks;
    const int *cell_begin, *cell; /* chunks + 1 positions among the cells */
    const int *term_begin, *term; /* likewise */
    const void *factor;           /* of the terms, reals */
    const void *r, *y;
    double *sum;
    size_t chunk0, chunk1; /* which; on a GPU all */
    const double *done;    /* on a GPU: where it is not 0 nothing happens; may be NULL */
};
/* What it takes with so many cells and terms, which have their places. */
struct starfish_cost starfish_chunk_sums_cost(starfish_precision precision, double cells, double terms);
void starfish_chunk_sums_cpu_f32(const struct starfish_chunk_sums *arguments);
void starfish_chunk_sums_cpu_f64(const struct starfish_chunk_sums *arguments);
int starfish_chunk_sums_cuda_f32(const struct starfish_chunk_sums *arguments, struct CUstream_st *stream);
int starfish_chunk_sums_cuda_f64(const struct starfish_chunk_sums *arguments, struct CUstream_st *stream);

enum { STARFISH_COARSE_MOST_PARTS = 16 };

enum starfish_coarse_form {
    STARFISH_COARSE_BY_BAND,    /* (band + 1) * unknowns doubles, a column after the other (LAPACK dpbtrf, lower);
                                   not on a GPU */
    STARFISH_COARSE_BY_INVERSE, /* domains squared doubles */
    STARFISH_COARSE_BY_HALVES   /* W by rows, then by columns: 2 * entries doubles; E^-1 = W' W */
};

/* solution = E^-1 of the sums over each domain's chunks. */
struct starfish_coarse_solve {
    size_t domains, unknowns; /* unknowns: of E, one less where a singular problem has left one out */
    size_t band, entries;     /* band: below the diagonal */
    enum starfish_coarse_form form;
    const double *matrix;
    /* Of each domain among the unknowns; -1: left out. Of halves: the domain at each position; where rows begin among
     * the entries, unknowns + 1; the first position that each row has, which it has all from; where columns begin; and
     * the positions that each column has. */
    const int *place;
    size_t parts;
    const int *chunk_begin[STARFISH_COARSE_MOST_PARTS]; /* domains + 1 positions among a part's chunks */
    const double *sum[STARFISH_COARSE_MOST_PARTS];
    double *rhs, *solution; /* domains each; of halves, rhs has as many again behind it */
    int one_each;           /* one part, and one chunk for each domain: sum[0] is the right-hand side */
    const double *done;     /* on a GPU: where it is not 0 nothing happens; may be NULL */
};
/* What the matrix takes. */
struct starfish_cost starfish_coarse_solve_cost(const struct starfish_coarse_solve *arguments);
void starfish_coarse_solve_cpu(const struct starfish_coarse_solve *arguments);
int starfish_coarse_solve_cuda(const struct starfish_coarse_solve *arguments, struct CUstream_st *stream);

/* Factor a banded matrix in place; 0, or the number of the first pivot that is not positive. */
int starfish_coarse_factor(size_t unknowns, size_t band, double *matrix);
/* Invert a dense symmetric positive matrix in place, both halves; 0, or as above. */
int starfish_coarse_invert(size_t n, double *matrix);

#endif
