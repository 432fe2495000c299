/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the ten drivers know before they have seen a right-hand side: directions, their factors, and how both become a
 * solve. The first direction's rows become z of a direct solve and the second one's x, which h[0] multiplies; of
 * Cartesian coordinates the other way around. On spheres without longitude equations are multiplied by r^2, so that the
 * second direction's matrix is diagonalised once for all calls; where its centre is an unknown, the directions change
 * places instead. Rows at an axis or a pole are one unknown (tasks/slab.h). */
#include "fishpack/shape.h"

#include "fishpack/directions.h"
#include "fishpack/kept.h"
#include "poisson/null_space.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

starfish_end starfish_shape_end(int code, int end, starfish_end nothing)
{
    static const char ends[][3] = {"PP", "DD", "DN", "NN", "ND", "-D", "-N", "D-", "N-", "--"};
    const char e = ends[code][end];
    return e == 'P' ? STARFISH_PERIODIC : e == 'D' ? STARFISH_DIRICHLET : e == 'N' ? STARFISH_NEUMANN : nothing;
}

static int takes_nothing(const struct starfish_shape *s, int d, int end)
{
    return s->axis[d].ends[end] > STARFISH_ROBIN;
}

static void describe_axis(struct starfish_shape *s, int d, starfish_end nothing)
{
    struct starfish_axis *axis = &s->axis[d];
    const int nodes = !s->p.cells && s->p.code[d] != 0;
    *axis = (struct starfish_axis){.kind = STARFISH_UNIFORM,
                                   .origin = s->p.low[d],
                                   .length = s->p.high[d] - s->p.low[d],
                                   .grid = s->p.cells ? STARFISH_CELL : STARFISH_NODE};
    for (int end = 0; end < 2; end++)
        axis->ends[end] = starfish_shape_end(s->p.code[d], end, nothing);
    axis->n = (size_t)s->p.panels[d];
    if (nodes)
        axis->n += 1 - (axis->ends[0] == STARFISH_DIRICHLET) - (axis->ends[1] == STARFISH_DIRICHLET);
    s->first[d] = nodes && axis->ends[0] == STARFISH_DIRICHLET;
}

static starfish_status make_directions(struct starfish_shape *s)
{
    static const struct {
        enum starfish_metric metric[2];
        starfish_end nothing;
    } of[] = {[STARFISH_CRT] = {{STARFISH_METRIC_NONE, STARFISH_METRIC_NONE}, STARFISH_END_AXIS},
              [STARFISH_PLR] = {{STARFISH_METRIC_RADIUS, STARFISH_METRIC_NONE}, STARFISH_END_AXIS},
              [STARFISH_CYL] = {{STARFISH_METRIC_RADIUS, STARFISH_METRIC_NONE}, STARFISH_END_AXIS},
              [STARFISH_SSP] = {{STARFISH_METRIC_SINE, STARFISH_METRIC_NONE}, STARFISH_END_POLE},
              [STARFISH_CSP] = {{STARFISH_METRIC_SINE, STARFISH_METRIC_SQUARE}, STARFISH_END_POLE}};
    describe_axis(s, 0, of[s->p.system].nothing);
    describe_axis(s, 1, STARFISH_END_CENTRE);
    for (int d = 0; d < 2; d++)
        STARFISH_TRY(starfish_direction_create(&s->d[d], d == 0 ? "the first direction" : "the second direction",
                                               &s->axis[d], of[s->p.system].metric[d], 0));
    s->has_centre = !s->p.cells && takes_nothing(s, 1, 0);
    s->z = s->has_centre || s->p.system == STARFISH_CRT; /* which has FISHPACK's order then */
    for (int end = 0; end < 2; end++)
        s->has_point[end] =
            !s->p.cells && takes_nothing(s, 0, end) && (s->p.system == STARFISH_PLR || s->p.system == STARFISH_SSP);
    return STARFISH_SUCCESS;
}

double starfish_shape_place(const struct starfish_axis *axis, size_t k)
{
    const double first = axis->grid == STARFISH_CELL ? 0.5 : axis->ends[0] == STARFISH_DIRICHLET ? 1 : 0;
    const double panels =
        axis->grid == STARFISH_CELL || axis->ends[0] == STARFISH_PERIODIC
            ? (double)axis->n
            : (double)axis->n - 1 + (axis->ends[0] == STARFISH_DIRICHLET) + (axis->ends[1] == STARFISH_DIRICHLET);
    return axis->origin + axis->length / panels * ((double)k + first);
}

/* lambda, divided by what FISHPACK divides it by, times what equations are multiplied by: on the diagonal of z. */
static starfish_status add_lambda(struct starfish_shape *s)
{
    struct starfish_direction *d = &s->d[s->z];
    for (size_t k = 0; s->p.lambda != 0 && k < d->n; k++) {
        const double at = starfish_shape_place(&s->axis[0], k);
        const double divisor = s->p.system == STARFISH_CYL ? at : s->p.system == STARFISH_CSP ? sin(at) : 1;
        d->diag[k] += s->p.lambda / (divisor * divisor);
        d->sum[k] += s->p.lambda / (divisor * divisor);
    }
    return s->p.lambda != 0 ? starfish_find_null_space(d) : STARFISH_SUCCESS;
}

/* The equation of the centre says that the fluxes into it add up (FISHPACK's closure). All others are divided by
 * r^2. */
