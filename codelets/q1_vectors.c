/* Tasks: v = u + scale * correction, and inner products, on parts of a grid; for conjugate gradients. */
#include "codelets/q1_pair.h"

#include "base/real.h"

STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)
STARFISH_PLACE_KERNEL(run_product, starfish_vector_product)

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    struct starfish_q1_shape shape;
    struct starfish_rectangle at;
    double scale;
    int sums;
    struct starfish_tile_access u, correction, v; /* a product is of u and v */
};

static int update_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                       size_t parts)
{
    const size_t nx = a->shape.n[0];
    const struct starfish_rectangle at = starfish_grid_share_rows(a->at, part, parts);
    const char *correction = starfish_tiles_here(buffers, a->correction, place->precision);
    const struct starfish_vector_update update = {
        .nx = nx,
        .at = at,
        .factor = a->scale,
        .u = starfish_tiles_here(buffers, a->u, place->precision),
        .correction = correction ? correction + (at.x0 + at.y0 * nx) * starfish_real_size(place->precision) : NULL,
        .pitch = nx,
        .v = starfish_tiles_here(buffers, a->v, place->precision)};

    return run_update(place, &update);
}

STARFISH_Q1_PAIR(update)
STARFISH_CODELET(update, "q1_update", 0xaa55aa);

/* The sum is one number, so that one core computes it. */
static int product_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                        size_t parts)
{
    const struct starfish_vector_product product = {.nx = a->shape.n[0],
                                                    .at = a->at,
                                                    .u = starfish_tiles_here(buffers, a->u, place->precision),
                                                    .v = starfish_tiles_here(buffers, a->v, place->precision),
                                                    .sums = STARFISH_VECTOR(buffers, a->sums)};

    (void)parts;
    return part > 0 ? 0 : run_product(place, &product);
}

STARFISH_Q1_PAIR(product)
STARFISH_CODELET(product, "q1_product", 0xaa77aa);

static struct arguments begin(struct starfish_task *task, const struct starfish_q1_setting *setting,
                              const struct starfish_q1_shape *shape, const struct starfish_tiles *tiles, size_t part)
{
    const struct arguments a = {.setting = *setting,
                                .shape = *shape,
                                .at = starfish_q1_row(tiles, part),
                                .sums = -1,
                                .u = {.buffer = -1},
                                .correction = {.buffer = -1}};

    task->where = setting->where;
    task->width = a.at.y1 - a.at.y0;
    return a;
}

starfish_status starfish_submit_q1_update(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          const struct starfish_q1_shape *shape, size_t part, double scale,
                                          const struct starfish_tiles *u, const struct starfish_tiles *correction,
                                          const struct starfish_tiles *v)
{
    const int in_place = v == u || v == correction;
    struct starfish_task task;

    starfish_task_begin(&task, &update_codelet, progress, STARFISH_Q1_RESIDUAL);
    task.name = "update";
    struct arguments a = begin(&task, setting, shape, v, part);
    a.scale = scale;
    a.v = starfish_tiles_attach(&task, v, a.at, in_place ? STARPU_RW : STARPU_W);
    if (u)
        a.u = u == v ? a.v : starfish_tiles_attach(&task, u, a.at, STARPU_R);
    if (correction)
        a.correction = correction == v ? a.v : starfish_tiles_attach(&task, correction, a.at, STARPU_R);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, a.at.x1 - a.at.x0, a.at.y1 - a.at.y0, u != NULL, correction != NULL,
                          (size_t)in_place);
    return starfish_task_submit(&task, &a, sizeof a);
}

starfish_status starfish_submit_q1_product(struct starfish_progress *progress,
                                           const struct starfish_q1_setting *setting,
                                           const struct starfish_q1_shape *shape, size_t part,
                                           const struct starfish_tiles *u, const struct starfish_tiles *v,
                                           starpu_data_handle_t sums)
{
    struct starfish_task task;

    starfish_task_begin(&task, &product_codelet, progress, STARFISH_Q1_RESIDUAL);
    task.name = "inner product";
    struct arguments a = begin(&task, setting, shape, v, part);
    a.u = starfish_tiles_attach(&task, u, a.at, STARPU_R);
    a.v = starfish_tiles_attach(&task, v, a.at, STARPU_R);
    a.sums = task.count;
    starfish_task_data(&task, sums, STARPU_W);
    STARFISH_Q1_FOOTPRINT(a, setting->precision, a.at.x1 - a.at.x0, a.at.y1 - a.at.y0);
    return starfish_task_submit(&task, &a, sizeof a);
}
