/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's routines: error numbers, and calls of many threads at once. What they solve is compared in names.py. */
#include "tests/fishpack/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Error numbers ----------------------------------------------------------------------------------------------- */

enum member { NOTHING, LOW, HIGH, PANELS, CODE, LAMBDA, IDIMF, IDIMF2, ORDER, INTL, WORK, LOWER, UPPER, ROWS };

/* With these codes, a member is changed, and the call has that number; the new value is last. */
static const struct wrong {
    starfish_fishpack_routine routine;
    int codes[2];
    enum member member;
    int index, number;
    double value;
} wrong[] = {
    {STARFISH_FISHPACK_HWSCRT, {1, 1}, LOW, 0, 1, 1.5},    {STARFISH_FISHPACK_HWSCRT, {5, 1}, NOTHING, 0, 2, 0},
    {STARFISH_FISHPACK_HWSCRT, {1, 1}, LOW, 1, 3, 2},      {STARFISH_FISHPACK_HWSCRT, {1, 1}, PANELS, 1, 4, 3},
    {STARFISH_FISHPACK_HWSCRT, {1, -1}, NOTHING, 0, 5, 0}, {STARFISH_FISHPACK_HWSCRT, {1, 1}, LAMBDA, 0, 6, 1},
    {STARFISH_FISHPACK_HWSCRT, {1, 1}, IDIMF, 0, 7, 12},   {STARFISH_FISHPACK_HWSCRT, {1, 1}, PANELS, 0, 8, 3},
    {STARFISH_FISHPACK_HSTCRT, {1, 1}, IDIMF, 0, 7, 11},   {STARFISH_FISHPACK_HSTCRT, {1, 1}, PANELS, 0, 8, 2},
    {STARFISH_FISHPACK_HWSPLR, {1, 1}, LOW, 0, 1, -1},     {STARFISH_FISHPACK_HWSPLR, {3, 1}, LOW, 0, 7, 0},
    {STARFISH_FISHPACK_HWSPLR, {5, 0}, LOW, 0, 8, 0.5},    {STARFISH_FISHPACK_HWSPLR, {5, 1}, NOTHING, 0, 9, 0},
    {STARFISH_FISHPACK_HWSPLR, {1, 1}, LAMBDA, 0, 11, 1},  {STARFISH_FISHPACK_HWSPLR, {1, 1}, PANELS, 0, 12, 3},
    {STARFISH_FISHPACK_HSTPLR, {4, 1}, LOW, 0, 7, 0},      {STARFISH_FISHPACK_HSTPLR, {7, 0}, NOTHING, 0, 8, 0},
    {STARFISH_FISHPACK_HWSCYL, {5, 1}, LAMBDA, 0, 9, -1},  {STARFISH_FISHPACK_HWSCYL, {1, 1}, IDIMF, 0, 10, 12},
    {STARFISH_FISHPACK_HSTCYL, {1, 1}, LOW, 0, 7, 0},      {STARFISH_FISHPACK_HSTCYL, {1, 1}, PANELS, 0, 9, 2},
    {STARFISH_FISHPACK_HSTCYL, {5, 1}, LAMBDA, 0, 12, -1}, {STARFISH_FISHPACK_HWSSSP, {1, 1}, HIGH, 0, 1, 3.2},
    {STARFISH_FISHPACK_HWSSSP, {1, 1}, HIGH, 1, 4, 6.3},   {STARFISH_FISHPACK_HWSSSP, {1, 1}, LOW, 1, 5, 1.5},
    {STARFISH_FISHPACK_HWSSSP, {1, 1}, PANELS, 1, 6, 4},   {STARFISH_FISHPACK_HWSSSP, {1, 1}, PANELS, 0, 7, 4},
    {STARFISH_FISHPACK_HWSSSP, {1, 5}, NOTHING, 0, 8, 0},  {STARFISH_FISHPACK_HWSSSP, {1, 1}, LAMBDA, 0, 9, 1},
    {STARFISH_FISHPACK_HWSSSP, {5, 2}, NOTHING, 0, 11, 0}, {STARFISH_FISHPACK_HWSSSP, {3, 1}, LOW, 0, 12, 0},
    {STARFISH_FISHPACK_HWSSSP, {9, 0}, LOW, 0, 14, 0.5},   {STARFISH_FISHPACK_HWSSSP, {7, 0}, HIGH, 0, 15, 3},
    {STARFISH_FISHPACK_HSTSSP, {5, 0}, LOW, 0, 7, 0.5},    {STARFISH_FISHPACK_HSTSSP, {4, 1}, LOW, 0, 8, 0},
    {STARFISH_FISHPACK_HSTSSP, {7, 0}, HIGH, 0, 9, 3},     {STARFISH_FISHPACK_HSTSSP, {5, 4}, NOTHING, 0, 11, 0},
    {STARFISH_FISHPACK_HSTSSP, {1, 1}, IDIMF, 0, 12, 11},  {STARFISH_FISHPACK_HSTSSP, {1, 1}, PANELS, 0, 13, 2},
    {STARFISH_FISHPACK_HSTSSP, {1, 1}, LAMBDA, 0, 14, 1},  {STARFISH_FISHPACK_HWSCSP, {1, 1}, PANELS, 0, 3, 4},
    {STARFISH_FISHPACK_HWSCSP, {0, 1}, NOTHING, 0, 4, 0},  {STARFISH_FISHPACK_HWSCSP, {1, 1}, LOW, 1, 5, -1},
    {STARFISH_FISHPACK_HWSCSP, {1, 1}, LOW, 1, 6, 1.5},    {STARFISH_FISHPACK_HWSCSP, {1, 1}, PANELS, 1, 7, 4},
    {STARFISH_FISHPACK_HWSCSP, {1, 0}, NOTHING, 0, 8, 0},  {STARFISH_FISHPACK_HWSCSP, {1, 1}, LAMBDA, 0, 9, 1},
    {STARFISH_FISHPACK_HWSCSP, {9, 1}, LAMBDA, 0, 11, -1}, {STARFISH_FISHPACK_HWSCSP, {3, 5}, LAMBDA, 0, 12, -1},
    {STARFISH_FISHPACK_HWSCSP, {9, 5}, LOW, 1, 17, 0.5},   {STARFISH_FISHPACK_HWSCSP, {1, 5}, NOTHING, 0, 18, 0},
    {STARFISH_FISHPACK_HSTCSP, {4, 5}, NOTHING, 0, 8, 0},  {STARFISH_FISHPACK_HSTCSP, {9, 5}, LOW, 1, 9, 0.5},
    {STARFISH_FISHPACK_HSTCSP, {1, 1}, LAMBDA, 0, 0, 1},   {STARFISH_FISHPACK_HSTCSP, {1, 1}, PANELS, 0, 12, 4},
    {STARFISH_FISHPACK_HSTCSP, {1, 1}, LOW, 0, 13, 0},     {STARFISH_FISHPACK_HSTCSP, {9, 1}, LOW, 0, 15, 0.5},
    {STARFISH_FISHPACK_HSTCSP, {7, 1}, HIGH, 0, 16, 3},    {STARFISH_FISHPACK_HSTCSP, {9, 5}, LAMBDA, 0, 17, -1},
    {STARFISH_FISHPACK_HW3CRT, {1, 1}, LOW, 2, 7, 1.5},    {STARFISH_FISHPACK_HW3CRT, {1, 1}, PANELS, 1, 5, 4},
    {STARFISH_FISHPACK_HW3CRT, {1, 5}, NOTHING, 0, 6, 0},  {STARFISH_FISHPACK_HW3CRT, {1, 1}, IDIMF, 0, 10, 6},
    {STARFISH_FISHPACK_HW3CRT, {1, 1}, IDIMF2, 0, 11, 7},  {STARFISH_FISHPACK_HW3CRT, {1, 1}, LAMBDA, 0, 0, 1},
    {STARFISH_FISHPACK_POIS3D, {5, 1}, NOTHING, 0, 1, 0},  {STARFISH_FISHPACK_POIS3D, {1, 1}, PANELS, 0, 2, 2},
    {STARFISH_FISHPACK_POIS3D, {1, 5}, NOTHING, 0, 3, 0},  {STARFISH_FISHPACK_POIS3D, {1, 1}, CODE, 2, 9, 0},
    {STARFISH_FISHPACK_POIS3D, {1, 1}, IDIMF, 0, 7, 5},    {STARFISH_FISHPACK_POIS3D, {1, 1}, IDIMF2, 0, 8, 6},
    {STARFISH_FISHPACK_POIS3D, {1, 1}, LOWER, 0, 10, 1},   {STARFISH_FISHPACK_GENBUN, {1, 1}, PANELS, 0, 7, 2},
    {STARFISH_FISHPACK_GENBUN, {1, 1}, PANELS, 1, 2, 2},   {STARFISH_FISHPACK_GENBUN, {1, 1}, IDIMF, 0, 3, 11},
    {STARFISH_FISHPACK_GENBUN, {1, 5}, NOTHING, 0, 4, 0},  {STARFISH_FISHPACK_GENBUN, {0, 1}, NOTHING, 0, 6, 0},
    {STARFISH_FISHPACK_GENBUN, {1, 1}, UPPER, 0, 7, 1},    {STARFISH_FISHPACK_POISTG, {1, 0}, NOTHING, 0, 4, 0},
    {STARFISH_FISHPACK_BLKTRI, {1, 1}, PANELS, 0, 1, 4},   {STARFISH_FISHPACK_BLKTRI, {1, 1}, PANELS, 1, 2, 2},
    {STARFISH_FISHPACK_BLKTRI, {1, 1}, IDIMF, 0, 3, 11},   {STARFISH_FISHPACK_BLKTRI, {1, 1}, ROWS, 3, 5, -1},
    {STARFISH_FISHPACK_SEPELI, {1, 1}, LOW, 0, 1, 1.5},    {STARFISH_FISHPACK_SEPELI, {5, 1}, NOTHING, 0, 2, 0},
    {STARFISH_FISHPACK_SEPELI, {1, 5}, NOTHING, 0, 3, 0},  {STARFISH_FISHPACK_SEPELI, {1, 1}, IDIMF, 0, 5, 6},
    {STARFISH_FISHPACK_SEPELI, {1, 1}, PANELS, 0, 6, 5},   {STARFISH_FISHPACK_SEPELI, {1, 1}, PANELS, 1, 7, 4},
    {STARFISH_FISHPACK_SEPELI, {1, 1}, ORDER, 0, 8, 3},    {STARFISH_FISHPACK_SEPELI, {1, 1}, INTL, 0, 9, 2},
    {STARFISH_FISHPACK_SEPELI, {1, 1}, LOW, 0, 10, -50},   {STARFISH_FISHPACK_SEPELI, {1, 1}, WORK, 0, 11, 10},
    {STARFISH_FISHPACK_SEPX4, {1, 1}, ORDER, 0, 8, 3},     {STARFISH_FISHPACK_SEPX4, {1, 1}, WORK, 0, 11, 10}};

