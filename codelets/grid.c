/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks of multigrid on parts of grids: one codelet per operation for all kinds of grids. Bound as the kind's kernels
 * are. */
#include "codelets/grid.h"

#include "scheduler/runtime/team.h"

#include <string.h>

/* The vectors of a task. */
enum role { U, F, COARSE, CORRECTION, RESULT, V, ROLES };

struct arguments {
    struct starfish_task_header header;
    struct starfish_grid_setting setting;
    enum starfish_grid_operation operation;
    struct starfish_grid_step step; /* pointers are filled in by the task */
    int table, coarse_table, sums;  /* -1: none */
    int state, scalar;              /* of the factor; -1: none */
    struct starfish_access access[ROLES];
};

/* ---- On a worker ------------------------------------------------------------------------------------------------- */

static void *data_at(void *buffers[], int index)
{
    return index < 0 ? NULL : (void *)STARPU_VECTOR_GET_PTR(buffers[index]);
}

static starfish_precision precision_of(const struct arguments *a, enum role role)
{
    return a->step.combined.lower && (role == CORRECTION || role == RESULT) ? STARFISH_F32 : a->setting.precision;
}

static void *here(void *buffers[], const struct arguments *a, enum role role)
{
    return starfish_vector_here(buffers, &a->access[role], precision_of(a, role));
}

static struct starfish_grid_step with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_grid_step step = a->step;

    step.table = data_at(buffers, a->table);
    step.coarse_table = data_at(buffers, a->coarse_table);
    step.u = here(buffers, a, U);
    step.f = here(buffers, a, F);
    step.coarse = here(buffers, a, COARSE);
    step.result = here(buffers, a, RESULT);
    step.sums = data_at(buffers, a->sums);
    step.combined.correction = here(buffers, a, CORRECTION);
    step.combined.v = here(buffers, a, V);
    step.combined.scalar = a->state < 0 ? NULL : (const double *)data_at(buffers, a->state) + a->scalar;
    return step;
}

static int fill(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    for (int role = 0; role < RESULT; role++) {
        const struct starfish_place at = starfish_place_in(place, precision_of(a, (enum role)role));
        TRY_LAUNCH(starfish_vector_fill(&at, buffers, &a->access[role]));
    }
    return 0;
}

static int publish(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_place at = starfish_place_in(place, precision_of(a, RESULT));

    TRY_LAUNCH(starfish_vector_publish(&at, buffers, &a->access[RESULT]));
    return starfish_vector_publish(place, buffers, &a->access[V]);
}

struct shared {
    const struct starfish_grid_setting *setting;
    enum starfish_grid_operation operation;
    const struct starfish_grid_step *step;
};

static void compute_on_a_core(void *data, size_t part, size_t parts)
{
    const struct shared *shared = data;
    const struct starfish_grid_setting *setting = shared->setting;
    const struct starfish_place place = {setting->precision, 0, NULL,
                                         starfish_workspace_part(setting->workspace, part)};
    struct starfish_grid_step step = *shared->step;

    starfish_activity_begin(&starfish_grid_activity[shared->operation]);
    starfish_grid_share(setting->kind, &step, shared->operation, part, parts);
    if (step.at.x0 < step.at.x1 && step.at.y0 < step.at.y1)
        setting->kind->compute[shared->operation](&place, &step);
}

void starfish_grid_on_team(struct starfish_context *context, const struct starfish_grid_setting *setting,
                           enum starfish_grid_operation operation, const struct starfish_grid_step *step)
{
    struct shared shared = {setting, operation, step};

    starfish_team_run(context, compute_on_a_core, &shared);
}

static void grid_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = {a->setting.precision, 0, NULL, NULL};
    const struct starfish_grid_step step = with_pointers(buffers, a);

    fill(&place, buffers, a);
    starfish_grid_on_team(a->header.progress->context, &a->setting, a->operation, &step);
    publish(&place, buffers, a);
}

#ifdef STARFISH_HAVE_GPU
static int launch(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_grid_step step = with_pointers(buffers, a);

    TRY_LAUNCH(fill(place, buffers, a));
    TRY_LAUNCH(a->setting.kind->compute[a->operation](place, &step));
    return publish(place, buffers, a);
}

static void grid_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = starfish_grid_place_on_gpu(&a->setting);

    starfish_task_check(&a->header, a->setting.kind->name, launch(&place, buffers, a));
}
#endif

/* The same functions under four names, since each operation takes its own time. */
#define smooth_cpu grid_cpu
#define smooth_cuda grid_cuda
#define restrict_cpu grid_cpu
#define restrict_cuda grid_cuda
#define prolong_cpu grid_cpu
#define prolong_cuda grid_cuda
#define residual_cpu grid_cpu
#define residual_cuda grid_cuda
STARFISH_CODELET(smooth, "grid_smooth", 0x5588aa);
STARFISH_CODELET(restrict, "grid_restrict", 0x88aa55);
STARFISH_CODELET(prolong, "grid_prolong", 0x88aa88);
STARFISH_CODELET(residual, "grid_residual", 0xaa8855);

