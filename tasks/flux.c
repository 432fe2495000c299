/* Task graphs of 3D multigrid. */
#include "tasks/flux.h"

#include "base/real.h"

#include <stdlib.h>
#include <string.h>

/* ---- What a hierarchy is made of --------------------------------------------------------------------------------- */

/* Unknowns of a slab that are worth a task, some 100 us of a core's work on a sweep; and of the first grid of the tail.
 * A GPU has every grid to itself, so that a cycle over all of them is one task, whose launches are one graph; up to as
 * many unknowns a core may have it instead. */
enum { UNKNOWNS_PER_TASK = 65536, TAIL_ON_CORES = 33 * 33 * 33 };

static int has_lines_in_z(starfish_smoother smoother)
{
    return smoother == STARFISH_SMOOTHER_LINE_Z || smoother == STARFISH_SMOOTHER_ADI;
}

/* As many slabs as an array of Q1 has rows of tiles, but that there is more work to an unknown's task. */
struct starfish_tiling starfish_flux_tiling(const struct starfish_context *context,
                                            const struct starfish_flux_parts *parts, int level)
{
    const struct starfish_flux_shape *shape = &parts->shape[level];
    const size_t n[2] = {shape->n[0] * shape->n[1], shape->n[2]};
    const size_t most = n[0] * n[1] / UNKNOWNS_PER_TASK;
    size_t slabs = starfish_q1_blocks(context, n, parts->blocks);

    if (parts->blocks == 0 && slabs > most)
        slabs = most > 0 ? most : 1;
    return (struct starfish_tiling){{has_lines_in_z(parts->smoother) ? slabs : 1, slabs}, shape->n[0]};
}

/* Grids above the tail, and its first. Hierarchies of planes are walked in the tail alone. */
static int choose_levels(const struct starfish_context *context, const struct starfish_flux_parts *parts)
{
    const size_t own = context->workers_of[STARFISH_GPU] > 0 ? SIZE_MAX : TAIL_ON_CORES;
    const size_t tail = parts->tail > 0 ? parts->tail : own;
    int levels = 1;

    while (parts->smoother != STARFISH_SMOOTHER_PLANE && levels < parts->levels &&
           starfish_flux_unknowns(&parts->shape[levels - 1]) > tail)
        levels++;
    return levels;
}

static starfish_status create_level(struct starfish_flux_graph *graph, const struct starfish_flux_parts *parts, int l)
{
    struct starfish_flux_level *level = &graph->level[l];
    const struct starfish_flux_shape *shape = &parts->shape[l];
    const int last = l == graph->levels - 1;
    const size_t n[2] = {shape->n[0] * shape->n[1], shape->n[2]};
    const struct starfish_tiling one = {{1, 1}, n[0]}, cut = starfish_flux_tiling(graph->context, parts, l);

    level->data.shape = *shape;
    STARFISH_TRY(starfish_table_reals(&level->table, parts->precision, parts->table[l], parts->table_size[l]));
    level->data.table = level->table.handle;
    for (int i = 0; i < 3 && l < graph->levels; i++) {
        const int lent = l == 0 && parts->borrows_finest && i != 1;
        const int needed = i != 1 || !last; /* the tail has a second array in its work space */
        if (lent || !needed)
            continue;
        STARFISH_TRY(starfish_tiles_create(&level->own[i], parts->precision, n, last ? &one : &cut,
                                           graph->context->workers_of[STARFISH_GPU] == 0));
    }
    level->u[0] = &level->own[0];
    level->u[1] = &level->own[1];
    level->f = &level->own[2];
    return STARFISH_SUCCESS;
}

static starfish_status create_workspace(struct starfish_flux_graph *graph)
{
    const struct starfish_smoothing *smoothing = &graph->tail.grids.smoothing;
    size_t bytes[STARFISH_WORKER_KINDS];

    for (int gpu = 0; gpu < 2; gpu++) {
        const uint32_t where = gpu ? STARPU_CUDA : STARPU_CPU;
        bytes[gpu] = !graph->tail.where || graph->tail.where & where ? starfish_tail_work(&graph->tail.grids, gpu) : 0;
        for (int l = 0; l < graph->levels && (!graph->setting.where || graph->setting.where & where); l++) {
            const size_t work = starfish_flux_kind.work(smoothing, &graph->level[l].data.shape, STARFISH_F64, gpu);
            bytes[gpu] = work > bytes[gpu] ? work : bytes[gpu];
        }
    }
    return starfish_workspace_create(&graph->workspace, graph->context, bytes[STARFISH_CPU], bytes[STARFISH_GPU]);
}

