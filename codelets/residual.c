/* Task: residual of one slab. */
#include "codelets/stencil.h"

#include "codelets/kernel_pair.h"

#include <string.h>

enum { ABSENT = -1 };

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    int below, above, offset, maximum, result; /* position among the data, or ABSENT */
    size_t below_planes;
    struct starfish_residual kernel; /* pointers are filled in by the task */
};

static const void *slab_plane(void *buffers[], int index, const struct arguments *a, size_t plane)
{
    if (index == ABSENT)
        return NULL;
    return starfish_real_at(STARFISH_SLAB(buffers, index), a->precision, plane * a->kernel.n[0] * a->kernel.n[1]);
}

/* Data: axes, u, rhs, then those that may be absent. */
static struct starfish_residual with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_residual kernel = a->kernel;
    char *table = STARFISH_VECTOR(buffers, 0);
    const size_t length[3] = {kernel.n[0], kernel.n[1], kernel.planes};
    for (int axis = 0; axis < 3; axis++) {
        kernel.axis[axis].lower = table;
        kernel.axis[axis].diag = starfish_real_at(table, a->precision, length[axis]);
        kernel.axis[axis].upper = starfish_real_at(table, a->precision, 2 * length[axis]);
        table = starfish_real_at(table, a->precision, 3 * length[axis]);
    }
    kernel.u = STARFISH_SLAB(buffers, 1);
    kernel.rhs = STARFISH_SLAB(buffers, 2);
    kernel.maximum = a->maximum == ABSENT ? NULL : STARFISH_VECTOR(buffers, a->maximum);
    kernel.result = a->result == ABSENT ? NULL : STARFISH_SLAB(buffers, a->result);
    kernel.below = slab_plane(buffers, a->below, a, a->below_planes - 1);
    kernel.above = slab_plane(buffers, a->above, a, 0);
    kernel.offset = a->offset == ABSENT ? NULL : STARFISH_VECTOR(buffers, a->offset);
    return kernel;
}

STARFISH_KERNEL_PAIR(residual, starfish_residual)
STARFISH_CODELET(residual, "residual", 0x999933);

/* Add data that may be absent, once: a slab may be on both sides, or be the slab itself. */
static int add_data(struct starfish_task *task, starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
    if (!handle)
        return ABSENT;
    for (int i = 0; i < task->count; i++)
        if (task->handle[i] == handle)
            return i;
    starfish_task_data(task, handle, mode);
    return task->count - 1;
}

starfish_status starfish_submit_residual(struct starfish_progress *progress, int phase,
                                         const struct starfish_residual_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &residual_codelet, progress, phase);
    task.where = d->where;
    starfish_task_data(&task, d->axes, STARPU_R);
    starfish_task_data(&task, d->u, STARPU_R);
    starfish_task_data(&task, d->rhs, STARPU_R);

    struct arguments arguments = {.precision = d->precision,
                                  .below_planes = d->below_planes,
                                  .kernel = {.first_plane = d->first_plane, .planes = d->planes, .lambda = d->lambda}};
    memcpy(arguments.kernel.n, d->n, sizeof d->n);
    for (int axis = 0; axis < 3; axis++)
        arguments.kernel.axis[axis].periodic = d->periodic[axis];
    arguments.below = add_data(&task, d->below, STARPU_R);
    arguments.above = add_data(&task, d->above, STARPU_R);
    arguments.offset = add_data(&task, d->offset, STARPU_R);
    arguments.maximum = add_data(&task, d->maximum, STARPU_W);
    arguments.result = add_data(&task, d->result, STARPU_W);
    const size_t sizes[] = {d->precision, d->n[0], d->n[1], d->n[2]};
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
