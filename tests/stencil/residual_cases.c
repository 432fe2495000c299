/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The residual of the seven-point operator against loops over (i,j,k) that take every neighbour by its index. */
#include "tests/stencil/stencil_cases.h"

#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

/* What x is: n[0] reals along a direction, or the two parts of a complex number, with a real or a complex Y. */
enum numbers { REAL_NUMBERS, COMPLEX_NUMBERS, COMPLEX_NUMBERS_AND_Y, NUMBERS };

struct operation {
    starfish_precision precision;
    size_t n[3];
    enum numbers numbers;
    int periodic[3];
    double lambda, offset[2];                       /* of the real and of the imaginary part */
    double *lower[3], *diag[3], *upper[3], *sum[3]; /* sum: of what is there */
    double *weight_x, *scale_y;                     /* NULL: ones */
    void *u, *rhs;
};

static size_t coefficients(const struct operation *o, int axis)
{
    return axis == 1 && o->numbers == COMPLEX_NUMBERS_AND_Y ? 2 * o->n[1] : o->n[axis];
}

static double *coefficients_create(const struct operation *o, int axis, unsigned *seed)
{
    const size_t count = coefficients(o, axis);
    double *array = test_reals(STARFISH_F64, count, seed);
    for (size_t i = 0; axis == 0 && o->numbers != REAL_NUMBERS && i < count; i++)
        array[i] = 0;
    return array;
}

static double *sums_create(const struct operation *o, int axis)
{
    const size_t count = coefficients(o, axis), parts = count / o->n[axis];
    double *sum = malloc(count * sizeof *sum);
    for (size_t i = 0; i < count; i++) {
        const int has_lower = i >= parts || o->periodic[axis], has_upper = i + parts < count || o->periodic[axis];
        sum[i] = o->diag[axis][i] + (has_lower ? o->lower[axis][i] : 0) + (has_upper ? o->upper[axis][i] : 0);
    }
    return sum;
}

static struct operation operation_create(starfish_precision precision, const size_t n[3], int periodic,
                                         enum numbers numbers, int factors, unsigned *seed)
{
    struct operation o = {.precision = precision, .numbers = numbers, .lambda = 0.7, .offset = {0.3, 0.3}};
    if (numbers != REAL_NUMBERS)
        o.offset[1] = -0.2;
    for (int axis = 0; axis < 3; axis++) {
        o.n[axis] = n[axis];
        o.periodic[axis] = periodic >> axis & 1;
    }
    for (int axis = 0; axis < 3; axis++) {
        o.lower[axis] = coefficients_create(&o, axis, seed);
        o.diag[axis] = coefficients_create(&o, axis, seed);
        o.upper[axis] = coefficients_create(&o, axis, seed);
        o.sum[axis] = sums_create(&o, axis);
    }
    o.u = test_reals(precision, n[0] * n[1] * n[2], seed);
    o.rhs = test_reals(precision, n[0] * n[1] * n[2], seed);
    o.weight_x = factors & TEST_WEIGHT_X ? test_factors(n[2], seed) : NULL;
    o.scale_y = factors & TEST_SCALE_Y ? test_factors(n[1], seed) : NULL;
    return o;
}

static void operation_destroy(struct operation *o)
{
    for (int axis = 0; axis < 3; axis++) {
        free(o->lower[axis]);
        free(o->diag[axis]);
        free(o->upper[axis]);
        free(o->sum[axis]);
    }
    free(o->u);
    free(o->rhs);
    free(o->weight_x);
    free(o->scale_y);
}

/* u at (i,j,k), wrapped where periodic and zero outside otherwise. */
static double u_at(const struct operation *o, long i, long j, long k)
{
    long at[3] = {i, j, k};
    for (int axis = 0; axis < 3; axis++) {
        const long n = (long)o->n[axis];
        if (o->periodic[axis])
            at[axis] = (at[axis] + n) % n;
        if (at[axis] < 0 || at[axis] >= n)
            return 0;
    }
    return test_real_get(o->u, o->precision, (size_t)at[0] + o->n[0] * ((size_t)at[1] + o->n[1] * (size_t)at[2]));
}

/* A row of A times u, and of |A| times |u|; the diagonals of all directions are one number. */
struct products {
    double value, size, diagonal;
};

static void add_product(struct products *p, double factor, double u)
{
    p->value += factor * u;
    p->size += fabs(factor * u);
}

