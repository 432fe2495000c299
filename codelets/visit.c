/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: several operations on one part of a grid; on a GPU one CUDA graph from the second time on. Bound as the kind's
 * kernels are. */
#include "codelets/visit.h"

#include "codelets/kernel_pair.h"
#include "scheduler/runtime/hooks.h"

#include <string.h>

struct arguments {
    struct starfish_task_header header;
    struct starfish_grid_setting setting;
    struct starfish_visit visit;
    const void *shape, *coarse_shape;
    int table, coarse_table, buffers; /* tables come first; all of the task's data */
    struct starfish_access u[2], f, coarse;
};

/* ---- On a worker ------------------------------------------------------------------------------------------------- */

/* In which array the solution is before a step: a sweep goes from one to the other. */
static int array_before(const struct starfish_visit *visit, int step)
{
    int moves = visit->copies;

    for (int i = 0; i < step; i++)
        moves += visit->step[i].operation == STARFISH_GRID_SMOOTH;
    return moves % 2;
}

/* The vectors of a visit, in the memory of a place. */
struct vectors {
    void *u[2], *coarse;
    const void *f;
};

static struct starfish_grid_step step_with(const struct arguments *a, int i, const struct vectors *vectors)
{
    const struct starfish_visit_step *this = &a->visit.step[i];
    const int array = array_before(&a->visit, i), smooths = this->operation == STARFISH_GRID_SMOOTH;
    struct starfish_grid_step step = {.shape = a->shape,
                                      .coarse_shape = a->coarse_shape,
                                      .at = this->at,
                                      .sweep = this->sweep,
                                      .damping = this->damping,
                                      .f = vectors->f};

    if (this->operation == STARFISH_GRID_PROLONG) {
        step.coarse = vectors->coarse;
        step.result = vectors->u[array];
        return step;
    }
    step.u = a->visit.zero && i == 0 ? NULL : vectors->u[array];
    step.result = smooths ? vectors->u[!array] : vectors->coarse;
    if (smooths && a->visit.adds && i == 0)
        step.coarse = vectors->coarse;
    return step;
}

static struct starfish_grid_step step_of(void *buffers[], const struct arguments *a, int i)
{
    const starfish_precision precision = a->setting.precision;
    const struct vectors vectors = {
        .u = {starfish_vector_here(buffers, &a->u[0], precision), starfish_vector_here(buffers, &a->u[1], precision)},
        .coarse = starfish_vector_here(buffers, &a->coarse, precision),
        .f = starfish_vector_here(buffers, &a->f, precision)};
    struct starfish_grid_step step = step_with(a, i, &vectors);

    step.table = (const void *)STARPU_VECTOR_GET_PTR(buffers[a->table]);
    step.coarse_table = (const void *)STARPU_VECTOR_GET_PTR(buffers[a->coarse_table]);
    return step;
}

/* Ghosts, and where it is wanted the solution in the other array. */
static int prepare(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_access *const all[] = {&a->u[0], &a->f, &a->coarse};
    const struct starfish_extent *rows = &a->visit.u;
    const size_t nx = (size_t)(rows->x1 - rows->x0), start = nx * (size_t)rows->y0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        TRY_LAUNCH(starfish_vector_fill(place, buffers, all[i]));
    if (!a->visit.copies)
        return 0;
    void *const from = starfish_vector_here(buffers, &a->u[0], place->precision);
    void *const to = starfish_vector_here(buffers, &a->u[1], place->precision);
    return starfish_place_copy(place, starfish_real_at(to, place->precision, start),
                               starfish_real_at(from, place->precision, start), nx * (size_t)(rows->y1 - rows->y0));
}

static int publish(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_access *const all[] = {&a->u[0], &a->u[1], &a->coarse};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        TRY_LAUNCH(starfish_vector_publish(place, buffers, all[i]));
    return 0;
}

static void visit_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = {a->setting.precision, 0, NULL, NULL};

    prepare(&place, buffers, a);
    for (int i = 0; i < a->visit.steps; i++) {
        const struct starfish_grid_step step = step_of(buffers, a, i);
        starfish_grid_on_team(a->header.progress->context, &a->setting, a->visit.step[i].operation, &step);
    }
    publish(&place, buffers, a);
}

#ifdef STARFISH_HAVE_GPU
static int launch(const struct starfish_place *place, void *buffers[], const void *arguments)
{
    const struct arguments *a = arguments;

    TRY_LAUNCH(prepare(place, buffers, a));
    for (int i = 0; i < a->visit.steps; i++) {
        const struct starfish_grid_step step = step_of(buffers, a, i);
        TRY_LAUNCH(a->setting.kind->compute[a->visit.step[i].operation](place, &step));
    }
    return publish(place, buffers, a);
}

/* A part's visits down and up differ in their data, and those from zero and with known ghosts in their number. */
static struct starfish_replay_key key_of(void *buffers[], const struct arguments *a)
{
    const struct starfish_visit *v = &a->visit;
    struct starfish_replay_key key = {6,
                                      {(uintptr_t)a->shape, a->u[1].part, (uintptr_t)v->step[v->steps - 1].operation,
                                       (uintptr_t)v->zero, (uintptr_t)starfish_workspace_here(a->setting.workspace),
                                       (uintptr_t)a->buffers}};

