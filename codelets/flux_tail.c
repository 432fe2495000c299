/* Task: one cycle over all small grids of a hierarchy.
 *
 * A grid of a few thousand unknowns is less work than submitting its tasks. So from some grid down the walk of the
 * cycle (multigrid/kernels/cycle.h) runs inside one task, over the same steps as above, called one after the other on a
 * core or launched on a GPU's stream, from the second time on as one graph. Its grids lie in the worker's work space,
 * the finest's u and f in the task's data.
 *
 * A sweep of planes is such a cycle again, from zero on the residual, over a hierarchy that is decoupled across them
 * (Trottenberg, Oosterlee, Schueller, Multigrid, section 5.2). */
#include "codelets/flux_pair.h"

#include "base/real.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    const struct starfish_flux_tail *tail;
    starfish_cycle_shape shape;
    int zero;
    int table;
    struct starfish_tile_access f, u;
};

/* One cycle under way: arrays of every grid, and in which of the two the solution is. */
struct run {
    const struct starfish_flux_tail *tail;
    struct starfish_place place;
    int error;
    struct {
        const void *table;
        const void *f;
        void *own_f; /* f, but for the first grid, whose f is only read */
        void *u[2];
        int now, uncorrected;
    } level[STARFISH_Q1_MOST_LEVELS];
};

static struct starfish_flux_part whole(const size_t n[3])
{
    return (struct starfish_flux_part){0, n[1], 0, n[2]};
}

/* The walk ends at the first launch that fails. */
static starfish_status judge(struct run *run, int error)
{
    run->error = error;
    return error == 0 ? STARFISH_SUCCESS : STARFISH_ERROR_RUNTIME;
}

static const void *solution(const struct run *run, int level)
{
    return run->level[level].u[run->level[level].now];
}

static size_t plane_work(const struct starfish_flux_tail *tail, int gpu);
static int sweep_planes(struct run *run, int level, int direction, double damping, int zero);

/* One sweep from one array to the other, with the coarse grid's correction where that has not been added yet. */
static int sweep(struct run *run, int level, enum starfish_flux_sweep kind, double damping, int zero)
{
    const int corrects = run->level[level].uncorrected;
    const struct starfish_flux_smooth_step step = {.shape = run->tail->shape[level],
                                                   .sweep = kind,
                                                   .at = whole(run->tail->shape[level].n),
                                                   .damping = damping,
                                                   .table = run->level[level].table,
                                                   .u = zero ? NULL : solution(run, level),
                                                   .f = run->level[level].f,
                                                   .coarse = corrects ? solution(run, level + 1) : NULL,
                                                   .v = run->level[level].u[!run->level[level].now]};

    run->level[level].uncorrected = 0;
    run->level[level].now = !run->level[level].now;
    return starfish_flux_smooth_here(&run->place, &step);
}

static starfish_status smooth(void *self, int level, int steps, int after, int zero)
{
    struct run *run = self;
    enum starfish_flux_sweep kind[3];
    const struct starfish_flux_tail *tail = run->tail;
    const int sweeps = starfish_flux_sweeps(tail->smoother, &tail->shape[level], after && tail->symmetric, kind);

    for (int i = 0; i < steps * sweeps && run->error == 0; i++) {
        const enum starfish_flux_sweep one = kind[i % sweeps];
        const double damping = starfish_flux_damping(tail, &tail->shape[level], i / sweeps, steps);
        run->error = one >= STARFISH_FLUX_PLANES_X
                         ? sweep_planes(run, level, (int)one - (int)STARFISH_FLUX_PLANES_X, damping, zero && i == 0)
                         : sweep(run, level, one, damping, zero && i == 0);
    }
    return judge(run, run->error);
}

static int add_correction(struct run *run, int level, int zero)
{
    const struct starfish_flux_prolong_step step = {.shape = run->tail->shape[level],
                                                    .at = whole(run->tail->shape[level].n),
                                                    .zero = zero,
                                                    .table = run->level[level].table,
                                                    .coarse = solution(run, level + 1),
                                                    .u = run->level[level].u[run->level[level].now]};

    run->level[level].uncorrected = 0;
    return starfish_flux_prolong_here(&run->place, &step);
}

