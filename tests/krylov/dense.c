/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dense matrices as operators (krylov/operator.h): iterations are tested on them, with products by the host in
 * double. */
#include "tests/krylov/dense.h"

#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void acquire(const struct starfish_vector *v, enum starpu_data_access_mode mode)
{
    for (size_t part = 0; part < v->space->parts[1]; part++)
        assert_int_equal(starpu_data_acquire(v->piece[part], mode), 0);
}

static void release(const struct starfish_vector *v)
{
    for (size_t part = 0; part < v->space->parts[1]; part++)
        starpu_data_release(v->piece[part]);
}

void test_dense_get(const struct starfish_vector *v, double *values)
{
    acquire(v, STARPU_R);
    for (size_t i = 0; i < v->space->n[0] * v->space->n[1]; i++)
        values[i] = test_real_get(v->memory, v->precision, i);
    release(v);
}

void test_dense_put(const struct starfish_vector *v, const double *values)
{
    acquire(v, STARPU_W);
    for (size_t i = 0; i < v->space->n[0] * v->space->n[1]; i++)
        test_real_put(v->memory, v->precision, i, values[i]);
    release(v);
}

void test_dense_sum(const struct starfish_sums *sums, double sum)
{
    for (size_t part = 0; part < sums->parts; part++) {
        double *values = sums->part[part].memory;
        assert_int_equal(starpu_data_acquire(sums->part[part].handle, STARPU_W), 0);
        memset(values, 0, STARFISH_SUMS * sizeof *values);
        values[part] = sum / (double)sums->parts;
        starpu_data_release(sums->part[part].handle);
    }
}

void test_dense_multiply(const struct test_dense *a, double factor, const double *u, double *result)
{
    for (size_t i = 0; i < a->n; i++) {
        double sum = 0;
        for (size_t j = 0; j < a->n; j++)
            sum += a->matrix[i * a->n + j] * u[j];
        result[i] = factor * sum;
    }
}

starfish_status test_dense_residual(const void *self, const struct starfish_vector *u, const struct starfish_vector *f,
                                    const struct starfish_vector *result, const struct starfish_sums *sums)
{
    const struct test_dense *a = self;
    double x[TEST_DENSE_MOST] = {0}, rhs[TEST_DENSE_MOST] = {0}, left[TEST_DENSE_MOST] = {0}, square = 0;

    if (u)
        test_dense_get(u, x);
    if (f)
        test_dense_get(f, rhs);
    test_dense_multiply(a, -1, x, left);
    for (size_t i = 0; i < a->n; i++) {
        left[i] += rhs[i];
        square += left[i] * left[i];
    }
    if (result)
        test_dense_put(result, left);
    if (sums)
        test_dense_sum(sums, square);
    return STARFISH_SUCCESS;
}
