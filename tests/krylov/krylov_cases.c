/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels of iterations: updates by scalars, and scalars. Arrays lie between guard zones, and results are
 * NaN before. */
#include "tests/krylov/krylov_cases.h"

#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct test_krylov_device *tested;

/* ---- Updates ----------------------------------------------------------------------------------------------------- */

/* Which of the arrays v is. */
enum target { THIRD, FIRST, SECOND, TARGETS };

/* The factor is the scalar, times -2. */
static void check_update(starfish_precision precision, size_t nx, size_t ny, double scalar, int has_u,
                         enum target target)
{
    const double factor = -2 * scalar;
    const size_t count = nx * ny, bytes = count * starfish_real_size(precision);
    unsigned seed = (unsigned)(nx + 5 * ny);
    void *u = test_reals(precision, count, &seed), *c = test_reals(precision, count, &seed), *host = malloc(bytes);
    void *device_u = has_u ? tested->memory->upload(u, bytes) : NULL;
    void *device_c = tested->memory->upload(factor == 0 ? NULL : c, bytes); /* NaN where it must not be read */
    void *third = tested->memory->upload(NULL, bytes);
    void *v = target == FIRST ? device_u : target == SECOND ? device_c : third;
    const struct starfish_vector_update update = {.nx = nx,
                                                  .at = {0, nx, 0, ny},
                                                  .factor = -2,
                                                  .u = device_u,
                                                  .correction = device_c,
                                                  .pitch = nx,
                                                  .v = v,
                                                  .scalar = tested->memory->upload(&scalar, sizeof scalar)};

    tested->update[precision](&update);
    tested->memory->download(host, v, bytes);
    for (size_t e = 0; e < count; e++) {
        const double wanted =
            (has_u ? test_real_get(u, precision, e) : 0) + (factor == 0 ? 0 : factor * test_real_get(c, precision, e));
        assert_true(fabs(test_real_get(host, precision, e) - wanted) <= 8 * test_real_epsilon(precision));
    }
    tested->memory->release();
    free(u);
    free(c);
    free(host);
}

static void updates_are_those_of_the_definition(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {7, 5}, {33, 64}, {300, 3}, {2, 700}};
    static const double factors[] = {0, -1.75, 1e-3};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t f = 0; f < 3; f++)
            for (int way = 0; way < 2 * TARGETS * 2; way++) {
                const int has_u = way / 2 % 2;
                const enum target target = (enum target)(way / 4);
                if (has_u || target != FIRST)
                    check_update((starfish_precision)(way % 2), sizes[s][0], sizes[s][1], factors[f], has_u, target);
            }
}

/* low = 2^-3 *scalar high, high += 2^-3 *scalar low, without any rounding. */
static void changes_of_precision_are_exact(void **state)
{
    enum { NX = 37, NY = 9, COUNT = NX * NY };
    const double scalar = 0x1p-60;
    unsigned seed = 3;
    (void)state;

    for (int zero = 0; zero < 2; zero++) {
        double *high = test_reals(STARFISH_F64, COUNT, &seed), got[COUNT];
        float *low = test_reals(STARFISH_F32, COUNT, &seed), got_low[COUNT];
        const double *device_scalar = tested->memory->upload(&scalar, sizeof scalar);
        double *device_high = tested->memory->upload(zero ? NULL : high, COUNT * sizeof *high);
        float *device_low = tested->memory->upload(low, COUNT * sizeof *low);
        float *narrowed = tested->memory->upload(NULL, COUNT * sizeof *low);
        const struct starfish_vector_widen widen = {NX,         {0, NX, 0, NY}, 0.125,        zero,
                                                    device_low, device_high,    device_scalar};
        const struct starfish_vector_narrow narrow = {NX, {0, NX, 0, NY}, 0.125, device_high, narrowed, device_scalar};

        tested->widen(&widen);
        tested->narrow(&narrow);
        tested->memory->download(got, device_high, sizeof got);
        tested->memory->download(got_low, narrowed, sizeof got_low);
        for (size_t e = 0; e < COUNT; e++) {
            assert_true(got[e] == (zero ? 0 : high[e]) + 0x1p-63 * (double)low[e]);
            assert_true(got_low[e] == (float)(0x1p-63 * got[e]));
        }
        tested->memory->release();
        free(high);
        free(low);
    }
}