/* Row `row` of a diagonal times u at (i,j,k), the unknown itself where `centre`. A complex coefficient takes both parts
 * of the number. */
static void add_entry(const struct operation *o, int axis, const double *diagonal, size_t row, const long at[3],
                      int centre, struct products *p)
{
    const int pairs = axis == 1 && o->numbers == COMPLEX_NUMBERS_AND_Y;
    const double factor = axis == 0 && o->weight_x ? o->weight_x[at[2]] : 1;
    const double re = factor * diagonal[pairs ? 2 * row : row];
    if (centre)
        p->diagonal += re;
    else
        add_product(p, re, u_at(o, at[0], at[1], at[2]));
    if (pairs)
        add_product(p, (at[0] == 0 ? -1 : 1) * diagonal[2 * row + 1], u_at(o, 1 - at[0], at[1], at[2]));
}

static struct products apply(const struct operation *o, long i, long j, long k)
{
    const long at[3] = {i, j, k};
    struct products p = {.diagonal = o->lambda};
    for (int axis = 0; axis < 3; axis++) {
        const long x = axis == 0, y = axis == 1, z = axis == 2;
        const size_t row = (size_t)at[axis];
        add_entry(o, axis, o->lower[axis], row, (const long[]){i - x, j - y, k - z}, 0, &p);
        add_entry(o, axis, o->diag[axis], row, at, 1, &p);
        add_entry(o, axis, o->upper[axis], row, (const long[]){i + x, j + y, k + z}, 0, &p);
    }
    add_product(&p, p.diagonal, u_at(o, i, j, k));
    return p;
}

static double scale_of(const struct operation *o, size_t j)
{
    return o->scale_y ? o->scale_y[j] : 1;
}

static double element_residual(const struct operation *o, size_t i, size_t j, size_t k, int with_offset)
{
    const double f = test_real_get(o->rhs, o->precision, i + o->n[0] * (j + o->n[1] * k));
    const double offset = with_offset ? o->offset[o->numbers != REAL_NUMBERS && i > 0] : 0;
    return f - offset - apply(o, (long)i, (long)j, (long)k).value / scale_of(o, j);
}

static void naive_maxima(const struct operation *o, const struct test_slab *slab, int with_offset,
                         double maximum[STARFISH_MAXIMA])
{
    memset(maximum, 0, STARFISH_MAXIMA * sizeof *maximum);
    for (size_t k = slab->first; k < slab->first + slab->count; k++)
        for (size_t j = 0; j < o->n[1]; j++)
            for (size_t i = 0; i < o->n[0]; i++) {
                const double f = test_real_get(o->rhs, o->precision, i + o->n[0] * (j + o->n[1] * k));
                const double size = apply(o, (long)i, (long)j, (long)k).size / scale_of(o, j) + fabs(f);
                const double found[STARFISH_MAXIMA] = {
                    [STARFISH_MAXIMUM_RESIDUAL] = fabs(element_residual(o, i, j, k, with_offset)),
                    [STARFISH_MAXIMUM_RHS] = fabs(f),
                    [STARFISH_MAXIMUM_SIZE] = size,
                    [STARFISH_MAXIMUM_SOLUTION] = fabs(u_at(o, (long)i, (long)j, (long)k))};
                for (int m = 0; m < STARFISH_MAXIMA; m++)
                    maximum[m] = fmax(maximum[m], found[m]);
            }
}

/* The residual itself, with and without its maximum beside it. */
static void check_stored_residual(const struct test_stencil_device *device, const struct operation *o,
                                  const struct test_slab *slab, const struct starfish_residual *kernel,
                                  const double maximum[STARFISH_MAXIMA])
{
    const size_t count = o->n[0] * o->n[1] * slab->count;
    for (int with_maximum = 0; with_maximum < 2; with_maximum++) {
        struct starfish_residual a = *kernel;
        double *got = malloc(count * sizeof *got), again[STARFISH_MAXIMA];
        a.result = device->memory->upload(NULL, count * starfish_real_size(o->precision));
        a.maximum = with_maximum ? kernel->maximum : NULL;
        device->residual(o->precision, &a);
        device->memory->download(got, a.result, count * starfish_real_size(o->precision));
        if (with_maximum) {
            device->memory->download(again, a.maximum, sizeof again);
            assert_memory_equal(again, maximum, sizeof again);
        }
        for (size_t e = 0; e < count && isfinite(maximum[0]); e++) {
            const size_t row = e / o->n[0];
            const double expected =
                element_residual(o, e % o->n[0], row % o->n[1], slab->first + row / o->n[1], kernel->offset != NULL);
            if (!(fabs(test_real_get(got, o->precision, e) - expected) <= 32 * test_real_epsilon(o->precision)))
                fail_msg("%s: residual %zu is %.17g, not %.17g", device->memory->name, e,
                         test_real_get(got, o->precision, e), expected);
        }
        free(got);
    }
}

