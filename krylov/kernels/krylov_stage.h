/* The scalars of conjugate gradients, on the CPU and on the GPU. */
#ifndef STARFISH_KRYLOV_KERNELS_KRYLOV_STAGE_H
#define STARFISH_KRYLOV_KERNELS_KRYLOV_STAGE_H

#include "krylov/kernels/krylov.h"

#ifdef __CUDACC__
#define STARFISH_KRYLOV_DEVICE __device__
#else
#define STARFISH_KRYLOV_DEVICE
#endif

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_begin(double *state, double product, double tolerance)
{
    for (int s = 0; s < STARFISH_KRYLOV_STATE; s++)
        state[s] = 0;
    state[STARFISH_KRYLOV_LIMIT] = tolerance * tolerance * product;
    state[STARFISH_KRYLOV_DONE] = product > 0 ? 0 : 1;
}

/* The first direction, before which rho is 0, is the preconditioned residual alone. */
STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_direct(double *state, double product)
{
    const double before = state[STARFISH_KRYLOV_RHO];

    if (!(product > 0))
        state[STARFISH_KRYLOV_DONE] = 1;
    state[STARFISH_KRYLOV_BETA] = state[STARFISH_KRYLOV_DONE] == 0 && before > 0 ? product / before : 0;
    state[STARFISH_KRYLOV_RHO] = product;
}

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_step(double *state, double product)
{
    if (!(product > 0))
        state[STARFISH_KRYLOV_DONE] = 1;
    state[STARFISH_KRYLOV_ALPHA] = state[STARFISH_KRYLOV_DONE] == 0 ? state[STARFISH_KRYLOV_RHO] / product : 0;
}

STARFISH_KRYLOV_DEVICE static inline void starfish_krylov_advance(const struct starfish_krylov_scalars *a,
                                                                  double product)
{
    if (a->stage == STARFISH_KRYLOV_BEGIN)
        starfish_krylov_begin(a->state, product, a->tolerance);
    else if (a->stage == STARFISH_KRYLOV_DIRECTION)
        starfish_krylov_direct(a->state, product);
    else if (a->stage == STARFISH_KRYLOV_STEP)
        starfish_krylov_step(a->state, product);
    else if (!(product > a->state[STARFISH_KRYLOV_LIMIT]))
        a->state[STARFISH_KRYLOV_DONE] = 1;
}

#endif
