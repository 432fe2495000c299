/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transform plans for every worker (transform_set.h): FFTW's, which all cores share, and one per GPU, made on its
 * worker. */
#include "codelets/transform_set.h"

#include <stdio.h>
#include <string.h>

#ifdef STARFISH_HAVE_GPU
static starfish_status create_on_gpu(void **plan, const void *recipe)
{
    const struct starfish_transform_set *set = recipe;
    struct starfish_transform_cuda *made = NULL;
    const starfish_status status =
        starfish_transform_cuda_create(&made, set->kind, set->n, set->max_lines, set->precision);
    *plan = made;
    return status;
}

static void destroy_on_gpu(void *plan)
{
    starfish_transform_cuda_destroy(plan);
}
#endif

static starfish_status create_gpu_plans(struct starfish_transform_set *set)
{
#ifdef STARFISH_HAVE_GPU
    char what[64];
    snprintf(what, sizeof what, "cuFFT plan for %s of length %zu", starfish_transform_name(set->kind), set->n);
    return starfish_worker_plans_create(&set->gpu, set->context, what, create_on_gpu, destroy_on_gpu, set);
#else
    (void)set;
    return STARFISH_SUCCESS;
#endif
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
    STARFISH_THEN(status, create_gpu_plans(set));
    if (status != STARFISH_SUCCESS)
        starfish_transform_set_destroy(set);
    return status;
}

void starfish_transform_set_destroy(struct starfish_transform_set *set)
{
    if (!set->context)
        return;
    starfish_worker_plans_destroy(&set->gpu);
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
    return starfish_worker_plans_here(&set->gpu);
}

int starfish_transform_set_rows(const struct starfish_place *place, const struct starfish_transform_set *set,
                                enum starfish_transform_direction direction, const struct starfish_transform_rows *rows)
{
#ifdef STARFISH_HAVE_GPU
    if (place->gpu)
        return starfish_transform_rows_cuda(starfish_transform_set_here(set), direction, rows, place->stream);
#endif
    (void)place;
    starfish_transform_rows_cpu(set->cpu, direction, rows);
    return 0;
}
