/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices in the formats of kernels (sparse/kernels/spmv.h): CSR, ELLPACK-T and SELL, in either precision. Made once
 * per plan, on all cores. */
#include "sparse/pack.h"

#include "base/precision.h"
#include "base/real.h"
#include "scheduler/runtime/host_loop.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = STARFISH_SELL_CHUNK, WINDOW = STARFISH_SELL_WINDOW, WARP = 32, ROWS = 8192 };

static int length_of(const struct starfish_csr *a, size_t i)
{
    return i < a->rows ? a->start[i + 1] - a->start[i] : 0;
}

static int longest_of(const struct starfish_csr *a)
{
    int longest = 0;

    for (size_t i = 0; i < a->rows; i++)
        longest = length_of(a, i) > longest ? length_of(a, i) : longest;
    return longest;
}

/* T of ELLPACK-T. Rows are padded to multiples of it, and one thread per row reads without gaps too, so that more are
 * good only where rows are too few to keep a GPU busy; then as many as have 4 entries each of a mean row. */
static unsigned threads_of(const struct starfish_csr *a)
{
    const size_t enough = 1 << 18; /* threads that keep a GPU busy */
    const size_t mean = a->rows > 0 ? starfish_csr_entries(a) / a->rows : 0;
    unsigned threads = 1;

    while (threads < WARP && a->rows * threads < enough && 4 * (size_t)threads < mean)
        threads *= 2;
    return threads;
}

/* ---- The order of rows of SELL ----------------------------------------------------------------------------------- */

/* row: the matrix's rows in windows of falling lengths, rows of one length in their order; then what pads the last
 * chunk. Counting is the shortest stable sort: lengths are small. */
static void sort_windows(const struct starfish_csr *a, int longest, int *first, int *row)
{
    const size_t places = (a->rows + CHUNK - 1) / CHUNK * CHUNK;

    for (size_t begin = 0; begin < a->rows; begin += WINDOW) {
        const size_t end = begin + WINDOW < a->rows ? begin + WINDOW : a->rows;
        memset(first, 0, ((size_t)longest + 2) * sizeof *first);
        for (size_t i = begin; i < end; i++)
            first[longest - length_of(a, i) + 1]++;
        for (int l = 0; l <= longest; l++)
            first[l + 1] += first[l];
        for (size_t i = begin; i < end; i++)
            row[begin + (size_t)first[longest - length_of(a, i)]++] = (int)i;
    }
    for (size_t place = a->rows; place < places; place++)
        row[place] = (int)a->rows;
}

static void keep_order(const struct starfish_csr *a, int *row)
{
    for (size_t place = 0; place < (a->rows + CHUNK - 1) / CHUNK * CHUNK; place++)
        row[place] = (int)(place < a->rows ? place : a->rows);
}

static starfish_status order_rows(const struct starfish_csr *a, int sorted, int **row)
{
    const int longest = longest_of(a);
    int *first = malloc(((size_t)longest + 2) * sizeof *first);

    *row = malloc((a->rows + CHUNK) * sizeof **row);
    if (first && *row && sorted)
        sort_windows(a, longest, first, *row);
    else if (first && *row)
        keep_order(a, *row);
    const int made = first && *row;
    free(first);
    if (made)
        return STARFISH_SUCCESS;
    free(*row);
    *row = NULL;
    return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix");
}

/* Entries of a chunk, padding included. */
static size_t chunk_entries(const struct starfish_csr *a, const int *row, size_t chunk)
{
    int longest = 0;

    for (size_t k = chunk * CHUNK; k < (chunk + 1) * CHUNK; k++)
        longest = length_of(a, (size_t)row[k]) > longest ? length_of(a, (size_t)row[k]) : longest;
    return (size_t)longest * CHUNK;
}

static starfish_status count_chunks(const struct starfish_csr *a, int sorted, size_t *entries)
{
    int *row;

    STARFISH_TRY(order_rows(a, sorted, &row));
    *entries = 0;
    for (size_t chunk = 0; chunk * CHUNK < a->rows; chunk++)
        *entries += chunk_entries(a, row, chunk);
    free(row);
    return STARFISH_SUCCESS;
}

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

static starfish_status count_entries(const struct starfish_csr *a, struct starfish_sparse_layout *l)
{
    enum { BYTES = 12 }; /* of an entry, and one for the place of a row */
    const size_t groups = ((size_t)longest_of(a) + l->threads - 1) / l->threads;
    size_t in_order;

    l->entries = starfish_csr_entries(a);
    if (l->format == STARFISH_SPARSE_ELLPACK_T) {
        l->pitch = (a->rows + WARP - 1) / WARP * WARP;
        l->entries = groups * l->pitch * l->threads;
    }
    if (l->format != STARFISH_SPARSE_SELL)
        return STARFISH_SUCCESS;
    STARFISH_TRY(count_chunks(a, 0, &in_order));
    STARFISH_TRY(count_chunks(a, 1, &l->entries));
    l->sorted = BYTES * (in_order - l->entries) > a->rows;
    l->entries = l->sorted ? l->entries : in_order;
    return STARFISH_SUCCESS;
}

/* `count` words from an even place on, so that doubles are aligned. */
static size_t take(size_t *words, size_t count)
{
    const size_t at = *words;

    *words += (count + 1) / 2 * 2;
    return at;
}

