/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of slabs of lines on one core: 128 x 128 lanes of several numbers of planes. Bytes counted: ends read the
 * slab once, solve reads and writes it once. Prints CSV; run it with nothing else on the machine. */
#include "base/precision.h"
#include "base/real.h"
#include "bench/clock.h"
#include "tridiag/kernels/slab_lines.h"
#include <stdio.h>
#include <stdlib.h>

enum { INNER = 128, OUTER = 128, LANES = INNER * OUTER, REPEATS = 5 };

static void *constant_array(starfish_precision precision, size_t count, double value)
{
    void *array = malloc(count * starfish_real_size(precision));

    if (!array) {
        fprintf(stderr, "slab_lines_cpu: no memory for %zu reals\n", count);
        exit(1);
    }
    for (size_t i = 0; i < count; i++)
        starfish_element_set(array, precision, i, value);
    return array;
}

static void report(const char *what, starfish_precision precision, size_t rows, size_t bytes, double best)
{
    printf("%s,%s,%zu,%.2f,%.2f\n", what, precision == STARFISH_F32 ? "f32" : "f64", rows, 1e3 * best,
           1e-9 * (double)bytes / best);
}

static double best_ends(starfish_precision precision, const struct starfish_slab_ends *ends)
{
    double best = 1e9;

    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = clock_now();
        (precision == STARFISH_F32 ? starfish_slab_ends_cpu_f32 : starfish_slab_ends_cpu_f64)(ends);
        best = clock_now() - start < best ? clock_now() - start : best;
    }
    return best;
}

static double best_solve(starfish_precision precision, const struct starfish_slab_solve *solve)
{
    double best = 1e9;

    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = clock_now();
        (precision == STARFISH_F32 ? starfish_slab_solve_cpu_f32 : starfish_slab_solve_cpu_f64)(solve);
        best = clock_now() - start < best ? clock_now() - start : best;
    }
    return best;
}

/* row_sums: as the slab method has it for second differences; else diagonals. */
static void measure(starfish_precision precision, size_t rows, int row_sums)
{
    size_t size = starfish_real_size(precision), bytes = rows * LANES * size;
    void *off_diagonal = constant_array(precision, rows, 1), *diag = constant_array(precision, rows, row_sums ? 0 : -2);
    void *shift = constant_array(precision, INNER, -0.3), *data = constant_array(precision, rows * LANES, 1);
    void *out = constant_array(precision, rows * LANES, 0), *ends_out = constant_array(precision, 2 * LANES, 0);
    struct starfish_slab_lines lines = {.rows = rows,
                                        .lower = off_diagonal,
                                        .diag = diag,
                                        .upper = off_diagonal,
                                        .inner = INNER,
                                        .plane = INNER * OUTER,
                                        .outer = OUTER,
                                        .shift_inner = shift,
                                        .shift_outer = shift,
                                        .row_sums = row_sums,
                                        .parts = 1,
                                        .first_outer = {0, OUTER}};
    struct starfish_slab_ends ends = {
        .lines = lines, .data = data, .rhs = {ends_out}, .head = {(char *)ends_out + LANES * size}};
    struct starfish_slab_solve solve = {.lines = lines,
                                        .data = data,
                                        .out = out,
                                        .before = {ends_out},
                                        .own = {(char *)ends_out + LANES * size},
                                        .pinned_lane = -1,
                                        .workspace = malloc(starfish_slab_solve_workspace_cpu(rows, LANES, 0, size))};

    report(row_sums ? "ends by row sums" : "ends", precision, rows, bytes, best_ends(precision, &ends));
    report(row_sums ? "solve by row sums" : "solve", precision, rows, 2 * bytes, best_solve(precision, &solve));
    free(solve.workspace);
    free(ends_out);
    free(out);
    free(data);
    free(shift);
    free(diag);
    free(off_diagonal);
}

int main(void)
{
    static const size_t rows[] = {16, 64, 256, 1000};

    printf("what,precision,planes,ms,GB/s\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int row_sums = 0; row_sums < 2; row_sums++) {
            measure(STARFISH_F64, rows[i], row_sums);
            measure(STARFISH_F32, rows[i], row_sums);
        }
    return 0;
}
