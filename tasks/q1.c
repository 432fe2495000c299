/* Task graphs of Q1 multigrid. */
#include "tasks/q1.h"

#include "base/real.h"

#include <math.h>
#include <string.h>

/* ---- What a hierarchy is made of --------------------------------------------------------------------------------- */

/* Unknowns of a tile's row that are worth a task, about 100 us of a core's work on a smoothing step; and of the first
 * grid of the tail. A GPU has every grid to itself, so that a cycle over all of them is one task, whose launches are
 * one graph; up to so many unknowns a core may have it instead. */
enum { UNKNOWNS_PER_TASK = 8192, TAIL_ON_CORES = 8192, TAIL_ON_EITHER = 129 * 129 };

/* Tiles stay together as long as all workers share one memory. */
static int one_memory(const struct starfish_context *context)
{
    for (size_t w = 0; w < context->workers; w++)
        if (starpu_worker_get_memory_node((unsigned)context->worker[w]) != STARPU_MAIN_RAM)
            return 0;
    return 1;
}

size_t starfish_q1_blocks(const struct starfish_context *context, const size_t n[2], size_t wanted)
{
    size_t blocks = n[0] * n[1] / UNKNOWNS_PER_TASK;

    if (!one_memory(context))
        return 1;
    if (blocks > 2 * context->workers)
        blocks = 2 * context->workers;
    if (context->workers == 1)
        blocks = 1;
    if (wanted > 0)
        blocks = wanted;
    if (blocks > STARFISH_TILES_MOST_PARTS)
        blocks = STARFISH_TILES_MOST_PARTS;
    return blocks > 0 ? blocks : 1;
}

/* Grids above the tail, and its first. */
static int choose_levels(const struct starfish_context *context, const struct starfish_q1_parts *parts)
{
    const size_t own = context->workers_of[STARFISH_GPU] > 0 ? SIZE_MAX : TAIL_ON_CORES;
    const size_t tail = parts->tail > 0 ? parts->tail : own;
    int levels = 1;

    while (levels < parts->levels && parts->shape[levels - 1].n[0] * parts->shape[levels - 1].n[1] > tail)
        levels++;
    return levels;
}

static starfish_status create_level(struct starfish_q1_graph *graph, const struct starfish_q1_parts *parts, int l)
{
    struct starfish_q1_level *level = &graph->level[l];
    const struct starfish_q1_shape *shape = &parts->shape[l];
    const int last = l == graph->levels - 1;
    const size_t blocks = last ? 1 : starfish_q1_blocks(graph->context, shape->n, parts->blocks);

    level->data.shape = *shape;
    if (shape->storage != STARFISH_BAND_REALS)
        STARFISH_TRY(starfish_table_floats(&level->table, parts->packed[l], starfish_q1_table_size(shape)));
    else
        STARFISH_TRY(
            starfish_table_reals(&level->table, parts->precision, parts->table[l], starfish_q1_table_size(shape)));
    level->data.table = level->table.handle;
    const struct starfish_tiling tiling = {{blocks, blocks}, 1};
    for (int i = 0; i < 3 && l < graph->levels; i++) {
        const int lent = l == 0 && parts->borrows_finest && i != 1;
        const int needed = i != 1 || !last; /* the tail has a second array in its work space */
        if (lent || !needed)
            continue;
        STARFISH_TRY(starfish_tiles_create(&level->own[i], parts->precision, shape->n, &tiling,
                                           graph->context->workers_of[STARFISH_GPU] == 0));
    }
    level->u[0] = &level->own[0];
    level->u[1] = &level->own[1];
    level->f = &level->own[2];
    return STARFISH_SUCCESS;
}

static starfish_status create_workspace(struct starfish_q1_graph *graph)
{
    const struct starfish_smoothing *smoothing = &graph->tail.grids.smoothing;
    size_t bytes[STARFISH_WORKER_KINDS];

    for (int gpu = 0; gpu < 2; gpu++) {
        const uint32_t where = gpu ? STARPU_CUDA : STARPU_CPU;
        bytes[gpu] = !graph->tail.where || graph->tail.where & where ? starfish_tail_work(&graph->tail.grids, gpu) : 0;
        for (int l = 0; l < graph->levels && (!graph->setting.where || graph->setting.where & where); l++) {
            const size_t work =
                starfish_q1_kind.work(smoothing, &graph->level[l].data.shape, graph->setting.precision, gpu);
            bytes[gpu] = work > bytes[gpu] ? work : bytes[gpu];
        }
    }
    return starfish_workspace_create(&graph->workspace, graph->context, bytes[STARFISH_CPU], bytes[STARFISH_GPU]);
}

