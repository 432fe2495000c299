/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The method multigrid: directions become lines of couplings, whose products with the volumes of unknowns are a
 * seven-point problem.
 *
 * Rows lower, diag, upper of a direction, times weights w that make them symmetric, are couplings w lower between
 * successive unknowns and what the rows sum to on the diagonal, which in a definite problem has the sign of the
 * diagonal. Equations are multiplied by the product of all three weights, and by -1 where off-diagonal entries are
 * positive. */
#include "poisson/methods.h"

#include "base/precision.h"
#include "multigrid/solve.h"
#include "scheduler/runtime/distribute.h"
#include "scheduler/runtime/memory.h"
#include "scheduler/runtime/ranks.h"
#include "solver/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Unknowns of a grid that is collected on the first rank where a rank has GPUs; and planes of a part that are worth
 * it. Between ranks of a node messages go at 4 to 5 GB/s: those of this grid take about 1 ms there and back, which is
 * what eight exchanges of its planes would take. */
enum { TAIL_OF_GPUS = 1 << 19, LEAST_PLANES = 9 };

/* The state: what solves, the cut of fields, and the space of a field's slabs as a vector: the
 * rows of the engine's parts, and whole ones. */
struct state {
    struct starfish_multigrid_engine *engine;
    struct starfish_pass pass;
    struct starfish_runs cut;
    struct starfish_space space;
};

/* A direction's coupling (n + 1), extra and weight (n each). */
struct line {
    double *coupling, *extra, *weight;
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Do the couplings of a face from its two sides agree? */
static int agree(double a, double b)
{
    return fabs(a - b) <= 1e-10 * (fabs(a) + fabs(b));
}

static starfish_status refuse(const char *name, size_t row, const char *why)
{
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "method multigrid cannot do %s: row %zu %s", name, row, why);
}

/* sign: -1 where off-diagonal entries are positive, so that couplings are. */
static starfish_status fill_coupling(const struct starfish_direction *d, const char *name, double sign,
                                     struct line *line)
{
    for (size_t k = 0; k < d->n; k++) {
        const size_t before = k > 0 ? k - 1 : d->n - 1;
        if (k == 0 && (!d->periodic || d->n == 1))
            continue;
        line->coupling[k] = -sign * d->weight[k] * d->lower[k];
        if (!agree(line->coupling[k], -sign * d->weight[before] * d->upper[before]))
            return refuse(name, k, "is coupled to the one before in another way than that to it");
        if (line->coupling[k] < 0)
            return refuse(name, k, "has an off-diagonal entry of another sign");
    }
    line->coupling[d->n] = line->coupling[0];
    return STARFISH_SUCCESS;
}

static starfish_status fill_extra(const struct starfish_direction *d, const char *name, double sign, struct line *line)
{
    for (size_t k = 0; k < d->n; k++) {
        line->weight[k] = d->weight[k];
        line->extra[k] = sign * d->weight[k] * d->sum[k];
        if (line->extra[k] < 0)
            return refuse(name, k, "makes the operator indefinite");
    }
    return STARFISH_SUCCESS;
}

static starfish_status make_line(const struct starfish_direction *d, const char *name, double sign, struct line *line)
{
    line->coupling = calloc(d->n + 1, sizeof(double));
    line->extra = calloc(d->n, sizeof(double));
    line->weight = calloc(d->n, sizeof(double));
    if (!line->coupling || !line->extra || !line->weight)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %s of %zu unknowns", name, d->n);
    STARFISH_TRY(fill_coupling(d, name, sign, line));
    return fill_extra(d, name, sign, line);
}