    for (int i = 0; i < a->buffers; i++)
        starfish_replay_add(&key, i == a->table || i == a->coarse_table ? (uintptr_t)STARPU_VECTOR_GET_PTR(buffers[i])
                                                                        : (uintptr_t)STARPU_BLOCK_GET_PTR(buffers[i]));
    return key;
}

static void visit_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_replay_key key = key_of(buffers, a);

    starfish_task_check(&a->header, a->setting.kind->name, starfish_grid_replay(&a->setting, &key, launch, buffers, a));
}
#endif

STARFISH_CODELET(visit, "grid_visit", 0x5588cc);

int starfish_visits_recorded(const struct starfish_context *context)
{
    return starfish_times_known_everywhere(&visit_codelet, context);
}

/* ---- Submission -------------------------------------------------------------------------------------------------- */

static int attach_table(struct starfish_task *task, starpu_data_handle_t table)
{
    starfish_task_data(task, table, STARPU_R);
    return task->count - 1;
}

/* The solution's edges are published, of the array that has it in the end. */
static void attach_solution(struct starfish_task *task, struct arguments *a, const struct starfish_visit_task *t)
{
    const struct starfish_visit *v = &t->visit;
    const int last = starfish_visit_flips(v), first_is_used = !v->zero || v->sweeps > 1;
    const struct starfish_space *space = t->u[0]->space;

    for (int i = 0; i < 2; i++) {
        const struct starfish_access wanted = {.part = t->part,
                                               .fills = i == 0 && !v->zero && !t->known &&
                                                        starfish_extent_goes_beyond(space, t->part, &v->u),
                                               .filled = v->u,
                                               .publishes = i == last ? STARFISH_ALL_EDGES : STARFISH_NO_EDGES};
        a->u[i] = STARFISH_NO_ACCESS;
        if (i == 1 || first_is_used)
            a->u[i] = starfish_vector_attach_as(task, t->u[i], &wanted, i == 0 && !v->zero ? STARPU_RW : STARPU_W);
    }
}

/* Of vectors only whether they are there counts. */
static struct starfish_cost cost_of(const struct arguments *a)
{
    static char array;
    const struct vectors vectors = {.u = {&array, &array}, .coarse = &array, .f = &array};
    struct starfish_cost sum = {0, 0};

    for (int i = 0; i < a->visit.steps; i++) {
        const struct starfish_grid_step step = step_with(a, i, &vectors);
        starfish_cost_add(&sum, a->setting.kind->costs->cost(a->setting.precision, a->visit.step[i].operation, &step));
    }
    return sum;
}

static uint32_t footprint_of(const struct starfish_grid_setting *setting, const struct starfish_visit_task *t)
{
    const struct starfish_visit *v = &t->visit;
    const struct starfish_rectangle *first = &v->step[0].at;
    size_t n[2];

    starfish_grid_extent(setting->kind, t->shape, n);
    const size_t sizes[] = {(size_t)setting->kind->name[0],
                            strlen(setting->kind->name),
                            setting->precision,
                            (size_t)v->step[v->steps - 1].operation,
                            (size_t)v->step[v->steps / 2].sweep,
                            n[0],
                            first->y1 - first->y0,
                            (size_t)v->steps,
                            (size_t)v->sweeps,
                            (size_t)v->zero,
                            starfish_grid_variant(setting->kind, t->shape)};

    return starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
}

starfish_status starfish_submit_visit(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                      const struct starfish_visit_task *t)
{
    const struct starfish_visit *v = &t->visit;
    const struct starfish_space *coarse = t->coarse->space;
    const int restricts = v->step[v->steps - 1].operation == STARFISH_GRID_RESTRICT;
    struct starfish_task task;
    struct arguments a = {.setting = *setting, .visit = *v, .shape = t->shape, .coarse_shape = t->coarse_shape};

    starfish_task_begin(&task, &visit_codelet, progress, STARFISH_PHASE_SMOOTH);
    task.name = restricts ? "smooth and restrict" : "correct and smooth";
    task.width = v->step[0].at.y1 - v->step[0].at.y0;
    starfish_task_costs(&task, cost_of(&a));
    starfish_task_of_owner(&task, t->u[0]->space, t->part, setting->where);
    a.table = attach_table(&task, t->table);
    a.coarse_table = attach_table(&task, t->coarse_table);
    attach_solution(&task, &a, t);
    a.f = starfish_vector_attach(&task, t->f, t->part, &v->f, STARPU_R);
    const struct starfish_extent own = starfish_part_extent(coarse, t->part);
    a.coarse = starfish_vector_attach(&task, t->coarse, t->part, restricts ? &own : &v->coarse,
                                      restricts ? STARPU_W : STARPU_R);
    a.buffers = task.count;
    a.header.footprint = footprint_of(setting, t);
    return starfish_task_submit(&task, &a, sizeof a);
}
