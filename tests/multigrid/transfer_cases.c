/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers between two grids of Q1 multigrid, compared with sums over all entries of the prolongation. Arrays lie
 * between guard zones, and results are NaN before. */
#include "tests/common/reals.h"
#include "tests/multigrid/kernel_cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct test_multigrid_device *tested;

static void *fetch(const void *device, size_t count, size_t size)
{
    void *host = malloc(count > 0 ? count * size : 1);

    tested->memory->download(host, device, count * size);
    return host;
}

/* Sizes of a direction: elements 2^k and odd numbers, with and without unknowns at the ends. */
struct direction {
    size_t fine, coarse, stride, origin;
};
static const struct direction directions[] = {{1, 1, 1, 0}, {5, 5, 1, 0},   {3, 1, 2, 1},     {7, 3, 2, 1},
                                              {5, 3, 2, 0}, {4, 2, 2, 1},   {4, 3, 2, 0},     {6, 3, 2, 1},
                                              {2, 2, 2, 0}, {63, 31, 2, 1}, {1031, 515, 2, 1}};

struct transfer {
    starfish_precision precision;
    struct direction size[2];
    void *left[2], *right[2], *fine, *coarse;
    struct starfish_transfer_axis axis[2]; /* of the device */
};

/* The prolongation of one direction: how much of coarse unknown I there is in fine unknown i. */
static double entry(const struct transfer *t, int d, size_t i, size_t I)
{
    const size_t F = t->size[d].stride * I + t->size[d].origin;

    if (i == F)
        return 1;
    if (t->size[d].stride == 1)
        return 0;
    if (i + 1 == F)
        return test_real_get(t->left[d], t->precision, I);
    return i == F + 1 ? test_real_get(t->right[d], t->precision, I) : 0;
}

static void make_transfer(struct transfer *t, starfish_precision precision, struct direction x, struct direction y)
{
    const size_t size = starfish_real_size(precision);
    unsigned seed = (unsigned)(x.fine + 3 * y.fine);

    *t = (struct transfer){.precision = precision, .size = {x, y}};
    for (int d = 0; d < 2; d++) {
        const struct direction *n = &t->size[d];
        t->left[d] = test_reals(precision, n->coarse, &seed);
        t->right[d] = test_reals(precision, n->coarse, &seed);
        t->axis[d] = (struct starfish_transfer_axis){n->fine,
                                                     n->coarse,
                                                     n->stride,
                                                     n->origin,
                                                     tested->memory->upload(t->left[d], n->coarse * size),
                                                     tested->memory->upload(t->right[d], n->coarse * size)};
    }
    t->fine = test_reals(precision, x.fine * y.fine, &seed);
    t->coarse = test_reals(precision, x.coarse * y.coarse, &seed);
}

static void free_transfer(struct transfer *t)
{
    tested->memory->release();
    for (int d = 0; d < 2; d++) {
        free(t->left[d]);
        free(t->right[d]);
    }
    free(t->fine);
    free(t->coarse);
}

/* A rectangle's rows and columns, cut at thirds. */
static struct starfish_rectangle part_of(size_t nx, size_t ny, int whole)
{
    return whole ? (struct starfish_rectangle){0, nx, 0, ny}
                 : (struct starfish_rectangle){nx / 3, nx - nx / 4, ny / 3, ny - ny / 4};
}

