/* The seven-point kernels against loops over (i,j,k) that take every neighbour by its index. */
#include "tests/stencil/stencil_cases.h"

#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

static const struct test_slab slabs[] = {
    {{1, 1, 1}, 0, 1}, {{3, 1, 1}, 0, 1}, {{1, 3, 1}, 0, 1},  {{1, 1, 3}, 0, 3},  {{2, 2, 2}, 0, 2},
    {{2, 3, 2}, 0, 1}, {{3, 2, 2}, 1, 1}, {{5, 4, 7}, 0, 7},  {{5, 4, 7}, 0, 2},  {{5, 4, 7}, 2, 3},
    {{5, 4, 7}, 3, 1}, {{5, 4, 7}, 5, 2}, {{33, 7, 5}, 1, 4}, {{65, 9, 6}, 2, 2}, {{257, 3, 3}, 0, 3},
};
enum { SLABS = sizeof slabs / sizeof slabs[0] };

/* ---- Residual --------------------------------------------------------------------------------------------------- */

struct operation {
    starfish_precision precision;
    size_t n[3];
    int periodic[3];
    double lambda, offset;
    void *lower[3], *diag[3], *upper[3], *u, *rhs;
};

static struct operation operation_create(starfish_precision precision, const size_t n[3], int periodic, unsigned *seed)
{
    struct operation o = {.precision = precision, .lambda = 0.7, .offset = 0.3};
    for (int axis = 0; axis < 3; axis++) {
        o.n[axis] = n[axis];
        o.periodic[axis] = periodic >> axis & 1;
        o.lower[axis] = test_reals(precision, n[axis], seed);
        o.diag[axis] = test_reals(precision, n[axis], seed);
        o.upper[axis] = test_reals(precision, n[axis], seed);
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

static double apply(const struct operation *o, long i, long j, long k)
{
    const long at[3] = {i, j, k};
    double sum = o->lambda * u_at(o, i, j, k);
    for (int axis = 0; axis < 3; axis++) {
        const long x = axis == 0, y = axis == 1, z = axis == 2;
        const size_t row = (size_t)at[axis];
        sum += test_real_get(o->lower[axis], o->precision, row) * u_at(o, i - x, j - y, k - z);
        sum += test_real_get(o->diag[axis], o->precision, row) * u_at(o, i, j, k);
        sum += test_real_get(o->upper[axis], o->precision, row) * u_at(o, i + x, j + y, k + z);
    }
    return sum;
}

static void naive_residual(const struct operation *o, const struct test_slab *slab, double offset, double maximum[2])
{
    maximum[0] = maximum[1] = 0;
    for (size_t k = slab->first; k < slab->first + slab->count; k++)
        for (size_t j = 0; j < o->n[1]; j++)
            for (size_t i = 0; i < o->n[0]; i++) {
                const double f = test_real_get(o->rhs, o->precision, i + o->n[0] * (j + o->n[1] * k));
                maximum[0] = fmax(maximum[0], fabs(apply(o, (long)i, (long)j, (long)k) - (f - offset)));
                maximum[1] = fmax(maximum[1], fabs(f));
            }
}

static double element_residual(const struct operation *o, size_t i, size_t j, size_t k, double offset)
{
    const double au = apply(o, (long)i, (long)j, (long)k);
    return test_real_get(o->rhs, o->precision, i + o->n[0] * (j + o->n[1] * k)) - offset - au;
}

/* The residual itself, with and without its maximum beside it. */
static void check_stored_residual(const struct test_sparse_device *device, const struct operation *o,
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
            const double expected = element_residual(o, e % o->n[0], row % o->n[1], slab->first + row / o->n[1],
                                                     kernel->offset ? o->offset : 0);
            if (!(fabs(test_real_get(got, o->precision, e) - expected) <= 32 * test_real_epsilon(o->precision)))
                fail_msg("%s: residual %zu is %.17g, not %.17g", device->memory->name, e,
                         test_real_get(got, o->precision, e), expected);
        }
        free(got);
    }
}

