/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BLKTRI by FISHPACK's arguments: solutions, error numbers, handles, threads. Right-hand sides are made from random
 * solutions. */
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/poisson/fishpack_example.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* Keeps StarPU running while handles with contexts of their own come and go. */
static starfish_context *context;

/* A system with its solution u; y holds the right-hand side, and the sentinel in rows from m on. */
struct problem {
    int np, n, mp, m, idimy;
    struct starfish_axis x, y;
    double *u, *rhs;
};

static const double sentinel = 4711;
static const double largest_error = 1e-10;

static size_t size_of(const struct problem *p)
{
    return (size_t)p->idimy * (size_t)p->n * sizeof(double);
}

/* What couples the ends may be anything where they are not coupled. */
static void poison_ends(struct starfish_axis *axis)
{
    if (!axis->periodic)
        ((double *)(uintptr_t)axis->lower)[0] = ((double *)(uintptr_t)axis->upper)[axis->n - 1] = (double)NAN;
}

static struct problem make_problem(int mp, int m, int np, int n, int idimy, unsigned *seed)
{
    static const double zero = 0;
    struct problem p = {.np = np, .n = n, .mp = mp, .m = m, .idimy = idimy};
    const size_t rows = (size_t)m, columns = (size_t)n;
    p.x = test_matrix(rows, mp == 0, seed);
    p.y = test_matrix(columns, np == 0, seed);
    p.u = test_reals(STARFISH_F64, rows * columns, seed);
    p.rhs = malloc(size_of(&p));
    double *dense = malloc(rows * columns * sizeof *dense);
    const struct starfish_poisson_problem operator_ = {
        .axis = {{.kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = &zero, .diag = &zero, .upper = &zero}, p.x, p.y},
        .lambda = 0};
    test_apply(&operator_, NULL, p.u, dense);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < (size_t)idimy; i++)
            p.rhs[i + (size_t)idimy * j] = i < rows ? dense[i + rows * j] : sentinel;
    free(dense);
    poison_ends(&p.x);
    poison_ends(&p.y);
    return p;
}

static void free_problem(struct problem *p)
{
    test_axis_free(&p->x);
    test_axis_free(&p->y);
    free(p->u);
    free(p->rhs);
}

static starfish_status call(const struct problem *p, int iflg, double *y, int *ierror, starfish_blktri_work *work)
{
    return starfish_blktri(iflg, p->np, p->n, p->y.lower, p->y.diag, p->y.upper, p->mp, p->m, p->x.lower, p->x.diag,
                           p->x.upper, p->idimy, y, ierror, work);
}

/* Largest error of y where it should be `scale` times u; infinite where a row from m on was touched. */
static double error_of(const struct problem *p, double scale, const double *y)
{
    double largest = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->idimy; i++) {
            const double value = y[i + p->idimy * j], right = i < p->m ? scale * p->u[i + p->m * j] : sentinel;
            const double error = i < p->m ? fabs(value - right) : value == right ? 0 : HUGE_VAL;
            largest = test_worst(largest, error);
        }
    return largest;
}

/* Solves for the right-hand side times `scale`; the error, or infinity after a failure. */
static double solve_error(const struct problem *p, double scale, starfish_blktri_work *work)
{
    int ierror = -1;
    double *y = malloc(size_of(p)), error = HUGE_VAL;
    for (size_t e = 0; e < size_of(p) / sizeof *y; e++)
        y[e] = p->rhs[e] == sentinel ? sentinel : scale * p->rhs[e];
    if (call(p, 1, y, &ierror, work) == STARFISH_SUCCESS && ierror == 0)
        error = error_of(p, scale, y);
    free(y);
    return error;
}

/* ---- Solutions -----------------------------------------------------------------------------------------------------
 */