/* Only the slab and the planes next to it are there; a neighbour at a wall is absent. */
static void device_residual(const struct test_stencil_device *device, const struct operation *o,
                            const struct test_slab *slab, int with_offset, double maximum[STARFISH_MAXIMA])
{
    const struct test_memory *memory = device->memory;
    const size_t real = starfish_real_size(o->precision), plane = o->n[0] * o->n[1] * real, nz = o->n[2];
    const char *u = o->u, *rhs = o->rhs;
    const size_t after = slab->first + slab->count;
    struct starfish_residual a = {.n = {o->n[0], o->n[1], slab->count},
                                  .first_plane = slab->first,
                                  .planes = nz,
                                  .complex_pairs = o->numbers != REAL_NUMBERS,
                                  .complex_y = o->numbers == COMPLEX_NUMBERS_AND_Y,
                                  .lambda = o->lambda,
                                  .u = memory->upload(u + slab->first * plane, slab->count * plane),
                                  .rhs = memory->upload(rhs + slab->first * plane, slab->count * plane),
                                  .maximum = memory->upload(NULL, STARFISH_MAXIMA * sizeof(double))};
    for (int axis = 0; axis < 3; axis++) {
        const size_t bytes = coefficients(o, axis) * sizeof(double);
        a.axis[axis] = (struct starfish_stencil_axis){
            o->periodic[axis], memory->upload(o->lower[axis], bytes), memory->upload(o->diag[axis], bytes),
            memory->upload(o->upper[axis], bytes), memory->upload(o->sum[axis], bytes)};
    }
    if (slab->first > 0 || o->periodic[2])
        a.below = memory->upload(u + (slab->first + nz - 1) % nz * plane, plane);
    if (after < nz || o->periodic[2])
        a.above = memory->upload(u + after % nz * plane, plane);
    a.weight_x = o->weight_x ? memory->upload(o->weight_x, nz * sizeof(double)) : NULL;
    a.scale_y = o->scale_y ? memory->upload(o->scale_y, o->n[1] * sizeof(double)) : NULL;
    if (with_offset)
        a.offset = memory->upload(o->offset, o->numbers != REAL_NUMBERS ? 2 * sizeof(double) : sizeof(double));
    device->residual(o->precision, &a);
    memory->download(maximum, a.maximum, STARFISH_MAXIMA * sizeof(double));
    check_stored_residual(device, o, slab, &a, maximum);
    memory->release();
}

static void check_residual(const struct test_stencil_device *device, const struct test_slab *slab,
                           starfish_precision precision, int periodic, enum numbers numbers, int factors)
{
    unsigned seed = 17;
    struct operation o = operation_create(precision, slab->n, periodic, numbers, factors, &seed);
    for (int with_offset = 0; with_offset < 2; with_offset++) {
        double expected[STARFISH_MAXIMA], got[STARFISH_MAXIMA];
        naive_maxima(&o, slab, with_offset, expected);
        device_residual(device, &o, slab, with_offset, got);
        for (int m = 0; m < STARFISH_MAXIMA; m++)
            if (!(fabs(got[m] - expected[m]) <= 32 * test_real_epsilon(precision)))
                fail_msg("%s f%d %zux%zux%zu planes %zu+%zu periodic %d numbers %d factors %d: maximum[%d] %.17g, not "
                         "%.17g",
                         device->memory->name, precision == STARFISH_F32 ? 32 : 64, slab->n[0], slab->n[1], slab->n[2],
                         slab->first, slab->count, periodic, (int)numbers, factors, m, got[m], expected[m]);
    }
    operation_destroy(&o);
}

