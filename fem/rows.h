/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrix rows of a grid that one of several ranks assembles: those of its own unknowns, and those that these need. */
#ifndef STARFISH_FEM_ROWS_H
#define STARFISH_FEM_ROWS_H

#include "fem/space.h"
#include "multigrid/fem.h"

/* By unknown, 0 where the row is not wanted: of the operator, of the smoother while it is made, of the prolongation;
 * and the rank's own unknowns. All NULL: all rows are wanted. */
struct starfish_fem_rows {
    unsigned char *matrix, *smoother, *prolongation, *own;
};

/* A rank's run of a level: the runs of its parts, which follow one another. */
void starfish_fem_cut_of_rank(const struct starfish_fem_cut *cut, int level, int rank, size_t run[2]);

/* `own` and `coarse`: the rank's run of this grid and of the next coarser one, whose rows of the restriction times the
 * operator it makes; p: the whole prolongation. The smoother is made of rings[0] rings of neighbours, in rings[1] of
 * which its own rows are made too. Errors: MEMORY. */
starfish_status starfish_fem_rows_choose(struct starfish_fem_rows *rows, const struct starfish_fem_space *space,
                                         const size_t own[2], const int rings[2], const struct starfish_csr *p,
                                         const size_t coarse[2]);
void starfish_fem_rows_destroy(struct starfish_fem_rows *rows);

#endif
