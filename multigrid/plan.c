/* What the plans of all kinds of grids have in common: checks of numbers, their graph, and their end. */
#include "multigrid/plan.h"
#include "multigrid/options.h"

#include "base/arithmetic.h"
#include "base/real.h"
#include "scheduler/host_loop.h"
#include "scheduler/memory.h"
#include "tasks/shares.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_multigrid_check_positive(const char *name, int d, const double *values, size_t count)
{
    const size_t i = starfish_host_find_beyond(values, count, DBL_TRUE_MIN, DBL_MAX);

    return i == count ? STARFISH_SUCCESS
                      : starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.%s[%d][%zu] is %g, must be positive", name, d,
                                      i, values[i]);
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

starfish_status starfish_multigrid_plan_create(struct starfish_context *context,
                                               const struct starfish_multigrid_hooks *hooks, const void *problem,
                                               const struct starfish_multigrid_options *options,
                                               const struct starfish_runs *runs,
                                               struct starfish_multigrid_plan **result)
{
    struct starfish_multigrid_options taken;
    struct starfish_multigrid_plan *plan;

    STARFISH_NEED(context, "context");
    STARFISH_NEED(problem, "problem");
    STARFISH_NEED(result, "plan");
    *result = NULL;
    STARFISH_TRY(starfish_multigrid_read_options(options, &taken));
    STARFISH_TRY(hooks->check(problem, &taken));
    STARFISH_TRY(starfish_multigrid_plan_begin(context, &taken, hooks, &plan));
    const starfish_status status = hooks->create(plan, problem, runs);
    if (status != STARFISH_SUCCESS) {
        starfish_multigrid_plan_destroy(plan);
        return status;
    }
    *result = plan;
    return STARFISH_SUCCESS;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_multigrid_measure(struct starfish_context *context,
                                           const struct starfish_multigrid_hooks *hooks, const void *problem,
                                           const struct starfish_multigrid_options *options,
                                           const struct starfish_runs *runs, struct starfish_memory *memory)
{
    struct starfish_multigrid_options taken;
    struct starfish_multigrid_plan *plan;

    STARFISH_NEED(memory, "memory");
    STARFISH_NEED(context, "context");
    STARFISH_NEED(problem, "problem");
    STARFISH_TRY(starfish_multigrid_read_options(options, &taken));
    STARFISH_TRY(hooks->check(problem, &taken));
    STARFISH_TRY(starfish_multigrid_plan_begin(context, &taken, hooks, &plan));
    plan->measured = 1;
    const starfish_status status = hooks->create(plan, problem, runs);
    if (status == STARFISH_SUCCESS)
        *memory = plan->memory;
    starfish_multigrid_plan_destroy(plan);
    return status;
}

static struct starfish_hierarchy_spec spec_of(const struct starfish_multigrid_plan *plan,
                                              const struct starfish_multigrid_grids *grids, const void *shapes,
                                              struct starfish_hierarchy_grid *grid)
{
    const struct starfish_multigrid_options *o = &plan->options;

    for (int l = 0; l < grids->levels; l++)
        grid[l] = (struct starfish_hierarchy_grid){.shape = (const char *)shapes + (size_t)l * grids->shape_size,
                                                   .table = grids->table[l],
                                                   .packed = grids->packed ? grids->packed[l] : NULL,
                                                   .table_size = grids->table_size[l],
                                                   .spans = grids->table_spans ? &grids->table_spans[l] : NULL};
    return (struct starfish_hierarchy_spec){.kind = grids->kind,
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
                                            .tail_shared = grids->tail_shared,
                                            .blocks = o->blocks,
                                            .tail = o->tail,
                                            .parts = o->parts,
                                            .sharing = o->sharing,
                                            .levels_in_tail = grids->levels_in_tail,
                                            .borrows_finest = !plan->mixed,
                                            .runs = grids->runs,
                                            .index_levels = grids->index_levels,
                                            .index_sets = grids->index_sets};
}

/* At once, a task has the tail's tables, of mixed precision the finest matrix in f64, and four vectors of the finest
 * grid. The users' arrays are data of a GPU too. */
starfish_status starfish_multigrid_plan_measure(struct starfish_multigrid_plan *plan,
                                                const struct starfish_multigrid_grids *grids, size_t own)
{
    enum { AT_ONCE = 4, SMALL = 1 << 20 };
    struct starfish_hierarchy_grid grid[STARFISH_GRID_MOST_LEVELS];
    const struct starfish_hierarchy_spec spec = spec_of(plan, grids, grids->shape, grid);
    struct starfish_hierarchy_bytes bytes;
    size_t n[2], parts;

    STARFISH_TRY(starfish_hierarchy_count(plan->context, &spec, &bytes));
    grids->kind->extent(grids->shape, n);
    n[1] = starfish_hierarchy_rows_here(plan->context, &spec, 0, &parts);
    const size_t field = n[0] * n[1] * starfish_real_size(plan->options.precision);
    const size_t part = grids->parts_apart > 1 ? field / grids->parts_apart + field / 4 / grids->parts_apart : field;
    const size_t tables = bytes.tables + (plan->mixed ? grids->table_size[0] * sizeof(double) : 0);
    plan->memory = (struct starfish_memory){
        .main_bytes = bytes.vectors + tables + (own + starfish_multigrid_work_vectors(plan)) * field + SMALL,
        .gpu_work = bytes.gpu_work + SMALL,
        .gpu_least = bytes.gpu_work + SMALL + starfish_device_footprint(tables + AT_ONCE * part, SMALL)};
    plan->memory.gpu_data = plan->memory.main_bytes + 2 * field;
    starfish_memory_complete(plan->context, 0, &plan->memory);
    return plan->measured ? STARFISH_SUCCESS : starfish_memory_check("multigrid", &plan->memory);
}

starfish_status starfish_multigrid_plan_memory(const starfish_multigrid_plan *plan, struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(plan, "plan");
    return starfish_memory_tell(plan->context, &plan->memory, memory);
}

/* ---- Graph and vectors ------------------------------------------------------------------------------------------- */

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
    return starfish_table_reals(&plan->high_table[0], STARFISH_F64, table, size);
}

