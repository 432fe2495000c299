/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices row by row, on all cores (build.h): rows are gathered in hash tables, sorted, and joined block by block. */
#include "sparse/build.h"

#include "scheduler/runtime/host_loop.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

starfish_status starfish_csr_create(struct starfish_csr *a, size_t rows, size_t columns, size_t entries)
{
    *a = (struct starfish_csr){.rows = rows, .columns = columns};
    STARFISH_FAIL_IF(entries > INT_MAX || rows >= INT_MAX || columns >= INT_MAX, STARFISH_ERROR_UNSUPPORTED,
                     "a matrix would have %zu entries, more than 2^31 - 1", entries);
    a->start = calloc(rows + 1, sizeof *a->start);
    a->column = malloc((entries + 1) * sizeof *a->column);
    a->value = malloc((entries + 1) * sizeof *a->value);
    if (!a->start || !a->column || !a->value) {
        starfish_csr_destroy(a);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu entries", entries);
    }
    a->start[rows] = (int)entries;
    return STARFISH_SUCCESS;
}

void starfish_csr_destroy(struct starfish_csr *a)
{
    free(a->start);
    free(a->column);
    free(a->value);
    memset(a, 0, sizeof *a);
}

/* Where there is no memory to shorten the arrays they stay as long as they are. */

struct block {
    int *column;
    double *value;
    size_t count, room;
    int failed;
};

struct building {
    const struct starfish_csr_source *source;
    size_t rows; /* of a block */
    struct block *block;
    int *length; /* by row */
    struct starfish_csr *result;
};

/* ---- A row ------------------------------------------------------------------------------------------------------- */

static int row_create(struct starfish_csr_row *row, size_t most)
{
    size_t room = 16;

    while (room < 2 * most)
        room *= 2;
    *row = (struct starfish_csr_row){.mask = (unsigned)(room - 1),
                                     .key = calloc(room, sizeof *row->key),
                                     .slot = malloc(room * sizeof *row->slot),
                                     .value = malloc(room * sizeof *row->value)};
    return row->key && row->slot && row->value;
}

/* Shell's sort: rows are short, and partly sorted as they come. Gaps by Ciura. */
static void sort_row(int *column, double *value, int count)
{
    static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};

    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        for (int i = gaps[g]; i < count; i++) {
            const int moved = column[i], gap = gaps[g];
            const double its = value[i];
            int at = i;
            for (; at >= gap && column[at - gap] > moved; at -= gap) {
                column[at] = column[at - gap];
                value[at] = value[at - gap];
            }
            column[at] = moved;
            value[at] = its;
        }
}

/* The row's entries, sorted; the row is empty then. */
static void take_row(struct starfish_csr_row *row, int *column, double *value)
{
    for (unsigned k = 0; k < row->count; k++) {
        const int at = row->slot[k];
        column[k] = row->key[at] - 1;
        value[k] = row->value[at];
        row->key[at] = 0;
    }
    sort_row(column, value, (int)row->count);
    row->count = 0;
}

/* ---- A block ----------------------------------------------------------------------------------------------------- */

static int reserve(struct block *block, size_t count)
{
    if (block->count + count <= block->room)
        return 1;
    const size_t room = 2 * block->room + count;
    int *column = realloc(block->column, room * sizeof *column);
    if (!column)
        return 0;
    block->column = column;
    double *value = realloc(block->value, room * sizeof *value);
    if (!value)
        return 0;
    block->value = value;
    block->room = room;
    return 1;
}

static int make_row(const struct building *b, size_t i, struct starfish_csr_row *row, struct block *block)
{
    b->source->make(b->source->data, i, row);
    if (!reserve(block, row->count))
        return 0;
    b->length[i] = (int)row->count;
    take_row(row, block->column + block->count, block->value + block->count);
    block->count += (size_t)b->length[i];
    return 1;
}

static void make_rows(void *data, size_t first, size_t last)
{
    const struct building *b = data;
    struct block *block = &b->block[first / b->rows];
    struct starfish_csr_row row;
    size_t most = 0, all = 0;

    for (size_t i = first; i < last; i++) {
        const size_t added = b->source->most(b->source->data, i), columns = b->source->columns;
        const size_t here = added < columns ? added : columns;
        most = here > most ? here : most;
        all += here;
    }
    int good = row_create(&row, most) && reserve(block, all / 2);
    for (size_t i = first; i < last && good; i++)
        good = make_row(b, i, &row, block);
    block->failed = !good;
    free(row.key);
    free(row.slot);
    free(row.value);
}

static void copy_rows(void *data, size_t first, size_t last)
{
    const struct building *b = data;
    struct block *block = &b->block[first / b->rows];
    int *start = b->result->start;

    for (size_t i = first; i + 1 < last; i++) /* start[first] is there, and so is start[last] */
        start[i + 1] = start[i] + b->length[i];
    if (block->count > 0) {
        memcpy(b->result->column + start[first], block->column, block->count * sizeof *block->column);
        memcpy(b->result->value + start[first], block->value, block->count * sizeof *block->value);
    }
    free(block->column);
    free(block->value);
    block->column = NULL;
    block->value = NULL;
}

/* ---- All rows ---------------------------------------------------------------------------------------------------- */

static starfish_status gather(struct building *b, size_t blocks)
{
    const struct starfish_csr_source *source = b->source;
    size_t entries = 0, failed = 0;

    starfish_host_loop(source->rows, b->rows, make_rows, b);
    for (size_t k = 0; k < blocks; k++) {
        entries += b->block[k].count;
        failed += (size_t)b->block[k].failed;
    }
    STARFISH_FAIL_IF(failed > 0, STARFISH_ERROR_MEMORY, "out of memory for the rows of a matrix");
    STARFISH_TRY(starfish_csr_create(b->result, source->rows, source->columns, entries));
    for (size_t k = 0, at = 0; k < blocks; k++) {
        b->result->start[k * b->rows] = (int)at;
        at += b->block[k].count;
    }
    b->result->start[source->rows] = (int)entries;
    starfish_host_loop(source->rows, b->rows, copy_rows, b);
    return STARFISH_SUCCESS;
}

/* Rows of a block, which is 0.2 ms of work or so: small dense matrices need more than one block for all cores. */
static size_t choose_rows(const struct starfish_csr_source *source)
{
    const size_t most_rows = 2048, least_rows = 8, block = 1 << 18, samples = source->rows < 32 ? source->rows : 32;
    size_t added = 0;

    for (size_t s = 0; s < samples; s++)
        added += source->most(source->data, s * source->rows / samples);
    const size_t rows = added > 0 ? block * samples / added : most_rows;
    return rows > most_rows ? most_rows : rows < least_rows ? least_rows : rows;
}

starfish_status starfish_csr_build(const struct starfish_csr_source *source, struct starfish_csr *a)
{
    const size_t rows = choose_rows(source), blocks = (source->rows + rows - 1) / rows;
    struct building b = {source, rows, calloc(blocks + 1, sizeof *b.block), malloc((source->rows + 1) * sizeof(int)),
                         a};
    starfish_status status = STARFISH_SUCCESS;

    *a = (struct starfish_csr){.rows = 0};
    status = b.block && b.length ? gather(&b, blocks)
                                 : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the rows of a matrix");
    for (size_t k = 0; b.block && k < blocks; k++) {
        free(b.block[k].column);
        free(b.block[k].value);
    }
    free(b.block);
    free(b.length);
    return status;
}
