/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a step of refinement is kept, on the CPU (refine.h): compares a few numbers, in the function that the GPU has
 * too. */
#include "stencil/kernels/refine.h"

void starfish_refine_judge_cpu(const struct starfish_refine_judge *arguments)
{
    starfish_refine_judge_here(arguments);
}