/* Only the slab and the planes next to it are there; a neighbour at a wall is absent. */
static void device_residual(const struct test_sparse_device *device, const struct operation *o,
                            const struct test_slab *slab, int with_offset, double maximum[2])
{
    const struct test_memory *memory = device->memory;
    const size_t real = starfish_real_size(o->precision), plane = o->n[0] * o->n[1] * real, nz = o->n[2];
    const char *u = o->u, *rhs = o->rhs;
    const size_t after = slab->first + slab->count;
    struct starfish_residual a = {.n = {o->n[0], o->n[1], slab->count},
                                  .first_plane = slab->first,
                                  .planes = nz,
                                  .lambda = o->lambda,
                                  .u = memory->upload(u + slab->first * plane, slab->count * plane),
                                  .rhs = memory->upload(rhs + slab->first * plane, slab->count * plane),
                                  .maximum = memory->upload(NULL, 2 * sizeof(double))};
    for (int axis = 0; axis < 3; axis++)
        a.axis[axis] = (struct starfish_stencil_axis){
            o->periodic[axis], memory->upload(o->lower[axis], o->n[axis] * real),
            memory->upload(o->diag[axis], o->n[axis] * real), memory->upload(o->upper[axis], o->n[axis] * real)};
    if (slab->first > 0 || o->periodic[2])
        a.below = memory->upload(u + (slab->first + nz - 1) % nz * plane, plane);
    if (after < nz || o->periodic[2])
        a.above = memory->upload(u + after % nz * plane, plane);
    if (with_offset)
        a.offset = memory->upload(&o->offset, sizeof o->offset);
    device->residual(o->precision, &a);
    memory->download(maximum, a.maximum, 2 * sizeof(double));
    check_stored_residual(device, o, slab, &a, maximum);
    memory->release();
}

static void check_residual(const struct test_sparse_device *device, const struct test_slab *slab,
                           starfish_precision precision, int periodic)
{
    unsigned seed = 17;
    struct operation o = operation_create(precision, slab->n, periodic, &seed);
    for (int with_offset = 0; with_offset < 2; with_offset++) {
        double expected[2], got[2];
        naive_residual(&o, slab, with_offset ? o.offset : 0, expected);
        device_residual(device, &o, slab, with_offset, got);
        for (int m = 0; m < 2; m++)
            if (!(fabs(got[m] - expected[m]) <= 32 * test_real_epsilon(precision)))
                fail_msg("%s f%d %zux%zux%zu planes %zu+%zu periodic %d: maximum[%d] %.17g, not %.17g",
                         device->memory->name, precision == STARFISH_F32 ? 32 : 64, slab->n[0], slab->n[1], slab->n[2],
                         slab->first, slab->count, periodic, m, got[m], expected[m]);
    }
    operation_destroy(&o);
}

void test_residual_slab(const struct test_sparse_device *device, const struct test_slab *slab)
{
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int periodic = 0; periodic < 8; periodic++)
            check_residual(device, slab, (starfish_precision)precision, periodic);
}

void test_residual_table(const struct test_sparse_device *device)
{
    for (int s = 0; s < SLABS; s++)
        test_residual_slab(device, &slabs[s]);
}

void test_residual_not_finite(const struct test_sparse_device *device)
{
    const struct test_slab slab = {{33, 5, 4}, 1, 2};
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int b = 0; b < 3; b++)
            for (int in_rhs = 0; in_rhs < 2; in_rhs++) {
                unsigned seed = 23;
                double maximum[2];
                struct operation o = operation_create((starfish_precision)precision, slab.n, 0, &seed);
                /* Row 4 of plane 1, which the slab has. */
                test_real_put(in_rhs ? o.rhs : o.u, o.precision, 7 + 33 * (4 + 5 * 1), bad[b]);
                device_residual(device, &o, &slab, 1, maximum);
                assert_true(isinf(maximum[0]) && maximum[0] > 0);
                assert_int_equal(isinf(maximum[1]) != 0, in_rhs);
                operation_destroy(&o);
            }
}

/* ---- Boundary data ------------------------------------------------------------------------------------------------
 */

