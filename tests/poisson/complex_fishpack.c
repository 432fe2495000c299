/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's CBLKTRI: its contract, its documented example, and calls from several threads; random complex fields are
 * recovered. */
#include "tests/poisson/complex_cases.h"

#include "tests/common/check.h"
#include "tests/poisson/fishpack_example.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static starfish_status call(const struct problem *p, int iflg, int idimy, number *y, int *ierror,
                            starfish_blktri_work *work)
{
    return starfish_cblktri(iflg, !p->y.periodic, (int)p->y.n, p->y.lower, p->y.diag, p->y.upper, !p->x.periodic,
                            (int)p->x.n, (const double *)p->lower, (const double *)p->diag, (const double *)p->upper,
                            idimy, (double *)y, ierror, work);
}

/* Solves in y with one more row than there are unknowns; the error, or infinity after a failure. */
static double error_of_cblktri(const struct problem *p, const number *u, starfish_blktri_work *work)
{
    const size_t nx = p->x.n, ny = p->y.n, idimy = nx + 1;
    number *f = malloc(nx * ny * sizeof *f), *y = malloc(idimy * ny * sizeof *y);
    double error = 0;
    int ierror = -1;
    complex_apply(p, u, f);
    for (size_t e = 0; e < idimy * ny; e++)
        y[e] = e % idimy < nx ? f[e % idimy + nx * (e / idimy)] : 4711;
    if (call(p, 1, (int)idimy, y, &ierror, work) != STARFISH_SUCCESS || ierror != 0)
        error = HUGE_VAL;
    for (size_t e = 0; e < idimy * ny; e++) {
        const double difference = cabs(y[e] - (e % idimy < nx ? u[e % idimy + nx * (e / idimy)] : 4711));
        error = test_worst(error, difference);
    }
    free(f), free(y);
    return error;
}

static struct problem make_cblktri(size_t m, size_t n, int periodic, int complex_line, unsigned *seed)
{
    struct problem p = complex_problem(m, periodic, n, periodic, complex_line, seed);
    p.lambda = 0;
    return p;
}

void cblktri_recovers_random_fields(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{5, 3}, {6, 5}, {31, 33}, {50, 63}};
    unsigned seed = 37;
    for (int kind = 0; kind < 16; kind++) {
        struct problem p = make_cblktri(sizes[kind / 4][0], sizes[kind / 4][1], kind & 1, kind >> 1 & 1, &seed);
        number *u = complex_random(complex_unknowns(&p), &seed);
        starfish_blktri_work work = {.context = complex_context};
        int ierror = -1;
        ASSERT_OK(call(&p, 0, (int)p.x.n, NULL, &ierror, &work));
        assert_int_equal(ierror, 0);
        assert_true(error_of_cblktri(&p, u, &work) <= 1e-11);
        starfish_blktri_free(&work);
        complex_free_problem(&p);
        free(u);
    }
}

/* FISHPACK's example of CBLKTRI, that of BLKTRI less i u, and the error that its documentation says. */
void solves_fishpacks_example(void **state)
{
    (void)state;
    enum { M = TEST_EXAMPLE_M, N = TEST_EXAMPLE_N, IDIMY = 75 };
    static struct test_fishpack_example e;
    double largest = 0;
    static number am[M], bm[M], cm[M], y[N][IDIMY];
    starfish_blktri_work work = {.context = complex_context};
    test_fishpack_example(&e);
    for (int i = 0; i < M; i++)
        am[i] = e.am[i], bm[i] = e.bm[i] - I, cm[i] = e.cm[i];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            y[j][i] = e.rhs[j][i] - e.exact[j][i] * I;
    for (int iflg = 0; iflg < 2; iflg++) {
        int ierror = -1;
        ASSERT_OK(starfish_cblktri(iflg, 1, N, e.an, e.bn, e.cn, 1, M, (double *)am, (double *)bm, (double *)cm, IDIMY,
                                   (double *)&y[0][0], &ierror, &work));
        assert_int_equal(ierror, 0);
    }
    starfish_blktri_free(&work);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            largest = test_worst(largest, cabs(y[j][i] - e.exact[j][i]));
    if (!(fabs(largest / 1.64572e-5 - 1) < 5e-6))
        fail_msg("discretisation error %.6g", largest);
}

