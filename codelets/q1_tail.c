/* Task: one cycle over all small grids of a hierarchy.
 *
 * A grid of a few thousand unknowns is less work than submitting its tasks. So from some grid down the walk of the
 * cycle (multigrid/kernels/cycle.h) runs inside one task, over the same steps as above, called one after the other on a
 * core or launched on a GPU's stream, from the second time on as one graph. Its grids lie in the worker's work space,
 * the finest's u and f in the task's data. */
#include "codelets/q1_pair.h"

#include "base/real.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    const struct starfish_q1_tail *tail;
    starfish_cycle_shape shape;
    int zero;
    int table;
    struct starfish_tile_access f, u;
};

/* One cycle under way: arrays of every grid, and in which of the two the solution is. */
struct run {
    const struct starfish_q1_tail *tail;
    struct starfish_place place;
    int error;
    struct {
        const void *table;
        const void *f;
        void *own_f; /* f, but for the first grid, whose f is only read */
        void *u[2];
        int now;
    } level[STARFISH_Q1_MOST_LEVELS];
    void *coarse_work;
};

static struct starfish_rectangle whole(const struct starfish_q1_shape *shape)
{
    return (struct starfish_rectangle){0, shape->n[0], 0, shape->n[1]};
}

/* The walk ends at the first launch that fails. */
static starfish_status judge(struct run *run, int error)
{
    run->error = error;
    return error == 0 ? STARFISH_SUCCESS : STARFISH_ERROR_RUNTIME;
}

static starfish_status smooth(void *self, int level, int steps, int after, int zero)
{
    struct run *run = self;
    enum starfish_q1_direction direction[2];
    const int sweeps = starfish_q1_sweeps(run->tail->smoother, direction);
    const int reverse = after && run->tail->symmetric;

    for (int i = 0; i < steps * sweeps && run->error == 0; i++) {
        const int now = run->level[level].now;
        const struct starfish_q1_smooth step = {.shape = run->tail->shape[level],
                                                .direction = direction[reverse ? sweeps - 1 - i % sweeps : i % sweeps],
                                                .at = whole(&run->tail->shape[level]),
                                                .damping =
                                                    starfish_q1_damping(run->tail->smoother, run->tail->damping,
                                                                        &run->tail->shape[level], i / sweeps, steps),
                                                .table = run->level[level].table,
                                                .u = i == 0 && zero ? NULL : run->level[level].u[now],
                                                .f = run->level[level].f,
                                                .v = run->level[level].u[!now]};
        run->error = starfish_q1_smooth_here(&run->place, &step);
        run->level[level].now = !now;
    }
    return judge(run, run->error);
}

static starfish_status restrict_residual(void *self, int level, int zero)
{
    struct run *run = self;
    const struct starfish_q1_shape *coarse = &run->tail->shape[level + 1];
    const struct starfish_q1_restrict step = {.fine = run->tail->shape[level],
                                              .coarse = *coarse,
                                              .at = whole(coarse),
                                              .fine_table = run->level[level].table,
                                              .coarse_table = run->level[level + 1].table,
                                              .u = zero ? NULL : run->level[level].u[run->level[level].now],
                                              .f = run->level[level].f,
                                              .result = run->level[level + 1].own_f};

    return judge(run, starfish_q1_restrict_here(&run->place, &step));
}

static starfish_status prolong(void *self, int level, int zero)
{
    struct run *run = self;
    const struct starfish_q1_prolong step = {.fine = run->tail->shape[level],
                                             .coarse = run->tail->shape[level + 1],
                                             .at = whole(&run->tail->shape[level]),
                                             .zero = zero,
                                             .coarse_table = run->level[level + 1].table,
                                             .coarse_u = run->level[level + 1].u[run->level[level + 1].now],
                                             .u = run->level[level].u[run->level[level].now]};

    return judge(run, starfish_q1_prolong_here(&run->place, &step));
}

static starfish_status solve_coarsest(void *self, int level, starfish_cycle_shape shape, int zero)
{
    struct run *run = self;
    const struct starfish_q1_coarse_solve solve = {.coarse = run->tail->coarse,
                                                   .shape = run->tail->shape[level],
                                                   .zero = zero,
                                                   .table = run->level[level].table,
                                                   .f = run->level[level].f,
                                                   .u = run->level[level].u[run->level[level].now],
                                                   .work = run->coarse_work};

    (void)shape;
    return judge(run, starfish_q1_coarse_here(&run->place, &solve));
}

