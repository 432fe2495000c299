/* Matrices in the formats of kernels. */
#include "sparse/pack.h"

#include "base/real.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = STARFISH_SELL_CHUNK, WINDOW = STARFISH_SELL_WINDOW, WARP = 32 };

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

unsigned starfish_sparse_threads(const struct starfish_csr *a)
{
    const size_t mean = a->rows > 0 ? starfish_csr_entries(a) / a->rows : 0;
    unsigned threads = 1;

    while (threads < WARP && 8 * (size_t)threads < mean)
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

static starfish_status sorted_rows(const struct starfish_csr *a, int **row)
{
    const int longest = longest_of(a);
    int *first = malloc(((size_t)longest + 2) * sizeof *first);

    *row = malloc((a->rows + CHUNK) * sizeof **row);
    if (first && *row)
        sort_windows(a, longest, first, *row);
    const int made = first && *row;
    free(first);
    if (made)
        return STARFISH_SUCCESS;
    free(*row);
    *row = NULL;
    return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix");
}

/* Entries of a chunk, padding included. Its first row is its longest. */
static size_t chunk_entries(const struct starfish_csr *a, const int *row, size_t chunk)
{
    return (size_t)length_of(a, (size_t)row[chunk * CHUNK]) * CHUNK;
}

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

static starfish_status count_entries(const struct starfish_csr *a, struct starfish_sparse_layout *l)
{
    const size_t groups = ((size_t)longest_of(a) + l->threads - 1) / l->threads;
    int *row;

    l->entries = starfish_csr_entries(a);
    if (l->format == STARFISH_SPARSE_ELLPACK_T) {
        l->pitch = (a->rows + WARP - 1) / WARP * WARP;
        l->entries = groups * l->pitch * l->threads;
    }
    if (l->format != STARFISH_SPARSE_SELL)
        return STARFISH_SUCCESS;
    STARFISH_TRY(sorted_rows(a, &row));
    l->entries = 0;
    for (size_t chunk = 0; chunk * CHUNK < a->rows; chunk++)
        l->entries += chunk_entries(a, row, chunk);
    free(row);
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

    *l = (struct starfish_sparse_layout){.format = format, .threads = starfish_sparse_threads(a), .rows = a->rows};
    STARFISH_TRY(count_entries(a, l));
    if (l->entries > INT_MAX)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "options.format: a matrix would have %zu entries with padding, more than 2^31 - 1",
                             l->entries);
    *words = (*words + 1) / 2 * 2;
    if (format != STARFISH_SPARSE_ELLPACK_T)
        l->start = take(words, (format == STARFISH_SPARSE_CSR ? a->rows : chunks) + 1);
    if (format != STARFISH_SPARSE_CSR)
        l->length = take(words, chunks * CHUNK);
    if (format == STARFISH_SPARSE_SELL)
        l->row = take(words, chunks * CHUNK);
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
};

static void put(const struct target *t, size_t at, int column, double value)
{
    void *values = t->table + t->layout->value;

    t->table[t->layout->column + at] = column;
    if (t->precision == STARFISH_F32)
        ((float *)values)[at] = (float)value;
    else
        ((double *)values)[at] = value;
}

static void put_entry(const struct target *t, size_t at, int e)
{
    put(t, at, t->matrix->column[e], t->matrix->value[e]);
}

static void pack_csr(const struct target *t)
{
    const struct starfish_csr *a = t->matrix;

    memcpy(t->table + t->layout->start, a->start, (a->rows + 1) * sizeof(int));
    for (size_t e = 0; e < starfish_csr_entries(a); e++)
        put_entry(t, e, (int)e);
}

static void pack_ellpack(const struct target *t)
{
    const struct starfish_csr *a = t->matrix;
    const struct starfish_sparse_layout *l = t->layout;
    const size_t threads = l->threads;

    for (size_t at = 0; at < l->entries; at++)
        put(t, at, 0, 0);
    for (size_t i = 0; i < a->rows; i++) {
        t->table[l->length + i] = (int)(((size_t)length_of(a, i) + threads - 1) / threads);
        for (int e = a->start[i]; e < a->start[i + 1]; e++) {
            const size_t k = (size_t)(e - a->start[i]);
            put_entry(t, (k / threads * l->pitch + i) * threads + k % threads, e);
        }
    }
}

static void pack_sell(const struct target *t, const int *row)
{
    const struct starfish_csr *a = t->matrix;
    const struct starfish_sparse_layout *l = t->layout;
    const size_t chunks = (a->rows + CHUNK - 1) / CHUNK;
    int *start = t->table + l->start;

    for (size_t at = 0; at < l->entries; at++)
        put(t, at, 0, 0);
    start[0] = 0;
    for (size_t chunk = 0; chunk < chunks; chunk++)
        start[chunk + 1] = start[chunk] + (int)chunk_entries(a, row, chunk);
    for (size_t place = 0; place < chunks * CHUNK; place++) {
        const size_t i = (size_t)row[place], first = (size_t)start[place / CHUNK] + place % CHUNK;
        t->table[l->row + place] = row[place];
        t->table[l->length + place] = length_of(a, i);
        for (int k = 0; k < length_of(a, i); k++)
            put_entry(t, first + (size_t)k * CHUNK, a->start[i] + k);
    }
}

starfish_status starfish_sparse_pack(const struct starfish_csr *a, const struct starfish_sparse_layout *layout,
                                     starfish_precision precision, int *table)
{
    struct target target = {a, layout, precision, NULL};
    int *row;

    target.table = table;
    if (layout->format == STARFISH_SPARSE_CSR)
        pack_csr(&target);
    else if (layout->format == STARFISH_SPARSE_ELLPACK_T)
        pack_ellpack(&target);
    if (layout->format != STARFISH_SPARSE_SELL)
        return STARFISH_SUCCESS;
    STARFISH_TRY(sorted_rows(a, &row));
    pack_sell(&target, row);
    free(row);
    return STARFISH_SUCCESS;
}
