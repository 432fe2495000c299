/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The campaign's problems in other dress: complex numbers (in two dimensions), boundary data, arrays with strides and
 * ghosts, several problems at once (in three), multigrid (in both). What is solved for is what the oracle has an answer
 * to: factors are powers of two, and data of a face are what the right-hand side has beyond the answer's. */
#include "kind.h"

#include "tests/common/about.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };         /* problems at once */
#define CANARY 0x1.2345p40 /* what lies between unknowns, exact in both precisions */

struct dressed {
    const struct campaign_kind *kind;
    struct campaign_problem problem;
    struct campaign_answer answer;
    struct starfish_poisson_options options;
    size_t n[3], parts;                /* parts: 2 for complex numbers */
    double factor[MOST][2];            /* of each problem, and of each part */
    double *data[3][2];                /* of faces, of all problems, NULL: none */
    double *rhs;                       /* packed, of the first problem, data included */
    struct starfish_boundary boundary; /* points to narrowed copies */
    void *array[2];                    /* right-hand side and solution as they are given */
    size_t extent[2];                  /* of arrays, in reals */
};

static double epsilon(starfish_precision precision)
{
    return precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

static double get(const struct dressed *d, const void *array, size_t i)
{
    return d->problem.precision == STARFISH_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put(const struct dressed *d, void *array, size_t i, double value)
{
    if (d->problem.precision == STARFISH_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

static double rounded(const struct dressed *d, double value)
{
    return d->problem.precision == STARFISH_F32 ? (double)(float)value : value;
}

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

static size_t draw(struct campaign_random *random, int wanted, size_t end)
{
    return wanted ? campaign_below(random, end) : 0;
}

static struct starfish_array_layout choose_layout(const struct dressed *d, struct campaign_random *random)
{
    const int strides = d->kind->strides, ghosts = d->kind->ghosts;
    struct starfish_array_layout l;
    const size_t margin = ghosts ? 2 : 0;
    l.row = d->n[0] + margin + draw(random, strides, 4);
    l.plane = l.row * (d->n[1] + margin + draw(random, strides, 3));
    l.problem = l.plane * (d->n[2] + margin + draw(random, strides, 2));
    l.offset = draw(random, strides, 9) + (ghosts ? 1 + l.row + l.plane : 0);
    return l;
}

/* In reals. */
static size_t place(const struct dressed *d, const struct starfish_array_layout *l, size_t problem, const long at[3])
{
    const long unknown =
        (long)(l->offset + problem * l->problem) + at[0] + at[1] * (long)l->row + at[2] * (long)l->plane;
    return (size_t)unknown * d->parts;
}

static size_t extent_of(const struct dressed *d, const struct starfish_array_layout *l)
{
    return (l->offset + d->options.count * l->problem + l->plane + l->row + 2) * d->parts;
}

/* ---- Boundary data ----------------------------------------------------------------------------------------------- */

/* What a datum of an end times is taken off the right-hand side, from the definition of the grid; 0: no data there. */
static double weight_of(const struct starfish_axis *a, int end)
{
    const double sign = end == 0 ? -1 : 1;
    if (a->kind == STARFISH_TRIDIAGONAL || a->ends[end] == STARFISH_PERIODIC)
        return 0;
    double h, width;
    if (a->kind == STARFISH_UNIFORM) {
        const int dirichlet = (a->ends[0] == STARFISH_DIRICHLET) + (a->ends[1] == STARFISH_DIRICHLET);
        h = width = a->length / ((double)a->n + (a->grid == STARFISH_NODE ? dirichlet - 1 : 0));
    } else {
        const double *x = a->coordinates;
        const size_t last = a->coordinate_count - 1;
        h = end == 0 ? x[1] - x[0] : x[last] - x[last - 1];
        width = h;
        if (a->grid == STARFISH_NODE && a->ends[end] == STARFISH_DIRICHLET) {
            const int mirrored = last < 2; /* beyond a Neumann end next to it */
            width = mirrored ? h : (end == 0 ? x[2] - x[0] : x[last] - x[last - 2]) / 2;
        }
    }
    /* The ghost beyond a Neumann end is the opposite neighbour, which of one unknown on a node is the datum itself. */
    const int twice = a->grid == STARFISH_CELL || (a->n == 1 && a->ends[1 - end] == STARFISH_NEUMANN);
    if (a->ends[end] == STARFISH_DIRICHLET)
        return (twice ? 2 : 1) / (h * width);
    return sign * (a->grid == STARFISH_CELL ? 1 : 2) / width;
}

static size_t face_size(const struct dressed *d, int axis)
{
    return d->n[0] * d->n[1] * d->n[2] / d->n[axis];
}

static size_t on_face(const struct dressed *d, int axis, const size_t at[3])
{
    const int fast = axis == 0 ? 1 : 0, slow = axis == 2 ? 1 : 2;
    return at[fast] + d->n[fast] * at[slow];
}

/* Data of about the size of the right-hand side beside them, so that the condition still says what rounding does. 0
 * where a datum leaves the precision's range. */
static int add_boundary(struct dressed *d, int axis, int end, struct campaign_random *random)
{
    const double weight = weight_of(&d->problem.axis[axis], end);
    const size_t size = face_size(d, axis), total = size * d->options.count;
    void *given = calloc(total, sizeof(double));
    d->boundary.array[axis][end] = given;
    if (weight == 0 || !given)
        return given != NULL;
    double *data = calloc(size, sizeof *data);
    for (size_t i = 0; i < d->answer.count && data; i++) {
        const size_t at[3] = {i % d->n[0], i / d->n[0] % d->n[1], i / d->n[0] / d->n[1]};
        if (at[axis] != (end == 0 ? 0 : d->n[axis] - 1))
            continue;
        const double datum = rounded(d, campaign_uniform(random, -1, 1) * d->answer.rhs[i] / weight);
        if (!isfinite(datum) || (datum != 0 && fabs(datum) < 1e-30)) {
            free(data);
            return 0;
        }
        data[on_face(d, axis, at)] = datum;
        d->rhs[i] += weight * datum;
    }
    for (size_t p = 0; p < d->options.count && data; p++)
        for (size_t k = 0; k < size; k++)
            put(d, given, p * size + k, d->factor[p][0] * data[k]);
    d->data[axis][end] = data;
    return data != NULL;
}

/* ---- Ghosts ------------------------------------------------------------------------------------------------------ */

/* Of homogeneous data: the unknown that the ghost beyond an end is `sign` times. -1: not looked at. */
static int ghost_of(const struct starfish_axis *a, int end, long *from)
{
    const long n = (long)a->n;
    if (a->kind == STARFISH_TRIDIAGONAL ? a->periodic : a->ends[end] == STARFISH_PERIODIC) {
        *from = end == 0 ? n - 1 : 0;
        return 1;
    }
    if (a->kind == STARFISH_TRIDIAGONAL)
        return -2;
    const int dirichlet = a->ends[end] == STARFISH_DIRICHLET;
    *from = end == 0 ? 0 : n - 1;
    if (a->grid == STARFISH_CELL)
        return dirichlet ? -1 : 1;
    if (dirichlet)
        return 0;
    *from = end == 0 ? 1 : n - 2;
    return n > 1 ? 1 : -2;
}

/* Beyond faces; edges and corners have tests of their own. */
static int ghosts_are_right(const struct dressed *d)
{
    const struct starfish_array_layout *l = &d->options.solution_layout;
    for (size_t i = 0; i < d->answer.count; i++)
        for (int axis = 0; axis < 3; axis++)
            for (int end = 0; end < 2; end++) {
                const size_t at[3] = {i % d->n[0], i / d->n[0] % d->n[1], i / d->n[0] / d->n[1]};
                long from[3] = {(long)at[0], (long)at[1], (long)at[2]}, there[3] = {from[0], from[1], from[2]};
                const int sign = ghost_of(&d->problem.axis[axis], end, &from[axis]);
                if (at[axis] != 0 || sign == -2)
                    continue;
                there[axis] = end == 0 ? -1 : (long)d->n[axis];
                const double ghost = get(d, d->array[1], place(d, l, 0, there));
                if (!(fabs(ghost - sign * get(d, d->array[1], place(d, l, 0, from))) <=
                      4 * epsilon(d->problem.precision)))
                    return 0;
            }
    return 1;
}

/* ---- A solve ----------------------------------------------------------------------------------------------------- */

static starfish_status make_plan(starfish_context *context, const struct dressed *d,
                                 const struct starfish_poisson_options *options, starfish_plan **plan)
{
    const struct campaign_problem *p = &d->problem;
    const struct starfish_poisson_problem whole = {.axis = {p->axis[0], p->axis[1], p->axis[2]}, .lambda = p->lambda};
    if (p->in_two)
        return starfish_separable2d_plan_create(context, &p->axis[1], &p->axis[2], p->lambda, options, plan);
    return starfish_poisson_plan_create(context, &whole, options, plan);
}

/* The kind's choices, by the problem's own random numbers. */
static void choose(struct dressed *d, struct campaign_random *random)
{
    const struct campaign_kind *k = d->kind;
    d->options = (struct starfish_poisson_options)STARFISH_POISSON_OPTIONS_DEFAULTS;
    d->options.precision = d->problem.precision;
    d->options.check_residual = 1;
    d->options.method =
        k->multigrid ? STARFISH_METHOD_MULTIGRID : (starfish_method)campaign_below(random, k->many ? 2 : 4);
    d->options.count = k->many ? 1 + campaign_below(random, MOST) : 1;
    d->options.ghosts = k->ghosts;
    d->options.complex_rhs = k->complex_numbers;
    d->parts = k->complex_numbers ? 2 : 1;
    memcpy(d->n, (size_t[3]){d->problem.axis[0].n, d->problem.axis[1].n, d->problem.axis[2].n}, sizeof d->n);
    for (size_t p = 0; p < MOST; p++)
        for (size_t part = 0; part < 2; part++)
            d->factor[p][part] = ldexp(campaign_below(random, 2) ? 1 : -1, (int)campaign_below(random, 7) - 3);
    if (k->many)
        d->options.slabs = 0;
}

/* In two dimensions x is the second axis, and the plane of the campaign's problem a row. */
static void turn_layout(struct starfish_array_layout *l)
{
    *l = (struct starfish_array_layout){.offset = l->offset, .row = l->plane};
}

static int fill_arrays(struct dressed *d, struct campaign_random *random)
{
    struct starfish_array_layout *const layout[2] = {&d->options.rhs_layout, &d->options.solution_layout};
    for (int a = 0; a < 2; a++) {
        *layout[a] = choose_layout(d, random);
        d->extent[a] = extent_of(d, layout[a]);
        if (!(d->array[a] = malloc(d->extent[a] * sizeof(double))))
            return 0;
        for (size_t i = 0; i < d->extent[a]; i++)
            put(d, d->array[a], i, CANARY);
    }
    for (size_t p = 0; p < d->options.count; p++)
        for (size_t i = 0; i < d->answer.count; i++) {
            const long at[3] = {(long)(i % d->n[0]), (long)(i / d->n[0] % d->n[1]), (long)(i / d->n[0] / d->n[1])};
            for (size_t part = 0; part < d->parts; part++)
                put(d, d->array[0], place(d, layout[0], p, at) + part, d->factor[p][part] * d->rhs[i]);
        }
    return 1;
}

/* Takes the unknowns out of the solution's array, so that what is left must be the canary. */
static double error_of(struct dressed *d, uint64_t *bits)
{
    double error = 0;
    for (size_t p = 0; p < d->options.count; p++)
        for (size_t i = 0; i < d->answer.count; i++) {
            const long at[3] = {(long)(i % d->n[0]), (long)(i / d->n[0] % d->n[1]), (long)(i / d->n[0] / d->n[1])};
            for (size_t part = 0; part < d->parts; part++) {
                const size_t where = place(d, &d->options.solution_layout, p, at) + part;
                const double u = get(d, d->array[1], where) / d->factor[p][part];
                campaign_add_bits(bits, &u, 1);
                const double off = fabs(u - d->answer.solution[i]);
                error = off <= error ? error : off;
                put(d, d->array[1], where, CANARY);
            }
        }
    return d->answer.largest > 0 ? error / d->answer.largest : error;
}

/* Some of the ghosts' layer is written, so that nothing is known of what lies between. */
static int is_untouched(const struct dressed *d)
{
    for (size_t i = 0; i < d->extent[1] && !d->options.ghosts; i++)
        if (get(d, d->array[1], i) != CANARY)
            return 0;
    return 1;
}

static int prepare(struct dressed *d, int singular, struct campaign_random *random)
{
    if (!campaign_answer_create(&d->answer, &d->problem, singular))
        return 0;
    d->rhs = malloc(d->answer.count * sizeof *d->rhs);
    if (!d->rhs)
        return 0;
    memcpy(d->rhs, d->answer.rhs, d->answer.count * sizeof *d->rhs);
    for (int axis = 0; axis < 3 && d->kind->boundary; axis++)
        for (int end = 0; end < 2; end++)
            if (!add_boundary(d, axis, end, random))
                return 0;
    return fill_arrays(d, random);
}

static void release(struct dressed *d)
{
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            free(d->data[axis][end]);
            free((void *)(uintptr_t)d->boundary.array[axis][end]);
        }
    free(d->array[0]);
    free(d->array[1]);
    free(d->rhs);
    campaign_answer_destroy(&d->answer);
}

static double bound_of(const struct dressed *d)
{
    const double eps = epsilon(d->problem.precision);
    /* An iteration ends at its tolerance, of the Euclidean norm. */
    const double unit = d->kind->multigrid ? d->problem.precision == STARFISH_F32 ? 1e-4 : 1e-9 : 100 * eps;
    return fmin(0.1, unit * d->answer.condition);
}

static void solve(starfish_context *context, struct dressed *d, struct campaign_trial *t)
{
    struct starfish_poisson_options options = d->options;
    starfish_plan *plan;
    if (d->problem.in_two) {
        turn_layout(&options.rhs_layout);
        turn_layout(&options.solution_layout);
    }
    starfish_status status = make_plan(context, d, &options, &plan);
    if (status == STARFISH_SUCCESS) {
        snprintf(t->what, sizeof t->what, "%s", test_about(plan).method);
        status = starfish_plan_solve(plan, d->kind->boundary ? &d->boundary : NULL, d->array[0], d->array[1], NULL);
        starfish_plan_destroy(plan);
    }
    if (status != STARFISH_SUCCESS) {
        t->held = CAMPAIGN_KIND_REFUSED;
        snprintf(t->what, sizeof t->what, "%s", starfish_error_message());
        return;
    }
    const int ghosts = !d->options.ghosts || ghosts_are_right(d);
    t->error = error_of(d, &t->bits);
    t->bound = bound_of(d);
    t->held = !(t->error <= t->bound) ? CAMPAIGN_BEYOND : ghosts && is_untouched(d) ? CAMPAIGN_HELD : CAMPAIGN_TOUCHED;
}

void campaign_run_dressed(starfish_context *context, const struct campaign_kind *kind, struct campaign_trial *t)
{
    struct dressed d = {.kind = kind};
    starfish_plan *plain;
    campaign_problem_create(&d.problem, t->seed, t->index);
    struct campaign_random random = campaign_random_of(t->seed + 1, t->index);
    t->precision = d.problem.precision;
    t->held = CAMPAIGN_UNUSABLE;
    if (d.problem.in_two != kind->complex_numbers && !(d.problem.in_two && kind->multigrid))
        return;
    choose(&d, &random);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = d.options.method;
    options.precision = d.problem.precision;
    if (make_plan(context, &d, &options, &plain) != STARFISH_SUCCESS) {
        t->held = CAMPAIGN_KIND_REFUSED;
        snprintf(t->what, sizeof t->what, "%s", starfish_error_message());
        return;
    }
    const int singular = test_about(plain).singular;
    starfish_plan_destroy(plain);
    if (prepare(&d, singular, &random))
        solve(context, &d, t);
    release(&d);
}
