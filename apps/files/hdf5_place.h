/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places of datasets in HDF5 files: work on them in a process of its own, messages, and where a dataset may go.
 *
 * Only the named file is read and written. A file may refer to others by external links, external storage and virtual
 * datasets. An untrusted file could otherwise have any of the user's files read or changed. */
#ifndef STARFISH_APPS_FILES_HDF5_PLACE_H
#define STARFISH_APPS_FILES_HDF5_PLACE_H

#include "base/status.h"

#include <hdf5.h>
#include <stdio.h>

/* A dataset in a file, and an array of up to `bytes` to go there or to come from there. */
struct starfish_hdf5_place {
    const char *path, *name;
    size_t bytes;
};

/* Work with a file in a process of its own (apart.h), which may allocate what a dataset needs to be decoded. There
 * HDF5 prints nothing and follows no external link. One at a time. Errors: those of starfish_apart. */
starfish_status starfish_hdf5_work_apart(const struct starfish_hdf5_place *place,
                                         starfish_status (*run)(const void *data), const void *data);

/* HDF5 locks the files that it writes. While our lock lasts, till `file` is closed, other programs' HDF5 opens it for
 * reading only. Error: FILE (another program has `path` open for writing). */
starfish_status starfish_hdf5_lock(FILE *file, const char *path);

/* ---- In that process --------------------------------------------------------------------------------------------- */

/* `what` failed; HDF5's innermost reason is added. Returns FILE. */
starfish_status starfish_hdf5_fail(const struct starfish_hdf5_place *place, const char *what);

/* *opened: the place's file, for reading. Errors: FILE (open for writing in another program, or `what`). */
starfish_status starfish_hdf5_open(const struct starfish_hdf5_place *place, const char *what, hid_t *opened);

/* *dataset: the place's. Errors: FILE (there is none; it, or its elements, are in other files). */
starfish_status starfish_hdf5_open_dataset(hid_t file, const struct starfish_hdf5_place *place, hid_t *dataset);

/* Is all that is above the name a group, or not there, and the name free, or that of a dataset? A link that leads
 * nowhere may be replaced too. *exists says whether the name is there. Errors: FILE (also a name that leads to other
 * files), MEMORY. */
starfish_status starfish_hdf5_check_name(hid_t file, const struct starfish_hdf5_place *place, int *exists);

#endif
