/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cycle over a hierarchy as tasks: the operations requested by the walk (multigrid/kernels/cycle.h), on every part of
 * a grid, one by one, or several in one task if the parts are in separate memories. */
#include "tasks/hierarchy.h"
#include "tasks/visits.h"

#include <string.h>

struct submission {
    struct starfish_hierarchy_graph *graph;
    struct starfish_progress *progress;
    starfish_cycle_shape shape;
    int zero;
};

/* The parts of a level, whose operation writes on `space` and reads the next coarser one or not. */
static struct starfish_grid_parts parts_of(const struct submission *s, const struct starfish_hierarchy_level *level,
                                           const struct starfish_space *space, int with_coarse)
{
    return (struct starfish_grid_parts){.setting = &s->graph->setting,
                                        .space = space,
                                        .grid = level->grid,
                                        .coarse = with_coarse ? level[1].grid : NULL};
}

static int has_ahead(const struct starfish_hierarchy_level *level)
{
    return level->ahead > 0 && level->f->ghosts && level->u[0]->ghosts;
}

static void forget_known(struct starfish_hierarchy_level *level)
{
    memset(level->known, 0, 2 * level->space.parts[1] * sizeof *level->known);
}

/* Ahead: on the ghosts too, where a smoothing goes on without its neighbours. What is wrong at their rim, as entries
 * are missing there, comes nearer by a row of cells with each sweep. */
static starfish_status run_sweep(const struct submission *s, struct starfish_hierarchy_level *level,
                                 const struct starfish_visit_step *sweep, int zero)
{
    const int adds = starfish_grid_adds(s->graph->kind, sweep->sweep), ahead = has_ahead(level);
    struct starfish_grid_parts parts = parts_of(s, level, &level->space, level->uncorrected);
    struct starfish_grid_task task = {.operation = STARFISH_GRID_SMOOTH,
                                      .step = {.sweep = sweep->sweep, .damping = sweep->damping, .zero = zero && adds},
                                      .u = zero && !adds ? NULL : starfish_level_solution(level),
                                      .f = level->f,
                                      .coarse = level->uncorrected ? starfish_level_solution(level + 1) : NULL,
                                      .result = level->u[!level->now],
                                      .has_ghosts = ahead && level->sweep % level->ahead != 0,
                                      .keeps_edges = ahead && (level->sweep + 1) % level->ahead != 0 &&
                                                     level->sweep + 1 < level->sweep_count};

    parts.along_columns = starfish_grid_runs_along_columns(s->graph->kind, sweep->sweep);
    parts.with_ghosts = ahead;
    STARFISH_TRY(starfish_submit_grid_parts(&parts, s->progress, &task, NULL));
    level->now = !level->now;
    level->uncorrected = 0;
    forget_known(level);
    return STARFISH_SUCCESS;
}

/* Is the next sweep of a smoothing one whose ghosts are known, after one that has filled them, and may it be one task
 * with others? */
static int is_ahead(const struct starfish_hierarchy_level *level)
{
    return has_ahead(level) && level->sweep % level->ahead != 0 && starfish_visits_recorded(level->space.context, 0);
}

/* How many sweeps are one task: all from the next one on that need no exchange. */
static int count_together(const struct starfish_hierarchy_level *level)
{
    const int left = level->sweep_count - level->sweep;
    const int count = is_ahead(level) ? level->ahead - level->sweep % level->ahead : 1;

    return count > left ? left : count > STARFISH_VISIT_STEPS ? STARFISH_VISIT_STEPS : count;
}

static struct starfish_visit_task visit_on(const struct starfish_hierarchy_level *level, size_t part,
                                           const struct starfish_visit *visit)
{
    return (struct starfish_visit_task){.visit = visit,
                                        .shape = starfish_part_of(level->grid, part)->shape,
                                        .table = starfish_part_of(level->grid, part)->table.handle,
                                        .part = part,
                                        .u = {level->u[level->now], level->u[!level->now]},
                                        .f = level->f};
}

