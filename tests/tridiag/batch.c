/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU's algorithms for batches over the tables of cases: whole batches, and batches in runs as the cores of a team
 * have them. */
#include "tests/tridiag/batch_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct test_batch_device cpu = {&test_host_memory,
                                             {starfish_batch_cpu_f32, starfish_batch_cpu_f64},
                                             {starfish_batch_prepare_cpu_f32, starfish_batch_prepare_cpu_f64},
                                             starfish_batch_workspace_cpu};

/* ---- Batches in runs, as the cores of a team have them ----------------------------------------------------------- */

enum { RUNS = 3 };
typedef void batch_kernel(const struct starfish_batch *);

static size_t runs_of(size_t lines)
{
    return lines < RUNS ? lines : RUNS;
}

static struct starfish_batch run_of(const struct starfish_batch *b, size_t run, size_t size)
{
    const size_t runs = runs_of(b->lines), first = starfish_batch_first_line(b->lines, runs, run);
    return starfish_batch_run(b, first, starfish_batch_first_line(b->lines, runs, run + 1) - first, size);
}

static void in_runs(const struct starfish_batch *b, size_t runs, size_t size, batch_kernel *kernel)
{
    for (size_t run = runs; run-- > 0;) { /* in any order */
        const struct starfish_batch part = run_of(b, run, size);
        kernel(&part);
    }
}

static void solve_f32(const struct starfish_batch *b)
{
    in_runs(b, runs_of(b->lines), sizeof(float), starfish_batch_cpu_f32);
}

static void solve_f64(const struct starfish_batch *b)
{
    in_runs(b, runs_of(b->lines), sizeof(double), starfish_batch_cpu_f64);
}

static void prepare_f32(const struct starfish_batch *b)
{
    in_runs(b, starfish_batch_matrices(b) == 1 ? 1 : runs_of(b->lines), sizeof(float), starfish_batch_prepare_cpu_f32);
}

static void prepare_f64(const struct starfish_batch *b)
{
    in_runs(b, starfish_batch_matrices(b) == 1 ? 1 : runs_of(b->lines), sizeof(double), starfish_batch_prepare_cpu_f64);
}

static size_t workspace(const struct starfish_batch *b, size_t size)
{
    size_t most = starfish_batch_workspace_cpu(b, size);
    for (size_t run = 0; run < runs_of(b->lines); run++) {
        const struct starfish_batch part = run_of(b, run, size);
        const size_t bytes = starfish_batch_workspace_cpu(&part, size);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void runs_of_lines_solve(void **state)
{
    (void)state;
    const struct test_batch_device runs = {
        &test_host_memory, {solve_f32, solve_f64}, {prepare_f32, prepare_f64}, workspace};
    test_batch_table(&runs, 2);
}

static void runs_cover_all_lines(void **state)
{
    (void)state;
    for (size_t lines = 1; lines < 600; lines += 7)
        for (size_t runs = 1; runs <= lines && runs <= 17; runs++) {
            assert_int_equal(starfish_batch_first_line(lines, runs, 0), 0);
            assert_int_equal(starfish_batch_first_line(lines, runs, runs), lines);
            for (size_t run = 0; run < runs; run++)
                assert_true(starfish_batch_first_line(lines, runs, run) <
                            starfish_batch_first_line(lines, runs, run + 1));
        }
}

/* ---- All of a batch ---------------------------------------------------------------------------------------------- */

static void every_kind_solves(void **state)
{
    (void)state;
    test_batch_table(&cpu, getenv("STARFISH_TEST_SMALL") ? 2 : 8);
}

static void long_lines_solve(void **state)
{
    (void)state;
    test_batch_long_lines(&cpu, getenv("STARFISH_TEST_SMALL") ? 5001 : 300001);
}

static void many_lines_solve(void **state)
{
    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    test_batch_many_lines(&cpu, 1 << 21);
}

static void growth_is_measured(void **state)
{
    (void)state;
    test_batch_growth(&cpu);
}

static void stability_is_found(void **state)
{
    (void)state;
    test_batch_stability(&cpu);
}

static void symmetric_lines_may_be_one_array(void **state)
{
    (void)state;
    test_batch_one_array(&cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_solves),   cmocka_unit_test(long_lines_solve),
        cmocka_unit_test(many_lines_solve),    cmocka_unit_test(growth_is_measured),
        cmocka_unit_test(stability_is_found),  cmocka_unit_test(symmetric_lines_may_be_one_array),
        cmocka_unit_test(runs_of_lines_solve), cmocka_unit_test(runs_cover_all_lines)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest residual: %.3f of the bound\n", test_batch_worst());
    return failed;
}
