/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffusion, flat domains and finite elements, one small problem for each, whose solves are repeated with injected
 * faults. */
#include "tests/faults/families.h"

#include <string.h>

enum { N = 8, CELLS = N * N * N, POINTS = 9, NODES = 81 };

static double rhs[CELLS], coefficient[CELLS], solution[CELLS];

static void fill_arrays(void)
{
    for (int i = 0; i < CELLS; i++) {
        rhs[i] = 0.25 * (i % 7) - 0.5;
        coefficient[i] = i % 3 == 0 ? 1000 : 1;
        solution[i] = 0;
    }
}

static void keep(struct faults_result *result, size_t count)
{
    memcpy(result->value, solution, count * sizeof *solution);
    result->count = count;
}

static starfish_status run_diffusion(struct starfish_context *context, const void *details,
                                     struct faults_result *result)
{
    const struct starfish_diffusion_options *options = details;
    const struct starfish_diffusion_problem problem = {.dimensions = 3,
                                                       .n = {N, N, N},
                                                       .length = {1, 1, 1},
                                                       .ends = {{STARFISH_DIRICHLET, STARFISH_NEUMANN},
                                                                {STARFISH_NEUMANN, STARFISH_NEUMANN},
                                                                {STARFISH_NEUMANN, STARFISH_NEUMANN}},
                                                       .coefficient = coefficient};
    starfish_plan *plan = NULL;
    starfish_status status = starfish_diffusion_plan_create(context, &problem, options, &plan);
    if (status == STARFISH_SUCCESS)
        status = starfish_plan_solve(plan, NULL, rhs, solution, NULL);
    starfish_plan_destroy(plan);
    keep(result, CELLS);
    return status;
}

static starfish_status run_atmosphere(struct starfish_context *context, const void *details,
                                      struct faults_result *result)
{
    const struct starfish_atmosphere_problem problem = {
        .n = {N, N, N}, .length = {1, 1}, .height = 0.01, .omega = 1, .lambda = 1};
    starfish_plan *plan = NULL;
    (void)details;
    starfish_status status = starfish_atmosphere_plan_create(context, &problem, NULL, &plan);
    if (status == STARFISH_SUCCESS)
        status = starfish_plan_solve(plan, NULL, rhs, solution, NULL);
    starfish_plan_destroy(plan);
    keep(result, CELLS);
    return status;
}

/* A square of four cells, refined twice, with u = 0 on its lower side. */
static starfish_status run_fem(struct starfish_context *context, const void *details, struct faults_result *result)
{
    static const double point[3 * POINTS] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1,
                                             0, 2, 1, 0, 0, 2, 0, 1, 2, 0, 2, 2, 0};
    static const int cell[4 * 9] = {0, -1, 1, -1, -1, -1, 3, -1, 4, 1, -1, 2, -1, -1, -1, 4, -1, 5,
                                    3, -1, 4, -1, -1, -1, 6, -1, 7, 4, -1, 5, -1, -1, -1, 7, -1, 8};
    static const struct starfish_fem_mark mark[] = {{0, 1, {1, 0, 0}}, {1, 1, {1, 0, 0}}};
    static const struct starfish_fem_mesh mesh = {
        .dimensions = 2, .points = POINTS, .point = point, .cells = 4, .cell = cell, .marks = 2, .mark = mark};
    static const struct starfish_fem_dirichlet dirichlet = {.group = 1};
    const struct starfish_fem_problem problem = {
        .mesh = &mesh, .refinements = 2, .rhs = 1, .dirichlets = 1, .dirichlet = &dirichlet};
    starfish_plan *plan = NULL;
    (void)details;
    starfish_status status = starfish_fem_plan_create(context, &problem, NULL, &plan);
    if (status == STARFISH_SUCCESS)
        status = starfish_plan_solve(plan, NULL, NULL, solution, NULL);
    starfish_plan_destroy(plan);
    keep(result, NODES);
    return status;
}

const struct faults_case *families_case(size_t number)
{
    static const struct starfish_diffusion_options multigrid = STARFISH_DIFFUSION_OPTIONS_DEFAULTS,
                                                   deflated = {.size = sizeof deflated,
                                                               .method = STARFISH_DIFFUSION_CG,
                                                               .preconditioner = STARFISH_PRECONDITIONER_BLOCK_IC,
                                                               .deflation = STARFISH_DEFLATION_BLOCKS,
                                                               .max_iterations = 500};
    static const struct faults_case more[] = {
        {"diffusion", 1e-7, run_diffusion, &multigrid, 0},
        {"diffusion-deflated", 1e-7, run_diffusion, &deflated, 0},
        {"atmosphere", 1e-7, run_atmosphere, NULL, 0},
        {"fem", 1e-7, run_fem, NULL, 0},
    };
    size_t before = 0;
    fill_arrays();
    while (before < number && faults_case(before))
        before++;
    if (faults_case(before))
        return faults_case(number);
    return number - before < sizeof more / sizeof more[0] ? &more[number - before] : NULL;
}
