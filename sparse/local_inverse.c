/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPAI and FSAI: the tasks of all rows of an approximate inverse, in blocks. */
#include "codelets/local_inverse.h"
#include "sparse/inverse.h"

#include <stdlib.h>

enum { MOST_BLOCKS = 64, ROWS_PER_BLOCK = 1024 };

struct tables {
    struct starfish_coefficient_table start, column, value;
};

struct inverting {
    struct starfish_context *context;
    struct starfish_progress progress;
    struct starfish_workspace workspace;
    struct tables matrix, pattern;
    struct starfish_coefficient_table result[MOST_BLOCKS];
    size_t blocks, longest;
};

static starfish_status tables_create(struct tables *tables, const struct starfish_csr *a, int values)
{
    const size_t entries = starfish_csr_entries(a);

    STARFISH_TRY(starfish_coefficient_table_ints(&tables->start, a->start, a->rows + 1));
    STARFISH_TRY(starfish_coefficient_table_ints(&tables->column, a->column, entries));
    return values ? starfish_coefficient_table_reals(&tables->value, STARFISH_F64, a->value, entries)
                  : STARFISH_SUCCESS;
}

static void tables_destroy(struct tables *tables)
{
    starfish_coefficient_table_destroy(&tables->start);
    starfish_coefficient_table_destroy(&tables->column);
    starfish_coefficient_table_destroy(&tables->value);
}

static struct starfish_local_matrix_handles handles_of(const struct tables *tables)
{
    return (struct starfish_local_matrix_handles){tables->start.handle, tables->column.handle, tables->value.handle};
}

/* Blocks are equal in rows. */
static size_t first_of(const struct inverting *i, const struct starfish_csr *pattern, size_t block)
{
    return pattern->rows * block / i->blocks;
}

static starfish_status begin(struct inverting *i, const struct starfish_csr *a, const struct starfish_csr *pattern)
{
    i->blocks = (pattern->rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
    i->blocks = i->blocks > MOST_BLOCKS ? MOST_BLOCKS : i->blocks;
    for (size_t row = 0; row < pattern->rows; row++) {
        const size_t length = (size_t)(pattern->start[row + 1] - pattern->start[row]);
        i->longest = length > i->longest ? length : i->longest;
    }
    STARFISH_TRY(starfish_workspace_create(&i->workspace, i->context, starfish_local_inverse_bytes(i->longest, 0),
                                           starfish_local_inverse_bytes(i->longest, 1)));
    STARFISH_TRY(tables_create(&i->matrix, a, 1));
    return tables_create(&i->pattern, pattern, 0);
}

static starfish_status submit(struct inverting *i, const struct starfish_csr *pattern, int triangular)
{
    for (size_t block = 0; block < i->blocks; block++) {
        const size_t first = first_of(i, pattern, block), last = first_of(i, pattern, block + 1);
        STARFISH_TRY(starfish_coefficient_table_results(&i->result[block],
                                                        (size_t)(pattern->start[last] - pattern->start[first])));
        const struct starfish_local_inverse_task task = {
            .kernel = {.first = first, .last = last, .longest = i->longest, .triangular = triangular},
            .matrix = handles_of(&i->matrix),
            .pattern = handles_of(&i->pattern),
            .result = i->result[block].handle,
            .workspace = &i->workspace};
        STARFISH_TRY(starfish_submit_local_inverse(&i->progress, &task));
    }
    return STARFISH_SUCCESS;
}

/* The values of the pattern. */
static starfish_status collect(struct inverting *i, const struct starfish_csr *pattern)
{
    for (size_t block = 0; block < i->blocks; block++) {
        const size_t first = (size_t)pattern->start[first_of(i, pattern, block)];
        STARFISH_TRY(starfish_coefficient_table_read(&i->result[block], i->context, pattern->value + first,
                                                     i->result[block].count * sizeof(double)));
    }
    return STARFISH_SUCCESS;
}

/* m, of which the pattern is there, gets its values. */
static starfish_status invert(struct starfish_context *context, const struct starfish_csr *a, int triangular,
                              struct starfish_csr *m)
{
    struct inverting *i = calloc(1, sizeof *i);

    STARFISH_FAIL_IF(!i, STARFISH_ERROR_MEMORY, "out of memory for an approximate inverse");
    i->context = context;
    starfish_progress_init(&i->progress, context);
    starfish_status status = begin(i, a, m);
    STARFISH_THEN(status, submit(i, m, triangular));
    const starfish_status waited = starfish_progress_wait(&i->progress);
    STARFISH_THEN(status, waited);
    STARFISH_THEN(status, collect(i, m));
    tables_destroy(&i->matrix);
    tables_destroy(&i->pattern);
    for (size_t block = 0; block < i->blocks; block++)
        starfish_coefficient_table_destroy(&i->result[block]);
    starfish_workspace_destroy(&i->workspace);
    starfish_progress_destroy(&i->progress);
    free(i);
    return status;
}

/* The wanted rows of A^power; its values are of no use. */
static starfish_status raise_pattern(const struct starfish_csr *a, int power, const unsigned char *rows,
                                     struct starfish_csr *pattern)
{
    STARFISH_TRY(starfish_csr_rows(a, 0, a->rows, pattern));
    starfish_csr_keep_rows(pattern, rows);
    for (int k = 1; k < power; k++) {
        struct starfish_csr next = {.rows = 0};
        const starfish_status status = starfish_csr_product(pattern, NULL, a, &next);
        starfish_csr_destroy(pattern);
        *pattern = next;
        STARFISH_TRY(status);
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_spai(struct starfish_context *context, const struct starfish_csr *a, int power,
                              const unsigned char *rows, struct starfish_csr *m)
{
    STARFISH_TRY(raise_pattern(a, power, rows, m));
    return a->rows > 0 ? invert(context, a, 0, m) : STARFISH_SUCCESS;
}

static starfish_status square(const struct starfish_csr *g, struct starfish_csr *m)
{
    struct starfish_csr transposed;

    STARFISH_TRY(starfish_csr_transpose(g, &transposed));
    const starfish_status status = starfish_csr_product(&transposed, NULL, g, m);
    starfish_csr_destroy(&transposed);
    return status;
}

starfish_status starfish_fsai(struct starfish_context *context, const struct starfish_csr *a, int power,
                              const unsigned char *rows, struct starfish_csr *m)
{
    struct starfish_csr pattern, g = {.rows = 0};

    *m = (struct starfish_csr){.rows = 0};
    starfish_status status = raise_pattern(a, power, rows, &pattern);
    STARFISH_THEN(status, starfish_csr_lower(&pattern, &g));
    starfish_csr_destroy(&pattern);
    if (status == STARFISH_SUCCESS && a->rows > 0)
        status = invert(context, a, 1, &g);
    STARFISH_THEN(status, square(&g, m));
    starfish_csr_destroy(&g);
    return status;
}
