/* Task: tridiagonal systems along z. */
#include "codelets/tridiagonal.h"

#include "codelets/kernel_pair.h"

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    const struct starfish_workspace *workspace;
    size_t first_mode;
    struct starfish_thomas_tiles kernel; /* pointers are filled in by the task */
};

/* Data: line, shift_x, shift_y, tiles. */
static struct starfish_thomas_tiles with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_thomas_tiles kernel = a->kernel;
    void *line = STARFISH_VECTOR(buffers, 0);
    kernel.line.lower = line;
    kernel.line.diag = starfish_real_at(line, a->precision, kernel.line.n);
    kernel.line.upper = starfish_real_at(line, a->precision, 2 * kernel.line.n);
    kernel.shift_inner = starfish_real_at(STARFISH_VECTOR(buffers, 1), a->precision, a->first_mode);
    kernel.shift_outer = STARFISH_VECTOR(buffers, 2);
    for (int t = 0; t < kernel.tiles; t++)
        kernel.tile[t] = STARFISH_VECTOR(buffers, 3 + t);
    kernel.workspace = starfish_workspace_here(a->workspace);
    return kernel;
}

STARFISH_KERNEL_PAIR(tridiagonal, starfish_thomas_tiles)
STARFISH_CODELET(tridiagonal, "tridiagonal", 0xcc6677);

size_t starfish_tridiagonal_workspace(starfish_worker_kind kind, size_t n, size_t lanes, int periodic,
                                      starfish_precision precision)
{
    const size_t size = starfish_real_size(precision);
    if (kind == STARFISH_CPU)
        return starfish_thomas_tiles_workspace_cpu(n, lanes, periodic, size);
#ifdef STARFISH_HAVE_GPU
    return starfish_thomas_tiles_workspace_cuda(n, lanes, periodic, size);
#else
    return 0;
#endif
}

starfish_status starfish_submit_tridiagonal(struct starfish_progress *progress, int phase,
                                            const struct starfish_tridiagonal_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &tridiagonal_codelet, progress, phase);
    task.name = "tridiagonal z";
    starfish_task_data(&task, d->line, STARPU_R);
    starfish_task_data(&task, d->shift_x, STARPU_R);
    starfish_task_data(&task, d->shift_y, STARPU_R);
    struct arguments arguments = {.precision = d->precision,
                                  .workspace = d->workspace,
                                  .first_mode = d->first_mode,
                                  .kernel = {.line = {.n = d->n, .periodic = d->periodic},
                                             .inner = d->inner,
                                             .outer = d->outer,
                                             .shift = d->shift,
                                             .pinned_lane = d->pinned_lane,
                                             .tiles = (int)d->tiles}};
    for (size_t t = 0; t < d->tiles; t++) {
        starfish_task_data(&task, d->tile[t], STARPU_RW);
        arguments.kernel.first[t] = d->first[t];
    }
    arguments.kernel.first[d->tiles] = d->n;
    const size_t sizes[] = {d->precision, d->n, (size_t)d->periodic, d->inner, d->outer, d->tiles};
    arguments.header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
