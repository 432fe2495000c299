/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 multigrid on a context: plans shared by threads, and refusals of bad arguments. */
#include "tests/multigrid/solve_cases.h"
#include "tests/multigrid/solve_problems.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct job {
    starfish_plan *plan;
    const struct test_q1_mesh *mesh;
    double factor, *load, *solution;
    starfish_status status;
};

static void *run_job(void *data)
{
    struct job *job = data;

    for (size_t i = 0; i < job->mesh->count; i++)
        job->load[i] = job->factor * job->mesh->load[i];
    job->status = starfish_plan_solve(job->plan, NULL, job->load, job->solution, NULL);
    return NULL;
}

/* Multiples by powers of two of one load have the same multiples as solutions, bit by bit. */
static void threads_share_a_plan(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct job jobs[THREADS];
    pthread_t threads[THREADS];
    struct test_q1_mesh mesh;
    starfish_plan *plan;
    options.tail = 200;
    options.slabs = 3;
    test_q1_named(&mesh, "A1", 6);
    ASSERT_OK(starfish_q1_plan_create(test_q1_context, &mesh.problem, &options, &plan));
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (struct job){.plan = plan, .mesh = &mesh, .factor = ldexp(1, 3 * t)};
        jobs[t].load = malloc(mesh.count * sizeof(double));
        jobs[t].solution = malloc(mesh.count * sizeof(double));
        assert_int_equal(pthread_create(&threads[t], NULL, run_job, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(jobs[t].status, STARFISH_SUCCESS);
        for (size_t i = 0; i < mesh.count; i++)
            jobs[t].solution[i] /= jobs[t].factor;
        test_q1_assert_same(jobs[t].solution, jobs[0].solution, mesh.count, 1e-12);
    }
    for (int t = 0; t < THREADS; t++) {
        free(jobs[t].load);
        free(jobs[t].solution);
    }
    starfish_plan_destroy(plan);
    test_q1_free(&mesh);
}

/* A mesh, and a problem and options for it that are valid until a test spoils them. */
struct spoilt {
    struct test_q1_mesh mesh;
    struct starfish_q1_problem p;
    struct starfish_multigrid_options o;
};

static void mend(struct spoilt *s)
{
    s->p = s->mesh.problem;
    s->o = (struct starfish_multigrid_options)STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
}

/* There is no plan, and the message says `part`; then what was spoilt is mended. */
static void expect_refusal(struct spoilt *s, starfish_status status, const char *part)
{
    starfish_plan *plan;

    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, &s->p, &s->o, &plan), status, part);
    assert_null(plan);
    mend(s);
}

static void bad_problems_are_named(void **state)
{
    (void)state;
    struct spoilt s;
    test_q1_named(&s.mesh, "U1", 7);
    mend(&s);
    double bad[128];
    memcpy(bad, s.mesh.width[0], sizeof bad);
    bad[5] = 0;
    starfish_plan *plan;
    ASSERT_FAILS(starfish_q1_plan_create(NULL, &s.p, &s.o, &plan), STARFISH_ERROR_ARGUMENT, "context");
    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, NULL, &s.o, &plan), STARFISH_ERROR_ARGUMENT, "problem");
    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, &s.p, &s.o, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    s.p.elements[1] = 0;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "elements[1]");
    s.p.elements[0] = 1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "unknowns");
    s.p.width[1] = NULL;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "width[1]");
    s.p.width[0] = bad;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "width[0][5]");
    s.p.coefficient[0] = bad;
    s.p.elements[0] = 64;
    s.p.elements[1] = 2;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "coefficient[0][5]");
    s.p.ends[0][1] = STARFISH_PERIODIC;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "ends[0][1]");
    s.p.reaction = -1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "reaction");
    s.p.ends[0][0] = s.p.ends[0][1] = s.p.ends[1][0] = s.p.ends[1][1] = STARFISH_NEUMANN;
    expect_refusal(&s, STARFISH_ERROR_SINGULAR, "constant");
    test_q1_free(&s.mesh);
}

