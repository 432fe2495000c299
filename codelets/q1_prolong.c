/* Task: a part of a grid's solution corrected by the coarser one's. */
#include "codelets/q1_pair.h"
#include "multigrid/kernels/transfer.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_q1_shape fine, coarse_grid;
    struct starfish_grid_step step; /* pointers are filled in by the task */
    int table;
    struct starfish_tile_access coarse, u;
};

static int prolong_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                        size_t parts)
{
    struct starfish_grid_step step = a->step;

    step.shape = &a->fine;
    step.coarse_shape = &a->coarse_grid;
    starfish_q1_kind.share(&step, STARFISH_GRID_PROLONG, part, parts);
    step.coarse_table = STARFISH_VECTOR(buffers, a->table);
    step.coarse = starfish_tiles_here(buffers, a->coarse, place->precision);
    step.result = starfish_tiles_here(buffers, a->u, place->precision);
    return step.at.x0 < step.at.x1 ? starfish_q1_kind.compute[STARFISH_GRID_PROLONG](place, &step) : 0;
}

STARFISH_Q1_PAIR(prolong)
STARFISH_CODELET(prolong, "q1_prolong", 0x88aa88);

starfish_status starfish_submit_q1_prolong(struct starfish_progress *progress,
                                           const struct starfish_q1_setting *setting,
                                           const struct starfish_q1_grid_data *fine,
                                           const struct starfish_q1_grid_data *coarse, size_t part, int zero,
                                           const struct starfish_tiles *coarse_u, const struct starfish_tiles *u)
{
    const struct starfish_rectangle at = starfish_q1_row(u, part);
    const struct starfish_transfer_axis y = {.fine = fine->shape.n[1],
                                             .coarse = coarse->shape.n[1],
                                             .stride = coarse->shape.stride[1],
                                             .origin = coarse->shape.origin[1]};
    struct starfish_rectangle from = {0, coarse->shape.n[0], 0, 0};
    struct starfish_task task;
    struct arguments a = {
        .setting = *setting, .fine = fine->shape, .coarse_grid = coarse->shape, .step = {.at = at, .zero = zero}};
    size_t rows[2];

    starfish_transfer_coarse(&y, at.y0, at.y1, rows);
    from.y0 = rows[0];
    from.y1 = rows[1];
    starfish_task_begin(&task, &prolong_codelet, progress, STARFISH_Q1_TRANSFER);
    task.name = "prolong";
    task.where = setting->where;
    task.width = at.y1 - at.y0;
    a.table = task.count;
    starfish_task_data(&task, coarse->table, STARPU_R);
    a.coarse = starfish_tiles_attach(&task, coarse_u, from, STARPU_R);
    a.u = starfish_tiles_attach(&task, u, at, zero ? STARPU_W : STARPU_RW);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, fine->shape.n[0], at.y1 - at.y0, (size_t)zero);
    return starfish_task_submit(&task, &a, sizeof a);
}
