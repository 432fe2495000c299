/* Tasks: a part of the coarse right-hand side, the restricted residual; and a part of a grid's solution corrected by
 * the coarser one's. */
#include "codelets/flux_pair.h"

/* ---- Restriction ------------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_flux_shape shape; /* of the fine grid */
    struct starfish_rectangle at;
    int zero, table;
    struct starfish_tile_access u, f, coarse;
};

static int restrict_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                         size_t parts)
{
    struct starfish_grid_step step = {.shape = &a->shape,
                                      .at = a->at,
                                      .table = STARFISH_VECTOR(buffers, a->table),
                                      .u = starfish_tiles_here(buffers, a->u, place->precision),
                                      .f = starfish_tiles_here(buffers, a->f, place->precision),
                                      .result = starfish_tiles_here(buffers, a->coarse, place->precision)};

    starfish_flux_kind.share(&step, STARFISH_GRID_RESTRICT, part, parts);
    return step.at.x0 < step.at.x1 ? starfish_flux_kind.compute[STARFISH_GRID_RESTRICT](place, &step) : 0;
}

STARFISH_Q1_PAIR(restrict)
STARFISH_CODELET(restrict, "flux_restrict", 0x88aa55);

/* Fine planes first .. last-1 that coarse planes are made of; may lie beyond the ends. */
static void fine_planes(const struct starfish_flux_shape *shape, const struct starfish_rectangle *at,
                        ptrdiff_t planes[2])
{
    const int coarsened = shape->coarse[2] != shape->n[2];

    planes[0] = coarsened ? 2 * (ptrdiff_t)at->y0 - 1 : (ptrdiff_t)at->y0;
    planes[1] = coarsened ? 2 * (ptrdiff_t)at->y1 + 1 : (ptrdiff_t)at->y1;
}

starfish_status starfish_submit_flux_restrict(struct starfish_progress *progress,
                                              const struct starfish_q1_setting *setting,
                                              const struct starfish_flux_grid_data *fine, size_t part,
                                              const struct starfish_tiles *u, const struct starfish_tiles *f,
                                              const struct starfish_tiles *coarse_f)
{
    const struct starfish_flux_shape *shape = &fine->shape;
    struct starfish_task task;
    struct arguments a = {
        .setting = *setting, .shape = *shape, .at = starfish_q1_row(coarse_f, part), .u = {.buffer = -1}};
    ptrdiff_t planes[2];

    fine_planes(shape, &a.at, planes);
    starfish_task_begin(&task, &restrict_codelet, progress, STARFISH_Q1_TRANSFER);
    task.name = "restrict";
    task.where = setting->where;
    task.width = shape->coarse[1] * (a.at.y1 - a.at.y0);
    a.table = task.count;
    starfish_task_data(&task, fine->table, STARPU_R);
    if (u)
        a.u = starfish_flux_attach(&task, u, planes[0] - 1, planes[1] + 1, shape->periodic[2], STARPU_R);
    a.f = starfish_flux_attach(&task, f, planes[0], planes[1], shape->periodic[2], STARPU_R);
    a.coarse = starfish_flux_attach(&task, coarse_f, (ptrdiff_t)a.at.y0, (ptrdiff_t)a.at.y1, 0, STARPU_W);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, shape->n[0], shape->n[1], shape->coarse[0], shape->coarse[1],
                          a.at.y1 - a.at.y0, shape->coarse[2] != shape->n[2], u != NULL, (size_t)shape->stored);
    return starfish_task_submit(&task, &a, sizeof a);
}

/* ---- Prolongation ------------------------------------------------------------------------------------------------ */

static int prolong_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                        size_t parts)
{
    struct starfish_grid_step step = {.shape = &a->shape,
                                      .at = a->at,
                                      .zero = a->zero,
                                      .table = STARFISH_VECTOR(buffers, a->table),
                                      .coarse = starfish_tiles_here(buffers, a->coarse, place->precision),
                                      .result = starfish_tiles_here(buffers, a->u, place->precision)};

    starfish_flux_kind.share(&step, STARFISH_GRID_PROLONG, part, parts);
    return step.at.x0 < step.at.x1 ? starfish_flux_kind.compute[STARFISH_GRID_PROLONG](place, &step) : 0;
}

STARFISH_Q1_PAIR(prolong)
STARFISH_CODELET(prolong, "flux_prolong", 0x88aa88);

starfish_status starfish_submit_flux_prolong(struct starfish_progress *progress,
                                             const struct starfish_q1_setting *setting,
                                             const struct starfish_flux_grid_data *fine, size_t part, int zero,
                                             const struct starfish_tiles *coarse_u, const struct starfish_tiles *u)
{
    const struct starfish_flux_shape *shape = &fine->shape;
    struct starfish_task task;
    struct arguments a = {.setting = *setting, .shape = *shape, .at = starfish_q1_row(u, part), .zero = zero};
    ptrdiff_t z0 = (ptrdiff_t)a.at.y0, z1 = (ptrdiff_t)a.at.y1;

    starfish_task_begin(&task, &prolong_codelet, progress, STARFISH_Q1_TRANSFER);
    task.name = "prolong";
    task.where = setting->where;
    task.width = shape->n[1] * (a.at.y1 - a.at.y0);
    a.table = task.count;
    starfish_task_data(&task, fine->table, STARPU_R);
    a.u = starfish_flux_attach(&task, u, z0, z1, 0, zero ? STARPU_W : STARPU_RW);
    if (shape->coarse[2] != shape->n[2]) {
        z0 = (z0 - 1) / 2 - 1;
        z1 = z1 / 2 + 1;
    }
    a.coarse = starfish_flux_attach(&task, coarse_u, z0, z1, shape->periodic[2], STARPU_R);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, shape->n[0], shape->n[1], shape->coarse[0], shape->coarse[1],
                          a.at.y1 - a.at.y0, shape->coarse[2] != shape->n[2], (size_t)zero);
    return starfish_task_submit(&task, &a, sizeof a);
}
