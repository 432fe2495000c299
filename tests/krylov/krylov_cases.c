/* Cases of the kernels of conjugate gradients. Arrays lie between guard zones, and results are NaN before. */
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

static void check_update(starfish_precision precision, size_t nx, size_t ny, double factor, int has_u,
                         enum target target)
{
    const size_t count = nx * ny, bytes = count * starfish_real_size(precision);
    unsigned seed = (unsigned)(nx + 5 * ny);
    void *u = test_reals(precision, count, &seed), *c = test_reals(precision, count, &seed), *host = malloc(bytes);
    void *device_u = has_u ? tested->memory->upload(u, bytes) : NULL;
    void *device_c = tested->memory->upload(factor == 0 ? NULL : c, bytes); /* NaN where it must not be read */
    void *third = tested->memory->upload(NULL, bytes);
    void *v = target == FIRST ? device_u : target == SECOND ? device_c : third;
    const struct starfish_krylov_update update = {nx,       ny,       tested->memory->upload(&factor, sizeof factor),
                                                  device_u, device_c, v};

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

/* ---- Scalars ----------------------------------------------------------------------------------------------------- */

static double values[STARFISH_KRYLOV_STATE];

/* An inner product in a hundred parts, and the state that follows. */
static void advance(enum starfish_krylov_stage stage, double product, double sign)
{
    static double parts[STARFISH_SUMS];
    double *state = tested->memory->upload(stage == STARFISH_KRYLOV_BEGIN ? NULL : values, sizeof values);

    for (size_t i = 0; i < STARFISH_SUMS; i++)
        parts[i] = i % 20 == 7 && i < 2000 ? product / 100 : 0;
    const struct starfish_krylov_scalars scalars = {stage, 0.125, sign, tested->memory->upload(parts, sizeof parts),
                                                    state};
    tested->scalars(&scalars);
    tested->memory->download(values, state, sizeof values);
    tested->memory->release();
    assert_true(values[STARFISH_KRYLOV_ZERO] == 0);
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

int test_krylov_kernels(const struct test_krylov_device *device)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(updates_are_those_of_the_definition),
                                       cmocka_unit_test(iterations_follow_the_textbook),
                                       cmocka_unit_test(what_leads_nowhere_ends)};

    tested = device;
    return cmocka_run_group_tests_name(device->memory->name, tests, NULL, NULL);
}
