/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Methods, workers and the reuse of plans: options that must not change the solution, many solves at once, fields. */
#include "tests/poisson/direct_cases.h"

#include "tests/common/check.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Iterative refinement gives back the digits that a basis loses where a strongly stretched grid, almost but not quite
 * its own mirror image, leaves its eigenvectors ill-determined; a solve in place, boundary data are in its way, too. */
void refinement_brings_back_digits(void **state)
{
    (void)state;
    enum { NX = 3, NY = 512, NZ = 5 };
    struct starfish_poisson_problem p = test_problem("periodic", "dd cell", "dn cell", NX, NY, NZ, 0);
    double faces[NY + 1], error[2];
    for (int j = 0; j <= NY; j++)
        faces[j] = (1 + tanh(6 * (2.0 * j / NY - 1)) / tanh(6)) / 2 * (1 + (j < NY / 2 ? 1e-9 : 0));
    p.axis[1].kind = STARFISH_STRETCHED;
    p.axis[1].coordinates = faces;
    p.axis[1].coordinate_count = NY + 1;
    unsigned seed = 13;
    const size_t count = NX * NY * NZ;
    double *u = test_reals(STARFISH_F64, count, &seed), *f = malloc(count * sizeof *f);
    struct starfish_boundary boundary = {.constant = {[1] = {0.25, -0.5}, [2] = {1, 0}}};
    for (int steps = 0; steps < 2; steps++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        starfish_plan *plan;
        options.method = STARFISH_METHOD_SLAB;
        options.refinements = steps ? -1 : 0; /* chosen by the plan */
        options.slabs = 3;
        ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
        test_apply(&p, &boundary, u, f);
        ASSERT_OK(starfish_plan_solve(plan, &boundary, f, f, &info));
        assert_int_equal(info.refinements, steps);
        error[steps] = test_difference(STARFISH_F64, u, f, count);
        starfish_plan_destroy(plan);
    }
    if (!(error[1] < 0.1 * error[0]))
        fail_msg("error %g, refined %g", error[0], error[1]);
    free(f), free(u);
}

/* Several solves in flight, from several right-hand sides to several solutions. */
void streams_of_solves(void **state)
{
    (void)state;
    enum { SOLVES = 6 };
    struct starfish_poisson_problem p = test_problem("periodic", "nn cell", "dd cell", 24, 20, 36, 0);
    unsigned seed = 17;
    const size_t count = test_unknowns(&p);
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_plan *plan;
        starfish_job *job[SOLVES];
        double *u[SOLVES], *f[SOLVES], *v[SOLVES];
        options.method = (starfish_method)method;
        options.slabs = 4;
        ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
        for (int i = 0; i < SOLVES; i++) {
            u[i] = test_reals(STARFISH_F64, count, &seed);
            f[i] = malloc(count * sizeof(double));
            v[i] = malloc(count * sizeof(double));
            test_apply(&p, NULL, u[i], f[i]);
            ASSERT_OK(starfish_plan_submit(plan, NULL, f[i], v[i], &job[i]));
        }
        for (int i = 0; i < SOLVES; i++) {
            ASSERT_OK(starfish_job_finish(job[i], NULL));
            assert_true(test_difference(STARFISH_F64, u[i], v[i], count) < 1e-11);
            free(u[i]), free(f[i]), free(v[i]);
        }
        starfish_plan_destroy(plan);
    }
    test_free_problem(&p);
}

/* With cores and a GPU a plan times some planes of a large problem, which is then solved by both. */
void planes_of_large_problems_are_timed(void **state)
{
    (void)state;
    if (starfish_context_workers_of(direct_context, STARFISH_GPU) == 0 ||
        starfish_context_workers_of(direct_context, STARFISH_CPU) == 0)
        skip();
    struct starfish_poisson_problem p = test_problem("periodic", "nn cell", "dd cell", 256, 256, 256, 0);
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = STARFISH_METHOD_SLAB;
        options.precision = (starfish_precision)precision;
        direct_check_recovers("256^3", &p, &options, 0, precision == STARFISH_F32 ? 1e-2 : 1e-10);
    }
    test_free_problem(&p);
}

