/* Conjugate gradients in three tasks a step. */
#include "krylov/fused_cg.h"

/* r = f - A u; after a step of u + alpha p, which becomes the solution. A zero solution is never read. */
static starfish_status residual(void *self, int zero, const struct starfish_sums *sums)
{
    struct starfish_fused_cg *cg = self;
    struct starfish_operator_step step = {.f = cg->f, .result = zero ? NULL : cg->residual, .sums = sums};

    if (!zero && cg->pending == 0)
        step.u = cg->u[cg->now];
    if (cg->pending) {
        step.u = cg->pending == 1 ? NULL : cg->u[cg->now];
        step.correction = cg->direction[cg->turned];
        step.factor = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_ALPHA);
        step.v = cg->u[!cg->now];
        cg->now = !cg->now;
        cg->pending = 0;
    }
    return starfish_operator_advance(cg->op, cg->algebra->progress, &step);
}

/* p' = z + beta p; the first is z. */
static starfish_status turn(struct starfish_fused_cg *cg, int number)
{
    struct starfish_operator_step step = {
        .u = cg->preconditioned, .v = cg->direction[!cg->turned], .sums = &cg->products[1], .energy = 1};

    if (number > 0) {
        step.correction = cg->direction[cg->turned];
        step.factor = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_BETA);
    }
    cg->turned = !cg->turned;
    return starfish_operator_advance(cg->op, cg->algebra->progress, &step);
}

static starfish_status step(void *self, int number, int zero, int most, int *cycles)
{
    struct starfish_fused_cg *cg = self;
    const struct starfish_vector *r = zero ? cg->f : cg->residual;
    const struct starfish_scalars_task conjugate = {.stage = STARFISH_KRYLOV_TURN, .sign = 1, .sums = &cg->products[0]};
    const struct starfish_scalars_task minimise = {
        .stage = STARFISH_KRYLOV_MINIMISE, .sign = -1, .sums = &cg->products[1], .more = &cg->products[0]};

    (void)most;
    *cycles = 1;
    STARFISH_TRY(cg->precondition(cg->self, r, cg->preconditioned, &cg->products[0]));
    STARFISH_TRY(starfish_scalars_advance(cg->scalars, cg->algebra, &conjugate));
    STARFISH_TRY(turn(cg, number));
    STARFISH_TRY(starfish_scalars_advance(cg->scalars, cg->algebra, &minimise));
    cg->pending = zero ? 1 : 2;
    return STARFISH_SUCCESS;
}

struct starfish_iteration starfish_fused_cg_iteration(struct starfish_fused_cg *cg)
{
    return (struct starfish_iteration){.self = cg,
                                       .residual = residual,
                                       .step = step,
                                       .algebra = cg->algebra,
                                       .scalars = cg->scalars,
                                       .sums = cg->sums,
                                       .needs_residual = 1,
                                       .most_ahead = STARFISH_KRYLOV_RING};
}

starfish_status starfish_fused_cg_end(struct starfish_fused_cg *cg)
{
    const struct starfish_factor alpha = starfish_scalars_factor(cg->scalars, 1, STARFISH_KRYLOV_ALPHA);
    const struct starfish_vector *const u = cg->pending == 1 ? NULL : cg->u[cg->now];
    const int pending = cg->pending, moved = cg->now != 0;

    cg->pending = cg->now = 0;
    if (pending)
        return starfish_algebra_update(cg->algebra, u, &alpha, cg->direction[cg->turned], cg->u[0]);
    return moved ? starfish_algebra_update(cg->algebra, u, NULL, NULL, cg->u[0]) : STARFISH_SUCCESS;
}