static void recovers_random_fields(void **state)
{
    (void)state;
    static const struct {
        int mp, m, np, n, more;
    } cases[] = {{1, 5, 1, 3, 0},   {0, 5, 0, 3, 0},   {1, 5, 0, 4, 2},   {0, 6, 1, 5, 1},     {1, 50, 1, 63, 25},
                 {0, 16, 1, 17, 0}, {1, 17, 0, 16, 3}, {0, 31, 0, 33, 1}, {2, 130, -1, 64, 0}, {1, 7, 1, 200, 1}};
    unsigned seed = 3;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct problem p =
            make_problem(cases[c].mp, cases[c].m, cases[c].np, cases[c].n, cases[c].m + cases[c].more, &seed);
        starfish_blktri_work work = STARFISH_BLKTRI_WORK_INIT;
        int ierror = -1;
        ASSERT_OK(call(&p, 0, NULL, &ierror, &work));
        assert_int_equal(ierror, 0);
        for (int again = 0; again < 3; again++) {
            const double error = solve_error(&p, 1 - 3 * again, &work);
            if (!(error <= 5 * largest_error))
                fail_msg("m %d, n %d, mp %d, np %d: error %g: %s", p.m, p.n, p.mp, p.np, error,
                         starfish_error_message());
        }
        starfish_blktri_free(&work);
        free_problem(&p);
    }
}

/* Rows of y from m on, and coefficients that couple beyond the ends, count for nothing. */
static void solves_fishpacks_example(void **state)
{
    (void)state;
    enum { M = TEST_EXAMPLE_M, N = TEST_EXAMPLE_N, IDIMY = 75 };
    static struct test_fishpack_example e;
    static double y[N][IDIMY];
    double largest = 0;
    starfish_blktri_work work = {.context = context};
    test_fishpack_example(&e);
    for (int j = 0; j < N; j++)
        memcpy(y[j], e.rhs[j], sizeof e.rhs[j]);
    for (int iflg = 0; iflg < 2; iflg++) {
        int ierror = -1;
        ASSERT_OK(
            starfish_blktri(iflg, 1, N, e.an, e.bn, e.cn, 1, M, e.am, e.bm, e.cm, IDIMY, &y[0][0], &ierror, &work));
        assert_int_equal(ierror, 0);
    }
    starfish_blktri_free(&work);
    for (int j = 0; j < N; j++)
        largest = test_worst(largest, test_difference(STARFISH_F64, y[j], e.exact[j], M));
    assert_true(fabs(largest / TEST_EXAMPLE_ERROR - 1) < 1e-6);
}

/* Rows that sum to zero: the right-hand side of u gives back u less its mean, which is weighted equally here. */
static void solves_singular_systems_up_to_a_constant(void **state)
{
    (void)state;
    unsigned seed = 8;
    struct problem p = make_problem(0, 9, 0, 8, 9, &seed);
    double one[9], minus_two[9], mean = 0;
    for (int i = 0; i < 9; i++)
        one[i] = 1, minus_two[i] = -2;
    for (int e = 0; e < 72; e++)
        mean += p.u[e] / 72;
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 9; i++) {
            const double *u = p.u;
            p.rhs[i + 9 * j] = u[(i + 8) % 9 + 9 * j] + u[(i + 1) % 9 + 9 * j] + u[i + 9 * ((j + 7) % 8)] +
                               u[i + 9 * ((j + 1) % 8)] - 4 * u[i + 9 * j] + 0.25; /* which has no solution */
        }
    starfish_blktri_work work = {.context = context};
    for (int iflg = 0; iflg < 2; iflg++) {
        int ierror = -1;
        ASSERT_OK(
            starfish_blktri(iflg, 0, 8, one, minus_two, one, 0, 9, one, minus_two, one, 9, p.rhs, &ierror, &work));
    }
    for (int e = 0; e < 72; e++)
        p.u[e] -= mean;
    assert_true(error_of(&p, 1, p.rhs) <= largest_error);
    starfish_blktri_free(&work);
    free_problem(&p);
}

/* ---- Error numbers -------------------------------------------------------------------------------------------------
 */

enum { ROWS = 6, COLUMNS = 7, ARRAYS = 6 };
enum { AN, BN, CN, AM, BM, CM };

