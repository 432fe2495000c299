/* Plans and solves for flat domains: the choice of the method, and multigrid engines for it (multigrid/flat.h). */
#include "atmosphere/boxes.h"
#include "atmosphere/gathered.h"
#include "atmosphere/ranks.h"

#include "atmosphere/options.h"
#include "base/arithmetic.h"
#include "base/precision.h"
#include "multigrid/solve.h"
#include "scheduler/context.h"
#include <starfish/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static void choose(struct starfish_atmosphere_options *o)
{
    if (o->method == STARFISH_ATMOSPHERE_AUTO)
        o->method = STARFISH_ATMOSPHERE_MULTIGRID;
    if (o->preconditioner == STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO)
        o->preconditioner = STARFISH_ATMOSPHERE_PRECONDITIONER_LINES;
}

static void describe(struct starfish_atmosphere_plan *plan)
{
    static const char *const of_cg[] = {[STARFISH_ATMOSPHERE_PRECONDITIONER_NONE] = "without preconditioner",
                                        [STARFISH_ATMOSPHERE_PRECONDITIONER_LINES] = "lines upwards precondition",
                                        [STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID] = "a cycle preconditions"};
    const struct starfish_atmosphere_options *o = &plan->options;

    if (o->method == STARFISH_ATMOSPHERE_CG)
        snprintf(plan->reason, sizeof plan->reason, "%s, %s", plan->drifts ? "BiCGStab" : "conjugate gradients",
                 of_cg[o->preconditioner]);
    else
        snprintf(plan->reason, sizeof plan->reason, "V(%d,%d) cycles, coarser across, lines upwards%s",
                 o->smoothing_steps, o->smoothing_steps, o->red_black ? " in two colours" : "");
}

/* Unknowns of a grid that is collected in one place where a rank has GPUs: between ranks of a node all of it takes as
 * long to travel as the messages of the exchanges that it would need. */
enum { TAIL_OF_GPUS = 1 << 19 };

/* Into what a problem is cut where the plan's maker does not choose: boxes, or the rows of ranks. */
struct cut {
    struct starfish_atmosphere_boxes boxes;
    struct starfish_dealt dealt;
};

/* The plan's engine, cut into boxes or the parts of several ranks where these are given; or, where `memory` is there,
 * what that would take. */
static starfish_status create_engine(struct starfish_atmosphere_plan *plan, const struct cut *cut,
                                     struct starfish_memory *memory)
{
    const struct starfish_runs *runs = cut->dealt.runs.parts > 0 ? &cut->dealt.runs : NULL;
    static const enum starfish_flat_preconditioner preconditioners[] = {
        [STARFISH_ATMOSPHERE_PRECONDITIONER_NONE] = STARFISH_FLAT_BY_NOTHING,
        [STARFISH_ATMOSPHERE_PRECONDITIONER_LINES] = STARFISH_FLAT_BY_LINES,
        [STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID] = STARFISH_FLAT_BY_CYCLES};
    const struct starfish_atmosphere_options *o = &plan->options;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    const int gradients = o->method == STARFISH_ATMOSPHERE_CG;

    options.precision = o->precision;
    options.inner = o->mixed ? STARFISH_F32 : o->precision;
    options.smoother = o->red_black ? STARFISH_SMOOTHER_GAUSS_SEIDEL : STARFISH_SMOOTHER_LINE_Z;
    options.damping = o->damping;
    options.before = options.after = o->smoothing_steps;
    options.tolerance = o->fixed ? 0 : o->tolerance;
    options.most_cycles = o->max_iterations;
    options.levels = o->levels;
    options.slabs = o->slabs;
    options.tail = (runs || cut->boxes.owners > 1) && (cut->dealt.any_gpu || cut->boxes.any_gpu) ? TAIL_OF_GPUS : 0;
    options.conjugate_gradients = gradients && !plan->drifts;
    options.bicgstab = gradients && plan->drifts;
    options.inner_cycles = gradients ? 1 : starfish_flat_inner_cycles(&plan->volumes.matrix);
    plan->volumes.matrix.cut = cut->boxes.cut.parts[0] > 0 ? &cut->boxes.cut : NULL;
    plan->volumes.matrix.coarse_sweeps = o->coarse_sweeps;
    plan->volumes.matrix.preconditioner = gradients ? preconditioners[o->preconditioner] : STARFISH_FLAT_BY_CYCLES;
    const starfish_status status =
        memory ? starfish_flat_memory_cut(plan->context, &plan->volumes.matrix, &options, runs, memory)
               : starfish_flat_engine_create(plan->context, &plan->volumes.matrix, &options, runs, &plan->engine);
    plan->volumes.matrix.cut = NULL;
    return status;
}

