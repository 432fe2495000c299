/* Tasks: a part of a grid's residual, or the sum of its squares; and a copy. */
#include "codelets/q1_pair.h"

STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_q1_shape shape;
    struct starfish_grid_step step; /* pointers are filled in by the task; a copy is from u to result */
    int table, sums;                /* -1: none */
    struct starfish_tile_access u, f, result;
};

/* The sum is one number, so that one core computes it. */
static int residual_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                         size_t parts)
{
    struct starfish_grid_step step = a->step;

    step.shape = &a->shape;
    step.sums = a->sums < 0 ? NULL : STARFISH_VECTOR(buffers, a->sums);
    starfish_q1_kind.share(&step, STARFISH_GRID_RESIDUAL, part, parts);
    if (step.at.x0 == step.at.x1)
        return 0;
    step.table = STARFISH_VECTOR(buffers, a->table);
    step.u = starfish_tiles_here(buffers, a->u, place->precision);
    step.f = starfish_tiles_here(buffers, a->f, place->precision);
    step.result = starfish_tiles_here(buffers, a->result, place->precision);
    return starfish_q1_kind.compute[STARFISH_GRID_RESIDUAL](place, &step);
}

STARFISH_Q1_PAIR(residual)
STARFISH_CODELET(residual, "q1_residual", 0xaa8855);

static int copy_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                     size_t parts)
{
    const struct starfish_vector_update copy = {.nx = a->shape.n[0],
                                                .at = starfish_grid_share_rows(a->step.at, part, parts),
                                                .u = starfish_tiles_here(buffers, a->u, place->precision),
                                                .pitch = a->shape.n[0],
                                                .v = starfish_tiles_here(buffers, a->result, place->precision)};

    return run_update(place, &copy);
}

STARFISH_Q1_PAIR(copy)
STARFISH_CODELET(copy, "q1_copy", 0x888888);

starfish_status starfish_submit_q1_residual(struct starfish_progress *progress,
                                            const struct starfish_q1_setting *setting,
                                            const struct starfish_q1_grid_data *grid, size_t part,
                                            const struct starfish_tiles *u, const struct starfish_tiles *f,
                                            const struct starfish_tiles *result, starpu_data_handle_t sums)
{
    const struct starfish_rectangle at = starfish_q1_row(f, part);
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
    task.width = at.y1 - at.y0;
    a.table = task.count;
    starfish_task_data(&task, grid->table, STARPU_R);
    if (u)
        a.u = starfish_tiles_attach(&task, u, starfish_q1_around(at), STARPU_R);
    a.f = starfish_tiles_attach(&task, f, at, STARPU_R);
    if (result)
        a.result = starfish_tiles_attach(&task, result, at, STARPU_W);
    if (sums) {
        a.sums = task.count;
        starfish_task_data(&task, sums, STARPU_W);
    }
    STARFISH_Q1_FOOTPRINT(a, setting->precision, grid->shape.n[0], at.y1 - at.y0, u != NULL, result != NULL,
                          sums != NULL);
    return starfish_task_submit(&task, &a, sizeof a);
}

starfish_status starfish_submit_q1_copy(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                        const struct starfish_q1_shape *shape, size_t part,
                                        const struct starfish_tiles *from, const struct starfish_tiles *to)
{
    const struct starfish_rectangle at = starfish_q1_row(to, part);
    struct starfish_task task;
    struct arguments a = {.setting = *setting, .shape = *shape, .step = {.at = at}};

    starfish_task_begin(&task, &copy_codelet, progress, STARFISH_Q1_RESIDUAL);
    task.name = "copy";
    task.where = setting->where;
    task.width = at.y1 - at.y0;
    a.u = starfish_tiles_attach(&task, from, at, STARPU_R);
    a.result = starfish_tiles_attach(&task, to, at, STARPU_W);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, at.x1 - at.x0, at.y1 - at.y0);
    return starfish_task_submit(&task, &a, sizeof a);
}