/* Periodic both ways and right, but for one value that a case may change; and what both calls say. */
static const struct {
    int m, n, idimy, np;
    int array, index;
    double value;
    int prepare, solve;
    const char *message;
} wrong[] = {
    {4, 7, 6, 0, AN, 0, 1, 1, 1, "m is 4"},
    {6, 2, 6, 0, AN, 0, 1, 2, 2, "n is 2"},
    {6, 7, 5, 0, AN, 0, 1, 3, 3, "idimy is 5"},
    {-1, 0, -2, 0, AN, 0, 1, 1, 1, "m is -1"}, /* the first number wins */
    {5, 0, 0, 0, AN, 0, 1, 2, 2, "n is 0"},
    {6, 7, 6, 0, BN, 3, NAN, 4, 4, "row 3"},
    {6, 7, 6, 0, AN, 2, 0, 4, 4, "one-sided"},
    {6, 7, 6, 0, AN, 4, -1, 5, 5, "an[4] = -1 and cn[3] = 1"},
    {6, 7, 6, 0, AN, 0, -1, 5, 5, "an[0] = -1 and cn[6] = 1"},
    {6, 7, 6, 1, AN, 0, -1, 0, 0, ""}, /* where nothing is coupled to row 0 */
    {6, 7, 6, -1, AN, 0, -1, 0, 0, ""},
    {6, 7, 6, 0, CM, 1, HUGE_VAL, 0, STARFISH_BLKTRI_ARGUMENT, "upper[1]"},
    {6, 7, 6, 0, AN, 0, 1, 0, 0, ""},
};

static void check_number(int c, int iflg, double coefficient[ARRAYS][COLUMNS], starfish_blktri_work *work)
{
    double(*a)[COLUMNS] = coefficient, y[COLUMNS * ROWS], before[COLUMNS * ROWS];
    const int number = iflg == 0 ? wrong[c].prepare : wrong[c].solve;
    int ierror = -1, changed = 0;
    for (int e = 0; e < COLUMNS * ROWS; e++)
        before[e] = y[e] = e;
    const starfish_status status = starfish_blktri(iflg, wrong[c].np, wrong[c].n, a[AN], a[BN], a[CN], 0, wrong[c].m,
                                                   a[AM], a[BM], a[CM], wrong[c].idimy, y, &ierror, work);
    if (ierror != number || (status == STARFISH_SUCCESS) != (number == 0))
        fail_msg("case %d, iflg %d: ierror %d instead of %d, %s: %s", c, iflg, ierror, number,
                 starfish_status_name(status), starfish_error_message());
    if (number != 0 && !strstr(starfish_error_message(), wrong[c].message))
        fail_msg("case %d: the message does not say \"%s\": %s", c, wrong[c].message, starfish_error_message());
    for (int e = 0; e < COLUMNS * ROWS; e++)
        changed += y[e] != before[e];
    assert_int_equal(changed > 0, number == 0 && iflg == 1); /* y is a solve's to change */
}

static void errors_have_fishpacks_numbers(void **state)
{
    (void)state;
    starfish_blktri_work work = {.context = context};
    for (int c = 0; c < (int)(sizeof wrong / sizeof wrong[0]); c++) {
        double coefficient[ARRAYS][COLUMNS];
        for (int k = 0; k < COLUMNS; k++) {
            coefficient[AN][k] = coefficient[CN][k] = coefficient[CM][k] = 1;
            coefficient[BN][k] = coefficient[BM][k] = -3;
            coefficient[AM][k] = 1 + 0.1 * k; /* no transform does this */
        }
        coefficient[wrong[c].array][wrong[c].index] = wrong[c].value;
        check_number(c, 0, coefficient, &work);
        check_number(c, 1, coefficient, &work);
    }
    starfish_blktri_free(&work);
}

