/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of block cyclic reduction in a context of cores alone. Those that ask who shares the work (blktri/share.h) time
 * the cores, for every form, and no GPU takes part; choices by times are in tests/blktri/share.c. Those that reduce
 * subtrees one after the other give what the whole tree does. */
#include "blktri/plan.h"
#include "poisson/plan.h"
#include "scheduler/runtime/field.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"
#include "tridiag/kernels/constant_line.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <starfish/starfish.h>

static starfish_context *context;
static struct starfish_blktri_plan blktri; /* large */

static starfish_plan *plan_of(size_t nx, starfish_end end_of_y, size_t nz, starfish_end end_of_z)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    const size_t n[] = {nx, 31, nz};
    const starfish_end ends[3][2] = {
        {STARFISH_PERIODIC, STARFISH_PERIODIC}, {end_of_y, STARFISH_NEUMANN}, {end_of_z, end_of_z}};
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
            starfish_plan *plan =
                plan_of(modes[i], singular ? STARFISH_NEUMANN : STARFISH_DIRICHLET, 46, STARFISH_NEUMANN);
            const struct starfish_poisson_plan *made = (struct starfish_poisson_plan *)plan;
            assert_int_equal(made->singular, singular);
            try_form(made, STARFISH_BLKTRI_FRACTIONS);
            try_form(made, STARFISH_BLKTRI_PRODUCT);
            starfish_plan_destroy(plan);
        }
}

/* ---- Subtrees ---------------------------------------------------------------------------------------------------- */

/* The solution of a random right-hand side by slabs of the plan; whether subtrees were found. */
static int solve(const struct starfish_poisson_plan *plan, const struct starfish_blktri_options *options, size_t slabs,
                 double *solution)
{
    const struct starfish_blktri_problem problem = {
        .direction = plan->direction, .singular = plan->singular, .precision = STARFISH_F64};
    const size_t count = plan->n[0] * plan->n[1] * plan->n[2];
    struct starfish_blktri_options own = *options;
    struct starfish_field *field[2];
    struct starfish_coefficient_table removed = {0};
    struct starfish_progress progress;
    unsigned seed = 7;
    ASSERT_OK(starfish_blktri_choose_cut(context->workers_of, plan->n, 0, slabs, 2, &own.cut, &own.modes));
    ASSERT_OK(starfish_blktri_plan_create(&blktri, context, &problem, &own));
    void *rhs = test_reals(STARFISH_F64, count, &seed);
    const struct starfish_runs *cut = &blktri.spectral.cut;
    ASSERT_OK(starfish_field_over(context, STARFISH_F64, plan->n, cut, "f", rhs, &field[0]));
    ASSERT_OK(starfish_field_over(context, STARFISH_F64, plan->n, cut, "u", solution, &field[1]));
    ASSERT_OK(starfish_coefficient_table_results(&removed, STARFISH_CONSTANT_REMOVED));
    const struct starfish_vector vector = {.piece = field[1]->handle};
    const struct starfish_direct_data data = {.rhs = field[0]->handle, .solution = &vector, .removed = removed.handle};
    starfish_progress_init(&progress, context);
    for (int time = 0; time < 2; time++)
        ASSERT_OK(starfish_graph_blktri(&blktri.spectral, &progress, &data));
    ASSERT_OK(starfish_progress_wait(&progress));
    const int by_subtrees = blktri.spectral.trunk > 0;
    starfish_progress_destroy(&progress);
    starfish_coefficient_table_destroy(&removed);
    starfish_field_destroy(field[0]);
    starfish_field_destroy(field[1]);
    starfish_blktri_plan_destroy(&blktri);
    starfish_runs_free(&own.cut);
    starfish_runs_free(&own.modes);
    free(rhs);
    return by_subtrees;
}

static void compare(size_t nz, starfish_end end_of_z, struct starfish_blktri_options options, size_t slabs)
{
    starfish_plan *plan = plan_of(6, STARFISH_DIRICHLET, nz, end_of_z);
    const struct starfish_poisson_plan *made = (struct starfish_poisson_plan *)plan;
    const size_t count = made->n[0] * made->n[1] * made->n[2];
    double *whole = malloc(count * sizeof *whole), *parts = malloc(count * sizeof *parts), largest = 0;
    assert_false(solve(made, &options, slabs, whole));
    options.subtrees = 1;
    assert_true(solve(made, &options, slabs, parts));
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(whole[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(whole[i] - parts[i]) <= 1e-12 * largest))
            fail_msg("nz %zu, form %d, radix %d, %zu slabs: %.17g, not %.17g", nz, (int)options.form, options.radix,
                     slabs, parts[i], whole[i]);
    free(whole);
    free(parts);
    starfish_plan_destroy(plan);
}

static void subtrees_solve_as_the_whole(void **state)
{
    (void)state;
    static const size_t sizes[] = {31, 46, 64, 77};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int form = 0; form < 2; form++)
            for (int radix = 2; radix <= 4; radix += 2) {
                const struct starfish_blktri_options options = {
                    .form = (enum starfish_blktri_form)form, .radix = radix, .split = -1};
                compare(sizes[i], STARFISH_DIRICHLET, options, 4);
                compare(sizes[i], STARFISH_NEUMANN, options, 8);
            }
}

/* The first rows of a ring act on its last one, few rows have no subtrees, and the mean of a singular problem is of all
 * rows. */
static void some_problems_are_one_tree(void **state)
{
    (void)state;
    const struct starfish_blktri_options options = {.radix = 4, .split = -1, .subtrees = 1};
    static double solution[6 * 31 * 46];
    starfish_plan *ring = plan_of(6, STARFISH_DIRICHLET, 46, STARFISH_PERIODIC),
                  *few = plan_of(6, STARFISH_DIRICHLET, 3, STARFISH_DIRICHLET),
                  *singular = plan_of(6, STARFISH_NEUMANN, 46, STARFISH_NEUMANN);
    assert_false(solve((struct starfish_poisson_plan *)ring, &options, 4, solution));
    assert_false(solve((struct starfish_poisson_plan *)few, &options, 3, solution));
    starfish_plan_destroy(ring);
    assert_false(solve((struct starfish_poisson_plan *)singular, &options, 4, solution));
    starfish_plan_destroy(few);
    starfish_plan_destroy(singular);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cores_alone_solve_all),
                                       cmocka_unit_test(subtrees_solve_as_the_whole),
                                       cmocka_unit_test(some_problems_are_one_tree)};
    return TEST_GROUP("shared_blktri", tests, &context, 0, -1, 0);
}