/* ---- Scalars ----------------------------------------------------------------------------------------------------- */

static double values[STARFISH_KRYLOV_STATE];

enum { PARTS = 3 };

/* An inner product in a hundred parts, dealt out to PARTS sums. */
static void upload_sums(double product, const double *sums[])
{
    for (size_t part = 0; part < PARTS; part++) {
        static double parts[STARFISH_SUMS];
        for (size_t i = 0; i < STARFISH_SUMS; i++)
            parts[i] = i % 20 == 7 && i < 2000 && i / 20 % PARTS == part ? product / 100 : 0;
        sums[part] = tested->memory->upload(parts, sizeof parts);
    }
}

/* A state, and what follows from inner products. */
static void run(struct starfish_krylov_scalars scalars, double product, double more)
{
    const int begins = scalars.stage == STARFISH_KRYLOV_BEGIN || scalars.stage == STARFISH_KRYLOV_RHS;

    scalars.parts = PARTS;
    scalars.state = tested->memory->upload(begins ? NULL : values, sizeof values);
    upload_sums(product, scalars.sums);
    upload_sums(more, scalars.more);
    tested->scalars(&scalars);
    tested->memory->download(values, scalars.state, sizeof values);
    tested->memory->release();
    assert_true(values[STARFISH_KRYLOV_ZERO] == 0);
}

static void advance(enum starfish_krylov_stage stage, double product, double sign)
{
    run((struct starfish_krylov_scalars){.stage = stage, .sign = sign, .tolerance = 0.125}, product, 0);
}

static void expect(double alpha, double beta, int done)
{
    assert_true(fabs(values[STARFISH_KRYLOV_ALPHA] - alpha) <= 1e-14 * fabs(alpha));
    assert_true(fabs(values[STARFISH_KRYLOV_BETA] - beta) <= 1e-14 * fabs(beta));
    assert_true(values[STARFISH_KRYLOV_DONE] == done);
}

static void iterations_follow_the_textbook(void **state)
{
    (void)state;
    advance(STARFISH_KRYLOV_BEGIN, 64, 1); /* done at (64 / 8^2) */
    expect(0, 0, 0);
    advance(STARFISH_KRYLOV_DIRECTION, 30, 1);
    expect(0, 0, 0);
    advance(STARFISH_KRYLOV_STEP, -12, -1);
    expect(2.5, 0, 0);
    advance(STARFISH_KRYLOV_TEST, 1.001, 1);
    expect(2.5, 0, 0);
    advance(STARFISH_KRYLOV_DIRECTION, 6, 1);
    expect(2.5, 0.2, 0);
    advance(STARFISH_KRYLOV_STEP, 3, 1);
    expect(2, 0.2, 0);
    advance(STARFISH_KRYLOV_TEST, 0.999, 1);
    expect(2, 0.2, 1);
    advance(STARFISH_KRYLOV_DIRECTION, 5, 1); /* from here on nothing changes */
    expect(2, 0, 1);
    advance(STARFISH_KRYLOV_STEP, 3, 1);
    expect(0, 0, 1);
    advance(STARFISH_KRYLOV_TEST, 50, 1);
    expect(0, 0, 1);
}

/* No residual, none that is a number, a direction that is none. */
static void what_leads_nowhere_ends(void **state)
{
    (void)state;
    advance(STARFISH_KRYLOV_BEGIN, 0, 1);
    expect(0, 0, 1);
    advance(STARFISH_KRYLOV_BEGIN, (double)NAN, 1);
    expect(0, 0, 1);
    advance(STARFISH_KRYLOV_BEGIN, 1, 1);
    advance(STARFISH_KRYLOV_DIRECTION, 1, 1);
    advance(STARFISH_KRYLOV_STEP, -1, 1);
    expect(0, 0, 1);
    advance(STARFISH_KRYLOV_BEGIN, 1, 1);
    advance(STARFISH_KRYLOV_DIRECTION, 0, 1);
    advance(STARFISH_KRYLOV_STEP, 1, 1);
    expect(0, 0, 1);
    advance(STARFISH_KRYLOV_BEGIN, 1, 1);
    advance(STARFISH_KRYLOV_TEST, (double)NAN, 1);
    expect(0, 0, 1);
}