void methods_and_cuts_agree(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = test_problem("periodic", "nn cell", "dn node", 40, 33, 50, 0);
    unsigned seed = 9;
    const size_t count = test_unknowns(&p);
    double *f = test_reals(STARFISH_F64, count, &seed), *first = malloc(count * sizeof *f),
           *u = malloc(count * sizeof *u);
    for (int variant = 0; variant < 4 * DIRECT_METHODS; variant++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = direct_methods[variant % DIRECT_METHODS];
        options.slabs = (size_t[]){1, 2, 7, 25}[variant / DIRECT_METHODS];
        options.mode_blocks = (size_t[]){1, 3, 5, 16}[variant / DIRECT_METHODS];
        starfish_plan *plan;
        ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
        for (int again = 0; again < 2; again++) { /* a plan may be used often */
            memset(u, 0xff, count * sizeof *u);
            ASSERT_OK(starfish_plan_solve(plan, NULL, f, u, NULL));
            if (variant == 0 && again == 0)
                memcpy(first, u, count * sizeof *u);
            double largest = 0;
            for (size_t e = 0; e < count; e++)
                largest = fmax(largest, fabs(first[e]));
            assert_true(test_difference(STARFISH_F64, first, u, count) <= 1e-11 * largest);
        }
        starfish_plan_destroy(plan);
    }
    free(f), free(first), free(u);
    test_free_problem(&p);
}

/* Kernels take one mode alone in another way than a few, and need other work space for it. */
void blocks_of_one_mode_are_beside_larger_ones(void **state)
{
    (void)state;
    for (size_t ny = 9; ny <= 12; ny++) {
        struct starfish_poisson_problem p = test_problem("dd node", "dd node", "dd node", 3, ny, 16, 0);
        for (int variant = 0; variant < 2 * DIRECT_METHODS; variant++) {
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.method = direct_methods[variant % DIRECT_METHODS];
            options.precision = variant / DIRECT_METHODS ? STARFISH_F32 : STARFISH_F64;
            options.mode_blocks = 2;
            direct_check_recovers("2 modes and 1", &p, &options, 0, options.precision == STARFISH_F64 ? 1e-12 : 1e-4);
        }
        test_free_problem(&p);
    }
}

/* Every way to solve lines on a GPU and every split of levels between it and cores; elsewhere they have no effect. */
void splits_and_algorithms_agree(void **state)
{
    (void)state;
    static const starfish_algorithm algorithms[] = {STARFISH_ALGORITHM_THOMAS, STARFISH_ALGORITHM_CR,
                                                    STARFISH_ALGORITHM_PCR, STARFISH_ALGORITHM_CR_PCR};
    struct starfish_poisson_problem p = test_problem("periodic", "dn cell", "dd node", 12, 37, 29, -1);
    for (size_t a = 0; a < sizeof algorithms / sizeof algorithms[0]; a++)
        for (int split = 0, radix = 2; split < 8; split += split == 0 ? 1 : 3, radix = 6 - radix) {
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.method = STARFISH_METHOD_BLKTRI_PRODUCT;
            options.algorithm = algorithms[a];
            options.split = split;
            direct_check_recovers("product form", &p, &options, 0, 1e-10);
            options.method = STARFISH_METHOD_BLKTRI;
            options.radix = radix;
            direct_check_recovers("partial fractions", &p, &options, 0, 1e-10);
        }
    test_free_problem(&p);
}

struct concurrent {
    starfish_plan *plan;
    const double *rhs;
    double *solution;
    int ok;
};

