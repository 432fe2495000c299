/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The six panels of a cubed sphere. Everything follows from three axes for each panel: beyond an edge the surface of
 * the cube goes on along the neighbour, whose centre is the direction of that edge, and away from this panel's centre.
 * Places are integers, so that nothing is rounded. */
#include "multigrid/kernels/flat_sphere.h"

/* The axes of space as 1, 2, 3, and their opposites negative: centre, east and north, a right-handed system. */
enum { CENTRE, EAST, NORTH, AXES };
static const int frames[STARFISH_PANELS][AXES] = {{1, 2, 3},  {2, -1, 3}, {-1, -2, 3},
                                                  {-2, 1, 3}, {3, 2, -1}, {-3, 2, 1}};

static int axis_of(int panel, int d)
{
    return frames[panel][d == 0 ? EAST : NORTH];
}

/* The inner product of two axes. */
static int product(int a, int b)
{
    return a == b ? 1 : a == -b ? -1 : 0;
}

/* Beyond the high (or low) edge in direction d: the panel that is there, and its places as those of this panel, counted
 * from the middle in units of n: place[e] = 2 turn.shift[e] + step[e][0] x + step[e][1] y. */
struct turn {
    int panel, step[2][2], shift[2];
};

static struct turn turn_of(int panel, int d, int high)
{
    const int sign = high ? 1 : -1, centre = frames[panel][CENTRE];
    struct turn turn = {.panel = 0};

    while (frames[turn.panel][CENTRE] != sign * axis_of(panel, d))
        turn.panel++;
    for (int e = 0; e < 2; e++) {
        const int axis = axis_of(turn.panel, e);
        turn.shift[e] = product(centre, axis);
        turn.step[e][d] = -sign * product(centre, axis);
        turn.step[e][1 - d] = product(axis_of(panel, 1 - d), axis);
    }
    return turn;
}

int starfish_sphere_find(size_t n, int *panel, ptrdiff_t place[2])
{
    const ptrdiff_t half = (ptrdiff_t)n, x = place[0] - half, y = place[1] - half;
    const int beyond[2] = {x < -half || x > half, y < -half || y > half};

    if (!beyond[0] && !beyond[1])
        return 1;
    if (beyond[0] && beyond[1])
        return 0;
    const struct turn turn = turn_of(*panel, beyond[1], (beyond[0] ? x : y) > 0);
    *panel = turn.panel;
    for (int e = 0; e < 2; e++)
        place[e] = half + 2 * half * turn.shift[e] + turn.step[e][0] * x + turn.step[e][1] * y;
    return 1;
}

void starfish_sphere_frame(int panel, double centre[3], double east[3], double north[3])
{
    double *const vector[AXES] = {centre, east, north};

    for (int a = 0; a < AXES; a++)
        for (int d = 0; d < 3; d++)
            vector[a][d] = product(frames[panel][a], d + 1);
}

/* ---- The table of neighbours ------------------------------------------------------------------------------------- */

enum { SIDES = 4, OF_A_PANEL = 8 };

/* The ghosts beyond a side, of the columns first .. last-1 along it. */
static void describe_side(size_t n, struct starfish_box_neighbour *to, int d, int high, size_t depth,
                          const ptrdiff_t along[2])
{
    const struct turn turn = turn_of((int)to->to, d, high);
    const ptrdiff_t all = (ptrdiff_t)n, deep = (ptrdiff_t)depth;

    to->from = (size_t)turn.panel;
    to->ghost[d][0] = high ? all : -deep;
    to->ghost[d][1] = high ? all + deep : 0;
    to->ghost[1 - d][0] = along[0];
    to->ghost[1 - d][1] = along[1];
    for (int e = 0; e < 2; e++) {
        to->step[e][0] = turn.step[e][0];
        to->step[e][1] = turn.step[e][1];
        to->origin[e] = all * turn.shift[e] + (turn.step[e][0] + turn.step[e][1] < 0 ? all - 1 : 0);
    }
}

void starfish_sphere_neighbour(size_t n, int number, size_t depth, struct starfish_box_neighbour *neighbour)
{
    const int side = number % OF_A_PANEL, high = side % 2, far = side / 2 % 2;
    const ptrdiff_t all = (ptrdiff_t)n, corner[2] = {far ? all : -1, far ? all + 1 : 0};
    const ptrdiff_t whole[2] = {0, all};

    neighbour->to = (size_t)(number / OF_A_PANEL);
    if (side < SIDES) {
        describe_side(n, neighbour, side / 2, high, depth, whole);
        return;
    }
    describe_side(n, neighbour, 0, high, 1, corner);
    for (int e = 0; e < 2; e++) /* the row beside the corner is that of the corner's ghost */
        neighbour->origin[e] += neighbour->step[e][1] * (far ? -1 : 1);
}

/* ---- Seams ------------------------------------------------------------------------------------------------------- */

static ptrdiff_t element(const struct starfish_flat_seams *a, size_t panel, ptrdiff_t x, ptrdiff_t y)
{
    const ptrdiff_t width = (ptrdiff_t)(a->n + 2 * a->rim), rim = (ptrdiff_t)a->rim;

    return x + rim + width * (ptrdiff_t)a->layers * (y + rim + width * (ptrdiff_t)panel);
}

void starfish_flat_seams_list(const struct starfish_flat_seams *a,
                              struct starfish_flat_seam seam[STARFISH_SPHERE_NEIGHBOURS])
{
    const ptrdiff_t row = (ptrdiff_t)((a->n + 2 * a->rim) * a->layers);

    for (int number = 0; number < STARFISH_SPHERE_NEIGHBOURS; number++) {
        struct starfish_box_neighbour of;
        starfish_sphere_neighbour(a->n, number, 1, &of);
        const int d = of.ghost[0][1] - of.ghost[0][0] == 1; /* along the side */
        const ptrdiff_t x = of.ghost[0][0], y = of.ghost[1][0];
        seam[number] =
            (struct starfish_flat_seam){.to = element(a, of.to, x, y),
                                        .from = element(a, of.from, starfish_box_neighbour_cell(&of, 0, x, y),
                                                        starfish_box_neighbour_cell(&of, 1, x, y)),
                                        .to_step = d == 0 ? 1 : row,
                                        .from_step = of.step[0][d] + row * of.step[1][d],
                                        .count = (size_t)(of.ghost[d][1] - of.ghost[d][0])};
    }
}
