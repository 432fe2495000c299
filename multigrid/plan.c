/* What plans of all hierarchies have: options that are checked, vectors of the finest grid, and their end. */
#include "multigrid/plan.h"

#include "base/real.h"

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

static starfish_status check_numbers(const struct starfish_multigrid_options *o)
{
    if (!(o->damping >= 0) || !isfinite(o->damping))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.damping is %g, must not be negative", o->damping);
    if (o->smoother == STARFISH_SMOOTHER_CHEBYSHEV && o->damping >= 1)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.damping is %g: for Chebyshev a part of the interval, must be below 1",
                             o->damping);
    if (o->before < 0 || o->after < 0 || o->before + o->after < 1)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.before and after are %d and %d: neither may be negative, nor both 0", o->before,
                             o->after);
    if (!(o->tolerance >= 0) || !(o->absolute >= 0))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.tolerance and absolute are %g and %g, must be 0 or more",
                             o->tolerance, o->absolute);
    if (o->most_cycles < 1)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.most_cycles is %d, must be 1 or more", o->most_cycles);
    if (o->inner_cycles < 1 || !(o->inner_digits >= 0))
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.inner_cycles is %d, must be 1 or more, and inner_digits %g, 0 or more",
                             o->inner_cycles, o->inner_digits);
    if (o->levels < 0 || o->levels > STARFISH_Q1_MOST_LEVELS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.levels is %d, not in 0 .. %d", o->levels,
                             STARFISH_Q1_MOST_LEVELS);
    if (o->blocks > STARFISH_TILES_MOST_PARTS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.blocks is %zu, not in 0 .. %d", o->blocks,
                             STARFISH_TILES_MOST_PARTS);
    return STARFISH_SUCCESS;
}

static starfish_status check_coarse(const struct starfish_multigrid_options *o)
{
    enum { MOST_ITERATIONS = 10000 };

    if ((int)o->coarse < 0 || o->coarse >= STARFISH_COARSE_SOLVERS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.coarse is %d", (int)o->coarse);
    if (!(o->coarse_tolerance >= 0 && o->coarse_tolerance < 1))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.coarse_tolerance is %g, must be 0 or more and below 1",
                             o->coarse_tolerance);
    if (o->coarse_iterations < 0 || o->coarse_iterations > MOST_ITERATIONS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.coarse_iterations is %d, not in 0 .. %d",
                             o->coarse_iterations, MOST_ITERATIONS);
    return STARFISH_SUCCESS;
}

/* What makes a cycle symmetric, as a preconditioner of conjugate gradients must be. */
static starfish_status check_symmetry(const struct starfish_multigrid_options *o)
{
    if (!o->conjugate_gradients)
        return STARFISH_SUCCESS;
    if (o->before != o->after)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.before and after are %d and %d: must be the same for conjugate_gradients",
                             o->before, o->after);
    if (o->shape != STARFISH_CYCLE_V && o->shape != STARFISH_CYCLE_W)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.shape: F and FMG are not symmetric, which conjugate_gradients need");
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_check_options(const struct starfish_multigrid_options *o)
{
    if (o->size != sizeof *o)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.size is %zu, not %zu: start from "
                             "STARFISH_MULTIGRID_OPTIONS_DEFAULTS",
                             o->size, sizeof *o);
    if ((o->precision != STARFISH_F32 && o->precision != STARFISH_F64) ||
        (o->inner != STARFISH_F32 && o->inner != STARFISH_F64) || o->inner > o->precision)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.precision and inner are %d and %d: each F32 or F64, and "
                             "inner not the wider",
                             (int)o->precision, (int)o->inner);
    if ((int)o->smoother < 0 || o->smoother >= STARFISH_SMOOTHERS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.smoother is %d", (int)o->smoother);
    if ((int)o->matrix < 0 || o->matrix >= STARFISH_MATRIX_FORMS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.matrix is %d", (int)o->matrix);
    if ((int)o->shape < 0 || o->shape > STARFISH_CYCLE_FMG)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.shape is %d", (int)o->shape);
    if ((int)o->storage < 0 || o->storage > STARFISH_STORAGE_BF16 || (o->storage && o->inner != STARFISH_F32))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.storage is %d: INNER, or with inner F32 F16 or BF16",
                             (int)o->storage);
    STARFISH_TRY(check_numbers(o));
    STARFISH_TRY(check_coarse(o));
    return check_symmetry(o);
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
