/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Right-hand sides of the ten drivers: data at ends, equations of axis, poles and centre, pertrb, and the constants of
 * singular solutions. shape.h has all else. */
#include "fishpack/helmholtz.h"

#include "fishpack/field.h"
#include "fishpack/kept.h"
#include "fishpack/shape.h"

#include <math.h>
#include <stdint.h>

struct driver {
    struct starfish_helmholtz p;
    const struct starfish_shape *shape;
    struct starfish_call *call;
    const double *datum[2][2];
    struct starfish_call_array f;
    struct starfish_plane u;
    double pertrb;
};

/* ---- Right-hand sides -------------------------------------------------------------------------------------------- */

/* The datum of an end beside unknown k of the other direction. */
static double datum(const struct driver *s, int d, int end, size_t k)
{
    const size_t at = k + s->shape->first[1 - d], i = end == 0 ? 0 : (size_t)s->p.panels[d];
    if (s->p.cells || s->shape->axis[d].ends[end] == STARFISH_NEUMANN)
        return s->datum[d][end][at];
    return d == 0 ? s->f.at[i + s->f.row * at] : s->f.at[at + s->f.row * i];
}

static void move_data(const struct driver *s)
{
    for (int d = 0; d < 2; d++) {
        const struct starfish_direction *other = &s->shape->d[1 - d];
        const double *h = s->shape->h[1 - d];
        for (int end = 0; end < 2; end++)
            for (size_t k = 0; s->shape->d[d].boundary_weight[end] != 0 && k < other->n; k++) {
                const size_t at = end == 0 ? 0 : s->shape->d[d].n - 1, i = d == 0 ? at : k, j = d == 0 ? k : at;
                *starfish_plane_number(&s->u, i, j) -=
                    s->shape->d[d].boundary_weight[end] * (h ? h[k] : 1) * datum(s, d, end, k);
            }
    }
}

/* All unknowns of row i, or of column 0, are one, whose right-hand side f has where the other index is first. */
static void fill_points(const struct driver *s)
{
    const double h[2] = {s->shape->axis[0].length / s->p.panels[0], s->shape->axis[1].length / s->p.panels[1]};
    for (int end = 0; end < 2; end++) {
        if (!s->shape->has_point[end])
            continue;
        const size_t i = end == 0 ? 0 : s->shape->d[0].n - 1, at = i + s->shape->first[0], near = end == 0 ? 1 : at - 1;
        double value = s->f.at[at + s->f.row * s->shape->first[1]];
        if (s->p.code[1] == 3)
            value -= 4 * (s->datum[1][1][near] - s->datum[1][0][near]) / (s->p.panels[1] * h[1] * h[0] * h[0]);
        for (size_t j = 0; j < s->shape->d[1].n; j++)
            *starfish_plane_number(&s->u, i, j) = value;
    }
    if (!s->shape->has_centre)
        return;
    double value = s->f.at[s->shape->first[0]];
    if (s->p.code[0] == 3)
        value -= 3 / (h[1] * h[1] * (cos(s->p.low[0]) - cos(s->p.high[0]))) *
                 (sin(s->p.high[0]) * s->datum[0][1][1] - sin(s->p.low[0]) * s->datum[0][0][1]);
    for (size_t i = 0; i < s->shape->d[0].n; i++)
        *starfish_plane_number(&s->u, i, 0) = value;
}

/* ---- Constants of singular problems ------------------------------------------------------------------------------ */

/* Of a cell grid, the end without a face that a value is given at: -1 none, or the end of direction *d. The value
 * there fixes the constant. */
static int fixing_end(const struct driver *s, int *d)
{
    *d = s->p.system == STARFISH_CSP ? 1 : 0;
    if (!s->p.cells || s->p.system == STARFISH_CRT || s->p.system == STARFISH_CYL)
        return -1;
    if (s->p.system == STARFISH_SSP && s->p.code[0] == 5 && s->datum[0][0] && s->shape->d[0].boundary_weight[1] == 0)
        return 0; /* as FISHPACK does, though nothing is given there */
    for (int end = 0; end < 2; end++)
        if (s->shape->axis[*d].ends[end] == STARFISH_DIRICHLET && s->shape->d[*d].boundary_weight[end] == 0)
            return end;
    return -1;
}