static starfish_status create(struct starfish_q1_graph *graph, const struct starfish_q1_parts *parts)
{
    const int first = graph->levels - 1; /* of the tail */

    for (int l = 0; l < parts->levels; l++)
        STARFISH_TRY(create_level(graph, parts, l));
    graph->tail.grids = (struct starfish_tail){
        .kind = &starfish_q1_kind,
        .precision = parts->precision,
        .levels = parts->levels - first,
        .smoothing = {parts->smoother, parts->damping, parts->before, parts->after, parts->symmetric, parts->coarse}};
    const size_t *n = parts->shape[first].n;
    graph->tail.where = n[0] * n[1] > TAIL_ON_EITHER ? graph->setting.where : 0;
    for (int l = first; l < parts->levels; l++) {
        graph->tail.grids.shape[l - first] = &graph->level[l].data.shape;
        graph->tail_table[l - first] = graph->level[l].data.table;
    }
    return create_workspace(graph);
}

starfish_status starfish_q1_graph_create(struct starfish_q1_graph *graph, struct starfish_context *context,
                                         const struct starfish_q1_parts *parts)
{
    memset(graph, 0, sizeof *graph);
    graph->context = context;
    graph->levels = choose_levels(context, parts);
    graph->all_levels = parts->levels;
    graph->setting = (struct starfish_q1_setting){.precision = parts->precision,
                                                  .where = context->workers_of[STARFISH_GPU] > 0 ? STARPU_CUDA : 0,
                                                  .workspace = &graph->workspace,
                                                  .replays = &graph->replays};
    starfish_replays_create(&graph->replays, context);
    const starfish_status status = create(graph, parts);
    if (status != STARFISH_SUCCESS)
        starfish_q1_graph_destroy(graph);
    return status;
}

void starfish_q1_graph_destroy(struct starfish_q1_graph *graph)
{
    for (int l = 0; l < graph->all_levels; l++) {
        starfish_table_destroy(&graph->level[l].table);
        for (int i = 0; i < 3; i++)
            starfish_tiles_destroy(&graph->level[l].own[i]);
    }
    starfish_replays_destroy(&graph->replays);
    starfish_workspace_destroy(&graph->workspace);
    memset(graph, 0, sizeof *graph);
}

void starfish_q1_lend(struct starfish_q1_graph *graph, const struct starfish_tiles *f, const struct starfish_tiles *u)
{
    graph->level[0].f = f;
    graph->level[0].u[0] = u;
    graph->level[0].now = 0;
}

/* ---- Operations of a cycle --------------------------------------------------------------------------------------- */

struct submission {
    struct starfish_q1_graph *graph;
    struct starfish_progress *progress;
};

static const struct starfish_tiles *solution(const struct starfish_q1_level *level)
{
    return level->u[level->now];
}

static starfish_status sweep(const struct submission *s, struct starfish_q1_level *level,
                             enum starfish_q1_sweep direction, double damping, int zero)
{
    const struct starfish_tiles *v = level->u[!level->now];
    const size_t parts = v->parts[direction != STARFISH_Q1_LINES_Y];

    for (size_t part = 0; part < parts; part++)
        STARFISH_TRY(starfish_submit_q1_smooth(s->progress, &s->graph->setting, &level->data, part, direction, damping,
                                               zero ? NULL : solution(level), level->f, v));
    level->now = !level->now;
    return STARFISH_SUCCESS;
}

static starfish_status smooth(void *self, int l, int steps, int after, int zero)
{
    const struct submission *s = self;
    const struct starfish_smoothing *all = &s->graph->tail.grids.smoothing;
    struct starfish_q1_level *level = &s->graph->level[l];
    int kind[STARFISH_GRID_MOST_SWEEPS];
    const int sweeps = starfish_q1_kind.sweeps(all, &level->data.shape, after && all->symmetric, kind);

    for (int i = 0; i < steps * sweeps; i++)
        STARFISH_TRY(sweep(s, level, (enum starfish_q1_sweep)kind[i % sweeps],
                           starfish_q1_kind.damping(all, &level->data.shape, i / sweeps, steps), zero && i == 0));
    return STARFISH_SUCCESS;
}

static starfish_status restrict_residual(void *self, int l, int zero)
{
    const struct submission *s = self;
    struct starfish_q1_level *fine = &s->graph->level[l], *coarse = fine + 1;

    coarse->now = 0;
    for (size_t part = 0; part < coarse->f->parts[1]; part++)
        STARFISH_TRY(starfish_submit_q1_restrict(s->progress, &s->graph->setting, &fine->data, &coarse->data, part,
                                                 zero ? NULL : solution(fine), fine->f, coarse->f));
    return STARFISH_SUCCESS;
}

static starfish_status prolong(void *self, int l, int zero)
{
    const struct submission *s = self;
    struct starfish_q1_level *fine = &s->graph->level[l], *coarse = fine + 1;

    for (size_t part = 0; part < solution(fine)->parts[1]; part++)
        STARFISH_TRY(starfish_submit_q1_prolong(s->progress, &s->graph->setting, &fine->data, &coarse->data, part, zero,
                                                solution(coarse), solution(fine)));
    return STARFISH_SUCCESS;
}

static starfish_status run_tail(void *self, int l, starfish_cycle_shape shape, int zero)
{
    const struct submission *s = self;
    struct starfish_q1_level *level = &s->graph->level[l];

    return starfish_submit_q1_tail(s->progress, &s->graph->setting, &s->graph->tail, s->graph->tail_table, shape, zero,
                                   level->f, level->u[0]);
}

