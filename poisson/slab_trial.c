/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Speed of each kind of worker, measured on a few planes: solves on slabs that are alone, copies included.
 *
 * First each kind runs alone, one solve at a time, on a slab and on half of it. The difference is the cost of more
 * planes in a solve of many slabs, without the work of a single slab that nothing overlaps. Then the GPUs run with
 * several solves in flight, and both kinds at once until the cores have finished. Copies take main memory bandwidth
 * from the cores, and the cores from the copies. */
#include "poisson/slab.h"

#include "scheduler/runtime/machine.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a solve's slab, at least: enough to see the rate of a team, and of a link. */
static const size_t slab_bytes[STARFISH_WORKER_KINDS] = {[STARFISH_CPU] = 16 << 20, [STARFISH_GPU] = 96 << 20};
/* In flight at once. The cores' take turns in more memory than caches hold, as real fields do. */
static const size_t solves_per_worker[STARFISH_WORKER_KINDS] = {[STARFISH_CPU] = 4, [STARFISH_GPU] = 3};

enum {
    TIMES = 3,  /* of a lone solve, the first of which is for warming up */
    ROUNDS = 6, /* of a stream, at least: the first solves fill it */
};
/* Slabs that solves are tried on. */
enum size { HALF, WHOLE, SIZES };

struct solve {
    void *rhs, *solution;
    struct starfish_progress progress;
    struct starfish_field *field[2];
    struct starfish_coefficient_table removed;
};

/* One kind of worker. */
struct trial {
    struct starfish_poisson_plan *plan;
    int pinned;
    size_t planes[SIZES]; /* the first ones of the field */
    struct starfish_slab_graph graph[SIZES];
    size_t workers, solves;
    struct solve *solve;
};

/* ---- One solve --------------------------------------------------------------------------------------------------- */

static starfish_status submit_tasks(struct trial *trial, struct solve *solve, enum size size)
{
    const struct starfish_poisson_plan *plan = trial->plan;
    struct starfish_slab_graph *graph = &trial->graph[size];
    const size_t n[3] = {plan->n[0], plan->n[1], trial->planes[size]};
    void *const memory[] = {solve->rhs, solve->solution};
    for (int f = 0; f < 2; f++)
        STARFISH_TRY(starfish_field_over(plan->base.context, plan->options.precision, n, &graph->cut, "trial",
                                         memory[f], &solve->field[f]));
    if (plan->singular)
        STARFISH_TRY(starfish_coefficient_table_results(&solve->removed, STARFISH_CONSTANT_REMOVED));
    const struct starfish_vector solution = {.piece = solve->field[1]->handle};
    const struct starfish_direct_data data = {
        .rhs = solve->field[0]->handle, .solution = &solution, .removed = solve->removed.handle};
    STARFISH_TRY(starfish_graph_slab(graph, &solve->progress, &data));
    return starfish_graph_bring_home(&solve->progress, STARFISH_PHASE_BACKWARD, &graph->cut, solve->field[1]->handle);
}

static starfish_status finish(struct solve *solve)
{
    const starfish_status status = starfish_progress_wait(&solve->progress);
    starfish_progress_destroy(&solve->progress);
    starfish_coefficient_table_destroy(&solve->removed);
    for (int f = 0; f < 2; f++)
        starfish_field_destroy(solve->field[f]);
    *solve = (struct solve){.rhs = solve->rhs, .solution = solve->solution};
    return status;
}

static starfish_status begin(struct trial *trial, struct solve *solve, enum size size)
{
    starfish_progress_init(&solve->progress, trial->plan->base.context);
    const starfish_status status = submit_tasks(trial, solve, size);
    if (status != STARFISH_SUCCESS)
        finish(solve);
    return status;
}

static int in_flight(const struct solve *solve)
{
    return solve->field[1] != NULL;
}

static int is_done(const struct solve *solve)
{
    return atomic_load(&solve->progress.finished) == atomic_load(&solve->progress.submitted);
}

/* ---- A kind of worker -------------------------------------------------------------------------------------------- */

