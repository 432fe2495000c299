/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: steps of deflated conjugate gradients. Bound by launches where unknowns are few, else by memory. */
#include "codelets/gradients.h"

#include "codelets/kernel_pair.h"
#include "codelets/tail.h"
#include "krylov/kernels/gradients.h"
#include "scheduler/runtime/hooks.h"
#include "scheduler/runtime/team.h"

enum { R, Z, P, P_ODD, Q, X, VECTORS };
enum { STATE, NORM, PRODUCT, RZ, RESULTS };
enum {
    DOMAIN_OF_CELLS,
    SOLUTION,
    RHS,
    MATRIX,
    PLACES,
    SUMS,
    CHUNK_BEGIN,
    CELL_BEGIN,
    CELL,
    TERM_BEGIN,
    TERM,
    FACTOR,
    TABLES
};

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    int stored;
    struct starfish_gradients kernel;         /* pointers are filled in by the task */
    struct starfish_gradients_cycle cycle;    /* tail NULL: none */
    int matrix, table, result, coarse, grids; /* positions among the data, or -1 */
    int buffers;                              /* all of the data */
    starfish_precision vector_precision[VECTORS];
    struct starfish_access access[VECTORS];
    struct starfish_replays *replays;
};

/* One run: what is captured as a graph. */
struct run {
    struct starfish_place place;
    struct starfish_gradients kernel;
};

static void find_deflation(void *buffers[], const struct arguments *a, struct starfish_gradients *k)
{
    const int first = a->coarse;

    k->domain = STARFISH_VECTOR(buffers, first + DOMAIN_OF_CELLS);
    k->coarse.solution = STARFISH_VECTOR(buffers, first + SOLUTION);
    k->coarse.rhs = STARFISH_VECTOR(buffers, first + RHS);
    k->coarse.matrix = STARFISH_VECTOR(buffers, first + MATRIX);
    k->coarse.place = STARFISH_VECTOR(buffers, first + PLACES);
    k->coarse.chunk_begin[0] = STARFISH_VECTOR(buffers, first + CHUNK_BEGIN);
    k->coarse.sum[0] = k->chunks.sum = STARFISH_VECTOR(buffers, first + SUMS);
    k->chunks.cell_begin = STARFISH_VECTOR(buffers, first + CELL_BEGIN);
    k->chunks.cell = STARFISH_VECTOR(buffers, first + CELL);
    k->chunks.term_begin = STARFISH_VECTOR(buffers, first + TERM_BEGIN);
    k->chunks.term = STARFISH_VECTOR(buffers, first + TERM);
    k->chunks.factor = STARFISH_VECTOR(buffers, first + FACTOR);
}

static struct starfish_gradients with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_gradients k = a->kernel;
    struct starfish_cells *cells = &k.blocks.cells;
    void *vector[VECTORS];

    for (int v = 0; v < VECTORS; v++)
        vector[v] = starfish_vector_here(buffers, &a->access[v], a->vector_precision[v]);
    k.r = vector[R];
    k.z = vector[Z];
    k.p[0] = vector[P];
    k.p[1] = vector[P_ODD];
    k.q = vector[Q];
    k.x = vector[X];
    cells->matrix.stored = a->stored ? STARFISH_VECTOR(buffers, a->matrix) : NULL;
    cells->matrix.k = a->stored ? NULL : STARFISH_VECTOR(buffers, a->matrix);
    cells->table = a->table < 0 ? NULL : STARFISH_VECTOR(buffers, a->table);
    k.state = STARFISH_VECTOR(buffers, a->result + STATE);
    k.norm = STARFISH_VECTOR(buffers, a->result + NORM);
    k.product = STARFISH_VECTOR(buffers, a->result + PRODUCT);
    k.rz = STARFISH_VECTOR(buffers, a->result + RZ);
    if (k.deflated)
        find_deflation(buffers, a, &k);
    return k;
}

/* What the cores of a team share, and a core's cycle. */
struct team {
    const struct arguments *arguments;
    struct starfish_gradients kernel;
    struct starfish_tail_arrays arrays;
};
struct cycle {
    const struct team *team;
    struct starfish_tail_core core;
};

