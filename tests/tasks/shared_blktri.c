/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of block cyclic reduction that ask who shares the work (blktri/share.h), in a context of cores alone: the trial
 * times these, for every form, and no GPU takes part. Choices by times are in tests/blktri/share.c. */
#include "blktri/plan.h"
#include "poisson/plan.h"
#include "tests/common/check.h"
#include "tests/common/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <starfish/starfish.h>

static starfish_context *context;
static struct starfish_blktri_plan blktri; /* large */

static starfish_plan *plan_of(size_t nx, starfish_end end_of_y)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    const size_t n[] = {nx, 31, 46};
    const starfish_end ends[3][2] = {
        {STARFISH_PERIODIC, STARFISH_PERIODIC}, {end_of_y, STARFISH_NEUMANN}, {STARFISH_NEUMANN, STARFISH_NEUMANN}};
    struct starfish_poisson_problem problem = {.lambda = 0};
    starfish_plan *plan;
    options.method = STARFISH_METHOD_BLKTRI;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = n[axis], .length = 1, .ends = {ends[axis][0], ends[axis][1]}};
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    return plan;
}

static void try_form(const struct starfish_poisson_plan *plan, enum starfish_blktri_form form)
{
    const struct starfish_blktri_problem problem = {
        .direction = plan->direction, .singular = plan->singular, .precision = STARFISH_F64};
    struct starfish_blktri_options options = {.form = form, .radix = 4, .split = -1, .share = 1};
    ASSERT_OK(starfish_blktri_choose_cut(context->workers_of, plan->n, 0, 0, 0, &options.cut, &options.modes));
    ASSERT_OK(starfish_blktri_plan_create(&blktri, context, &problem, &options));
    assert_int_equal(blktri.where, STARFISH_ON_CORES);
    assert_int_equal(starfish_runs_end(&blktri.spectral.modes), plan->n[0]);
    assert_int_equal(blktri.spectral.split, -1);
    starfish_blktri_plan_destroy(&blktri);
    starfish_runs_free(&options.cut);
    starfish_runs_free(&options.modes);
}

/* One mode, fewer than there are workers, and many; singular problems and others. */
static void cores_alone_solve_all(void **state)
{
    (void)state;
    static const size_t modes[] = {1, 2, 5, 96};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        for (int singular = 0; singular < 2; singular++) {
            starfish_plan *plan = plan_of(modes[i], singular ? STARFISH_NEUMANN : STARFISH_DIRICHLET);
            const struct starfish_poisson_plan *made = (struct starfish_poisson_plan *)plan;
            assert_int_equal(made->singular, singular);
            try_form(made, STARFISH_BLKTRI_FRACTIONS);
            try_form(made, STARFISH_BLKTRI_PRODUCT);
            starfish_plan_destroy(plan);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cores_alone_solve_all)};
    return TEST_GROUP("shared_blktri", tests, &context, 0, -1, 0);
}
