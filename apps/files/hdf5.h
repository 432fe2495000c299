/* Real datasets in HDF5 files.
 *
 * Thread-safety: HDF5 as distributions build it is not thread-safe. Calls from here take one lock, so Starfish may be
 * used by many threads; a program that also calls HDF5 itself must not do so at the same time. */
#ifndef STARFISH_APPS_FILES_HDF5_H
#define STARFISH_APPS_FILES_HDF5_H

#include "apps/files/array.h"

/* Read dataset `name` of file `path`: floating point of up to 4 bytes becomes f32, anything longer and integers f64.
 * The caller frees *array. Errors, naming the file and the dataset: FILE, MEMORY. */
starfish_status starfish_hdf5_read(const char *path, const char *name, struct starfish_array *array);

/* Write dataset `name`, and the groups above it, whole or not at all (apps/files/output.h). What else an existing file
 * holds stays in it; a dataset of that name is replaced. Errors: FILE, also when an existing file is not HDF5. */
starfish_status starfish_hdf5_write(const char *path, const char *name, const struct starfish_array *array);

#endif
