/* Cutting a field for the workers: as many slabs as overlap and balance want, each for the kind of worker that it is sized
 * for.
 *
 * Cores alone share equal slabs. A GPU whose data are in its own memory does everything, in one slab. From and to main
 * memory, a GPU wants a few slabs, so that copies and work overlap; and teams of cores take the planes that balance them
 * with the GPU's copies: both rates are measured when the plan is made, on a few planes. */
#include "poisson/plan.h"

#include "base/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLABS_PER_GPU = 12,           /* of host data: the first copy in and the last one out do not overlap with work */
    BYTES_PER_GPU_SLAB = 8 << 20, /* below this, the time of a task is the runtime's */
    ELEMENTS_PER_TASK = 32768,    /* a task should be worth 100 us */
    TRIAL_BYTES = 64 << 20,       /* enough to see the rate of a link or of a team */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

static size_t plane_bytes(const struct starfish_poisson_plan *plan)
{
    return plan->n[0] * plan->n[1] * starfish_real_size(plan->options.precision);
}

static starfish_status check_count(const char *name, size_t asked, size_t most)
{
    if (asked > most)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.%s is %zu, but at most %zu are possible", name, asked,
                             most);
    return STARFISH_SUCCESS;
}

/* ---- Block cyclic reduction: slabs times blocks of modes ------------------------------------------------------------ */

/* Each core should have a few pieces. A GPU wants few, large ones: enough slabs for copies to overlap with work, few blocks
 * of modes. Shared work is cut for the GPU's sake, cores take what they can. */
static void choose_tiles(const struct starfish_poisson_plan *plan, size_t *slabs, size_t *blocks)
{
    enum { PIECES_AT_MOST = 16 };
    size_t cpus = plan->context->workers_of[STARFISH_CPU], gpus = plan->context->workers_of[STARFISH_GPU];
    const double elements = (double)plan->n[0] * (double)plan->n[1] * (double)plan->n[2];
    /* There are pieces squared tiles. */
    const size_t affordable = (size_t)fmin(fmax(sqrt(elements / ELEMENTS_PER_TASK), 1), PIECES_AT_MOST);
    *slabs = *blocks = 2 * cpus;
    if (gpus > 0) {
        *slabs = cpus > 0 ? 8 * gpus : 4 * gpus;
        *blocks = cpus > 0 ? 4 * gpus : gpus;
    }
    *slabs = clamp(*slabs, 1, affordable);
    *blocks = clamp(*blocks, 1, affordable);
}

static starfish_status cut_tiles(const struct starfish_poisson_plan *plan, struct starfish_cut *cut, size_t *blocks)
{
    const struct starfish_poisson_options *options = &plan->options;
    const size_t most_slabs = smaller(plan->n[2], STARFISH_MAX_TILED_SLABS);
    const size_t most_blocks = smaller(plan->n[0], STARFISH_MAX_MODE_BLOCKS);
    size_t slabs;
    STARFISH_TRY(check_count("slabs", options->slabs, most_slabs));
    STARFISH_TRY(check_count("mode_blocks", options->mode_blocks, most_blocks));
    choose_tiles(plan, &slabs, blocks);
    *cut = starfish_cut_equally(plan->n[2], options->slabs > 0 ? options->slabs : clamp(slabs, 1, most_slabs));
    *blocks = options->mode_blocks > 0 ? options->mode_blocks : clamp(*blocks, 1, most_blocks);
    return STARFISH_SUCCESS;
}

/* ---- The slab method: what a kind of worker needs for a plane -------------------------------------------------------- */

struct trial {
    struct starfish_poisson_plan *plan;
    struct starfish_slab_graph graph; /* one slab: the first planes of the field */
    size_t n[3];
    void *rhs, *solution;
};

