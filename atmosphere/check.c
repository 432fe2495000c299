/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Residual of a solution on the host, row by row in f64. It uses the scalars of columns and layers and is independent
 * of the solver's kernels. Bound by one core. */
#include "atmosphere/plan.h"
#include "base/arithmetic.h"
#include "base/deal.h"
#include "base/precision.h"
#include "base/real.h"
#include "multigrid/kernels/flat_sphere.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Layers first .. first + count - 1, and of u the ones below and above them. */
struct checking {
    const struct starfish_flat_problem *m;
    starfish_precision precision;
    const void *f, *u;
    size_t first, count;
    const void *below, *above;
};

static double number(const struct checking *c, const void *array, size_t e)
{
    return starfish_element(array, c->precision, e);
}

/* A column beyond the edge of the panel of a sphere that row j0 is of; 0: there is none. */
static int find_beyond(const struct checking *c, size_t j0, ptrdiff_t *i, ptrdiff_t *j)
{
    const ptrdiff_t n = (ptrdiff_t)c->m->n[0];
    int panel = (int)(j0 / c->m->n[0]);
    ptrdiff_t column[2] = {*i, *j - n * panel};

    if (!starfish_sphere_find_column(c->m->n[0], &panel, column))
        return 0;
    *i = column[0];
    *j = column[1] + n * panel;
    return 1;
}

/* u of cell (i,j,k), which is beside row j0 or in it; beyond the sides 0. */
static double value(const struct checking *c, size_t j0, ptrdiff_t i, ptrdiff_t j, size_t k)
{
    const ptrdiff_t nx = (ptrdiff_t)c->m->n[0], ny = (ptrdiff_t)c->m->n[1];

    if (c->m->sphere && !find_beyond(c, j0, &i, &j))
        return 0;
    if (c->m->periodic[0])
        i = (i + nx) % nx;
    if (c->m->periodic[1])
        j = (j + ny) % ny;
    if (i < 0 || j < 0 || i >= nx || j >= ny)
        return 0;
    const size_t cell = (size_t)i + c->m->n[0] * (size_t)j;
    const void *const beside = k < c->first ? c->below : c->above;
    if (k < c->first || k >= c->first + c->count)
        return beside ? number(c, beside, cell) : 0;
    return number(c, c->u, cell + c->m->n[0] * c->m->n[1] * (k - c->first));
}

/* A row: its product with u, and that of absolute values. */
struct row {
    double product, size;
};

static void add(struct row *row, double coupling, double here, double there)
{
    row->product += coupling * (here - there);
    row->size += fabs(coupling) * (fabs(here) + fabs(there));
}

static void add_across(const struct checking *c, size_t i, size_t j, size_t k, struct row *row)
{
    const struct starfish_flat_problem *m = c->m;
    const ptrdiff_t x = (ptrdiff_t)i, y = (ptrdiff_t)j;
    const size_t below = j + (m->sphere ? j / m->n[0] : 0); /* the row of the faces below */
    const double here = value(c, j, x, y, k), d = m->d[k];

    add(row, d * m->face_x[i + (m->n[0] + 1) * j], here, value(c, j, x - 1, y, k));
    add(row, d * m->face_x[i + 1 + (m->n[0] + 1) * j], here, value(c, j, x + 1, y, k));
    add(row, d * m->face_y[i + m->n[0] * below], here, value(c, j, x, y - 1, k));
    add(row, d * m->face_y[i + m->n[0] * (below + 1)], here, value(c, j, x, y + 1, k));
    for (int side = 0; side < 4 && m->corner; side++) {
        const int east = side % 2, north = side / 2;
        const double q = m->corner[i + (size_t)east + (m->n[0] + 1) * (below + (size_t)north)];
        add(row, d * fmax(east == north ? q : -q, 0), here, value(c, j, x + 2 * east - 1, y + 2 * north - 1, k));
    }
}

static struct row row_of(const struct checking *c, size_t i, size_t j, size_t k)
{
    const struct starfish_flat_problem *m = c->m;
    const size_t column = i + m->n[0] * j;
    const ptrdiff_t x = (ptrdiff_t)i, y = (ptrdiff_t)j;
    const double here = value(c, j, x, y, k);
    struct row row = {m->mass[column] * m->a[k] * here, fabs(m->mass[column] * m->a[k] * here)};

    if (k > 0)
        add(&row, m->lift[column] * m->b[k], here, value(c, j, x, y, k - 1));
    if (k + 1 < m->n[2])
        add(&row, m->lift[column] * m->c[k], here, value(c, j, x, y, k + 1));
    add_across(c, i, j, k, &row);
    return row;
}

/* over, or 0 where both are. */
static double ratio(double value, double over)
{
    return value == 0 ? 0 : value / over;
}

/* The largest residual and right-hand side; and the sums of squares, each equation times its volume. */
struct totals {
    double largest[2], sum[3];
};
enum { RESIDUAL, RHS, SIZE };

static struct totals add_up(const struct checking *c)
{
    const size_t *n = c->m->n;
    struct totals t = {{0, 0}, {0, 0, 0}};

