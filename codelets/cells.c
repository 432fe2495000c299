/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: steps of an iteration on cells (krylov/kernels/cells.h). A table says which vectors a step reads and writes.
 * Memory-bound. */
#include "codelets/cells.h"

#include "codelets/kernel_pair.h"
#include "krylov/kernels/blocks.h"

STARFISH_PLACE_KERNEL(run_blocks, starfish_blocks)

enum role { U, F, Q, V, R, ROLES };

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    enum starfish_cell_step step;
    int by_runs, stored;
    size_t block;
    struct starfish_cells cells;                            /* pointers are filled in by the task */
    int matrix, table, domain, coarse, state, sums, scalar; /* positions among the data, or -1 */
    starfish_precision role_precision[ROLES];
    struct starfish_access access[ROLES];
};

/* What a step does to its vectors: nothing, reads them, with the planes of the neighbours, writes them, or both. */
enum use { NOT, READS, READS_AROUND, WRITES, UPDATES };
static const unsigned char uses[STARFISH_CELL_STEPS][ROLES] = {
    [STARFISH_CELLS_APPLY] = {[U] = READS_AROUND, [Q] = WRITES},
    [STARFISH_CELLS_TURN] = {[U] = READS_AROUND, [F] = READS_AROUND, [R] = WRITES, [Q] = WRITES},
    [STARFISH_CELLS_RESIDUAL] = {[U] = READS_AROUND, [F] = READS, [Q] = WRITES},
    [STARFISH_CELLS_ABSOLUTE] = {[U] = READS_AROUND},
    [STARFISH_CELLS_ADVANCE] = {[U] = READS, [F] = READS, [V] = UPDATES, [R] = UPDATES},
    [STARFISH_CELLS_ADVANCE_WIDE] = {[U] = READS, [F] = READS, [V] = UPDATES, [R] = UPDATES},
    [STARFISH_CELLS_JACOBI] = {[U] = READS, [Q] = WRITES},
    [STARFISH_CELLS_IP_FIRST] = {[U] = READS_AROUND, [Q] = WRITES},
    [STARFISH_CELLS_IP_SECOND] = {[U] = READS_AROUND, [F] = READS, [Q] = WRITES},
    [STARFISH_CELLS_IP_DROPPED] = {[U] = READS_AROUND, [Q] = WRITES},
    [STARFISH_CELLS_PROLONG] = {[U] = READS, [F] = READS, [Q] = WRITES},
    [STARFISH_CELLS_PROLONG_WIDE] = {[Q] = UPDATES},
    [STARFISH_CELLS_SUM] = {[U] = READS},
    [STARFISH_CELLS_SHIFT] = {[U] = READS, [Q] = WRITES},
    [STARFISH_CELLS_LARGEST] = {[U] = READS},
};
static const unsigned char uses_of_runs[ROLES] = {[U] = READS, [Q] = WRITES};
static const char *const names[STARFISH_CELL_STEPS] = {[STARFISH_CELLS_APPLY] = "A p",
                                                       [STARFISH_CELLS_TURN] = "p, A p",
                                                       [STARFISH_CELLS_RESIDUAL] = "residual",
                                                       [STARFISH_CELLS_ABSOLUTE] = "|A| |u|",
                                                       [STARFISH_CELLS_ADVANCE] = "advance",
                                                       [STARFISH_CELLS_ADVANCE_WIDE] = "advance",
                                                       [STARFISH_CELLS_JACOBI] = "jacobi",
                                                       [STARFISH_CELLS_IP_FIRST] = "ip, first",
                                                       [STARFISH_CELLS_IP_SECOND] = "ip, second",
                                                       [STARFISH_CELLS_IP_DROPPED] = "ip",
                                                       [STARFISH_CELLS_PROLONG] = "prolong",
                                                       [STARFISH_CELLS_PROLONG_WIDE] = "prolong",
                                                       [STARFISH_CELLS_SUM] = "sum",
                                                       [STARFISH_CELLS_SHIFT] = "shift",
                                                       [STARFISH_CELLS_LARGEST] = "largest"};

/* ---- On a worker ------------------------------------------------------------------------------------------------- */