/* Bits of `faces` say which faces have data, of `arrays` which of them as an array. */
static void check_boundary(const struct test_sparse_device *device, const struct test_slab *slab,
                           starfish_precision precision, int faces, int arrays, int in_place)
{
    const struct test_memory *memory = device->memory;
    const size_t real = starfish_real_size(precision), *n = slab->n, plane = n[0] * n[1], count = plane * slab->count;
    unsigned seed = 5;
    void *rhs = test_reals(precision, count, &seed), *got = malloc(count * real), *face[3][2];
    struct starfish_boundary_rhs a = {.n = {n[0], n[1], slab->count}, .first_plane = slab->first, .planes = n[2]};
    for (int f = 0; f < 6; f++) {
        const int axis = f / 2, end = f % 2;
        const size_t values = n[0] * n[1] * n[2] / n[axis];
        face[axis][end] = test_reals(precision, values, &seed);
        a.weight[axis][end] = faces >> f & 1 ? 2 * test_real_random(&seed) : 0;
        a.constant[axis][end] = test_real_random(&seed);
        if (faces >> f & arrays >> f & 1)
            a.face[axis][end] = memory->upload(face[axis][end], values * real);
    }
    a.rhs = memory->upload(rhs, count * real);
    a.result = in_place ? (void *)(uintptr_t)a.rhs : memory->upload(NULL, count * real);
    device->boundary_rhs(precision, &a);
    memory->download(got, a.result, count * real);
    for (size_t e = 0; e < count; e++) {
        const size_t at[3] = {e % n[0], e / n[0] % n[1], slab->first + e / plane};
        double expected = test_real_get(rhs, precision, e);
        for (int axis = 0; axis < 3; axis++)
            for (int end = 0; end < 2; end++) {
                const size_t low = at[axis == 0], high = at[axis == 2 ? 1 : 2], stride = n[axis == 0];
                const double datum = a.face[axis][end] ? test_real_get(face[axis][end], precision, low + stride * high)
                                                       : a.constant[axis][end];
                if (at[axis] == (end ? n[axis] - 1 : 0))
                    expected -= a.weight[axis][end] * datum;
            }
        if (!(fabs(test_real_get(got, precision, e) - expected) <= 32 * test_real_epsilon(precision)))
            fail_msg("%s f%d %zux%zux%zu planes %zu+%zu faces %#x arrays %#x: (%zu,%zu,%zu) is %.17g, not %.17g",
                     memory->name, precision == STARFISH_F32 ? 32 : 64, n[0], n[1], n[2], slab->first, slab->count,
                     (unsigned)faces, (unsigned)arrays, at[0], at[1], at[2], test_real_get(got, precision, e),
                     expected);
    }
    memory->release();
    for (int f = 0; f < 6; f++)
        free(face[f / 2][f % 2]);
    free(rhs);
    free(got);
}

void test_boundary_slab(const struct test_sparse_device *device, const struct test_slab *slab)
{
    static const int faces[] = {0, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x3f};
    static const int arrays[] = {0, 0x3f, 0x15, 0x2a};
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int f = 0; f < 8; f++)
            for (int a = 0; a < 4; a++)
                check_boundary(device, slab, (starfish_precision)precision, faces[f], arrays[a], (f + a) % 2);
}

void test_boundary_table(const struct test_sparse_device *device)
{
    for (int s = 0; s < SLABS; s++)
        test_boundary_slab(device, &slabs[s]);
}

/* ---- Constant mode ------------------------------------------------------------------------------------------------
 */

static void *weights(starfish_precision precision, size_t n, unsigned *seed)
{
    void *weight = malloc(n * sizeof(double));
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        test_real_put(weight, precision, i, 1.5 + test_real_random(seed));
        sum += test_real_get(weight, precision, i);
    }
    for (size_t i = 0; i < n; i++)
        test_real_put(weight, precision, i, test_real_get(weight, precision, i) / sum);
    return weight;
}

static void check_constant_mode(const struct test_sparse_device *device, starfish_precision precision, size_t lanes,
                                size_t ny, size_t nz, int tiles, int wants_removed)
{
    const struct test_memory *memory = device->memory;
    const size_t real = starfish_real_size(precision), plane = lanes * ny;
    unsigned seed = 29;
    char *field = test_reals(precision, plane * nz, &seed);
    void *weight_y = weights(precision, ny, &seed), *weight_z = weights(precision, nz, &seed);
    struct starfish_constant_mode a = {.lanes = lanes, .ny = ny, .tiles = tiles, .scale = -2.5};
    double mean = 0, removed = 0;
    for (size_t k = 0; k < nz; k++)
        for (size_t j = 0; j < ny; j++)
            mean += test_real_get(weight_y, precision, j) * test_real_get(weight_z, precision, k) *
                    test_real_get(field, precision, lanes * (j + ny * k));
    for (int t = 0; t <= tiles; t++)
        a.first[t] = nz * (size_t)t / (size_t)tiles;
    for (int t = 0; t < tiles; t++)
        a.tile[t] = memory->upload(field + a.first[t] * plane * real, (a.first[t + 1] - a.first[t]) * plane * real);
    a.weight_y = memory->upload(weight_y, ny * real);
    a.weight_z = memory->upload(weight_z, nz * real);
    a.removed = wants_removed ? memory->upload(NULL, sizeof(double)) : NULL;
    device->constant_mode(precision, &a);

    char *got = malloc(plane * nz * real);
    for (int t = 0; t < tiles; t++)
        memory->download(got + a.first[t] * plane * real, a.tile[t], (a.first[t + 1] - a.first[t]) * plane * real);
    if (wants_removed)
        memory->download(&removed, a.removed, sizeof removed);
    for (size_t e = 0; e < plane * nz; e++) {
        const double was = test_real_get(field, precision, e), is = test_real_get(got, precision, e);
        const double expected = e % lanes == 0 ? was - mean : was;
        if (!(fabs(is - expected) <= (e % lanes == 0 ? 4 * test_real_epsilon(precision) : 0)))
            fail_msg("%s f%d lanes %zu ny %zu nz %zu tiles %d: element %zu is %.17g, not %.17g", memory->name,
                     precision == STARFISH_F32 ? 32 : 64, lanes, ny, nz, tiles, e, is, expected);
    }
    assert_true(!wants_removed || fabs(removed + 2.5 * mean) <= 1e-14);
    memory->release();
    free(field);
    free(weight_y);
    free(weight_z);
    free(got);
}

