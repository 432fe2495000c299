/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SAINV: without dropping it is the inverse, and of a matrix that has several strips every row of it is there. */
#include "scheduler/runtime/context.h"
#include "sparse/inverse.h"
#include "sparse/matrix.h"
#include "tests/common/context.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static starfish_context *context;

/* Five points of a square grid, in an order that `mixed` makes one of no neighbourhood. */
static void laplacian(struct starfish_csr *a, int side, int mixed)
{
    static const int to[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const int n = side * side, factor = mixed ? 7919 : 1; /* a prime that no side here has */
    int *at = malloc((size_t)n * sizeof *at), *number = malloc((size_t)n * sizeof *number), next = 0;

    assert_true(at && number);
    for (int k = 0; k < n; k++) {
        number[k] = (int)((long)k * factor % n);
        at[number[k]] = k;
    }
    assert_int_equal(starfish_csr_create(a, (size_t)n, (size_t)n, (size_t)(5 * n)), STARFISH_SUCCESS);
    for (int i = 0; i < n; i++) {
        const int x = at[i] % side, y = at[i] / side, first = next;
        a->start[i] = next;
        for (int k = 0; k < 5; k++) {
            const int u = x + to[k][0], v = y + to[k][1];
            if (u < 0 || u >= side || v < 0 || v >= side)
                continue;
            int place = next++;
            for (; place > first && a->column[place - 1] > number[u + side * v]; place--) {
                a->column[place] = a->column[place - 1];
                a->value[place] = a->value[place - 1];
            }
            a->column[place] = number[u + side * v];
            a->value[place] = k == 0 ? 4 : -1;
        }
    }
    a->start[n] = next;
    free(at);
    free(number);
}

static void test_inverse(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        struct starfish_csr a, m, product;
        laplacian(&a, 12, mixed);
        assert_int_equal(starfish_sainv(context, &a, 0, &m), STARFISH_SUCCESS);
        assert_int_equal(starfish_csr_product(&m, NULL, &a, &product), STARFISH_SUCCESS);
        for (size_t i = 0; i < a.rows; i++)
            for (int e = product.start[i]; e < product.start[i + 1]; e++)
                assert_true(fabs(product.value[e] - (product.column[e] == (int)i)) < 1e-12);
        starfish_csr_destroy(&a);
        starfish_csr_destroy(&m);
        starfish_csr_destroy(&product);
    }
}

/* The diagonal of the inverse is at least 1/4, and that of M no more than 1. Damped steps with M shrink all errors. */
static void test_strips(void **state)
{
    enum { SIDE = 262 }; /* more unknowns than matrices are transposed by one core */

    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        struct starfish_csr a, m;
        double radius;
        laplacian(&a, SIDE, mixed);
        assert_int_equal(starfish_sainv(context, &a, 0.1, &m), STARFISH_SUCCESS);
        for (size_t i = 0; i < a.rows; i++) {
            const int e = starfish_csr_find(&m, i, i);
            assert_true(e >= 0 && m.value[e] >= 0.25 && m.value[e] <= 1);
        }
        assert_true(starfish_csr_entries(&m) < 4 * starfish_csr_entries(&a));
        assert_int_equal(starfish_csr_spectral_radius(&m, &a, &radius), STARFISH_SUCCESS);
        assert_true(radius > 1 && radius < 2);
        starfish_csr_destroy(&a);
        starfish_csr_destroy(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inverse), cmocka_unit_test(test_strips)};
    int failed = 0, cores, numa_nodes;

    starfish_topology_count(&cores, &numa_nodes);
    for (int workers = 1; workers <= 2 && workers <= cores; workers++) { /* of two cores together, or one each */
        context = test_context(0, workers, workers == 1 ? 2 : 1);
        if (!context)
            return 1;
        failed += cmocka_run_group_tests_name(workers == 1 ? "sainv, a team" : "sainv, two workers", tests, NULL, NULL);
        starfish_context_destroy(context);
    }
    return failed;
}
