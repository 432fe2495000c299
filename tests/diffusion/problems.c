/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffusion problems and their operator, written down cell by cell and face by face. */
#include "tests/diffusion/diffusion_cases.h"

#include <math.h>
#include <stdlib.h>

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

static void allocate(struct test_diffusion *t)
{
    struct starfish_diffusion_problem *p = &t->problem;

    t->cells = p->n[0] * p->n[1] * (p->dimensions == 3 ? p->n[2] : 1);
    p->coefficient = t->k = malloc(t->cells * sizeof(double));
    p->regions = t->regions = malloc(t->cells * sizeof *t->regions);
    t->f = malloc(t->cells * sizeof(double));
}

void test_plain(struct test_diffusion *t, size_t dimensions, const size_t n[3], starfish_end end)
{
    *t = (struct test_diffusion){.problem = {.dimensions = dimensions}};
    for (size_t d = 0; d < dimensions; d++) {
        t->problem.n[d] = n[d];
        t->problem.length[d] = 1;
        t->problem.ends[d][0] = t->problem.ends[d][1] = end;
    }
    allocate(t);
    for (size_t e = 0; e < t->cells; e++) {
        t->k[e] = 1;
        t->f[e] = 0;
        t->regions[e] = (long long)(e % 2);
    }
}

void test_two_phase(struct test_diffusion *t, size_t n, double k)
{
    static const double circle[4][3] = {{.3, .3, .15}, {.7, .35, .1}, {.4, .72, .12}, {.75, .75, .08}};
    const double pi = acos(-1);

    test_plain(t, 2, (const size_t[]){n, n, 1}, STARFISH_NEUMANN);
    for (size_t e = 0; e < t->cells; e++) {
        const size_t i = e % n, j = e / n;
        const double x = ((double)i + 0.5) / (double)n, y = ((double)j + 0.5) / (double)n;
        t->regions[e] = 0;
        for (int c = 0; c < 4; c++) {
            const double a = x - circle[c][0], b = y - circle[c][1];
            if (a * a + b * b < circle[c][2] * circle[c][2])
                t->regions[e] = 10 * c - 7;
        }
        t->k[e] = t->regions[e] ? k : 1;
        t->f[e] = cos(pi * x) * cos(pi * y);
    }
}

