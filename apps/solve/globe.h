/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps of solutions on the whole sphere (kind atmosphere3d, geometry sphere), over longitude and latitude, as pictures
 * of one layer. */
#ifndef STARFISH_APPS_SOLVE_GLOBE_H
#define STARFISH_APPS_SOLVE_GLOBE_H

#include "apps/files/array.h"

/* Draws layer k of a field of six panels with n x n columns, (layers, 6 n, n), over longitude and latitude: linear
 * between the middles of columns of a panel, up to half a column beyond the outermost. Errors: FILE, MEMORY. */
starfish_status solve_write_globe(const char *path, const struct starfish_array *field, size_t n, size_t k,
                                  const char *title);

#endif