static starfish_status allocate(struct trial *trial)
{
    const size_t bytes = trial->planes[WHOLE] * starfish_poisson_plane_bytes(trial->plan);
    trial->solve = calloc(trial->solves, sizeof *trial->solve);
    STARFISH_FAIL_IF(!trial->solve, STARFISH_ERROR_MEMORY, "out of memory for measuring workers");
    for (size_t s = 0; s < trial->solves; s++) {
        void **const memory[] = {&trial->solve[s].rhs, &trial->solve[s].solution};
        for (int i = 0; i < 2; i++) {
            if (trial->pinned)
                STARFISH_TRY(starfish_alloc(trial->plan->base.context, bytes, memory[i]));
            else if (!(*memory[i] = malloc(bytes)))
                return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for measuring on %zu planes",
                                     trial->planes[WHOLE]);
            memset(*memory[i], 0, bytes);
        }
    }
    return STARFISH_SUCCESS;
}

static void destroy(struct trial *trial)
{
    for (size_t s = 0; trial->solve && s < trial->solves; s++) {
        struct solve *solve = &trial->solve[s];
        if (in_flight(solve))
            finish(solve);
        void *const memory[] = {solve->rhs, solve->solution};
        for (int i = 0; i < 2; i++) {
            if (trial->pinned)
                starfish_free(trial->plan->base.context, memory[i],
                              trial->planes[WHOLE] * starfish_poisson_plane_bytes(trial->plan));
            else
                free(memory[i]);
        }
    }
    free(trial->solve);
    for (int size = 0; size < SIZES; size++)
        starfish_slab_graph_destroy(&trial->graph[size]);
}

static starfish_status create_graph(struct trial *trial, enum size size, starfish_worker_kind kind)
{
    struct starfish_poisson_plan *plan = trial->plan;
    size_t first[2] = {0, trial->planes[size]};
    struct starfish_owner owner = {starfish_context_rank(plan->base.context),
                                   kind == STARFISH_GPU ? STARFISH_GPUS : STARFISH_CORES};
    const struct starfish_runs cut = {.parts = 1, .first = first, .owner = &owner};
    struct starfish_progress progress; /* a graph of one slab has nothing to prepare */
    starfish_progress_init(&progress, plan->base.context);
    const struct starfish_slab_shape shape = {.cut = &cut, .parts = 1, .reduced_device = owner.device};
    const starfish_status status = starfish_slab_graph_create(&trial->graph[size], &starfish_slab_state(plan)->space,
                                                              &plan->direction[2], &shape, &progress);
    starfish_progress_destroy(&progress);
    return status;
}

