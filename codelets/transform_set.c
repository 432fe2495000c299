/* Transform plans for every worker. */
#include "codelets/transform_set.h"

#include "base/real.h"

#include <string.h>

#ifdef STARFISH_HAVE_GPU
static void create_on_gpu(void *data, size_t worker)
{
    struct starfish_transform_set *set = data;
    if (starfish_context_worker_kind(set->context, worker) == STARFISH_GPU)
        set->cuda_status[worker] =
            starfish_transform_cuda_create(&set->cuda[worker], set->kind, set->n, set->max_lines, set->precision);
}

static void destroy_on_gpu(void *data, size_t worker)
{
    struct starfish_transform_set *set = data;
    if (set->cuda[worker])
        starfish_transform_cuda_destroy(set->cuda[worker]);
}
#endif

static starfish_status create_gpu_plans(struct starfish_transform_set *set)
{
#ifdef STARFISH_HAVE_GPU
    if (set->context->workers_of[STARFISH_GPU] == 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_context_on_each_worker(set->context, "transform plans", create_on_gpu, set));
    for (size_t worker = 0; worker < set->context->workers; worker++)
        if (set->cuda_status[worker] != STARFISH_SUCCESS)
            return starfish_fail(set->cuda_status[worker], "cuFFT plan for %s of length %zu failed",
                                 starfish_transform_name(set->kind), set->n);
#else
    (void)set;
#endif
    return STARFISH_SUCCESS;
}

starfish_status starfish_transform_set_create(struct starfish_transform_set *set, struct starfish_context *context,
                                              enum starfish_transform_kind kind, size_t n, size_t max_lines,
                                              starfish_precision precision)
{
    memset(set, 0, sizeof *set);
    set->context = context;
    set->kind = kind;
    set->n = n;
    set->max_lines = max_lines > 0 ? max_lines : 1;
    set->precision = precision;
    starfish_status status = starfish_transform_cpu_create(&set->cpu, kind, n, precision);
    if (status == STARFISH_SUCCESS)
        status = create_gpu_plans(set);
    if (status != STARFISH_SUCCESS)
        starfish_transform_set_destroy(set);
    return status;
}

void starfish_transform_set_destroy(struct starfish_transform_set *set)
{
    if (!set->context)
        return;
#ifdef STARFISH_HAVE_GPU
    if (set->context->workers_of[STARFISH_GPU] > 0)
        starfish_context_on_each_worker(set->context, "transform plans", destroy_on_gpu, set);
#endif
    if (set->cpu)
        starfish_transform_cpu_destroy(set->cpu);
    set->context = NULL;
}

size_t starfish_transform_set_workspace(const struct starfish_transform_set *set, starfish_worker_kind kind)
{
    if (!set->context)
        return 0;
    if (kind == STARFISH_CPU)
        return starfish_transform_cpu_workspace(set->cpu);
#ifdef STARFISH_HAVE_GPU
    return starfish_transform_cuda_workspace(set->kind, set->n, set->max_lines, set->precision);
#else
    return 0;
#endif
}

struct starfish_transform_cuda *starfish_transform_set_here(const struct starfish_transform_set *set)
{
    return set->cuda[starfish_context_current_worker(set->context)];
}