static starfish_status close_centre(struct starfish_shape *s)
{
    struct starfish_direction *r = &s->d[1];
    const double h_t = s->axis[0].length / s->p.panels[0], h_r = s->axis[1].length / s->p.panels[1];
    const double sines =
        sin(starfish_shape_place(&s->axis[0], 1)) / s->d[0].weight[1]; /* the sum, of weights that sum to one */
    const double closure = 6 * h_t / (h_r * h_r * (cos(s->p.low[0]) - cos(s->p.high[0]))) * sines;
    double *const rows[] = {r->lower, r->diag, r->upper, r->sum};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 1; k < r->n; k++)
            rows[i][k] *= s->h[1][k];
    r->upper[0] = closure;
    r->diag[0] = -closure;
    return starfish_find_null_space(r);
}

/* h. Rows of r are those of r^2 times the equations; weights and data are the equations'. */
static starfish_status make_factors(struct starfish_shape *s)
{
    struct starfish_direction *r = &s->d[1];
    if (s->p.system == STARFISH_PLR || s->p.system == STARFISH_SSP)
        s->h[0] = s->d[0].weight_x;
    if (s->p.system != STARFISH_CSP)
        return STARFISH_SUCCESS;
    double *h = s->radii = malloc(r->n * sizeof *h), sum = 0;
    STARFISH_FAIL_IF(!h, STARFISH_ERROR_MEMORY, "out of memory for %zu radii", r->n);
    for (size_t k = 0; k < r->n; k++) {
        h[k] = s->has_centre && k == 0 ? 0 : 1 / r->scale_y[k];
        r->weight[k] *= r->scale_y[k];
        sum += r->weight[k];
    }
    for (size_t k = 0; k < r->n; k++)
        r->weight[k] /= sum > 0 ? sum : 1;
    s->h[1] = h;
    for (int end = 0; end < 2; end++)
        r->boundary_weight[end] *= h[end == 0 ? 0 : r->n - 1];
    return s->has_centre ? close_centre(s) : STARFISH_SUCCESS;
}

static void describe_plan(const struct starfish_shape *s, struct starfish_direct *direct)
{
    static const int kinds[] = {STARFISH_POISSON2D, STARFISH_POLAR2D, STARFISH_DIRECT_PLAIN, STARFISH_SPHERE2D,
                                STARFISH_DIRECT_PLAIN};
    direct->kind = kinds[s->p.system];
    direct->axis[0] = s->axis[1 - s->z];
    direct->axis[1] = starfish_no_axis();
    direct->axis[2] = s->axis[s->z];
    direct->lambda = s->p.lambda;
    if (direct->kind != STARFISH_DIRECT_PLAIN)
        return;
    direct->lambda = 0;
    direct->axis[2] = starfish_axis_of_direction(&direct->z);
    if (s->p.system == STARFISH_CSP)
        direct->axis[0] = starfish_axis_of_direction(&direct->x);
}

/* The directions are lent. The centre's row is one unknown in a plan for none of its kinds. */
static starfish_status make_direct(struct starfish_shape *s)
{
    static const double zero = 0;
    struct starfish_direct *direct = &s->direct;
    *direct = (struct starfish_direct){.parts = 1, .x = s->d[1 - s->z], .z = s->d[s->z], .no_plan = s->has_centre};
    direct->y = (struct starfish_direction){.n = 1,
                                            .has_transform = 1,
                                            .transform = STARFISH_TRANSFORM_PERIODIC,
                                            .constant_null = 1,
                                            .eigenvalue = (double *)(uintptr_t)&zero};
    direct->x.weight_x = NULL;
    direct->x.scale_y = s->has_centre ? NULL : s->d[1].scale_y;
    direct->z.scale_y = NULL;
    direct->z.weight_x = (double *)(uintptr_t)s->h[s->z];
    describe_plan(s, direct);
    return starfish_direct_prepare(direct);
}

/* ---- Kept between calls ------------------------------------------------------------------------------------------ */

static void destroy(void *object)
{
    struct starfish_shape *s = object;
    starfish_direct_unprepare(&s->direct);
    for (int d = 0; d < 2; d++)
        starfish_direction_destroy(&s->d[d]);
    free(s->radii);
    free(s);
}

static starfish_status fill(struct starfish_shape *s)
{
    STARFISH_TRY(make_directions(s));
    STARFISH_TRY(add_lambda(s));
    STARFISH_TRY(make_factors(s));
    s->singular = s->p.lambda == 0 && s->d[0].constant_null && s->d[1].constant_null;
    return make_direct(s);
}

static starfish_status make(const void *from, void **object, size_t *bytes)
{
    struct starfish_shape *s = calloc(1, sizeof *s);
    STARFISH_FAIL_IF(!s, STARFISH_ERROR_MEMORY, "out of memory for directions");
    s->p = *(const struct starfish_helmholtz *)from;
    const starfish_status status = fill(s);
    if (status != STARFISH_SUCCESS) {
        destroy(s);
        return status;
    }
    *bytes = sizeof *s + 8 * sizeof(double) * (s->d[0].n + s->d[1].n);
    *object = s;
    return STARFISH_SUCCESS;
}

starfish_status starfish_shape_find(const struct starfish_helmholtz *problem, const struct starfish_shape **shape)
{
    static const struct starfish_kept_kind kind = {make, destroy};
    const double key[] = {(double)problem->system, problem->cells,   problem->low[0], problem->low[1],
                          problem->high[0],        problem->high[1], problem->lambda, problem->panels[0],
                          problem->panels[1],      problem->code[0], problem->code[1]};
    void *object = NULL;
    STARFISH_TRY(starfish_kept_find(&kind, &(struct starfish_key){(unsigned char *)(uintptr_t)key, sizeof key, 0, 0},
                                    problem, &object));
    *shape = object;
    return STARFISH_SUCCESS;
}