/* As many planes for each core of a team, whole and half. */
static starfish_status create(struct trial *trial, struct starfish_poisson_plan *plan,
                              enum starfish_residence residence, starfish_worker_kind kind)
{
    const size_t workers = plan->base.context->workers_of[kind], team = starfish_team_largest(plan->base.context, kind);
    const size_t half = (slab_bytes[kind] / starfish_poisson_plane_bytes(plan) / 2 / team + 1) * team,
                 most = plan->n[2];
    *trial = (struct trial){.plan = plan,
                            .pinned = kind == STARFISH_GPU && residence == STARFISH_PINNED,
                            .planes = {[HALF] = half < most ? half : most, [WHOLE] = 2 * half < most ? 2 * half : most},
                            .workers = workers,
                            .solves = solves_per_worker[kind] * workers};
    for (int size = 0; size < SIZES; size++)
        STARFISH_TRY(create_graph(trial, (enum size)size, kind));
    return allocate(trial);
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static starfish_status time_lone(struct trial *trial, enum size size, double *seconds)
{
    *seconds = INFINITY;
    for (int time = 0; time < TIMES; time++) {
        const double start = starfish_now();
        STARFISH_TRY(begin(trial, &trial->solve[(size_t)time % trial->solves], size));
        STARFISH_TRY(finish(&trial->solve[(size_t)time % trial->solves]));
        *seconds = fmin(*seconds, starfish_now() - start);
    }
    return STARFISH_SUCCESS;
}

static starfish_status measure_lone(struct trial *trial, double *planes_per_second)
{
    double time[SIZES];
    for (int size = 0; size < SIZES; size++)
        STARFISH_TRY(time_lone(trial, (enum size)size, &time[size]));
    double planes = (double)trial->planes[WHOLE], seconds = time[WHOLE];
    if (trial->planes[HALF] < trial->planes[WHOLE] && time[HALF] < time[WHOLE]) {
        planes -= (double)trial->planes[HALF];
        seconds -= time[HALF];
    }
    *planes_per_second = (double)trial->workers * planes / seconds;
    return STARFISH_SUCCESS;
}

static double rate(const struct trial *trial, size_t solves, double seconds)
{
    return (double)(solves * trial->planes[WHOLE]) / seconds;
}

static int all_done(const struct trial *trial)
{
    for (size_t s = 0; s < trial->solves; s++)
        if (!is_done(&trial->solve[s]))
            return 0;
    return 1;
}

static starfish_status begin_all(struct trial *trial)
{
    for (size_t s = 0; s < trial->solves; s++)
        STARFISH_TRY(begin(trial, &trial->solve[s], WHOLE));
    return STARFISH_SUCCESS;
}

static starfish_status finish_all(struct trial *trial)
{
    for (size_t s = 0; s < trial->solves; s++)
        STARFISH_TRY(finish(&trial->solve[s]));
    return STARFISH_SUCCESS;
}

/* The GPUs begin a solve again as soon as it is done, until the cores, if any work, have done all of theirs. */
static starfish_status measure_stream(struct trial *gpus, struct trial *cores, double *gpu_rate, double *cores_rate)
{
    const double start = starfish_now();
    double cores_end = cores ? 0 : start;
    size_t solves = 0, next = 0;
    if (cores)
        STARFISH_TRY(begin_all(cores));
    STARFISH_TRY(begin_all(gpus));
    while (solves < ROUNDS * gpus->solves || cores_end == 0) {
        struct solve *oldest = &gpus->solve[next];
        next = next + 1 < gpus->solves ? next + 1 : 0;
        solves++;
        STARFISH_TRY(finish(oldest));
        STARFISH_TRY(begin(gpus, oldest, WHOLE));
        if (cores && cores_end == 0 && all_done(cores))
            cores_end = starfish_now();
    }
    *gpu_rate = rate(gpus, solves, starfish_now() - start);
    if (cores) {
        *cores_rate = rate(cores, cores->solves, cores_end - start);
        STARFISH_TRY(finish_all(cores));
    }
    return finish_all(gpus);
}

static starfish_status measure_streams(struct trial trial[STARFISH_WORKER_KINDS], struct starfish_rates *rates)
{
    struct trial *cores = &trial[STARFISH_CPU], *gpus = &trial[STARFISH_GPU];
    STARFISH_TRY(begin_all(gpus)); /* the runtime allocates device memory */
    STARFISH_TRY(finish_all(gpus));
    STARFISH_TRY(measure_stream(gpus, NULL, &rates->gpu_stream, NULL));
    return measure_stream(gpus, cores, &rates->stream[STARFISH_GPU], &rates->stream[STARFISH_CPU]);
}

/* What a recorded machine did. */
static int recorded(const struct starfish_poisson_plan *plan, struct starfish_rates *rates)
{
    const struct starfish_machine *machine = starfish_machine_named();
    return machine && starfish_machine_rates_of(machine, plan->n[0], plan->n[1], plan->options.precision, rates);
}

starfish_status starfish_slab_trial(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                    struct starfish_rates *rates)
{
    starfish_status status = STARFISH_SUCCESS;
    if (recorded(plan, rates))
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(starfish_machine_is_simulated(), STARFISH_ERROR_UNSUPPORTED,
                     "machine %s: no rates in this precision have been recorded", starfish_machine_named()->name);
    struct trial *const trial = calloc(STARFISH_WORKER_KINDS, sizeof *trial); /* 450 kB: too much for a stack */
    STARFISH_FAIL_IF(!trial, STARFISH_ERROR_MEMORY, "out of memory for a trial of slabs");
    for (int kind = 0; kind < STARFISH_WORKER_KINDS && status == STARFISH_SUCCESS; kind++) {
        status = create(&trial[kind], plan, residence, (starfish_worker_kind)kind);
        STARFISH_THEN(status, measure_lone(&trial[kind], &rates->lone[kind]));
    }
    STARFISH_THEN(status, measure_streams(trial, rates));
    if (status == STARFISH_SUCCESS)
        starfish_log(
            plan->base.context, STARFISH_LOG_INFO,
            "planes of %zu x %zu per second: lone solves, cores %.0f, GPUs %.0f; streams, cores %.0f and GPUs %.0f "
            "at once, GPUs alone %.0f",
            plan->n[0], plan->n[1], rates->lone[STARFISH_CPU], rates->lone[STARFISH_GPU], rates->stream[STARFISH_CPU],
            rates->stream[STARFISH_GPU], rates->gpu_stream);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        destroy(&trial[kind]);
    free(trial);
    return status;
}
