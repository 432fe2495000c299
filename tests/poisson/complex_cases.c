/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of problems in complex numbers share: random problems, and f = A u written down from the matrix. */
#include "tests/poisson/complex_cases.h"

#include "tests/poisson/oracle.h"

#include <math.h>
#include <stdlib.h>

starfish_context *complex_context;

number *complex_random(size_t count, unsigned *seed)
{
    number *values = malloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const double re = test_real_random(seed), im = test_real_random(seed);
        values[i] = re + im * I;
    }
    return values;
}

/* Imaginary parts leave rows dominant. */
struct problem complex_problem(size_t nx, int periodic_x, size_t ny, int periodic_y, int complex_line, unsigned *seed)
{
    struct problem p = {.x = test_matrix(nx, periodic_x, seed),
                        .y = test_matrix(ny, periodic_y, seed),
                        .lower = complex_random(nx, seed),
                        .diag = complex_random(nx, seed),
                        .upper = complex_random(nx, seed),
                        .complex_line = complex_line,
                        .lambda = -0.5};
    for (size_t i = 0; i < nx; i++) {
        const double lower = complex_line ? cimag(p.lower[i]) : 0, upper = complex_line ? cimag(p.upper[i]) : 0;
        p.lower[i] = p.x.lower[i] + lower * I;
        p.upper[i] = p.x.upper[i] + upper * I;
        p.diag[i] = p.x.diag[i] - fabs(lower) - fabs(upper) + (complex_line ? 3 * cimag(p.diag[i]) : 0) * I;
    }
    if (!periodic_x) /* ignored */
        p.lower[0] = p.upper[nx - 1] = (double)NAN + (double)NAN * I;
    return p;
}

void complex_free_problem(struct problem *p)
{
    test_axis_free(&p->x);
    test_axis_free(&p->y);
    free(p->lower), free(p->diag), free(p->upper);
}

size_t complex_unknowns(const struct problem *p)
{
    return p->x.n * p->y.n;
}

starfish_status complex_plan(const struct problem *p, const struct starfish_poisson_options *options,
                             starfish_plan **plan)
{
    struct starfish_axis x = p->x;
    if (p->complex_line) {
        x.complex_line = 1;
        x.lower = (const double *)p->lower;
        x.diag = (const double *)p->diag;
        x.upper = (const double *)p->upper;
    }
    return starfish_separable2d_plan_create(complex_context, &x, &p->y, p->lambda, options, plan);
}

void complex_apply(const struct problem *p, const number *u, number *f)
{
    const size_t nx = p->x.n, ny = p->y.n;
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            number sum = (p->diag[i] + p->y.diag[j] + p->lambda) * u[i + nx * j];
            if (i > 0 || p->x.periodic)
                sum += p->lower[i] * u[(i + nx - 1) % nx + nx * j];
            if (i + 1 < nx || p->x.periodic)
                sum += p->upper[i] * u[(i + 1) % nx + nx * j];
            if (j > 0 || p->y.periodic)
                sum += p->y.lower[j] * u[i + nx * ((j + ny - 1) % ny)];
            if (j + 1 < ny || p->y.periodic)
                sum += p->y.upper[j] * u[i + nx * ((j + 1) % ny)];
            f[i + nx * j] = sum;
        }
}

double complex_difference(const number *a, const number *b, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = test_worst(most, cabs(a[i] - b[i]));
    return most;
}
