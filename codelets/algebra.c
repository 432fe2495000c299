/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: algebra of vectors on one part each (krylov/kernels/vectors.h), and sums. All are bound by memory. */
#include "codelets/kernel_pair.h"
#include "codelets/vectors.h"
#include "scheduler/runtime/ranks.h"

#include <string.h>

STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)
STARFISH_PLACE_KERNEL(run_product, starfish_vector_product)
STARFISH_PLACE_KERNEL_ALONE(run_narrow, starfish_vector_narrow)
STARFISH_PLACE_KERNEL_ALONE(run_widen, starfish_vector_widen)

/* The vectors of a task: of a product U and V are read, in a change of precision `CORRECTION` becomes V. */
enum role { U, CORRECTION, V, ROLES };

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision; /* of V, for a change of precision what it becomes */
    size_t nx;
    struct starfish_rectangle at;
    double factor;
    int state, scalar; /* which of the task's data the state is, or -1 */
    int sums;          /* likewise */
    int adds;          /* of a change of precision */
    struct starfish_access access[ROLES];
};

/* ---- On a worker ------------------------------------------------------------------------------------------------- */

/* One core's rows of a rectangle. Rows that lie behind one another become a single one: always on a core; on a GPU,
 * whose blocks are 64 columns wide, where there are few columns. */
struct rows {
    size_t nx;
    struct starfish_rectangle at;
    size_t part, parts;
};

static struct rows share_of(const struct arguments *a, int gpu, size_t part, size_t parts)
{
    enum { FEW_COLUMNS = 16 };
    const size_t count = a->at.y1 - a->at.y0, nx = a->nx;
    const size_t y0 = a->at.y0 + count * part / parts, y1 = a->at.y0 + count * (part + 1) / parts;

    if ((gpu && nx >= FEW_COLUMNS) || a->at.x1 - a->at.x0 < nx)
        return (struct rows){nx, {a->at.x0, a->at.x1, y0, y1}, part, parts};
    return (struct rows){nx * y1, {nx * y0, nx * y1, 0, 1}, part, parts};
}

static const void *element(const void *array, starfish_precision precision, size_t index)
{
    return array ? (const char *)array + index * starfish_real_size(precision) : NULL;
}

static const double *scalar_here(void *buffers[], const struct arguments *a)
{
    return a->state < 0 ? NULL : (const double *)STARFISH_VECTOR(buffers, a->state) + a->scalar;
}

static int update_rows(const struct starfish_place *place, void *buffers[], const struct arguments *a, struct rows rows)
{
    const void *correction = starfish_vector_here(buffers, &a->access[CORRECTION], a->precision);
    const struct starfish_vector_update update = {
        .nx = rows.nx,
        .at = rows.at,
        .factor = a->factor,
        .u = starfish_vector_here(buffers, &a->access[U], a->precision),
        .correction = element(correction, a->precision, rows.at.x0 + rows.at.y0 * rows.nx),
        .pitch = rows.nx,
        .v = starfish_vector_here(buffers, &a->access[V], a->precision),
        .scalar = scalar_here(buffers, a)};

    return run_update(place, &update);
}

static int product_rows(const struct starfish_place *place, void *buffers[], const struct arguments *a,
                        struct rows rows)
{
    const struct starfish_vector_product product = {.nx = rows.nx,
                                                    .at = rows.at,
                                                    .u = starfish_vector_here(buffers, &a->access[U], a->precision),
                                                    .v = starfish_vector_here(buffers, &a->access[V], a->precision),
                                                    .sums = STARFISH_VECTOR(buffers, a->sums),
                                                    .slot = rows.part,
                                                    .slots = rows.parts};

    return run_product(place, &product);
}

static int narrow_rows(const struct starfish_place *place, void *buffers[], const struct arguments *a, struct rows rows)
{
    const struct starfish_vector_narrow narrow = {
        .nx = rows.nx,
        .at = rows.at,
        .scale = a->factor,
        .high = starfish_vector_here(buffers, &a->access[CORRECTION], STARFISH_F64),
        .low = starfish_vector_here(buffers, &a->access[V], STARFISH_F32),
        .scalar = scalar_here(buffers, a)};

    return run_narrow(place, &narrow);
}