static void check_restrict(const struct transfer *t, int whole)
{
    const size_t size = starfish_real_size(t->precision), nx = t->size[0].coarse, fx = t->size[0].fine;
    const struct starfish_rectangle at = part_of(nx, t->size[1].coarse, whole);
    size_t rows[2];

    starfish_transfer_fine(&t->axis[1], at.y0, at.y1, rows);
    const char *first = (const char *)t->fine + rows[0] * fx * size;
    const struct starfish_restrict a = {{t->axis[0], t->axis[1]},
                                        at,
                                        tested->memory->upload(first, (rows[1] - rows[0]) * fx * size),
                                        rows[0],
                                        tested->memory->upload(NULL, nx * t->size[1].coarse * size)};
    tested->restrict_residual[t->precision](&a);
    void *got = fetch(a.coarse, nx * t->size[1].coarse, size);
    for (size_t e = 0; e < nx * t->size[1].coarse; e++) {
        const size_t I = e % nx, J = e / nx;
        const double value = test_real_get(got, t->precision, e);
        double sum = 0;
        if (I < at.x0 || I >= at.x1 || J < at.y0 || J >= at.y1) {
            assert_true(isnan(value));
            continue;
        }
        for (size_t j = rows[0]; j < rows[1]; j++)
            for (size_t i = 2 * I > 2 ? I - 2 : 0; i < fx && i < 2 * I + 4; i++)
                sum += entry(t, 0, i, I) * entry(t, 1, j, J) * test_real_get(t->fine, t->precision, i + j * fx);
        assert_true(fabs(value - sum) <= 16 * test_real_epsilon(t->precision));
    }
    free(got);
}

static void check_prolong(const struct transfer *t, int whole, int zero)
{
    const size_t size = starfish_real_size(t->precision), nx = t->size[0].fine, cx = t->size[0].coarse;
    const size_t count = nx * t->size[1].fine;
    const struct starfish_rectangle at = part_of(nx, t->size[1].fine, whole);
    const struct starfish_prolong a = {{t->axis[0], t->axis[1]},
                                       at,
                                       zero,
                                       tested->memory->upload(t->coarse, cx * t->size[1].coarse * size),
                                       tested->memory->upload(zero ? NULL : t->fine, count * size)};
    if (nx == 0)
        fail();
    tested->prolong[t->precision](&a);
    void *got = fetch(a.u, count, size);
    for (size_t e = 0; e < count; e++) {
        const size_t i = e % nx, j = e / nx;
        const double value = test_real_get(got, t->precision, e), before = test_real_get(t->fine, t->precision, e);
        double sum = zero ? 0 : before;
        if (i < at.x0 || i >= at.x1 || j < at.y0 || j >= at.y1) {
            assert_true(zero ? isnan(value) : value == before);
            continue;
        }
        for (size_t J = j / 2 > 0 ? j / t->size[1].stride - 1 : 0; J < t->size[1].coarse && J <= j + 1; J++)
            for (size_t I = i / 2 > 0 ? i / t->size[0].stride - 1 : 0; I < cx && I <= i + 1; I++)
                sum += entry(t, 0, i, I) * entry(t, 1, j, J) * test_real_get(t->coarse, t->precision, I + J * cx);
        assert_true(fabs(value - sum) <= 16 * test_real_epsilon(t->precision));
    }
    free(got);
}

static void check_transfer(starfish_precision precision, struct direction x, struct direction y)
{
    struct transfer t;

    make_transfer(&t, precision, x, y);
    for (int whole = 0; whole < 2; whole++) {
        check_restrict(&t, whole);
        check_prolong(&t, whole, 0);
        check_prolong(&t, whole, 1);
    }
    free_transfer(&t);
}

static void transfers_are_as_written_out(void **state)
{
    (void)state;
    enum { COUNT = sizeof directions / sizeof directions[0] - 1 };
    for (int x = 0; x < COUNT; x++)
        for (int y = 0; y < COUNT; y++)
            check_transfer((starfish_precision)((x + y) % 2), directions[x], directions[y]);
    for (int precision = 0; precision < 2; precision++)
        check_transfer((starfish_precision)precision, directions[COUNT], directions[3]);
}

static void large_transfers_are_as_written_out(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++)
        check_transfer((starfish_precision)precision, directions[10], (struct direction){513, 256, 2, 1});
}

int test_transfer_kernels(const struct test_multigrid_device *device, int large_sizes)
{
    const struct CMUnitTest table[] = {cmocka_unit_test(transfers_are_as_written_out)};
    const struct CMUnitTest large[] = {cmocka_unit_test(large_transfers_are_as_written_out)};

    tested = device;
    const int failed = cmocka_run_group_tests_name("transfers", table, NULL, NULL);
    return failed + (large_sizes ? cmocka_run_group_tests_name("large transfers", large, NULL, NULL) : 0);
}
