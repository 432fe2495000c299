/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrix entries in 16 bits (band.h): rounding to binary16 or to the upper half of binary32, and where they lie. */
#include "multigrid/kernels/band.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { PACKED = 3, ALIGNMENT = 16 };

/* Of the table in f64, the places of what is packed: X in that of E, Y of N, Q of NE. */
static const size_t stored_place[PACKED] = {1, 3, 4};

/* Zeros before a band, as kernels look back by a row and an unknown. */
static size_t lead(size_t nx)
{
    return (nx + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t round_up(size_t count)
{
    return (count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Where band b begins behind the row sums, in units of 16 bits. */
static size_t packed_start(size_t nx, size_t ny, size_t b)
{
    return lead(nx) + b * (lead(nx) + round_up(nx * ny));
}

size_t starfish_band_packed_size(size_t nx, size_t ny)
{
    return round_up(nx * ny) + PACKED * (lead(nx) + round_up(nx * ny)) / 2;
}

struct starfish_band_matrix starfish_band_packed_point(size_t nx, size_t ny, const void *packed,
                                                       enum starfish_band_storage storage, double scale)
{
    const void *behind = (const float *)packed + round_up(nx * ny);
    const uint16_t *entries = behind;
    struct starfish_band_matrix matrix = {.nx = nx, .ny = ny, .storage = storage, .scale = scale};

    matrix.band[STARFISH_BAND_SUM] = packed;
    matrix.band[STARFISH_BAND_E] = entries + packed_start(nx, ny, 0);
    matrix.band[STARFISH_BAND_N] = entries + packed_start(nx, ny, 1);
    matrix.band[STARFISH_BAND_NE] = entries + packed_start(nx, ny, 2);
    return matrix;
}

/* ---- Rounding ---------------------------------------------------------------------------------------------------- */

/* To the nearest, ties to even, of so many bits of exponent and of fraction: IEEE 754 binary16, or the upper half of
 * binary32. */
static uint16_t rounded(double value, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const unsigned sign = signbit(value) ? 0x8000u : 0u;
    const double size = fabs(value);
    const int exponent =
        size > 0 && ilogb(size) > -bias ? ilogb(size) : 1 - bias; /* that of subnormal numbers at least */
    /* units in the last place, the implicit one among them: a carry counts the exponent up */
    const unsigned units = (unsigned)rint(ldexp(size, fraction_bits - exponent));

    return (uint16_t)(sign + ((unsigned)(exponent + bias - 1) << fraction_bits) + units);
}

static uint16_t stored_as(double value, enum starfish_band_storage storage)
{
    return storage == STARFISH_BAND_F16 ? rounded(value, 5, 10) : rounded(value, 8, 7);
}

double starfish_band_packed_scale(size_t nx, size_t ny, const double *table, enum starfish_band_storage storage)
{
    const int most = storage == STARFISH_BAND_F16 ? 14 : 126, least = storage == STARFISH_BAND_F16 ? -14 : -126;
    double largest = 0, smallest = (double)INFINITY;

    for (size_t b = 0; b < PACKED; b++)
        for (size_t e = 0; e < nx * ny; e++) {
            const double size = fabs(table[starfish_band_table_start(nx, ny, stored_place[b]) + e]);
            largest = fmax(largest, size);
            if (b < 2 && size > 0)
                smallest = fmin(smallest, size);
        }
    if (!(largest > 0))
        return 1; /* one unknown, or a line of them that are not coupled */
    /* as far as f32, in which products are, allows: entries of bf16 stay as they are where they can */
    const int shift = storage == STARFISH_BAND_F16 || ilogb(largest) > most ? ilogb(largest) - most : 0;
    return ilogb(smallest) - shift >= least ? ldexp(1, shift) : 0;
}

void starfish_band_pack(size_t nx, size_t ny, const double *table, enum starfish_band_storage storage, double scale,
                        void *packed)
{
    float *sum = packed;
    void *behind = sum + round_up(nx * ny);
    uint16_t *entries = behind;

    memset(packed, 0, starfish_band_packed_size(nx, ny) * sizeof *sum);
    for (size_t e = 0; e < nx * ny; e++)
        sum[e] = (float)table[starfish_band_table_start(nx, ny, 0) + e];
    for (size_t b = 0; b < PACKED; b++)
        for (size_t e = 0; e < nx * ny; e++)
            entries[packed_start(nx, ny, b) + e] =
                stored_as(table[starfish_band_table_start(nx, ny, stored_place[b]) + e] / scale, storage);
}