/* ---- The watch over a residual, and flexible conjugate gradients ------------------------------------------------- */

static void begin_watch(double norm, double tolerance, double absolute, int watched)
{
    run((struct starfish_krylov_scalars){.stage = STARFISH_KRYLOV_RHS,
                                         .sign = 1,
                                         .tolerance = tolerance,
                                         .absolute = absolute,
                                         .floor = 1e-9,
                                         .watched = watched},
        norm * norm, 0);
}

static void expect_near(enum starfish_krylov_scalar scalar, double wanted)
{
    assert_true(fabs(values[scalar] - wanted) <= 1e-13 * fabs(wanted));
}

static void norms_are_kept_until_the_limit(void **state)
{
    (void)state;
    begin_watch(48, 0.125, 1, 1);
    expect_near(STARFISH_KRYLOV_RHS_NORM, 48);
    expect_near(STARFISH_KRYLOV_LIMIT, 6);
    assert_true(values[STARFISH_KRYLOV_SCALE] == 1. / 32 && values[STARFISH_KRYLOV_UNSCALE] == 32);
    advance(STARFISH_KRYLOV_GUESS, 3 * 3, 1); /* only a step ends it */
    expect_near(STARFISH_KRYLOV_FIRST_NORM, 3);
    assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_GOES_ON);
    advance(STARFISH_KRYLOV_WATCH, 7 * 7, 1);
    assert_true(values[STARFISH_KRYLOV_SCALE] == 1. / 2 && values[STARFISH_KRYLOV_UNSCALE] == 2); /* of the guess */
    assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_GOES_ON);
    advance(STARFISH_KRYLOV_WATCH, 5 * 5, 1);
    assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_CONVERGED);
    advance(STARFISH_KRYLOV_WATCH, 4 * 4, 1); /* after the end: does not count */
    assert_true(values[STARFISH_KRYLOV_STEPS] == 2);
    expect_near(STARFISH_KRYLOV_NORM, 5);
    expect_near((enum starfish_krylov_scalar)(STARFISH_KRYLOV_NORMS + 1), 7);
    expect_near((enum starfish_krylov_scalar)(STARFISH_KRYLOV_NORMS + 2), 5);
}

static void an_absolute_limit_counts_too(void **state)
{
    (void)state;
    begin_watch(1, 1e-3, 0.5, 1);
    expect_near(STARFISH_KRYLOV_LIMIT, 0.5);
    begin_watch(1e30, 1e-3, 0.5, 1);
    expect_near(STARFISH_KRYLOV_LIMIT, 1e27);
}

/* Eight steps without a gain. */
static void what_stagnates_ends(void **state)
{
    (void)state;
    begin_watch(1, 1e-3, 0, 1);
    advance(STARFISH_KRYLOV_WATCH, 0.25, 1);
    for (int step = 1; step <= 8; step++) {
        assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_GOES_ON);
        advance(STARFISH_KRYLOV_WATCH, 0.25 + step, 1);
    }
    assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_STAGNATED);
    assert_true(values[STARFISH_KRYLOV_STEPS] == 9);
}

static void what_is_no_number_ends(void **state)
{
    (void)state;
    begin_watch((double)NAN, 1e-3, 0, 1);
    assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_NOT_FINITE);
    begin_watch(1, 1e-3, 0, 1);
    advance(STARFISH_KRYLOV_WATCH, (double)INFINITY, 1);
    assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_NOT_FINITE);
}

static void what_nobody_watches_goes_on(void **state)
{
    (void)state;
    begin_watch(1, 0, 0, 0);
    for (int step = 0; step < 40; step++)
        advance(STARFISH_KRYLOV_WATCH, step % 2 ? (double)NAN : 0, 1);
    assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_GOES_ON);
    assert_true(values[STARFISH_KRYLOV_STEPS] == 40);
}

static void minimise(double energy, double product)
{
    run((struct starfish_krylov_scalars){.stage = STARFISH_KRYLOV_MINIMISE, .sign = -1}, -energy, product);
}