/* What the row next to such an end says of u there: with f, boundary terms in it and pertrb off, before the solve, and
 * with u afterwards (FISHPACK's extrapolation). */
static double row_at(const struct driver *s, int d, int end, int of_f)
{
    const size_t k = end == 0 ? 0 : s->shape->d[d].n - 1;
    const double h = s->shape->axis[d].length / s->p.panels[d];
    double sum = 0, sines = 0;
    for (size_t o = 0; o < s->shape->d[1 - d].n; o++) {
        const double weight = d == 1 ? sin(starfish_shape_place(&s->shape->axis[0], o)) : 1,
                     r = d == 1 ? starfish_shape_place(&s->shape->axis[1], k) : h / 4;
        const double value = *starfish_plane_number(&s->u, d == 0 ? k : o, d == 0 ? o : k);
        sines += weight;
        sum += d == 1 ? (of_f ? r * r / 2 : weight) * value : (of_f ? -r * r : 1) * value;
    }
    return sum / sines;
}

/* Fluxes through walls of the other direction. */
static double walls_at(const struct driver *s, int d, int end)
{
    const size_t k = end == 0 ? 0 : s->shape->d[d].n - 1;
    if (s->p.code[1 - d] != 3)
        return 0;
    if (d == 0)
        return (s->datum[1][1][k] - s->datum[1][0][k]) / s->shape->axis[1].length;
    double sines = 0;
    for (size_t i = 0; i < s->shape->d[0].n; i++)
        sines += sin(starfish_shape_place(&s->shape->axis[0], i));
    return (sin(s->p.high[0]) * s->datum[0][1][k] - sin(s->p.low[0]) * s->datum[0][0][k]) /
           (2 * s->shape->axis[0].length) / sines;
}

/* What is added to a solution: zero at axis, south pole or else north pole, or centre; or the value that fixes it; or
 * what makes the mean zero. `before`: row_at of f. */
static double constant(const struct driver *s, double before)
{
    const double *const weight[2] = {s->shape->d[0].weight, s->shape->d[1].weight};
    int d;
    const int end = fixing_end(s, &d);
    if (end >= 0)
        return s->datum[d][end][0] - (row_at(s, d, end, 0) + before + walls_at(s, d, end));
    if (s->shape->has_centre)
        return -*starfish_plane_number(&s->u, 0, 0);
    if (s->shape->has_point[0] || s->shape->has_point[1])
        return -*starfish_plane_number(&s->u, s->shape->has_point[1] ? s->shape->d[0].n - 1 : 0, 0);
    return -starfish_plane_mean(&s->u, weight);
}