static starfish_status restrict_residual(void *self, int level, int zero)
{
    struct run *run = self;
    const struct starfish_flux_shape *fine = &run->tail->shape[level];
    const struct starfish_flux_restrict_step step = {.shape = *fine,
                                                     .at = whole(fine->coarse),
                                                     .table = run->level[level].table,
                                                     .u = zero ? NULL : solution(run, level),
                                                     .f = run->level[level].f,
                                                     .result = run->level[level + 1].own_f};

    if (run->level[level].uncorrected)
        STARFISH_TRY(judge(run, add_correction(run, level, 0)));
    return judge(run, starfish_flux_restrict_here(&run->place, &step));
}

/* The sweep that follows adds the correction on its way, if it is one by points. */
static starfish_status prolong(void *self, int level, int zero)
{
    struct run *run = self;

    if (zero || !starfish_flux_adds(run->tail))
        return judge(run, add_correction(run, level, zero));
    run->level[level].uncorrected = 1;
    return STARFISH_SUCCESS;
}

static starfish_status solve_coarsest(void *self, int level, starfish_cycle_shape shape, int zero)
{
    struct run *run = self;

    (void)shape;
    (void)zero;
    return judge(run, starfish_flux_solve_here(&run->place, &run->tail->shape[level], run->level[level].table,
                                               run->level[level].f, run->level[level].u[run->level[level].now]));
}

/* ---- Work space -------------------------------------------------------------------------------------------------- */

enum { ALIGNMENT = 256 };

