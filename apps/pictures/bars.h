/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of measured times: one horizontal bar per measurement, from zero on a linear axis, coloured by group. */
#ifndef STARFISH_APPS_PICTURES_BARS_H
#define STARFISH_APPS_PICTURES_BARS_H

#include "base/status.h"

#include <stddef.h>

struct starfish_bar {
    const char *label;
    const char *group; /* who: bars of one group have one colour */
    double value;      /* positive */
    double low, high;  /* the spread, drawn as a whisker; 0 for none */
    double mark;       /* a limit, drawn as a tick across the bar; 0 for none */
};

struct starfish_bars {
    const struct starfish_bar *bar; /* from the top down */
    size_t count;                   /* 1..STARFISH_MOST_BARS are drawn */
    /* axis: what the values are, with their unit; NULL: seconds, which are shown in a unit that suits them. mark: what
     * the marks are, and whisker what the whiskers are, for the legend; NULL: nothing is said. subtitle: NULL: none. */
    const char *axis, *title, *subtitle, *mark, *whisker;
};

enum { STARFISH_MOST_BARS = 512 };

/* Draw and write, whole or not at all (apps/files/output.h). Errors: ARGUMENT (a value that is not positive), FILE,
 * MEMORY. */
starfish_status starfish_bars_write(const char *path, const struct starfish_bars *chart);

#endif
