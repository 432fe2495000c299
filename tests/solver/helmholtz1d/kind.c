/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kind helmholtz1d: its tables, its plans, and the two ways to solve. */
#include "tests/solver/helmholtz1d/plan.h"

#include "base/arithmetic.h"
#include "base/precision.h"
#include "base/real.h"
#include "scheduler/runtime/memory.h"
#include "solver/accept.h"
#include "solver/gather.h"
#include "tridiag/options.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

#define MEMBER(member) STARFISH_MEMBER_AT(starfish_helmholtz1d_problem, member)
static const struct starfish_member members[] = {
    {MEMBER(n), .type = STARFISH_MEMBER_SIZE},
    {MEMBER(length), .type = STARFISH_MEMBER_REAL},
    {MEMBER(ends), .type = STARFISH_MEMBER_INT, .values = starfish_end_names, .value_count = STARFISH_BOX_ENDS},
    {MEMBER(lambda), .type = STARFISH_MEMBER_REAL}};
static const struct starfish_member_table table =
    STARFISH_MEMBER_TABLE(starfish_helmholtz1d_problem, "helmholtz1d", members);

#define OPTION(member) STARFISH_OPTION_AT(starfish_helmholtz1d_options, member)
static const char *const methods[] = {"thomas", "jacobi"}, *const reasons[] = {"a batch of lines", "damped steps"};
static const struct starfish_option rows[] = {
    {OPTION(method), .type = STARFISH_OPTION_CHOICE, STARFISH_OPTION_VALUES(methods), .flag = "--method",
     .text = "how the problem is solved"},
    {OPTION(precision), .type = STARFISH_OPTION_CHOICE, .default_value = STARFISH_F64, STARFISH_OPTION_PRECISIONS,
     .flag = "--precision", .text = "of right-hand side and solution"},
    {OPTION(algorithm), .type = STARFISH_OPTION_CHOICE, .values = starfish_algorithm_names,
     .value_count = STARFISH_ALGORITHMS, .flag = "--algorithm", .text = "thomas: how the lines are solved"},
    {OPTION(max_iterations), .type = STARFISH_OPTION_INT, .default_value = 10000, .least = 1, .most = INT_MAX,
     .flag = "--max-iterations", .text = "jacobi: steps at most"},
    {OPTION(tolerance), .type = STARFISH_OPTION_REAL, .most = 1, .below_most = 1, .flag = "--tolerance",
     .text = "jacobi: the residual over the right-hand side, in the maximum norm; 0: 1e-10, in f32 1e-6"},
    {OPTION(slabs), .type = STARFISH_OPTION_SIZE, .most = HELMHOLTZ1D_MOST_PARTS, .flag = "--slabs",
     .text = "runs of lines; 0: chosen from the workers"},
    {OPTION(fixed), .type = STARFISH_OPTION_SWITCH, .text = "jacobi: exactly max_iterations steps"},
};
static const struct starfish_option_table option_table =
    STARFISH_OPTION_TABLE(starfish_helmholtz1d_options, STARFISH_HELMHOLTZ1D_OPTIONS_DEFAULTS, rows);

extern const struct starfish_kind starfish_kind_helmholtz1d;

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

static const struct helmholtz1d_plan *plan_of(const struct starfish_job *job)
{
    return (const struct helmholtz1d_plan *)job->plan;
}

size_t helmholtz1d_first(const struct helmholtz1d_plan *plan, size_t part)
{
    return helmholtz1d_problem(plan)->n[1] * part / plan->parts;
}

static starfish_status register_part(struct helmholtz1d_job *job, size_t part)
{
    const struct helmholtz1d_plan *plan = plan_of(&job->job);
    const struct starfish_request *request = &job->job.request;
    const size_t size = starfish_real_size(plan->options.precision), first = helmholtz1d_first(plan, part),
                 count = (helmholtz1d_first(plan, part + 1) - first) * helmholtz1d_problem(plan)->n[0];
    const size_t begin = first * helmholtz1d_problem(plan)->n[0] * size;

    STARFISH_TRY(starfish_array_over(&job->rhs[part], plan->plan.context, "rhs", (const char *)request->rhs + begin,
                                     count, size));
    STARFISH_TRY(starfish_array_over(&job->solution[part], plan->plan.context, "solution",
                                     (char *)request->solution + begin, count, size));
    return starfish_coefficient_table_results(&job->norms[part], 2);
}

static starfish_status register_parts(struct helmholtz1d_job *job)
{
    for (size_t p = 0; p < plan_of(&job->job)->parts; p++)
        STARFISH_TRY(register_part(job, p));
    return STARFISH_SUCCESS;
}