static void change(struct call *call, const struct wrong *w)
{
    const int value = (int)w->value;
    switch (w->member) {
    case LOW:
        call->low[w->index] = w->value;
        break;
    case HIGH:
        call->high[w->index] = w->value;
        break;
    case PANELS:
        call->panels[w->index] = value;
        break;
    case CODE:
        call->code[w->index] = value;
        break;
    case LAMBDA:
        call->lambda = w->value;
        break;
    case IDIMF:
        call->idimf = value;
        break;
    case IDIMF2:
        call->idimf2 = value;
        break;
    case ORDER:
        call->order = value;
        break;
    case INTL:
        call->intl = value;
        break;
    case WORK:
        call->w[0] = w->value;
        break;
    case LOWER:
        call->rows[0][0] = w->value;
        break;
    case UPPER:
        call->rows[0][4 * 64 + call->panels[0] - 1] = w->value;
        break;
    case ROWS:
        call->rows[1][w->index] = w->value;
        break;
    default:
        break;
    }
}

static int are_same(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

/* lambda > 0 is said, and solved for. */
static void errors_have_fishpacks_numbers(void **state)
{
    (void)state;
    struct call *call = malloc(sizeof *call), *before = malloc(sizeof *before);
    assert_true(call && before);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct wrong *w = &wrong[i];
        call_make(call, w->routine, 7);
        call_set_codes(call, w->codes[0], w->codes[1]);
        change(call, w);
        memcpy(before, call, sizeof *before);
        const starfish_status status = starfish_fishpack_call(w->routine, 0, call->arguments);
        const int solves = w->number == 0 || (w->member == LAMBDA && w->value > 0);
        if (call->ierror != w->number || (status == STARFISH_SUCCESS) != solves)
            fail_msg("case %zu: ierror %d instead of %d: %s", i, call->ierror, w->number, starfish_error_message());
        if (are_same(call->f, before->f, 2 * (size_t)CALLS_FIELD) == solves)
            fail_msg("case %zu: f has %schanged", i, solves ? "not " : "");
    }
    free(call);
    free(before);
}