static starfish_status run_sweeps(const struct submission *s, struct starfish_hierarchy_level *level,
                                  struct starfish_visit *visit)
{
    for (size_t i = 0; i < level->space.parts[1]; i++) {
        const size_t part = starfish_space_turn(&level->space, i);
        struct starfish_visit_task task = visit_on(level, part, visit);
        visit->u = visit->f = starfish_part_extent(&level->space, part);
        for (int k = 0; k < visit->steps; k++) {
            visit->step[k].y0 = (uint32_t)visit->u.y0;
            visit->step[k].y1 = (uint32_t)visit->u.y1 + (uint32_t)level->space.after[part];
        }
        task.known = 1;
        STARFISH_TRY(starfish_submit_visit(s->progress, &s->graph->setting, &task));
    }
    level->now = (level->now + visit->steps) % 2;
    forget_known(level);
    return STARFISH_SUCCESS;
}

static starfish_status add_correction(const struct submission *s, struct starfish_hierarchy_level *fine, int zero)
{
    const struct starfish_grid_parts parts = parts_of(s, fine, &fine->space, 1);
    const struct starfish_grid_task task = {.operation = STARFISH_GRID_PROLONG,
                                            .step = {.zero = zero},
                                            .coarse = starfish_level_solution(fine + 1),
                                            .result = starfish_level_solution(fine)};

    fine->uncorrected = 0;
    forget_known(fine);
    return starfish_submit_grid_parts(&parts, s->progress, &task, NULL);
}

/* ---- Several operations in one task ------------------------------------------------------------------------------ */

static struct starfish_visited visited_of(const struct starfish_hierarchy_graph *graph, int l, size_t part)
{
    const struct starfish_hierarchy_level *level = &graph->level[l], *coarse = level + 1;

    return (struct starfish_visited){.kind = graph->kind,
                                     .smoothing = &graph->tail.smoothing,
                                     .shape = starfish_part_of(level->grid, part)->shape,
                                     .coarse_shape = starfish_part_of(coarse->grid, part)->shape,
                                     .at = starfish_part_rectangle(&level->space, part),
                                     .coarse_at = starfish_part_rectangle(&coarse->space, part),
                                     .on_ranks = level->space.on_ranks,
                                     .slow = level->space.slow};
}

static int find_visit(const struct starfish_hierarchy_graph *graph, int l, size_t part, enum starfish_visiting how,
                      struct starfish_visit *visit)
{
    const struct starfish_visited visited = visited_of(graph, l, part);

    return how == STARFISH_VISITS_UP ? starfish_visit_up(&visited, visit)
                                     : starfish_visit_down(&visited, how == STARFISH_VISITS_FROM_ZERO, visit);
}

/* All parts alike, since each counts on its neighbours' arrays. */
void starfish_hierarchy_find_visits(struct starfish_hierarchy_graph *graph)
{
    const int recorded = starfish_visits_recorded(graph->context, 1);
    struct starfish_visit visit;

    for (int l = 0; l + 1 < graph->levels; l++)
        for (enum starfish_visiting how = 0; how < STARFISH_VISITINGS; how++) {
            struct starfish_hierarchy_level *level = &graph->level[l];
            level->visits[how] = recorded && level->space.apart && !level->space.local;
            for (size_t part = 0; part < level->space.parts[1] && level->visits[how]; part++)
                level->visits[how] = find_visit(graph, l, part, how, &visit);
        }
}

static int can_visit(const struct submission *s, int l, enum starfish_visiting how)
{
    const struct starfish_hierarchy_level *level = &s->graph->level[l];

    return level->visits[how] && level->f->ghosts && level->u[0]->ghosts;
}

/* Has a part's array the rows beyond it that are read, from the visit before? */
static int knows(const struct starfish_hierarchy_level *level, size_t part, const struct starfish_extent *read)
{
    const struct starfish_rectangle own = starfish_part_rectangle(&level->space, part);
    const size_t *known = level->known + 2 * part;

    return read->y0 + (ptrdiff_t)known[0] >= (ptrdiff_t)own.y0 && read->y1 - (ptrdiff_t)known[1] <= (ptrdiff_t)own.y1;
}

