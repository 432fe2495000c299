/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Charts of curves over a number: times over cores or unknowns (scaling), work per second over work per byte
 * (roofline). Axes are linear from zero, or logarithmic. */
#ifndef STARFISH_APPS_PICTURES_LINES_H
#define STARFISH_APPS_PICTURES_LINES_H

#include "base/status.h"

#include <stddef.h>

struct starfish_line {
    const char *name;
    size_t count;
    const double *x, *y;      /* x increasing */
    int dashed;               /* a bound or an ideal: without dots, in the colour of text, named at its right end */
    int dots_alone;           /* points that no line connects */
    const char *const *label; /* of each point, beside it, "" none; NULL: none at all */
};

struct starfish_lines {
    const struct starfish_line *line; /* 1..STARFISH_MOST_LINES */
    size_t count;
    const char *axis[2];          /* of x and y, with their units */
    int logarithmic[2];           /* then all values in that direction are positive */
    const char *title, *subtitle; /* subtitle: NULL: none */
};

enum { STARFISH_MOST_LINES = 64 };

/* Draw and write, whole or not at all (apps/files/output.h). Errors: ARGUMENT (a value that cannot be shown), FILE,
 * MEMORY. */
starfish_status starfish_lines_write(const char *path, const struct starfish_lines *chart);

#endif