void test_residual_slab(const struct test_stencil_device *device, const struct test_slab *slab)
{
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int periodic = 0; periodic < 8; periodic++)
            for (int numbers = REAL_NUMBERS; numbers < (slab->n[0] == 2 ? NUMBERS : COMPLEX_NUMBERS); numbers++)
                for (int with_factors = 0; with_factors < 2; with_factors++)
                    check_residual(device, slab, (starfish_precision)precision, periodic, (enum numbers)numbers,
                                   with_factors ? 1 + periodic % TEST_BOTH_FACTORS : 0);
}

void test_residual_table(const struct test_stencil_device *device)
{
    for (int s = 0; s < TEST_SLABS; s++)
        test_residual_slab(device, &test_slabs[s]);
}

void test_residual_not_finite(const struct test_stencil_device *device)
{
    const struct test_slab slab = {{33, 5, 4}, 1, 2};
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int b = 0; b < 3; b++)
            for (int in_rhs = 0; in_rhs < 2; in_rhs++) {
                unsigned seed = 23;
                double maximum[STARFISH_MAXIMA];
                struct operation o = operation_create((starfish_precision)precision, slab.n, 0, REAL_NUMBERS, 0, &seed);
                /* Row 4 of plane 1, which the slab has. */
                test_real_put(in_rhs ? o.rhs : o.u, o.precision, 7 + 33 * (4 + 5 * 1), bad[b]);
                device_residual(device, &o, &slab, 1, maximum);
                assert_true(isinf(maximum[STARFISH_MAXIMUM_RESIDUAL]) && maximum[STARFISH_MAXIMUM_RESIDUAL] > 0);
                assert_true(isinf(maximum[STARFISH_MAXIMUM_SIZE]));
                assert_int_equal(isinf(maximum[STARFISH_MAXIMUM_RHS]) != 0, in_rhs);
                operation_destroy(&o);
            }
}

/* A column of a layer so thin that its couplings are 2^50 and a row sums to nothing: u is 1, and 2^-20 more above the
 * middle. Rounded products would leave 2^26 of noise in f32; the residual is what the one difference makes, exactly. */
void test_residual_of_thin_layer(const struct test_stencil_device *device)
{
    enum { N = 8 };
    const double coupling = ldexp(1, 50), step = ldexp(1, -20), zero[N] = {0};
    const struct test_memory *memory = device->memory;
    double lower[N], diag[N], upper[N], maximum[STARFISH_MAXIMA], got[N];
    for (int k = 0; k < N; k++) {
        lower[k] = k > 0 ? coupling : 0;
        upper[k] = k + 1 < N ? coupling : 0;
        diag[k] = -(lower[k] + upper[k]);
    }
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
        const starfish_precision p = (starfish_precision)precision;
        const size_t real = starfish_real_size(p);
        double u[N], f[N];
        for (size_t k = 0; k < N; k++) {
            test_real_put(u, p, k, k < N / 2 ? 1 : 1 + step);
            test_real_put(f, p, k, 0);
        }
        const struct starfish_stencil_axis none = {
            0, memory->upload(zero, sizeof(double)), memory->upload(zero, sizeof(double)),
            memory->upload(zero, sizeof(double)), memory->upload(zero, sizeof(double))};
        const struct starfish_stencil_axis z = {0, memory->upload(lower, sizeof lower),
                                                memory->upload(diag, sizeof diag), memory->upload(upper, sizeof upper),
                                                memory->upload(zero, sizeof zero)};
        const struct starfish_residual a = {.n = {1, 1, N},
                                            .planes = N,
                                            .axis = {none, none, z},
                                            .u = memory->upload(u, N * real),
                                            .rhs = memory->upload(f, N * real),
                                            .maximum = memory->upload(NULL, sizeof maximum),
                                            .result = memory->upload(NULL, N * real)};
        device->residual(p, &a);
        memory->download(maximum, a.maximum, sizeof maximum);
        memory->download(got, a.result, N * real);
        assert_true(maximum[STARFISH_MAXIMUM_RESIDUAL] == coupling * step);
        assert_true(maximum[STARFISH_MAXIMUM_SIZE] >= 4 * coupling);
        for (size_t k = 0; k < N; k++) {
            const double expected = k == N / 2 - 1 ? -coupling * step : k == N / 2 ? coupling * step : 0;
            assert_true(test_real_get(got, p, k) == expected);
        }
        memory->release();
    }
}