static int run_cycle(const void *self, const struct starfish_place *place, const void *r, void *z, double *rz)
{
    const struct cycle *cycle = self;
    const struct starfish_gradients_cycle *what = &cycle->team->arguments->cycle;
    struct starfish_tail_arrays arrays = cycle->team->arrays;

    arrays.core = &cycle->core;
    arrays.f = r;
    arrays.u = z;
    arrays.sums = rz;
    return starfish_tail_run(place, what->tail, &arrays, what->shape, 1);
}

static void one_core(void *data, size_t part, size_t parts)
{
    const struct team *team = data;
    const struct arguments *a = team->arguments;
    struct starfish_place place = {.precision = a->precision};
    struct starfish_gradients kernel = team->kernel;
    struct cycle cycle = {.team = team};

    kernel.core = part;
    kernel.cores = parts;
    kernel.barrier = starfish_team_barrier(a->header.progress->context);
    if (a->cycle.tail) {
        cycle.core = starfish_tail_core_here(a->cycle.workspace, part, parts);
        place.work = starfish_workspace_part(a->cycle.workspace, part);
        kernel.other = (struct starfish_gradients_other){run_cycle, &cycle};
    }
    starfish_gradients_run(&place, &kernel);
}

static void gradients_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    struct team team = {.arguments = a, .kernel = with_pointers(buffers, a)};

    for (int l = 0; a->cycle.tail && l < a->cycle.tail->levels; l++)
        team.arrays.table[l] = (const void *)STARFISH_VECTOR(buffers, a->grids + l);
    starfish_team_run(a->header.progress->context, one_core, &team);
}

#ifdef STARFISH_HAVE_GPU
static int launch(void *data)
{
    const struct run *run = data;

    return starfish_gradients_run(&run->place, &run->kernel);
}

static void gradients_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = {.precision = a->precision, .gpu = 1, .stream = starfish_task_stream()};
    struct run run = {place, with_pointers(buffers, a)};
    struct starfish_replay_key key = {2, {(uintptr_t)(run.kernel.first & 1), (uintptr_t)run.kernel.count}};

    starfish_replay_add_data(&key, buffers, a->buffers);
    starfish_task_check(&a->header, "gradients", starfish_replay(a->replays, &key, place.stream, launch, &run));
}
#endif

STARFISH_CODELET(gradients, "gradients", 0x55aa77);

int starfish_gradients_fit(const struct starfish_space *space, enum starfish_cell_preconditioner by,
                           enum starfish_coarse_form form)
{
    const int gpus = starfish_context_workers_of(space->context, STARFISH_GPU) > 0;
    const int one = starfish_context_workers_of(space->context, STARFISH_CPU) == 1;

    if (space->parts[1] != 1 ||
        !starfish_times_known(&gradients_codelet, space->context, gpus ? STARFISH_GPU : STARFISH_CPU))
        return 0;
    if (by == STARFISH_CELLS_BY_ANOTHER)
        return one && !gpus;
    return gpus ? form != STARFISH_COARSE_BY_BAND : one;
}

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* The first step reads no direction before it has written one. */
static enum starpu_data_access_mode mode_of(int vector, int first)
{
    const int is_direction = vector == P || vector == P_ODD;

    return vector == Z || vector == Q || (is_direction && first == 0) ? STARPU_W : STARPU_RW;
}

static void attach_vectors(struct starfish_task *task, struct arguments *a, const struct starfish_gradients_task *t)
{
    const struct starfish_vector *const vector[VECTORS] = {t->r, t->z, t->p[0], t->p[1], t->q, t->x};
    const struct starfish_extent all = starfish_part_extent(t->r->space, 0);

    for (int v = 0; v < VECTORS; v++) {
        const int is_again = v == P_ODD && vector[v] == vector[P];
        a->access[v] = is_again ? a->access[P] : starfish_vector_attach(task, vector[v], 0, &all, mode_of(v, t->first));
        a->vector_precision[v] = vector[v]->precision;
    }
}

static void attach_results(struct starfish_task *task, struct arguments *a, const struct starfish_gradients_task *t)
{
    const starpu_data_handle_t handle[RESULTS] = {t->state, t->norm, t->product, t->rz};

    a->result = task->count;
    for (int r = 0; r < RESULTS; r++)
        starfish_task_data(task, handle[r], r == STATE ? STARPU_RW : STARPU_W);
}

