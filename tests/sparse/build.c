/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of matrices row by row, on all cores: dense rows, whose blocks are a few rows each, and short ones, many of
 * which are one block, beside the sums of the naive product. Small integers, so that sums are exact in any order. */
#include "sparse/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Entry (i, j): 0 where the row has none. Every seventh row is empty. */
static double entry(size_t i, size_t j, size_t apart)
{
    return i % 7 == 3 || (i + 2 * j) % apart != 0 ? 0 : 1 + (double)((3 * i + 5 * j) % 11);
}

static void make(struct starfish_csr *a, size_t n, size_t apart)
{
    size_t entries = 0;

    for (size_t e = 0; e < n * n; e++)
        entries += entry(e / n, e % n, apart) != 0;
    assert_int_equal(starfish_csr_create(a, n, n, entries), STARFISH_SUCCESS);
    for (size_t i = 0, e = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            if (entry(i, j, apart) != 0) {
                a->column[e] = (int)j;
                a->value[e++] = entry(i, j, apart);
            }
        a->start[i + 1] = (int)e;
    }
}

static void multiply_row(const struct starfish_csr *a, size_t i, double *row)
{
    for (size_t j = 0; j < a->columns; j++)
        row[j] = 0;
    for (int e = a->start[i]; e < a->start[i + 1]; e++)
        for (int k = a->start[a->column[e]]; k < a->start[a->column[e] + 1]; k++)
            row[a->column[k]] += a->value[e] * a->value[k];
}

static void check_square(size_t n, size_t apart)
{
    struct starfish_csr a, square;
    double *row = calloc(n, sizeof *row);

    make(&a, n, apart);
    assert_int_equal(starfish_csr_product(&a, NULL, &a, &square), STARFISH_SUCCESS);
    for (size_t i = 0; i < n; i++) {
        multiply_row(&a, i, row);
        for (int e = square.start[i]; e < square.start[i + 1]; e++) {
            assert_true(e == square.start[i] || square.column[e - 1] < square.column[e]);
            assert_true(row[square.column[e]] == square.value[e]);
            row[square.column[e]] = 0;
        }
        for (size_t j = 0; j < n; j++)
            assert_true(row[j] == 0);
    }
    starfish_csr_destroy(&square);
    starfish_csr_destroy(&a);
    free(row);
}

static void test_squares(void **state)
{
    static const size_t cases[][2] = {{1, 1}, {5, 1}, {301, 1}, {301, 4}, {2500, 499}};

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        check_square(cases[c][0], cases[c][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_squares)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
