/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The six panels of a cubed sphere: how they lie, and the copies of columns across their edges.
 *
 * A panel has n x n columns. Its index space is a face of the cube [-1, 1]^3: the point (x, y) of panel p, both in [-1,
 * 1], is centre + x * east + y * north of the table in flat_sphere.c. Panels 0 to 3 are around the equator from west to
 * east, 4 is the north pole's, 5 the south pole's; at all edges columns of one panel face columns of the other. A place
 * is counted in half columns from the panel's south-west corner, 0 to 2 n: columns are odd in both directions, faces
 * in x even in x alone, faces in y even in y alone, and corners of columns even in both. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_SPHERE_H
#define STARFISH_MULTIGRID_KERNELS_FLAT_SPHERE_H

#include "base/box_neighbour.h"

struct CUstream_st;

enum { STARFISH_PANELS = 6, STARFISH_SPHERE_NEIGHBOURS = 8 * STARFISH_PANELS };

/* A place beyond one edge of a panel, as the place of the panel that is there. What is on the panel, edges included,
 * stays as it is. 0: it is beyond two edges, where the sphere has nothing. At most 2 n half columns beyond. */
int starfish_sphere_find(size_t n, int *panel, ptrdiff_t place[2]);

/* The same of a column (i,j) of a panel. */
static inline int starfish_sphere_find_column(size_t n, int *panel, ptrdiff_t column[2])
{
    ptrdiff_t place[2] = {2 * column[0] + 1, 2 * column[1] + 1};

    if (!starfish_sphere_find(n, panel, place))
        return 0;
    column[0] = place[0] / 2;
    column[1] = place[1] / 2;
    return 1;
}

/* The centre, the east and the north of a panel, as vectors to points of the cube. */
void starfish_sphere_frame(int panel, double centre[3], double east[3], double north[3]);

/* Row `number` of the table of neighbours, all of whose columns are counted within their panel: the ghosts, `depth`
 * deep, beyond each of the four sides of a panel, and the one at each of its four corners, where there is no column: a
 * corner's ghost is the column of the neighbour in x that is beside it. */
void starfish_sphere_neighbour(size_t n, int number, size_t depth, struct starfish_box_neighbour *neighbour);

/* One array of all panels, one behind the other in y, each with `rim` ghosts around it: an array of flat.h of n + 2 rim
 * by 6 (n + 2 rim) columns. Fills the ghosts that are beside the panels. Bound by launches. */
struct starfish_flat_seams {
    size_t n, rim, layers;
    void *u;
};
void starfish_flat_seams_cpu_f32(const struct starfish_flat_seams *arguments);
void starfish_flat_seams_cpu_f64(const struct starfish_flat_seams *arguments);
int starfish_flat_seams_cuda_f32(const struct starfish_flat_seams *arguments, struct CUstream_st *stream);
int starfish_flat_seams_cuda_f64(const struct starfish_flat_seams *arguments, struct CUstream_st *stream);

/* A run of such ghosts, of layer 0: element to + t * to_step becomes element from + t * from_step, t = 0 .. count-1. */
struct starfish_flat_seam {
    ptrdiff_t to, from, to_step, from_step;
    size_t count;
};
void starfish_flat_seams_list(const struct starfish_flat_seams *arguments,
                              struct starfish_flat_seam seam[STARFISH_SPHERE_NEIGHBOURS]);

#endif
