/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the direct solvers share: f = A u by the oracle, solve, compare with u. */
#include "tests/poisson/direct_cases.h"
#include "tests/common/about.h"

#include "tests/common/check.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

const char *const direct_axes[DIRECT_AXES] = {"periodic", "dd node", "dn node", "nd node", "nn node",
                                              "dd cell",  "dn cell", "nd cell", "nn cell"};
const starfish_method direct_methods[DIRECT_METHODS] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI,
                                                        STARFISH_METHOD_BLKTRI_PRODUCT};
starfish_context *direct_context;
int direct_workers[2];

/* Solve in the precision of the options; rhs and result in double. */
void direct_solve(starfish_plan *plan, const struct starfish_boundary *boundary, starfish_precision precision,
                  const double *rhs, double *result, size_t count, struct starfish_result *info)
{
    if (precision == STARFISH_F64) {
        ASSERT_OK(starfish_plan_solve(plan, boundary, rhs, result, info));
        return;
    }
    float *f = malloc(count * sizeof *f), *u = malloc(count * sizeof *u);
    for (size_t i = 0; i < count; i++)
        f[i] = (float)rhs[i];
    ASSERT_OK(starfish_plan_solve(plan, boundary, f, u, info));
    for (size_t i = 0; i < count; i++)
        result[i] = (double)u[i];
    free(f);
    free(u);
}

void direct_random_boundary(const struct starfish_poisson_problem *p, struct starfish_boundary *boundary,
                            unsigned *seed)
{
    memset(boundary, 0, sizeof *boundary);
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            if ((axis + end) % 2)
                boundary->constant[axis][end] = test_real_random(seed);
            else
                boundary->array[axis][end] = test_reals(STARFISH_F64, test_unknowns(p) / p->axis[axis].n, seed);
}

void direct_free_boundary(struct starfish_boundary *boundary)
{
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            free((void *)boundary->array[axis][end]);
}

/* Random u and boundary data -> f -> solve -> u? The bound is on the error relative to max|u| = 1. */
void direct_check_recovers(const char *what, struct starfish_poisson_problem *p,
                           const struct starfish_poisson_options *options, int with_boundary, double bound)
{
    unsigned seed = 7;
    const size_t count = test_unknowns(p);
    double *u = test_reals(STARFISH_F64, count, &seed), *f = malloc(count * sizeof *f), *v = malloc(count * sizeof *v);
    struct starfish_boundary boundary = {0};
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    if (with_boundary && options->precision == STARFISH_F64)
        direct_random_boundary(p, &boundary, &seed);
    test_apply(p, &boundary, u, f);
    if (starfish_poisson_plan_create(direct_context, p, options, &plan) != STARFISH_SUCCESS)
        fail_msg("%s: %s", what, starfish_error_message());
    memset(v, 0xff, count * sizeof *v);
    direct_solve(plan, &boundary, options->precision, f, v, count, &info);
    const double error = test_difference(STARFISH_F64, u, v, count);
    if (!(error <= bound))
        fail_msg("%s, method %s: error %g exceeds %g", what, test_about(plan).method, error, bound);
    if (options->check_residual)
        assert_true(info.residual_max < (options->precision == STARFISH_F64 ? 1e-11 : 1e-3));
    starfish_plan_destroy(plan);
    direct_free_boundary(&boundary);
    free(u);
    free(f);
    free(v);
}
