/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghosts on the CPU (ghosts.h), line by line: both ends of a line from its outer two unknowns and the boundary's
 * datum. */
#include "stencil/kernels/ghosts.h"

#include "base/real.h"

static real datum(const struct starfish_ghosts *a, int axis, int end, size_t index)
{
    const real *face = a->face[axis][end];
    return face ? face[index] : (real)a->constant[axis][end];
}

/* Both ghosts of a line of n unknowns. */
static void fill_line(const struct starfish_ghosts *a, int axis, size_t index, real *line, ptrdiff_t stride)
{
    const ptrdiff_t n = (ptrdiff_t)a->n[axis];
    for (int end = 0; end < 2; end++) {
        const struct starfish_ghost_rule *rule = &a->rule[axis][end];
        const ptrdiff_t near = end ? n - 1 : 0, next = n > 1 ? (end ? n - 2 : 1) : near, ghost = end ? n : -1;
        if (rule->kind == STARFISH_GHOST_WRAPS)
            line[ghost * stride] = line[(n - 1 - near) * stride];
        if (rule->kind == STARFISH_GHOST_FORMULA)
            line[ghost * stride] = (real)rule->near * line[near * stride] + (real)rule->next * line[next * stride] +
                                   (real)rule->datum * datum(a, axis, end, index) +
                                   (real)rule->other * datum(a, axis, 1 - end, index);
    }
}

void REAL_NAME(starfish_ghosts_cpu)(const struct starfish_ghosts *a)
{
    for (size_t problem = 0; problem < a->problems; problem++)
        for (int axis = 0; axis < 3; axis++) {
            const size_t face = a->n[(axis + 1) % 3] * a->n[(axis + 2) % 3];
            real *const first = (real *)a->first + problem * a->strides.box;
            for (size_t q = 0; q < starfish_ghost_lines(a, axis, 1); q++)
                for (size_t p = 0; p < starfish_ghost_lines(a, axis, 0); p++) {
                    const struct starfish_ghost_line line = starfish_ghost_line_at(a, axis, p, q);
                    fill_line(a, axis, line.datum + problem * face, first + line.start, (ptrdiff_t)line.stride);
                }
        }
}
