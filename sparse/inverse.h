/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Approximate inverses of sparse symmetric positive definite matrices, as matrices: M for steps u + damping M (f - A
 * u).
 *
 * All are made by tasks: SPAI and FSAI on cores and GPUs, row by row (codelets/local_inverse.h); SAINV on cores, strip
 * by strip, as each of its vectors depends on those before (Benzi, Cullum, Tuma, SIAM J. Sci. Comput. 22 (2000),
 * 1318-1332), and in a context without workers of cores by a loop of the calling thread. Errors: MEMORY,
 * UNSUPPORTED, RUNTIME. */
#ifndef STARFISH_SPARSE_INVERSE_H
#define STARFISH_SPARSE_INVERSE_H

#include "scheduler/runtime/context.h"
#include "sparse/matrix.h"

/* M with the pattern of A^power. rows[i] is 0 where row i of M is not wanted, and then has no entries; NULL: all are.
 * Of A there must be the rows that the wanted ones of A^power have as columns. */
starfish_status starfish_spai(struct starfish_context *context, const struct starfish_csr *a, int power,
                              const unsigned char *rows, struct starfish_csr *m);
/* G^T G, G triangular with the pattern of A^power. `rows`: those of G. A row of M then is right where G has all rows
 * that the row of A^power has as columns. */
starfish_status starfish_fsai(struct starfish_context *context, const struct starfish_csr *a, int power,
                              const unsigned char *rows, struct starfish_csr *m);
/* Z D^-1 Z^T, where entries of Z below `drop` in size were dropped; Z has ones on its diagonal. */
starfish_status starfish_sainv(struct starfish_context *context, const struct starfish_csr *a, double drop,
                               struct starfish_csr *m);

#endif
