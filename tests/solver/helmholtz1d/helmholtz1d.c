/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The toy by the functions of starfish/solve.h, against elimination in dense matrices. */
#include "tests/solver/helmholtz1d/helmholtz1d.h"

#include "base/precision.h"
#include "tests/common/check.h"
#include "tests/common/group.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_CELLS = 9, MOST_LINES = 5, MOST = MOST_CELLS * MOST_LINES };

static starfish_context *context;

static const starfish_end ends[][2] = {{STARFISH_PERIODIC, STARFISH_PERIODIC},
                                       {STARFISH_DIRICHLET, STARFISH_DIRICHLET},
                                       {STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                       {STARFISH_NEUMANN, STARFISH_NEUMANN}};
static const size_t sizes[][2] = {{1, 1}, {2, 3}, {MOST_CELLS, MOST_LINES}};

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

/* Second differences in a dense matrix; the value beyond an end is -u, u, or that of the other end. */
static void assemble(const struct starfish_helmholtz1d_problem *p, double a[MOST_CELLS][MOST_CELLS])
{
    const size_t n = p->n[0];
    const double h = p->length / (double)n;

    memset(a, 0, sizeof(double[MOST_CELLS][MOST_CELLS]));
    for (size_t k = 0; k < n; k++) {
        a[k][k] += p->lambda - 2 / (h * h);
        for (int side = 0; side < 2; side++) {
            const int is_end = side == 0 ? k == 0 : k + 1 == n;
            const size_t next = side == 0 ? (k + n - 1) % n : (k + 1) % n;
            if (is_end && p->ends[side] != STARFISH_PERIODIC)
                a[k][k] += (p->ends[side] == STARFISH_NEUMANN ? 1 : -1) / (h * h);
            else
                a[k][next] += 1 / (h * h);
        }
    }
}

static void eliminate(const struct starfish_helmholtz1d_problem *p, double *x)
{
    double a[MOST_CELLS][MOST_CELLS];
    const size_t n = p->n[0];

    assemble(p, a);
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < n; j++)
                a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
}

/* ---- Arrangement ------------------------------------------------------------------------------------------------- */

struct data {
    union {
        double f64[MOST];
        float f32[MOST];
    } rhs, solution;
};

static void fill(struct data *data, starfish_precision precision)
{
    memset(data, 0, sizeof *data);
    for (size_t i = 0; i < MOST; i++)
        starfish_element_set(&data->rhs, precision, i, sin(1 + (double)(i * i)));
}

static double largest_error(const struct starfish_helmholtz1d_problem *p, const struct data *data,
                            starfish_precision precision)
{
    double error = 0, largest = 0;

    for (size_t line = 0; line < p->n[1]; line++) {
        double x[MOST_CELLS];
        for (size_t k = 0; k < p->n[0]; k++)
            x[k] = starfish_element(&data->rhs, precision, line * p->n[0] + k);
        eliminate(p, x);
        for (size_t k = 0; k < p->n[0]; k++) {
            const double u = starfish_element(&data->solution, precision, line * p->n[0] + k);
            error = fmax(error, fabs(u - x[k]));
            largest = fmax(largest, fabs(x[k]));
        }
    }
    return error / largest;
}

static struct starfish_helmholtz1d_problem problem_of(const size_t n[2], const starfish_end end[2])
{
    return (struct starfish_helmholtz1d_problem){
        .n = {n[0], n[1]}, .length = 1.5, .ends = {end[0], end[1]}, .lambda = -3};
}

static starfish_plan *make(const struct starfish_helmholtz1d_problem *problem,
                           const struct starfish_helmholtz1d_options *options)
{
    starfish_plan *plan;

    ASSERT_OK(starfish_helmholtz1d_plan_create(context, problem, options, &plan));
    return plan;
}

#define EACH(i, of)                                                                                                    \
    size_t i = 0;                                                                                                      \
    i < sizeof(of) / sizeof(of)[0];                                                                                    \
    i++

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static void solve_both_ways(const struct starfish_helmholtz1d_problem *problem, starfish_precision precision)
{
    for (int method = 0; method < STARFISH_HELMHOLTZ1D_METHODS; method++) {
        struct starfish_helmholtz1d_options options = STARFISH_HELMHOLTZ1D_OPTIONS_DEFAULTS;
        struct starfish_result result = STARFISH_RESULT_DEFAULTS;
        struct data data;
        options.method = (starfish_helmholtz1d_method)method;
        options.precision = precision;
        options.tolerance = precision == STARFISH_F32 ? 1e-5 : 1e-12;
        fill(&data, precision);
        starfish_plan *plan = make(problem, &options);
        ASSERT_OK(starfish_plan_solve(plan, NULL, &data.rhs, &data.solution, &result));
        assert_true(largest_error(problem, &data, precision) < (precision == STARFISH_F32 ? 1e-3 : 1e-10));
        assert_true(result.residual < (precision == STARFISH_F32 ? 1e-4 : 1e-11));
        assert_int_equal(result.iterations > 0, method == STARFISH_HELMHOLTZ1D_JACOBI);
        starfish_plan_destroy(plan);
    }
}

