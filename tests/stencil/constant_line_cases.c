/* The constant mode along z, cut into slabs, against what defines it: A v = f - mean, and v of mean zero. */
#include "tests/common/reals.h"
#include "tests/stencil/stencil_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

enum { MOST = 96 };

struct line {
    size_t n;
    double lower[MOST], diag[MOST], upper[MOST], weight[MOST];
};

/* Rows that sum to zero, with fluxes between neighbours and cells of random width. */
static struct line line_create(size_t n, int periodic, unsigned *seed)
{
    struct line line = {.n = n};
    double width[MOST], flux[MOST], sum = 0;
    for (size_t k = 0; k < n; k++) {
        width[k] = 1.5 + test_real_random(seed);
        flux[k] = 1.5 + test_real_random(seed); /* between k and k+1 */
        sum += width[k];
    }
    for (size_t k = 0; k < n; k++) {
        const int has_lower = k > 0 || periodic, has_upper = k + 1 < n || periodic;
        line.lower[k] = has_lower ? flux[(k + n - 1) % n] / width[k] : 0;
        line.upper[k] = has_upper ? flux[k] / width[k] : 0;
        line.diag[k] = -(line.lower[k] + line.upper[k]);
        line.weight[k] = width[k] / sum;
    }
    return line;
}

/* The pinned solution by Gauss elimination of the dense leading block. */
static void solve_pinned(const struct line *line, const double *f, double *x)
{
    static double a[MOST][MOST + 1];
    const size_t n = line->n - 1;
    for (size_t i = 0; i < n; i++) {
        memset(a[i], 0, sizeof a[i]);
        a[i][i] = line->diag[i];
        if (i > 0)
            a[i][i - 1] = line->lower[i];
        if (i + 1 < n)
            a[i][i + 1] = line->upper[i];
        a[i][MOST] = f[i];
    }
    for (size_t p = 0; p < n; p++)
        for (size_t i = p + 1; i < n; i++) {
            const double factor = a[i][p] / a[p][p];
            for (size_t j = p; j <= MOST; j++)
                a[i][j] -= factor * a[p][j];
        }
    x[n] = 0;
    for (size_t i = n; i-- > 0;) {
        x[i] = a[i][MOST];
        for (size_t j = i + 1; j < n; j++)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
}

static void check(const struct test_stencil_device *device, const struct line *line, starfish_precision precision,
                  size_t stride, size_t slabs, int periodic)
{
    const struct test_memory *memory = device->memory;
    const size_t n = line->n, real = starfish_real_size(precision);
    const double scale = -2.5, tolerance = 200 * (double)(n * n) * test_real_epsilon(precision);
    unsigned seed = 41;
    double tables[3][MOST], pinned[MOST], f[MOST], total[2], v[MOST];
    char *field = test_reals(precision, n * stride, &seed);
    struct starfish_constant_sum sum = {.slabs = (int)slabs, .total = memory->upload(NULL, 2 * sizeof(double))};
    starfish_constant_tables(n, line->lower, line->upper, line->weight, scale, tables[0], tables[1], tables[2]);
    for (size_t k = 0; k < n; k++)
        f[k] = test_real_get(field, precision, k * stride);
    for (size_t s = 0; s < slabs; s++) {
        const size_t first = n * s / slabs, planes = n * (s + 1) / slabs - first;
        const struct starfish_constant_moments a = {
            .planes = planes,
            .stride = stride,
            .lane = memory->upload(field + first * stride * real, planes * stride * real),
            .weight = memory->upload(tables[0] + first, planes * sizeof(double)),
            .influence = memory->upload(tables[1] + first, planes * sizeof(double)),
            .moments = memory->upload(NULL, 2 * sizeof(double))};
        device->moments(precision, &a);
        sum.moments[s] = a.moments;
    }
    device->sum(&sum);
    memory->download(total, sum.total, sizeof total);

    solve_pinned(line, f, pinned);
    for (size_t k = 0; k < n; k++)
        test_real_put(field, precision, k * stride, pinned[k]);
    const struct starfish_constant_correct a = {.planes = n,
                                                .stride = stride,
                                                .lane = memory->upload(field, n * stride * real),
                                                .response = memory->upload(tables[2], n * sizeof(double)),
                                                .total = sum.total};
    device->correct(precision, &a);
    char *got = malloc(n * stride * real);
    memory->download(got, a.lane, n * stride * real);
    double mean = 0, mean_v = 0;
    for (size_t k = 0; k < n; k++) {
        v[k] = test_real_get(got, precision, k * stride);
        mean += line->weight[k] * f[k];
        mean_v += line->weight[k] * v[k];
    }
    assert_true(fabs(total[0] - scale * mean) <= 1e-13);
    assert_true(fabs(mean_v) <= tolerance);
    for (size_t k = 0; k < n; k++) {
        const double below = k > 0      ? v[k - 1]
                             : periodic ? v[n - 1]
                                        : 0,
                     above = k + 1 < n  ? v[k + 1]
                             : periodic ? v[0]
                                        : 0;
        const double residual = line->lower[k] * below + line->diag[k] * v[k] + line->upper[k] * above - (f[k] - mean);
        if (!(fabs(residual) <= tolerance))
            fail_msg("%s f%d n %zu stride %zu slabs %zu periodic %d: row %zu has residual %g", memory->name,
                     precision == STARFISH_F32 ? 32 : 64, n, stride, slabs, periodic, k, residual);
    }
    for (size_t e = 0; e < n * stride; e++)
        assert_true(e % stride == 0 || test_real_get(got, precision, e) == test_real_get(field, precision, e));
    memory->release();
    free(field);
    free(got);
}

void test_constant_line_table(const struct test_stencil_device *device)
{
    static const struct {
        size_t n, stride, slabs;
    } sizes[] = {{1, 1, 1}, {2, 3, 1}, {2, 1, 2}, {3, 5, 2}, {7, 4, 7}, {33, 2, 4}, {MOST, 3, 13}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int variant = 0; variant < 4; variant++) {
            unsigned seed = 37;
            const int periodic = variant / 2;
            const struct line line = line_create(sizes[s].n, periodic, &seed);
            check(device, &line, (starfish_precision)(variant % 2), sizes[s].stride, sizes[s].slabs, periodic);
        }
}
