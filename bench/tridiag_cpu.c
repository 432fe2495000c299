/* Thomas over tiles on one core against the bandwidth that core has: 256 x 256 lanes of n = 256 unknowns.
 * Bytes counted: every unknown read once and written once. Prints a line per precision and kind of line; run it with
 * nothing else on the machine. */
#include "base/real.h"
#include "tridiag/tridiag.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 256, INNER = 256, OUTER = 256, TILES = 4, REPEATS = 5 };

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

    if (!memory) {
        fprintf(stderr, "tridiag_cpu: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    memset(memory, 0, bytes);
    return memory;
}

static void *constant_array(starfish_precision precision, size_t count, double value)
{
    void *array = allocate(count * starfish_real_size(precision));

    for (size_t i = 0; i < count; i++) {
        if (precision == STARFISH_F32)
            ((float *)array)[i] = (float)value;
        else
            ((double *)array)[i] = value;
    }
    return array;
}

/* Best time of one pass that reads and writes `bytes` in place. */
static double in_place_seconds(double *data, size_t bytes)
{
    double best = 1e9;

    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = seconds();
        for (size_t i = 0; i < bytes / sizeof(double); i++)
            data[i] = data[i] * 0.5 + 1.0;
        best = seconds() - start < best ? seconds() - start : best;
    }
    return best;
}

static void measure(starfish_precision precision, int periodic)
{
    static void (*const solve[])(const struct starfish_thomas_tiles *) = {starfish_thomas_tiles_cpu_f32,
                                                                          starfish_thomas_tiles_cpu_f64};
    size_t size = starfish_real_size(precision), lanes = (size_t)INNER * OUTER, bytes = 2 * size * N * lanes;
    void *lower = constant_array(precision, N, 1), *diag = constant_array(precision, N, -2);
    void *shift = constant_array(precision, INNER, -0.5), *field = constant_array(precision, N * lanes, 1);
    struct starfish_thomas_tiles arguments = {
        .line = {.n = N, .periodic = periodic, .lower = lower, .diag = diag, .upper = lower},
        .inner = INNER,
        .outer = OUTER,
        .shift_inner = shift,
        .shift_outer = shift,
        .pinned_lane = -1,
        .tiles = TILES,
        .workspace = allocate(starfish_thomas_tiles_workspace_cpu(N, lanes, periodic, size))};
    double best = 1e9;

    for (size_t t = 0; t <= TILES; t++)
        arguments.first[t] = t * N / TILES;
    for (size_t t = 0; t < TILES; t++)
        arguments.tile[t] = (char *)field + arguments.first[t] * lanes * size;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = seconds();
        solve[precision](&arguments);
        best = seconds() - start < best ? seconds() - start : best;
    }
    double stream = in_place_seconds(field, bytes / 2);
    printf("%s %-12s %7.1f ms  %5.2f GB/s; one pass in place %5.2f GB/s\n", precision == STARFISH_F32 ? "f32" : "f64",
           periodic ? "periodic" : "not periodic", 1e3 * best, 1e-9 * (double)bytes / best,
           1e-9 * (double)bytes / stream);
    free(arguments.workspace);
    free(field);
    free(shift);
    free(diag);
    free(lower);
}

int main(void)
{
    for (int periodic = 0; periodic < 2; periodic++) {
        measure(STARFISH_F32, periodic);
        measure(STARFISH_F64, periodic);
    }
    return 0;
}
