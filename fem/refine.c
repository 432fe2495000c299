/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Meshes (refined.h): the one that is given, checked for its arrays and the sense of its cells, and its uniform
 * refinements. */
#include "fem/element.h"

#include "scheduler/runtime/host_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4096 }; /* of a run */

void starfish_refined_destroy(struct starfish_refined *mesh)
{
    free(mesh->cell);
    free(mesh->point);
    free(mesh->mark);
    memset(mesh, 0, sizeof *mesh);
}

size_t starfish_refined_origin(const struct starfish_fem_problem *problem, const struct starfish_refined *mesh,
                               size_t cell)
{
    const size_t origin = cell >> (mesh->d * mesh->level);

    return problem->mesh->number ? problem->mesh->number[origin] : origin;
}

static starfish_status create(struct starfish_refined *mesh, int d, size_t cells)
{
    *mesh = (struct starfish_refined){.d = d, .lattice = d == 2 ? 9 : 27, .cells = cells};
    mesh->cell = malloc((cells * mesh->lattice + 1) * sizeof *mesh->cell);
    return STARFISH_OR_FAIL(mesh->cell, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
}

/* ---- The mesh as given ------------------------------------------------------------------------------------------- */

static starfish_status check_marks(const struct starfish_fem_mesh *given)
{
    for (size_t m = 0; m < given->marks; m++) {
        const struct starfish_fem_mark *mark = &given->mark[m];
        STARFISH_REFUSE_IF(mark->cell >= given->cells || mark->place[0] > 2 || mark->place[1] > 2 ||
                               (given->dimensions == 3 && mark->place[2] > 2),
                           "mesh.mark[%zu] has cell %zu, or a place beyond 0 .. 2", m, mark->cell);
    }
    return STARFISH_SUCCESS;
}

static starfish_status check_arrays(const struct starfish_fem_mesh *given)
{
    const size_t lattice = given->dimensions == 2 ? 9 : 27;

    STARFISH_REFUSE_IF(given->dimensions != 2 && given->dimensions != 3, "mesh.dimensions is %d, must be 2 or 3",
                       given->dimensions);
    STARFISH_REFUSE_IF(given->cells == 0, "mesh.cells is 0, must be 1 or more");
    STARFISH_NEED(given->cell, "mesh.cell");
    STARFISH_NEED(given->point, "mesh.point");
    if (given->marks > 0)
        STARFISH_NEED(given->mark, "mesh.mark");
    for (size_t at = 0; at < given->cells * lattice; at++) {
        const int corner = starfish_lattice_dimension((int)(at % lattice)) == 0;
        STARFISH_REFUSE_IF(given->cell[at] >= (int)given->points || given->cell[at] < -1 ||
                               (corner && given->cell[at] < 0),
                           "mesh.cell[%zu] is %d, which is no point", at, given->cell[at]);
    }
    for (size_t i = 0; i < 3 * given->points; i++)
        STARFISH_REFUSE_IF((given->dimensions == 3 || i % 3 < 2) && !isfinite(given->point[i]),
                           "mesh.point[%zu] is not finite", i);
    return check_marks(given);
}

/* Corners become vertices 0, 1, ... in the order of their points; `vertex` has room for all points. */
static starfish_status take_corners(const struct starfish_fem_mesh *given, struct starfish_refined *mesh, int *vertex)
{
    memset(vertex, 0, given->points * sizeof *vertex);
    for (size_t at = 0; at < mesh->cells * mesh->lattice; at++)
        if (given->cell[at] >= 0)
            vertex[given->cell[at]] |= starfish_lattice_dimension((int)(at % mesh->lattice)) == 0 ? 1 : 2;
    for (size_t p = 0; p < given->points; p++) {
        STARFISH_REFUSE_IF(vertex[p] == 0, "mesh.point[%zu] is in no cell", p);
        STARFISH_REFUSE_IF(vertex[p] == 3,
                           "mesh.point[%zu] is the corner of a cell and the middle of "
                           "an edge of another: cells do not match",
                           p);
        vertex[p] = vertex[p] & 1 ? (int)mesh->vertices++ : -1;
    }
    for (size_t at = 0; at < mesh->cells * mesh->lattice; at++)
        mesh->cell[at] = given->cell[at] >= 0 ? vertex[given->cell[at]] : -1;
    return STARFISH_SUCCESS;
}

/* What is not given is between what is: middles of edges between corners, and so on. */
static void place_nodes(const struct starfish_fem_mesh *given, struct starfish_refined *mesh)
{
    for (int dimension = 0; dimension <= mesh->d; dimension++)
        for (size_t c = 0; c < mesh->cells; c++)
            for (int l = 0; l < (int)mesh->lattice; l++) {
                const int point = given->cell[c * mesh->lattice + (size_t)l];
                const int *cell = mesh->cell + c * mesh->lattice;
                if (starfish_lattice_dimension(l) != dimension)
                    continue;
                if (point < 0)
                    starfish_refined_blend(mesh, cell, l, mesh->point);
                for (int i = 0; point >= 0 && i < mesh->d; i++)
                    mesh->point[3 * (size_t)cell[l] + (size_t)i] = given->point[3 * (size_t)point + (size_t)i];
            }
}

/* The determinant of the map at all lattice nodes of cells. */
struct senses {
    const struct starfish_refined *mesh;
    double value[STARFISH_FEM_LATTICE][STARFISH_FEM_LATTICE], slope[STARFISH_FEM_LATTICE][3 * STARFISH_FEM_LATTICE];
    double *worst; /* by run of cells: 1, or what is not positive of its first inverted cell, which is `cell` */
    size_t *cell;
};

static double determinant_at(const struct senses *s, size_t cell, size_t l)
{
    struct starfish_fem_map map;

    starfish_fem_map_at(s->mesh, cell, s->value[l], s->slope[l], &map);
    return map.determinant;
}

static void check_run(void *data, size_t first, size_t last)
{
    const struct senses *s = data;
    double worst = 1;
    size_t c = first;

    for (; c < last && worst > 0; c++)
        for (size_t l = 0; l < s->mesh->lattice && worst > 0; l++) {
            const double determinant = determinant_at(s, c, l);
            worst = determinant > 0 ? worst : determinant;
        }
    s->worst[first / CELLS] = worst;
    s->cell[first / CELLS] = c - 1;
}

static starfish_status report_senses(const struct starfish_fem_problem *problem, const struct senses *s, size_t runs)
{
    for (size_t r = 0; r < runs; r++)
        STARFISH_REFUSE_IF(!(s->worst[r] > 0),
                           "element %zu is inverted or degenerate: the determinant of its map is %.3g",
                           starfish_refined_origin(problem, s->mesh, s->cell[r]), s->worst[r]);
    return STARFISH_SUCCESS;
}

static starfish_status check_senses(const struct starfish_fem_problem *problem, const struct starfish_refined *mesh)
{
    const size_t runs = (mesh->cells + CELLS - 1) / CELLS;
    struct senses *s = calloc(1, sizeof *s);
    double *worst = malloc((runs + 1) * sizeof *worst);
    size_t *cell = malloc((runs + 1) * sizeof *cell);
    struct starfish_fem_basis geometry;
    starfish_status status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a mesh");

    starfish_fem_basis_of(STARFISH_FEM_Q2, mesh->d, &geometry);
    if (s && worst && cell) {
        s->mesh = mesh;
        s->worst = worst;
        s->cell = cell;
        for (int l = 0; l < (int)mesh->lattice; l++) {
            int place[3];
            starfish_lattice_place(l, place);
            const double t[3] = {place[0], place[1], place[2]};
            starfish_fem_evaluate(&geometry, t, s->value[l], s->slope[l]);
        }
        starfish_host_loop(mesh->cells, CELLS, check_run, s);
        status = report_senses(problem, s, runs);
    }
    free(s);
    free(worst);
    free(cell);
    return status;
}

/* A face of more than two cells. */
static starfish_status check_faces(const struct starfish_fem_problem *problem, const struct starfish_refined *mesh)
{
    unsigned char *count = calloc(mesh->nodes + 1, 1);

    STARFISH_FAIL_IF(!count, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    for (size_t at = 0; at < mesh->cells * mesh->lattice; at++)
        if (starfish_lattice_dimension((int)(at % mesh->lattice)) == mesh->d - 1 && ++count[mesh->cell[at]] > 2) {
            free(count);
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "element %zu shares a face with two others or is there twice",
                                 starfish_refined_origin(problem, mesh, at / mesh->lattice));
        }
    free(count);
    return STARFISH_SUCCESS;
}

static starfish_status copy_marks(const struct starfish_fem_mesh *given, struct starfish_refined *mesh)
{
    mesh->marks = given->marks;
    mesh->mark = malloc((given->marks + 1) * sizeof *mesh->mark);
    STARFISH_FAIL_IF(!mesh->mark, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    if (given->marks > 0)
        memcpy(mesh->mark, given->mark, given->marks * sizeof *mesh->mark);
    for (size_t m = 0; m < mesh->marks && mesh->d == 2; m++)
        mesh->mark[m].place[2] = 0;
    return STARFISH_SUCCESS;
}

static starfish_status make_coarsest(const struct starfish_fem_problem *problem, struct starfish_refined *mesh,
                                     int *vertex)
{
    const struct starfish_fem_mesh *given = problem->mesh;

    STARFISH_TRY(create(mesh, given->dimensions, given->cells));
    STARFISH_TRY(take_corners(given, mesh, vertex));
    STARFISH_TRY(starfish_refined_number(mesh));
    STARFISH_TRY(copy_marks(given, mesh));
    place_nodes(given, mesh);
    STARFISH_TRY(check_senses(problem, mesh));
    STARFISH_TRY(check_faces(problem, mesh));
    STARFISH_TRY(starfish_refined_project(problem, mesh));
    return problem->curves > 0 ? check_senses(problem, mesh) : STARFISH_SUCCESS;
}

starfish_status starfish_refined_begin(const struct starfish_fem_problem *problem, struct starfish_refined *mesh)
{
    *mesh = (struct starfish_refined){.d = 0};
    STARFISH_TRY(check_arrays(problem->mesh));
    int *vertex = malloc((problem->mesh->points + 1) * sizeof *vertex);
    STARFISH_FAIL_IF(!vertex, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    const starfish_status status = make_coarsest(problem, mesh, vertex);
    free(vertex);
    return status;
}

/* ---- Refinement -------------------------------------------------------------------------------------------------- */

static starfish_status cut_marks(const struct starfish_refined *coarse, struct starfish_refined *mesh)
{
    const int children = 1 << mesh->d;

    mesh->mark = malloc((coarse->marks * (size_t)children + 1) * sizeof *mesh->mark);
    STARFISH_FAIL_IF(!mesh->mark, STARFISH_ERROR_MEMORY, "out of memory for a mesh");
    for (size_t m = 0; m < coarse->marks; m++)
        for (int child = 0; child < children; child++) {
            struct starfish_fem_mark mark = coarse->mark[m];
            int inside = 1;
            for (int i = 0; i < mesh->d; i++)
                inside = inside && (mark.place[i] == 1 || mark.place[i] / 2 == (child >> i & 1));
            mark.cell = mark.cell * (size_t)children + (size_t)child;
            if (inside)
                mesh->mark[mesh->marks++] = mark;
        }
    return STARFISH_SUCCESS;
}

starfish_status starfish_refined_next(const struct starfish_fem_problem *problem, const struct starfish_refined *coarse,
                                      struct starfish_refined *mesh)
{
    STARFISH_TRY(create(mesh, coarse->d, coarse->cells << coarse->d));
    mesh->level = coarse->level + 1;
    STARFISH_TRY(starfish_refined_children(coarse, mesh));
    STARFISH_TRY(cut_marks(coarse, mesh));
    return starfish_refined_project(problem, mesh);
}
