/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups that lie on circles and spheres: their nodes are moved there, along the line to the centre. What lies between
 * moved nodes follows by transfinite interpolation: the middle of a face moves by half the moves of its edges' middles,
 * less a quarter of those of its corners, and so on, so that cells at a curved boundary stay well shaped. */
#include "fem/refined.h"

#include "scheduler/runtime/host_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 8192 }; /* of a run */

/* Moves, 3 per node; which nodes lie on a curve, and which cells have one. */
struct moves {
    struct starfish_refined *mesh;
    double *by;
    unsigned char *fixed, *follows;
};

static starfish_status project(const struct starfish_fem_curve *curve, const struct starfish_refined *mesh, int node,
                               struct moves *moves)
{
    double *by = moves->by + 3 * (size_t)node, away[3] = {0, 0, 0}, distance = 0;
    const double *point = mesh->point + 3 * (size_t)node;

    for (int i = 0; i < mesh->d; i++) {
        away[i] = point[i] - curve->centre[i];
        distance += away[i] * away[i];
    }
    distance = sqrt(distance);
    STARFISH_REFUSE_IF(!(distance > 1e-8 * curve->radius), "problem.curve: a node of group %d is at the centre",
                       curve->group);
    for (int i = 0; i < mesh->d; i++)
        by[i] = curve->centre[i] + away[i] * (curve->radius / distance) - point[i];
    moves->fixed[node] = 1;
    return STARFISH_SUCCESS;
}

static starfish_status project_group(const struct starfish_fem_curve *curve, const struct starfish_refined *mesh,
                                     struct moves *moves)
{
    for (size_t m = 0; m < mesh->marks; m++)
        for (int l = 0; mesh->mark[m].group == curve->group && l < (int)mesh->lattice; l++)
            if (starfish_lattice_on(l, mesh->d, mesh->mark[m].place))
                STARFISH_TRY(project(curve, mesh, mesh->cell[mesh->mark[m].cell * mesh->lattice + (size_t)l], moves));
    return STARFISH_SUCCESS;
}

/* Of a thing of dimension k: what lies on it with dimension j has the factor (-1)^(k-1-j) / 2^(k-j). */
void starfish_refined_blend(const struct starfish_refined *mesh, const int *cell, int l, double *values)
{
    int place[3];
    double mean[3] = {0, 0, 0};
    const int dimension = starfish_lattice_dimension(l);

    starfish_lattice_place(l, place);
    const unsigned char on[3] = {(unsigned char)place[0], (unsigned char)place[1], (unsigned char)place[2]};
    for (int k = 0; k < (int)mesh->lattice; k++) {
        const int gap = dimension - starfish_lattice_dimension(k);
        if (k == l || !starfish_lattice_on(k, mesh->d, on))
            continue;
        for (int i = 0; i < 3 && i < mesh->d; i++)
            mean[i] += (gap % 2 ? 1 : -1) * ldexp(values[3 * (size_t)cell[k] + (size_t)i], -gap);
    }
    memcpy(values + 3 * (size_t)cell[l], mean, sizeof mean);
}

/* Without a node on a curve a cell has none that moves: all that moves lies on what has such a node. */
static void find_followers(void *data, size_t first, size_t last)
{
    const struct moves *moves = data;
    const struct starfish_refined *mesh = moves->mesh;

    for (size_t c = first; c < last; c++) {
        int any = 0;
        for (size_t l = 0; l < mesh->lattice; l++)
            any |= moves->fixed[mesh->cell[c * mesh->lattice + l]];
        moves->follows[c] = (unsigned char)any;
    }
}

static void add_moves(void *data, size_t first, size_t last)
{
    const struct moves *moves = data;

    for (size_t i = 3 * first; i < 3 * last; i++)
        moves->mesh->point[i] += moves->by[i];
}

static void follow_all(struct moves *moves)
{
    const struct starfish_refined *mesh = moves->mesh;

    starfish_host_loop(mesh->cells, CELLS, find_followers, moves);
    for (int dimension = 1; dimension <= mesh->d; dimension++)
        for (size_t c = 0; c < mesh->cells; c++) {
            const int *cell = mesh->cell + c * mesh->lattice;
            for (int l = 0; moves->follows[c] && l < (int)mesh->lattice; l++)
                if (starfish_lattice_dimension(l) == dimension && !moves->fixed[cell[l]])
                    starfish_refined_blend(mesh, cell, l, moves->by);
        }
    starfish_host_loop(mesh->nodes, CELLS, add_moves, moves);
}

starfish_status starfish_refined_project(const struct starfish_fem_problem *problem, struct starfish_refined *mesh)
{
    struct moves moves = {mesh, NULL, NULL, NULL};

    if (problem->curves == 0)
        return STARFISH_SUCCESS;
    moves.by = calloc(3 * mesh->nodes + 1, sizeof *moves.by);
    moves.fixed = calloc(mesh->nodes + 1, 1);
    moves.follows = malloc(mesh->cells + 1);
    starfish_status status =
        STARFISH_OR_FAIL(moves.by && moves.fixed && moves.follows, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    for (size_t k = 0; k < problem->curves && status == STARFISH_SUCCESS; k++)
        status = project_group(&problem->curve[k], mesh, &moves);
    if (status == STARFISH_SUCCESS)
        follow_all(&moves);
    free(moves.by);
    free(moves.fixed);
    free(moves.follows);
    return status;
}
