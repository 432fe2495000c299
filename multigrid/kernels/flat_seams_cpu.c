/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghosts across the edges of a sphere's panels, on a core (flat_sphere.h). Bound by memory: copies of columns, layer by
 * layer. */
#include "base/real.h"
#include "multigrid/kernels/flat_sphere.h"

void REAL_NAME(starfish_flat_seams_cpu)(const struct starfish_flat_seams *a)
{
    const ptrdiff_t layer = (ptrdiff_t)(a->n + 2 * a->rim);
    struct starfish_flat_seam seam[STARFISH_SPHERE_NEIGHBOURS];
    real *const u = a->u;

    starfish_flat_seams_list(a, seam);
    for (const struct starfish_flat_seam *s = seam; s < seam + STARFISH_SPHERE_NEIGHBOURS; s++)
        for (ptrdiff_t t = 0; t < (ptrdiff_t)s->count; t++)
            for (ptrdiff_t k = 0; k < (ptrdiff_t)a->layers; k++)
                u[s->to + s->to_step * t + layer * k] = u[s->from + s->from_step * t + layer * k];
}
