/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cylinders, spheres, shells and planes as directions of the separable solvers: which ends and ranges they may have,
 * and their metrics. */
#include "poisson/coordinates.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define ROUNDING 1e-12 /* within it 0, pi and 2 pi are recognised */

static const struct starfish_coordinates coordinates[] = {
    [STARFISH_POISSON2D] = {2, {0, -1, 1}, {0}, {"axis x", "", "axis y"}},
    [STARFISH_POLAR2D] = {2, {0, -1, 1}, {0, 0, STARFISH_METRIC_RADIUS}, {"axis theta", "", "axis r"}},
    [STARFISH_CYLINDER3D] = {3, {0, 1, 2}, {0, 0, STARFISH_METRIC_RADIUS}, {"axis theta", "axis z", "axis r"}},
    [STARFISH_SPHERE2D] = {2, {0, -1, 1}, {0, 0, STARFISH_METRIC_SINE}, {"axis phi", "", "axis theta"}},
    [STARFISH_SHELL3D] = {
        3, {0, 1, 2}, {0, STARFISH_METRIC_SQUARE, STARFISH_METRIC_SINE}, {"axis phi", "axis r", "axis theta"}}};

const struct starfish_coordinates *starfish_coordinates_of(starfish_kind kind)
{
    return &coordinates[kind];
}

/* ---- Checking ---------------------------------------------------------------------------------------------------- */

/* A direction with a metric: the range that it may have, and its end at the lower limit, and at the upper one. */
static const struct limits {
    double low, high;
    starfish_end end;
    const char *word, *place;
} limits[STARFISH_METRICS] = {
    [STARFISH_METRIC_RADIUS] = {0, HUGE_VAL, STARFISH_END_AXIS, "STARFISH_END_AXIS", "r = 0"},
    [STARFISH_METRIC_SINE] = {0, PI, STARFISH_END_POLE, "STARFISH_END_POLE", "theta = 0 and theta = pi"},
    [STARFISH_METRIC_SQUARE] = {0, HUGE_VAL, STARFISH_END_CENTRE, "STARFISH_END_CENTRE", "r = 0"}};

/* Low and high end of the range of an axis whose arrays have been checked. */
static void range_of(const struct starfish_axis *axis, double range[2])
{
    range[0] = axis->origin;
    range[1] = axis->origin + axis->length;
    if (axis->kind == STARFISH_STRETCHED) {
        range[0] = axis->coordinates[0];
        range[1] = axis->coordinates[axis->coordinate_count - 1];
    }
}

/* Whether the end lies where the metric is zero. */
static int is_at_limit(enum starfish_metric metric, double at, int end)
{
    const struct limits *limit = &limits[metric];
    return fabs(at - (end ? limit->high : limit->low)) <= ROUNDING;
}

/* An axis or a pole that is a node is one unknown: the angle must have a constant mode. */
static starfish_status check_node(const struct starfish_problem *problem, int d, const char *place)
{
    const struct starfish_coordinates *c = &coordinates[problem->kind];
    const starfish_end *const ends = problem->axis[0].ends;
    STARFISH_FAIL_IF(c->dimensions > 2, STARFISH_ERROR_UNSUPPORTED,
                     "%s.grid: of three dimensions there are no nodes at %s, use cells", c->name[d], place);
    STARFISH_REFUSE_IF(problem->axis[c->axis[d]].n < 2, "%s.n is 1, but nodes at %s need at least 2", c->name[d],
                       place);
    STARFISH_REFUSE_IF(ends[0] != ends[1] || (ends[0] != STARFISH_PERIODIC && ends[0] != STARFISH_NEUMANN),
                       "%s.ends: nodes of %s at %s need a periodic angle or two Neumann ends", c->name[0], c->name[d],
                       place);
    return STARFISH_SUCCESS;
}

static starfish_status check_range(const struct starfish_problem *problem, int d, const struct starfish_axis *axis)
{
    const char *const name = coordinates[problem->kind].name[d];
    const enum starfish_metric metric = coordinates[problem->kind].metric[d];
    const struct limits *limit = &limits[metric];
    double range[2];
    range_of(axis, range);
    STARFISH_REFUSE_IF(!isfinite(range[0]) || !isfinite(range[1]), "%s: its range is not finite", name);
    STARFISH_REFUSE_IF(range[0] < limit->low - ROUNDING || range[1] > limit->high + ROUNDING,
                       "%s: its range is %.17g to %.17g, not in %g to %g", name, range[0], range[1], limit->low,
                       limit->high);
    for (int end = 0; end < 2; end++) {
        const int there = is_at_limit(metric, range[end], end);
        STARFISH_REFUSE_IF(axis->ends[end] == STARFISH_PERIODIC, "%s.ends[%d]: this direction cannot be periodic", name,
                           end);
        STARFISH_REFUSE_IF(axis->ends[end] > STARFISH_ROBIN && (axis->ends[end] != limit->end || !there),
                           "%s.ends[%d]: %s is for an end at %s alone", name, end, limit->word, limit->place);
        STARFISH_REFUSE_IF(there && axis->ends[end] != limit->end, "%s.ends[%d] must be %s at %s", name, end,
                           limit->word, limit->place);
        if (there && axis->grid == STARFISH_NODE)
            STARFISH_TRY(check_node(problem, d, limit->place));
    }
    return STARFISH_SUCCESS;
}

