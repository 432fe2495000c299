/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Preconditioners that solve by substitution, a run of unknowns at a time (matrices: cells.h).
 *
 * IC: incomplete Cholesky without fill of diagonal blocks of consecutive unknowns (Meijerink and van der Vorst, Math.
 * Comp. 31 (1977), 148-162; Gupta et al. 2010, section 5.1). L D L' with L's off-diagonal entries those of A: the table
 * has 1/D of all cells. LINE: tridiagonal systems along z, of which the runs are cut at the planes first and last. The
 * table has the reciprocal pivots. Both: q = M^-1 u, sums: u q. 9 words per unknown; a core has a run to itself; on a
 * GPU a thread has a line, and a block of threads a block of cells, bound by the latency of memory. */
#ifndef STARFISH_KRYLOV_KERNELS_BLOCKS_H
#define STARFISH_KRYLOV_KERNELS_BLOCKS_H

#include "krylov/kernels/cells.h"

struct starfish_blocks {
    struct starfish_cells cells; /* matrix (stored), first, last, u, q, table, sums */
    size_t block;                /* unknowns; 0: lines */
    size_t run0, run1; /* which of the blocks, counted from the first cell of plane `first`, or of the lines */
};
/* How many runs there are in the planes of `cells`. */
size_t starfish_blocks_count(const struct starfish_blocks *arguments);
/* What it takes on so many cells, with or without sums. */
struct starfish_cost starfish_blocks_cost(starfish_precision precision, const struct starfish_blocks *arguments,
                                          double cells, int has_sums);
void starfish_blocks_cpu_f32(const struct starfish_blocks *arguments);
void starfish_blocks_cpu_f64(const struct starfish_blocks *arguments);
int starfish_blocks_cuda_f32(const struct starfish_blocks *arguments, struct CUstream_st *stream);
int starfish_blocks_cuda_f64(const struct starfish_blocks *arguments, struct CUstream_st *stream);

/* The table, from couplings in f64, of all cells; blocks begin at plane cells.first. Pivots that are not positive are
 * replaced by the diagonal. */
void starfish_blocks_factor(const struct starfish_blocks *arguments, double *table);

#endif
