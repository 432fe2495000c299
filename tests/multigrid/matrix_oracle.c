/* Matrices entry by entry, from their definitions. */
#include "tests/multigrid/matrix_oracle.h"

#include "tests/common/reals.h"

#include <math.h>
#include <stdlib.h>

static const int ahead[5][2] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}; /* sum E NW N NE */

static int inside(const struct test_matrix *g, long i, long j)
{
    return i >= 0 && j >= 0 && i < (long)g->n[0] && j < (long)g->n[1];
}

static double table_entry(const struct test_matrix *g, int b, size_t e)
{
    return test_real_get(g->table, g->precision, starfish_band_table_start(g->n[0], g->n[1], (size_t)b) + e);
}

/* Entry of unknowns (i,j) and (i + dx, j + dy) of the bands, not both 0. */
static double beside(const struct test_matrix *g, long i, long j, int dx, int dy)
{
    const int forward = dy > 0 || (dy == 0 && dx > 0);
    const size_t owner = forward ? (size_t)(i + j * (long)g->n[0]) : (size_t)(i + dx + (j + dy) * (long)g->n[0]);

    if (!inside(g, i + dx, j + dy))
        return 0;
    for (int b = 1; b < 5; b++)
        if (ahead[b][0] == (forward ? dx : -dx) && ahead[b][1] == (forward ? dy : -dy))
            return table_entry(g, b, owner);
    return NAN;
}

/* Entry (i, i + dx) of a direction's stiffness and mass matrices. */
static void axis_entry(const struct test_matrix *g, int d, size_t i, int dx, double *stiffness, double *mass)
{
    double w[2], inverse[2];

    for (size_t k = 0; k < 2; k++) {
        w[k] = test_real_get(g->axis[d][0], g->precision, i + k);
        inverse[k] = test_real_get(g->axis[d][1], g->precision, i + k);
    }
    *stiffness = dx == 0 ? inverse[0] + inverse[1] : -inverse[dx > 0];
    *mass = dx == 0 ? (w[0] + w[1]) / 3 : w[dx > 0] / 6;
}

double test_matrix_entry(const struct test_matrix *g, long i, long j, int dx, int dy)
{
    double s[2], m[2], sum = 0;

    if (!inside(g, i + dx, j + dy))
        return 0;
    if (g->tensor) {
        axis_entry(g, 0, (size_t)i, dx, &s[0], &m[0]);
        axis_entry(g, 1, (size_t)j, dy, &s[1], &m[1]);
        return s[0] * m[1] + m[0] * s[1] + g->there.reaction * m[0] * m[1];
    }
    if (dx != 0 || dy != 0)
        return beside(g, i, j, dx, dy);
    for (int k = 0; k < 9; k++)
        if (k != 4)
            sum += beside(g, i, j, k % 3 - 1, k / 3 - 1);
    return table_entry(g, 0, (size_t)(i + j * (long)g->n[0])) - sum;
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
    if (!tensor) {
        fill_table(g, &seed);
        g->there = starfish_band_table_point(
            nx, ny, memory->upload(g->table, starfish_band_table_start(nx, ny, 5) * size), size);
        return;
    }
    g->there = (struct starfish_band_matrix){.nx = nx, .ny = ny, .reaction = 0.75};
    for (int d = 0; d < 2; d++) {
        fill_axis(g, d, &seed);
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
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 2; k++)
            free(g->axis[d][k]);
}

double test_matrix_residual(const struct test_matrix *g, int with_u, long i, long j)
{
    double value = test_real_get(g->f, g->precision, (size_t)(i + j * (long)g->n[0]));

    for (int k = 0; with_u && k < 9; k++)
        if (inside(g, i + k % 3 - 1, j + k / 3 - 1))
            value -= test_matrix_entry(g, i, j, k % 3 - 1, k / 3 - 1) *
                     test_real_get(g->u, g->precision, (size_t)(i + k % 3 - 1 + (j + k / 3 - 1) * (long)g->n[0]));
    return value;
}
