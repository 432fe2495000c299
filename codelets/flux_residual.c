/* Task: a part of a grid's residual, or the sum of its squares. */
#include "codelets/flux_pair.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_flux_shape shape;
    struct starfish_grid_step step; /* pointers are filled in by the task */
    int table, sums;                /* -1: none */
    struct starfish_tile_access u, f, result;
};

/* The sum is one number, so that one core computes it. */
static int residual_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                         size_t parts)
{
    struct starfish_grid_step step = a->step;

    step.sums = a->sums < 0 ? NULL : STARFISH_VECTOR(buffers, a->sums);
    step.shape = &a->shape;
    starfish_flux_kind.share(&step, STARFISH_GRID_RESIDUAL, part, parts);
    if (step.at.x0 == step.at.x1)
        return 0;
    step.table = STARFISH_VECTOR(buffers, a->table);
    step.u = starfish_tiles_here(buffers, a->u, place->precision);
    step.f = starfish_tiles_here(buffers, a->f, place->precision);
    step.result = starfish_tiles_here(buffers, a->result, place->precision);
    return starfish_flux_kind.compute[STARFISH_GRID_RESIDUAL](place, &step);
}

STARFISH_Q1_PAIR(residual)
STARFISH_CODELET(residual, "flux_residual", 0xaa8855);

starfish_status starfish_submit_flux_residual(struct starfish_progress *progress,
                                              const struct starfish_q1_setting *setting,
                                              const struct starfish_flux_grid_data *grid, size_t part,
                                              const struct starfish_tiles *u, const struct starfish_tiles *f,
                                              const struct starfish_tiles *result, starpu_data_handle_t sums)
{
    const struct starfish_rectangle at = starfish_q1_row(f, part);
    const ptrdiff_t z0 = (ptrdiff_t)at.y0, z1 = (ptrdiff_t)at.y1;
    struct starfish_task task;
    struct arguments a = {.setting = *setting,
                          .shape = grid->shape,
                          .step = {.at = at},
                          .sums = -1,
                          .u = {.buffer = -1},
                          .result = {.buffer = -1}};

    starfish_task_begin(&task, &residual_codelet, progress, STARFISH_Q1_RESIDUAL);
    task.name = "residual";
    task.where = setting->where;
    task.width = grid->shape.n[1] * (at.y1 - at.y0);
    a.table = task.count;
    starfish_task_data(&task, grid->table, STARPU_R);
    if (u)
        a.u = starfish_flux_attach(&task, u, z0 - 1, z1 + 1, grid->shape.periodic[2], STARPU_R);
    a.f = starfish_flux_attach(&task, f, z0, z1, 0, STARPU_R);
    if (result)
        a.result = starfish_flux_attach(&task, result, z0, z1, 0, STARPU_W);
    if (sums) {
        a.sums = task.count;
        starfish_task_data(&task, sums, STARPU_W);
    }
    STARFISH_Q1_FOOTPRINT(a, setting->precision, grid->shape.n[0], grid->shape.n[1], at.y1 - at.y0, u != NULL,
                          result != NULL, sums != NULL, (size_t)grid->shape.stored);
    return starfish_task_submit(&task, &a, sizeof a);
}
