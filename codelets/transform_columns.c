/* Task: transform along y within the tiles of a block of modes. */
#include "codelets/kernel_pair.h"
#include "codelets/transform.h"

#include <string.h>

struct arguments {
    struct starfish_task_header header;
    const struct starfish_transform_set *set;
    const struct starfish_workspace *workspace;
    enum starfish_transform_direction direction;
    size_t tiles, first_plane[STARFISH_TRANSFORM_MAX_TILES + 1];
    size_t inner;
    double scale;
};

static struct starfish_transform_columns columns_of_tile(void *buffers[], const struct arguments *a, size_t tile)
{
    return (struct starfish_transform_columns){.inner = a->inner,
                                               .outer = a->first_plane[tile + 1] - a->first_plane[tile],
                                               .data = STARFISH_VECTOR(buffers, tile),
                                               .scale = a->scale,
                                               .workspace = starfish_workspace_here(a->workspace)};
}

static void transform_columns_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    for (size_t t = 0; t < a->tiles; t++) {
        const struct starfish_transform_columns kernel = columns_of_tile(buffers, a, t);
        starfish_transform_columns_cpu(a->set->cpu, a->direction, &kernel);
    }
}

#ifdef STARFISH_HAVE_GPU
static void transform_columns_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    for (size_t t = 0; t < a->tiles; t++) {
        const struct starfish_transform_columns kernel = columns_of_tile(buffers, a, t);
        starfish_task_check(&a->header, "transform_columns",
                            starfish_transform_columns_cuda(starfish_transform_set_here(a->set), a->direction, &kernel,
                                                            starpu_cuda_get_local_stream()));
    }
}
#endif

STARFISH_CODELET(transform_columns, "transform_columns", 0x66ccee);

starfish_status starfish_submit_transform_columns(struct starfish_progress *progress, int phase,
                                                  const struct starfish_transform_set *set,
                                                  const struct starfish_workspace *workspace,
                                                  enum starfish_transform_direction direction, double scale,
                                                  size_t inner, size_t tiles, const starpu_data_handle_t *tile,
                                                  const size_t *first_plane)
{
    struct starfish_task task;
    starfish_task_begin(&task, &transform_columns_codelet, progress, phase);
    task.name = direction == STARFISH_FORWARD ? "transform y" : "inverse transform y";
    for (size_t t = 0; t < tiles; t++)
        starfish_task_data(&task, tile[t], STARPU_RW);

    struct arguments arguments = {.set = set,
                                  .workspace = workspace,
                                  .direction = direction,
                                  .tiles = tiles,
                                  .inner = inner,
                                  .scale = scale};
    memcpy(arguments.first_plane, first_plane, (tiles + 1) * sizeof *first_plane);
    const size_t sizes[] = {set->kind, set->n, set->precision, direction, inner, tiles, first_plane[tiles]};
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
