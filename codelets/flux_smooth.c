/* Task: one sweep of a smoother on a part of a grid, the coarse grid's correction added on the way where there is one.
 */
#include "codelets/flux_pair.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_flux_smooth_step step; /* pointers are filled in by the task */
    int table;
    struct starfish_tile_access u, f, coarse, v;
};

/* Lines are whole: those in z are shared by rows, those in y by planes. */
static struct starfish_flux_part share_of(const struct starfish_flux_smooth_step *step, size_t part, size_t parts)
{
    struct starfish_flux_part at = step->at;
    const size_t rows = at.y1 - at.y0, planes = at.z1 - at.z0;

    if (step->sweep == STARFISH_FLUX_LINES_Z) {
        at.y0 += rows * part / parts;
        at.y1 = step->at.y0 + rows * (part + 1) / parts;
        return at;
    }
    if (step->sweep == STARFISH_FLUX_LINES_Y) {
        at.z0 += planes * part / parts;
        at.z1 = step->at.z0 + planes * (part + 1) / parts;
        return at;
    }
    return starfish_flux_share(at, part, parts);
}

static int smooth_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                       size_t parts)
{
    struct starfish_flux_smooth_step step = a->step;

    step.at = share_of(&a->step, part, parts);
    if (starfish_flux_is_empty(step.at))
        return 0;
    step.table = STARFISH_VECTOR(buffers, a->table);
    step.u = starfish_tiles_here(buffers, a->u, place->precision);
    step.f = starfish_tiles_here(buffers, a->f, place->precision);
    step.coarse = starfish_tiles_here(buffers, a->coarse, place->precision);
    step.v = starfish_tiles_here(buffers, a->v, place->precision);
    return starfish_flux_smooth_here(place, &step);
}

STARFISH_Q1_PAIR(smooth)
STARFISH_CODELET(smooth, "flux_smooth", 0x5588aa);

/* There are no lines along a direction that is decoupled, and one plane across a direction would be all of the problem.
 */
static int is_there(const struct starfish_flux_shape *shape, enum starfish_flux_sweep sweep)
{
    if (sweep >= STARFISH_FLUX_PLANES_X)
        return shape->n[sweep - STARFISH_FLUX_PLANES_X] > 1;
    return sweep < STARFISH_FLUX_LINES_X || !shape->decoupled[sweep - STARFISH_FLUX_LINES_X];
}

int starfish_flux_sweeps(starfish_smoother smoother, const struct starfish_flux_shape *shape, int reverse,
                         enum starfish_flux_sweep sweep[3])
{
    static const struct {
        int count;
        enum starfish_flux_sweep sweep[2][3];
    } sweeps[STARFISH_SMOOTHERS] = {
        /* AUTO is chosen before */
        [STARFISH_SMOOTHER_ADI] = {3,
                                   {{STARFISH_FLUX_LINES_X, STARFISH_FLUX_LINES_Y, STARFISH_FLUX_LINES_Z},
                                    {STARFISH_FLUX_LINES_Z, STARFISH_FLUX_LINES_Y, STARFISH_FLUX_LINES_X}}},
        [STARFISH_SMOOTHER_LINE_X] = {1, {{STARFISH_FLUX_LINES_X}, {STARFISH_FLUX_LINES_X}}},
        [STARFISH_SMOOTHER_LINE_Y] = {1, {{STARFISH_FLUX_LINES_Y}, {STARFISH_FLUX_LINES_Y}}},
        [STARFISH_SMOOTHER_LINE_Z] = {1, {{STARFISH_FLUX_LINES_Z}, {STARFISH_FLUX_LINES_Z}}},
        [STARFISH_SMOOTHER_JACOBI] = {1, {{STARFISH_FLUX_POINTS}, {STARFISH_FLUX_POINTS}}},
        [STARFISH_SMOOTHER_CHEBYSHEV] = {1, {{STARFISH_FLUX_POINTS}, {STARFISH_FLUX_POINTS}}},
        [STARFISH_SMOOTHER_GAUSS_SEIDEL] = {1, {{STARFISH_FLUX_RED_BLACK}, {STARFISH_FLUX_BLACK_RED}}},
        [STARFISH_SMOOTHER_PLANE] = {3,
                                     {{STARFISH_FLUX_PLANES_X, STARFISH_FLUX_PLANES_Y, STARFISH_FLUX_PLANES_Z},
                                      {STARFISH_FLUX_PLANES_Z, STARFISH_FLUX_PLANES_Y, STARFISH_FLUX_PLANES_X}}},
    };
    int count = 0;