/* The largest eigenvalues of both directions, 2 and -2, cancel. */
static void singular_systems_are_refused(void **state)
{
    (void)state;
    enum { N = 6 };
    double one[N], zero[N] = {0}, minus_four[N], y[N * N], before[N * N];
    starfish_blktri_work work = {.context = context};
    int ierror = -1;
    for (int k = 0; k < N; k++)
        one[k] = 1, minus_four[k] = -4;
    for (int e = 0; e < N * N; e++)
        before[e] = y[e] = e;
    ASSERT_OK(starfish_blktri(0, 0, N, one, minus_four, one, 0, N, one, zero, one, N, y, &ierror, &work));
    assert_int_equal(ierror, 0);
    ASSERT_FAILS(starfish_blktri(1, 0, N, one, minus_four, one, 0, N, one, zero, one, N, y, &ierror, &work),
                 STARFISH_ERROR_SINGULAR, "singular");
    assert_int_equal(ierror, STARFISH_BLKTRI_SINGULAR);
    assert_memory_equal(y, before, sizeof y);
    starfish_blktri_free(&work);
}

static void missing_arguments_are_refused(void **state)
{
    (void)state;
    unsigned seed = 4;
    struct problem p = make_problem(1, 6, 1, 7, 6, &seed);
    starfish_blktri_work work = {.context = context};
    int ierror = -1;
    ASSERT_FAILS(call(&p, 0, p.rhs, NULL, &work), STARFISH_ERROR_ARGUMENT, "ierror");
    ASSERT_FAILS(call(&p, 0, p.rhs, &ierror, NULL), STARFISH_ERROR_ARGUMENT, "work");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    ierror = -1;
    ASSERT_FAILS(call(&p, 1, p.rhs, &ierror, &work), STARFISH_ERROR_ARGUMENT, "iflg = 0");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    ASSERT_OK(call(&p, 0, NULL, &ierror, &work));
    assert_int_equal(ierror, 0);
    ASSERT_FAILS(call(&p, 1, NULL, &ierror, &work), STARFISH_ERROR_ARGUMENT, "y is NULL");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    ASSERT_FAILS(starfish_blktri(0, 1, 7, p.y.lower, NULL, p.y.upper, 1, 6, p.x.lower, p.x.diag, p.x.upper, 6, NULL,
                                 &ierror, &work),
                 STARFISH_ERROR_ARGUMENT, "bn is NULL");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    ASSERT_FAILS(starfish_blktri(1, 1, 7, p.y.lower, p.y.diag, p.y.upper, 1, 6, p.x.lower, NULL, p.x.upper, 6, p.rhs,
                                 &ierror, &work),
                 STARFISH_ERROR_ARGUMENT, "bm is NULL");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    assert_true(solve_error(&p, 1, &work) <= largest_error);
    starfish_blktri_free(&work);
    free_problem(&p);
}

/* ---- Handles -------------------------------------------------------------------------------------------------------
 */

/* FISHPACK's preparation looks at the direction j only, so m, am, bm and cm may change from solve to solve. */
static void coefficients_may_change_between_solves(void **state)
{
    (void)state;
    unsigned seed = 6;
    struct problem p[3] = {make_problem(1, 9, 1, 11, 9, &seed), make_problem(0, 13, 1, 11, 13, &seed),
                           make_problem(1, 9, 1, 11, 9, &seed)};
    starfish_blktri_work work = {.context = context};
    int ierror = -1;
    ASSERT_OK(starfish_blktri(0, 1, 11, p[0].y.lower, p[0].y.diag, p[0].y.upper, 1, 9, NULL, NULL, NULL, 9, NULL,
                              &ierror, &work));
    assert_int_equal(ierror, 0);
    for (int turn = 0; turn < 6; turn++)
        assert_true(solve_error(&p[turn % 3], 1, &work) <= largest_error);
    ((double *)(uintptr_t)p[0].x.diag)[4] -= 1; /* in place, which the handle must see */
    for (int j = 0; j < p[0].n; j++)
        p[0].rhs[4 + 9 * j] -= p[0].u[4 + 9 * j];
    assert_true(solve_error(&p[0], 1, &work) <= largest_error);
    starfish_blktri_free(&work);
    for (int i = 0; i < 3; i++)
        free_problem(&p[i]);
}