static void attach_deflation(struct starfish_task *task, struct arguments *a, const struct starfish_gradients_task *t)
{
    const struct starfish_coarse_matrix *c = t->coarse;
    const struct starfish_chunks *p = t->chunks;
    const starpu_data_handle_t handle[TABLES] = {
        t->domain,       c->solution.handle,   c->rhs.handle,          c->matrix.handle,
        c->place.handle, p->sums.handle,       p->domain_begin.handle, p->cell_begin.handle,
        p->cell.handle,  p->term_begin.handle, p->term.handle,         p->factor.handle};

    a->coarse = task->count;
    for (int i = 0; i < TABLES; i++)
        starfish_task_data(task, handle[i], i == SOLUTION || i == RHS || i == SUMS ? STARPU_W : STARPU_R);
    a->kernel.coarse = (struct starfish_coarse_solve){.domains = c->domains,
                                                      .unknowns = c->unknowns,
                                                      .band = c->band,
                                                      .entries = c->entries,
                                                      .form = c->form,
                                                      .parts = 1,
                                                      .one_each = c->one_each};
    a->kernel.chunks.chunks = p->chunks;
}

static void describe(struct arguments *a, const struct starfish_gradients_task *t)
{
    const struct starfish_extent rows = starfish_part_extent(t->r->space, 0);

    a->kernel = (struct starfish_gradients){.by = t->by,
                                            .blocks = {.block = t->by == STARFISH_CELLS_BY_LINES ? 0 : t->block,
                                                       .cells = {.matrix = t->op->matrix,
                                                                 .first = (size_t)rows.y0,
                                                                 .last = (size_t)rows.y1,
                                                                 .below = rows.y1 - 1}},
                                            .deflated = t->coarse != NULL,
                                            .wide = t->x->precision != t->p[0]->precision,
                                            .first = t->first,
                                            .count = t->count};
}

static struct starfish_cost cost_of(const struct arguments *a, const struct starfish_gradients_task *t)
{
    struct starfish_cost beside = {0, 0};
    struct starfish_gradients kernel = a->kernel;

    kernel.blocks.cells.matrix.stored = a->stored ? t : NULL; /* there is such an array */
    if (t->coarse) {
        starfish_cost_add(&beside, starfish_chunks_cost(a->precision, t->chunks, 1));
        starfish_cost_add(&beside, starfish_coarse_solve_cost(&kernel.coarse));
    }
    if (t->cycle)
        starfish_cost_add(&beside, starfish_tail_cost_once(t->cycle->tail, t->cycle->costs, t->cycle->shape, 1));
    return starfish_gradients_cost(a->precision, &kernel, beside);
}

starfish_status starfish_submit_gradients(const struct starfish_algebra *algebra,
                                          const struct starfish_gradients_task *t)
{
    const size_t *n = t->op->matrix.n;
    const size_t domains = t->coarse ? t->coarse->domains : 0;
    struct arguments a = {.precision = t->r->precision, .stored = t->op->stored, .replays = t->replays, .coarse = -1};
    struct starfish_task task;

    starfish_task_begin(&task, &gradients_codelet, algebra->progress, algebra->phase);
    starfish_task_of_owner(&task, t->r->space, 0, algebra->where);
    task.name = "steps";
    describe(&a, t);
    attach_vectors(&task, &a, t);
    attach_results(&task, &a, t);
    a.matrix = task.count;
    starfish_task_data(&task, t->op->table, STARPU_R);
    a.table = t->table ? task.count : -1;
    if (t->table)
        starfish_task_data(&task, t->table, STARPU_R);
    if (t->coarse)
        attach_deflation(&task, &a, t);
    starfish_task_costs(&task, cost_of(&a, t));
    if (t->cycle) {
        a.cycle = *t->cycle;
        a.grids = task.count;
        for (int l = 0; l < t->cycle->tail->levels; l++)
            starfish_task_data(&task, t->cycle->table[l], STARPU_R);
    }
    a.buffers = task.count;
    a.header.footprint = STARFISH_FOOTPRINT(t->r->precision, t->x->precision, n[0], n[1], n[2], (size_t)t->by,
                                            (size_t)t->op->stored, t->block, domains, (size_t)t->count);
    return starfish_task_submit(&task, &a, sizeof a);
}