static struct starfish_cells with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_cells c = a->cells;
    void *vector[ROLES];

    for (int role = 0; role < ROLES; role++)
        vector[role] = starfish_vector_here(buffers, &a->access[role], a->role_precision[role]);
    c.u = vector[U];
    c.f = vector[F];
    c.q = vector[Q];
    c.v = vector[V];
    c.r = vector[R];
    c.matrix.stored = a->stored ? starfish_optional(buffers, a->matrix) : NULL;
    c.matrix.k = a->stored ? NULL : starfish_optional(buffers, a->matrix);
    c.table = starfish_optional(buffers, a->table);
    c.domain = starfish_optional(buffers, a->domain);
    c.coarse = starfish_optional(buffers, a->coarse);
    c.scalar = a->state < 0 ? NULL : (const double *)starfish_optional(buffers, a->state) + a->scalar;
    c.sums = starfish_optional(buffers, a->sums);
    return c;
}

static int fill(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    for (int role = 0; role < ROLES; role++)
        if (a->access[role].buffer >= 0 && a->access[role].fills)
            TRY_LAUNCH(starfish_vector_fill(place, buffers, &a->access[role]));
    return 0;
}

static int publish(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct starfish_place of_role = *place;

    for (int role = 0; role < ROLES; role++) {
        of_role.precision = a->role_precision[role];
        if (a->access[role].buffer >= 0 && a->access[role].publishes)
            TRY_LAUNCH(starfish_vector_publish(&of_role, buffers, &a->access[role]));
    }
    return 0;
}

struct shared {
    const struct arguments *arguments;
    struct starfish_cells cells;
};

static int run_step(const struct starfish_place *place, enum starfish_cell_step step,
                    const struct starfish_cells *cells)
{
    const int f64 = place->precision == STARFISH_F64;

#ifdef STARFISH_HAVE_GPU
    if (place->gpu)
        return (f64 ? starfish_cells_cuda_f64 : starfish_cells_cuda_f32)(step, cells, place->stream);
#endif
    (f64 ? starfish_cells_cpu_f64 : starfish_cells_cpu_f32)(step, cells);
    return 0;
}

static int cells_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct shared *shared = data;
    const struct arguments *a = shared->arguments;
    struct starfish_cells cells = shared->cells;
    const size_t planes = cells.last - cells.first;

    cells.slot = part;
    cells.slots = parts;
    if (a->by_runs) {
        struct starfish_blocks blocks = {.cells = cells, .block = a->block};
        const size_t count = starfish_blocks_count(&blocks);
        blocks.run0 = count * part / parts;
        blocks.run1 = count * (part + 1) / parts;
        return run_blocks(place, &blocks);
    }
    cells.first = shared->cells.first + planes * part / parts;
    cells.last = shared->cells.first + planes * (part + 1) / parts;
    return run_step(place, a->step, &cells);
}

static int step_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct shared shared = {.arguments = a};

    TRY_LAUNCH(fill(place, buffers, a));
    shared.cells = with_pointers(buffers, a);
    TRY_LAUNCH(starfish_place_share(place, a->header.progress->context, cells_share, &shared));
    return publish(place, buffers, a);
}

static void cells_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    starfish_task_check(&a->header, "cells", step_here(place, buffers, a));
}

STARFISH_PLACE_CODELET(cells, arguments, a->precision, "cells", 0x55aa88);

/* ---- Submission -------------------------------------------------------------------------------------------------- */

static enum starpu_data_access_mode mode_of(unsigned char use)
{
    return use == WRITES ? STARPU_W : use == UPDATES ? STARPU_RW : STARPU_R;
}

/* What is done with a vector, by the role that needs most of it: what is written and read is updated. */
static unsigned char strongest_use(const struct starfish_vector *const *vector, const unsigned char *use, int first)
{
    unsigned char strongest = use[first];

    for (int role = first + 1; role < ROLES; role++)
        if (use[role] != NOT && vector[role] == vector[first])
            strongest = use[role] == WRITES ? UPDATES : use[role] > strongest ? use[role] : strongest;
    return strongest;
}

static struct starfish_access attach_vector(struct starfish_task *task, const struct starfish_cells_task *t,
                                            const struct starfish_vector *vector, size_t part, unsigned char use)
{
    struct starfish_extent extent = starfish_part_extent(vector->space, part);

    if (use == READS_AROUND) {
        extent.y0--;
        extent.y1++;
        extent.wraps = t->op->matrix.periodic[2];
    }
    return starfish_vector_attach(task, vector, part, &extent, mode_of(use));
}

/* Every vector once, in the first of its roles, which alone fills and publishes it. What is read with its neighbours is
 * not written. */
