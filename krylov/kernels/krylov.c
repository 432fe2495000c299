/* Scalars of conjugate gradients on the CPU. */
#include "krylov/kernels/krylov.h"

#include "krylov/kernels/krylov_stage.h"

void starfish_krylov_scalars_cpu(const struct starfish_krylov_scalars *a)
{
    double sum = 0;

    for (size_t i = 0; i < STARFISH_SUMS; i++)
        sum += a->sums[i];
    starfish_krylov_advance(a, a->sign * sum);
}
