/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outer iteration with a method that does nothing but find given norms: when it ends, what it says, and that
 * looking ahead changes nothing. Its scalars are here, or advanced by tasks. */
#include "krylov/iteration.h"
#include "tests/common/check.h"
#include "tests/common/group.h"

#include <starfish/starfish.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context;

/* Norms of the residual: of the right-hand side, and after steps 1, 2, ...; each step has two cycles. */
struct method {
    const double *norm;
    int next, last;
};

static starfish_status find_norm(void *self, int zero, const struct starfish_sums *sums)
{
    struct method *m = self;
    const double norm = m->norm[m->next < m->last ? m->next++ : m->last];
    double *values = sums->part[0].memory;

    (void)zero;
    assert_int_equal(starpu_data_acquire(sums->part[0].handle, STARPU_W), 0);
    memset(values, 0, STARFISH_SUMS * sizeof *values);
    values[100] = norm * norm;
    starpu_data_release(sums->part[0].handle);
    return STARFISH_SUCCESS;
}

static starfish_status take_step(void *self, int number, int zero, int most, int *cycles)
{
    (void)self;
    assert_int_equal(zero, number == 0);
    *cycles = most < 2 ? most : 2;
    return STARFISH_SUCCESS;
}

struct result {
    starfish_status status;
    char message[256];
    struct starfish_iteration_report report;
    double history[32];
};

enum way { HERE, TASKS, AHEAD, WAYS };

static void iterate(const double *norm, int count, const struct starfish_stopping *stopping, enum way way,
                    struct result *result)
{
    static const size_t n[2] = {1, 1};
    static const struct starfish_tiling whole = {{1, 1}, 1};
    struct starfish_progress progress;
    struct starfish_space space;
    struct starfish_scalars scalars;
    struct starfish_sums sums;
    struct method method = {norm, 0, count - 1};
    const struct starfish_algebra algebra = {&progress, 0, 0};
    const struct starfish_iteration iteration = {.self = &method,
                                                 .residual = find_norm,
                                                 .step = take_step,
                                                 .algebra = &algebra,
                                                 .scalars = &scalars,
                                                 .sums = &sums,
                                                 .most_ahead = way == AHEAD ? STARFISH_KRYLOV_RING : 1};

    memset(result, 0, sizeof *result);
    result->report = (struct starfish_iteration_report){.history = result->history, .most_count = 32};
    starfish_progress_init(&progress, context);
    ASSERT_OK(starfish_space_tiles(&space, context, n, &whole));
    ASSERT_OK(starfish_sums_create(&sums, 1));
    ASSERT_OK(starfish_scalars_create(&scalars, &space, way == HERE));
    result->status = starfish_iterate(&iteration, stopping, &result->report);
    strncpy(result->message, starfish_error_message(), sizeof result->message - 1);
    ASSERT_OK(starfish_progress_wait(&progress));
    starfish_scalars_destroy(&scalars);
    starfish_sums_destroy(&sums);
    starfish_space_destroy(&space);
    starfish_progress_destroy(&progress);
}

/* How it must end, whatever the way; of the norms `steps` count. message: NULL where it ends with success. */
static void expect(const double *norm, int count, const struct starfish_stopping *stopping, enum starfish_ending end,
                   const char *message, int steps)
{
    for (enum way way = HERE; way < WAYS; way++) {
        struct result r;
        iterate(norm, count, stopping, way, &r);
        assert_int_equal(r.status, message ? STARFISH_ERROR_NUMERICAL : STARFISH_SUCCESS);
        assert_int_equal(r.report.end, end);
        if (message)
            assert_string_equal(r.message, message);
        assert_int_equal(r.report.cycles, 2 * steps < stopping->most ? 2 * steps : stopping->most);
        assert_int_equal(r.report.count, steps + 1);
        assert_true(fabs(r.report.rhs_norm - norm[0]) <= 1e-15 * norm[0]);
        for (int s = 0; s <= steps && isfinite(norm[s]); s++)
            assert_true(fabs(r.history[s] - norm[s] / norm[0]) <= 1e-15 * norm[s] / norm[0]);
        const double factor = pow(norm[steps] / norm[0], 1. / r.report.cycles);
        assert_true(!isfinite(factor) || fabs(r.report.factor - factor) <= 1e-14);
    }
}

static void it_ends_when_the_residual_is_small(void **state)
{
    static const double norm[] = {8, 4, 0.4, 0.07, 1e-3, 1e-9};
    const struct starfish_stopping relative = {.tolerance = 1e-2, .most = 100};
    const struct starfish_stopping absolute = {.absolute = 0.5, .most = 100};
    (void)state;

    expect(norm, 6, &relative, STARFISH_ENDED_REACHED, NULL, 3);
    expect(norm, 6, &absolute, STARFISH_ENDED_REACHED, NULL, 2);
}