static starfish_status create(struct starfish_atmosphere_plan *plan, const struct starfish_atmosphere_problem *problem,
                              const struct cut *cut, struct starfish_memory *memory)
{
    const double start = starfish_now();

    choose(&plan->options);
    plan->drifts = problem->xi_up != NULL;
    STARFISH_TRY(starfish_flat_volumes_create(&plan->volumes, problem));
    STARFISH_TRY(create_engine(plan, cut, memory));
    describe(plan);
    plan->seconds = starfish_now() - start;
    return STARFISH_SUCCESS;
}

/* In boxes or parts of the ranks' rows; where these cannot be, the first rank solves for all. */
static starfish_status create_on_ranks(struct starfish_atmosphere_plan *plan,
                                       const struct starfish_atmosphere_problem *problem, struct cut *cut)
{
    STARFISH_TRY(starfish_atmosphere_agree(plan, problem));
    STARFISH_TRY(starfish_atmosphere_cut(plan->context, &plan->options, problem, &cut->boxes));
    if (cut->boxes.cut.parts[0] == 0 && !problem->periodic[1])
        STARFISH_TRY(starfish_atmosphere_deal(plan, problem, &cut->dealt));
    if (cut->boxes.cut.parts[0] == 0 && cut->dealt.runs.parts == 0) {
        plan->options.boxes = 0; /* of one rank they may be impossible too */
        return starfish_atmosphere_gather(plan, problem);
    }
    STARFISH_TRY(starfish_ranks_agree(plan->context, create(plan, problem, cut, NULL)));
    plan->owners = cut->dealt.runs.parts > 0 ? cut->dealt.owners : cut->boxes.owners;
    return STARFISH_SUCCESS;
}

static starfish_status create_anywhere(struct starfish_atmosphere_plan *plan,
                                       const struct starfish_atmosphere_problem *problem,
                                       struct starfish_memory *memory)
{
    struct cut cut = {.dealt = {.runs = {.parts = 0}}};

    plan->owners = 1;
    if (!memory && starfish_context_ranks(plan->context) > 1)
        return create_on_ranks(plan, problem, &cut);
    if (!memory)
        STARFISH_TRY(starfish_atmosphere_cut(plan->context, &plan->options, problem, &cut.boxes));
    return create(plan, problem, &cut, memory);
}

