/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds up a few sums, in the function that the GPU has too (volume_mean.h). */
#include "stencil/kernels/volume_mean.h"

void starfish_volume_mean_numbers_cpu(const struct starfish_volume_mean_numbers *arguments)
{
    starfish_volume_mean_numbers_here(arguments);
}
