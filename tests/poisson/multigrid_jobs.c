/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Jobs of the method multigrid: submission returns before the iteration ends, whatever the problem; who comes next on a
 * field comes after it; and what the iteration came to is what waiting returns. Iterations are held, or slowed down, at
 * their looks at the residual, so that nothing depends on how fast they are. f = A u by the oracle. */
#include "tests/poisson/multigrid_jobs.h"

#include "multigrid/engine.h"
#include "poisson/methods.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"
#include "tests/multigrid/gate.h"
#include "tests/poisson/oracle.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

static starfish_context *context;
static int workers[2];

/* ---- Problems ---------------------------------------------------------------------------------------------------- */

struct problem_case {
    const char *what, *kinds[3];
    size_t n[3];
    double lambda;
    int boundary, in_place, unchecked; /* boundary data; the solution's array is the right-hand side's; no residual */
    starfish_precision precision;
    int mixed;
    size_t slabs;
};

/* Grids of more than 33^3 unknowns are cut into slabs on cores; z that is stretched there has lines across slabs. */
static const struct problem_case cases[] = {
    {"plain", {"periodic", "dd node", "dn cell"}, {12, 13, 14}, -1, .slabs = 1, .precision = STARFISH_F64},
    {"slabs", {"dd cell", "dd node", "periodic"}, {34, 33, 36}, 0, .slabs = 3, .precision = STARFISH_F64},
    {"lines", {"nn cell", "dd node", "dn cell stretched"}, {34, 33, 36}, 0, .slabs = 3, .precision = STARFISH_F64},
    {"boundary", {"dd cell", "nn node", "dd node"}, {34, 33, 36}, 0, 1, .slabs = 4, .precision = STARFISH_F64},
    {"in place", {"dd cell", "nn node", "dd node"}, {34, 33, 36}, 0, 0, 1, .slabs = 2, .precision = STARFISH_F64},
    {"both", {"dd cell", "dd node", "dd node"}, {34, 33, 36}, 0, 1, 1, .slabs = 2, .precision = STARFISH_F64},
    {"unchecked", {"dd cell", "dd node", "nd cell"}, {34, 33, 36}, 0, 0, 1, 1, .slabs = 2, .precision = STARFISH_F64},
    {"singular", {"periodic", "nn node", "nn cell"}, {34, 33, 36}, 0, .slabs = 2, .precision = STARFISH_F64},
    {"f32", {"periodic", "dd node", "dn cell"}, {34, 33, 36}, -1, 1, .slabs = 2, .precision = STARFISH_F32},
    {"mixed", {"dn cell", "dd node", "dd cell"}, {34, 33, 36}, 0, 1, .mixed = 1, .slabs = 2, .precision = STARFISH_F64},
    {"mixed lines",
     {"dn cell", "dd node", "dd cell stretched"},
     {34, 33, 36},
     0,
     1,
     1,
     .mixed = 1,
     .slabs = 3,
     .precision = STARFISH_F64},
    {"one in x",
     {"nn cell", "dd node", "dd cell stretched"},
     {1, 200, 210},
     0,
     1,
     .slabs = 3,
     .precision = STARFISH_F64},
    {"one in y", {"dd node", "nn cell", "dd cell"}, {200, 1, 210}, 0, .slabs = 3, .precision = STARFISH_F64},
    {"one in z", {"dd node", "dd cell", "nn cell"}, {33, 20, 1}, 0, 1, 1, .slabs = 1, .precision = STARFISH_F64},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* A problem with a solution that is known, u, up to a constant where it is singular; a mean is added to f there. */
struct known {
    const struct problem_case *c;
    struct starfish_poisson_problem p;
    struct starfish_boundary boundary;
    size_t count;
    double *u;
    void *f, *solution;
};

static const double added_mean = 0.75;

static int is_singular(const struct problem_case *c)
{
    return strcmp(c->what, "singular") == 0;
}

/* The same stretching again, so that spacings grow by a factor of more than three and lines smooth. */
static void stretch_again(struct starfish_axis *axis)
{
    double *x = (double *)(uintptr_t)axis->coordinates;
    const double low = x[0], length = x[axis->coordinate_count - 1] - low;

    for (size_t i = 0; i < axis->coordinate_count; i++) {
        const double t = (x[i] - low) / length;
        x[i] = low + length * (t + 0.3 * t * (t - 1));
    }
}

static void make_known(struct known *k, const struct problem_case *c)
{
    unsigned seed = 7;

    *k = (struct known){.c = c, .count = c->n[0] * c->n[1] * c->n[2]};
    k->p.lambda = c->lambda;
    for (int axis = 0; axis < 3; axis++) {
        k->p.axis[axis] = test_axis(c->kinds[axis], c->n[axis], -axis, 2);
        if (k->p.axis[axis].coordinates)
            stretch_again(&k->p.axis[axis]);
    }
    if (c->boundary)
        k->boundary = (struct starfish_boundary){.constant = {{0.5, -1}, {2, 0}, {0, 0.25}}};
    k->u = test_reals(STARFISH_F64, k->count, &seed);
    k->f = malloc(k->count * sizeof(double));
    k->solution = c->in_place ? k->f : malloc(k->count * sizeof(double));
    double *f = malloc(k->count * sizeof *f);
    test_apply(&k->p, &k->boundary, k->u, f);
    for (size_t e = 0; e < k->count; e++)
        test_real_put(k->f, c->precision, e, f[e] + (is_singular(c) ? added_mean : 0));
    free(f);
}

static void free_known(struct known *k)
{
    for (int axis = 0; axis < 3; axis++)
        test_axis_free(&k->p.axis[axis]);
    if (k->solution != k->f)
        free(k->solution);
    free(k->f);
    free(k->u);
}

static starfish_plan *make_plan(const struct known *k, starfish_method method, double tolerance)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;

    options.method = method;
    options.precision = k->c->precision;
    options.mixed = k->c->mixed;
    options.slabs = k->c->slabs;
    options.check_residual = !k->c->unchecked;
    options.tolerance = tolerance;
    ASSERT_OK(starfish_poisson_plan_create(context, &k->p, &options, &plan));
    return plan;
}

