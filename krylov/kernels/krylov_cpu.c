/* Vectors of conjugate gradients on the CPU. Bound by memory. */
#include "krylov/kernels/krylov.h"

#include "base/clones.h"
#include "base/real.h"

#include <string.h>

STARFISH_CLONES
static void add(const struct starfish_krylov_update *a, real factor)
{
    const size_t count = a->nx * a->ny;
    const real *u = a->u, *c = a->correction;
    real *v = a->v;

    if (u) {
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            v[i] = u[i] + factor * c[i];
    } else {
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            v[i] = factor * c[i];
    }
}

void REAL_NAME(starfish_krylov_update_cpu)(const struct starfish_krylov_update *a)
{
    const size_t bytes = a->nx * a->ny * sizeof(real);

    if (*a->factor != 0)
        add(a, (real)*a->factor);
    else if (a->u)
        memmove(a->v, a->u, bytes);
    else
        memset(a->v, 0, bytes);
}