static void *solve_in_thread(void *data)
{
    struct concurrent *c = data;
    c->ok = 1;
    for (int again = 0; again < 3; again++)
        if (starfish_plan_solve(c->plan, NULL, c->rhs, c->solution, NULL) != STARFISH_SUCCESS)
            c->ok = 0;
    return NULL;
}

/* Eight solves at once, one plan, bitwise equal to one after the other (on one kind of worker). */
void solves_from_eight_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        struct starfish_poisson_problem p = test_problem("periodic", "dd node", "nn cell", 16, 15, 24, 0);
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = (starfish_method)method;
        unsigned seed = 21;
        const size_t count = test_unknowns(&p);
        starfish_plan *plan;
        pthread_t thread[THREADS];
        struct concurrent c[THREADS];
        ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
        double *serial = malloc(count * sizeof *serial), *rhs[THREADS], *solution[THREADS];
        for (int t = 0; t < THREADS; t++) {
            rhs[t] = test_reals(STARFISH_F64, count, &seed);
            solution[t] = malloc(count * sizeof(double));
            c[t] = (struct concurrent){plan, rhs[t], solution[t], 0};
            assert_int_equal(pthread_create(&thread[t], NULL, solve_in_thread, &c[t]), 0);
        }
        const int one_kind = direct_workers[0] == 0 || direct_workers[1] == 0;
        for (int t = 0; t < THREADS; t++)
            pthread_join(thread[t], NULL);
        for (int t = 0; t < THREADS; t++) {
            assert_true(c[t].ok);
            ASSERT_OK(starfish_plan_solve(plan, NULL, rhs[t], serial, NULL));
            if (one_kind)
                assert_memory_equal(serial, solution[t], count * sizeof *serial);
            assert_true(test_difference(STARFISH_F64, serial, solution[t], count) <= 1e-12);
            free(rhs[t]), free(solution[t]);
        }
        starfish_plan_destroy(plan);
        free(serial);
        test_free_problem(&p);
    }
}

/* Solving between fields: the solution of one solve is the right-hand side of the next. */
void chains_solves_on_fields(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = test_problem("dd cell", "periodic", "dd node", 9, 8, 11, -3);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.slabs = 3;
    unsigned seed = 2;
    const size_t count = test_unknowns(&p);
    starfish_plan *plan;
    starfish_field *field;
    starfish_job *job[2];
    double *u = test_reals(STARFISH_F64, count, &seed), *once = malloc(count * sizeof *once);
    double *twice = malloc(count * sizeof *twice);
    void *memory;
    test_apply(&p, NULL, u, once);
    test_apply(&p, NULL, once, twice);
    ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
    ASSERT_OK(starfish_poisson_field(plan, NULL, &field));
    ASSERT_OK(starfish_field_acquire(field, &memory));
    memcpy(memory, twice, count * sizeof *twice);
    ASSERT_OK(starfish_field_release(field));
    for (int i = 0; i < 2; i++)
        ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field, field, &job[i]));
    for (int i = 0; i < 2; i++)
        ASSERT_OK(starfish_job_finish(job[i], NULL));
    ASSERT_OK(starfish_field_acquire(field, &memory));
    assert_true(test_difference(STARFISH_F64, u, memory, count) < 1e-11);
    ASSERT_OK(starfish_field_release(field));
    starfish_field_destroy(field);
    starfish_plan_destroy(plan);
    free(u), free(once), free(twice);
    test_free_problem(&p);
}

/* Tasks run on the kinds of worker that the context allows, and are counted there. */
void counts_tasks_by_worker(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = test_problem("periodic", "periodic", "dd cell", 16, 16, 16, 0);
    starfish_plan *plan;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    unsigned seed = 1;
    double *f = test_reals(STARFISH_F64, test_unknowns(&p), &seed);
    ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, NULL, &plan));
    ASSERT_OK(starfish_plan_solve(plan, NULL, f, f, &info));
    assert_true(info.worker[STARFISH_CPU].tasks + info.worker[STARFISH_GPU].tasks >= 1);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        if (direct_workers[kind] == 0)
            assert_int_equal(info.worker[kind].tasks, 0);
    starfish_plan_destroy(plan);
    free(f);
    test_free_problem(&p);
}

