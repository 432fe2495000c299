/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Heat in a thousand rods at once: every time step solves a batch of tridiagonal systems, one per rod, each with its
 * own conductivity. The rods lie side by side in memory: cell k of rod r at temperature[k][r]. */
#include <math.h>
#include <starfish/starfish.h>
#include <stdio.h>

enum { CELLS = 99, RODS = 1000, STEPS = 50 };
static double lower[CELLS][RODS], diag[CELLS][RODS], upper[CELLS][RODS], temperature[CELLS][RODS];

/* (1 - step conductivity d2/dx2) u_new = u_old, cooled at both ends; u begins as a half wave. */
static double fill(double step)
{
    const double pi = acos(-1.0), h = 1.0 / (CELLS + 1);
    for (int k = 0; k < CELLS; k++)
        for (int r = 0; r < RODS; r++) {
            const double conductivity = 1 + 0.001 * r;
            lower[k][r] = upper[k][r] = -step * conductivity / (h * h);
            diag[k][r] = 1 + 2 * step * conductivity / (h * h);
            temperature[k][r] = sin(pi * (k + 1) * h);
        }
    return 4 / (h * h) * pow(sin(pi * h / 2), 2); /* eigenvalue of the half wave */
}

int main(void)
{
    const double step = 0.001, eigenvalue = fill(step);
    const struct starfish_tridiag_problem problem = {.n = CELLS,
                                                     .lines = RODS,
                                                     .rhs = 1,
                                                     .lower = lower,
                                                     .diag = diag,
                                                     .upper = upper,
                                                     .coefficients = {RODS, 1},
                                                     .vectors = {RODS, 1}};
    starfish_context *context = NULL;
    starfish_plan *plan = NULL;
    int failed =
        starfish_context_create(&context, NULL) || starfish_tridiag_plan_create(context, &problem, NULL, &plan);
    for (int i = 0; i < STEPS && !failed; i++)
        failed = starfish_plan_solve(plan, NULL, temperature, temperature, NULL);
    if (failed)
        fprintf(stderr, "%s\n", starfish_error_message());
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    const double last = temperature[CELLS / 2][RODS - 1], conductivity = 1 + 0.001 * (RODS - 1);
    const double expected = pow(1 + step * conductivity * eigenvalue, -STEPS);
    printf("the middle of the last rod: %.6f, expected %.6f\n", last, expected);
    return failed || fabs(last - expected) > 1e-9;
}
