/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coordinates of problems: which directions they have, what ends and ranges these may have, and the metric that the
 * differences of a direction are weighted with (docs/curvilinear.md).
 *
 * A direction's differences are (w(face) du)/(v(unknown) width). In the equations of row k of z the second difference
 * in x is multiplied by weight_x[k]. The rows of shells are multiplied by scale_y[j] = r^2, so that the radius is a
 * direction like others. */
#ifndef STARFISH_POISSON_COORDINATES_H
#define STARFISH_POISSON_COORDINATES_H

#include "tasks/separable.h"
#include <starfish/poisson.h>

enum starfish_metric {
    STARFISH_METRIC_NONE,   /* w = v = 1 */
    STARFISH_METRIC_RADIUS, /* w = v = r, weight_x = 1/r^2 */
    STARFISH_METRIC_SINE,   /* w = v = sin, weight_x = 1/sin^2 */
    STARFISH_METRIC_SQUARE, /* w = r^2, v = 1, scale_y = r^2 */
    STARFISH_METRICS
};

/* The directions of a kind of problem: of each of the plan's three the axis that it is, -1: it has one unknown. */
struct starfish_coordinates {
    size_t dimensions;
    int axis[3];
    enum starfish_metric metric[3]; /* of the plan's directions */
    const char *name[3];            /* what messages call them */
};
const struct starfish_coordinates *starfish_coordinates_of(starfish_kind kind);

/* Checks kind, reserved members, and of each axis what ends and ranges its direction may have. Errors: ARGUMENT,
 * UNSUPPORTED. */
starfish_status starfish_coordinates_check(const struct starfish_problem *problem);

/* Multiplies couplings of rows by a metric, before ends are closed, and makes weight_x or scale_y. `faces`: n + 1
 * places, `at`: n places of unknowns. Errors: MEMORY. */
starfish_status starfish_metric_apply(enum starfish_metric metric, struct starfish_direction *direction,
                                      const double *faces, const double *at);

#endif