static void flexible_gradients_follow_the_paper(void **state)
{
    (void)state;
    begin_watch(4, 1e-3, 0, 1);
    minimise(12, 30);
    expect_near(STARFISH_KRYLOV_ALPHA, 2.5);
    advance(STARFISH_KRYLOV_WATCH, 1, 1);
    advance(STARFISH_KRYLOV_CONJUGATE, 3, -1); /* -(z, A p) / (p, A p), of sums of -(z, A p) */
    expect_near(STARFISH_KRYLOV_BETA, 0.25);
    minimise(8, 2);
    expect_near(STARFISH_KRYLOV_ALPHA, 0.25);
    minimise(0, 2); /* a direction that is none */
    assert_true(values[STARFISH_KRYLOV_ALPHA] == 0);
    advance(STARFISH_KRYLOV_CONJUGATE, 3, -1);
    assert_true(values[STARFISH_KRYLOV_BETA] == 0);
    minimise(-1, 2);
    assert_true(values[STARFISH_KRYLOV_ALPHA] == 0);
    minimise(8, 2);
    advance(STARFISH_KRYLOV_WATCH, 1e-12, 1); /* done: no factor is left */
    advance(STARFISH_KRYLOV_CONJUGATE, 3, -1);
    minimise(8, 2);
    assert_true(values[STARFISH_KRYLOV_ALPHA] == 0 && values[STARFISH_KRYLOV_BETA] == 0);
}

static void whole(double product, double square)
{
    run((struct starfish_krylov_scalars){.stage = STARFISH_KRYLOV_WHOLE, .sign = -1}, -product, square);
}

/* rho 12, then 6; alpha and omega by hand; breakdowns; nothing once it is done. */
static void stabilised_steps_follow_the_paper(void **state)
{
    (void)state;
    begin_watch(4, 1e-3, 0, 1);
    advance(STARFISH_KRYLOV_SHADOW, 12, 1);
    assert_true(values[STARFISH_KRYLOV_BETA] == 0);
    advance(STARFISH_KRYLOV_HALF, -4, -1);
    expect_near(STARFISH_KRYLOV_ALPHA, 3);
    whole(1, 8);
    expect_near(STARFISH_KRYLOV_OMEGA, 0.125);
    advance(STARFISH_KRYLOV_SHADOW, 6, 1);
    expect_near(STARFISH_KRYLOV_BETA, 12);
    whole(0, 0); /* nothing is left for a second half: the next direction begins anew */
    assert_true(values[STARFISH_KRYLOV_OMEGA] == 0);
    advance(STARFISH_KRYLOV_SHADOW, 6, 1);
    assert_true(values[STARFISH_KRYLOV_BETA] == 0);
    advance(STARFISH_KRYLOV_HALF, 0, -1);
    assert_true(values[STARFISH_KRYLOV_ALPHA] == 0 && values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_STAGNATED);
    advance(STARFISH_KRYLOV_HALF, -4, -1);
    whole(1, 8);
    assert_true(values[STARFISH_KRYLOV_ALPHA] == 0 && values[STARFISH_KRYLOV_OMEGA] == 0);
    begin_watch(4, 1e-3, 0, 1);
    advance(STARFISH_KRYLOV_SHADOW, (double)NAN, 1);
    assert_true(values[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_STAGNATED);
}

static void rounding_errors_are_no_direction(void **state)
{
    (void)state;
    begin_watch(1e-10, 0, 0, 0); /* below the floor */
    minimise(8, 2);
    assert_true(values[STARFISH_KRYLOV_ALPHA] == 0);
}

int test_krylov_kernels(const struct test_krylov_device *device)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(updates_are_those_of_the_definition),
                                       cmocka_unit_test(iterations_follow_the_textbook),
                                       cmocka_unit_test(what_leads_nowhere_ends),
                                       cmocka_unit_test(changes_of_precision_are_exact),
                                       cmocka_unit_test(norms_are_kept_until_the_limit),
                                       cmocka_unit_test(an_absolute_limit_counts_too),
                                       cmocka_unit_test(what_stagnates_ends),
                                       cmocka_unit_test(what_is_no_number_ends),
                                       cmocka_unit_test(what_nobody_watches_goes_on),
                                       cmocka_unit_test(flexible_gradients_follow_the_paper),
                                       cmocka_unit_test(stabilised_steps_follow_the_paper),
                                       cmocka_unit_test(rounding_errors_are_no_direction)};

    tested = device;
    return cmocka_run_group_tests_name(device->memory->name, tests, NULL, NULL);
}