/* ---- Work space -------------------------------------------------------------------------------------------------- */

enum { ALIGNMENT = 256 };

static size_t array_bytes(const struct starfish_q1_tail *tail, int level)
{
    const size_t *n = tail->shape[level].n, bytes = n[0] * n[1] * starfish_real_size(tail->precision);

    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t coarse_bytes(const struct starfish_q1_tail *tail)
{
    return starfish_q1_coarse_work(&tail->coarse, tail->precision, &tail->shape[tail->levels - 1]);
}

size_t starfish_q1_tail_work(const struct starfish_q1_tail *tail, int gpu)
{
    size_t bytes = 0, steps = 0;

    for (int l = 0; l < tail->levels; l++) {
        const size_t work = starfish_q1_work(tail->precision, &tail->shape[l], gpu);
        bytes += (l > 0 ? 3 : 1) * array_bytes(tail, l);
        steps = work > steps ? work : steps;
    }
    return bytes + coarse_bytes(tail) + steps;
}

static void *take(char **next, size_t bytes)
{
    void *taken = *next;

    *next += bytes;
    return taken;
}

static void lay_out(struct run *run, void *buffers[], const struct arguments *a)
{
    char *next = run->place.work;

    for (int l = 0; l < run->tail->levels; l++) {
        const size_t bytes = array_bytes(run->tail, l);
        run->level[l].table = STARFISH_VECTOR(buffers, a->table + l);
        run->level[l].now = 0;
        run->level[l].u[1] = take(&next, bytes);
        run->level[l].u[0] = l > 0 ? take(&next, bytes) : starfish_tiles_here(buffers, a->u, run->place.precision);
        run->level[l].own_f = l > 0 ? take(&next, bytes) : NULL;
        run->level[l].f = l > 0 ? run->level[l].own_f : starfish_tiles_here(buffers, a->f, run->place.precision);
    }
    run->coarse_work = take(&next, coarse_bytes(run->tail));
    run->place.work = next;
}

/* ---- The task ---------------------------------------------------------------------------------------------------- */

static int tail_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                     size_t parts)
{
    const struct starfish_cycle cycle = {a->shape, a->tail->before, a->tail->after};
    struct run run = {.tail = a->tail, .place = *place};
    const struct starfish_hierarchy hierarchy = {&run,    a->tail->levels, smooth, restrict_residual,
                                                 prolong, solve_coarsest,  1};

    (void)parts;
    if (part > 0)
        return 0;
    lay_out(&run, buffers, a);
    if (starfish_cycle_run(&hierarchy, &cycle, 0, a->zero) == STARFISH_SUCCESS && run.level[0].now != 0)
        run.error = starfish_q1_copy_here(&run.place, &a->tail->shape[0], whole(&a->tail->shape[0]), run.level[0].u[1],
                                          run.level[0].u[0]);
    return run.error;
}

STARFISH_Q1_TAIL_PAIR(tail)
STARFISH_CODELET(tail, "q1_tail", 0x555588);

starfish_status starfish_submit_q1_tail(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                        const struct starfish_q1_tail *tail, const starpu_data_handle_t *table,
                                        starfish_cycle_shape shape, int zero, const struct starfish_tiles *f,
                                        const struct starfish_tiles *u)
{
    const struct starfish_rectangle at = whole(&tail->shape[0]);
    struct starfish_task task;
    struct arguments a = {.setting = *setting, .tail = tail, .shape = shape, .zero = zero};

    starfish_task_begin(&task, &tail_codelet, progress, STARFISH_Q1_TAIL);
    task.name = "small grids";
    task.where = tail->where;
    task.width = at.y1;
    a.table = task.count;
    for (int l = 0; l < tail->levels; l++)
        starfish_task_data(&task, table[l], STARPU_R);
    a.f = starfish_tiles_attach(&task, f, at, STARPU_R);
    a.u = starfish_tiles_attach(&task, u, at, zero ? STARPU_W : STARPU_RW);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, at.x1, at.y1, (size_t)tail->levels, shape, tail->smoother,
                          (size_t)tail->before, (size_t)tail->after, (size_t)zero);
    return starfish_task_submit(&task, &a, sizeof a);
}
