/* The kind of plan that a mesh file describes: finite elements. */
#include "apps/plans/elements.h"
#include "apps/plans/plan.h"
#include "apps/plans/problem.h"
#include "apps/recorded/simulate.h"

#include <stdio.h>
#include <stdlib.h>

static const struct starfish_option rows[] = {
    NAMES_FIRST("--element", starfish_fem_element_names, STARFISH_FEM_ELEMENTS,
                "bilinear or biquadratic, in 3D trilinear or triquadratic"),
};
const struct starfish_option_table plan_elements_table = NAMES_TABLE(rows);

static struct fem_run *run_of(const struct plan *plan)
{
    return plan->data;
}

static size_t cycles_of(const struct plan *plan)
{
    return SIMULATED && plan->options.cycles == 0 ? PROBLEM_SIMULATED_CYCLES : plan->options.cycles;
}

static starfish_status open_mesh(struct plan *plan)
{
    const struct plan_options *given = &plan->options;
    struct fem_run *run = plan->data = calloc(1, sizeof *run);
    if (!run)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    run->path = given->named[PLAN_ELEMENTS];
    run->options = (struct fem_options){.library = given->elements,
                                        .element = given->element,
                                        .rhs = 1,
                                        .levels = given->refinements,
                                        .dirichlet = given->dirichlet};
    fem_set_precision(&run->options, given->precision);
    if (cycles_of(plan) > 0) {
        run->options.library.max_iterations = (int)cycles_of(plan);
        run->options.library.fixed = 1;
    }
    plan->library = &run->options.library;
    STARFISH_TRY(fem_read(run));
    snprintf(plan->name, sizeof plan->name, "%s, %zu refinements", run->path, given->refinements);
    snprintf(plan->size, sizeof plan->size, "finite elements, %zu cells refined %zu times, %s", run->gmsh.mesh.cells,
             given->refinements, starfish_precision_names[given->precision]);
    plan->flat = 1;
    return STARFISH_SUCCESS;
}

static starfish_status create_plan(struct plan *plan, int check)
{
    struct fem_run *run = run_of(plan);
    (void)check; /* every solve looks at its residual */
    STARFISH_TRY(fem_make_plan(run, plan->context));
    snprintf(plan->method, sizeof plan->method, "%s", run->about.method);
    return STARFISH_SUCCESS;
}

static starfish_status solve(struct plan *plan)
{
    struct fem_run *run = run_of(plan);
    STARFISH_TRY(fem_solve(run));
    plan->seconds = run->result.seconds;
    return STARFISH_SUCCESS;
}

/* A tolerance that is not reached is an error of the solve. */
static starfish_status check_solution(struct plan *plan)
{
    const struct fem_run *run = run_of(plan);
    if (starfish_array_first_nonfinite(&run->u) < starfish_array_count(&run->u))
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "%s: the solution is not finite", plan->name);
    plan->residual = run->result.residual;
    return STARFISH_SUCCESS;
}

static void destroy_plan(struct plan *plan)
{
    fem_destroy_plan(run_of(plan));
}

static void close_mesh(struct plan *plan)
{
    if (plan->data)
        fem_forget(run_of(plan));
    free(plan->data);
}

const struct plan_kind plan_elements = {
    "a mesh file", &starfish_fem_option_table, open_mesh, create_plan, solve, check_solution, destroy_plan, close_mesh};