static int widen_rows(const struct starfish_place *place, void *buffers[], const struct arguments *a, struct rows rows)
{
    const struct starfish_vector_widen widen = {.nx = rows.nx,
                                                .at = rows.at,
                                                .scale = a->factor,
                                                .zero = !a->adds,
                                                .low =
                                                    starfish_vector_here(buffers, &a->access[CORRECTION], STARFISH_F32),
                                                .high = starfish_vector_here(buffers, &a->access[V], STARFISH_F64),
                                                .scalar = scalar_here(buffers, a)};

    return run_widen(place, &widen);
}

/* Every part of the work; then the edges are published. */
#define ALGEBRA_CODELET(operation, label, color)                                                                       \
    static int operation##_share(const struct starfish_place *place, void *data, size_t part, size_t parts)            \
    {                                                                                                                  \
        const struct starfish_task_parameters *task = data;                                                            \
        const struct arguments *a = task->arguments;                                                                   \
        return operation##_rows(place, task->buffers, a, share_of(a, place->gpu, part, parts));                        \
    }                                                                                                                  \
    static void operation##_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)       \
    {                                                                                                                  \
        struct starfish_task_parameters task = {buffers, a};                                                           \
        const int error = starfish_place_share(place, a->header.progress->context, operation##_share, &task);          \
        starfish_task_check(&a->header, #operation,                                                                    \
                            error ? error : starfish_vector_publish(place, buffers, &a->access[V]));                   \
    }                                                                                                                  \
    STARFISH_PLACE_CODELET(operation, arguments, a->precision, label, color)

ALGEBRA_CODELET(update, "vector_update", 0xaa55aa);
ALGEBRA_CODELET(product, "vector_product", 0xaa77aa);
ALGEBRA_CODELET(narrow, "vector_narrow", 0xaa5555);
ALGEBRA_CODELET(widen, "vector_widen", 0xaa5577);

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* A task on a part of v, with no vectors yet. */
static struct arguments begin(struct starfish_task *task, struct starpu_codelet *codelet, const char *name,
                              const struct starfish_algebra *algebra, size_t part, const struct starfish_vector *v)
{
    struct arguments a = {.precision = v->precision, .state = -1, .sums = -1};

    a.at = starfish_part_elements(v->space, part, &a.nx);
    for (int role = 0; role < ROLES; role++)
        a.access[role] = STARFISH_NO_ACCESS;
    starfish_task_begin(task, codelet, algebra->progress, algebra->phase);
    task->name = name;
    task->width = a.at.y1 - a.at.y0;
    starfish_task_of_owner(task, v->space, part, algebra->where);
    return a;
}

static struct starfish_access attach(struct starfish_task *task, const struct starfish_vector *vector, size_t part,
                                     enum starpu_data_access_mode mode)
{
    const struct starfish_extent extent = starfish_part_extent(vector->space, part);

    return starfish_vector_attach(task, vector, part, &extent, mode);
}

static void attach_factor(struct starfish_task *task, struct arguments *a, size_t part,
                          const struct starfish_factor *factor)
{
    a->factor = factor ? factor->number : 1;
    if (!factor || !factor->state)
        return;
    a->state = task->count;
    a->scalar = factor->scalar;
    starfish_task_data(task, starfish_factor_state(factor, part), STARPU_R);
}

static starfish_status submit(struct starfish_task *task, struct arguments *a, size_t variant)
{
    const size_t columns = a->at.x1 - a->at.x0, rows = a->at.y1 - a->at.y0;

    task->flops = 2.0 * (double)(columns * rows); /* a product and a sum each */
    a->header.footprint = STARFISH_FOOTPRINT(a->precision, columns, rows, variant);
    return starfish_task_submit(task, a, sizeof *a);
}

/* The vectors of an update, of which u and the correction may be absent. */
struct updating {
    const struct starfish_vector *u, *correction, *v;
    const struct starfish_factor *factor;
};

/* Is v one of the vectors that are read? */
static int is_in_place(const struct updating *update)
{
    return update->v == update->u || update->v == update->correction;
}

static size_t variant_of(const struct updating *update)
{
    return (update->u ? 1U : 0U) + (update->correction ? 2U : 0U) + (is_in_place(update) ? 4U : 0U);
}

/* Has a vector the edges that v has, or is there none? */
static int has_edges_of(const struct starfish_vector *vector, const struct starfish_vector *v)
{
    return !vector || (vector->ghosts && vector->space == v->space);
}

/* Has everything that is read edges, as v has, that ranks compute for themselves? */
static int is_mirrored(const struct updating *update)
{
    return update->v->ghosts && update->v->space->on_ranks && has_edges_of(update->u, update->v) &&
           has_edges_of(update->correction, update->v);
}

static struct starfish_access attach_edge(struct starfish_task *task, const struct starfish_vector *vector, size_t halo,
                                          enum starpu_data_access_mode mode)
{
    const struct starfish_access access = {.buffer = task->count, .space = vector->space};

    starfish_task_data(task, vector->edge[halo], mode);
    return access;
}

/* An edge of v from those of the other vectors, on the rank that has it and on the one that reads it. The edges that
 * are read have travelled before, or travel while something else is computed. */
static starfish_status update_edge(const struct starfish_algebra *algebra, const struct updating *update, size_t h)
{
    const struct starfish_space *space = update->v->space;
    const struct starfish_halo *halo = &space->halo[h];
    const int reads = starfish_space_rank(space, halo->to) == starfish_context_rank(space->context);
    struct starfish_task task;
    struct arguments a =
        begin(&task, &update_codelet, "update of an edge", algebra, reads ? halo->to : halo->from, update->v);

    a.nx = halo->width > 0 ? halo->width : space->n[0];
    a.at = (struct starfish_rectangle){0, a.nx, 0, halo->count / a.nx};
    starfish_task_copy_on(&task, starfish_space_rank(space, halo->from));
    starfish_task_copy_on(&task, starfish_space_rank(space, halo->to));
    a.access[V] = attach_edge(&task, update->v, h, is_in_place(update) ? STARPU_RW : STARPU_W);
    a.access[U] = a.access[CORRECTION] = a.access[V];
    if (update->u != update->v)
        a.access[U] = update->u ? attach_edge(&task, update->u, h, STARPU_R) : STARFISH_NO_ACCESS;
    if (update->correction != update->v)
        a.access[CORRECTION] = update->correction == update->u ? a.access[U]
                               : update->correction            ? attach_edge(&task, update->correction, h, STARPU_R)
                                                               : STARFISH_NO_ACCESS;
    attach_factor(&task, &a, reads ? halo->to : halo->from, update->factor);
    return submit(&task, &a, variant_of(update));
}

static starfish_status update_edges(const struct starfish_algebra *algebra, const struct updating *update, size_t part)
{
    const struct starfish_space *space = update->v->space;

    for (size_t h = 0; h < space->halos; h++)
        if (space->halo[h].from == part && !space->halo[h].far &&
            starfish_space_rank(space, space->halo[h].to) != starfish_space_rank(space, part))
            STARFISH_TRY(update_edge(algebra, update, h));
    return STARFISH_SUCCESS;
}

starfish_status starfish_submit_update(const struct starfish_algebra *algebra, size_t part,
                                       const struct starfish_vector *u, const struct starfish_factor *factor,
                                       const struct starfish_vector *correction, const struct starfish_vector *v)
{
    const struct updating update = {u, correction, v, factor};
    const enum starpu_data_access_mode mode = is_in_place(&update) ? STARPU_RW : STARPU_W;
    const int mirrored = is_mirrored(&update);
    struct starfish_task task;

    if (mirrored)
        STARFISH_TRY(update_edges(algebra, &update, part));
    struct arguments a = begin(&task, &update_codelet, correction ? "update" : "copy", algebra, part, v);
    const struct starfish_access inner = {.part = part, .publishes = STARFISH_EDGES_OF_THIS_RANK};
    a.access[V] = mirrored ? starfish_vector_attach_as(&task, v, &inner, mode) : attach(&task, v, part, mode);
    if (u)
        a.access[U] = u == v ? a.access[V] : attach(&task, u, part, STARPU_R);
    if (correction)
        a.access[CORRECTION] = correction == v   ? a.access[V]
                               : correction == u ? a.access[U]
                                                 : attach(&task, correction, part, STARPU_R);
    attach_factor(&task, &a, part, factor);
    return submit(&task, &a, variant_of(&update));
}

starfish_status starfish_submit_product(const struct starfish_algebra *algebra, size_t part,
                                        const struct starfish_vector *u, const struct starfish_vector *v,
                                        starpu_data_handle_t sums)
{
    struct starfish_task task;
    struct arguments a = begin(&task, &product_codelet, "inner product", algebra, part, v);

    a.access[U] = attach(&task, u, part, STARPU_R);
    a.access[V] = u == v ? a.access[U] : attach(&task, v, part, STARPU_R);
    a.sums = task.count;
    starfish_task_data(&task, sums, STARPU_W);
    return submit(&task, &a, u == v);
}

starfish_status starfish_submit_convert(const struct starfish_algebra *algebra, size_t part,
                                        const struct starfish_factor *factor, int adds,
                                        const struct starfish_vector *from, const struct starfish_vector *to)
{
    const int widens = to->precision == STARFISH_F64;
    struct starfish_task task;
    struct arguments a =
        begin(&task, widens ? &widen_codelet : &narrow_codelet, widens ? "correction" : "to f32", algebra, part, to);

    a.adds = adds;
    a.access[V] = attach(&task, to, part, adds ? STARPU_RW : STARPU_W);
    a.access[CORRECTION] = attach(&task, from, part, STARPU_R);
    attach_factor(&task, &a, part, factor);
    return submit(&task, &a, (size_t)adds);
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

/* On ranks where `space` is not NULL. */
static starfish_status create_sums(struct starfish_sums *sums, size_t parts, const struct starfish_space *space)
{
    *sums = (struct starfish_sums){.part = calloc(parts, sizeof *sums->part + sizeof *sums->total)};
    STARFISH_FAIL_IF(!sums->part, STARFISH_ERROR_MEMORY, "out of memory for the sums of %zu parts", parts);
    sums->total = (double *)(sums->part + parts);
    for (; sums->parts < parts; sums->parts++) {
        struct starfish_coefficient_table *part = &sums->part[sums->parts];
        STARFISH_TRY(space ? starfish_coefficient_table_results_of(part, space->context, STARFISH_SUMS,
                                                                   starfish_space_rank(space, sums->parts))
                           : starfish_coefficient_table_results(part, STARFISH_SUMS));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_sums_create(struct starfish_sums *sums, size_t parts)
{
    return create_sums(sums, parts, NULL);
}

starfish_status starfish_sums_create_on(struct starfish_sums *sums, const struct starfish_space *space)
{
    return create_sums(sums, space->parts[1], space->on_ranks ? space : NULL);
}

void starfish_sums_destroy(struct starfish_sums *sums)
{
    for (size_t part = 0; part < sums->parts; part++)
        starfish_coefficient_table_destroy(&sums->part[part]);
    free(sums->part);
    memset(sums, 0, sizeof *sums);
}

/* Of each part that this rank has; of others 0. */
static starfish_status add_parts(const struct starfish_sums *sums, struct starfish_context *context)
{
    for (size_t part = 0; part < sums->parts; part++) {
        const int owner = starfish_data_owner(sums->part[part].handle);
        sums->total[part] = 0;
        if (owner >= 0 && owner != starfish_context_rank(context))
            continue;
        STARFISH_TRY(starfish_coefficient_table_acquire(&sums->part[part], context, STARFISH_READ));
        for (const double *value = sums->part[part].memory, *end = value + STARFISH_SUMS; value < end; value++)
            sums->total[part] += *value;
        starfish_coefficient_table_release(&sums->part[part]);
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_sums_total(const struct starfish_sums *sums, struct starfish_context *context, double *total)
{
    const int on_ranks = sums->parts > 0 && starfish_data_owner(sums->part[0].handle) >= 0;
    starfish_status status = add_parts(sums, context);

    *total = 0;
    if (on_ranks) {
        STARFISH_TRY(starfish_ranks_agree(context, status));
        status = starfish_ranks_sum(context, sums->total, sums->parts);
    }
    for (size_t p = 0; p < sums->parts && status == STARFISH_SUCCESS; p++)
        *total += sums->total[p];
    return status;
}

starfish_status starfish_sums_largest(const struct starfish_sums *sums, struct starfish_context *context,
                                      double *largest)
{
    starfish_status status = STARFISH_SUCCESS;
    int on_ranks = 0;

    *largest = 0;
    for (size_t part = 0; part < sums->parts && status == STARFISH_SUCCESS; part++) {
        const int owner = starfish_data_owner(sums->part[part].handle);
        on_ranks |= owner >= 0;
        if (owner >= 0 && owner != starfish_context_rank(context))
            continue;
        status = starfish_coefficient_table_acquire(&sums->part[part], context, STARFISH_READ);
        if (status != STARFISH_SUCCESS)
            break;
        for (const double *value = sums->part[part].memory, *end = value + STARFISH_SUMS; value < end; value++)
            if (!(*value <= *largest))
                *largest = *value;
        starfish_coefficient_table_release(&sums->part[part]);
    }
    return on_ranks ? starfish_ranks_agree_maximum(context, status, largest, 1) : status;
}
