/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scalars of iterations, on the CPU and on the GPU: what a stage makes of a state and an inner product. */
#ifndef STARFISH_KRYLOV_KERNELS_KRYLOV_STAGE_H
#define STARFISH_KRYLOV_KERNELS_KRYLOV_STAGE_H

#include "krylov/kernels/krylov.h"

#include <math.h>

#ifdef __CUDACC__
#define STARFISH_KRYLOV_DEVICE __device__
#else
#define STARFISH_KRYLOV_DEVICE
#endif

/* Without any gain in so many steps rounding errors have the last word, or the iteration diverges. */
enum { STARFISH_KRYLOV_USUAL_PATIENCE = 8 };

/* ---- Conjugate gradients inside a task --------------------------------------------------------------------------- */

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_clear(double *state)
{
    for (int s = 0; s < STARFISH_KRYLOV_STATE; s++)
        state[s] = 0;
}

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_begin(double *state, double product, double tolerance)
{
    starfish_krylov_clear(state);
    state[STARFISH_KRYLOV_LIMIT] = tolerance * tolerance * product;
    state[STARFISH_KRYLOV_DONE] = product > 0 ? STARFISH_KRYLOV_GOES_ON : STARFISH_KRYLOV_CONVERGED;
}

/* Without energy there is no direction any more: inside a task nobody asks why; a watched iteration has stagnated. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_need_positive(double *state, double product)
{
    if (!(product > 0) && state[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_GOES_ON)
        state[STARFISH_KRYLOV_DONE] =
            state[STARFISH_KRYLOV_WATCHED] != 0 ? STARFISH_KRYLOV_STAGNATED : STARFISH_KRYLOV_CONVERGED;
}

/* The first direction, before which rho is 0, is the preconditioned residual alone. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_direct(double *state, double product)
{
    const double before = state[STARFISH_KRYLOV_RHO];

    starfish_krylov_need_positive(state, product);
    state[STARFISH_KRYLOV_BETA] = state[STARFISH_KRYLOV_DONE] == 0 && before > 0 ? product / before : 0;
    state[STARFISH_KRYLOV_RHO] = product;
}

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_step(double *state, double product)
{
    starfish_krylov_need_positive(state, product);
    state[STARFISH_KRYLOV_ALPHA] = state[STARFISH_KRYLOV_DONE] == 0 ? state[STARFISH_KRYLOV_RHO] / product : 0;
}

/* ---- The watch over the residual --------------------------------------------------------------------------------- */

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_set_first(double *state, double norm)
{
    const int exponent = norm > 0 && isfinite(norm) ? ilogb(norm) : 0;

    state[STARFISH_KRYLOV_SCALE] = ldexp(1.0, -exponent);
    state[STARFISH_KRYLOV_UNSCALE] = ldexp(1.0, exponent);
    state[STARFISH_KRYLOV_NORM] = state[STARFISH_KRYLOV_FIRST_NORM] = state[STARFISH_KRYLOV_BEST] = norm;
    state[STARFISH_KRYLOV_DONE] =
        state[STARFISH_KRYLOV_WATCHED] != 0 && !isfinite(norm) ? STARFISH_KRYLOV_NOT_FINITE : STARFISH_KRYLOV_GOES_ON;
}

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_set_rhs(const struct starfish_krylov_scalars *a, double norm)
{
    const double wanted = a->tolerance * norm;

    starfish_krylov_clear(a->state);
    a->state[STARFISH_KRYLOV_RHS_NORM] = norm;
    a->state[STARFISH_KRYLOV_LIMIT] = wanted > a->absolute ? wanted : a->absolute;
    a->state[STARFISH_KRYLOV_FLOOR] = a->floor;
    a->state[STARFISH_KRYLOV_OUTER] = a->outer;
    a->state[STARFISH_KRYLOV_WATCHED] = a->watched;
    a->state[STARFISH_KRYLOV_PATIENCE] = a->patience > 0 ? a->patience : STARFISH_KRYLOV_USUAL_PATIENCE;
    starfish_krylov_set_first(a->state, norm);
}

STARFISH_KRYLOV_DEVICE static inline int starfish_krylov_outcome(const double *state)
{
    const double norm = state[STARFISH_KRYLOV_NORM];

    if (state[STARFISH_KRYLOV_WATCHED] == 0)
        return STARFISH_KRYLOV_GOES_ON;
    if (!isfinite(norm))
        return STARFISH_KRYLOV_NOT_FINITE;
    if (norm <= state[STARFISH_KRYLOV_LIMIT])
        return STARFISH_KRYLOV_CONVERGED;
    return state[STARFISH_KRYLOV_SINCE_BEST] >= state[STARFISH_KRYLOV_PATIENCE] ? STARFISH_KRYLOV_STAGNATED
                                                                                : STARFISH_KRYLOV_GOES_ON;
}

/* Steps that were submitted ahead of the host's look change nothing once the iteration is done, and do not count. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_watch(double *state, double norm)
{
    if (state[STARFISH_KRYLOV_DONE] != STARFISH_KRYLOV_GOES_ON)
        return;
    state[STARFISH_KRYLOV_NORM] = norm;
    state[STARFISH_KRYLOV_STEPS] += 1;
    state[STARFISH_KRYLOV_NORMS + (int)fmod(state[STARFISH_KRYLOV_STEPS], (double)STARFISH_KRYLOV_RING)] = norm;
    if (norm < state[STARFISH_KRYLOV_BEST]) {
        state[STARFISH_KRYLOV_BEST] = norm;
        state[STARFISH_KRYLOV_SINCE_BEST] = 0;
    } else {
        state[STARFISH_KRYLOV_SINCE_BEST] += 1;
    }
    state[STARFISH_KRYLOV_DONE] = starfish_krylov_outcome(state);
}

/* ---- Flexible conjugate gradients -------------------------------------------------------------------------------- */

