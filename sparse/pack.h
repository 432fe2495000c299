/* Matrices in the formats of kernels: from the host's CSR to the words of a table. */
#ifndef STARFISH_SPARSE_PACK_H
#define STARFISH_SPARSE_PACK_H

#include "sparse/kernels/layout.h"
#include "sparse/matrix.h"

/* T of ELLPACK-T. Rows are padded to multiples of it, and one thread per row reads without gaps too, so that more are
 * good only where rows are too few to keep a GPU busy; then as many as have 4 entries each of a mean row. */
unsigned starfish_sparse_threads(const struct starfish_csr *a);
/* Where the matrix lies in a table behind `words` words; *words: behind it. Errors: UNSUPPORTED, MEMORY. */
starfish_status starfish_sparse_lay_out(const struct starfish_csr *a, starfish_sparse_format format,
                                        starfish_precision precision, struct starfish_sparse_layout *layout,
                                        size_t *words);
/* Writes it there. Errors: MEMORY. */
starfish_status starfish_sparse_pack(const struct starfish_csr *a, const struct starfish_sparse_layout *layout,
                                     starfish_precision precision, int *table);

#endif
