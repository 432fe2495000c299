/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays as codes have them: fields with a layer of ghosts around them, solved where they lie. The solver fills the
 * ghosts of the solution, so that a stencil may run over all cells; here it gives the right-hand side back. */
#include <starfish/starfish.h>

#include <math.h>
#include <stdio.h>

enum { NX = 48, NY = 32, NZ = 40 };
/* Cell (i,j,k) counts from 1; 0 and N+1 are ghosts. */
typedef double field[NZ + 2][NY + 2][NX + 2];

static double laplacian(field u, int i, int j, int k, const double h[3])
{
    const double here = u[k][j][i];
    return (u[k][j][i - 1] - 2 * here + u[k][j][i + 1]) / (h[0] * h[0]) +
           (u[k][j - 1][i] - 2 * here + u[k][j + 1][i]) / (h[1] * h[1]) +
           (u[k - 1][j][i] - 2 * here + u[k + 1][j][i]) / (h[2] * h[2]);
}

static double largest_residual(field u, field f, const double h[3])
{
    double most = 0;
    for (int k = 1; k <= NZ; k++)
        for (int j = 1; j <= NY; j++)
            for (int i = 1; i <= NX; i++)
                most = fmax(most, fabs(laplacian(u, i, j, k, h) - f[k][j][i]));
    return most;
}

int main(void)
{
    static field u, f;
    const struct starfish_axis periodic = {STARFISH_UNIFORM, .n = NX, .length = 3};
    const struct starfish_axis walls = {STARFISH_UNIFORM, .n = NY, .length = 2,
                                        .ends = {STARFISH_NEUMANN, STARFISH_NEUMANN}, .grid = STARFISH_CELL};
    const struct starfish_axis plates = {STARFISH_UNIFORM, .n = NZ, .length = 1,
                                         .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .grid = STARFISH_CELL};
    const struct starfish_poisson_problem problem = {.axis = {periodic, walls, plates}, .lambda = 0};
    const struct starfish_boundary boundary = {.constant = {[2] = {20, 80}}}; /* the plates' */
    const struct starfish_array_layout halo = {
        .offset = (NX + 2) * (NY + 2) + (NX + 2) + 1, .row = NX + 2, .plane = (NX + 2) * (NY + 2)};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_context *context = NULL;
    starfish_plan *plan = NULL;
    options.rhs_layout = options.solution_layout = halo;
    options.ghosts = 1;
    for (int k = 1; k <= NZ; k++)
        for (int j = 1; j <= NY; j++)
            for (int i = 1; i <= NX; i++)
                f[k][j][i] = sin(0.1 * i * j) + cos(0.2 * k);
    const int failed = starfish_context_create(&context, NULL) ||
                       starfish_poisson_plan_create(context, &problem, &options, &plan) ||
                       starfish_plan_solve(plan, &boundary, f, u, NULL);
    if (failed)
        fprintf(stderr, "%s\n", starfish_error_message());
    else
        printf("stencil over all cells, ghosts included: off by %.1e\n",
               largest_residual(u, f, (const double[]){3.0 / NX, 2.0 / NY, 1.0 / NZ}));
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    return failed;
}
