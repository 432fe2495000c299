/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task graphs of multigrid, for any kind of grids (hierarchy.h): how grids are cut, and their vectors and tables. */
#include "tasks/hierarchy.h"

#include "base/real.h"
#include "base/sizes.h"
#include "codelets/tail.h"
#include "scheduler/runtime/halo_window.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/team.h"
#include "tasks/shares.h"

#include <string.h>

/* ---- Cuts -------------------------------------------------------------------------------------------------------- */

static size_t unknowns_of(const struct starfish_hierarchy_spec *spec, int level)
{
    size_t n[2];

    starfish_grid_extent(spec->kind, spec->grid[level].shape, n);
    return n[0] * n[1];
}

/* Parts stay tiles of one array as long as all workers share one memory. */
static size_t slabs_of(const struct starfish_context *context, const struct starfish_hierarchy_spec *spec, int level)
{
    size_t slabs = unknowns_of(spec, level) / spec->unknowns_per_task;

    if (!starfish_context_has_one_memory(context))
        return 1;
    if (slabs > 2 * context->workers)
        slabs = 2 * context->workers;
    if (context->workers == 1)
        slabs = 1;
    if (spec->slabs > 0)
        slabs = spec->slabs;
    if (slabs > STARFISH_KRYLOV_MOST_PARTS)
        slabs = STARFISH_KRYLOV_MOST_PARTS;
    return slabs > 0 ? slabs : 1;
}

static starfish_status cut_tiles(struct starfish_space *space, struct starfish_context *context,
                                 const struct starfish_hierarchy_spec *spec, int level, int last)
{
    const void *shape = spec->grid[level].shape;
    const size_t slabs = last ? 1 : slabs_of(context, spec, level);
    struct starfish_grid_facts facts;

    spec->kind->describe(NULL, shape, &facts);
    const struct starfish_tiling tiling = {{starfish_hierarchy_runs_along_columns(spec, level) ? slabs : 1, slabs},
                                           facts.column_unit};
    return starfish_space_tiles(space, context, facts.n, &tiling);
}

/* Along with the finest grid's parts, with halos as deep as tasks read. */
static starfish_status cut_runs(struct starfish_space *space, struct starfish_context *context,
                                const struct starfish_hierarchy_spec *spec, int level)
{
    struct starfish_runs runs;
    size_t n[2];

    STARFISH_FAIL_IF(starfish_hierarchy_runs_along_columns(spec, level) && spec->runs->parts > 1,
                     STARFISH_ERROR_UNSUPPORTED,
                     "the smoother has lines across the parts of grid %d, which are apart: choose jacobi, "
                     "chebyshev, gauss-seidel or line-x",
                     level);
    starfish_grid_extent(spec->kind, spec->grid[level].shape, n);
    starfish_status status = starfish_runs_copy(&runs, spec->runs);
    for (size_t p = 0; p <= runs.parts; p++)
        runs.first[p] = starfish_hierarchy_first_row(spec, spec->runs, level, p);
    runs.depth = starfish_hierarchy_depth(spec, spec->runs, level);
    runs.wraps = starfish_hierarchy_wraps(spec);
    if (status == STARFISH_SUCCESS)
        status = starfish_space_runs(space, context, n, &runs);
    starfish_runs_free(&runs);
    return status;
}

static starfish_status cut_level(struct starfish_hierarchy_graph *graph, const struct starfish_hierarchy_spec *spec,
                                 int l)
{
    struct starfish_space *space = &graph->level[l].space;

    if (l < spec->index_levels) {
        const struct starfish_hierarchy_index_sets *sets = &spec->index_sets[l];
        if (sets->boxes)
            return starfish_space_boxes(space, graph->context, sets->boxes);
        graph->level[l].ahead = sets->ahead;
        return starfish_space_index_sets(space, graph->context, sets->parts, sets->rows, sets->owner, sets->halos,
                                         sets->halo);
    }
    if (spec->runs)
        return cut_runs(space, graph->context, spec, l);
    return cut_tiles(space, graph->context, spec, l, l == graph->levels - 1);
}

