/* Solves: cycles alone, and where these are slow or stall cycles as a preconditioner of flexible conjugate gradients,
 * or, where cycles are too far from symmetric for these, of BiCGStab. */
#include "fem/plan.h"

#include "base/arithmetic.h"
#include "base/precision.h"
#include "base/real.h"
#include "fem/ranks.h"
#include "multigrid/solve.h"
#include "scheduler/host_loop.h"
#include "scheduler/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct solving {
    struct starfish_fem_plan *plan;
    struct starfish_fem_info info;
    struct starfish_multigrid_solve last;
};

/* Loops over nodes are by all cores: one would take as long as some cycles of a GPU. */
enum { RUN = 1 << 16 };

/* ---- Iterations -------------------------------------------------------------------------------------------------- */

/* The unknowns that this rank owns. */
static void *own(const struct solving *s, void *array)
{
    return (char *)array + s->plan->own[0] * starfish_real_size(s->plan->options.precision);
}

/* What a run is to come to: from u where that is any good. */
static struct starfish_pass pass_of(const struct solving *s, starfish_fem_krylov krylov, int most)
{
    static const int variants[] = {[STARFISH_FEM_KRYLOV_NONE] = STARFISH_MULTIGRID_CYCLES,
                                   [STARFISH_FEM_KRYLOV_CG] = STARFISH_MULTIGRID_CG,
                                   [STARFISH_FEM_KRYLOV_BICGSTAB] = STARFISH_MULTIGRID_BICGSTAB};
    const struct starfish_fem_plan *plan = s->plan;
    const double tolerance = plan->options.fixed ? 0 : plan->options.tolerance;

    return (struct starfish_pass){.variant = variants[krylov],
                                  .most = most,
                                  .from_guess = s->info.iterations > 0 && s->info.residual < 1,
                                  .tolerance = tolerance,
                                  .absolute = plan->volume ? tolerance * plan->load_norm : 0};
}

/* Some cycles, alone (NONE) or as a preconditioner. */
static starfish_status run(struct solving *s, starfish_fem_krylov krylov, int most)
{
    struct starfish_multigrid_solve *last = &s->last;
    const struct starfish_multigrid_info *info = &last->info;

    *last = (struct starfish_multigrid_solve){.engine = s->plan->multigrid, .pass = pass_of(s, krylov, most)};
    STARFISH_TRY(starfish_multigrid_solve_arrays(last, own(s, s->plan->f), own(s, s->plan->u)));
    starfish_multigrid_drive(last);
    const starfish_status status = starfish_failure_repeat(&last->failure);
    if (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL) {
        s->info.iterations += last->pass.steps;
        s->info.preconditioned += krylov != STARFISH_FEM_KRYLOV_NONE ? last->pass.steps : 0;
        s->info.seconds += info->seconds;
        s->info.residual = info->residual * info->rhs_norm / s->plan->load_norm;
    }
    return status;
}

const struct starfish_acceptance starfish_fem_acceptance = {.excused = 1 << STARFISH_ENDED_STALLED |
                                                                       1 << STARFISH_ENDED_EXHAUSTED,
                                                            .diverged_above = 1,
                                                            .of_nan = STARFISH_DIVERGED,
                                                            .tells_rounding = 1};

/* What cycles that ended with `status` came to. */
static starfish_status accept(struct solving *s, starfish_status status)
{
    struct starfish_failure failure = {STARFISH_SUCCESS, ""};
    struct starfish_evidence evidence = {.end = starfish_ending_of_outcome(s->last.info.outcome),
                                         .iterations = s->info.iterations,
                                         .asked = 0, /* as info.tolerated has it where nothing is excused */
                                         .reached = s->info.residual,
                                         .rounding = (double)NAN,
                                         .failure = &failure};
    struct starfish_judgement judgement;

    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_failure_keep(&failure, status);
    if (starfish_needs_rounding(&starfish_fem_acceptance, &evidence))
        STARFISH_TRY(starfish_fem_rounding(s->plan, s->plan->u, &evidence.rounding));
    status = starfish_accept(&starfish_fem_acceptance, &evidence, &judgement);
    s->info.outcome = judgement.outcome;
    s->info.tolerated = judgement.tolerance;
    return status;
}

/* BiCGStab begins anew, with another shadow residual, as long as that halves the residual. */
static starfish_status run_and_judge(struct solving *s, starfish_fem_krylov krylov, int most)
{
    const int all = s->plan->options.max_iterations;
    double before;
    starfish_status status;

    do {
        before = s->info.iterations > 0 ? s->info.residual : HUGE_VAL;
        status = accept(s, run(s, krylov, most < all - s->info.iterations ? most : all - s->info.iterations));
    } while (status == STARFISH_ERROR_NUMERICAL && krylov == STARFISH_FEM_KRYLOV_BICGSTAB && s->info.iterations < all &&
             s->info.residual < 0.5 * before);
    return status;
}

/* One after the other, each going on from what the last has left: cycles alone, which should need some tens, conjugate
 * gradients, BiCGStab; or the one that is asked for. */
static starfish_status iterate(struct solving *s)
{
    enum { ENOUGH = 60 };
    const int most = s->plan->options.max_iterations;
    const starfish_fem_krylov krylov = s->plan->options.krylov;
    starfish_status status = STARFISH_ERROR_NUMERICAL;

    if (krylov != STARFISH_FEM_KRYLOV_AUTO)
        return run_and_judge(s, krylov, most);
    if (s->plan->options.fixed)
        return run_and_judge(s, STARFISH_FEM_KRYLOV_NONE, most);
    for (starfish_fem_krylov k = STARFISH_FEM_KRYLOV_NONE; k <= STARFISH_FEM_KRYLOV_BICGSTAB; k++)
        if (status == STARFISH_ERROR_NUMERICAL && s->info.iterations < most)
            status = run_and_judge(s, k, k == STARFISH_FEM_KRYLOV_NONE ? ENOUGH : most);
    return status;
}

