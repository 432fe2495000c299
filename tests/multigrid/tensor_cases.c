/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels on sums of tensor products. Results are NaN before and lie between guard zones. */
#include "tests/multigrid/tensor_cases.h"

#include "tests/common/reals.h"
#include "tests/multigrid/q1_matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct test_tensor_device *tested;

static double tolerance(const struct test_matrix *m)
{
    return 128 * test_real_epsilon(m->precision);
}

static void *fetch(const void *there, size_t bytes)
{
    void *here = malloc(bytes > 0 ? bytes : 1);

    tested->memory->download(here, there, bytes);
    return here;
}

static const void *upload(const struct test_matrix *m, const void *vector)
{
    return tested->memory->upload(vector, m->n[0] * m->n[1] * starfish_real_size(m->precision));
}

/* Some rows and columns of the grid, or all. */
static struct starfish_rectangle part_of(const struct test_matrix *m, int part)
{
    if (!part)
        return (struct starfish_rectangle){0, m->n[0], 0, m->n[1]};
    return (struct starfish_rectangle){m->n[0] / 3, m->n[0] - m->n[0] / 4, m->n[1] / 4, m->n[1] - m->n[1] / 3};
}

static void expect(const struct test_matrix *m, const char *what, size_t i, size_t j, double got, double expected)
{
    if (!(fabs(got - expected) <= tolerance(m) * (8 + fabs(expected))))
        fail_msg("%s of %zu x %zu at (%zu, %zu): %.17g, not %.17g", what, m->n[0], m->n[1], i, j, got, expected);
}

static void check_residual(const struct test_matrix *m, int with_u, int with_f, int part)
{
    const struct starfish_rectangle at = part_of(m, part);
    const size_t pitch = at.x1 - at.x0 + 3, size = starfish_real_size(m->precision), rows = at.y1 - at.y0;
    double expected = 0, got = 0;
    const struct starfish_band_residual a = {
        .matrix = m->there,
        .at = at,
        .u = with_u ? upload(m, m->u) : NULL,
        .f = with_f ? upload(m, m->f) : NULL,
        .result = tested->memory->upload(NULL, pitch * rows * size),
        .diag = tested->columns[0] ? tested->memory->upload(NULL, pitch * rows * size) : NULL,
        .pitch = pitch,
        .sums = tested->memory->upload(NULL, STARFISH_SUMS * sizeof(double))};

    tested->residual[m->precision](&a);
    void *result = fetch(a.result, pitch * rows * size), *diag = a.diag ? fetch(a.diag, pitch * rows * size) : NULL;
    double *sums = fetch(a.sums, STARFISH_SUMS * sizeof *sums);
    for (size_t j = at.y0; j < at.y1; j++)
        for (size_t i = at.x0; i < at.x1; i++) {
            const size_t e = i - at.x0 + (j - at.y0) * pitch;
            const double value =
                starfish_band_ref_residual(&m->ref, with_u ? m->ref_u : NULL, with_f ? m->ref_f : NULL, i, j);
            expect(m, "residual", i, j, test_real_get(result, m->precision, e), value);
            if (diag)
                expect(m, "diagonal", i, j, test_real_get(diag, m->precision, e),
                       starfish_band_ref_entry(&m->ref, i, j, 0, 0));
            expected += value * value;
        }
    for (size_t k = 0; k < STARFISH_SUMS; k++)
        got += sums[k];
    assert_true(fabs(got - expected) <= 8 * tolerance(m) * (1 + (double)(rows * pitch) + expected));
    free(result);
    free(diag);
    free(sums);
}

static void check_jacobi(const struct test_matrix *m, int with_u, int part)
{
    const struct starfish_rectangle at = part_of(m, part);
    const size_t bytes = m->n[0] * m->n[1] * starfish_real_size(m->precision);
    const struct starfish_band_jacobi a = {.matrix = m->there,
                                           .at = at,
                                           .damping = 0.7,
                                           .u = with_u ? upload(m, m->u) : NULL,
                                           .f = upload(m, m->f),
                                           .v = tested->memory->upload(NULL, bytes)};

    tested->jacobi[m->precision](&a);
    void *v = fetch(a.v, bytes);
    for (size_t j = 0; j < m->n[1]; j++)
        for (size_t i = 0; i < m->n[0]; i++) {
            const size_t e = i + j * m->n[0];
            const double got = test_real_get(v, m->precision, e);
            if (i < at.x0 || i >= at.x1 || j < at.y0 || j >= at.y1) {
                assert_true(isnan(got));
                continue;
            }
            expect(m, "Jacobi step", i, j, got,
                   (with_u ? test_real_get(m->u, m->precision, e) : 0) +
                       0.7 * starfish_band_ref_residual(&m->ref, with_u ? m->ref_u : NULL, m->ref_f, i, j) /
                           starfish_band_ref_entry(&m->ref, i, j, 0, 0));
        }
    free(v);
}

