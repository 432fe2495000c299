/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BiCGStab (bicgstab.h; van der Vorst 1992): a step is two halves, each with one preconditioned product and its
 * sums. */
#include "krylov/bicgstab.h"

static starfish_status residual(void *self, int zero, const struct starfish_sums *sums)
{
    const struct starfish_bicgstab_steps *b = self;

    return b->matrix.residual(b->matrix.self, zero ? NULL : b->u, b->f, b->residual, sums);
}

/* v = u + sign * scalar * correction. */
static starfish_status update(const struct starfish_bicgstab_steps *b, double sign, enum starfish_krylov_scalar scalar,
                              const struct starfish_vector *u, const struct starfish_vector *correction,
                              const struct starfish_vector *v)
{
    const struct starfish_factor factor = starfish_scalars_factor(b->scalars, sign, scalar);

    return starfish_algebra_update(b->algebra, u, &factor, correction, v);
}

static starfish_status copy(const struct starfish_bicgstab_steps *b, const struct starfish_vector *from,
                            const struct starfish_vector *to)
{
    return starfish_algebra_update(b->algebra, from, NULL, NULL, to);
}

/* p = r + beta (p - omega A B p); v is -A B p. */
static starfish_status turn(const struct starfish_bicgstab_steps *b, int number)
{
    const struct starfish_scalars_task shadow = {.stage = STARFISH_KRYLOV_SHADOW, .sign = 1, .sums = &b->products[0]};

    if (number == 0)
        STARFISH_TRY(copy(b, b->residual, b->shadow));
    else
        STARFISH_TRY(update(b, 1, STARFISH_KRYLOV_OMEGA, b->direction, b->v, b->direction));
    STARFISH_TRY(starfish_algebra_product(b->algebra, b->shadow, b->residual, &b->products[0]));
    STARFISH_TRY(starfish_scalars_advance(b->scalars, b->algebra, &shadow));
    return number == 0 ? copy(b, b->residual, b->direction)
                       : update(b, 1, STARFISH_KRYLOV_BETA, b->residual, b->direction, b->direction);
}

/* z = B of something, image = -A z. */
static starfish_status apply(const struct starfish_bicgstab_steps *b, int number, const struct starfish_vector *x,
                             const struct starfish_vector *image, int most, int *cycles)
{
    STARFISH_TRY(b->preconditioner.apply(b->preconditioner.self, number, x, b->preconditioned, most, cycles));
    return b->matrix.residual(b->matrix.self, b->preconditioned, NULL, image, NULL);
}

/* s = r - alpha A B p, in r's place; u += alpha B p. */
static starfish_status take_half(const struct starfish_bicgstab_steps *b, int zero)
{
    const struct starfish_scalars_task half = {.stage = STARFISH_KRYLOV_HALF, .sign = -1, .sums = &b->products[0]};

    STARFISH_TRY(starfish_algebra_product(b->algebra, b->shadow, b->v, &b->products[0]));
    STARFISH_TRY(starfish_scalars_advance(b->scalars, b->algebra, &half));
    STARFISH_TRY(update(b, 1, STARFISH_KRYLOV_ALPHA, b->residual, b->v, b->residual));
    return update(b, 1, STARFISH_KRYLOV_ALPHA, zero ? NULL : b->u, b->preconditioned, b->u);
}

/* u += omega B s. */
static starfish_status take_whole(const struct starfish_bicgstab_steps *b)
{
    const struct starfish_scalars_task whole = {
        .stage = STARFISH_KRYLOV_WHOLE, .sign = -1, .sums = &b->products[0], .more = &b->products[1]};

    STARFISH_TRY(starfish_algebra_product(b->algebra, b->t, b->residual, &b->products[0]));
    STARFISH_TRY(starfish_algebra_product(b->algebra, b->t, b->t, &b->products[1]));
    STARFISH_TRY(starfish_scalars_advance(b->scalars, b->algebra, &whole));
    return update(b, 1, STARFISH_KRYLOV_OMEGA, b->u, b->preconditioned, b->u);
}

/* Of cycles that may still be made the first half leaves some to the second. */
static starfish_status step(void *self, int number, int zero, int most, int *cycles)
{
    const struct starfish_bicgstab_steps *b = self;
    int second = 0;

    STARFISH_TRY(turn(b, number));
    STARFISH_TRY(apply(b, 2 * number, b->direction, b->v, most > 1 ? most - 1 : 1, cycles));
    STARFISH_TRY(take_half(b, zero));
    if (most - *cycles > 0) {
        STARFISH_TRY(apply(b, 2 * number + 1, b->residual, b->t, most - *cycles, &second));
        STARFISH_TRY(take_whole(b));
    }
    *cycles += second;
    return STARFISH_SUCCESS;
}

struct starfish_iteration starfish_bicgstab_iteration(struct starfish_bicgstab_steps *steps, int most_ahead)
{
    return (struct starfish_iteration){.self = steps,
                                       .residual = residual,
                                       .step = step,
                                       .algebra = steps->algebra,
                                       .scalars = steps->scalars,
                                       .sums = steps->sums,
                                       .needs_residual = 1,
                                       .most_ahead = most_ahead};
}