static starfish_status run_trial(struct trial *trial, double *seconds)
{
    struct starfish_poisson_plan *plan = trial->plan;
    struct starfish_progress progress;
    struct starfish_field *rhs = NULL, *solution = NULL;
    struct starfish_vector removed = {NULL, NULL, 0};
    STARFISH_TRY(starfish_field_over(plan->context, plan->options.precision, trial->n, &trial->graph.cut, "trial",
                                     trial->rhs, &rhs));
    starfish_status status = starfish_field_over(plan->context, plan->options.precision, trial->n, &trial->graph.cut,
                                                 "trial", trial->solution, &solution);
    if (status == STARFISH_SUCCESS && plan->singular)
        status = starfish_vector_results(&removed, STARFISH_CONSTANT_MOMENTS);
    starfish_progress_init(&progress, plan->context);
    const double start = starpu_timing_now();
    if (status == STARFISH_SUCCESS)
        status = starfish_graph_slab(&trial->graph, &progress, rhs->handle, solution->handle, removed.handle);
    if (status == STARFISH_SUCCESS)
        status = starfish_graph_bring_home(&progress, STARFISH_PHASE_BACKWARD, &trial->graph.cut, solution->handle);
    const starfish_status waited = starfish_progress_wait(&progress);
    *seconds = 1e-6 * (starpu_timing_now() - start);
    starfish_progress_destroy(&progress);
    starfish_vector_destroy(&removed);
    starfish_field_destroy(solution);
    starfish_field_destroy(rhs);
    return status != STARFISH_SUCCESS ? status : waited;
}

static starfish_status allocate_trial(struct trial *trial, enum starfish_residence residence)
{
    const size_t bytes = trial->n[2] * plane_bytes(trial->plan);
    void **const memory[] = {&trial->rhs, &trial->solution};
    for (int i = 0; i < 2; i++) {
        if (residence == STARFISH_PINNED)
            STARFISH_TRY(starfish_alloc(trial->plan->context, bytes, memory[i]));
        else if (!(*memory[i] = malloc(bytes)))
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for measuring on %zu planes", trial->n[2]);
        memset(*memory[i], 0, bytes);
    }
    return STARFISH_SUCCESS;
}

static void free_trial(struct trial *trial, enum starfish_residence residence)
{
    const size_t bytes = trial->n[2] * plane_bytes(trial->plan);
    void *const memory[] = {trial->rhs, trial->solution};
    for (int i = 0; i < 2; i++) {
        if (residence == STARFISH_PINNED)
            starfish_free(trial->plan->context, memory[i], bytes);
        else
            free(memory[i]);
    }
}

/* Solve on the first planes with one kind of worker, copies included; the first time is for warming up. */
static starfish_status measure(struct starfish_poisson_plan *plan, enum starfish_residence residence, uint32_t where,
                               double *seconds_per_plane)
{
    enum { TIMES = 3 };
    const size_t planes = clamp(TRIAL_BYTES / plane_bytes(plan), 1, plan->n[2]);
    struct trial trial = {.plan = plan, .n = {plan->n[0], plan->n[1], planes}};
    struct starfish_cut cut = starfish_cut_equally(planes, 1);
    struct starfish_progress progress;
    cut.where[0] = where;
    starfish_progress_init(&progress, plan->context);
    starfish_status status =
        starfish_slab_graph_create(&trial.graph, &plan->space, &plan->direction[2], &cut, 1, where, &progress);
    starfish_progress_destroy(&progress); /* a graph of one slab has nothing to prepare */
    if (status == STARFISH_SUCCESS)
        status = allocate_trial(&trial, residence);
    double best = INFINITY;
    for (int time = 0; time < TIMES && status == STARFISH_SUCCESS; time++) {
        double seconds;
        status = run_trial(&trial, &seconds);
        best = fmin(best, seconds);
    }
    free_trial(&trial, residence);
    starfish_slab_graph_destroy(&trial.graph);
    *seconds_per_plane = best / (double)planes;
    return status;
}

/* ---- The slab method: slabs ------------------------------------------------------------------------------------------ */

static void add_slabs(struct starfish_cut *cut, size_t slabs, size_t planes, uint32_t where)
{
    size_t first[STARFISH_MAX_SLABS + 1];
    const size_t start = cut->slabs > 0 ? cut->first_plane[cut->slabs] : 0;
    starfish_divide(planes, slabs, first);
    cut->first_plane[cut->slabs] = start;
    for (size_t s = 0; s < slabs; s++) {
        cut->where[cut->slabs] = where;
        cut->first_plane[++cut->slabs] = start + first[s + 1];
    }
}