/* Whether slabs, and lines across them, are what a case is about. */
static void check_cut(const struct known *k, const struct starfish_multigrid_engine *engine)
{
    const struct starfish_space *space = engine->op.space;
    const int cut = workers[STARFISH_GPU] == 0 && k->count > 33 * 33 * 33 && k->c->n[0] > 1;

    assert_int_equal(space->parts[1], cut ? k->c->slabs : 1);
    assert_int_equal(space->parts[0], cut && strstr(k->c->kinds[2], "stretched") ? k->c->slabs : 1);
}

static double tolerance_of(const struct problem_case *c)
{
    return c->precision == STARFISH_F32 ? 3e-6 : 1e-12;
}

static void check_solution(const struct known *k, const void *solution)
{
    const starfish_precision precision = k->c->precision;
    const double bound = precision == STARFISH_F32 ? 1e-2 : 1e-9;
    const double shift = is_singular(k->c) ? test_real_get(solution, precision, 0) - k->u[0] : 0;

    for (size_t e = 0; e < k->count; e++) {
        const double error = fabs(test_real_get(solution, precision, e) - shift - k->u[e]);
        if (!(error <= bound))
            fail_msg("%s: error %g at unknown %zu exceeds %g", k->c->what, error, e, bound);
    }
}

static void check_info(const struct known *k, const struct starfish_result *info)
{
    const double pertrb = is_singular(k->c) ? added_mean : 0, tolerance = tolerance_of(k->c);

    assert_true(info->iterations > 0 && info->residual <= tolerance);
    assert_true(fabs(info->pertrb - pertrb) < 1e-10);
    assert_true(k->c->unchecked ? isnan(info->residual_max) : info->residual_max < 1e4 * tolerance);
    assert_true(info->seconds > 0 && info->worker[STARFISH_CPU].tasks + info->worker[STARFISH_GPU].tasks > 0);
}

