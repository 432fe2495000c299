/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scalars of iterations on the CPU: sums of 16 KB per part, whose addition takes some microseconds. */
#include "krylov/kernels/krylov.h"

#include "krylov/kernels/krylov_stage.h"

static double total(const double *const *sums, size_t parts, size_t count)
{
    const size_t all = count > 0 ? count : STARFISH_SUMS;
    double sum = 0;

    for (size_t part = 0; part < parts; part++)
        for (size_t i = 0; i < all; i++)
            sum += sums[part][i];
    return sum;
}

void starfish_krylov_scalars_cpu(const struct starfish_krylov_scalars *a)
{
    const int two = STARFISH_KRYLOV_HAS_TWO(a->stage);

    starfish_krylov_advance(a, a->sign * total(a->sums, a->parts, a->count),
                            two ? total(a->more, a->parts, a->count) : 0);
}
