/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of slices in their true shape: discs, sectors and annuli, sections of shells, maps of spheres. */
#ifndef STARFISH_APPS_SOLVE_CURVED_H
#define STARFISH_APPS_SOLVE_CURVED_H

#include "apps/pictures/image.h"

#include <starfish/poisson.h>

/* Draws a slice whose labels are names of directions, over the whole range of its axes; without an angle that bends it,
 * as starfish_image_write does. Values are interpolated linearly along both directions, up to the ends that of the
 * outermost unknown. Errors: FILE, MEMORY. */
starfish_status solve_write_curved(const char *path, const struct starfish_slice *slice,
                                   const struct starfish_axis axis[2]);

#endif
