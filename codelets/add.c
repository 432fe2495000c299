/* Task: add a correction to one slab (krylov/kernels/vectors.h) and publish the slab's edges, which a vector over the
 * slabs' handles would not know of. Memory-bound: 3 words per unknown. */
#include "codelets/stencil.h"

#include "codelets/edges.h"
#include "codelets/kernel_pair.h"
#include "krylov/kernels/vectors.h"

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    size_t plane, planes; /* elements of a plane; planes of the slab */
    struct starfish_edges edges;
};

/* Rows are planes of x and y; on a core all of them are a single one. */
static struct starfish_vector_update with_pointers(void *buffers[], const struct arguments *a)
{
    return (struct starfish_vector_update){.nx = a->plane,
                                           .at = {0, a->plane, 0, a->planes},
                                           .factor = 1,
                                           .u = STARFISH_SLAB(buffers, 0),
                                           .correction = STARFISH_SLAB(buffers, 1),
                                           .pitch = a->plane,
                                           .v = STARFISH_SLAB(buffers, 0)};
}

static int share_of(struct starfish_vector_update *kernel, starfish_precision precision, size_t part, size_t parts)
{
    const size_t count = kernel->at.x1 * kernel->at.y1, first = count * part / parts, last = count * (part + 1) / parts;
    kernel->nx = kernel->pitch = count;
    kernel->at = (struct starfish_rectangle){first, last, 0, 1};
    kernel->correction = starfish_real_at((void *)(uintptr_t)kernel->correction, precision, first);
    return last > first;
}

STARFISH_SHARED_KERNEL_PAIR(add_values, starfish_vector_update)

static void add_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    add_values_cpu(buffers, data);
    starfish_edges_cpu(&a->edges, buffers, STARFISH_SLAB(buffers, 0));
}

#ifdef STARFISH_HAVE_GPU
static void add_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    add_values_cuda(buffers, data);
    starfish_task_check(&a->header, "edges of a slab",
                        starfish_edges_cuda(&a->edges, buffers, STARFISH_SLAB(buffers, 0)));
}
#endif

STARFISH_CODELET(add, "add", 0xaaaa00);

starfish_status starfish_submit_add(struct starfish_progress *progress, int phase, const struct starfish_add_task *d)
{
    const size_t *n = d->n;
    struct starfish_task task;
    starfish_task_begin(&task, &add_codelet, progress, phase);
    task.name = "correction";
    task.where = d->where;
    task.width = n[0] * n[1] * n[2];
    starfish_task_at(&task, "slab", d->u, 0);
    starfish_task_data(&task, d->u, STARPU_RW);
    starfish_task_data(&task, d->correction, STARPU_R);
    struct arguments arguments = {.precision = d->precision,
                                  .plane = n[0] * n[1],
                                  .planes = n[2],
                                  .edges = starfish_edges_attach(&task, d->precision, n, d->edge)};
    const size_t sizes[] = {d->precision, n[0] * n[1] * n[2]};
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