/* ---- Held iterations --------------------------------------------------------------------------------------------- */

static void submission_does_not_wait(void **state)
{
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        starfish_job *job;
        struct known k;
        struct test_gate gate;

        make_known(&k, &cases[c]);
        starfish_plan *plan = make_plan(&k, STARFISH_METHOD_MULTIGRID, tolerance_of(&cases[c]));
        test_gate_make(&gate);
        check_cut(&k, starfish_poisson_engine((struct starfish_poisson_plan *)plan));
        starfish_plan_tell(plan, test_gate_hold, &gate);
        ASSERT_OK(starfish_plan_submit(plan, &k.boundary, k.f, k.solution, &job));
        sem_wait(&gate.reached); /* it is under way, and stays so until this thread lets it go on */
        assert_int_equal(gate.looks, 1);
        sem_post(&gate.open);
        ASSERT_OK(starfish_job_finish(job, &info));
        assert_true(gate.looks > 1);
        check_info(&k, &info);
        check_solution(&k, k.solution);
        starfish_plan_destroy(plan);
        free_known(&k);
    }
}

/* The job tells its steps, and ends where it is told to. */
static void iterations_are_cancelled(void **state)
{
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_job *job;
    struct known k;
    struct test_gate gate;
    size_t done, most;
    (void)state;

    make_known(&k, &cases[0]);
    starfish_plan *plan = make_plan(&k, STARFISH_METHOD_MULTIGRID, tolerance_of(&cases[0]));
    test_gate_make(&gate);
    starfish_plan_tell(plan, test_gate_hold, &gate);
    ASSERT_OK(starfish_plan_submit(plan, &k.boundary, k.f, k.solution, &job));
    sem_wait(&gate.reached);
    ASSERT_OK(starfish_job_state(job, &done, &most));
    assert_true(done <= 1 && most == 10000);
    starfish_job_cancel(job);
    sem_post(&gate.open);
    ASSERT_FAILS(starfish_job_finish(job, &info), STARFISH_ERROR_NUMERICAL, "cancelled");
    assert_true(info.outcome == STARFISH_CANCELLED && info.iterations <= 2);
    ASSERT_OK(starfish_plan_solve(plan, &k.boundary, k.f, k.solution, &info));
    check_solution(&k, k.solution);
    starfish_plan_destroy(plan);
    free_known(&k);
}

/* ---- Slow iterations --------------------------------------------------------------------------------------------- */

/* Fields that hold A A u, A u and nothing, and a plan whose iterations are slow. */
struct chain {
    struct known k;
    starfish_plan *plan;
    double *array[3];
    starfish_field *field[3];
};

static void make_chain(struct chain *chain, const struct problem_case *c)
{
    make_known(&chain->k, c);
    chain->plan = make_plan(&chain->k, STARFISH_METHOD_MULTIGRID, tolerance_of(c));
    starfish_plan_tell(chain->plan, test_gate_slow_down, NULL);
    for (int i = 0; i < 3; i++)
        chain->array[i] = calloc(chain->k.count, sizeof(double));
    test_apply(&chain->k.p, &chain->k.boundary, chain->k.f, chain->array[0]);
    for (int i = 0; i < 3; i++)
        ASSERT_OK(starfish_poisson_field(chain->plan, chain->array[i], &chain->field[i]));
}

static void free_chain(struct chain *chain)
{
    for (int i = 0; i < 3; i++) {
        starfish_field_destroy(chain->field[i]);
        free(chain->array[i]);
    }
    starfish_plan_destroy(chain->plan);
    free_known(&chain->k);
}

/* The second right-hand side is the first solution; what is in the second place, by the same method or a direct one,
 * comes after the iteration of the first, and so does the host. */
