/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant mode along z, cut into slabs, against what defines it: A v = f - mean, and v of mean zero. Lines of more
 * unknowns than a block has threads have runs of several for each. */
#include "tests/common/reals.h"
#include "tests/stencil/stencil_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

enum { MOST = 300 };

struct line {
    size_t n;
    double lower[MOST], upper[MOST], weight[MOST];
};

/* Rows that sum to zero, with fluxes between neighbours and cells of random width. */
static void line_make(struct line *line, size_t n, int periodic, unsigned *seed)
{
    static double width[MOST], flux[MOST];
    double sum = 0;
    line->n = n;
    for (size_t k = 0; k < n; k++) {
        width[k] = 1.5 + test_real_random(seed);
        flux[k] = 1.5 + test_real_random(seed); /* between k and k+1 */
        sum += width[k];
    }
    for (size_t k = 0; k < n; k++) {
        const int has_lower = k > 0 || periodic, has_upper = k + 1 < n || periodic;
        line->lower[k] = has_lower ? flux[(k + n - 1) % n] / width[k] : 0;
        line->upper[k] = has_upper ? flux[k] / width[k] : 0;
        line->weight[k] = width[k] / sum;
    }
}

/* The mean of f with the line's weights. */
static double mean_of(const struct line *line, const double *f)
{
    long double mean = 0;
    for (size_t k = 0; k < line->n; k++)
        mean += (long double)line->weight[k] * f[k];
    return (double)mean;
}

/* The largest |A v - (f - mean)|. */
static double residual_of(const struct line *line, const double *v, const double *f)
{
    const size_t n = line->n;
    const double mean = mean_of(line, f);
    double largest = 0;
    for (size_t k = 0; k < n; k++) {
        const long double here = v[k], before = v[(k + n - 1) % n], behind = v[(k + 1) % n];
        const long double product = line->lower[k] * (before - here) + line->upper[k] * (behind - here);
        largest = test_worst(largest, (double)fabsl(product - ((long double)f[k] - mean)));
    }
    return largest;
}

/* Lines of several problems, each cut into slabs, or whole. */
struct shape {
    size_t n, stride, slabs, problems;
};

/* The mean of f is as large as `shift`: what is left of it in v would be seen. */
static void check(const struct test_stencil_device *device, const struct line *line, starfish_precision precision,
                  const struct shape *shape, double shift)
{
    const struct test_memory *memory = device->memory;
    const size_t n = shape->n, real = starfish_real_size(precision), reals = n * shape->stride;
    const double scale = -2.5;
    unsigned seed = 41;
    static double tables[STARFISH_CONSTANT_TABLES * MOST], f[MOST], v[MOST], removed[STARFISH_CONSTANT_REMOVED * MOST];
    char *field = test_reals(precision, shape->problems * reals, &seed), *got = malloc(shape->problems * reals * real);
    for (size_t e = 0; e < shape->problems * n; e++)
        test_real_put(field, precision, e * shape->stride, shift + test_real_get(field, precision, e * shape->stride));
    starfish_constant_fill(tables, n, line->lower, line->upper, line->weight);
    struct starfish_constant_solve solve = {
        .tables = starfish_constant_tables_in(memory->upload(tables, STARFISH_CONSTANT_TABLES * n * sizeof(double)), n),
        .scale = scale,
        .removed = memory->upload(NULL, STARFISH_CONSTANT_REMOVED * shape->problems * sizeof(double)),
        .problems = shape->problems,
        .pieces = shape->slabs};
    char *const lanes = memory->upload(field, shape->problems * reals * real);
    for (size_t s = 0; s < shape->slabs; s++) {
        const size_t first = n * s / shape->slabs, planes = n * (s + 1) / shape->slabs - first;
        const struct starfish_constant_take take = {.planes = planes,
                                                    .stride = shape->stride,
                                                    .problems = shape->problems,
                                                    .distance = reals,
                                                    .lane = lanes + first * shape->stride * real,
                                                    .line =
                                                        memory->upload(NULL, shape->problems * planes * sizeof f[0])};
        device->take(precision, &take);
        solve.first[s + 1] = first + planes;
        solve.piece[s] = take.line;
    }
    device->solve(&solve);
    for (size_t s = 0; s < shape->slabs; s++) {
        const struct starfish_constant_put put = {.planes = solve.first[s + 1] - solve.first[s],
                                                  .stride = shape->stride,
                                                  .problems = shape->problems,
                                                  .distance = reals,
                                                  .lane = lanes + solve.first[s] * shape->stride * real,
                                                  .line = solve.piece[s]};
        device->put(precision, &put);
    }
    memory->download(got, lanes, shape->problems * reals * real);
    memory->download(removed, solve.removed, STARFISH_CONSTANT_REMOVED * shape->problems * sizeof(double));

    for (size_t p = 0; p < shape->problems; p++) {
        double largest = 0;
        for (size_t k = 0; k < n; k++) {
            f[k] = test_real_get(field, precision, p * reals + k * shape->stride);
            v[k] = test_real_get(got, precision, p * reals + k * shape->stride);
            largest = test_worst(largest, fabs(v[k]));
        }
        const double mean = mean_of(line, f), left = mean_of(line, v), residual = residual_of(line, v, f);
        /* f without its mean is known to rounding errors of f, in double; v to those of the precision. */
        const double of_f = 10 * (double)n * DBL_EPSILON * (1 + shift),
                     of_v = 2 * test_real_epsilon(precision) * largest;
        if (!(residual <= of_f + 10 * of_v) || !(fabs(left) <= of_v) ||
            !(fabs(removed[STARFISH_CONSTANT_REMOVED * p] - scale * mean) <= of_f))
            fail_msg("%s f%d n %zu stride %zu slabs %zu shift %g: residual %g and mean %g of %g, removed %g for %g",
                     memory->name, precision == STARFISH_F32 ? 32 : 64, n, shape->stride, shape->slabs, shift, residual,
                     left, largest, removed[STARFISH_CONSTANT_REMOVED * p], scale * mean);
    }
    for (size_t e = 0; e < shape->problems * reals; e++)
        assert_true(e % shape->stride == 0 || test_real_get(got, precision, e) == test_real_get(field, precision, e));
    memory->release();
    free(field);
    free(got);
}

void test_constant_line_table(const struct test_stencil_device *device)
{
    static const struct shape shapes[] = {{1, 1, 1, 1}, {2, 3, 1, 1},  {2, 1, 2, 1},     {3, 5, 2, 1},   {7, 4, 7, 1},
                                          {5, 3, 1, 3}, {33, 2, 4, 1}, {MOST, 3, 13, 1}, {MOST, 2, 1, 2}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int variant = 0; variant < 8; variant++) {
            unsigned seed = 37;
            static struct line line;
            line_make(&line, shapes[s].n, variant / 4, &seed);
            check(device, &line, (starfish_precision)(variant % 2), &shapes[s], variant / 2 % 2 ? 1e4 : 0);
        }
}