static void handles_can_be_freed_and_used_again(void **state)
{
    (void)state;
    unsigned seed = 7;
    struct problem p = make_problem(1, 8, 0, 9, 10, &seed);
    starfish_blktri_work work = {.context = context}, other = STARFISH_BLKTRI_WORK_INIT;
    int ierror = -1;
    for (int again = 0; again < 2; again++) {
        ASSERT_OK(call(&p, 0, NULL, &ierror, &work));
        ASSERT_OK(call(&p, 0, NULL, &ierror, &other));
        ASSERT_OK(call(&p, 0, NULL, &ierror, &other));
        assert_true(solve_error(&p, 1, &work) <= largest_error && solve_error(&p, 1, &other) <= largest_error);
        starfish_blktri_free(&work);
        assert_ptr_equal(work.context, context);
        assert_true(solve_error(&p, 1, &other) <= largest_error);
        assert_true(solve_error(&p, 1, &work) == HUGE_VAL); /* it holds nothing now */
        starfish_blktri_free(&other);
        starfish_blktri_free(&other);
    }
    starfish_blktri_free(NULL);
    assert_true(starfish_context_workers(context) > 0);
    free_problem(&p);
}

/* ---- Threads -------------------------------------------------------------------------------------------------------
 */

enum { THREADS = 8, SOLVES = 4 };

struct thread {
    const struct problem *problem;
    starfish_blktri_work *work; /* NULL: one of its own */
    double error;
};

static void *solve_often(void *data)
{
    struct thread *t = data;
    starfish_blktri_work own = STARFISH_BLKTRI_WORK_INIT;
    int ierror = 0;
    if (!t->work)
        call(t->problem, 0, NULL, &ierror, &own);
    for (int again = 0; again < SOLVES; again++)
        t->error = test_worst(t->error, solve_error(t->problem, again + 1, t->work ? t->work : &own));
    starfish_blktri_free(&own);
    return NULL;
}

static void run_threads(const struct problem *problems, int count, starfish_blktri_work *work)
{
    struct thread t[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        t[i] = (struct thread){&problems[i % count], work, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, solve_often, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (!(t[i].error <= SOLVES * largest_error))
            fail_msg("thread %d: error %g", i, t[i].error);
}

/* One handle, whose coefficients stay or change all the time; and a handle for each thread, which start and stop
 * StarPU. */
static void threads_solve_at_once(void **state)
{
    (void)state;
    unsigned seed = 9;
    struct problem p[2] = {make_problem(1, 20, 0, 31, 20, &seed), make_problem(0, 21, 1, 30, 25, &seed)};
    starfish_blktri_work work = STARFISH_BLKTRI_WORK_INIT;
    int ierror = -1;
    ASSERT_OK(call(&p[0], 0, NULL, &ierror, &work));
    run_threads(p, 1, &work);
    run_threads(p, 2, &work);
    starfish_blktri_free(&work);
    run_threads(p, 2, NULL);
    free_problem(&p[0]);
    free_problem(&p[1]);
}

/* ---- All of them ---------------------------------------------------------------------------------------------------
 */

int main(void)
{
    const struct CMUnitTest beside_a_context[] = {
        cmocka_unit_test(recovers_random_fields),
        cmocka_unit_test(solves_fishpacks_example),
        cmocka_unit_test(solves_singular_systems_up_to_a_constant),
        cmocka_unit_test(errors_have_fishpacks_numbers),
        cmocka_unit_test(singular_systems_are_refused),
        cmocka_unit_test(missing_arguments_are_refused),
        cmocka_unit_test(coefficients_may_change_between_solves),
        cmocka_unit_test(handles_can_be_freed_and_used_again),
    };
    const struct CMUnitTest alone[] = {cmocka_unit_test(threads_solve_at_once)};
    return TEST_GROUP("beside a context", beside_a_context, &context, -1, -1, 0) +
           cmocka_run_group_tests_name("alone", alone, NULL, NULL);
}
