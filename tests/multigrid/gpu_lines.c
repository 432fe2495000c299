/* Line steps on CUDA against their definition: the defect entry by entry, lines by Thomas' algorithm in double. Matrices of random
 * bands and of tensor products of random elements; lengths around those of chunks, parts and clusters. Exit status 77 without a device. */
#include "multigrid/kernels/lines.h"
#include "tests/common/memory.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>

/* A matrix as the function of its entries, and what the kernel is given. */
struct grid {
    starfish_precision precision;
    size_t n[2];
    int tensor;
    void *table, *axis[2][2]; /* [direction][width, inverse] */
    void *u, *f;
    struct starfish_band_matrix there;
};

static const int ahead[5][2] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}; /* sum E NW N NE */

static int inside(const struct grid *g, long i, long j)
{
    return i >= 0 && j >= 0 && i < (long)g->n[0] && j < (long)g->n[1];
}

static double table_entry(const struct grid *g, int b, size_t e)
{
    return test_real_get(g->table, g->precision, starfish_band_table_start(g->n[0], g->n[1], (size_t)b) + e);
}

/* Entry of unknowns (i,j) and (i + dx, j + dy) of the bands, not both 0. */
static double beside(const struct grid *g, long i, long j, int dx, int dy)
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
static void axis_entry(const struct grid *g, int d, size_t i, int dx, double *stiffness, double *mass)
{
    double w[2], inverse[2];

    for (size_t k = 0; k < 2; k++) {
        w[k] = test_real_get(g->axis[d][0], g->precision, i + k);
        inverse[k] = test_real_get(g->axis[d][1], g->precision, i + k);
    }
    *stiffness = dx == 0 ? inverse[0] + inverse[1] : -inverse[dx > 0];
    *mass = dx == 0 ? (w[0] + w[1]) / 3 : w[dx > 0] / 6;
}

static double entry(const struct grid *g, long i, long j, int dx, int dy)
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
static void fill_table(struct grid *g, unsigned *seed)
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
static void fill_axis(struct grid *g, int d, unsigned *seed)
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

static void make_grid(struct grid *g, starfish_precision precision, size_t nx, size_t ny, int tensor)
{
    const size_t size = starfish_real_size(precision);
    unsigned seed = (unsigned)(nx * 31 + ny);

    *g = (struct grid){.precision = precision, .n = {nx, ny}, .tensor = tensor};
    g->u = test_reals(precision, nx * ny, &seed);
    g->f = test_reals(precision, nx * ny, &seed);
    if (!tensor) {
        fill_table(g, &seed);
        g->there = starfish_band_table_point(
            nx, ny, test_cuda_memory.upload(g->table, starfish_band_table_start(nx, ny, 5) * size), size);
        return;
    }
    g->there = (struct starfish_band_matrix){.nx = nx, .ny = ny, .reaction = 0.75};
    for (int d = 0; d < 2; d++) {
        fill_axis(g, d, &seed);
        g->there.axis[d].width = test_cuda_memory.upload(g->axis[d][0], (g->n[d] + 1) * size);
        g->there.axis[d].inverse = test_cuda_memory.upload(g->axis[d][1], (g->n[d] + 1) * size);
    }
}

static void free_grid(struct grid *g)
{
    test_cuda_memory.release();
    free(g->table);
    free(g->u);
    free(g->f);
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 2; k++)
            free(g->axis[d][k]);
}

static double defect(const struct grid *g, int with_u, long i, long j)
{
    double value = test_real_get(g->f, g->precision, (size_t)(i + j * (long)g->n[0]));

    for (int k = 0; with_u && k < 9; k++)
        if (inside(g, i + k % 3 - 1, j + k / 3 - 1))
            value -= entry(g, i, j, k % 3 - 1, k / 3 - 1) *
                     test_real_get(g->u, g->precision, (size_t)(i + k % 3 - 1 + (j + k / 3 - 1) * (long)g->n[0]));
    return value;
}

/* x of a line by Thomas' algorithm. */
static void naive_line(const struct grid *g, int direction, int with_u, long line, double *x)
{
    const long n = (long)g->n[direction];
    const int dx = direction == 0, dy = direction == 1;
    double *upper = calloc((size_t)n, sizeof *upper);

    for (long k = 0; k < n; k++) {
        const long i = dx ? k : line, j = dx ? line : k;
        const double lower = k > 0 ? entry(g, i, j, -dx, -dy) : 0;
        const double pivot = entry(g, i, j, 0, 0) - (k > 0 ? lower * upper[k - 1] : 0);
        upper[k] = entry(g, i, j, dx, dy) / pivot;
        x[k] = (defect(g, with_u, i, j) - (k > 0 ? lower * x[k - 1] : 0)) / pivot;
    }
    for (long k = n - 2; k >= 0; k--)
        x[k] -= upper[k] * x[k + 1];
    free(upper);
}

