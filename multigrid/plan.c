/* What the plans of all kinds of grids have in common: the check of their options, their graph, and their end. */
#include "multigrid/plan.h"

#include "base/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    if (o->levels < 0 || o->levels > STARFISH_GRID_MOST_LEVELS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.levels is %d, not in 0 .. %d", o->levels,
                             STARFISH_GRID_MOST_LEVELS);
    if (o->blocks > STARFISH_SPACE_MOST_PARTS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.blocks is %zu, not in 0 .. %d", o->blocks,
                             STARFISH_SPACE_MOST_PARTS);
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
                                              const struct starfish_multigrid_hooks *hooks,
                                              struct starfish_multigrid_plan **created)
{
    struct starfish_multigrid_plan *plan = calloc(1, sizeof *plan);

    if (!plan)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    plan->context = context;
    plan->options = *options;
    plan->hooks = hooks;
    plan->mixed = options->inner != options->precision;
    *created = plan;
    return STARFISH_SUCCESS;
}

static starfish_status copy_bytes(void **copy, const void *from, size_t bytes)
{
    *copy = malloc(bytes);
    if (!*copy)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the shapes of grids");
    memcpy(*copy, from, bytes);
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_keep_high(struct starfish_multigrid_plan *plan, const double *table, size_t size)
{
    return starfish_table_reals(&plan->high_table, STARFISH_F64, table, size);
}

/* The finest grid in the precision of the plan. */
static starfish_status create_operator(struct starfish_multigrid_plan *plan,
                                       const struct starfish_multigrid_grids *grids)
{
    plan->op = starfish_hierarchy_operator(&plan->graph);
    if (!plan->mixed)
        return STARFISH_SUCCESS;
    STARFISH_TRY(copy_bytes(&plan->high_shape, grids->high_shape, grids->shape_size));
    plan->op.setting.precision = plan->options.precision;
    for (size_t part = 0; part < STARFISH_SPACE_MOST_PARTS; part++)
        plan->op.part[part] = (struct starfish_grid_part){plan->high_shape, plan->high_table.handle};
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_plan_complete(struct starfish_multigrid_plan *plan,
                                                 const struct starfish_multigrid_grids *grids)
{
    const struct starfish_multigrid_options *o = &plan->options;
    struct starfish_hierarchy_grid grid[STARFISH_GRID_MOST_LEVELS];

    STARFISH_TRY(copy_bytes(&plan->shapes, grids->shape, (size_t)grids->levels * grids->shape_size));
    for (int l = 0; l < grids->levels; l++)
        grid[l] = (struct starfish_hierarchy_grid){.shape = (char *)plan->shapes + (size_t)l * grids->shape_size,
                                                   .table = grids->table[l],
                                                   .packed = grids->packed ? grids->packed[l] : NULL,
                                                   .table_size = grids->table_size[l]};
    grids->kind->extent(plan->shapes, plan->n);
    const struct starfish_hierarchy_spec spec = {.kind = grids->kind,
                                                 .precision = o->inner,
                                                 .smoothing = {.smoother = o->smoother,
                                                               .damping = o->damping,
                                                               .before = o->before,
                                                               .after = o->after,
                                                               .symmetric = o->conjugate_gradients,
                                                               .coarse = grids->coarse},
                                                 .levels = grids->levels,
                                                 .grid = grid,
                                                 .unknowns_per_task = grids->unknowns_per_task,
                                                 .tail_on_cores = grids->tail_on_cores,
                                                 .tail_on_either = grids->tail_on_either,
                                                 .blocks = o->blocks,
                                                 .tail = o->tail,
                                                 .levels_in_tail = grids->levels_in_tail,
                                                 .borrows_finest = !plan->mixed,
                                                 .runs = grids->runs,
                                                 .index_levels = grids->index_levels,
                                                 .index_sets = grids->index_sets};
    STARFISH_TRY(starfish_hierarchy_create(&plan->graph, plan->context, &spec));
    STARFISH_TRY(create_operator(plan, grids));
    return starfish_multigrid_work_create(plan);
}

void starfish_multigrid_plan_destroy(starfish_multigrid_plan *plan)
{
    if (!plan)
        return;
    starfish_multigrid_work_destroy(plan);
    if (plan->hooks->destroy)
        plan->hooks->destroy(plan);
    starfish_hierarchy_destroy(&plan->graph);
    starfish_table_destroy(&plan->high_table);
    free(plan->shapes);
    free(plan->high_shape);
    free(plan);
}
