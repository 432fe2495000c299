/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of several smoothing steps, by doubling: E(2k) = E(k) E(k), G(2k) = G(k) + E(k) G(k). */
#include "multigrid/fem_steps.h"

#include "base/real.h"
#include "sparse/build.h"

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

/* base + factor a b, where base NULL is the identity. */
struct sum {
    const struct starfish_csr *base, *a, *b;
    double factor;
};

static size_t most_of_sum(const void *data, size_t i)
{
    const struct sum *s = data;
    size_t most = s->base ? (size_t)(s->base->start[i + 1] - s->base->start[i]) : 1;

    for (int e = s->a->start[i]; e < s->a->start[i + 1]; e++)
        most += (size_t)(s->b->start[s->a->column[e] + 1] - s->b->start[s->a->column[e]]);
    return most;
}

static void make_row_of_sum(const void *data, size_t i, struct starfish_csr_row *row)
{
    const struct sum *s = data;
    const struct starfish_csr *a = s->a, *b = s->b;

    if (!s->base)
        starfish_csr_add(row, (int)i, 1);
    for (int e = s->base ? s->base->start[i] : 0; s->base && e < s->base->start[i + 1]; e++)
        starfish_csr_add(row, s->base->column[e], s->base->value[e]);
    for (int e = a->start[i]; e < a->start[i + 1]; e++)
        for (int k = b->start[a->column[e]]; k < b->start[a->column[e] + 1]; k++)
            starfish_csr_add(row, b->column[k], s->factor * a->value[e] * b->value[k]);
}

static starfish_status add_product(const struct starfish_csr *base, double factor, const struct starfish_csr *a,
                                   const struct starfish_csr *b, struct starfish_csr *c)
{
    const struct sum sum = {base, a, b, factor};
    const struct starfish_csr_source source = {a->rows, b->columns, most_of_sum, make_row_of_sum, &sum};

    return starfish_csr_build(&source, c);
}

/* ---- What a smoothing takes -------------------------------------------------------------------------------------- */

/* Of an H200: between the starts of two short kernels of a graph, and bytes per second from its cache. */
static const double launch_seconds = 2.5e-6, cache_rate = 4e12, cache_bytes = 3e7;

static double product_seconds(double entries, starfish_precision precision)
{
    const double bytes = entries * (double)(starfish_real_size(precision) + sizeof(int));

    return launch_seconds + bytes / cache_rate + (bytes > cache_bytes ? (bytes - cache_bytes) / cache_rate : 0);
}

static double plain_seconds(const struct starfish_fem_grid *grid, int steps, starfish_precision precision)
{
    const double of_a = product_seconds((double)starfish_csr_entries(&grid->a), precision);

    return steps * (of_a + (grid->m.start ? product_seconds((double)starfish_csr_entries(&grid->m), precision) : 0));
}

/* G is used once for two smoothings. */
static double seconds_of(double of_e, double of_g, int steps, int count, starfish_precision precision)
{
    return (double)steps / count * product_seconds(of_e, precision) + product_seconds(of_g, precision) / 2;
}

/* ---- The matrices ------------------------------------------------------------------------------------------------ */

/* G(1) = damping M. */
static starfish_status scale(const struct starfish_fem_grid *grid, struct starfish_csr *g)
{
    const struct starfish_csr *a = &grid->a;

    if (grid->m.start) {
        STARFISH_TRY(starfish_csr_rows(&grid->m, 0, a->rows, g));
        for (size_t e = 0; e < starfish_csr_entries(g); e++)
            g->value[e] *= grid->damping;
        return STARFISH_SUCCESS;
    }
    STARFISH_TRY(starfish_csr_create(g, a->rows, a->rows, a->rows));
    for (size_t i = 0; i < a->rows; i++) {
        const int e = starfish_csr_find(a, i, i);
        g->start[i + 1] = (int)i + 1;
        g->column[i] = (int)i;
        g->value[i] = e < 0 || a->value[e] == 0 ? 0 : grid->damping / a->value[e];
    }
    return STARFISH_SUCCESS;
}

static starfish_status twice(struct starfish_fem_steps *s)
{
    struct starfish_fem_steps next = {.count = 2 * s->count};
    starfish_status status = starfish_csr_product(&s->e, NULL, &s->e, &next.e);

    STARFISH_THEN(status, add_product(&s->g, 1, &s->e, &s->g, &next.g));
    starfish_fem_steps_destroy(s);
    *s = next;
    return status;
}

/* Twice as many steps have at least three times as many entries on all but the smallest grids, and no more than all. */
static int is_worth_doubling(const struct starfish_fem_steps *s, int steps, starfish_precision precision)
{
    const double growth = 3.5, all = (double)s->e.rows * (double)s->e.rows;
    const double of_e = (double)starfish_csr_entries(&s->e), of_g = (double)starfish_csr_entries(&s->g);
    const double e = growth * of_e < all ? growth * of_e : all, g = growth * of_g < all ? growth * of_g : all;

    return steps % (2 * s->count) == 0 &&
           seconds_of(e, g, steps, 2 * s->count, precision) < seconds_of(of_e, of_g, steps, s->count, precision);
}

starfish_status starfish_fem_steps_create(const struct starfish_fem_grid *grid, int steps, starfish_precision precision,
                                          struct starfish_fem_steps *s)
{
    const double plain = plain_seconds(grid, steps, precision), entries = (double)starfish_csr_entries(&grid->a);

    *s = (struct starfish_fem_steps){.count = 0};
    if (grid->a.rows == 0 || product_seconds(entries, precision) > 2 * launch_seconds)
        return STARFISH_SUCCESS;
    s->count = 1;
    STARFISH_TRY(scale(grid, &s->g));
    STARFISH_TRY(add_product(NULL, -1, &s->g, &grid->a, &s->e));
    while (is_worth_doubling(s, steps, precision))
        STARFISH_TRY(twice(s));
    const double of_e = (double)starfish_csr_entries(&s->e), of_g = (double)starfish_csr_entries(&s->g);
    if (seconds_of(of_e, of_g, steps, s->count, precision) > plain)
        starfish_fem_steps_destroy(s);
    return STARFISH_SUCCESS;
}

void starfish_fem_steps_destroy(struct starfish_fem_steps *steps)
{
    starfish_csr_destroy(&steps->e);
    starfish_csr_destroy(&steps->g);
    *steps = (struct starfish_fem_steps){.count = 0};
}
