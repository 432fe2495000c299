/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a sparse matrix lies in a table of 32-bit words, which is how plans hand matrices to tasks. */
#ifndef STARFISH_SPARSE_KERNELS_LAYOUT_H
#define STARFISH_SPARSE_KERNELS_LAYOUT_H

#include "sparse/kernels/spmv.h"

/* Arrays of struct starfish_sparse as offsets in words; those that a format has not are 0. */
struct starfish_sparse_layout {
    starfish_sparse_format format;
    unsigned threads;
    size_t rows, pitch, entries; /* entries: as stored, padding included */
    size_t start, length, row, column, value;
    int sorted; /* SELL: rows have an order of their own */
};

/* The matrix of a table in the memory of a place. */
static inline struct starfish_sparse starfish_sparse_at(const struct starfish_sparse_layout *layout, const int *table)
{
    return (struct starfish_sparse){.format = layout->format,
                                    .threads = layout->threads,
                                    .rows = layout->rows,
                                    .pitch = layout->pitch,
                                    .entries = layout->entries,
                                    .start = table + layout->start,
                                    .length = table + layout->length,
                                    .row = layout->sorted ? (const unsigned char *)(table + layout->row) : NULL,
                                    .column = table + layout->column,
                                    .value = table + layout->value};
}

#endif