static int can_be_cut(const struct starfish_hierarchy_spec *spec, int level)
{
    size_t n[2], finest[2];

    starfish_grid_extent(spec->kind, spec->grid[0].shape, finest);
    starfish_grid_extent(spec->kind, spec->grid[level].shape, n);
    for (size_t p = 0; p < spec->runs->parts; p++)
        if (!starfish_hierarchy_is_deep(spec->runs->first[p + 1] - spec->runs->first[p], n[1], finest[1]))
            return 0;
    return 1;
}

/* Is there one team of cores and nothing else? Then all grids are one task, between whose operations its cores wait for
 * each other: a barrier takes a microsecond, a task some 20. */
static int is_one_team(const struct starfish_context *context)
{
    return context->workers == 1 && starfish_team_largest(context, STARFISH_CPU) > 1 && starfish_tail_recorded(context);
}

/* Grids above the tail, and its first. */
static int choose_levels(const struct starfish_context *context, const struct starfish_hierarchy_spec *spec)
{
    const int at_once = !spec->runs && (context->workers_of[STARFISH_GPU] > 0 || is_one_team(context));
    const size_t own = at_once ? SIZE_MAX : spec->tail_on_cores;
    const size_t tail = spec->tail > 0 ? spec->tail : own;
    int levels = 1;

    if (spec->index_levels > 0)
        return spec->index_levels;
    if (spec->levels_in_tail)
        return 1;
    while (levels < spec->levels && unknowns_of(spec, levels - 1) > tail && (!spec->runs || can_be_cut(spec, levels)))
        levels++;
    return levels;
}

/* ---- What a hierarchy is made of --------------------------------------------------------------------------------- */

static starfish_status store_table(struct starfish_coefficient_table *table, starfish_precision precision,
                                   const struct starfish_hierarchy_grid *grid)
{
    return grid->packed
               ? starfish_coefficient_table_floats(table, grid->packed, grid->table_size)
               : starfish_coefficient_table_reals_of(table, precision, grid->table, grid->table_size, grid->spans);
}

/* Parts of other ranks have no table here. */
static starfish_status create_parts(struct starfish_hierarchy_graph *graph, const struct starfish_hierarchy_spec *spec,
                                    int l)
{
    struct starfish_hierarchy_level *level = &graph->level[l];
    const int own = l < spec->index_levels;
    const size_t parts = own ? level->space.parts[1] : 1;

    level->grid = starfish_parted_grid_create(parts);
    level->known = calloc(2 * level->space.parts[1], sizeof *level->known);
    STARFISH_FAIL_IF(!level->grid || !level->known, STARFISH_ERROR_MEMORY, "out of memory for the parts of a grid");
    for (size_t p = 0; p < parts; p++) {
        const struct starfish_hierarchy_grid *grid = own ? &spec->index_sets[l].grid[p] : &spec->grid[l];
        level->grid->part[p].shape = grid->shape;
        if (!own || starfish_space_rank(&level->space, p) == starfish_context_rank(graph->context))
            STARFISH_TRY(store_table(&level->grid->part[p].table, spec->precision, grid));
    }
    return STARFISH_SUCCESS;
}

static starfish_status create_vectors(struct starfish_hierarchy_graph *graph,
                                      const struct starfish_hierarchy_spec *spec, int l)
{
    struct starfish_hierarchy_level *level = &graph->level[l];
    const int last = l == graph->levels - 1;

    for (int i = 0; i < 3; i++) {
        const int given = l == 0 && spec->borrows_finest && i != 1;
        const int needed = i != 1 || !last; /* the tail has a second array in its work space */
        if (!given && needed)
            STARFISH_TRY(starfish_vector_create(&level->own[i], &level->space, spec->precision));
    }
    level->u[0] = &level->own[0];
    level->u[1] = &level->own[1];
    level->f = &level->own[2];
    return STARFISH_SUCCESS;
}

