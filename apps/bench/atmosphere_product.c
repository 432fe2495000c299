/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with the matrix of a flat domain on a GPU. Ours stores no array of the size of a field; cuSPARSE's uses
 * compressed rows, as in the comparison of Mueller et al. Memory-bound: 2 words per unknown; with 7 entries of 12
 * bytes, 11 words more. */
#include "apps/bench/atmosphere.h"

#include "apps/plans/arrays.h"
#include "bench/peer_lines.h"
#include "bench/peer_spmv.h"
#include "bench/peers.h"
#include "multigrid/kernels/flat_kind.h"

#include <math.h>
#include <stdlib.h>

enum { AT_ONCE = 5, MOST_ENTRIES = 9 };

/* Compressed rows, in the order of the grid's arrays. */
struct rows {
    size_t n, entries;
    int *start, *column;
    double *value;
};

static void add(struct rows *rows, size_t column, double value)
{
    rows->column[rows->entries] = (int)column;
    rows->value[rows->entries++] = value;
}

/* The coupling with column (i + x, j + y), 0 where there is none. */
static double coupling(const struct starfish_flat_problem *m, size_t i, size_t j, int x, int y)
{
    const size_t nx = m->n[0], ny = m->n[1];

    if ((x < 0 && i == 0) || (y < 0 && j == 0) || (x > 0 && i + 1 == nx) || (y > 0 && j + 1 == ny))
        return 0;
    if (x != 0 && y != 0) {
        const double q = m->corner ? m->corner[i + (x > 0) + (nx + 1) * (j + (y > 0))] : 0;
        return fmax(x == y ? q : -q, 0);
    }
    return x != 0 ? m->face_x[i + (x > 0) + (nx + 1) * j] : m->face_y[i + nx * (j + (y > 0))];
}

/* The sum of a column's couplings, with the sides' and its corners'. */
static double couplings(const struct starfish_flat_problem *m, size_t i, size_t j)
{
    const size_t nx = m->n[0];
    double sum = m->face_x[i + (nx + 1) * j] + m->face_x[i + 1 + (nx + 1) * j] + m->face_y[i + nx * j] +
                 m->face_y[i + nx * (j + 1)];

    for (int side = 0; side < 4; side++)
        sum += coupling(m, i, j, side % 2 ? 1 : -1, side / 2 ? 1 : -1);
    return sum;
}

static void add_row(struct rows *rows, const struct starfish_flat_problem *m, size_t i, size_t j, size_t k)
{
    const size_t nx = m->n[0], nz = m->n[2], here = i + nx * (k + nz * j), column = i + nx * j;
    const double b = m->lift[column] * m->b[k], c = m->lift[column] * m->c[k];

    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            if (x == 0 && y == 0) {
                if (k > 0)
                    add(rows, here - nx, -b);
                add(rows, here, m->mass[column] * m->a[k] + b + c + m->d[k] * couplings(m, i, j));
                if (k + 1 < nz)
                    add(rows, here + nx, -c);
                continue;
            }
            const double across = coupling(m, i, j, x, y);
            if (across > 0)
                add(rows, (size_t)((ptrdiff_t)here + x + y * (ptrdiff_t)(nx * nz)), -m->d[k] * across);
        }
}

static int make_rows(struct rows *rows, const struct starfish_flat_problem *m)
{
    const size_t n = m->n[0] * m->n[1] * m->n[2], most = (m->corner ? MOST_ENTRIES : 7) * n;

    *rows = (struct rows){.n = n,
                          .start = malloc((n + 1) * sizeof(int)),
                          .column = malloc(most * sizeof(int)),
                          .value = malloc(most * sizeof(double))};
    if (!rows->start || !rows->column || !rows->value || most >= (size_t)1 << 31)
        return 0;
    for (size_t j = 0; j < m->n[1]; j++)
        for (size_t k = 0; k < m->n[2]; k++)
            for (size_t i = 0; i < m->n[0]; i++) {
                rows->start[i + m->n[0] * (k + m->n[2] * j)] = (int)rows->entries;
                add_row(rows, m, i, j, k);
            }
    rows->start[n] = (int)rows->entries;
    return 1;
}

/* ---- On a device ------------------------------------------------------------------------------------------------- */

