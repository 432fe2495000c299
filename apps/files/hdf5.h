/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real datasets in HDF5 files.
 *
 * The HDF5 library ends the program on some corrupt files and on full disks, and allocates as much memory as a file
 * requests. Files are therefore opened in a separate process (apart.h), which may fail, and whose memory is limited to
 * the array's size.
 *
 * Thread-safety: HDF5 as distributions build it is not thread-safe. Calls from here take one lock, so Starfish may be
 * used by many threads; a program that also calls HDF5 itself must not do so at the same time. */
#ifndef STARFISH_APPS_FILES_HDF5_H
#define STARFISH_APPS_FILES_HDF5_H

#include "apps/files/array.h"
#include "apps/files/output.h"

#include <sys/stat.h>

/* Read dataset `name` of file `path`, of the wanted shape (NULL: any): floating point of up to 4 bytes becomes f32,
 * anything longer and integers f64. The caller frees *array. Errors, naming the file and the dataset: FILE, ARGUMENT
 * (shape), MEMORY. */
starfish_status starfish_hdf5_read(const char *path, const char *name, const struct starfish_wanted *wanted,
                                   struct starfish_array *array);

/* Could dataset `name` be written? An existing file must be HDF5, what stands above the name a group or nothing, and
 * the name free or that of a dataset. Error: FILE. */
starfish_status starfish_hdf5_check(const char *path, const char *name);

/* Write dataset `name`, and the groups above it, whole or not at all (apps/files/output.h), with array->axes where they
 * are given (hdf5_axes.h). What else an existing file
 * holds stays in it; a dataset of that name is replaced. Writers in one folder wait for each other (output.h); a file
 * that another program changes meanwhile is left as that program made it. Errors: FILE, also when an existing file is
 * not HDF5, or was changed. */
starfish_status starfish_hdf5_write(const char *path, const char *name, const struct starfish_array *array);

/* The same by several processes. One begins, with an array of the whole shape and precision whose data are not read,
 * and finishes, also after a failure (`written`) between. Between, one at a time writes its planes, of the first
 * dimension, to output.temporary, which all can open. */
struct starfish_hdf5_output {
    struct starfish_output output;
    struct stat before; /* of what is replaced */
};
starfish_status starfish_hdf5_begin(struct starfish_hdf5_output *output, const char *path, const char *name,
                                    const struct starfish_array *array);
starfish_status starfish_hdf5_write_planes(const char *temporary, const char *path, const char *name, size_t first,
                                           const struct starfish_array *array);
starfish_status starfish_hdf5_finish(struct starfish_hdf5_output *output, starfish_status written);

#endif
