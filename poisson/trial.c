/* What the workers of each kind do, measured on a few planes: solves on slabs that are alone, copies included.
 *
 * First each kind by itself, one solve at a time. Then both at once, each with several solves in flight, until the cores
 * have done theirs: copies take bandwidth of the main memory from the cores, and the cores from the copies. */
#include "poisson/plan.h"

#include "base/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BYTES_PER_SOLVE = 16 << 20, /* enough to see the rate of a link or of a team */
    SOLVES_PER_WORKER = 4,      /* in flight */
    TIMES = 3                   /* of a lone solve, the first of which is for warming up */
};

struct solve {
    void *rhs, *solution;
    struct starfish_progress progress;
    struct starfish_field *field[2];
    struct starfish_vector removed;
};

/* One kind of worker. */
struct trial {
    struct starfish_poisson_plan *plan;
    enum starfish_residence residence;
    size_t n[3]; /* of one solve's slab: the first planes of the field */
    struct starfish_slab_graph graph;
    size_t workers, solves;
    struct solve *solve;
};

static size_t solve_bytes(const struct trial *trial)
{
    return trial->n[0] * trial->n[1] * trial->n[2] * starfish_real_size(trial->plan->options.precision);
}

/* ---- One solve -------------------------------------------------------------------------------------------------------- */

static starfish_status submit_tasks(struct trial *trial, struct solve *solve)
{
    const struct starfish_poisson_plan *plan = trial->plan;
    void *const memory[] = {solve->rhs, solve->solution};
    for (int f = 0; f < 2; f++)
        STARFISH_TRY(starfish_field_over(plan->context, plan->options.precision, trial->n, &trial->graph.cut, "trial",
                                         memory[f], &solve->field[f]));
    if (plan->singular)
        STARFISH_TRY(starfish_vector_results(&solve->removed, STARFISH_CONSTANT_MOMENTS));
    STARFISH_TRY(starfish_graph_slab(&trial->graph, &solve->progress, solve->field[0]->handle,
                                     solve->field[1]->handle, solve->removed.handle));
    return starfish_graph_bring_home(&solve->progress, STARFISH_PHASE_BACKWARD, &trial->graph.cut,
                                     solve->field[1]->handle);
}

static starfish_status finish(struct solve *solve)
{
    const starfish_status status = starfish_progress_wait(&solve->progress);
    starfish_progress_destroy(&solve->progress);
    starfish_vector_destroy(&solve->removed);
    for (int f = 0; f < 2; f++)
        starfish_field_destroy(solve->field[f]);
    *solve = (struct solve){.rhs = solve->rhs, .solution = solve->solution};
    return status;
}

