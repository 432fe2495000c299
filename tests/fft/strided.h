/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of planes whose rows lie apart (base/strides.h), in arrays that are NaN between them: what reads there shows,
 * and so does what writes there. */
#ifndef STARFISH_TESTS_FFT_STRIDED_H
#define STARFISH_TESTS_FFT_STRIDED_H

#include "base/strides.h"
#include "tests/fft/cases.h"

#include <string.h>

/* How rows lie apart: by an odd number of elements or by whole multiples of 16 bytes, in one box or in boxes of two
 * planes. */
enum strided_layout { STRIDED_ODD, STRIDED_ALIGNED, STRIDED_BOXES, STRIDED_LAYOUTS };

static inline struct starfish_strides strided_of(enum strided_layout layout, size_t nx, size_t ny, size_t planes)
{
    const size_t row = layout == STRIDED_ALIGNED ? (nx + 7) / 4 * 4 : nx + 3;
    const size_t plane = row * (ny + 1) + (layout == STRIDED_ALIGNED ? 8 : 1);
    const size_t depth = layout == STRIDED_BOXES && planes > 2 ? 2 : planes;

    return (struct starfish_strides){row, plane, depth * plane + 5, ny, depth};
}

/* Elements of the array, some behind the last row included. */
static inline size_t strided_count(const struct starfish_strides *strides, size_t nx, size_t rows)
{
    return starfish_strides_row(strides, rows - 1) + nx + 7;
}

/* An array with these packed values, to be freed. */
static inline unsigned char *strided_spread(const struct starfish_strides *strides, size_t nx, size_t rows,
                                            const void *packed, starfish_precision precision)
{
    const size_t count = strided_count(strides, nx, rows), size = starfish_real_size(precision);
    unsigned char *array = malloc(count * size);

    poison(array, count, precision);
    for (size_t r = 0; r < rows && packed; r++)
        memcpy(array + starfish_strides_row(strides, r) * size, (const char *)packed + r * nx * size, nx * size);
    return array;
}

/* The packed values of an array; 0 where anything has been written between them. */
static inline int strided_gather(const struct starfish_strides *strides, size_t nx, size_t rows, const void *array,
                                 void *packed, starfish_precision precision)
{
    const size_t size = starfish_real_size(precision);

    for (size_t r = 0; r < rows; r++)
        memcpy((char *)packed + r * nx * size, (const char *)array + starfish_strides_row(strides, r) * size,
               nx * size);
    unsigned char *untouched = strided_spread(strides, nx, rows, packed, precision);
    const int same = memcmp(untouched, array, strided_count(strides, nx, rows) * size) == 0;
    free(untouched);
    return same;
}

#endif
