/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of flat domains without a problem (flat_table.h): factors of one column type, and corners of both signs. */
#include "bench/flat_table.h"

#include "multigrid/kernels/flat_kind.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    enum starfish_flat_entry entry;
    double number;
} numbers[] = {{STARFISH_FLAT_MASS, 1},       {STARFISH_FLAT_LIFT, 1},       {STARFISH_FLAT_FACE_X, 18},
               {STARFISH_FLAT_FACE_Y, 17},    {STARFISH_FLAT_A, 1},          {STARFISH_FLAT_B, 1000},
               {STARFISH_FLAT_C, 1000},       {STARFISH_FLAT_D, 1},          {STARFISH_FLAT_CORNER, 5},
               {STARFISH_FLAT_LOWER_X, 0.75}, {STARFISH_FLAT_UPPER_X, 0.25}, {STARFISH_FLAT_LOWER_Y, 0.25},
               {STARFISH_FLAT_UPPER_Y, 0.75}};

/* Of one type for all columns, whose faces add up to 70. */
static int fill_factors(const struct starfish_flat_shape *shape, double *table)
{
    const size_t layers = shape->n[2];
    double *one = malloc(3 * layers * sizeof *one);
    if (!one)
        return -1;
    double *below = one + layers, *above = below + layers;
    for (size_t k = 0; k < layers; k++) {
        one[k] = 1;
        below[k] = k > 0 ? 1000 : 0;
        above[k] = k + 1 < layers ? 1000 : 0;
    }
    const struct starfish_flat_column line = {layers, 1, 1, 70, one, below, above, one};
    starfish_flat_factors(&line, table + starfish_flat_table_entry(shape, STARFISH_FLAT_FACTORS));
    free(one);
    return 0;
}

/* Zero on the sides of the domain, and of the other sign in two of its quarters. */
static void turn_corners(const struct starfish_flat_shape *shape, double *corner)
{
    const size_t nx = shape->n[0] + 1, ny = shape->n[1] + 1;
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            const int outer = i == 0 || i + 1 == nx || j == 0 || j + 1 == ny;
            corner[i + nx * j] *= outer ? 0 : (i < nx / 2) != (j < ny / 2) ? -1 : 1;
        }
}

int flat_table_fill(const struct starfish_flat_shape *shape, double *table)
{
    memset(table, 0, starfish_flat_table_entry(shape, STARFISH_FLAT_ENTRIES) * sizeof *table);
    for (size_t e = 0; e < sizeof numbers / sizeof numbers[0]; e++) {
        const size_t end = starfish_flat_table_entry(shape, (enum starfish_flat_entry)(numbers[e].entry + 1));
        for (size_t i = starfish_flat_table_entry(shape, numbers[e].entry); i < end; i++)
            table[i] = numbers[e].number;
    }
    table[starfish_flat_table_entry(shape, STARFISH_FLAT_B)] = 0;
    table[starfish_flat_table_entry(shape, STARFISH_FLAT_D) - 1] = 0;
    if (shape->skew)
        turn_corners(shape, table + starfish_flat_table_entry(shape, STARFISH_FLAT_CORNER));
    return shape->types > 0 ? fill_factors(shape, table) : 0;
}
