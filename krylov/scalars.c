/* The state of an iteration. */
#include "krylov/scalars.h"

#include "krylov/kernels/krylov_stage.h"

#include <string.h>

starfish_status starfish_scalars_create(struct starfish_scalars *scalars, const struct starfish_space *space, int here)
{
    memset(scalars, 0, sizeof *scalars);
    scalars->space = space;
    scalars->here = here;
    return here ? STARFISH_SUCCESS : starfish_table_results(&scalars->state, STARFISH_KRYLOV_STATE);
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

starfish_status starfish_scalars_look(struct starfish_scalars *scalars)
{
    return scalars->here
               ? STARFISH_SUCCESS
               : starfish_table_read(&scalars->state, scalars->space->context, scalars->values, sizeof scalars->values);
}

struct starfish_factor starfish_scalars_factor(const struct starfish_scalars *scalars, double number,
                                               enum starfish_krylov_scalar scalar)
{
    if (scalars->here)
        return (struct starfish_factor){.number = number * scalars->values[scalar]};
    return (struct starfish_factor){number, scalars->state.handle, (int)scalar};
}