/* The first axis of curvilinear kinds; and what has no metric. */
static starfish_status check_plain(const char *name, int is_angle, const struct starfish_axis *axis)
{
    for (int end = 0; end < 2; end++)
        STARFISH_REFUSE_IF(axis->ends[end] > STARFISH_ROBIN, "%s.ends[%d]: this direction has no axis, pole or centre",
                           name, end);
    STARFISH_REFUSE_IF(is_angle && axis->length > 2 * PI * (1 + ROUNDING),
                       "%s.length is %.17g, an angle of more than 2 pi", name, axis->length);
    return STARFISH_SUCCESS;
}

starfish_status starfish_coordinates_check(const struct starfish_problem *problem)
{
    STARFISH_REFUSE_IF((unsigned)problem->kind > STARFISH_SHELL3D, "problem.kind is unknown");
    STARFISH_FAIL_IF(problem->order != 0 || problem->kernel != 0, STARFISH_ERROR_UNSUPPORTED,
                     "problem.order and problem.kernel must be 0");
    const struct starfish_coordinates *c = &coordinates[problem->kind];
    for (int d = 0; d < 3; d++) {
        const struct starfish_axis *axis = c->axis[d] < 0 ? NULL : &problem->axis[c->axis[d]];
        if (!axis)
            continue;
        STARFISH_REFUSE_IF(axis->kind != STARFISH_UNIFORM && (d == 0 || axis->kind != STARFISH_STRETCHED),
                           "%s.kind must be STARFISH_UNIFORM%s", c->name[d], d == 0 ? "" : " or STARFISH_STRETCHED");
        STARFISH_REFUSE_IF(axis->kind == STARFISH_STRETCHED && (!axis->coordinates || axis->coordinate_count < 2),
                           "%s.coordinates: fewer than two", c->name[d]);
        STARFISH_TRY(c->metric[d] != STARFISH_METRIC_NONE
                         ? check_range(problem, d, axis)
                         : check_plain(c->name[d], d == 0 && problem->kind != STARFISH_POISSON2D, axis));
    }
    return STARFISH_SUCCESS;
}

/* ---- Metric ------------------------------------------------------------------------------------------------------ */

/* Exactly zero at axis, poles and centre. */
static double at_face(enum starfish_metric metric, double x)
{
    if (metric == STARFISH_METRIC_SINE)
        return is_at_limit(metric, x, 0) || is_at_limit(metric, x, 1) ? 0 : sin(x);
    return is_at_limit(metric, x, 0) ? 0 : metric == STARFISH_METRIC_SQUARE ? x * x : x;
}

static double at_unknown(enum starfish_metric metric, double x)
{
    return metric == STARFISH_METRIC_SQUARE ? 1 : metric == STARFISH_METRIC_SINE ? sin(x) : x;
}

/* Whether unknown k of n, places in `at`, is a node on axis or pole. */
static int is_limit(enum starfish_metric metric, const double *at, size_t k, size_t n)
{
    return (k == 0 && is_at_limit(metric, at[k], 0)) || (k + 1 == n && is_at_limit(metric, at[k], 1));
}

/* Row k, of the one unknown at axis or pole, whose neighbours are all those at a distance: 4 (mean(u) - u_k) / d^2 is
 * the flux into a disc of half that radius (FISHPACK's closure). Its weight is 0, since nothing varies along x. */
static void meet_at_point(struct starfish_direction *d, size_t k, double distance)
{
    const double coupling = 4 / (distance * distance);
    d->lower[k] = k == 0 ? 0 : coupling;
    d->upper[k] = k == 0 ? coupling : 0;
    d->diag[k] = -coupling;
}

starfish_status starfish_metric_apply(enum starfish_metric metric, struct starfish_direction *d, const double *faces,
                                      const double *at)
{
    double *factor = calloc(d->n, sizeof *factor);
    STARFISH_FAIL_IF(!factor, STARFISH_ERROR_MEMORY, "out of memory for the metric of %zu unknowns", d->n);
    *(metric == STARFISH_METRIC_SQUARE ? &d->scale_y : &d->weight_x) = factor;
    for (size_t k = 0; k < d->n; k++) {
        if (is_limit(metric, at, k, d->n)) {
            meet_at_point(d, k, 2 * fabs(faces[k == 0 ? 1 : k] - at[k]));
            continue;
        }
        const double volume = at_unknown(metric, at[k]);
        d->lower[k] *= at_face(metric, faces[k]) / volume;
        d->upper[k] *= at_face(metric, faces[k + 1]) / volume;
        d->diag[k] = -(d->lower[k] + d->upper[k]);
        factor[k] = metric == STARFISH_METRIC_SQUARE ? at[k] * at[k] : 1 / (volume * volume);
    }
    return STARFISH_SUCCESS;
}
