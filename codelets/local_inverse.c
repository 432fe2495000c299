/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: rows of an approximate inverse. The cores of a team share the rows. */
#include "codelets/local_inverse.h"

#include "codelets/kernel_pair.h"

STARFISH_PLACE_KERNEL_ALONE(run_rows, starfish_local_inverse)

struct arguments {
    struct starfish_task_header header;
    struct starfish_local_inverse kernel; /* pointers are filled in by the task */
    const struct starfish_workspace *workspace;
};

size_t starfish_local_inverse_bytes(size_t longest, int gpu)
{
    const size_t on_gpu = longest <= STARFISH_LOCAL_INVERSE_SHARED
                              ? 0
                              : starfish_local_inverse_work(longest) * STARFISH_LOCAL_INVERSE_WARPS;

    return (gpu ? on_gpu : starfish_local_inverse_work_on_core(longest)) * sizeof(double);
}

static struct starfish_local_matrix matrix_at(void *buffers[], int *next)
{
    const int first = *next;

    *next += 3;
    return (struct starfish_local_matrix){STARFISH_VECTOR(buffers, first), STARFISH_VECTOR(buffers, first + 1),
                                          STARFISH_VECTOR(buffers, first + 2)};
}

static struct starfish_local_inverse with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_local_inverse kernel = a->kernel;
    int next = 0;

    kernel.matrix = matrix_at(buffers, &next);
    kernel.pattern_start = STARFISH_VECTOR(buffers, next);
    kernel.pattern_column = STARFISH_VECTOR(buffers, next + 1);
    kernel.result = STARFISH_VECTOR(buffers, next + 2);
    return kernel;
}

struct shared {
    struct starfish_local_inverse kernel;
    const struct starfish_workspace *workspace;
};

static int rows_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct shared *shared = data;
    struct starfish_local_inverse kernel = shared->kernel;
    const size_t first = kernel.first, rows = kernel.last - kernel.first;

    kernel.first = first + rows * part / parts;
    kernel.last = first + rows * (part + 1) / parts;
    if (part > 0) /* starts are where the kernel runs */
        kernel.result += kernel.pattern_start[kernel.first] - kernel.pattern_start[first];
    kernel.work = starfish_workspace_part(shared->workspace, part);
    return run_rows(place, &kernel);
}

static void local_inverse_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct shared shared = {with_pointers(buffers, a), a->workspace};

    starfish_task_check(&a->header, "local_inverse",
                        starfish_place_share(place, a->header.progress->context, rows_share, &shared));
}

STARFISH_PLACE_CODELET(local_inverse, arguments, STARFISH_F64, "local_inverse", 0x7755aa);

starfish_status starfish_submit_local_inverse(struct starfish_progress *progress,
                                              const struct starfish_local_inverse_task *t)
{
    const starpu_data_handle_t handles[] = {t->matrix.start, t->matrix.column, t->matrix.value, t->pattern.start,
                                            t->pattern.column};
    struct arguments a = {.kernel = t->kernel, .workspace = t->workspace};
    struct starfish_task task;

    starfish_task_begin(&task, &local_inverse_codelet, progress, 0);
    task.width = t->kernel.last - t->kernel.first;
    task.name = t->kernel.triangular ? "rows of FSAI" : "rows of SPAI";
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++)
        starfish_task_data(&task, handles[i], STARPU_R);
    starfish_task_data(&task, t->result, STARPU_W);
    a.header.footprint =
        STARFISH_FOOTPRINT(t->kernel.last - t->kernel.first, t->kernel.longest, (size_t)t->kernel.triangular);
    return starfish_task_submit(&task, &a, sizeof a);
}
