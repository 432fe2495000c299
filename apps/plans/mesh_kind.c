/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kind of plan that --mesh names: Q1 multigrid on a mesh of Goeddeke and Strzodka. */
#include "apps/files/array.h"
#include "apps/plans/multigrid_run.h"
#include "apps/plans/plan.h"
#include "apps/recorded/simulate.h"
#include "base/precision.h"
#include "poisson/methods.h"

#include <limits.h>
#include <stdio.h>

struct mesh_run {
    struct multigrid_mesh mesh;
    struct starfish_multigrid_options options;
};

static starfish_status open_mesh(struct plan *plan)
{
    const struct plan_options *given = &plan->options;
    const size_t level = given->level,
                 cycles = SIMULATED && given->cycles == 0 ? PROBLEM_SIMULATED_CYCLES : given->cycles;
    struct mesh_run *run = plan->data;
    STARFISH_TRY(multigrid_mesh_create(given->named[PLAN_MESH], level < INT_MAX ? (int)level : INT_MAX, &run->mesh));
    run->options = given->multigrid;
    plan->library = &run->options;
    multigrid_set_precision(&run->options, given->precision);
    multigrid_set_work(&run->options, multigrid_q1_steps(run->options.smoother, given->steps), cycles);
    /* In a simulation there is no memory behind the arrays. */
    STARFISH_TRY(plan_make_array(plan, 0, run->options.precision, run->mesh.count, 0));
    for (size_t i = 0; !SIMULATED && i < run->mesh.count; i++)
        starfish_element_set(plan->array[0], run->options.precision, i, run->mesh.load[i]);
    STARFISH_TRY(plan_make_array(plan, 1, run->options.precision, run->mesh.count, 0));
    snprintf(plan->name, sizeof plan->name, "%s level %zu", given->named[PLAN_MESH], level);
    snprintf(plan->size, sizeof plan->size, "Q1 on %s, %zu x %zu unknowns, %s", given->named[PLAN_MESH], run->mesh.n[0],
             run->mesh.n[1], starfish_precision_names[given->precision]);
    snprintf(plan->method, sizeof plan->method, "%s", starfish_method_list[STARFISH_METHOD_MULTIGRID]);
    plan->rows = run->mesh.n[1];
    return STARFISH_SUCCESS;
}

static starfish_status create_plan(struct plan *plan, int check)
{
    struct mesh_run *run = plan->data;
    (void)check; /* every solve looks at its residual */
    return starfish_q1_plan_create(plan->context, &run->mesh.problem, &run->options, &plan->made);
}

/* A tolerance that is not reached is an error of the solve; with a number of cycles there is none. */
static starfish_status check_solution(struct plan *plan)
{
    const struct mesh_run *run = plan->data;
    const size_t bad = starfish_array_first_nonfinite(&plan->memory[1]);
    STARFISH_FAIL_IF(bad < run->mesh.count, STARFISH_ERROR_NUMERICAL, "%s: the solution is not finite", plan->name);
    plan->residual = plan->result.residual;
    return STARFISH_SUCCESS;
}

static void close_mesh(struct plan *plan)
{
    struct mesh_run *run = plan->data;
    multigrid_mesh_free(&run->mesh);
}

const struct plan_kind plan_mesh = {.whose = "--mesh",
                                    .table = &starfish_multigrid_option_table,
                                    .bytes = sizeof(struct mesh_run),
                                    .open = open_mesh,
                                    .create = create_plan,
                                    .solve = plan_solve,
                                    .check = check_solution,
                                    .close = close_mesh};
