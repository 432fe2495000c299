/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A channel flow in 150 lines: incompressible flow between two walls, driven by a constant force, by the projection
 * method on a staggered grid. docs/tutorial.md tells it step by step; channel.f90 and channel.py are the same flow. */
#include <math.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cells along the flow (x), across it (y) and from wall to wall (z), in a box of 4 x 2 x 2. Velocity d of a cell is at
 * its low face in direction d. Every array has a layer of ghosts: cell (i,j,k) counts from 1. */
enum { NX = 32, NY = 16, NZ = 24, ROW = NX + 2, PLANE = ROW * (NY + 2), ALL = PLANE * (NZ + 2) };
static const double h[3] = {4.0 / NX, 2.0 / NY, 2.0 / NZ}, dt = 4e-3, viscosity = 0.02, force = 0.04;
static const int step[3] = {1, ROW, PLANE}; /* to the next cell in each direction */
static double velocity[3][ALL], next[3][ALL], pressure[ALL], divergence[NX * NY * NZ];

static int at(int i, int j, int k)
{
    return i + ROW * j + PLANE * k;
}

/* Ghosts: periodic in x and y; at the walls u and v change their sign, and w is zero on them. */
static void fill_ghosts(int d, double *v)
{
    for (int k = 1; k <= NZ; k++)
        for (int j = 1; j <= NY; j++) {
            v[at(0, j, k)] = v[at(NX, j, k)];
            v[at(NX + 1, j, k)] = v[at(1, j, k)];
        }
    for (int k = 1; k <= NZ; k++) {
        memcpy(v + at(0, 0, k), v + at(0, NY, k), ROW * sizeof *v);
        memcpy(v + at(0, NY + 1, k), v + at(0, 1, k), ROW * sizeof *v);
    }
    for (int c = 0; c < PLANE; c++) {
        v[at(0, 0, 0) + c] = d == 2 ? 0 : -v[at(0, 0, 1) + c];
        v[at(0, 0, NZ + 1) + c] = d == 2 ? 0 : -v[at(0, 0, NZ) + c];
        if (d == 2)
            v[at(0, 0, 1) + c] = 0;
    }
}

/* What velocity d carries of velocity c from cell p to the next one in direction d. */
static double flux(int c, int d, int p)
{
    const double carrier = velocity[d][p + step[d]] + velocity[d][p + step[d] - step[c]];
    return 0.25 * carrier * (velocity[c][p] + velocity[c][p + step[d]]);
}

static double acceleration(int c, int p)
{
    double sum = c == 0 ? force : 0;
    for (int d = 0; d < 3; d++) {
        const double *v = velocity[c];
        sum -= (flux(c, d, p) - flux(c, d, p - step[d])) / h[d];
        sum += viscosity * (v[p + step[d]] - 2 * v[p] + v[p - step[d]]) / (h[d] * h[d]);
    }
    return sum;
}

static void advance(void)
{
    for (int c = 0; c < 3; c++)
        for (int k = 1; k <= NZ; k++)
            for (int j = 1; j <= NY; j++)
                for (int i = 1; i <= NX; i++)
                    next[c][at(i, j, k)] = velocity[c][at(i, j, k)] + dt * acceleration(c, at(i, j, k));
    memcpy(velocity, next, sizeof velocity);
    for (int c = 0; c < 3; c++)
        fill_ghosts(c, velocity[c]);
}

/* divergence = div velocity / dt, the right-hand side of the pressure; returns the largest |div velocity|. */
static double diverge(void)
{
    double largest = 0;
    for (int k = 1; k <= NZ; k++)
        for (int j = 1; j <= NY; j++)
            for (int i = 1; i <= NX; i++) {
                double sum = 0;
                for (int d = 0; d < 3; d++)
                    sum += (velocity[d][at(i, j, k) + step[d]] - velocity[d][at(i, j, k)]) / h[d];
                divergence[i - 1 + NX * (j - 1 + NY * (k - 1))] = sum / dt;
                largest = fmax(largest, fabs(sum));
            }
    return largest;
}

static void project(void)
{
    for (int d = 0; d < 3; d++) {
        for (int p = at(1, 1, 1); p <= at(NX, NY, NZ); p++)
            velocity[d][p] -= dt * (pressure[p] - pressure[p - step[d]]) / h[d];
        fill_ghosts(d, velocity[d]);
    }
}

static starfish_status plan_pressure(starfish_context *context, starfish_plan **plan)
{
    const struct starfish_poisson_problem problem = {
        .axis = {{STARFISH_UNIFORM, .n = NX, .length = 4, .grid = STARFISH_CELL},
                 {STARFISH_UNIFORM, .n = NY, .length = 2, .grid = STARFISH_CELL},
                 {STARFISH_UNIFORM, .n = NZ, .length = 2, .grid = STARFISH_CELL,
                  .ends = {STARFISH_NEUMANN, STARFISH_NEUMANN}}}};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.solution_layout = (struct starfish_array_layout){.offset = PLANE + ROW + 1, .row = ROW, .plane = PLANE};
    options.ghosts = 1; /* the solver fills those of the pressure */
    return starfish_poisson_plan_create(context, &problem, &options, plan);
}

static double energy(void)
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        for (int k = 1; k <= NZ; k++)
            for (int j = 1; j <= NY; j++)
                for (int i = 1; i <= NX; i++)
                    sum += 0.5 * velocity[c][at(i, j, k)] * velocity[c][at(i, j, k)];
    return sum / (NX * NY * NZ);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 200;
    const double pi = acos(-1);
    starfish_context *context = NULL;
    starfish_plan *plan = NULL;
    for (int k = 1; k <= NZ; k++)
        for (int j = 1; j <= NY; j++)
            for (int i = 1; i <= NX; i++) { /* the parabola of the steady flow, stirred */
                const double x = (i - 0.5) * h[0], y = (j - 0.5) * h[1], z = (k - 0.5) * h[2];
                velocity[0][at(i, j, k)] = force / (2 * viscosity) * z * (2 - z) + 0.1 * sin(pi * y) * sin(pi * z);
                velocity[1][at(i, j, k)] = 0.1 * sin(pi * x / 2) * sin(pi * z);
            }
    for (int c = 0; c < 3; c++)
        fill_ghosts(c, velocity[c]);
    int failed = starfish_context_create(&context, NULL) || plan_pressure(context, &plan);
    for (int s = 1; s <= steps && !failed; s++) {
        advance();
        diverge();
        failed = starfish_plan_solve(plan, NULL, divergence, pressure, NULL);
        project();
        if (s % 50 == 0)
            printf("step %d: energy %.12f, divergence below 1e-12: %s\n", s, energy(),
                   diverge() < 1e-12 ? "yes" : "no");
    }
    if (failed)
        fprintf(stderr, "%s\n", starfish_error_message());
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    return failed;
}
