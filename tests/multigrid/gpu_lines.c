/* Line steps on CUDA against their naive reference: the residual entry by entry, lines by Thomas' algorithm in f64.
 * Matrices of random bands and of tensor products of random elements; lengths around those of chunks, parts and
 * clusters. Exit status 77 without a device. */
#include "multigrid/kernels/lines.h"
#include "tests/common/reals.h"
#include "tests/multigrid/q1_matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>

static void check_lines(const struct test_matrix *g, int direction, int with_u, const void *v)
{
    const size_t n = g->n[direction], lines = g->n[1 - direction];
    const double damping = 0.7, tolerance = 256 * test_real_epsilon(g->precision);
    double *x = calloc(2 * n, sizeof *x);

    for (size_t line = 0; line < lines; line++) {
        starfish_band_ref_line(&g->ref, direction, line, with_u ? g->ref_u : NULL, g->ref_f, x, x + n);
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

static void check_step(const struct test_matrix *g, int direction, int with_u)
{
    static int (*const kernel[2])(const struct starfish_band_lines *,
                                  struct CUstream_st *) = {starfish_band_lines_cuda_f32, starfish_band_lines_cuda_f64};
    const size_t size = starfish_real_size(g->precision), bytes = g->n[0] * g->n[1] * size,
                 work = starfish_band_lines_work(g->n[0], g->n[1], size);
    const size_t lines = g->n[1 - direction], cut = lines / 3;
    struct starfish_band_lines arguments = {.matrix = g->there,
                                            .direction = direction,
                                            .damping = 0.7,
                                            .u = with_u ? test_cuda_memory.upload(g->u, bytes) : NULL,
                                            .f = test_cuda_memory.upload(g->f, bytes),
                                            .work = test_cuda_memory.upload(NULL, work),
                                            .v = test_cuda_memory.upload(NULL, bytes)};
    void *v = malloc(bytes);

    /* Whole, and in two parts, one of which may be empty. */
    for (int part = 0; part < 3; part++) {
        arguments.first = part == 2 ? cut : 0;
        arguments.last = part == 1 ? cut : lines;
        test_cuda_check(kernel[g->precision](&arguments, NULL));
        test_cuda_check(cudaDeviceSynchronize());
        if (part == 1)
            continue;
        test_cuda_memory.download(v, arguments.v, bytes);
        check_lines(g, direction, with_u, v);
        test_cuda_check(cudaMemset(arguments.v, 0xff, part == 0 ? bytes : 0));
    }
    free(v);
}

static void test_sizes(const size_t (*size)[2], size_t count)
{
    for (size_t s = 0; s < 4 * count; s++) {
        struct test_matrix grid;
        test_matrix_make(&grid, &test_cuda_memory, s % 2 ? STARFISH_F64 : STARFISH_F32, size[s / 4][0], size[s / 4][1],
                         (int)(s / 2 % 2));
        for (int c = 0; c < 4; c++)
            check_step(&grid, c % 2, c / 2);
        test_matrix_free(&grid, &test_cuda_memory);
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