/* After a visit down; NULL: nothing beyond the part is known any more. */
static void note_known(const struct submission *s, int l, size_t part, const struct starfish_visit *visit)
{
    const struct starfish_visited visited = visited_of(s->graph, l, part);
    size_t *known = s->graph->level[l].known + 2 * part;

    known[0] = known[1] = 0;
    if (visit)
        starfish_visit_known(&visited, visit, known);
}

static starfish_status run_visit(const struct submission *s, int l, enum starfish_visiting how)
{
    struct starfish_hierarchy_level *level = &s->graph->level[l], *coarse = level + 1;
    const int up = how == STARFISH_VISITS_UP;
    struct starfish_visit visit;
    int flips = 0;

    if (!up)
        coarse->now = 0;
    for (size_t i = 0; i < level->space.parts[1]; i++) {
        const size_t part = starfish_space_turn(&level->space, i);
        struct starfish_visit_task task = visit_on(level, part, &visit);
        find_visit(s->graph, l, part, how, &visit);
        task.coarse_shape = starfish_part_of(coarse->grid, part)->shape;
        task.coarse_table = starfish_part_of(coarse->grid, part)->table.handle;
        task.coarse = up ? starfish_level_solution(coarse) : coarse->f;
        task.known = up && knows(level, part, &visit.u);
        flips = starfish_visit_flips(&visit);
        STARFISH_TRY(starfish_submit_visit(s->progress, &s->graph->setting, &task));
        note_known(s, l, part, up ? NULL : &visit);
    }
    level->now = (level->now + flips) % 2;
    level->uncorrected = level->waits = 0;
    return STARFISH_SUCCESS;
}

/* Sweeps one by one, or where they need no exchange together. */
static starfish_status run_steps(const struct submission *s, struct starfish_hierarchy_level *level, int steps,
                                 int after, int zero)
{
    const struct starfish_grid_kind *kind = s->graph->kind;
    const struct starfish_smoothing *smoothing = &s->graph->tail.smoothing;
    const struct starfish_visited visited = {.kind = kind, .smoothing = smoothing, .shape = level->grid->part[0].shape};
    int of_step[STARFISH_GRID_MOST_SWEEPS];
    const int sweeps = starfish_grid_sweeps(kind, smoothing, visited.shape, after && smoothing->symmetric, of_step);

    level->sweep_count = steps * sweeps;
    for (level->sweep = 0; level->sweep < level->sweep_count;) {
        const int i = level->sweep, adds = starfish_grid_adds(kind, of_step[i % sweeps]);
        struct starfish_visit visit = {.zero = zero && (i == 0 || (i < sweeps && adds))};
        starfish_visit_add_sweeps(&visited, after, steps, i, count_together(level), &visit);
        STARFISH_TRY(is_ahead(level) ? run_sweeps(s, level, &visit) : run_sweep(s, level, &visit.step[0], visit.zero));
        level->sweep += visit.steps;
    }
    return STARFISH_SUCCESS;
}

static starfish_status smooth(void *self, int l, int steps, int after, int zero)
{
    const struct submission *s = self;
    const struct starfish_grid_kind *kind = s->graph->kind;
    const struct starfish_smoothing *smoothing = &s->graph->tail.smoothing;
    struct starfish_hierarchy_level *level = &s->graph->level[l];

    if (after && level->uncorrected && can_visit(s, l, STARFISH_VISITS_UP))
        return run_visit(s, l, STARFISH_VISITS_UP);
    if (level->uncorrected && !starfish_grid_adds_correction(kind, smoothing))
        STARFISH_TRY(add_correction(s, level, 0));
    if (!after && !level->uncorrected && can_visit(s, l, zero ? STARFISH_VISITS_FROM_ZERO : STARFISH_VISITS_DOWN)) {
        level->waits = zero ? STARFISH_WAITS_ZERO : STARFISH_WAITS; /* for the restriction, which follows */
        return STARFISH_SUCCESS;
    }
    return run_steps(s, level, steps, after, zero);
}