static void bad_options_are_named(void **state)
{
    (void)state;
    struct spoilt s;
    test_q1_named(&s.mesh, "U1", 7);
    mend(&s);
    s.o.size = 1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "size");
    s.o.precision = STARFISH_F32;
    s.o.mixed = 1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "mixed");
    s.o.smoother = STARFISH_SMOOTHERS;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "smoother");
    s.o.smoother = STARFISH_SMOOTHER_LINE_Z;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "three dimensions");
    s.o.smoother = STARFISH_SMOOTHER_PLANE;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "three dimensions");
    s.o.cycle = (starfish_cycle_shape)4;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "cycle");
    s.o.damping = -1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "damping");
    s.o.smoother = STARFISH_SMOOTHER_CHEBYSHEV;
    s.o.damping = 1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "below 1");
    s.o.before = s.o.after = 0;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "before");
    s.o.tolerance = -1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "tolerance");
    s.o.max_iterations = 0;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "max_iterations");
    s.o.inner_cycles = 0;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "inner_cycles");
    s.o.levels = 2;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "coarsest");
    s.o.slabs = 17;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "slabs");
    s.o.storage = (starfish_storage)3;
    s.o.mixed = 1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "storage");
    s.o.storage = STARFISH_STORAGE_F16;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "storage");
    s.o.storage = STARFISH_STORAGE_BF16;
    s.o.precision = STARFISH_F32;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "storage is bf16");
    s.o.storage = STARFISH_STORAGE_BF16;
    s.o.mixed = 1;
    s.o.smoother = STARFISH_SMOOTHER_GAUSS_SEIDEL;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "storage");
    s.o.storage = STARFISH_STORAGE_BF16;
    s.o.mixed = 1;
    s.o.stored_diagonal = 1;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "storage");
    s.o.krylov = STARFISH_KRYLOV_CG;
    s.o.before = 3;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "must be the same");
    s.o.krylov = STARFISH_KRYLOV_CG;
    s.o.cycle = STARFISH_CYCLE_F;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "cycle");
    s.o.krylov = STARFISH_KRYLOV_CG;
    s.o.smoother = STARFISH_SMOOTHER_GAUSS_SEIDEL;
    expect_refusal(&s, STARFISH_ERROR_ARGUMENT, "smoother");
    test_q1_free(&s.mesh);
}

static void bad_arrays_are_named(void **state)
{
    (void)state;
    starfish_plan *plan;
    struct test_q1_mesh mesh;
    double bad[1] = {0};
    test_q1_named(&mesh, "U1", 7);
    ASSERT_OK(starfish_q1_plan_create(test_q1_context, &mesh.problem, NULL, &plan));
    ASSERT_FAILS(starfish_plan_solve(NULL, NULL, bad, bad, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, NULL, bad, NULL), STARFISH_ERROR_ARGUMENT, "rhs");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, bad, NULL, NULL), STARFISH_ERROR_ARGUMENT, "solution");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, bad, bad, NULL), STARFISH_ERROR_ARGUMENT, "same");
    starfish_plan_destroy(plan);
    starfish_plan_destroy(NULL);
    test_q1_free(&mesh);
}

/* Widths whose matrix single precision cannot hold. */
static void entries_beyond_the_precision_are_refused(void **state)
{
    (void)state;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct test_q1_mesh mesh;
    starfish_plan *plan;
    test_q1_named(&mesh, "U1", 4);
    mesh.width[0][3] = 1e-45;
    options.mixed = 1;
    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, &mesh.problem, &options, &plan), STARFISH_ERROR_NUMERICAL,
                 "beyond the precision");
    test_q1_free(&mesh);
    test_q1_named(&mesh, "A5", 7);
    options.storage = STARFISH_STORAGE_F16;
    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, &mesh.problem, &options, &plan), STARFISH_ERROR_NUMERICAL,
                 "16 bits");
    test_q1_free(&mesh);
}

int test_multigrid_uses(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_plan),
        cmocka_unit_test(bad_problems_are_named),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(bad_arrays_are_named),
        cmocka_unit_test(entries_beyond_the_precision_are_refused),
    };

    return cmocka_run_group_tests_name("uses", tests, NULL, NULL);
}
