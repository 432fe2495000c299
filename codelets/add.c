/* Task: add a correction to one slab. */
#include "codelets/stencil.h"

#include "codelets/kernel_pair.h"

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    size_t count;
};

static struct starfish_add with_pointers(void *buffers[], const struct arguments *a)
{
    return (struct starfish_add){
        .count = a->count, .u = STARFISH_SLAB(buffers, 0), .correction = STARFISH_SLAB(buffers, 1)};
}

static int share_of(struct starfish_add *kernel, starfish_precision precision, size_t part, size_t parts)
{
    const size_t first = kernel->count * part / parts, last = kernel->count * (part + 1) / parts;
    kernel->u = starfish_real_at(kernel->u, precision, first);
    kernel->correction = starfish_real_at((void *)(uintptr_t)kernel->correction, precision, first);
    kernel->count = last - first;
    return kernel->count > 0;
}

STARFISH_SHARED_KERNEL_PAIR(add, starfish_add)
STARFISH_CODELET(add, "add", 0xaaaa00);

starfish_status starfish_submit_add(struct starfish_progress *progress, int phase, starfish_precision precision,
                                    const size_t n[3], uint32_t where, starpu_data_handle_t u,
                                    starpu_data_handle_t correction)
{
    struct starfish_task task;
    starfish_task_begin(&task, &add_codelet, progress, phase);
    task.name = "correction";
    task.where = where;
    task.width = n[0] * n[1] * n[2];
    starfish_task_at(&task, "slab", u, 0);
    starfish_task_data(&task, u, STARPU_RW);
    starfish_task_data(&task, correction, STARPU_R);
    struct arguments arguments = {.precision = precision, .count = n[0] * n[1] * n[2]};
    const size_t sizes[] = {precision, arguments.count};
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
