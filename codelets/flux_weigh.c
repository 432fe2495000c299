/* Tasks: integrals of values over the volumes of unknowns, and means taken off (multigrid/kernels/weigh.h), on parts of
 * a 3D grid. */
#include "codelets/flux_pair.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_flux_shape shape;
    size_t z0, z1;
    struct starfish_flux_weighing what;
    int table, sums;
    struct starfish_tile_access v, result;
};

static int weigh_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                      size_t parts)
{
    const size_t planes = a->z1 - a->z0;
    const struct starfish_weigh weigh = {
        .at = {.z0 = a->z0 + planes * part / parts, .z1 = a->z0 + planes * (part + 1) / parts},
        .weighs_values = a->what.weighs_values,
        .weighs_offset = a->what.weighs_offset,
        .scale = a->what.scale,
        .offset = a->what.offset,
        .v = starfish_tiles_here(buffers, a->v, place->precision),
        .result = starfish_tiles_here(buffers, a->result, place->precision)};

    return starfish_flux_weigh_here(place, &a->shape, STARFISH_VECTOR(buffers, a->table), &weigh);
}

STARFISH_Q1_PAIR(weigh)
STARFISH_CODELET(weigh, "flux_weigh", 0xaa9955);

/* The sum is one number, so that one core computes it. */
static int volume_sum_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                           size_t parts)
{
    const struct starfish_volume_sum sum = {.at = {.z0 = a->z0, .z1 = a->z1},
                                            .weighs_values = a->what.weighs_values,
                                            .v = starfish_tiles_here(buffers, a->v, place->precision),
                                            .sums = STARFISH_VECTOR(buffers, a->sums)};

    (void)parts;
    return part > 0 ? 0 : starfish_flux_sum_here(place, &a->shape, STARFISH_VECTOR(buffers, a->table), &sum);
}

STARFISH_Q1_PAIR(volume_sum)
STARFISH_CODELET(volume_sum, "flux_volume_sum", 0xaaaa55);

static struct arguments begin(struct starfish_task *task, const struct starfish_q1_setting *setting,
                              const struct starfish_flux_grid_data *grid, size_t part,
                              const struct starfish_flux_weighing *what, const struct starfish_tiles *v)
{
    struct arguments a = {
        .setting = *setting, .shape = grid->shape, .z0 = v->first[1][part], .z1 = v->first[1][part + 1], .what = *what};

    task->where = setting->where;
    task->width = grid->shape.n[1] * (a.z1 - a.z0);
    a.table = task->count;
    starfish_task_data(task, grid->table, STARPU_R);
    return a;
}

starfish_status starfish_submit_flux_weigh(struct starfish_progress *progress,
                                           const struct starfish_q1_setting *setting,
                                           const struct starfish_flux_grid_data *grid, size_t part,
                                           const struct starfish_flux_weighing *what, const struct starfish_tiles *v,
                                           const struct starfish_tiles *result)
{
    struct starfish_task task;

    starfish_task_begin(&task, &weigh_codelet, progress, STARFISH_Q1_RESIDUAL);
    task.name = "weigh";
    struct arguments a = begin(&task, setting, grid, part, what, v);
    const ptrdiff_t z0 = (ptrdiff_t)a.z0, z1 = (ptrdiff_t)a.z1;
    a.result = starfish_flux_attach(&task, result, z0, z1, 0, v == result ? STARPU_RW : STARPU_W);
    a.v = v == result ? a.result : starfish_flux_attach(&task, v, z0, z1, 0, STARPU_R);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, grid->shape.n[0], grid->shape.n[1], a.z1 - a.z0, v == result);
    return starfish_task_submit(&task, &a, sizeof a);
}

starfish_status starfish_submit_flux_sum(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                         const struct starfish_flux_grid_data *grid, size_t part,
                                         const struct starfish_flux_weighing *what, const struct starfish_tiles *v,
                                         starpu_data_handle_t sums)
{
    struct starfish_task task;

    starfish_task_begin(&task, &volume_sum_codelet, progress, STARFISH_Q1_RESIDUAL);
    task.name = "mean";
    struct arguments a = begin(&task, setting, grid, part, what, v);
    a.v = starfish_flux_attach(&task, v, (ptrdiff_t)a.z0, (ptrdiff_t)a.z1, 0, STARPU_R);
    a.sums = task.count;
    starfish_task_data(&task, sums, STARPU_W);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, grid->shape.n[0], grid->shape.n[1], a.z1 - a.z0);
    return starfish_task_submit(&task, &a, sizeof a);
}