    for (size_t k = c->first; k < c->first + c->count; k++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t i = 0; i < n[0]; i++) {
                const double volume = c->m->column[i + n[0] * j] * c->m->layer[k];
                const double f = number(c, c->f, i + n[0] * (j + n[1] * (k - c->first)));
                const struct row row = row_of(c, i, j, k);
                const double residual = f - row.product / volume;
                t.largest[RESIDUAL] = isnan(residual) ? HUGE_VAL : fmax(t.largest[RESIDUAL], fabs(residual));
                t.largest[RHS] = fmax(t.largest[RHS], fabs(f));
                t.sum[RESIDUAL] += residual * residual * volume * volume;
                t.sum[RHS] += f * f * volume * volume;
                t.sum[SIZE] += row.size * row.size;
            }
    return t;
}

static double smallest(const double *values, size_t count)
{
    double least = values[0];

    for (size_t i = 1; i < count; i++)
        least = fmin(least, values[i]);
    return least;
}

static struct starfish_atmosphere_check judge(const struct totals *t, const struct checking *c)
{
    const size_t *n = c->m->n;
    const double rhs = sqrt(t->sum[RHS]);
    const double volume = smallest(c->m->column, n[0] * n[1]) * smallest(c->m->layer, n[2]);

    return (struct starfish_atmosphere_check){.residual = ratio(t->largest[RESIDUAL], t->largest[RHS]),
                                              .euclidean = ratio(sqrt(t->sum[RESIDUAL]), rhs),
                                              .bound =
                                                  starfish_rounding(c->precision, ratio(sqrt(t->sum[SIZE]), rhs), 1),
                                              .residual_scale = ratio(rhs / volume, t->largest[RHS])};
}

/* The first and the last plane of every rank, two planes a rank, on all of them; those beside this rank's planes. */
static starfish_status gather_planes(const struct starfish_atmosphere_plan *plan, struct checking *c, void **all)
{
    const size_t bytes = c->m->n[0] * c->m->n[1] * starfish_real_size(c->precision);
    const int rank = starfish_context_rank(plan->plan.context), ranks = starfish_context_ranks(plan->plan.context);
    char *const own = calloc(2, bytes), *const planes = calloc((size_t)ranks, 2 * bytes);
    starfish_status status =
        STARFISH_OR_FAIL(own && planes, STARFISH_ERROR_MEMORY, "out of memory for planes of %d ranks", ranks);

    *all = planes;
    status = starfish_ranks_agree(plan->plan.context, status);
    if (status == STARFISH_SUCCESS && c->count > 0) {
        memcpy(own, c->u, bytes);
        memcpy(own + bytes, (const char *)c->u + (c->count - 1) * bytes, bytes);
    }
    STARFISH_THEN(status, starfish_ranks_gather(plan->plan.context, own, 2 * bytes, planes));
    free(own);
    if (status == STARFISH_SUCCESS && rank > 0)
        c->below = planes + (2 * (size_t)rank - 1) * bytes;
    if (status == STARFISH_SUCCESS && rank + 1 < ranks)
        c->above = planes + 2 * ((size_t)rank + 1) * bytes;
    return status;
}

static starfish_status check_array(const struct starfish_atmosphere_plan *plan, const char *name, const void *memory)
{
    enum starfish_residence residence;
    int node;

    STARFISH_NEED(memory, name);
    STARFISH_TRY(starfish_memory_place(plan->plan.context, name, memory, &node, &residence));
    return residence == STARFISH_ON_DEVICE
               ? starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is in device memory, checks are of host memory", name)
               : STARFISH_SUCCESS;
}

/* Of the planes that this rank holds. Collective. */
static starfish_status check_planes(const struct starfish_atmosphere_plan *plan, const void *rhs, const void *solution,
                                    struct starfish_atmosphere_check *check)
{
    const struct starfish_flat_problem *m = &plan->volumes.matrix;
    const struct starfish_run_of_planes here =
        starfish_deal(m->n[2], starfish_context_rank(plan->plan.context), starfish_context_ranks(plan->plan.context));
    struct checking c = {m, plan->options.precision, rhs, solution, here.first, here.count, NULL, NULL};
    starfish_status status = here.count > 0 ? check_array(plan, "rhs", rhs) : STARFISH_SUCCESS;
    void *planes;

    if (status == STARFISH_SUCCESS && here.count > 0)
        status = check_array(plan, "solution", solution);
    STARFISH_TRY(starfish_ranks_agree(plan->plan.context, status));
    status = gather_planes(plan, &c, &planes);
    if (status == STARFISH_SUCCESS) {
        struct totals t = add_up(&c);
        status = starfish_ranks_maximum(plan->plan.context, t.largest, 2);
        STARFISH_THEN(status, starfish_ranks_sum(plan->plan.context, t.sum, 3));
        *check = judge(&t, &c);
    }
    free(planes);
    return status;
}

starfish_status starfish_atmosphere_check(const starfish_plan *plan, const void *rhs, const void *solution,
                                          struct starfish_atmosphere_check *check)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_TRY(starfish_plan_check(plan, &starfish_kind_atmosphere));
    STARFISH_NEED(check, "check");
    return check_planes((const struct starfish_atmosphere_plan *)plan, rhs, solution, check);
}