static void agrees_with_elimination(void **state)
{
    (void)state;
    for (EACH(s, sizes))
        for (EACH(e, ends)) {
            const struct starfish_helmholtz1d_problem problem = problem_of(sizes[s], ends[e]);
            solve_both_ways(&problem, STARFISH_F64);
            solve_both_ways(&problem, STARFISH_F32);
        }
}

static void refuses(void **state)
{
    const struct starfish_helmholtz1d_problem right = problem_of(sizes[2], ends[1]);
    struct starfish_helmholtz1d_problem wrong = right;
    starfish_plan *plan;

    (void)state;
    wrong.n[0] = 0;
    ASSERT_FAILS(starfish_helmholtz1d_plan_create(context, &wrong, NULL, &plan), STARFISH_ERROR_ARGUMENT, "problem.n");
    wrong = right;
    wrong.length = -1;
    ASSERT_FAILS(starfish_helmholtz1d_plan_create(context, &wrong, NULL, &plan), STARFISH_ERROR_ARGUMENT, "length");
    wrong = right;
    wrong.ends[1] = STARFISH_PERIODIC;
    ASSERT_FAILS(starfish_helmholtz1d_plan_create(context, &wrong, NULL, &plan), STARFISH_ERROR_ARGUMENT, "ends");
    wrong = problem_of(sizes[2], ends[3]);
    wrong.lambda = 0;
    ASSERT_FAILS(starfish_helmholtz1d_plan_create(context, &wrong, NULL, &plan), STARFISH_ERROR_SINGULAR, "lambda");
    plan = make(&right, NULL);
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, NULL, &plan, NULL), STARFISH_ERROR_ARGUMENT, "rhs");
    starfish_plan_destroy(plan);
}

struct watch {
    starfish_job *job;
    int steps, cancels_after;
};

static void look(void *data, const struct starfish_result *result)
{
    struct watch *watch = data;
    size_t done, most;

    watch->steps = result->iterations;
    if (watch->job) {
        ASSERT_OK(starfish_job_state(watch->job, &done, &most));
        assert_int_equal(done, result->iterations);
        assert_int_equal(most, 100);
    }
    while (result->iterations == watch->cancels_after && !__atomic_load_n(&watch->job, __ATOMIC_SEQ_CST)) {
    }
    if (result->iterations == watch->cancels_after)
        starfish_job_cancel(__atomic_load_n(&watch->job, __ATOMIC_SEQ_CST));
}

static void takes_fixed_steps_and_cancels(void **state)
{
    const struct starfish_helmholtz1d_problem problem = problem_of(sizes[2], ends[1]);
    struct starfish_helmholtz1d_options options = STARFISH_HELMHOLTZ1D_OPTIONS_DEFAULTS;
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    struct watch watch = {NULL, 0, 0};
    starfish_job *job;
    struct data data;

    (void)state;
    options.method = STARFISH_HELMHOLTZ1D_JACOBI;
    options.fixed = 1;
    options.max_iterations = 100;
    fill(&data, STARFISH_F64);
    starfish_plan *plan = make(&problem, &options);
    starfish_plan_tell(plan, look, &watch);
    ASSERT_OK(starfish_plan_solve(plan, NULL, &data.rhs, &data.solution, &result));
    assert_int_equal(result.iterations, 100);
    assert_int_equal(watch.steps, 100);
    watch.cancels_after = 3;
    ASSERT_OK(starfish_plan_submit(plan, NULL, &data.rhs, &data.solution, &job));
    __atomic_store_n(&watch.job, job, __ATOMIC_SEQ_CST);
    ASSERT_FAILS(starfish_job_finish(job, &result), STARFISH_ERROR_NUMERICAL, "cancelled after 3 iterations");
    assert_int_equal(result.outcome, STARFISH_CANCELLED);
    assert_int_equal(result.iterations, 3);
    starfish_plan_destroy(plan);
}

