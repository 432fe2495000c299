/* The kind of plan that a problem file describes. */
#include "apps/plans/plan.h"
#include "apps/plans/problem.h"
#include "apps/recorded/simulate.h"
#include "apps/spread.h"
#include "base/real.h"

#include <stdio.h>
#include <stdlib.h>

static struct problem_run *run_of(const struct plan *plan)
{
    return plan->data;
}

static starfish_status open_problem(struct plan *plan)
{
    const struct plan_options *given = &plan->options;
    struct problem_run *run = plan->data = calloc(1, sizeof *run);
    if (!run)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a problem");
    run->options = (struct problem_options){.path = given->named[PLAN_PROBLEM],
                                            .rhs = given->rhs,
                                            .library = given->poisson,
                                            .precision = given->precision,
                                            .repeat = 1,
                                            .cycles = given->cycles};
    plan->library = &run->options.library;
    STARFISH_TRY(problem_read_precision(run));
    if (SIMULATED && given->cycles == 0 && run->options.library.method == STARFISH_METHOD_MULTIGRID)
        run->options.cycles = PLAN_SIMULATED_CYCLES;
    STARFISH_TRY(problem_read(run));
    STARFISH_TRY(problem_prepare(run));
    snprintf(plan->name, sizeof plan->name, "%s", run->options.path);
    plan->flat = run->problem.dimensions == 2;
    plan->rows = plan->flat ? 0 : run->problem.axis[2].n;
    plan->array[0] = run->problem.rhs.array.data;
    plan->array[1] = run->solution.data;
    plan->bytes = starfish_array_count(&run->solution) * starfish_real_size(run->precision);
    return STARFISH_SUCCESS;
}

static size_t plane_bytes(const struct plan *plan)
{
    return plan->bytes / run_of(plan)->problem.axis[2].n;
}

static starfish_status create_plan(struct plan *plan, int check)
{
    struct problem_run *run = run_of(plan);
    run->context = plan->context;
    STARFISH_TRY(problem_make_plan(run, check));
    snprintf(plan->method, sizeof plan->method, "%s", starfish_poisson_plan_method(run->plan));
    for (int f = 0; f < 2 && plan->options.spread; ++f)
        STARFISH_TRY(starfish_poisson_field_spread(run->plan, 0, NULL, &run->field[f]));
    return plan->options.spread ? spread_write(run->field[0], plan->array[0], plane_bytes(plan)) : STARFISH_SUCCESS;
}

static starfish_status solve_spread(struct problem_run *run)
{
    starfish_job *job;
    STARFISH_TRY(starfish_poisson_submit_field(run->plan, &run->boundary, run->field[0], run->field[1], &job));
    return starfish_job_wait(job, &run->info);
}

static starfish_status solve(struct plan *plan)
{
    struct problem_run *run = run_of(plan);
    STARFISH_TRY(plan->options.spread
                     ? solve_spread(run)
                     : starfish_poisson_solve(run->plan, &run->boundary, plan->array[0], plan->array[1], &run->info));
    plan->seconds = run->info.seconds;
    return STARFISH_SUCCESS;
}

/* A given number of cycles may leave any residual. */
static starfish_status check_solution(struct plan *plan)
{
    struct problem_run *run = run_of(plan);
    plan->residual = run->info.residual;
    if (plan->options.spread)
        STARFISH_TRY(spread_read(run->field[1], plan->array[1], plane_bytes(plan)));
    return plan->options.cycles > 0 ? STARFISH_SUCCESS : problem_check_result(run);
}

static void destroy_plan(struct plan *plan)
{
    struct problem_run *run = run_of(plan);
    for (int f = 0; f < 2; ++f) {
        starfish_field_destroy(run->field[f]);
        run->field[f] = NULL;
    }
    starfish_poisson_plan_destroy(run->plan);
    run->plan = NULL;
    run->context = NULL; /* the caller's */
}

static void close_problem(struct plan *plan)
{
    if (plan->data)
        problem_release(plan->data);
    free(plan->data);
}

const struct plan_kind plan_problem = {
    "a problem file", &starfish_poisson_option_table, open_problem, create_plan, solve, check_solution, destroy_plan,
    close_problem};
