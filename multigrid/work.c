/* What a plan needs to be solved with. */
#include "multigrid/plan.h"

/* Ghosts are ours to add, and an order is ours to change: the user's arrays have none, and keep theirs. */
static int needs_copies(const struct starfish_multigrid_plan *plan)
{
    return plan->hooks->arrange || (plan->op.space->apart && plan->op.space->halos > 0);
}

int starfish_multigrid_fuses(const struct starfish_multigrid_plan *plan)
{
    const struct starfish_grid_kind *kind = plan->op.setting.kind;

    return plan->options.conjugate_gradients && !plan->mixed && plan->hooks->precondition_sums && kind &&
           kind->combines;
}

int starfish_multigrid_fuses_corrections(const struct starfish_multigrid_plan *plan)
{
    const struct starfish_grid_kind *kind = plan->op.setting.kind;
    const struct starfish_multigrid_options *o = &plan->options;
    const int corrects = plan->mixed && !o->conjugate_gradients && !o->bicgstab;

    return corrects && !o->initial_guess && !plan->hooks->polish && kind && kind->combines;
}

/* Corrections that wait need a second solution instead of a residual. */
size_t starfish_multigrid_work_vectors(const struct starfish_multigrid_plan *plan)
{
    const int stabilised = plan->options.bicgstab, accelerated = plan->options.conjugate_gradients || stabilised;
    const int may_copy = plan->hooks->arrange || !starfish_context_has_one_memory(plan->context);
    const size_t residual = plan->mixed || accelerated, others = accelerated ? 3 : 0, copies = may_copy ? 2 : 0;

    return residual + others + (starfish_multigrid_fuses(plan) ? 1 : 0) + (stabilised ? 2 : 0) + copies;
}

static starfish_status create_vectors(struct starfish_multigrid_plan *plan)
{
    struct starfish_multigrid_work *w = &plan->work;
    const int stabilised = plan->options.bicgstab, accelerated = plan->options.conjugate_gradients || stabilised;
    const int wait = starfish_multigrid_fuses_corrections(plan);
    const struct {
        struct starfish_vector *vector;
        int wanted;
    } vectors[] = {{&w->residual, (plan->mixed && !wait) || accelerated},
                   {&w->preconditioned, accelerated},
                   {&w->direction, accelerated},
                   {&w->image, accelerated},
                   {&w->other, wait || starfish_multigrid_fuses(plan)},
                   {&w->shadow, stabilised},
                   {&w->rest_image, stabilised},
                   {&w->copy[0], needs_copies(plan)},
                   {&w->copy[1], needs_copies(plan)}};

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if (vectors[i].wanted)
            STARFISH_TRY(starfish_vector_create(vectors[i].vector, plan->op.space, plan->options.precision));
    return STARFISH_SUCCESS;
}

/* Cycles on the solution itself need no factors, and are looked at one by one. */
static starfish_status create_scalars(struct starfish_multigrid_plan *plan)
{
    struct starfish_multigrid_work *w = &plan->work;
    const struct starfish_space *space = plan->op.space;
    const int accelerated = plan->options.conjugate_gradients || plan->options.bicgstab;

    STARFISH_TRY(starfish_sums_create_on(&w->sums, space));
    if (plan->mixed)
        STARFISH_TRY(starfish_sums_create_on(&w->inner_sums, space));
    for (int i = 0; i < 2 && accelerated; i++)
        STARFISH_TRY(starfish_sums_create_on(&w->products[i], space));
    return starfish_scalars_create(&w->scalars, space, !plan->mixed && !accelerated);
}

starfish_status starfish_multigrid_work_create(struct starfish_multigrid_plan *plan)
{
    starfish_queue_create(&plan->work.queue);
    plan->work.open = 1;
    STARFISH_TRY(create_vectors(plan));
    return create_scalars(plan);
}

void starfish_multigrid_work_destroy(struct starfish_multigrid_plan *plan)
{
    struct starfish_multigrid_work *w = &plan->work;
    struct starfish_vector *const vectors[] = {&w->residual, &w->preconditioned, &w->direction, &w->image,  &w->other,
                                               &w->shadow,   &w->rest_image,     &w->copy[0],   &w->copy[1]};

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        starfish_vector_destroy(vectors[i]);
    starfish_sums_destroy(&w->sums);
    starfish_sums_destroy(&w->inner_sums);
    for (int i = 0; i < 2; i++)
        starfish_sums_destroy(&w->products[i]);
    starfish_scalars_destroy(&w->scalars);
    if (w->open)
        starfish_queue_destroy(&w->queue);
    w->open = 0;
}

void starfish_multigrid_tell(starfish_multigrid_plan *plan, starfish_multigrid_progress *function, void *data)
{
    if (!plan)
        return;
    plan->work.tell = function;
    plan->work.tell_data = data;
}