void test_constant_mode_size(const struct test_sparse_device *device, size_t lanes, size_t ny, size_t nz, int tiles)
{
    for (int variant = 0; variant < 4; variant++)
        check_constant_mode(device, (starfish_precision)(variant % 2), lanes, ny, nz, tiles, variant / 2);
}

void test_constant_mode_table(const struct test_sparse_device *device)
{
    static const struct {
        size_t lanes, ny, nz;
        int tiles;
    } sizes[] = {{1, 1, 1, 1}, {3, 1, 1, 1},    {1, 5, 1, 1},    {1, 1, 5, 5},  {2, 3, 4, 2},
                 {5, 7, 9, 4}, {1, 33, 32, 32}, {4, 65, 33, 32}, {17, 1, 70, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        test_constant_mode_size(device, sizes[s].lanes, sizes[s].ny, sizes[s].nz, sizes[s].tiles);
}

/* ---- The group of tests -------------------------------------------------------------------------------------------
 */

static const struct test_sparse_device *tested;

static void residual_is_that_of_the_operator(void **state)
{
    (void)state;
    test_residual_table(tested);
}

static void residual_of_what_is_not_finite_is_infinite(void **state)
{
    (void)state;
    test_residual_not_finite(tested);
}

static void boundary_data_moves_to_the_faces(void **state)
{
    (void)state;
    test_boundary_table(tested);
}

static void corrections_are_added(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 31, 257, 70001};
    for (size_t c = 0; c < 2 * sizeof counts / sizeof counts[0]; c++) {
        const starfish_precision precision = (starfish_precision)(c % 2);
        const size_t count = counts[c / 2], bytes = count * starfish_real_size(precision);
        unsigned seed = 31;
        void *u = test_reals(precision, count, &seed), *correction = test_reals(precision, count, &seed);
        void *got = malloc(bytes);
        const struct starfish_add a = {count, tested->memory->upload(u, bytes),
                                       tested->memory->upload(correction, bytes)};
        tested->add(precision, &a);
        tested->memory->download(got, a.u, bytes);
        for (size_t e = 0; e < count; e++)
            assert_true(fabs(test_real_get(got, precision, e) - test_real_get(u, precision, e) -
                             test_real_get(correction, precision, e)) <= 2 * test_real_epsilon(precision));
        tested->memory->release();
        free(u);
        free(correction);
        free(got);
    }
}

static void constant_lines_are_put_right(void **state)
{
    (void)state;
    test_constant_line_table(tested);
}

static void mean_of_the_constant_mode_is_removed(void **state)
{
    (void)state;
    test_constant_mode_table(tested);
}

/* More unknowns than threads, so that every thread walks. */
static void large_sizes_too(void **state)
{
    (void)state;
    static const struct test_slab large[] = {{{255, 129, 70}, 3, 66}, {{1031, 17, 41}, 0, 40}};
    for (int s = 0; s < 2; s++) {
        test_residual_slab(tested, &large[s]);
        test_boundary_slab(tested, &large[s]);
    }
    test_constant_mode_size(tested, 9, 513, 300, 16);
}

int test_sparse_kernels(const struct test_sparse_device *device, int large_sizes)
{
    const struct CMUnitTest table[] = {
        cmocka_unit_test(residual_is_that_of_the_operator),
        cmocka_unit_test(residual_of_what_is_not_finite_is_infinite),
        cmocka_unit_test(boundary_data_moves_to_the_faces),
        cmocka_unit_test(mean_of_the_constant_mode_is_removed),
        cmocka_unit_test(corrections_are_added),
        cmocka_unit_test(constant_lines_are_put_right),
    };
    const struct CMUnitTest large[] = {cmocka_unit_test(large_sizes_too)};
    tested = device;
    const int failed = cmocka_run_group_tests_name("table", table, NULL, NULL);
    return failed + (large_sizes ? cmocka_run_group_tests_name("large sizes", large, NULL, NULL) : 0);
}
