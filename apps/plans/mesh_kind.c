/* The kind of plan that --mesh names: Q1 multigrid on a mesh of Goeddeke and Strzodka. */
#include "apps/files/array.h"
#include "apps/plans/multigrid_run.h"
#include "apps/plans/plan.h"
#include "apps/recorded/simulate.h"
#include "base/precision.h"
#include "base/real.h"
#include "poisson/methods.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct mesh_run {
    struct multigrid_mesh mesh;
    struct starfish_multigrid_options options;
    struct starfish_array rhs, solution;
    starfish_plan *plan;
    struct starfish_result result;
};

/* In a simulation there is no memory behind the arrays. */
static starfish_status make_arrays(struct mesh_run *run)
{
    const starfish_precision precision = run->options.precision;
    starfish_status (*const make)(struct starfish_array *, starfish_precision, size_t, const size_t *) =
        SIMULATED ? starfish_array_reserve : starfish_array_create;
    STARFISH_TRY(make(&run->rhs, precision, 1, &run->mesh.count));
    STARFISH_TRY(make(&run->solution, precision, 1, &run->mesh.count));
    if (SIMULATED)
        return STARFISH_SUCCESS;
    starfish_array_fill(&run->solution, 0);
    for (size_t i = 0; i < run->mesh.count; i++)
        starfish_element_set(run->rhs.data, precision, i, run->mesh.load[i]);
    return STARFISH_SUCCESS;
}

static starfish_status open_mesh(struct plan *plan)
{
    const struct plan_options *given = &plan->options;
    const size_t level = given->level,
                 cycles = SIMULATED && given->cycles == 0 ? PROBLEM_SIMULATED_CYCLES : given->cycles;
    struct mesh_run *run = plan->data = calloc(1, sizeof *run);
    if (!run)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    STARFISH_TRY(multigrid_mesh_create(given->named[PLAN_MESH], level < INT_MAX ? (int)level : INT_MAX, &run->mesh));
    run->options = given->multigrid;
    run->result.size = sizeof run->result;
    plan->library = &run->options;
    multigrid_set_precision(&run->options, given->precision);
    multigrid_set_work(&run->options, multigrid_q1_steps(run->options.smoother, given->steps), cycles);
    STARFISH_TRY(make_arrays(run));
    snprintf(plan->name, sizeof plan->name, "%s level %zu", given->named[PLAN_MESH], level);
    snprintf(plan->size, sizeof plan->size, "Q1 on %s, %zu x %zu unknowns, %s", given->named[PLAN_MESH], run->mesh.n[0],
             run->mesh.n[1], starfish_precision_names[given->precision]);
    snprintf(plan->method, sizeof plan->method, "%s", starfish_method_list[STARFISH_METHOD_MULTIGRID]);
    plan->rows = run->mesh.n[1];
    plan->array[0] = run->rhs.data;
    plan->array[1] = run->solution.data;
    plan->bytes[0] = plan->bytes[1] = run->mesh.count * starfish_real_size(run->options.precision);
    return STARFISH_SUCCESS;
}

static starfish_status create_plan(struct plan *plan, int check)
{
    struct mesh_run *run = plan->data;
    (void)check; /* every solve looks at its residual */
    return starfish_q1_plan_create(plan->context, &run->mesh.problem, &run->options, &run->plan);
}

static starfish_status solve(struct plan *plan)
{
    struct mesh_run *run = plan->data;
    STARFISH_TRY(starfish_plan_solve(run->plan, NULL, plan->array[0], plan->array[1], &run->result));
    plan->seconds = run->result.seconds;
    return STARFISH_SUCCESS;
}

/* A tolerance that is not reached is an error of the solve; with a number of cycles there is none. */
static starfish_status check_solution(struct plan *plan)
{
    const struct mesh_run *run = plan->data;
    const size_t bad = starfish_array_first_nonfinite(&run->solution);
    if (bad < run->mesh.count)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "%s: the solution is not finite", plan->name);
    plan->residual = run->result.residual;
    return STARFISH_SUCCESS;
}

static void destroy_plan(struct plan *plan)
{
    struct mesh_run *run = plan->data;
    starfish_plan_destroy(run->plan);
    run->plan = NULL;
}

static void close_mesh(struct plan *plan)
{
    struct mesh_run *run = plan->data;
    if (!run)
        return;
    starfish_array_free(&run->rhs);
    starfish_array_free(&run->solution);
    multigrid_mesh_free(&run->mesh);
    free(run);
}

const struct plan_kind plan_mesh = {
    "--mesh",  &starfish_multigrid_option_table, open_mesh, create_plan, solve, check_solution, destroy_plan,
    close_mesh};
