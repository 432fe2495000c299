/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the components of a mesh without given nodes: a union-find over the nodes of the cells of the coarsest mesh. */
#include "fem/floating.h"

#include <stdlib.h>
#include <string.h>

static size_t nodes_of_cells(const struct starfish_fem_space *space)
{
    return (size_t)space->basis.count;
}

static size_t node_of(const struct starfish_fem_space *space, size_t cell, size_t n)
{
    return (size_t)space->mesh->cell[cell * space->mesh->lattice + (size_t)space->basis.node[n]];
}

/* The node that stands for all of its component; paths are made shorter on the way. */
static size_t root_of(size_t *parent, size_t node)
{
    for (; parent[node] != node; node = parent[node])
        parent[node] = parent[parent[node]];
    return node;
}

/* component[root]: its number, counted from 0, or -1 where a node of the component is given. */
static size_t number_components(const struct starfish_fem_space *space, size_t *parent, int *component)
{
    size_t count = 0;

    memset(component, 0, space->nodes * sizeof *component);
    for (size_t n = 0; n < space->nodes; n++)
        if (space->unknown[n] < 0)
            component[root_of(parent, n)] = -1;
    for (size_t n = 0; n < space->nodes; n++)
        if (root_of(parent, n) == n && component[n] == 0)
            component[n] = (int)count++;
    return count;
}

starfish_status starfish_fem_floating_find(const struct starfish_fem_space *coarsest,
                                           struct starfish_fem_floating *floating)
{
    const size_t cells = coarsest->mesh->cells;
    size_t *parent = malloc((coarsest->nodes + 1) * sizeof *parent);
    int *component = malloc((coarsest->nodes + 1) * sizeof *component);
    int *of_cell = malloc((cells + 1) * sizeof *of_cell);
    const int is_there = parent && component && of_cell;

    *floating = (struct starfish_fem_floating){.count = 0};
    if (is_there) {
        for (size_t n = 0; n < coarsest->nodes; n++)
            parent[n] = n;
        for (size_t c = 0; c < coarsest->mesh->cells; c++)
            for (size_t n = 1; n < nodes_of_cells(coarsest); n++)
                parent[root_of(parent, node_of(coarsest, c, n))] = root_of(parent, node_of(coarsest, c, 0));
        floating->count = number_components(coarsest, parent, component);
        for (size_t c = 0; c < cells; c++)
            of_cell[c] = component[root_of(parent, node_of(coarsest, c, 0))];
    }
    if (floating->count > 0)
        floating->of_cell = of_cell;
    else
        free(of_cell);
    free(parent);
    free(component);
    return STARFISH_OR_FAIL(is_there, STARFISH_ERROR_MEMORY, "out of memory for the components of a mesh");
}

starfish_status starfish_fem_floating_label(struct starfish_fem_floating *floating,
                                            const struct starfish_fem_space *finest)
{
    const struct starfish_refined *mesh = finest->mesh;

    if (floating->count == 0)
        return STARFISH_SUCCESS;
    floating->of = malloc((finest->unknowns + 1) * sizeof *floating->of);
    STARFISH_FAIL_IF(!floating->of, STARFISH_ERROR_MEMORY, "out of memory for the components of a mesh");
    for (size_t c = 0; c < mesh->cells; c++)
        for (size_t n = 0; n < nodes_of_cells(finest); n++) {
            const int unknown = finest->unknown[node_of(finest, c, n)];
            if (unknown >= 0)
                floating->of[unknown] = floating->of_cell[c >> (mesh->d * mesh->level)];
        }
    return STARFISH_SUCCESS;
}

void starfish_fem_floating_destroy(struct starfish_fem_floating *floating)
{
    free(floating->of_cell);
    free(floating->of);
    *floating = (struct starfish_fem_floating){.count = 0};
}