/* Of the parts that this rank has: grids that are given in the precision of the plan, else the tables that all
 * precisions are made of. */
static starfish_status create_high_parts(struct starfish_multigrid_plan *plan,
                                         const struct starfish_multigrid_grids *grids)
{
    const struct starfish_hierarchy_index_sets *sets = &grids->index_sets[0];

    plan->high_shape = malloc(sets->parts * grids->shape_size);
    if (!plan->high_shape)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the shapes of grids");
    for (size_t part = 0; part < sets->parts; part++) {
        const struct starfish_hierarchy_grid *grid = grids->high_part ? &grids->high_part[part] : &sets->grid[part];
        char *shape = (char *)plan->high_shape + part * grids->shape_size;
        memcpy(shape, grid->shape, grids->shape_size);
        if (grid->packed)
            STARFISH_TRY(starfish_table_floats(&plan->high_table[part], grid->packed, grid->table_size));
        else if (grid->table)
            STARFISH_TRY(starfish_table_reals(&plan->high_table[part], STARFISH_F64, grid->table, grid->table_size));
        plan->op.part[part] = (struct starfish_grid_part){shape, plan->high_table[part].handle};
    }
    return STARFISH_SUCCESS;
}

/* The finest grid in the precision of the plan. */
static starfish_status create_operator(struct starfish_multigrid_plan *plan,
                                       const struct starfish_multigrid_grids *grids)
{
    plan->op = starfish_hierarchy_operator(&plan->graph);
    if (!plan->mixed)
        return STARFISH_SUCCESS;
    plan->op.setting.precision = plan->options.precision;
    if (grids->index_levels > 0)
        return create_high_parts(plan, grids);
    STARFISH_TRY(copy_bytes(&plan->high_shape, grids->high_shape, grids->shape_size));
    for (size_t part = 0; part < STARFISH_SPACE_MOST_PARTS; part++)
        plan->op.part[part] = (struct starfish_grid_part){plan->high_shape, plan->high_table[0].handle};
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_plan_complete(struct starfish_multigrid_plan *plan,
                                                 const struct starfish_multigrid_grids *grids)
{
    struct starfish_hierarchy_grid grid[STARFISH_GRID_MOST_LEVELS];

    STARFISH_TRY(copy_bytes(&plan->shapes, grids->shape, (size_t)grids->levels * grids->shape_size));
    grids->kind->extent(plan->shapes, plan->n);
    const struct starfish_hierarchy_spec spec = spec_of(plan, grids, plan->shapes, grid);
    STARFISH_TRY(starfish_hierarchy_create(&plan->graph, plan->context, &spec));
    STARFISH_TRY(create_operator(plan, grids));
    return starfish_multigrid_work_create(plan);
}

void starfish_multigrid_plan_destroy(starfish_multigrid_plan *plan)
{
    STARFISH_OWN_ARITHMETIC;
    if (!plan || starfish_is_stuck()) /* tasks may still use it */
        return;
    starfish_multigrid_work_destroy(plan);
    if (plan->hooks->destroy)
        plan->hooks->destroy(plan);
    starfish_hierarchy_destroy(&plan->graph);
    starfish_space_destroy(&plan->users);
    for (size_t part = 0; part < STARFISH_SPACE_MOST_PARTS; part++)
        starfish_table_destroy(&plan->high_table[part]);
    free(plan->shapes);
    free(plan->part_shapes);
    free(plan->high_shape);
    free(plan);
}
