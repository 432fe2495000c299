/* Solves: the user's arrays become runtime data, which the iteration (iterate.c) works on, in the thread that asks for
 * a solution or in one of the job's own. The solves of a plan take turns, as they share its vectors. */
#include "multigrid/solve.h"

#include "base/arithmetic.h"
#include "base/precision.h"
#include "scheduler/ranks.h"
#include "solver/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct starfish_multigrid_job {
    struct starfish_multigrid_plan *plan;
    struct starfish_turn turn;
    atomic_int cancelled;
    starfish_multigrid_progress *tell;
    void *tell_data;
    struct starfish_multigrid_then then;
    /* Right-hand side and solution: the user's memory, on a node of the runtime's; or vectors. */
    struct {
        void *memory;
        int node;
        struct starfish_vector over;
        const struct starfish_vector *vector;
    } array[2];
    struct starfish_progress progress;
    struct starfish_multigrid_info info;
    double size;  /* of driver.h */
    double floor; /* what rounding errors leave of a right-hand side that is the constant taken off */
    struct starfish_failure failure;
};

enum { RHS, SOLUTION };

/* ---- One solve --------------------------------------------------------------------------------------------------- */

/* An array that lacks the ghosts which the plan's vectors have. */
static int needs_copy(const struct starfish_space *space, const struct starfish_vector *vector)
{
    return space->apart && space->halos > 0 && !vector->ghosts;
}

static starfish_status copy(struct starfish_multigrid_job *job, enum starfish_multigrid_array which,
                            const struct starfish_vector *from, const struct starfish_vector *to)
{
    const struct starfish_algebra algebra = {&job->progress, STARFISH_PHASE_VECTORS, job->plan->op.setting.where};

    if (job->plan->hooks->arrange)
        return job->plan->hooks->arrange(job->plan, &job->progress, which, from, to);
    return starfish_algebra_update(&algebra, from, NULL, NULL, to);
}

/* The array as a vector on the plan's space. */
static starfish_status take(struct starfish_multigrid_job *job, int which, const struct starfish_vector **vector)
{
    struct starfish_multigrid_plan *plan = job->plan;
    const struct starfish_space *space = plan->hooks->arrange ? &plan->users : plan->op.space;

    if (!job->array[which].vector) {
        STARFISH_TRY(starfish_vector_over(&job->array[which].over, space, plan->options.precision,
                                          job->array[which].node, job->array[which].memory,
                                          which == RHS ? "rhs" : "solution"));
        job->array[which].vector = &job->array[which].over;
    }
    *vector = job->array[which].vector;
    if (!plan->hooks->arrange && !needs_copy(space, *vector))
        return STARFISH_SUCCESS;
    *vector = &plan->work.copy[which];
    if (which == SOLUTION && !plan->options.initial_guess)
        return STARFISH_SUCCESS;
    return copy(job, which == RHS ? STARFISH_MULTIGRID_RHS : STARFISH_MULTIGRID_GUESS, job->array[which].vector,
                *vector);
}

static starfish_status finish(struct starfish_multigrid_job *job, const struct starfish_vector *u)
{
    struct starfish_multigrid_plan *plan = job->plan;

    if (plan->hooks->finish)
        STARFISH_TRY(plan->hooks->finish(plan, &job->progress, u));
    return u == job->array[SOLUTION].vector ? STARFISH_SUCCESS
                                            : copy(job, STARFISH_MULTIGRID_SOLUTION, u, job->array[SOLUTION].vector);
}

static void record(struct starfish_multigrid_job *job, starfish_status status)
{
    starfish_failure_keep(&job->failure, status);
}

static starfish_status begin(struct starfish_multigrid_job *job, struct starfish_multigrid_solve *solve)
{
    struct starfish_multigrid_plan *plan = job->plan;
    const struct starfish_vector *rhs;

    if (atomic_load(&job->cancelled)) {
        job->info.outcome = STARFISH_CANCELLED;
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "cancelled before its turn");
    }
    STARFISH_TRY(take(job, RHS, &rhs));
    STARFISH_TRY(take(job, SOLUTION, &solve->u));
    solve->f = rhs;
    return plan->hooks->prepare
               ? plan->hooks->prepare(plan, &job->progress, rhs, &solve->f, &job->info.removed, &solve->floor)
               : STARFISH_SUCCESS;
}

int starfish_multigrid_has_result(const struct starfish_multigrid_plan *plan, starfish_status status,
                                  const struct starfish_multigrid_info *info)
{
    return status == STARFISH_SUCCESS ||
           (status == STARFISH_ERROR_NUMERICAL && (info->cycles > 0 || plan->options.initial_guess));
}

