/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of a table of neighbours: which cells of one box of a grid are the ghosts of another. Rows of boxes that are
 * cut out of an array differ by a shift at periodic ends alone; beside the edge of a panel of a sphere the neighbour's
 * axes may be exchanged, or run backwards. */
#ifndef STARFISH_BASE_BOX_NEIGHBOUR_H
#define STARFISH_BASE_BOX_NEIGHBOUR_H

#include <stddef.h>

/* Cell c of box `to`, where ghost[d][0] <= c[d] < ghost[d][1] in both directions d, is cell
 *     origin[e] + step[e][0] * c[0] + step[e][1] * c[1],   e = 0 and 1,
 * of box `from`. In each row and each column of `step` one entry is 1 or -1, and the other 0. */
struct starfish_box_neighbour {
    size_t from, to;
    ptrdiff_t ghost[2][2], origin[2], step[2][2];
};

static inline ptrdiff_t starfish_box_neighbour_cell(const struct starfish_box_neighbour *neighbour, int e, ptrdiff_t x,
                                                    ptrdiff_t y)
{
    return neighbour->origin[e] + neighbour->step[e][0] * x + neighbour->step[e][1] * y;
}

/* Do both boxes have their axes in the same directions? */
static inline int starfish_box_neighbour_is_shift(const struct starfish_box_neighbour *neighbour)
{
    return neighbour->step[0][0] == 1 && neighbour->step[1][1] == 1;
}

#endif
