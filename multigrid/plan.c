/* What plans of all hierarchies have: options that are checked, vectors of the finest grid, and their end. */
#include "multigrid/plan.h"

#include "base/real.h"
#include "multigrid/options.h"

#include <math.h>
#include <stdlib.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_multigrid_check_positive(const char *name, int d, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0) || !isfinite(values[i]))
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.%s[%d][%zu] is %g, must be positive", name, d, i,
                                 values[i]);
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_check_options(const struct starfish_multigrid_options *o)
{
    struct starfish_multigrid_options taken;

    STARFISH_TRY(starfish_multigrid_read_options(o, &taken));
    if (o->size < sizeof *o) /* plan makers read all members of the user's struct */
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.size is %zu, not %zu: start from STARFISH_MULTIGRID_OPTIONS_DEFAULTS", o->size,
                             sizeof *o);
    return STARFISH_SUCCESS;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

starfish_status starfish_multigrid_plan_begin(struct starfish_context *context,
                                              const struct starfish_multigrid_options *options,
                                              const struct starfish_multigrid_operations *operations,
                                              struct starfish_multigrid_plan **created)
{
    struct starfish_multigrid_plan *plan = calloc(1, sizeof *plan);

    if (!plan)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    plan->context = context;
    plan->options = *options;
    plan->operations = operations;
    plan->mixed = options->inner != options->precision;
    pthread_mutex_init(&plan->lock, NULL);
    *created = plan;
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_create_vector(const struct starfish_multigrid_plan *plan,
                                                 struct starfish_tiles *tiles)
{
    return starfish_tiles_create(tiles, plan->options.precision, plan->n, &plan->tiling,
                                 plan->context->workers_of[STARFISH_GPU] == 0);
}

static starfish_status create_gradients(struct starfish_multigrid_plan *plan)
{
    STARFISH_TRY(starfish_multigrid_create_vector(plan, &plan->preconditioned));
    STARFISH_TRY(starfish_multigrid_create_vector(plan, &plan->direction));
    STARFISH_TRY(starfish_multigrid_create_vector(plan, &plan->image));
    STARFISH_TRY(starfish_q1_sums_create(&plan->products[0], plan->sums.parts));
    return starfish_q1_sums_create(&plan->products[1], plan->sums.parts);
}

starfish_status starfish_multigrid_create_vectors(struct starfish_multigrid_plan *plan)
{
    STARFISH_TRY(
        starfish_q1_sums_create(&plan->sums, plan->tiling.parts[1] < plan->n[1] ? plan->tiling.parts[1] : plan->n[1]));
    STARFISH_TRY(starfish_q1_sums_create(&plan->inner_sums, plan->sums.parts));
    if (plan->mixed || plan->options.conjugate_gradients)
        STARFISH_TRY(starfish_multigrid_create_vector(plan, &plan->residual));
    return plan->options.conjugate_gradients ? create_gradients(plan) : STARFISH_SUCCESS;
}

void starfish_multigrid_plan_destroy(starfish_multigrid_plan *plan)
{
    if (!plan)
        return;
    plan->operations->destroy(plan);
    starfish_q1_sums_destroy(&plan->sums);
    starfish_q1_sums_destroy(&plan->inner_sums);
    starfish_table_destroy(&plan->high_table);
    starfish_tiles_destroy(&plan->integrals);
    starfish_tiles_destroy(&plan->residual);
    starfish_tiles_destroy(&plan->preconditioned);
    starfish_tiles_destroy(&plan->direction);
    starfish_tiles_destroy(&plan->image);
    starfish_q1_sums_destroy(&plan->products[0]);
    starfish_q1_sums_destroy(&plan->products[1]);
    pthread_mutex_destroy(&plan->lock);
    free(plan);
}