static starfish_status take(struct starfish_job *job)
{
    const struct helmholtz1d_plan *plan = plan_of(job);
    int node[2];

    job->most = plan->options.max_iterations;
    return starfish_memory_places(plan->plan.context, job->request.rhs, job->request.solution, plan->options.precision,
                                  job->plan->about.unknowns, node);
}

/* thomas */
static starfish_status submit(struct starfish_job *job)
{
    return starfish_job_create(plan_of(job)->lines, &job->request, 0, &job->inner);
}

static starfish_status finish_lines(struct starfish_job *job)
{
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    const starfish_status status = starfish_job_finish(job->inner, &result);

    job->inner = NULL;
    job->result.seconds = result.seconds;
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        job->result.worker[kind] = result.worker[kind];
    return status;
}

/* jacobi */
static enum starfish_ending ending(struct starfish_job *job, double tolerance)
{
    const struct starfish_result *so_far = &job->result;
    const int fixed = plan_of(job)->options.fixed;

    return !fixed && so_far->residual <= tolerance ? STARFISH_ENDED_REACHED
           : so_far->iterations == job->most       ? (fixed ? STARFISH_ENDED_FIXED : STARFISH_ENDED_EXHAUSTED)
           : !isfinite(so_far->residual)           ? STARFISH_ENDED_NOT_FINITE
           : atomic_load(&job->cancelled)          ? STARFISH_ENDED_CANCELLED
                                                   : STARFISH_ENDINGS;
}

static starfish_status step(struct helmholtz1d_job *job)
{
    struct starfish_result *result = &job->job.result;

    STARFISH_TRY(helmholtz1d_sweep(job, (struct helmholtz1d_sweep){.damping = 2.0 / 3}, &result->residual));
    STARFISH_TRY(helmholtz1d_sweep(job, (struct helmholtz1d_sweep){.damping = 0}, &result->residual));
    result->iterations++;
    starfish_job_look(job, result);
    return STARFISH_SUCCESS;
}

static starfish_status run(struct starfish_job *base)
{
    static const struct starfish_acceptance rules = {.diverged_above = NAN, .of_nan = STARFISH_DIVERGED};
    struct helmholtz1d_job *job = (struct helmholtz1d_job *)base;
    const struct starfish_helmholtz1d_options *o = &plan_of(base)->options;
    struct starfish_evidence evidence = {.end = STARFISH_ENDINGS, .rounding = NAN, .recurrence = NAN};
    struct starfish_result *result = &base->result;

    evidence.asked = o->tolerance > 0 ? o->tolerance : starfish_default_tolerance(o->precision);
    STARFISH_TRY(register_parts(job));
    STARFISH_TRY(helmholtz1d_sweep(job, (struct helmholtz1d_sweep){.begins = 1}, &result->residual));
    while ((evidence.end = ending(base, evidence.asked)) == STARFISH_ENDINGS)
        STARFISH_TRY(step(job));
    evidence.iterations = result->iterations;
    evidence.reached = result->residual;
    return starfish_accept(&rules, &evidence, result);
}

static starfish_status finish(struct starfish_job *base, starfish_status status)
{
    struct helmholtz1d_job *job = (struct helmholtz1d_job *)base;

    if (!base->plan->run) {
        STARFISH_TRY(finish_lines(base));
        STARFISH_TRY(register_parts(job));
        status = helmholtz1d_sweep(job, (struct helmholtz1d_sweep){.damping = 0}, &base->result.residual);
    }
    base->result.residual_max = base->result.residual;
    return status;
}

