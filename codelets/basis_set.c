/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A change of basis for every worker (basis_set.h): one plan that all cores share, and one per GPU, made on its
 * worker. */
#include "codelets/basis_set.h"

#include "base/real.h"
#include "scheduler/runtime/memory.h"

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

size_t starfish_basis_set_device_bytes(size_t n, starfish_precision precision)
{
    const size_t rows = (n + STARFISH_BASIS_SPLIT_ROWS - 1) / STARFISH_BASIS_SPLIT_ROWS * STARFISH_BASIS_SPLIT_ROWS;
    const int is_split = precision == STARFISH_F32 && n <= STARFISH_BASIS_MOST_SPLIT;
    const size_t numbers = 2 * n * n + (is_split ? 2 * 2 * rows * rows : 0); /* two matrices; two numbers for each */
    return numbers * starfish_real_size(precision) + STARFISH_BASIS_BLAS_BYTES;
}

static void give_back(struct starfish_basis_set *set)
{
    for (size_t worker = 0; worker < set->counted; worker++)
        starfish_device_give_back(set->context, worker,
                                  starfish_basis_set_device_bytes(set->basis.n, set->basis.precision));
    set->counted = 0;
}

static starfish_status take(struct starfish_basis_set *set, struct starfish_context *context)
{
    const size_t bytes = starfish_basis_set_device_bytes(set->basis.n, set->basis.precision);
    set->context = context;
    for (; set->counted < context->workers; set->counted++)
        STARFISH_TRY(starfish_device_take(context, set->counted, "a basis of eigenvectors", bytes));
    return STARFISH_SUCCESS;
}

starfish_status starfish_basis_set_create(struct starfish_basis_set *set, struct starfish_context *context,
                                          const struct starfish_basis_operator *op, starfish_precision precision)
{
    memset(set, 0, sizeof *set);
    starfish_status status = starfish_basis_create(&set->basis, op, precision);
    STARFISH_THEN(status, take(set, context));
    STARFISH_THEN(status, create_gpu_plans(set, context));
    if (status != STARFISH_SUCCESS)
        starfish_basis_set_destroy(set);
    return status;
}

void starfish_basis_set_destroy(struct starfish_basis_set *set)
{
    starfish_worker_plans_destroy(&set->gpu);
    give_back(set);
    starfish_basis_destroy(&set->basis);
}