static void check_lines(const struct grid *g, int direction, int with_u, const void *v)
{
    const size_t n = g->n[direction], lines = g->n[1 - direction];
    const double damping = 0.7, tolerance = 256 * test_real_epsilon(g->precision);
    double *x = calloc(n, sizeof *x);

    for (size_t line = 0; line < lines; line++) {
        naive_line(g, direction, with_u, (long)line, x);
        for (size_t k = 0; k < n; k++) {
            const size_t e = direction == 0 ? k + line * g->n[0] : line + k * g->n[0];
            const double before = with_u ? test_real_get(g->u, g->precision, e) : 0;
            const double expected = before + damping * x[k], got = test_real_get(v, g->precision, e);
            if (!(fabs(got - expected) <= tolerance * (1 + fabs(expected))))
                fail_msg("%s, %zu x %zu, direction %d, line %zu, unknown %zu: %.17g, not %.17g",
                         g->tensor ? "tensor" : "stored", g->n[0], g->n[1], direction, line, k, got, expected);
        }
    }
    free(x);
}

static void check_step(const struct grid *g, int direction, int with_u)
{
    static int (*const kernel[2])(const struct starfish_band_lines *,
                                  struct CUstream_st *) = {starfish_band_lines_cuda_f32, starfish_band_lines_cuda_f64};
    const size_t size = starfish_real_size(g->precision), bytes = g->n[0] * g->n[1] * size,
                 work = starfish_band_lines_work(g->n[0], g->n[1], size);
    const struct starfish_band_lines arguments = {.matrix = g->there,
                                                  .direction = direction,
                                                  .damping = 0.7,
                                                  .u = with_u ? test_cuda_memory.upload(g->u, bytes) : NULL,
                                                  .f = test_cuda_memory.upload(g->f, bytes),
                                                  .work = test_cuda_memory.upload(NULL, work),
                                                  .v = test_cuda_memory.upload(NULL, bytes)};
    void *v = malloc(bytes);

    test_cuda_check(kernel[g->precision](&arguments, NULL));
    test_cuda_check(cudaDeviceSynchronize());
    test_cuda_memory.download(v, arguments.v, bytes);
    check_lines(g, direction, with_u, v);
    free(v);
}

static void test_sizes(const size_t (*size)[2], size_t count)
{
    for (size_t s = 0; s < 4 * count; s++) {
        struct grid grid;
        make_grid(&grid, s % 2 ? STARFISH_F64 : STARFISH_F32, size[s / 4][0], size[s / 4][1], (int)(s / 2 % 2));
        for (int c = 0; c < 4; c++)
            check_step(&grid, c % 2, c / 2);
        free_grid(&grid);
    }
}

static void test_small(void **state)
{
    static const size_t size[][2] = {{1, 1},   {1, 7},   {7, 1},    {2, 2},    {3, 5},    {4, 4},    {33, 5},
                                     {5, 129}, {127, 9}, {128, 17}, {129, 33}, {40, 257}, {255, 255}};

    (void)state;
    test_sizes(size, sizeof size / sizeof size[0]);
}

/* Lines of many parts. */
static void test_long(void **state)
{
    static const size_t size[][2] = {{512, 3},
                                     {513, 2},
                                     {3, 512},
                                     {3, 513},
                                     {1023, 5},
                                     {5, 1023},
                                     {5, 1025},
                                     {2047, 2},
                                     {17, 2047},
                                     {4095, 3},
                                     {33, 4095},
                                     {4097, 2},
                                     {2, 4097},
                                     {STARFISH_BAND_LINES_MOST, 2},
                                     {2, STARFISH_BAND_LINES_MOST}};

    (void)state;
    test_sizes(size, sizeof size / sizeof size[0]);
}

/* More lines than a device has blocks at a time. */
static void test_many(void **state)
{
    static const size_t size[][2] = {{67, 2500}, {2500, 67}};

    (void)state;
    test_sizes(size, getenv("STARFISH_TEST_SMALL") ? 0 : sizeof size / sizeof size[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_many)};

    return test_cuda_devices() > 0 ? cmocka_run_group_tests_name("line steps", tests, NULL, NULL) : 77;
}
