/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mesh whose elements at two walls are a million times as long as high, and multigrid that does not mind: -Laplace(u)
 * = f on the unit square by bilinear elements, in mixed precision, against the solution that f was made from. */
#include <starfish/starfish.h>
#include <stdio.h>

enum { LEVEL = 8, ELEMENTS = 1 << LEVEL, UNKNOWNS = ELEMENTS - 1 };
static double width_x[ELEMENTS], width_y[ELEMENTS], load[UNKNOWNS][UNKNOWNS], solution[UNKNOWNS][UNKNOWNS];

/* u = x (1 - x) y (1 - y), from the distances to the walls */
static double exact(void *data, const struct starfish_q1_point *p)
{
    (void)data;
    return p->low[0] * p->high[0] * p->low[1] * p->high[1];
}

static double source(void *data, const struct starfish_q1_point *p)
{
    (void)data;
    return 2 * p->low[0] * p->high[0] + 2 * p->low[1] * p->high[1];
}

int main(void)
{
    const struct starfish_q1_refinement refinement = {.length = {1, 1}, .nu = 0.25, .level = LEVEL};
    const struct starfish_q1_problem problem = {
        .elements = {ELEMENTS, ELEMENTS},
        .width = {width_x, width_y},
        .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}}};
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_context *context = NULL;
    starfish_plan *plan = NULL;
    double error = 1;
    options.mixed = 1; /* cycles in f32, residuals in f64 */
    int failed = starfish_q1_refine(&refinement, width_x, width_y) ||
                 starfish_q1_load(&problem, source, NULL, &load[0][0]) || starfish_context_create(&context, NULL) ||
                 starfish_q1_plan_create(context, &problem, &options, &plan) ||
                 starfish_plan_solve(plan, NULL, load, solution, &info) ||
                 starfish_q1_error(&problem, exact, NULL, &solution[0][0], &error);
    if (failed)
        fprintf(stderr, "%s\n", starfish_error_message());
    else
        printf("%d cycles, residual %.0e, error %.3e\n", info.iterations, info.residual, error);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    return failed || error > 1e-4;
}
