/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pressure step of a rising bubble: a light disc, a thousandth as dense as what is around it, in a closed box. In
 * every time step gravity acts on velocities at faces; then div(1/rho grad p) = div u / dt, where no flow goes through
 * the walls, makes them free of divergence, and the bubble moves with the flow inside of it. The densities move, so
 * every step has a plan of its own; bubble and surroundings are the regions that deflation takes out. */
#include <starfish/starfish.h>
#include <stdio.h>

enum { N = 64, STEPS = 20, CELLS = N * N };
static const double RADIUS = 0.15, LIGHT = 1e-3, GRAVITY = -1, DT = 0.02;

static double k[CELLS], rhs[CELLS], p[CELLS];
static long long regions[CELLS];
static double u[N][N + 1], v[N + 1][N]; /* velocities through faces in x and y, 0 at the walls */

/* 1/rho of every cell; the centre is at (0.5, y). */
static void place_bubble(double y)
{
    for (int e = 0; e < CELLS; e++) {
        const int i = e % N, j = e / N;
        const double a = (i + 0.5) / N - 0.5, b = (j + 0.5) / N - y;
        regions[e] = a * a + b * b < RADIUS * RADIUS;
        k[e] = regions[e] ? 1 / LIGHT : 1;
    }
}

/* 1/rho of the face between two cells, as the library has it. */
static double at_face(int a, int b)
{
    return 2 / (1 / k[a] + 1 / k[b]);
}

static void find_divergence(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            rhs[i + N * j] = (u[j][i + 1] - u[j][i] + v[j + 1][i] - v[j][i]) * N / DT;
}

static void correct(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 1; i < N; i++) {
            const int e = i + N * j, f = j + N * i; /* the cells right of, and above, a face */
            u[j][i] -= DT * at_face(e - 1, e) * (p[e] - p[e - 1]) * N;
            v[i][j] -= DT * at_face(f - N, f) * (p[f] - p[f - N]) * N;
        }
}

static double speed_of_bubble(void)
{
    double sum = 0;
    int cells = 0;

    for (int e = 0; e < CELLS; e++)
        if (regions[e]) {
            sum += 0.5 * (v[e / N][e % N] + v[e / N + 1][e % N]);
            cells++;
        }
    return cells > 0 ? sum / cells : 0;
}

static int solve(starfish_context *context, struct starfish_result *result)
{
    const struct starfish_diffusion_problem problem = {
        .dimensions = 2,
        .n = {N, N},
        .length = {1, 1},
        .ends = {{STARFISH_NEUMANN, STARFISH_NEUMANN}, {STARFISH_NEUMANN, STARFISH_NEUMANN}},
        .coefficient = k,
        .regions = regions};
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    starfish_plan *plan = NULL;

    options.method = STARFISH_DIFFUSION_CG;
    options.deflation = STARFISH_DEFLATION_REGIONS;
    options.tolerance = 1e-8;
    const int failed = starfish_diffusion_plan_create(context, &problem, &options, &plan) ||
                       starfish_plan_solve(plan, NULL, rhs, p, result);
    starfish_plan_destroy(plan);
    return failed;
}

int main(void)
{
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    starfish_context *context = NULL;
    double y = 0.25;
    int failed = starfish_context_create(&context, NULL) != STARFISH_SUCCESS;

    for (int step = 0; step < STEPS && !failed; step++) {
        place_bubble(y);
        for (int j = 1; j < N; j++)
            for (int i = 0; i < N; i++)
                v[j][i] += DT * GRAVITY;
        find_divergence();
        failed = solve(context, &result);
        correct();
        y += DT * speed_of_bubble();
    }
    if (failed)
        fprintf(stderr, "%s\n", starfish_error_message());
    else
        printf("the bubble rose from 0.25 to %.3f; the last step took %d iterations, residual %.1e\n", y,
               result.iterations, result.residual);
    starfish_context_destroy(context);
    return failed;
}
