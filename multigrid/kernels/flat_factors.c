/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Factors of the types of columns. Made once for a plan: some hundred operations per layer. */
#include "multigrid/kernels/flat_factors.h"

enum { RUN = STARFISH_FLAT_RUN, MOST_RUNS = STARFISH_FLAT_MOST_RUNS };

/* (mass + below + above) u_k = below u_(k-1) + above u_(k+1) + value_k. */
struct row {
    double mass, below, above;
};

static struct row row_of(const struct starfish_flat_column *line, size_t k)
{
    const size_t there = k < line->nz ? k : line->nz - 1;

    return (struct row){line->mass * line->a[there] + line->faces * line->d[there], line->lift * line->b[there],
                        line->lift * line->c[there]};
}

/* The layers of one run, and what is left of it: the row of its last layer, but for what the run above adds; and the
 * answers of its first layer to the last ones of the run below (1 - mass - above of it) and of its own. */
struct run {
    struct row last;
    double first_mass, first_above;
};

static struct run eliminate(const struct starfish_flat_column *line, size_t first, double factors[RUN][4])
{
    double e = 0, rest = 1, answer[RUN], first_mass, first_above = 1;

    for (int s = 0; s < RUN - 1; s++) {
        const struct row r = row_of(line, first + (size_t)s);
        const double sum = r.mass + r.below * rest, pivot = 1 / (r.above + sum);
        e = pivot * (r.mass + r.below * e);
        rest = sum * pivot;
        factors[s][0] = pivot;
        factors[s][1] = pivot * r.below;
        factors[s][2] = pivot * r.above;
        factors[s][3] = answer[s] = e;
    }
    const struct row r = row_of(line, first + RUN - 1);
    factors[RUN - 1][0] = 1;
    factors[RUN - 1][1] = r.below;
    factors[RUN - 1][2] = r.above;
    factors[RUN - 1][3] = 0;
    first_mass = 0;
    for (int s = RUN - 2; s >= 0; s--) {
        first_mass = answer[s] + factors[s][2] * first_mass;
        first_above *= factors[s][2];
    }
    return (struct run){{r.mass + r.below * e, r.below * (rest - e), r.above}, first_mass, first_above};
}

/* Column `unit` of the inverse of the rows. */
static void solve_unit(const struct row *row, size_t runs, size_t unit, double *inverse)
{
    double factor[MOST_RUNS], value[MOST_RUNS], rest = 1, last = 0;

    for (size_t r = 0; r < runs; r++) {
        const double sum = row[r].mass + row[r].below * rest, pivot = 1 / (row[r].above + sum);
        value[r] = last = pivot * ((r == unit ? 1 : 0) + row[r].below * last);
        factor[r] = pivot * row[r].above;
        rest = sum * pivot;
    }
    for (size_t r = runs - 1; r-- > 0;)
        value[r] += factor[r] * value[r + 1];
    for (size_t r = 0; r < runs; r++)
        inverse[r * runs + unit] = value[r];
}

static void eliminate_all(const struct starfish_flat_column *line, double (*factors)[3])
{
    double rest = 1;

    for (size_t k = 0; k < line->nz; k++) {
        const struct row r = row_of(line, k);
        const double sum = r.mass + r.below * rest, pivot = 1 / (r.above + sum);
        rest = sum * pivot;
        factors[k][0] = pivot;
        factors[k][1] = pivot * r.below;
        factors[k][2] = pivot * r.above;
    }
}

void starfish_flat_factors(const struct starfish_flat_column *line, double *factors)
{
    const size_t runs = starfish_flat_runs(line->nz);
    double(*const layer)[4] = (double(*)[4])factors;
    struct run run[MOST_RUNS];
    struct row row[MOST_RUNS];

    for (size_t r = 0; r < runs; r++)
        run[r] = eliminate(line, r * RUN, layer + r * RUN);
    for (size_t r = 0; r < runs; r++) {
        const double above = r + 1 < runs ? run[r].last.above : 0;
        layer[r * RUN + RUN - 1][2] = above;
        row[r] = run[r].last;
        row[r].above = above * (r + 1 < runs ? run[r + 1].first_above : 0);
        row[r].mass += above * (r + 1 < runs ? run[r + 1].first_mass : 0);
    }
    for (size_t unit = 0; unit < runs; unit++)
        solve_unit(row, runs, unit, factors + 4 * RUN * runs);
    eliminate_all(line, (double(*)[3])(factors + starfish_flat_factors_of_runs(runs)));
}
