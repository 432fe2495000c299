/* Task: a part of the coarse right-hand side, the restricted residual. */
#include "codelets/q1_pair.h"
#include "multigrid/kernels/transfer.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_q1_shape fine, coarse;
    struct starfish_grid_step step; /* pointers are filled in by the task */
    int fine_table, coarse_table;
    struct starfish_tile_access u, f, result;
};

static int restrict_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                         size_t parts)
{
    struct starfish_grid_step step = a->step;

    step.shape = &a->fine;
    step.coarse_shape = &a->coarse;
    starfish_q1_kind.share(&step, STARFISH_GRID_RESTRICT, part, parts);
    step.table = STARFISH_VECTOR(buffers, a->fine_table);
    step.coarse_table = STARFISH_VECTOR(buffers, a->coarse_table);
    step.u = starfish_tiles_here(buffers, a->u, place->precision);
    step.f = starfish_tiles_here(buffers, a->f, place->precision);
    step.result = starfish_tiles_here(buffers, a->result, place->precision);
    return step.at.x0 < step.at.x1 ? starfish_q1_kind.compute[STARFISH_GRID_RESTRICT](place, &step) : 0;
}

STARFISH_Q1_PAIR(restrict)
STARFISH_CODELET(restrict, "q1_restrict", 0x88aa55);

starfish_status starfish_submit_q1_restrict(struct starfish_progress *progress,
                                            const struct starfish_q1_setting *setting,
                                            const struct starfish_q1_grid_data *fine,
                                            const struct starfish_q1_grid_data *coarse, size_t part,
                                            const struct starfish_tiles *u, const struct starfish_tiles *f,
                                            const struct starfish_tiles *coarse_f)
{
    const struct starfish_rectangle at = starfish_q1_row(coarse_f, part);
    const struct starfish_transfer_axis y = {.fine = fine->shape.n[1],
                                             .coarse = coarse->shape.n[1],
                                             .stride = coarse->shape.stride[1],
                                             .origin = coarse->shape.origin[1]};
    struct starfish_rectangle from = {0, fine->shape.n[0], 0, 0};
    struct starfish_task task;
    struct arguments a = {
        .setting = *setting, .fine = fine->shape, .coarse = coarse->shape, .step = {.at = at}, .u = {.buffer = -1}};
    size_t rows[2];

    starfish_transfer_fine(&y, at.y0, at.y1, rows);
    from.y0 = rows[0];
    from.y1 = rows[1];
    starfish_task_begin(&task, &restrict_codelet, progress, STARFISH_Q1_TRANSFER);
    task.name = "restrict";
    task.where = setting->where;
    task.width = at.y1 - at.y0;
    a.fine_table = task.count;
    starfish_task_data(&task, fine->table, STARPU_R);
    a.coarse_table = task.count;
    starfish_task_data(&task, coarse->table, STARPU_R);
    if (u)
        a.u = starfish_tiles_attach(&task, u, starfish_q1_around(from), STARPU_R);
    a.f = starfish_tiles_attach(&task, f, from, STARPU_R);
    a.result = starfish_tiles_attach(&task, coarse_f, at, STARPU_W);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, fine->shape.n[0], at.y1 - at.y0, u != NULL);
    return starfish_task_submit(&task, &a, sizeof a);
}
