/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Array files by name: "name.npy", or "name.h5:/path/of/dataset" (.h5 or .hdf5), whose dataset is /u when none
 * is named. */
#ifndef STARFISH_APPS_FILES_FILE_H
#define STARFISH_APPS_FILES_FILE_H

#include "apps/files/array.h"

/* Read an array of the wanted shape (NULL: any) and see that all elements, but wanted->ignored, are finite. The caller
 * frees *array. Errors, naming the file: FILE (also for a name of neither kind, and the index of a NaN or infinity),
 * ARGUMENT (shape), MEMORY. */
starfish_status starfish_file_read(const char *name, const struct starfish_wanted *wanted,
                                   struct starfish_array *array);

/* Write an array, whole or not at all (apps/files/output.h). Error: FILE. */
starfish_status starfish_file_write(const char *name, const struct starfish_array *array);

/* Is `name` of either kind, and could it be written? In an HDF5 file, the dataset's name must be free or a dataset's,
 * and what is above it groups. Error: FILE. */
starfish_status starfish_file_check_output(const char *name);

/* The file that a name is of, which the caller frees, and the dataset in it, which points into `name` or is the
 * default; NULL: a .npy file. Errors: FILE (a name of neither kind), MEMORY. */
starfish_status starfish_file_split(const char *name, char **path, const char **dataset);

/* Do two names mean one array: the same file, by its name or where it is there, and in it the same dataset? */
int starfish_file_same(const char *name, const char *other);

/* `name` as seen from `folder` (NULL, or "" for the current one); an absolute name stays. The caller frees *path.
 * Error: MEMORY. */
starfish_status starfish_file_join(const char *folder, const char *name, char **path);

/* Folder of a file's name, "" when it is in the current one. The caller frees *folder. Error: MEMORY. */
starfish_status starfish_file_folder(const char *name, char **folder);

#endif
