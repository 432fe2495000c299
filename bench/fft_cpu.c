/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nanoseconds per line of the CPU transforms, beside FFTW's own r2r on the same lines.
 *     fft_cpu [n]     rows 4096 x n; columns inner 64, n, outer 32; f64 */
#include "bench/clock.h"
#include "fft/kernels/transform.h"

#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>

static const fftw_r2r_kind kinds[STARFISH_TRANSFORM_IDENTITY] = {
    FFTW_R2HC,    FFTW_RODFT00, FFTW_REDFT00, FFTW_RODFT01, FFTW_REDFT01,
    FFTW_RODFT10, FFTW_REDFT10, FFTW_RODFT11, FFTW_REDFT11,
};

struct best {
    double rows, columns, backward, fftw_rows, fftw_columns, planning;
};

static void keep(double *best, double start, size_t lines)
{
    double seconds = (clock_now() - start) / (double)lines;
    *best = *best == 0 || seconds < *best ? seconds : *best;
}

static struct best measure(enum starfish_transform_kind kind, size_t n, double *a, double *b)
{
    enum { ROWS = 4096, INNER = 64, OUTER = 32 };
    struct best best = {0};
    struct starfish_transform_cpu *plan;
    double start = clock_now();
    if (starfish_transform_cpu_create(&plan, kind, n, STARFISH_F64) != STARFISH_SUCCESS)
        exit(1);
    keep(&best.planning, start, 1);
    void *workspace = malloc(starfish_transform_cpu_workspace(plan));
    struct starfish_transform_rows rows = {
        .count = ROWS, .rows = a, .tiles = 1, .tile = {b}, .first_mode = {0, n}, .scale = 1, .workspace = workspace};
    struct starfish_transform_columns columns = {INNER, OUTER, a, 1 / starfish_transform_scale(kind, n), workspace, 0};
    int size = (int)n;
    fftw_plan row_plan =
        fftw_plan_many_r2r(1, &size, 8, a, NULL, 1, size, b, NULL, 1, size, &kinds[kind], FFTW_MEASURE);
    fftw_plan column_plan =
        fftw_plan_many_r2r(1, &size, 8, a, NULL, INNER, 1, a, NULL, INNER, 1, &kinds[kind], FFTW_MEASURE);
    for (size_t i = 0; i < ROWS * n; i++)
        a[i] = (double)(i % 101) - 50;
    for (int repeat = 0; repeat < 5; repeat++) {
        start = clock_now();
        starfish_transform_rows_cpu(plan, STARFISH_FORWARD, &rows);
        keep(&best.rows, start, ROWS);
        start = clock_now();
        starfish_transform_rows_cpu(plan, STARFISH_BACKWARD, &rows);
        keep(&best.backward, start, ROWS);
        start = clock_now();
        starfish_transform_columns_cpu(plan, STARFISH_FORWARD, &columns);
        keep(&best.columns, start, INNER * OUTER);
        start = clock_now();
        for (size_t r = 0; r < ROWS; r += 8)
            fftw_execute_r2r(row_plan, a + r * n, b + r * n);
        keep(&best.fftw_rows, start, ROWS);
        start = clock_now();
        for (size_t block = 0; block < INNER / 8 * OUTER; block++) {
            double *data = a + block % (INNER / 8) * 8 + block / (INNER / 8) * INNER * n;
            fftw_execute_r2r(column_plan, data, data);
        }
        keep(&best.fftw_columns, start, INNER * OUTER);
    }
    fftw_destroy_plan(row_plan);
    fftw_destroy_plan(column_plan);
    free(workspace);
    starfish_transform_cpu_destroy(plan);
    return best;
}

int main(int count, char **arguments)
{
    size_t n = count > 1 ? strtoul(arguments[1], NULL, 10) : 256;
    double *a = fftw_alloc_real(4096 * n), *b = fftw_alloc_real(4096 * n);
    if (n < 2 || !a || !b)
        return 2;
    printf("n = %zu, f64, ns per line  rows  backward   columns | FFTW r2r rows   columns | plan s\n", n);
    for (int kind = 0; kind < STARFISH_TRANSFORM_IDENTITY; kind++) {
        struct best best = measure((enum starfish_transform_kind)kind, n, a, b);
        printf("%-20s %10.0f %9.0f %9.0f | %13.0f %9.0f | %.3f\n",
               starfish_transform_name((enum starfish_transform_kind)kind), best.rows * 1e9, best.backward * 1e9,
               best.columns * 1e9, best.fftw_rows * 1e9, best.fftw_columns * 1e9, best.planning);
    }
    fftw_free(a);
    fftw_free(b);
    return 0;
}