/* The tail's grids; where its first is cut into parts apart, it has an array in one place besides. */
static starfish_status create_tail(struct starfish_hierarchy_graph *graph, const struct starfish_hierarchy_spec *spec)
{
    static const struct starfish_tiling one = {{1, 1}, 1};
    const int first = graph->levels - 1;
    size_t n[2];

    graph->tail = (struct starfish_tail){
        .kind = spec->kind, .precision = spec->precision, .levels = spec->levels - first, .smoothing = spec->smoothing};
    graph->collects = graph->level[first].space.apart;
    for (int l = first; l < spec->levels; l++) {
        struct starfish_coefficient_table *table = &graph->tail_tables[l - first];
        const int has_table = l == first && !(graph->collects && spec->index_levels > 0);
        if (!has_table)
            STARFISH_TRY(store_table(table, spec->precision, &spec->grid[l]));
        graph->tail.shape[l - first] = spec->grid[l].shape;
        graph->tail_table[l - first] = has_table ? graph->level[l].grid->part[0].table.handle : table->handle;
    }
    if (!graph->collects)
        return STARFISH_SUCCESS;
    starfish_grid_extent(spec->kind, spec->grid[first].shape, n);
    STARFISH_TRY(starfish_space_tiles(&graph->tail_space, graph->context, n, &one));
    STARFISH_TRY(starfish_vector_create(&graph->tail_f, &graph->tail_space, spec->precision));
    return starfish_vector_create(&graph->tail_u, &graph->tail_space, spec->precision);
}

/* Steps of the finest grid may be in f64, where the hierarchy is not. */
static size_t steps_work(const struct starfish_hierarchy_graph *graph, int gpu)
{
    size_t most = 0;

    for (int l = 0; l < graph->levels; l++)
        for (size_t p = 0; p < graph->level[l].space.parts[1]; p++)
            most = starfish_larger(most, starfish_grid_work(graph->kind, &graph->tail.smoothing,
                                                            starfish_part_of(graph->level[l].grid, p)->shape,
                                                            STARFISH_F64, gpu));
    return most;
}

/* Of the kinds of workers that may run the tail or the grids above it. */
static starfish_status create_workspace(struct starfish_hierarchy_graph *graph)
{
    const int team = is_one_team(graph->context);
    size_t bytes[STARFISH_WORKER_KINDS] = {0, 0};

    for (int gpu = 0; gpu < 2; gpu++) {
        if (starfish_kind_allowed(graph->tail_where, gpu))
            bytes[gpu] = team ? starfish_tail_own_work(&graph->tail, gpu) : starfish_tail_work(&graph->tail, gpu);
        if (starfish_kind_allowed(graph->setting.where, gpu) || graph->level[0].space.apart)
            bytes[gpu] = starfish_larger(bytes[gpu], steps_work(graph, gpu));
    }
    return starfish_workspace_create_shared(&graph->workspace, graph->context, bytes,
                                            team ? starfish_tail_shared_work(&graph->tail) : 0);
}

static starfish_status create(struct starfish_hierarchy_graph *graph, const struct starfish_hierarchy_spec *spec)
{
    for (int l = 0; l < graph->levels; l++) {
        STARFISH_TRY(cut_level(graph, spec, l));
        STARFISH_TRY(create_parts(graph, spec, l));
        STARFISH_TRY(create_vectors(graph, spec, l));
    }
    STARFISH_TRY(create_tail(graph, spec));
    starfish_hierarchy_find_visits(graph);
    const struct starfish_space *space = &graph->level[0].space;
    STARFISH_TRY(starfish_gpu_groups_create(&graph->groups, graph->context, space->apart ? space->parts[1] : 0,
                                            space->owner, &graph->replays));
    graph->tail_where = unknowns_of(spec, graph->levels - 1) > spec->tail_on_either ? graph->setting.where : 0;
    return create_workspace(graph);
}

/* The spec with the cut that sharing makes, whose runs the caller frees. */
struct resolved {
    struct starfish_hierarchy_spec spec;
    struct starfish_shares shares;
};

static starfish_status resolve(struct starfish_context *context, const struct starfish_hierarchy_spec *given,
                               struct resolved *resolved)
{
    struct starfish_shares *shares = &resolved->shares;