starfish_status starfish_q1_cycle(struct starfish_q1_graph *graph, struct starfish_progress *progress,
                                  starfish_cycle_shape shape, int zero)
{
    struct submission submission = {graph, progress};
    const struct starfish_cycle cycle = {shape, graph->tail.grids.smoothing.before, graph->tail.grids.smoothing.after};
    const struct starfish_hierarchy hierarchy = {
        &submission, graph->levels, smooth, restrict_residual, prolong, run_tail, graph->levels == graph->all_levels};

    return starfish_cycle_run(&hierarchy, &cycle, 0, zero);
}

starfish_status starfish_q1_settle(struct starfish_q1_graph *graph, struct starfish_progress *progress)
{
    struct starfish_q1_level *level = &graph->level[0];

    if (level->now == 0)
        return STARFISH_SUCCESS;
    for (size_t part = 0; part < level->u[0]->parts[1]; part++)
        STARFISH_TRY(
            starfish_submit_q1_copy(progress, &graph->setting, &level->data.shape, part, level->u[1], level->u[0]));
    level->now = 0;
    return STARFISH_SUCCESS;
}

/* ---- Residuals and corrections -------------------------------------------------------------------------------------
 */

struct starfish_q1_finest starfish_q1_finest_of(const struct starfish_q1_graph *graph)
{
    return (struct starfish_q1_finest){graph->setting, graph->level[0].data};
}

starfish_status starfish_q1_sums_create(struct starfish_q1_sums *sums, size_t parts)
{
    memset(sums, 0, sizeof *sums);
    for (; sums->parts < parts; sums->parts++)
        STARFISH_TRY(starfish_table_results(&sums->part[sums->parts], STARFISH_SUMS));
    return STARFISH_SUCCESS;
}

void starfish_q1_sums_destroy(struct starfish_q1_sums *sums)
{
    for (size_t part = 0; part < sums->parts; part++)
        starfish_table_destroy(&sums->part[part]);
    memset(sums, 0, sizeof *sums);
}

starfish_status starfish_q1_residual(const struct starfish_q1_finest *finest, struct starfish_progress *progress,
                                     const struct starfish_tiles *u, const struct starfish_tiles *f,
                                     const struct starfish_tiles *result, const struct starfish_q1_sums *sums)
{
    for (size_t part = 0; part < f->parts[1]; part++)
        STARFISH_TRY(starfish_submit_q1_residual(progress, &finest->setting, &finest->data, part, u, f, result,
                                                 sums ? sums->part[part].handle : NULL));
    return STARFISH_SUCCESS;
}

starfish_status starfish_q1_update(const struct starfish_q1_finest *finest, struct starfish_progress *progress,
                                   double scale, const struct starfish_tiles *u,
                                   const struct starfish_tiles *correction, const struct starfish_tiles *v)
{
    for (size_t part = 0; part < v->parts[1]; part++)
        STARFISH_TRY(
            starfish_submit_q1_update(progress, &finest->setting, &finest->data.shape, part, scale, u, correction, v));
    return STARFISH_SUCCESS;
}

starfish_status starfish_q1_product(const struct starfish_q1_finest *finest, struct starfish_progress *progress,
                                    const struct starfish_tiles *u, const struct starfish_tiles *v,
                                    const struct starfish_q1_sums *sums)
{
    for (size_t part = 0; part < v->parts[1]; part++)
        STARFISH_TRY(starfish_submit_q1_product(progress, &finest->setting, &finest->data.shape, part, u, v,
                                                sums->part[part].handle));
    return STARFISH_SUCCESS;
}

double starfish_q1_total(const struct starfish_q1_sums *sums)
{
    double sum = 0;

    for (size_t part = 0; part < sums->parts; part++) {
        const double *values = sums->part[part].memory;
        starpu_data_acquire(sums->part[part].handle, STARPU_R);
        for (size_t i = 0; i < STARFISH_SUMS; i++)
            sum += values[i];
        starpu_data_release(sums->part[part].handle);
    }
    return sum;
}

double starfish_q1_norm(const struct starfish_q1_sums *sums)
{
    return sqrt(starfish_q1_total(sums));
}

starfish_status starfish_q1_narrow(const struct starfish_q1_setting *setting, struct starfish_progress *progress,
                                   double scale, const struct starfish_tiles *high, const struct starfish_tiles *low)
{
    for (size_t part = 0; part < high->parts[1]; part++)
        STARFISH_TRY(starfish_submit_q1_narrow(progress, setting, part, scale, high, low));
    return STARFISH_SUCCESS;
}

starfish_status starfish_q1_widen(const struct starfish_q1_setting *setting, struct starfish_progress *progress,
                                  double scale, int zero, const struct starfish_tiles *low,
                                  const struct starfish_tiles *high)
{
    for (size_t part = 0; part < high->parts[1]; part++)
        STARFISH_TRY(starfish_submit_q1_widen(progress, setting, part, scale, zero, low, high));
    return STARFISH_SUCCESS;
}