/* ---- Submission -------------------------------------------------------------------------------------------------- */

static const struct {
    struct starpu_codelet *codelet;
    const char *name;
    int phase;
} operations[STARFISH_GRID_OPERATIONS] = {
    [STARFISH_GRID_SMOOTH] = {&smooth_codelet, "smooth", STARFISH_PHASE_SMOOTH},
    [STARFISH_GRID_RESTRICT] = {&restrict_codelet, "restrict", STARFISH_PHASE_TRANSFER},
    [STARFISH_GRID_PROLONG] = {&prolong_codelet, "prolong", STARFISH_PHASE_TRANSFER},
    [STARFISH_GRID_RESIDUAL] = {&residual_codelet, "residual", STARFISH_PHASE_VECTORS},
};

static struct starfish_extent written(const struct starfish_grid_step *step)
{
    return (struct starfish_extent){(ptrdiff_t)step->at.x0, (ptrdiff_t)step->at.x1, (ptrdiff_t)step->at.y0,
                                    (ptrdiff_t)step->at.y1, 0};
}

static void attach_input(struct starfish_task *task, struct arguments *a, const struct starfish_grid_task *t,
                         enum role role)
{
    static const enum starfish_grid_input input[] = {
        [U] = STARFISH_GRID_U, [F] = STARFISH_GRID_F, [COARSE] = STARFISH_GRID_COARSE, [CORRECTION] = STARFISH_GRID_U};
    const struct starfish_vector *const vector[] = {
        [U] = t->u, [F] = t->f, [COARSE] = t->coarse, [CORRECTION] = t->correction};

    if (!vector[role])
        return;
    const struct starfish_reach reach = starfish_grid_reach(a->setting.kind, t->operation, &t->step, input[role]);
    const struct starfish_extent read = {reach.x0, reach.x1, reach.y0, reach.y1, reach.wraps};
    const struct starfish_extent extent = t->has_ghosts ? starfish_part_extent(vector[role]->space, t->part) : read;
    a->access[role] =
        starfish_vector_attach(task, vector[role], role == COARSE ? t->coarse_part : t->part, &extent, STARPU_R);
}

static void attach_result(struct starfish_task *task, struct arguments *a, const struct starfish_grid_task *t)
{
    const struct starfish_extent extent = written(&t->step);
    const size_t part = t->operation == STARFISH_GRID_RESTRICT ? t->coarse_part : t->part;
    const int sweep_adds = t->operation == STARFISH_GRID_SMOOTH && starfish_grid_adds(a->setting.kind, t->step.sweep);
    const int adds = (t->operation == STARFISH_GRID_PROLONG || sweep_adds) && !t->step.zero;

    const struct starfish_access own = {.part = part}; /* without edges */
    const enum starpu_data_access_mode mode = adds ? STARPU_RW : STARPU_W;

    if (!t->result)
        return;
    a->access[RESULT] = t->keeps_edges && t->result->ghosts
                            ? starfish_vector_attach_as(task, t->result, &own, mode)
                            : starfish_vector_attach(task, t->result, part, &extent, mode);
}

static void attach_combination(struct starfish_task *task, struct arguments *a, const struct starfish_grid_task *t)
{
    const struct starfish_extent extent = written(&t->step);

    if (t->v)
        a->access[V] = starfish_vector_attach(task, t->v, t->part, &extent, STARPU_W);
    a->step.combined.factor = t->factor.number;
    if (!t->correction || !t->factor.state)
        return;
    a->state = starfish_task_optional(task, starfish_factor_state(&t->factor, t->part), STARPU_R);
    a->scalar = t->factor.scalar;
}

/* Of the task's vectors only whether they are there counts. */
static struct starfish_cost cost_of(const struct starfish_grid_setting *setting, const struct starfish_grid_task *t)
{
    static double sums;
    struct starfish_grid_step step = t->step;

    step.u = t->u;
    step.f = t->f;
    step.coarse = t->coarse;
    step.result = (void *)(uintptr_t)t->result;
    step.combined.correction = t->correction;
    step.combined.v = (void *)(uintptr_t)t->v;
    step.sums = t->sums ? &sums : NULL;
    return setting->kind->costs->cost(setting->precision, t->operation, &step);
}

static uint32_t footprint_of(const struct starfish_grid_setting *setting, const struct starfish_grid_task *t)
{
    const struct starfish_grid_kind *kind = setting->kind;
    const struct starfish_rectangle at = t->step.at;
    size_t n[2], coarse[2] = {0, 0};

    starfish_grid_extent(kind, t->step.shape, n);
    if (t->step.coarse_shape)
        starfish_grid_extent(kind, t->step.coarse_shape, coarse);
    const struct starfish_grid_combination *combined = &t->step.combined;
    const size_t combines = (t->correction != NULL) + 2U * (t->v != NULL) + 4U * (size_t)combined->energy +
                            8U * (size_t)combined->lower + 16U * (size_t)combined->absolute;

    return STARFISH_FOOTPRINT_BUT(
        combines == 0, (size_t)kind->name[0], strlen(kind->name), setting->precision, (size_t)t->step.sweep,
        at.x1 - at.x0, at.y1 - at.y0, n[0], coarse[0], n[1] == coarse[1], t->u != NULL, t->f != NULL, t->coarse != NULL,
        t->result != NULL, t->sums != NULL, (size_t)t->step.zero, starfish_grid_variant(kind, t->step.shape), combines);
}