starfish_status starfish_sparse_lay_out(const struct starfish_csr *a, starfish_sparse_format format,
                                        starfish_precision precision, struct starfish_sparse_layout *l, size_t *words)
{
    const size_t chunks = (a->rows + CHUNK - 1) / CHUNK;

    *l = (struct starfish_sparse_layout){.format = format, .threads = 1, .rows = a->rows};
    if (format == STARFISH_SPARSE_ELLPACK_T)
        l->threads = threads_of(a);
    STARFISH_TRY(count_entries(a, l));
    STARFISH_FAIL_IF(l->entries > INT_MAX, STARFISH_ERROR_UNSUPPORTED,
                     "options.format: a matrix would have %zu entries with padding, more than 2^31 - 1", l->entries);
    *words = (*words + 1) / 2 * 2;
    if (format != STARFISH_SPARSE_ELLPACK_T)
        l->start = take(words, (format == STARFISH_SPARSE_CSR ? a->rows : chunks) + 1);
    if (format == STARFISH_SPARSE_ELLPACK_T)
        l->length = take(words, chunks * CHUNK);
    if (l->sorted)
        l->row = take(words, chunks * CHUNK / sizeof(int));
    l->column = take(words, l->entries);
    l->value = take(words, l->entries * starfish_real_size(precision) / sizeof(int));
    return STARFISH_SUCCESS;
}

/* ---- Packing ----------------------------------------------------------------------------------------------------- */

struct target {
    const struct starfish_csr *matrix;
    const struct starfish_sparse_layout *layout;
    starfish_precision precision;
    int *table;
    const int *row; /* SELL: by place */
};

static void put(const struct target *t, size_t at, int column, double value)
{
    void *values = t->table + t->layout->value;

    t->table[t->layout->column + at] = column;
    starfish_element_set(values, t->precision, at, value);
}

/* Entry k of row i, or what pads the row behind its last one. */
static void put_entry(const struct target *t, size_t at, size_t i, size_t k)
{
    const struct starfish_csr *a = t->matrix;

    if (k < (size_t)length_of(a, i))
        put(t, at, a->column[(size_t)a->start[i] + k], a->value[(size_t)a->start[i] + k]);
    else
        put(t, at, 0, 0);
}

static void pack_csr(void *data, size_t first, size_t last)
{
    const struct target *t = data;
    const struct starfish_csr *a = t->matrix;

    memcpy(t->table + t->layout->start + first, a->start + first, (last - first + 1) * sizeof(int));
    for (size_t i = first; i < last; i++)
        for (size_t k = 0; k < (size_t)length_of(a, i); k++)
            put_entry(t, (size_t)a->start[i] + k, i, k);
}

static void pack_ellpack(void *data, size_t first, size_t last)
{
    const struct target *t = data;
    const struct starfish_sparse_layout *l = t->layout;
    const size_t threads = l->threads, room = l->pitch > 0 ? l->entries / l->pitch : 0;

    for (size_t i = first; i < last; i++) {
        t->table[l->length + i] = (int)(((size_t)length_of(t->matrix, i) + threads - 1) / threads);
        for (size_t k = 0; k < room; k++)
            put_entry(t, (k / threads * l->pitch + i) * threads + k % threads, i, k);
    }
}

static void pack_chunks(void *data, size_t first, size_t last)
{
    const struct target *t = data;
    const struct starfish_sparse_layout *l = t->layout;
    const int *start = t->table + l->start;

    for (size_t place = first; place < last; place++) {
        const size_t chunk = place / CHUNK, room = (size_t)(start[chunk + 1] - start[chunk]) / CHUNK;
        const size_t i = (size_t)t->row[place];
        if (l->sorted)
            ((unsigned char *)(t->table + l->row))[place] =
                (unsigned char)(i < t->matrix->rows ? i % WINDOW : place % WINDOW);
        for (size_t k = 0; k < room; k++)
            put_entry(t, (size_t)start[chunk] + place % CHUNK + k * CHUNK, i, k);
    }
}

static starfish_status pack_sell(struct target *t)
{
    const size_t chunks = (t->matrix->rows + CHUNK - 1) / CHUNK;
    int *start = t->table + t->layout->start, *row;

    STARFISH_TRY(order_rows(t->matrix, t->layout->sorted, &row));
    t->row = row;
    start[0] = 0;
    for (size_t chunk = 0; chunk < chunks; chunk++)
        start[chunk + 1] = start[chunk] + (int)chunk_entries(t->matrix, row, chunk);
    starfish_host_loop(chunks * CHUNK, ROWS, pack_chunks, t);
    free(row);
    return STARFISH_SUCCESS;
}

starfish_status starfish_sparse_pack(const struct starfish_csr *a, const struct starfish_sparse_layout *layout,
                                     starfish_precision precision, int *table)
{
    struct target target = {a, layout, precision, NULL, NULL};

    target.table = table;
    if (layout->format == STARFISH_SPARSE_CSR)
        table[layout->start] = 0; /* of a matrix without rows */
    if (layout->format == STARFISH_SPARSE_CSR)
        starfish_host_loop(a->rows, ROWS, pack_csr, &target);
    else if (layout->format == STARFISH_SPARSE_ELLPACK_T)
        starfish_host_loop(layout->pitch, ROWS, pack_ellpack, &target);
    return layout->format == STARFISH_SPARSE_SELL ? pack_sell(&target) : STARFISH_SUCCESS;
}
