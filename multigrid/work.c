/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors, sums and scalars of an engine's passes: which are needed follows from precision, iteration and the fused
 * operations. */
#include "multigrid/engine.h"

/* Ghosts are ours to add, and an order is ours to change: the user's arrays have none, and keep theirs. */
static int needs_copies(const struct starfish_multigrid_engine *engine)
{
    return engine->hooks->arrange || (engine->op.space->apart && engine->op.space->halos > 0);
}

struct starfish_pass starfish_multigrid_pass(const struct starfish_multigrid_options *o)
{
    return (struct starfish_pass){.variant = o->krylov == STARFISH_KRYLOV_AUTO ? STARFISH_KRYLOV_CG : o->krylov,
                                  .most = o->max_iterations,
                                  .from_guess = o->initial_guess,
                                  .tolerance = o->tolerance,
                                  .absolute = o->absolute};
}

int starfish_multigrid_fuses(const struct starfish_multigrid_engine *engine, const struct starfish_pass *pass)
{
    const struct starfish_grid_kind *kind = engine->op.setting.kind;

    return pass->variant == STARFISH_KRYLOV_CG && !engine->mixed && engine->hooks->precondition_sums && kind &&
           starfish_grid_combines(kind);
}

int starfish_multigrid_fuses_corrections(const struct starfish_multigrid_engine *engine,
                                         const struct starfish_pass *pass)
{
    const struct starfish_grid_kind *kind = engine->op.setting.kind;
    const int corrects = engine->mixed && pass->variant == STARFISH_KRYLOV_NONE;

    return corrects && !pass->from_guess && !engine->hooks->polish && kind && starfish_grid_combines(kind);
}

/* Corrections that wait need a second solution instead of a residual. */
size_t starfish_multigrid_work_vectors(const struct starfish_multigrid_engine *engine)
{
    const struct starfish_pass pass = starfish_multigrid_pass(&engine->options);
    const int stabilised = starfish_multigrid_has(&engine->options, STARFISH_KRYLOV_BICGSTAB);
    const int accelerated = engine->options.krylov != STARFISH_KRYLOV_NONE;
    const int may_copy = engine->hooks->arrange || !starfish_context_has_one_memory(engine->context);
    const size_t residual = engine->mixed || accelerated, others = accelerated ? 3 : 0, copies = may_copy ? 2 : 0;

    return residual + others + starfish_multigrid_fuses(engine, &pass) + (stabilised ? 2 : 0) + copies;
}

static starfish_status create_vectors(struct starfish_multigrid_engine *engine)
{
    struct starfish_multigrid_work *w = &engine->work;
    const int stabilised = starfish_multigrid_has(&engine->options, STARFISH_KRYLOV_BICGSTAB);
    const int accelerated = engine->options.krylov != STARFISH_KRYLOV_NONE;
    const struct starfish_pass pass = starfish_multigrid_pass(&engine->options);
    const int wait = starfish_multigrid_fuses_corrections(engine, &pass);
    const struct {
        struct starfish_vector *vector;
        int wanted;
    } vectors[] = {{&w->residual, (engine->mixed && !wait) || accelerated},
                   {&w->preconditioned, accelerated},
                   {&w->direction, accelerated},
                   {&w->image, accelerated},
                   {&w->other, wait || starfish_multigrid_fuses(engine, &pass)},
                   {&w->shadow, stabilised},
                   {&w->rest_image, stabilised},
                   {&w->copy[0], needs_copies(engine)},
                   {&w->copy[1], needs_copies(engine)}};

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if (vectors[i].wanted)
            STARFISH_TRY(starfish_vector_create(vectors[i].vector, engine->op.space, engine->options.precision));
    return STARFISH_SUCCESS;
}

/* Cycles on the solution itself need no factors, and are looked at one by one. */
static starfish_status create_scalars(struct starfish_multigrid_engine *engine)
{
    struct starfish_multigrid_work *w = &engine->work;
    const struct starfish_space *space = engine->op.space;
    const int accelerated = engine->options.krylov != STARFISH_KRYLOV_NONE;

    STARFISH_TRY(starfish_sums_create_on(&w->sums, space));
    if (engine->mixed)
        STARFISH_TRY(starfish_sums_create_on(&w->inner_sums, space));
    for (int i = 0; i < 2 && accelerated; i++)
        STARFISH_TRY(starfish_sums_create_on(&w->products[i], space));
    return starfish_scalars_create(&w->scalars, space, !engine->mixed && !accelerated);
}

starfish_status starfish_multigrid_work_create(struct starfish_multigrid_engine *engine)
{
    STARFISH_TRY(create_vectors(engine));
    return create_scalars(engine);
}

void starfish_multigrid_work_destroy(struct starfish_multigrid_engine *engine)
{
    struct starfish_multigrid_work *w = &engine->work;
    struct starfish_vector *const vectors[] = {&w->residual, &w->preconditioned, &w->direction, &w->image,  &w->other,
                                               &w->shadow,   &w->rest_image,     &w->copy[0],   &w->copy[1]};

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        starfish_vector_destroy(vectors[i]);
    starfish_sums_destroy(&w->sums);
    starfish_sums_destroy(&w->inner_sums);
    for (int i = 0; i < 2; i++)
        starfish_sums_destroy(&w->products[i]);
    starfish_scalars_destroy(&w->scalars);
}
