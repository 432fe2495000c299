/* The residual of a solution on the host, row by row in f64: written from the scalars of columns and layers, apart from
 * the solver's kernels. Bound by one core. */
#include "atmosphere/gathered.h"

#include "base/real.h"

#include <float.h>
#include <math.h>

struct checking {
    const struct starfish_flat_problem *m;
    starfish_precision precision;
    const void *f, *u;
};

static double number(const struct checking *c, const void *array, size_t e)
{
    return c->precision == STARFISH_F32 ? (double)((const float *)array)[e] : ((const double *)array)[e];
}

/* u of cell (i,j,k); beyond the sides 0. */
static double value(const struct checking *c, ptrdiff_t i, ptrdiff_t j, size_t k)
{
    const ptrdiff_t nx = (ptrdiff_t)c->m->n[0], ny = (ptrdiff_t)c->m->n[1];

    if (c->m->periodic[0])
        i = (i + nx) % nx;
    if (c->m->periodic[1])
        j = (j + ny) % ny;
    if (i < 0 || j < 0 || i >= nx || j >= ny)
        return 0;
    return number(c, c->u, (size_t)i + c->m->n[0] * ((size_t)j + c->m->n[1] * k));
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
    const double here = value(c, x, y, k), d = m->d[k];

    add(row, d * m->face_x[i + (m->n[0] + 1) * j], here, value(c, x - 1, y, k));
    add(row, d * m->face_x[i + 1 + (m->n[0] + 1) * j], here, value(c, x + 1, y, k));
    add(row, d * m->face_y[i + m->n[0] * j], here, value(c, x, y - 1, k));
    add(row, d * m->face_y[i + m->n[0] * (j + 1)], here, value(c, x, y + 1, k));
    for (int side = 0; side < 4 && m->corner; side++) {
        const int east = side % 2, north = side / 2;
        const double q = m->corner[i + (size_t)east + (m->n[0] + 1) * (j + (size_t)north)];
        add(row, d * fmax(east == north ? q : -q, 0), here, value(c, x + 2 * east - 1, y + 2 * north - 1, k));
    }
}

static struct row row_of(const struct checking *c, size_t i, size_t j, size_t k)
{
    const struct starfish_flat_problem *m = c->m;
    const size_t column = i + m->n[0] * j;
    const ptrdiff_t x = (ptrdiff_t)i, y = (ptrdiff_t)j;
    const double here = value(c, x, y, k);
    struct row row = {m->mass[column] * m->a[k] * here, fabs(m->mass[column] * m->a[k] * here)};

    if (k > 0)
        add(&row, m->lift[column] * m->b[k], here, value(c, x, y, k - 1));
    if (k + 1 < m->n[2])
        add(&row, m->lift[column] * m->c[k], here, value(c, x, y, k + 1));
    add_across(c, i, j, k, &row);
    return row;
}

/* over, or 0 where both are. */
static double ratio(double value, double over)
{
    return value == 0 ? 0 : value / over;
}

starfish_status starfish_atmosphere_check(const starfish_atmosphere_plan *plan, const void *rhs, const void *solution,
                                          struct starfish_atmosphere_check *check)
{
    double most = 0, most_f = 0, squares = 0, squares_f = 0, sizes = 0;

    if (plan && plan->gathered && check)
        return starfish_atmosphere_check_gathered(plan, rhs, solution, check);
    if (!plan || !rhs || !solution || !check)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "an argument is NULL");
    const struct checking c = {&plan->volumes.matrix, plan->options.precision, rhs, solution};
    const size_t *n = c.m->n;
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t i = 0; i < n[0]; i++) {
                const double volume = c.m->column[i + n[0] * j] * c.m->layer[k];
                const double f = number(&c, rhs, i + n[0] * (j + n[1] * k));
                const struct row row = row_of(&c, i, j, k);
                const double residual = f - row.product / volume;
                most = isnan(residual) ? HUGE_VAL : fmax(most, fabs(residual));
                most_f = fmax(most_f, fabs(f));
                squares += residual * residual * volume * volume;
                squares_f += f * f * volume * volume;
                sizes += row.size * row.size;
            }
    const double eps = c.precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    *check = (struct starfish_atmosphere_check){.residual = ratio(most, most_f),
                                                .euclidean = ratio(sqrt(squares), sqrt(squares_f)),
                                                .bound = 100 * eps * ratio(sqrt(sizes), sqrt(squares_f))};
    return STARFISH_SUCCESS;
}
