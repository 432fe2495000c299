/* Task: add a correction to one slab. Memory-bound: 3 words per unknown. */
#include "codelets/stencil.h"

#include "codelets/edges.h"
#include "codelets/kernel_pair.h"

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    size_t count;
    struct starfish_edges edges;
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

STARFISH_SHARED_KERNEL_PAIR(add_values, starfish_add)

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
                                  .count = n[0] * n[1] * n[2],
                                  .edges = starfish_edges_attach(&task, d->precision, n, d->edge)};
    const size_t sizes[] = {d->precision, arguments.count};
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
