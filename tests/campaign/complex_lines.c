/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random problems with complex coefficients in x, FISHPACK's CBLKTRI, by both forms of block cyclic reduction, against
 * dense elimination of the real system of twice as many unknowns. Rows are such as the interface asks for: dominant,
 * or of an elliptic operator with an imaginary shift, as the Helmholtz equation with absorption has. */
#include "dense.h"
#include "kind.h"

#include "tests/common/about.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_N = 9, MOST_REALS = 2 * MOST_N * MOST_N };

struct lines {
    struct starfish_axis axis[2];
    double lambda;
    double x[3][2 * MOST_N]; /* lower, diag, upper, pairs */
    double y[3][MOST_N];
    double rhs[MOST_REALS], solution[MOST_REALS], exact[MOST_REALS];
    float narrow_rhs[MOST_REALS], narrow_solution[MOST_REALS];
};

static double rounded(starfish_precision precision, double value)
{
    return precision == STARFISH_F32 ? (double)(float)value : value;
}

/* x: couplings of any phase, and a diagonal that outweighs them, in a direction between the negative real axis and the
 * imaginary one, so that what y adds, which is not positive, cannot cancel it. */
static void choose_x(struct lines *l, starfish_precision precision, struct campaign_random *random)
{
    const size_t n = l->axis[0].n;
    const double phase = campaign_uniform(random, 1.6, 3.1), scale = pow(10, campaign_uniform(random, -2, 2));
    for (size_t k = 0; k < n; k++) {
        double sum = 0;
        for (int side = 0; side < 3; side += 2) {
            const double size = scale * campaign_uniform(random, 0, 1), turn = campaign_uniform(random, -3.1, 3.1);
            l->x[side][2 * k] = rounded(precision, size * cos(turn));
            l->x[side][2 * k + 1] = rounded(precision, size * sin(turn));
            sum += size;
        }
        const double diagonal = sum * (1 + pow(10, campaign_uniform(random, -3, 1)));
        l->x[1][2 * k] = rounded(precision, diagonal * cos(phase));
        l->x[1][2 * k + 1] = rounded(precision, diagonal * sin(phase));
    }
}

/* y: real couplings of one sign and rows that sum to zero or less, symmetric up to a scaling. */
static void choose_y(struct lines *l, starfish_precision precision, struct campaign_random *random)
{
    const size_t n = l->axis[1].n;
    const double scale = pow(10, campaign_uniform(random, -2, 2)), spread = campaign_uniform(random, 0, 1);
    const int even = l->axis[1].periodic;
    for (size_t k = 0; k < n; k++) {
        for (int side = 0; side < 3; side += 2)
            l->y[side][k] = rounded(precision, scale * (even ? 1 : pow(10, campaign_uniform(random, -spread, spread))));
        const double excess = campaign_below(random, 2) ? 0 : scale * campaign_uniform(random, 0, 1);
        l->y[1][k] = rounded(precision, -(l->y[0][k] + l->y[2][k] + excess));
    }
}

static void choose(struct lines *l, struct starfish_poisson_options *o, struct campaign_random *random)
{
    memset(l, 0, sizeof *l);
    *o = (struct starfish_poisson_options)STARFISH_POISSON_OPTIONS_DEFAULTS;
    o->precision = campaign_below(random, 5) < 2 ? STARFISH_F32 : STARFISH_F64;
    o->method = (starfish_method)((size_t)STARFISH_METHOD_BLKTRI * campaign_below(random, 2));
    if (campaign_below(random, 3) == 0)
        o->method = STARFISH_METHOD_BLKTRI_PRODUCT;
    o->check_residual = 1;
    for (int axis = 0; axis < 2; axis++) {
        l->axis[axis].kind = STARFISH_TRIDIAGONAL;
        l->axis[axis].n = campaign_below(random, 6) == 0 ? 1 : 1 + campaign_below(random, MOST_N);
        l->axis[axis].periodic = l->axis[axis].n > 2 && campaign_below(random, 3) == 0;
    }
    l->axis[0].complex_line = 1;
    choose_x(l, o->precision, random);
    choose_y(l, o->precision, random);
    l->axis[0].lower = l->x[0], l->axis[0].diag = l->x[1], l->axis[0].upper = l->x[2];
    l->axis[1].lower = l->y[0], l->axis[1].diag = l->y[1], l->axis[1].upper = l->y[2];
    l->lambda = rounded(o->precision, campaign_below(random, 2) ? -campaign_uniform(random, 0, 2) : 0);
    for (size_t i = 0; i < 2 * l->axis[0].n * l->axis[1].n; i++)
        l->rhs[i] = rounded(o->precision, campaign_uniform(random, -1, 1));
}

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

