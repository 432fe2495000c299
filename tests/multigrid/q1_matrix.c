/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 matrices of random bands and of tensor products of random elements, on a device and for the naive references. */
#include "tests/multigrid/q1_matrix.h"

#include "tests/common/reals.h"

#include <stdlib.h>

static const int ahead[5][2] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}; /* row sums, E NW N NE */

static int inside(const struct test_matrix *g, long i, long j)
{
    return i >= 0 && j >= 0 && i < (long)g->n[0] && j < (long)g->n[1];
}

/* Off-diagonal entries mostly negative, row sums that leave the diagonal larger than their sum. */
static void fill_table(struct test_matrix *g, unsigned *seed)
{
    const size_t count = g->n[0] * g->n[1];

    g->table = calloc(starfish_band_table_start(g->n[0], g->n[1], 5), sizeof(double));
    for (size_t b = 0; b < 5; b++)
        for (size_t e = 0; e < count; e++)
            if (inside(g, (long)(e % g->n[0]) + ahead[b][0], (long)(e / g->n[0]) + ahead[b][1]))
                test_real_put(g->table, g->precision, starfish_band_table_start(g->n[0], g->n[1], b) + e,
                              b == 0 ? 2.5 + test_real_random(seed) : 0.25 * test_real_random(seed) - 0.5);
}

/* Elements of widths 0.5 .. 1.5; the first direction begins with a Neumann end, all others are Dirichlet ones. */
static void fill_axis(struct test_matrix *g, int d, unsigned *seed)
{
    for (int k = 0; k < 2; k++)
        g->axis[d][k] = calloc(g->n[d] + 1, sizeof(double));
    for (size_t i = 0; i <= g->n[d]; i++) {
        const double width = 1 + 0.5 * test_real_random(seed);
        const int outside = d == 0 && i == 0;
        test_real_put(g->axis[d][0], g->precision, i, outside ? 0 : width);
        test_real_put(g->axis[d][1], g->precision, i, outside ? 0 : 1 / width);
    }
}

void test_matrix_make(struct test_matrix *g, const struct test_memory *memory, starfish_precision precision, size_t nx,
                      size_t ny, int tensor)
{
    const size_t size = starfish_real_size(precision);
    unsigned seed = (unsigned)(nx * 31 + ny);

    *g = (struct test_matrix){.precision = precision, .n = {nx, ny}, .tensor = tensor};
    g->u = test_reals(precision, nx * ny, &seed);
    g->f = test_reals(precision, nx * ny, &seed);
    g->ref_u = test_doubles(precision, g->u, nx * ny);
    g->ref_f = test_doubles(precision, g->f, nx * ny);
    g->ref = (struct starfish_band_ref){.n = {nx, ny}, .reaction = tensor ? 0.75 : 0};
    if (!tensor) {
        fill_table(g, &seed);
        g->ref.table = g->values[0] = test_doubles(precision, g->table, starfish_band_table_start(nx, ny, 5));
        g->there = starfish_band_table_point(
            nx, ny, memory->upload(g->table, starfish_band_table_start(nx, ny, 5) * size), size);
        return;
    }
    g->there = (struct starfish_band_matrix){.nx = nx, .ny = ny, .reaction = g->ref.reaction};
    for (int d = 0; d < 2; d++) {
        fill_axis(g, d, &seed);
        g->ref.width[d] = g->values[2 * d] = test_doubles(precision, g->axis[d][0], g->n[d] + 1);
        g->ref.inverse[d] = g->values[2 * d + 1] = test_doubles(precision, g->axis[d][1], g->n[d] + 1);
        g->there.axis[d].width = memory->upload(g->axis[d][0], (g->n[d] + 1) * size);
        g->there.axis[d].inverse = memory->upload(g->axis[d][1], (g->n[d] + 1) * size);
    }
}

void test_matrix_free(struct test_matrix *g, const struct test_memory *memory)
{
    memory->release();
    free(g->table);
    free(g->u);
    free(g->f);
    free(g->ref_u);
    free(g->ref_f);
    for (int v = 0; v < 4; v++)
        free(g->values[v]);
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 2; k++)
            free(g->axis[d][k]);
}
