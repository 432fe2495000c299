/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields for ParaView and VisIt: VTK's XML formats with appended raw data. */
#ifndef STARFISH_APPS_FILES_VTK_H
#define STARFISH_APPS_FILES_VTK_H

#include "apps/files/array.h"

#include <stdio.h>

/* Positions of the unknowns along one direction. */
struct starfish_vtk_axis {
    size_t n;
    double origin, spacing;    /* position i is origin + i spacing ... */
    const double *coordinates; /* ... or coordinates[i], where this is not NULL */
};

/* Coordinates with an angle around the z axis, which axis[0] is. The other directions are a radius, from the z axis or
 * in a ball from the origin, and z or in a ball the colatitude. */
struct starfish_vtk_round {
    const char *kind;           /* of problems */
    int is_ball, radius, other; /* radius -1: it is 1 */
};

struct starfish_vtk_grid {
    struct starfish_vtk_axis axis[3];
    const struct starfish_vtk_round *round; /* NULL: the positions are Cartesian */
};

/* Could `path` be written with this grid? It must end in .vti (equal spacing only) or .vtr, round ones in .vts.
 * Errors: ARGUMENT (extension), FILE. */
starfish_status starfish_vtk_check(const char *path, const struct starfish_vtk_grid *grid);

/* Write one scalar field, axis[0] fastest, as ImageData (.vti), RectilinearGrid (.vtr) or StructuredGrid (.vts), whole
 * or not at all (apps/files/output.h). A 2D field has axis[2].n = 1. Errors: ARGUMENT (extension), FILE. */
starfish_status starfish_vtk_write(const char *path, const struct starfish_vtk_grid *grid, const char *name,
                                   const struct starfish_array *field);
/* What is in front of the values, the field's data not looked at, and behind them; the stream says whether it got
 * through. */
void starfish_vtk_write_header(FILE *stream, const char *path, const struct starfish_vtk_grid *grid, const char *name,
                               const struct starfish_array *field);
void starfish_vtk_write_footer(FILE *stream);
/* The first lines of any of VTK's XML files. */
void starfish_vtk_begin(FILE *stream, const char *type);

#endif
