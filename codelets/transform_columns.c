/* Task: transform along y within a tile. */
#include "codelets/kernel_pair.h"
#include "codelets/transform.h"

struct arguments {
    struct starfish_task_header header;
    const struct starfish_transform_set *set;
    const struct starfish_workspace *workspace;
    enum starfish_transform_direction direction;
    struct starfish_transform_columns kernel; /* pointers are filled in by the task */
};

static struct starfish_transform_columns with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_transform_columns kernel = a->kernel;
    kernel.data = STARFISH_VECTOR(buffers, 0);
    kernel.workspace = starfish_workspace_here(a->workspace);
    return kernel;
}

static void transform_columns_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_transform_columns kernel = with_pointers(buffers, a);
    starfish_transform_columns_cpu(a->set->cpu, a->direction, &kernel);
}

#ifdef STARFISH_HAVE_GPU
static void transform_columns_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_transform_columns kernel = with_pointers(buffers, a);
    starfish_task_check(&a->header, "transform_columns",
                        starfish_transform_columns_cuda(starfish_transform_set_here(a->set), a->direction, &kernel,
                                                        starpu_cuda_get_local_stream()));
}
#endif

STARFISH_CODELET(transform_columns, "transform_columns", 0x66ccee);

starfish_status starfish_submit_transform_columns(struct starfish_progress *progress, int phase,
                                                  const struct starfish_transform_set *set,
                                                  const struct starfish_workspace *workspace,
                                                  enum starfish_transform_direction direction, double scale,
                                                  starpu_data_handle_t tile, size_t inner, size_t outer)
{
    struct starfish_task task;
    starfish_task_begin(&task, &transform_columns_codelet, progress, phase);
    task.name = direction == STARFISH_FORWARD ? "transform y" : "inverse transform y";
    starfish_task_data(&task, tile, STARPU_RW);

    struct arguments arguments = {.set = set,
                                  .workspace = workspace,
                                  .direction = direction,
                                  .kernel = {.inner = inner, .outer = outer, .scale = scale}};
    const size_t sizes[] = {set->kind, set->n, set->precision, direction, inner, outer};
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
