/* Task: one smoothing step on a part of a grid. */
#include "codelets/q1_pair.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_q1_shape shape;
    struct starfish_grid_step step; /* pointers are filled in by the task */
    int table;
    struct starfish_tile_access u, f, v;
};

static int smooth_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                       size_t parts)
{
    struct starfish_grid_step step = a->step;

    step.shape = &a->shape;
    starfish_q1_kind.share(&step, STARFISH_GRID_SMOOTH, part, parts);
    if (step.at.x0 == step.at.x1)
        return 0;
    step.table = STARFISH_VECTOR(buffers, a->table);
    step.u = starfish_tiles_here(buffers, a->u, place->precision);
    step.f = starfish_tiles_here(buffers, a->f, place->precision);
    step.result = starfish_tiles_here(buffers, a->v, place->precision);
    return starfish_q1_kind.compute[STARFISH_GRID_SMOOTH](place, &step);
}

STARFISH_Q1_PAIR(smooth)
STARFISH_CODELET(smooth, "q1_smooth", 0x5588aa);

/* Columns of tiles for lines in y. */
static struct starfish_rectangle part_of(const struct starfish_tiles *tiles, enum starfish_q1_sweep direction,
                                         size_t part)
{
    if (direction != STARFISH_Q1_LINES_Y)
        return starfish_q1_row(tiles, part);
    return (struct starfish_rectangle){tiles->first[0][part], tiles->first[0][part + 1], 0, tiles->n[1]};
}

starfish_status starfish_submit_q1_smooth(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          const struct starfish_q1_grid_data *grid, size_t part,
                                          enum starfish_q1_sweep direction, double damping,
                                          const struct starfish_tiles *u, const struct starfish_tiles *f,
                                          const struct starfish_tiles *v)
{
    const struct starfish_rectangle at = part_of(v, direction, part);
    struct starfish_task task;
    struct arguments a = {.setting = *setting,
                          .shape = grid->shape,
                          .step = {.sweep = (int)direction, .at = at, .damping = damping},
                          .u = {.buffer = -1}};

    starfish_task_begin(&task, &smooth_codelet, progress, STARFISH_Q1_SMOOTH);
    task.name = starfish_q1_kind.sweep_names[direction];
    task.where = setting->where;
    task.width = direction == STARFISH_Q1_LINES_Y ? at.x1 - at.x0 : at.y1 - at.y0;
    a.table = task.count;
    starfish_task_data(&task, grid->table, STARPU_R);
    if (u)
        a.u = starfish_tiles_attach(&task, u, starfish_q1_around(at), STARPU_R);
    a.f = starfish_tiles_attach(&task, f, at, STARPU_R);
    a.v = starfish_tiles_attach(&task, v, at, STARPU_W);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, direction, at.x1 - at.x0, at.y1 - at.y0, u != NULL);
    return starfish_task_submit(&task, &a, sizeof a);
}