/* On cores alone boundary data are moved to the right-hand side as it is read, by no task of their own: from arrays of
 * their own, where the solution takes the place of the right-hand side, and from memory that the solution will take. A
 * residual reads the right-hand side in the same way, unless the solution has taken its place. */
static void check_no_copy(int check_residual)
{
    enum { APART, IN_PLACE, DATA_IN_SOLUTION, WAYS };
    struct starfish_poisson_problem p = test_problem("dd cell", "dn cell", "nd cell", 24, 21, 70, 0);
    const size_t count = test_unknowns(&p);
    unsigned seed = 23;
    struct starfish_boundary boundary = {0};
    starfish_plan *plan;
    double *u = test_reals(STARFISH_F64, count, &seed), *f = malloc(count * sizeof *f), *v = malloc(count * sizeof *v);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.check_residual = check_residual;
    ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
    direct_random_boundary(&p, &boundary, &seed);
    for (int way = 0; way < WAYS; way++) {
        double *const to = way == IN_PLACE ? f : v;
        struct starfish_boundary given = boundary;
        struct starfish_result without = STARFISH_RESULT_DEFAULTS, with = STARFISH_RESULT_DEFAULTS;
        test_apply(&p, &given, u, f);
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, v, &without));
        if (way == DATA_IN_SOLUTION) {
            memcpy(v, u, count * sizeof *v);
            given.array[2][1] = v;
            test_apply(&p, &given, u, f);
        }
        ASSERT_OK(starfish_plan_solve(plan, &given, f, to, &with));
        assert_true(test_difference(STARFISH_F64, u, to, count) < 1e-11);
        if (check_residual)
            assert_true(with.residual_max < 1e-12);
        if (direct_workers[STARFISH_GPU] == 0 && !(check_residual && way == IN_PLACE))
            assert_int_equal(with.worker[STARFISH_CPU].tasks, without.worker[STARFISH_CPU].tasks);
    }
    direct_free_boundary(&boundary);
    starfish_plan_destroy(plan);
    free(u), free(f), free(v);
    test_free_problem(&p);
}

void boundary_data_take_no_copy(void **state)
{
    (void)state;
    check_no_copy(0);
    check_no_copy(1);
}

/* Two contexts and their plans at once. */
void two_contexts_live_together(void **state)
{
    (void)state;
    starfish_context *second;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct starfish_runtime runtime;
    starfish_context *const first = direct_context;
    ASSERT_OK(starfish_context_create(&second, &options));
    ASSERT_OK(starfish_context_runtime(second, &runtime));
    assert_true(runtime.joined);
    struct starfish_poisson_problem p = test_problem("periodic", "nd cell", "dd cell", 8, 9, 10, 0);
    starfish_plan *plan[2];
    ASSERT_OK(starfish_poisson_plan_create(first, &p, NULL, &plan[0]));
    ASSERT_OK(starfish_poisson_plan_create(second, &p, NULL, &plan[1]));
    unsigned seed = 1;
    const size_t count = test_unknowns(&p);
    double *f = test_reals(STARFISH_F64, count, &seed), *u[2];
    for (int i = 0; i < 2; i++) {
        u[i] = malloc(count * sizeof(double));
        ASSERT_OK(starfish_plan_solve(plan[i], NULL, f, u[i], NULL));
    }
    assert_true(test_difference(STARFISH_F64, u[0], u[1], count) < 1e-13);
    for (int i = 0; i < 2; i++) {
        starfish_plan_destroy(plan[i]);
        free(u[i]);
    }
    starfish_context_destroy(second);
    free(f);
    test_free_problem(&p);
}
