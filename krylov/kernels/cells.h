/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seven-point matrices of cells by the couplings of their faces, and the steps of an iteration that touch every unknown
 * (conjugate gradients with deflation: Gupta, Vuik, Lemmens, report 10-20, Delft Institute of Applied Mathematics,
 * 2010). Cell (i,j,k) of n[0] x n[1] x n[2] is element i + n[0] * (j + n[1] * k); in two dimensions n[1] is 1. A kernel
 * works on planes first .. last-1.
 *
 * A row is a sum of differences, sum over the faces of coupling (u - u of the neighbour) + extra u, and not of products
 * with a stored diagonal: so constants are in the null space of a singular matrix to the last bit, and rounding errors
 * are those of fluxes, not of u times the diagonal.
 *
 * Stored (the paper's DIA storage, of whose symmetric halves one is kept): four arrays of all cells, couplings to the
 * next cell in x, y and z, and extra; the last cell's coupling is that across a periodic end, else 0. Matrix-free: the
 * coefficient k of all cells, of which couplings are means.
 *
 * All steps are bound by memory; words per unknown are said below, of which the matrix has 4 or 1. Sums are
 * STARFISH_SUMS doubles (vectors.h). CUDA functions launch on `stream` and return a cudaError_t, 0 when the launch was
 * accepted. */
#ifndef STARFISH_KRYLOV_KERNELS_CELLS_H
#define STARFISH_KRYLOV_KERNELS_CELLS_H

#include "base/cost.h"
#include "krylov/kernels/krylov.h"

struct starfish_cell_matrix {
    size_t n[3];
    int periodic[3];
    const void *stored; /* 4 * n[0] * n[1] * n[2] reals; or NULL, and then k */
    int without_extra;  /* stored: extra is 0 everywhere and is not read */
    const void *k;      /* one real per cell */
    int arithmetic;     /* else harmonic means */
    double weight[3];   /* 1/h^2; 0 where the direction has one cell */
    double end[3][2];   /* times k: what a Dirichlet face adds to the diagonal, 2/h^2; else 0 */
    double shift;       /* what is added to the diagonal everywhere */
};

enum starfish_cell_step {
    /* q = A u, sums: u q. 2 words. */
    STARFISH_CELLS_APPLY,
    /* r = u + *scalar * f, q = A r; sums: r q. Where *scalar is 0, f may be anything. 4 words. One part only. */
    STARFISH_CELLS_TURN,
    /* q = f - A u; sums: q q. 3 words. */
    STARFISH_CELLS_RESIDUAL,
    /* sums: the square of |A| |u|. 1 word. */
    STARFISH_CELLS_ABSOLUTE,
    /* v += factor * *more * *scalar * u, r -= *scalar * f; sums: r r. scalar and more may be NULL: 1. Where scalar is 0
     * nothing. v may be NULL on a core, and then only r is advanced. 6 words, 3 without v. */
    STARFISH_CELLS_ADVANCE,
    /* The same where v is double whatever u, r and q are. */
    STARFISH_CELLS_ADVANCE_WIDE,
    /* q = table u, the table being the inverse diagonal; sums: u q. 3 words. */
    STARFISH_CELLS_JACOBI,
    /* Incomplete Poisson, the table being s = diagonal^(-1/2), S = - s (strictly lower part of A) s: q = (I + S)' s u,
     * then q = s (I + S) u; sums: f q. 3 and 4 words. */
    STARFISH_CELLS_IP_FIRST,
    STARFISH_CELLS_IP_SECOND,
    /* Both at once without the entries that A does not have: q = s ((1 + sum of squares of S) s u + S s u + S' s u);
     * sums: u q. 3 words. */
    STARFISH_CELLS_IP_DROPPED,
    /* q = u + coarse[domain], u NULL: 0; sums: f q, where f is not NULL. 3.5 words. */
    STARFISH_CELLS_PROLONG,
    /* The same where q is double, q += factor * coarse[domain], whatever the precision. */
    STARFISH_CELLS_PROLONG_WIDE,
    /* sums: u. 1 word. */
    STARFISH_CELLS_SUM,
    /* q = u + factor. 2 words. */
    STARFISH_CELLS_SHIFT,
    /* The largest |u|: of the sums, not their total but the largest. 1 word. */
    STARFISH_CELLS_LARGEST,
    STARFISH_CELL_STEPS
};

/* What approximates the inverse of a matrix of cells. */
enum starfish_cell_preconditioner {
    STARFISH_CELLS_BY_NOTHING,
    STARFISH_CELLS_BY_DIAGONAL,
    STARFISH_CELLS_BY_IP,
    STARFISH_CELLS_BY_IP_DROPPED,
    STARFISH_CELLS_BY_BLOCKS,
    STARFISH_CELLS_BY_LINES,
    STARFISH_CELLS_BY_ANOTHER
};

/* On a GPU, of a step that has all cells: the last block to finish advances the state by the total of the sums
 * (krylov.h), of which only those of its blocks are written then. */
struct starfish_cells_then {
    enum starfish_krylov_stage stage;
    double *state; /* NULL: nothing */
};

struct starfish_cells {
    struct starfish_cell_matrix matrix;
    size_t first, last;
    /* Of vectors: the planes that stand for the neighbours below plane 0 and above the last: in one memory the other
     * end's, apart ghosts. */
    ptrdiff_t below, above;
    const void *u, *f, *table;
    void *q, *v, *r; /* v, r: solution and residual of ADVANCE */
    double factor;
    const double *scalar, *more;
    const double *done; /* on a GPU: where it is not 0 nothing happens; may be NULL */
    const int *domain;
    const double *coarse;
    double *sums; /* NULL: none are made */
    struct starfish_cells_then then;
    size_t slot, slots; /* cores that share the work: this one is number slot, and fills that sum */
};
/* What a step on so many cells takes, with or without sums. */
struct starfish_cost starfish_cells_cost(starfish_precision precision, enum starfish_cell_step step,
                                         const struct starfish_cell_matrix *matrix, double cells, int has_sums);
void starfish_cells_cpu_f32(enum starfish_cell_step step, const struct starfish_cells *arguments);
void starfish_cells_cpu_f64(enum starfish_cell_step step, const struct starfish_cells *arguments);
int starfish_cells_cuda_f32(enum starfish_cell_step step, const struct starfish_cells *arguments,
                            struct CUstream_st *stream);
int starfish_cells_cuda_f64(enum starfish_cell_step step, const struct starfish_cells *arguments,
                            struct CUstream_st *stream);

#endif
