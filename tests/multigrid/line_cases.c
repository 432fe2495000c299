/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Line steps of Q1 grids, of all lines and of every second one, against their naive reference: the residual entry by
 * entry, lines by Thomas' algorithm in f64. Matrices of random bands and of tensor products of random elements; lengths
 * around those of the chunks and parts into which lines are cut. */
#include "tests/multigrid/line_cases.h"

#include "multigrid/kernels/lines.h"
#include "multigrid/kernels/q1_kind.h"
#include "tests/common/reals.h"
#include "tests/multigrid/q1_matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct test_memory *memory;
static int on_gpu;

/* A sweep, and what of it the reference needs. */
static const struct sweep {
    enum starfish_q1_sweep sweep;
    int direction;
    size_t first, stride; /* lines that are solved for: first, first + stride, ... */
} sweeps[] = {{STARFISH_Q1_LINES_X, 0, 0, 1},      {STARFISH_Q1_LINES_Y, 1, 0, 1},
              {STARFISH_Q1_EVEN_LINES_X, 0, 0, 2}, {STARFISH_Q1_ODD_LINES_X, 0, 1, 2},
              {STARFISH_Q1_EVEN_LINES_Y, 1, 0, 2}, {STARFISH_Q1_ODD_LINES_Y, 1, 1, 2}};

static const double damping = 0.7;

/* Of lines first .. last-1. */
static void check_lines(const struct test_matrix *g, const struct sweep *sweep, int with_u, size_t first, size_t last,
                        const void *v)
{
    const size_t n = g->n[sweep->direction];
    const double tolerance = 256 * test_real_epsilon(g->precision);
    double *x = calloc(2 * n, sizeof *x);

    for (size_t line = first; line < last; line++) {
        const double factor = line % sweep->stride == sweep->first ? damping : 0;
        starfish_band_ref_line(&g->ref, sweep->direction, line, with_u ? g->ref_u : NULL, g->ref_f, x, x + n);
        for (size_t k = 0; k < n; k++) {
            const size_t e = sweep->direction == 0 ? k + line * g->n[0] : line + k * g->n[0];
            const double before = with_u ? test_real_get(g->u, g->precision, e) : 0;
            const double expected = before + factor * x[k], got = test_real_get(v, g->precision, e);
            if (!(fabs(got - expected) <= (factor == 0 ? 0 : tolerance * (1 + fabs(expected)))))
                fail_msg("%s, %zu x %zu, sweep %d, line %zu, unknown %zu: %.17g, not %.17g",
                         g->tensor ? "tensor" : "stored", g->n[0], g->n[1], (int)sweep->sweep, line, k, got, expected);
        }
    }
    free(x);
}

/* The table of the grid's kind, where steps run. */
static void *upload_table(const struct test_matrix *g)
{
    const size_t size = starfish_real_size(g->precision);
    char *table = malloc(2 * (g->n[0] + g->n[1] + 2) * size);
    size_t next = 0;

    for (int d = 0; d < 2 && g->tensor; d++)
        for (int k = 0; k < 2; k++) {
            memcpy(table + next, g->axis[d][k], (g->n[d] + 1) * size);
            next += (g->n[d] + 1) * size;
        }
    void *there = g->tensor ? memory->upload(table, next)
                            : memory->upload(g->table, starfish_band_table_start(g->n[0], g->n[1], 5) * size);
    free(table);
    return there;
}

static void check_step(const struct test_matrix *g, const struct sweep *sweep, int with_u)
{
    const struct starfish_q1_shape shape = {
        .n = {g->n[0], g->n[1]}, .tensor = g->tensor, .reaction = g->there.reaction};
    const struct starfish_smoothing smoothing = {.smoother = STARFISH_SMOOTHER_ZEBRA};
    const size_t bytes = g->n[0] * g->n[1] * starfish_real_size(g->precision);
    const size_t lines = g->n[1 - sweep->direction], cut = lines / 3;
    const struct starfish_place place = {
        .precision = g->precision,
        .gpu = on_gpu,
        .work = memory->upload(NULL, starfish_grid_work(&starfish_q1_kind, &smoothing, &shape, g->precision, on_gpu))};
    struct starfish_grid_step step = {.shape = &shape,
                                      .table = upload_table(g),
                                      .sweep = (int)sweep->sweep,
                                      .damping = damping,
                                      .u = with_u ? memory->upload(g->u, bytes) : NULL,
                                      .f = memory->upload(g->f, bytes)};
    void *v = malloc(bytes);

    /* Whole, and the two parts of a cut, of which the first may be empty. */
    for (int part = 0; part < 3; part++) {
        const size_t first = part == 2 ? cut : 0, last = part == 1 ? cut : lines;
        if (first == last)
            continue;
        step.at = sweep->direction == 0 ? (struct starfish_rectangle){0, g->n[0], first, last}
                                        : (struct starfish_rectangle){first, last, 0, g->n[1]};
        step.result = memory->upload(NULL, bytes);
        assert_int_equal(starfish_q1_kind.compute[STARFISH_GRID_SMOOTH](&place, &step), 0);
        memory->download(v, step.result, bytes);
        check_lines(g, sweep, with_u, first, last, v);
    }
    free(v);
}

static void test_sizes(const size_t (*size)[2], size_t count)
{
    for (size_t s = 0; s < 4 * count; s++) {
        struct test_matrix grid;
        for (size_t c = 0; c < 2 * sizeof sweeps / sizeof sweeps[0]; c++) {
            test_matrix_make(&grid, memory, s % 2 ? STARFISH_F64 : STARFISH_F32, size[s / 4][0], size[s / 4][1],
                             (int)(s / 2 % 2));
            check_step(&grid, &sweeps[c / 2], (int)(c % 2));
            test_matrix_free(&grid, memory);
        }
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

int test_multigrid_lines(const struct test_memory *given_memory, int gpu)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_many)};

    memory = given_memory;
    on_gpu = gpu;
    /* a core solves a line as one, however long */
    return gpu ? cmocka_run_group_tests_name("line steps", tests, NULL, NULL)
               : _cmocka_run_group_tests("line steps", tests, 1, NULL, NULL);
}