static void work_is_told_its_length(void **state)
{
    (void)state;
    static const struct {
        starfish_fishpack_routine routine;
        double words; /* for 12 x 10 */
    } lengths[] = {{STARFISH_FISHPACK_HWSCRT, 4 * 11 + 16 * 13},
                   {STARFISH_FISHPACK_HWSSSP, 4 * 11 + 19 * 13},
                   {STARFISH_FISHPACK_HSTCRT, 13 * 12 + 40 + 36},
                   {STARFISH_FISHPACK_GENBUN, 40 + 13 * 12},
                   {STARFISH_FISHPACK_POISTG, 9 * 12 + 40 + 36},
                   {STARFISH_FISHPACK_BLKTRI, 2 * 32 + 4 + 5 + 72},
                   {STARFISH_FISHPACK_CBLKTR, 2 * 32 + 4 + 5 + 144},
                   {STARFISH_FISHPACK_HSTCSP, 2 * 32 + 4 + 4 * 22 + 5 + 72},
                   {STARFISH_FISHPACK_HWSCSP, 2 * 32 + 4 + 5 * 22 + 72 + 23}};
    struct call *call = malloc(sizeof *call);
    assert_non_null(call);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        call_make(call, lengths[i].routine, 7);
        assert_int_equal(starfish_fishpack_call(lengths[i].routine, 0, call->arguments), STARFISH_SUCCESS);
        assert_true(call->w[0] == lengths[i].words);
        call_make(call, lengths[i].routine, 7);
        call->w[0] = -3;
        starfish_fishpack_call(lengths[i].routine, STARFISH_FISHPACK_NO_WORK, call->arguments);
        assert_true(call->w[0] == -3);
    }
    free(call);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 8, TURNS = 5 };