static starfish_status begin(struct trial *trial, struct solve *solve)
{
    starfish_progress_init(&solve->progress, trial->plan->context);
    const starfish_status status = submit_tasks(trial, solve);
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

/* ---- A kind of worker ------------------------------------------------------------------------------------------------ */

static starfish_status allocate(struct trial *trial)
{
    const size_t bytes = solve_bytes(trial);
    trial->solve = calloc(trial->solves, sizeof *trial->solve);
    if (!trial->solve)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for measuring workers");
    for (size_t s = 0; s < trial->solves; s++) {
        void **const memory[] = {&trial->solve[s].rhs, &trial->solve[s].solution};
        for (int i = 0; i < 2; i++) {
            if (trial->residence == STARFISH_PINNED)
                STARFISH_TRY(starfish_alloc(trial->plan->context, bytes, memory[i]));
            else if (!(*memory[i] = malloc(bytes)))
                return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for measuring on %zu planes", trial->n[2]);
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
            if (trial->residence == STARFISH_PINNED)
                starfish_free(trial->plan->context, memory[i], solve_bytes(trial));
            else
                free(memory[i]);
        }
    }
    free(trial->solve);
    starfish_slab_graph_destroy(&trial->graph);
}

static starfish_status create(struct trial *trial, struct starfish_poisson_plan *plan,
                              enum starfish_residence residence, starfish_worker_kind kind)
{
    const size_t plane = plan->n[0] * plan->n[1] * starfish_real_size(plan->options.precision);
    const size_t planes = BYTES_PER_SOLVE / plane;
    const uint32_t where = kind == STARFISH_GPU ? STARPU_CUDA : STARPU_CPU;
    *trial = (struct trial){.plan = plan,
                            .residence = residence,
                            .n = {plan->n[0], plan->n[1], planes < 1 ? 1 : planes < plan->n[2] ? planes : plan->n[2]},
                            .workers = plan->context->workers_of[kind]};
    trial->solves = SOLVES_PER_WORKER * trial->workers;
    struct starfish_cut cut = starfish_cut_equally(trial->n[2], 1);
    cut.where[0] = where;
    struct starfish_progress progress; /* a graph of one slab has nothing to prepare */
    starfish_progress_init(&progress, plan->context);
    starfish_status status =
        starfish_slab_graph_create(&trial->graph, &plan->space, &plan->direction[2], &cut, 1, where, &progress);
    starfish_progress_destroy(&progress);
    return status == STARFISH_SUCCESS ? allocate(trial) : status;
}

/* ---- Measuring ------------------------------------------------------------------------------------------------------- */

static double rate(const struct trial *trial, size_t solves, double microseconds)
{
    return 1e6 * (double)(solves * trial->n[2]) / microseconds;
}

static starfish_status measure_lone(struct trial *trial, double *planes_per_second)
{
    double best = INFINITY;
    for (int time = 0; time < TIMES; time++) {
        const double start = starpu_timing_now();
        STARFISH_TRY(begin(trial, &trial->solve[0]));
        STARFISH_TRY(finish(&trial->solve[0]));
        best = fmin(best, starpu_timing_now() - start);
    }
    *planes_per_second = (double)trial->workers * rate(trial, 1, best);
    return STARFISH_SUCCESS;
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
        STARFISH_TRY(begin(trial, &trial->solve[s]));
    return STARFISH_SUCCESS;
}

static starfish_status finish_all(struct trial *trial)
{
    for (size_t s = 0; s < trial->solves; s++)
        STARFISH_TRY(finish(&trial->solve[s]));
    return STARFISH_SUCCESS;
}

/* The GPUs begin a solve again as soon as it is done, until the cores have done all of theirs. */
static starfish_status measure_stream(struct trial trial[STARFISH_WORKER_KINDS],
                                      double planes_per_second[STARFISH_WORKER_KINDS])
{
    struct trial *cores = &trial[STARFISH_CPU], *gpus = &trial[STARFISH_GPU];
    STARFISH_TRY(begin_all(gpus)); /* the runtime allocates device memory */
    STARFISH_TRY(finish_all(gpus));
    const double start = starpu_timing_now();
    double cores_end = 0;
    size_t solves = 0;
    STARFISH_TRY(begin_all(cores));
    STARFISH_TRY(begin_all(gpus));
    while (solves < gpus->solves || cores_end == 0) {
        struct solve *oldest = &gpus->solve[solves++ % gpus->solves];
        STARFISH_TRY(finish(oldest));
        STARFISH_TRY(begin(gpus, oldest));
        if (cores_end == 0 && all_done(cores))
            cores_end = starpu_timing_now();
    }
    planes_per_second[STARFISH_GPU] = rate(gpus, solves, starpu_timing_now() - start);
    planes_per_second[STARFISH_CPU] = rate(cores, cores->solves, cores_end - start);
    STARFISH_TRY(finish_all(cores));
    return finish_all(gpus);
}

starfish_status starfish_poisson_trial(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                       struct starfish_trial_rates *rates)
{
    struct trial trial[STARFISH_WORKER_KINDS] = {{.solve = NULL}, {.solve = NULL}};
    starfish_status status = STARFISH_SUCCESS;
    for (int kind = 0; kind < STARFISH_WORKER_KINDS && status == STARFISH_SUCCESS; kind++) {
        status = create(&trial[kind], plan, residence, (starfish_worker_kind)kind);
        if (status == STARFISH_SUCCESS)
            status = measure_lone(&trial[kind], &rates->lone[kind]);
    }
    if (status == STARFISH_SUCCESS)
        status = measure_stream(trial, rates->stream);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        destroy(&trial[kind]);
    return status;
}
