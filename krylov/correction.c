/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Corrections in a lower precision (correction.h): the residual is scaled and rounded to f32, cycles run, and the
 * result is added. */
#include "krylov/correction.h"

#include <math.h>

/* Is the residual of the correction, `before` at first, small enough? */
static starfish_status gained(const struct starfish_correction *c, double before, int *enough)
{
    double norm;

    STARFISH_TRY(c->inner.norm(c->inner.self, &norm));
    *enough = !(norm / before > pow(10, -c->digits));
    return STARFISH_SUCCESS;
}

static starfish_status cycle(const struct starfish_correction *c, int first, int most, int *cycles)
{
    const int by_digits = c->digits > 0, wanted = by_digits ? STARFISH_CORRECTION_MOST_CYCLES : c->cycles;
    const double *state = c->scalars->values;
    int enough = 0;

    if (by_digits)
        STARFISH_TRY(starfish_scalars_look(c->scalars));
    for (*cycles = 0; *cycles < wanted && *cycles < most; ++*cycles) {
        if (by_digits && *cycles > 0)
            STARFISH_TRY(gained(c, state[STARFISH_KRYLOV_SCALE] * state[STARFISH_KRYLOV_NORM], &enough));
        if (enough)
            break;
        STARFISH_TRY(c->inner.cycle(c->inner.self, first && *cycles == 0, *cycles == 0));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_correct(struct starfish_correction *c, int first, const struct starfish_vector *residual,
                                 int adds, const struct starfish_vector *target, int most, int *cycles)
{
    const struct starfish_factor scale = starfish_scalars_factor(c->scalars, 1, STARFISH_KRYLOV_SCALE);
    const struct starfish_factor unscale = starfish_scalars_factor(c->scalars, 1, STARFISH_KRYLOV_UNSCALE);
    const struct starfish_vector *const rhs = c->inner.begin(c->inner.self);

    if (residual)
        STARFISH_TRY(starfish_algebra_convert(c->algebra, &scale, 0, residual, rhs));
    STARFISH_TRY(cycle(c, first, most, cycles));
    STARFISH_TRY(c->inner.end(c->inner.self, &c->solution));
    c->made++;
    return target ? starfish_algebra_convert(c->algebra, &unscale, adds, c->solution, target) : STARFISH_SUCCESS;
}