static starfish_status create(struct starfish_flux_graph *graph, const struct starfish_flux_parts *parts)
{
    const int first = graph->levels - 1; /* of the tail */

    for (int l = 0; l < parts->levels; l++)
        STARFISH_TRY(create_level(graph, parts, l));
    graph->tail.grids = (struct starfish_tail){.kind = &starfish_flux_kind,
                                               .precision = parts->precision,
                                               .levels = parts->levels - first,
                                               .smoothing = {.smoother = parts->smoother,
                                                             .damping = parts->damping,
                                                             .before = parts->before,
                                                             .after = parts->after,
                                                             .symmetric = parts->symmetric}};
    graph->tail.where = starfish_flux_unknowns(&parts->shape[first]) > TAIL_ON_CORES ? graph->setting.where : 0;
    for (int l = first; l < parts->levels; l++) {
        graph->tail.grids.shape[l - first] = &graph->level[l].data.shape;
        graph->tail_table[l - first] = graph->level[l].data.table;
    }
    return create_workspace(graph);
}

starfish_status starfish_flux_graph_create(struct starfish_flux_graph *graph, struct starfish_context *context,
                                           const struct starfish_flux_parts *parts)
{
    memset(graph, 0, sizeof *graph);
    graph->context = context;
    graph->plane = parts->plane;
    graph->levels = choose_levels(context, parts);
    graph->all_levels = parts->levels;
    graph->setting = (struct starfish_q1_setting){.precision = parts->precision,
                                                  .where = context->workers_of[STARFISH_GPU] > 0 ? STARPU_CUDA : 0,
                                                  .workspace = &graph->workspace,
                                                  .replays = &graph->replays};
    starfish_replays_create(&graph->replays, context);
    const starfish_status status = create(graph, parts);
    if (status != STARFISH_SUCCESS)
        starfish_flux_graph_destroy(graph);
    return status;
}

void starfish_flux_graph_destroy(struct starfish_flux_graph *graph)
{
    for (int l = 0; l < graph->all_levels; l++) {
        starfish_table_destroy(&graph->level[l].table);
        for (int i = 0; i < 3; i++)
            starfish_tiles_destroy(&graph->level[l].own[i]);
    }
    starfish_replays_destroy(&graph->replays);
    starfish_workspace_destroy(&graph->workspace);
    free(graph->plane);
    memset(graph, 0, sizeof *graph);
}

void starfish_flux_lend(struct starfish_flux_graph *graph, const struct starfish_tiles *f,
                        const struct starfish_tiles *u)
{
    graph->level[0].f = f;
    graph->level[0].u[0] = u;
    graph->level[0].now = 0;
}

/* ---- Operations of a cycle --------------------------------------------------------------------------------------- */

struct submission {
    struct starfish_flux_graph *graph;
    struct starfish_progress *progress;
};

static const struct starfish_tiles *solution(const struct starfish_flux_level *level)
{
    return level->u[level->now];
}

static starfish_status sweep(const struct submission *s, struct starfish_flux_level *level,
                             enum starfish_flux_sweep kind, double damping, int zero)
{
    const struct starfish_tiles *v = level->u[!level->now];
    const struct starfish_tiles *coarse = level->uncorrected ? solution(level + 1) : NULL;
    const size_t parts = v->parts[kind != STARFISH_FLUX_LINES_Z];

    for (size_t part = 0; part < parts; part++)
        STARFISH_TRY(starfish_submit_flux_smooth(s->progress, &s->graph->setting, &level->data, part, kind, damping,
                                                 zero ? NULL : solution(level), level->f, coarse, v));
    level->now = !level->now;
    level->uncorrected = 0;
    return STARFISH_SUCCESS;
}

static starfish_status smooth(void *self, int l, int steps, int after, int zero)
{
    const struct submission *s = self;
    const struct starfish_smoothing *all = &s->graph->tail.grids.smoothing;
    struct starfish_flux_level *level = &s->graph->level[l];
    int kind[STARFISH_GRID_MOST_SWEEPS];
    const int sweeps = starfish_flux_kind.sweeps(all, &level->data.shape, after && all->symmetric, kind);

    for (int i = 0; i < steps * sweeps; i++)
        STARFISH_TRY(sweep(s, level, (enum starfish_flux_sweep)kind[i % sweeps],
                           starfish_flux_kind.damping(all, &level->data.shape, i / sweeps, steps), zero && i == 0));
    return STARFISH_SUCCESS;
}

static starfish_status add_correction(const struct submission *s, struct starfish_flux_level *fine, int zero)
{
    fine->uncorrected = 0;
    for (size_t part = 0; part < solution(fine)->parts[1]; part++)
        STARFISH_TRY(starfish_submit_flux_prolong(s->progress, &s->graph->setting, &fine->data, part, zero,
                                                  solution(fine + 1), solution(fine)));
    return STARFISH_SUCCESS;
}

