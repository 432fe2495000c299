/* Task: one sweep of a smoother on a part of a grid, the coarse grid's correction added on the way where there is one.
 */
#include "codelets/flux_pair.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_flux_shape shape;
    struct starfish_grid_step step; /* pointers are filled in by the task */
    int table;
    struct starfish_tile_access u, f, coarse, v;
};

static int smooth_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                       size_t parts)
{
    struct starfish_grid_step step = a->step;

    step.shape = &a->shape;
    starfish_flux_kind.share(&step, STARFISH_GRID_SMOOTH, part, parts);
    if (step.at.x0 == step.at.x1)
        return 0;
    step.table = STARFISH_VECTOR(buffers, a->table);
    step.u = starfish_tiles_here(buffers, a->u, place->precision);
    step.f = starfish_tiles_here(buffers, a->f, place->precision);
    step.coarse = starfish_tiles_here(buffers, a->coarse, place->precision);
    step.result = starfish_tiles_here(buffers, a->v, place->precision);
    return starfish_flux_kind.compute[STARFISH_GRID_SMOOTH](place, &step);
}

STARFISH_Q1_PAIR(smooth)
STARFISH_CODELET(smooth, "flux_smooth", 0x5588aa);

/* Columns of tiles for lines in z. */
static struct starfish_rectangle part_of(const struct starfish_tiles *v, enum starfish_flux_sweep sweep, size_t part)
{
    if (sweep != STARFISH_FLUX_LINES_Z)
        return starfish_q1_row(v, part);
    return (struct starfish_rectangle){v->first[0][part], v->first[0][part + 1], 0, v->n[1]};
}

/* What a slab reads: for the second colour the first one's new values around it, and so what they are made of. */
static void attach_slab(struct starfish_task *task, struct arguments *a, const struct starfish_tiles *u,
                        const struct starfish_tiles *f, const struct starfish_tiles *coarse)
{
    const struct starfish_flux_shape *shape = &a->shape;
    const int colours = a->step.sweep == STARFISH_FLUX_RED_BLACK || a->step.sweep == STARFISH_FLUX_BLACK_RED;
    const ptrdiff_t z0 = (ptrdiff_t)a->step.at.y0, z1 = (ptrdiff_t)a->step.at.y1, reach = 1 + colours;
    const int periodic = shape->periodic[2];

    if (u)
        a->u = starfish_flux_attach(task, u, z0 - reach, z1 + reach, periodic, STARPU_R);
    a->f = starfish_flux_attach(task, f, z0 - colours, z1 + colours, periodic, STARPU_R);
    if (coarse && shape->coarse[2] == shape->n[2])
        a->coarse = starfish_flux_attach(task, coarse, z0 - reach, z1 + reach, periodic, STARPU_R);
    else if (coarse)
        a->coarse = starfish_flux_attach(task, coarse, (z0 - reach) / 2 - 1, (z1 + reach) / 2 + 2, periodic, STARPU_R);
}

/* A column of tiles and those beside it. */
static void attach_columns(struct starfish_task *task, struct arguments *a, const struct starfish_tiles *u,
                           const struct starfish_tiles *f, const struct starfish_tiles *v)
{
    const struct starfish_flux_shape *shape = &a->shape;
    const size_t nx = shape->n[0];
    const struct starfish_rectangle own = a->step.at, whole = {0, v->n[0], 0, v->n[1]};
    const struct starfish_rectangle around = {own.x0 > nx ? own.x0 - nx : 0, own.x1 + nx, 0, shape->n[2]};

    if (u)
        a->u = starfish_tiles_attach(task, u, shape->periodic[1] ? whole : around, STARPU_R);
    a->f = starfish_tiles_attach(task, f, own, STARPU_R);
    a->v = starfish_tiles_attach(task, v, own, STARPU_W);
}

starfish_status starfish_submit_flux_smooth(struct starfish_progress *progress,
                                            const struct starfish_q1_setting *setting,
                                            const struct starfish_flux_grid_data *grid, size_t part,
                                            enum starfish_flux_sweep sweep, double damping,
                                            const struct starfish_tiles *u, const struct starfish_tiles *f,
                                            const struct starfish_tiles *coarse, const struct starfish_tiles *v)
{
    const size_t nx = grid->shape.n[0];
    const struct starfish_rectangle at = part_of(v, sweep, part);
    struct starfish_task task;
    struct arguments a = {.setting = *setting,
                          .shape = grid->shape,
                          .step = {.sweep = (int)sweep, .at = at, .damping = damping},
                          .u = {.buffer = -1},
                          .coarse = {.buffer = -1}};

    starfish_task_begin(&task, &smooth_codelet, progress, STARFISH_Q1_SMOOTH);
    task.name = starfish_flux_kind.sweep_names[sweep];
    task.where = setting->where;
    task.width = (at.x1 - at.x0) / nx * (at.y1 - at.y0);
    a.table = task.count;
    starfish_task_data(&task, grid->table, STARPU_R);
    if (sweep == STARFISH_FLUX_LINES_Z) {
        attach_columns(&task, &a, u, f, v);
    } else {
        attach_slab(&task, &a, u, f, coarse);
        a.v = starfish_flux_attach(&task, v, (ptrdiff_t)at.y0, (ptrdiff_t)at.y1, 0, STARPU_W);
    }
    STARFISH_Q1_FOOTPRINT(a, setting->precision, sweep, nx, (at.x1 - at.x0) / nx, at.y1 - at.y0, u != NULL,
                          coarse != NULL, (size_t)grid->shape.stored);
    return starfish_task_submit(&task, &a, sizeof a);
}