/* Bytes, as all arrays of the work space begin at a multiple of ALIGNMENT. */
static size_t array_bytes(const struct starfish_flux_tail *tail, int level)
{
    const size_t bytes = starfish_flux_unknowns(&tail->shape[level]) * starfish_real_size(tail->precision);

    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t starfish_flux_tail_work(const struct starfish_flux_tail *tail, int gpu)
{
    size_t bytes = 0, steps = 0;

    for (int l = 0; l < tail->levels; l++) {
        const size_t work = starfish_flux_step_work(tail->precision, &tail->shape[l], tail->smoother, gpu);
        bytes += (l > 0 ? 3 : 1) * array_bytes(tail, l);
        steps = work > steps ? work : steps;
    }
    const size_t planes = plane_work(tail, gpu);
    return bytes + (planes > steps ? planes : steps);
}

/* A hierarchy of planes has all arrays but its finest f here. */
static size_t plane_work(const struct starfish_flux_tail *tail, int gpu)
{
    size_t most = 0;

    for (int i = 0; tail->plane && i < 3 * (tail->levels - 1); i++) {
        const struct starfish_flux_tail *cycle = &tail->plane[i].cycle;
        if (cycle->levels == 0)
            continue;
        const size_t bytes = starfish_flux_tail_work(cycle, gpu) + array_bytes(cycle, 0);
        most = bytes > most ? bytes : most;
    }
    return most;
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
    run->place.work = next;
}

/* ---- Planes ------------------------------------------------------------------------------------------------------ */

/* The coarsest grid of planes is one line in each of them, or one unknown. */
static starfish_status solve_lines(void *self, int level, starfish_cycle_shape shape, int zero)
{
    struct run *run = self;
    const struct starfish_flux_shape *grid = &run->tail->shape[level];
    enum starfish_flux_sweep kind = STARFISH_FLUX_POINTS;

    (void)shape;
    (void)zero;
    for (int d = 0; d < 3; d++)
        if (!grid->decoupled[d] && grid->n[d] > 1)
            kind = (enum starfish_flux_sweep)(STARFISH_FLUX_LINES_X + d);
    return judge(run, sweep(run, level, kind, 1, 1));
}

/* Arrays of a hierarchy of planes across `direction`, in what is left of the work space. */
static void lay_out_planes(struct run *planes, const struct run *run, int level,
                           const struct starfish_flux_plane *plane, const void *f)
{
    const char *table = run->level[level].table;
    char *next = run->place.work;

    *planes = (struct run){.tail = &plane->cycle, .place = run->place};
    for (int l = 0; l < plane->cycle.levels; l++) {
        const size_t bytes = array_bytes(&plane->cycle, l);
        planes->level[l].table = table + plane->table[l] * starfish_real_size(run->place.precision);
        planes->level[l].u[0] = take(&next, bytes);
        planes->level[l].u[1] = take(&next, bytes);
        planes->level[l].own_f = l > 0 ? take(&next, bytes) : NULL;
        planes->level[l].f = l > 0 ? planes->level[l].own_f : f;
    }
    planes->place.work = next;
}

/* The level's other array, which a sweep by lines goes to, has the residual. */
static int find_residual(const struct run *run, int level, void *result)
{
    const struct starfish_flux_residual_step step = {.shape = run->tail->shape[level],
                                                     .at = whole(run->tail->shape[level].n),
                                                     .table = run->level[level].table,
                                                     .u = solution(run, level),
                                                     .f = run->level[level].f,
                                                     .result = result};

    return starfish_flux_residual_here(&run->place, &step);
}

/* u += damping * (one cycle from zero on the planes)(f - A u), in place. */
static int sweep_planes(struct run *run, int level, int direction, double damping, int zero)
{
    const struct starfish_flux_plane *plane = &run->tail->plane[3 * level + direction];
    const struct starfish_cycle cycle = {STARFISH_CYCLE_V, plane->cycle.before, plane->cycle.after};
    const size_t *n = run->tail->shape[level].n;
    const struct starfish_q1_shape shape = {.n = {n[0] * n[1], n[2]}};
    void *u = run->level[level].u[run->level[level].now], *residual = run->level[level].u[!run->level[level].now];
    struct run planes;
    const struct starfish_hierarchy hierarchy = {&planes, plane->cycle.levels, smooth, restrict_residual,
                                                 prolong, solve_lines,         1};

    if (!zero) {
        const int error = find_residual(run, level, residual);
        if (error != 0)
            return error;
    }
    lay_out_planes(&planes, run, level, plane, zero ? run->level[level].f : residual);
    if (starfish_cycle_run(&hierarchy, &cycle, 0, 1) != STARFISH_SUCCESS)
        return planes.error;
    return starfish_q1_update_here(&run->place, &shape, (struct starfish_rectangle){0, shape.n[0], 0, shape.n[1]},
                                   damping, zero ? NULL : u, solution(&planes, 0), u);
}

/* ---- The task ---------------------------------------------------------------------------------------------------- */

static int copy_back(struct run *run)
{
    const size_t *n = run->tail->shape[0].n;
    const struct starfish_q1_shape shape = {.n = {n[0] * n[1], n[2]}};

    return starfish_q1_copy_here(&run->place, &shape, (struct starfish_rectangle){0, shape.n[0], 0, shape.n[1]},
                                 run->level[0].u[1], run->level[0].u[0]);
}

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
        run.error = copy_back(&run);
    return run.error;
}

STARFISH_Q1_TAIL_PAIR(tail)
STARFISH_CODELET(tail, "flux_tail", 0x555588);

starfish_status starfish_submit_flux_tail(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          const struct starfish_flux_tail *tail, const starpu_data_handle_t *table,
                                          starfish_cycle_shape shape, int zero, const struct starfish_tiles *f,
                                          const struct starfish_tiles *u)
{
    const size_t *n = tail->shape[0].n;
    const ptrdiff_t planes = (ptrdiff_t)n[2];
    struct starfish_task task;
    struct arguments a = {.setting = *setting, .tail = tail, .shape = shape, .zero = zero};

    starfish_task_begin(&task, &tail_codelet, progress, STARFISH_Q1_TAIL);
    task.name = "small grids";
    task.where = tail->where;
    task.width = n[1] * n[2];
    a.table = task.count;
    for (int l = 0; l < tail->levels; l++)
        starfish_task_data(&task, table[l], STARPU_R);
    a.f = starfish_flux_attach(&task, f, 0, planes, 0, STARPU_R);
    a.u = starfish_flux_attach(&task, u, 0, planes, 0, zero ? STARPU_W : STARPU_RW);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, n[0], n[1], n[2], (size_t)tail->levels, shape, tail->smoother,
                          (size_t)tail->before, (size_t)tail->after, (size_t)zero);
    return starfish_task_submit(&task, &a, sizeof a);
}