static starfish_status begin(starfish_context *context, const struct starfish_atmosphere_problem *problem,
                             const struct starfish_atmosphere_options *options, struct starfish_memory *memory,
                             starfish_atmosphere_plan **result)
{
    struct starfish_atmosphere_options taken;

    STARFISH_NEED(context, "context");
    STARFISH_NEED(problem, "problem");
    STARFISH_NEED(result, "plan");
    *result = NULL;
    STARFISH_TRY(starfish_ranks_agree(context, starfish_atmosphere_read_options(options, &taken)));
    struct starfish_atmosphere_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return starfish_ranks_agree(context, starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan"));
    plan->context = context;
    plan->options = taken;
    starfish_queue_create(&plan->queue);
    const starfish_status status = create_anywhere(plan, problem, memory);
    if (status != STARFISH_SUCCESS) {
        starfish_atmosphere_plan_destroy(plan);
        return status;
    }
    *result = plan;
    return STARFISH_SUCCESS;
}

starfish_status starfish_atmosphere_plan_create(starfish_context *context,
                                                const struct starfish_atmosphere_problem *problem,
                                                const struct starfish_atmosphere_options *options,
                                                starfish_atmosphere_plan **result)
{
    STARFISH_OWN_ARITHMETIC;
    return begin(context, problem, options, NULL, result);
}

starfish_status starfish_atmosphere_memory(starfish_context *context, const struct starfish_atmosphere_problem *problem,
                                           const struct starfish_atmosphere_options *options,
                                           struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    starfish_atmosphere_plan *plan;

    STARFISH_NEED(memory, "memory");
    STARFISH_TRY(begin(context, problem, options, memory, &plan));
    starfish_atmosphere_plan_destroy(plan);
    return STARFISH_SUCCESS;
}

starfish_status starfish_atmosphere_plan_memory(const starfish_atmosphere_plan *plan, struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(plan, "plan");
    return starfish_multigrid_engine_memory(plan->engine, memory);
}

void starfish_atmosphere_plan_destroy(starfish_atmosphere_plan *plan)
{
    STARFISH_OWN_ARITHMETIC;
    if (!plan || starfish_is_stuck()) /* tasks may still use it */
        return;
    starfish_atmosphere_gathered_destroy(plan->gathered);
    starfish_multigrid_engine_destroy(plan->engine);
    starfish_queue_destroy(&plan->queue);
    starfish_flat_volumes_destroy(&plan->volumes);
    free(plan);
}

const char *starfish_atmosphere_plan_method(const starfish_atmosphere_plan *plan)
{
    return plan ? starfish_atmosphere_method_names[plan->options.method] : "";
}

const char *starfish_atmosphere_plan_reason(const starfish_atmosphere_plan *plan)
{
    return plan ? plan->reason : "";
}

int starfish_atmosphere_plan_owners(const struct starfish_atmosphere_plan *plan)
{
    return plan->owners;
}

double starfish_atmosphere_plan_seconds(const starfish_atmosphere_plan *plan)
{
    return plan ? plan->seconds : 0;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

struct starfish_atmosphere_job {
    starfish_atmosphere_plan *plan;
    struct starfish_multigrid_solve solve;
    struct starfish_turn turn;
    atomic_int cancelled;
    const void *rhs;
    void *solution;
    struct starfish_bytes before; /* moved until the submission */
    /* On several ranks, where a job is solved before its submission returns: what it came to. */
    struct starfish_atmosphere_info info;
    struct starfish_failure failure;
};

static starfish_status submit_gathered(struct starfish_atmosphere_job *job)
{
    starfish_failure_keep(&job->failure,
                          starfish_atmosphere_solve_gathered(job->plan, job->rhs, job->solution, &job->info));
    return STARFISH_SUCCESS;
}

static starfish_status wait_gathered(struct starfish_atmosphere_job *job, struct starfish_atmosphere_info *info)
{
    const starfish_status status = starfish_failure_repeat(&job->failure);

    if (info)
        *info = job->info;
    free(job);
    return status;
}

static starfish_status submit_here(struct starfish_atmosphere_job *job)
{
    struct starfish_atmosphere_plan *plan = job->plan;

    job->solve = (struct starfish_multigrid_solve){.engine = plan->engine,
                                                   .pass = starfish_multigrid_pass(&plan->engine->options),
                                                   .watch.cancelled = &job->cancelled};
    STARFISH_TRY(starfish_multigrid_solve_arrays(&job->solve, job->rhs, job->solution));
    return starfish_turn_start(&job->turn, plan->context, &plan->queue, starfish_multigrid_drive, &job->solve);
}

starfish_status starfish_atmosphere_submit(starfish_atmosphere_plan *plan, const void *rhs, void *solution,
                                           starfish_atmosphere_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(plan, "plan");
    STARFISH_NEED(job, "job");
    *job = NULL;
    struct starfish_atmosphere_job *made = calloc(1, sizeof *made);
    const starfish_status there = starfish_ranks_agree(
        plan->context, made ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a solve"));
    if (there != STARFISH_SUCCESS || !made) {
        free(made);
        return there;
    }
    made->plan = plan;
    made->rhs = rhs;
    made->solution = solution;
    made->before = starfish_context_bytes(plan->context);
    const starfish_status status = plan->gathered ? submit_gathered(made) : submit_here(made);
    if (status != STARFISH_SUCCESS) {
        free(made);
        return status;
    }
    *job = made;
    return STARFISH_SUCCESS;
}

const struct starfish_acceptance starfish_atmosphere_acceptance = {.excused = 1 << STARFISH_ENDED_STALLED |
                                                                              1 << STARFISH_ENDED_CANCELLED,
                                                                   .diverged_above = 1,
                                                                   .of_nan = STARFISH_DIVERGED,
                                                                   .explains_divergence = 1};

/* What an iteration that ended with `status` came to. */
static starfish_status accept(const struct starfish_atmosphere_plan *plan, starfish_status status, double rounding,
                              struct starfish_atmosphere_info *info)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    const struct starfish_evidence evidence = {.end = starfish_ending_of_outcome(info->outcome),
                                               .iterations = info->iterations,
                                               .asked = plan->options.tolerance,
                                               .reached = info->residual,
                                               .rounding = rounding,
                                               .failure = &failure};
    struct starfish_judgement judgement;

    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_failure_keep(&failure, status);
    status = starfish_accept(&starfish_atmosphere_acceptance, &evidence, &judgement);
    info->outcome = judgement.outcome;
    info->tolerance = judgement.tolerance;
    return status;
}

static void fill_info(const struct starfish_atmosphere_job *job, struct starfish_atmosphere_info *info)
{
    const struct starfish_multigrid_info *from = &job->solve.info;
    const struct starfish_bytes after = starfish_context_bytes(job->plan->context);

    info->outcome = from->outcome;
    info->iterations = from->cycles;
    info->levels = from->levels;
    info->residual = from->residual;
    info->seconds = from->seconds;
    memcpy(info->worker, from->worker, sizeof info->worker);
    info->host_to_device = after.host_to_device - job->before.host_to_device;
    info->device_to_host = after.device_to_host - job->before.device_to_host;
    info->device_to_device = after.device_to_device - job->before.device_to_device;
    info->count = from->count;
    memcpy(info->history, from->history, sizeof info->history);
}

starfish_status starfish_atmosphere_wait(starfish_atmosphere_job *job, struct starfish_atmosphere_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_atmosphere_info filled;

    STARFISH_NEED(job, "job");
    if (job->plan->gathered)
        return wait_gathered(job, info);
    STARFISH_TRY(starfish_turn_wait(&job->turn)); /* where it fails, the thread still has the job */
    const struct starfish_multigrid_solve *solve = &job->solve;
    const starfish_precision precision = job->plan->options.precision;
    fill_info(job, &filled);
    filled.tolerance = job->plan->options.tolerance;
    const starfish_status status = accept(job->plan, starfish_failure_repeat(&solve->failure),
                                          starfish_rounding(precision, solve->size, solve->info.rhs_norm), &filled);
    if (info)
        *info = filled;
    if (!starfish_is_stuck()) /* else tasks may still use it */
        free(job);
    return status;
}

void starfish_atmosphere_cancel(starfish_atmosphere_job *job)
{
    if (job)
        atomic_store(&job->cancelled, 1);
}

starfish_status starfish_atmosphere_solve(starfish_atmosphere_plan *plan, const void *rhs, void *solution,
                                          struct starfish_atmosphere_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    starfish_atmosphere_job *job;

    STARFISH_TRY(starfish_atmosphere_submit(plan, rhs, solution, &job));
    return starfish_atmosphere_wait(job, info);
}
