/* The state of an iteration. */
#include "krylov/scalars.h"

#include "krylov/kernels/krylov_stage.h"
#include "scheduler/ranks.h"

#include <string.h>

starfish_status starfish_scalars_create(struct starfish_scalars *scalars, const struct starfish_space *space, int here)
{
    memset(scalars, 0, sizeof *scalars);
    scalars->space = space;
    scalars->here = here;
    if (here)
        return STARFISH_SUCCESS;
    return space->on_ranks ? starfish_table_results_of(&scalars->state, space->context, STARFISH_KRYLOV_STATE,
                                                       starfish_space_rank(space, 0))
                           : starfish_table_results(&scalars->state, STARFISH_KRYLOV_STATE);
}

void starfish_scalars_destroy(struct starfish_scalars *scalars)
{
    starfish_table_destroy(&scalars->state);
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
    return starfish_submit_scalars(algebra, scalars->space, &task);
}

/* Of the rank that has it, on all: they must decide alike. */
static starfish_status look_on_ranks(struct starfish_scalars *scalars)
{
    struct starfish_context *context = scalars->space->context;
    const int owner = starfish_space_rank(scalars->space, 0);
    starfish_status status = STARFISH_SUCCESS;

    if (owner == starfish_context_rank(context))
        status = starfish_table_read(&scalars->state, context, scalars->values, sizeof scalars->values);
    STARFISH_TRY(starfish_ranks_agree(context, status));
    return starfish_ranks_broadcast(context, scalars->values, sizeof scalars->values, owner);
}

starfish_status starfish_scalars_look(struct starfish_scalars *scalars)
{
    if (scalars->here)
        return STARFISH_SUCCESS;
    return scalars->space->on_ranks
               ? look_on_ranks(scalars)
               : starfish_table_read(&scalars->state, scalars->space->context, scalars->values, sizeof scalars->values);
}

struct starfish_factor starfish_scalars_factor(const struct starfish_scalars *scalars, double number,
                                               enum starfish_krylov_scalar scalar)
{
    if (scalars->here)
        return (struct starfish_factor){.number = number * scalars->values[scalar]};
    return (struct starfish_factor){number, scalars->state.handle, (int)scalar};
}
