/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices that are made row by row, on all cores: a source adds the entries of a row in any order, possibly several to
 * one position. Each row is gathered in a small hash table (Nagasaka, Matsuoka, Azad, Buluc, Parallel Computing 90
 * (2019), 102545) and then sorted by columns; rows of a block go to a buffer of the block, and all buffers at last to
 * the matrix. Bound by the entries that are added, some nanoseconds each. */
#ifndef STARFISH_SPARSE_BUILD_H
#define STARFISH_SPARSE_BUILD_H

#include "base/status.h"

#include <stddef.h>

/* Entries of row i are start[i] .. start[i + 1] - 1, their columns ascending. */
struct starfish_csr {
    size_t rows, columns;
    int *start, *column; /* rows + 1, and start[rows] */
    double *value;
};

static inline size_t starfish_csr_entries(const struct starfish_csr *a)
{
    return a->start ? (size_t)a->start[a->rows] : 0;
}

/* Room for entries; start[rows] is set, all else undefined. */
starfish_status starfish_csr_create(struct starfish_csr *a, size_t rows, size_t columns, size_t entries);
/* A matrix of zero bytes is allowed, and left. */
void starfish_csr_destroy(struct starfish_csr *a);

/* A row under way. slot[0 .. count-1]: where its entries are, in the order in which they came. key: column + 1. */
struct starfish_csr_row {
    unsigned mask, count;
    int *key, *slot;
    double *value;
};

static inline void starfish_csr_add(struct starfish_csr_row *row, int column, double value)
{
    const unsigned factor = 2654435761u, high = 7; /* Knuth's; the middle bits are mixed best */
    unsigned at = ((unsigned)column * factor >> high) & row->mask;

    while (row->key[at] != 0 && row->key[at] != column + 1)
        at = (at + 1) & row->mask;
    if (row->key[at] == 0) {
        row->key[at] = column + 1;
        row->value[at] = 0;
        row->slot[row->count++] = (int)at;
    }
    row->value[at] += value;
}

/* `make` adds the entries of row i, on any thread; `most`: how many entries a row can have. */
struct starfish_csr_source {
    size_t rows, columns;
    size_t (*most)(const void *data, size_t i);
    void (*make)(const void *data, size_t i, struct starfish_csr_row *row);
    const void *data;
};
/* Errors: MEMORY, UNSUPPORTED (more than 2^31 - 1 entries). */
starfish_status starfish_csr_build(const struct starfish_csr_source *source, struct starfish_csr *a);

#endif