static void drop(struct starfish_job *base)
{
    struct helmholtz1d_job *job = (struct helmholtz1d_job *)base;

    for (size_t p = 0; p < plan_of(base)->parts; p++) {
        starfish_data_release(&job->rhs[p]);
        starfish_data_release(&job->solution[p]);
        starfish_coefficient_table_destroy(&job->norms[p]);
    }
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static starfish_status check(struct starfish_plan *plan)
{
    const struct starfish_helmholtz1d_problem *p = plan->problem;
    const int periodic = (p->ends[0] == STARFISH_PERIODIC) + (p->ends[1] == STARFISH_PERIODIC);

    if (p->n[0] == 0 || p->n[1] == 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.n is %zu, %zu, must be 1 or more", p->n[0], p->n[1]);
    if (!(p->length > 0 && isfinite(p->length)))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.length is %g, must be positive", p->length);
    if (p->ends[0] > STARFISH_NEUMANN || p->ends[1] > STARFISH_NEUMANN || periodic == 1)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.ends are not both periodic, or Dirichlet and Neumann");
    if (!(p->lambda <= 0 && isfinite(p->lambda)))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.lambda is %g, must be 0 or less", p->lambda);
    if (p->lambda == 0 && p->ends[0] != STARFISH_DIRICHLET && p->ends[1] != STARFISH_DIRICHLET)
        return starfish_fail(STARFISH_ERROR_SINGULAR, "problem.lambda is 0, an eigenvalue where no end is Dirichlet");
    return STARFISH_SUCCESS;
}

/* The rows are the same for all lines. */
static starfish_status create_lines(struct helmholtz1d_plan *plan)
{
    const struct starfish_helmholtz1d_problem *p = plan->plan.problem;
    const size_t n = p->n[0], size = starfish_real_size(plan->options.precision);
    const struct starfish_tridiag_options o = {.size = sizeof o,
                                               .precision = plan->options.precision,
                                               .algorithm = plan->options.algorithm,
                                               .slabs = plan->options.slabs};

    plan->matrix = malloc(3 * n * size);
    if (!plan->matrix)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    char *const lower = plan->matrix;
    for (size_t k = 0; k < n; k++) {
        const struct helmholtz1d_row row = helmholtz1d_row(p, k);
        starfish_element_set(lower, o.precision, k, row.lower);
        starfish_element_set(lower, o.precision, n + k, row.diag);
        starfish_element_set(lower, o.precision, 2 * n + k, row.upper);
    }
    const struct starfish_tridiag_problem lines = {.n = n,
                                                   .lines = p->n[1],
                                                   .rhs = 1,
                                                   .periodic = p->ends[0] == STARFISH_PERIODIC,
                                                   .lower = lower,
                                                   .diag = lower + n * size,
                                                   .upper = lower + 2 * n * size,
                                                   .coefficients = {1, 0},
                                                   .vectors = {1, n}};
    STARFISH_TRY(starfish_tridiag_plan_create(plan->plan.context, &lines, &o, &plan->lines));
    return starfish_plan_memory(plan->lines, &plan->plan.memory);
}

/* By all ranks, or by the first one for all. */
static starfish_status create(struct starfish_plan *base)
{
    struct helmholtz1d_plan *plan = (struct helmholtz1d_plan *)base;
    const struct starfish_helmholtz1d_problem *p = base->problem;
    const struct starfish_helmholtz1d_options *o = &plan->options;
    const size_t wanted = o->slabs ? o->slabs : base->context->workers, most = HELMHOLTZ1D_MOST_PARTS;
    size_t first, planes;

    plan->parts = wanted < p->n[1] ? wanted : p->n[1];
    plan->parts = plan->parts < most ? plan->parts : most;
    base->about.method = methods[o->method];
    base->about.reason = reasons[o->method];
    base->about.unknowns = p->n[0] * p->n[1];
    base->run = o->method == STARFISH_HELMHOLTZ1D_JACOBI ? run : NULL;
    base->memory.main_bytes = 3 * p->n[0] * sizeof(double);
    if (starfish_context_ranks(base->context) == 1)
        return base->run ? STARFISH_SUCCESS : create_lines(plan);
    STARFISH_TRY(starfish_context_deal(base->context, p->n[1], starfish_context_rank(base->context), &first, &planes));
    return starfish_gather_create(base, (const size_t[]){p->n[0], p->n[1], 1}, 1, o->precision, planes, NULL);
}

starfish_status starfish_helmholtz1d_plan_create(starfish_context *context,
                                                 const struct starfish_helmholtz1d_problem *problem,
                                                 const struct starfish_helmholtz1d_options *options,
                                                 starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_make(context, &starfish_kind_helmholtz1d, &table, problem, options, plan);
}

static void release(struct starfish_plan *base)
{
    const struct helmholtz1d_plan *plan = (const struct helmholtz1d_plan *)base;

    starfish_plan_destroy(plan->lines);
    free(plan->matrix);
}

static const struct starfish_problem_row problems[] = {{.name = "helmholtz1d", .dimensions = 2, .members = &table},
                                                       {.name = NULL}};
const struct starfish_kind starfish_kind_helmholtz1d = {.name = "helmholtz1d",
                                                        .options = &option_table,
                                                        .problems = problems,
                                                        .plan_bytes = sizeof(struct helmholtz1d_plan),
                                                        .job_bytes = sizeof(struct helmholtz1d_job),
                                                        .options_at = offsetof(struct helmholtz1d_plan, options),
                                                        .on_ranks = 1,
                                                        .check = check,
                                                        .create = create,
                                                        .release = release,
                                                        .take = take,
                                                        .submit = submit,
                                                        .run = run,
                                                        .finish = finish,
                                                        .drop = drop};