    resolved->spec = *given;
    const starfish_status status = starfish_hierarchy_share(context, given, shares);
    if (status != STARFISH_SUCCESS)
        starfish_runs_free(&shares->runs);
    if (shares->runs.parts > 0) {
        resolved->spec.runs = &shares->runs;
        resolved->spec.tail = shares->tail;
    }
    return status;
}

static size_t depth_of(const struct starfish_hierarchy_spec *spec, int level)
{
    return spec->runs ? starfish_hierarchy_depth(spec, spec->runs, level) : 0;
}

/* Vectors of cut grids have ghosts of some rows, a second array of a tail that is collected, and what that has in its
 * work space besides. */
starfish_status starfish_hierarchy_count(struct starfish_context *context, const struct starfish_hierarchy_spec *given,
                                         struct starfish_hierarchy_bytes *bytes)
{
    struct resolved resolved;

    STARFISH_TRY(resolve(context, given, &resolved));
    const struct starfish_hierarchy_spec *spec = &resolved.spec;
    const int levels = choose_levels(context, spec);
    const size_t size = starfish_real_size(spec->precision);
    struct starfish_tail tail = {.kind = spec->kind,
                                 .precision = spec->precision,
                                 .levels = spec->levels - levels + 1,
                                 .smoothing = spec->smoothing};
    memset(bytes, 0, sizeof *bytes);
    for (int l = 0; l < spec->levels; l++) {
        const struct starfish_hierarchy_grid *grid = &spec->grid[l];
        size_t n[2];
        starfish_grid_extent(spec->kind, grid->shape, n);
        const size_t entries = grid->spans ? starfish_spans_elements(grid->spans) : grid->table_size;
        bytes->tables += entries * (grid->packed ? sizeof(float) : size);
        if (l < levels) {
            size_t parts;
            const size_t rows = starfish_hierarchy_rows_here(context, spec, l, &parts);
            bytes->vectors += 3 * n[0] * (rows + 2 * parts * depth_of(spec, l)) * size;
            bytes->gpu_work = starfish_larger(
                bytes->gpu_work, starfish_grid_work(spec->kind, &spec->smoothing, grid->shape, STARFISH_F64, 1));
        }
        if (l >= levels - 1)
            tail.shape[l - levels + 1] = grid->shape;
    }
    bytes->gpu_work = starfish_larger(bytes->gpu_work, starfish_tail_work(&tail, 1));
    if (is_one_team(context))
        bytes->vectors += starfish_tail_shared_work(&tail);
    starfish_runs_free(&resolved.shares.runs);
    return STARFISH_SUCCESS;
}

starfish_status starfish_hierarchy_create(struct starfish_hierarchy_graph *graph, struct starfish_context *context,
                                          const struct starfish_hierarchy_spec *given)
{
    struct resolved resolved;
    const struct starfish_hierarchy_spec *spec = &resolved.spec;

    memset(graph, 0, sizeof *graph);
    STARFISH_TRY(resolve(context, given, &resolved));
    graph->context = context;
    graph->kind = spec->kind;
    graph->levels = choose_levels(context, spec);
    graph->all_levels = spec->levels;
    graph->setting = (struct starfish_grid_setting){.kind = spec->kind,
                                                    .precision = spec->precision,
                                                    .where = starfish_context_gpus_else_any(context),
                                                    .workspace = &graph->workspace,
                                                    .replays = &graph->replays};
    starfish_replays_create(&graph->replays, context);
    const starfish_status status = create(graph, spec);
    starfish_runs_free(&resolved.shares.runs);
    if (status != STARFISH_SUCCESS)
        starfish_hierarchy_destroy(graph);
    return status;
}