/* What cannot be found stays 0. */
static void find_size(struct starfish_multigrid_job *job, const struct starfish_vector *u)
{
    const struct starfish_multigrid_plan *plan = job->plan;
    const struct starfish_operator_step step = {.u = u, .sums = &plan->work.sums, .absolute = 1};
    double square;

    if (job->failure.status != STARFISH_ERROR_NUMERICAL || !plan->op.setting.kind || !plan->op.setting.kind->has_sizes)
        return;
    if (starfish_operator_advance(&plan->op, &job->progress, &step) == STARFISH_SUCCESS &&
        starfish_sums_total(&plan->work.sums, plan->context, &square) == STARFISH_SUCCESS)
        job->size = sqrt(square);
}

static void run(struct starfish_multigrid_job *job)
{
    struct starfish_multigrid_solve solve = {.plan = job->plan,
                                             .progress = &job->progress,
                                             .cancelled = &job->cancelled,
                                             .tell = job->tell,
                                             .tell_data = job->tell_data,
                                             .info = &job->info};
    const starfish_status begun = begin(job, &solve);

    job->floor = solve.floor;
    if (begun != STARFISH_SUCCESS) {
        record(job, begun);
        return;
    }
    record(job, starfish_multigrid_iterate(&solve));
    if (!starfish_multigrid_has_result(solve.plan, job->failure.status, &job->info))
        return;
    find_size(job, solve.u);
    const starfish_status finished = finish(job, solve.u);
    if (job->failure.status == STARFISH_SUCCESS)
        record(job, finished);
}

static void fill_info(struct starfish_multigrid_job *job)
{
    struct starfish_multigrid_info *info = &job->info;

    info->levels = job->plan->graph.all_levels;
    info->smoother = job->plan->options.smoother;
    info->matrix = job->plan->options.matrix;
    info->seconds = starfish_progress_seconds(&job->progress);
    memcpy(info->worker, job->progress.done, sizeof info->worker);
}

/* Was the right-hand side zero, or are only its squares? Only where cores can look. Squares that are lost beside the
 * floor are rounding errors of a constant that was taken off. */
static starfish_status check_zero(const struct starfish_multigrid_job *job)
{
    const struct starfish_multigrid_plan *plan = job->plan;
    const struct starfish_space *space = plan->hooks->arrange ? &plan->users : plan->op.space;
    const void *const rhs = job->array[RHS].memory;
    double largest = 0;
    size_t first, rows;

    starfish_space_rows_here(space, &first, &rows);
    if (!rhs || job->array[RHS].node != STARFISH_MAIN_MEMORY || job->floor >= STARFISH_LEAST_NORM)
        return STARFISH_SUCCESS;
    for (size_t e = 0; e < rows * space->n[0]; e++)
        largest = fmax(largest, fabs(starfish_element(rhs, plan->options.precision, e)));
    return largest > 0 ? starfish_fail(STARFISH_ERROR_ARGUMENT, STARFISH_RHS_TOO_SMALL, largest) : STARFISH_SUCCESS;
}

/* Arrays come home when they are unregistered. A failure of a task is more than one of the numbers that it left. */
static void drive(void *data)
{
    struct starfish_multigrid_job *job = data;

    starfish_progress_init(&job->progress, job->plan->context);
    run(job);
    record(job, starfish_progress_wait(&job->progress));
    if (job->failure.status == STARFISH_SUCCESS && job->info.rhs_norm == 0)
        record(job, check_zero(job));
    if (job->plan->op.space->on_ranks) /* what has failed on one rank has failed on all */
        record(job, starfish_ranks_agree(job->plan->context, starfish_failure_repeat(&job->failure)));
    for (int which = 0; which < 2; which++)
        starfish_vector_destroy(&job->array[which].over);
    fill_info(job);
    if (job->then.function)
        record(job, job->then.function(job->then.data, job->failure.status, &job->info));
    if (!starfish_is_stuck())
        starfish_progress_destroy(&job->progress);
}

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

static starfish_status create_job(struct starfish_multigrid_plan *plan, struct starfish_multigrid_job **job)
{
    *job = calloc(1, sizeof **job);
    if (!*job)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a solve");
    (*job)->plan = plan;
    (*job)->tell = plan->work.tell;
    (*job)->tell_data = plan->work.tell_data;
    return STARFISH_SUCCESS;
}

/* Of several ranks some may have nothing of the arrays. */
static starfish_status find_places(const struct starfish_multigrid_plan *plan, const void *rhs, const void *solution,
                                   int node[2])
{
    const struct starfish_space *space = plan->hooks->arrange ? &plan->users : plan->op.space;
    size_t first, rows;

    starfish_space_rows_here(space, &first, &rows);
    node[RHS] = node[SOLUTION] = -1;
    return starfish_ranks_agree(plan->context, rows == 0 ? STARFISH_SUCCESS
                                                         : starfish_memory_places(plan->context, rhs, solution,
                                                                                  plan->options.precision, rows, node));
}

static starfish_status create_over(starfish_multigrid_plan *plan, const void *rhs, void *solution,
                                   struct starfish_multigrid_job **created)
{
    struct starfish_multigrid_job *job;
    int node[2];

