/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices in the formats of kernels: from the host's CSR to the words of a table. */
#ifndef STARFISH_SPARSE_PACK_H
#define STARFISH_SPARSE_PACK_H

#include "sparse/kernels/layout.h"
#include "sparse/matrix.h"

/* Where the matrix lies in a table behind `words` words; *words: behind it. Errors: UNSUPPORTED, MEMORY. */
starfish_status starfish_sparse_lay_out(const struct starfish_csr *a, starfish_sparse_format format,
                                        starfish_precision precision, struct starfish_sparse_layout *layout,
                                        size_t *words);
/* Writes it there. Errors: MEMORY. */
starfish_status starfish_sparse_pack(const struct starfish_csr *a, const struct starfish_sparse_layout *layout,
                                     starfish_precision precision, int *table);

#endif
