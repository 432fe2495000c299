/* Task: the moments of a singular problem's constant mode, summed over slabs. */
#include "tridiag/kernels/constant_line.h"

#include "codelets/kernel_pair.h"
#include "codelets/slab.h"

struct arguments {
    struct starfish_task_header header;
    int slabs;
};

/* Data: total, then moments of every slab. */
static struct starfish_constant_sum with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_constant_sum kernel = {.slabs = a->slabs, .total = STARFISH_VECTOR(buffers, 0)};
    for (int s = 0; s < a->slabs; s++)
        kernel.moments[s] = STARFISH_VECTOR(buffers, 1 + s);
    return kernel;
}

static void constant_sum_cpu(void *buffers[], void *data)
{
    const struct starfish_constant_sum kernel = with_pointers(buffers, data);
    starfish_constant_sum_cpu(&kernel);
}

#ifdef STARFISH_HAVE_GPU
static void constant_sum_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_constant_sum kernel = with_pointers(buffers, a);
    starfish_task_check(&a->header, "sum of moments", starfish_constant_sum_cuda(&kernel, starfish_task_stream()));
}
#endif

STARFISH_CODELET(constant_sum, "constant_sum", 0xddcc77);

starfish_status starfish_submit_constant_sum(struct starfish_progress *progress, int phase, size_t slabs,
                                             const struct starfish_slab *slab, starpu_data_handle_t total,
                                             uint32_t where)
{
    struct starfish_task task;
    starfish_task_begin(&task, &constant_sum_codelet, progress, phase);
    task.name = "constant mode";
    task.where = where;
    task.width = 1;
    task.flops = 2.0 * (double)slabs; /* both moments of each */
    task.priority = STARFISH_PRIORITY_REDUCED;
    starfish_task_data(&task, total, STARPU_W);
    for (size_t s = 0; s < slabs; s++)
        starfish_task_data(&task, slab[s].moments, STARPU_R);
    struct arguments arguments = {.slabs = (int)slabs};
    arguments.header.footprint = starfish_footprint_of(&slabs, 1);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
