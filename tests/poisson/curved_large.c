/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shell so large that cores and GPUs share the modes of blktri, where there are both: its solution is that of slab,
 * which has another basis for the radius. */
#include "tests/common/check.h"
#include "tests/common/reals.h"
#include "tests/poisson/curved.h"

#include <starfish/poisson.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

void test_curved_large(starfish_context *context)
{
    enum { COUNT = 16 * 90 * 100 };
    static const starfish_method methods[] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI};
    static const size_t n[3] = {16, 90, 100};
    struct starfish_problem problem = {.size = sizeof problem, .kind = STARFISH_SHELL3D, .lambda = -0.5};
    double *u[2], largest = 0, difference = 0;
    unsigned seed = 23;
    for (int d = 0; d < 3; d++)
        problem.axis[d] = (struct starfish_axis){.n = n[d],
                                                 .origin = 0.5,
                                                 .length = 1.5,
                                                 .ends = {STARFISH_NEUMANN, STARFISH_DIRICHLET},
                                                 .grid = STARFISH_CELL};
    double *f = test_reals(STARFISH_F64, COUNT, &seed);
    for (int m = 0; m < 2; m++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_plan *plan;
        options.method = methods[m];
        u[m] = calloc(COUNT, sizeof *u[m]);
        ASSERT_OK(starfish_plan_create(context, &problem, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, u[m], NULL));
        starfish_plan_destroy(plan);
    }
    for (size_t e = 0; e < COUNT; e++) {
        largest = fmax(largest, fabs(u[0][e]));
        difference = fmax(difference, fabs(u[1][e] - u[0][e]));
    }
    assert_true(largest > 0 && difference <= 1e-12 * largest);
    free(f), free(u[0]), free(u[1]);
}
