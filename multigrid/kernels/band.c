/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the bands of a symmetric matrix lie in their table: five are stored, aligned and with zeros before them, nine
 * are seen. */
#include "multigrid/kernels/band.h"

enum { STORED = 5, ALIGNMENT = 16 };

/* Zeros before a band: it is looked back into by a row and an unknown. */
static size_t lead(size_t nx)
{
    return (nx + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t starfish_band_table_start(size_t nx, size_t ny, size_t b)
{
    const size_t band = (nx * ny + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    return b < STORED ? lead(nx) + b * (lead(nx) + band) : STORED * (lead(nx) + band);
}

struct starfish_band_matrix starfish_band_table_point(size_t nx, size_t ny, const void *table, size_t real_size)
{
    /* Which of the stored bands, and how many elements before the unknown's own. */
    const struct {
        enum starfish_band band;
        size_t stored, back;
    } seen[STARFISH_BANDS] = {{STARFISH_BAND_SUM, 0, 0},     {STARFISH_BAND_E, 1, 0},  {STARFISH_BAND_NW, 2, 0},
                              {STARFISH_BAND_N, 3, 0},       {STARFISH_BAND_NE, 4, 0}, {STARFISH_BAND_W, 1, 1},
                              {STARFISH_BAND_SE, 2, nx - 1}, {STARFISH_BAND_S, 3, nx}, {STARFISH_BAND_SW, 4, nx + 1}};
    struct starfish_band_matrix matrix = {.nx = nx, .ny = ny};

    for (int i = 0; i < STARFISH_BANDS; i++)
        matrix.band[seen[i].band] =
            (const char *)table + (starfish_band_table_start(nx, ny, seen[i].stored) - seen[i].back) * real_size;
    return matrix;
}

double starfish_band_diagonal(const struct starfish_band_matrix *matrix, size_t e)
{
    double others = 0;

    for (int b = 0; b < STARFISH_BANDS; b++)
        if (b != STARFISH_BAND_SUM)
            others += ((const double *)matrix->band[b])[e];
    return ((const double *)matrix->band[STARFISH_BAND_SUM])[e] - others;
}

size_t starfish_band_columns_pitch(size_t width)
{
    return (width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t starfish_band_columns_work(size_t width, size_t height)
{
    return (2 * height + 2) * starfish_band_columns_pitch(width);
}
