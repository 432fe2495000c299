/* The two functions of a codelet of Q1 multigrid. STARFISH_Q1_PAIR(operation) defines operation_cpu, whose work a
 * team's cores share, and operation_cuda by the file's static int operation_here(const struct starfish_place *place,
 * void *buffers[], const struct arguments *a, size_t part, size_t parts) which does one core's part of the task. struct
 * arguments has `header` and `setting`. */
#ifndef STARFISH_CODELETS_Q1_PAIR_H
#define STARFISH_CODELETS_Q1_PAIR_H

#include "codelets/kernel_pair.h"
#include "codelets/q1.h"
#include "scheduler/replay.h"

#ifdef STARFISH_HAVE_GPU
#define STARFISH_Q1_PAIR_CUDA(operation)                                                                               \
    static void operation##_cuda(void *buffers[], void *data)                                                          \
    {                                                                                                                  \
        const struct arguments *a = data;                                                                              \
        const struct starfish_place place = {a->setting.precision, 1, starpu_cuda_get_local_stream(),                  \
                                             starfish_workspace_here(a->setting.workspace)};                           \
        starfish_task_check(&a->header, #operation, operation##_here(&place, buffers, a, 0, 1));                       \
    }
#else
#define STARFISH_Q1_PAIR_CUDA(operation)
#endif

#define STARFISH_Q1_PAIR_CPU(operation)                                                                                \
    struct operation##_task {                                                                                          \
        void **buffers;                                                                                                \
        const struct arguments *arguments;                                                                             \
    };                                                                                                                 \
    static void operation##_on_a_core(void *data, size_t part, size_t parts)                                           \
    {                                                                                                                  \
        const struct operation##_task *task = data;                                                                    \
        const struct starfish_q1_setting *setting = &task->arguments->setting;                                         \
        const struct starfish_place place = {setting->precision, 0, NULL,                                              \
                                             starfish_workspace_part(setting->workspace, part)};                       \
        operation##_here(&place, task->buffers, task->arguments, part, parts);                                         \
    }                                                                                                                  \
    static void operation##_cpu(void *buffers[], void *data)                                                           \
    {                                                                                                                  \
        const struct arguments *a = data;                                                                              \
        struct operation##_task task = {buffers, a};                                                                   \
        starfish_team_run(a->header.progress->context, operation##_on_a_core, &task);                                  \
    }
#define STARFISH_Q1_PAIR(operation)                                                                                    \
    STARFISH_Q1_PAIR_CPU(operation)                                                                                    \
    STARFISH_Q1_PAIR_CUDA(operation)

/* The same for a cycle over small grids, whose launches on a GPU are replayed (scheduler/replay.h): struct arguments
 * has `tail`, `shape`, `zero`, `table`, `f` and `u`, too, on which they depend. */
#ifdef STARFISH_HAVE_GPU
#define STARFISH_Q1_TAIL_PAIR(operation)                                                                               \
    STARFISH_Q1_PAIR_CPU(operation)                                                                                    \
    struct operation##_launch {                                                                                        \
        struct starfish_place place;                                                                                   \
        void **buffers;                                                                                                \
        const struct arguments *arguments;                                                                             \
    };                                                                                                                 \
    static int operation##_launch(void *data)                                                                          \
    {                                                                                                                  \
        const struct operation##_launch *l = data;                                                                     \
        return operation##_here(&l->place, l->buffers, l->arguments, 0, 1);                                            \
    }                                                                                                                  \
    static void operation##_cuda(void *buffers[], void *data)                                                          \
    {                                                                                                                  \
        const struct arguments *a = data;                                                                              \
        struct operation##_launch l = {                                                                                \
            {a->setting.precision, 1, starpu_cuda_get_local_stream(), starfish_workspace_here(a->setting.workspace)},  \
            buffers,                                                                                                   \
            a};                                                                                                        \
        struct starfish_replay_key key = {6,                                                                           \
                                          {(uintptr_t)a->tail, (uintptr_t)a->shape, (uintptr_t)a->zero,                \
                                           (uintptr_t)l.place.work,                                                    \
                                           (uintptr_t)starfish_tiles_here(buffers, a->f, l.place.precision),           \
                                           (uintptr_t)starfish_tiles_here(buffers, a->u, l.place.precision)}};         \
        for (int level = 0; level < a->tail->grids.levels; level++)                                                    \
            key.word[key.count++] = (uintptr_t)STARFISH_VECTOR(buffers, a->table + level);                             \
        starfish_task_check(&a->header, #operation,                                                                    \
                            starfish_replay(a->setting.replays, &key, l.place.stream, operation##_launch, &l));        \
    }
#else
#define STARFISH_Q1_TAIL_PAIR(operation) STARFISH_Q1_PAIR_CPU(operation)
#endif

/* A row of an array's tiles, and with the unknowns around it that a matrix reaches. */
static inline struct starfish_rectangle starfish_q1_row(const struct starfish_tiles *tiles, size_t part)
{
    return (struct starfish_rectangle){0, tiles->n[0], tiles->first[1][part], tiles->first[1][part + 1]};
}

static inline struct starfish_rectangle starfish_q1_around(struct starfish_rectangle at)
{
    return (struct starfish_rectangle){at.x0 > 0 ? at.x0 - 1 : 0, at.x1 + 1, at.y0 > 0 ? at.y0 - 1 : 0, at.y1 + 1};
}

#define STARFISH_Q1_FOOTPRINT(arguments, ...)                                                                          \
    do {                                                                                                               \
        const size_t footprint_sizes[] = {__VA_ARGS__};                                                                \
        (arguments).header.footprint =                                                                                 \
            starfish_footprint_of(footprint_sizes, sizeof footprint_sizes / sizeof footprint_sizes[0]);                \
    } while (0)

#endif
