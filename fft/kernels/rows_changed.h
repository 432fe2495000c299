/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows on the CPU (transform.h) that are changed as they are read, in cache, on their way to the transform: to change
 * them before it would take a copy of the field. */
#ifndef STARFISH_FFT_KERNELS_ROWS_CHANGED_H
#define STARFISH_FFT_KERNELS_ROWS_CHANGED_H

#include "fft/kernels/transform.h"

/* Changes row r of the call in a copy of it: element i is at values[i * stride]. */
struct starfish_row_change {
    void (*change)(const void *data, size_t r, void *values, size_t stride);
    const void *data;
};

/* As starfish_transform_rows_cpu FORWARD, of changed rows; what `arguments` has as rows stays as it is. */
void starfish_transform_changed_rows_cpu(const struct starfish_transform_cpu *plan,
                                         const struct starfish_transform_rows *arguments,
                                         const struct starfish_row_change *change);

#endif
