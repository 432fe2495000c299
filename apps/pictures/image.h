/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of plane slices: colours, axes with their coordinates, a colour bar and a title. */
#ifndef STARFISH_APPS_PICTURES_IMAGE_H
#define STARFISH_APPS_PICTURES_IMAGE_H

#include "base/status.h"

#include <stddef.h>

/* Values on a plane: `across` runs to the right and varies fastest, `up` upwards. */
struct starfish_slice {
    size_t n[2];               /* across, up */
    const double *position[2]; /* increasing coordinates of the values */
    const double *values;      /* n[0] * n[1], finite, or NaN where there are none: the picture is blank there */
    const char *label[2];
    const char *title, *subtitle; /* subtitle: NULL: none */
};

/* Draw and write, whole or not at all (apps/files/output.h). Data of both signs get the diverging map, symmetric about
 * zero. Shapes flatter than 5:1 are drawn 5:1. Errors: FILE, MEMORY. */
starfish_status starfish_image_write(const char *path, const struct starfish_slice *slice);

#endif