/* ---- The solution ------------------------------------------------------------------------------------------------ */

static double integral_at(const void *data, size_t i)
{
    const struct solving *s = data;

    return s->plan->volume[i] * starfish_element(s->plan->u, s->plan->options.precision, i);
}

/* Unknowns on their way to the user's array. */
struct spreading {
    const struct solving *solving;
    const void *all;    /* unknowns */
    const double *mean; /* by floating component, NULL: there are none */
    void *u;
};

static void spread_nodes(void *data, size_t first, size_t last)
{
    const struct spreading *spreading = data;
    const struct solving *s = spreading->solving;
    const struct starfish_fem_space *space = &s->plan->space;
    const starfish_precision precision = s->plan->options.precision;

    for (size_t n = first; n < last; n++) {
        const int unknown = space->unknown[n];
        const int component = spreading->mean && unknown >= 0 ? s->plan->floating.of[unknown] : -1;
        const double constant = component >= 0 ? spreading->mean[component] : 0;
        starfish_element_set(spreading->u, precision, n,
                             unknown < 0 ? space->given[n]
                                         : starfish_element(spreading->all, precision, (size_t)unknown) - constant);
    }
}

/* All unknowns to the user's array; NULL: to none. */
static starfish_status spread(const struct solving *s, void *u)
{
    void *together = NULL;
    double *mean;

    STARFISH_TRY(starfish_fem_means(s->plan, integral_at, s, &mean));
    const starfish_status status =
        s->plan->is_dealt ? starfish_fem_bring_together(s->plan, s->plan->u, u != NULL, &together) : STARFISH_SUCCESS;
    struct spreading spreading = {s, together ? together : s->plan->u, mean, u};
    if (u && status == STARFISH_SUCCESS)
        starfish_host_loop_in_call(s->plan->space.nodes, RUN, spread_nodes, &spreading);
    free(mean);
    free(together);
    return status;
}

/* Ranks have all come here with an array, or one that needs none. */
static starfish_status check_array(const struct solving *s, const void *u)
{
    const struct starfish_context *context = s->plan->context;
    const int needed = starfish_context_rank(context) == 0;

    return starfish_ranks_agree(context,
                                u || !needed ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_ARGUMENT, "u is NULL"));
}

static starfish_status solve(struct solving *s, void *u)
{
    starfish_status status = STARFISH_SUCCESS;
    struct starfish_failure failure = {STARFISH_SUCCESS, ""};

    STARFISH_TRY(check_array(s, u));
    if (s->plan->has_load)
        status = starfish_ranks_agree(s->plan->context, iterate(s));
    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_failure_keep(&failure, status);
    if (s->info.iterations == 0) /* the last solve's is there */
        memset(own(s, s->plan->u), 0,
               (s->plan->own[1] - s->plan->own[0]) * starfish_real_size(s->plan->options.precision));
    STARFISH_TRY(spread(s, u));
    return starfish_failure_repeat(&failure);
}

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

struct starfish_fem_job {
    struct solving solving;
    void *u;
    struct starfish_turn turn;
    struct starfish_failure failure;
};

static void drive(void *data)
{
    struct starfish_fem_job *job = data;

    starfish_failure_keep(&job->failure, solve(&job->solving, job->u));
}

static starfish_status create_job(starfish_fem_plan *plan, void *u, struct starfish_fem_job **created)
{
    STARFISH_NEED(plan, "plan");
    *created = calloc(1, sizeof **created);
    if (!*created)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a solve");
    (*created)->u = u;
    (*created)->solving = (struct solving){.plan = plan,
                                           .info = {.unknowns = plan->space.unknowns,
                                                    .nonzeros = plan->nonzeros,
                                                    .levels = plan->levels,
                                                    .removed = plan->removed,
                                                    .setup_seconds = plan->setup_seconds,
                                                    .smoother_seconds = plan->smoother_seconds,
                                                    .smoother_nonzeros = plan->smoother_nonzeros}};
    return STARFISH_SUCCESS;
}

/* What it came to, in this thread. */
static starfish_status end(struct starfish_fem_job *job, struct starfish_fem_info *info)
{
    const starfish_status status = starfish_failure_repeat(&job->failure);

    if (info)
        *info = job->solving.info;
    free(job);
    return status;
}

starfish_status starfish_fem_solve(starfish_fem_plan *plan, void *u, struct starfish_fem_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_fem_job *job;

    STARFISH_TRY(create_job(plan, u, &job));
    starfish_turn_take(&job->turn, &plan->queue, drive, job);
    return end(job, info);
}

starfish_status starfish_fem_submit(starfish_fem_plan *plan, void *u, starfish_fem_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_fem_job *created;

    STARFISH_NEED(job, "job");
    *job = NULL;
    STARFISH_TRY(create_job(plan, u, &created));
    const starfish_status status = starfish_turn_start(&created->turn, plan->context, &plan->queue, drive, created);
    if (status != STARFISH_SUCCESS) {
        free(created);
        return status;
    }
    *job = created;
    return STARFISH_SUCCESS;
}

starfish_status starfish_fem_wait(starfish_fem_job *job, struct starfish_fem_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(job, "job");
    STARFISH_TRY(starfish_turn_wait(&job->turn)); /* where it fails, the thread still has the job */
    return end(job, info);
}