void test_random(struct test_diffusion *t, size_t dimensions, double contrast, unsigned *seed)
{
    static const starfish_end pairs[][2] = {{STARFISH_PERIODIC, STARFISH_PERIODIC},
                                            {STARFISH_NEUMANN, STARFISH_NEUMANN},
                                            {STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                            {STARFISH_NEUMANN, STARFISH_DIRICHLET},
                                            {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    const int jumps = random_number(seed) < 0.5, singular = random_number(seed) < 0.4;

    *t = (struct test_diffusion){.problem = {.dimensions = dimensions}};
    t->problem.mean = random_number(seed) < 0.5 ? STARFISH_MEAN_HARMONIC : STARFISH_MEAN_ARITHMETIC;
    t->problem.lambda = random_number(seed) < 0.2 ? -3 * random_number(seed) : 0;
    for (size_t d = 0; d < dimensions; d++) {
        const int pair = singular ? (int)(2 * random_number(seed)) : (int)(5 * random_number(seed));
        t->problem.n[d] = 3 + (size_t)((dimensions == 2 ? 20 : 8) * random_number(seed));
        t->problem.length[d] = 0.5 + random_number(seed);
        for (int side = 0; side < 2; side++) {
            t->problem.ends[d][side] = pairs[pair][side];
            t->boundary.constant[d][side] = random_number(seed) - 0.5;
        }
    }
    allocate(t);
    for (size_t e = 0; e < t->cells; e++) {
        const double r = random_number(seed);
        t->k[e] = jumps ? (r < 0.4 ? contrast : 1) : pow(contrast, r);
        t->regions[e] = t->k[e] > sqrt(contrast) ? 5 : -1;
        t->f[e] = 2 * random_number(seed) - 1;
    }
}

void test_diffusion_free(struct test_diffusion *t)
{
    free(t->k);
    free(t->f);
    free(t->regions);
}

/* ---- The operator ------------------------------------------------------------------------------------------------ */

static size_t stride_of(const struct test_diffusion *t, size_t d)
{
    return d == 0 ? 1 : d == 1 ? t->problem.n[0] : t->problem.n[0] * t->problem.n[1];
}

static double mean_of(const struct test_diffusion *t, double a, double b)
{
    return t->problem.mean == STARFISH_MEAN_ARITHMETIC ? 0.5 * (a + b) : 2 * a * b / (a + b);
}

/* A cell's row: what its values and its boundary data add to div(k grad u) + lambda u, and the magnitudes. */
struct row {
    double value, data, magnitude;
};

static void add_side(const struct test_diffusion *t, const double *u, size_t e, size_t d, int side, struct row *row)
{
    const size_t n = t->problem.n[d], stride = stride_of(t, d), at = e / stride % n;
    const double h = t->problem.length[d] / (double)n, g = t->boundary.constant[d][side];
    const starfish_end end = t->problem.ends[d][side];
    const int last = side ? at + 1 == n : at == 0;

    if (!last || end == STARFISH_PERIODIC) {
        const size_t other = !last ? (side ? e + stride : e - stride) : side ? e - at * stride : e + (n - 1) * stride;
        const double c = mean_of(t, t->k[e], t->k[other]) / (h * h);
        row->value += c * (u[other] - u[e]);
        row->magnitude += other == e ? 0 : c * (fabs(u[other]) + fabs(u[e]));
    } else if (end == STARFISH_DIRICHLET) {
        const double c = t->k[e] / (h * h) * (t->dirichlet_nodes ? 1 : 2);
        row->value -= c * u[e];
        row->magnitude += c * fabs(u[e]);
        row->data += c * g;
    } else {
        row->data += (side ? 1 : -1) * t->k[e] * g / h;
    }
}

static struct row row_of(const struct test_diffusion *t, const double *u, size_t e)
{
    struct row row = {t->problem.lambda * u[e], 0, fabs(t->problem.lambda * u[e])};

    for (size_t d = 0; d < t->problem.dimensions; d++)
        for (int side = 0; side < 2; side++)
            add_side(t, u, e, d, side, &row);
    return row;
}

static void norms(const struct test_diffusion *t, const double *u, double pertrb, double norm[3])
{
    norm[0] = norm[1] = norm[2] = 0;
    for (size_t e = 0; e < t->cells; e++) {
        const struct row row = row_of(t, u, e);
        const double f = t->f[e] - row.data - pertrb, r = f - row.value;
        norm[0] += r * r;
        norm[1] += f * f;
        norm[2] += row.magnitude * row.magnitude;
    }
}

double test_diffusion_residual(const struct test_diffusion *t, const double *u, double pertrb)
{
    double norm[3];

    norms(t, u, pertrb, norm);
    return sqrt(norm[0] / norm[1]);
}

double test_diffusion_magnitude(const struct test_diffusion *t, const double *u, double pertrb)
{
    double norm[3];

    norms(t, u, pertrb, norm);
    return sqrt(norm[2] / norm[1]);
}

double test_diffusion_value(const struct test_diffusion *t, const double *u, size_t cell)
{
    return row_of(t, u, cell).value;
}

double test_diffusion_rhs(const struct test_diffusion *t, size_t cell)
{
    double *zero = calloc(t->cells, sizeof *zero);
    const double data = row_of(t, zero, cell).data;

    free(zero);
    return t->f[cell] - data;
}

double test_diffusion_rhs_norm(const struct test_diffusion *t, double pertrb)
{
    double sum = 0;

    for (size_t e = 0; e < t->cells; e++)
        sum += pow(test_diffusion_rhs(t, e) - pertrb, 2);
    return sqrt(sum);
}

int test_diffusion_singular(const struct test_diffusion *t)
{
    int singular = t->problem.lambda == 0;

    for (size_t d = 0; d < t->problem.dimensions; d++)
        for (int side = 0; side < 2; side++)
            singular = singular && t->problem.ends[d][side] != STARFISH_DIRICHLET;
    return singular;
}