static double take_pertrb(struct driver *s)
{
    const double *const weight[2] = {s->shape->d[0].weight, s->shape->d[1].weight};
    int d;
    s->pertrb = starfish_plane_mean(&s->u, weight);
    starfish_plane_add(&s->u, -s->pertrb);
    const int end = fixing_end(s, &d);
    return end >= 0 ? row_at(s, d, end, 1) : 0;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* What plans of separable2d do not do. */
static void scale_rhs(const struct driver *s)
{
    for (size_t i = 0; i < s->u.n[0]; i++)
        for (size_t j = 0; j < s->u.n[1]; j++)
            *starfish_plane_number(&s->u, i, j) *= s->shape->d[1].scale_y[j];
}

static starfish_status solve(struct driver *s)
{
    const struct starfish_direct *direct = &s->shape->direct;
    const int singular = s->shape->singular;
    struct starfish_direct_way way;
    STARFISH_TRY(starfish_direct_begin(direct, &way));
    s->u = starfish_plane_of(direct, &way, s->shape->z);
    starfish_plane_take(&s->u, &s->f, s->shape->first);
    move_data(s);
    fill_points(s);
    const double before = singular ? take_pertrb(s) : 0;
    if (way.by_plan && direct->x.scale_y)
        scale_rhs(s);
    const starfish_status status = starfish_direct_solve(direct, &way);
    if (singular && status == STARFISH_SUCCESS)
        starfish_plane_add(&s->u, constant(s, before));
    if (status == STARFISH_SUCCESS)
        starfish_plane_give(&s->u, &s->f, s->shape->first);
    starfish_direct_end(&way);
    return status;
}

/* Values at periodic ends are those at the others. */
static void close_periods(const struct driver *s)
{
    const size_t m = (size_t)s->p.panels[0], n = (size_t)s->p.panels[1];
    const struct starfish_call_array *f = &s->f;
    for (size_t i = 0; !s->p.cells && s->p.code[1] == 0 && i <= m; i++)
        f->at[i + f->row * n] = f->at[i];
    for (size_t j = 0; !s->p.cells && s->p.code[0] == 0 && j <= n; j++)
        f->at[m + f->row * j] = f->at[f->row * j];
}

static void read_arguments(struct driver *s)
{
    struct starfish_call *call = s->call;
    const int a = s->p.first, nodes = !s->p.cells;
    const size_t count[2] = {(size_t)(s->p.panels[0] + nodes), (size_t)(s->p.panels[1] + nodes)};
    static const int argument[2][2] = {{4, 5}, {10, 11}};
    for (int d = 0; d < 2; d++)
        for (int end = 0; end < 2; end++) {
            const int is_read = s->p.cells
                                    ? starfish_shape_end(s->p.code[d], end, STARFISH_END_AXIS) <= STARFISH_ROBIN
                                    : starfish_shape_end(s->p.code[d], end, STARFISH_END_AXIS) == STARFISH_NEUMANN;
            s->datum[d][end] =
                is_read && s->p.code[d] != 0 ? starfish_call_reals(call, a + argument[d][end], count[1 - d]) : NULL;
        }
    if (s->p.cells && s->p.system == STARFISH_SSP && s->p.code[0] == 5) /* see fixing_end */
        s->datum[0][0] = starfish_call_reals(call, a + 4, count[1]);
    s->f = starfish_call_array(call, a + 13,
                               &(struct starfish_call_array){NULL, count[0], count[1], (size_t)s->p.idimf, 1});
}

static starfish_status run(struct driver *s)
{
    read_arguments(s);
    STARFISH_FAIL_IF(s->call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for arguments");
    STARFISH_TRY(solve(s));
    close_periods(s);
    starfish_call_give(s->call, s->p.first + 13, &s->f, (size_t)s->p.idimf);
    return STARFISH_SUCCESS;
}

/* Of floats, those of pi and 2 pi are meant to be them. */
static double limit(const struct starfish_call *call, int k)
{
    static const double pi = 3.14159265358979323846;
    const double value = starfish_call_real(call, k);
    if (call->single && (float)value == (float)pi)
        return pi;
    return call->single && (float)value == (float)(2 * pi) ? 2 * pi : value;
}

starfish_status starfish_helmholtz_call(struct starfish_call *call, enum starfish_coordinate_system system, int cells)
{
    const int a = system == STARFISH_CSP;
    struct driver s = {.call = call, .p = {.system = system, .cells = cells, .first = a}};
    static const int at[2] = {0, 6};
    int solves;
    for (int d = 0; d < 2; d++) {
        s.p.low[d] = limit(call, a + at[d]);
        s.p.high[d] = limit(call, a + at[d] + 1);
        s.p.panels[d] = starfish_call_integer(call, a + at[d] + 2);
        s.p.code[d] = starfish_call_integer(call, a + at[d] + 3);
    }
    s.p.lambda = starfish_call_real(call, a + 12);
    s.p.idimf = starfish_call_integer(call, a + 14);
    const int number = starfish_helmholtz_error(&s.p, &solves);
    starfish_call_set_integer(call, a + 16, number);
    STARFISH_REFUSE_IF(!solves, "a test of arguments has failed (ierror %d)", number);
    STARFISH_TRY(starfish_shape_find(&s.p, &s.shape));
    const starfish_status status = run(&s);
    starfish_kept_release((void *)(uintptr_t)s.shape);
    if (status == STARFISH_SUCCESS)
        starfish_call_set_real(call, a + 15, s.pertrb);
    return status;
}
