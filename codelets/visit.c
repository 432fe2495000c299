/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: several operations on one part of a grid; on a GPU one CUDA graph from the second time on. Bound as the kind's
 * kernels are. */
#include "codelets/visit.h"

#include "codelets/kernel_pair.h"
#include "scheduler/runtime/hooks.h"

#include <stddef.h>
#include <string.h>

struct arguments {
    struct starfish_task_header header;
    struct starfish_grid_setting setting;
    const void *shape, *coarse_shape;
    int table, coarse_table, buffers; /* tables come first, -1: none; all of the task's data */
    struct starfish_access u[2], f, coarse;
    struct starfish_visit visit; /* no more of its steps than there are */
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

static struct starfish_rectangle rectangle_of(const struct arguments *a, const struct starfish_visit_step *step)
{
    size_t n[2];

    starfish_grid_extent(a->setting.kind, step->operation == STARFISH_GRID_RESTRICT ? a->coarse_shape : a->shape, n);
    return (struct starfish_rectangle){0, n[0], step->y0, step->y1};
}

static int first_sweep_adds(const struct starfish_grid_kind *kind, const struct starfish_visit *visit)
{
    return visit->step[0].operation == STARFISH_GRID_SMOOTH && starfish_grid_adds(kind, visit->step[0].sweep);
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
    const int from_zero = a->visit.zero && i == 0, adds = first_sweep_adds(a->setting.kind, &a->visit);
    struct starfish_grid_step step = {.shape = a->shape,
                                      .coarse_shape = a->coarse_shape,
                                      .at = rectangle_of(a, this),
                                      .sweep = this->sweep,
                                      .damping = this->damping,
                                      .f = vectors->f};

    if (this->operation == STARFISH_GRID_PROLONG) {
        step.coarse = vectors->coarse;
        step.result = vectors->u[array];
        return step;
    }
    step.zero = from_zero && adds;
    step.u = from_zero && !adds ? NULL : vectors->u[array];
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

    step.table = starfish_optional(buffers, a->table);
    step.coarse_table = starfish_optional(buffers, a->coarse_table);
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
struct run {
    struct starfish_place place;
    void **buffers;
    const struct arguments *arguments;
};

static int launch(void *data)
{
    const struct run *run = data;
    const struct arguments *a = run->arguments;

    TRY_LAUNCH(prepare(&run->place, run->buffers, a));
    for (int i = 0; i < a->visit.steps; i++) {
        const struct starfish_grid_step step = step_of(run->buffers, a, i);
        TRY_LAUNCH(a->setting.kind->compute[a->visit.step[i].operation](&run->place, &step));
    }
    return publish(&run->place, run->buffers, a);
}

/* A part's visits down and up differ in their data, those from zero and with known ghosts in their number, and those
 * without transfers in the number of their sweeps and in the first one. */
static struct starfish_replay_key key_of(void *buffers[], const struct arguments *a)
{
    const struct starfish_visit *v = &a->visit;
    struct starfish_replay_key key = {7,
                                      {(uintptr_t)a->shape, a->u[1].part, (uintptr_t)v->step[v->steps - 1].operation,
                                       (uintptr_t)v->steps, (uintptr_t)v->step[0].sweep, (uintptr_t)v->zero,
                                       (uintptr_t)starfish_workspace_here(a->setting.workspace)}};

    starfish_replay_add_data(&key, buffers, a->buffers);
    return key;
}

static void visit_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_replay_key key = key_of(buffers, a);
    struct run run = {starfish_grid_place_on_gpu(&a->setting), buffers, a};

    starfish_task_check(&a->header, a->setting.kind->name,
                        starfish_replay(a->setting.replays, &key, run.place.stream, launch, &run));
}
#endif

/* The same functions under two names: visits without transfers take their own time. */
#define sweeps_cpu visit_cpu
#define sweeps_cuda visit_cuda
STARFISH_CODELET(visit, "grid_visit", 0x5588cc);
STARFISH_CODELET(sweeps, "grid_sweeps", 0x5588ee);

int starfish_visits_recorded(const struct starfish_context *context, int transfers)
{
    return starfish_times_known_everywhere(transfers ? &visit_codelet : &sweeps_codelet, context);
}

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* The solution's edges are published, of the array that has it in the end. */
static void attach_solution(struct starfish_task *task, struct arguments *a, const struct starfish_visit_task *t)
{
    const struct starfish_visit *v = t->visit;
    const int adds = first_sweep_adds(a->setting.kind, v), last = starfish_visit_flips(v);
    const int reads[2] = {!v->zero || adds, adds && !v->zero};
    const struct starfish_space *space = t->u[0]->space;

    for (int i = 0; i < 2; i++) {
        const struct starfish_access wanted = {.part = t->part,
                                               .fills = i == 0 && !v->zero && !t->known &&
                                                        starfish_extent_goes_beyond(space, t->part, &v->u),
                                               .filled = v->u,
                                               .publishes = i == last ? STARFISH_ALL_EDGES : STARFISH_NO_EDGES};
        a->u[i] = STARFISH_NO_ACCESS;
        if (i == 1 || reads[0] || v->sweeps > 1)
            a->u[i] = starfish_vector_attach_as(task, t->u[i], &wanted, reads[i] ? STARPU_RW : STARPU_W);
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
    const struct starfish_visit *v = t->visit;
    const size_t letter = (size_t)setting->kind->name[0], length = strlen(setting->kind->name);
    const size_t variant = starfish_grid_variant(setting->kind, t->shape), rows = v->step[0].y1 - v->step[0].y0;
    const size_t steps = (size_t)v->steps, operation = (size_t)v->step[v->steps - 1].operation;
    size_t n[2];

    starfish_grid_extent(setting->kind, t->shape, n);
    return t->coarse
               ? STARFISH_FOOTPRINT(letter, length, setting->precision, operation, (size_t)v->step[v->steps / 2].sweep,
                                    n[0], rows, steps, (size_t)v->sweeps, (size_t)v->zero, variant)
               : STARFISH_FOOTPRINT(letter, length, setting->precision, steps, (size_t)v->step[0].sweep, n[0], rows,
                                    variant);
}

static void attach_coarse(struct starfish_task *task, struct arguments *a, const struct starfish_visit_task *t,
                          int restricts)
{
    a->coarse = STARFISH_NO_ACCESS;
    if (!t->coarse)
        return;
    const struct starfish_extent own = starfish_part_extent(t->coarse->space, t->part);
    a->coarse = starfish_vector_attach(task, t->coarse, t->part, restricts ? &own : &t->visit->coarse,
                                       restricts ? STARPU_W : STARPU_R);
}

starfish_status starfish_submit_visit(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                      const struct starfish_visit_task *t)
{
    const struct starfish_visit *v = t->visit;
    const int restricts = v->step[v->steps - 1].operation == STARFISH_GRID_RESTRICT;
    const size_t size = offsetof(struct arguments, visit.step) + (size_t)v->steps * sizeof v->step[0];
    struct starfish_task task;
    struct arguments a = {.setting = *setting, .visit = *v, .shape = t->shape, .coarse_shape = t->coarse_shape};

    starfish_task_begin(&task, t->coarse ? &visit_codelet : &sweeps_codelet, progress, STARFISH_PHASE_SMOOTH);
    task.name = !t->coarse ? "smooth, several sweeps" : restricts ? "smooth and restrict" : "correct and smooth";
    task.width = v->step[0].y1 - v->step[0].y0;
    starfish_task_costs(&task, cost_of(&a));
    starfish_task_of_owner(&task, t->u[0]->space, t->part, setting->where);
    a.table = starfish_task_optional(&task, t->table, STARPU_R); /* other ranks' parts have none */
    a.coarse_table = starfish_task_optional(&task, t->coarse_table, STARPU_R);
    attach_solution(&task, &a, t);
    a.f = starfish_vector_attach(&task, t->f, t->part, &v->f, STARPU_R);
    attach_coarse(&task, &a, t, restricts);
    a.buffers = task.count;
    a.header.footprint = footprint_of(setting, t);
    return starfish_task_submit(&task, &a, size);
}