/* -1 where the first off-diagonal entry is positive, as in the Laplacian. */
static double sign_of(const struct starfish_poisson_plan *plan)
{
    for (int d = 0; d < 3; d++)
        for (size_t k = 0; k + 1 < plan->n[d]; k++)
            if (plan->direction[d].upper[k] != 0)
                return plan->direction[d].upper[k] > 0 ? -1 : 1;
    return plan->direction[2].diag[0] > 0 ? 1 : -1;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static double tolerance_of(const struct starfish_poisson_plan *plan)
{
    const starfish_precision precision = plan->options.precision;
    double n = 1;

    if (plan->options.tolerance > 0)
        return plan->options.tolerance;
    for (int d = 0; d < 3; d++)
        n = fmax(n, (double)plan->n[d]);
    return fmax(starfish_default_tolerance(precision), n * n * starfish_epsilon(precision));
}

/* A first direction of one unknown goes last: memory is the same, and rows are long. */
static void describe(const struct starfish_poisson_plan *plan, const struct line line[3],
                     struct starfish_stencil_problem *problem)
{
    const int shift = plan->n[0] == 1;

    for (int d = 0; d < 3; d++) {
        const int from = (d + shift) % 3;
        const starfish_end end = plan->direction[from].periodic ? STARFISH_PERIODIC : STARFISH_NEUMANN;
        problem->n[d] = plan->n[from];
        problem->ends[d][0] = problem->ends[d][1] = end;
        problem->line[d] = (struct starfish_stencil_line){line[from].coupling, line[from].extra, line[from].weight};
    }
}

static struct starfish_multigrid_options options_of(const struct starfish_poisson_plan *plan)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;

    options.precision = plan->options.precision;
    options.mixed = plan->options.mixed;
    options.inner_cycles = 1;
    options.before = options.after = 1;
    options.krylov = STARFISH_KRYLOV_CG;
    options.tolerance = plan->options.fixed ? 0 : tolerance_of(plan);
    options.max_iterations = plan->options.max_iterations;
    options.sharing = plan->options.sharing;
    options.parts = plan->options.parts;
    options.slabs = plan->options.slabs < STARFISH_KRYLOV_MOST_PARTS ? plan->options.slabs : STARFISH_KRYLOV_MOST_PARTS;
    return options;
}

/* The engine; or, where `memory` is there, what it would take. */
static starfish_status use_lines(const struct starfish_poisson_plan *plan, struct line line[3],
                                 const struct starfish_runs *runs, struct starfish_multigrid_engine **created,
                                 struct starfish_memory *memory)
{
    struct starfish_multigrid_options options = options_of(plan);
    const double sign = sign_of(plan);
    struct starfish_stencil_problem problem = {.reaction = sign * plan->lambda, .rhs_factor = sign};

    STARFISH_FAIL_IF(problem.reaction < 0, STARFISH_ERROR_UNSUPPORTED,
                     "method multigrid cannot do lambda = %g, which may make the operator indefinite", plan->lambda);
    for (int d = 0; d < 3; d++)
        STARFISH_TRY(make_line(&plan->direction[d], plan->name[d], sign, &line[d]));
    describe(plan, line, &problem);
    if (runs && plan->here.any_gpu)
        options.tail = TAIL_OF_GPUS;
    const struct starfish_stencil_faces faces = {.problem = problem};
    return starfish_multigrid_engine_create(plan->base.context, &starfish_stencil_hooks, &faces, &options, runs,
                                            created, memory);
}

/* `runs`: of planes, or NULL where the workers' kinds decide. */
static starfish_status create_engine(const struct starfish_poisson_plan *plan, const struct starfish_runs *runs,
                                     struct starfish_multigrid_engine **created, struct starfish_memory *memory)
{
    struct line line[3] = {{NULL, NULL, NULL}, {NULL, NULL, NULL}, {NULL, NULL, NULL}};
    const starfish_status status = use_lines(plan, line, runs, created, memory);

    for (int d = 0; d < 3; d++) {
        free(line[d].coupling);
        free(line[d].extra);
        free(line[d].weight);
    }
    return status;
}

static starfish_status can(const struct starfish_poisson_plan *plan)
{
    STARFISH_FAIL_IF(plan->numbers == STARFISH_TRIDIAG_COMPLEX_LINES, STARFISH_ERROR_UNSUPPORTED,
                     "method multigrid cannot do %s, which is complex", plan->name[1]);
    STARFISH_FAIL_IF(starfish_poisson_is_complex(plan) && plan->singular, STARFISH_ERROR_UNSUPPORTED,
                     "method multigrid cannot do a singular problem in complex numbers");
    return STARFISH_SUCCESS;
}

/* Slabs are the parts of the engine's finest grid, whose rows are planes; where a first direction of one unknown is the
 * last one there, the only row is the whole field. */
static starfish_status make_cut(const struct starfish_poisson_plan *plan, struct state *state)
{
    const struct starfish_space *finest = &state->engine->graph.level[0].space;
    const struct starfish_runs runs = {.parts = finest->parts[1],
                                       .first = finest->first[1],
                                       .owner = finest->apart ? finest->owner : NULL,
                                       .apart = finest->apart};

    STARFISH_TRY(starfish_runs_copy(&state->cut, &runs));
    state->cut.first[runs.parts] = plan->n[2];
    return starfish_space_runs(&state->space, plan->base.context, finest->n, &runs);
}

