/* Flexible conjugate gradients. */
#include "krylov/cg.h"

static starfish_status residual(void *self, int zero, const struct starfish_sums *sums)
{
    const struct starfish_cg *cg = self;

    return cg->matrix.residual(cg->matrix.self, cg->algebra->progress, zero ? NULL : cg->u, cg->f,
                               zero ? NULL : cg->residual, sums);
}

/* v = u + scalar * correction. */
static starfish_status update(const struct starfish_cg *cg, enum starfish_krylov_scalar scalar,
                              const struct starfish_vector *u, const struct starfish_vector *correction,
                              const struct starfish_vector *v)
{
    const struct starfish_factor factor = starfish_scalars_factor(cg->scalars, 1, scalar);

    return starfish_algebra_update(cg->algebra, u, &factor, correction, v);
}

/* p = z + beta p, conjugate to the last one; the first is z. */
static starfish_status turn(const struct starfish_cg *cg, int number)
{
    const struct starfish_scalars_task conjugate = {
        .stage = STARFISH_KRYLOV_CONJUGATE, .sign = -1, .sums = &cg->products[0]};

    if (number == 0)
        return starfish_algebra_update(cg->algebra, cg->preconditioned, NULL, NULL, cg->direction);
    STARFISH_TRY(starfish_algebra_product(cg->algebra, cg->preconditioned, cg->image, &cg->products[0]));
    STARFISH_TRY(starfish_scalars_advance(cg->scalars, cg->algebra, &conjugate));
    return update(cg, STARFISH_KRYLOV_BETA, cg->preconditioned, cg->direction, cg->direction);
}

static starfish_status step(void *self, int number, int zero, int most, int *cycles)
{
    const struct starfish_cg *cg = self;
    const struct starfish_vector *r = zero ? cg->f : cg->residual;
    const struct starfish_scalars_task minimise = {
        .stage = STARFISH_KRYLOV_MINIMISE, .sign = -1, .sums = &cg->products[0], .more = &cg->products[1]};

    STARFISH_TRY(cg->preconditioner.apply(cg->preconditioner.self, number, r, cg->preconditioned, most, cycles));
    STARFISH_TRY(turn(cg, number));
    STARFISH_TRY(cg->matrix.residual(cg->matrix.self, cg->algebra->progress, cg->direction, NULL, cg->image, NULL));
    STARFISH_TRY(starfish_algebra_product(cg->algebra, cg->direction, cg->image, &cg->products[0]));
    STARFISH_TRY(starfish_algebra_product(cg->algebra, cg->direction, r, &cg->products[1]));
    STARFISH_TRY(starfish_scalars_advance(cg->scalars, cg->algebra, &minimise));
    return update(cg, STARFISH_KRYLOV_ALPHA, zero ? NULL : cg->u, cg->direction, cg->u);
}

struct starfish_iteration starfish_cg_iteration(struct starfish_cg *cg, int most_ahead)
{
    return (struct starfish_iteration){.self = cg,
                                       .residual = residual,
                                       .step = step,
                                       .algebra = cg->algebra,
                                       .scalars = cg->scalars,
                                       .sums = cg->sums,
                                       .needs_residual = 1,
                                       .most_ahead = most_ahead};
}
