/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions common to the engines of all kinds of grids: checks of numbers, the task graph, destruction. */
#include "multigrid/engine.h"
#include "multigrid/options.h"

#include "base/pages.h"
#include "base/precision.h"
#include "base/real.h"
#include "scheduler/runtime/host_loop.h"
#include "scheduler/runtime/memory.h"
#include "scheduler/runtime/watchdog.h"
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

/* ---- The engine -------------------------------------------------------------------------------------------------- */

starfish_status starfish_multigrid_engine_begin(struct starfish_context *context,
                                                const struct starfish_multigrid_options *options,
                                                const struct starfish_multigrid_hooks *hooks,
                                                struct starfish_multigrid_engine **created)
{
    struct starfish_multigrid_engine *engine = calloc(1, sizeof *engine);

    STARFISH_FAIL_IF(!engine, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    engine->context = context;
    engine->options = *options;
    engine->hooks = hooks;
    engine->mixed = options->mixed;
    *created = engine;
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_engine_create(struct starfish_context *context,
                                                 const struct starfish_multigrid_hooks *hooks, const void *problem,
                                                 const struct starfish_multigrid_options *options,
                                                 const struct starfish_runs *runs,
                                                 struct starfish_multigrid_engine **result,
                                                 struct starfish_memory *memory)
{
    struct starfish_multigrid_options taken;
    struct starfish_multigrid_engine *engine;

    STARFISH_NEED(context, "context");
    STARFISH_NEED(problem, "problem");
    STARFISH_TRY(starfish_multigrid_read_options(options, &taken));
    STARFISH_TRY(hooks->check(problem, &taken));
    STARFISH_TRY(starfish_multigrid_engine_begin(context, &taken, hooks, &engine));
    engine->measured = memory != NULL;
    const starfish_status status = hooks->create(engine, problem, runs);
    if (memory && status == STARFISH_SUCCESS)
        *memory = engine->memory;
    if (memory || status != STARFISH_SUCCESS)
        starfish_multigrid_engine_destroy(engine);
    else
        *result = engine;
    return status;
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_multigrid_table_create(struct starfish_multigrid_grids *grids, int l)
{
    grids->level[l].table = starfish_pages_alloc(grids->level[l].table_size * sizeof(double));
    return grids->level[l].table ? STARFISH_SUCCESS
                                 : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the matrix of grid %d", l);
}

starfish_status starfish_multigrid_table_check(const struct starfish_multigrid_grids *grids, int l,
                                               starfish_precision precision)
{
    const struct starfish_hierarchy_grid *grid = &grids->level[l];
    const double most = starfish_largest_number(precision);
    const size_t size = grid->table_size;
    const size_t i = grid->spans ? starfish_spans_find_beyond(grid->spans, grid->table, -most, most, size)
                                 : starfish_host_find_beyond(grid->table, size, -most, most);

    return i == size ? STARFISH_SUCCESS
                     : starfish_fail(STARFISH_ERROR_NUMERICAL,
                                     "grid %d: an entry of the matrix is %g, beyond the precision", l, grid->table[i]);
}

void starfish_multigrid_tables_destroy(struct starfish_multigrid_grids *grids)
{
    for (int l = 0; l < STARFISH_GRID_MOST_LEVELS; l++) {
        free(grids->level[l].table);
        free(grids->level[l].packed);
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static void complete_spec(const struct starfish_multigrid_engine *engine, struct starfish_multigrid_grids *grids,
                          const void *shapes)
{
    const struct starfish_multigrid_options *o = &engine->options;
    struct starfish_hierarchy_spec *spec = &grids->spec;

    for (int l = 0; l < spec->levels; l++)
        grids->level[l].shape = (const char *)shapes + (size_t)l * grids->shape_size;
    spec->grid = grids->level;
    spec->precision = starfish_cycle_precision(o);
    spec->smoothing.smoother = o->smoother;
    spec->smoothing.damping = o->damping;
    spec->smoothing.before = o->before;
    spec->smoothing.after = o->after;
    spec->smoothing.symmetric = starfish_multigrid_has(o, STARFISH_KRYLOV_CG);
    spec->slabs = o->slabs;
    spec->tail = o->tail;
    spec->parts = o->parts;
    spec->sharing = o->sharing;
    spec->borrows_finest = !engine->mixed;
}

/* At once, a task has the tail's tables, of mixed precision the finest matrix in f64, and four vectors of the finest
 * grid. The users' arrays are data of a GPU too. */
starfish_status starfish_multigrid_engine_count(struct starfish_multigrid_engine *engine,
                                                struct starfish_multigrid_grids *grids, size_t own)
{
    enum { AT_ONCE = 4, SMALL = 1 << 20 };
    const struct starfish_hierarchy_spec *spec = &grids->spec;
    struct starfish_hierarchy_bytes bytes;
    size_t n[2], parts;

    complete_spec(engine, grids, grids->shape);
    STARFISH_TRY(starfish_hierarchy_count(engine->context, spec, &bytes));
    starfish_grid_extent(spec->kind, grids->shape, n);
    n[1] = starfish_hierarchy_rows_here(engine->context, spec, 0, &parts);
    const size_t field = n[0] * n[1] * starfish_real_size(engine->options.precision);
    const size_t part = grids->parts_apart > 1 ? field / grids->parts_apart + field / 4 / grids->parts_apart : field;
    const size_t tables = bytes.tables + (engine->mixed ? grids->level[0].table_size * sizeof(double) : 0);
    engine->memory = (struct starfish_memory){
        .main_bytes = bytes.vectors + tables + (own + starfish_multigrid_work_vectors(engine)) * field + SMALL,
        .gpu_work = bytes.gpu_work + SMALL,
        .gpu_least = bytes.gpu_work + SMALL + starfish_device_footprint(tables + AT_ONCE * part, SMALL)};
    engine->memory.gpu_data = engine->memory.main_bytes + 2 * field;
    starfish_memory_complete(engine->context, 0, &engine->memory);
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_engine_measure(struct starfish_multigrid_engine *engine,
                                                  struct starfish_multigrid_grids *grids, size_t own)
{
    STARFISH_TRY(starfish_multigrid_engine_count(engine, grids, own));
    return engine->measured ? STARFISH_SUCCESS : starfish_memory_check("multigrid", &engine->memory);
}

starfish_status starfish_multigrid_engine_memory(const struct starfish_multigrid_engine *engine,
                                                 struct starfish_memory *memory)
{
    STARFISH_NEED(engine, "plan");
    return starfish_memory_report(engine->context, &engine->memory, memory);
}

/* ---- Graph and vectors ------------------------------------------------------------------------------------------- */

static starfish_status copy_bytes(void **copy, const void *from, size_t bytes)
{
    *copy = malloc(bytes);
    STARFISH_FAIL_IF(!*copy, STARFISH_ERROR_MEMORY, "out of memory for the shapes of grids");
    memcpy(*copy, from, bytes);
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_keep_high(struct starfish_multigrid_engine *engine, const double *table, size_t size)
{
    engine->high = starfish_parted_grid_create(1);
    return engine->high ? starfish_coefficient_table_reals(&engine->high->part[0].table, STARFISH_F64, table, size)
                        : STARFISH_ERROR_MEMORY;
}

/* Of the parts that this rank has: grids that are given in the precision of the solution, else the tables that all
 * precisions are made of. */
static starfish_status create_high_parts(struct starfish_multigrid_engine *engine,
                                         const struct starfish_multigrid_grids *grids)
{
    const struct starfish_hierarchy_index_sets *sets = &grids->spec.index_sets[0];

    engine->high_shape = malloc(sets->parts * grids->shape_size);
    engine->high = starfish_parted_grid_create(sets->parts);
    STARFISH_FAIL_IF(!engine->high_shape || !engine->high, STARFISH_ERROR_MEMORY,
                     "out of memory for the shapes of grids");
    for (size_t part = 0; part < sets->parts; part++) {
        const struct starfish_hierarchy_grid *grid = grids->high_part ? &grids->high_part[part] : &sets->grid[part];
        struct starfish_coefficient_table *table = &engine->high->part[part].table;
        char *shape = (char *)engine->high_shape + part * grids->shape_size;
        memcpy(shape, grid->shape, grids->shape_size);
        engine->high->part[part].shape = shape;
        if (grid->packed)
            STARFISH_TRY(starfish_coefficient_table_floats(table, grid->packed, grid->table_size));
        else if (grid->table)
            STARFISH_TRY(starfish_coefficient_table_reals(table, STARFISH_F64, grid->table, grid->table_size));
    }
    return STARFISH_SUCCESS;
}

/* The finest grid in the precision of the solution. */
static starfish_status create_operator(struct starfish_multigrid_engine *engine,
                                       const struct starfish_multigrid_grids *grids)
{
    engine->op = starfish_hierarchy_operator(&engine->graph);
    if (!engine->mixed)
        return STARFISH_SUCCESS;
    engine->op.setting.precision = engine->options.precision;
    if (grids->spec.index_levels > 0) {
        STARFISH_TRY(create_high_parts(engine, grids));
    } else {
        STARFISH_TRY(copy_bytes(&engine->high_shape, grids->high_shape, grids->shape_size));
        engine->high->part[0].shape = engine->high_shape;
    }
    engine->op.grid = engine->high;
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_engine_complete(struct starfish_multigrid_engine *engine,
                                                   struct starfish_multigrid_grids *grids)
{
    STARFISH_TRY(copy_bytes(&engine->shapes, grids->shape, (size_t)grids->spec.levels * grids->shape_size));
    starfish_grid_extent(grids->spec.kind, engine->shapes, engine->n);
    complete_spec(engine, grids, engine->shapes);
    STARFISH_TRY(starfish_hierarchy_create(&engine->graph, engine->context, &grids->spec));
    STARFISH_TRY(create_operator(engine, grids));
    return starfish_multigrid_work_create(engine);
}

void starfish_multigrid_engine_destroy(struct starfish_multigrid_engine *engine)
{
    if (!engine || starfish_is_stuck()) /* tasks may still use it */
        return;
    starfish_multigrid_work_destroy(engine);
    if (engine->hooks->destroy)
        engine->hooks->destroy(engine);
    starfish_hierarchy_destroy(&engine->graph);
    starfish_space_destroy(&engine->users);
    starfish_parted_grid_destroy(engine->high);
    free(engine->shapes);
    free(engine->part_shapes);
    free(engine->high_shape);
    free(engine);
}
