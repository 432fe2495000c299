/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What other programs need to draw a dataset of an HDF5 file.
 *
 * - Dimension scales (HDF5 Dimension Scale Specification), as netCDF-4 has its coordinates: datasets x, y, z beside the
 *   array, by which xarray, h5py and ParaView's readers of netCDF know positions and the names of directions. Where
 *   something else has these names they are called NAME_x and so on, NAME being the array's.
 * - Attributes of the array: long_name, units ("1": the equations have none), and, where they are the same all along
 *   each direction, origin and spacing, in the order of its dimensions.
 * - VTKHDF (the format of vtkHDFReader, 1.0): a group that describes an ImageData and has the array itself, not a copy,
 *   as its point data; for arrays of three dimensions with equal spacing at the file's root. */
#ifndef STARFISH_APPS_FILES_HDF5_AXES_H
#define STARFISH_APPS_FILES_HDF5_AXES_H

#include "apps/files/array.h"

#include <hdf5.h>

/* Adds all this to a dataset that has just been created; nothing where array->axes is NULL. What an earlier call wrote
 * for an array of this name is replaced. Returns 0, or another number where the library failed. */
int starfish_hdf5_add_axes(hid_t file, hid_t dataset, const char *name, const struct starfish_array *array);

#endif