static starfish_status restrict_residual(void *self, int l, int zero)
{
    const struct submission *s = self;
    struct starfish_hierarchy_level *fine = &s->graph->level[l], *coarse = fine + 1;

    if (fine->waits)
        return run_visit(s, l, fine->waits == STARFISH_WAITS_ZERO ? STARFISH_VISITS_FROM_ZERO : STARFISH_VISITS_DOWN);
    if (fine->uncorrected)
        STARFISH_TRY(add_correction(s, fine, 0));
    coarse->now = 0;
    const struct starfish_grid_parts parts = parts_of(s, fine, &coarse->space, 1);
    const struct starfish_grid_task task = {.operation = STARFISH_GRID_RESTRICT,
                                            .u = zero ? NULL : starfish_level_solution(fine),
                                            .f = fine->f,
                                            .result = coarse->f};
    return starfish_submit_grid_parts(&parts, s->progress, &task, NULL);
}

/* The sweep that follows adds the correction on its way, where the kind can. */
static starfish_status prolong(void *self, int l, int zero)
{
    const struct submission *s = self;
    struct starfish_hierarchy_level *fine = &s->graph->level[l];

    const struct starfish_smoothing *smoothing = &s->graph->tail.smoothing;

    if (zero || (!starfish_grid_adds_correction(s->graph->kind, smoothing) &&
                 (smoothing->after == 0 || !can_visit(s, l, STARFISH_VISITS_UP))))
        return add_correction(s, fine, zero);
    fine->uncorrected = 1;
    return STARFISH_SUCCESS;
}

static starfish_status run_tail(void *self, int l, starfish_cycle_shape shape, int zero)
{
    const struct submission *s = self;
    struct starfish_hierarchy_graph *graph = s->graph;
    const struct starfish_hierarchy_level *level = &graph->level[l];
    const struct starfish_tail_task task = {.tail = &graph->tail,
                                            .costs = &graph->tail_costs,
                                            .table = graph->tail_table,
                                            .where = graph->tail_where,
                                            .shape = shape,
                                            .zero = zero,
                                            .f = graph->collects ? &graph->tail_f : level->f,
                                            .u = graph->collects ? &graph->tail_u : level->u[0],
                                            .f_parts = graph->collects ? level->f : NULL,
                                            .u_parts = graph->collects ? level->u[0] : NULL};

    return starfish_submit_tail(s->progress, &graph->setting, &task);
}

static starfish_status submit_cycle(void *data)
{
    struct submission *s = data;
    const struct starfish_hierarchy_graph *graph = s->graph;
    const struct starfish_cycle cycle = {s->shape, graph->tail.smoothing.before, graph->tail.smoothing.after};
    const struct starfish_hierarchy hierarchy = {.self = s,
                                                 .levels = graph->levels,
                                                 .smooth = smooth,
                                                 .restrict_residual = restrict_residual,
                                                 .prolong = prolong,
                                                 .solve_coarsest = run_tail,
                                                 .exact = graph->levels == graph->all_levels};

    return starfish_cycle_run(&hierarchy, &cycle, 0, s->zero);
}

starfish_status starfish_hierarchy_cycle(struct starfish_hierarchy_graph *graph, struct starfish_progress *progress,
                                         starfish_cycle_shape shape, int zero)
{
    const struct starfish_hierarchy_level *finest = &graph->level[0];
    const uintptr_t key[STARFISH_GROUP_KEY] = {(uintptr_t)shape, (uintptr_t)zero, (uintptr_t)finest->now,
                                               (uintptr_t)finest->u[0], (uintptr_t)finest->f};
    struct submission submission = {graph, progress, shape, zero};

    return starfish_gpu_groups_run(graph->groups, progress, "cycle", STARFISH_PHASE_SMOOTH, key, submit_cycle,
                                   &submission);
}