void cblktri_says_fishpacks_numbers(void **state)
{
    (void)state;
    unsigned seed = 41;
    struct problem p = make_cblktri(6, 7, 1, 1, &seed);
    starfish_blktri_work work = {.context = complex_context};
    number y[42] = {0};
    int ierror = -1;
    ASSERT_FAILS(call(&p, 1, 6, y, &ierror, &work), STARFISH_ERROR_ARGUMENT, "iflg = 0");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    ASSERT_FAILS(call(&p, 0, 5, y, &ierror, &work), STARFISH_ERROR_ARGUMENT, "idimy is 5");
    assert_int_equal(ierror, STARFISH_BLKTRI_IDIMY);
    ASSERT_FAILS(call(&p, 0, 6, y, NULL, &work), STARFISH_ERROR_ARGUMENT, "ierror");
    ASSERT_FAILS(call(&p, 0, 6, y, &ierror, NULL), STARFISH_ERROR_ARGUMENT, "work");
    p.x.n = 4;
    ASSERT_FAILS(call(&p, 0, 6, y, &ierror, &work), STARFISH_ERROR_ARGUMENT, "m is 4");
    assert_int_equal(ierror, STARFISH_BLKTRI_M);
    p.x.n = 6;
    ((double *)(uintptr_t)p.y.lower)[3] *= -1;
    ASSERT_FAILS(call(&p, 0, 6, y, &ierror, &work), STARFISH_ERROR_NOT_SYMMETRIZABLE, "an[3]");
    assert_int_equal(ierror, STARFISH_BLKTRI_SIGN);
    ((double *)(uintptr_t)p.y.lower)[3] *= -1;
    ASSERT_OK(call(&p, 0, 6, y, &ierror, &work)); /* which does not look at am, bm and cm */
    p.diag[2] = (double)NAN;
    ASSERT_FAILS(call(&p, 1, 6, y, &ierror, &work), STARFISH_ERROR_ARGUMENT, "diag");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    starfish_blktri_free(&work);
    complex_free_problem(&p);
}

/* One handle for both functions, coefficients that look the same but for being pairs. */
void a_handle_serves_both_kinds(void **state)
{
    (void)state;
    unsigned seed = 43;
    struct problem p = make_cblktri(8, 9, 0, 0, &seed);
    number *u = complex_random(72, &seed), *f = malloc(72 * sizeof *f);
    starfish_blktri_work work = {.context = complex_context};
    double y[72];
    int ierror = -1;
    ASSERT_OK(call(&p, 0, 8, NULL, &ierror, &work));
    for (int turn = 0; turn < 2; turn++) {
        assert_true(error_of_cblktri(&p, u, &work) <= 1e-11);
        complex_apply(&p, u, f);
        for (int i = 0; i < 72; i++)
            y[i] = cimag(f[i]);
        ASSERT_OK(starfish_blktri(1, 1, 9, p.y.lower, p.y.diag, p.y.upper, 1, 8, p.x.lower, p.x.diag, p.x.upper, 8, y,
                                  &ierror, &work));
        for (int i = 0; i < 72; i++)
            assert_true(fabs(y[i] - cimag(u[i])) <= 1e-11);
    }
    starfish_blktri_free(&work);
    complex_free_problem(&p);
    free(u), free(f);
}

/* ---- Threads -------------------------------------------------------------------------------------------------------
 */

enum { THREADS = 8, SOLVES = 4 };

struct thread {
    const struct problem *problem;
    const number *u;
    starfish_blktri_work *work;
    double error;
};

static void *solve_often(void *data)
{
    struct thread *t = data;
    for (int again = 0; again < SOLVES; again++)
        t->error = test_worst(t->error, error_of_cblktri(t->problem, t->u, t->work));
    return NULL;
}

void threads_solve_at_once(void **state)
{
    (void)state;
    unsigned seed = 47;
    struct problem p[2] = {make_cblktri(20, 31, 0, 1, &seed), make_cblktri(21, 30, 1, 0, &seed)};
    number *u[2] = {complex_random(complex_unknowns(&p[0]), &seed), complex_random(complex_unknowns(&p[1]), &seed)};
    starfish_blktri_work work = {.context = complex_context};
    struct thread t[THREADS];
    pthread_t thread[THREADS];
    int ierror = -1;
    ASSERT_OK(call(&p[0], 0, 20, NULL, &ierror, &work));
    for (int i = 0; i < THREADS; i++) {
        t[i] = (struct thread){&p[i % 2], u[i % 2], &work, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, solve_often, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_true(t[i].error <= 1e-11);
    starfish_blktri_free(&work);
    for (int i = 0; i < 2; i++) {
        complex_free_problem(&p[i]);
        free(u[i]);
    }
}