static void does_not_converge_in_few_steps(void **state)
{
    const struct starfish_helmholtz1d_problem problem = problem_of(sizes[2], ends[1]);
    struct starfish_helmholtz1d_options options = STARFISH_HELMHOLTZ1D_OPTIONS_DEFAULTS;
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    struct data data;

    (void)state;
    options.method = STARFISH_HELMHOLTZ1D_JACOBI;
    options.max_iterations = 2;
    fill(&data, STARFISH_F64);
    starfish_plan *plan = make(&problem, &options);
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, &data.rhs, &data.solution, &result), STARFISH_ERROR_NUMERICAL,
                 "not converged");
    assert_int_equal(result.outcome, STARFISH_NOT_CONVERGED);
    starfish_plan_destroy(plan);
}

/* Jobs of two plans, one of each method, at once. */
static void overlaps_and_tells_memory(void **state)
{
    const struct starfish_helmholtz1d_problem problem = problem_of(sizes[2], ends[2]);
    starfish_plan *plan[2];
    starfish_job *job[4];
    struct data data[4];

    (void)state;
    for (int m = 0; m < 2; m++) {
        struct starfish_helmholtz1d_options options = STARFISH_HELMHOLTZ1D_OPTIONS_DEFAULTS;
        struct starfish_memory memory;
        options.method = (starfish_helmholtz1d_method)m;
        plan[m] = make(&problem, &options);
        ASSERT_OK(starfish_plan_memory(plan[m], &memory));
        assert_true(memory.main_bytes > 0 || m == STARFISH_HELMHOLTZ1D_THOMAS);
    }
    for (int j = 0; j < 4; j++) {
        fill(&data[j], STARFISH_F64);
        ASSERT_OK(starfish_plan_submit(plan[j % 2], NULL, &data[j].rhs, &data[j].solution, &job[j]));
    }
    for (int j = 0; j < 4; j++) {
        ASSERT_OK(starfish_job_finish(job[j], NULL));
        assert_true(largest_error(&problem, &data[j], STARFISH_F64) < 1e-8);
    }
    for (int m = 0; m < 2; m++)
        starfish_plan_destroy(plan[m]);
}

/* The table of the second program has the problems of the first, and this one. */
static void is_a_problem_more(void **state)
{
    size_t problems = 0, toys = 0;
    const char *name;

    (void)state;
    for (; (name = starfish_problem_name(problems)); problems++) {
        struct starfish_problem_description problem;
        struct starfish_member_description member;
        size_t members = 0;
        ASSERT_OK(starfish_problem(name, &problem));
        while (starfish_problem_member(name, members, &member) == STARFISH_SUCCESS) {
            assert_true(member.offset + member.bytes <= problem.struct_size);
            members++;
        }
        assert_true(members > 0);
        toys += strcmp(name, "helmholtz1d") == 0;
    }
    assert_int_equal(toys, 1);
    assert_true(problems > 1);
}

static void is_made_by_its_name(void **state)
{
    const struct starfish_helmholtz1d_problem problem = problem_of(sizes[2], ends[1]);
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    struct starfish_problem_description description;
    struct starfish_member_description member;
    starfish_plan *plan;

    (void)state;
    ASSERT_OK(starfish_problem("helmholtz1d", &description));
    assert_int_equal(description.struct_size, sizeof problem);
    assert_int_equal(description.dimensions, 2);
    ASSERT_OK(starfish_problem_member("helmholtz1d", 2, &member));
    assert_int_equal(member.offset, offsetof(struct starfish_helmholtz1d_problem, ends));
    assert_string_equal(member.values[STARFISH_NEUMANN], "neumann");
    ASSERT_OK(starfish_problem_plan_create(context, "helmholtz1d", &problem, NULL, &plan));
    ASSERT_OK(starfish_plan_about(plan, &about));
    assert_string_equal(about.kind, "helmholtz1d");
    assert_int_equal(about.unknowns, MOST);
    starfish_plan_destroy(plan);
    ASSERT_FAILS(starfish_problem_plan_create(context, "helmholtz9d", &problem, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                 "name is helmholtz9d");
    ASSERT_FAILS(starfish_problem_plan_create(context, "helmholtz1d", NULL, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                 "problem is NULL");
    ASSERT_FAILS(starfish_problem("helmholtz1d", NULL), STARFISH_ERROR_ARGUMENT, "description is NULL");
    ASSERT_FAILS(starfish_problem_member("helmholtz1d", 4, &member), STARFISH_ERROR_ARGUMENT, "has 4 members");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_elimination),       cmocka_unit_test(refuses),
        cmocka_unit_test(takes_fixed_steps_and_cancels), cmocka_unit_test(does_not_converge_in_few_steps),
        cmocka_unit_test(overlaps_and_tells_memory),     cmocka_unit_test(is_a_problem_more),
        cmocka_unit_test(is_made_by_its_name),
    };

    return TEST_GROUP("helmholtz1d", tests, &context, 0, -1, 1);
}