static void it_ends_with_its_cycles(void **state)
{
    static const double norm[] = {8, 4, 2, 1, 0.5, 0.25};
    const struct starfish_stopping stopping = {.tolerance = 1e-2, .most = 7};
    (void)state;

    expect(norm, 6, &stopping, STARFISH_ENDED_EXHAUSTED,
           "the residual is 0.0625 of the right-hand side after max_iterations = 7 cycles", 4);
}

/* Eight steps without a gain, after a gain late enough to be forgiven. */
static void it_ends_when_nothing_is_gained(void **state)
{
    static const double norm[] = {8, 9, 9, 9, 9, 9, 9, 9, 4, 5, 6, 5, 5, 5, 5, 5, 4.5, 3, 2};
    const struct starfish_stopping stopping = {.tolerance = 1e-2, .most = 100};
    (void)state;

    expect(norm, 19, &stopping, STARFISH_ENDED_STALLED,
           "the residual stopped falling at 0.562 of the right-hand side, after 32 cycles", 16);
}

static void it_ends_when_numbers_end(void **state)
{
    static const double norm[] = {8, 4, HUGE_VAL, 1}, bad[] = {HUGE_VAL};
    const struct starfish_stopping stopping = {.tolerance = 1e-2, .most = 100};
    struct result r;
    (void)state;

    expect(norm, 4, &stopping, STARFISH_ENDED_NOT_FINITE, "the residual is not finite after 4 cycles", 2);
    for (enum way way = HERE; way < WAYS; way++) {
        iterate(bad, 1, &stopping, way, &r);
        assert_int_equal(r.status, STARFISH_ERROR_NUMERICAL);
        assert_int_equal(r.report.end, STARFISH_ENDED_NOT_FINITE);
        assert_string_equal(r.message, "rhs is not finite, or too large to be squared");
        assert_int_equal(r.report.cycles, 0);
    }
}

/* The last cycle decides, whatever else it has shown. */
static void without_cycles_left_they_are_used_up(void **state)
{
    static const double same[] = {8, 9, 9, 9, 9, 9, 9, 9, 9}, bad[] = {8, 4, HUGE_VAL};
    const struct starfish_stopping sixteen = {.tolerance = 1e-2, .most = 16};
    const struct starfish_stopping four = {.tolerance = 1e-2, .most = 4};
    (void)state;

    expect(same, 9, &sixteen, STARFISH_ENDED_EXHAUSTED,
           "the residual stopped falling at 1.12 of the right-hand side, after 16 cycles", 8);
    expect(bad, 3, &four, STARFISH_ENDED_EXHAUSTED, "the residual is not finite after 4 cycles", 2);
}

static void without_a_tolerance_all_cycles_are_taken(void **state)
{
    static const double norm[] = {0};
    const struct starfish_stopping stopping = {.most = 7};
    struct result r;
    (void)state;

    for (enum way way = HERE; way < WAYS; way++) {
        iterate(norm, 1, &stopping, way, &r);
        assert_int_equal(r.status, STARFISH_SUCCESS);
        assert_int_equal(r.report.end, STARFISH_ENDED_FIXED);
        assert_int_equal(r.report.cycles, 7);
        assert_int_equal(r.report.count, 0);
        assert_true(isnan(r.report.residual) && isnan(r.report.factor));
    }
}

/* Cancels at the third look. */
struct canceller {
    atomic_int cancelled;
    int looks;
};

static void cancel_at_the_third(void *data, const struct starfish_iteration_report *report)
{
    struct canceller *c = data;

    (void)report;
    if (++c->looks == 3)
        atomic_store(&c->cancelled, 1);
}

static void it_can_be_cancelled(void **state)
{
    static const double norm[] = {8, 4, 2, 1, 0.5, 0.25};
    struct canceller canceller = {0};
    const struct starfish_stopping stopping = {.tolerance = 1e-2,
                                               .most = 100,
                                               .cancelled = &canceller.cancelled,
                                               .tell = cancel_at_the_third,
                                               .data = &canceller};
    struct result r;
    (void)state;

    iterate(norm, 6, &stopping, HERE, &r);
    assert_int_equal(r.status, STARFISH_ERROR_NUMERICAL);
    assert_int_equal(r.report.end, STARFISH_ENDED_CANCELLED);
    assert_string_equal(r.message, "cancelled after 4 cycles");
    assert_int_equal(r.report.cycles, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_ends_when_the_residual_is_small),
                                       cmocka_unit_test(it_ends_with_its_cycles),
                                       cmocka_unit_test(it_ends_when_nothing_is_gained),
                                       cmocka_unit_test(it_ends_when_numbers_end),
                                       cmocka_unit_test(without_cycles_left_they_are_used_up),
                                       cmocka_unit_test(without_a_tolerance_all_cycles_are_taken),
                                       cmocka_unit_test(it_can_be_cancelled)};

    return TEST_GROUP("iteration", tests, &context, 0, -1, 0);
}
