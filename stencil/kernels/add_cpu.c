/* u += correction on the CPU. Bound by memory: 3 reals per element. */
#include "stencil/kernels/stencil.h"

#include "base/real.h"

void REAL_NAME(starfish_add_cpu)(const struct starfish_add *a)
{
    real *restrict u = a->u;
    const real *restrict correction = a->correction;
    for (size_t i = 0; i < a->count; i++)
        u[i] += correction[i];
}
