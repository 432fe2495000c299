/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of an iteration (scalars.h): its data, a stage as a task or on the host, and the host's looks at it. */
#include "krylov/scalars.h"

#include "krylov/kernels/krylov_stage.h"
#include "scheduler/runtime/ranks.h"

#include <string.h>

/* The first part with the same owner as a part. */
static size_t first_of_owner(const struct starfish_space *space, size_t part)
{
    size_t first = 0;

    while (space->owner[first].device != space->owner[part].device)
        first++;
    return first;
}

static starfish_status create_others(struct starfish_scalars *scalars)
{
    const struct starfish_space *space = scalars->space;

    for (size_t part = 0; part < space->parts[1]; part++) {
        const size_t first = first_of_owner(space, part);
        if (first == part && part > 0) {
            scalars->first[scalars->others] = part;
            STARFISH_TRY(starfish_coefficient_table_results(&scalars->owned[scalars->others], STARFISH_KRYLOV_STATE));
            scalars->of_part[part] = scalars->owned[scalars->others++].handle;
        } else {
            scalars->of_part[part] = part == 0 ? scalars->state.handle : scalars->of_part[first];
        }
    }
    return STARFISH_SUCCESS;
}

/* Are all parts GPUs' of one process? */
static int is_on_gpus(const struct starfish_space *space)
{
    for (size_t part = 0; part < space->parts[1]; part++)
        if (space->owner[part].device < 0)
            return 0;
    return space->apart && !space->on_ranks;
}

starfish_status starfish_scalars_create(struct starfish_scalars *scalars, const struct starfish_space *space, int here)
{
    memset(scalars, 0, sizeof *scalars);
    scalars->space = space;
    scalars->here = here;
    if (here)
        return STARFISH_SUCCESS;
    for (int i = 0; i < 2 && space->apart; i++)
        STARFISH_TRY(starfish_coefficient_table_results(&scalars->seen[i], STARFISH_KRYLOV_STATE));
    STARFISH_TRY(space->on_ranks
                     ? starfish_coefficient_table_results_of(&scalars->state, space->context, STARFISH_KRYLOV_STATE,
                                                             starfish_space_rank(space, 0))
                     : starfish_coefficient_table_results(&scalars->state, STARFISH_KRYLOV_STATE));
    return is_on_gpus(space) ? create_others(scalars) : STARFISH_SUCCESS;
}

void starfish_scalars_destroy(struct starfish_scalars *scalars)
{
    starfish_coefficient_table_destroy(&scalars->state);
    for (int i = 0; i < 2; i++)
        starfish_coefficient_table_destroy(&scalars->seen[i]);
    for (size_t i = 0; i < scalars->others; i++)
        starfish_coefficient_table_destroy(&scalars->owned[i]);
    memset(scalars, 0, sizeof *scalars);
}

static starfish_status advance_here(struct starfish_scalars *scalars, const struct starfish_scalars_task *step)
{
    struct starfish_krylov_scalars a = {.stage = step->stage, .state = scalars->values};
    double product, more = 0;

    if (step->criteria) {
        a.tolerance = step->criteria->tolerance;
        a.absolute = step->criteria->absolute;
        a.floor = step->criteria->floor;
        a.outer = step->criteria->outer;
        a.watched = step->criteria->watched;
        a.patience = step->criteria->patience;
    }
    STARFISH_TRY(starfish_sums_total(step->sums, scalars->space->context, &product));
    if (step->more)
        STARFISH_TRY(starfish_sums_total(step->more, scalars->space->context, &more));
    starfish_krylov_advance(&a, step->sign * product, more);
    return STARFISH_SUCCESS;
}

starfish_status starfish_scalars_advance(struct starfish_scalars *scalars, const struct starfish_algebra *algebra,
                                         const struct starfish_scalars_task *step)
{
    struct starfish_scalars_task task = *step;

    if (scalars->here)
        return advance_here(scalars, step);
    task.state = scalars->state.handle;
    STARFISH_TRY(starfish_submit_scalars(algebra, scalars->space, &task));
    task.copy = NULL;
    for (size_t i = 0; i < scalars->others; i++) {
        task.state = scalars->owned[i].handle;
        task.part = scalars->first[i];
        STARFISH_TRY(starfish_submit_scalars(algebra, scalars->space, &task));
    }
    return STARFISH_SUCCESS;
}

/* The part of a state that is broadcast to all ranks. */
struct told {
    double status, values[STARFISH_KRYLOV_STATE];
};

/* Of the first part's rank on all: they must decide alike, and computed it on processors that may differ. Each waits
 * for its own before, which takes no core. */
static starfish_status read_on_ranks(struct starfish_scalars *scalars, const struct starfish_coefficient_table *state)
{
    struct starfish_context *context = scalars->space->context;
    const int owner = starfish_space_rank(scalars->space, 0);
    struct told told;
    const starfish_status status = starfish_coefficient_table_read(state, context, told.values, sizeof told.values);

    told.status = (double)status;
    STARFISH_TRY(starfish_ranks_broadcast(context, &told, sizeof told, owner));
    if (told.status != (double)STARFISH_SUCCESS)
        return starfish_ranks_agree(context, status);
    memcpy(scalars->values, told.values, sizeof told.values);
    return STARFISH_SUCCESS;
}

static starfish_status read_state(struct starfish_scalars *scalars, const struct starfish_coefficient_table *state)
{
    return scalars->space->on_ranks ? read_on_ranks(scalars, state)
                                    : starfish_coefficient_table_read(state, scalars->space->context, scalars->values,
                                                                      sizeof scalars->values);
}

starfish_status starfish_scalars_look(struct starfish_scalars *scalars)
{
    return scalars->here ? STARFISH_SUCCESS : read_state(scalars, &scalars->state);
}

starfish_handle starfish_scalars_copy_of(const struct starfish_scalars *scalars, int number)
{
    return scalars->seen[number % 2].handle;
}

starfish_status starfish_scalars_look_back(struct starfish_scalars *scalars, int number)
{
    return read_state(scalars, &scalars->seen[number % 2]);
}

struct starfish_factor starfish_scalars_factor(const struct starfish_scalars *scalars, double number,
                                               enum starfish_krylov_scalar scalar)
{
    if (scalars->here)
        return (struct starfish_factor){.number = number * scalars->values[scalar]};
    return (struct starfish_factor){number, scalars->state.handle, (int)scalar,
                                    scalars->others > 0 ? scalars->of_part : NULL};
}
