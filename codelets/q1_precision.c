/* Tasks: a part of a grid from f64 to f32, and a correction back. */
#include "codelets/q1_pair.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_q1_setting setting;
    size_t nx;
    struct starfish_rectangle at;
    double scale;
    int zero;
    struct starfish_tile_access high, low;
};

static int narrow_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                       size_t parts)
{
    const struct starfish_vector_narrow narrow = {.nx = a->nx,
                                                  .at = starfish_grid_share_rows(a->at, part, parts),
                                                  .scale = a->scale,
                                                  .high = starfish_tiles_here(buffers, a->high, STARFISH_F64),
                                                  .low = starfish_tiles_here(buffers, a->low, STARFISH_F32)};
#ifdef STARFISH_HAVE_GPU
    if (place->gpu)
        return starfish_vector_narrow_cuda(&narrow, place->stream);
#endif
    (void)place;
    starfish_vector_narrow_cpu(&narrow);
    return 0;
}

STARFISH_Q1_PAIR(narrow)
STARFISH_CODELET(narrow, "q1_narrow", 0xaa5555);

static int widen_here(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part,
                      size_t parts)
{
    const struct starfish_vector_widen widen = {.nx = a->nx,
                                                .at = starfish_grid_share_rows(a->at, part, parts),
                                                .scale = a->scale,
                                                .zero = a->zero,
                                                .low = starfish_tiles_here(buffers, a->low, STARFISH_F32),
                                                .high = starfish_tiles_here(buffers, a->high, STARFISH_F64)};
#ifdef STARFISH_HAVE_GPU
    if (place->gpu)
        return starfish_vector_widen_cuda(&widen, place->stream);
#endif
    (void)place;
    starfish_vector_widen_cpu(&widen);
    return 0;
}

STARFISH_Q1_PAIR(widen)
STARFISH_CODELET(widen, "q1_widen", 0xaa5577);

static starfish_status submit(struct starfish_task *task, const struct starfish_q1_setting *setting, size_t part,
                              double scale, int zero, const struct starfish_tiles *high,
                              enum starpu_data_access_mode high_mode, const struct starfish_tiles *low,
                              enum starpu_data_access_mode low_mode)
{
    struct arguments a = {
        .setting = *setting, .nx = high->n[0], .at = starfish_q1_row(high, part), .scale = scale, .zero = zero};

    task->where = setting->where;
    task->width = a.at.y1 - a.at.y0;
    a.high = starfish_tiles_attach(task, high, a.at, high_mode);
    a.low = starfish_tiles_attach(task, low, a.at, low_mode);
    STARFISH_Q1_FOOTPRINT(a, a.at.x1 - a.at.x0, a.at.y1 - a.at.y0);
    return starfish_task_submit(task, &a, sizeof a);
}

starfish_status starfish_submit_q1_narrow(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          size_t part, double scale, const struct starfish_tiles *high,
                                          const struct starfish_tiles *low)
{
    struct starfish_task task;

    starfish_task_begin(&task, &narrow_codelet, progress, STARFISH_Q1_RESIDUAL);
    task.name = "to f32";
    return submit(&task, setting, part, scale, 0, high, STARPU_R, low, STARPU_W);
}

starfish_status starfish_submit_q1_widen(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                         size_t part, double scale, int zero, const struct starfish_tiles *low,
                                         const struct starfish_tiles *high)
{
    struct starfish_task task;

    starfish_task_begin(&task, &widen_codelet, progress, STARFISH_Q1_RESIDUAL);
    task.name = "correction";
    return submit(&task, setting, part, scale, zero, high, zero ? STARPU_W : STARPU_RW, low, STARPU_R);
}