static void *upload(const void *values, size_t bytes)
{
    return solve_memory(NULL, SOLVE_DEVICE, bytes, values);
}

struct product {
    struct starfish_place place;
    struct starfish_grid_step step;
};

static int launch(void *data, struct CUstream_st *stream)
{
    struct product *product = data;

    product->place.stream = stream;
    return starfish_flat_kind.compute[STARFISH_GRID_RESIDUAL](&product->place, &product->step);
}

static void add_result(struct bench *bench, const char *who, const struct starfish_flat_problem *m, double words,
                       double *seconds, int count)
{
    const double unknowns = (double)(m->n[0] * m->n[1] * m->n[2]);

    bench_row(bench, who, bench_name("%zu x %zu x %zu: product, %s", m->n[0], m->n[1], m->n[2], who), seconds,
              (size_t)count, 8 * words * unknowns);
}

static void time_ours(struct bench *bench, const struct starfish_flat_problem *m, const void *x, void *y)
{
    struct starfish_flat_shape shape = {
        .n = {m->n[0], m->n[1], m->n[2]}, .coarse = {m->n[0], m->n[1]}, .skew = m->corner != NULL};
    const size_t size = starfish_flat_table_entry(&shape, STARFISH_FLAT_ENTRIES);
    double *table = calloc(size, sizeof *table), seconds[BENCH_MOST_REPEATS];
    struct starfish_flat_grid grid;

    if (table && starfish_flat_grid_create(&grid, m) == STARFISH_SUCCESS) {
        starfish_flat_grid_fill(&grid, m, &shape, table);
        void *there = upload(table, size * sizeof *table);
        struct product product = {{.precision = STARFISH_F64, .gpu = 1},
                                  {.shape = &shape,
                                   .table = there,
                                   .at = starfish_grid_whole(&starfish_flat_kind, &shape),
                                   .u = x,
                                   .result = y}};
        const int count = there ? peer_device_time(launch, &product, AT_ONCE, (int)bench->repeat, seconds) : 0;
        if (count > 0)
            add_result(bench, "starfish", m, 2, seconds, count);
        peer_device_free(there);
        starfish_flat_grid_destroy(&grid);
    }
    free(table);
}

static void time_stored(struct bench *bench, const struct starfish_flat_problem *m, const void *x, void *y)
{
    double seconds[BENCH_MOST_REPEATS];
    struct rows rows;

    if (make_rows(&rows, m)) {
        void *const start = upload(rows.start, (rows.n + 1) * sizeof(int));
        void *const column = upload(rows.column, rows.entries * sizeof(int));
        void *const value = upload(rows.value, rows.entries * sizeof(double));
        const struct peer_spmv spmv = {.n = rows.n,
                                       .entries = rows.entries,
                                       .stored = rows.entries,
                                       .precision = STARFISH_F64,
                                       .start = start,
                                       .column = column,
                                       .value = value,
                                       .x = x,
                                       .y = y};
        const int count =
            start && column && value ? peer_cusparse_spmv(&spmv, AT_ONCE, (int)bench->repeat, seconds) : 0;
        if (count > 0)
            add_result(bench, "cuSPARSE", m, 2 + 1.5 * (double)rows.entries / (double)rows.n + 0.5, seconds, count);
        peer_device_free(start);
        peer_device_free(column);
        peer_device_free(value);
    }
    free(rows.start);
    free(rows.column);
    free(rows.value);
}

void bench_atmosphere_products(struct bench *bench, const struct starfish_flat_problem *m)
{
    const size_t n = m->n[0] * m->n[1] * m->n[2];
    double *values = malloc(n * sizeof *values);

    for (size_t e = 0; values && e < n; e++)
        values[e] = 1 + 0.25 * (double)(e % 7);
    void *const x = values ? upload(values, n * sizeof *values) : NULL;
    void *const y = values ? upload(values, n * sizeof *values) : NULL;
    free(values);
    if (x && y) {
        bench_announce("%zu x %zu x %zu: products with the matrix", m->n[0], m->n[1], m->n[2]);
        time_ours(bench, m, x, y);
        time_stored(bench, m, x, y);
    }
    peer_device_free(x);
    peer_device_free(y);
}
