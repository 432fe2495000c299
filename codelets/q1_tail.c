/* Task: one cycle over all small grids of a hierarchy (multigrid/kernels/tail.h), on a core or launched on a GPU's
 * stream, from the second time on as one graph. Its grids lie in the worker's work space, the finest's u and f in the
 * task's data. */
#include "codelets/q1_pair.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    const struct starfish_q1_tail *tail;
    starfish_cycle_shape shape;
    int zero;
    int table;
    struct starfish_tile_access f, u;
};

static int tail_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                     size_t parts)
{
    struct starfish_tail_arrays arrays = {.f = starfish_tiles_here(buffers, a->f, place->precision),
                                          .u = starfish_tiles_here(buffers, a->u, place->precision)};

    (void)parts;
    if (part > 0)
        return 0;
    for (int l = 0; l < a->tail->grids.levels; l++)
        arrays.table[l] = STARFISH_VECTOR(buffers, a->table + l);
    return starfish_tail_run(place, &a->tail->grids, &arrays, a->shape, a->zero);
}

STARFISH_Q1_TAIL_PAIR(tail)
STARFISH_CODELET(tail, "q1_tail", 0x555588);

starfish_status starfish_submit_q1_tail(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                        const struct starfish_q1_tail *tail, const starpu_data_handle_t *table,
                                        starfish_cycle_shape shape, int zero, const struct starfish_tiles *f,
                                        const struct starfish_tiles *u)
{
    const struct starfish_tail *grids = &tail->grids;
    const struct starfish_smoothing *smoothing = &grids->smoothing;
    const struct starfish_rectangle at = starfish_grid_whole(grids->kind, grids->shape[0]);
    struct starfish_task task;
    struct arguments a = {.setting = *setting, .tail = tail, .shape = shape, .zero = zero};

    starfish_task_begin(&task, &tail_codelet, progress, STARFISH_Q1_TAIL);
    task.name = "small grids";
    task.where = tail->where;
    task.width = at.y1;
    a.table = task.count;
    for (int l = 0; l < grids->levels; l++)
        starfish_task_data(&task, table[l], STARPU_R);
    a.f = starfish_tiles_attach(&task, f, at, STARPU_R);
    a.u = starfish_tiles_attach(&task, u, at, zero ? STARPU_W : STARPU_RW);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, at.x1, at.y1, (size_t)grids->levels, shape, smoothing->smoother,
                          (size_t)smoothing->before, (size_t)smoothing->after, (size_t)zero);
    return starfish_task_submit(&task, &a, sizeof a);
}
