/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unstructured meshes for ParaView and VisIt: VTK's XML format .vtu with appended raw data. */
#ifndef STARFISH_APPS_FILES_VTU_H
#define STARFISH_APPS_FILES_VTU_H

#include "apps/files/array.h"

/* Cells of 4, 9, 8 or 27 points, x fastest, as starfish_fem_cells has them; 3 coordinates per point. */
struct starfish_vtu_mesh {
    size_t points, cells;
    int per_cell, dimensions;
    const double *point;
    const int *cell;
};

/* Could `path` be written? It must end in .vtu. Errors: ARGUMENT (extension), FILE. */
starfish_status starfish_vtu_check(const char *path);
/* Write one value per point, whole or not at all (apps/files/output.h). Errors: ARGUMENT (extension), FILE. */
starfish_status starfish_vtu_write(const char *path, const struct starfish_vtu_mesh *mesh, const char *name,
                                   const struct starfish_array *values);

#endif
