/* Task: one smoothing step on a part of a grid. */
#include "codelets/q1_pair.h"

#include <math.h>

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_q1_smooth step; /* pointers are filled in by the task */
    int table;
    struct starfish_tile_access u, f, v;
};

static int smooth_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                       size_t parts)
{
    struct starfish_q1_smooth step = a->step;

    step.at = (step.direction == STARFISH_Q1_LINES_Y ? starfish_q1_share_columns : starfish_q1_share_rows)(step.at,
                                                                                                           part, parts);
    step.table = STARFISH_VECTOR(buffers, a->table);
    step.u = starfish_tiles_here(buffers, a->u, place->precision);
    step.f = starfish_tiles_here(buffers, a->f, place->precision);
    step.v = starfish_tiles_here(buffers, a->v, place->precision);
    return starfish_q1_smooth_here(place, &step);
}

STARFISH_Q1_PAIR(smooth)
STARFISH_CODELET(smooth, "q1_smooth", 0x5588aa);

int starfish_q1_sweeps(starfish_smoother smoother, enum starfish_q1_direction direction[2])
{
    static const struct {
        int count;
        enum starfish_q1_direction direction[2];
    } sweeps[STARFISH_SMOOTHERS] = {
        /* AUTO is chosen before */
        [STARFISH_SMOOTHER_ADI] = {2, {STARFISH_Q1_LINES_X, STARFISH_Q1_LINES_Y}},
        [STARFISH_SMOOTHER_LINE_X] = {1, {STARFISH_Q1_LINES_X}},
        [STARFISH_SMOOTHER_LINE_Y] = {1, {STARFISH_Q1_LINES_Y}},
        [STARFISH_SMOOTHER_JACOBI] = {1, {STARFISH_Q1_POINTS}},
        [STARFISH_SMOOTHER_GAUSS_SEIDEL] = {2, {STARFISH_Q1_ROWS_EVEN, STARFISH_Q1_ROWS_ODD}},
        [STARFISH_SMOOTHER_CHEBYSHEV] = {1, {STARFISH_Q1_POINTS}},
    };

    direction[0] = sweeps[smoother].direction[0];
    direction[1] = sweeps[smoother].direction[1];
    return sweeps[smoother].count;
}

double starfish_q1_damping(starfish_smoother smoother, double damping, const struct starfish_q1_shape *shape, int step,
                           int steps)
{
    const double pi = 3.14159265358979323846, high = shape->eigenvalue, low = damping * high;
    const int zero = step % 2 ? steps - 1 - step / 2 : step / 2;

    if (smoother != STARFISH_SMOOTHER_CHEBYSHEV)
        return damping;
    return 2 / (high + low - (high - low) * cos(pi * (zero + 0.5) / steps));
}

/* Columns of tiles for lines in y. */
static struct starfish_rectangle part_of(const struct starfish_tiles *tiles, enum starfish_q1_direction direction,
                                         size_t part)
{
    if (direction != STARFISH_Q1_LINES_Y)
        return starfish_q1_row(tiles, part);
    return (struct starfish_rectangle){tiles->first[0][part], tiles->first[0][part + 1], 0, tiles->n[1]};
}

starfish_status starfish_submit_q1_smooth(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          const struct starfish_q1_grid_data *grid, size_t part,
                                          enum starfish_q1_direction direction, double damping,
                                          const struct starfish_tiles *u, const struct starfish_tiles *f,
                                          const struct starfish_tiles *v)
{
    static const char *const names[] = {"lines in x", "lines in y", "points", "even rows", "odd rows"};
    const struct starfish_rectangle at = part_of(v, direction, part);
    struct starfish_task task;
    struct arguments a = {.setting = *setting,
                          .step = {.shape = grid->shape, .direction = direction, .at = at, .damping = damping},
                          .u = {.buffer = -1}};

    starfish_task_begin(&task, &smooth_codelet, progress, STARFISH_Q1_SMOOTH);
    task.name = names[direction];
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