/* A complex coefficient of two unknowns: its real matrix of two rows. */
static void couple(struct campaign_dense *dense, size_t row, size_t column, double real, double imaginary)
{
    campaign_dense_add(dense, 2 * row, 2 * column, (campaign_wide)real);
    campaign_dense_add(dense, 2 * row + 1, 2 * column + 1, (campaign_wide)real);
    campaign_dense_add(dense, 2 * row, 2 * column + 1, -(campaign_wide)imaginary);
    campaign_dense_add(dense, 2 * row + 1, 2 * column, (campaign_wide)imaginary);
}

/* Unknown (i,j) with its neighbours along one axis. */
static void add_axis(const struct lines *l, struct campaign_dense *dense, int axis, size_t i, size_t j)
{
    const size_t nx = l->axis[0].n, n = l->axis[axis].n, k = axis == 0 ? i : j;
    for (int side = 0; side < 3; side++) {
        const int beyond = (side == 0 && k == 0) || (side == 2 && k + 1 == n);
        if (beyond && !l->axis[axis].periodic)
            continue;
        const size_t to = (k + n + (size_t)side - 1) % n;
        const double real = axis == 0 ? l->x[side][2 * k] : l->y[side][k];
        couple(dense, i + nx * j, axis == 0 ? to + nx * j : i + nx * to, real, axis == 0 ? l->x[side][2 * k + 1] : 0);
    }
}

static int find_answer(struct lines *l, double *condition)
{
    const size_t nx = l->axis[0].n, ny = l->axis[1].n;
    struct campaign_dense dense;
    if (!campaign_dense_create(&dense, 2 * nx * ny))
        return 0;
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            add_axis(l, &dense, 0, i, j);
            add_axis(l, &dense, 1, i, j);
            couple(&dense, i + nx * j, i + nx * j, l->lambda, 0);
        }
    const int regular = campaign_dense_solve(&dense, l->rhs, l->exact, condition);
    campaign_dense_destroy(&dense);
    return regular;
}

/* ---- A trial ----------------------------------------------------------------------------------------------------- */

static starfish_status solve(starfish_context *context, struct lines *l, const struct starfish_poisson_options *options,
                             struct campaign_trial *t)
{
    starfish_plan *plan;
    starfish_status status =
        starfish_separable2d_plan_create(context, &l->axis[0], &l->axis[1], l->lambda, options, &plan);
    if (status != STARFISH_SUCCESS)
        return status;
    snprintf(t->what, sizeof t->what, "%s", test_about(plan).method);
    for (size_t i = 0; i < MOST_REALS; i++)
        l->narrow_rhs[i] = (float)l->rhs[i];
    if (options->precision == STARFISH_F64)
        status = starfish_plan_solve(plan, NULL, l->rhs, l->solution, NULL);
    else
        status = starfish_plan_solve(plan, NULL, l->narrow_rhs, l->narrow_solution, NULL);
    for (size_t i = 0; i < MOST_REALS && options->precision == STARFISH_F32; i++)
        l->solution[i] = (double)l->narrow_solution[i];
    starfish_plan_destroy(plan);
    return status;
}

void campaign_run_complex_lines(starfish_context *context, const struct campaign_kind *kind, struct campaign_trial *t)
{
    static struct lines l;
    struct starfish_poisson_options options;
    struct campaign_random random = campaign_random_of(t->seed, t->index);
    double condition = 0, largest = 0, error = 0;
    (void)kind;
    choose(&l, &options, &random);
    t->precision = options.precision;
    t->held = CAMPAIGN_UNUSABLE;
    if (!find_answer(&l, &condition))
        return;
    if (solve(context, &l, &options, t) != STARFISH_SUCCESS) {
        t->held = CAMPAIGN_KIND_REFUSED;
        snprintf(t->what, sizeof t->what, "%s", starfish_error_message());
        return;
    }
    campaign_add_bits(&t->bits, l.solution, 2 * l.axis[0].n * l.axis[1].n);
    for (size_t i = 0; i < 2 * l.axis[0].n * l.axis[1].n; i++) {
        const double off = fabs(l.solution[i] - l.exact[i]);
        error = off <= error ? error : off;
        largest = fmax(largest, fabs(l.exact[i]));
    }
    const double eps = options.precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    t->error = error / largest;
    t->bound = fmin(0.1, 100 * eps * condition);
    t->held = t->error <= t->bound ? CAMPAIGN_HELD : CAMPAIGN_BEYOND;
}
