/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A first program: the potential of a point charge in an earthed box, with every worker the machine has. */
#include <starfish/starfish.h>
#include <stdio.h>

enum { N = 63 };
static double rhs[N][N][N], solution[N][N][N];

int main(void)
{
    struct starfish_axis axis = {STARFISH_UNIFORM, .n = N, .length = 1,
                                 .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    struct starfish_poisson_problem problem = {.axis = {axis, axis, axis}, .lambda = 0};
    starfish_context *context = NULL;
    starfish_plan *plan = NULL;
    rhs[N / 2][N / 2][N / 2] = -64.0 * 64.0 * 64.0;
    int failed = starfish_context_create(&context, NULL) ||
                 starfish_poisson_plan_create(context, &problem, NULL, &plan) ||
                 starfish_plan_solve(plan, NULL, rhs, solution, NULL);
    if (failed)
        fprintf(stderr, "%s\n", starfish_error_message());
    else
        printf("potential a quarter of the box away: %.4f\n", solution[N / 2][N / 2][N / 4]);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    return failed;
}