static int has_ghosts_beyond(const struct starfish_vector *vector)
{
    return vector && vector->ghosts && vector->space->wraps;
}

static void describe(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                     const struct starfish_grid_task *t, struct starfish_task *task, struct arguments *a)
{
    const struct starfish_vector *written_to = t->result ? t->result : t->f ? t->f : t->u ? t->u : t->correction;
    const int restricts = t->operation == STARFISH_GRID_RESTRICT, smooths = t->operation == STARFISH_GRID_SMOOTH;

    *a = (struct arguments){.setting = *setting, .operation = t->operation, .step = t->step, .sums = -1, .state = -1};
    for (int role = 0; role < ROLES; role++)
        a->access[role] = STARFISH_NO_ACCESS;
    a->step.ghosts = has_ghosts_beyond(t->u) || has_ghosts_beyond(t->f) || has_ghosts_beyond(t->correction);
    a->step.coarse_ghosts = has_ghosts_beyond(t->coarse);
    starfish_task_begin(task, operations[t->operation].codelet, progress, operations[t->operation].phase);
    task->name = smooths ? setting->kind->sweep_names[t->step.sweep] : operations[t->operation].name;
    task->width = t->step.at.y1 - t->step.at.y0;
    starfish_task_costs(task, cost_of(setting, t));
    starfish_task_of_owner(task, written_to->space, restricts ? t->coarse_part : t->part, setting->where);
    a->table = starfish_task_optional(task, t->table, STARPU_R);
    a->coarse_table = starfish_task_optional(task, t->coarse_table, STARPU_R);
    for (int role = 0; role < RESULT; role++)
        attach_input(task, a, t, (enum role)role);
    attach_result(task, a, t);
    attach_combination(task, a, t);
    a->sums = starfish_task_optional(task, t->sums, STARPU_W);
    a->header.footprint = footprint_of(setting, t);
}

starfish_status starfish_submit_grid(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                     const struct starfish_grid_task *t)
{
    struct starfish_task task;
    struct arguments a;

    describe(progress, setting, t, &task, &a);
    return starfish_task_submit(&task, &a, sizeof a);
}

struct starfish_parted_grid *starfish_parted_grid_create(size_t count)
{
    struct starfish_parted_grid *const grid = calloc(1, sizeof *grid + count * sizeof grid->part[0]);

    if (grid)
        grid->count = count;
    else
        starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu parts of a grid", count);
    return grid;
}

void starfish_parted_grid_destroy(struct starfish_parted_grid *grid)
{
    for (size_t part = 0; grid && part < grid->count; part++)
        starfish_coefficient_table_destroy(&grid->part[part].table);
    free(grid);
}

starfish_status starfish_submit_grid_parts(const struct starfish_grid_parts *on, struct starfish_progress *progress,
                                           const struct starfish_grid_task *common, const struct starfish_sums *sums)
{
    const struct starfish_space *space = on->space;

    for (size_t i = 0; i < space->parts[!on->along_columns]; i++) {
        const size_t part = on->along_columns ? i : starfish_space_turn(space, i);
        struct starfish_grid_task task = *common;
        task.part = task.coarse_part = part;
        task.step.shape = starfish_part_of(on->grid, part)->shape;
        task.table = starfish_part_of(on->grid, part)->table.handle;
        if (on->coarse) {
            task.step.coarse_shape = starfish_part_of(on->coarse, part)->shape;
            task.coarse_table = starfish_part_of(on->coarse, part)->table.handle;
        }
        task.step.at = starfish_part_rectangle(space, part);
        if (on->along_columns)
            task.step.at =
                (struct starfish_rectangle){space->first[0][part], space->first[0][part + 1], 0, space->n[1]};
        task.step.at.y1 += on->with_ghosts ? space->after[part] : 0;
        task.sums = sums ? sums->part[part].handle : NULL;
        STARFISH_TRY(starfish_submit_grid(progress, on->setting, &task));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_grid_expect(struct starfish_context *context, const struct starfish_grid_setting *setting,
                                     const struct starfish_grid_task *t, double seconds[STARFISH_WORKER_KINDS])
{
    struct starfish_progress progress;
    struct starfish_task task;
    struct arguments a;

    starfish_progress_init(&progress, context);
    describe(&progress, setting, t, &task, &a);
    const starfish_status status = starfish_task_expect(&task, &a, sizeof a, seconds);
    starfish_progress_destroy(&progress);
    return status;
}