struct thread {
    const double (*expected)[2 * CALLS_FIELD];
    int first, bad;
};

/* All routines in turn, each thread from another one on. */
static void *solve_all(void *data)
{
    struct thread *t = data;
    struct call *call = malloc(sizeof *call);
    t->bad += !call;
    for (int turn = 0; call && turn < TURNS; turn++)
        for (int i = 0; i < STARFISH_FISHPACK_ROUTINES; i++) {
            const int routine = (t->first + i) % STARFISH_FISHPACK_ROUTINES;
            call_make(call, (starfish_fishpack_routine)routine, 11);
            starfish_fishpack_call(call->routine, 0, call->arguments);
            t->bad += !are_same(call->f, t->expected[routine], 2 * (size_t)CALLS_FIELD);
        }
    free(call);
    return NULL;
}

static void threads_solve_at_once(void **state)
{
    (void)state;
    double(*expected)[2 * CALLS_FIELD] = malloc(STARFISH_FISHPACK_ROUTINES * sizeof *expected);
    struct call *call = malloc(sizeof *call);
    struct thread t[THREADS];
    pthread_t thread[THREADS];
    assert_non_null(expected);
    assert_non_null(call);
    for (int routine = 0; routine < STARFISH_FISHPACK_ROUTINES; routine++) {
        call_make(call, (starfish_fishpack_routine)routine, 11);
        assert_int_equal(starfish_fishpack_call(call->routine, 0, call->arguments), STARFISH_SUCCESS);
        memcpy(expected[routine], call->f, sizeof call->f);
    }
    for (int i = 0; i < THREADS; i++) {
        t[i] = (struct thread){(const double(*)[2 * CALLS_FIELD]) expected, 2 * i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, solve_all, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(t[i].bad, 0);
    }
    free(expected);
    free(call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_have_fishpacks_numbers),
                                       cmocka_unit_test(work_is_told_its_length),
                                       cmocka_unit_test(threads_solve_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