static void attach_vectors(struct starfish_task *task, struct arguments *a, const struct starfish_cells_task *t,
                           size_t part, const unsigned char *use)
{
    const struct starfish_vector *const vector[ROLES] = {t->u, t->f, t->q, t->v, t->r};

    for (int role = 0; role < ROLES; role++) {
        a->access[role] = STARFISH_NO_ACCESS;
        if (use[role] == NOT || !vector[role])
            continue;
        int first = 0;
        while (use[first] == NOT || vector[first] != vector[role])
            first++;
        if (first == role) {
            a->access[role] = attach_vector(task, t, vector[role], part, strongest_use(vector, use, role));
        } else {
            a->access[role] = a->access[first];
            a->access[role].fills = a->access[role].publishes = 0;
        }
        a->role_precision[role] = vector[role]->precision;
    }
}

static const struct starfish_vector *first_vector(const struct starfish_cells_task *t)
{
    return t->u ? t->u : t->q;
}

/* The table of a matrix is one for all parts, of which a task reads its own. */
static struct starfish_cost cost_of(const struct starfish_cells_task *t, const struct arguments *a)
{
    const struct starfish_blocks blocks = {.cells = a->cells, .block = t->block};
    struct starfish_cell_matrix matrix = a->cells.matrix;
    const double cells = (double)(matrix.n[0] * matrix.n[1] * (a->cells.last - a->cells.first));

    matrix.stored = a->stored ? t : NULL; /* there is such an array */
    return t->by_runs ? starfish_blocks_cost(a->precision, &blocks, cells, t->sums != NULL)
                      : starfish_cells_cost(a->precision, t->step, &matrix, cells, t->sums != NULL);
}

static starfish_status submit_part(const struct starfish_algebra *algebra, const struct starfish_cells_task *t,
                                   size_t part)
{
    const struct starfish_space *space = first_vector(t)->space;
    const struct starfish_extent rows = starfish_part_extent(space, part);
    const ptrdiff_t n2 = (ptrdiff_t)space->n[1];
    struct starfish_task task;
    struct arguments a = {.precision = first_vector(t)->precision,
                          .step = t->step,
                          .by_runs = t->by_runs,
                          .stored = t->op->stored,
                          .block = t->block,
                          .scalar = t->factor.scalar,
                          .cells = {.matrix = t->op->matrix,
                                    .first = (size_t)rows.y0,
                                    .last = (size_t)rows.y1,
                                    .below = space->apart && space->parts[1] > 1 ? -1 : n2 - 1,
                                    .above = space->apart && space->parts[1] > 1 ? n2 : 0,
                                    .factor = t->factor.number}};

    starfish_task_begin(&task, &cells_codelet, algebra->progress, algebra->phase);
    starfish_task_of_owner(&task, space, part, algebra->where);
    task.name = !t->by_runs ? names[t->step] : t->block > 0 ? "block-ic" : "lines";
    starfish_task_costs(&task, cost_of(t, &a));
    attach_vectors(&task, &a, t, part, t->by_runs ? uses_of_runs : uses[t->step]);
    a.matrix = starfish_task_optional(&task, t->op->table, STARPU_R);
    a.table = starfish_task_optional(&task, t->table, STARPU_R);
    a.domain = starfish_task_optional(&task, t->domain, STARPU_R);
    a.coarse = starfish_task_optional(&task, t->coarse, STARPU_R);
    a.state = starfish_task_optional(&task, starfish_factor_state(&t->factor, part), STARPU_R);
    a.sums = t->sums ? starfish_task_optional(&task, t->sums->part[part].handle, STARPU_W) : -1;
    a.header.footprint =
        STARFISH_FOOTPRINT(a.precision, t->by_runs ? STARFISH_CELL_STEPS + (t->block > 0) : t->step, t->op->matrix.n[0],
                           t->op->matrix.n[1], (size_t)(rows.y1 - rows.y0), (size_t)t->op->stored);
    return starfish_task_submit(&task, &a, sizeof a);
}

starfish_status starfish_submit_cells(const struct starfish_algebra *algebra, const struct starfish_cells_task *t)
{
    const struct starfish_space *space = first_vector(t)->space;

    for (size_t part = 0; part < space->parts[1]; part++)
        STARFISH_TRY(submit_part(algebra, t, part));
    return STARFISH_SUCCESS;
}