static void the_next_on_a_field_comes_after(void **state)
{
    static const size_t chained[] = {0, 1, 3};
    (void)state;
    for (size_t c = 0; c < sizeof chained / sizeof chained[0]; c++)
        for (int direct = 0; direct < 2; direct++) {
            struct problem_case one_slab = cases[chained[c]];
            starfish_job *job[2];
            struct chain chain;
            void *values;

            one_slab.slabs = direct ? 1 : one_slab.slabs; /* both methods' fields are cut so */
            make_chain(&chain, &one_slab);
            starfish_plan *next = direct ? make_plan(&chain.k, STARFISH_METHOD_SLAB, 0) : chain.plan;
            ASSERT_OK(
                starfish_poisson_submit_field(chain.plan, &chain.k.boundary, chain.field[0], chain.field[1], &job[0]));
            ASSERT_OK(starfish_poisson_submit_field(next, &chain.k.boundary, chain.field[1], chain.field[2], &job[1]));
            ASSERT_OK(starfish_field_acquire(chain.field[2], &values));
            check_solution(&chain.k, values);
            ASSERT_OK(starfish_field_release(chain.field[2]));
            ASSERT_OK(starfish_job_finish(job[1], NULL));
            ASSERT_OK(starfish_job_finish(job[0], NULL));
            if (direct)
                starfish_plan_destroy(next);
            free_chain(&chain);
        }
}

/* Of a plan's jobs on different arrays each has its own solution, in whatever order they are waited for. */
static void jobs_of_a_plan_are_waited_for_in_any_order(void **state)
{
    enum { JOBS = 3 };
    struct known k[JOBS];
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_job *job[JOBS];
    (void)state;

    for (int j = 0; j < JOBS; j++)
        make_known(&k[j], &cases[3]);
    starfish_plan *plan = make_plan(&k[0], STARFISH_METHOD_MULTIGRID, tolerance_of(&cases[3]));
    starfish_plan_tell(plan, test_gate_slow_down, NULL);
    for (int j = 0; j < JOBS; j++)
        ASSERT_OK(starfish_plan_submit(plan, &k[j].boundary, k[j].f, k[j].solution, &job[j]));
    for (int j = JOBS - 1; j >= 0; j--) {
        ASSERT_OK(starfish_job_finish(job[j], &info));
        check_info(&k[j], &info);
        check_solution(&k[j], k[j].solution);
        free_known(&k[j]);
    }
    starfish_plan_destroy(plan);
}

/* ---- Failures ---------------------------------------------------------------------------------------------------- */

/* Where rounding errors forbid the tolerance they are what counts, and waiting tells so. Fields and plan serve again.
 */
static void rounding_errors_are_tolerated(void **state)
{
    struct known k;
    starfish_field *field[2];
    (void)state;

    make_known(&k, &cases[1]);
    starfish_plan *plan = make_plan(&k, STARFISH_METHOD_MULTIGRID, 1e-30);
    ASSERT_OK(starfish_poisson_field(plan, k.f, &field[0]));
    ASSERT_OK(starfish_poisson_field(plan, k.solution, &field[1]));
    for (int i = 0; i < 2; i++) {
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        starfish_job *job;
        ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field[0], field[1], &job));
        ASSERT_OK(starfish_job_finish(job, &info));
        assert_int_equal(info.outcome, STARFISH_SOLVED);
        assert_true(info.iterations > 0 && info.residual > 1e-30 && info.residual <= info.tolerance);
        assert_true(info.tolerance < 1e-9 && info.residual_max <= info.residual_bound);
    }
    starfish_field_destroy(field[0]);
    starfish_field_destroy(field[1]);
    check_solution(&k, k.solution);
    starfish_plan_destroy(plan);
    free_known(&k);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

int test_poisson_multigrid_jobs(const char *name, int cpu_workers, int gpu_workers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submission_does_not_wait),        cmocka_unit_test(iterations_are_cancelled),
        cmocka_unit_test(the_next_on_a_field_comes_after), cmocka_unit_test(jobs_of_a_plan_are_waited_for_in_any_order),
        cmocka_unit_test(rounding_errors_are_tolerated),
    };
    workers[STARFISH_CPU] = cpu_workers;
    workers[STARFISH_GPU] = gpu_workers;
    return TEST_GROUP(name, tests, &context, gpu_workers, cpu_workers, 0);
}
