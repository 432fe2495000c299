/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite element spaces (space.h): nodes with given u, and prolongations, whose rows are values of coarse functions at
 * fine nodes. */
#include "fem/space.h"

#include "sparse/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void starfish_fem_space_destroy(struct starfish_fem_space *space)
{
    free(space->unknown);
    free(space->given);
    memset(space, 0, sizeof *space);
}

/* Nodes of a mark get their value; those of `unknown` that are given become -1. */
static starfish_status give_mark(const struct starfish_fem_dirichlet *dirichlet, const struct starfish_fem_mark *mark,
                                 struct starfish_fem_space *space)
{
    const int *cell = space->mesh->cell + mark->cell * space->mesh->lattice;

    for (int n = 0; n < space->basis.count; n++) {
        const int l = space->basis.node[n];
        if (!starfish_lattice_on(l, space->mesh->d, mark->place))
            continue;
        const double value = dirichlet->function
                                 ? dirichlet->function(dirichlet->data, space->mesh->point + 3 * (size_t)cell[l])
                                 : dirichlet->value;
        STARFISH_REFUSE_IF(!isfinite(value), "problem.dirichlet: a value of group %d is not finite", dirichlet->group);
        space->unknown[cell[l]] = -1;
        space->given[cell[l]] = value;
    }
    return STARFISH_SUCCESS;
}

static starfish_status give_group(const struct starfish_fem_dirichlet *dirichlet, struct starfish_fem_space *space)
{
    int found = 0;

    for (size_t m = 0; m < space->mesh->marks; m++)
        if (space->mesh->mark[m].group == dirichlet->group) {
            STARFISH_TRY(give_mark(dirichlet, &space->mesh->mark[m], space));
            found = 1;
        }
    return STARFISH_OR_FAIL(found, STARFISH_ERROR_ARGUMENT, "problem.dirichlet: the mesh has no group %d",
                            dirichlet->group);
}

starfish_status starfish_fem_space_create(const struct starfish_fem_problem *problem,
                                          const struct starfish_refined *mesh, struct starfish_fem_space *space)
{
    *space = (struct starfish_fem_space){.mesh = mesh,
                                         .nodes = problem->element == STARFISH_FEM_Q1 ? mesh->vertices : mesh->nodes};
    starfish_fem_basis_of(problem->element, mesh->d, &space->basis);
    space->unknown = calloc(space->nodes + 1, sizeof *space->unknown);
    space->given = calloc(space->nodes + 1, sizeof *space->given);
    STARFISH_FAIL_IF(!space->unknown || !space->given, STARFISH_ERROR_MEMORY, "out of memory for the unknowns");
    for (size_t k = 0; k < problem->dirichlets; k++)
        STARFISH_TRY(give_group(&problem->dirichlet[k], space));
    for (size_t n = 0; n < space->nodes; n++)
        if (space->unknown[n] == 0)
            space->unknown[n] = (int)space->unknowns++;
    return STARFISH_SUCCESS;
}

/* ---- Prolongation ------------------------------------------------------------------------------------------------ */

/* Where each unknown of the fine space is: a fine cell, and a local function of it. */
static starfish_status find_cells(const struct starfish_fem_space *fine, size_t **found)
{
    const size_t count = (size_t)fine->basis.count;
    size_t *at = calloc(fine->unknowns + 1, sizeof *at);

    *found = at;
    STARFISH_FAIL_IF(!at, STARFISH_ERROR_MEMORY, "out of memory for a prolongation");
    for (size_t c = 0; c < fine->mesh->cells; c++)
        for (size_t n = 0; n < count; n++) {
            const int unknown = fine->unknown[fine->mesh->cell[c * fine->mesh->lattice + (size_t)fine->basis.node[n]]];
            if (unknown >= 0)
                at[unknown] = c * count + n;
        }
    return STARFISH_SUCCESS;
}

/* Values of the coarse functions at all local nodes of all children. */
struct child_values {
    double value[STARFISH_FEM_CORNERS][STARFISH_FEM_LATTICE][STARFISH_FEM_LATTICE];
};

static void evaluate_children(const struct starfish_fem_space *coarse, struct child_values *children)
{
    for (int child = 0; child < 1 << coarse->mesh->d; child++)
        for (int n = 0; n < coarse->basis.count; n++) {
            int place[3];
            starfish_lattice_place(coarse->basis.node[n], place);
            const double t[3] = {(child & 1) + 0.5 * place[0], (child >> 1 & 1) + 0.5 * place[1],
                                 (child >> 2) + 0.5 * place[2]};
            starfish_fem_evaluate(&coarse->basis, t, children->value[child][n], NULL);
        }
}

/* Rows of a prolongation. */
struct prolonging {
    const struct starfish_fem_space *coarse;
    struct child_values children;
    size_t *where; /* by fine unknown, as find_cells has it */
};

static size_t most_of_row(const void *data, size_t i)
{
    const struct prolonging *p = data;

    (void)i;
    return (size_t)p->coarse->basis.count;
}

static void prolong_row(const void *data, size_t i, struct starfish_csr_row *row)
{
    const struct prolonging *p = data;
    const struct starfish_refined *mesh = p->coarse->mesh;
    const size_t count = (size_t)p->coarse->basis.count, cell = p->where[i] / count, n = p->where[i] % count;
    const double *value = p->children.value[cell % ((size_t)1 << mesh->d)][n];
    const int *parent = mesh->cell + (cell >> mesh->d) * mesh->lattice;

    for (size_t k = 0; k < count; k++) {
        const int unknown = p->coarse->unknown[parent[p->coarse->basis.node[k]]];
        if (value[k] != 0 && unknown >= 0)
            starfish_csr_add(row, unknown, value[k]);
    }
}

starfish_status starfish_fem_prolongation(const struct starfish_fem_space *coarse,
                                          const struct starfish_fem_space *fine, struct starfish_csr *p)
{
    struct prolonging *prolonging = calloc(1, sizeof *prolonging);
    const struct starfish_csr_source source = {fine->unknowns, coarse->unknowns, most_of_row, prolong_row, prolonging};

    *p = (struct starfish_csr){.rows = 0};
    STARFISH_FAIL_IF(!prolonging, STARFISH_ERROR_MEMORY, "out of memory for a prolongation");
    prolonging->coarse = coarse;
    evaluate_children(coarse, &prolonging->children);
    starfish_status status = find_cells(fine, &prolonging->where);
    STARFISH_THEN(status, starfish_csr_build(&source, p));
    free(prolonging->where);
    free(prolonging);
    return status;
}
