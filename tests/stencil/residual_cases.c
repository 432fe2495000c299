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
    double lambda, offset[2]; /* of the real and of the imaginary part */
    void *lower[3], *diag[3], *upper[3], *u, *rhs;
};

static size_t coefficients(const struct operation *o, int axis)
{
    return axis == 1 && o->numbers == COMPLEX_NUMBERS_AND_Y ? 2 * o->n[1] : o->n[axis];
}

static void *coefficients_create(const struct operation *o, int axis, unsigned *seed)
{
    const size_t count = coefficients(o, axis);
    void *array = test_reals(o->precision, count, seed);
    for (size_t i = 0; axis == 0 && o->numbers != REAL_NUMBERS && i < count; i++)
        test_real_put(array, o->precision, i, 0);
    return array;
}

static struct operation operation_create(starfish_precision precision, const size_t n[3], int periodic,
                                         enum numbers numbers, unsigned *seed)
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
    }
    o.u = test_reals(precision, n[0] * n[1] * n[2], seed);
    o.rhs = test_reals(precision, n[0] * n[1] * n[2], seed);
    return o;
}

static void operation_destroy(struct operation *o)
{
    for (int axis = 0; axis < 3; axis++) {
        free(o->lower[axis]);
        free(o->diag[axis]);
        free(o->upper[axis]);
    }
    free(o->u);
    free(o->rhs);
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

/* Row `row` of a diagonal times u at (i,j,k). A complex coefficient takes both parts of the number. */
static double product(const struct operation *o, int axis, const void *diagonal, size_t row, long i, long j, long k)
{
    if (axis != 1 || o->numbers != COMPLEX_NUMBERS_AND_Y)
        return test_real_get(diagonal, o->precision, row) * u_at(o, i, j, k);
    const double re = test_real_get(diagonal, o->precision, 2 * row);
    const double im = test_real_get(diagonal, o->precision, 2 * row + 1);
    return i == 0 ? re * u_at(o, 0, j, k) - im * u_at(o, 1, j, k) : re * u_at(o, 1, j, k) + im * u_at(o, 0, j, k);
}

static double apply(const struct operation *o, long i, long j, long k)
{
    const long at[3] = {i, j, k};
    double sum = o->lambda * u_at(o, i, j, k);
    for (int axis = 0; axis < 3; axis++) {
        const long x = axis == 0, y = axis == 1, z = axis == 2;
        const size_t row = (size_t)at[axis];
        sum += product(o, axis, o->lower[axis], row, i - x, j - y, k - z);
        sum += product(o, axis, o->diag[axis], row, i, j, k);
        sum += product(o, axis, o->upper[axis], row, i + x, j + y, k + z);
    }
    return sum;
}

static double element_residual(const struct operation *o, size_t i, size_t j, size_t k, int with_offset)
{
    const double f = test_real_get(o->rhs, o->precision, i + o->n[0] * (j + o->n[1] * k));
    const double offset = with_offset ? o->offset[o->numbers != REAL_NUMBERS && i > 0] : 0;
    return f - offset - apply(o, (long)i, (long)j, (long)k);
}

static void naive_maxima(const struct operation *o, const struct test_slab *slab, int with_offset, double maximum[2])
{
    maximum[0] = maximum[1] = 0;
    for (size_t k = slab->first; k < slab->first + slab->count; k++)
        for (size_t j = 0; j < o->n[1]; j++)
            for (size_t i = 0; i < o->n[0]; i++) {
                const double f = test_real_get(o->rhs, o->precision, i + o->n[0] * (j + o->n[1] * k));
                maximum[0] = fmax(maximum[0], fabs(element_residual(o, i, j, k, with_offset)));
                maximum[1] = fmax(maximum[1], fabs(f));
            }
}

/* The residual itself, with and without its maximum beside it. */
static void check_stored_residual(const struct test_stencil_device *device, const struct operation *o,
                                  const struct test_slab *slab, const struct starfish_residual *kernel,
                                  const double maximum[2])
{
    const size_t count = o->n[0] * o->n[1] * slab->count;
    for (int with_maximum = 0; with_maximum < 2; with_maximum++) {
        struct starfish_residual a = *kernel;
        double *got = malloc(count * sizeof *got), again[2];
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
                            const struct test_slab *slab, int with_offset, double maximum[2])
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
                                  .maximum = memory->upload(NULL, 2 * sizeof(double))};
    for (int axis = 0; axis < 3; axis++) {
        const size_t bytes = coefficients(o, axis) * real;
        a.axis[axis] =
            (struct starfish_stencil_axis){o->periodic[axis], memory->upload(o->lower[axis], bytes),
                                           memory->upload(o->diag[axis], bytes), memory->upload(o->upper[axis], bytes)};
    }
    if (slab->first > 0 || o->periodic[2])
        a.below = memory->upload(u + (slab->first + nz - 1) % nz * plane, plane);
    if (after < nz || o->periodic[2])
        a.above = memory->upload(u + after % nz * plane, plane);
    if (with_offset)
        a.offset = memory->upload(o->offset, o->numbers != REAL_NUMBERS ? 2 * sizeof(double) : sizeof(double));
    device->residual(o->precision, &a);
    memory->download(maximum, a.maximum, 2 * sizeof(double));
    check_stored_residual(device, o, slab, &a, maximum);
    memory->release();
}

static void check_residual(const struct test_stencil_device *device, const struct test_slab *slab,
                           starfish_precision precision, int periodic, enum numbers numbers)
{
    unsigned seed = 17;
    struct operation o = operation_create(precision, slab->n, periodic, numbers, &seed);
    for (int with_offset = 0; with_offset < 2; with_offset++) {
        double expected[2], got[2];
        naive_maxima(&o, slab, with_offset, expected);
        device_residual(device, &o, slab, with_offset, got);
        for (int m = 0; m < 2; m++)
            if (!(fabs(got[m] - expected[m]) <= 32 * test_real_epsilon(precision)))
                fail_msg("%s f%d %zux%zux%zu planes %zu+%zu periodic %d numbers %d: maximum[%d] %.17g, not %.17g",
                         device->memory->name, precision == STARFISH_F32 ? 32 : 64, slab->n[0], slab->n[1], slab->n[2],
                         slab->first, slab->count, periodic, (int)numbers, m, got[m], expected[m]);
    }
    operation_destroy(&o);
}

void test_residual_slab(const struct test_stencil_device *device, const struct test_slab *slab)
{
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int periodic = 0; periodic < 8; periodic++)
            for (int numbers = REAL_NUMBERS; numbers < (slab->n[0] == 2 ? NUMBERS : COMPLEX_NUMBERS); numbers++)
                check_residual(device, slab, (starfish_precision)precision, periodic, (enum numbers)numbers);
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
                double maximum[2];
                struct operation o = operation_create((starfish_precision)precision, slab.n, 0, REAL_NUMBERS, &seed);
                /* Row 4 of plane 1, which the slab has. */
                test_real_put(in_rhs ? o.rhs : o.u, o.precision, 7 + 33 * (4 + 5 * 1), bad[b]);
                device_residual(device, &o, &slab, 1, maximum);
                assert_true(isinf(maximum[0]) && maximum[0] > 0);
                assert_int_equal(isinf(maximum[1]) != 0, in_rhs);
                operation_destroy(&o);
            }
}
