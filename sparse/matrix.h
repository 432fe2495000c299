/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sparse matrices on the host, in f64 and CSR with sorted columns: how they are put together, multiplied and renumbered
 * while plans are made. Entries are at most 2^31 - 1. Functions that make a matrix fail with MEMORY, and with
 * UNSUPPORTED where there would be more; the caller destroys what they made, also after a failure. */
#ifndef STARFISH_SPARSE_MATRIX_H
#define STARFISH_SPARSE_MATRIX_H

#include "sparse/build.h"

starfish_status starfish_csr_transpose(const struct starfish_csr *a, struct starfish_csr *t);
/* c = a b; d = a diag(middle) b where middle is not NULL. */
starfish_status starfish_csr_product(const struct starfish_csr *a, const double *middle, const struct starfish_csr *b,
                                     struct starfish_csr *c);
/* Row i of a becomes row rows[i] of b, column j column columns[j]; -1: left out. b has so many rows and columns. */
struct starfish_renumbering {
    const int *rows, *columns;
    size_t row_count, column_count;
};
starfish_status starfish_csr_renumber(const struct starfish_csr *a, const struct starfish_renumbering *new,
                                      struct starfish_csr *b);
/* Entries first .. last-1 of the rows, in the same columns. */
starfish_status starfish_csr_rows(const struct starfish_csr *a, size_t first, size_t last, struct starfish_csr *b);
/* The entries on and below the diagonal. */
starfish_status starfish_csr_lower(const struct starfish_csr *a, struct starfish_csr *lower);

/* Takes the entries of all rows i out where keep[i] is 0; NULL: none. The rows stay, without entries. */
void starfish_csr_keep_rows(struct starfish_csr *a, const unsigned char *keep);

/* y = A x, row by row in the order of entries: the naive reference of all kernels. */
void starfish_csr_apply(const struct starfish_csr *a, const double *x, double *y);
/* Where entry (i,j) is, -1 where there is none. */
int starfish_csr_find(const struct starfish_csr *a, size_t i, size_t j);
/* The spectral radius of M A, roughly, by some steps of the power method; M NULL: the inverse of A's diagonal. Errors:
 * MEMORY. */
starfish_status starfish_csr_spectral_radius(const struct starfish_csr *m, const struct starfish_csr *a,
                                             double *radius);

#endif
