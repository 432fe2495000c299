/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of block cyclic reduction on the CPU: gathered, scattered, added or subtracted by the tables of rows.h. Bound by
 * memory. */
#include "blktri/kernels/rows.h"

#include "base/real.h"

#include <string.h>

static void subtract(real *restrict row, const real *restrict buffer, size_t width)
{
#pragma omp simd
    for (size_t i = 0; i < width; i++)
        row[i] -= buffer[i];
}

static void add(const real *restrict row, real *restrict buffer, size_t width)
{
#pragma omp simd
    for (size_t i = 0; i < width; i++)
        buffer[i] += row[i];
}

static void multiply(const real *restrict row, real factor, real *restrict buffer, size_t width)
{
#pragma omp simd
    for (size_t i = 0; i < width; i++)
        buffer[i] = factor * row[i];
}

void REAL_NAME(starfish_rows_cpu)(const struct starfish_rows *a, enum starfish_rows_operation operation)
{
    for (size_t v = 0; v < a->count; v++) {
        real *row = (real *)a->array[a->which[v]] + (size_t)a->position[v] * a->width;
        real *buffer = (real *)a->buffer + v * a->width;
        switch (operation) {
        case STARFISH_ROWS_GATHER:
            if (a->factor)
                multiply(row, ((const real *)a->factor)[v], buffer, a->width);
            else
                memcpy(buffer, row, a->width * sizeof(real));
            break;
        case STARFISH_ROWS_SCATTER:
            memcpy(row, buffer, a->width * sizeof(real));
            break;
        case STARFISH_ROWS_SUBTRACT:
            subtract(row, buffer, a->width);
            break;
        case STARFISH_ROWS_ADD:
            add(row, buffer, a->width);
            break;
        }
    }
}
