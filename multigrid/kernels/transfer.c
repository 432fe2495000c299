/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which unknowns of the other grid a run of unknowns has to do with. */
#include "multigrid/kernels/transfer.h"

#include "base/sizes.h"

void starfish_transfer_fine(const struct starfish_transfer_axis *axis, size_t first, size_t last, size_t fine[2])
{
    const size_t reach = axis->stride - 1; /* none where the direction is not coarsened */
    const size_t low = axis->stride * first + axis->origin, high = axis->stride * (last - 1) + axis->origin;

    fine[0] = starfish_smaller(low > reach ? low - reach : 0, axis->fine - 1);
    fine[1] = starfish_smaller(high + reach + 1, axis->fine);
}

void starfish_transfer_coarse(const struct starfish_transfer_axis *axis, size_t first, size_t last, size_t coarse[2])
{
    const size_t o = axis->origin, s = axis->stride, low = first > o ? (first - o) / s : 0;

    /* An unknown between two coarse ones has the upper one too, if there is one. */
    coarse[0] = starfish_smaller(low, axis->coarse - 1);
    coarse[1] = starfish_smaller(last > o ? (last - 1 - o + s - 1) / s + 1 : 1, axis->coarse);
}
