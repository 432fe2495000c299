/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NumPy's .npy files, format versions 1.0 to 3.0: reading of real and integer arrays, and writing of version 1.0. */
#ifndef STARFISH_APPS_FILES_NPY_H
#define STARFISH_APPS_FILES_NPY_H

#include "apps/files/array.h"

#include <stdio.h>

/* Read '<f4', '<f8' as they are, '>f4', '>f8' with bytes swapped, and '<i4', '<i8', '>i4', '>i8' as f64; arrays in
 * Fortran order are transposed to C order. The file must hold exactly the bytes its header promises.
 * Memory is asked for when the shape is known to be `wanted` (NULL: any) and the file to be that long.
 * The caller frees *array. Errors, naming the file: FILE, ARGUMENT (shape), MEMORY. */
starfish_status starfish_npy_read(const char *path, const struct starfish_wanted *wanted, struct starfish_array *array);

/* Write version 1.0, little-endian, whole or not at all (apps/files/output.h). Error: FILE. */
starfish_status starfish_npy_write(const char *path, const struct starfish_array *array);
/* What is in front of the elements; the stream says whether it got through. */
void starfish_npy_write_header(FILE *stream, const struct starfish_array *array);

#endif