static starfish_status restrict_residual(void *self, int l, int zero)
{
    const struct submission *s = self;
    struct starfish_flux_level *fine = &s->graph->level[l], *coarse = fine + 1;

    if (fine->uncorrected)
        STARFISH_TRY(add_correction(s, fine, 0));
    coarse->now = 0;
    for (size_t part = 0; part < coarse->f->parts[1]; part++)
        STARFISH_TRY(starfish_submit_flux_restrict(s->progress, &s->graph->setting, &fine->data, part,
                                                   zero ? NULL : solution(fine), fine->f, coarse->f));
    return STARFISH_SUCCESS;
}

/* The sweep that follows adds the correction on its way, if it is one by points. */
static starfish_status prolong(void *self, int l, int zero)
{
    const struct submission *s = self;
    struct starfish_flux_level *fine = &s->graph->level[l];

    if (zero || !starfish_flux_kind.adds_correction(&s->graph->tail.grids.smoothing))
        return add_correction(s, fine, zero);
    fine->uncorrected = 1;
    return STARFISH_SUCCESS;
}

static starfish_status run_tail(void *self, int l, starfish_cycle_shape shape, int zero)
{
    const struct submission *s = self;
    struct starfish_flux_level *level = &s->graph->level[l];

    return starfish_submit_q1_tail(s->progress, &s->graph->setting, &s->graph->tail, s->graph->tail_table, shape, zero,
                                   level->f, level->u[0]);
}

starfish_status starfish_flux_cycle(struct starfish_flux_graph *graph, struct starfish_progress *progress,
                                    starfish_cycle_shape shape, int zero)
{
    struct submission submission = {graph, progress};
    const struct starfish_cycle cycle = {shape, graph->tail.grids.smoothing.before, graph->tail.grids.smoothing.after};
    const struct starfish_hierarchy hierarchy = {
        &submission, graph->levels, smooth, restrict_residual, prolong, run_tail, graph->levels == graph->all_levels};

    return starfish_cycle_run(&hierarchy, &cycle, 0, zero);
}

starfish_status starfish_flux_settle(struct starfish_flux_graph *graph, struct starfish_progress *progress)
{
    struct starfish_flux_level *level = &graph->level[0];
    const size_t *n = level->data.shape.n;
    const struct starfish_q1_shape shape = {.n = {n[0] * n[1], n[2]}};

    if (level->now == 0)
        return STARFISH_SUCCESS;
    for (size_t part = 0; part < level->u[0]->parts[1]; part++)
        STARFISH_TRY(starfish_submit_q1_copy(progress, &graph->setting, &shape, part, level->u[1], level->u[0]));
    level->now = 0;
    return STARFISH_SUCCESS;
}

/* ---- Residuals -----------------------------------------------------------------------------------------------------
 */

starfish_status starfish_flux_residual(const struct starfish_q1_setting *setting,
                                       const struct starfish_flux_grid_data *grid, struct starfish_progress *progress,
                                       const struct starfish_tiles *u, const struct starfish_tiles *f,
                                       const struct starfish_tiles *result, const struct starfish_q1_sums *sums)
{
    for (size_t part = 0; part < f->parts[1]; part++)
        STARFISH_TRY(starfish_submit_flux_residual(progress, setting, grid, part, u, f, result,
                                                   sums ? sums->part[part].handle : NULL));
    return STARFISH_SUCCESS;
}

/* ---- Volumes ----------------------------------------------------------------------------------------------------- */

starfish_status starfish_flux_weigh(const struct starfish_q1_setting *setting,
                                    const struct starfish_flux_grid_data *grid, struct starfish_progress *progress,
                                    const struct starfish_flux_weighing *what, const struct starfish_tiles *v,
                                    const struct starfish_tiles *result)
{
    for (size_t part = 0; part < v->parts[1]; part++)
        STARFISH_TRY(starfish_submit_flux_weigh(progress, setting, grid, part, what, v, result));
    return STARFISH_SUCCESS;
}

starfish_status starfish_flux_sum(const struct starfish_q1_setting *setting, const struct starfish_flux_grid_data *grid,
                                  struct starfish_progress *progress, int weighs_values, const struct starfish_tiles *v,
                                  const struct starfish_q1_sums *sums)
{
    const struct starfish_flux_weighing what = {.weighs_values = weighs_values};

    for (size_t part = 0; part < v->parts[1]; part++)
        STARFISH_TRY(starfish_submit_flux_sum(progress, setting, grid, part, &what, v, sums->part[part].handle));
    return STARFISH_SUCCESS;
}