/* beta = -(z, A p) / (p, A p); product: (z, A p). Without a last direction the energy is 0. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_conjugate(double *state, double product)
{
    const double energy = state[STARFISH_KRYLOV_ENERGY];

    state[STARFISH_KRYLOV_BETA] = state[STARFISH_KRYLOV_DONE] == 0 && energy > 0 ? -product / energy : 0;
}

/* There is no way to go once the residual is zero, or rounding errors, whose direction may be one without energy. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_minimise(double *state, double energy, double product)
{
    const int leads_on =
        state[STARFISH_KRYLOV_DONE] == 0 && energy > 0 && state[STARFISH_KRYLOV_NORM] > state[STARFISH_KRYLOV_FLOOR];

    state[STARFISH_KRYLOV_RHO] = product;
    state[STARFISH_KRYLOV_ENERGY] = energy;
    state[STARFISH_KRYLOV_ALPHA] = leads_on ? product / energy : 0;
}

/* Before the first direction rho is 0. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_turn(double *state, double product)
{
    const double before = state[STARFISH_KRYLOV_RHO];

    state[STARFISH_KRYLOV_BETA] = state[STARFISH_KRYLOV_DONE] == 0 && before > 0 ? product / before : 0;
}

/* ---- BiCGStab ---------------------------------------------------------------------------------------------------- */

/* A divisor of zero or NaN breaks the iteration down: the values then are kept. Where they are the solution, as for
 * a right-hand side of zero, the next look says so. */
STARFISH_KRYLOV_DEVICE static inline int starfish_krylov_may_divide(double *state, double divisor)
{
    const int may = isfinite(divisor) && divisor != 0;
    const int solved = state[STARFISH_KRYLOV_NORM] <= state[STARFISH_KRYLOV_LIMIT];

    if (!may && !solved && state[STARFISH_KRYLOV_WATCHED] != 0 &&
        state[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_GOES_ON)
        state[STARFISH_KRYLOV_DONE] = STARFISH_KRYLOV_STAGNATED;
    return may && state[STARFISH_KRYLOV_DONE] == STARFISH_KRYLOV_GOES_ON;
}

/* beta = rho / the last rho * alpha / omega. The first direction, before which rho is 0, is the residual alone. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_shadow(double *state, double product)
{
    const double before = state[STARFISH_KRYLOV_RHO], omega = state[STARFISH_KRYLOV_OMEGA];
    const int goes_on = starfish_krylov_may_divide(state, product) && before != 0 && omega != 0;

    state[STARFISH_KRYLOV_BETA] = goes_on ? product / before * (state[STARFISH_KRYLOV_ALPHA] / omega) : 0;
    state[STARFISH_KRYLOV_RHO] = product;
}

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_half(double *state, double product)
{
    state[STARFISH_KRYLOV_ALPHA] =
        starfish_krylov_may_divide(state, product) ? state[STARFISH_KRYLOV_RHO] / product : 0;
}

/* Where the first half has left nothing, t is 0, and there is no second one. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_whole(double *state, double product, double square)
{
    const int leads_on = state[STARFISH_KRYLOV_DONE] == 0 && square > 0 && isfinite(product / square);

    state[STARFISH_KRYLOV_OMEGA] = leads_on ? product / square : 0;
}

/* product: times the sign; more: the second one. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_advance(const struct starfish_krylov_scalars *a,
                                                                  double product, double more)
{
    switch (a->stage) {
    case STARFISH_KRYLOV_BEGIN:
        starfish_krylov_begin(a->state, product, a->tolerance);
        break;
    case STARFISH_KRYLOV_TEST:
        if (!(product > a->state[STARFISH_KRYLOV_LIMIT]))
            a->state[STARFISH_KRYLOV_DONE] = STARFISH_KRYLOV_CONVERGED;
        break;
    case STARFISH_KRYLOV_DIRECTION:
        starfish_krylov_direct(a->state, product);
        break;
    case STARFISH_KRYLOV_STEP:
        starfish_krylov_step(a->state, product);
        break;
    case STARFISH_KRYLOV_RHS:
        starfish_krylov_set_rhs(a, sqrt(product));
        break;
    case STARFISH_KRYLOV_GUESS:
        starfish_krylov_set_first(a->state, sqrt(product));
        break;
    case STARFISH_KRYLOV_WATCH:
        starfish_krylov_watch(a->state, sqrt(product));
        break;
    case STARFISH_KRYLOV_CONJUGATE:
        starfish_krylov_conjugate(a->state, product);
        break;
    case STARFISH_KRYLOV_MINIMISE:
        starfish_krylov_minimise(a->state, product, more);
        break;
    case STARFISH_KRYLOV_TURN:
        starfish_krylov_turn(a->state, product);
        break;
    case STARFISH_KRYLOV_SHADOW:
        starfish_krylov_shadow(a->state, product);
        break;
    case STARFISH_KRYLOV_HALF:
        starfish_krylov_half(a->state, product);
        break;
    case STARFISH_KRYLOV_WHOLE:
        starfish_krylov_whole(a->state, product, more);
        break;
    }
}

#endif
