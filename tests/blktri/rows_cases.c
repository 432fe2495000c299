/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gather, scatter and subtract against their definition, on any device: random tables, of which some rows belong to
 * nobody. */
#include "tests/blktri/rows_cases.h"

#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Buffer row v is row position[v] of array which[v]: a permutation of all rows but every fifth, which nobody
 * touches. */
static void scatter_table(int *which, int *position, size_t count, int arrays)
{
    const size_t rows = count + count / 4 + 1;
    size_t v = 0;
    for (size_t r = 0; v < count; r++) {
        const size_t row = (r * 7 + 3) % (rows % 7 == 0 ? rows + 1 : rows);
        if (row % 5 == 4)
            continue;
        which[v] = (int)(row % (size_t)arrays);
        position[v] = (int)(row / (size_t)arrays);
        v++;
    }
}

static double expected_value(enum starfish_rows_operation operation, double row, double buffer, int in_buffer)
{
    switch (operation) {
    case STARFISH_ROWS_GATHER:
        return row;
    case STARFISH_ROWS_SCATTER:
        return buffer;
    case STARFISH_ROWS_ADD:
        return in_buffer ? buffer + row : row;
    default:
        return in_buffer ? buffer : row - buffer;
    }
}

/* Of what is gathered in rows of odd widths; exact. */
static double factor_of(enum starfish_rows_operation operation, size_t width, size_t v)
{
    return operation == STARFISH_ROWS_GATHER && width % 2 ? ldexp(1, (int)(v % 3) - 1) : 1;
}

static void check_rows(const struct test_rows_device *device, starfish_precision precision,
                       enum starfish_rows_operation operation, size_t width, size_t count, int arrays)
{
    const struct test_memory *memory = device->memory;
    const size_t real = starfish_real_size(precision), rows = 2 * count + 8, bytes = rows * width * real;
    int *which = calloc(count + 1, sizeof *which), *position = calloc(count + 1, sizeof *position);
    unsigned seed = 41;
    void *array[STARFISH_ROWS_MAX_ARRAYS], *buffer = test_reals(precision, count * width, &seed);
    char *got = malloc(bytes), *touched = calloc((size_t)arrays, rows), *got_buffer = malloc(count * width * real + 1);
    double *factor = calloc(count + 1, sizeof *factor);
    struct starfish_rows a = {.width = width, .count = count};
    scatter_table(which, position, count, arrays);
    for (int i = 0; i < arrays; i++) {
        array[i] = test_reals(precision, rows * width, &seed);
        a.array[i] = memory->upload(array[i], bytes);
    }
    a.which = memory->upload(which, (count + 1) * sizeof *which);
    a.position = memory->upload(position, (count + 1) * sizeof *position);
    a.buffer = memory->upload(buffer, count * width * real);
    for (size_t v = 0; v < count; v++)
        test_real_put(factor, precision, v, factor_of(operation, width, v));
    a.factor = width % 2 ? memory->upload(factor, (count + 1) * sizeof *factor) : NULL;
    device->rows(precision, &a, operation);
    memory->download(got_buffer, a.buffer, count * width * real);

    for (int i = 0; i < arrays; i++) {
        memory->download(got, a.array[i], bytes);
        for (size_t v = 0; v < count; v++) {
            if (which[v] != i)
                continue;
            touched[(size_t)i * rows + (size_t)position[v]] = 1;
            for (size_t e = 0; e < width; e++) {
                const size_t at = (size_t)position[v] * width + e;
                const double row = test_real_get(array[i], precision, at),
                             value = test_real_get(buffer, precision, v * width + e);
                const double in_row = expected_value(operation, row, value, 0),
                             in_buffer = expected_value(operation, factor_of(operation, width, v) * row, value, 1);
                const double error = fmax(fabs(test_real_get(got, precision, at) - in_row),
                                          fabs(test_real_get(got_buffer, precision, v * width + e) - in_buffer));
                if (!(error <= 2 * test_real_epsilon(precision)))
                    fail_msg("%s f%d operation %d width %zu count %zu arrays %d: row %zu, element %zu", memory->name,
                             precision == STARFISH_F32 ? 32 : 64, (int)operation, width, count, arrays, v, e);
            }
        }
        for (size_t r = 0; r < rows; r++)
            if (!touched[(size_t)i * rows + r])
                assert_memory_equal((char *)array[i] + r * width * real, got + r * width * real, width * real);
    }
    memory->release();
    for (int i = 0; i < arrays; i++)
        free(array[i]);
    free(which);
    free(position);
    free(buffer);
    free(got);
    free(got_buffer);
    free(touched);
    free(factor);
}

void test_rows_size(const struct test_rows_device *device, size_t width, size_t count, int arrays)
{
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int operation = STARFISH_ROWS_GATHER; operation <= STARFISH_ROWS_ADD; operation++)
            check_rows(device, (starfish_precision)precision, (enum starfish_rows_operation)operation, width, count,
                       arrays);
}

void test_rows_table(const struct test_rows_device *device)
{
    static const size_t widths[] = {1, 2, 7, 33, 257, 1100}, counts[] = {0, 1, 2, 3, 31, 100};
    static const int arrays[] = {1, 3, STARFISH_ROWS_MAX_ARRAYS};
    for (int w = 0; w < 6; w++)
        for (int c = 0; c < 6; c++)
            for (int a = 0; a < 3; a++)
                test_rows_size(device, widths[w], counts[c], arrays[a]);
}
