/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a step of refinement is kept, on the CPU (refine.h). */
#include "stencil/kernels/refine.h"

void starfish_refine_judge_cpu(const struct starfish_refine_judge *arguments)
{
    starfish_refine_judge_here(arguments);
}
