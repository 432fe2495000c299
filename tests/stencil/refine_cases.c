/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of iterative refinement and the search for what is not finite, element by element. */
#include "tests/common/reals.h"
#include "tests/stencil/stencil_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

static const size_t counts[] = {1, 2, 31, 257, 5000};
enum { COUNTS = sizeof counts / sizeof counts[0] };

/* u += correction and what u was; then back, unless the verdict keeps it. */
static void check_step(const struct test_stencil_device *device, starfish_precision precision, size_t count,
                       double kept)
{
    const struct test_memory *memory = device->memory;
    const size_t bytes = count * starfish_real_size(precision);
    unsigned seed = 3;
    void *u = test_reals(precision, count, &seed), *correction = test_reals(precision, count, &seed);
    void *got_u = malloc(bytes), *got_before = malloc(bytes);
    double maximum, largest = 0;
    const struct starfish_refine_add add = {count, memory->upload(u, bytes), memory->upload(correction, bytes),
                                            memory->upload(NULL, sizeof(double))};
    const struct starfish_refine_restore restore = {count, add.u, add.correction, memory->upload(&kept, sizeof kept)};
    device->refine_add(precision, &add);
    memory->download(got_u, add.u, bytes);
    memory->download(got_before, add.correction, bytes);
    memory->download(&maximum, add.maximum, sizeof maximum);
    assert_memory_equal(got_before, u, bytes);
    for (size_t i = 0; i < count; i++) {
        const double sum = test_real_get(u, precision, i) + test_real_get(correction, precision, i);
        assert_true(fabs(test_real_get(got_u, precision, i) - sum) <= 2 * test_real_epsilon(precision));
        largest = fmax(largest, fabs(test_real_get(correction, precision, i)));
    }
    assert_true(maximum == largest);
    device->refine_restore(precision, &restore);
    memory->download(got_before, add.u, bytes);
    assert_memory_equal(got_before, kept != 0 ? got_u : u, bytes);
    memory->release();
    free(u);
    free(correction);
    free(got_u);
    free(got_before);
}

/* A correction that is not finite has an infinite maximum, wherever it is. */
static void check_not_finite(const struct test_stencil_device *device, starfish_precision precision, double bad)
{
    enum { COUNT = 300 };
    const struct test_memory *memory = device->memory;
    const size_t bytes = COUNT * starfish_real_size(precision);
    unsigned seed = 7;
    double maximum;
    void *values = test_reals(precision, COUNT, &seed);
    test_real_put(values, precision, 270, bad);
    const struct starfish_refine_add add = {COUNT, memory->upload(values, bytes), memory->upload(values, bytes),
                                            memory->upload(NULL, sizeof(double))};
    device->refine_add(precision, &add);
    memory->download(&maximum, add.maximum, sizeof maximum);
    assert_true(isinf(maximum));
    memory->release();
    free(values);
}

void test_refinement_steps(const struct test_stencil_device *device)
{
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
        for (int c = 0; c < 2 * COUNTS; c++)
            check_step(device, (starfish_precision)precision, counts[c / 2], c % 2);
        check_not_finite(device, (starfish_precision)precision, NAN);
        check_not_finite(device, (starfish_precision)precision, -INFINITY);
    }
}

static void set_maxima(double maximum[STARFISH_MAXIMA], double residual, double size, double solution)
{
    maximum[STARFISH_MAXIMUM_RESIDUAL] = residual;
    maximum[STARFISH_MAXIMUM_RHS] = 3;
    maximum[STARFISH_MAXIMUM_SIZE] = size;
    maximum[STARFISH_MAXIMUM_SOLUTION] = solution;
}

void test_refinement_verdicts(const struct test_stencil_device *device)
{
    static const struct {
        double before, after, size, solution, correction;
        int kept;
    } cases[] = {
        {1, 0.5, 1e3, 1, 0.1, 1}, /* the residual falls */
        {1, 1, 1e3, 1, 0.1, 0},   /* it does not */
        {1, 2, 1e3, 1, 1e-9, 0},
        {1e-14, 2e-14, 100, 1, 1e-9, 1}, /* nor can it, and the correction is small */
        {1e-14, 2e-14, 100, 1, 0.7, 0},  /* or large */
        {1, INFINITY, 1e3, 1, 0.1, 0},   /* what has become of it is no solution */
        {1, 0.5, 1e3, 1, INFINITY, 0},
        {INFINITY, 0.5, 1e3, 1, 0.1, 1}, /* it was none before */
        {0, 0, 0, 0, 0, 1},              /* nothing to do is done */
    };
    enum { SLABS = 3 };
    const struct test_memory *memory = device->memory;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        double verdict[STARFISH_VERDICT_NUMBERS];
        struct starfish_refine_judge a = {
            .slabs = SLABS, .epsilon = DBL_EPSILON, .verdict = memory->upload(NULL, sizeof verdict)};
        for (size_t slab = 0; slab < SLABS; slab++) { /* one of them has the largest values */
            const double share = slab == c % SLABS ? 1 : 0.25;
            const size_t sets = 1 + slab, own = sets - 1; /* the last of its sets has them in that slab */
            double before[SLABS][STARFISH_MAXIMA] = {{0}}, after[SLABS][STARFISH_MAXIMA] = {{0}};
            const double correction = cases[c].correction * share;
            set_maxima(before[own], cases[c].before * share, cases[c].size * share, cases[c].solution * share);
            set_maxima(after[own], cases[c].after * share, cases[c].size * share, cases[c].solution * share);
            a.sets[slab] = (unsigned)sets;
            a.before[slab] = memory->upload(before, sets * sizeof before[0]);
            a.after[slab] = memory->upload(after, sets * sizeof after[0]);
            a.correction[slab] = memory->upload(&correction, sizeof correction);
        }
        device->refine_judge(&a);
        memory->download(verdict, a.verdict, sizeof verdict);
        assert_int_equal(verdict[STARFISH_VERDICT_KEPT] != 0, cases[c].kept);
        assert_true(verdict[STARFISH_VERDICT_CORRECTION] == cases[c].correction);
        assert_true(verdict[STARFISH_VERDICT_MAXIMA + STARFISH_MAXIMUM_RESIDUAL] ==
                    (cases[c].kept ? cases[c].after : cases[c].before));
        assert_true(verdict[STARFISH_VERDICT_MAXIMA + STARFISH_MAXIMUM_RHS] == 3);
        memory->release();
    }
}

void test_search_for_not_finite(const struct test_stencil_device *device)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const struct test_memory *memory = device->memory;
    for (int variant = 0; variant < 2 * COUNTS; variant++)
        for (size_t b = 0; b <= sizeof bad / sizeof bad[0]; b++) {
            const starfish_precision precision = (starfish_precision)(variant % 2);
            const size_t count = counts[variant / 2], bytes = count * starfish_real_size(precision);
            unsigned seed = 11;
            uint64_t first, expected = STARFISH_ALL_FINITE;
            void *values = test_reals(precision, count, &seed);
            if (b < sizeof bad / sizeof bad[0]) {
                expected = 2 * count / 3;
                test_real_put(values, precision, count - 1, bad[0]);
                test_real_put(values, precision, expected, bad[b]);
            }
            const struct starfish_finite a = {count, memory->upload(values, bytes),
                                              memory->upload(NULL, sizeof(double))};
            device->finite(precision, &a);
            memory->download(&first, a.first, sizeof first);
            assert_true(first == expected);
            memory->release();
            free(values);
        }
}
