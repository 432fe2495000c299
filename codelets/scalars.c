/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: scalars of an iteration. It reads 16 KB per part and inner product, so its cost is that of starting a task. */
#include "codelets/scalars.h"

#include "codelets/kernel_pair.h"

STARFISH_PLACE_KERNEL_ALONE(run_scalars, starfish_krylov_scalars)

struct arguments {
    struct starfish_task_header header;
    enum starfish_krylov_stage stage;
    double sign;
    struct starfish_criteria criteria;
    int parts, more; /* data: the state, `parts` sums, where `more` as many again, where `copies` the copy */
    int copies;
};

static struct starfish_krylov_scalars with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_krylov_scalars scalars = {.stage = a->stage,
                                              .sign = a->sign,
                                              .tolerance = a->criteria.tolerance,
                                              .absolute = a->criteria.absolute,
                                              .floor = a->criteria.floor,
                                              .outer = a->criteria.outer,
                                              .watched = a->criteria.watched,
                                              .patience = a->criteria.patience,
                                              .parts = (size_t)a->parts,
                                              .state = STARFISH_VECTOR(buffers, 0)};

    for (int part = 0; part < a->parts; part++) {
        scalars.sums[part] = STARFISH_VECTOR(buffers, 1 + part);
        scalars.more[part] = a->more ? STARFISH_VECTOR(buffers, 1 + a->parts + part) : NULL;
    }
    return scalars;
}

static int copy_state(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const int sums = a->parts * (a->more ? 2 : 1);

    return !a->copies ? 0
                      : starfish_place_copy(place, STARFISH_VECTOR(buffers, 1 + sums), STARFISH_VECTOR(buffers, 0),
                                            STARFISH_KRYLOV_STATE);
}

static void scalars_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_krylov_scalars scalars = with_pointers(buffers, a);

    starfish_task_check(&a->header, "scalars", run_scalars(place, &scalars));
    starfish_task_check(&a->header, "copy of scalars", copy_state(place, buffers, a));
}

STARFISH_PLACE_CODELET(scalars, arguments, STARFISH_F64, "scalars", 0x775577);

starfish_status starfish_submit_scalars(const struct starfish_algebra *algebra, const struct starfish_space *space,
                                        const struct starfish_scalars_task *t)
{
    struct arguments a = {.stage = t->stage,
                          .sign = t->sign,
                          .criteria = t->criteria ? *t->criteria : (struct starfish_criteria){0},
                          .parts = (int)t->sums->parts,
                          .more = t->more != NULL,
                          .copies = t->copy != NULL};
    struct starfish_task task;

    starfish_task_begin(&task, &scalars_codelet, algebra->progress, algebra->phase);
    if (space->on_ranks)
        starfish_task_of_all_owners(&task, space, algebra->where);
    else
        starfish_task_of_owner(&task, space, t->part, algebra->where);
    task.flops = (double)STARFISH_SUMS * (double)(t->sums->parts * (t->more ? 2 : 1));
    starfish_task_data(&task, t->state, t->stage == STARFISH_KRYLOV_RHS ? STARPU_W : STARPU_RW);
    for (size_t part = 0; part < t->sums->parts; part++)
        starfish_task_data(&task, t->sums->part[part].handle, STARPU_R);
    for (size_t part = 0; t->more && part < t->more->parts; part++)
        starfish_task_data(&task, t->more->part[part].handle, STARPU_R);
    if (t->copy)
        starfish_task_data(&task, t->copy, STARPU_W);
    a.header.footprint = STARFISH_FOOTPRINT(t->sums->parts, t->more != NULL);
    return starfish_task_submit(&task, &a, sizeof a);
}