    STARFISH_NEED(plan, "plan");
    STARFISH_TRY(find_places(plan, rhs, solution, node));
    const starfish_status status = starfish_ranks_agree(plan->context, create_job(plan, &job));
    if (status != STARFISH_SUCCESS) {
        free(job);
        return status;
    }
    job->array[RHS].memory = (void *)(uintptr_t)rhs;
    job->array[SOLUTION].memory = solution;
    for (int which = 0; which < 2; which++)
        job->array[which].node = node[which];
    *created = job;
    return STARFISH_SUCCESS;
}

static int has_the_same_runs(const struct starfish_space *a, const struct starfish_space *b, int direction)
{
    return a->n[direction] == b->n[direction] && a->parts[direction] == b->parts[direction] &&
           memcmp(a->first[direction], b->first[direction], (a->parts[direction] + 1) * sizeof a->first[0][0]) == 0;
}

/* Tasks go by rows, and sweeps by columns alone. */
static starfish_status check_cut(const struct starfish_multigrid_plan *plan, const char *name,
                                 const struct starfish_vector *vector)
{
    const struct starfish_space *a = vector->space, *b = plan->op.space;
    const int columns = has_the_same_runs(a, b, 0) || ((plan->options.conjugate_gradients || plan->options.bicgstab) &&
                                                       a->n[0] == b->n[0] && a->parts[0] == 1);

    if (vector->precision != plan->options.precision || !columns || !has_the_same_runs(a, b, 1))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s has another precision or cut than the plan", name);
    return STARFISH_SUCCESS;
}

static starfish_status create_on(struct starfish_multigrid_plan *plan, const struct starfish_vector *rhs,
                                 const struct starfish_vector *solution, struct starfish_multigrid_job **job)
{
    STARFISH_TRY(check_cut(plan, "rhs", rhs));
    STARFISH_TRY(check_cut(plan, "solution", solution));
    STARFISH_TRY(create_job(plan, job));
    (*job)->array[RHS].vector = rhs;
    (*job)->array[SOLUTION].vector = solution;
    return STARFISH_SUCCESS;
}

/* What it came to, in this thread. */
static starfish_status end(struct starfish_multigrid_job *job, struct starfish_multigrid_info *info)
{
    const starfish_status status = starfish_failure_repeat(&job->failure);

    if (info)
        *info = job->info;
    if (!starfish_is_stuck())
        free(job);
    return status;
}

static starfish_status drive_here(struct starfish_multigrid_job *job, struct starfish_multigrid_info *info)
{
    starfish_turn_take(&job->turn, &job->plan->work.queue, drive, job);
    return end(job, info);
}

static starfish_status start(struct starfish_multigrid_job *job, struct starfish_multigrid_job **started)
{
    const starfish_status status =
        starfish_turn_start(&job->turn, job->plan->context, &job->plan->work.queue, drive, job);

    if (status != STARFISH_SUCCESS) {
        free(job);
        return status;
    }
    *started = job;
    return STARFISH_SUCCESS;
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

starfish_status starfish_multigrid_solve(starfish_multigrid_plan *plan, const void *rhs, void *solution,
                                         struct starfish_multigrid_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_multigrid_job *job;

    STARFISH_TRY(create_over(plan, rhs, solution, &job));
    return drive_here(job, info);
}

starfish_status starfish_multigrid_submit(starfish_multigrid_plan *plan, const void *rhs, void *solution,
                                          starfish_multigrid_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_multigrid_job *created;

    STARFISH_NEED(job, "job");
    *job = NULL;
    STARFISH_TRY(create_over(plan, rhs, solution, &created));
    return start(created, job);
}

starfish_status starfish_multigrid_submit_vectors(struct starfish_multigrid_plan *plan,
                                                  const struct starfish_vector *rhs,
                                                  const struct starfish_vector *solution,
                                                  const struct starfish_multigrid_then *then,
                                                  starfish_multigrid_job **job)
{
    struct starfish_multigrid_job *created;

    *job = NULL;
    STARFISH_TRY(create_on(plan, rhs, solution, &created));
    if (then)
        created->then = *then;
    return start(created, job);
}

starfish_status starfish_multigrid_wait_size(struct starfish_multigrid_job *job, struct starfish_multigrid_info *info,
                                             double *size)
{
    STARFISH_TRY(starfish_turn_wait(&job->turn)); /* where it fails, the thread still has the job */
    *size = job->size;
    return end(job, info);
}

starfish_status starfish_multigrid_wait(starfish_multigrid_job *job, struct starfish_multigrid_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    double size;

    STARFISH_NEED(job, "job");
    return starfish_multigrid_wait_size(job, info, &size);
}

void starfish_multigrid_cancel(starfish_multigrid_job *job)
{
    if (job)
        atomic_store(&job->cancelled, 1);
}