/* T x = residual is what is checked of a step by columns: x is the correction over the damping. */
static void check_columns(const struct test_matrix *m, int with_u)
{
    const size_t nx = m->n[0], ny = m->n[1], size = starfish_real_size(m->precision);
    const struct starfish_band_columns a = {
        .matrix = m->there,
        .at = {nx / 3, nx, 0, ny},
        .damping = 0.5,
        .u = with_u ? upload(m, m->u) : NULL,
        .f = upload(m, m->f),
        .v = tested->memory->upload(NULL, nx * ny * size),
        .work = tested->memory->upload(NULL, starfish_band_columns_work(nx - nx / 3, ny) * size)};

    tested->columns[m->precision](&a);
    void *v = fetch(a.v, nx * ny * size);
    for (size_t i = nx / 3; i < nx; i++)
        for (size_t j = 0; j < ny; j++) {
            double product = 0;
            for (int dy = -1; dy <= 1; dy++) {
                if ((dy < 0 && j == 0) || (dy > 0 && j + 1 == ny))
                    continue;
                const size_t e = i + (size_t)((long)j + dy) * nx;
                const double before = with_u ? test_real_get(m->u, m->precision, e) : 0;
                product +=
                    starfish_band_ref_entry(&m->ref, i, j, 0, dy) * (test_real_get(v, m->precision, e) - before) / 0.5;
            }
            expect(m, "columns", i, j, product,
                   starfish_band_ref_residual(&m->ref, with_u ? m->ref_u : NULL, m->ref_f, i, j));
        }
    free(v);
}

static void check_lower(const struct test_matrix *m)
{
    const size_t nx = m->n[0], pitch = nx + 2, size = starfish_real_size(m->precision);
    const struct starfish_tensor_lower a = {.matrix = m->there,
                                            .at = {0, nx, m->n[1] / 3, m->n[1]},
                                            .lower = tested->memory->upload(NULL, pitch * m->n[1] * size),
                                            .pitch = pitch};

    tested->lower[m->precision](&a);
    void *lower = fetch(a.lower, pitch * m->n[1] * size);
    for (size_t j = a.at.y0; j < a.at.y1; j++)
        for (size_t i = 0; i < nx; i++)
            expect(m, "coupling", i, j, test_real_get(lower, m->precision, i + (j - a.at.y0) * pitch),
                   starfish_band_ref_entry(&m->ref, i, j, -1, 0));
    free(lower);
}

static void check_all(const struct test_matrix *m)
{
    for (int way = 0; way < 4; way++) {
        check_residual(m, way % 2, 1, way / 2);
        check_jacobi(m, way % 2, way / 2);
    }
    for (int part = 0; part < 2; part++)
        check_residual(m, 1, 0, part);
    for (int with_u = 0; with_u < 2 && tested->columns[0]; with_u++)
        check_columns(m, with_u);
    if (tested->lower[0])
        check_lower(m);
}

static void every_size(void **state)
{
    static const size_t sizes[][2] = {{1, 1},  {1, 5},  {5, 1},    {2, 2},   {3, 7},
                                      {17, 9}, {64, 3}, {511, 12}, {513, 5}, {1100, 4}};

    (void)state;
    for (size_t s = 0; s < 2 * sizeof sizes / sizeof sizes[0]; s++) {
        struct test_matrix m;
        test_matrix_make(&m, tested->memory, s % 2 ? STARFISH_F64 : STARFISH_F32, sizes[s / 2][0], sizes[s / 2][1], 1);
        check_all(&m);
        test_matrix_free(&m, tested->memory);
    }
}

int test_tensor_kernels(const struct test_tensor_device *device)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_size)};

    tested = device;
    return cmocka_run_group_tests_name(device->memory->name, tests, NULL, NULL);
}
