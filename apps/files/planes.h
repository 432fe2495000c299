/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that several processes write together, each its planes (of the first dimension) of one array: the first
 * process begins it and finishes it, and all write between, NPY and VTK at once, HDF5 one after the other. As all
 * outputs it is whole or not there (apps/files/output.h). The processes see one file system. */
#ifndef STARFISH_APPS_FILES_PLANES_H
#define STARFISH_APPS_FILES_PLANES_H

#include "apps/files/hdf5.h"
#include "apps/files/vtk.h"

#include <limits.h>

/* What the others must know; it may be sent. */
struct starfish_planes_file {
    char path[PATH_MAX], temporary[PATH_MAX], dataset[PATH_MAX]; /* dataset: "" where values are raw */
    long long offset;                                            /* of the first raw value */
    int one_at_a_time;
};

/* What the first process keeps. */
struct starfish_planes_output {
    struct starfish_planes_file file;
    struct starfish_output raw;
    struct starfish_hdf5_output hdf5;
};

/* Begin an array file by name, or a VTK file of a field "u". `array`: of the whole shape and precision; its data are
 * not looked at. After a failure it is finished. Errors: FILE, MEMORY. */
starfish_status starfish_planes_begin(struct starfish_planes_output *output, const char *name,
                                      const struct starfish_array *array);
starfish_status starfish_planes_begin_vtk(struct starfish_planes_output *output, const char *path,
                                          const struct starfish_vtk_grid *grid, const struct starfish_array *array);
/* Planes `first`, `first` + 1, ... of the array, packed. No planes: nothing. Errors: FILE. */
starfish_status starfish_planes_write(const struct starfish_planes_file *file, size_t first,
                                      const struct starfish_array *planes);
/* `written`: what became of all processes' planes. Returns it, or FILE. */
starfish_status starfish_planes_finish(struct starfish_planes_output *output, starfish_status written);

#endif
