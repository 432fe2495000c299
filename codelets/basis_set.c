/* A change of basis for every worker. */
#include "codelets/basis_set.h"

#include <stdio.h>
#include <string.h>

#ifdef STARFISH_HAVE_GPU
static starfish_status create_on_gpu(void **plan, const void *recipe)
{
    struct starfish_basis_cuda *made = NULL;
    const starfish_status status = starfish_basis_cuda_create(&made, recipe);
    *plan = made;
    return status;
}

static void destroy_on_gpu(void *plan)
{
    starfish_basis_cuda_destroy(plan);
}
#endif

static starfish_status create_gpu_plans(struct starfish_basis_set *set, struct starfish_context *context)
{
#ifdef STARFISH_HAVE_GPU
    char what[64];
    snprintf(what, sizeof what, "cuBLAS plan for a basis of %zu rows", set->basis.n);
    return starfish_worker_plans_create(&set->gpu, context, what, create_on_gpu, destroy_on_gpu, &set->basis);
#else
    (void)set;
    (void)context;
    return STARFISH_SUCCESS;
#endif
}

starfish_status starfish_basis_set_create(struct starfish_basis_set *set, struct starfish_context *context,
                                          const struct starfish_basis_operator *op, starfish_precision precision)
{
    memset(set, 0, sizeof *set);
    starfish_status status = starfish_basis_create(&set->basis, op, precision);
    if (status == STARFISH_SUCCESS)
        status = create_gpu_plans(set, context);
    if (status != STARFISH_SUCCESS)
        starfish_basis_set_destroy(set);
    return status;
}

void starfish_basis_set_destroy(struct starfish_basis_set *set)
{
    starfish_worker_plans_destroy(&set->gpu);
    starfish_basis_destroy(&set->basis);
}

struct starfish_basis_cuda *starfish_basis_set_here(const struct starfish_basis_set *set)
{
    return starfish_worker_plans_here(&set->gpu);
}