void starfish_hierarchy_destroy(struct starfish_hierarchy_graph *graph)
{
    for (int l = 0; l < graph->all_levels; l++) {
        struct starfish_hierarchy_level *level = &graph->level[l];
        for (int i = 0; i < 3; i++)
            starfish_vector_destroy(&level->own[i]);
        starfish_parted_grid_destroy(level->grid);
        free(level->known);
        starfish_coefficient_table_destroy(&graph->tail_tables[l]);
    }
    starfish_gpu_groups_destroy(graph->groups);
    starfish_vector_destroy(&graph->tail_f);
    starfish_vector_destroy(&graph->tail_u);
    for (int l = 0; l < graph->all_levels; l++)
        starfish_space_destroy(&graph->level[l].space);
    starfish_space_destroy(&graph->tail_space);
    starfish_replays_destroy(&graph->replays);
    starfish_workspace_destroy(&graph->workspace);
    memset(graph, 0, sizeof *graph);
}

/* ---- The finest grid --------------------------------------------------------------------------------------------- */

void starfish_hierarchy_set_arrays(struct starfish_hierarchy_graph *graph, const struct starfish_vector *f,
                                   const struct starfish_vector *u)
{
    graph->level[0].f = f;
    graph->level[0].u[0] = u;
    graph->level[0].now = 0;
}

void starfish_hierarchy_restart(struct starfish_hierarchy_graph *graph)
{
    graph->level[0].now = 0;
}

const struct starfish_vector *starfish_hierarchy_rhs(const struct starfish_hierarchy_graph *graph)
{
    return graph->level[0].f;
}

const struct starfish_vector *starfish_hierarchy_solution(const struct starfish_hierarchy_graph *graph)
{
    return starfish_level_solution(&graph->level[0]);
}

starfish_status starfish_hierarchy_move_solution(struct starfish_hierarchy_graph *graph,
                                                 struct starfish_progress *progress)
{
    const struct starfish_algebra algebra = {progress, STARFISH_PHASE_VECTORS, graph->setting.where};
    const struct starfish_factor one = {.number = 1};
    struct starfish_hierarchy_level *level = &graph->level[0];

    for (size_t part = 0; level->now != 0 && part < level->space.parts[1]; part++)
        STARFISH_TRY(starfish_submit_update(&algebra, part, level->u[1], &one, NULL, level->u[0]));
    level->now = 0;
    return STARFISH_SUCCESS;
}

/* ---- The operator ------------------------------------------------------------------------------------------------ */

struct starfish_grid_operator starfish_hierarchy_operator(const struct starfish_hierarchy_graph *graph)
{
    return (struct starfish_grid_operator){graph->setting, &graph->level[0].space, graph->level[0].grid};
}

static struct starfish_grid_parts parts_of(const struct starfish_grid_operator *op)
{
    return (struct starfish_grid_parts){.setting = &op->setting, .space = op->space, .grid = op->grid};
}

starfish_status starfish_operator_advance(const struct starfish_grid_operator *op, struct starfish_progress *progress,
                                          const struct starfish_operator_step *s)
{
    const struct starfish_grid_parts parts = parts_of(op);
    const struct starfish_grid_task task = {
        .operation = STARFISH_GRID_RESIDUAL,
        .step.combined = {.energy = s->energy, .lower = s->lower, .absolute = s->absolute},
        .u = s->u,
        .f = s->f,
        .result = s->result,
        .correction = s->correction,
        .v = s->v,
        .factor = s->factor};

    return starfish_submit_grid_parts(&parts, progress, &task, s->sums);
}

starfish_status starfish_operator_residual(const struct starfish_grid_operator *op, struct starfish_progress *progress,
                                           const struct starfish_vector *u, const struct starfish_vector *f,
                                           const struct starfish_vector *result, const struct starfish_sums *sums)
{
    const struct starfish_operator_step step = {.u = u, .f = f, .result = result, .sums = sums};

    return starfish_operator_advance(op, progress, &step);
}

starfish_status starfish_operator_sweep(const struct starfish_grid_operator *op, struct starfish_progress *progress,
                                        const struct starfish_operator_sweep *s)
{
    const struct starfish_grid_parts parts = parts_of(op);
    const struct starfish_grid_task task = {.operation = STARFISH_GRID_SMOOTH,
                                            .step = {.sweep = s->sweep, .damping = s->damping},
                                            .u = s->u,
                                            .f = s->f,
                                            .result = s->v};

    return starfish_submit_grid_parts(&parts, progress, &task, s->sums);
}
