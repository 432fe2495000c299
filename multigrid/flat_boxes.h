/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains cut into boxes of columns.
 *
 * Every box is a separate grid: its own columns, surrounded by columns of its neighbours. The adjacent ones are filled
 * when an operation reads beyond the box (scheduler/runtime/space.h). Operations run along whole rows, so they also
 * compute unused values in those columns; kernels only need to know which columns count in sums. Coarse columns are
 * pairs of fine ones of the same box, and all grids of a box begin at the same place. A column beyond a box on the
 * coarsest shared grid is therefore two on the next finer one, then four, and so on.
 *
 * The panels of a sphere are such boxes, too (flat_sphere.h), number p the columns p n .. p n + n - 1 in y. Around all
 * four sides they have columns of their neighbours, and the whole grids have columns around each panel, too.
 *
 * Coefficients of columns are cut out of those of the whole grid, those of layers are every box's. */
#ifndef STARFISH_MULTIGRID_FLAT_BOXES_H
#define STARFISH_MULTIGRID_FLAT_BOXES_H

#include "multigrid/flat.h"

/* Columns of a box on any grid, at least. */
enum { STARFISH_FLAT_BOX_COLUMNS = 2 };

struct starfish_flat_boxes {
    int levels;                           /* grids that are cut; the last one is the first of the tail, */
    size_t parts;                         /* into so many boxes */
    struct starfish_flat_shape *shape;    /* of box p on grid l: number p + parts * l, as all that follows */
    struct starfish_hierarchy_grid *grid; /* whose tables are owned */
    struct starfish_box *box;
    struct starfish_boxes *cut;               /* by grid */
    struct starfish_box_neighbour *neighbour; /* of a sphere, STARFISH_SPHERE_NEIGHBOURS for each grid */
    struct starfish_hierarchy_index_sets sets[STARFISH_GRID_MOST_LEVELS];
};

/* The whole grids, from the finest on. Those of more than `tail` unknowns are cut as long as boxes remain wide enough,
 * and the first of the others. */
struct starfish_flat_whole {
    int levels;
    const struct starfish_flat_shape *shape;
    const struct starfish_hierarchy_grid *grid; /* their tables */
    size_t tail;
    int collected; /* of a sphere, whose boxes are its panels: the first grid that is not cut any more */
};

/* End with starfish_flat_boxes_destroy, also after a failure. Errors: ARGUMENT (more boxes than columns), MEMORY. */
starfish_status starfish_flat_boxes_create(struct starfish_flat_boxes *boxes, const struct starfish_flat_cut *cut,
                                           const struct starfish_flat_whole *whole);
void starfish_flat_boxes_destroy(struct starfish_flat_boxes *boxes);

#endif
