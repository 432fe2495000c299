/* Graphs of the slab method with cuts of which no public option tells: slabs of very different thickness, as cores and
 * a GPU that share a field have. */
#include "poisson/slab.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"
#include "tests/scheduler/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>
#include <starfish/starfish.h>

enum { NX = 96, NY = 80, NZ = 67, COUNT = NX * NY * NZ };

static const struct starfish_cut cuts[] = {
    {.slabs = 2, .first_plane = {0, 2, NZ}},
    {.slabs = 3, .first_plane = {0, 60, 66, NZ}},
    {.slabs = 5, .first_plane = {0, 1, 2, 5, 64, NZ}},
};
enum { CUTS = sizeof cuts / sizeof cuts[0] };

static starfish_poisson_plan *plan_of(starfish_end ends)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = -1};
    static const size_t n[] = {NX, NY, NZ};
    starfish_poisson_plan *plan;
    options.method = STARFISH_METHOD_SLAB;
    options.slabs = 1;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] =
            (struct starfish_axis){.kind = STARFISH_UNIFORM, .n = n[axis], .length = 1, .ends = {ends, ends}};
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    return plan;
}

static void solve_cut(starfish_poisson_plan *plan, const struct starfish_cut *cut, double *rhs, double *solution)
{
    static struct starfish_slab_graph graph; /* large */
    struct starfish_progress progress;
    struct starfish_field *field[2];
    starfish_progress_init(&progress, context);
    ASSERT_OK(starfish_slab_graph_create(&graph, &starfish_slab_state(plan)->space, &plan->direction[2], cut, 2, 0,
                                         &progress));
    ASSERT_OK(starfish_field_over(context, STARFISH_F64, plan->n, cut, "rhs", rhs, &field[0]));
    ASSERT_OK(starfish_field_over(context, STARFISH_F64, plan->n, cut, "solution", solution, &field[1]));
    struct starfish_slabs slabs = {.slab = {NULL}};
    memcpy(slabs.slab, field[1]->handle, sizeof slabs.slab);
    ASSERT_OK(starfish_graph_slab(&graph, &progress, field[0]->handle, &slabs, NULL));
    ASSERT_OK(starfish_progress_wait(&progress));
    starfish_progress_destroy(&progress);
    starfish_field_destroy(field[0]);
    starfish_field_destroy(field[1]);
    starfish_slab_graph_destroy(&graph);
}

static void thick_and_thin_slabs_agree(void **state)
{
    (void)state;
    unsigned seed = 11;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *expected = malloc(COUNT * sizeof *expected);
    double *got = malloc(COUNT * sizeof *got);
    for (starfish_end ends = STARFISH_PERIODIC; ends <= STARFISH_NEUMANN; ends++) {
        starfish_poisson_plan *plan = plan_of(ends);
        double largest = 0;
        ASSERT_OK(starfish_poisson_solve(plan, NULL, rhs, expected, NULL));
        for (size_t i = 0; i < COUNT; i++)
            largest = fmax(largest, fabs(expected[i]));
        for (size_t c = 0; c < CUTS; c++) {
            memset(got, 0xff, COUNT * sizeof *got);
            solve_cut(plan, &cuts[c], rhs, got);
            for (size_t i = 0; i < COUNT; i++)
                if (!(fabs(got[i] - expected[i]) <= 1e-12 * largest))
                    fail_msg("ends %d, cut %zu, element %zu: %g, not %g", (int)ends, c, i, got[i], expected[i]);
        }
        starfish_poisson_plan_destroy(plan);
    }
    free(rhs), free(expected), free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(thick_and_thin_slabs_agree)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