    for (int i = 0; i < sweeps[smoother].count; i++)
        if (is_there(shape, sweeps[smoother].sweep[reverse][i]))
            sweep[count++] = sweeps[smoother].sweep[reverse][i];
    return count;
}

int starfish_flux_adds(const struct starfish_flux_tail *all)
{
    return all->after > 0 &&
           (all->smoother == STARFISH_SMOOTHER_JACOBI || all->smoother == STARFISH_SMOOTHER_CHEBYSHEV ||
            all->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL);
}

double starfish_flux_damping(const struct starfish_flux_tail *all, const struct starfish_flux_shape *shape, int step,
                             int steps)
{
    const struct starfish_q1_shape bound = {.eigenvalue = shape->eigenvalue};

    return starfish_q1_damping(all->smoother, all->damping, &bound, step, steps);
}

/* Columns of tiles for lines in z. */
static struct starfish_flux_part part_of(const struct starfish_flux_shape *shape, const struct starfish_tiles *v,
                                         enum starfish_flux_sweep sweep, size_t part)
{
    if (sweep != STARFISH_FLUX_LINES_Z)
        return starfish_flux_slab(v, shape->n[1], part);
    return (struct starfish_flux_part){v->first[0][part] / shape->n[0], v->first[0][part + 1] / shape->n[0], 0,
                                       shape->n[2]};
}

/* What a slab reads: for the second colour the first one's new values around it, and so what they are made of. */
static void attach_slab(struct starfish_task *task, struct arguments *a, const struct starfish_tiles *u,
                        const struct starfish_tiles *f, const struct starfish_tiles *coarse)
{
    const struct starfish_flux_shape *shape = &a->step.shape;
    const int colours = a->step.sweep == STARFISH_FLUX_RED_BLACK || a->step.sweep == STARFISH_FLUX_BLACK_RED;
    const ptrdiff_t z0 = (ptrdiff_t)a->step.at.z0, z1 = (ptrdiff_t)a->step.at.z1, reach = 1 + colours;
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
    const struct starfish_flux_shape *shape = &a->step.shape;
    const size_t nx = shape->n[0], y0 = a->step.at.y0, y1 = a->step.at.y1;
    const struct starfish_rectangle own = {y0 * nx, y1 * nx, 0, shape->n[2]}, whole = {0, v->n[0], 0, v->n[1]};
    const struct starfish_rectangle around = {y0 > 0 ? (y0 - 1) * nx : 0, (y1 + 1) * nx, 0, shape->n[2]};

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
    static const char *const names[] = {"points", "red-black", "black-red", "lines in x", "lines in y", "lines in z"};
    const struct starfish_flux_part at = part_of(&grid->shape, v, sweep, part);
    struct starfish_task task;
    struct arguments a = {.setting = *setting,
                          .step = {.shape = grid->shape, .sweep = sweep, .at = at, .damping = damping},
                          .u = {.buffer = -1},
                          .coarse = {.buffer = -1}};

    starfish_task_begin(&task, &smooth_codelet, progress, STARFISH_Q1_SMOOTH);
    task.name = names[sweep];
    task.where = setting->where;
    task.width = (at.y1 - at.y0) * (at.z1 - at.z0);
    a.table = task.count;
    starfish_task_data(&task, grid->table, STARPU_R);
    if (sweep == STARFISH_FLUX_LINES_Z) {
        attach_columns(&task, &a, u, f, v);
    } else {
        attach_slab(&task, &a, u, f, coarse);
        a.v = starfish_flux_attach(&task, v, (ptrdiff_t)at.z0, (ptrdiff_t)at.z1, 0, STARPU_W);
    }
    STARFISH_Q1_FOOTPRINT(a, setting->precision, sweep, grid->shape.n[0], at.y1 - at.y0, at.z1 - at.z0, u != NULL,
                          coarse != NULL, (size_t)grid->shape.stored);
    return starfish_task_submit(&task, &a, sizeof a);
}
