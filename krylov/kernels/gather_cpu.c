/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a vector by an index set, on the CPU. Bound by memory. */
#include "krylov/kernels/gather.h"

#include "base/real.h"

void REAL_NAME(starfish_vector_gather_cpu)(const struct starfish_vector_gather *a)
{
    const real *from = a->from;
    real *to = a->to;

    for (size_t i = 0; i < a->count; i++)
        to[i] = from[a->index[i]];
}