/* ---- Several ranks ----------------------------------------------------------------------------------------------- */

static starfish_status fill_state(struct starfish_poisson_plan *plan, const struct starfish_runs *runs,
                                  struct state *state)
{
    STARFISH_TRY(create_engine(plan, runs, &state->engine, NULL));
    state->pass = starfish_multigrid_pass(&state->engine->options);
    return make_cut(plan, state);
}

static void destroy_state(struct state *state)
{
    starfish_multigrid_engine_destroy(state->engine);
    starfish_space_destroy(&state->space);
    starfish_runs_free(&state->cut);
    free(state);
}

static void destroy(struct starfish_poisson_plan *plan)
{
    destroy_state(plan->state);
    plan->state = NULL;
}

static starfish_status make_state(struct starfish_poisson_plan *plan, const struct starfish_runs *runs)
{
    STARFISH_TRY(starfish_poisson_check_memory(plan));
    struct state *state = calloc(1, sizeof *state);
    STARFISH_FAIL_IF(!state, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    const starfish_status status = fill_state(plan, runs, state);
    if (status != STARFISH_SUCCESS) {
        destroy_state(state);
        return status;
    }
    plan->state = plan->only_graph = state;
    plan->only_cut = &state->cut;
    return STARFISH_SUCCESS;
}

/* In parts of the ranks' planes. Where these cannot be parts, or the smoother has lines across them, the first rank
 * solves for all. */
static starfish_status create_on_ranks(struct starfish_poisson_plan *plan)
{
    /* dealt.runs.parts: 0 where the planes cannot be parts. */
    const struct starfish_distribute_spec spec = {
        .most = STARFISH_KRYLOV_MOST_PARTS, .rows = plan->here.planes, .least = LEAST_PLANES, .worth = LEAST_PLANES};
    struct starfish_distributed dealt;
    starfish_status made = starfish_distribute_runs(plan->base.context, &spec, &dealt);

    if (plan->n[0] == 1)
        dealt.runs.parts = 0;
    plan->on_one_rank = dealt.runs.parts == 0;
    if (made == STARFISH_SUCCESS && !plan->on_one_rank)
        made = make_state(plan, &dealt.runs);
    starfish_runs_free(&dealt.runs);
    if (plan->on_one_rank)
        return made;
    const starfish_status status = starfish_ranks_agree(plan->base.context, made);
    if (made == STARFISH_SUCCESS && status != STARFISH_SUCCESS)
        destroy(plan);
    if (status == STARFISH_SUCCESS)
        return status;
    plan->on_one_rank = status == STARFISH_ERROR_UNSUPPORTED;
    return plan->on_one_rank ? STARFISH_SUCCESS : status;
}

/* It iterates until the residual is small: steps of refinement would do nothing. */
static starfish_status create(struct starfish_poisson_plan *plan)
{
    plan->refinements = 0;
    return starfish_context_ranks(plan->base.context) > 1 ? create_on_ranks(plan) : make_state(plan, NULL);
}

/* Of a rank, its share of what all planes take. */
static size_t share_of(const struct starfish_poisson_plan *plan, size_t bytes)
{
    return (size_t)((double)bytes * (double)plan->here.planes / (double)plan->n[2]) + 1;
}

/* The engine's, and besides copies and the residual's task, of three fields. */
static starfish_status memory_of(const struct starfish_poisson_plan *plan, struct starfish_memory *memory)
{
    const struct state *state = plan->state;
    const size_t own = starfish_context_ranks(plan->base.context) > 1 ? plan->here.planes : plan->n[2];
    const size_t field = own * starfish_poisson_plane_bytes(plan), copies = starfish_poisson_copies_bytes(plan);

    STARFISH_TRY(state ? starfish_multigrid_engine_memory(state->engine, memory)
                       : create_engine(plan, NULL, NULL, memory));
    if (!state && own < plan->n[2]) {
        memory->main_bytes = share_of(plan, memory->main_bytes);
        memory->gpu_data = share_of(plan, memory->gpu_data);
        memory->gpu_least = share_of(plan, memory->gpu_least);
    }
    memory->main_bytes += copies;
    memory->gpu_data += copies;
    const size_t residual = memory->gpu_work + starfish_device_footprint(3 * field, STARFISH_SMALL_DATA);
    memory->gpu_least = residual > memory->gpu_least ? residual : memory->gpu_least;
    return STARFISH_SUCCESS;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* A solve under way: the fields' slabs as vectors. */
struct solve {
    struct starfish_multigrid_solve multigrid; /* the first member, which the job knows */
    struct starfish_vector rhs, solution;
    struct starfish_result result;
};

/* Stores the removed mean on the first rank, which reports it. */
static starfish_status write_removed(const struct starfish_poisson_job *job, double value)
{
    const struct starfish_coefficient_table *removed = &job->removed;
    double *values = removed->memory;

    if (starfish_context_rank(job->plan->base.context) > 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_coefficient_table_acquire(removed, job->plan->base.context, STARFISH_WRITE));
    memset(values, 0, removed->count * sizeof *values);
    values[0] = value;
    starfish_coefficient_table_release(removed);
    return STARFISH_SUCCESS;
}

static starfish_status submit_rest(struct starfish_poisson_job *job, const struct starfish_result *result)
{
    if (job->plan->singular)
        STARFISH_TRY(write_removed(job, result->pertrb));
    STARFISH_TRY(starfish_graph_edges(&job->base.progress, STARFISH_PHASE_RESIDUAL, &job->solution_slabs));
    return starfish_job_submit_rest(job);
}

static starfish_status take(struct starfish_poisson_job *job, const starfish_handle *rhs,
                            const struct starfish_vector *solution)
{
    const struct state *state = job->plan->state;
    const starfish_precision precision = job->plan->options.precision;
    struct solve *solve = job->base.of_run = calloc(1, sizeof *solve);

    STARFISH_FAIL_IF(!solve, STARFISH_ERROR_MEMORY, "out of memory for a solve");
    solve->multigrid = (struct starfish_multigrid_solve){.engine = state->engine,
                                                         .pass = state->pass,
                                                         .watch = {&job->base.cancelled, starfish_job_look, &job->base},
                                                         .progress = &job->base.progress,
                                                         .result = &solve->result};
    job->base.most = state->pass.most;
    starfish_vector_borrow(&solve->rhs, &state->space, precision, rhs);
    starfish_vector_borrow(&solve->solution, &state->space, precision, solution->piece);
    return starfish_multigrid_solve_vectors(&solve->multigrid, &solve->rhs, &solve->solution);
}

/* Where it fell short, that is evidence. */
starfish_status starfish_poisson_accept(struct starfish_job *base, starfish_status status)
{
    struct starfish_poisson_job *job = (struct starfish_poisson_job *)base;
    struct solve *solve = base->of_run;

    (void)status;
    job->solved = starfish_now();
    job->cycle_seconds = solve->multigrid.seconds;
    job->unwritten = !starfish_multigrid_has_result(&solve->multigrid);
    return job->unwritten ? STARFISH_SUCCESS : submit_rest(job, &solve->result);
}

static void look(const struct starfish_poisson_job *job, struct starfish_evidence *evidence)
{
    const struct solve *solve = job->base.of_run;
    const struct starfish_result *info = &solve->result;
    const double tolerance = solve->multigrid.pass.tolerance;
    const int is_fixed = tolerance == 0 && info->outcome == STARFISH_SOLVED;

    evidence->end = is_fixed ? STARFISH_ENDED_FIXED : starfish_ending_of_outcome(info->outcome);
    evidence->iterations = info->iterations;
    evidence->asked = tolerance > 0 ? tolerance : (double)NAN;
    evidence->reached = info->residual;
    evidence->failure = solve->multigrid.failure.status == STARFISH_SUCCESS ? NULL : &solve->multigrid.failure;
}

/* When the run has ended, and what it works on is gone. */
static void fill_phases(const struct starfish_poisson_job *job, struct starfish_poisson_phases *phases)
{
    phases->phase[0].name = "cycles";
    phases->phase[0].seconds = job->cycle_seconds;
    phases->phases = 1;
}

const struct starfish_multigrid_engine *starfish_poisson_engine(const struct starfish_poisson_plan *plan)
{
    const struct state *state = plan->state;

    return state && plan->method == &starfish_multigrid_method ? state->engine : NULL;
}

const struct starfish_method_row starfish_multigrid_method = {
    .id = STARFISH_METHOD_MULTIGRID,
    .summary = "conjugate gradients preconditioned by multigrid, to a tolerance",
    .ranks = 1,
    .can = can,
    .create = create,
    .destroy = destroy,
    .memory = memory_of,
    .take = take,
    .run = starfish_multigrid_job_run,
    .look = look,
    .phases = fill_phases,
};
