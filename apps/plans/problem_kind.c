/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of plan that a problem file, or a mesh file, describes. */
#include "apps/plans/plan.h"
#include "apps/spread.h"
#include "base/real.h"
#include "solver/solver.h"

#include <stdio.h>

static struct problem_run *run_of(const struct plan *plan)
{
    return plan->data;
}

/* "poisson3d, 64 x 64 x 64, f64" */
static void describe(struct plan *plan)
{
    const struct starfish_read_problem *problem = &run_of(plan)->problem;
    int length = snprintf(plan->size, sizeof plan->size, "%s, ", problem->row->name);
    for (int d = 0; d < (int)problem->row->dimensions; ++d)
        length +=
            snprintf(plan->size + length, sizeof plan->size - (size_t)length, d > 0 ? " x %zu" : "%zu", problem->n[d]);
    snprintf(plan->size + length, sizeof plan->size - (size_t)length, ", %s",
             starfish_precision_names[plan->options.precision]);
    snprintf(plan->name, sizeof plan->name, "%s", problem->path);
    plan->flat = problem->row->dimensions == 2;
    plan->rows = plan->flat ? 0 : problem->n[2];
}

static starfish_status open_file(struct plan *plan, const struct problem_options *options)
{
    struct problem_run *run = plan->data;
    run->options = *options;
    run->options.precision = plan->options.precision;
    run->options.repeat = 1;
    run->options.cycles = plan->options.cycles;
    STARFISH_TRY(problem_read(run));
    plan->library = run->library;
    plan->table = run->problem.plans->options;
    STARFISH_TRY(problem_prepare(run));
    plan->array[0] = run->problem.rhs.array.data;
    plan->array[1] = run->solution.data;
    plan->bytes[0] = plan->bytes[1] = starfish_array_count(&run->solution) * starfish_real_size(run->precision);
    return STARFISH_SUCCESS;
}

static starfish_status open_problem(struct plan *plan)
{
    const struct plan_options *o = &plan->options;
    STARFISH_TRY(
        open_file(plan, &(struct problem_options){.path = o->named[PLAN_PROBLEM], .rhs = o->rhs, .words = o->words}));
    describe(plan);
    return STARFISH_SUCCESS;
}

static starfish_status open_mesh(struct plan *plan)
{
    const struct plan_options *o = &plan->options;
    STARFISH_TRY(open_file(plan, &(struct problem_options){
                                     .path = o->named[PLAN_ELEMENTS], .elements = &o->elements, .library = &o->fem}));
    const struct starfish_fem_problem *problem = run_of(plan)->problem.data;
    snprintf(plan->name, sizeof plan->name, "%s, %d refinements", run_of(plan)->problem.path, problem->refinements);
    snprintf(plan->size, sizeof plan->size, "finite elements, %zu cells refined %d times, %s", problem->mesh->cells,
             problem->refinements, starfish_precision_names[plan->options.precision]);
    plan->flat = 1;
    return STARFISH_SUCCESS;
}

static size_t plane_bytes(const struct plan *plan)
{
    return plan->bytes[0] / run_of(plan)->problem.n[2];
}

static starfish_status create_plan(struct plan *plan, int check)
{
    struct problem_run *run = run_of(plan);
    run->context = plan->context;
    STARFISH_TRY(problem_make_plan(run, check));
    snprintf(plan->method, sizeof plan->method, "%s", run->about.method);
    if (!plan->options.spread)
        return STARFISH_SUCCESS;
    STARFISH_TRY(problem_make_fields(run));
    return spread_write(run->field[0], plan->array[0], plane_bytes(plan));
}

static starfish_status solve(struct plan *plan)
{
    struct problem_run *run = run_of(plan);
    STARFISH_TRY(plan->options.spread ? problem_solve_fields(run) : problem_solve(run, run->solution.data));
    plan->seconds = run->result.info.seconds;
    return STARFISH_SUCCESS;
}

/* A given number of cycles may leave any residual. */
static starfish_status check_solution(struct plan *plan)
{
    struct problem_run *run = run_of(plan);
    plan->residual = run->problem.plans->has_rhs ? run->result.info.residual : run->result.info.residual_max;
    if (plan->options.spread)
        STARFISH_TRY(spread_read(run->field[1], plan->array[1], plane_bytes(plan)));
    return plan->options.cycles > 0 ? STARFISH_SUCCESS : problem_check_result(run);
}

static void destroy_plan(struct plan *plan)
{
    struct problem_run *run = run_of(plan);
    problem_destroy_plan(run);
    run->context = NULL; /* the caller's */
}

static void close_problem(struct plan *plan)
{
    problem_release(plan->data);
}

#define FILE_KIND(whose_, open_)                                                                                       \
    {                                                                                                                  \
        .whose = (whose_), .bytes = sizeof(struct problem_run), .open = (open_), .create = create_plan,                \
        .solve = solve, .check = check_solution, .destroy = destroy_plan, .close = close_problem                       \
    }
const struct plan_kind plan_problem = FILE_KIND("a problem file", open_problem);
const struct plan_kind plan_elements = FILE_KIND("a mesh file", open_mesh);