/* The planes that balance teams of cores with GPUs, all of which have measured rates. */
static starfish_status share_of_cores(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                      size_t *planes)
{
    const size_t cpus = plan->context->workers_of[STARFISH_CPU], gpus = plan->context->workers_of[STARFISH_GPU];
    double cpu_seconds, gpu_seconds;
    STARFISH_TRY(measure(plan, residence, STARPU_CPU, &cpu_seconds));
    STARFISH_TRY(measure(plan, residence, STARPU_CUDA, &gpu_seconds));
    const double cpu_rate = (double)cpus / cpu_seconds, gpu_rate = (double)gpus / gpu_seconds;
    *planes = (size_t)((double)plan->n[2] * cpu_rate / (cpu_rate + gpu_rate));
    if (*planes < cpus)
        *planes = 0;
    return STARFISH_SUCCESS;
}

static size_t gpu_slabs(const struct starfish_poisson_plan *plan, size_t planes)
{
    const size_t gpus = plan->context->workers_of[STARFISH_GPU];
    const size_t affordable = planes * plane_bytes(plan) / BYTES_PER_GPU_SLAB;
    return clamp(SLABS_PER_GPU * gpus, 1, smaller(affordable > gpus ? affordable : gpus, planes));
}

/* Slabs of one kind of worker each. */
static starfish_status cut_slabs(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                 struct starfish_cut *cut)
{
    const size_t cpus = plan->context->workers_of[STARFISH_CPU], gpus = plan->context->workers_of[STARFISH_GPU];
    const size_t nz = plan->n[2];
    size_t of_cores = 0;
    *cut = (struct starfish_cut){.slabs = 0};
    if (gpus == 0) {
        const size_t affordable = plan->n[0] * plan->n[1] * nz / ELEMENTS_PER_TASK;
        add_slabs(cut, clamp(cpus, 1, smaller(affordable > 0 ? affordable : 1, nz)), nz, 0);
        return STARFISH_SUCCESS;
    }
    if (residence == STARFISH_ON_DEVICE) {
        add_slabs(cut, smaller(gpus, nz), nz, STARPU_CUDA);
        return STARFISH_SUCCESS;
    }
    if (cpus > 0)
        STARFISH_TRY(share_of_cores(plan, residence, &of_cores));
    if (of_cores > 0)
        add_slabs(cut, cpus, of_cores, STARPU_CPU);
    if (nz > of_cores)
        add_slabs(cut, gpu_slabs(plan, nz - of_cores), nz - of_cores, STARPU_CUDA);
    return STARFISH_SUCCESS;
}

static size_t choose_parts(const struct starfish_poisson_plan *plan, size_t slabs)
{
    if (plan->context->workers_of[STARFISH_GPU] > 0 || slabs == 1)
        return 1;
    return clamp(plan->context->workers_of[STARFISH_CPU], 1, smaller(plan->n[1], STARFISH_MAX_MODE_PARTS));
}

static starfish_status cut_for_slab_method(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                           struct starfish_cut *cut, size_t *parts)
{
    const struct starfish_poisson_options *options = &plan->options;
    STARFISH_TRY(check_count("slabs", options->slabs, smaller(plan->n[2], STARFISH_MAX_SLABS)));
    STARFISH_TRY(check_count("mode_blocks", options->mode_blocks, smaller(plan->n[1], STARFISH_MAX_MODE_PARTS)));
    if (options->slabs > 0)
        *cut = starfish_cut_equally(plan->n[2], options->slabs);
    else
        STARFISH_TRY(cut_slabs(plan, residence, cut));
    *parts = options->mode_blocks > 0 ? options->mode_blocks : choose_parts(plan, cut->slabs);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_choose_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                            struct starfish_cut *cut, size_t *parts)
{
    return plan->method == STARFISH_METHOD_SLAB ? cut_for_slab_method(plan, residence, cut, parts)
                                                : cut_tiles(plan, cut, parts);
}
