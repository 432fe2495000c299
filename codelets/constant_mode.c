/* Task: remove the mean of the constant mode. */
#include "codelets/constant_mode.h"

#include "codelets/kernel_pair.h"

#include <string.h>

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    int wants_removed;
    size_t part;
    struct starfish_constant_mode kernel; /* pointers are filled in by the task */
};

/* Data: weight_y, weight_z, tiles, removed when wanted. */
static struct starfish_constant_mode with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_constant_mode kernel = a->kernel;
    kernel.weight_y = STARFISH_VECTOR(buffers, 0);
    kernel.weight_z = STARFISH_VECTOR(buffers, 1);
    for (int t = 0; t < kernel.tiles; t++)
        kernel.tile[t] = starfish_real_at(STARFISH_VECTOR(buffers, 2 + t), a->precision, a->part);
    kernel.removed = a->wants_removed ? (double *)STARFISH_VECTOR(buffers, 2 + kernel.tiles) + a->part : NULL;
    return kernel;
}

STARFISH_KERNEL_PAIR(constant_mode, starfish_constant_mode)
STARFISH_CODELET(constant_mode, "constant_mode", 0xddcc77);

starfish_status starfish_submit_constant_mode(struct starfish_progress *progress, int phase,
                                              starfish_precision precision, size_t part, size_t lanes, size_t ny,
                                              size_t tiles, const starpu_data_handle_t *tile, const size_t *first,
                                              starpu_data_handle_t weight_y, starpu_data_handle_t weight_z,
                                              double scale, starpu_data_handle_t removed)
{
    struct starfish_task task;
    starfish_task_begin(&task, &constant_mode_codelet, progress, phase);
    task.name = "constant mode";
    task.width = 1;
    starfish_task_data(&task, weight_y, STARPU_R);
    starfish_task_data(&task, weight_z, STARPU_R);
    for (size_t t = 0; t < tiles; t++)
        starfish_task_data(&task, tile[t], STARPU_RW);
    if (removed)
        starfish_task_data(&task, removed, part > 0 ? STARPU_RW : STARPU_W);

    struct arguments arguments = {.precision = precision,
                                  .wants_removed = removed != NULL,
                                  .part = part,
                                  .kernel = {.lanes = lanes, .ny = ny, .tiles = (int)tiles, .scale = scale}};
    memcpy(arguments.kernel.first, first, (tiles + 1) * sizeof *first);
    const size_t sizes[] = {precision, lanes, ny, tiles, first[tiles]};
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
