/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Axes of charts: ticks at round numbers, their texts, lines of a grid, and what an axis is of. */
#ifndef STARFISH_APPS_PICTURES_AXES_H
#define STARFISH_APPS_PICTURES_AXES_H

#include "apps/pictures/canvas.h"

enum { STARFISH_TICK = 5 }; /* their length */

/* From values to points: `range` becomes `low` .. `high`, which may run either way. */
struct starfish_scale {
    struct starfish_range range;
    double low, high;
    int logarithmic;   /* then the range is positive */
    double least_step; /* between two ticks, where it is not logarithmic: 1 for what is counted; 0: any */
};

double starfish_scale_at(const struct starfish_scale *scale, double value);
/* Times in seconds: the unit in which the largest has one to three digits before the point, its name as an axis has it
 * ("milliseconds"), and how many of it a second is. */
const char *starfish_time_unit(double largest, double *per_second);
/* From zero to a round number that is not less than `largest`. */
struct starfish_range starfish_range_from_zero(double largest);

/* Along the bottom of `plot`, with lines through it; and along its left, or where `side` is 1 its right, side. */
void starfish_axis_below(struct starfish_canvas *canvas, struct starfish_area plot, const struct starfish_scale *scale,
                         const char *label, int grid);
void starfish_axis_beside(struct starfish_canvas *canvas, struct starfish_area plot, const struct starfish_scale *scale,
                          int side, int grid);

/* Coloured squares and names from the left, and on the next line where they do not fit into `width`. Returns the height
 * that they take; without a canvas they are measured alone. */
double starfish_legend(struct starfish_canvas *canvas, double x, double y, double width, size_t count,
                       const char *const *name, const unsigned *colour);
/* Title and subtitle (NULL: none) from the top left. Returns the height that they take. */
double starfish_heading(struct starfish_canvas *canvas, double x, const char *title, const char *subtitle);

/* The width of both, with a margin on either side. */
double starfish_heading_width(double margin, const char *title, const char *subtitle);

#endif
